//! The bundled day in virtual time, with ApplicationMasters as MapReduce has them.

#![expect(clippy::unwrap_used, reason = "a test's helpers")]

use evenweave_simulator::{ClusterOptions, Moment, RunResult, SimulateOptions, simulate};

const HOUR_MS: u64 = 3_600_000;

fn days(nodes: u32, change: impl FnOnce(&mut SimulateOptions)) -> Vec<RunResult> {
    let cluster = ClusterOptions { nodes: vec![nodes], ..ClusterOptions::default() };
    let mut options = SimulateOptions { cluster, ..SimulateOptions::default() };
    change(&mut options);
    // More jobs than that are open at once only where they wait for ever.
    let simulated = simulate(&options, &|moment: Moment| moment.open < 1_000).unwrap();
    simulated.runs.into_iter().flatten().collect()
}

/// Reduces that wait for maps must not keep maps from running: without preemption nobody else makes room.
#[test]
fn every_job_ends_on_a_small_cluster() {
    for run in days(30, |_| {}) {
        let open: Vec<&str> =
            run.jobs.iter().filter(|job| job.ended_ms.is_none()).map(|job| job.job.as_str()).collect();
        assert!(open.is_empty(), "{}: {} jobs have no end: {:?}", run.name, open.len(), &open[..open.len().min(5)]);
        assert_eq!((run.jobs.len(), run.refused.len()), (5_894, 0), "{}", run.name);
    }
}

#[test]
fn what_is_left_out_changes_no_decision() {
    for nodes in [16, 40] {
        let of = |skip| {
            let runs = days(nodes, |options| {
                options.skip = skip;
                options.until_ms = Some(6 * HOUR_MS);
                options.failures = 0.02;
            });
            runs.into_iter().map(|run| (run.name, run.decisions, run.skipped > 0)).collect::<Vec<_>>()
        };
        let (skipping, all) = (of(true), of(false));
        for ((name, decisions, skipped), (_, same, none)) in skipping.iter().zip(&all) {
            assert_eq!((decisions, *skipped, *none), (same, true, false), "{name} on {nodes} nodes");
        }
    }
}
