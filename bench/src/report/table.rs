//! The load's figures for the terminal.

use std::path::Path;

use comfy_table::Table;
use evenweave_tools::numbers::{grouped, micros};
use evenweave_tools::replay::Tally;
use evenweave_tools::report::table;
use evenweave_tools::reservation_results::BookedCourse;

use super::story;
use crate::latency::Percentiles;
use crate::load::{CoreRun, LoadResult, Reloads, Story};
use crate::options::CoreChoice;

fn figures(result: &LoadResult) -> Table {
    let runs: Vec<&CoreRun> = std::iter::once(&result.main).chain(&result.locked).collect();
    let mut header = vec!["after ramp-up"];
    header.extend(runs.iter().map(|run| match run.core {
        CoreChoice::Threaded => "evenweave",
        CoreChoice::Locked => "locked twin",
    }));
    let mut table = table(&header);
    let mut row = |name: &str, of: &dyn Fn(&CoreRun) -> String| {
        table.add_row(std::iter::once(name.to_owned()).chain(runs.iter().map(|run| of(run))).collect::<Vec<_>>());
    };
    row("utilisation", &|run| format!("{:.1} %", run.utilisation * 100.0));
    row("allocations/s", &|run| grouped(run.allocations_per_s));
    row("jobs/s", &|run| grouped(run.jobs_per_s));
    row("heartbeats/s", &|run| grouped(run.heartbeats_per_s));
    row("heartbeats left out", &|run| grouped(run.heartbeats_skipped as f64));
    row("jobs in flight, most", &|run| grouped(run.jobs_in_flight as f64));
    if result.speed.is_some() {
        row("jobs submitted late, most", &|run| micros(run.submitted_late_ns.unwrap_or(0) as f64 / 1e3));
    }
    row("snapshot age, most", &|run| format!("{} ms", run.snapshot_age_ms));
    row("driver's part of a core", &|run| format!("{:.0} %", run.driver_cpu * 100.0));
    row("driven for", &|run| format!("{:.1} s", run.seconds));
    table
}

fn latencies(run: &CoreRun) -> Table {
    let mut table = table(&["latency", "p50", "p99", "p99.9", "max"]);
    for (name, histogram) in [
        ("enqueue", &run.enqueue),
        ("service", &run.service),
        ("grant", &run.grant),
        ("allocate", &run.allocate),
        ("submit", &run.submit),
    ] {
        let p = Percentiles::of(histogram);
        table.add_row([name.to_owned(), micros(p.p50), micros(p.p99), micros(p.p999), micros(p.max)]);
    }
    table
}

fn reloads(reloads: &Reloads) -> String {
    let [read, take] = [&reloads.read, &reloads.take].map(Percentiles::of);
    format!(
        "reloads under load: {}; read in {} (p50), {} (most); in force after {} (p50), {} (most) more",
        take.n,
        micros(read.p50),
        micros(read.max),
        micros(take.p50),
        micros(take.max)
    )
}

fn queues(run: &CoreRun) -> Table {
    const SHOWN: usize = 40;
    let mut table = table(&["queue", "policy", "share GiB", "usage GiB", "deviation"]);
    for queue in run.queues.iter().take(SHOWN) {
        table.add_row([
            evenweave_tools::output::line(&queue.name).into_owned(),
            evenweave_tools::output::line(&queue.policy).into_owned(),
            grouped(queue.share_mib / 1024.0),
            grouped(queue.usage_mib / 1024.0),
            format!("{:+.1} %", queue.deviation() * 100.0),
        ]);
    }
    if run.queues.len() > SHOWN {
        table.add_row([format!("… {} more", run.queues.len() - SHOWN)]);
    }
    table
}

fn partitions(run: &CoreRun) -> Table {
    let mut table = table(&["nodes of", "nodes", "utilisation", "allocations/s", "granted", "running"]);
    for line in &run.partitions {
        table.add_row([
            line.named(),
            grouped(line.nodes as f64),
            format!("{:.1} %", line.utilisation * 100.0),
            grouped(line.allocations_per_s),
            grouped(line.granted as f64),
            grouped(line.running as f64),
        ]);
    }
    table
}

/// What came of a queue that comes late.
fn preemption(told: &Story) {
    let mut events = table(&["event", "at", "after the arrival"]);
    for event in story::events(told) {
        events.add_row([event.what.to_owned(), story::second(event.at), story::after_arrival(told, event.at)]);
    }
    evenweave_tools::output::say!("{events}");
    if let Some(missing) = story::shortfall(told) {
        evenweave_tools::output::say!("{missing}");
    }
    evenweave_tools::output::say!("{}", story::cost(told));
    let mut parts = table(&["part of the run", "from, to", "others' tasks done/s", "heartbeats/s"]);
    for row in story::parts(told) {
        parts.add_row(row);
    }
    evenweave_tools::output::say!("{parts}");
}

/// Prints everything.
pub fn print_load(result: &LoadResult, replayed: Option<Tally>, report: &Path) {
    let run = &result.main;
    let speed = result.speed.map(|speed| format!(" at {speed} speed")).unwrap_or_default();
    let cut = if result.interrupted { ", interrupted" } else { "" };
    evenweave_tools::output::say!(
        "{} nodes{}, {} worker{}, jobs of {}{speed}, queues of {}{cut}",
        grouped(f64::from(result.nodes)),
        crate::load::NODE_WORDS,
        result.workers,
        if result.workers == 1 { "" } else { "s" },
        result.trace_name,
        result.queues_name
    );
    evenweave_tools::output::say!("{}", figures(result));
    if let Some(said) = run.overload() {
        evenweave_tools::output::say!("WARNING: {said}");
    }
    if let Some(told) = &run.story {
        preemption(told);
    }
    if let Some(ratio) = result.ratio_to_locked() {
        evenweave_tools::output::say!(
            "{ratio:.1} times the allocations of the locked twin (the same decision code behind one mutex, children \
             sorted anew for each container: our reconstruction of the classic design, not Hadoop)"
        );
    }
    if !run.partitions.is_empty() {
        evenweave_tools::output::say!("{}", partitions(run));
    }
    evenweave_tools::output::say!("{}", latencies(run));
    if let Some(done) = &run.reloads {
        evenweave_tools::output::say!("{}", reloads(done));
    }
    evenweave_tools::output::say!("{}", queues(run));
    if run.refused_jobs.count > 0 {
        evenweave_tools::output::say!(
            "refused: {} jobs; the first: {}",
            run.refused_jobs.count,
            evenweave_tools::output::line(&run.refused_jobs.first)
        );
    }
    for line in run.booked.iter().flat_map(BookedCourse::words) {
        evenweave_tools::output::say!("{line}");
    }
    evenweave_tools::output::say!(
        "books: granted {}, completed {}, running {}, lost {}",
        grouped(run.granted as f64),
        grouped(run.completed as f64),
        grouped(run.running as f64),
        run.lost
    );
    for (name, differences) in std::iter::once(("", &run.differences))
        .chain(result.locked.as_ref().map(|locked| ("locked twin: ", &locked.differences)))
    {
        for difference in differences {
            evenweave_tools::output::say!("  {name}{difference}");
        }
    }
    if result.balanced() {
        let labels = if run.partitions.is_empty() { "" } else { ", by node label too" };
        evenweave_tools::output::say!(
            "books balance: node room, queue usage, application usage and outstanding asks agree{labels}"
        );
    } else {
        evenweave_tools::output::say!("BOOKS DO NOT BALANCE");
    }
    if let Some(tally) = replayed {
        evenweave_tools::output::say!(
            "self-test after the run: {} of {} bundled recordings of Hadoop decided identically",
            tally.passed,
            tally.total()
        );
    }
    evenweave_tools::output::say!("peak resident: {} MiB", grouped(evenweave_tools::clock::peak_resident_mib() as f64));
    evenweave_tools::output::say!("report: {}", report.display());
    evenweave_tools::output::say!("");
    evenweave_tools::output::say!("next:");
    evenweave_tools::output::say!(
        "  cargo run --release -- load --task-seconds 0.5   half the life, twice the allocations"
    );
    evenweave_tools::output::say!("  cargo run --release -- load --nodes 20000 --workers 2");
    evenweave_tools::output::say!("  cargo run --release -- bench W2 --size M");
}
