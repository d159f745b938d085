//! Files as the program reads and writes them: in the encoding that they declare, regular ones up to a limit, and
//! written whole or not at all.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test's helpers")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

const CASES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/cases/");

fn case(name: &str) -> String {
    format!("{CASES}{name}")
}

fn evenweave(arguments: &[&str], directory: &Path) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_evenweave"));
    told(command.args(arguments).current_dir(directory).stdin(Stdio::null()).output().unwrap())
}

fn told(output: Output) -> (Option<i32>, String) {
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout) + &text(output.stderr))
}

#[test]
fn files_of_queues_are_read_in_the_encoding_that_they_declare() {
    let scratch = TempDir::new().unwrap();
    let file = |name: &str, bytes: &[u8]| {
        let path = scratch.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path.display().to_string()
    };
    let declared = |encoding: &str, inner: &[u8]| {
        let head = format!("<?xml version='1.0' encoding='{encoding}'?>\n<allocations><queue name='");
        [head.as_bytes(), inner, b"'/></allocations>"].concat()
    };
    let siblings = [
        file("euc-kr.xml", &declared("EUC-KR", b"\xb0\xa1")),
        file("koi8-r.xml", &declared("KOI8-R", b"\xc1")),
        file("latin9.xml", &declared("ISO-8859-15", b"\xa4")),
        file("cp1252.xml", &declared("windows-1252", b"\x80")),
        file("broken-gbk.xml", &declared("GBK", b"x\xff")),
        file("marked.xml", &[b"\xef\xbb\xbf".as_slice(), &declared("UTF-8", b"\xc3\xa9")].concat()),
    ];
    let good = ["09-latin1.xml", "10-utf16.xml", "11-gbk.xml"].map(case);
    for file in good.iter().chain(&siblings) {
        let (code, said) = evenweave(&["check", file], scratch.path());
        assert_eq!(code, Some(0), "{file}: {said}");
        assert_eq!(said.contains("replaced-bytes"), file.contains("broken"), "{file}: {said}");
        let run = ["simulate", &case("swim-with-paths.tsv"), "--config", file, "--nodes", "3", "--until", "1m"];
        let (code, said) = evenweave(&run, scratch.path());
        assert_eq!(code, Some(0), "{file}: {said}");
    }
    let load = ["load", "--nodes", "10", "--duration", "1s", "--config", &good[0], "--quiet"];
    let (code, said) = evenweave(&load, scratch.path());
    assert_eq!(code, Some(0), "{said}");
}

#[test]
fn bytes_that_contradict_their_declaration_are_refused_with_their_place() {
    let scratch = TempDir::new().unwrap();
    let ascii = scratch.path().join("ascii.xml");
    std::fs::write(&ascii, b"<?xml version='1.0' encoding='US-ASCII'?>\n<allocations>\n<!-- \xe9 --></allocations>")
        .unwrap();
    let wrong = [
        (
            case("13-utf16-says-utf8.xml"),
            "13-utf16-says-utf8.xml:1:1",
            "the bytes are UTF-16BE, but the XML declaration says UTF-8",
        ),
        (ascii.display().to_string(), "ascii.xml:3:6", "not ASCII, as its XML declaration says"),
    ];
    for (file, place, why) in wrong {
        for command in
            [&["check"][..], &["simulate", "--until", "1m", "--config"], &["load", "--duration", "1s", "--config"]]
        {
            let (code, said) = evenweave(&[command, &[&file]].concat(), scratch.path());
            assert_eq!(code, Some(2), "{command:?}: {said}");
            assert!(said.contains(place) && said.contains(why), "{command:?}: {said}");
        }
    }
}

/// Each place where a command takes a file that is no stream.
fn readers(file: &str) -> Vec<Vec<&str>> {
    let simulate = ["simulate", "--until", "1m", "--nodes", "3"];
    let of = |begins: &[&'static str], option: &'static str| [begins, &[option]].concat();
    let mut all = vec![
        vec!["check"],
        vec!["replay"],
        vec!["explain", "--app", "1", "--step", "1"],
        of(&simulate, "--config"),
        of(&simulate, "--site"),
        of(&simulate[..3], "--node-file"),
        of(&simulate, "--node-events"),
        of(&simulate, "--reservations"),
        of(&["load", "--duration", "1s"], "--config"),
        of(&["load", "--duration", "1s"], "--groups"),
        of(&["load", "--duration", "1s"], "--site"),
        of(&["serve", "--for", "5"], "--config"),
        of(&["serve", "--for", "5"], "--token-file"),
    ];
    all.iter_mut().for_each(|words| words.push(file));
    all
}

#[test]
fn what_is_no_regular_file_or_too_large_is_refused_at_once() {
    let scratch = TempDir::new().unwrap();
    let [pipe, huge] = ["pipe.xml", "huge.xml"].map(|name| scratch.path().join(name));
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    // Its owner's alone, as a file of tokens has to be; and as large as it says without being there.
    std::fs::File::create(&huge).unwrap().set_len((1 << 30) + 1).unwrap();
    for path in [&pipe, &huge] {
        let mode = <std::fs::Permissions as std::os::unix::fs::PermissionsExt>::from_mode(0o600);
        std::fs::set_permissions(path, mode).unwrap();
    }
    let (pipe, huge) = (pipe.display().to_string(), huge.display().to_string());
    for words in readers(&pipe) {
        let (code, said) = evenweave(&words, scratch.path());
        assert_eq!(code, Some(2), "{words:?}: {said}");
        assert!(said.contains("it is not a regular file"), "{words:?}: {said}");
    }
    for words in readers(&huge) {
        // They are read as a stream, and zeros are no JSON.
        if words.iter().any(|word| ["--node-file", "--node-events", "--reservations"].contains(word)) {
            continue;
        }
        let (code, said) = evenweave(&words, scratch.path());
        assert_eq!(code, Some(2), "{words:?}: {said}");
        assert!(said.contains("larger than "), "{words:?}: {said}");
    }
}

/// Runs it where no file may have more than so many blocks of 512 bytes, as on a disk that is full then.
fn on_a_full_disk(blocks: u32, arguments: &[&str], directory: &Path) -> (Option<i32>, String) {
    let mut command = Command::new("sh");
    command.arg("-c").arg(format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$@\"")).arg("sh");
    command.arg(env!("CARGO_BIN_EXE_evenweave")).args(arguments).current_dir(directory);
    told(command.stdin(Stdio::null()).output().unwrap())
}

fn files(directory: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(directory) else { return Vec::new() };
    entries.map(|entry| entry.unwrap().path()).collect()
}

#[test]
fn a_full_disk_leaves_what_was_there() {
    let scratch = TempDir::new().unwrap();
    let (out, decisions) = (scratch.path().join("out"), scratch.path().join("decisions.jsonl"));
    let trace = case("swim-with-paths.tsv");
    let run = ["simulate", &trace, "--nodes", "3", "--until", "5m", "--out", "out", "--decisions", "decisions.jsonl"];
    let (code, said) = on_a_full_disk(4, &run, scratch.path());
    assert_eq!(code, Some(2), "{said}");
    assert!(!out.exists() && !decisions.exists(), "{:?}", files(&out));
    // Over the files of a run before.
    let (code, said) = evenweave(&run, scratch.path());
    assert_eq!(code, Some(0), "{said}");
    let before: Vec<(PathBuf, Vec<u8>)> =
        files(&out).into_iter().chain([decisions]).map(|path| (path.clone(), std::fs::read(path).unwrap())).collect();
    assert!(before.len() > 4, "{before:?}");
    let other = [&run[..], &["--seed", "7"]].concat();
    let (code, said) = on_a_full_disk(4, &other, scratch.path());
    assert_eq!(code, Some(2), "{said}");
    assert_eq!(files(&out).len() + 1, before.len());
    for (path, bytes) in before {
        assert_eq!(std::fs::read(&path).unwrap(), bytes, "{}", path.display());
    }
}

#[test]
fn convert_writes_all_its_files_or_none() {
    let scratch = TempDir::new().unwrap();
    let queues: String = (0..200).map(|number| format!("<queue name='queue-number-{number}'/>")).collect();
    std::fs::write(scratch.path().join("fair.xml"), format!("<allocations>{queues}</allocations>")).unwrap();
    std::fs::write(scratch.path().join("site.xml"), "<configuration/>").unwrap();
    let out = scratch.path().join("out");
    std::fs::create_dir(&out).unwrap();
    let fair = scratch.path().join("fair.xml").display().to_string();
    let run = ["convert", "--safe", "-y", "site.xml", "-f", &fair, "-o", "out"];
    let (code, said) = on_a_full_disk(8, &run, scratch.path());
    assert_ne!(code, Some(0), "{said}");
    assert_eq!(files(&out), Vec::<PathBuf>::new(), "{said}");
    let (code, said) = evenweave(&run, scratch.path());
    assert_eq!(code, Some(0), "{said}");
    assert!(std::fs::read_to_string(out.join("capacity-scheduler.xml")).unwrap().contains("queue-number-199"));
}

#[test]
fn a_report_of_a_load_is_whole_or_not_there() {
    let scratch = TempDir::new().unwrap();
    let run = ["load", "--nodes", "10", "--duration", "1s", "--out", "out"];
    let (code, said) = on_a_full_disk(4, &run, scratch.path());
    assert_ne!(code, Some(0), "{said}");
    assert_eq!(files(&scratch.path().join("out")), Vec::<PathBuf>::new(), "{said}");
}

#[test]
fn a_trace_of_swim_with_input_paths_is_read() {
    let scratch = TempDir::new().unwrap();
    let run = ["simulate", &case("swim-with-paths.tsv"), "--nodes", "3", "--until", "5m"];
    let (code, said) = evenweave(&run, scratch.path());
    assert!(code == Some(0) && said.contains(": 2 jobs, "), "{said}");
}

#[test]
fn an_application_reports_the_queue_as_its_submission_spells_it() {
    let scratch = TempDir::new().unwrap();
    let (code, said) = evenweave(&["replay", &case("placement.jsonl")], scratch.path());
    assert_eq!(code, Some(0), "{said}");
}
