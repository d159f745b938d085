//! The simulator: a day of a cluster in virtual time, under one configuration or several.
//!
//! | module | what |
//! | --- | --- |
//! | `options`, `inputs` | what is asked for, and what is read before a run |
//! | `engine` | a run, from event to event |
//! | `events`, `nodes` | the queue of events; nodes and when they report |
//! | `arrivals`, `together`, `jobs`, `tasks`, `asking` | jobs as they come, and what AMs need of them |
//! | `masters` | what AMs do |
//! | `scheduler` | either core without threads |
//! | `record`, `outcome`, `summary` | what came of a run; of its queues, and of two files of queues beside each other |
//! | `told`, `written` | the same in words; as CSV and JSON |
//!
//! Deterministic: the same inputs and seed give the same decisions and the same bytes.

mod arrivals;
mod asking;
mod engine;
mod events;
mod inputs;
mod jobs;
mod masters;
mod nodes;
mod options;
mod outcome;
mod record;
mod scheduler;
mod summary;
mod tasks;
mod together;
mod told;
mod written;

use std::path::Path;

pub use engine::Moment;
pub use options::{AmStyle, ClusterOptions, SimulateOptions};
pub use outcome::Simulated;
pub use record::{Interval, JobEnd, JobRecord, QueueSample, RunResult};
pub(crate) use summary::{Compared, Facts};
pub use told::words;
pub(crate) use told::{figure, headline, who};
pub use written::{json, write_tables};

use crate::bundled;
use crate::clock::{now_ns, seconds};
use crate::failure::Failure;
use crate::traces::{Trace, TraceOptions};
use engine::Run;

fn trace_options(options: &SimulateOptions) -> TraceOptions {
    TraceOptions {
        times: options.times,
        short_am_type: options.ams == AmStyle::MapReduce,
        swim_task_ms: options.task_ms,
        ..TraceOptions::default()
    }
}

fn open(options: &SimulateOptions, how: &TraceOptions) -> Result<Vec<(String, Trace)>, Failure> {
    let wrong = |error: crate::traces::TraceFileError| Failure::input(error.to_string());
    if options.traces.is_empty() {
        let trace = Trace::read(bundled::packed_trace(), bundled::TRACE_NAME, how).map_err(wrong)?;
        return Ok(vec![(bundled::TRACE_NAME.to_owned(), trace)]);
    }
    let one = |path: &std::path::PathBuf| Ok((name(path), Trace::open(path, how).map_err(wrong)?));
    options.traces.iter().map(one).collect()
}

fn name(path: &Path) -> String {
    path.display().to_string()
}

/// Runs what is asked for, each file of queues on a core of its own. `watch` is told how far a run is, and says whether it goes on.
///
/// # Errors
/// Files that cannot be read or are not valid; a run that was told to stop.
pub fn simulate(options: &SimulateOptions, watch: &(dyn Fn(Moment) -> bool + Sync)) -> Result<Simulated, Failure> {
    let how = trace_options(options);
    let nodes = inputs::nodes(options, &how)?;
    let files = inputs::queues(options)?;
    let plans = files.iter().map(|queues| inputs::plan(options, queues, &nodes)).collect::<Result<Vec<_>, _>>()?;
    let run_all = |number: usize, plan: &inputs::Plan| -> Result<Vec<RunResult>, Failure> {
        let seeds = (0..options.seeds).map(|seed| options.seed.wrapping_add(u64::from(seed)));
        let one = |seed| {
            let begun = now_ns();
            let run = Run::new(plan, options, open(options, &how)?, seed)?;
            let mut result = run.run(watch, number)?;
            result.wall_s = seconds(now_ns() - begun);
            Ok(result)
        };
        seeds.map(one).collect()
    };
    let outcomes: Vec<_> = std::thread::scope(|scope| {
        let run_all = &run_all;
        let threads: Vec<_> =
            plans.iter().enumerate().map(|(number, plan)| scope.spawn(move || run_all(number, plan))).collect();
        threads.into_iter().map(std::thread::ScopedJoinHandle::join).collect()
    });
    let panicked = |_| Err(Failure::Scheduler("a simulation has panicked".to_owned()));
    let runs = outcomes.into_iter().map(|outcome| outcome.unwrap_or_else(panicked)).collect::<Result<_, _>>()?;
    let mut warnings: Vec<String> = plans.iter().flat_map(|plan| plan.warnings.iter().cloned()).collect();
    warnings.dedup();
    Ok(Simulated { runs, warnings })
}
