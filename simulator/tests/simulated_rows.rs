//! Rows of jobs that are written as jobs end: the same as those of records that are kept, and nothing is left of a run
//! that breaks off.

#![expect(clippy::unwrap_used, reason = "a test's helpers")]

use std::path::PathBuf;

use evenweave_simulator::{ClusterOptions, SimulateOptions, Simulated, simulate, words, write_tables};

/// A directory of one test, gone at its end.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let path = std::env::temp_dir().join(format!("evenweave-job-rows-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Scratch(path)
    }

    /// The lines of a table but the first, in order.
    fn sorted(&self, name: &str) -> Vec<String> {
        let text = std::fs::read_to_string(self.0.join(name)).unwrap();
        let mut lines: Vec<String> = text.lines().skip(1).map(str::to_owned).collect();
        lines.sort_unstable();
        lines
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn options(rows: Option<PathBuf>) -> SimulateOptions {
    let cluster = ClusterOptions { nodes: vec![9], ..ClusterOptions::default() };
    SimulateOptions { cluster, rows, until_ms: Some(4 * 3_600_000), ..SimulateOptions::default() }
}

/// What is said of it, without how long it took.
fn said(simulated: &Simulated) -> String {
    let text = words(simulated);
    text.lines().map(|line| line.split(" h in ").next().unwrap()).collect::<Vec<_>>().join("\n")
}

#[test]
fn rows_are_the_same_whether_records_are_kept_or_not() {
    let (kept, written) = (Scratch::new("kept"), Scratch::new("written"));
    let with = simulate(&options(None), &|_| true).unwrap();
    let without = simulate(&options(Some(written.0.clone())), &|_| true).unwrap();
    write_tables(&with, &kept.0).unwrap();
    write_tables(&without, &written.0).unwrap();
    for run in 0..2 {
        let (with, without) = (&with.runs[run][0], &without.runs[run][0]);
        assert!(with.jobs.len() > 500 && without.jobs.is_empty());
        assert_eq!((&with.figures, &with.sums, with.decisions), (&without.figures, &without.sums, without.decisions));
        assert_eq!(with.figures.len(), with.jobs.len());
        assert_eq!(with.sums.iter().map(|sums| sums.jobs).sum::<u64>(), with.jobs.len() as u64);
        let open = with.jobs.iter().filter(|job| job.ended_ms.is_none()).count() as u64;
        assert!(open > 0 && with.sums.iter().map(|sums| sums.open).sum::<u64>() == open, "{open}");
    }
    for table in ["jobs-1.csv", "jobs-2.csv", "jobruntime-1.csv", "jobruntime-2.csv", "intervals-1.csv"] {
        let lines = kept.sorted(table);
        assert!(!lines.is_empty() && lines == written.sorted(table), "{table}");
    }
    assert_eq!(said(&with), said(&without));
    // Three tables of each file, and one of all queues.
    assert_eq!(std::fs::read_dir(&written.0).unwrap().count(), 7);
}

#[test]
fn a_run_that_breaks_off_leaves_nothing() {
    let scratch = Scratch::new("broken");
    let out = scratch.0.join("out");
    assert!(simulate(&options(Some(out.clone())), &|moment| moment.jobs < 100).is_err());
    assert!(!out.exists());
}

/// One run is done, and the other is told to stop: the files of both are gone.
#[test]
fn files_get_their_names_when_all_runs_are_done() {
    let scratch = Scratch::new("half");
    let out = scratch.0.join("out");
    let stopped = simulate(&options(Some(out.clone())), &|moment| moment.run == 0 || moment.now_ms < 3 * 3_600_000);
    assert!(stopped.is_err());
    assert!(!out.exists());
}
