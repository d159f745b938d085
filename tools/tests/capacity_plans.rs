//! Recorded runs of Hadoop 3.4.2's CapacityScheduler with plans of the ReservationSystem: every field of every step
//! must be the recorded one, on both drivers. A family is thirty scenarios.

use std::path::PathBuf;

use evenweave_tools::replay::{DriverChoice, PlayOptions, ReplayOptions, replay};

const FAMILIES: [&str; 8] = ["acl", "apps", "follow", "periodic", "policy", "reload", "replan", "update-delete"];

fn directory() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/capacity-reservation")
}

fn play(driver: DriverChoice) {
    for family in FAMILIES {
        let files = vec![directory().join(format!("{family}.jsonl.gz"))];
        let play = PlayOptions { driver, ..PlayOptions::EXACT };
        let outcomes =
            replay(&ReplayOptions { files, play, trace: false, scenario: None }).expect("a file of scenarios");
        assert_eq!(outcomes.text(5), format!("capacity capacity-{family}: 30 passed, 0 failed\n"));
    }
}

#[test]
fn stepped() {
    play(DriverChoice::Stepped);
}

#[test]
fn threaded() {
    play(DriverChoice::Threaded);
}

/// Whether a file of the directory is forgotten here.
#[test]
fn none_is_forgotten() {
    let files = std::fs::read_dir(directory()).expect("the directory of recordings");
    let mut there: Vec<String> =
        files.map(|entry| entry.expect("a file").file_name().to_string_lossy().into_owned()).collect();
    there.sort();
    assert_eq!(there, FAMILIES.map(|family| format!("{family}.jsonl.gz")));
}
