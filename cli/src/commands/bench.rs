//! `evenweave bench`: the standard workloads.

use std::time::Duration;

use clap::{Args, Subcommand};
use evenweave_bench::options::{Background, BenchOptions, CoreChoice, Format, Mode, Size, WorkloadName};
use evenweave_bench::workload;
use evenweave_tools::Failure;
use evenweave_tools::options::SchedulerChoice;

use super::compare::{self, CompareArgs};
use crate::arguments::{CORES, SCHEDULERS, Word, interval, one_of, workers};

const WORKLOADS: &[Word<WorkloadName>] = &[
    ("W1", WorkloadName::W1, "Fill an empty cluster"),
    ("W2", WorkloadName::W2, "Steady churn on a full cluster"),
    ("W3", WorkloadName::W3, "The cost of an update after some applications changed what they want"),
    ("W4", WorkloadName::W4, "Steady churn where each container prefers three nodes"),
];

/// Nodes, queues, applications.
const SIZES: &[Word<Size>] = &[
    ("S", Size::S, "1000 nodes, 10 queues, 100 applications"),
    ("M", Size::M, "1000 nodes, 100 queues, 1000 applications"),
    ("L", Size::L, "1000 nodes, 1000 queues, 10000 applications"),
    ("L50", Size::L50, "1000 nodes, 1000 queues, 50000 applications; W3 only"),
    ("M5", Size::M5, "5000 nodes, 100 queues, 1000 applications; not W3"),
    ("L10", Size::L10, "10000 nodes, 1000 queues, 10000 applications; not W3"),
];

/// How many containers one heartbeat may assign.
const MODES: &[Word<Mode>] = &[
    ("one", Mode::One, "One container"),
    ("dyn", Mode::Dyn, "Until more than half of the free room is taken"),
    ("max", Mode::Max, "Until nothing fits"),
];

/// What offers nodes beside their heartbeats.
const BACKGROUNDS: &[Word<Background>] = &[
    ("off", Background::Off, "Only heartbeats"),
    ("on", Background::On, "The asynchronous allocation thread, every millisecond"),
    ("continuous", Background::Continuous, "Hadoop's continuous scheduling, every 5 ms"),
];

/// How results are told.
const FORMATS: &[Word<Format>] = &[
    ("json", Format::Json, "A JSON object for each repeat, the median last; a table on standard error"),
    ("table", Format::Table, "The table on standard output"),
];

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct BenchArgs {
    #[command(subcommand)]
    command: Option<BenchCommand>,
    /// The workload.
    #[arg(value_parser = one_of(WORKLOADS), ignore_case = true, required = true)]
    workload: Option<WorkloadName>,
    /// Size of the cluster [default: M].
    #[arg(long, value_parser = one_of(SIZES), ignore_case = true)]
    size: Option<Size>,
    /// The scheduler that decides.
    #[arg(long, value_parser = one_of(SCHEDULERS), default_value = "fair")]
    scheduler: SchedulerChoice,
    /// How many containers one heartbeat may assign [default: dyn; CapacityScheduler: max].
    #[arg(long, value_parser = one_of(MODES))]
    mode: Option<Mode>,
    /// Worker threads of the scheduler.
    #[arg(long, default_value_t = 1, value_parser = workers)]
    workers: usize,
    /// How many grants and ends of other workers a worker may miss before it folds them in [default: 16384, or twice
    /// the number of applications].
    #[arg(long, value_name = "R", value_parser = clap::value_parser!(u32).range(1..))]
    fold_every: Option<u32>,
    /// How many containers a queue or application may be ahead so that each worker serves its own (default: 512, or a
    /// thirty-second of --fold-every)
    #[arg(long, value_name = "CONTAINERS")]
    slack: Option<u32>,
    /// Driver threads: 1 for all calls, or 2, one for heartbeats and one for allocate calls.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=2))]
    drivers: u32,
    /// No driver threads: each worker's thread also plays its nodes and a part of the applications.
    #[arg(long)]
    self_driven: bool,
    /// What offers nodes in addition to heartbeats.
    #[arg(long = "async", value_parser = one_of(BACKGROUNDS), default_value = "off")]
    background: Background,
    /// W2 with --scheduler capacity: after each repeat, run one more on a cluster whose nodes are in N partitions: all but
    /// a part of the nodes have a label. The last line has the ratio of the rates.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=10))]
    partitions: u32,
    /// After the repeats, run with heartbeats at fixed times: at 50, 80 and 95 % of the highest rate.
    #[arg(long)]
    open_loop: bool,
    /// After each repeat, run one more while a live page is open and Prometheus and a program ask once a second; W2 and
    /// W4.
    #[arg(long)]
    asked: bool,
    /// What to drive.
    #[arg(long, value_parser = one_of(CORES), default_value = "threaded")]
    core: CoreChoice,
    /// Form of the output.
    #[arg(long, value_parser = one_of(FORMATS), default_value = "json")]
    format: Format,
    /// One short repeat with almost no warm-up, to see that it runs. Its figures are not a measurement.
    #[arg(long, conflicts_with_all = ["repeats", "seconds", "warm_up"])]
    brief: bool,
    /// Number of repeats [default: 3].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    repeats: Option<u16>,
    /// Duration of a repeat; W1: at most; not for W3, whose repeats are 30 rounds [default: 4s; W1 7s].
    #[arg(long, value_name = "DURATION", value_parser = interval)]
    seconds: Option<Duration>,
    /// Duration of the warm-up; W1: of each of its three fills, at most [default: 12s; W1 6s; W3 3s].
    #[arg(long, value_name = "DURATION", value_parser = interval)]
    warm_up: Option<Duration>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum BenchCommand {
    /// Run the workloads through Evenweave, Hadoop's schedulers and YuniKorn's core in turn, and compare the figures.
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
        slack: args.slack,
        drivers: args.drivers,
        self_driven: args.self_driven,
        background: args.background,
        partitions: args.partitions,
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
