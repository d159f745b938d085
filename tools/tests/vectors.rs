//! What Apache Hadoop 3.4.2 made of configuration, replayed: every case must come out as recorded.
//!
//! `tests/data/vectors` holds one family a file, one case a line. `tests/data/found-vectors` has single cases that no
//! family shows.

#![expect(clippy::unwrap_used, reason = "a test's helpers")]

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use evenweave_tools::Failure;
use evenweave_tools::replay::{Outcomes, PlayOptions, ReplayOptions};
use flate2::read::GzDecoder;
use serde_json::Value;

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/vectors")
}

fn replay(file: PathBuf) -> Result<Outcomes, Failure> {
    let options = ReplayOptions { files: vec![file], play: PlayOptions::EXACT, trace: false, scenario: None };
    evenweave_tools::replay::replay(&options)
}

/// The families with their numbers of cases.
const FAMILIES: [(&str, usize); 7] = [
    ("acl", 85),
    ("allocation-files", 512),
    ("capacity-files", 308),
    ("convert", 550),
    ("placement", 358),
    ("properties", 166),
    ("resource-strings", 422),
];

#[test]
fn every_case_comes_out_as_recorded() {
    for (family, cases) in FAMILIES {
        let file = directory().join(format!("{family}.jsonl.gz"));
        let said = replay(file).unwrap().text(cases);
        assert_eq!(said, format!("{family}: {cases} passed, 0 failed\n"));
    }
}

/// A file with several errors in its placement rules: which of them Hadoop tells, and what it logs before.
#[test]
fn errors_in_placement_rules_come_in_hadoops_order() {
    let file = directory().with_file_name("found-vectors").join("convert.jsonl");
    assert_eq!(replay(file).unwrap().text(14), "convert: 14 passed, 0 failed\n");
}

#[test]
fn no_file_is_forgotten() {
    let mut there: Vec<_> = std::fs::read_dir(directory()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    there.sort();
    assert_eq!(there, FAMILIES.map(|(family, _)| format!("{family}.jsonl.gz")).map(Into::<std::ffi::OsString>::into));
}

/// A file of a family with the one case of that name changed; gone at its end.
struct Changed {
    directory: PathBuf,
    file: PathBuf,
}

impl Changed {
    fn new(family: &str, case: &str, change: impl FnOnce(&mut Value)) -> Changed {
        let packed = File::open(directory().join(format!("{family}.jsonl.gz"))).unwrap();
        let mut text = String::new();
        GzDecoder::new(packed).read_to_string(&mut text).unwrap();
        let cases = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let mut found = cases.into_iter().find(|found| found["name"] == case).unwrap();
        change(&mut found);
        let directory = std::env::temp_dir().join(format!("evenweave-{case}-{}", std::process::id()));
        std::fs::create_dir_all(&directory).unwrap();
        let file = directory.join(format!("{family}.jsonl"));
        std::fs::write(&file, found.to_string()).unwrap();
        Changed { directory, file }
    }

    fn replay(&self) -> Outcomes {
        replay(self.file.clone()).unwrap()
    }
}

impl Drop for Changed {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}

/// The comparison compares: one recorded value changed, and the case fails and says where.
#[test]
fn a_changed_value_is_noticed() {
    let changed = Changed::new("allocation-files", "manual-without-am-share-002", |case| {
        case["expect"]["queues"][1]["weight"] = 7.into()
    });
    let outcomes = changed.replay();
    let said = outcomes.text(5);
    assert!(said.starts_with("allocation-files: 0 passed, 1 failed\n  manual-without-am-share-002: "), "{said}");
    assert!(said.contains("weight\n    - expected 7\n    + got      "), "{said}");
    let said = outcomes.json();
    let failure = &said["families"][0]["failures"][0];
    assert_eq!((said["passed"].as_u64(), said["failed"].as_u64()), (Some(0), Some(1)));
    assert_eq!(
        (failure["vector"].as_str(), failure["expected"].as_str()),
        (Some("manual-without-am-share-002"), Some("7"))
    );
}

/// What Hadoop refuses must be refused, and what it takes must be taken.
#[test]
fn a_refusal_on_one_side_only_is_noticed() {
    let error = serde_json::json!({"error": true, "message": "no", "type": "IOException"});
    let changed = Changed::new("allocation-files", "manual-with-parent-typed-003", |case| case["expect"] = error);
    let said = changed.replay().text(5);
    assert!(said.contains("error\n    - expected \"no\"\n    + got      accepted"), "{said}");
}

#[test]
fn files_that_are_no_vectors_are_refused_with_their_place() {
    let directory = std::env::temp_dir().join(format!("evenweave-no-vectors-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    let refused = |name: &str, bytes: &[u8]| {
        let file = directory.join(name);
        std::fs::write(&file, bytes).unwrap();
        match replay(file) {
            Err(Failure::Input(message)) => message,
            other => panic!("{name}: {other:?}"),
        }
    };
    let case = br#"{"name": "a", "input": {}, "expect": {}}"#;
    let said = [
        (refused("other.jsonl", case), "other.jsonl: vectors of the family \"other\" cannot be replayed"),
        (refused("properties.jsonl", b"{}"), "properties.jsonl:1:1: neither \"steps\""),
        (refused("properties.jsonl", &[case.as_slice(), b"\n{}"].concat()), "properties.jsonl:2:2: missing field"),
        (refused("properties.jsonl", b"\n"), "properties.jsonl:1:1: the file is empty"),
        (refused("properties.jsonl.gz", &[0x1f, 0x8b, 8, 0]), "properties.jsonl.gz: "),
    ];
    std::fs::remove_dir_all(&directory).unwrap();
    for (said, expected) in said {
        assert!(said.contains(expected), "{said}");
    }
}
