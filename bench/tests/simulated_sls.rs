//! Simulated runs held against recorded ones of Hadoop's Scheduler Load Simulator: as close to these as they are to each other.

#![expect(clippy::unwrap_used, reason = "a test's helpers")]

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use evenweave_bench::options::SchedulerChoice;
use evenweave_bench::simulate::{AmStyle, ClusterOptions, JobRecord, RunResult, SimulateOptions, simulate};
use evenweave_bench::site::SiteOptions;
use evenweave_bench::traces::Times;
use flate2::read::GzDecoder;

/// A recording, and the last columns of the table of how far its runs are from each other: jobs within 1 s and 2 s of the others' range, mean
/// and worst run, and how far off mean runtime and last end are at most.
struct Recording {
    input: &'static str,
    jobs: &'static str,
    scheduler: SchedulerChoice,
    times: &'static str,
    within: [[f64; 2]; 2],
    off: [f64; 2],
}

/// Runtime and end of each job of a run.
type Jobs = BTreeMap<String, (f64, f64)>;

fn folder(input: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/sls").join(input)
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
    let folder = folder(recording.input);
    let times = if recording.times == "stock" { Times::AllAtOnce } else { Times::FirstJob };
    let nodes = folder.join("nodes.json");
    SimulateOptions {
        traces: vec![folder.join(recording.jobs)],
        configs: vec![folder.join(format!("{}-scheduler.xml", recording.scheduler.name()))],
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
    let mut o = options(recording, seeds);
    o.every_ms = 1000;
    let outcome = simulate(&o, &|_| true).unwrap();
    if std::env::var("SHOW").is_ok() {
        for run in &outcome.runs[0] {
            println!(
                "occ {:?} {} {:?}",
                recording.scheduler,
                recording.input,
                run.intervals.iter().map(|i| i.granted - i.ended).collect::<Vec<_>>()
            );
        }
    }
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

fn last_end(run: &Jobs) -> f64 {
    run.values().map(|(_, end)| *end).fold(0.0, f64::max)
}

/// Parts of the jobs within 1 s and 2 s of the others' range; mean runtime and last end off theirs.
fn against(own: &Jobs, others: &[Jobs]) -> [f64; 4] {
    let jobs: Vec<&String> = own.keys().filter(|job| others.iter().all(|run| run.contains_key(*job))).collect();
    let within = |slack: f64| {
        let is = |job: &&&String| {
            let range = others.iter().map(|run| run[**job].0);
            let (least, most) = range.fold((f64::MAX, f64::MIN), |(least, most), at| (least.min(at), most.max(at)));
            (least - slack..=most + slack).contains(&own[**job].0)
        };
        jobs.iter().filter(is).count() as f64 / jobs.len() as f64
    };
    let mean_of = |run: &Jobs| mean(jobs.iter().map(|job| run[*job].0));
    let mean_off = mean_of(own) / mean(others.iter().map(mean_of)) - 1.0;
    let end_off = last_end(own) / mean(others.iter().map(last_end)) - 1.0;
    [within(1000.0), within(2000.0), mean_off, end_off]
}

const RECORDINGS: [Recording; 12] = {
    use SchedulerChoice::{Capacity, Fair};
    const RUMEN: (&str, &str) = ("rumen", "jobs.rumen.json.gz");
    const BASIC: (&str, &str) = ("sls-basic", "jobs.sls.json.gz");
    const QUEUES: (&str, &str) = ("sls-queues", "jobs.sls.json.gz");
    const SYNTH: (&str, &str) = ("synth", "jobs.synth.json.gz");
    const fn of(
        (input, jobs): (&'static str, &'static str),
        scheduler: SchedulerChoice,
        times: &'static str,
        within: [[f64; 2]; 2],
        off: [f64; 2],
    ) -> Recording {
        Recording { input, jobs, scheduler, times, within, off }
    }
    [
        of(RUMEN, Capacity, "stock", [[0.65, 0.53], [0.76, 0.57]], [0.031, 0.019]),
        of(RUMEN, Capacity, "trace", [[0.86, 0.80], [0.99, 0.97]], [0.016, 0.013]),
        of(RUMEN, Fair, "stock", [[0.68, 0.50], [0.80, 0.60]], [0.029, 0.024]),
        of(RUMEN, Fair, "trace", [[0.75, 0.67], [0.84, 0.73]], [0.032, 0.022]),
        of(BASIC, Capacity, "stock", [[0.81, 0.70], [0.94, 0.87]], [0.031, 0.035]),
        of(BASIC, Fair, "stock", [[0.68, 0.50], [0.81, 0.73]], [0.014, 0.026]),
        of(QUEUES, Capacity, "stock", [[0.78, 0.50], [0.89, 0.70]], [0.020, 0.038]),
        of(QUEUES, Fair, "stock", [[0.68, 0.47], [0.79, 0.73]], [0.032, 0.037]),
        of(SYNTH, Capacity, "stock", [[0.73, 0.50], [0.83, 0.67]], [0.112, 0.074]),
        of(SYNTH, Capacity, "trace", [[0.94, 0.93], [0.99, 0.97]], [0.013, 0.014]),
        of(SYNTH, Fair, "stock", [[0.83, 0.60], [0.90, 0.70]], [0.012, 0.011]),
        of(SYNTH, Fair, "trace", [[0.85, 0.73], [0.94, 0.90]], [0.025, 0.027]),
    ]
};

/// More seeds than there are recorded runs: chance is small then.
const SEEDS: u32 = 24;

#[test]
fn simulated_runs_are_as_close_to_recorded_ones_as_these_are_to_each_other() {
    for recording in &RECORDINGS {
        let name = format!("{}/{}-{}", recording.input, recording.scheduler.name(), recording.times);
        let file = format!("{}-{}.csv.gz", recording.scheduler.name(), recording.times);
        let runs = recorded(&folder(recording.input).join(file));
        let own = simulated(recording, SEEDS);
        assert!(own.iter().all(|run| run.len() == 30), "{name}: jobs without an end");
        let held: Vec<[f64; 4]> = own.iter().map(|run| against(run, &runs)).collect();
        let of = |index: usize| mean(held.iter().map(|row| row[index]));
        for (index, [recorded, worst]) in recording.within.into_iter().enumerate() {
            assert!(
                of(index) >= recorded - 0.005,
                "{name}: {:.3} within {} s, recorded {recorded}",
                of(index),
                index + 1
            );
            // The worst of many may be worse than the worst of four.
            let good = held.iter().filter(|row| row[index] >= worst - 0.005).count();
            assert!(good * 3 >= held.len() * 2, "{name}: {good} of {} as good as the worst, {worst}", held.len());
        }
        let [mean_off, end_off] = recording.off;
        assert!(of(2).abs() <= mean_off, "{name}: mean runtime {:+.4}, recorded {mean_off}", of(2));
        assert!(of(3).abs() <= end_off, "{name}: last end {:+.4}, recorded {end_off}", of(3));
    }
}

/// What can change nothing is left out, and nothing changes: each decision is the same, in each run.
#[test]
fn what_is_left_out_changes_no_decision() {
    let (mut left_out, mut due) = (0, 0);
    for recording in &RECORDINGS {
        let all = simulate(&SimulateOptions { skip: false, ..options(recording, 12) }, &|_| true).unwrap();
        let some = simulate(&options(recording, 12), &|_| true).unwrap();
        for (all, some) in all.runs[0].iter().zip(&some.runs[0]) {
            let name = format!("{}/{} seed {}", recording.input, recording.scheduler.name(), all.seed);
            assert_eq!((all.decisions, all.granted), (some.decisions, some.granted), "{name}");
            assert_eq!(all.jobs, some.jobs, "{name}");
            assert_eq!(all.skipped, 0);
            left_out += some.skipped;
            due += some.heartbeats;
        }
    }
    assert!(left_out * 50 > due, "{left_out} of {due} are left out");
}
