//! Twenty broken traces and more, and what is said of each: file, line, column, what is wrong, what would be right.
//!
//! What is expected is in `tests/data/traces/broken.expected.txt`. `EVENWEAVE_BLESS=1` writes it anew.

#![expect(clippy::unwrap_used, reason = "a test's helpers")]

use std::io::{Cursor, Write as _};
use std::path::Path;

use evenweave_tools::traces::{Item, Trace, TraceOptions, read_node_changes, read_node_file};

/// A job of SLS's, Rumen's, and a recipe of SYNTH with something in the middle.
fn sls(middle: &str) -> String {
    format!("{{\"job.queue.name\": \"q\",\n \"job.tasks\": [{{{middle}}}]}}\n")
}

fn rumen(middle: &str) -> String {
    format!("{{\"jobID\": \"job_1_1\", \"queue\": \"q\", {middle}}}\n")
}

fn google(lines: &[&str]) -> String {
    let head = "600000000,,1,0,,0,ann,2,2,0.1,0.1,0.1,0\n";
    lines.iter().fold(head.to_owned(), |text, line| format!("{text}{line}\n"))
}

const GOOGLE_2019: &str = "time,type,collection_id,instance_index,cpus,memory\n";
const ALIBABA: &str = "M1,3,j_1,1,Terminated,87076,87090,100,0.39\n";
const PLAIN: &str = "job,submit_ms,duration_ms,count,host,type\n";

fn broken() -> Vec<(&'static str, Vec<u8>)> {
    let gzip = |text: &[u8]| {
        let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        out.write_all(text).unwrap();
        out.finish().unwrap()
    };
    let long = sls("\"duration.ms\": 1").repeat(20_000);
    let cut = gzip(long.as_bytes());
    vec![
        ("empty.json", Vec::new()),
        ("list.json", b"[{\"job.tasks\": []}]".to_vec()),
        ("words.txt", b"these are no jobs\n".to_vec()),
        ("cut.json.gz", cut[..cut.len() / 2].to_vec()),
        // The same, packed by `zstd -1 --no-check`, without the last nine bytes.
        ("cut.json.zst", include_bytes!("data/traces/cut.json.zst").to_vec()),
        ("comma.json", b"{\"job.queue.name\": \"q\",}".to_vec()),
        ("no-tasks.json", b"{\"job.queue.name\": \"q\"}".to_vec()),
        ("no-duration.json", sls("\"container.type\": \"map\"").into_bytes()),
        ("execution.json", sls("\"duration.ms\": 1, \"container.execution.type\": \"MAYBE\"").into_bytes()),
        ("memory.json", sls("\"duration.ms\": 1, \"container.memory-mb\": \"1 GB\"").into_bytes()),
        ("nodes.json", b"{\"num.nodes\": \"many\"}".to_vec()),
        ("job-id.rumen.json", rumen("\"submitTime\": 1").replace("job_1_1", "first").into_bytes()),
        (
            "no-host.rumen.json",
            rumen("\"mapTasks\": [{\"attempts\": [{\"startTime\": 5, \"finishTime\": 6}]}]").into_bytes(),
        ),
        ("no-workloads.synth.json", b"{\"num_jobs\": 1}".to_vec()),
        ("five-fields.tsv", b"job0\t1\t1\t2\t3\n".to_vec()),
        ("letters.tsv", b"job0\t1\t1\t2\t3\t4\njob1\t2\tsoon\t2\t3\t4\n".to_vec()),
        ("job-events.csv", b"600000000,,1,0,ann,2,name,logical\n".to_vec()),
        ("missing-field.google.csv", google(&["600000001,,1,0,7,1,ann,2,2,0.1,0.1,0.1"]).into_bytes()),
        ("event-type.google.csv", google(&["600000001,,1,0,7,9,ann,2,2,0.1,0.1,0.1,0"]).into_bytes()),
        ("no-job.google.csv", google(&["600000001,,,0,7,1,ann,2,2,0.1,0.1,0.1,0"]).into_bytes()),
        ("cpu.google.csv", google(&["600000001,,1,0,7,1,ann,2,2,-0.5,0.1,0.1,0"]).into_bytes()),
        ("type.google2019.csv", format!("{GOOGLE_2019}1,STARTED,7,0,0.1,0.1\n").into_bytes()),
        ("columns.google2019.csv", b"time,type,collection_id,machine_id\n".to_vec()),
        ("fields.google2019.csv", format!("{GOOGLE_2019}1,SUBMIT,7,0,0.1\n").into_bytes()),
        ("instances.alibaba.csv", b"i,M1,j_1,1,Terminated,1,2,m_1,1,1,100,100,0.4,0.4\n".to_vec()),
        ("order.alibaba.csv", format!("{ALIBABA}M1,three,j_2,1,Terminated,87076,87090,100,0.39\n").into_bytes()),
        ("time.alibaba.csv", format!("{ALIBABA}M1,3,j_2,1,Terminated,87076.5,87090,100,0.39\n").into_bytes()),
        ("unknown.csv", b"when,who,what\n1,ann,map\n".to_vec()),
        ("no-duration.csv", b"job,submit_ms\nj1,0\n".to_vec()),
        ("fields.csv", format!("{PLAIN}j1,0,1000,1,\n").into_bytes()),
        ("duration.csv", format!("{PLAIN}j1,0,1000,1,,\nj1,0,0,1,,\n").into_bytes()),
        ("count.csv", format!("{PLAIN}j1,0,1000,4294967296,,\n").into_bytes()),
        ("host.csv", format!("{PLAIN}j\u{e9},0,1000,1,node7,\n").into_bytes()),
        ("type.csv", format!("{PLAIN}j1,0,1000,1,,spark\n").into_bytes()),
        ("quote.csv", format!("{PLAIN}\"j\"\"1\"x,0,1000,1,,\n").into_bytes()),
        ("bytes.csv", [PLAIN.as_bytes(), b"j1,0,1000,\xff,,\n"].concat()),
    ]
}

const CHANGES: &str = "time_s,event,node,rack,memory_mb,vcores\n";

fn broken_changes() -> Vec<(&'static str, String)> {
    vec![
        ("events-empty.csv", String::new()),
        ("events-header.csv", "3600,lose,node7,,,\n".to_owned()),
        ("events-event.csv", format!("{CHANGES}1,kill,node7,,,\n")),
        ("events-order.csv", format!("{CHANGES}2,lose,node7,,,\n1,back,node7,,,\n")),
        ("events-neither.csv", format!("{CHANGES}1,lose,,,,\n")),
        ("events-rack.csv", format!("{CHANGES}1,add,node7,,,\n")),
        ("events-size.csv", format!("{CHANGES}1,resize,node7,,,\n")),
        ("events-memory.csv", format!("{CHANGES}1,resize,node7,,8 GB,\n")),
    ]
}

/// The first thing that is said of a trace.
fn said(name: &str, bytes: Vec<u8>) -> String {
    let trace = match Trace::read(Cursor::new(bytes), name, &TraceOptions::default()) {
        Ok(trace) => trace,
        Err(error) => return error.to_string(),
    };
    for item in trace {
        match item {
            Err(error) => return error.to_string(),
            Ok(Item::Refused(refusal)) => {
                let at = refusal.at;
                return format!("{name}:{}:{}: refused: {}; {}", at.line, at.column, refusal.problem, refusal.help);
            }
            Ok(Item::Job(_) | Item::Node(_)) => {}
        }
    }
    format!("{name}: nothing is wrong")
}

#[test]
fn what_is_said_of_broken_files() {
    let mut text = String::new();
    for (name, bytes) in broken() {
        text += &format!("{}\n", said(name, bytes));
    }
    for (name, changes) in broken_changes() {
        let read = read_node_changes(Cursor::new(changes.into_bytes()), name);
        text += &format!("{}\n", read.map_or_else(|error| error.to_string(), |_| format!("{name}: nothing is wrong")));
    }
    let nodes = read_node_file(Cursor::new(b"{\"rack\": \"r\", \"nodes\": [{}]}".to_vec()), "nodes.json");
    text += &format!("{}\n", nodes.unwrap_err());
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/traces/broken.expected.txt");
    if std::env::var_os("EVENWEAVE_BLESS").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let expected = std::fs::read_to_string(path).unwrap();
    for (said, expected) in text.lines().zip(expected.lines()) {
        assert_eq!(said, expected);
    }
    assert_eq!(text.lines().count(), expected.lines().count());
    assert!(!text.contains("nothing is wrong"), "{text}");
}
