//! Names are chosen by strangers: whatever the program prints of them, a terminal shows it and does nothing, and a name
//! makes no line.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test's helpers")]

use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

/// Clears the screen in two ways, turns the direction of writing, and begins a line as the program does.
const HOSTILE: &str = "x\u{1b}[2J\u{9b}2J\u{202e}\nevenweave: all is well";

fn command(scratch: &TempDir, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_evenweave"));
    command.current_dir(scratch.path()).args(arguments).stdin(Stdio::null());
    command
}

/// What it says in both places, once nothing in it is obeyed.
fn said(output: &Output, arguments: &[&str]) -> String {
    let [out, err] = [&output.stdout, &output.stderr].map(|text| String::from_utf8(text.clone()).unwrap());
    for text in [&out, &err] {
        let is_obeyed = |letter: char| letter.is_control() && !"\n\t".contains(letter) || letter == '\u{202e}';
        assert!(!text.contains(is_obeyed), "{arguments:?}: {text:?}");
        assert!(!text.lines().any(|line| line == "evenweave: all is well"), "{arguments:?}: {text}");
        assert!(!text.contains("panicked"), "{arguments:?}: {text}");
    }
    out + &err
}

/// Files with the name in all places that the program may show, and what it is told to do with them. Whether the name
/// is shown.
fn inputs(scratch: &TempDir) -> Vec<(Vec<&'static str>, bool)> {
    let name = serde_json::to_string(HOSTILE).unwrap();
    let task = "{\"container.type\": \"map\", \"container.start.ms\": 0, \"container.end.ms\": 5000}";
    let job = |queue: &str, id: &str| {
        format!(
            "{{\"job.start.ms\": 0, \"job.end.ms\": 5000, \"job.queue.name\": {queue}, \"job.user\": {id}, \"job.id\": {id}, \
             \"job.tasks\": [{task}]}}\n"
        )
    };
    let files = [
        ("jobs.json", job("\"a\"", "\"j\"") + &job(&name, &name)),
        ("swim.tsv", format!("job0\t0\t0\t1\t{HOSTILE}\t3\n")),
        (
            "fair-scheduler.xml",
            "<allocations><queue name='a'/><queue name='a\u{9b}2J\u{202e}b'><odd\u{202e}/></queue></allocations>"
                .to_owned(),
        ),
        (
            "scenario.jsonl",
            format!(
                "{{\"name\": {name}, \"allocations\": \"<allocations/>\", \"steps\": [{{\"op\": \"update\"}}], \"expect\": \
                 [{{\"error\": {{\"kind\": \"None\"}}}}]}}\n"
            ),
        ),
        ("yarn-site.xml", "<configuration/>".to_owned()),
        ("queues.xml", "<allocations><queue name='a'/></allocations>".to_owned()),
    ];
    for (name, text) in files {
        std::fs::write(scratch.path().join(name), text).unwrap();
    }
    std::fs::write(scratch.path().join(format!("{HOSTILE}.xml")), "<allocations><odd/></allocations>").unwrap();
    vec![
        (vec!["simulate", "jobs.json", "--config", "queues.xml", "--nodes", "2", "--out", "o1"], false),
        (vec!["simulate", "jobs.json", "--config", "queues.xml", "--nodes", "2", "--json", "--out", "o2"], true),
        (vec!["load", "--trace", "swim.tsv", "--out", "o3"], true),
        (vec!["load", "--trace", "x\u{1b}[2J.tsv", "--out", "o4"], true),
        (vec!["check", "fair-scheduler.xml"], true),
        (vec!["check", "--format", "json", "fair-scheduler.xml"], true),
        (vec!["replay", "scenario.jsonl"], true),
        (vec!["replay", "--json", "scenario.jsonl"], true),
        (vec!["convert", "-y", "yarn-site.xml", "-f", "fair-scheduler.xml", "-o", "o5"], false),
        (vec!["serve", "--config", "x\u{1b}[2J.xml", "--listen", "127.0.0.1:0", "--for", "1"], true),
    ]
}

#[test]
fn a_terminal_obeys_no_name() {
    let scratch = TempDir::new().unwrap();
    for (arguments, shows) in inputs(&scratch) {
        let output = command(&scratch, &arguments).output().unwrap();
        let text = said(&output, &arguments);
        let shown = ["\\u{1b}", "\\u001b", "\\u{9b}", "\\u009b", "\\u{202e}", "\\u202e", "?"];
        assert_eq!(shown.iter().any(|letter| text.contains(letter)), shows, "{arguments:?}: {text}");
    }
    // A file's name, which is no argument that can stand in a list of literals.
    let name = format!("{HOSTILE}.xml");
    for format in ["text", "json"] {
        let arguments = ["check", "--format", format, &name];
        let text = said(&command(&scratch, &arguments).output().unwrap(), &arguments);
        assert!(text.contains("[2J"), "{text}");
    }
    // JSON has the same values.
    let arguments = ["check", "--format", "json", &name];
    let output = command(&scratch, &arguments).output().unwrap();
    let read: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(read["files"][0]["file"], name);
}

/// As `evenweave … >&- 2>&-` does.
#[test]
fn closed_outputs_are_no_panic() {
    let scratch = TempDir::new().unwrap();
    for (arguments, _) in inputs(&scratch) {
        let words = arguments.iter().map(|word| format!("'{word}'")).collect::<Vec<_>>().join(" ");
        let program = env!("CARGO_BIN_EXE_evenweave");
        let script = format!("'{program}' {words} >&- 2>err; code=$?; cat err; exit $code");
        let output = Command::new("sh").current_dir(scratch.path()).args(["-c", &script]).output().unwrap();
        assert_ne!(output.status.code(), Some(101), "{arguments:?}: {}", String::from_utf8_lossy(&output.stdout));
        let script = format!("'{program}' {words} >&- 2>&-");
        let status = Command::new("sh").current_dir(scratch.path()).args(["-c", &script]).status().unwrap();
        assert_ne!(status.code(), Some(101), "{arguments:?}");
    }
}
