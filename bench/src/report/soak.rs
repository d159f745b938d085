//! A soak's report: the page, the lines for the terminal, the JSON object.

use std::path::Path;

use evenweave_tools::Failure;
use evenweave_tools::numbers::{grouped, micros};
use evenweave_tools::report::markup::{document, escape, put, section};
use evenweave_tools::report::plots::{COLOURS, Line, over_time};
use evenweave_tools::report::table;
use evenweave_tools::whole_files::write_whole;
use serde_json::{Value, json};

use crate::soak::{Point, SoakResult};

fn line(name: &str, colour: usize, points: &[Point], value: impl Fn(&Point) -> f64) -> Line {
    let points = points.iter().map(|point| (point.at, value(point))).collect();
    Line { name: name.to_owned(), colour: COLOURS[colour], dashed: false, points }
}

/// Whether everything is as it should be, in words.
fn verdicts(result: &SoakResult) -> [(bool, String); 3] {
    let memory = match (result.resident_kib, result.memory_ratio()) {
        (Some((first, last)), Some(ratio)) => format!(
            "resident memory: {} MiB after {:.0} s, {} MiB at the end, {ratio:.3} times (1.1 at most)",
            grouped(first as f64 / 1024.0),
            result.first_part,
            grouped(last as f64 / 1024.0),
        ),
        _ => "resident memory: not known here".to_owned(),
    };
    [
        (
            result.balanced(),
            format!(
                "books: compared {} times, {} containers lost, {} differences",
                grouped(result.checks as f64),
                result.lost,
                result.differences.len()
            ),
        ),
        (
            true,
            format!(
                "no call hung: the longest was {}, {:.0} ms (5 s at most)",
                result.longest_call, result.longest_call_ms
            ),
        ),
        (result.memory_stayed(), memory),
    ]
}

fn head(result: &SoakResult) -> String {
    format!(
        "{} nodes{}, {} worker{}, {:.0} s{}, queues of {}; seed {}",
        grouped(f64::from(result.nodes)),
        crate::load::NODE_WORDS,
        result.workers,
        if result.workers == 1 { "" } else { "s" },
        result.seconds,
        if result.interrupted { " (interrupted)" } else { "" },
        result.queues_name,
        result.seed,
    )
}

fn counts(result: &SoakResult) -> String {
    format!(
        "granted {}, ended {}, of these {} lost with their nodes and asked for again; {} applications finished",
        grouped(result.granted as f64),
        grouped(result.ended as f64),
        grouped(result.lost_with_nodes as f64),
        grouped(result.apps_finished as f64),
    )
}

/// Writes the page, whole or not at all.
///
/// # Errors
/// What the file system says.
pub fn write_soak(result: &SoakResult, path: &Path) -> Result<(), Failure> {
    write_whole(path, &page(result)).map_err(|error| Failure::input(format!("report {}: {error}", path.display())))
}

fn page(result: &SoakResult) -> String {
    let (mut body, points) = (String::new(), &result.points);
    put(&mut body, format_args!("<h1>evenweave soak report</h1>\n<p class=\"lead\">{}.</p>\n", escape(&head(result))));
    for (good, text) in verdicts(result) {
        let class = if good { "good" } else { "bad" };
        put(&mut body, format_args!("<p class=\"{class}\">{}</p>\n", escape(&text)));
    }
    put(&mut body, format_args!("<p>{}.</p>\n", counts(result)));
    let draw = |label: &str, unit: &str, lines: &[Line]| over_time(label, unit, result.seconds, lines, None, &[]);
    let memory = [line("resident memory", 0, points, |point| point.resident_kib as f64 / 1024.0)];
    section(
        &mut body,
        "Memory",
        "What the whole program has resident, the load's own books included.",
        &draw("resident memory over time", "resident (MiB)", &memory),
    );
    let latency = |name: &str, of: fn(&Point) -> [f64; 3]| {
        ["median", "99 of 100", "longest"]
            .map(|which| format!("{name}, {which}"))
            .into_iter()
            .enumerate()
            .map(move |(at, name)| line(&name, at, points, |point| of(point)[at] / 1e3))
    };
    let lines: Vec<Line> = latency("allocate", |point| point.allocate_us).collect();
    section(
        &mut body,
        "Calls of AMs",
        "One allocate call.",
        &draw("allocate latency over time", "latency (ms)", &lines),
    );
    let lines: Vec<Line> = latency("heartbeats", |point| point.heartbeats_us).collect();
    let note = "The call that hands a batch of heartbeats over.";
    section(&mut body, "Heartbeats", note, &draw("heartbeat latency over time", "latency (ms)", &lines));
    let grants = [line("containers granted per second", 2, points, |point| point.grants_per_s)];
    section(&mut body, "Grants", "By the scheduler's own count.", &draw("grants over time", "grants/s", &grants));
    let age = [line("age of the shares", 4, points, |point| point.snapshot_age_ms as f64)];
    let note = "How old the shares are that is decided by; a stalled update and a clock that jumps show here.";
    section(&mut body, "Age of the snapshot", note, &draw("snapshot age over time", "age (ms)", &age));
    if let Some(faults) = &result.faults {
        body.push_str("<h2>Faults</h2>\n<table><tr><th>fault</th><th>times</th></tr>\n");
        for (kind, times) in faults {
            put(&mut body, format_args!("<tr><td>{}</td><td>{}</td></tr>\n", kind.name(), grouped(*times as f64)));
        }
        body.push_str("</table>\n");
    }
    if !result.differences.is_empty() {
        body.push_str("<h2>Differences</h2>\n<ul class=\"bad\">\n");
        for difference in &result.differences {
            put(&mut body, format_args!("<li>{}</li>\n", escape(difference)));
        }
        body.push_str("</ul>\n");
    }
    document("evenweave soak report", &body)
}

/// Prints everything.
pub fn print_soak(result: &SoakResult, report: &Path) {
    evenweave_tools::output::say!("soak: {}", head(result));
    if let Some(faults) = &result.faults {
        let mut table = table(&["fault", "times"]);
        for (kind, times) in faults {
            table.add_row(vec![kind.name().to_owned(), grouped(*times as f64)]);
        }
        evenweave_tools::output::say!("{table}");
    }
    evenweave_tools::output::say!("{}", counts(result));
    if let Some(last) = result.points.last() {
        let [median, nines, _] = last.allocate_us;
        evenweave_tools::output::say!("allocate at the end: median {}, 99 of 100 {}", micros(median), micros(nines));
    }
    for (good, text) in verdicts(result) {
        evenweave_tools::output::say!("{} {text}", if good { "ok  " } else { "BAD " });
    }
    for difference in &result.differences {
        evenweave_tools::output::say!("  {difference}");
    }
    evenweave_tools::output::say!("report: {}", report.display());
}

/// The result as one JSON object.
#[must_use]
pub fn soak_json(result: &SoakResult) -> Value {
    let faults = result.faults.as_ref().map(|faults| {
        faults.iter().map(|(kind, times)| (kind.name().to_owned(), json!(times))).collect::<serde_json::Map<_, _>>()
    });
    let point = |point: &Point| {
        json!({
            "at_s": point.at,
            "resident_kib": point.resident_kib,
            "grants_per_s": point.grants_per_s,
            "running": point.running,
            "snapshot_age_ms": point.snapshot_age_ms,
            "allocate_us": point.allocate_us,
            "heartbeats_us": point.heartbeats_us,
        })
    };
    json!({
        "soak_s": result.seconds,
        "interrupted": result.interrupted,
        "nodes": result.nodes,
        "workers": result.workers,
        "seed": result.seed,
        "faults": faults,
        "granted": result.granted,
        "ended": result.ended,
        "lost_with_nodes": result.lost_with_nodes,
        "apps_finished": result.apps_finished,
        "checks": result.checks,
        "lost": result.lost,
        "differences": result.differences,
        "longest_call": {"call": result.longest_call, "ms": result.longest_call_ms},
        "resident_kib": result.resident_kib.map(|(first, last)| json!({"after_first_part": first, "at_end": last})),
        "memory_ratio": result.memory_ratio(),
        "points": result.points.iter().map(point).collect::<Vec<_>>(),
    })
}
