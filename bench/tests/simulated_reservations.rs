//! Reservations of a file in virtual time: who gets a place, whose job runs in it, who has to leave, and what a file without plans makes of it.

#![expect(clippy::unwrap_used, reason = "a test's helpers")]

use std::path::PathBuf;

use evenweave_bench::BookedReservation;
use evenweave_bench::simulate::{ClusterOptions, JobEnd, JobRecord, RunResult, SimulateOptions, simulate};
use evenweave_bench::site::SiteOptions;

const PLAN: &str = "<allocations><defaultQueueSchedulingPolicy>drf</defaultQueueSchedulingPolicy>
    <queue name='prod'/><queue name='nightly'><reservation/></queue></allocations>";
const PLAIN: &str = "<allocations><defaultQueueSchedulingPolicy>drf</defaultQueueSchedulingPolicy>
    <queue name='prod'/><queue name='nightly'/></allocations>";
const CAPACITIES: &str = "<configuration>
    <property><name>yarn.scheduler.capacity.root.queues</name><value>prod,nightly</value></property>
    <property><name>yarn.scheduler.capacity.root.prod.capacity</name><value>50</value></property>
    <property><name>yarn.scheduler.capacity.root.nightly.capacity</name><value>50</value></property>
    <property><name>yarn.scheduler.capacity.root.nightly.reservable</name><value>true</value></property></configuration>";

/// Four nodes of 8 GiB: half of them is the plan. `all` and `stages` with an order come with jobs, `traced` has one in the trace, `short` has
/// no room for its AM, `much` has no place at all.
const RESERVATIONS: &str =
    "reservation,queue,user,book_s,arrival_s,deadline_s,every_s,stages,containers,gang,memory_mb,vcores,duration_s,job
all,root.nightly,ann,0,60,700,,,4,,1024,1,100,
stages,root.nightly,bob,30,60,900,,order,2,,1024,1,100,
stages,,,,,,,,2,,1024,1,50,
traced,root.nightly,cyd,10,1000,2000,,,6,,1024,1,300,no
short,root.nightly,dan,10,2500,2551,,,1,,1024,1,50,
much,root.nightly,eve,10,2500,2600,,,900,,1024,1,90,
";
const TRACE: &str = "job,submit_ms,queue,user,task,count,duration_ms,reservation
other,0,root.prod,zoe,map,20,30000,
traced-job,1100000,root.nightly,cyd,map,4,100000,traced
nobodys,1200000,root.nightly,cyd,map,1,1000,unknown
";

fn file(folder: &str, name: &str, text: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("simulated-reservations").join(folder);
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    path
}

fn run(folder: &str, queues: &str, properties: &[(&str, &str)], skip: bool) -> RunResult {
    let own = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    let options = SimulateOptions {
        traces: vec![file(folder, "jobs.csv", TRACE)],
        configs: vec![file(folder, "queues.xml", queues)],
        reservations: Some(file(folder, "reservations.csv", RESERVATIONS)),
        cluster: ClusterOptions { nodes: vec![4], ..ClusterOptions::default() },
        site: SiteOptions { site: Vec::new(), properties: properties.iter().map(own).collect() },
        skip,
        ..SimulateOptions::default()
    };
    let simulated = simulate(&options, &|_| true).unwrap();
    simulated.runs.into_iter().flatten().next().unwrap()
}

fn job<'r>(run: &'r RunResult, name: &str) -> &'r JobRecord {
    let found = run.jobs.iter().find(|job| job.job == name);
    found.unwrap_or_else(|| panic!("no job {name} of {:?}", run.jobs.iter().map(|job| &job.job).collect::<Vec<_>>()))
}

fn reservation<'r>(run: &'r RunResult, name: &str) -> &'r BookedReservation {
    run.booked.reservations.iter().find(|one| one.name == name).unwrap()
}

#[test]
fn jobs_run_in_the_queues_of_their_reservations() {
    let run = run("plan", PLAN, &[], true);
    for (name, jobs) in [("all", 1), ("stages", 2), ("traced", 1), ("short", 1)] {
        let found = reservation(&run, name);
        assert!(found.outcome.is_ok(), "{name}: {:?}", found.outcome);
        assert_eq!((found.jobs, found.replanned_ms), (jobs, None), "{name}");
    }
    // The second stage comes as the first is done.
    let (first, second) = (job(&run, "stages/1"), job(&run, "stages/2"));
    assert_eq!((first.submitted_ms, first.containers, second.containers), (60_000, 2, 2));
    assert!(second.submitted_ms >= first.ended_ms.unwrap() && second.submitted_ms < first.ended_ms.unwrap() + 1_000);
    for name in ["all", "stages/1", "stages/2", "traced-job", "short"] {
        let job = job(&run, name);
        assert_eq!((job.queue.as_str(), job.end), ("root.nightly", JobEnd::Done), "{name}");
    }
    // It ran longer than its reservation, for nobody had booked the AM: it went on in the default queue.
    assert_eq!((reservation(&run, "short").left, reservation(&run, "all").left), (1, 0));
    assert!(job(&run, "short").ended_ms.unwrap() > 2_551_000);
    // Refused: its job goes where what nobody has reserved goes.
    let much = reservation(&run, "much");
    assert!(much.outcome.is_err() && much.jobs == 0, "{much:?}");
    assert_eq!(job(&run, "much").queue, "root.nightly.nightly-default");
    assert_eq!(run.refused, ["nobodys: --reservations names no reservation \"unknown\""]);
    // Half of the cluster may be promised, and what is used of it is seen.
    let plan = run.booked.plans.iter().find(|plan| plan.queue == "root.nightly").unwrap();
    assert!(plan.samples.iter().all(|sample| sample.capacity == 16_384), "{:?}", plan.samples[0]);
    assert!(plan.samples.iter().any(|sample| sample.usage >= 4 * 1024));
}

#[test]
fn what_is_left_out_changes_no_decision_beside_plans() {
    for (folder, queues) in [("skipped", PLAN), ("skipped-capacity", CAPACITIES)] {
        let at_once = [("yarn.scheduler.capacity.plan-queues.update-at-once", "true")];
        let (skipping, all) = (run(folder, queues, &at_once, true), run(folder, queues, &at_once, false));
        assert!(skipping.skipped > 0 && all.skipped == 0);
        assert_eq!(skipping.decisions, all.decisions, "{folder}");
    }
}

#[test]
fn without_plans_the_jobs_run_all_the_same() {
    let run = run("plain", PLAIN, &[], true);
    assert!(run.booked.reservations.iter().all(|one| one.outcome.is_err() && one.jobs == 0));
    for name in ["all", "stages/1", "stages/2", "traced-job", "short", "much"] {
        assert_eq!((job(&run, name).queue.as_str(), job(&run, name).end), ("root.nightly", JobEnd::Done), "{name}");
    }
}

/// As Hadoop's: what the follower gives a queue counts when the cluster or the queues change next.
#[test]
fn queues_of_a_capacity_schedulers_plan_wait_for_a_change_unless_they_count_at_once() {
    let at_once = [("yarn.scheduler.capacity.plan-queues.update-at-once", "true")];
    let (as_hadoop, counting) = (run("as-hadoop", CAPACITIES, &[], true), run("at-once", CAPACITIES, &at_once, true));
    assert!(reservation(&as_hadoop, "all").outcome.is_ok() && reservation(&counting, "all").outcome.is_ok());
    assert_eq!((job(&as_hadoop, "all").end, job(&counting, "all").end), (JobEnd::Open, JobEnd::Done));
}

#[test]
fn a_job_that_may_not_move_ends_with_its_reservation() {
    let no_move = CAPACITIES.replace(
        "</configuration>",
        "<property><name>yarn.scheduler.capacity.root.nightly.reservation-move-on-expiry</name><value>false</value></property></configuration>",
    );
    let at_once = [("yarn.scheduler.capacity.plan-queues.update-at-once", "true")];
    let run = run("no-move", &no_move, &at_once, true);
    assert_eq!((job(&run, "short").end, reservation(&run, "short").left), (JobEnd::Expired, 1));
}
