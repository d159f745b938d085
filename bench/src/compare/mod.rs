//! `evenweave bench compare`: the standard workloads through this scheduler and through others, in turn, side by side.
//!
//! Every run is a process of its own, on this side as on theirs, so that memory and processor time are counted alike. Runs follow each
//! other on one thread; what a run gave is in the results file before the next one starts.
//!
//! | module | what |
//! | --- | --- |
//! | `cells` | what is compared, and which ratios are wanted |
//! | `settings` | how each side is run for a cell: modes, times |
//! | `programs` | where the peers' programs are, and how they are built |
//! | `child` | a run of a program: its records, its memory, its end |
//! | `machine` | what it ran on: processor, load, commit, date |
//! | `results` | the file of runs, which a comparison goes on from |
//! | `summary` | medians, spreads, the fastest mode, ratios |
//! | `tell`, `page` | table and JSON; the page |

mod cells;
mod child;
mod machine;
mod page;
mod programs;
mod results;
mod settings;
mod summary;
mod tell;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use indicatif::{ProgressBar, ProgressStyle};

use cells::Cell;
use machine::Build;
use programs::{Program, Programs};
use results::{Results, Run};
use settings::{Extent, Setting};
use summary::CellSummary;

use crate::cli::{CompareArgs, CompareFormat};
use crate::failure::Failure;

/// A cell with all the ways in which it is run.
struct Contest {
    cell: Cell,
    theirs: Vec<Setting>,
    ours: Setting,
}

/// One run that is wanted.
struct Turn<'a> {
    cell: &'a Cell,
    setting: &'a Setting,
    round: u32,
}

/// Theirs in each mode, ours, and so round by round; one cell after the other, so that rounds of a cell lie close together.
fn turns(contests: &[Contest], rounds: u32) -> Vec<Turn<'_>> {
    let mut turns = Vec::new();
    for Contest { cell, theirs, ours } in contests {
        for round in 1..=rounds {
            turns.extend(theirs.iter().chain([ours]).map(|setting| Turn { cell, setting, round }));
        }
    }
    turns
}

/// Runs what is missing, and tells of all. Whether every run that is wanted is there.
///
/// # Errors
/// Cells that are not there, results that cannot be read or written, a report that cannot be written.
pub(crate) fn run(args: &CompareArgs) -> Result<bool, Failure> {
    let extent = Extent::of(args);
    let contests: Vec<Contest> = cells::chosen(&args.cells, &args.drivers)?
        .into_iter()
        .map(|cell| Contest {
            theirs: settings::theirs(&cell, extent),
            ours: settings::ours(&cell, extent, args.workers),
            cell,
        })
        .collect();
    let build = Build::of(args.ours.as_deref())?;
    let mut results = Results::open(&args.results, args.fresh)?;
    let turns = turns(&contests, args.rounds.unwrap_or(extent.rounds()));
    let whole = measure(args, &build, &turns, &mut results)?;
    let summaries: Vec<CellSummary> = contests
        .iter()
        .filter_map(|contest| {
            // Rounds of earlier comparisons count, too, where everything was the same.
            let of = |setting: &Setting| results.of(&build, &contest.cell, setting);
            CellSummary::of(
                &contest.cell,
                &contest.theirs.iter().map(|s| (&*s.mode, of(s))).collect::<Vec<_>>(),
                &of(&contest.ours),
            )
        })
        .collect();
    if let Some(path) = &args.report {
        page::write(path, &build, &summaries, &results.counted(&build, &turns))?;
    }
    match args.format {
        CompareFormat::Json => crate::output::say!("{}", tell::json(&build, &summaries, whole)),
        CompareFormat::Table => {
            crate::output::say!("{}", tell::table(&summaries));
            crate::output::say!("{}", tell::NOTE);
        }
    }
    eprintln!("results: {}", args.results.display());
    Ok(whole)
}

/// Makes the runs that the results do not have. Whether none is missing in the end.
fn measure(args: &CompareArgs, build: &Build, turns: &[Turn<'_>], results: &mut Results) -> Result<bool, Failure> {
    let missing: Vec<&Turn<'_>> = turns.iter().filter(|turn| !results.has(build, turn)).collect();
    if missing.len() < turns.len() {
        eprintln!("{} of {} runs are there already", turns.len() - missing.len(), turns.len());
    }
    if missing.is_empty() {
        return Ok(true);
    }
    let stop = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stop);
    // ORDERING: Relaxed. The flag carries no data.
    ctrlc::set_handler(move || flag.store(true, Ordering::Relaxed))
        .map_err(|error| Failure::input(format!("Ctrl-C cannot be caught: {error}")))?;
    let stopped = || stop.load(Ordering::Relaxed);
    let progress = Progress::new(missing.len());
    let programs = Programs::new(args)?;
    let mut ready: BTreeMap<Program, bool> = BTreeMap::new();
    let mut whole = true;
    for turn in missing {
        if stopped() {
            break;
        }
        let program = turn.setting.program;
        let usable = *ready.entry(program).or_insert_with(|| {
            if program != Program::Evenweave {
                progress.now(&format!("building {}", program.name()));
            }
            programs
                .prepare(program)
                .map_err(|why| progress.line(&format!("{} is left out: {why}", program.name())))
                .is_ok()
        });
        // A peer that cannot be run leaves its cells without a comparison, and this side's figures of them with nothing beside them.
        let peer = turn.cell.peer.program();
        if !usable || ready.get(&peer) == Some(&false) {
            whole = false;
            progress.done();
            continue;
        }
        let name = format!("{} round {} {}", turn.cell.name(), turn.round, turn.setting.who());
        progress.now(&name);
        match child::run(&programs.command(turn.setting), args.limit, &stopped) {
            Ok(outcome) => {
                let run = Run::of(build, turn, outcome);
                progress.line(&format!("{name}: {}", run.told()));
                results.append(run)?;
            }
            Err(_) if stopped() => break,
            Err(why) => {
                progress.line(&format!("{name} failed: {why}"));
                whole = false;
            }
        }
        progress.done();
    }
    progress.clear();
    if stopped() {
        eprintln!("interrupted; the same command goes on from what is in {}", args.results.display());
        whole = false;
    }
    Ok(whole)
}

/// A bar on a terminal, lines elsewhere.
struct Progress(ProgressBar);

impl Progress {
    fn new(runs: usize) -> Progress {
        let style = ProgressStyle::with_template("{bar:32} {pos}/{len} {elapsed:>4}  {msg}")
            .expect("the template is well-formed")
            .progress_chars("━╸─");
        let bar = ProgressBar::new(runs as u64).with_style(style);
        bar.enable_steady_tick(std::time::Duration::from_secs(1));
        Progress(bar)
    }

    /// What goes on now.
    fn now(&self, what: &str) {
        if self.0.is_hidden() {
            eprintln!("{what} …");
        } else {
            self.0.set_message(what.to_owned());
        }
    }

    /// What stays to be read.
    fn line(&self, text: &str) {
        self.0.suspend(|| eprintln!("{text}"));
    }

    fn done(&self) {
        self.0.inc(1);
    }

    fn clear(&self) {
        self.0.finish_and_clear();
    }
}
