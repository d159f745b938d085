//! The report of a load: one HTML file, everything in it, nothing fetched.

use std::path::Path;

use evenweave_tools::Failure;
use evenweave_tools::numbers::{grouped, micros};
use evenweave_tools::replay::Tally;
use evenweave_tools::report::markup::{document, escape, put, section};
use evenweave_tools::report::plans::put_plans;
use evenweave_tools::report::plots::{COLOURS, Line, latencies, over_time};
use evenweave_tools::whole_files::write_whole;

use super::story;
use crate::latency::Percentiles;
use crate::load::{CoreRun, LoadResult, NODE, PartitionLine, Sample, Story};
use crate::options::CoreChoice;

/// Writes the report, whole or not at all.
///
/// # Errors
/// What the file system says.
pub fn write_report(result: &LoadResult, replayed: Option<Tally>, path: &Path) -> Result<(), Failure> {
    write_whole(path, &page(result, replayed))
        .map_err(|error| Failure::input(format!("report {}: {error}", path.display())))
}

fn page(result: &LoadResult, replayed: Option<Tally>) -> String {
    let (run, due) = (&result.main, result.scheduler.due());
    let mut body = String::new();
    heading(&mut body, result);
    figures(&mut body, result, replayed);
    if let Some(story) = &run.story {
        preemption(&mut body, run, story);
    }
    section(
        &mut body,
        "How full the cluster was",
        "Allocated over total, as the scheduler sees it; a mean over each half second.",
        &over_time("utilisation over time", "utilisation (%)", run.seconds, &utilisation(result), Some(105.0), &[]),
    );
    if !run.partitions.is_empty() {
        section(
            &mut body,
            "Node labels",
            "Allocated over total on the nodes of each label. Nodes of a shared label also run what asked for no label.",
            &over_time("utilisation by node label", "utilisation (%)", run.seconds, &by_label(run), Some(105.0), &[]),
        );
        partition_table(&mut body, run);
    }
    section(
        &mut body,
        "Allocations per second",
        "Containers granted, by the scheduler's own count.",
        &over_time("allocations per second over time", "allocations/s", run.seconds, &rates(result), None, &[]),
    );
    section(
        &mut body,
        &format!("Usage against {due}"),
        &format!("Each top-level queue: what its applications hold (solid) and its {due} (dashed), in memory."),
        &over_time(
            &format!("usage and {due} of each top-level queue"),
            "memory (TiB)",
            run.seconds,
            &shares(run),
            None,
            &[],
        ),
    );
    if let Some(course) = &run.booked {
        put_plans(&mut body, &result.queues_name, course, run.seconds);
    }
    section(
        &mut body,
        "Latencies",
        "enqueue: the call that hands a batch of heartbeats over. service: a worker takes a heartbeat, to its last \
         grant. grant: the call, to the moment when all of the heartbeat's grants can be fetched; waiting included. \
         allocate: one call of an ApplicationMaster.",
        &latencies("latency by percentile", &named(run)),
    );
    latency_table(&mut body, run);
    queue_table(&mut body, run, due);
    books(&mut body, result);
    document("evenweave load report", &body)
}

fn heading(body: &mut String, result: &LoadResult) {
    let run = &result.main;
    put(
        body,
        format_args!(
            "<h1>evenweave load report</h1>\n<p class=\"lead\">{} nodes of 128 GiB and 64 vcores, {} worker{}, {:.0} s{}. \
             Jobs: {} ({} jobs, {}). Queues: {}. Figures are means after {:.1} s of ramp-up.</p>\n",
            grouped(f64::from(result.nodes)),
            result.workers,
            if result.workers == 1 { "" } else { "s" },
            run.seconds,
            if result.interrupted { " (interrupted)" } else { "" },
            escape(&result.trace_name),
            grouped(result.jobs_of_trace as f64),
            match result.speed {
                Some(speed) => format!("at the times of the trace, {speed} speed"),
                None => "round and round".to_owned(),
            },
            escape(&result.queues_name),
            run.ramp_up,
        ),
    );
}

fn figures(body: &mut String, result: &LoadResult, replayed: Option<Tally>) {
    let run = &result.main;
    let mut cards = vec![
        (format!("{:.1} %", run.utilisation * 100.0), "utilisation".to_owned()),
        (grouped(run.allocations_per_s), "allocations/s".to_owned()),
        (grouped(run.jobs_per_s), "jobs/s".to_owned()),
        (grouped(run.heartbeats_per_s), "heartbeats/s".to_owned()),
        (run.lost.to_string(), "containers lost".to_owned()),
    ];
    if let Some(ratio) = result.ratio_to_locked() {
        cards.push((format!("{ratio:.1} ×"), "the locked twin's allocations/s".to_owned()));
    }
    if let Some(tally) = replayed {
        let figure = format!("{}/{}", tally.passed, tally.total());
        cards.push((figure, "self-test: recordings decided as by Hadoop".to_owned()));
    }
    body.push_str("<div class=\"figures\">");
    for (figure, name) in cards {
        put(body, format_args!("<div><b>{figure}</b><span>{name}</span></div>"));
    }
    body.push_str("</div>\n");
    if let Some(said) = run.overload() {
        put(body, format_args!("<p class=\"bad\">Attention: {}.</p>\n", escape(&said)));
    }
}

/// The part of a load with preemption: when what happened, drawn and as tables.
fn preemption(body: &mut String, run: &CoreRun, told: &Story) {
    let marks = story::marks(told);
    let plot = |label: &str, unit: &str, lines: &[Line]| over_time(label, unit, run.seconds, lines, None, &marks);
    section(
        body,
        "A queue comes late",
        "Usage (solid) and instantaneous fair share (dashed) of the queue that comes late and of all others together. What is \
         taken goes to the starved applications first; between the warning and the kill the others go on.",
        &plot("usage and fair share of the late queue and of the others", "memory (TiB)", &story::usage(told)),
    );
    body.push_str("<table><tr><th>event</th><th>at</th><th>after the arrival</th><th>what it is</th></tr>");
    for event in story::events(told) {
        let after = story::after_arrival(told, event.at);
        let at = story::second(event.at);
        let (what, note) = (event.what, escape(&event.note));
        put(body, format_args!("<tr><td>{what}</td><td>{at}</td><td>{after}</td><td class=\"text\">{note}</td></tr>"));
    }
    body.push_str("</table>\n");
    if let Some(missing) = story::shortfall(told) {
        put(body, format_args!("<p class=\"bad\">{missing}</p>\n"));
    }
    section(
        body,
        "Warned and taken",
        "Containers, as their ApplicationMasters are told.",
        &plot("containers warned of, killed and given back", "containers", &story::containers(told)),
    );
    put(body, format_args!("<p class=\"note\">In all: {}.</p>\n", story::cost(told)));
    section(
        body,
        "What the others got done",
        "Tasks of the other queues that came to their end. Afterwards they have less of the cluster, so less is done.",
        &plot("tasks of the other queues done in a second", "tasks/s", &story::throughput(told)),
    );
    body.push_str(
        "<table><tr><th>part of the run</th><th>from, to</th><th>others' tasks done/s</th><th>heartbeats/s</th></tr>",
    );
    for row in story::parts(told) {
        put(body, format_args!("<tr>{}</tr>", row.map(|cell| format!("<td>{cell}</td>")).concat()));
    }
    body.push_str("</table>\n");
}

fn core_name(run: &CoreRun) -> &'static str {
    match run.core {
        CoreChoice::Threaded => "evenweave",
        CoreChoice::Locked => "locked twin",
    }
}

/// Both cores' runs, the main one first, each with a colour.
fn runs(result: &LoadResult) -> impl Iterator<Item = (&CoreRun, plotters::style::RGBColor)> {
    std::iter::once(&result.main).chain(&result.locked).zip([COLOURS[0], COLOURS[7]])
}

fn utilisation(result: &LoadResult) -> Vec<Line> {
    let line = |(run, colour): (&CoreRun, _)| Line {
        name: core_name(run).to_owned(),
        colour,
        dashed: false,
        points: run.samples.iter().map(|sample| (sample.at, sample.utilisation * 100.0)).collect(),
    };
    runs(result).map(line).collect()
}

fn by_label(run: &CoreRun) -> Vec<Line> {
    let line = |((at, partition), colour): ((usize, &PartitionLine), _)| {
        let total = (NODE.memory_mb() as f64 * partition.nodes as f64).max(1.0);
        let part = |sample: &Sample| {
            let (usage, _) = sample.partitions.get(at)?;
            Some((sample.at, *usage as f64 / total * 100.0))
        };
        let points = run.samples.iter().filter_map(part).collect();
        Line { name: partition.named(), colour, dashed: false, points }
    };
    run.partitions.iter().enumerate().zip(COLOURS.iter().copied().cycle()).map(line).collect()
}

fn partition_table(body: &mut String, run: &CoreRun) {
    body.push_str("<table><tr><th>nodes of</th><th>nodes</th><th>utilisation</th><th>allocations/s</th>");
    body.push_str("<th>granted</th><th>running</th></tr>");
    for line in &run.partitions {
        put(
            body,
            format_args!(
                "<tr><td>{}</td><td>{}</td><td>{:.1} %</td><td>{}</td><td>{}</td><td>{}</td></tr>",
                escape(&line.named()),
                grouped(line.nodes as f64),
                line.utilisation * 100.0,
                grouped(line.allocations_per_s),
                grouped(line.granted as f64),
                grouped(line.running as f64)
            ),
        );
    }
    body.push_str("</table>\n");
}

fn rates(result: &LoadResult) -> Vec<Line> {
    let line = |(run, colour): (&CoreRun, _)| {
        let rate = |pair: &[Sample]| {
            (pair[1].at, (pair[1].granted - pair[0].granted) as f64 / (pair[1].at - pair[0].at).max(1e-3))
        };
        let points = run.samples.windows(2).map(rate).collect();
        Line { name: core_name(run).to_owned(), colour, dashed: false, points }
    };
    runs(result).map(line).collect()
}

/// `root.x`, and not what is below it.
fn is_top_level(name: &str) -> bool {
    name.strip_prefix("root.").is_some_and(|rest| !rest.contains('.'))
}

fn shares(run: &CoreRun) -> Vec<Line> {
    const MIB_A_TIB: f64 = 1024.0 * 1024.0;
    let mut lines = Vec::new();
    let top = run.queues.iter().enumerate().filter(|(_, queue)| is_top_level(&queue.name));
    for ((index, queue), colour) in top.zip(COLOURS) {
        let points = |of: fn((i64, i64)) -> i64| {
            let at = |sample: &Sample| sample.queues.get(index).map(|pair| (sample.at, of(*pair) as f64 / MIB_A_TIB));
            run.samples.iter().filter_map(at).collect()
        };
        let name = queue.name.clone();
        lines.push(Line { name: format!("{name} usage"), colour, dashed: false, points: points(|pair| pair.0) });
        lines.push(Line { name: format!("{name} share"), colour, dashed: true, points: points(|pair| pair.1) });
    }
    lines
}

fn named(run: &CoreRun) -> [(&'static str, &hdrhistogram::Histogram<u64>); 4] {
    [("enqueue", &run.enqueue), ("service", &run.service), ("grant", &run.grant), ("allocate", &run.allocate)]
}

fn latency_table(body: &mut String, run: &CoreRun) {
    body.push_str("<table><tr><th>latency</th><th>timed</th><th>p50</th><th>p99</th><th>p99.9</th><th>max</th></tr>");
    for (name, histogram) in named(run) {
        let p = Percentiles::of(histogram);
        let cells = [p.p50, p.p99, p.p999, p.max].map(|us| format!("<td>{}</td>", micros(us))).concat();
        put(body, format_args!("<tr><td>{name}</td><td>{}</td>{cells}</tr>", grouped(p.n as f64)));
    }
    body.push_str("</table>\n");
}

fn queue_table(body: &mut String, run: &CoreRun, due: &str) {
    body.push_str("<h2>Queues</h2>\n<p class=\"note\">Means after ramp-up, memory.</p>\n<table><tr><th>queue</th>");
    put(body, format_args!("<th>policy</th><th>{due} (GiB)</th><th>usage (GiB)</th><th>deviation</th></tr>"));
    for queue in &run.queues {
        put(
            body,
            format_args!(
                "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{:+.1} %</td></tr>",
                escape(&queue.name),
                escape(&queue.policy),
                grouped(queue.share_mib / 1024.0),
                grouped(queue.usage_mib / 1024.0),
                queue.deviation() * 100.0
            ),
        );
    }
    body.push_str("</table>\n");
}

fn books(body: &mut String, result: &LoadResult) {
    let run = &result.main;
    put(
        body,
        format_args!(
            "<h2>Books</h2>\n<p>Granted {}, completed {}, running {}, lost {}; jobs finished {}; heartbeats left out {}, \
             offered again {}; oldest snapshot {} ms.</p>\n",
            grouped(run.granted as f64),
            grouped(run.completed as f64),
            grouped(run.running as f64),
            run.lost,
            grouped(run.jobs_finished as f64),
            grouped(run.heartbeats_skipped as f64),
            grouped(run.heartbeats_pushed_back as f64),
            run.snapshot_age_ms
        ),
    );
    if result.balanced() {
        body.push_str(
            "<p class=\"good\">Everything counted outside the scheduler agrees with it: node room, queue usage, \
             application usage, outstanding asks.</p>\n",
        );
        return;
    }
    body.push_str("<p class=\"bad\">The books do not balance:</p><ul>");
    for difference in run.differences.iter().chain(result.locked.iter().flat_map(|locked| &locked.differences)) {
        put(body, format_args!("<li>{}</li>", escape(&difference.to_string())));
    }
    body.push_str("</ul>\n");
}
