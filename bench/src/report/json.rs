//! The load's figures as one JSON object.

use serde_json::{Value, json};

use crate::latency::Percentiles;
use crate::load::{CoreRun, LoadResult};
use crate::replay::Tally;

fn percentiles(histogram: &hdrhistogram::Histogram<u64>) -> Value {
    let p = Percentiles::of(histogram);
    json!({"n": p.n, "p50": p.p50, "p99": p.p99, "p999": p.p999, "max": p.max})
}

fn core_name(run: &CoreRun) -> &'static str {
    match run.core {
        crate::cli::CoreChoice::Threaded => "threaded",
        crate::cli::CoreChoice::Locked => "locked",
    }
}

/// One object with every figure; `ratio_to_locked` is null when only one core was driven.
pub(crate) fn load_json(result: &LoadResult, replayed: Option<Tally>) -> Value {
    let run = &result.main;
    let queues: Vec<Value> = run
        .queues
        .iter()
        .map(|queue| {
            json!({
                "name": queue.name, "leaf": queue.leaf, "policy": queue.policy,
                "fair_share_mb": queue.share_mib, "usage_mb": queue.usage_mib, "deviation": queue.deviation(),
            })
        })
        .collect();
    let differences: Vec<String> = run.differences.iter().map(ToString::to_string).collect();
    let samples: Vec<Value> = run
        .samples
        .iter()
        .map(|sample| json!({"s": sample.at, "utilisation": sample.utilisation, "granted": sample.granted}))
        .collect();
    json!({
        "core": core_name(run),
        "utilisation": run.utilisation,
        "allocations_per_s": run.allocations_per_s,
        "jobs_per_s": run.jobs_per_s,
        "heartbeats_per_s": run.heartbeats_per_s,
        "granted": run.granted,
        "completed": run.completed,
        "running": run.running,
        "lost": run.lost,
        "books_balance": run.differences.is_empty(),
        "reloads": run.reloads.as_ref().map(|reloads| json!({
            "count": reloads.take.len(), "read_us": percentiles(&reloads.read), "take_us": percentiles(&reloads.take),
        })),
        "differences": differences,
        "enqueue_us": percentiles(&run.enqueue),
        "service_us": percentiles(&run.service),
        "grant_us": percentiles(&run.grant),
        "allocate_us": percentiles(&run.allocate),
        "submit_us": percentiles(&run.submit),
        "snapshot_age_ms": run.snapshot_age_ms,
        "workers": result.workers,
        "nodes": result.nodes,
        "seconds": run.seconds,
        "ramp_up_seconds": run.ramp_up,
        "driver_cpu": run.driver_cpu,
        "jobs_finished": run.jobs_finished,
        "jobs_in_flight": run.jobs_in_flight,
        "heartbeats_skipped": run.heartbeats_skipped,
        "heartbeats_pushed_back": run.heartbeats_pushed_back,
        "ratio_to_locked": result.ratio_to_locked(),
        "locked_allocations_per_s": result.locked.as_ref().map(|run| run.allocations_per_s),
        "decisions_identical": replayed.map(|tally| json!({"scenarios": tally.total(), "identical": tally.passed})),
        "interrupted": result.interrupted,
        "peak_resident_mib": crate::clock::peak_resident_mib(),
        "trace": result.trace_name,
        "queues_file": result.queues_name,
        "queues": queues,
        "samples": samples,
    })
}
