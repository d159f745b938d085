//! Traces as a simulator reads them: what Hadoop draws from SYNTH files, samples of each format, and what is said of
//! broken ones.

#![expect(clippy::unwrap_used, reason = "a test's helpers")]

use std::io::{Cursor, Read as _};
use std::path::{Path, PathBuf};

use evenweave_tools::traces::{Item, Job, Times, Trace, TraceFileError, TraceKind, TraceOptions, read_node_file};
use flate2::read::GzDecoder;

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/traces").join(name)
}

fn items(path: &Path, options: &TraceOptions) -> (TraceKind, Vec<Item>) {
    let trace = Trace::open(path, options).unwrap();
    (trace.kind(), trace.map(Result::unwrap).collect())
}

fn jobs(items: Vec<Item>) -> Vec<Job> {
    let job = |item| match item {
        Item::Job(job) => Some(*job),
        Item::Node(_) | Item::Refused(_) => None,
    };
    items.into_iter().filter_map(job).collect()
}

/// A job as the recorded lists have it.
fn line(job: &Job) -> String {
    let task = |task: &evenweave_tools::traces::Task| {
        let of = |name: &str| task.resource[name];
        format!("{}:{}:{}:{}:{}", task.kind, task.duration_ms, of("memory-mb"), of("vcores"), task.priority)
    };
    let tasks: Vec<String> = job.tasks.iter().map(task).collect();
    let (id, duration) = (job.id.as_deref().unwrap(), job.finish_ms - job.arrival_ms);
    let deadline = job.deadline_ms.unwrap_or(-1);
    let Job { queue, user, am_type, arrival_ms, .. } = job;
    format!("{id},{queue},{user},{am_type},{arrival_ms},{duration},{deadline},{}", tasks.join(" "))
}

#[test]
fn every_job_is_drawn_as_hadoop_draws_it() {
    let mut compared = 0;
    for number in 1..=6 {
        let options = TraceOptions { times: Times::AsWritten, ..TraceOptions::default() };
        let (kind, items) = items(&data(&format!("draw-{number}.synth.json.gz")), &options);
        assert_eq!(kind, TraceKind::Synth);
        let mut recorded = String::new();
        let packed = std::fs::File::open(data(&format!("draw-{number}.csv.gz"))).unwrap();
        GzDecoder::new(packed).read_to_string(&mut recorded).unwrap();
        let drawn: Vec<String> = jobs(items).iter().map(line).collect();
        let expected: Vec<&str> = recorded.lines().skip(1).map(str::trim_end).collect();
        assert_eq!(drawn, expected, "draw-{number}");
        compared += drawn.len();
    }
    assert!(compared > 20, "{compared}");
}

#[test]
fn a_sample_of_slss_own_form() {
    let (kind, items) = items(&data("jobs.sls.json.gz"), &TraceOptions::default());
    assert_eq!(kind, TraceKind::Sls);
    let nodes: Vec<String> = items.iter().filter_map(node).collect();
    // Four that are counted, then the hosts that tasks want.
    let expected = ["/rack0/node0", "/rack1/node1", "/rack0/node2", "/rack1/node3", "/r0/r0n0", "/r1/r1n0"];
    assert_eq!(nodes, expected);
    assert!(!items.iter().any(|item| matches!(item, Item::Refused(_))));
    let jobs = jobs(items);
    let shown: Vec<(Option<&str>, u32, i64, &str, usize)> = jobs
        .iter()
        .map(|job| (job.id.as_deref(), job.count, job.arrival_ms, job.am_type.as_str(), job.tasks.len()))
        .collect();
    assert_eq!(
        shown,
        [
            (Some("wordcount"), 1, 0, "mapreduce", 3),
            (Some("many"), 1, 1500, "mapreduce", 1),
            (Some("stream"), 1, 2000, "stream", 1),
            (Some("dag"), 1, 3000, "dag", 2),
            (None, 2, 4000, "mapreduce", 1),
        ]
    );
    let maps = &jobs[0].tasks;
    assert_eq!((maps[0].duration_ms, maps[1].duration_ms, maps[2].duration_ms), (3000, 4000, 2000));
    assert_eq!((maps[2].kind.as_str(), maps[2].priority, &maps[2].host), ("reduce", 10, &None));
    assert_eq!((jobs[1].am_resource["memory-mb"], jobs[1].tasks[0].resource["vcores"]), (1024, 1));
    assert_eq!((jobs[3].tasks[1].delay_ms, jobs[3].tasks[1].allocation_id), (4000, 2));
    assert_eq!((jobs[4].tasks[0].count, jobs[4].tasks[0].duration_ms), (3, 1000));
}

fn node(item: &Item) -> Option<String> {
    match item {
        Item::Node(node) => Some(format!("{}/{}", node.host.rack, node.host.name)),
        Item::Job(_) | Item::Refused(_) => None,
    }
}

#[test]
fn a_sample_of_rumen() {
    let path = data("jobs.rumen.json.gz");
    let (kind, found) = items(&path, &TraceOptions::default());
    assert_eq!(kind, TraceKind::Rumen);
    let found = jobs(found);
    let first = &found[0];
    assert_eq!((first.id.as_deref(), first.arrival_ms, first.tasks.len()), (Some("job_1700000000000_0001"), 0, 5));
    // Of the second task the second attempt counts.
    assert_eq!(first.tasks[1].duration_ms, 2500);
    assert_eq!(first.tasks[1].host.as_ref().unwrap().rack, "/rack1");
    assert_eq!((first.tasks[4].kind.as_str(), first.tasks[4].priority), ("reduce", 10));
    assert_eq!((found[1].arrival_ms, first.finish_ms), (2500, 16_000));
    let options = TraceOptions { times: Times::AllAtOnce, ..TraceOptions::default() };
    let at_once = jobs(items(&path, &options).1);
    assert!(at_once.iter().all(|job| job.arrival_ms == 0));
    assert_eq!(at_once[0].finish_ms, 1_700_000_016_000);
}

#[test]
fn both_forms_of_synth() {
    for (name, count) in [("jobs", 8), ("old-form", 5)] {
        let path = data(&format!("{name}.synth.json.gz"));
        let cluster = Trace::open(&path, &TraceOptions::default()).unwrap().cluster().unwrap();
        assert_eq!((cluster.nodes, cluster.racks), (6, 2));
        let found = items(&path, &TraceOptions::default()).1;
        assert_eq!(found.iter().filter_map(node).count(), 6);
        let found = jobs(found);
        assert_eq!((found.len(), found[0].arrival_ms), (count, 0));
        assert!(found.iter().all(|job| job.tasks.iter().all(|task| task.resource["memory-mb"] >= 1024)));
    }
}

#[test]
fn a_day_of_swim() {
    let (kind, found) = items(&data("../../../data/FB-2009_samples_24_times_1hr_0.tsv.gz"), &TraceOptions::default());
    assert_eq!((kind, found.len()), (TraceKind::Swim, 5894));
    let found = jobs(found);
    assert!(found.windows(2).all(|pair| pair[0].arrival_ms <= pair[1].arrival_ms));
    assert!(found.iter().all(|job| job.tasks[0].count > 0 && job.tasks.iter().all(|task| task.duration_ms > 0)));
}

#[test]
fn a_node_file() {
    let file = std::fs::File::open(data("nodes.json.gz")).unwrap();
    let nodes = read_node_file(file, "nodes.json").unwrap();
    assert_eq!(nodes.len(), 4);
    assert_eq!(
        (nodes[2].host.rack.as_str(), nodes[2].resource["memory-mb"], nodes[3].resource["vcores"]),
        ("/r1", 8192, 2)
    );
}

/// What is said of a text: the refusals of jobs, or why it cannot be read.
fn said(text: &str) -> String {
    let trace = match Trace::read(Cursor::new(text.as_bytes().to_vec()), "t", &TraceOptions::default()) {
        Ok(trace) => trace,
        Err(error) => return error.to_string(),
    };
    let told = |item: Result<Item, TraceFileError>| match item {
        Ok(Item::Refused(refusal)) => {
            Some(format!("t:{}:{}: refused: {}; {}", refusal.at.line, refusal.at.column, refusal.problem, refusal.help))
        }
        Err(error) => Some(error.to_string()),
        Ok(Item::Job(_) | Item::Node(_)) => None,
    };
    trace.filter_map(told).collect::<Vec<_>>().join("\n")
}

const FORMS: &str = "write {\"val\": 5}, {\"val\": 5, \"std\": 1, \"dist\": \"LOGNORM\"} (or NORM), or {\"discrete\": [1, 2], \"weights\": [3, 1]}";

/// A SYNTH file with one class, whose duration and count of tasks are given.
fn synth(duration: &str, count: &str) -> String {
    let one = "{\"val\": 1}";
    format!(
        "{{\"num_jobs\": 1, \"rand_seed\": 1, \"workloads\": [{{\"workload_weight\": 1, \"queue_name\": \"q\",\n\
         \"time_distribution\": [{{\"time\": 0, \"weight\": 1}}], \"job_classes\": [{{\"class_weight\": 1, \"type\": \"mapreduce\",\n\
         \"duration\": {duration},\n\"deadline_factor\": {one}, \"reservation\": {{\"val\": 0}}, \"tasks\": [{{\"type\": \"map\",\n\
         \"count\": {count},\n\"time\": {one}, \"max_memory\": {one}, \"max_vcores\": {one}}}]}}]}}]}}"
    )
}

#[test]
fn broken_traces_are_told_with_place_cause_and_cure() {
    let task = "\"job.tasks\": [{\"duration.ms\": 1}]";
    let rumen = |rest: &str| format!("{{\"jobID\": \"job_1_1\", \"queue\": \"q\", {rest}}}");
    let silent = " (Hadoop takes it for the end of the trace, without a word)";
    let duration = "give \"container.duration.ms\", or \"container.start.ms\" and a later \"container.end.ms\"";
    let one = "{\"val\": 1}";
    for (text, expected) in [
        (String::new(), "t:1:1: the file is empty; it must hold jobs".to_owned()),
        ("{\"job.id\": tru}".to_owned(), "t:1:12: not JSON: invalid literal; a trace is one JSON object after the other, without anything between them".to_owned()),
        (format!("{{\"job.queue.name\": \"q\", {task}}},\n{{}}"), "t:1:59: not JSON: unexpected comma; a trace is one JSON object after the other, without anything between them".to_owned()),
        (format!("{{{task}}}"), "t:1:1: refused: there is no \"job.queue.name\"; name the queue of the job".to_owned()),
        ("{\"job.queue.name\": \"q\"}\n{}".to_owned(), "t:1:1: refused: the job has no tasks; give it \"job.tasks\", a list with at least one task\nt:2:1: refused: the job has no tasks; give it \"job.tasks\", a list with at least one task".to_owned()),
        (format!("{{\"job.queue.name\": \"q\", \"job.start.ms\": 12.5, {task}}}"), "t:1:41: refused: job.start.ms is \"12.5\", no whole number; write an integer, such as 1000".to_owned()),
        ("{\"job.queue.name\": \"q\", \"job.tasks\": 5}".to_owned(), "t:1:38: refused: job.tasks is a number; it must be a list [...]".to_owned()),
        ("{\"job.queue.name\": \"q\", \"job.tasks\": [3]}".to_owned(), "t:1:39: refused: a task is a number; it must be an object {...}".to_owned()),
        ("{\"job.queue.name\": \"q\", \"job.tasks\": [{}]}".to_owned(), format!("t:1:39: refused: the task has no duration; {duration}")),
        ("{\"job.queue.name\": \"q\", \"job.tasks\": [{\"container.duration.ms\": \"0\"}]}".to_owned(), format!("t:1:65: refused: the task lives 0 ms; {duration}")),
        ("{\"job.queue.name\": \"q\", \"job.tasks\": [{\"duration.ms\": 4294967296}]}".to_owned(), "t:1:55: refused: duration.ms is \"4294967296\", which does not fit 32 bits; write an integer from -2147483648 to 2147483647".to_owned()),
        ("{\"job.queue.name\": \"q\", \"job.tasks\": [{\"duration.ms\": 1, \"container.execution.type\": \"guaranteed\"}]}".to_owned(), "t:1:86: refused: container.execution.type is \"guaranteed\"; write GUARANTEED or OPPORTUNISTIC".to_owned()),
        (format!("{{\"job.queue.name\": \"q\", \"am.memory-mb\": \"1g\", {task}}}"), "t:1:41: refused: am.memory-mb is \"1g\", no whole number; write an integer, such as 1000".to_owned()),
        ("{\"num.nodes\": \"few\"}".to_owned(), "t:1:15: num.nodes is \"few\", no whole number; write an integer, such as 1000".to_owned()),
        ("{\"jobID\": \"job_1\"}".to_owned(), format!("t:1:11: jobID is \"job_1\"; write job_NUMBER_NUMBER, such as job_1700000000000_0001{silent}")),
        (rumen("\"submitTime\": \"x\""), format!("t:1:50: submitTime is \"x\", no whole number; write an integer, such as 1000{silent}")),
        (rumen("\"mapTasks\": [{}]"), "t:1:49: refused: a map task has no attempts; give it one, with start, end and host".to_owned()),
        (rumen("\"mapTasks\": [{\"attempts\": [{\"startTime\": 5, \"finishTime\": 5, \"hostName\": \"/r/h\"}]}]"), "t:1:63: refused: an attempt lives 0 ms; its \"finishTime\" must be after its \"startTime\"".to_owned()),
        (rumen("\"mapTasks\": [{\"attempts\": [{\"startTime\": 5, \"finishTime\": 6}]}]"), "t:1:63: refused: an attempt has no \"hostName\"; name its host, such as /rack0/host0".to_owned()),
        ("{\"jobID\": \"job_1_1\"}".to_owned(), "t:1:1: refused: there is no \"queue\"; name the queue of the job".to_owned()),
        ("{\"num_jobs\": 1}".to_owned(), "t:1:1: there is no \"workloads\"; give it \"workloads\", a list with at least one object".to_owned()),
        ("{\"workloads\": []}".to_owned(), "t:1:15: workloads is empty; give it \"workloads\", a list with at least one object".to_owned()),
        (synth("{\"val\": 5, \"dist\": \"NORM\"}", one), format!("t:3:13: duration has \"dist\" without \"std\"; {FORMS}")),
        (synth("{\"val\": 5, \"std\": 1, \"dist\": \"normal\"}", one), format!("t:3:13: duration has a \"dist\" that is neither LOGNORM nor NORM; {FORMS}")),
        (synth(one, "{\"discrete\": [1], \"weights\": [1, 2]}"), format!("t:5:10: count has not as many \"weights\" as values; {FORMS}")),
        (synth(one, "{\"discrete\": [1], \"val\": 1}"), format!("t:5:10: count has both \"val\" and \"discrete\"; {FORMS}")),
        (synth(one, "null"), format!("t:4:69: there is no \"count\"; {FORMS}")),
        (synth("{\"val\": 0, \"std\": 1}", one), "t:3:13: the mean of duration is 0; a distribution needs a mean above 0; for 0 write {\"val\": 0}".to_owned()),
        (synth(one, one).replace("\"time\": {\"val\": 1}", "\"time\": {\"val\": 0.4}"), "t:6:9: a task of class \"null\" lives 0 ms; make times longer: Hadoop's run ends here".to_owned()),
        ("j\t1\t1\t1\tx\t1\n".to_owned(), "t:1:9: shuffle bytes \"x\" is not a whole number; shuffle bytes must be a whole number from 0 to 18446744073709551615, digits only, for example 740773".to_owned()),
    ] {
        assert_eq!(said(&text), expected, "{text}");
    }
}

#[test]
fn a_refused_job_does_not_stop_the_others() {
    let good = "{\"job.id\": \"a\", \"job.queue.name\": \"q\", \"job.tasks\": [{\"duration.ms\": 1, \"container.host\": \"odd\"}]}";
    let text = format!("{good}\n{{}}\n{good}");
    let trace = Trace::read(Cursor::new(text.into_bytes()), "t", &TraceOptions::default()).unwrap();
    let found: Vec<Item> = trace.map(Result::unwrap).collect();
    assert_eq!(found.iter().filter(|item| matches!(item, Item::Refused(_))).count(), 1);
    let found = jobs(found);
    assert_eq!((found.len(), found[1].tasks[0].bad_host.as_deref()), (2, Some("odd")));
}

#[test]
fn what_sls_takes_for_not_given() {
    let task = |task: &str| {
        format!("{{\"job.queue.name\": \"q\", \"job.id\": \"a\", \"job.count\": 2, \"job.tasks\": [{{{task}}}]}}")
    };
    assert_eq!(
        said(&task("\"container.start.ms\": -1, \"container.end.ms\": 5")),
        "t:1:70: refused: the task has no duration; give \"container.duration.ms\", or \"container.start.ms\" and a later \
         \"container.end.ms\""
    );
    let text = task(
        "\"duration.ms\": 1, \"container.request.delay\": -7, \"count\": 0, \"container.priority\": null, \"owner\": \"x\"",
    );
    let trace = Trace::read(Cursor::new(text.into_bytes()), "t", &TraceOptions::default()).unwrap();
    let found = jobs(trace.map(Result::unwrap).collect());
    // Of several jobs the id is ignored.
    assert_eq!((found[0].id.as_deref(), found[0].count, found[0].user.as_str()), (None, 2, "default"));
    let task = &found[0].tasks[0];
    assert_eq!((task.delay_ms, task.count, task.priority, task.allocation_id), (0, 1, 20, -1));
    assert!(task.resource.is_empty() && task.kind == "map");
}

/// `am.type` stands in samples and documents, and SLS ignores it.
#[test]
fn the_short_name_of_the_am_type_counts_where_it_is_asked_for() {
    let text = "{\"am.type\": \"stream\", \"job.queue.name\": \"q\", \"job.tasks\": [{\"duration.ms\": 1}]}";
    for (short, expected) in [(false, "mapreduce"), (true, "stream")] {
        let options = TraceOptions { short_am_type: short, ..TraceOptions::default() };
        let trace = Trace::read(Cursor::new(text.as_bytes().to_vec()), "t", &options).unwrap();
        let found = jobs(trace.map(Result::unwrap).collect());
        assert_eq!(found[0].am_type, expected);
    }
}

/// Endless jobs: only as many as are asked for are read.
#[test]
fn a_trace_is_read_as_it_is_asked_for() {
    let job = b"{\"job.queue.name\": \"q\", \"job.tasks\": [{\"duration.ms\": 1}]}\n";
    let endless = std::iter::repeat_n(job.as_slice(), usize::MAX);
    struct Endless<I>(I, &'static [u8]);
    impl<I: Iterator<Item = &'static [u8]>> std::io::Read for Endless<I> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            if self.1.is_empty() {
                self.1 = self.0.next().unwrap();
            }
            let length = self.1.len().min(buffer.len());
            buffer[..length].copy_from_slice(&self.1[..length]);
            self.1 = &self.1[length..];
            Ok(length)
        }
    }
    let trace = Trace::read(Endless(endless, b""), "t", &TraceOptions::default()).unwrap();
    assert_eq!(trace.take(100_000).filter(Result::is_ok).count(), 100_000);
}

/// What costs far more than its length says is refused, or not made before it is asked for.
#[test]
fn small_files_do_not_cost_much() {
    let nodes = "{\"num.nodes\": 2147483647, \"num.racks\": 7}";
    let trace = Trace::read(Cursor::new(nodes.as_bytes().to_vec()), "t", &TraceOptions::default()).unwrap();
    assert_eq!(trace.take(3).filter(Result::is_ok).count(), 3);
    let one = "{\"val\": 1}";
    let many = synth(one, "{\"val\": 1e15}");
    assert!(
        said(&many).starts_with("t:5:10: a job of class \"null\" has 1000000000000000 tasks of one entry; "),
        "{}",
        said(&many)
    );
    let jobs = synth(one, one).replace("\"num_jobs\": 1,", "\"num_jobs\": 2000000000,");
    assert!(said(&jobs).starts_with("t:1:14: num_jobs is 2000000000; at most "), "{}", said(&jobs));
    let weights = synth(one, one).replace("\"class_weight\": 1", "\"class_weight\": 0");
    assert!(said(&weights).starts_with("t:1:47: the weights of job classes add up to 0; "), "{}", said(&weights));
}
