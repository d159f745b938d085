//! `evenweave explain` and `evenweave replay --trace` as they are run: the reasons of the core, as lines.
//!
//! `data/explain/scenario.jsonl` is written by hand, so it says nothing of what Hadoop did; the rest are recordings.

#![expect(clippy::unwrap_used, reason = "a test's helpers")]

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use flate2::read::GzDecoder;
use serde_json::Value;

const WRITTEN: &str = "tests/data/explain/scenario.jsonl";
const RESERVE: &str = "../tools/data/scenarios/more/reserve.jsonl.gz";

/// Runs it in the package's directory, so that paths are the same everywhere.
fn run(arguments: &[&str]) -> Output {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR"));
    Command::new(env!("CARGO_BIN_EXE_evenweave")).current_dir(directory).args(arguments).output().unwrap()
}

/// What it says where all is well.
fn said(arguments: &[&str]) -> String {
    let output = run(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn explain(file: &str, scenario: Option<&str>, app: &str, step: &str) -> String {
    let mut arguments = vec!["explain", file, "--app", app, "--step", step];
    if let Some(scenario) = scenario {
        arguments.extend(["--scenario", scenario]);
    }
    said(&arguments)
}

/// All recordings that a test replays.
fn recordings() -> Vec<PathBuf> {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tools/data/scenarios");
    let directories = [data.clone(), data.join("more")];
    let files = directories.iter().flat_map(|directory| std::fs::read_dir(directory).unwrap());
    files.map(|entry| entry.unwrap().path()).filter(|path| path.extension().is_some_and(|kind| kind == "gz")).collect()
}

/// How many containers a recording has.
fn recorded_containers(path: &Path) -> usize {
    let mut text = String::new();
    GzDecoder::new(File::open(path).unwrap()).read_to_string(&mut text).unwrap();
    let scenarios = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let of = |step: &Value| step["allocated"].as_array().map_or(0, Vec::len);
    scenarios.map(|scenario| scenario["expect"].as_array().unwrap().iter().map(of).sum::<usize>()).sum()
}

/// Tracing changes no decision, and has every container that was made: neither more nor less.
#[test]
fn traced_replays_are_as_recorded() {
    let recordings = recordings();
    assert_eq!(recordings.len(), 19);
    for path in recordings {
        let text = said(&["replay", "--trace", path.to_str().unwrap()]);
        let family = path.file_name().unwrap().to_str().unwrap().trim_end_matches(".jsonl.gz").to_owned();
        assert_eq!(text.lines().last().unwrap(), format!("{family}: 30 passed, 0 failed"));
        let made = |line: &&str| {
            let line = line.trim_start();
            line.starts_with("priority ") && line.contains(": container ")
                || line.starts_with("reserved for ") && line.contains(": container made")
        };
        assert_eq!(text.lines().filter(made).count(), recorded_containers(&path), "{family}");
        assert!(!text.contains("does not know"), "{family}: a reason without words");
    }
}

#[test]
fn a_trace_reads_as_expected() {
    let text = said(&["replay", "--trace", RESERVE, "--scenario", "reserve-1-010"]);
    let expected = include_str!("data/explain/reserve-1-010.trace.txt");
    assert!(text == expected, "it says:\n{text}");
}

#[test]
fn answers_read_as_expected() {
    let reserve = |app, step| explain(RESERVE, Some("reserve-1-010"), app, step);
    let written = |app, step| explain(WRITTEN, None, app, step);
    let mut text = String::new();
    for app in ["1", "2", "3", "4"] {
        text += &written(app, "25");
    }
    text += &written("3", "27");
    text += &written("5", "28");
    text += &written("6", "29");
    text += &written("6", "34");
    text += &written("7", "34");
    text += &reserve("2", "30");
    text += &reserve("3", "30");
    text += &reserve("3", "15");
    let expected = include_str!("data/explain/answers.txt");
    assert!(text == expected, "it says:\n{text}");
}

const CAPACITY: &str = "../tools/tests/data/capacity/reserve.jsonl.gz";

/// The CapacityScheduler's recordings are answered from what it says when it is asked.
#[test]
fn answers_of_capacity_recordings_read_as_expected() {
    let of = |app, step| explain(CAPACITY, Some("reserve-31-000"), app, step);
    let text = ["29", "20", "5"].map(|step| of("1", step)).concat() + &of("2", "21");
    let expected = include_str!("data/explain/capacity.txt");
    assert!(text == expected, "it says:\n{text}");
    for (arguments, told) in [
        (["--scenario", "reserve-31-000", "--app", "9", "--step", "25"], "there is no application 9; there are: 1, 2"),
        (
            ["--scenario", "reserve-31-000", "--app", "1", "--step", "99"],
            "there is no step 99; it has the steps 0 to 32",
        ),
        (["--scenario", "x", "--app", "1", "--step", "1"], "there is no scenario \"x\"; there are: reserve-31-000, "),
    ] {
        let output = run(&[&["explain", CAPACITY][..], &arguments].concat());
        let complained = String::from_utf8_lossy(&output.stderr);
        assert!(complained.contains(told), "{arguments:?}: {complained}");
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{arguments:?}");
    }
}

/// The page for operators shows what the program says.
#[test]
fn the_page_has_real_output() {
    let page = include_str!("../../docs/explain.md");
    assert!(page.contains(&format!("```text\n{}```", explain(CAPACITY, Some("reserve-31-000"), "1", "29"))));
    assert!(page.contains(&format!("```text\n{}```", explain(WRITTEN, None, "3", "25"))));
    let trace = said(&["replay", "--trace", RESERVE, "--scenario", "reserve-1-010"]);
    let shown = page.split("```text\n").nth(1).unwrap().split("```").next().unwrap();
    assert!(!shown.is_empty() && trace.contains(shown), "the page shows:\n{shown}");
}

#[test]
fn what_is_not_there_is_told_with_what_is() {
    for (arguments, told) in [
        (
            ["explain", WRITTEN, "--app", "9", "--step", "25"].as_slice(),
            "there is no application 9; there are: 1, 2, 3",
        ),
        (&["explain", WRITTEN, "--app", "4", "--step", "3"], "application 4 is submitted at step 19, after step 3"),
        (&["explain", WRITTEN, "--app", "1", "--step", "99"], "there is no step 99; it has the steps 0 to 34"),
        (
            &["explain", WRITTEN, "--app", "1", "--step", "1", "--scenario", "x"],
            "there is no scenario \"x\"; there are: written-0-000",
        ),
        (
            &["explain", RESERVE, "--app", "1", "--step", "1"],
            "has 30 scenarios; choose one by --scenario: reserve-1-000",
        ),
        (&["replay", "--trace", RESERVE, "--scenario", "x"], "there is no scenario \"x\"; there are: reserve-1-000, "),
        (
            &["explain", "../tools/tests/data/vectors/acl.jsonl.gz", "--app", "1", "--step", "1"],
            "a vector file has no steps; `explain` takes a scenario file",
        ),
        (&["replay", "--trace", "--json", RESERVE], "cannot be used with"),
        (&["explain", WRITTEN, "--app", "one", "--step", "1"], "invalid value 'one'"),
    ] {
        let output = run(arguments);
        let complained = String::from_utf8_lossy(&output.stderr);
        assert!(complained.contains(told), "{arguments:?}: {complained}");
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{arguments:?}");
    }
}
