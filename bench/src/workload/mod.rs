//! The standard throughput workloads: W1 (fill), W2 (steady churn), W3 (update), W4 (churn with locality).
//!
//! The same workloads are driven through Hadoop's schedulers; a figure may be compared only when nothing differs.
//! `docs/benchmarks.md` has them, and what a record says.
//!
//! | module | what |
//! | --- | --- |
//! | `plan`, `shape` | the options, checked against each other; how long, how large |
//! | `bed`, `calls` | a scheduler with its cluster, the fill; the two calls of it |
//! | `masters`, `tasks` | set-up, the applications' side; W4's tables |
//! | `churn`, `nodes`, `held` | W2 and W4; the nodes' side of them; what nodes hold |
//! | `self_driven`, `minders` | the same on the workers' own threads; W1, too; the workers meanwhile |
//! | `update` | W3 |
//! | `pace` | heartbeats at fixed times |
//! | `onlookers` | those who look meanwhile |
//! | `record` | figures, JSON, table |

mod bed;
mod calls;
mod churn;
mod idle_workers;
mod masters;
mod node_containers;
mod nodes;
mod pace;
mod plan;
mod record;
mod self_driven;
mod shape;
mod tasks;
#[cfg(test)]
mod tests;
mod update;
mod view_readers;

use evenweave_tools::Failure;
use evenweave_tools::clock::thread_cpu_seconds;
use evenweave_tools::numbers::grouped;

use crate::options::{BenchOptions, Format, Size, WorkloadName};
use calls::TIMED;
use churn::Churn;
use pace::Pace;
use plan::Plan;
use record::{Before, Figures, OpenLoop, Results, sum_ns};
use self_driven::SelfDriven;
use shape::Shape;
use update::Updates;
use view_readers::Onlookers;

/// Open loop: parts of the highest heartbeat rate that a repeat reached.
const OPEN_LOOP_PERCENT: [u32; 3] = [50, 80, 95];

/// `evenweave bench`.
///
/// # Errors
/// Options that do not go together; when the scheduler refuses something.
pub fn run(args: &BenchOptions) -> Result<(), Failure> {
    let plan = Plan::of(args)?;
    evenweave_tools::output::note!("warming up");
    let results = measure(&plan, &mut |figures| {
        match figures.update {
            Some(update) => evenweave_tools::output::note!("{:.3} ms an update", update.p50),
            None => {
                evenweave_tools::output::note!(
                    "{} allocations/s, {:.1} % full",
                    grouped(figures.rate()),
                    figures.full * 100.0
                )
            }
        }
        if args.format == Format::Json {
            evenweave_tools::output::say_json!(figures.json(&plan));
        }
    })
    .map_err(Failure::Scheduler)?;
    if let Some(part) = results.labelled_to_unlabelled() {
        evenweave_tools::output::note!("with {} partitions {part:.3} of the rate without labels", plan.partitions);
    }
    let table = results.table(&plan);
    match args.format {
        Format::Json => {
            if let Some(median) = results.median_json(&plan) {
                evenweave_tools::output::say_json!(median);
            }
            evenweave_tools::output::note!("{table}");
        }
        Format::Table => evenweave_tools::output::say!("{table}"),
    }
    Ok(())
}

/// Warms up, measures the repeats and what follows them; each repeat is told of as it ends.
fn measure(plan: &Plan, tell: &mut dyn FnMut(&Figures)) -> Result<Results, String> {
    let times = plan.times;
    let mut results = Results::default();
    let take = |results: &mut Results, figures: Figures, tell: &mut dyn FnMut(&Figures)| {
        tell(&figures);
        results.repeats.push(figures);
    };
    match plan.workload {
        WorkloadName::W1 => {
            let warm = Plan { shape: Shape::of(Size::M), ..*plan };
            for _ in 0..times.warm_fills {
                fill(&warm, times.warm_fill, None)?;
            }
            for _ in 0..times.repeats {
                take(&mut results, fill(plan, times.fill, None)?.0, tell);
            }
            for (percent, rate) in open_loop_rates(plan, &results) {
                let (figures, behind_ns) = fill(plan, times.fill, Some(rate))?;
                results.open_loop.push(OpenLoop { percent, figures, behind_ns });
            }
        }
        WorkloadName::W2 | WorkloadName::W4 if plan.self_driven => {
            let (bed, masters) = masters::set_up(plan)?;
            let mut churn = SelfDriven::new(&bed, masters, plan)?;
            churn.phase(times.warm_churn, times.warm_allocations)?;
            for _ in 0..times.repeats {
                take(&mut results, churn.phase(times.churn, u64::MAX)?, tell);
            }
        }
        WorkloadName::W2 if plan.partitions > 1 => {
            let plain = Plan { partitions: 1, ..*plan };
            let (bed, masters) = masters::set_up(&plain)?;
            let (labelled_bed, labelled_masters) = masters::set_up(plan)?;
            let mut churn = Churn::new(&bed, masters, &plain)?;
            let mut labelled = Churn::new(&labelled_bed, labelled_masters, plan)?;
            for churn in [&mut churn, &mut labelled] {
                churn.phase(times.warm_churn, times.warm_allocations)?;
            }
            for _ in 0..times.repeats {
                take(&mut results, churn.phase(times.churn, u64::MAX)?, tell);
                let figures = labelled.phase(times.churn, u64::MAX)?;
                tell(&figures);
                results.labelled.push(figures);
            }
        }
        WorkloadName::W2 | WorkloadName::W4 => {
            let (bed, masters) = masters::set_up(plan)?;
            let mut churn = Churn::new(&bed, masters, plan)?;
            churn.phase(times.warm_churn, times.warm_allocations)?;
            for _ in 0..times.repeats {
                take(&mut results, churn.phase(times.churn, u64::MAX)?, tell);
                if let Some(scheduler) = bed.asked.as_ref().filter(|_| plan.asked) {
                    let onlookers = Onlookers::look(&bed, scheduler)?;
                    let figures = churn.phase(times.churn, u64::MAX)?;
                    onlookers.go()?;
                    tell(&figures);
                    results.asked.push(figures);
                }
            }
            for (percent, rate) in open_loop_rates(plan, &results) {
                let (figures, behind_ns) = churn.open_loop(times.churn, rate)?;
                results.open_loop.push(OpenLoop { percent, figures, behind_ns });
            }
        }
        WorkloadName::W3 => {
            let (bed, masters) = masters::set_up(plan)?;
            let mut updates = Updates::new(&bed, masters, plan)?;
            updates.warm_up(times.warm_rounds, times.warm_update)?;
            for _ in 0..times.repeats {
                take(&mut results, updates.phase(times.rounds)?, tell);
            }
        }
    }
    Ok(results)
}

/// What an open loop is to offer, in per cent of the highest rate and in heartbeats a second.
fn open_loop_rates(plan: &Plan, results: &Results) -> Vec<(u32, f64)> {
    if !plan.open_loop {
        return Vec::new();
    }
    let highest = results.repeats.iter().map(Figures::heartbeats_per_s).fold(1.0, f64::max);
    OPEN_LOOP_PERCENT.iter().map(|percent| (*percent, highest * f64::from(*percent) / 100.0)).collect()
}

/// W1 on a fresh scheduler, at full speed or with so many heartbeats a second. Gives also how late the next heartbeat
/// was in the end.
fn fill(plan: &Plan, at_most: u64, per_second: Option<f64>) -> Result<(Figures, u64), String> {
    let (bed, _) = masters::set_up(plan)?;
    let before = Before::new(&bed);
    if plan.self_driven {
        let (filled, times) = self_driven::fill(&bed, plan.workers, at_most)?;
        let mut figures = before.figures(&bed, filled.ns, times.thread - times.polls);
        figures.in_scheduler_ns = sum_ns(&filled.enqueue) * TIMED;
        figures.enqueue = filled.enqueue;
        return Ok((figures, 0));
    }
    let driver_cpu = thread_cpu_seconds();
    let mut pace = per_second.map(Pace::new);
    let filled = bed.fill(at_most, pace.as_mut())?;
    let behind = pace.map_or(0, |pace| pace.behind_ns());
    let mut figures = before.figures(&bed, filled.ns, thread_cpu_seconds() - driver_cpu);
    figures.in_scheduler_ns = sum_ns(&filled.enqueue) * TIMED;
    figures.enqueue = filled.enqueue;
    figures.offered_per_s = per_second;
    Ok((figures, behind))
}
