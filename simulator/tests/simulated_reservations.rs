//! Reservations of a file in virtual time: who gets a place, whose job runs in it, who has to leave, and what a file
//! without plans makes of it.

#![expect(clippy::unwrap_used, reason = "a test's helpers")]

use std::path::PathBuf;

use evenweave_simulator::{ClusterOptions, JobEnd, JobRecord, RunResult, SimulateOptions, simulate};
use evenweave_tools::reservation_results::BookedReservation;
use evenweave_tools::site::SiteOptions;

const PLAN: &str = "<allocations><defaultQueueSchedulingPolicy>drf</defaultQueueSchedulingPolicy>
    <queue name='prod'/><queue name='nightly'><reservation/></queue></allocations>";
const PLAIN: &str = "<allocations><defaultQueueSchedulingPolicy>drf</defaultQueueSchedulingPolicy>
    <queue name='prod'/><queue name='nightly'/></allocations>";
const CAPACITIES: &str = "<configuration>
    <property><name>yarn.scheduler.capacity.root.queues</name><value>prod,nightly</value></property>
    <property><name>yarn.scheduler.capacity.root.prod.capacity</name><value>50</value></property>
    <property><name>yarn.scheduler.capacity.root.nightly.capacity</name><value>50</value></property>
    <property><name>yarn.scheduler.capacity.root.nightly.reservable</name><value>true</value></property></configuration>";

/// Four nodes of 8 GiB: half of them is the plan. `all` and `stages` with an order come with jobs, `traced` has one in
/// the trace, `short` has no room for its AM, `much` has no place at all.
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

/// So many random hours are made.
const SEEDS: u64 = 12;

fn file(folder: &str, name: &str, text: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("simulated-reservations").join(folder);
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    path
}

fn options(
    folder: &str,
    queues: &str,
    properties: &[(&str, &str)],
    [trace, reservations]: [&str; 2],
) -> SimulateOptions {
    let own = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    SimulateOptions {
        traces: vec![file(folder, "jobs.csv", trace)],
        configs: vec![file(folder, "queues.xml", queues)],
        reservations: Some(file(folder, "reservations.csv", reservations)),
        cluster: ClusterOptions { nodes: vec![4], ..ClusterOptions::default() },
        site: SiteOptions { site: Vec::new(), properties: properties.iter().map(own).collect() },
        ..SimulateOptions::default()
    }
}

fn simulated(options: &SimulateOptions) -> RunResult {
    simulate(options, &|_| true).unwrap().runs.into_iter().flatten().next().unwrap()
}

fn run(folder: &str, queues: &str, properties: &[(&str, &str)]) -> RunResult {
    simulated(&options(folder, queues, properties, [TRACE, RESERVATIONS]))
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
    let run = run("plan", PLAN, &[]);
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

/// Two hours of reservations, of jobs for them and beside them, and of nodes that fail and come back, all by the seed.
struct Hours(u64);

impl Hours {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }

    fn one_of<T: Copy>(&mut self, of: &[T]) -> T {
        of[usize::try_from(self.below(of.len() as u64)).unwrap()]
    }

    fn reservations(&mut self) -> String {
        let head = RESERVATIONS.lines().next().unwrap();
        let mut text = format!("{head}\n");
        for number in 0..8 {
            let (book, wait, spare) = (self.below(3_000), self.below(2_000), self.below(900));
            let (stages, job) =
                (self.one_of(&["all", "any", "order", "order-no-gap"]), self.one_of(&["yes", "yes", "no"]));
            let (every, user) = (self.one_of(&["", "", "", "1800"]), self.one_of(&["ann", "bob"]));
            let gang = 1 + self.below(2);
            let [first, second] = [(); 2].map(|()| (gang * (1 + self.below(6)), 20 + self.below(300)));
            let (arrival, lasts) = (book + wait, first.1 + second.1 + spare);
            text += &format!(
                "r{number},root.nightly,{user},{book},{arrival},{},{every},{stages},{},{gang},1024,1,{},{job}\n",
                arrival + lasts,
                first.0,
                first.1
            );
            if self.below(2) == 0 {
                text += &format!("r{number},,,,,,,,{},{gang},2048,1,{},\n", second.0, second.1);
            }
        }
        text
    }

    fn trace(&mut self) -> String {
        let mut text = format!("{}\n", TRACE.lines().next().unwrap());
        let mut at = 0;
        for number in 0..14 {
            // Some come at once, others after the cluster has been idle.
            at += self.one_of(&[0, 700, 40_000, 900_000]);
            let (tasks, life) = (1 + self.below(40), 500 + self.below(40_000));
            let (queue, reservation) =
                self.one_of(&[("prod", ""), ("nightly", ""), ("nightly", "r1"), ("nightly", "r2")]);
            text += &format!("j{number},{at},root.{queue},cyd,map,{tasks},{life},{reservation}\n");
        }
        text
    }

    fn changes(&mut self) -> String {
        let (lost, back) = (self.below(4_000), 1 + self.below(2_000));
        let each = |at: u64, event: &str| ["node1", "node2"].map(|node| format!("{at},{event},{node},,,\n")).concat();
        format!("time_s,event,node,rack,memory_mb,vcores\n{}{}", each(lost, "lose"), each(lost + back, "back"))
    }

    fn properties(&mut self) -> [(&'static str, &'static str); 3] {
        [
            (
                "yarn.resourcemanager.reservation-system.planfollower.time-step",
                self.one_of(&["1000", "700", "5s", "1m"]),
            ),
            ("yarn.resourcemanager.scheduler.monitor.enable", self.one_of(&["true", "false"])),
            ("yarn.scheduler.capacity.plan-queues.update-at-once", self.one_of(&["true", "true", "false"])),
        ]
    }
}

#[test]
fn what_is_left_out_changes_no_decision_beside_plans() {
    let (mut left_out, mut due, mut accepted, mut replanned) = (0, 0, 0, 0);
    for seed in 0..SEEDS {
        for (scheduler, queues) in [("fair", PLAN), ("capacity", CAPACITIES)] {
            let name = format!("{scheduler}-{seed}");
            let mut hours = Hours(seed);
            let files = [hours.trace(), hours.reservations()];
            let mut options = options(&name, queues, &hours.properties(), files.each_ref().map(String::as_str));
            options.cluster.changes = Some(file(&name, "changes.csv", &hours.changes()));
            (options.seed, options.until_ms) = (seed, Some(7_200_000));
            let some = simulated(&options);
            let all = simulated(&SimulateOptions { skip: false, ..options });
            assert_eq!(
                (all.decisions, all.granted, all.preempted),
                (some.decisions, some.granted, some.preempted),
                "{name}"
            );
            assert_eq!((&all.jobs, all.skipped), (&some.jobs, 0), "{name}");
            assert_eq!(format!("{:?}", all.booked), format!("{:?}", some.booked), "{name}");
            left_out += some.skipped;
            due += some.heartbeats;
            accepted += some.booked.reservations.iter().filter(|one| one.outcome.is_ok()).count();
            replanned += some.booked.reservations.iter().filter(|one| one.replanned_ms.is_some()).count();
        }
    }
    assert!(left_out * 2 > due, "{left_out} of {due} are left out");
    assert!(accepted > 0 && replanned > 0, "{accepted} are accepted, {replanned} replanned");
}

#[test]
fn without_plans_the_jobs_run_all_the_same() {
    let run = run("plain", PLAIN, &[]);
    assert!(run.booked.reservations.iter().all(|one| one.outcome.is_err() && one.jobs == 0));
    for name in ["all", "stages/1", "stages/2", "traced-job", "short", "much"] {
        assert_eq!((job(&run, name).queue.as_str(), job(&run, name).end), ("root.nightly", JobEnd::Done), "{name}");
    }
}

/// As Hadoop's: what the follower gives a queue counts when the cluster or the queues change next.
#[test]
fn queues_of_a_capacity_schedulers_plan_wait_for_a_change_unless_they_count_at_once() {
    let at_once = [("yarn.scheduler.capacity.plan-queues.update-at-once", "true")];
    let (as_hadoop, counting) = (run("as-hadoop", CAPACITIES, &[]), run("at-once", CAPACITIES, &at_once));
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
    let run = run("no-move", &no_move, &at_once);
    assert_eq!((job(&run, "short").end, reservation(&run, "short").left), (JobEnd::Expired, 1));
}
