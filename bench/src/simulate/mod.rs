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
//! | `record` | what came of a run |
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
mod record;
mod scheduler;
mod tasks;
mod together;

use std::path::Path;

pub use engine::Moment;
pub use options::{AmStyle, ClusterOptions, SimulateOptions};
pub use record::{Interval, JobEnd, JobRecord, QueueSample, RunResult};

use crate::bundled;
use crate::failure::Failure;
use crate::traces::{Trace, TraceOptions};
use engine::Run;

/// What came of a simulation: each file of queues with each seed, seed by seed.
#[derive(Debug)]
pub struct Simulated {
    /// The runs: of each file of queues, of each seed.
    pub runs: Vec<Vec<RunResult>>,
    /// What readers had to say.
    pub warnings: Vec<String>,
}

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

/// Runs what is asked for. `watch` is told how far a run is, and says whether it goes on.
///
/// # Errors
/// Files that cannot be read or are not valid; a run that was told to stop.
pub fn simulate(options: &SimulateOptions, watch: &mut dyn FnMut(Moment) -> bool) -> Result<Simulated, Failure> {
    let how = trace_options(options);
    let nodes = inputs::nodes(options, &how)?;
    let mut warnings = Vec::new();
    let mut runs = Vec::new();
    for queues in inputs::queues(options)? {
        let plan = inputs::plan(options, &queues, &nodes)?;
        warnings.extend(plan.warnings.iter().cloned());
        let mut of_file = Vec::new();
        for seed in 0..options.seeds {
            let seed = options.seed.wrapping_add(u64::from(seed));
            let run = Run::new(&plan, options, open(options, &how)?, seed)?;
            of_file.push(run.run(watch, runs.len())?);
        }
        runs.push(of_file);
    }
    Ok(Simulated { runs, warnings })
}
