//! Simulated runs held against recorded ones of Hadoop's Scheduler Load Simulator: as close to these as they are to
//! each other.
//!
//! Each folder of `data/sls` is an input, with recordings of one scheduler or both. The first test prints what it
//! compares, as `docs/simulator-figures.md` has it.

#![expect(clippy::unwrap_used, reason = "a test's helpers")]

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use evenweave_simulator::{AmStyle, ClusterOptions, JobRecord, RunResult, SimulateOptions, simulate};
use evenweave_tools::options::SchedulerChoice;
use evenweave_tools::site::SiteOptions;
use evenweave_tools::traces::Times;
use flate2::read::GzDecoder;

/// The runs of one scheduler over one input.
struct Recording {
    folder: PathBuf,
    scheduler: SchedulerChoice,
    /// `stock`: all jobs are submitted at once; `trace`: at their own times.
    times: String,
    runs: Vec<Jobs>,
}

impl Recording {
    fn name(&self) -> String {
        let input = self.folder.file_name().unwrap().to_string_lossy();
        format!("{input}/{}-{}", self.scheduler.name(), self.times)
    }
}

/// Runtime and end of each job of a run, in ms.
type Jobs = BTreeMap<String, (f64, f64)>;

fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

fn named(path: &Path) -> &str {
    path.file_name().unwrap().to_str().unwrap()
}

fn recordings() -> Vec<Recording> {
    let mut recordings = Vec::new();
    for folder in entries(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/sls")) {
        for path in entries(&folder) {
            let Some((scheduler, times)) = named(&path).strip_suffix(".csv.gz").and_then(|name| name.split_once('-'))
            else {
                continue;
            };
            let scheduler = match scheduler {
                "fair" => SchedulerChoice::Fair,
                "capacity" => SchedulerChoice::Capacity,
                other => panic!("{}: {other} is no scheduler", path.display()),
            };
            let (folder, times, runs) = (folder.clone(), times.to_owned(), recorded(&path));
            recordings.push(Recording { folder, scheduler, times, runs });
        }
    }
    recordings
}

fn recorded(path: &Path) -> Vec<Jobs> {
    let mut text = String::new();
    GzDecoder::new(std::fs::File::open(path).unwrap()).read_to_string(&mut text).unwrap();
    let mut runs: BTreeMap<String, Jobs> = BTreeMap::new();
    for line in text.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let [run, job, submitted, ended, ..] = fields[..] else { panic!("{line}") };
        let (Ok(submitted), Ok(ended)) = (submitted.parse::<f64>(), ended.parse::<f64>()) else { continue };
        runs.entry(run.to_owned()).or_default().insert(job.to_owned(), (ended - submitted, ended));
    }
    runs.into_values().collect()
}

fn options(recording: &Recording, seeds: u32) -> SimulateOptions {
    let Recording { folder, scheduler, .. } = recording;
    let times = if recording.times == "stock" { Times::AllAtOnce } else { Times::FirstJob };
    let nodes = folder.join("nodes.json");
    SimulateOptions {
        traces: entries(folder).into_iter().filter(|path| named(path).starts_with("jobs.")).collect(),
        configs: vec![folder.join(format!("{}-scheduler.xml", scheduler.name()))],
        site: SiteOptions {
            site: vec![folder.join("sls-runner.xml")],
            // What SLS sets whatever is said.
            properties: vec![("yarn.resourcemanager.scheduler.monitor.enable".to_owned(), "true".to_owned())],
        },
        cluster: ClusterOptions { node_file: nodes.exists().then_some(nodes), ..ClusterOptions::default() },
        ams: AmStyle::Sls,
        times,
        seeds,
        ..SimulateOptions::default()
    }
}

fn simulated(recording: &Recording, seeds: u32) -> Vec<Jobs> {
    let outcome = simulate(&options(recording, seeds), &|_| true).unwrap();
    let of_run = |run: &RunResult| {
        let of_job = |job: &JobRecord| Some((job.job.clone(), (job.runtime_ms()? as f64, job.ended_ms? as f64)));
        run.jobs.iter().filter_map(of_job).collect()
    };
    outcome.runs[0].iter().map(of_run).collect()
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let all: Vec<f64> = values.collect();
    all.iter().sum::<f64>() / all.len() as f64
}

fn least_and_most(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::MAX, f64::MIN), |(least, most), value| (least.min(value), most.max(value)))
}

fn last_end(run: &Jobs) -> f64 {
    run.values().map(|(_, end)| *end).fold(0.0, f64::max)
}

fn mean_runtime(run: &Jobs) -> f64 {
    mean(run.values().map(|(runtime, _)| *runtime))
}

/// A run held against others: parts of the jobs within 1 s and 2 s of the others' range; mean runtime and last end off
/// theirs.
fn against(own: &Jobs, others: &[&Jobs]) -> [f64; 4] {
    let jobs: Vec<&String> = own.keys().filter(|job| others.iter().all(|run| run.contains_key(*job))).collect();
    let within = |slack: f64| {
        let is = |job: &&&String| {
            let (least, most) = least_and_most(others.iter().map(|run| run[**job].0));
            (least - slack..=most + slack).contains(&own[**job].0)
        };
        jobs.iter().filter(is).count() as f64 / jobs.len() as f64
    };
    let mean_of = |run: &Jobs| mean(jobs.iter().map(|job| run[*job].0));
    let mean_off = mean_of(own) / mean(others.iter().map(|run| mean_of(run))) - 1.0;
    let end_off = last_end(own) / mean(others.iter().map(|run| last_end(run))) - 1.0;
    [within(1000.0), within(2000.0), mean_off, end_off]
}

/// All but one of the runs, for each of them.
fn all_but_one(runs: &[Jobs]) -> impl Iterator<Item = Vec<&Jobs>> {
    (0..runs.len())
        .map(|left_out| runs.iter().enumerate().filter(|(at, _)| *at != left_out).map(|(_, run)| run).collect())
}

/// The spread of a job's runtimes over its mean, of the job in the middle.
fn spread(runs: &[Jobs]) -> f64 {
    let of = |job: &String| {
        let (least, most) = least_and_most(runs.iter().filter_map(|run| Some(run.get(job)?.0)));
        (most - least) / mean(runs.iter().filter_map(|run| Some(run.get(job)?.0)))
    };
    let mut spreads: Vec<f64> = runs[0].keys().map(of).collect();
    spreads.sort_by(f64::total_cmp);
    spreads[spreads.len() / 2]
}

/// What is not as close, all of it in inputs of the second table. Chance alone would give more: see the test.
const OUTSIDE: [&str; 4] = [
    "rumen-local/capacity-trace: within 1 s",
    "sls-limits/capacity-stock: within 1 s",
    "sls-limits/fair-stock: within 1 s",
    "sls-limits/fair-stock: within 2 s",
];

/// More seeds than there are recorded runs: chance is small then.
const SEEDS: u32 = 24;

const CELLS: [&str; 4] = ["within 1 s", "within 2 s", "mean runtime", "last end"];

/// Some runs held against recorded ones, or against others that stand for these.
struct Held {
    /// Each recorded run against the others.
    real: Vec<[f64; 4]>,
    /// Each of ours against all recorded ones.
    own: Vec<[f64; 4]>,
}

impl Held {
    fn new<'r>(runs: &[Jobs], own: impl Iterator<Item = &'r Jobs>) -> Held {
        let all: Vec<&Jobs> = runs.iter().collect();
        let real = runs.iter().zip(all_but_one(runs)).map(|(run, others)| against(run, &others)).collect();
        Held { real, own: own.map(|run| against(run, &all)).collect() }
    }

    fn ours(&self, cell: usize) -> f64 {
        mean(self.own.iter().map(|row| row[cell]))
    }

    fn theirs(&self, cell: usize) -> f64 {
        mean(self.real.iter().map(|row| row[cell]))
    }

    fn furthest(&self, cell: usize) -> f64 {
        self.real.iter().map(|row| row[cell].abs()).fold(0.0, f64::max)
    }

    /// Whether ours are further off than the recorded ones are from each other.
    fn is_outside(&self, cell: usize) -> bool {
        if cell >= 2 {
            return self.ours(cell).abs() > self.furthest(cell);
        }
        let worst = least_and_most(self.real.iter().map(|row| row[cell])).0;
        // The worst of many may be worse than the worst of four.
        let good = self.own.iter().filter(|row| row[cell] >= worst - 0.005).count();
        self.ours(cell) < self.theirs(cell) - 0.005 || good * 3 < self.own.len() * 2
    }
}

/// How many cells lie outside where as many of our own runs stand for the recorded ones, and the rest is held against
/// these: by chance alone.
fn outside_by_chance(own: &[Jobs], recorded: usize) -> f64 {
    let parts: Vec<usize> = (0..own.len() / recorded).map(|part| part * recorded).collect();
    let count = |at: &usize| {
        let truth = *at..at + recorded;
        let rest = own.iter().enumerate().filter(|(number, _)| !truth.contains(number)).map(|(_, run)| run);
        let held = Held::new(&own[truth.clone()], rest);
        (0..CELLS.len()).filter(|cell| held.is_outside(*cell)).count() as f64
    };
    mean(parts.iter().map(count))
}

/// Each recorded run is held against the others, each simulated one against all of them. Four runs are few: held
/// against four of our own, the rest of our own would lie outside more often.
#[test]
fn simulated_runs_are_as_close_to_recorded_ones_as_these_are_to_each_other() {
    println!(
        "| input | spread of a job | within 1 s | within 2 s | mean runtime off | last end off | mean runtime, s |"
    );
    println!("{}|", "| --- ".repeat(7));
    let (mut outside, mut by_chance, mut cells) = (Vec::new(), 0.0, 0);
    for recording in recordings() {
        let (name, runs) = (recording.name(), &recording.runs);
        let own = simulated(&recording, SEEDS);
        let jobs = runs.iter().map(Jobs::len).max().unwrap();
        assert!(own.iter().all(|run| run.len() == jobs), "{name}: jobs without an end");
        let held = Held::new(runs, own.iter());
        let (least, most) = least_and_most(runs.iter().map(mean_runtime));
        let mean_of_all = mean(own.iter().map(mean_runtime));
        let own_spread = mean(own.chunks_exact(runs.len()).map(spread));
        let percent = |value: f64| format!("{:.0} %", value * 100.0);
        println!(
            "| {name} | {}; {} | {}; {} | {}; {} | {:.1} %; {:+.1} % | {:.1} %; {:+.1} % | {:.1}–{:.1}; {:.1} |",
            percent(spread(runs)),
            percent(own_spread),
            percent(held.theirs(0)),
            percent(held.ours(0)),
            percent(held.theirs(1)),
            percent(held.ours(1)),
            held.furthest(2) * 100.0,
            held.ours(2) * 100.0,
            held.furthest(3) * 100.0,
            held.ours(3) * 100.0,
            least / 1000.0,
            most / 1000.0,
            mean_of_all / 1000.0,
        );
        let is_outside = |(cell, _): &(usize, &&str)| held.is_outside(*cell);
        outside.extend(CELLS.iter().enumerate().filter(is_outside).map(|(_, what)| format!("{name}: {what}")));
        by_chance += outside_by_chance(&own, runs.len());
        cells += CELLS.len();
    }
    println!("outside: {} of {cells} cells; by chance alone: {by_chance:.1}", outside.len());
    assert_eq!(outside, OUTSIDE, "left: what lies outside; right: what is known to");
    assert!((outside.len() as f64) < by_chance, "more than chance alone would give: {by_chance}");
}

/// What can change nothing is left out, and nothing changes: each decision is the same, in each run.
#[test]
fn what_is_left_out_changes_no_decision() {
    let (mut left_out, mut due) = (0, 0);
    for recording in &recordings() {
        let all = simulate(&SimulateOptions { skip: false, ..options(recording, 12) }, &|_| true).unwrap();
        let some = simulate(&options(recording, 12), &|_| true).unwrap();
        for (all, some) in all.runs[0].iter().zip(&some.runs[0]) {
            let name = format!("{} seed {}", recording.name(), all.seed);
            assert_eq!((all.decisions, all.granted), (some.decisions, some.granted), "{name}");
            assert_eq!(all.jobs, some.jobs, "{name}");
            assert_eq!(all.skipped, 0);
            left_out += some.skipped;
            due += some.heartbeats;
        }
    }
    assert!(left_out * 50 > due, "{left_out} of {due} are left out");
}
