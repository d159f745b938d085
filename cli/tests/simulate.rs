//! `simulate` as a program: told to end, it leaves nothing half-written; a trace may come through a pipe.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test's helpers")]

use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use evenweave_testkit::until;
use tempfile::TempDir;

/// The program under way, with `out` below a directory of its own.
fn simulate(scratch: &TempDir, arguments: &[&str]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_evenweave"));
    command.arg("simulate").args(arguments).arg("--out").arg(scratch.path().join("out"));
    let child = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    until("the first file", || {
        std::thread::sleep(Duration::from_millis(5));
        !files(scratch.path()).is_empty()
    });
    child
}

/// The files in `out`.
fn files(scratch: &Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(scratch.join("out")) else { return Vec::new() };
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

fn send(child: &Child, signal: &str) {
    assert!(Command::new("kill").args(["-s", signal, &child.id().to_string()]).status().unwrap().success());
}

fn said(mut child: Child) -> String {
    let mut text = String::new();
    child.stderr.take().unwrap().read_to_string(&mut text).unwrap();
    text
}

#[test]
fn a_signal_ends_the_runs_and_leaves_nothing() {
    for signal in ["TERM", "INT"] {
        let scratch = TempDir::new().unwrap();
        // It would take minutes.
        let mut child = simulate(&scratch, &["--nodes", "600", "--load", "500"]);
        assert!(files(scratch.path()).iter().all(|name| name.contains(".tmp")), "{:?}", files(scratch.path()));
        send(&child, signal);
        let ended = child.wait().unwrap();
        assert_eq!(ended.code(), Some(2), "{signal}");
        assert!(said(child).contains("interrupted; nothing is written"), "{signal}");
        assert!(!scratch.path().join("out").exists(), "{signal}");
    }
}

fn file_of_queues(scratch: &TempDir) -> String {
    let path = scratch.path().join("fair-scheduler.xml");
    std::fs::write(&path, "<allocations/>").unwrap();
    path.to_str().unwrap().to_owned()
}

/// A run that waits for its trace does not see the first signal.
#[test]
fn the_second_signal_ends_the_program_and_leaves_nothing() {
    let scratch = TempDir::new().unwrap();
    let queues = file_of_queues(&scratch);
    let mut child = simulate(&scratch, &["/dev/stdin", "--config", &queues, "--nodes", "9"]);
    let mut trace = child.stdin.take().unwrap();
    trace.write_all(b"job,submit_ms,duration_ms\na,0,1000\n").unwrap();
    let ended: ExitStatus = loop {
        send(&child, "TERM");
        // Two that come at once may count as one.
        std::thread::sleep(Duration::from_millis(20));
        if let Some(ended) = child.try_wait().unwrap() {
            break ended;
        }
    };
    drop(trace);
    assert_eq!(ended.code(), Some(130));
    assert!(!scratch.path().join("out").exists());
}

/// Nobody hears it, and it is enough.
#[test]
fn one_signal_ends_a_program_that_waits_for_its_trace() {
    let scratch = TempDir::new().unwrap();
    let queues = file_of_queues(&scratch);
    let mut child = simulate(&scratch, &["/dev/stdin", "--config", &queues, "--nodes", "9"]);
    let trace = child.stdin.take().unwrap();
    send(&child, "TERM");
    let ended = (0..6000).find_map(|_| {
        std::thread::sleep(Duration::from_millis(20));
        child.try_wait().unwrap()
    });
    if ended.is_none() {
        child.kill().unwrap();
    }
    drop(trace);
    assert_eq!(ended.and_then(|ended| ended.code()), Some(130));
    assert!(!scratch.path().join("out").exists());
}

#[test]
fn a_trace_through_a_pipe_is_read_once() {
    let scratch = TempDir::new().unwrap();
    let queues = file_of_queues(&scratch);
    let run = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_evenweave"));
        command.args(["simulate", "/dev/stdin", "--out"]).arg(scratch.path().join("out")).args(arguments);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        // It may have ended before.
        let _ = child.stdin.take().unwrap().write_all(b"job,submit_ms,duration_ms\na,0,1000\n");
        let output = child.wait_with_output().unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap())
    };
    let (code, said) = run(&["--config", &queues, "--nodes", "9"]);
    assert!(code == Some(0) && said.contains(": 1 jobs, 2 containers"), "{said}");
    for (arguments, why) in [
        (&["--nodes", "9"][..], "/dev/stdin: a pipe can be read once, and there are 2 runs; give one --config"),
        (&["--config", &queues, "--nodes", "9", "--seeds", "3"], "and there are 3 runs"),
        (&["--config", &queues], "say how many nodes there are with --nodes"),
    ] {
        let (code, said) = run(arguments);
        assert!(code == Some(2) && said.contains(why), "{said}");
    }
}

/// The example of nodes with labels runs as it stands on the page.
#[test]
fn the_page_has_nodes_with_labels() {
    let page = include_str!("../../docs/simulator.md");
    let section = page.split("#### Nodes with labels\n").nth(1).unwrap().split("\n###").next().unwrap();
    let block = |kind: &str, number: usize| {
        let begin = format!("```{kind}\n");
        section.split(&begin).skip(1).nth(number).unwrap().split("```").next().unwrap().to_owned()
    };
    let scratch = TempDir::new().unwrap();
    for (file, text) in
        [("nodes.json", block("json", 0)), ("jobs.json", block("json", 1)), ("capacity-scheduler.xml", block("xml", 0))]
    {
        assert!(section.contains(&format!("`{file}`")), "{file}");
        std::fs::write(scratch.path().join(file), text).unwrap();
    }
    let command = block("sh", 0);
    let words = command.trim().strip_prefix("evenweave ").unwrap().split(' ');
    let mut program = Command::new(env!("CARGO_BIN_EXE_evenweave"));
    let output = program.args(words).args(["--out", "out"]).current_dir(scratch.path()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    assert!(said.contains("1 of them with the label gpu, 1 of them with the label spare"), "{said}");
    assert!(said.contains("2 jobs"), "{said}");
}
