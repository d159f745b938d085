//! `evenweave bench`: the standard workloads.

use std::time::Duration;

use clap::{Args, Subcommand};
use evenweave_bench::options::{
    Background, BenchOptions, CoreChoice, Format, Mode, SchedulerChoice, Size, WorkloadName,
};
use evenweave_bench::{Failure, workload};

use super::compare::{self, CompareArgs};
use crate::arguments::{CORES, SCHEDULERS, Word, interval, one_of, workers};

const WORKLOADS: &[Word<WorkloadName>] = &[
    ("W1", WorkloadName::W1, "Fill an empty cluster"),
    ("W2", WorkloadName::W2, "Steady churn on a full one"),
    ("W3", WorkloadName::W3, "What one update costs when some applications have changed what they want"),
    ("W4", WorkloadName::W4, "Steady churn where every container is wanted on three nodes, if they can be had"),
];

/// Nodes, queues, applications.
const SIZES: &[Word<Size>] = &[
    ("S", Size::S, "1000 nodes, 10 queues, 100 applications"),
    ("M", Size::M, "1000, 100, 1000"),
    ("L", Size::L, "1000, 1000, 10000"),
    ("L50", Size::L50, "1000, 1000, 50000; of W3"),
    ("M5", Size::M5, "5000, 100, 1000"),
    ("L10", Size::L10, "10000, 1000, 10000"),
];

/// How many containers one heartbeat may assign.
const MODES: &[Word<Mode>] = &[
    ("one", Mode::One, "One"),
    ("dyn", Mode::Dyn, "Up to half of what was free"),
    ("max", Mode::Max, "Until nothing fits"),
];

/// What offers nodes beside their heartbeats.
const BACKGROUNDS: &[Word<Background>] = &[
    ("off", Background::Off, "Nothing"),
    ("on", Background::On, "The asynchronous allocation thread, every millisecond"),
    ("continuous", Background::Continuous, "Hadoop's continuous scheduling, every 5 ms"),
];

/// How results are told.
const FORMATS: &[Word<Format>] = &[
    ("json", Format::Json, "One JSON object a repeat, then the median; a table on standard error"),
    ("table", Format::Table, "The table on standard output"),
];

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct BenchArgs {
    #[command(subcommand)]
    command: Option<BenchCommand>,
    /// Always there without a command.
    #[arg(value_parser = one_of(WORKLOADS), ignore_case = true, required = true)]
    workload: Option<WorkloadName>,
    /// Nodes, queues, applications [default: M].
    #[arg(long, value_parser = one_of(SIZES), ignore_case = true)]
    size: Option<Size>,
    /// Whose decisions.
    #[arg(long, value_parser = one_of(SCHEDULERS), default_value = "fair")]
    scheduler: SchedulerChoice,
    /// How many containers one heartbeat may assign [default: dyn, of the CapacityScheduler max].
    #[arg(long, value_parser = one_of(MODES))]
    mode: Option<Mode>,
    /// Worker threads of the scheduler.
    #[arg(long, default_value_t = 1, value_parser = workers)]
    workers: usize,
    /// How far workers may be apart, in grants and ends of containers [default: 16384, or twice the applications].
    #[arg(long, value_name = "R", value_parser = clap::value_parser!(u32).range(1..))]
    fold_every: Option<u32>,
    /// Driver threads: heartbeats and allocate calls on one, or one each.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=2))]
    drivers: u32,
    /// No threads beside the workers': each worker's plays its own nodes and a part of the applications between its polls.
    #[arg(long)]
    self_driven: bool,
    /// What offers nodes beside their heartbeats.
    #[arg(long = "async", value_parser = one_of(BACKGROUNDS), default_value = "off")]
    background: Background,
    /// After the repeats, heartbeats at fixed times: at 50, 80 and 95 % of the highest rate.
    #[arg(long)]
    open_loop: bool,
    /// After each repeat one more, while a live page is open and Prometheus and a program ask once a second; of W2 and W4.
    #[arg(long)]
    asked: bool,
    /// The core to drive.
    #[arg(long, value_parser = one_of(CORES), default_value = "threaded")]
    core: CoreChoice,
    /// How results are told.
    #[arg(long, value_parser = one_of(FORMATS), default_value = "json")]
    format: Format,
    /// One short repeat after hardly a warm-up: shows that it runs. Its figures are no measurement.
    #[arg(long, conflicts_with_all = ["repeats", "seconds", "warm_up"])]
    brief: bool,
    /// How many repeats [default: 3].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    repeats: Option<u16>,
    /// How long a repeat lasts, in W1 at most; not of W3, whose repeats have 30 rounds [default: 4s, W1 7s].
    #[arg(long, value_name = "DURATION", value_parser = interval)]
    seconds: Option<Duration>,
    /// How long the warm-up lasts, in W1 each of its three fills at most [default: 12s, W1 6s, W3 3s].
    #[arg(long, value_name = "DURATION", value_parser = interval)]
    warm_up: Option<Duration>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum BenchCommand {
    /// Run workloads here and through Hadoop's schedulers and YuniKorn's core in turn, and set the figures beside each other.
    Compare(CompareArgs),
}

/// Whether all runs that were wanted are there.
///
/// # Errors
/// Options that do not go together; when a scheduler refuses something.
pub(crate) fn run(args: BenchArgs) -> Result<bool, Failure> {
    if let Some(BenchCommand::Compare(args)) = args.command {
        return compare::run(args);
    }
    let workload = args.workload.ok_or_else(|| Failure::input("which workload: W1, W2, W3 or W4?"))?;
    workload::run(&BenchOptions {
        workload,
        scheduler: args.scheduler,
        size: args.size,
        mode: args.mode,
        workers: args.workers,
        fold_every: args.fold_every,
        drivers: args.drivers,
        self_driven: args.self_driven,
        background: args.background,
        open_loop: args.open_loop,
        asked: args.asked,
        core: args.core,
        format: args.format,
        brief: args.brief,
        repeats: args.repeats,
        seconds: args.seconds,
        warm_up: args.warm_up,
    })?;
    Ok(true)
}
