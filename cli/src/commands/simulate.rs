//! `evenweave simulate`: a day of a cluster in virtual time, under one file of queues or several.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use evenweave_simulator::report;
use evenweave_simulator::{AmStyle, ClusterOptions, Moment, SimulateOptions, Sweep};
use evenweave_tools::Failure;
use evenweave_tools::amounts::{load, part};
use evenweave_tools::options::SchedulerChoice;
use evenweave_tools::output::line;
use evenweave_tools::traces::Times;
use evenweave_tools::{say, say_json};

use crate::arguments::{SCHEDULERS, SiteArgs, Word, interval, one_of, span};
use crate::interrupt;
use crate::progress::Spinner;

const AMS: &[Word<AmStyle>] = &[
    (
        "mapreduce",
        AmStyle::MapReduce,
        "As MapReduce's AM: slow start, reduces that wait for maps, answers used at once",
    ),
    ("sls", AmStyle::Sls, "As in Hadoop's Scheduler Load Simulator, call for call"),
];

const TIMES: &[Word<Times>] = &[
    ("first-job", Times::FirstJob, "Relative to the first job"),
    ("stock", Times::AllAtOnce, "All 0, as in Hadoop 3.4.2"),
    ("as-written", Times::AsWritten, "As written in the trace"),
];

#[derive(Debug, Args)]
pub(crate) struct SimulateArgs {
    /// Job traces: SWIM; SLS, RUMEN and SYNTH JSON; a CSV of jobs; Google's task_events and instance_events; Alibaba's
    /// batch_task. May be packed with gzip or zstd [default: bundled, a day of Facebook's of 2009].
    #[arg(value_name = "TRACE")]
    traces: Vec<PathBuf>,
    /// Queue file: a fair-scheduler.xml or capacity-scheduler.xml. May be given more than once; each is compared with
    /// the first [default: two bundled files].
    #[arg(long = "config", value_name = "FILE")]
    configs: Vec<PathBuf>,
    /// The scheduler that reads --config [default: recognised by the outermost element].
    #[arg(long, value_parser = one_of(SCHEDULERS))]
    scheduler: Option<SchedulerChoice>,
    #[command(flatten)]
    site: SiteArgs,
    /// Number of equal nodes. Several numbers, such as 400,500,600, make a grid [default: the nodes of the trace;
    /// bundled trace: 22].
    #[arg(long, value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..=1_000_000), conflicts_with = "node_file")]
    nodes: Vec<u32>,
    /// A setting of a queue and its values, an axis of a grid: root.a.weight=1..8, root.a.maxResources=40%,60%, or
    /// root.a.capacity=10,20;root.b.capacity=90,80 for settings that change together. May be
    /// given more than once.
    #[arg(long = "sweep", value_name = "QUEUE.SETTING=VALUES", value_parser = Sweep::parse)]
    sweeps: Vec<Sweep>,
    /// Memory of a node in MiB [default: yarn.sls.nm.memory.mb].
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(i64).range(1..))]
    node_memory: Option<i64>,
    /// Vcores of a node [default: yarn.sls.nm.vcores].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i64).range(1..))]
    node_vcores: Option<i64>,
    /// Nodes in a rack, with --nodes [default: 40].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    rack_size: Option<u32>,
    /// A node file of SLS: a JSON object for each rack.
    #[arg(long, value_name = "FILE")]
    node_file: Option<PathBuf>,
    /// A CSV file of nodes that fail, come or change, with the columns time_s, event (lose, back, add, resize), node,
    /// rack, memory_mb, vcores.
    #[arg(long, value_name = "FILE")]
    node_events: Option<PathBuf>,
    /// A CSV file of reservations to book, with the columns reservation, queue, arrival_s, deadline_s, containers,
    /// memory_mb, vcores, duration_s and others. Switches the ReservationSystem on.
    #[arg(long, value_name = "FILE", conflicts_with = "decisions")]
    reservations: Option<PathBuf>,
    /// Memory of the largest machine of a Google or Alibaba trace, in MiB; sizes in the trace are parts of it.
    #[arg(long, value_name = "MIB", default_value_t = 65_536, value_parser = clap::value_parser!(i64).range(1..=1_000_000_000))]
    machine_memory: i64,
    /// Vcores of the largest machine of a Google trace.
    #[arg(long, value_name = "N", default_value_t = 32, value_parser = clap::value_parser!(i64).range(1..=1_000_000))]
    machine_vcores: i64,
    /// How ApplicationMasters behave.
    #[arg(long, default_value = "mapreduce", value_parser = one_of(AMS))]
    ams: AmStyle,
    /// Give the jobs of Google's and Alibaba's traces, which tell of no ApplicationMasters, no container for one.
    #[arg(long)]
    no_added_ams: bool,
    /// Submit times of RUMEN, SYNTH, Google and Alibaba traces, and of others whose first job comes more than a week
    /// after the start.
    #[arg(long, default_value = "first-job", value_parser = one_of(TIMES))]
    times: Times,
    /// The seed of everything random.
    #[arg(long, default_value_t = 42)]
    seed: u64,
    /// Number of runs of each file, each with its own seed, to tell chance from effect.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    seeds: u32,
    /// Duration of a map of 128 MiB in a SWIM trace.
    #[arg(long, value_name = "TIME", default_value = "20s", value_parser = interval)]
    task_time: Duration,
    /// A queue that jobs without a queue are dealt to. May be given more than once [default: all leaf queues].
    #[arg(long, value_name = "NAME")]
    queue: Vec<String>,
    /// How often each job is submitted; 1.5: half of the jobs twice.
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0, value_parser = load)]
    load: f64,
    /// Part of the maps that must be done before reduces are asked for.
    #[arg(long, value_name = "PART", default_value_t = 0.05, value_parser = part)]
    slow_start: f64,
    /// Chance that an attempt of a task fails.
    #[arg(long, value_name = "PART", default_value_t = 0.0, value_parser = part)]
    failures: f64,
    /// Choose a host for each map without one, by seed.
    #[arg(long)]
    place_tasks: bool,
    /// Simulate every heartbeat, also those that cannot change a decision.
    #[arg(long)]
    no_skip: bool,
    /// End the run after this time, such as 90m, 36h or 30d [default: when all jobs have ended].
    #[arg(long, value_name = "TIME", value_parser = span)]
    until: Option<Duration>,
    /// Interval of intervals-N.csv and of the report's charts.
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = interval)]
    every: Duration,
    /// Write the run as a scenario, which `replay` reads: each call, and its result.
    #[arg(long, value_name = "FILE")]
    decisions: Option<PathBuf>,
    /// Largest number of steps of the scenario.
    #[arg(long, value_name = "N", default_value_t = 100_000, requires = "decisions", value_parser = clap::value_parser!(u32).range(1..))]
    decision_steps: u32,
    /// Directory for report.html and the CSV files.
    #[arg(long, value_name = "DIR", default_value = "evenweave-simulation")]
    out: PathBuf,
    /// Print one JSON object on standard output, and nothing else.
    #[arg(long)]
    json: bool,
    /// Print errors only (and the JSON object with --json).
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
            added_ams: !self.no_added_ams,
            times: self.times,
            seed: self.seed,
            seeds: self.seeds,
            largest_machine: [self.machine_memory, self.machine_vcores],
            task_ms: ms(self.task_time),
            queues: self.queue,
            reservations: self.reservations,
            load: self.load,
            slow_start: self.slow_start,
            failures: self.failures,
            place_tasks: self.place_tasks,
            skip: !self.no_skip,
            until_ms: self.until.map(ms),
            every_ms: ms(self.every),
            rows: Some(self.out),
            keep_jobs: false,
            decision_steps: self.decisions.map(|_| self.decision_steps as usize),
        }
    }
}

/// Runs it, writes what came of it, and says so. Whether something came of it.
///
/// # Errors
/// Wrong input, or a run that was interrupted.
pub(crate) fn run(args: SimulateArgs) -> Result<bool, Failure> {
    let (json, quiet, out, decisions) = (args.json, args.quiet, args.out.clone(), args.decisions.clone());
    let options = args.options();
    // From here on, because the check makes a file.
    let stop = interrupt::stop()?;
    let page = evenweave_tools::report::check_writable(&out)?;
    let spinner = Spinner::new("simulate", quiet);
    let outcome = evenweave_simulator::simulate_drafted(&options, &|moment: Moment| {
        let Moment { now_ms, jobs, open, granted, .. } = moment;
        let (hours, minutes) = (now_ms / 3_600_000, now_ms / 60_000 % 60);
        spinner.tell(|| format!("{hours:02}:{minutes:02} of the day, {jobs} jobs, {open} open, {granted} containers"));
        !stop.is_asked()
    });
    spinner.clear();
    let (outcome, mut drafts) = outcome?;
    for warning in &outcome.warnings {
        evenweave_tools::note!("evenweave: warning: {}", line(warning));
    }
    for end in evenweave_simulator::scenarios_end(&outcome) {
        evenweave_tools::note!("evenweave: warning: {}", line(&end));
    }
    report::put_simulation(&outcome, &page, &mut drafts)?;
    evenweave_simulator::put_tables(&outcome, &out, &mut drafts)?;
    if let Some(path) = decisions {
        evenweave_simulator::put_decisions(&outcome, &path, &mut drafts)?;
    }
    drafts.keep().map_err(|error| Failure::input(format!("--out {}: {error}", out.display())))?;
    if json {
        say_json!(evenweave_simulator::json(&outcome));
    } else if !quiet {
        say!("{}", evenweave_simulator::words(&outcome));
        say!("report: {}", page.display());
    }
    if json || quiet {
        evenweave_simulator::refusals(&outcome)
            .iter()
            .for_each(|said| evenweave_tools::note!("evenweave: warning: {}", line(said)));
    }
    let nothing = outcome.nothing();
    if let Some(nothing) = &nothing {
        evenweave_tools::note!("evenweave: {nothing}");
    }
    Ok(nothing.is_none())
}
