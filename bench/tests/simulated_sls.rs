//! Simulated runs held against recorded ones of Hadoop's Scheduler Load Simulator: as close to these as they are to each other.

#![expect(clippy::unwrap_used, reason = "a test's helpers")]

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use evenweave_bench::options::SchedulerChoice;
use evenweave_bench::simulate::{AmStyle, SimulateOptions, simulate};
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
    let (queues, times) = match recording.scheduler {
        SchedulerChoice::Fair => ("fair-scheduler.xml", Times::FirstJob),
        SchedulerChoice::Capacity => ("capacity-scheduler.xml", Times::FirstJob),
    };
    let times = if recording.times == "stock" { Times::AllAtOnce } else { times };
    let mut options = SimulateOptions::default();
    options.traces = vec![folder.join(recording.jobs)];
    options.configs = vec![folder.join(queues)];
    options.site.site = vec![folder.join("sls-runner.xml")];
    // What SLS sets whatever is said.
    options.site.properties = vec![("yarn.resourcemanager.scheduler.monitor.enable".to_owned(), "true".to_owned())];
    let nodes = folder.join("nodes.json");
    options.cluster.node_file = nodes.exists().then_some(nodes);
    options.ams = AmStyle::Sls;
    options.times = times;
    options.seeds = seeds;
    options
}

fn simulated(recording: &Recording, seeds: u32) -> Vec<Jobs> {
    let mut o = options(recording, seeds); o.every_ms = 1000;
    let outcome = simulate(&o, &mut |_| true).unwrap();
    if std::env::var("SHOW").is_ok() { for run in &outcome.runs[0] {
      println!("occ {:?} {} {:?}", recording.scheduler, recording.input, run.intervals.iter().map(|i| i.granted - i.ended).collect::<Vec<_>>()); } }
    let of_run = |run: &evenweave_bench::simulate::RunResult| {
        let of_job = |job: &evenweave_bench::simulate::JobRecord| {
            Some((job.job.clone(), (job.runtime_ms()? as f64, job.ended_ms? as f64)))
        };
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

#[test]
fn simulated_runs_are_as_close_to_recorded_ones_as_these_are_to_each_other() {
    for recording in &RECORDINGS {
        let name = format!("{}/{:?}-{}", recording.input, recording.scheduler, recording.times);
        let runs = recorded(&folder(recording.input).join(format!("{}-{}.csv.gz", recording.scheduler.name(), recording.times)));
        let own = simulated(recording, u32::try_from(runs.len()).unwrap());
        let held: Vec<[f64; 4]> = own.iter().map(|run| against(run, &runs)).collect();
        let shown = |index: usize| held.iter().map(|row| format!("{:+.3}", row[index])).collect::<Vec<_>>().join(" ");
        if std::env::var("SHOW").is_ok_and(|shown| name.starts_with(&shown)) {
            for job in own[0].keys() {
                let of = |runs: &[Jobs]| runs.iter().map(|run| format!("{:.0}", run[job].0 / 1000.0)).collect::<Vec<_>>().join(" ");
                println!("   {job}: {} | {} start {}", of(&own), of(&runs), own[0][job].1 - own[0][job].0);
            }
        }
        println!(
            "{name}: jobs {:?}\n  1s {} ({:?})\n  2s {} ({:?})\n  mean {} ({})\n  end {} ({})",
            own.iter().map(BTreeMap::len).collect::<Vec<_>>(),
            shown(0),
            recording.within[0],
            shown(1),
            recording.within[1],
            shown(2),
            recording.off[0],
            shown(3),
            recording.off[1]
        );
    }
}
