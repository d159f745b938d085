//! Mapping rules against recordings: what Hadoop 3.4.2's CapacityScheduler, set up with generated queues and rules,
//! made of submissions.
//!
//! `EVENWEAVE_MAPPINGS` names a file of more of them, uncompressed, that are played too.

use evenweave::config::capacity::{CapacityFile, ToPlace};
use flate2::read::GzDecoder;
use serde_json::Value;
use std::io::Read;

const RECORDED: &[u8] = include_bytes!("data/mapping-rules/recorded.jsonl.gz");

fn text(value: &Value) -> &str {
    value.as_str().expect("a text")
}

/// The submissions that end elsewhere than in Hadoop, and how many there are of each outcome.
fn play(lines: &str) -> (Vec<String>, [usize; 3]) {
    let (mut wrong, mut outcomes) = (Vec::new(), [0; 3]);
    for line in lines.lines() {
        let case: Value = serde_json::from_str(line).expect("a line of JSON");
        let properties = case["capacity"].as_object().expect("properties");
        let properties = properties.iter().map(|(name, value)| (name.as_str(), text(value)));
        let file = match CapacityFile::from_properties([], properties) {
            Ok(file) => file,
            Err(error) => {
                wrong.push(format!("{}: {error}", case["name"]));
                continue;
            }
        };
        for submission in case["submissions"].as_array().expect("submissions") {
            let groups = case["groups"][text(&submission["user"])].as_array();
            let groups: Vec<String> = groups.into_iter().flatten().map(|group| text(group).to_owned()).collect();
            let app = ToPlace::new(text(&submission["user"]))
                .in_groups(&groups)
                .named(text(&submission["name"]))
                .in_queue(text(&submission["queue"]));
            let placed = file.place(&app);
            outcomes[match placed {
                Ok(Some(_)) => 0,
                Ok(None) => 1,
                Err(_) => 2,
            }] += 1;
            let placed = placed.map_or(Some("rejected".to_owned()), |path| path);
            if placed.as_deref() != submission["placed"].as_str() {
                wrong.push(format!("{}: {app:?}: {} expected, got {placed:?}", case["name"], submission["placed"]));
            }
        }
    }
    (wrong, outcomes)
}

#[test]
fn applications_go_where_hadoop_s_rules_send_them() {
    let mut recorded = String::new();
    GzDecoder::new(RECORDED).read_to_string(&mut recorded).expect("text, compressed");
    if let Ok(path) = std::env::var("EVENWEAVE_MAPPINGS") {
        recorded += &std::fs::read_to_string(path).expect("the file that was named");
    }
    let (wrong, outcomes) = play(&recorded);
    assert!(wrong.is_empty(), "{}\n{} differ", wrong[..wrong.len().min(20)].join("\n"), wrong.len());
    assert!(outcomes.iter().all(|times| *times > 200), "each outcome is among them: {outcomes:?}");
}
