//! The file of runs, one JSON object a line. A comparison reads what is there and appends what it measures, line by
//! line: however it ends, what was measured is kept.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use evenweave_tools::Failure;
use evenweave_tools::numbers::grouped;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::cells::Cell;
use super::child::Outcome;
use super::machine::{Build, Machine, date};
use super::run_order::Turn;
use super::settings::Setting;
use crate::api::read_text_file;

/// A larger file is none of runs.
const LARGEST: u64 = 1 << 30;

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
            None => format!("{} allocations/s, {:.5} CPU s per 1,000", grouped(figures.rate), figures.cpu_s_per_1000),
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
        // One that is there must be a regular file: a pipe would be waited for.
        let text = match read_text_file(path, LARGEST) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            read => read.map_err(wrong)?,
        };
        let mut file = OpenOptions::new().create(true).append(true).open(path).map_err(wrong)?;
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
        let before = self.file.metadata().map(|metadata| metadata.len());
        let written = self.file.write_all(line.as_bytes()).and_then(|()| self.file.flush());
        if let (Err(_), Ok(before)) = (&written, before) {
            // On a full disk half a line would be all that the next comparison reads.
            let _ = self.file.set_len(before);
        }
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

#[cfg(test)]
mod tests {
    use super::super::cells::chosen;
    use super::super::settings::{Extent, ours};
    use super::*;
    use serde_json::json;

    /// A results file of one test, gone at its end.
    struct Scratch(PathBuf);

    impl Scratch {
        fn new(name: &str) -> Scratch {
            let directory = std::env::temp_dir().join(format!("evenweave-results-{name}-{}", std::process::id()));
            Scratch(directory.join("deeper/runs.jsonl"))
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            let directory = self.0.parent().and_then(Path::parent).unwrap();
            let _ = std::fs::remove_dir_all(directory);
        }
    }

    fn build(fingerprint: &str) -> Build {
        let machine = Machine { cpu: Some("test".to_owned()), cores: 2 };
        Build { fingerprint: fingerprint.to_owned(), commit: None, machine }
    }

    fn outcome(rate: f64) -> Outcome {
        let records = vec![json!({"allocations_per_s": rate, "cpu_s_per_1000": 0.5, "full": 1.0, "update_ms": null})];
        Outcome { command: "run".to_owned(), records, load: [0.0, 1.5], peak_mib: 3 }
    }

    /// What was appended is there for the next one that opens the file, and counts only where nothing was different.
    #[test]
    fn a_later_comparison_goes_on_from_what_is_there() {
        let scratch = Scratch::new("resume");
        let cell = &chosen(&["W2:S:fair".to_owned()], &[1]).unwrap()[0];
        let (one, other) = (ours(cell, Extent::Quick, 1), ours(cell, Extent::Quick, 2));
        let turn = |setting, round| Turn { cell, setting, round };
        let mut results = Results::open(&scratch.0, false).unwrap();
        let run = Run::of(&build("a"), &turn(&one, 1), outcome(7.0));
        results.append(run).unwrap();
        let results = Results::open(&scratch.0, false).unwrap();
        assert!(results.has(&build("a"), &turn(&one, 1)));
        assert!(!results.has(&build("a"), &turn(&one, 2)), "another round");
        assert!(!results.has(&build("a"), &turn(&other, 1)), "another setting");
        assert!(!results.has(&build("b"), &turn(&one, 1)), "another build");
        assert_eq!(results.of(&build("a"), cell, &one)[0].figures().rate, 7.0);
    }

    #[test]
    fn a_fresh_one_keeps_the_old_aside() {
        let scratch = Scratch::new("fresh");
        let cell = &chosen(&["W2:S:fair".to_owned()], &[1]).unwrap()[0];
        let setting = ours(cell, Extent::Quick, 1);
        let turn = Turn { cell, setting: &setting, round: 1 };
        Results::open(&scratch.0, false).unwrap().append(Run::of(&build("a"), &turn, outcome(7.0))).unwrap();
        assert!(!Results::open(&scratch.0, true).unwrap().has(&build("a"), &turn));
        let aside = scratch.0.with_extension("jsonl.old");
        assert!(Results::open(&aside, false).unwrap().has(&build("a"), &turn));
    }

    /// A last line without its end still counts, and what follows begins a line of its own.
    #[test]
    fn a_file_without_a_last_newline_is_gone_on_with() {
        let scratch = Scratch::new("newline");
        let cell = &chosen(&["W2:S:fair".to_owned()], &[1]).unwrap()[0];
        let setting = ours(cell, Extent::Quick, 1);
        let turn = |round| Turn { cell, setting: &setting, round };
        Results::open(&scratch.0, false).unwrap().append(Run::of(&build("a"), &turn(1), outcome(7.0))).unwrap();
        let text = std::fs::read_to_string(&scratch.0).unwrap();
        std::fs::write(&scratch.0, text.trim_end()).unwrap();
        Results::open(&scratch.0, false).unwrap().append(Run::of(&build("a"), &turn(2), outcome(8.0))).unwrap();
        let rates: Vec<f64> = Results::open(&scratch.0, false)
            .unwrap()
            .of(&build("a"), cell, &setting)
            .iter()
            .map(|run| run.figures().rate)
            .collect();
        assert_eq!(rates, [7.0, 8.0]);
    }

    #[test]
    fn a_broken_line_is_told_with_file_and_number() {
        let scratch = Scratch::new("broken");
        std::fs::create_dir_all(scratch.0.parent().unwrap()).unwrap();
        std::fs::write(&scratch.0, "\n{\"cell\":\n").unwrap();
        match Results::open(&scratch.0, false) {
            Err(Failure::Input(message)) => {
                assert!(
                    message.contains("runs.jsonl:2: not a run of a comparison") && message.contains("--fresh"),
                    "{message}"
                );
            }
            other => panic!("{other:?}"),
        }
    }
}
