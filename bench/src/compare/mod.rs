//! `evenweave bench compare`: the standard workloads through this scheduler and through others, in turn, side by side.
//!
//! Every run is a process of its own, on this side as on theirs, so that memory and processor time are counted alike.
//! Runs follow each other on one thread; what a run gave is in the results file before the next one starts.
//!
//! | module | what |
//! | --- | --- |
//! | `options` | what is asked for |
//! | `sides` | who is run |
//! | `cells` | what is compared, and which ratios are wanted |
//! | `settings` | how each side is run for a cell: modes, times |
//! | `turns` | the runs that are wanted, in order |
//! | `programs` | where the peers' programs are, and how they are built |
//! | `child` | a run of a program: its records, its memory, its end |
//! | `machine` | what it ran on: processor, load, commit, date |
//! | `results` | the file of runs, which a comparison goes on from |
//! | `summary` | medians, spreads, the fastest mode, ratios |
//! | `tell`, `page` | table and JSON; the page |
//! | `progress` | what goes on meanwhile |

mod cells;
mod child;
mod machine;
mod options;
mod page;
mod programs;
mod progress;
mod results;
mod run_order;
mod settings;
mod sides;
mod summary;
mod tables;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

pub use options::CompareOptions;
pub use settings::Extent;

use machine::Build;
use programs::Programs;
use progress::Progress;
use results::{Results, Run};
use run_order::{CellRuns, Turn};
use settings::Setting;
use sides::Program;
use summary::CellSummary;

use crate::options::Format;
use evenweave_tools::Failure;

/// Runs what is missing, and tells of all. Whether every run that is wanted is there. With `stop` up the run that is
/// under way is ended and does not count, and no other is made.
///
/// # Errors
/// Cells that are not there, results that cannot be read or written, a report that cannot be written.
pub fn run(options: &CompareOptions, stop: &AtomicBool) -> Result<bool, Failure> {
    let extent = options.extent;
    let contests: Vec<CellRuns> = cells::chosen(&options.cells, &options.drivers)?
        .into_iter()
        .map(|cell| CellRuns::of(cell, extent, options.workers))
        .collect();
    let ours = programs::ours(options.ours.as_deref())?;
    let build = Build::of(&ours)?;
    let mut results = Results::open(&options.results, options.fresh)?;
    let turns = run_order::turns(&contests, options.rounds.unwrap_or(extent.rounds()));
    let whole = measure(options, ours, &build, &turns, &mut results, stop)?;
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
    if let Some(path) = &options.report {
        page::write(path, &build, &summaries, &results.counted(&build, &turns))?;
    }
    match options.format {
        Format::Json => evenweave_tools::output::say_json!(tables::json(&build, &summaries, whole)),
        Format::Table => {
            evenweave_tools::output::say!("{}", tables::table(&summaries));
            evenweave_tools::output::say!("{}", tables::NOTE);
        }
    }
    evenweave_tools::output::note!("results: {}", options.results.display());
    Ok(whole)
}

/// The command lines, without the program's name, by which this side is run in any comparison.
///
/// # Panics
/// Never: all cells are there when none is chosen.
#[must_use]
pub fn own_command_lines() -> Vec<Vec<String>> {
    let cells = cells::chosen(&[], &[1, 2]).expect("no word is asked for that no cell goes by");
    let both = cells.iter().flat_map(|cell| [Extent::Quick, Extent::Full].map(|extent| (cell, extent)));
    both.map(|(cell, extent)| settings::ours(cell, extent, 1).arguments).collect()
}

/// Makes the runs that the results do not have. Whether none is missing in the end.
fn measure(
    options: &CompareOptions,
    ours: PathBuf,
    build: &Build,
    turns: &[Turn<'_>],
    results: &mut Results,
    stop: &AtomicBool,
) -> Result<bool, Failure> {
    let missing: Vec<&Turn<'_>> = turns.iter().filter(|turn| !results.has(build, turn)).collect();
    if missing.len() < turns.len() {
        evenweave_tools::output::note!("{} of {} runs are there already", turns.len() - missing.len(), turns.len());
    }
    if missing.is_empty() {
        return Ok(true);
    }
    // ORDERING: Relaxed. The flag carries no data.
    let stopped = || stop.load(Ordering::Relaxed);
    let progress = Progress::new(missing.len());
    let programs = Programs::new(ours, options.peers.as_deref())?;
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
        // A peer that cannot be run leaves its cells without a comparison, and this side's figures of them with nothing
        // beside them.
        let peer = turn.cell.peer.program();
        if !usable || ready.get(&peer) == Some(&false) {
            whole = false;
            progress.done();
            continue;
        }
        let name = format!("{} round {} {}", turn.cell.name(), turn.round, turn.setting.who());
        progress.now(&name);
        match child::run(&programs.command(turn.setting), options.limit, &stopped) {
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
        evenweave_tools::output::note!(
            "interrupted; the same command goes on from what is in {}",
            options.results.display()
        );
        whole = false;
    }
    Ok(whole)
}
