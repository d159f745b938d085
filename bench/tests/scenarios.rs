//! Recorded runs of Apache Hadoop 3.4.2, replayed by the program: every decision of every step must be the recorded one.
//!
//! `data/scenarios` holds the families that the program carries with it, `data/scenarios/more` those that only this test
//! replays. A family is thirty scenarios.

#![expect(clippy::unwrap_used, reason = "a test's helpers")]

use flate2::read::GzDecoder;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::process::Command;

const SCENARIOS: usize = 30;

/// Replays one family in a process of its own and holds its only line of output against what it should be.
fn replay(family: &str, directory: &str) {
    let packed = Path::new(env!("CARGO_MANIFEST_DIR")).join(directory).join(format!("{family}.jsonl.gz"));
    let output = Command::new(env!("CARGO_BIN_EXE_evenweave")).arg("replay").arg(&packed).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let complained = String::from_utf8_lossy(&output.stderr);
    assert_eq!(said.trim_end(), format!("{family}: {SCENARIOS} passed, 0 failed"), "{complained}");
    assert!(output.status.success(), "{}: {complained}", output.status);
}

macro_rules! families {
    ($directory:literal: $($name:ident = $family:literal,)*) => {
        $(
            #[test]
            fn $name() {
                replay($family, $directory);
            }
        )*
        /// Whether a file of the directory is forgotten here.
        #[test]
        fn none_is_forgotten() {
            let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join($directory);
            let files = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().file_name());
            let mut there: Vec<_> = files
                .filter_map(|name| name.to_str().unwrap().strip_suffix(".jsonl.gz").map(str::to_owned))
                .collect();
            there.sort();
            let mut named = vec![$($family.to_owned()),*];
            named.sort();
            assert_eq!(there, named);
        }
    };
}

mod carried {
    use super::*;

    families! { "data/scenarios":
        assign = "assign",
        drf = "drf",
        fair = "fair",
        fifo = "fifo",
        normalize = "normalize",
        shares = "shares",
    }
}

mod more {
    use super::*;

    families! { "data/scenarios/more":
        am_share = "amshare",
        blacklist = "blacklist",
        continuous = "continuous",
        custom_resource = "custom-resource",
        locality = "locality",
        mixed = "mixed",
        moves = "move",
        nodes = "nodes",
        placement = "placement",
        preempt = "preempt",
        preempt_am = "preempt-am",
        reload = "reload",
        reserve = "reserve",
        running = "running",
    }
}

/// A recording with one decision changed does not pass: the comparison compares.
#[test]
fn a_changed_decision_is_noticed() {
    let packed = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/scenarios/fair.jsonl.gz");
    let mut text = String::new();
    GzDecoder::new(File::open(packed).unwrap()).read_to_string(&mut text).unwrap();
    let mut scenario: serde_json::Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    let steps = scenario["expect"].as_array_mut().unwrap();
    let mut made = steps.iter_mut().filter_map(|step| step.get_mut("allocated")?.get_mut(0));
    let container = &mut made.next().unwrap()["container"];
    *container = (container.as_u64().unwrap() + 1).into();
    let file = std::env::temp_dir().join(format!("evenweave-changed-{}.jsonl", std::process::id()));
    std::fs::write(&file, scenario.to_string()).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_evenweave")).arg("replay").arg(&file).output();
    std::fs::remove_file(&file).unwrap();
    let output = output.unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stdout).starts_with("fair: 0 passed, 1 failed\n"));
}
