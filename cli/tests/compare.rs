//! `evenweave bench compare` with stand-ins for Java, Maven, Go and for this program: scripts that print records.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test's helpers")]

mod schema_of;

use std::fmt::Write as _;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

/// Prints the record of a scheduler that is as fast as it is called, and keeps how it was called.
const RECORD: &str = r#"printf '{"allocations_per_s":%s,"cpu_s_per_1000":%s,"full":1.0,"update_ms":null}\n'"#;

/// A directory with stand-ins, gone at its end.
struct Stage(PathBuf);

impl Stage {
    fn new(name: &str) -> Stage {
        let path = std::env::temp_dir().join(format!("evenweave-compare-{name}-{}", std::process::id()));
        std::fs::create_dir_all(path.join("bin")).unwrap();
        for (file, text) in [("peers/hadoop/pom.xml", "<project/>"), ("peers/yunikorn/go.mod", "module peer")] {
            let file = path.join(file);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, text).unwrap();
        }
        let stage = Stage(path);
        stage.script("ours", &format!("{RECORD} 4000 0.02"));
        stage
    }

    /// A script on the only PATH there is, which notes its name and arguments first.
    fn script(&self, name: &str, body: &str) {
        let (path, log) = (self.0.join("bin").join(name), self.0.join("log"));
        let text = format!("#!/bin/sh\necho {name} \"$@\" >> '{}'\n{body}\n", log.display());
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn hadoop(&self) {
        self.script("mvn", "mkdir target && : > target/hadoop-peer.jar");
        // Mode max is the fastest here.
        self.script("java", &format!("case \"$*\" in *'assign max'*) {RECORD} 100 1.0;; *) {RECORD} 50 0.5;; esac"));
    }

    /// Exit code, standard output and error.
    fn compare(&self, arguments: &str) -> (Option<i32>, String, String) {
        let bin = self.0.join("bin");
        // Scripts need mkdir; Java and the others must not come from the system.
        for tool in ["mkdir", "sh"] {
            let found = ["/bin", "/usr/bin"]
                .map(|place| PathBuf::from(place).join(tool))
                .into_iter()
                .find(|path| path.exists());
            let _ = std::os::unix::fs::symlink(found.unwrap(), bin.join(tool));
        }
        let mut command = Command::new(env!("CARGO_BIN_EXE_evenweave"));
        command.args(["bench", "compare"]).args(arguments.split(' ')).env("PATH", &bin).current_dir(&self.0);
        command.args(["--peers", "peers", "--ours", "bin/ours", "--results", "runs.jsonl"]);
        let output = command.output().unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
    }

    /// What was called since the last look, a word each and the mode of a peer.
    fn calls(&self) -> String {
        let log = std::fs::read_to_string(self.0.join("log")).unwrap_or_default();
        let _ = std::fs::remove_file(self.0.join("log"));
        let mut calls = String::new();
        for line in log.lines() {
            let mut words = line.split(' ');
            let name = words.next().unwrap();
            let mode = words.skip_while(|word| *word != "--assign").nth(1).unwrap_or_default();
            write!(calls, "{name}{}{mode} ", if mode.is_empty() { "" } else { "-" }).unwrap();
        }
        calls.trim_end().replace("java ", "")
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn both_sides_run_in_turn_and_the_fastest_mode_counts() {
    let stage = Stage::new("turns");
    stage.hadoop();
    let (code, out, told) = stage.compare("--full --cells W2:S:fair --rounds 2 --format json --report page.html");
    assert_eq!(code, Some(0), "{told}");
    let round = "java-dyn java-max java-one java-dyn ours";
    assert_eq!(stage.calls(), format!("mvn {round} {round}"));
    let told: Value = serde_json::from_str(&out).unwrap();
    schema_of::SchemaOf::command("compare").holds(&told, &[], &[]);
    let cell = &told["cells"][0];
    assert_eq!((cell["fastest"].as_str(), cell["theirs"].as_array().unwrap().len()), (Some("max"), 4));
    assert_eq!(
        (cell["wall_ratio"]["of_medians"].as_f64(), cell["cpu_ratio"]["of_medians"].as_f64()),
        (Some(40.0), Some(50.0))
    );
    assert_eq!((cell["must_reached"].as_bool(), cell["aim_reached"].as_bool()), (Some(true), Some(false)));
    let page = std::fs::read_to_string(stage.0.join("page.html")).unwrap();
    assert!(page.contains("<svg") && page.contains("W2:S:fair max") && page.contains("--assign one"), "{page}");
}

#[test]
fn what_is_in_the_results_is_not_run_again() {
    let stage = Stage::new("resume");
    stage.hadoop();
    stage.script("ours", "exit 3");
    let (code, out, told) = stage.compare("--quick --cells W1:S:fair");
    assert_eq!(code, Some(1), "{told}");
    assert!(told.contains("W1:S:fair round 1 ours dyn failed") && told.contains("exit status: 3"), "{told}");
    assert!(out.contains("fair max *"), "what has run is told of: {out}");
    assert_eq!(stage.calls(), "mvn java-max java-dyn ours");
    // The stand-in is another program now, and with it everything would be run anew.
    stage.script("ours", &format!("{RECORD} 4000 0.02"));
    assert_eq!(stage.compare("--quick --cells W1:S:fair").0, Some(0));
    assert_eq!(stage.calls(), "java-max java-dyn ours");
    assert_eq!(stage.compare("--quick --cells W1:S:fair --rounds 2").0, Some(0));
    assert_eq!(stage.calls(), "java-max java-dyn ours", "the second round alone");
    assert_eq!(stage.compare("--quick --cells W1:S:fair --rounds 2").0, Some(0));
    assert_eq!(stage.calls(), "");
    assert_eq!(stage.compare("--quick --cells W1:S:fair --fresh").0, Some(0));
    assert_eq!(stage.calls(), "java-max java-dyn ours");
}

#[test]
fn a_missing_tool_leaves_out_its_peer_and_no_other() {
    let stage = Stage::new("missing");
    stage.hadoop();
    let (code, out, told) = stage.compare("--quick --cells W1:S");
    assert_eq!(code, Some(1), "{told}");
    assert!(told.contains("YuniKorn is left out: go is not on the PATH: install Go 1.25 or later"), "{told}");
    assert!(out.contains("W1:S:fair") && !out.contains("yunikorn"), "{out}");
    assert_eq!(stage.calls(), "mvn java-max java-dyn ours java-max java-max ours", "of both of its schedulers");
}

#[test]
fn a_build_that_fails_is_told_with_what_it_said() {
    let stage = Stage::new("build");
    stage.hadoop();
    stage.script("mvn", "echo 'no such artifact'; exit 1");
    let (code, _, told) = stage.compare("--quick --cells W3:L");
    assert_eq!(code, Some(1), "{told}");
    assert!(told.contains("`mvn -q -B package` in") && told.contains("no such artifact"), "{told}");
    assert_eq!(stage.calls(), "mvn");
}

#[test]
fn a_broken_results_file_ends_it_before_anything_runs() {
    let stage = Stage::new("broken");
    stage.hadoop();
    std::fs::write(stage.0.join("runs.jsonl"), "{}\n").unwrap();
    let (code, out, told) = stage.compare("--quick");
    assert_eq!((code, out.as_str()), (Some(2), ""));
    assert!(told.starts_with("evenweave: runs.jsonl:1: not a run of a comparison: missing field"), "{told}");
    assert_eq!(stage.calls(), "");
}
