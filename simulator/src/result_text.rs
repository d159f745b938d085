//! What came of a simulation, in words.

use std::fmt::Write as _;

use evenweave_tools::numbers::grouped;
use evenweave_tools::output::line;

use super::compared::{figure, short};
use super::outcome::Simulated;
use super::record::{NoEnd, RunResult};
use super::summary::{Facts, PointFacts, Spread};

/// So many refused jobs are named.
const MAX_REFUSED: usize = 5;
/// So much of what was passed over in a trace is named.
const MAX_PASSED_OVER: usize = 3;

/// A mean, and of several seeds what it may be off by.
pub(crate) fn about(spread: Spread, give_or_take: Option<f64>) -> String {
    let mean = spread.mean;
    match give_or_take.filter(|off| off.is_finite()) {
        _ if spread.count == 0 => "-".to_owned(),
        Some(off) => format!("{mean:.1} ± {off:.1}"),
        None => format!("{mean:.1}"),
    }
}

/// What went otherwise than a reader would think: jobs without an end, refused ones, late ones, nodes that were lost.
#[must_use]
pub fn remarks(run: &RunResult) -> Vec<String> {
    let mut remarks = Vec::new();
    remarks.extend(added_ams(run));
    remarks.extend(unended(run));
    remarks.extend(run.refused.iter().take(MAX_REFUSED).map(|refused| format!("refused: {refused}")));
    if run.refused_count > MAX_REFUSED as u64 {
        remarks.push(format!("and {} jobs more are refused", run.refused_count - MAX_REFUSED as u64));
    }
    remarks.extend(run.passed_over.iter().take(MAX_PASSED_OVER).map(|what| format!("passed over: {what}")));
    if run.passed_over_count > MAX_PASSED_OVER as u64 {
        remarks.push(format!("and {} more passed over", run.passed_over_count - MAX_PASSED_OVER as u64));
    }
    remarks.extend(run.booked.words());
    remarks.extend(run.times_told.iter().cloned());
    if let Some(most) = run.overbooked() {
        let most = most * 100.0;
        remarks.push(format!(
            "up to {most:.0} % of the vcores were handed out: its DefaultResourceCalculator counts memory alone"
        ));
    }
    if run.late > 0 {
        remarks.push(format!("{} jobs stand too late in the trace, and came late", run.late));
    }
    if run.lost_nodes > 0 {
        remarks.push(format!("{} nodes were lost, and {} containers with them", run.lost_nodes, run.lost_containers));
    }
    remarks
}

/// AMs that the trace does not have.
fn added_ams(run: &RunResult) -> Option<String> {
    let (memory, vcores) = (run.added_am.memory_mb(), run.added_am.vcores());
    (run.added_ams > 0).then(|| {
        format!(
            "{} jobs have an AM of {memory} MiB and {vcores} vcores that their trace does not have; --no-added-ams leaves it out",
            grouped(run.added_ams as f64)
        )
    })
}

/// Of each file of queues, with the first seed, the jobs that it refuses: for who does not read the words.
#[must_use]
pub fn refusals(simulated: &Simulated) -> Vec<String> {
    let refusing = simulated.runs.iter().filter_map(|runs| runs.first()).filter(|run| run.refused_count > 0);
    refusing
        .map(|run| {
            let first = run.refused.first().map(String::as_str).unwrap_or_default();
            format!("{}: {} refused, the first: {first}", run.name, grouped(run.refused_count as f64))
        })
        .collect()
}

/// Jobs without an end: how many, then which, why, and what to do.
#[must_use]
pub fn unended(run: &RunResult) -> Vec<String> {
    let mut remarks = Vec::new();
    let all: u64 = run.unended.values().map(|unended| unended.jobs).sum();
    if all > 0 {
        let waited = [NoEnd::WaitedForAm, NoEnd::WaitedForFirstTask, NoEnd::WaitedForTasks];
        let ended = match waited.iter().any(|why| run.unended.contains_key(why)) {
            true if run.cut => ", where the run was told to end",
            true => ", and the run ended when nothing had happened for six hours",
            false => "",
        };
        remarks.push(format!("{all} jobs have no end{ended}"));
    }
    for (why, unended) in &run.unended {
        let (what, help) = match why {
            NoEnd::WaitedForAm => (
                "waited for a container for the AM",
                "compare the AM's size with the AM limit and the maximum of the queue, and with a node",
            ),
            NoEnd::WaitedForFirstTask => (
                "had an AM, and waited for a first task",
                "compare a task's size with the maximum of the queue, and with a node",
            ),
            NoEnd::WaitedForTasks => {
                ("waited for more tasks", "compare a task's size with the maximum of the queue, and with a node")
            }
            NoEnd::AmPreempted => (
                "lost the AM by preemption",
                "an AM has no second attempt here; forbid preemption from the queue to keep the AMs",
            ),
            NoEnd::AmNodeLost => ("lost the AM with its node", "an AM has no second attempt here"),
            NoEnd::AmLost => ("lost the AM before it was launched", "an AM has no second attempt here"),
            NoEnd::Broken => ("broke down", "change the trace, or the setting that the message names"),
            NoEnd::Expired => (
                "were ended with their reservation, as they could not move to the plan's default queue",
                "book a longer time, or raise the limits of the default queue",
            ),
        };
        let more = if unended.jobs > unended.first.len() as u64 { " and others" } else { "" };
        let said = unended.said.as_ref().map(|said| format!(" (the first: {said})")).unwrap_or_default();
        // Where the run was told to end, jobs that wait are as they should be.
        let is_cut = run.cut && *why <= NoEnd::WaitedForTasks;
        let help = if is_cut { String::new() } else { format!("; {help}") };
        remarks.push(format!("{} {what}{said}: {}{more}{help}", unended.jobs, unended.first.join(", ")));
    }
    remarks
}

/// What came of it, for people: the answer first.
#[must_use]
pub fn words(simulated: &Simulated) -> String {
    if !simulated.axes().is_empty() {
        return grid(simulated);
    }
    let mut text = String::new();
    cluster(&mut text, simulated);
    let comparisons = simulated.comparisons();
    if let Some(attention) = simulated.attention().filter(|_| comparisons.is_empty()) {
        put(&mut text, format_args!("{}.\n\n", line(&attention)));
    }
    for comparison in &comparisons {
        if let Some(attention) = comparison.attention() {
            put(&mut text, format_args!("{}.\n", line(&attention)));
        }
        put(&mut text, format_args!("{}\n", line(&comparison.headline())));
        if let Some(caveat) = &comparison.caveat {
            put(&mut text, format_args!("{}.\n", line(caveat)));
        }
        text.push('\n');
        put(&mut text, format_args!("{:<28} {:>17} {:>18} {:>18}  who\n", "queue", "compared / of", "wait", "runtime"));
        for queue in &comparison.queues {
            let (name, jobs, who) = (line(short(&queue.queue)), queue.compared_of(), queue.verdict().as_str());
            let (wait, runtime) = (figure(queue.wait), figure(queue.runtime));
            put(&mut text, format_args!("{name:<28} {jobs:>17} {wait:>18} {runtime:>18}  {who}\n"));
        }
        text.push('\n');
    }
    for run in simulated.runs.iter().filter_map(|runs| runs.first()) {
        let facts = Facts::of(run);
        put(
            &mut text,
            format_args!(
                "{}: {} jobs, {} containers, {} preempted; {:.1} h in {:.1} s; memory {:.1} % used; Jain's index {:.3}; decisions \
                 {:016x}\n",
                line(&run.name),
                grouped(run.figures.len() as f64),
                grouped(run.granted as f64),
                grouped(run.preempted as f64),
                facts.makespan / 3600.0,
                run.wall_s,
                run.utilisation[0] * 100.0,
                facts.jain,
                run.decisions
            ),
        );
        for remark in remarks(run).iter().filter(|remark| !run.times_told.contains(remark)) {
            put(&mut text, format_args!("  {}\n", line(remark)));
        }
    }
    text.truncate(text.trim_end().len());
    text
}

/// One line a point: where it stands, and what came of it.
fn grid(simulated: &Simulated) -> String {
    let axes = simulated.axes();
    let names: Vec<&str> = simulated.runs.iter().flatten().map(|run| run.name.as_str()).collect();
    let several = names.iter().any(|name| *name != names[0]);
    let mut head: Vec<String> = axes.iter().map(|axis| (*axis).to_owned()).collect();
    if several {
        head.insert(0, "queues".to_owned());
    }
    let mut facts: Vec<(&RunResult, PointFacts)> = Vec::new();
    for runs in &simulated.runs {
        facts.extend(runs.first().map(|run| (run, PointFacts::of(runs))));
    }
    let own = facts.first().map_or(0, |(_, facts)| facts.queues.len());
    let first = facts.first().map(|(_, facts)| facts.queues.as_slice()).unwrap_or_default();
    head.extend(first.iter().take(own).map(|queue| format!("wait {} s", line(short(&queue.name)))));
    head.extend(["runtime s", "ended / of", "memory %", "preempted", "last end h"].map(str::to_owned));
    let mut rows = vec![head];
    for (run, point) in &facts {
        let mut row: Vec<String> = run.at.iter().map(|(_, value)| value.clone()).collect();
        if several {
            row.insert(0, line(&run.name).into_owned());
        }
        for named in first {
            let found = point.queues.iter().find(|queue| queue.name == named.name);
            row.push(
                found.map_or_else(
                    || "-".to_owned(),
                    |queue| about(queue.wait, queue.give_or_take.map(|[wait, _]| wait)),
                ),
            );
        }
        let all = point.queues.first();
        row.push(
            all.map_or_else(|| "-".to_owned(), |all| about(all.runtime, all.give_or_take.map(|[_, runtime]| runtime))),
        );
        row.push(format!("{} / {}", grouped(point.ended as f64), grouped(point.jobs as f64)));
        row.push(format!("{:.1}", point.memory * 100.0));
        row.push(grouped(point.preempted));
        row.push(format!("{:.2}", point.makespan / 3600.0));
        rows.push(row);
    }
    let mut text = String::new();
    cluster(&mut text, simulated);
    for said in [simulated.attention(), simulated.caveat()].into_iter().flatten() {
        put(&mut text, format_args!("{}.\n\n", line(&said)));
    }
    let widths: Vec<usize> = (0..rows[0].len())
        .map(|column| rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0))
        .collect();
    for row in &rows {
        let cells: Vec<String> = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:>width$}")).collect();
        put(&mut text, format_args!("{}\n", cells.join("  ")));
    }
    if let Some(added) = facts.first().and_then(|(run, _)| added_ams(run)) {
        put(&mut text, format_args!("  {added}\n"));
    }
    let refusing: Vec<&RunResult> = facts.iter().map(|(run, _)| *run).filter(|run| run.refused_count > 0).collect();
    if let Some(why) = refusing.first().and_then(|run| run.refused.first()) {
        put(&mut text, format_args!("  {} points refuse jobs; the first refused: {}\n", refusing.len(), line(why)));
    }
    text.truncate(text.trim_end().len());
    text
}

/// So many clusters of a grid are named.
const MAX_CLUSTERS: usize = 5;

/// On what it ran.
fn cluster(text: &mut String, simulated: &Simulated) {
    let mut all: Vec<&str> = Vec::new();
    for run in simulated.runs.iter().flatten() {
        if !all.contains(&run.nodes.as_str()) {
            all.push(&run.nodes);
        }
    }
    all.iter().take(MAX_CLUSTERS).for_each(|said| put(text, format_args!("{}\n", line(said))));
    if all.len() > MAX_CLUSTERS {
        put(text, format_args!("and {} other clusters\n", all.len() - MAX_CLUSTERS));
    }
    text.push('\n');
}

fn put(text: &mut String, what: std::fmt::Arguments<'_>) {
    text.write_fmt(what).expect("a string takes everything");
}
