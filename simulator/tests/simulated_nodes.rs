//! Nodes that are lost, come, and change their size in a simulation.

#![expect(clippy::unwrap_used, reason = "a test's helpers")]

mod scratch;

use evenweave_simulator::{
    AmStyle, ClusterOptions, JobEnd, NoEnd, RunResult, SimulateOptions, Simulated, simulate, words,
};
use evenweave_tools::Failure;

use scratch::Scratch;

const HEAD: &str = "time_s,event,node,rack,memory_mb,vcores\n";

/// So many jobs with so many tasks of a life each, on four nodes of eight containers.
fn run(
    scratch: &Scratch,
    (jobs, tasks, life_ms): (u32, u32, u32),
    changes: &str,
    change: impl FnOnce(&mut SimulateOptions),
) -> Result<RunResult, Failure> {
    let lines = (0..jobs).map(|job| format!("j{job},{},{life_ms},{tasks}\n", job * 1000)).collect::<String>();
    let trace = scratch.file("jobs.csv", &format!("job,submit_ms,duration_ms,count\n{lines}"));
    let queues = scratch.file("queues.xml", "<allocations><queue name=\"default\"/></allocations>");
    let cluster = ClusterOptions {
        nodes: vec![4],
        rack_size: Some(2),
        changes: Some(scratch.file("changes.csv", &format!("{HEAD}{changes}"))),
        ..ClusterOptions::default()
    };
    let mut options =
        SimulateOptions { traces: vec![trace], configs: vec![queues], cluster, ..SimulateOptions::default() };
    change(&mut options);
    let simulated = simulate(&options, &|moment| moment.now_ms < 86_400_000)?;
    Ok(simulated.runs.into_iter().flatten().next().unwrap())
}

#[test]
fn what_ran_on_a_lost_rack_runs_again() {
    let scratch = Scratch::new();
    for ams in [AmStyle::MapReduce, AmStyle::Sls] {
        let of = |changes: &str| run(&scratch, (1, 31, 60_000), changes, |options| options.ams = ams).unwrap();
        let whole = of("");
        assert_eq!((whole.lost_nodes, whole.lost_containers, whole.jobs[0].containers), (0, 0, 31));
        // The AM is on one of the racks; a rack without it is lost while all run.
        let ends: Vec<RunResult> =
            ["/rack0", "/rack1"].map(|rack| of(&format!("40,lose,,{rack},,\n"))).into_iter().collect();
        let done: Vec<&RunResult> = ends.iter().filter(|run| run.jobs[0].end == JobEnd::Done).collect();
        assert_eq!(done.len(), 1, "{ends:?}");
        assert_eq!(
            ends.iter().filter(|run| run.jobs[0].end == JobEnd::AmLost).count(),
            1,
            "the AM is lost with its rack"
        );
        assert_eq!((done[0].lost_nodes, done[0].lost_containers), (2, 16));
        let lost = ends.iter().find(|run| run.jobs[0].end == JobEnd::AmLost).unwrap();
        assert_eq!(lost.unended.keys().copied().collect::<Vec<_>>(), [NoEnd::AmNodeLost]);
        let said = words(&Simulated { runs: vec![vec![lost.clone()]], warnings: Vec::new() });
        assert!(
            said.contains("1 lost the AM with its node: j0 in root.default; an AM has no second attempt here"),
            "{said}"
        );
        // Sixteen once more, after the fifteen that are left have ended.
        assert_eq!(done[0].jobs[0].containers, 31 + 16);
        assert!(done[0].simulated_ms > whole.simulated_ms + 55_000, "{} {}", done[0].simulated_ms, whole.simulated_ms);
    }
}

#[test]
fn nodes_that_come_are_used() {
    let scratch = Scratch::new();
    let end = |changes: &str| run(&scratch, (2, 60, 60_000), changes, |_| {}).unwrap().simulated_ms;
    let (none, more, back, larger) = (
        end(""),
        end("30,add,node4,/rack0,8192,8\n30,add,node5,/rack7,8192,8\n30,add,node6,,,\n"
            .replace("node6,,", "node6,/r,")
            .as_str()),
        end("1,lose,node3,,,\n30,back,node3,,,\n"),
        end("30,resize,node0,,65536,64\n"),
    );
    assert!(more + 30_000 < none && larger + 30_000 < none, "{none} {more} {larger}");
    assert!(back >= none && back < none + 70_000, "{none} {back}");
}

/// Nodes come and go all the time, and every job still ends; what is left out changes nothing.
#[test]
fn a_restless_cluster() {
    let scratch = Scratch::new();
    let mut changes = String::new();
    for round in 0..200_u32 {
        let node = round % 3 + 1;
        changes += &format!("{},lose,node{node},,,\n{},back,node{node},,,\n", 5 + 7 * round, 5 + 7 * round + 6);
        changes += &format!("{},resize,node0,,{},8\n", 5 + 7 * round + 6, 8192 - 1024 * (round % 4));
    }
    for ams in [AmStyle::MapReduce, AmStyle::Sls] {
        let of = |skip| {
            run(&scratch, (40, 12, 60_000), &changes, |options| {
                options.ams = ams;
                options.skip = skip;
                options.place_tasks = true;
            })
            .unwrap()
        };
        let (skipping, all) = (of(true), of(false));
        assert_eq!((skipping.decisions, skipping.heartbeats), (all.decisions, all.heartbeats));
        assert!(skipping.skipped > 0 && all.skipped == 0);
        assert!(skipping.jobs.iter().all(|job| job.end != JobEnd::Open), "{:?}", skipping.jobs);
        assert!(skipping.lost_containers > 20, "{}", skipping.lost_containers);
    }
}

/// Containers that were granted, and whose node is lost before their AM launches them: their tasks run all the same.
#[test]
fn nodes_that_are_lost_before_a_launch() {
    let scratch = Scratch::new();
    let mut changes = String::new();
    for round in 0..300_u32 {
        let at = f64::from(round) * 2.3;
        let node = round % 3 + 1;
        changes += &format!("{},lose,node{node},,,\n{},back,node{node},,,\n", 5.0 + at, 5.5 + at);
    }
    for ams in [AmStyle::MapReduce, AmStyle::Sls] {
        let run = run(&scratch, (30, 60, 2000), &changes, |options| options.ams = ams).unwrap();
        let open: Vec<&str> =
            run.jobs.iter().filter(|job| job.end == JobEnd::Open).map(|job| job.job.as_str()).collect();
        assert!(open.is_empty() && run.lost_containers > 100, "{open:?} {}", run.lost_containers);
    }
}

#[test]
fn what_cannot_be_is_refused() {
    let scratch = Scratch::new();
    for (changes, said) in [
        ("1,lose,node9,,,\n", "changes.csv:2: there is no node \"node9\" then; name one that is there"),
        ("1,lose,node1,,,\n2,lose,node1,,,\n", "changes.csv:3: there is no node \"node1\" then; "),
        ("1,back,node1,,,\n", "changes.csv:2: node \"node1\" is not lost then; "),
        ("1,add,node1,/rack0,,\n", "changes.csv:2: node \"node1\" is there already; give it another name"),
        ("1,lose,,/rack9,,\n", "changes.csv:2: rack \"/rack9\" has no node that is there then; "),
        ("1,back,,rack0,,\n", "changes.csv:2: rack \"/rack0\" has no node that is lost then; "),
        ("1,stop,node1,,,\n", "changes.csv:2:3: event is \"stop\"; write lose, back, add or resize"),
    ] {
        let refused = run(&scratch, (1, 1, 1000), changes, |_| {});
        let message = refused.map(drop).map_err(|failure| failure.message()).unwrap_err();
        assert!(message.contains(said), "{message}");
    }
}
