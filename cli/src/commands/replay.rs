//! `evenweave replay`: recordings of real Hadoop against what the core does.

use std::path::PathBuf;

use clap::Args;
use evenweave_tools::Failure;
use evenweave_tools::output;
use evenweave_tools::replay::{self, DriverChoice, PlayOptions, ReplayOptions};
use evenweave_tools::say_json;

use crate::arguments::{Word, one_of, workers};

/// Which scheduler plays scenarios.
const DRIVERS: &[Word<DriverChoice>] = &[
    ("stepped", DriverChoice::Stepped, "Without threads, a call for each step"),
    ("threaded", DriverChoice::Threaded, "On threads, waiting until all is quiet after each step"),
];

/// How scenarios are played.
#[derive(Debug, Args)]
pub(crate) struct PlayArgs {
    /// The scheduler that scenarios are played on.
    #[arg(long, value_parser = one_of(DRIVERS), default_value = "stepped")]
    driver: DriverChoice,
    /// Worker threads. With one, decisions must be as recorded; with more, the distance from the recording is reported.
    #[arg(long, default_value_t = 1, value_parser = workers)]
    workers: usize,
    /// How many grants and ends of other workers a worker may miss before it folds them in [default: 16384, or twice
    /// the number of applications].
    #[arg(long, value_name = "R", value_parser = clap::value_parser!(u32).range(1..))]
    fold_every: Option<u32>,
}

#[derive(Debug, Args)]
pub(crate) struct ReplayArgs {
    /// Scenario files (one scenario a line), vector files (one case a line, named FAMILY.jsonl) or recordings of
    /// answers over HTTP (one state a file), gzipped or not.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    play: PlayArgs,
    /// Print one JSON object on standard output, and nothing else.
    #[arg(long)]
    json: bool,
    /// How many failures of a family to show.
    #[arg(long, default_value_t = 5)]
    show: usize,
    /// Print the reasons of each decision. Only with --driver stepped and one worker.
    #[arg(long, conflicts_with_all = ["json", "driver", "workers"])]
    trace: bool,
    /// Replay only the scenarios of this name.
    #[arg(long, value_name = "NAME")]
    scenario: Option<String>,
}

/// Whether everything passed.
///
/// # Errors
/// A file that cannot be read, or is of neither kind.
pub(crate) fn run(args: ReplayArgs) -> Result<bool, Failure> {
    let ReplayArgs { files, play: PlayArgs { driver, workers, fold_every }, json, show, trace, scenario } = args;
    let play = PlayOptions { driver, workers, fold_every };
    let outcomes = replay::replay(&ReplayOptions { files, play, trace, scenario })?;
    if json {
        say_json!(outcomes.json());
    } else {
        output::write(format_args!("{}", outcomes.text(show)));
    }
    Ok(outcomes.tally().failed == 0)
}
