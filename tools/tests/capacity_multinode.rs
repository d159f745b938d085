//! Recorded runs of Hadoop 3.4.2's CapacityScheduler with multi-node placement: every field of every step must be the
//! recorded one. Of each family no fewer recordings are replayed than the table says.
//!
//! They were made by `generate_multinode.py` with seed 7; docs/rules/multi-node.md 9 says how the recorder goes by its
//! clock.

use evenweave_tools::replay::{DriverChoice, PlayOptions, ReplayOptions, replay};
use std::path::PathBuf;

/// By file: how many recordings are replayed exactly, of how many.
const FAMILIES: [(&str, usize, usize); 8] = [
    ("multinode-am", 30, 30),
    ("multinode-async", 30, 30),
    ("multinode-labels", 30, 30),
    ("multinode-locality", 30, 30),
    ("multinode-nodes", 30, 30),
    ("multinode-queues", 30, 30),
    ("multinode-reserve", 30, 30),
    ("multinode-usage", 30, 30),
];

fn data() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/capacity-multinode")
}

/// How many recordings of a file are replayed, of how many, and the first differences.
fn replayed(file: &str, driver: DriverChoice) -> (usize, usize, String) {
    let files = vec![data().join(format!("{file}.jsonl.gz"))];
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
            wrong.push(format!("{file}: {least} of {of} were to be replayed, {passed} of {recordings} were\n{text}"));
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

/// Whether a file of the directory is forgotten here.
#[test]
fn none_is_forgotten() {
    let name = |entry: std::io::Result<std::fs::DirEntry>| entry.expect("a file").file_name();
    let files = std::fs::read_dir(data()).expect("the directory of recordings").map(name);
    let mut there: Vec<String> = files.map(|name| name.to_string_lossy().replace(".jsonl.gz", "")).collect();
    there.sort();
    assert_eq!(there, FAMILIES.map(|(file, _, _)| file));
}
