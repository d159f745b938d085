//! `evenweave replay` as it is run: what it prints, and its exit codes. That recordings pass is tested where the replay
//! is.

#![expect(clippy::unwrap_used, reason = "a test's helpers")]

use std::path::Path;
use std::process::Command;

/// Runs it in the package's directory; exit code, standard output and error.
fn replay(arguments: &[&str]) -> (Option<i32>, String, String) {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut command = Command::new(env!("CARGO_BIN_EXE_evenweave"));
    let output = command.current_dir(directory).arg("replay").args(arguments).output().unwrap();
    (output.status.code(), String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
}

const VECTORS: &str = "../tools/tests/data/vectors/acl.jsonl.gz";
const SCENARIOS: &str = "../tools/data/scenarios/fair.jsonl.gz";

#[test]
fn what_passes_is_a_line_a_family() {
    let (code, said, told) = replay(&[SCENARIOS, VECTORS]);
    assert_eq!((code, said.as_str()), (Some(0), "fair: 30 passed, 0 failed\nacl: 85 passed, 0 failed\n"), "{told}");
    let (code, said, told) = replay(&["--driver", "threaded", "--json", SCENARIOS]);
    let said: serde_json::Value = serde_json::from_str(&said).unwrap();
    assert_eq!((code, said["passed"].as_u64(), said["failed"].as_u64()), (Some(0), Some(30), Some(0)), "{told}");
    let (code, said, told) = replay(&["--workers", "2", "--fold-every", "1", SCENARIOS]);
    assert_eq!((code, said.lines().count()), (Some(0), 2), "{told}");
    assert!(said.contains("containers of an application and"), "{said}");
}

/// A scenario that says of its only step what cannot be.
#[test]
fn what_differs_is_shown_as_often_as_is_wanted() {
    let scenario = r#"{"name": "no-1-0", "allocations": "<allocations/>",
        "steps": [{"op": "update"}], "expect": [{"error": {"kind": "None"}}]}"#
        .replace('\n', " ");
    let file = std::env::temp_dir().join(format!("evenweave-differs-{}.jsonl", std::process::id()));
    std::fs::write(&file, format!("{scenario}\n{scenario}\n")).unwrap();
    let (code, said, told) = replay(&["--show", "1", file.to_str().unwrap()]);
    let (json_code, json, _) = replay(&["--json", file.to_str().unwrap()]);
    std::fs::remove_file(&file).unwrap();
    assert_eq!(code, Some(1), "{told}");
    assert!(said.starts_with("no: 0 passed, 2 failed\n  no-1-0, step 0 update: error\n"), "{said}");
    assert!(said.ends_with("\n  … 1 more\n"), "{said}");
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((json_code, json["families"][0]["failures"].as_array().unwrap().len()), (Some(1), 2));
}

#[test]
fn what_cannot_be_read_is_said_and_nothing_is_replayed() {
    let (code, said, told) = replay(&[VECTORS, "nowhere.jsonl"]);
    assert_eq!((code, said.as_str()), (Some(2), ""));
    assert!(told.starts_with("evenweave: nowhere.jsonl: "), "{told}");
    let (code, _, told) = replay(&["--driver", "other", VECTORS]);
    assert_eq!(code, Some(2));
    assert!(told.contains("[possible values: stepped, threaded]"), "{told}");
}
