//! `evenweave bench`: where records and tables go, and what is refused.

#![expect(clippy::unwrap_used, reason = "a test's helpers")]

use serde_json::Value;
use std::process::{Command, Output};

fn bench(options: &str) -> (Option<i32>, String, String) {
    let program = env!("CARGO_BIN_EXE_evenweave");
    let Output { status, stdout, stderr } =
        Command::new(program).arg("bench").args(options.split(' ')).output().unwrap();
    (status.code(), String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap())
}

/// One record a repeat, then the median; the table goes elsewhere.
#[test]
fn records_are_lines_of_json() {
    let (code, out, told) = bench("w1 --size s --mode max --brief");
    assert_eq!(code, Some(0), "{told}");
    let records: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(records.len(), 2);
    for record in &records {
        let of = |name: &str| record[name].as_u64();
        assert_eq!((of("allocations"), of("nodes"), of("apps")), (Some(64_000), Some(1_000), Some(100)));
        assert_eq!((record["full"].as_f64(), record["brief"].as_bool()), (Some(1.0), Some(true)));
    }
    assert_eq!((&records[0]["median_of"], &records[1]["median_of"]), (&Value::Null, &1.into()));
    assert!(told.contains("allocations/s") && told.contains("median"), "{told}");
}

#[test]
fn a_table_takes_the_place_of_the_records() {
    let (code, out, told) = bench("W3 --size S --brief --format table");
    assert_eq!(code, Some(0), "{told}");
    assert!(out.contains("W3") && out.contains("repeat 1") && out.contains("median") && !out.contains('{'), "{out}");
}

#[test]
fn what_does_not_go_together_is_said_before_anything_starts() {
    let (code, out, told) = bench("W1 --drivers 2");
    assert_eq!((code, out.as_str()), (Some(2), ""));
    let says = "evenweave: a second driver makes the allocate calls of W2 and W4; W1 and W3 have one driver\n";
    assert_eq!(told, says);
}

/// Each repeat without labels is followed by one with two partitions, and the last line has the ratio.
#[test]
fn what_labels_cost_is_measured_in_turn() {
    let (code, out, told) = bench("W2 --size S --scheduler capacity --partitions 2 --brief");
    assert_eq!(code, Some(0), "{told}");
    let records: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of = |field: &str| records.iter().map(|record| record[field].clone()).collect::<Vec<_>>();
    assert_eq!(of("partitions"), [1, 2, 1]);
    assert!(of("allocations").iter().all(|count| count.as_u64() > Some(100)), "{out}");
    assert!(records[2]["rate_labelled_to_unlabelled"].as_f64() > Some(0.0), "{out}");
    assert!(told.contains("with 2 partitions ") && told.contains("repeat 1, 2 partitions"), "{told}");
    let (code, _, told) = bench("W2 --size S --partitions 2 --brief");
    assert!(code == Some(2) && told.contains("a FairScheduler has no node labels"), "{told}");
}
