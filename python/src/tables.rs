//! Rows of a simulation by column: the same columns as in its CSV files, after those that say of which run a row is.
//!
//! A column is its name, its kind and a list. The kinds are `int`, `int?` (some are None), `float` (some may be None),
//! `str` and `str?`.

use std::collections::HashMap;

use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};

use crate::simulator::{JobRecord, PointFacts, RunResult, Simulated, Spread};

/// Name, kind, values.
type Column<'py> = (String, &'static str, Bound<'py, PyList>);

/// A table under way.
pub(crate) struct Table<'py> {
    py: Python<'py>,
    columns: Vec<Column<'py>>,
    texts: HashMap<String, Bound<'py, PyString>>,
}

impl<'py> Table<'py> {
    fn new(py: Python<'py>) -> Table<'py> {
        Table { py, columns: Vec::new(), texts: HashMap::new() }
    }

    fn put<T: IntoPyObject<'py>>(
        &mut self,
        name: &str,
        kind: &'static str,
        values: impl Iterator<Item = T>,
    ) -> PyResult<()> {
        let values: Vec<T> = values.collect();
        self.columns.push((name.to_owned(), kind, PyList::new(self.py, values)?));
        Ok(())
    }

    /// Texts that come often are made once.
    fn put_texts<'t>(&mut self, name: &str, values: impl Iterator<Item = &'t str>) -> PyResult<()> {
        let (py, texts) = (self.py, &mut self.texts);
        let made: Vec<Bound<'py, PyString>> = values
            .map(|text| match texts.get(text) {
                Some(made) => made.clone(),
                None => texts.entry(text.to_owned()).or_insert_with(|| PyString::new(py, text)).clone(),
            })
            .collect();
        self.put(name, "str", made.into_iter())
    }

    /// Of which run each row is: its number from 1, as in the names of the CSV files, its file of queues, and where it
    /// stands in the grid.
    fn put_runs(&mut self, simulated: &Simulated, rows: &[(usize, &RunResult)]) -> PyResult<()> {
        self.put("run", "int", rows.iter().map(|(number, _)| *number))?;
        self.put_texts("config", rows.iter().map(|(_, run)| run.name.as_str()))?;
        for (place, axis) in simulated.axes().into_iter().enumerate() {
            let values = || rows.iter().map(|(_, run)| run.at.get(place).map_or("", |(_, value)| value.as_str()));
            let wholes: Result<Vec<i64>, _> = values().map(str::parse::<i64>).collect();
            let reals: Result<Vec<f64>, _> = values().map(str::parse::<f64>).collect();
            match (wholes, reals) {
                (Ok(wholes), _) => self.put(axis, "int", wholes.into_iter())?,
                (Err(_), Ok(reals)) => self.put(axis, "float", reals.into_iter())?,
                (Err(_), Err(_)) => self.put_texts(axis, values())?,
            }
        }
        Ok(())
    }
}

fn runs(simulated: &Simulated) -> impl Iterator<Item = (usize, &RunResult)> {
    (1..).zip(&simulated.runs).flat_map(|(number, runs)| runs.iter().map(move |run| (number, run)))
}

/// A row a job, of every seed.
pub(crate) fn jobs<'py>(py: Python<'py>, simulated: &Simulated) -> PyResult<Vec<Column<'py>>> {
    let rows: Vec<(usize, &RunResult)> =
        runs(simulated).flat_map(|(number, run)| run.jobs.iter().map(move |_| (number, run))).collect();
    let jobs = || runs(simulated).flat_map(|(_, run)| &run.jobs);
    let mut table = Table::new(py);
    table.put_runs(simulated, &rows)?;
    table.put("seed", "int", rows.iter().map(|(_, run)| run.seed))?;
    table.put("job", "str", jobs().map(|job| job.job.as_str()))?;
    table.put("application", "int", jobs().map(|job| job.application))?;
    table.put_texts("queue", jobs().map(|job| job.queue.as_str()))?;
    table.put_texts("user", jobs().map(|job| job.user.as_str()))?;
    table.put_texts("type", jobs().map(|job| job.kind))?;
    table.put("submitted_ms", "int", jobs().map(|job| job.submitted_ms))?;
    table.put("registered_ms", "int?", jobs().map(|job| job.registered_ms))?;
    table.put("first_task_ms", "int?", jobs().map(|job| job.first_task_ms))?;
    table.put("ended_ms", "int?", jobs().map(|job| job.ended_ms))?;
    table.put("runtime_ms", "int?", jobs().map(JobRecord::runtime_ms))?;
    table.put("wait_ms", "int?", jobs().map(JobRecord::wait_ms))?;
    table.put("slowdown", "float", jobs().map(JobRecord::slowdown))?;
    table.put_texts("end", jobs().map(|job| job.end.as_str()))?;
    table.put("containers", "int", jobs().map(|job| job.containers))?;
    table.put("preempted", "int", jobs().map(|job| job.preempted))?;
    table.put("unused", "int", jobs().map(|job| job.unused))?;
    table.put("lost_mib_s", "float", jobs().map(|job| job.lost_mib_s))?;
    table.put("tasks", "int", jobs().map(|job| job.tasks))?;
    table.put("tasks_done", "int", jobs().map(|job| job.tasks_done))?;
    table.put("waited_for", "str?", jobs().map(|job| job.waited_for.as_deref()))?;
    Ok(table.columns)
}

/// A row a queue at the end of an interval, of every seed.
pub(crate) fn intervals<'py>(py: Python<'py>, simulated: &Simulated) -> PyResult<Vec<Column<'py>>> {
    let mut rows = Vec::new();
    let mut samples = Vec::new();
    for (number, run) in runs(simulated) {
        for interval in &run.intervals {
            for ((name, _), sample) in run.queues.iter().zip(&interval.queues) {
                rows.push((number, run));
                samples.push((interval, name.as_str(), sample));
            }
        }
    }
    let all = || samples.iter();
    let mut table = Table::new(py);
    table.put_runs(simulated, &rows)?;
    table.put("seed", "int", rows.iter().map(|(_, run)| run.seed))?;
    table.put("at_ms", "int", all().map(|(interval, ..)| interval.at_ms))?;
    table.put_texts("queue", all().map(|(_, name, _)| *name))?;
    table.put("usage_mb", "int", all().map(|(.., sample)| sample.usage))?;
    table.put("share_mb", "int", all().map(|(.., sample)| sample.share))?;
    table.put("demand_mb", "int", all().map(|(.., sample)| sample.demand))?;
    table.put("memory_used", "float", all().map(|(interval, ..)| interval.utilisation[0]))?;
    table.put("vcores_used", "float", all().map(|(interval, ..)| interval.utilisation[1]))?;
    table.put("jobs", "int", all().map(|(interval, ..)| interval.jobs))?;
    table.put("granted", "int", all().map(|(interval, ..)| interval.granted))?;
    table.put("ended", "int", all().map(|(interval, ..)| interval.ended))?;
    table.put("preempted", "int", all().map(|(interval, ..)| interval.preempted))?;
    Ok(table.columns)
}

/// A row a file of queues, or point of the grid, and queue: over all seeds, all queues together first.
pub(crate) fn queues<'py>(py: Python<'py>, simulated: &Simulated) -> PyResult<Vec<Column<'py>>> {
    let points: Vec<(usize, &RunResult, usize, PointFacts)> = (1..)
        .zip(&simulated.runs)
        .filter_map(|(number, runs)| Some((number, runs.first()?, runs.len(), PointFacts::of(runs))))
        .collect();
    let all = || points.iter().flat_map(|point| point.3.queues.iter().map(move |queue| (point, queue)));
    let rows: Vec<(usize, &RunResult)> = all().map(|((number, run, ..), _)| (*number, *run)).collect();
    let mut table = Table::new(py);
    table.put_runs(simulated, &rows)?;
    table.put("seeds", "int", all().map(|((_, _, seeds, _), _)| *seeds))?;
    table.put_texts("queue", all().map(|(_, queue)| queue.name.as_str()))?;
    table.put("jobs", "int", all().map(|(_, queue)| queue.jobs))?;
    table.put("not_done", "int", all().map(|(_, queue)| queue.not_done))?;
    let spreads: [(&str, Vec<Spread>); 3] = [
        ("wait_s", all().map(|(_, queue)| queue.wait).collect()),
        ("runtime_s", all().map(|(_, queue)| queue.runtime).collect()),
        ("slowdown", all().map(|(_, queue)| queue.slowdown).collect()),
    ];
    for (what, spreads) in &spreads {
        for (place, figure) in ["mean", "p50", "p95", "p99"].into_iter().enumerate() {
            table.put(&format!("{what}_{figure}"), "float", spreads.iter().map(|spread| spread.figures()[place]))?;
        }
    }
    for (place, what) in ["wait_s_give_or_take", "runtime_s_give_or_take"].into_iter().enumerate() {
        table.put(what, "float", all().map(|(_, queue)| queue.give_or_take.map(|both| both[place])))?;
    }
    table.put("preempted", "int", all().map(|(_, queue)| queue.preempted))?;
    table.put("lost_gib_h", "float", all().map(|(_, queue)| queue.lost_gib_h))?;
    table.put("memory_used", "float", all().map(|(point, _)| point.3.memory))?;
    table.put("jain", "float", all().map(|(point, _)| point.3.jain))?;
    table.put("share_not_had", "float", all().map(|(point, _)| point.3.missing_share))?;
    table.put("makespan_s", "float", all().map(|(point, _)| point.3.makespan))?;
    Ok(table.columns)
}
