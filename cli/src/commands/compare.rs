//! `evenweave bench compare`: the workloads here and through other schedulers.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use evenweave_bench::compare::{self, CompareOptions, Extent};
use evenweave_bench::options::Format;
use evenweave_tools::Failure;

use crate::arguments::{Word, interval, one_of, workers};
use crate::interrupt;

/// How a comparison is told.
const FORMATS: &[Word<Format>] = &[("table", Format::Table, "For people"), ("json", Format::Json, "One JSON document")];

/// Exit code 0 when all runs are there, 1 when one failed or a peer could not be built.
#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("extent").required(true).args(["quick", "full"]))]
pub(crate) struct CompareArgs {
    /// One round of one repeat of 5 s after a short warm-up; each peer in the mode that is expected to be its fastest.
    #[arg(long)]
    quick: bool,
    /// Three rounds of three repeats after the standard warm-up; the peers in all modes.
    #[arg(long)]
    full: bool,
    /// Cells to run: WORKLOAD, WORKLOAD:SIZE or WORKLOAD:SIZE:PEER, such as W2,W1:M5,W2:L:capacity [default: all].
    #[arg(long, value_name = "CELL", value_delimiter = ',')]
    cells: Vec<String>,
    /// Driver threads of W2 and W4: 1 for all calls, 2 for heartbeats and allocate calls apart; 1,2 for both.
    #[arg(long, value_delimiter = ',', default_value = "1", value_parser = clap::value_parser!(u32).range(1..=2))]
    drivers: Vec<u32>,
    /// Number of rounds: theirs, ours, theirs, ours and so on [default: 1 with --quick, 3 with --full].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    rounds: Option<u32>,
    /// Worker threads of Evenweave.
    #[arg(long, default_value_t = 1, value_parser = workers)]
    workers: usize,
    /// File for the results, a line for each run. Runs that it already has are not repeated.
    #[arg(long, value_name = "FILE", default_value = "evenweave-report/compare.jsonl")]
    results: PathBuf,
    /// Start again. An existing results file is renamed to FILE.old.
    #[arg(long)]
    fresh: bool,
    /// Directory of the peers' programs, as source [default: bench/peers].
    #[arg(long, value_name = "DIR")]
    peers: Option<PathBuf>,
    /// Program to use for Evenweave, such as another build [default: this one].
    #[arg(long, value_name = "PROGRAM")]
    ours: Option<PathBuf>,
    /// A run that lasts longer fails.
    #[arg(long, value_name = "DURATION", default_value = "15m", value_parser = interval)]
    limit: Duration,
    /// Form of the output.
    #[arg(long, value_parser = one_of(FORMATS), default_value = "table")]
    format: Format,
    /// Also write a page with plots.
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
}

/// Whether all runs that were wanted are there.
///
/// # Errors
/// Cells that are not there, results that cannot be read or written, a report that cannot be written.
pub(crate) fn run(args: CompareArgs) -> Result<bool, Failure> {
    let options = CompareOptions {
        extent: if args.full { Extent::Full } else { Extent::Quick },
        cells: args.cells,
        drivers: args.drivers,
        rounds: args.rounds,
        workers: args.workers,
        results: args.results,
        fresh: args.fresh,
        peers: args.peers,
        ours: args.ours,
        limit: args.limit,
        format: args.format,
        report: args.report,
    };
    compare::run(&options, &*interrupt::flag()?)
}
