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
    let data = |name: &str| format!("{}/../tools/tests/data/traces/{name}", env!("CARGO_MANIFEST_DIR"));
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

/// Twenty million heartbeats a second are too many for any machine.
#[test]
fn a_driver_that_cannot_keep_up_is_told_of() {
    let much = ["--core", "threaded", "--nodes", "20000", "--heartbeat-ms", "1", "--duration", "1s"];
    let (output, out) = load("load-overload", &much);
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let warning = said.lines().find(|line| line.starts_with("WARNING: the driver could not keep up: ")).expect(&said);
    assert!(warning.contains(" heartbeats left out (") && warning.contains("--nodes"), "{warning}");
    let page = std::fs::read_to_string(out.join("report.html")).expect("the report");
    assert!(page.contains("Attention: the driver could not keep up"));
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

/// Each job runs once, when its time has come, for as long as the trace says, all divided by the factor.
#[test]
fn a_trace_is_played_at_its_own_times() {
    let text = "job,submit_ms,duration_ms,count,task,queue,user\n\
                a,0,4000,30,map,production.reports,ann\na,0,2000,2,reduce,,\n\
                b,60000,1000,4,map,root.science.training,bob\nc,10000,1000,1,reduce,,\n";
    let trace = file("speed.csv", text);
    let small = ["--nodes", "20", "--heartbeat-ms", "20", "--json", "--trace", &trace, "--speed"];
    for (factor, shown) in [("20x", 20.0), ("30", 30.0)] {
        let (output, out) = load("load-speed", &[&small[..], &[factor]].concat());
        let result = json(&output);
        assert_eq!((&result["lost"], &result["differences"]), (&0.into(), &serde_json::json!([])));
        assert_eq!((&result["speed"], &result["jobs_finished"]), (&shown.into(), &3.into()), "{result}");
        // Three AMs, 30 + 2, 4 and 1 tasks.
        assert_eq!((&result["granted"], &result["completed"], &result["running"]), (&40.into(), &40.into(), &0.into()));
        // The last job comes after 60 s of the trace and has tasks of one.
        let seconds = result["seconds"].as_f64().expect("seconds");
        assert!(seconds >= 61.0 / shown, "{seconds} s at {factor}");
        assert!(result["submitted_late_ms"].is_number() && result["ratio_to_locked"].is_null(), "{result}");
        let page = std::fs::read_to_string(out.join("report.html")).expect("the report");
        assert!(page.contains(&format!("(3 jobs, at the times of the trace, {shown}x speed)")));
    }
    let (output, _) = load("load-speed-cut", &["--speed", "100", "--nodes", "20", "--duration", "1s"]);
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        said.contains("tsv at 100x speed, queues of bundled") && said.contains("jobs submitted late, most"),
        "{said}"
    );
    assert!(said.contains("books balance"), "{said}");
}

#[test]
fn a_queue_that_is_not_there_is_told_with_those_that_are() {
    let trace = file("speed-queue.csv", "job,submit_ms,duration_ms,queue\na,0,10,root.nowhere\n");
    let (output, _) = load("load-speed-queue", &["--nodes", "5", "--speed", "1", "--trace", &trace]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(
        said.contains("jobs of queue \"root.nowhere\", and bundled fair-scheduler.xml has no leaf queue"),
        "{said}"
    );
    assert!(said.contains("root.production.reports") && said.contains("--queue"), "{said}");
    let dealt = ["--nodes", "5", "--speed", "1", "--trace", &trace, "--queue", "root.production.reports", "--json"];
    assert_eq!(json(&load("load-speed-dealt", &dealt).0)["jobs_finished"], 1);
}

/// A job of a trace asks for the label that it names, where there are labels and times.
#[test]
fn labels_of_a_trace_count_at_its_times() {
    let job = |name: &str, label: &str, count: u32| {
        format!(
            "{{\"job.id\": \"{name}\", \"job.start.ms\": 0, \"job.queue.name\": \"root.production.ingest\", {label}\
             \"job.tasks\": [{{\"count\": {count}, \"container.duration.ms\": 1000}}]}}\n"
        )
    };
    let gpu = "\"job.label.expression\": \"gpu\", ";
    let trace = file("labels.sls.json", &[job("a", gpu, 5), job("b", "", 7), job("c", gpu, 3)].concat());
    let small = ["--scheduler", "capacity", "--nodes", "20", "--json", "--trace", &trace];
    let timed = ["--node-labels", "gpu:0.5", "--speed", "10x", "--heartbeat-ms", "20"];
    let (output, _) = load("load-labels", &[&small[..], &timed].concat());
    let result = json(&output);
    assert_eq!((&result["lost"], &result["differences"]), (&0.into(), &serde_json::json!([])));
    let granted = |at: usize| result["partitions"][at]["granted"].as_u64();
    // With an AM each.
    assert_eq!((granted(0), granted(1)), (Some(8), Some(10)), "{result}");
    let (output, _) = load("load-labels", &[&small[..], &["--duration", "500ms"]].concat());
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && said.contains("the labels of 2 jobs do not count"), "{said}");
    let (output, _) = load("load-labels", &[&small[..], &["--node-labels", "ssd:0.5", "--speed", "10x"]].concat());
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(2) && said.contains("label \"gpu\", and --node-labels has ssd"), "{said}");
}
