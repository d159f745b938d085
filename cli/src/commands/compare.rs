//! `evenweave bench compare`: the workloads here and through other schedulers.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use evenweave_bench::Failure;
use evenweave_bench::compare::{self, CompareOptions, Extent};
use evenweave_bench::options::Format;

use crate::arguments::{Word, interval, one_of, workers};
use crate::interrupt;

/// How a comparison is told.
const FORMATS: &[Word<Format>] = &[("table", Format::Table, "For people"), ("json", Format::Json, "One JSON document")];

/// Exit code 0 when all runs are there, 1 when one failed or a peer could not be built.
#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("extent").required(true).args(["quick", "full"]))]
pub(crate) struct CompareArgs {
    /// One round of one repeat of 5 s after a short warm-up, each peer in the mode that is expected to be its fastest.
    #[arg(long)]
    quick: bool,
    /// Three rounds of three repeats after the whole warm-up, the peers in all modes.
    #[arg(long)]
    full: bool,
    /// Only these: workloads, or WORKLOAD:SIZE, or WORKLOAD:SIZE:PEER, such as W2,W1:M5,W2:L:capacity [default: all].
    #[arg(long, value_name = "CELL", value_delimiter = ',')]
    cells: Vec<String>,
    /// Drivers of W2 and W4, such as 1,2: heartbeats and allocate calls on one thread, or on one each.
    #[arg(long, value_delimiter = ',', default_value = "1", value_parser = clap::value_parser!(u32).range(1..=2))]
    drivers: Vec<u32>,
    /// How many rounds: theirs, ours, theirs, ours and so on [default: 1 with --quick, 3 with --full].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    rounds: Option<u32>,
    /// Worker threads of this scheduler.
    #[arg(long, default_value_t = 1, value_parser = workers)]
    workers: usize,
    /// What is measured goes here, a line a run; runs that it has are not made again.
    #[arg(long, value_name = "FILE", default_value = "evenweave-report/compare.jsonl")]
    results: PathBuf,
    /// Begins anew; a results file that is there is kept with `.old` at its end.
    #[arg(long)]
    fresh: bool,
    /// The sources of the peers' programs [default: bench/peers].
    #[arg(long, value_name = "DIR")]
    peers: Option<PathBuf>,
    /// The program that stands for this side, such as another build of it [default: this one].
    #[arg(long, value_name = "PROGRAM")]
    ours: Option<PathBuf>,
    /// A run that lasts longer has failed.
    #[arg(long, value_name = "DURATION", default_value = "15m", value_parser = interval)]
    limit: Duration,
    /// How the comparison is told.
    #[arg(long, value_parser = one_of(FORMATS), default_value = "table")]
    format: Format,
    /// Writes it as a page, too, with plots.
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
