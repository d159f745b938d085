//! What packages install beside the program: scripts for shells, which the shells take, and manual pages, which are
//! shown without a warning.

#![expect(clippy::unwrap_used, reason = "a test's helpers")]

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

fn evenweave(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_evenweave")).args(arguments).output().unwrap()
}

/// What a program says that gets the text; nothing where it is not installed.
fn given(program: &str, arguments: &[&str], text: &[u8]) -> Option<Output> {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            eprintln!("{program} is not installed");
            return None;
        }
        Err(error) => panic!("{program}: {error}"),
    };
    let mut input = child.stdin.take().unwrap();
    let text = text.to_owned();
    // Whoever takes no more of it says why.
    let writer = std::thread::spawn(move || drop(input.write_all(&text)));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    Some(output)
}

#[test]
fn shells_take_the_scripts() {
    for (shell, without_running) in [("bash", "-n"), ("zsh", "-n"), ("fish", "--no-execute")] {
        let script = evenweave(&["completions", shell]);
        assert!(script.status.success() && script.stderr.is_empty(), "{shell}");
        let text = String::from_utf8(script.stdout.clone()).unwrap();
        for word in ["simulate", "completions", "max-connections", "compare", "threaded"] {
            assert!(text.contains(word), "{shell}: {word}");
        }
        let Some(output) = given(shell, &[without_running], &script.stdout) else { continue };
        assert!(output.status.success() && output.stderr.is_empty(), "{shell}: {output:?}");
    }
    let wrong = evenweave(&["completions", "csh"]);
    assert_eq!(wrong.status.code(), Some(2));
}

/// As somebody in bash who presses the Tab key.
#[test]
fn bash_completes_words() {
    let completed = |words: &str, last: usize| {
        let mut script = evenweave(&["completions", "bash"]).stdout;
        let ask = format!(
            "\nCOMP_WORDS=({words}); COMP_CWORD={last}; _evenweave evenweave \"${{COMP_WORDS[{last}]}}\" \"${{COMP_WORDS[{}]}}\"\n\
             printf '%s\\n' \"${{COMPREPLY[@]}}\"\n",
            last - 1
        );
        script.extend(ask.bytes());
        given("bash", &["--norc"], &script).map(|output| String::from_utf8(output.stdout).unwrap())
    };
    let Some(commands) = completed("evenweave s", 1) else { return };
    assert_eq!(commands.lines().collect::<Vec<_>>(), ["serve", "simulate", "schema"]);
    assert_eq!(completed("evenweave serve --max", 2).as_deref(), Some("--max-connections\n"));
    assert_eq!(completed("evenweave bench --core lo", 3).as_deref(), Some("locked\n"));
}

/// Without a warning of the program that sets it, as somebody sees it on a terminal.
fn shown(page: &str, name: &str) -> Option<String> {
    let groff = given("groff", &["-ww", "-man", "-Tutf8", "-P-cbou"], page.as_bytes())?;
    assert!(groff.status.success() && groff.stderr.is_empty(), "{name}: {}", String::from_utf8_lossy(&groff.stderr));
    Some(String::from_utf8(groff.stdout).unwrap())
}

#[test]
fn each_command_has_a_page_without_a_warning() {
    let scratch = TempDir::new().unwrap();
    let directory = scratch.path().join("share/man1");
    let written = evenweave(&["man", directory.to_str().unwrap()]);
    assert!(written.status.success(), "{written:?}");
    let mut names: Vec<String> =
        std::fs::read_dir(&directory).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    let commands = [
        "-admin",
        "-bench-compare",
        "-bench",
        "-check",
        "-completions",
        "-convert",
        "-explain",
        "-load",
        "-man",
        "-replay",
        "-schema",
        "-serve",
        "-simulate",
        "",
    ];
    assert_eq!(names, commands.map(|command| format!("evenweave{command}.1")));
    for name in &names {
        let page = std::fs::read_to_string(directory.join(name)).unwrap();
        assert!(page.contains("\n.SH NAME\n") && page.contains("\n.SH SYNOPSIS\n"), "{name}");
        let Some(text) = shown(&page, name) else { continue };
        let about = name.trim_end_matches(".1");
        assert!(text.contains(about), "{name}: {text}");
        let Some(man) = given("man", &["--warnings", "-l", "-"], page.as_bytes()) else { continue };
        assert!(man.status.success() && man.stderr.is_empty(), "{name}: {man:?}");
    }
    let load = std::fs::read_to_string(directory.join("evenweave-load.1")).unwrap();
    assert!(load.contains("late\\-queue") && load.contains("soak"), "{load}");
    // The program's own page is what goes to standard output.
    let page = evenweave(&["man"]);
    assert_eq!(page.stdout, std::fs::read(directory.join("evenweave.1")).unwrap());
    assert!(!String::from_utf8(page.stdout).unwrap().contains("late\\-queue"));
}

#[test]
fn a_directory_that_is_none_is_told() {
    let scratch = TempDir::new().unwrap();
    let file = scratch.path().join("file");
    std::fs::write(&file, "").unwrap();
    let refused = evenweave(&["man", file.to_str().unwrap()]);
    let said = String::from_utf8(refused.stderr).unwrap();
    assert!(refused.status.code() == Some(2) && said.contains("file"), "{said}");
    assert_eq!(std::fs::metadata(Path::new(&file)).unwrap().len(), 0);
}
