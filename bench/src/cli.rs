//! The command line.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};

/// Evenweave: a scheduler core that decides as Hadoop YARN's FairScheduler does. Without a command: `load`.
#[derive(Debug, Parser)]
#[command(name = "evenweave", version, about, args_conflicts_with_subcommands = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    #[command(flatten)]
    pub(crate) load: LoadArgs,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Drive the scheduler with a real trace in compressed time and report how full it keeps the cluster.
    Load(Box<LoadArgs>),
    /// Replay recordings of real Hadoop, scenario and vector files, and compare every field with what it did.
    Replay(ReplayArgs),
    /// Tell why an application of a scenario has what it has, and no more, after one of its steps.
    Explain(ExplainArgs),
    /// Check configuration files: errors, and whatever Hadoop takes, but was hardly meant.
    Check(CheckArgs),
    /// Run one of the standard throughput workloads; JSON records on standard output, the last one the median. Or `compare`.
    Bench(Box<BenchArgs>),
}

/// On or off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Switch {
    On,
    Off,
}

/// Which scheduler is driven.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CoreChoice {
    /// The threaded core.
    Threaded,
    /// Its plain twin: stepped, one mutex, children sorted anew for each container.
    Locked,
}

/// Where properties come from.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct SiteArgs {
    /// Site file (yarn-site.xml); may be given more than once, later ones count above [default: bundled].
    #[arg(long, value_name = "FILE")]
    pub(crate) site: Vec<PathBuf>,
    /// Sets a property above all site files; may be given more than once.
    #[arg(short = 'D', value_name = "NAME=VALUE", value_parser = parse_property)]
    pub(crate) properties: Vec<(String, String)>,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct LoadArgs {
    /// Nodes, each of 128 GiB and 64 vcores [default: 5000; with --preemption 1000].
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) nodes: Option<u32>,
    /// Racks [default: one for every 40 nodes].
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) racks: Option<u32>,
    /// Worker threads of the scheduler, each with its part of the nodes.
    #[arg(long, default_value_t = 1, value_parser = parse_workers)]
    pub(crate) workers: usize,
    /// Allocation file (fair-scheduler.xml) [default: bundled].
    #[arg(long, value_name = "FILE")]
    pub(crate) queues: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) site: SiteArgs,
    /// Who is in which group, for ACLs and placement rules: a file of lines `user: group, group`, or `system` for the
    /// operating system's [default: nobody is in any].
    #[arg(long, value_name = "FILE|system")]
    pub(crate) groups: Option<String>,
    /// Only these leaf queues get jobs; may be given more than once [default: all leaves].
    #[arg(long, value_name = "NAME")]
    pub(crate) queue: Vec<String>,
    /// Job trace in SWIM's form, tab separated [default: bundled, Facebook 2009].
    #[arg(long, value_name = "FILE")]
    pub(crate) trace: Option<PathBuf>,
    /// How long the run lasts, for example 20s, 500ms, 2m [default: 20s; with --preemption 25s].
    #[arg(long, value_parser = parse_duration)]
    pub(crate) duration: Option<Duration>,
    /// Instead of the load: a steady one for so long, for example 5m or 1h, on the threaded core, whose books are compared all the
    /// time; memory and latencies are drawn over time. A call that takes longer than 5 s ends it. With 200 nodes unless --nodes
    /// says otherwise.
    #[arg(long, value_name = "DURATION", value_parser = parse_soak,
        conflicts_with_all = ["duration", "trace", "jobs_in_flight", "reload", "core", "preemption"])]
    pub(crate) soak: Option<Duration>,
    /// Something goes wrong four times a second, drawn from --seed: workers panic, nodes are lost, the clock jumps, and more.
    #[arg(long, requires = "soak")]
    pub(crate) faults: bool,
    /// Mean life of a task in seconds; each lives between a tenth and ten times of it, with --preemption a quarter more or
    /// less [default: 1; with --preemption 30].
    #[arg(long, value_parser = parse_task_seconds)]
    pub(crate) task_seconds: Option<f64>,
    /// Every node reports once in so many milliseconds.
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..=60_000))]
    pub(crate) heartbeat_ms: u64,
    /// Jobs kept in flight: a number, or `auto` for as many as fill the cluster.
    #[arg(long, default_value = "auto", value_parser = parse_in_flight)]
    pub(crate) jobs_in_flight: crate::load::InFlight,
    /// Everything random comes from it.
    #[arg(long, default_value_t = 42)]
    pub(crate) seed: u64,
    /// The asynchronous allocation thread [default: as the properties say; off].
    #[arg(long = "async", value_enum)]
    pub(crate) asynchronous: Option<Switch>,
    /// Reload the allocation file and a variant of it in turn, so far apart, under the threaded core [default: never].
    #[arg(long, value_name = "EVERY", value_parser = parse_interval)]
    pub(crate) reload: Option<Duration>,
    /// Drive only this core [default: the locked twin for 5 s, then the threaded core; with --preemption the threaded core].
    #[arg(long, value_enum)]
    pub(crate) core: Option<CoreChoice>,
    #[command(flatten)]
    pub(crate) late: LateArgs,
    /// Where the report is written.
    #[arg(long, value_name = "DIR", default_value = "evenweave-report")]
    pub(crate) out: PathBuf,
    /// One JSON object on standard output and nothing else.
    #[arg(long)]
    pub(crate) json: bool,
    /// No progress, no table: errors only (and the JSON, if asked for).
    #[arg(long)]
    pub(crate) quiet: bool,
}

/// A queue that comes late to a full cluster.
#[derive(Clone, Debug, Args)]
pub(crate) struct LateArgs {
    /// The applications of one queue come late to a cluster that the others have filled with long tasks: starvation, warnings,
    /// kills, and how long it takes. Under an allocation file and waits of its own, unless --queues or --site say otherwise.
    #[arg(long, conflicts_with_all = ["reload", "queue", "jobs_in_flight"])]
    pub(crate) preemption: bool,
    /// The queue that comes late, a leaf or one above leaves.
    #[arg(long, value_name = "NAME", default_value = "root.production", requires = "preemption")]
    pub(crate) late_queue: String,
    /// When its applications come.
    #[arg(long, value_name = "AFTER", default_value = "8s", value_parser = parse_interval, requires = "preemption")]
    pub(crate) late_after: Duration,
    /// How many applications come; together they ask for the queue's share.
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    #[arg(requires = "preemption")]
    pub(crate) late_apps: u32,
    /// So many of a hundred of the others' ApplicationMasters give containers back as soon as they are warned.
    #[arg(long, value_name = "PERCENT", default_value_t = 0.0, value_parser = parse_percent, requires = "preemption")]
    pub(crate) give_back: f64,
}

impl LoadArgs {
    /// `--nodes`, or what fits the kind of load.
    pub(crate) fn nodes(&self) -> u32 {
        self.nodes.unwrap_or(if self.late.preemption { 1_000 } else { 5_000 })
    }

    /// `--duration`, as above.
    pub(crate) fn duration(&self) -> Duration {
        self.duration.unwrap_or(Duration::from_secs(if self.late.preemption { 25 } else { 20 }))
    }

    /// `--task-seconds`, as above.
    pub(crate) fn mean_life(&self) -> Duration {
        Duration::from_secs_f64(self.task_seconds.unwrap_or(if self.late.preemption { 30.0 } else { 1.0 }))
    }
}

/// Which scheduler plays scenarios.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DriverChoice {
    /// On one thread, a call a step.
    Stepped,
    /// On its threads, quiet after each step.
    Threaded,
}

/// How scenarios are played.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct PlayArgs {
    /// The scheduler that scenarios are played on.
    #[arg(long, value_enum, default_value_t = DriverChoice::Stepped)]
    pub(crate) driver: DriverChoice,
    /// Workers of that scheduler. Only one decides as recorded; of more, the distance from the recording is told.
    #[arg(long, default_value_t = 1, value_parser = parse_workers)]
    pub(crate) workers: usize,
    /// How far workers may be apart, in grants and ends of containers [default: 16384, or twice the applications].
    #[arg(long, value_name = "R", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) fold_every: Option<u32>,
}

impl PlayArgs {
    /// One worker on one thread: as recorded.
    pub(crate) const EXACT: PlayArgs = PlayArgs { driver: DriverChoice::Stepped, workers: 1, fold_every: None };
}

#[derive(Clone, Debug, Args)]
pub(crate) struct ReplayArgs {
    /// Scenario files (one scenario a line) or vector files (one case a line, named FAMILY.jsonl), gzipped or not.
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) play: PlayArgs,
    /// One JSON object on standard output and nothing else.
    #[arg(long)]
    pub(crate) json: bool,
    /// At most so many failures are shown a family.
    #[arg(long, default_value_t = 5)]
    pub(crate) show: usize,
    /// Prints, for every step that offers nodes, why the scheduler decided as it did. Of the stepped one with one worker.
    #[arg(long, conflicts_with_all = ["json", "driver", "workers"])]
    pub(crate) trace: bool,
    /// Only the scenarios of this name.
    #[arg(long, value_name = "NAME")]
    pub(crate) scenario: Option<String>,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct ExplainArgs {
    /// A scenario file (one scenario a line), gzipped or not.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// The application's number.
    #[arg(long, value_name = "N")]
    pub(crate) app: u32,
    /// After which step, counted from 0.
    #[arg(long, value_name = "K")]
    pub(crate) step: usize,
    /// Which scenario, where the file has several.
    #[arg(long, value_name = "NAME")]
    pub(crate) scenario: Option<String>,
}

/// How findings are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CheckFormat {
    /// For people: each with its line.
    Text,
    /// One JSON document.
    Json,
}

/// Exit code 0 without errors, 1 with warnings that are denied, 2 with errors.
#[derive(Clone, Debug, Args)]
pub(crate) struct CheckArgs {
    /// Configuration files; what kind each is shows in its content.
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// yarn-site.xml that allocation files are to work with: resource types, largest container, ACLs, preemption. May be
    /// given more than once, the later over the earlier; it is checked, too.
    #[arg(long, value_name = "FILE")]
    pub(crate) site: Vec<PathBuf>,
    /// The cluster's total, such as "memory-mb=1048576, vcores=512": limits of allocation files are compared with it.
    #[arg(long, value_name = "RESOURCES")]
    pub(crate) cluster: Option<String>,
    /// How findings are told.
    #[arg(long, value_enum, default_value_t = CheckFormat::Text)]
    pub(crate) format: CheckFormat,
    /// Exit code 1 when there are warnings.
    #[arg(long)]
    pub(crate) deny_warnings: bool,
}

/// The standard workloads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "UPPER")]
pub(crate) enum WorkloadName {
    /// Fill an empty cluster.
    #[value(alias = "w1")]
    W1,
    /// Steady churn on a full one.
    #[value(alias = "w2")]
    W2,
    /// What one update costs when some applications have changed what they want.
    #[value(alias = "w3")]
    W3,
    /// Steady churn where every container is wanted on three nodes, if they can be had.
    #[value(alias = "w4")]
    W4,
}

/// The standard sizes: nodes, queues, applications.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "UPPER")]
pub(crate) enum Size {
    /// 1000 nodes, 10 queues, 100 applications.
    S,
    /// 1000, 100, 1000.
    M,
    /// 1000, 1000, 10000.
    L,
    /// 1000, 1000, 50000; of W3.
    L50,
    /// 5000, 100, 1000.
    M5,
    /// 10000, 1000, 10000.
    L10,
}

/// How many containers one heartbeat may assign.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Mode {
    /// One.
    One,
    /// Up to half of what was free.
    Dyn,
    /// Until nothing fits.
    Max,
}

/// What offers nodes beside their heartbeats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Background {
    /// Nothing.
    Off,
    /// The asynchronous allocation thread, every millisecond.
    On,
    /// Hadoop's continuous scheduling, every 5 ms.
    Continuous,
}

/// How results of a workload are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum BenchFormat {
    /// One JSON object a repeat, then the median; a table on standard error.
    Json,
    /// The table on standard output.
    Table,
}

#[derive(Clone, Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct BenchArgs {
    #[command(subcommand)]
    pub(crate) command: Option<BenchCommand>,
    /// Always there without a command.
    #[arg(value_enum, ignore_case = true, required = true)]
    pub(crate) workload: Option<WorkloadName>,
    /// Nodes, queues, applications [default: M].
    #[arg(long, value_enum, ignore_case = true)]
    pub(crate) size: Option<Size>,
    /// How many containers one heartbeat may assign [default: dyn].
    #[arg(long, value_enum)]
    pub(crate) mode: Option<Mode>,
    /// Worker threads of the scheduler.
    #[arg(long, default_value_t = 1, value_parser = parse_workers)]
    pub(crate) workers: usize,
    /// How far workers may be apart, in grants and ends of containers [default: 16384, or twice the applications].
    #[arg(long, value_name = "R", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) fold_every: Option<u32>,
    /// Driver threads: heartbeats and allocate calls on one, or one each.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=2))]
    pub(crate) drivers: u32,
    /// No threads beside the workers': each worker's plays its own nodes and a part of the applications between its polls.
    #[arg(long)]
    pub(crate) self_driven: bool,
    /// What offers nodes beside their heartbeats.
    #[arg(long = "async", value_enum, default_value_t = Background::Off)]
    pub(crate) background: Background,
    /// After the repeats, heartbeats at fixed times: at 50, 80 and 95 % of the highest rate.
    #[arg(long)]
    pub(crate) open_loop: bool,
    /// The core to drive.
    #[arg(long, value_enum, default_value_t = CoreChoice::Threaded)]
    pub(crate) core: CoreChoice,
    /// How results are told.
    #[arg(long, value_enum, default_value_t = BenchFormat::Json)]
    pub(crate) format: BenchFormat,
    /// One short repeat after hardly a warm-up: shows that it runs. Its figures are no measurement.
    #[arg(long, conflicts_with_all = ["repeats", "seconds", "warm_up"])]
    pub(crate) brief: bool,
    /// How many repeats [default: 3].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) repeats: Option<u16>,
    /// How long a repeat lasts, in W1 at most; not of W3, whose repeats have 30 rounds [default: 4s, W1 7s].
    #[arg(long, value_name = "DURATION", value_parser = parse_interval)]
    pub(crate) seconds: Option<Duration>,
    /// How long the warm-up lasts, in W1 each of its three fills at most [default: 12s, W1 6s, W3 3s].
    #[arg(long, value_name = "DURATION", value_parser = parse_interval)]
    pub(crate) warm_up: Option<Duration>,
}

#[derive(Clone, Debug, Subcommand)]
pub(crate) enum BenchCommand {
    /// Run workloads here and through Hadoop's schedulers and YuniKorn's core in turn, and set the figures beside each other.
    Compare(CompareArgs),
}

/// How a comparison is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CompareFormat {
    /// For people.
    Table,
    /// One JSON document.
    Json,
}

/// Exit code 0 when all runs are there, 1 when one failed or a peer could not be built.
#[derive(Clone, Debug, Args)]
#[command(group = clap::ArgGroup::new("extent").required(true).args(["quick", "full"]))]
pub(crate) struct CompareArgs {
    /// One round of one repeat of 5 s after a short warm-up, each peer in the mode that is expected to be its fastest.
    #[arg(long)]
    pub(crate) quick: bool,
    /// Three rounds of three repeats after the whole warm-up, the peers in all modes.
    #[arg(long)]
    pub(crate) full: bool,
    /// Only these: workloads, or WORKLOAD:SIZE, or WORKLOAD:SIZE:PEER, such as W2,W1:M5,W2:L:capacity [default: all].
    #[arg(long, value_name = "CELL", value_delimiter = ',')]
    pub(crate) cells: Vec<String>,
    /// Drivers of W2 and W4, such as 1,2: heartbeats and allocate calls on one thread, or on one each.
    #[arg(long, value_delimiter = ',', default_value = "1", value_parser = clap::value_parser!(u32).range(1..=2))]
    pub(crate) drivers: Vec<u32>,
    /// How many rounds: theirs, ours, theirs, ours and so on [default: 1 with --quick, 3 with --full].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) rounds: Option<u32>,
    /// Worker threads of this scheduler.
    #[arg(long, default_value_t = 1, value_parser = parse_workers)]
    pub(crate) workers: usize,
    /// What is measured goes here, a line a run; runs that it has are not made again.
    #[arg(long, value_name = "FILE", default_value = "evenweave-report/compare.jsonl")]
    pub(crate) results: PathBuf,
    /// Begins anew; a results file that is there is kept with `.old` at its end.
    #[arg(long)]
    pub(crate) fresh: bool,
    /// The sources of the peers' programs [default: bench/peers].
    #[arg(long, value_name = "DIR")]
    pub(crate) peers: Option<PathBuf>,
    /// The program that stands for this side, such as another build of it [default: this one].
    #[arg(long, value_name = "PROGRAM")]
    pub(crate) ours: Option<PathBuf>,
    /// A run that lasts longer has failed.
    #[arg(long, value_name = "DURATION", default_value = "15m", value_parser = parse_interval)]
    pub(crate) limit: Duration,
    /// How the comparison is told.
    #[arg(long, value_enum, default_value_t = CompareFormat::Table)]
    pub(crate) format: CompareFormat,
    /// Writes it as a page, too, with plots.
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
}

fn parse_property(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("a property is NAME=VALUE, for example yarn.scheduler.fair.max.assign=4".to_owned()),
    }
}

fn parse_workers(text: &str) -> Result<usize, String> {
    match text.parse::<usize>() {
        Ok(count @ 1..=256) => Ok(count),
        _ => Err("the number of workers is 1 to 256".to_owned()),
    }
}

fn parse_task_seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if (0.01..=3600.0).contains(&seconds) => Ok(seconds),
        _ => Err("a mean life is 0.01 to 3600 seconds, for example 1.0".to_owned()),
    }
}

fn parse_percent(text: &str) -> Result<f64, String> {
    match text.trim_end_matches('%').trim().parse::<f64>() {
        Ok(percent) if (0.0..=100.0).contains(&percent) => Ok(percent),
        _ => Err("a part is 0 to 100, in percent".to_owned()),
    }
}

fn parse_in_flight(text: &str) -> Result<crate::load::InFlight, String> {
    if text == "auto" {
        return Ok(crate::load::InFlight::Auto);
    }
    match text.parse::<usize>() {
        Ok(count) if count > 0 => Ok(crate::load::InFlight::Fixed(count)),
        _ => Err("`auto` or a number from 1 on".to_owned()),
    }
}

fn parse_duration(text: &str) -> Result<Duration, String> {
    let duration = parse_interval(text)?;
    if duration < Duration::from_millis(100) { Err("a run lasts 100ms to 24 hours".to_owned()) } else { Ok(duration) }
}

fn parse_soak(text: &str) -> Result<Duration, String> {
    let duration = parse_interval(text)?;
    if duration < Duration::from_secs(5) { Err("a soak lasts 5s to 24 hours".to_owned()) } else { Ok(duration) }
}

fn parse_interval(text: &str) -> Result<Duration, String> {
    let wrong = || "a duration is a number and a unit, ms, s, m or h, for example 20s".to_owned();
    let split = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let number: f64 = number.trim().parse().map_err(|_| wrong())?;
    let seconds = match unit {
        "ms" => number / 1e3,
        "s" | "" => number,
        "m" | "min" => number * 60.0,
        "h" => number * 3600.0,
        _ => return Err(wrong()),
    };
    if (0.001..=86_400.0).contains(&seconds) {
        Ok(Duration::from_secs_f64(seconds))
    } else {
        Err("1ms to 24 hours".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent_and_no_command_means_load() {
        Cli::command().debug_assert();
        let cli = Cli::parse_from(["evenweave", "--nodes", "7"]);
        assert!(cli.command.is_none());
        assert_eq!(cli.load.nodes(), 7);
        assert!(Cli::try_parse_from(["evenweave", "load", "--nodes", "0"]).is_err());
    }

    #[test]
    fn a_late_queue_has_a_load_of_its_own() {
        let load = |args: &[&str]| Cli::try_parse_from([&["evenweave"], args].concat()).map(|cli| cli.load);
        let late = load(&["--preemption", "--give-back", "25%"]).unwrap();
        assert_eq!((late.nodes(), late.duration(), late.late.give_back), (1_000, Duration::from_secs(25), 25.0));
        assert_eq!(load(&[]).unwrap().nodes(), 5_000);
        for refused in [
            &["--give-back", "5"][..],
            &["--late-queue", "root.a"],
            &["--preemption", "--give-back", "101"],
            &["--preemption", "--reload", "1s"],
            &["--preemption", "--queue", "root.a"],
        ] {
            assert!(load(refused).is_err(), "{refused:?}");
        }
    }

    #[test]
    fn properties_are_set_as_hadoop_does() {
        let cli = Cli::parse_from(["evenweave", "load", "--site", "x.xml", "-Da=b=c", "-D", "d="]);
        let Some(Command::Load(load)) = cli.command else { panic!("a load") };
        let set = [("a".to_owned(), "b=c".to_owned()), ("d".to_owned(), String::new())];
        assert_eq!(load.site.properties, set);
        assert!(parse_property("=x").is_err() && parse_property("x").is_err());
    }

    #[test]
    fn durations_need_a_known_unit() {
        assert_eq!(parse_duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(parse_duration("2m"), Ok(Duration::from_secs(120)));
        assert!(parse_duration("5 weeks").is_err());
        assert!(parse_duration("0s").is_err());
    }
}
