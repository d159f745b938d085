//! The load's figures as one JSON object.

use evenweave_tools::replay::Tally;
use evenweave_tools::reservation_results::BookedCourse;
use serde_json::{Value, json};

use crate::latency::Percentiles;
use crate::load::{CoreRun, LoadResult, PartitionLine, Point, Rates, Speed, Story};
use crate::options::CoreChoice;

fn percentiles(histogram: &hdrhistogram::Histogram<u64>) -> Value {
    let p = Percentiles::of(histogram);
    json!({"n": p.n, "p50": p.p50, "p99": p.p99, "p999": p.p999, "max": p.max})
}

fn core_name(run: &CoreRun) -> &'static str {
    match run.core {
        CoreChoice::Threaded => "threaded",
        CoreChoice::Locked => "locked",
    }
}

fn story(story: &Story) -> Value {
    let late = &story.late;
    let part = |(name, rates): (&str, Option<Rates>)| {
        rates.map(|rates| {
            json!({
                "part": name, "from_s": rates.from, "to_s": rates.to,
                "others_tasks_done_per_s": rates.done_per_s, "heartbeats_per_s": rates.heartbeats_per_s,
            })
        })
    };
    let point = |point: &Point| {
        json!({
            "s": point.at, "usage_mb": point.usage[0], "share_mb": point.share[0], "target_mb": point.target,
            "others_usage_mb": point.usage[1], "others_share_mb": point.share[1], "warned": point.warned,
            "killed": point.killed, "given_back": point.given_back, "others_tasks_done": point.done,
        })
    };
    json!({
        "late_queue": late.queue,
        "applications": late.leaves.iter().map(|leaf| leaf.apps).sum::<u64>(),
        "thresholds": late.leaves.iter().map(|leaf| leaf.threshold).collect::<Vec<_>>(),
        "fair_share_preemption_timeout_ms": late.timeout_ms,
        "wait_time_before_kill_ms": late.wait_before_kill_ms,
        "give_back": late.give_back,
        "full_s": story.full,
        "arrived_s": story.arrived,
        "starved_s": story.starved,
        "first_warning_s": story.warned,
        "first_given_back_s": story.first_given_back,
        "first_kill_s": story.first_killed,
        "reached_s": story.reached,
        "reached": story.reached.is_some(),
        "short_of_mb": story.short_of_mib,
        "warned": story.warnings,
        "killed": story.killed,
        "given_back": story.given_back,
        "ams_killed": story.ams_killed,
        "lost_container_seconds": story.lost_seconds,
        "parts": story.parts().into_iter().filter_map(part).collect::<Vec<_>>(),
        "points": story.points.iter().map(point).collect::<Vec<_>>(),
    })
}

fn partition(line: &PartitionLine) -> Value {
    json!({
        "label": line.label, "exclusive": line.exclusive, "nodes": line.nodes, "utilisation": line.utilisation,
        "allocations_per_s": line.allocations_per_s, "granted": line.granted, "running": line.running,
    })
}

/// One object with every figure; `ratio_to_locked` is null when only one core was driven.
#[must_use]
pub fn load_json(result: &LoadResult, replayed: Option<Tally>) -> Value {
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
    let mut object = json!({
        "core": core_name(run),
        "scheduler": result.scheduler.name(),
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
        "reservations": run.booked.as_ref().map(BookedCourse::json),
        "preemption": run.story.as_ref().map(story),
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
        "peak_resident_mib": evenweave_tools::clock::peak_resident_mib(),
        "trace": result.trace_name,
        "speed": result.speed.map(Speed::factor),
        "submitted_late_ms": run.submitted_late_ns.map(|ns| ns as f64 / 1e6),
        "queues_file": result.queues_name,
        "queues": queues,
        "samples": samples,
    });
    object["jobs_refused"] = run.refused_jobs.count.into();
    object["partitions"] = run.partitions.iter().map(partition).collect();
    object
}
