//! The file of runs, one JSON object a line. A comparison reads what is there and appends what it measures, line by line: however it
//! ends, what was measured is kept.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Turn;
use super::cells::Cell;
use super::child::Outcome;
use super::machine::{Build, Machine, date};
use super::settings::Setting;
use crate::failure::Failure;
use crate::report::grouped;

/// One run of one side.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Run {
    pub(super) cell: String,
    /// `ours dyn`, `theirs max`.
    pub(super) who: String,
    pub(super) round: u32,
    /// With `who` and `cell`, what is not run a second time.
    arguments: String,
    fingerprint: String,
    pub(super) commit: Option<String>,
    pub(super) date: String,
    pub(super) machine: Machine,
    pub(super) load: [f64; 2],
    pub(super) peak_mib: u64,
    pub(super) command: String,
    records: Vec<Value>,
}

/// What a run is counted with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Figures {
    /// Allocations a second.
    pub(super) rate: f64,
    pub(super) cpu_s_per_1000: f64,
    /// W3: milliseconds of an update.
    pub(super) update_ms: Option<f64>,
    pub(super) full: f64,
}

impl Figures {
    fn of(record: &Value) -> Figures {
        let number = |value: &Value| value.as_f64().unwrap_or(0.0);
        Figures {
            rate: number(&record["allocations_per_s"]),
            cpu_s_per_1000: number(&record["cpu_s_per_1000"]),
            update_ms: record["update_ms"]["p50"].as_f64(),
            full: number(&record["full"]),
        }
    }
}

impl Run {
    pub(super) fn of(build: &Build, turn: &Turn<'_>, outcome: Outcome) -> Run {
        Run {
            cell: turn.cell.name(),
            who: turn.setting.who(),
            round: turn.round,
            arguments: turn.setting.arguments.join(" "),
            fingerprint: build.fingerprint.clone(),
            commit: build.commit.clone(),
            date: date(),
            machine: build.machine.clone(),
            load: outcome.load,
            peak_mib: outcome.peak_mib,
            command: outcome.command,
            records: outcome.records,
        }
    }

    /// Those of the repeat in the middle.
    pub(super) fn figures(&self) -> Figures {
        let mut all: Vec<Figures> = self.records.iter().map(Figures::of).collect();
        all.sort_by(|a, b| a.update_ms.unwrap_or(a.rate).total_cmp(&b.update_ms.unwrap_or(b.rate)));
        all[all.len() / 2]
    }

    /// On one line.
    pub(super) fn told(&self) -> String {
        let figures = self.figures();
        match figures.update_ms {
            Some(ms) => format!("{ms:.3} ms an update"),
            None => format!("{} allocations/s, {:.4} CPU s per 1,000", grouped(figures.rate), figures.cpu_s_per_1000),
        }
    }

    fn same(&self, build: &Build, cell: &Cell, setting: &Setting) -> bool {
        self.fingerprint == build.fingerprint
            && self.machine == build.machine
            && self.cell == cell.name()
            && self.who == setting.who()
            && self.arguments == setting.arguments.join(" ")
    }
}

/// The file and what is in it.
#[derive(Debug)]
pub(super) struct Results {
    path: PathBuf,
    file: File,
    runs: Vec<Run>,
}

impl Results {
    /// Reads the file, or begins it; `fresh` puts one that is there aside.
    ///
    /// # Errors
    /// A line that is no run; what the file system says.
    pub(super) fn open(path: &Path, fresh: bool) -> Result<Results, Failure> {
        let wrong = |error: std::io::Error| Failure::input(format!("--results {}: {error}", path.display()));
        if let Some(directory) = path.parent() {
            std::fs::create_dir_all(directory).map_err(wrong)?;
        }
        if fresh && path.exists() {
            let mut aside = path.to_owned().into_os_string();
            aside.push(".old");
            std::fs::rename(path, aside).map_err(wrong)?;
        }
        let mut file = OpenOptions::new().create(true).append(true).open(path).map_err(wrong)?;
        let text = std::fs::read_to_string(path).map_err(wrong)?;
        let runs = parse(path, &text)?;
        if !text.is_empty() && !text.ends_with('\n') {
            file.write_all(b"\n").map_err(wrong)?;
        }
        Ok(Results { path: path.to_owned(), file, runs })
    }

    pub(super) fn has(&self, build: &Build, turn: &Turn<'_>) -> bool {
        self.runs.iter().any(|run| run.round == turn.round && run.same(build, turn.cell, turn.setting))
    }

    /// Runs of a cell in one setting, by round.
    pub(super) fn of(&self, build: &Build, cell: &Cell, setting: &Setting) -> Vec<&Run> {
        let mut runs: Vec<&Run> = self.runs.iter().filter(|run| run.same(build, cell, setting)).collect();
        runs.sort_by_key(|run| run.round);
        runs
    }

    /// Runs that these turns are made of, as they were made.
    pub(super) fn counted(&self, build: &Build, turns: &[Turn<'_>]) -> Vec<&Run> {
        let wanted = |run: &&Run| turns.iter().any(|turn| run.same(build, turn.cell, turn.setting));
        self.runs.iter().filter(wanted).collect()
    }

    /// In the file before it is counted.
    ///
    /// # Errors
    /// What the file system says.
    pub(super) fn append(&mut self, run: Run) -> Result<(), Failure> {
        let mut line = serde_json::to_string(&run).expect("a run has nothing that JSON lacks");
        line.push('\n');
        // One write, straight to the file: an interrupted program leaves whole lines.
        let written = self.file.write_all(line.as_bytes()).and_then(|()| self.file.flush());
        written.map_err(|error| Failure::input(format!("--results {}: {error}", self.path.display())))?;
        self.runs.push(run);
        Ok(())
    }
}

fn parse(path: &Path, text: &str) -> Result<Vec<Run>, Failure> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(index, line)| {
            let broken = |why: &str| {
                let (path, number) = (path.display(), index + 1);
                let message = format!(
                    "{path}:{number}: not a run of a comparison: {why}; remove the line, or begin anew with --fresh"
                );
                Failure::input(message)
            };
            let run: Run = serde_json::from_str(line).map_err(|error| broken(&error.to_string()))?;
            if run.records.is_empty() { Err(broken("it has no records")) } else { Ok(run) }
        })
        .collect()
}
