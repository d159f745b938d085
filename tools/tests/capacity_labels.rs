//! Recorded runs of Hadoop 3.4.2's CapacityScheduler with node labels: every field of every step must be the recorded one.
//! Of each family no fewer recordings are replayed than the table says.

use evenweave_tools::replay::{DriverChoice, PlayOptions, ReplayOptions, replay};
use std::path::PathBuf;

/// By file: how many recordings are replayed exactly, of how many.
const FAMILIES: [(&str, usize, usize); 52] = [
    ("labelled-absolute", 12, 12),
    ("labelled-am-limit", 12, 12),
    ("labelled-async", 12, 12),
    ("labelled-attempts", 12, 12),
    ("labelled-derived", 12, 12),
    ("labelled-drf", 12, 12),
    ("labelled-dynamic-queues", 11, 11),
    ("labelled-fair-leaf", 12, 12),
    ("labelled-fifo-leaf", 12, 12),
    ("labelled-headroom", 12, 12),
    ("labelled-hierarchy", 11, 11),
    ("labelled-locality", 12, 12),
    ("labelled-mixed", 12, 12),
    ("labelled-move", 12, 12),
    ("labelled-multi", 12, 12),
    ("labelled-nodes-change", 11, 12),
    ("labelled-parallel", 11, 11),
    ("labelled-preempt", 12, 12),
    ("labelled-preempt-intra", 12, 12),
    ("labelled-preempt-moves", 12, 12),
    ("labelled-preempt-priority", 11, 11),
    ("labelled-preempt-reserved", 12, 12),
    ("labelled-priority", 11, 11),
    ("labelled-recover", 12, 12),
    ("labelled-recover-limits", 10, 12),
    ("labelled-recover-preempt", 11, 12),
    ("labelled-recover-queues", 12, 12),
    ("labelled-reload", 10, 10),
    ("labelled-reserve", 12, 12),
    ("labelled-state", 12, 12),
    ("labelled-user-limit", 12, 12),
    ("labelled-weights", 12, 12),
    ("labels-absolute", 30, 30),
    ("labels-am", 30, 30),
    ("labels-change", 30, 30),
    ("labels-derived", 30, 30),
    ("labels-exclusive", 30, 30),
    ("labels-headroom", 30, 30),
    ("labels-intra", 30, 30),
    ("labels-locality", 30, 30),
    ("labels-mixed", 30, 30),
    ("labels-move", 30, 30),
    ("labels-policies", 30, 30),
    ("labels-preempt", 30, 30),
    ("labels-priority", 30, 30),
    ("labels-reload", 30, 30),
    ("labels-reserve", 30, 30),
    ("labels-shared", 30, 30),
    ("labels-userlimit", 30, 30),
    ("labels-vectors", 30, 30),
    ("labels-weights", 30, 30),
    ("labels-worked", 5, 5),
];

fn data() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data")
}

/// How many recordings of a file are replayed, of how many, and the first differences.
fn replayed(file: &str, driver: DriverChoice) -> (usize, usize, String) {
    let directory = if file.starts_with("labelled-") { "capacity-labelled" } else { "capacity-labels" };
    let files = vec![data().join(directory).join(format!("{file}.jsonl.gz"))];
    let play = PlayOptions { driver, ..PlayOptions::EXACT };
    let options = ReplayOptions { files, play, trace: false, scenario: None };
    let text = replay(&options).expect("a file of scenarios").text(4);
    let count = |word: &str| -> usize {
        let words: Vec<&str> = text.split_whitespace().map(|of| of.trim_end_matches(',')).collect();
        let counts = words.windows(2).filter(|pair| pair[1] == word);
        counts.filter_map(|pair| pair[0].parse::<usize>().ok()).sum()
    };
    let (passed, failed) = (count("passed"), count("failed"));
    (passed, passed + failed, text)
}

fn all(driver: DriverChoice) {
    let mut wrong = Vec::new();
    for (file, least, of) in FAMILIES {
        let (passed, recordings, text) = replayed(file, driver);
        println!("{file}: {passed} of {recordings}");
        if passed < least || recordings != of {
            wrong.push(format!("{file}: {least} of {of} were replayed\n{text}"));
        } else if passed < recordings {
            println!("{text}");
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn stepped() {
    all(DriverChoice::Stepped);
}

#[test]
fn threaded() {
    all(DriverChoice::Threaded);
}

/// Whether a file of the directories is forgotten here.
#[test]
fn none_is_forgotten() {
    let mut there = Vec::new();
    for directory in ["capacity-labels", "capacity-labelled"] {
        let files = std::fs::read_dir(data().join(directory)).expect("the directory of recordings");
        let name = |entry: std::io::Result<std::fs::DirEntry>| entry.expect("a file").file_name();
        there.extend(files.map(name).map(|name| name.to_string_lossy().replace(".jsonl.gz", "")));
    }
    there.sort();
    let mut named: Vec<String> = FAMILIES.iter().map(|(file, _, _)| (*file).to_owned()).collect();
    named.sort();
    assert_eq!(there, named);
}
