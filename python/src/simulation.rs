//! A simulation: what is asked for, the run beside Python, and what came of it.
//!
//! The run has threads of its own, and Python goes on meanwhile. The thread that called looks now and then whether
//! Ctrl-C has come, and tells how far the run is.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::{input, raised};
use crate::given::{Given, Word};
use crate::simulator::{
    AmStyle, ClusterOptions, Drafts, Failure, Moment, SchedulerChoice, SimulateOptions, Simulated, SiteOptions, Sweep,
    Times, check_writable, interval, json, load, part, put_decisions, put_simulation, put_tables, refusals, remarks,
    scenarios_end, simulate_drafted, span, unended, words,
};
use crate::tables;

const SCHEDULERS: &[Word<SchedulerChoice>] =
    &[("fair", SchedulerChoice::Fair), ("capacity", SchedulerChoice::Capacity)];
const AMS: &[Word<AmStyle>] = &[("mapreduce", AmStyle::MapReduce), ("sls", AmStyle::Sls)];
const TIMES: &[Word<Times>] =
    &[("first-job", Times::FirstJob), ("stock", Times::AllAtOnce), ("as-written", Times::AsWritten)];

/// Ctrl-C is looked for so often, and progress is told at most so often.
const LOOK: Duration = Duration::from_millis(50);
/// A run that was told to stop gets so long. One that reads from a pipe may not hear it; it is left to itself, and
/// stops when it does.
const PATIENCE: Duration = Duration::from_secs(2);

/// Arguments that are left out have the defaults of the program.
const ANY: u64 = i64::MAX as u64;

fn small(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

fn large(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn ms(span: Duration) -> u64 {
    u64::try_from(span.as_millis()).unwrap_or(u64::MAX)
}

/// Reads what is asked for: the names, bounds and exclusions are those of the program.
fn options(given: &Given<'_, '_>) -> PyResult<SimulateOptions> {
    let usual = SimulateOptions::default();
    given.not_both(["nodes", "node_file"])?;
    given.not_both(["reservations", "decisions"])?;
    let decisions = given.get("decisions")?.is_some();
    let steps = given.whole("decision_steps", &(1..=u64::from(u32::MAX)))?;
    if steps.is_some() && !decisions {
        return Err(input("decision_steps counts the steps of decisions; give decisions, too"));
    }
    let amount = |name: &str, range| Ok::<_, PyErr>(given.whole(name, &range)?.map(large));
    let sweeps = given.texts("sweep")?.iter().map(|text| Sweep::parse(text)).collect::<Result<Vec<_>, _>>();
    Ok(SimulateOptions {
        traces: given.paths("trace")?,
        configs: given.paths("config")?,
        sweeps: sweeps.map_err(|why| input(format!("sweep: {why}")))?,
        scheduler: given.word("scheduler", SCHEDULERS)?,
        site: SiteOptions { site: given.paths("site")?, properties: given.properties("properties")? },
        cluster: ClusterOptions {
            nodes: given.wholes("nodes", &(1..=1_000_000))?.into_iter().map(small).collect(),
            rack_size: given.whole("rack_size", &(1..=u64::from(u32::MAX)))?.map(small),
            node_memory_mb: amount("node_memory", 1..=ANY)?,
            node_vcores: amount("node_vcores", 1..=ANY)?,
            node_file: given.path("node_file")?,
            changes: given.path("node_events")?,
        },
        ams: given.word("ams", AMS)?.unwrap_or(usual.ams),
        times: given.word("times", TIMES)?.unwrap_or(usual.times),
        added_ams: !given.flag("no_added_ams")?,
        seed: given.whole("seed", &(0..=u64::MAX))?.unwrap_or(usual.seed),
        seeds: given.whole("seeds", &(1..=1000))?.map_or(usual.seeds, small),
        task_ms: given.span("task_time", interval)?.map_or(usual.task_ms, ms),
        largest_machine: [
            amount("machine_memory", 1..=1_000_000_000)?.unwrap_or(usual.largest_machine[0]),
            amount("machine_vcores", 1..=1_000_000)?.unwrap_or(usual.largest_machine[1]),
        ],
        queues: given.texts("queue")?,
        reservations: given.path("reservations")?,
        load: given.real("load", load)?.unwrap_or(usual.load),
        slow_start: given.real("slow_start", part)?.unwrap_or(usual.slow_start),
        failures: given.real("failures", part)?.unwrap_or(usual.failures),
        place_tasks: given.flag("place_tasks")?,
        skip: !given.flag("no_skip")?,
        until_ms: given.span("until", span)?.map(ms),
        every_ms: given.span("every", interval)?.map_or(usual.every_ms, ms),
        rows: given.path("out")?,
        keep_jobs: true,
        decision_steps: decisions.then(|| usize::try_from(steps.unwrap_or(100_000)).unwrap_or(usize::MAX)),
    })
}

/// What the run and the thread that waits for it share.
#[derive(Default)]
struct Shared {
    stop: AtomicBool,
    moment: Mutex<Moment>,
}

type Outcome = Result<(Simulated, Drafts), Failure>;

/// Runs it on other threads until it ends, or until Ctrl-C or `progress` raises.
fn wait_for(py: Python<'_>, options: SimulateOptions, progress: Option<&Bound<'_, PyAny>>) -> PyResult<Outcome> {
    let shared = Arc::new(Shared::default());
    let (sender, receiver) = mpsc::channel();
    let told = Arc::clone(&shared);
    let run = move || {
        let outcome = simulate_drafted(&options, &|moment| {
            if let Ok(mut last) = told.moment.lock() {
                *last = moment;
            }
            // ORDERING: Relaxed, here and below. The flag carries no data.
            !told.stop.load(Ordering::Relaxed)
        });
        // Nobody waits for a run that did not stop in time.
        let _ = sender.send(outcome);
    };
    std::thread::Builder::new().name("evenweave".to_owned()).spawn(run)?;
    // The receiver is nobody else's, and may be taken along while Python goes on.
    let receiver = Mutex::new(receiver);
    let receive = |time: Duration| {
        py.detach(|| match receiver.lock() {
            Ok(receiver) => receiver.recv_timeout(time),
            Err(_) => Err(mpsc::RecvTimeoutError::Disconnected),
        })
    };
    loop {
        match receive(LOOK) {
            Ok(outcome) => return Ok(outcome),
            Err(mpsc::RecvTimeoutError::Disconnected) => {
                return Err(PyRuntimeError::new_err("the simulation has panicked; standard error has the place"));
            }
            Err(mpsc::RecvTimeoutError::Timeout) => {}
        }
        let goes_on = py.check_signals().and_then(|()| match progress {
            Some(progress) => {
                let moment = shared.moment.lock().map_or_else(|_| Moment::default(), |moment| *moment);
                let Moment { run, now_ms, jobs, open, granted } = moment;
                progress.call1((run, now_ms, jobs, open, granted)).map(drop)
            }
            None => Ok(()),
        });
        if let Err(error) = goes_on {
            shared.stop.store(true, Ordering::Relaxed);
            // Files that are not finished go with it.
            let _ = receive(PATIENCE);
            return Err(error);
        }
    }
}

/// Writes what the program writes.
fn write(
    simulated: &Simulated,
    mut drafts: Drafts,
    out: Option<&(PathBuf, PathBuf)>,
    decisions: Option<&PathBuf>,
) -> Result<(), Failure> {
    if let Some((out, page)) = out {
        put_simulation(simulated, page, &mut drafts)?;
        put_tables(simulated, out, &mut drafts)?;
    }
    if let Some(path) = decisions {
        put_decisions(simulated, path, &mut drafts)?;
    }
    drafts.keep().map_err(|error| {
        let shown = out.map_or(decisions, |(out, _)| Some(out)).map(|path| path.display().to_string());
        Failure::input(format!("--out {}: {error}", shown.unwrap_or_default()))
    })
}

/// What must be said beside the figures, as the program says it on standard error or first of all.
fn warnings(simulated: &Simulated) -> Vec<String> {
    let mut all = simulated.warnings.clone();
    all.extend(scenarios_end(simulated));
    all.extend(refusals(simulated));
    for run in simulated.runs.iter().filter_map(|runs| runs.first()) {
        all.extend(unended(run).first().map(|said| format!("{}: {said}", run.name)));
    }
    all.extend(simulated.nothing());
    all
}

/// Simulates, and gives a dictionary: `jobs`, `intervals` and `queues` by column, `summary` as JSON, `words`,
/// `remarks`, `warnings`, `cut`, `unended`, `report`.
#[pyfunction]
pub(crate) fn simulate<'py>(
    py: Python<'py>,
    arguments: &Bound<'py, PyDict>,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let given = Given(arguments);
    let options = options(&given)?;
    let decisions = given.path("decisions")?;
    let out = match &options.rows {
        Some(out) => Some((out.clone(), check_writable(out).map_err(|failure| raised(py, failure))?)),
        None => None,
    };
    let (simulated, drafts) = wait_for(py, options, progress.as_ref())?.map_err(|failure| raised(py, failure))?;
    py.detach(|| write(&simulated, drafts, out.as_ref(), decisions.as_ref())).map_err(|failure| raised(py, failure))?;
    let (summary, text) = py.detach(|| (json(&simulated), words(&simulated)));
    let said: Vec<(usize, &str, String)> = (1..)
        .zip(simulated.runs.iter().filter_map(|runs| runs.first()))
        .flat_map(|(number, run)| remarks(run).into_iter().map(move |remark| (number, run.name.as_str(), remark)))
        .collect();
    let runs = || simulated.runs.iter().flatten();
    let result = PyDict::new(py);
    result.set_item("jobs", tables::jobs(py, &simulated)?)?;
    result.set_item("intervals", tables::intervals(py, &simulated)?)?;
    result.set_item("queues", tables::queues(py, &simulated)?)?;
    result.set_item("summary", summary)?;
    result.set_item("words", text)?;
    result.set_item("remarks", said)?;
    result.set_item("warnings", warnings(&simulated))?;
    result.set_item("cut", runs().any(|run| run.cut))?;
    result.set_item("unended", runs().flat_map(|run| run.unended.values()).map(|unended| unended.jobs).sum::<u64>())?;
    result.set_item("report", out.map(|(_, page)| page))?;
    Ok(result)
}
