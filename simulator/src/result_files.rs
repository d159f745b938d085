//! What came of a simulation, as files: every job and interval as CSV, SLS's table of runtimes; and as one JSON object.

use std::path::Path;

use evenweave_tools::Failure;
use evenweave_tools::whole_files::Drafts;
use serde_json::{Value, json as object};

use super::outcome::Simulated;
use super::record::{JobRecord, RunResult};
use super::rows::{JOBS_HEAD, RUNTIMES_HEAD, field, job_row, put, runtime_row};
use super::summary::{Change, Facts, PointFacts, Spread};

/// Writes `jobs-N.csv`, `intervals-N.csv` and `jobruntime-N.csv` of each file of queues, or point of the grid, with the
/// first seed, as far as the run has not done so; and a line a point and queue: `grid.csv` of a grid, otherwise
/// `queues.csv`.
///
/// # Errors
/// What the file system says.
pub fn write_tables(simulated: &Simulated, out: &Path) -> Result<(), Failure> {
    let mut drafts = Drafts::default();
    put_tables(simulated, out, &mut drafts)?;
    drafts.keep().map_err(|error| Failure::input(format!("{}: {error}", out.display())))
}

/// The same, into files that get their names with others.
///
/// # Errors
/// What the file system says.
pub fn put_tables(simulated: &Simulated, out: &Path, drafts: &mut Drafts) -> Result<(), Failure> {
    let mut write = |name: String, text: String| {
        let path = out.join(name);
        drafts.put(&path, &text).map_err(|error| Failure::input(format!("{}: {error}", path.display())))
    };
    for (number, run) in (1..).zip(simulated.runs.iter().filter_map(|runs| runs.first())) {
        if !run.has_rows {
            write(format!("jobs-{number}.csv"), jobs(run))?;
            write(format!("jobruntime-{number}.csv"), job_runtimes(run))?;
        }
        write(format!("intervals-{number}.csv"), intervals(run))?;
        if !run.booked.reservations.is_empty() {
            write(format!("reservations-{number}.csv"), reservations(run))?;
        }
    }
    let name = if simulated.axes().is_empty() { "queues.csv" } else { "grid.csv" };
    write(name.to_owned(), points(simulated))
}

/// Writes the runs as scenarios, one a line, of each file of queues with the first seed.
///
/// # Errors
/// What the file system says.
pub fn write_decisions(simulated: &Simulated, path: &Path) -> Result<(), Failure> {
    let mut drafts = Drafts::default();
    put_decisions(simulated, path, &mut drafts)?;
    drafts.keep().map_err(|error| Failure::input(format!("--decisions {}: {error}", path.display())))
}

/// The same, into a file that gets its name with others.
///
/// # Errors
/// What the file system says.
pub fn put_decisions(simulated: &Simulated, path: &Path, drafts: &mut Drafts) -> Result<(), Failure> {
    let mut text = String::new();
    for run in simulated.runs.iter().filter_map(|runs| runs.first()) {
        let Some(scenario) = &run.scenario else { continue };
        if scenario.granted == 0 && scenario.granted_in_run > 0 {
            return Err(Failure::input(format!(
                "--decisions: no container is granted in the {} steps of the scenario of {}; give --decision-steps a larger number",
                scenario.steps, run.name
            )));
        }
        text.push_str(&scenario.line);
        text.push('\n');
    }
    drafts.put(path, &text).map_err(|error| {
        Failure::input(format!("--decisions {}: {error}; it must be a file that can be written", path.display()))
    })
}

/// Scenarios that end before their run does: which, when, and what to do.
#[must_use]
pub fn scenarios_end(simulated: &Simulated) -> Vec<String> {
    let ends = |run: &RunResult| {
        let scenario = run.scenario.as_ref()?;
        let seconds = scenario.ends_ms? / 1000;
        let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
        Some(format!(
            "--decisions: the scenario of {} ends {hours:02}:{minutes:02}:{seconds:02} after the start of the run, after {} steps and {} of {} \
             containers; give --decision-steps a larger number to have more of it",
            run.name, scenario.steps, scenario.granted, scenario.granted_in_run
        ))
    };
    simulated.runs.iter().filter_map(|runs| ends(runs.first()?)).collect()
}

fn jobs(run: &RunResult) -> String {
    let mut text = JOBS_HEAD.to_owned();
    run.jobs.iter().for_each(|job| job_row(&mut text, job));
    text
}

fn intervals(run: &RunResult) -> String {
    let mut text =
        "at_ms,queue,usage_mb,share_mb,demand_mb,memory_used,vcores_used,jobs,granted,ended,preempted\n".to_owned();
    for interval in &run.intervals {
        let [memory, vcores] = interval.utilisation;
        for ((name, _), queue) in run.queues.iter().zip(&interval.queues) {
            put(
                &mut text,
                format_args!(
                    "{},{},{},{},{},{memory:.4},{vcores:.4},{},{},{},{}\n",
                    interval.at_ms,
                    field(name),
                    queue.usage,
                    queue.share,
                    queue.demand,
                    interval.jobs,
                    interval.granted,
                    interval.ended,
                    interval.preempted
                ),
            );
        }
    }
    text
}

/// A line for each piece that a reservation got, and one for each that was refused.
fn reservations(run: &RunResult) -> String {
    let mut text =
        "reservation,queue,user,booked_ms,start_ms,end_ms,memory_mb,vcores,jobs,left,replanned_ms,refused\n".to_owned();
    for one in &run.booked.reservations {
        let head = format!("{},{},{},{}", field(&one.name), field(&one.queue), field(&one.user), one.booked_ms);
        let replanned = one.replanned_ms.map(|ms| ms.to_string()).unwrap_or_default();
        let tail = |why: &str| format!("{},{},{replanned},{}", one.jobs, one.left, field(why));
        match &one.outcome {
            Ok(_) => {
                for piece in one.pieces() {
                    let [memory, vcores] = [piece.resource.memory_mb(), piece.resource.vcores()];
                    let (start, end) = (piece.from, piece.to);
                    put(&mut text, format_args!("{head},{start},{end},{memory},{vcores},{}\n", tail("")));
                }
            }
            Err(why) => put(&mut text, format_args!("{head},,,,,{}\n", tail(why))),
        }
    }
    text
}

/// A line a point and queue, all queues together first.
fn points(simulated: &Simulated) -> String {
    let mut text = "point,queues_file".to_owned();
    for axis in simulated.axes() {
        put(&mut text, format_args!(",{}", field(axis)));
    }
    text.push_str(",seeds,queue,jobs,not_done");
    for what in ["wait_s", "runtime_s", "slowdown"] {
        put(&mut text, format_args!(",{what}_mean,{what}_p50,{what}_p95,{what}_p99"));
    }
    text.push_str(
        ",wait_s_give_or_take,runtime_s_give_or_take,preempted,lost_gib_h,memory_used,jain,share_not_had,makespan_s\n",
    );
    for (number, runs) in (1..).zip(&simulated.runs) {
        let Some(run) = runs.first() else { continue };
        let point = PointFacts::of(runs);
        for queue in &point.queues {
            put(&mut text, format_args!("{number},{}", field(&run.name)));
            for (_, value) in &run.at {
                put(&mut text, format_args!(",{}", field(value)));
            }
            put(&mut text, format_args!(",{},{},{},{}", runs.len(), field(&queue.name), queue.jobs, queue.not_done));
            for value in [queue.wait, queue.runtime, queue.slowdown].iter().flat_map(Spread::figures) {
                put(&mut text, format_args!(",{}", value.map(|value| format!("{value:.3}")).unwrap_or_default()));
            }
            match queue.give_or_take {
                Some([wait, runtime]) => put(&mut text, format_args!(",{wait:.3},{runtime:.3}")),
                None => text.push_str(",,"),
            }
            put(
                &mut text,
                format_args!(
                    ",{},{:.3},{:.4},{:.4},{:.4},{:.3}\n",
                    queue.preempted, queue.lost_gib_h, point.memory, point.jain, point.missing_share, point.makespan
                ),
            );
        }
    }
    text
}

/// SLS's `jobruntime.csv`: a line a job that is done, in the order of ending.
fn job_runtimes(run: &RunResult) -> String {
    let mut text = RUNTIMES_HEAD.to_owned();
    let mut ended: Vec<&JobRecord> = run.jobs.iter().collect();
    ended.sort_by_key(|job| (job.ended_ms, job.application));
    ended.into_iter().for_each(|job| runtime_row(&mut text, job));
    text
}

fn run_object(run: &RunResult) -> Value {
    let facts = Facts::of(run);
    let at: serde_json::Map<String, Value> =
        run.at.iter().map(|(axis, value)| (axis.clone(), Value::from(value.as_str()))).collect();
    let spread = |spread: Spread| {
        let [mean, p50, p95, p99] = spread.figures();
        object!({"mean": mean, "p50": p50, "p95": p95, "p99": p99})
    };
    let queues: Vec<Value> = facts
        .queues
        .iter()
        .map(|queue| {
            object!({
                "queue": queue.name, "jobs": queue.jobs, "ended": queue.ended, "not_done": queue.not_done, "wait_s": spread(queue.wait),
                "runtime_s": spread(queue.runtime), "slowdown": spread(queue.slowdown), "preempted": queue.preempted,
                "lost_gib_h": queue.lost_gib_h
            })
        })
        .collect();
    let unended: Vec<Value> = run
        .unended
        .iter()
        .map(|(why, unended)| {
            object!({"why": why.as_str(), "jobs": unended.jobs, "first": unended.first, "said": unended.said})
        })
        .collect();
    object!({
        "reservations": run.booked.json(), "queues_file": run.name, "cluster": run.nodes, "at": at, "seed": run.seed, "simulated_s": run.simulated_ms as f64 / 1000.0, "wall_s": run.wall_s,
        "jobs": run.figures.len(), "containers": run.granted, "preempted": run.preempted, "heartbeats": run.heartbeats,
        "heartbeats_left_out": run.skipped, "calls": run.calls, "decisions": format!("{:016x}", run.decisions),
        "utilisation": {"memory": run.utilisation[0], "vcores": run.utilisation[1]}, "most_vcores": run.most_vcores, "makespan_s": facts.makespan,
        "jain": facts.jain, "missing_share": facts.missing_share, "refused": run.refused_count, "passed_over": run.passed_over_count, "added_ams": run.added_ams, "unended": unended, "late": run.late,
        "times_told": run.times_told,
        "lost_nodes": run.lost_nodes, "lost_containers": run.lost_containers, "queues": queues
    })
}

/// One object: the first run's figures, and beside them all runs and what the files differ in.
#[must_use]
pub fn json(simulated: &Simulated) -> String {
    let runs: Vec<Value> = simulated.runs.iter().flatten().map(run_object).collect();
    let mut whole = runs.first().cloned().unwrap_or_else(|| object!({}));
    let change = |change: Option<Change>| match change {
        Some(change) => {
            object!({"part": change.part, "give_or_take": change.give_or_take, "is_real": change.is_real()})
        }
        None => Value::Null,
    };
    let (mut comparisons, mut differences) = (Vec::new(), Vec::new());
    let mut attention: Vec<Value> = Vec::new();
    for comparison in simulated.comparisons() {
        let ([compared, all], said) = (comparison.compared_of(), comparison.attention());
        let headline = match &said {
            Some(said) => format!("{said}. {}", comparison.headline()),
            None => comparison.headline(),
        };
        let [first, other] = &comparison.names;
        comparisons.push(object!({
            "queues_file": other, "instead_of": first, "headline": headline, "compared": compared, "of": all, "attention": said,
            "caveat": comparison.caveat
        }));
        attention.extend(said.map(Value::from));
        differences.extend(comparison.queues.iter().map(|queue| {
            let [before, after] = queue.ended;
            object!({
                "queues_file": other, "queue": queue.queue, "jobs": queue.jobs, "compared": queue.compared,
                "ended_before": before, "ended": after, "wait": change(queue.wait), "runtime": change(queue.runtime),
                "who": queue.verdict().as_str()
            })
        }));
    }
    if comparisons.is_empty() {
        attention.extend(simulated.attention().map(Value::from));
    }
    if let Some(members) = whole.as_object_mut() {
        members.insert("attention".to_owned(), Value::Array(attention));
        members.insert("comparisons".to_owned(), Value::Array(comparisons));
        members.insert("runs".to_owned(), Value::Array(runs));
        members.insert("differences".to_owned(), Value::Array(differences));
    }
    whole.to_string()
}
