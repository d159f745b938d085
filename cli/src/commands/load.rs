//! `evenweave load`: the load tester, or with `--soak` the long run.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use evenweave_bench::load::{InFlight, Inputs, LabelShares, LateOptions, LoadOptions, Speed};
use evenweave_bench::options::CoreChoice;
use evenweave_bench::{load, report};
use evenweave_tools::Failure;
use evenweave_tools::options::SchedulerChoice;
use evenweave_tools::output::line;
use evenweave_tools::replay;
use evenweave_tools::say_json;

use super::soak::{self, SoakArgs};
use crate::arguments::{CORES, SCHEDULERS, SiteArgs, interval, one_of, workers};
use crate::interrupt;
use crate::progress::Progress;

#[derive(Debug, Args)]
pub(crate) struct LoadArgs {
    /// Number of nodes, each of 128 GiB and 64 vcores [default: 5000; with --preemption 1000].
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    nodes: Option<u32>,
    /// Number of racks [default: one for every 40 nodes].
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    racks: Option<u32>,
    /// The scheduler that decides.
    #[arg(long, default_value = "fair", value_parser = one_of(SCHEDULERS))]
    scheduler: SchedulerChoice,
    /// Worker threads of the scheduler; each has its part of the nodes.
    #[arg(long, default_value_t = 1, value_parser = workers)]
    workers: usize,
    /// Allocation file (fair-scheduler.xml), or with --scheduler capacity a capacity-scheduler.xml [default: bundled].
    #[arg(long = "config", visible_alias = "queues", value_name = "FILE")]
    queues: Option<PathBuf>,
    #[command(flatten)]
    site: SiteArgs,
    /// Groups of users, for ACLs and placement rules: a file of lines `user: group, group`, or `system` for those of
    /// the operating system [default: no user is in a group].
    #[arg(long, value_name = "FILE|system")]
    groups: Option<String>,
    /// A leaf queue that gets jobs; may be given more than once [default: all leaf queues].
    #[arg(long, value_name = "NAME")]
    queue: Vec<String>,
    /// With --scheduler capacity: node labels, each with its share of the nodes, for example gpu:0.25 or
    /// gpu:25%,fast(exclusive=false):0.1. Jobs of a queue ask for the labels for which it has a capacity; without
    /// --config every queue has one for each [default: no labels].
    #[arg(long, value_name = "LABEL:SHARE,...", conflicts_with_all = ["reservations", "soak", "preemption"])]
    node_labels: Option<LabelShares>,
    /// Job trace of any form that `simulate` reads: SWIM; SLS, RUMEN and SYNTH JSON; a CSV of jobs; Google's
    /// task_events and instance_events; Alibaba's batch_task. May be packed with gzip or zstd [default: bundled, a day
    /// of Facebook's of 2009].
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    /// Play the trace at its own times, this many times as fast: 10x, 10, 0.5x. It divides the times at which jobs are
    /// submitted, and the durations of tasks. It does not change --heartbeat-ms, --duration and the intervals of the
    /// scheduler. Each job runs once, in the queue that it names [default: a job is submitted when another ends].
    #[arg(long, value_name = "FACTOR", allow_hyphen_values = true)]
    #[arg(conflicts_with_all = ["task_seconds", "jobs_in_flight", "preemption"])]
    speed: Option<Speed>,
    /// With --speed: duration of a map of 128 MiB in a SWIM trace, before it is divided.
    #[arg(long, value_name = "TIME", default_value = "20s", value_parser = interval, requires = "speed")]
    task_time: Duration,
    /// Duration of the run, for example 20s, 500ms, 2m [default: 20s; with --preemption 25s; with --speed until the
    /// last job has ended, at most 24h].
    #[arg(long, value_parser = parse_duration)]
    duration: Option<Duration>,
    #[command(flatten)]
    soak: SoakArgs,
    /// Mean duration of a task in seconds. Each task runs for a tenth to ten times of it; with --preemption for up to a
    /// quarter more or less [default: 1; with --preemption 30].
    #[arg(long, value_parser = parse_task_seconds)]
    task_seconds: Option<f64>,
    /// Interval of a node's heartbeats in milliseconds.
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..=60_000))]
    heartbeat_ms: u64,
    /// Number of jobs kept in flight; `auto`: as many as fill the cluster.
    #[arg(long, default_value = "auto", value_parser = parse_in_flight)]
    jobs_in_flight: InFlight,
    /// The seed of everything random.
    #[arg(long, default_value_t = 42)]
    seed: u64,
    /// Switch the asynchronous allocation thread on or off [default: as the properties say; else off].
    #[arg(long = "async", value_parser = switch())]
    asynchronous: Option<bool>,
    /// Reload the allocation file and a variant of it in turn, at this interval [default: never].
    #[arg(long, value_name = "EVERY", value_parser = interval)]
    reload: Option<Duration>,
    /// Run only one of the two [default: the locked twin for 5 s, then the scheduler; with --preemption only the
    /// scheduler].
    #[arg(long, value_parser = one_of(CORES))]
    core: Option<CoreChoice>,
    /// A CSV file of reservations to book, with the columns reservation, queue, arrival_s, deadline_s, containers,
    /// memory_mb, vcores, duration_s and others. Switches the ReservationSystem on.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["preemption", "soak", "reload", "speed"])]
    reservations: Option<PathBuf>,
    #[command(flatten)]
    late: LateArgs,
    /// Directory for the report.
    #[arg(long, value_name = "DIR", default_value = "evenweave-report")]
    out: PathBuf,
    /// Print one JSON object on standard output, and nothing else.
    #[arg(long)]
    json: bool,
    /// Print errors only (and the JSON object with --json).
    #[arg(long)]
    quiet: bool,
}

/// A queue that comes late to a full cluster.
#[derive(Debug, Args)]
pub(crate) struct LateArgs {
    /// Show preemption: the applications of one queue come late to a cluster that other queues have filled with long
    /// tasks. The run has its own allocation file and wait times, unless --config or --site is given.
    #[arg(long, conflicts_with_all = ["reload", "queue", "jobs_in_flight"])]
    preemption: bool,
    /// The queue that comes late: a leaf queue or a parent.
    #[arg(long, value_name = "NAME", default_value = "root.production", requires = "preemption")]
    late_queue: String,
    /// Time at which its applications come.
    #[arg(long, value_name = "AFTER", default_value = "8s", value_parser = interval, requires = "preemption")]
    late_after: Duration,
    /// Number of applications that come. Together they ask for the queue's share.
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    #[arg(requires = "preemption")]
    late_apps: u32,
    /// Percentage of the other applications whose AMs give containers back when they are warned.
    #[arg(long, value_name = "PERCENT", default_value_t = 0.0, value_parser = parse_percent, requires = "preemption")]
    give_back: f64,
}

impl LoadArgs {
    fn options(self) -> LoadOptions {
        let late = self.late;
        LoadOptions {
            nodes: self.nodes,
            racks: self.racks,
            scheduler: self.scheduler,
            workers: self.workers,
            queues: self.queues,
            site: self.site.options(),
            groups: self.groups,
            queue: self.queue,
            trace: self.trace,
            speed: self.speed,
            task_time: self.task_time,
            duration: self.duration,
            task_seconds: self.task_seconds,
            heartbeat_ms: self.heartbeat_ms,
            jobs_in_flight: self.jobs_in_flight,
            seed: self.seed,
            asynchronous: self.asynchronous,
            reload: self.reload,
            core: self.core,
            reservations: self.reservations,
            late: late.preemption.then_some(LateOptions {
                queue: late.late_queue,
                after: late.late_after,
                apps: late.late_apps,
                give_back: late.give_back,
            }),
            labels: None,
        }
    }
}

/// Whether the books balance, and a job ran.
///
/// # Errors
/// Wrong input, or a scheduler that does what it must not.
pub(crate) fn run(args: LoadArgs) -> Result<bool, Failure> {
    let (json, quiet, soak, out) = (args.json, args.quiet, args.soak.options(), args.out.clone());
    let labels = args.node_labels.clone().unwrap_or_default();
    let options = args.options();
    let inputs = Inputs::read(&options, &labels)?;
    // From here on, because the check makes a file.
    let stop = interrupt::flag()?;
    let report_path = evenweave_tools::report::check_writable(&out)?;
    for warning in &inputs.warnings {
        evenweave_tools::note!("evenweave: warning: {}", line(warning));
    }
    let mut progress = Progress::new(quiet);
    let balanced = if let Some(soak) = soak {
        let result = soak::drive(&options, &inputs, soak, &stop, &progress)?;
        progress.clear();
        report::write_soak(&result, &report_path)?;
        if json {
            say_json!(report::soak_json(&result));
        } else if !quiet {
            report::print_soak(&result, &report_path);
        }
        result.balanced()
    } else {
        let result = load::run(&options, &inputs, &stop, &mut |moment| progress.tell(moment));
        let result = result.inspect_err(|_| progress.clear())?;
        // The bundled recordings are the FairScheduler's.
        let replays = !result.interrupted && options.scheduler == SchedulerChoice::Fair;
        if replays {
            progress.say("replaying recorded Hadoop runs");
        }
        let replayed = replays.then(replay::bundled_tally);
        progress.clear();
        report::write_report(&result, replayed, &report_path)?;
        if json {
            say_json!(report::load_json(&result, replayed));
        } else if !quiet {
            report::print_load(&result, replayed, &report_path);
        }
        if let Some(nothing) = result.nothing() {
            evenweave_tools::note!("evenweave: {nothing}");
            return Ok(false);
        }
        result.balanced()
    };
    if !balanced && (json || quiet) {
        evenweave_tools::note!("evenweave: the books do not balance");
    }
    Ok(balanced)
}

/// On or off.
fn switch() -> impl TypedValueParser<Value = bool> {
    PossibleValuesParser::new(["on", "off"]).map(|said| said == "on")
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

fn parse_in_flight(text: &str) -> Result<InFlight, String> {
    if text == "auto" {
        return Ok(InFlight::Auto);
    }
    match text.parse::<usize>() {
        Ok(count) if count > 0 => Ok(InFlight::Fixed(count)),
        _ => Err("`auto` or a number from 1 on".to_owned()),
    }
}

fn parse_duration(text: &str) -> Result<Duration, String> {
    let duration = interval(text)?;
    if duration < Duration::from_millis(100) { Err("a run lasts 100ms to 24 hours".to_owned()) } else { Ok(duration) }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    /// The arguments alone.
    #[derive(Debug, Parser)]
    struct Line {
        #[command(flatten)]
        load: LoadArgs,
    }

    fn options(words: &[&str]) -> Result<LoadOptions, clap::Error> {
        Line::try_parse_from([&["load"], words].concat()).map(|line| line.load.options())
    }

    #[test]
    fn a_late_queue_has_a_load_of_its_own() {
        let load = options(&["--preemption", "--give-back", "25%"]).unwrap();
        let give_back = load.late.as_ref().map(|late| late.give_back);
        assert_eq!((load.nodes(), load.duration(), give_back), (1_000, Duration::from_secs(25), Some(25.0)));
        assert_eq!(options(&[]).unwrap().nodes(), 5_000);
        for refused in [
            &["--give-back", "5"][..],
            &["--late-queue", "root.a"],
            &["--preemption", "--give-back", "101"],
            &["--preemption", "--reload", "1s"],
            &["--preemption", "--queue", "root.a"],
        ] {
            assert!(options(refused).is_err(), "{refused:?}");
        }
    }

    #[test]
    fn a_trace_may_have_a_speed() {
        let load = options(&["--speed", "10x", "--task-time", "5s"]).unwrap();
        assert_eq!((load.speed, load.task_time), (Some("10".parse().unwrap()), Duration::from_secs(5)));
        assert_eq!(load.duration(), Duration::from_secs(24 * 3600));
        for wrong in ["0", "-1", "-2x", "NaN", "fast", "--nodes"] {
            let said = options(&["--speed", wrong]).unwrap_err().to_string();
            let right = "a speed is a number from 0.001 to 100000, for example 10x, 10 or 0.5x";
            assert!(said.contains(&format!("invalid value '{wrong}' for '--speed <FACTOR>': {right}")), "{said}");
        }
        for refused in [
            &["--speed", "2", "--task-seconds", "1"][..],
            &["--speed", "2", "--jobs-in-flight", "9"],
            &["--speed", "2", "--preemption"],
            &["--speed", "2", "--soak", "10s"],
            &["--task-time", "2s"],
        ] {
            assert!(options(refused).is_err(), "{refused:?}");
        }
    }

    #[test]
    fn properties_are_set_as_hadoop_does() {
        let load = options(&["--site", "x.xml", "-Da=b=c", "-D", "d="]).unwrap();
        let set = [("a".to_owned(), "b=c".to_owned()), ("d".to_owned(), String::new())];
        assert_eq!(load.site.properties, set);
    }

    #[test]
    fn a_run_is_no_shorter_than_it_can_be() {
        assert_eq!(parse_duration("100ms"), Ok(Duration::from_millis(100)));
        assert!(parse_duration("99ms").is_err());
    }
}
