//! Bad input: a clear message with its place, exit code 2, and nothing left behind.

#![expect(clippy::unwrap_used, reason = "a test's helpers")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A directory of one test, gone at its end.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let path = std::env::temp_dir().join(format!("evenweave-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Scratch(path)
    }

    fn file(&self, name: &str, text: &str) -> String {
        let path = self.0.join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    }

    fn out(&self) -> PathBuf {
        self.0.join("out")
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn evenweave(arguments: &[&str], out: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_evenweave")).args(arguments).arg("--out").arg(out).output().unwrap()
}

/// Runs it, and gives what it said once code and traces are as they should be.
fn refused(arguments: &[&str], scratch: &Scratch) -> String {
    let output = evenweave(arguments, &scratch.out());
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(output.stdout.is_empty(), "nothing on standard output");
    assert!(!scratch.out().exists(), "nothing half-written");
    said
}

#[test]
fn no_nodes() {
    let said = refused(&["load", "--nodes", "0"], &Scratch::new("nodes"));
    assert!(said.contains("'0'") && said.contains("--nodes") && said.contains("1..=1000000"), "{said}");
}

#[test]
fn a_missing_trace() {
    let scratch = Scratch::new("missing");
    let said = refused(&["--trace", "no-such.tsv"], &scratch);
    assert!(said.contains("no-such.tsv: ") && said.contains("it must be a file that can be read"), "{said}");
}

#[test]
fn a_malformed_trace() {
    let scratch = Scratch::new("trace");
    let file = scratch.file("bad.tsv", "job0\t1\t1\t5\t6\t7\njob1\t2\t1\t5\tsix\t7\n");
    let said = refused(&["--trace", &file], &scratch);
    assert!(said.contains(":2:12: shuffle bytes \"six\" is not a whole number"), "{said}");
    assert!(said.contains("must be a whole number"), "{said}");
}

#[test]
fn missing_and_malformed_allocation_files() {
    let scratch = Scratch::new("queues");
    let said = refused(&["--config", "no-such.xml"], &scratch);
    assert!(said.contains("allocation file no-such.xml: "), "{said}");
    let file = scratch.file("bad.xml", "<wrong/>");
    let said = refused(&["--queues", &file], &scratch);
    assert!(said.contains("bad.xml:1:"), "{said}");
}

#[test]
fn an_unknown_queue() {
    let said = refused(&["--queue", "root.nowhere"], &Scratch::new("queue"));
    assert!(said.contains("no queue of that name") && said.contains("root.production.reports"), "{said}");
}

#[test]
fn an_output_directory_that_cannot_be() {
    let scratch = Scratch::new("out");
    let file = scratch.file("file", "");
    let output = evenweave(&[], &Path::new(&file).join("out"));
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr).unwrap().contains("it must be a directory"));
}

#[test]
fn a_scenario_file_that_is_none() {
    let scratch = Scratch::new("scenario");
    let file = scratch.file("s.jsonl", "{\"name\": \"x\"\n");
    let output = Command::new(env!("CARGO_BIN_EXE_evenweave")).args(["replay", &file]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr).unwrap().contains("s.jsonl:1:"));
}

#[test]
fn missing_and_malformed_site_files() {
    let scratch = Scratch::new("site");
    let said = refused(&["--site", "no-such.xml"], &scratch);
    assert!(said.contains("site file no-such.xml: "), "{said}");
    let text = "<configuration>\n<property><name>yarn.scheduler.fair.max.assign</name><value>four</value></property>\n\
                </configuration>";
    let file = scratch.file("yarn-site.xml", text);
    let said = refused(&["--site", &file], &scratch);
    assert!(said.contains("yarn-site.xml:2:61: yarn.scheduler.fair.max.assign: \"four\" is not an integer"), "{said}");
    let said = refused(&["-D", "yarn.scheduler.minimum-allocation-mb=-1"], &scratch);
    assert!(said.contains("yarn.scheduler.minimum-allocation-mb: -1 is negative"), "{said}");
    let said = refused(&["-D", "novalue"], &scratch);
    assert!(said.contains("NAME=VALUE"), "{said}");
}

#[test]
fn groups_that_cannot_be_read() {
    let scratch = Scratch::new("groups");
    let file = scratch.file("groups.txt", "ann: staff\nbob staff\n");
    let said = refused(&["--groups", &file], &scratch);
    assert!(said.contains("groups.txt:2:1: \"bob staff\" has no colon"), "{said}");
}

/// As `evenweave replay --trace FILE | head` does.
#[test]
fn a_reader_that_stops_reading_ends_the_program_without_a_word() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_evenweave"))
        .args(["replay", "--trace", concat!(env!("CARGO_MANIFEST_DIR"), "/../tools/data/scenarios/drf.jsonl.gz")])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("the program ends");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(output.status.code(), Some(141));
}

/// As `evenweave replay FILE 2>&1 | head -0` does, or a log on a full disk.
#[test]
fn a_standard_error_that_nobody_reads_does_not_change_the_exit_code() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_evenweave"))
        .args(["replay", "no-such-file.jsonl"])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    drop(child.stderr.take());
    let ended = child.wait().expect("the program ends");
    assert_eq!(ended.code(), Some(2));
}
