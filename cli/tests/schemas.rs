//! What `--json` prints is as the schemas say that `evenweave schema` prints, for good input, bad and none; and a field
//! that a schema does not name makes it fail.

#![expect(clippy::unwrap_used, reason = "a test's helpers")]

mod schema_of;

use std::path::Path;
use std::process::{Command, Output};

use schema_of::SchemaOf;
use serde_json::Value;
use tempfile::TempDir;

fn run(scratch: &TempDir, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_evenweave"));
    command.current_dir(scratch.path()).args(arguments).output().unwrap()
}

/// The one object that is printed.
fn printed(scratch: &TempDir, arguments: &[&str], code: i32) -> Value {
    let output = run(scratch, arguments);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {said}");
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{arguments:?}: {error}: {said}"))
}

fn write(scratch: &TempDir, name: &str, text: &str) {
    std::fs::write(scratch.path().join(name), text).unwrap();
}

/// Nothing on standard output where nothing is to be printed.
fn refused(scratch: &TempDir, arguments: &[&str]) {
    let output = run(scratch, arguments);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    assert!(output.stdout.is_empty() && !output.stderr.is_empty(), "{arguments:?}");
}

#[test]
fn each_file_is_printed_and_no_other() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/schemas");
    let mut names = Vec::new();
    for file in std::fs::read_dir(&directory).unwrap() {
        let file = file.unwrap();
        let name = file.file_name().into_string().unwrap();
        let name = name.strip_suffix(".schema.json").unwrap().to_owned();
        let printed = Command::new(env!("CARGO_BIN_EXE_evenweave")).args(["schema", &name]).output().unwrap();
        assert_eq!(printed.stdout, std::fs::read(file.path()).unwrap(), "{name}");
        SchemaOf::command(&name);
        names.push(name);
    }
    let wrong = Command::new(env!("CARGO_BIN_EXE_evenweave")).args(["schema", "loda"]).output().unwrap();
    let said = String::from_utf8(wrong.stderr).unwrap();
    assert!(wrong.status.code() == Some(2) && said.contains("'load'"), "{said}");
    assert!(names.iter().all(|name| said.contains(name.as_str())), "{said}");
}

#[test]
fn a_load_is_as_its_schema_says() {
    let (scratch, schema) = (TempDir::new().unwrap(), SchemaOf::command("load"));
    let short = ["load", "--nodes", "20", "--duration", "1s", "--json", "--out", "o"];
    let with = |more: &[&'static str]| [&short[..], more].concat();
    schema.holds(&printed(&scratch, &with(&[]), 0), &[], &[]);
    write(
        &scratch,
        "booked.csv",
        "reservation,queue,arrival_s,deadline_s,containers,memory_mb,vcores,duration_s\nr1,root.nowhere,0,60,1,1024,1,10\n",
    );
    for more in [
        &["--core", "locked"][..],
        &["--core", "threaded", "--reload", "200ms"],
        &["--core", "threaded", "--speed", "100000x"],
        &["--scheduler", "capacity"],
        &["--scheduler", "capacity", "--node-labels", "gpu:0.3,spare(exclusive=false):0.2"],
    ] {
        schema.accepts(&printed(&scratch, &with(more), 0));
    }
    let late =
        ["load", "--preemption", "--nodes", "20", "--duration", "6s", "--late-after", "2s", "--json", "--out", "o"];
    schema.holds(&printed(&scratch, &late, 0), &[], &[]);
    // Queues that refuse every job.
    write(
        &scratch,
        "none.xml",
        "<allocations><queue name='a'><maxRunningApps>0</maxRunningApps></queue></allocations>",
    );
    let all = run(&scratch, &with(&["--config", "none.xml", "--core", "threaded"]));
    schema.accepts(&serde_json::from_slice(&all.stdout).unwrap());
    write(&scratch, "empty.xml", "");
    refused(&scratch, &with(&["--config", "empty.xml"]));
}

#[test]
fn a_soak_is_as_its_schema_says() {
    let (scratch, schema) = (TempDir::new().unwrap(), SchemaOf::command("soak"));
    let short = ["load", "--soak", "5s", "--nodes", "20", "--json", "--out", "o"];
    schema.holds(&printed(&scratch, &short, 0), &[], &[]);
    let value = printed(&scratch, &[&short[..], &["--faults"]].concat(), 0);
    schema.holds(&value, &["/faults"], &[]);
    let mut wrong = value;
    wrong["faults"]["a fault"] = "often".into();
    assert!(schema.against(&wrong).is_some());
    refused(&scratch, &["load", "--soak", "1s", "--json"]);
}

#[test]
fn a_simulation_is_as_its_schema_says() {
    let (scratch, schema) = (TempDir::new().unwrap(), SchemaOf::command("simulate"));
    write(&scratch, "jobs.csv", "job,submit_ms,duration_ms,tasks\na,0,4000,30\nb,1000,2000,9\n");
    write(&scratch, "one.xml", "<allocations><queue name='a'/><queue name='b'/></allocations>");
    write(
        &scratch,
        "two.xml",
        "<allocations><queue name='a'><weight>3</weight></queue><queue name='b'/></allocations>",
    );
    write(
        &scratch,
        "none.xml",
        "<allocations><queue name='a'><maxResources>0 mb, 0 vcores</maxResources></queue></allocations>",
    );
    let with =
        |more: &[&'static str]| [&["simulate", "jobs.csv", "--nodes", "3", "--json", "--out", "o"], more].concat();
    let one = printed(&scratch, &with(&["--config", "one.xml"]), 0);
    schema.holds(&one, &["/at", "/runs/0/at"], &[]);
    let two = printed(&scratch, &with(&["--config", "one.xml", "--config", "two.xml"]), 0);
    assert!(two["differences"][0].is_object() && two["comparisons"][0].is_object(), "{two}");
    schema.holds(&two, &["/at", "/runs/0/at"], &[]);
    let grid = printed(&scratch, &with(&["--config", "one.xml", "--sweep", "root.a.weight=1..2", "--seeds", "2"]), 0);
    assert!(grid["at"]["root.a.weight"].is_string(), "{grid}");
    schema.accepts(&grid);
    // Nothing has an end.
    let output = run(&scratch, &with(&["--config", "none.xml", "--until", "1m"]));
    schema.accepts(&serde_json::from_slice(&output.stdout).unwrap());
    write(&scratch, "empty.csv", "");
    refused(&scratch, &["simulate", "empty.csv", "--json", "--out", "o"]);
}

#[test]
fn a_replay_is_as_its_schema_says() {
    let (scratch, schema) = (TempDir::new().unwrap(), SchemaOf::command("replay"));
    let recordings = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tools/data/scenarios");
    let fair = recordings.join("fair.jsonl.gz").display().to_string();
    schema.holds(&printed(&scratch, &["replay", "--json", &fair], 0), &[], &[]);
    schema.holds(&printed(&scratch, &["replay", "--json", "--workers", "2", &fair], 0), &[], &["apart"]);
    let scenario = |name: &str, kind: &str| {
        format!(
            "{{\"name\": \"{name}\", \"allocations\": \"<allocations/>\", \"steps\": [{{\"op\": \"update\"}}], \"expect\": \
             [{{\"error\": {{\"kind\": \"{kind}\"}}}}]}}\n"
        )
    };
    write(&scratch, "wrong.jsonl", &scenario("x-000", "None"));
    let wrong = printed(&scratch, &["replay", "--json", "wrong.jsonl"], 1);
    assert!(wrong["families"][0]["failures"][0].is_object(), "{wrong}");
    schema.holds(&wrong, &[], &[]);
    write(&scratch, "empty.jsonl", "");
    let output = run(&scratch, &["replay", "--json", "empty.jsonl"]);
    assert!(output.stdout.is_empty() || schema.against(&serde_json::from_slice(&output.stdout).unwrap()).is_none());
    refused(&scratch, &["replay", "--json", "nowhere.jsonl"]);
}

#[test]
fn a_check_is_as_its_schema_says() {
    let (scratch, schema) = (TempDir::new().unwrap(), SchemaOf::command("check"));
    let check = |file: &str, code| printed(&scratch, &["check", "--format", "json", file], code);
    write(&scratch, "good.xml", "<allocations><queue name='a'/></allocations>");
    write(
        &scratch,
        "fair-scheduler.xml",
        "<allocations>\n<queue name='a'><weight>x</weight></queue><odd/></allocations>",
    );
    write(&scratch, "empty.xml", "");
    write(
        &scratch,
        "outer-site.xml",
        "<configuration xmlns:xi='http://www.w3.org/2001/XInclude'><xi:include href='inner.xml'/></configuration>",
    );
    write(
        &scratch,
        "inner.xml",
        "<configuration><property><name>yarn.scheduler.fair.max.assign</name><value>x</value></property></configuration>",
    );
    schema.holds(&check("good.xml", 0), &[], &[]);
    let bad = check("fair-scheduler.xml", 2);
    assert!(bad["files"][0]["diagnostics"][0]["line"].is_number(), "{bad}");
    schema.holds(&bad, &[], &[]);
    schema.accepts(&check("empty.xml", 2));
    schema.accepts(&check("nowhere.xml", 2));
    let within = run(&scratch, &["check", "--format", "json", "--kind", "site", "outer-site.xml"]);
    let within: Value = serde_json::from_slice(&within.stdout).unwrap();
    assert!(within["files"][0]["diagnostics"][0]["source"].is_string(), "{within}");
    schema.holds(&within, &[], &["source"]);
}

#[test]
fn each_line_of_a_workload_is_as_its_schema_says() {
    let (scratch, schema) = (TempDir::new().unwrap(), SchemaOf::command("bench"));
    for arguments in [
        &["bench", "W2", "--size", "S", "--brief"][..],
        &["bench", "W3", "--size", "S", "--brief"],
        &["bench", "W2", "--size", "S", "--scheduler", "capacity", "--partitions", "2", "--brief"],
    ] {
        let output = run(&scratch, arguments);
        let lines = String::from_utf8(output.stdout).unwrap();
        let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert!(lines.len() > 1 && lines.last().unwrap()["median_of"].is_number(), "{arguments:?}");
        let of_the_median =
            ["median_of", "update_ms_p50_min_max", "allocations_per_s_min_max", "rate_labelled_to_unlabelled"];
        lines.iter().for_each(|line| schema.holds(line, &[], &of_the_median));
    }
    refused(&scratch, &["bench", "W2", "--size", "L50", "--brief"]);
}
