//! A run written as a scenario: `replay` comes to the same, and the run is the same with and without it.

#![expect(clippy::unwrap_used, reason = "a test's helpers")]

use std::path::PathBuf;

use evenweave_bench::Failure;
use evenweave_bench::replay::{PlayOptions, ReplayOptions, replay};
use evenweave_bench::simulate::{AmStyle, ClusterOptions, RunResult, SimulateOptions, simulate, write_decisions};

/// A directory of one test, gone at its end.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let path = std::env::temp_dir().join(format!("evenweave-decisions-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Scratch(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

const FAIR: &str = "<allocations><queue name=\"a\"><weight>3</weight><maxResources>60%</maxResources></queue>\
                    <queue name=\"b\"><maxAMShare>0.3</maxAMShare></queue></allocations>";

fn options(scratch: &Scratch, queues: &str, ams: AmStyle, steps: Option<usize>) -> SimulateOptions {
    let file = scratch.0.join("queues.xml");
    std::fs::write(&file, queues).unwrap();
    SimulateOptions {
        configs: vec![file],
        cluster: ClusterOptions { nodes: vec![7], rack_size: Some(3), ..ClusterOptions::default() },
        ams,
        place_tasks: true,
        until_ms: Some(3_600_000),
        decision_steps: steps,
        ..SimulateOptions::default()
    }
}

/// How many steps the scenario has, once it was replayed without a difference.
fn replayed(scratch: &Scratch, ams: AmStyle, steps: usize) -> (RunResult, usize) {
    let simulated = simulate(&options(scratch, FAIR, ams, Some(steps)), &|_| true).unwrap();
    let path = scratch.0.join("decisions.jsonl");
    write_decisions(&simulated, &path).unwrap();
    let replay_options =
        ReplayOptions { files: vec![path.clone()], play: PlayOptions::EXACT, trace: false, scenario: None };
    let outcomes = replay(&replay_options).unwrap();
    assert_eq!((outcomes.tally().passed, outcomes.tally().failed), (1, 0), "{}", outcomes.text(5));
    let scenario: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    (simulated.runs.into_iter().flatten().next().unwrap(), scenario["steps"].as_array().unwrap().len())
}

#[test]
fn a_run_is_replayed() {
    let scratch = Scratch::new("replayed");
    for ams in [AmStyle::MapReduce, AmStyle::Sls] {
        let plain = simulate(&options(&scratch, FAIR, ams, None), &|_| true).unwrap();
        for steps in [500, 501, 5_000] {
            let (run, count) = replayed(&scratch, ams, steps);
            assert!((steps - 2..=steps).contains(&count), "{count} of {steps}");
            assert_eq!(run.decisions, plain.runs[0][0].decisions);
        }
        assert!(plain.runs[0][0].scenario.is_none());
    }
}

#[test]
fn another_scheduler_has_no_scenario() {
    let scratch = Scratch::new("capacity");
    let queues = "<configuration><property><name>yarn.scheduler.capacity.root.queues</name><value>a</value></property>\
                  <property><name>yarn.scheduler.capacity.root.a.capacity</name><value>100</value></property></configuration>";
    let simulated = simulate(&options(&scratch, queues, AmStyle::Sls, Some(10)), &|_| true);
    let Err(Failure::Input(message)) = simulated else { panic!("it is taken") };
    assert!(message.starts_with("--decisions: ") && message.ends_with("give a fair-scheduler.xml"), "{message}");
}
