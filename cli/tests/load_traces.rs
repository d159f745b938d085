//! `load` with the traces that `simulate` reads.

use std::path::PathBuf;
use std::process::{Command, Output};

fn load(name: &str, arguments: &[&str]) -> (Output, PathBuf) {
    let out = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let program =
        Command::new(env!("CARGO_BIN_EXE_evenweave")).args(["load", "--out"]).arg(&out).args(arguments).output();
    (program.expect("the program runs"), out)
}

fn file(name: &str, text: &str) -> String {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, text).expect("a file can be written");
    path.display().to_string()
}

fn json(output: &Output) -> serde_json::Value {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("one object")
}

#[test]
fn a_trace_of_any_form_keeps_the_cluster_full() {
    let data = |name: &str| format!("{}/../bench/tests/data/traces/{name}", env!("CARGO_MANIFEST_DIR"));
    let csv =
        file("load.csv", "job,submit_ms,duration_ms,count,task\na,0,1000,30,map\na,0,3000,2,reduce\nb,9,500,4,map\n");
    let small =
        ["--core", "threaded", "--nodes", "20", "--duration", "2s", "--task-seconds", "0.2", "--json", "--trace"];
    for trace in [data("jobs.sls.json.gz"), data("jobs.rumen.json.gz"), data("jobs.synth.json.gz"), csv] {
        let result = json(&load("load-forms", &[&small[..], &[trace.as_str()]].concat()).0);
        assert_eq!((&result["lost"], &result["differences"]), (&0.into(), &serde_json::json!([])), "{trace}");
        assert!(result["jobs_finished"].as_u64() > Some(10), "{trace}: {result}");
    }
}

#[test]
fn what_is_no_trace_is_refused_with_its_place() {
    for (text, why) in [
        ("<xml/>\n", ":1:1: neither JSON objects nor lines of fields"),
        ("job,submit_ms,duration_ms\na,0,x\n", ":2:5: "),
        ("job,submit_ms,duration_ms\n", "no job in the trace"),
    ] {
        let (output, _) = load("load-no-trace", &["--trace", &file("no-trace", text)]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(2) && said.contains(why), "{said}");
    }
}
