//! The simulator: a day of a cluster in virtual time, under one configuration or several.
//!
//! | module | what |
//! | --- | --- |
//! | `options`, `inputs` | what is asked for, and what is read before a run |
//! | `cluster`, `queues` | nodes and what happens to them; a file of queues |
//! | `grid` | settings of queues that take several values |
//! | `parallel_runs` | all runs, on as many cores as there are |
//! | `engine` | a run, from event to event |
//! | `events`, `nodes` | the queue of events; nodes and when they report |
//! | `arrivals`, `submission_order`, `jobs`, `tasks`, `asking` | jobs as they come, and what AMs need of them |
//! | `masters` | what AMs do |
//! | `scheduler`, `scribe` | either core without threads; its calls as a scenario |
//! | `rows`, `tally` | records of jobs as they end, and what is kept of them |
//! | `record`, `outcome`, `summary`, `wait_reasons` | what came of a run; of its queues |
//! | `compared` | two files of queues beside each other: who is better off, and of how many jobs that is known |
//! | `result_text`, `result_files` | the same in words; as CSV and JSON |
//! | `report` | as a page |
//! | `run_progress` | how far a run is, and whether it is to go on |
//!
//! Deterministic: the same inputs and seed give the same decisions and the same bytes.

mod api;
mod arrivals;
mod asking;
mod cluster;
mod compared;
mod engine;
mod events;
mod grid;
mod inputs;
mod jobs;
mod masters;
mod nodes;
mod options;
mod outcome;
mod parallel_runs;
mod queues;
mod record;
pub mod report;
mod result_files;
mod result_text;
mod rows;
mod run_progress;
mod scheduler;
mod scribe;
mod submission_order;
mod summary;
mod tally;
mod tasks;
mod wait_reasons;

use std::path::Path;

pub(crate) use compared::{Comparison, Verdict, figure};
pub use grid::Sweep;
pub use options::{AmStyle, ClusterOptions, SimulateOptions};
pub use outcome::Simulated;
pub use record::{
    AllUnended, Interval, JobEnd, JobFigures, JobRecord, NoEnd, QueueSample, QueueSums, RunResult, Unended, WrittenRun,
};
pub use result_files::{json, put_decisions, put_tables, scenarios_end, write_decisions, write_tables};
pub(crate) use result_text::about;
pub use result_text::{refusals, remarks, unended, words};
pub use run_progress::Moment;
pub(crate) use summary::Facts;
pub use summary::{PointFacts, QueueFacts, Spread};

use engine::Run;
use evenweave_tools::Failure;
use evenweave_tools::bundled;
use evenweave_tools::clock::{now_ns, seconds};
use evenweave_tools::traces::{Trace, TraceOptions};
use evenweave_tools::whole_files::Drafts;
use rows::Rows;

fn trace_options(options: &SimulateOptions) -> TraceOptions {
    TraceOptions {
        times: options.times,
        short_am_type: options.ams == AmStyle::MapReduce,
        swim_task_ms: options.task_ms,
        largest_machine: options.largest_machine,
        ..TraceOptions::default()
    }
}

fn open(options: &SimulateOptions, how: &TraceOptions) -> Result<Vec<(String, Trace)>, Failure> {
    if options.traces.is_empty() {
        let trace = Trace::read(bundled::packed_trace(), bundled::TRACE_NAME, how)?;
        return Ok(vec![(bundled::TRACE_NAME.to_owned(), trace)]);
    }
    let one = |path: &std::path::PathBuf| Ok((name(path), Trace::open(path, how)?));
    options.traces.iter().map(one).collect()
}

fn name(path: &Path) -> String {
    path.display().to_string()
}

/// Runs what is asked for: each file of queues, each point of the grid, each seed, on as many cores as there are.
/// `watch` is told how far a run is, and says whether it goes on.
///
/// # Errors
/// Files that cannot be read or are not valid; a run that was told to stop.
pub fn simulate(options: &SimulateOptions, watch: &(dyn Fn(Moment) -> bool + Sync)) -> Result<Simulated, Failure> {
    let (simulated, drafts) = simulate_drafted(options, watch)?;
    drafts.keep().map_err(|error| Failure::input(format!("--out: {error}")))?;
    Ok(simulated)
}

/// The same, whose files are to get their names together with others.
///
/// # Errors
/// As of [`simulate`].
pub fn simulate_drafted(
    options: &SimulateOptions,
    watch: &(dyn Fn(Moment) -> bool + Sync),
) -> Result<(Simulated, Drafts), Failure> {
    let how = trace_options(options);
    let plans = inputs::plans(options, &inputs::clusters(options, &how, watch)?)?;
    let seeds = options.seeds as usize;
    inputs::check_readable_by(plans.len() * seeds, options)?;
    let one = |number: usize| -> Result<(RunResult, Option<Drafts>), Failure> {
        let begun = now_ns();
        let seed = options.seed.wrapping_add((number % seeds) as u64);
        let rows = match options.rows.as_ref().filter(|_| number.is_multiple_of(seeds)) {
            Some(out) => Some(Rows::create(out, number / seeds + 1)?),
            None => None,
        };
        let run = Run::new(&plans[number / seeds], options, open(options, &how)?, seed, rows)?;
        let (mut result, drafts) = run.run(watch, number)?;
        result.wall_s = seconds(now_ns() - begun);
        Ok((result, drafts))
    };
    let mut runs: Vec<Vec<RunResult>> = Vec::with_capacity(plans.len());
    let mut files = Drafts::default();
    for (number, result) in parallel_runs::on_all_cores(plans.len() * seeds, &one).into_iter().enumerate() {
        if number % seeds == 0 {
            runs.push(Vec::with_capacity(seeds));
        }
        let (result, drafts) = result?;
        if let Some(drafts) = drafts {
            files.take(drafts);
        }
        if let Some(list) = runs.last_mut() {
            list.push(result);
        }
    }
    if let Some(refused) = all_refused(&runs) {
        return Err(refused);
    }
    let mut warnings: Vec<String> = Vec::new();
    for warning in plans.iter().flat_map(|plan| &plan.warnings) {
        if !warnings.contains(warning) {
            warnings.push(warning.clone());
        }
    }
    for note in runs.iter().flatten().flat_map(|run| &run.times_told) {
        if !warnings.contains(note) {
            warnings.push(note.clone());
        }
    }
    Ok((Simulated { runs, warnings }, files))
}

/// Whether every run has refused every job, which is no result.
fn all_refused(runs: &[Vec<RunResult>]) -> Option<Failure> {
    let first = runs.iter().flatten().next()?;
    let refused = |run: &RunResult| run.figures.is_empty() && run.not_entered() > 0;
    runs.iter().flatten().all(refused).then(|| {
        let why = first.refused.first().map(String::as_str).unwrap_or_default();
        Failure::input(format!("no job could be run: {} refused, the first: {why}", first.not_entered()))
    })
}
