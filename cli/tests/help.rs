//! What `--help` and `--version` print: as wide as the terminal, and no longer than it has to be.

#![expect(clippy::unwrap_used, reason = "a test's helpers")]

use std::process::{Command, Stdio};

const COMMANDS: [&str; 12] = [
    "load",
    "serve",
    "admin",
    "simulate",
    "check",
    "convert",
    "replay",
    "explain",
    "bench",
    "schema",
    "completions",
    "man",
];

fn said(arguments: &[&str], columns: usize) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_evenweave"));
    let command = command.args(arguments).env("COLUMNS", columns.to_string()).stdin(Stdio::null());
    let output = command.output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{arguments:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

fn widest(text: &str) -> usize {
    text.lines().map(|line| line.chars().count()).max().unwrap_or(0)
}

#[test]
fn the_program_fits_on_a_screen() {
    for form in ["--help", "-h", "help"] {
        let text = said(&[form], 80);
        assert!(text.lines().count() <= 40 && widest(&text) <= 80, "{form}: {text}");
        let listed = text.lines().skip_while(|line| *line != "Commands:").skip(1);
        let listed: Vec<&str> = listed.take_while(|line| !line.is_empty()).collect();
        // A line each.
        assert_eq!(listed.len(), COMMANDS.len() + 1, "{text}");
        for (line, command) in listed.iter().zip(COMMANDS.iter().chain(&["help"])) {
            assert_eq!(line.split_whitespace().next(), Some(*command), "{text}");
        }
        // The options of `load` stand there.
        assert!(!text.contains("--late-queue") && text.contains("evenweave COMMAND --help"), "{text}");
    }
}

#[test]
fn help_is_as_wide_as_the_terminal() {
    for command in COMMANDS {
        // Its help is that of Hadoop's command.
        if command == "convert" {
            continue;
        }
        for form in ["--help", "-h"] {
            let [narrow, wide] = [60, 100].map(|columns| said(&[command, form], columns));
            assert!(widest(&narrow) <= 80 && widest(&wide) <= 100, "{command} {form}: {narrow}\n{wide}");
            assert!(narrow.lines().count() > wide.lines().count() || wide.lines().count() < 15, "{command} {form}");
        }
    }
    assert!(said(&["load", "--help"], 80).contains("--late-queue"));
}

#[test]
fn a_version_says_of_what_it_is_made() {
    let short = said(&["-V"], 80);
    let number = env!("CARGO_PKG_VERSION");
    assert!(short.starts_with(&format!("evenweave {number} (")) && short.ends_with(")\n"), "{short}");
    assert_eq!(short.lines().count(), 1);
    let long = said(&["--version"], 80);
    assert!(long.starts_with(short.trim_end()), "{long}");
    for name in ["commit: ", "commit date: ", "compiler: rustc ", "target: ", "profile: "] {
        let line = long.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_else(|| panic!("{name}: {long}"));
        assert!(!line.is_empty());
    }
}
