//! `simulate` says what it does not know: jobs that are not compared, traces without a job, times that are no times of
//! a run, sizes of nodes.

#![expect(clippy::unwrap_used, reason = "a test's helpers")]

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

/// Files of one test, and the program over them.
struct Bench(TempDir);

impl Bench {
    fn new() -> Bench {
        Bench(TempDir::new().unwrap())
    }

    fn file(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.0.path().join(name);
        std::fs::write(&path, content).unwrap();
        path.to_str().unwrap().to_owned()
    }

    fn out(&self) -> PathBuf {
        self.0.path().join("out")
    }

    fn run(&self, command: &str, arguments: &[&str]) -> Ran {
        let mut program = Command::new(env!("CARGO_BIN_EXE_evenweave"));
        program.arg(command).args(arguments).arg("--out").arg(self.out());
        Ran::of(&program.output().unwrap())
    }

    fn simulate(&self, arguments: &[&str]) -> Ran {
        self.run("simulate", arguments)
    }
}

struct Ran {
    code: Option<i32>,
    out: String,
    err: String,
}

impl Ran {
    fn of(output: &Output) -> Ran {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        Ran { code: output.status.code(), out: text(&output.stdout), err: text(&output.stderr) }
    }

    fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap()
    }
}

/// So many jobs of a queue, a task each.
fn jobs(text: &mut String, queue: &str, count: u32, memory_mb: u32) {
    for number in 0..count {
        writeln!(text, "{queue}{number},{number},10000,{queue},{memory_mb}").unwrap();
    }
}

const HEAD: &str = "job,submit_ms,duration_ms,queue,memory_mb\n";

fn fair(queues: &str) -> String {
    format!("<allocations>{queues}</allocations>")
}

/// Three of a hundred jobs are too large for their queue under one file.
#[test]
fn what_is_not_compared_is_said_first() {
    let bench = Bench::new();
    let mut text = HEAD.to_owned();
    jobs(&mut text, "a", 97, 1024);
    jobs(&mut text, "b", 3, 4096);
    let trace = bench.file("jobs.csv", text);
    let today = bench.file("today.xml", fair("<queue name='a'/><queue name='b'/>"));
    let small = "<queue name='a'/><queue name='b'><maxResources>2048 mb, 9 vcores</maxResources></queue>";
    let tomorrow = bench.file("tomorrow.xml", fair(small));
    let arguments = [&trace, "--nodes", "9", "--config", &today, "--config", &tomorrow];
    let ran = bench.simulate(&arguments);
    let lines: Vec<&str> = ran.out.lines().collect();
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    assert_eq!(lines[0], "9 nodes of 8 GiB and 8 vcores, as bundled");
    assert!(
        lines[2].starts_with("NOT COMPARED: 3 of 100 jobs (3.0 %), which did not end alike under both files"),
        "{}",
        ran.out
    );
    assert!(
        lines[3].ends_with(
            ", b is worse (0 of its 3 jobs end instead of 3, and none of its 3 jobs ended under both files)."
        )
    );
    let table =
        |queue: &str| lines.iter().find(|line| line.starts_with(queue)).unwrap().split_whitespace().collect::<Vec<_>>();
    assert_eq!(table("a ")[1..4], ["97", "/", "97"]);
    assert_eq!(table("b ")[1..], ["0", "/", "3", "-", "-", "loses"]);
    let page = std::fs::read_to_string(bench.out().join("report.html")).unwrap();
    assert!(page.contains("<p class=\"attention\">NOT COMPARED: 3 of 100 jobs"));
    assert!(page.contains("<td>0 / 3</td><td>-</td><td>-</td><td class=\"bad\">loses</td>"));
    let told = bench.simulate(&[&arguments[..], &["--json"]].concat()).json();
    let comparison = &told["comparisons"][0];
    assert!(comparison["headline"].as_str().unwrap().starts_with("NOT COMPARED: 3 of 100 jobs"));
    assert_eq!((&comparison["compared"], &comparison["of"]), (&97.into(), &100.into()));
    assert_eq!(told["attention"].as_array().unwrap().len(), 1);
    let of_b = &told["differences"][1];
    assert_eq!(
        (&of_b["compared"], &of_b["jobs"], &of_b["ended_before"], &of_b["ended"]),
        (&0.into(), &3.into(), &3.into(), &0.into())
    );
    assert_eq!((&of_b["who"], &of_b["wait"]), (&"loses".into(), &Value::Null));
}

#[test]
fn where_all_is_compared_nothing_is_cried() {
    let bench = Bench::new();
    let mut text = HEAD.to_owned();
    jobs(&mut text, "a", 20, 1024);
    let trace = bench.file("jobs.csv", text);
    let queues = bench.file("q.xml", fair("<queue name='a'/>"));
    let arguments = [&trace, "--nodes", "2", "--config", &queues, "--config", &queues];
    let ran = bench.simulate(&arguments);
    assert!(ran.code == Some(0) && ran.out.lines().nth(2).unwrap().starts_with("Under "), "{}", ran.out);
    let told = bench.simulate(&[&arguments[..], &["--json"]].concat()).json();
    assert_eq!((&told["attention"], &told["differences"][0]["who"]), (&Value::Array(Vec::new()), &"as before".into()));
    let page = std::fs::read_to_string(bench.out().join("report.html")).unwrap();
    assert!(!page.contains("<p class=\"attention\">"));
}

/// A queue that one file does not have: all its jobs are refused there, and are not compared.
#[test]
fn jobs_that_one_file_refuses_are_not_compared() {
    let bench = Bench::new();
    let mut text = HEAD.to_owned();
    jobs(&mut text, "root.a", 5, 1024);
    jobs(&mut text, "root.b", 5, 1024);
    let trace = bench.file("jobs.csv", text);
    let rules =
        "<queuePlacementPolicy><rule name='specified' create='false'/><rule name='reject'/></queuePlacementPolicy>";
    let both = bench.file("both.xml", fair(&format!("<queue name='a'/><queue name='b'/>{rules}")));
    let one = bench.file("one.xml", fair(&format!("<queue name='a'/>{rules}")));
    for (configs, verdict) in [([&both, &one], "loses"), ([&one, &both], "wins")] {
        let ran = bench.simulate(&[&trace, "--nodes", "2", "--config", configs[0], "--config", configs[1]]);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        assert!(ran.out.lines().nth(2).unwrap().starts_with("NOT COMPARED: 5 of 10 jobs (50.0 %)"), "{}", ran.out);
        let of_b = ran.out.lines().find(|line| line.starts_with("b ")).unwrap();
        assert!(of_b.contains(" 0 / 5 ") && of_b.ends_with(verdict), "{of_b}");
    }
    // The words are not read with these: the refusals are told beside.
    for switch in ["--json", "--quiet"] {
        let ran = bench.simulate(&[&trace, "--nodes", "2", "--config", &one, switch]);
        assert!(ran.err.contains("one.xml: 5 refused, the first: root.b0: "), "{}", ran.err);
    }
}

#[test]
fn where_nothing_is_compared_the_program_fails() {
    let bench = Bench::new();
    let mut text = HEAD.to_owned();
    jobs(&mut text, "a", 4, 4096);
    let trace = bench.file("jobs.csv", text);
    let today = bench.file("today.xml", fair("<queue name='a'/>"));
    let small = bench.file("small.xml", fair("<queue name='a'><maxResources>2048 mb, 9 vcores</maxResources></queue>"));
    let nothing = |said: &str| said.contains("NOTHING IS COMPARED: none of 4 jobs ended under both ");
    for switch in [&[][..], &["--json"], &["--quiet"]] {
        let ran = bench.simulate(&[&[&trace, "--nodes", "2", "--config", &today, "--config", &small], switch].concat());
        assert!(ran.code == Some(1) && nothing(&ran.err), "{:?} {}", ran.code, ran.err);
        assert!(nothing(&ran.out) || switch == ["--quiet"], "{}", ran.out);
    }
    assert!(nothing(&std::fs::read_to_string(bench.out().join("report.html")).unwrap()));
    // A single file: no job ended, no figure is of anything.
    let ran = bench.simulate(&[&trace, "--nodes", "2", "--config", &small]);
    assert!(ran.code == Some(1) && ran.err.contains("no job has come to an end"), "{}", ran.err);
    assert!(ran.out.contains("NO END: 4 of 4 jobs"), "{}", ran.out);
    let sweep = bench.simulate(&[
        &trace,
        "--nodes",
        "2",
        "--config",
        &small,
        "--sweep",
        "root.a.maxResources=2048 mb, 9 vcores|9000 mb, 9 vcores",
    ]);
    assert!(sweep.code == Some(0) && sweep.out.contains("NO END: at 1 of 2 points"), "{} {}", sweep.out, sweep.err);
    assert!(sweep.out.contains("0 / 4") && sweep.out.contains("4 / 4"), "{}", sweep.out);
}

/// The CapacityScheduler's default calculator does not count vcores.
#[test]
fn a_file_that_overbooks_vcores_is_no_comparison_of_schedulers() {
    let bench = Bench::new();
    let mut text = HEAD.to_owned();
    jobs(&mut text, "a", 30, 1024);
    let trace = bench.file("jobs.csv", text);
    let fair = bench.file("fair.xml", fair("<queue name='a'/>"));
    let capacity = |calculator: &str| {
        let property = |name: &str, value: &str| {
            format!("<property><name>yarn.scheduler.capacity.{name}</name><value>{value}</value></property>")
        };
        let queues = property("root.queues", "a")
            + &property("root.a.capacity", "100")
            + &property("maximum-am-resource-percent", "0.5");
        format!("<configuration>{queues}{calculator}</configuration>")
    };
    let default = bench.file("default.xml", capacity(""));
    let dominant = "<property><name>yarn.scheduler.capacity.resource-calculator</name>\
                    <value>org.apache.hadoop.yarn.util.resource.DominantResourceCalculator</value></property>";
    let dominant = bench.file("dominant.xml", capacity(dominant));
    let run = |other: &str| {
        let size = ["--nodes", "1", "--node-memory", "16384", "--node-vcores", "4"];
        bench.simulate(&[&[trace.as_str(), "--config", &fair, "--config", other], &size[..]].concat())
    };
    let overbooked = run(&default);
    let before_table = overbooked.out.split("queue  ").next().unwrap();
    assert!(
        before_table.contains("NO COMPARISON OF SCHEDULERS: ") && before_table.contains("default.xml hands out up to "),
        "{}{}",
        overbooked.out,
        overbooked.err
    );
    assert!(overbooked.out.starts_with("1 node of 16 GiB, by --node-memory, and 4 vcores, by --node-vcores\n"));
    let page = std::fs::read_to_string(bench.out().join("report.html")).unwrap();
    assert!(page.contains("<p class=\"attention\">NO COMPARISON OF SCHEDULERS"));
    let within = run(&dominant);
    assert!(within.code == Some(0) && !within.out.contains("NO COMPARISON"), "{}{}", within.out, within.err);
}

const EMPTY: &[(&str, &str)] = &[
    ("case.json", include_str!("data/cases/whole-trace-refused/jobs.json")),
    ("other.json", "{\"apps\": {\"app\": []}}"),
    ("object.json", "{}"),
    ("nodes.json", "{\"num.nodes\": 3}"),
    (
        "rumen.json",
        "{\"jobID\": \"job_1_1\", \"submitTime\": 0, \"finishTime\": 9, \"mapTasks\": [], \"reduceTasks\": []}",
    ),
    ("synth.json", "{\"num_nodes\": 1, \"nodes_per_rack\": 1, \"num_jobs\": 0, \"rand_seed\": 1, \"workloads\": []}"),
    ("jobs.csv", "job,submit_ms,duration_ms\n"),
    ("blank.tsv", "\n \n"),
    ("empty", ""),
    ("google.csv", "600026000,,515042969,11,,4,ann,2,2,0.0125,0.01,0.0004,0\n"),
    ("google-2019.csv", "time,type,collection_id,instance_index\n"),
    ("alibaba.csv", "M1,3,j_1,1,Waiting,0,0,100,0.39\n"),
];

#[test]
fn a_trace_without_a_job_is_refused() {
    let bench = Bench::new();
    let queues = bench.file("q.xml", include_str!("data/cases/whole-trace-refused/fair-scheduler.xml"));
    for (name, text) in EMPTY {
        let trace = bench.file(name, text);
        for switch in [&[][..], &["--quiet"], &["--json"], &["--config", &queues]] {
            let arguments = [&[&trace, "--config", &queues, "--nodes", "3", "--until", "5m"], switch].concat();
            let ran = bench.simulate(&arguments);
            let told = ran.code == Some(2) && ran.err.contains(name) && ran.out.is_empty();
            assert!(told && !bench.out().exists(), "{name} {switch:?}: {:?} {}{}", ran.code, ran.out, ran.err);
        }
        for speed in [&[][..], &["--speed", "1000"]] {
            let arguments = [&["--quiet", "--nodes", "3", "--duration", "1s", "--trace", &trace], speed].concat();
            let ran = bench.run("load", &arguments);
            assert!(ran.code == Some(2) && ran.err.contains(name), "load {name}: {:?} {}", ran.code, ran.err);
        }
    }
    let packed = |bytes: &[u8]| zstd_of(bytes);
    let trace = bench.file("packed.zst", packed(b""));
    assert_eq!(bench.simulate(&[&trace, "--nodes", "3", "--config", &queues]).code, Some(2));
    let trace = bench.file("case.json", EMPTY[0].1);
    let said = bench.simulate(&[&trace, "--nodes", "3", "--config", &queues, "--quiet"]).err;
    assert!(
        said.contains("no job could be read; 1 refused, the first at 1:1: the job has no tasks; give it"),
        "{said}"
    );
}

/// A frame of zstd of one raw block.
fn zstd_of(bytes: &[u8]) -> Vec<u8> {
    let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd, 0x20, u8::try_from(bytes.len()).unwrap()];
    frame.extend([u8::try_from(bytes.len() << 3 | 1).unwrap(), 0, 0]);
    frame.extend(bytes);
    frame
}

/// The queue is in neither file: each refuses every job.
#[test]
fn where_every_job_is_refused_nothing_is_written() {
    let bench = Bench::new();
    let mut text = HEAD.to_owned();
    jobs(&mut text, "root.nowhere", 3, 1024);
    let trace = bench.file("jobs.csv", text);
    let rules =
        "<queuePlacementPolicy><rule name='specified' create='false'/><rule name='reject'/></queuePlacementPolicy>";
    let queues = bench.file("q.xml", fair(&format!("<queue name='a'/>{rules}")));
    for configs in [&["--config", &queues][..], &["--config", &queues, "--config", &queues]] {
        let ran = bench.simulate(&[&[&trace, "--nodes", "2", "--quiet"], configs].concat());
        assert!(
            ran.code == Some(2) && ran.err.contains("no job could be run: 3 refused, the first: root.nowhere0: "),
            "{}",
            ran.err
        );
        assert!(!bench.out().exists());
    }
}

const EPOCH_MS: u64 = 1_700_000_000_000;

/// Jobs of each form at a time of a calendar, and 60 units after it.
fn calendars(first: u64) -> Vec<(&'static str, String)> {
    let (ms, s) = (first, first / 1000);
    let sls = |at: u64, number: u32| {
        format!(
            "{{\"job.start.ms\": {at}, \"job.end.ms\": {}, \"job.queue.name\": \"a\", \"job.id\": \"j{number}\", \"job.tasks\": \
             [{{\"container.type\": \"map\", \"container.start.ms\": {at}, \"container.end.ms\": {}}}]}}\n",
            at + 5_000,
            at + 5_000
        )
    };
    vec![
        ("plain.csv", format!("job,submit_ms,duration_ms,queue\nx,{},5000,a\ny,{ms},5000,a\n", ms + 60_000)),
        ("sls.json", sls(ms, 1) + &sls(ms + 60_000, 2)),
        ("swim.tsv", format!("job0\t{s}\t0\t1\t2\t3\njob1\t{}\t60\t4\t5\t6\n", s + 60)),
        (
            "alibaba.csv",
            format!(
                "M1,1,j_1,1,Terminated,{s},{},100,0.2\nM1,1,j_2,1,Terminated,{},{},100,0.2\n",
                s + 5,
                s + 60,
                s + 65
            ),
        ),
    ]
}

#[test]
fn times_of_a_calendar_are_shifted_to_the_first_job() {
    let bench = Bench::new();
    let queues = bench.file("q.xml", fair("<queue name='a'/>"));
    for first in [EPOCH_MS, EPOCH_MS / 1000] {
        for (name, text) in calendars(first) {
            let trace = bench.file(name, text);
            let ran = bench.simulate(&[&trace, "--config", &queues, "--nodes", "2", "--json"]);
            assert_eq!(ran.code, Some(0), "{name}: {}", ran.err);
            let told = ran.json();
            let simulated = told["simulated_s"].as_f64().unwrap();
            assert!((60.0..300.0).contains(&simulated), "{name}: {simulated} s");
            // Some forms count from the first job in any case.
            let own = name == "alibaba.csv";
            let shifted =
                told["times_told"].as_array().unwrap().iter().any(|note| note.as_str().unwrap().contains("--times"));
            assert_eq!(shifted, !own, "{name}: {}", told["times_told"]);
            assert_eq!(ran.err.contains("its times count from the first job"), !own, "{name}: {}", ran.err);
        }
    }
    let plain = bench.file("plain.csv", &calendars(EPOCH_MS)[0].1);
    let written = bench.simulate(&[&plain, "--config", &queues, "--nodes", "2", "--times", "as-written"]);
    assert!(
        written.code == Some(2) && written.err.contains("19675 days after the start, and no run is so long"),
        "{}",
        written.err
    );
    let events = bench.file("events.csv", format!("time_s,event,node\n{},lose,node1\n", EPOCH_MS / 1000 + 5));
    let ran = bench.simulate(&[&plain, "--config", &queues, "--nodes", "2", "--node-events", &events]);
    assert!(ran.code == Some(2) && ran.err.contains("the times of the trace count from its first job"), "{}", ran.err);
}

#[test]
fn a_run_may_end_after_any_time() {
    let bench = Bench::new();
    let queues = bench.file("q.xml", fair("<queue name='a'/>"));
    let trace = bench.file("jobs.csv", "job,submit_ms,duration_ms,queue\nx,0,1000,a\ny,200000000,200000000,a\n");
    let ended = |until: &str| {
        let ran =
            bench.simulate(&[&trace, "--config", &queues, "--nodes", "1", "--every", "1h", "--json", "--until", until]);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        ran.json()["queues"][0]["ended"].as_u64().unwrap()
    };
    assert_eq!((ended("2d"), ended("5d"), ended("10000h")), (1, 2, 2));
}

/// What a site says of a real node is the size of a simulated one.
#[test]
fn a_site_says_how_large_a_node_is() {
    let bench = Bench::new();
    let queues = bench.file("q.xml", fair("<queue name='a'/>"));
    let trace = bench.file("jobs.csv", "job,submit_ms,duration_ms,queue\nx,0,1000,a\n");
    let property = |name: &str, value: &str| format!("<property><name>{name}</name><value>{value}</value></property>");
    let real = property("yarn.nodemanager.resource.memory-mb", "65536")
        + &property("yarn.nodemanager.resource.cpu-vcores", "16");
    let of_sls = property("yarn.sls.nm.memory.mb", "20480") + &property("yarn.sls.nm.vcores", "20");
    let by_node = "3 nodes of 64 GiB, by yarn.nodemanager.resource.memory-mb, and 16 vcores, by yarn.nodemanager.resource.cpu-vcores";
    for (properties, options, said) in [
        (String::new(), &[][..], "3 nodes of 10 GiB and 10 vcores, by SLS's default"),
        (real.clone(), &[], by_node),
        (
            format!("{real}{of_sls}"),
            &[],
            "3 nodes of 20 GiB, by yarn.sls.nm.memory.mb, and 20 vcores, by yarn.sls.nm.vcores",
        ),
        (
            real,
            &["--node-memory", "4096", "-D", "yarn.sls.nm.vcores=7"],
            "3 nodes of 4 GiB, by --node-memory, and 7 vcores, by yarn.sls.nm.vcores",
        ),
    ] {
        let site = bench.file("yarn-site.xml", format!("<configuration>{properties}</configuration>"));
        let arguments = [&[&trace, "--config", &queues, "--nodes", "3", "--site", &site], options].concat();
        let ran = bench.simulate(&arguments);
        assert_eq!((ran.code, ran.out.lines().next()), (Some(0), Some(said)), "{}", ran.err);
        assert_eq!(bench.simulate(&[&arguments[..], &["--json"]].concat()).json()["cluster"], said);
        let page = std::fs::read_to_string(bench.out().join("report.html")).unwrap();
        assert!(page.contains(&said.replace('\'', "&#39;")) || page.contains(said));
    }
    // A word of one's own counts above the bundled size.
    let set = ["-D", "yarn.nodemanager.resource.memory-mb=3072"];
    let ran = bench.simulate(&[&[&trace, "--config", &queues, "--nodes", "3"], &set[..]].concat());
    let said = "3 nodes of 3 GiB, by yarn.nodemanager.resource.memory-mb, and 8 vcores, as bundled";
    assert_eq!(ran.out.lines().next(), Some(said), "{}", ran.err);
}
