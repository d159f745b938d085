//! `evenweave simulate`: a day of a cluster in virtual time, under one file of queues or several.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use evenweave_bench::options::SchedulerChoice;
use evenweave_bench::simulate::{self, AmStyle, ClusterOptions, Moment, SimulateOptions, Sweep};
use evenweave_bench::traces::Times;
use evenweave_bench::{Failure, report, say};
use indicatif::{ProgressBar, ProgressStyle};

use crate::arguments::{SCHEDULERS, SiteArgs, Word, interval, one_of};
use crate::interrupt;

const AMS: &[Word<AmStyle>] = &[
    (
        "mapreduce",
        AmStyle::MapReduce,
        "As MapReduce's: slow start, reduces that wait for maps, answers looked at at once",
    ),
    ("sls", AmStyle::Sls, "As Hadoop's Scheduler Load Simulator has them, heartbeat for heartbeat"),
];

const TIMES: &[Word<Times>] = &[
    ("first-job", Times::FirstJob, "Less the first job's"),
    ("stock", Times::AllAtOnce, "All at 0, as Hadoop 3.4.2 has it"),
    ("as-written", Times::AsWritten, "As they are written"),
];

#[derive(Debug, Args)]
pub(crate) struct SimulateArgs {
    /// Job traces: SWIM, SLS, RUMEN and SYNTH JSON, a CSV of jobs, task_events and instance_events of Google's traces, batch_task of Alibaba's, packed with gzip or zstd or not [default: bundled, a day of Facebook's of 2009].
    #[arg(value_name = "TRACE")]
    traces: Vec<PathBuf>,
    /// A file of queues, fair-scheduler.xml or capacity-scheduler.xml; of several, each is compared with the first [default: two bundled ones].
    #[arg(long = "config", value_name = "FILE")]
    configs: Vec<PathBuf>,
    /// Whose file of queues it is [default: told by its outermost element].
    #[arg(long, value_parser = one_of(SCHEDULERS))]
    scheduler: Option<SchedulerChoice>,
    #[command(flatten)]
    site: SiteArgs,
    /// So many equal nodes; of several numbers, 400,500,600, each is a point of a grid [default: those that the trace brings].
    #[arg(long, value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..=1_000_000), conflicts_with = "node_file")]
    nodes: Vec<u32>,
    /// A setting of a queue and the values that it takes, an axis of a grid: root.a.weight=1..8, root.a.maxResources=40%,60%, or
    /// root.a.capacity=10,20;root.b.capacity=90,80 for settings that change together. May be given more than once.
    #[arg(long = "sweep", value_name = "QUEUE.SETTING=VALUES", value_parser = Sweep::parse)]
    sweeps: Vec<Sweep>,
    /// A node's memory in MiB [default: yarn.sls.nm.memory.mb].
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(i64).range(1..))]
    node_memory: Option<i64>,
    /// A node's vcores [default: yarn.sls.nm.vcores].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i64).range(1..))]
    node_vcores: Option<i64>,
    /// So many nodes a rack.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    rack_size: Option<u32>,
    /// A node file as SLS has it: a JSON object a rack.
    #[arg(long, value_name = "FILE")]
    node_file: Option<PathBuf>,
    /// What happens to nodes: a CSV with the columns time_s, event (lose, back, add, resize), node, rack, memory_mb, vcores.
    #[arg(long, value_name = "FILE")]
    node_events: Option<PathBuf>,
    /// The largest machine of a trace of Google's or Alibaba's, whose sizes are parts of it, in MiB.
    #[arg(long, value_name = "MIB", default_value_t = 65_536, value_parser = clap::value_parser!(i64).range(1..=1_000_000_000))]
    machine_memory: i64,
    /// Its vcores.
    #[arg(long, value_name = "N", default_value_t = 32, value_parser = clap::value_parser!(i64).range(1..=1_000_000))]
    machine_vcores: i64,
    /// Whose ways ApplicationMasters have.
    #[arg(long, default_value = "mapreduce", value_parser = one_of(AMS))]
    ams: AmStyle,
    /// What times of RUMEN and SYNTH traces count from.
    #[arg(long, default_value = "first-job", value_parser = one_of(TIMES))]
    times: Times,
    /// Everything random comes from it.
    #[arg(long, default_value_t = 42)]
    seed: u64,
    /// So many runs of each file, each with a seed of its own: what differs by chance is told from what does not.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    seeds: u32,
    /// How long a map of 128 MiB of a SWIM job lives.
    #[arg(long, value_name = "TIME", default_value = "20s", value_parser = interval)]
    task_time: Duration,
    /// A queue that jobs of traces without queues are dealt to; may be given more than once [default: all leaves].
    #[arg(long, value_name = "NAME")]
    queue: Vec<String>,
    /// So much of the trace's load: 2 has each job come twice.
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0, value_parser = parse_load)]
    load: f64,
    /// Part of the maps that is done before reduces are asked for.
    #[arg(long, value_name = "PART", default_value_t = 0.05, value_parser = parse_part)]
    slow_start: f64,
    /// The chance that an attempt of a task fails.
    #[arg(long, value_name = "PART", default_value_t = 0.0, value_parser = parse_part)]
    failures: f64,
    /// Maps that name no host are placed on one by seed.
    #[arg(long)]
    place_tasks: bool,
    /// Makes every heartbeat, those that can change nothing too.
    #[arg(long)]
    no_skip: bool,
    /// Ends after so long, jobs that are open or not [default: when all jobs have ended].
    #[arg(long, value_name = "TIME", value_parser = interval)]
    until: Option<Duration>,
    /// How long an interval of the report is.
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = interval)]
    every: Duration,
    /// Writes the run of a FairScheduler's file as a scenario, which `replay` takes: each call, and what it showed.
    #[arg(long, value_name = "FILE")]
    decisions: Option<PathBuf>,
    /// So many steps of it at most.
    #[arg(long, value_name = "N", default_value_t = 100_000, requires = "decisions", value_parser = clap::value_parser!(u32).range(1..))]
    decision_steps: u32,
    /// Where report.html and the CSV files are written.
    #[arg(long, value_name = "DIR", default_value = "evenweave-simulation")]
    out: PathBuf,
    /// One JSON object on standard output and nothing else.
    #[arg(long)]
    json: bool,
    /// No progress, no words: errors only (and the JSON, if asked for).
    #[arg(long)]
    quiet: bool,
}

fn ms(span: Duration) -> u64 {
    u64::try_from(span.as_millis()).unwrap_or(u64::MAX)
}

impl SimulateArgs {
    fn options(self) -> SimulateOptions {
        SimulateOptions {
            traces: self.traces,
            configs: self.configs,
            sweeps: self.sweeps,
            scheduler: self.scheduler,
            site: self.site.options(),
            cluster: ClusterOptions {
                nodes: self.nodes,
                rack_size: self.rack_size,
                node_memory_mb: self.node_memory,
                node_vcores: self.node_vcores,
                node_file: self.node_file,
                changes: self.node_events,
            },
            ams: self.ams,
            times: self.times,
            seed: self.seed,
            seeds: self.seeds,
            largest_machine: [self.machine_memory, self.machine_vcores],
            task_ms: ms(self.task_time),
            queues: self.queue,
            load: self.load,
            slow_start: self.slow_start,
            failures: self.failures,
            place_tasks: self.place_tasks,
            skip: !self.no_skip,
            until_ms: self.until.map(ms),
            every_ms: ms(self.every),
            rows: Some(self.out),
            decision_steps: self.decisions.map(|_| self.decision_steps as usize),
        }
    }
}

/// Runs it, writes what came of it, and says so.
///
/// # Errors
/// Wrong input, or a run that was interrupted.
pub(crate) fn run(args: SimulateArgs) -> Result<(), Failure> {
    let (json, quiet, out, decisions) = (args.json, args.quiet, args.out.clone(), args.decisions.clone());
    let options = args.options();
    let page = report::check_writable(&out)?;
    let stop = interrupt::flag()?;
    let style = ProgressStyle::with_template("{prefix:>12} {elapsed:>4}  {msg}").expect("the template is well-formed");
    let bar = if quiet { ProgressBar::hidden() } else { ProgressBar::new_spinner().with_style(style) };
    let outcome = simulate::simulate(&options, &|moment: Moment| {
        let Moment { now_ms, jobs, open, granted, .. } = moment;
        let (hours, minutes) = (now_ms / 3_600_000, now_ms / 60_000 % 60);
        bar.set_prefix("simulate");
        bar.set_message(format!("{hours:02}:{minutes:02} of the day, {jobs} jobs, {open} open, {granted} containers"));
        // ORDERING: Relaxed. The flag carries no data.
        !stop.load(std::sync::atomic::Ordering::Relaxed)
    });
    bar.finish_and_clear();
    let outcome = outcome?;
    for warning in &outcome.warnings {
        eprintln!("evenweave: warning: {warning}");
    }
    report::write_simulation(&outcome, &page)?;
    simulate::write_tables(&outcome, &out)?;
    if let Some(path) = decisions {
        simulate::write_decisions(&outcome, &path)?;
    }
    if json {
        say!("{}", simulate::json(&outcome));
    } else if !quiet {
        say!("{}", simulate::words(&outcome));
        say!("report: {}", page.display());
    }
    Ok(())
}

fn parse_load(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(load) if (0.001..=1000.0).contains(&load) => Ok(load),
        _ => Err("a load is 0.001 to 1000, for example 1.5".to_owned()),
    }
}

fn parse_part(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(part) if (0.0..=1.0).contains(&part) => Ok(part),
        _ => Err("a part is 0 to 1, for example 0.05".to_owned()),
    }
}
