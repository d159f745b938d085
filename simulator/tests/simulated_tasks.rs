//! Each task of each job comes to its end once, however scarce containers are, and whatever is taken meanwhile.

#![expect(clippy::unwrap_used, reason = "a test's helpers")]

mod scratch;

use std::path::PathBuf;

use evenweave_simulator::{AmStyle, ClusterOptions, JobEnd, RunResult, SimulateOptions, simulate, words};
use evenweave_tools::site::SiteOptions;
use proptest::prelude::*;

use scratch::Scratch;

const FAIR: &str = "<allocations><queue name=\"a\"><minResources>6144 mb, 6 vcores</minResources>\
                    <minSharePreemptionTimeout>2</minSharePreemptionTimeout></queue>\
                    <queue name=\"b\"><fairSharePreemptionTimeout>3</fairSharePreemptionTimeout></queue></allocations>";
const CAPACITY: &str = "<configuration>\
    <property><name>yarn.scheduler.capacity.root.queues</name><value>a,b</value></property>\
    <property><name>yarn.scheduler.capacity.root.a.capacity</name><value>70</value></property>\
    <property><name>yarn.scheduler.capacity.root.b.capacity</name><value>30</value></property>\
    <property><name>yarn.scheduler.capacity.root.a.user-limit-factor</name><value>10</value></property>\
    <property><name>yarn.scheduler.capacity.root.b.user-limit-factor</name><value>10</value></property>\
    <property><name>yarn.scheduler.capacity.maximum-am-resource-percent</name><value>0.3</value></property>\
    </configuration>";
const PREEMPTING: [(&str, &str); 7] = [
    ("yarn.scheduler.fair.preemption", "true"),
    ("yarn.scheduler.fair.waitTimeBeforeKill", "2000"),
    ("yarn.scheduler.fair.preemption.cluster-utilization-threshold", "0.1"),
    ("yarn.resourcemanager.scheduler.monitor.enable", "true"),
    ("yarn.resourcemanager.monitor.capacity.preemption.max_wait_before_kill", "3000"),
    ("yarn.resourcemanager.monitor.capacity.preemption.total_preemption_per_round", "1.0"),
    ("yarn.resourcemanager.monitor.capacity.preemption.natural_termination_factor", "1.0"),
];

fn run(trace: PathBuf, queues: PathBuf, change: impl FnOnce(&mut SimulateOptions)) -> RunResult {
    let mut options = SimulateOptions { traces: vec![trace], configs: vec![queues], ..SimulateOptions::default() };
    options.site = SiteOptions {
        properties: PREEMPTING.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec(),
        ..SiteOptions::default()
    };
    change(&mut options);
    simulate(&options, &|_| true).unwrap().runs.remove(0).remove(0)
}

fn node(nodes: u32, memory: i64, vcores: i64) -> ClusterOptions {
    ClusterOptions {
        nodes: vec![nodes],
        node_memory_mb: Some(memory),
        node_vcores: Some(vcores),
        ..ClusterOptions::default()
    }
}

fn alibaba(scratch: &Scratch, text: &str, vcores: i64, ams: AmStyle) -> RunResult {
    let trace = scratch.file("batch_task.csv", text);
    run(trace, scratch.file("queues.xml", FAIR), |options| {
        (options.cluster, options.ams, options.queues) = (node(1, 65_536, vcores), ams, vec!["root.a".to_owned()]);
    })
}

#[test]
fn what_waits_is_not_lost_when_more_is_due() {
    let scratch = Scratch::new();
    let text = "M1,6,j_1,1,Terminated,1000,1100,100,0.2\nM2,2,j_1,1,Terminated,1010,1110,100,0.2\n";
    let run = alibaba(&scratch, text, 4, AmStyle::MapReduce);
    let job = &run.jobs[0];
    assert_eq!((job.end, job.tasks, job.tasks_done, job.containers), (JobEnd::Done, 8, 8, 8));
    // Three rounds of 100 s each, on three vcores beside the AM's.
    assert!((300_000..315_000).contains(&job.ended_ms.unwrap()), "{job:?}");
}

#[test]
fn a_stage_begins_when_those_it_names_have_ended() {
    let scratch = Scratch::new();
    // As the trace has it all three run at once.
    let text = "M1,1,j_1,1,Terminated,1000,1100,100,0.2\nM2,1,j_1,1,Terminated,1000,1030,100,0.2\n\
                R3_1_2,2,j_1,1,Terminated,1000,1050,100,0.2\nR4_3,1,j_1,1,Terminated,1000,1010,100,0.2\n";
    let run = alibaba(&scratch, text, 32, AmStyle::MapReduce);
    let job = &run.jobs[0];
    assert_eq!((job.end, job.tasks_done, run.passed_over_count, job.alone_ms), (JobEnd::Done, 5, 0, 160_000));
    assert!((160_000..180_000).contains(&job.ended_ms.unwrap()), "{job:?}");
}

#[test]
fn stages_that_cannot_be_are_refused_or_noted() {
    let scratch = Scratch::new();
    let text = "M1_2,1,j_1,1,Terminated,1000,1100,100,0.2\nM2_1,1,j_1,1,Terminated,1000,1030,100,0.2\n\
                M1_1,1,j_2,1,Terminated,1000,1100,100,0.2\nM1,1,j_3,1,Terminated,1000,1010,100,0.2\n\
                R2_1_7,1,j_3,1,Terminated,1011,1012,100,0.2\nR3_x,1,j_3,1,Terminated,1011,1012,100,0.2\n";
    let run = alibaba(&scratch, text, 32, AmStyle::MapReduce);
    assert_eq!((run.jobs.len(), run.jobs[0].end, run.jobs[0].tasks_done), (1, JobEnd::Done, 3));
    assert_eq!((run.refused_count, run.passed_over_count), (2, 2));
    let simulated = evenweave_simulator::Simulated { runs: vec![vec![run]], warnings: Vec::new() };
    let said = words(&simulated);
    for line in [
        "batch_task.csv:1:1: job j_1: stages that wait for each other never begin: M1_2, M2_1",
        "batch_task.csv:3:1: job j_2: stages that wait for each other never begin: M1_1",
        "batch_task.csv:5:1: job j_3: R2_1_7 waits for stage 7, of which the trace has no task that begins and ends: it counts as ended",
        "batch_task.csv:6:1: job j_3: \"x\" in the task's name R3_x is no number of a stage, and is passed over",
    ] {
        assert!(said.contains(line), "{said}");
    }
}

/// With SLS's own AM tasks are lost: call for call as there.
#[test]
fn with_the_ams_of_sls_an_ask_replaces_what_waits() {
    let scratch = Scratch::new();
    let text = "M1,6,j_1,1,Terminated,1000,1100,100,0.2\nM2,2,j_1,1,Terminated,1010,1110,100,0.2\n";
    let run = alibaba(&scratch, text, 4, AmStyle::Sls);
    assert_eq!((run.jobs[0].end, run.jobs[0].tasks_done), (JobEnd::Open, 5));
}

/// Alibaba's jobs, and Google's, have no AM in the trace: one is added, which is said, and can be left out.
#[test]
fn ams_that_are_added_are_named_and_can_be_left_out() {
    let scratch = Scratch::new();
    let text = "M1,4,j_1,1,Terminated,1000,1100,100,0.2\nR2_1,4,j_1,1,Terminated,1100,1200,100,0.2\n";
    let trace = scratch.file("batch_task.csv", text);
    let of = |added_ams| {
        run(trace.clone(), scratch.file("queues.xml", FAIR), |options| {
            (options.cluster, options.added_ams) = (node(1, 65_536, 4), added_ams);
            options.queues = vec!["root.a".to_owned()];
        })
    };
    let said = |run: &RunResult| {
        let runs = vec![vec![run.clone()]];
        words(&evenweave_simulator::Simulated { runs, warnings: Vec::new() })
    };
    let (with, without) = (of(true), of(false));
    let named =
        "1 jobs have an AM of 1024 MiB and 1 vcores that their trace does not have; --no-added-ams leaves it out";
    assert!(said(&with).contains(named), "{}", said(&with));
    assert!(!said(&without).contains("an AM"), "{}", said(&without));
    assert_eq!((with.granted, without.granted, without.jobs[0].end), (9, 8, JobEnd::Done));
    // Four at once, twice; beside an AM it is two rounds for each stage.
    let ended = |run: &RunResult| run.jobs[0].ended_ms.unwrap() / 100_000;
    assert_eq!((ended(&with), ended(&without)), (4, 2));
    // What has an AM of its own in the trace keeps it.
    let csv = scratch.file("jobs.csv", "job,submit_ms,duration_ms,type\nd,0,1000,dag\n");
    let own = run(csv, scratch.file("queues.xml", FAIR), |options| {
        (options.cluster, options.added_ams) = (node(1, 65_536, 4), false);
    });
    assert_eq!((own.granted, own.added_ams), (2, 0));
}

/// At the ends of intervals the scheduler is asked what a job waits for.
#[test]
fn jobs_say_what_they_waited_for() {
    let scratch = Scratch::new();
    let text = "job,submit_ms,queue,duration_ms,count,memory_mb\na,0,root.a,300000,3,1024\nb,1000,root.b,1000,1,1024\n";
    for (queues, why) in [
        ("<allocations><queue name=\"a\"/><queue name=\"b\"><maxRunningApps>0</maxRunningApps></queue></allocations>", "maxRunningApps"),
        (&*CAPACITY.replace("root.b.capacity</name><value>30</value>", "root.b.capacity</name><value>30</value></property><property><name>yarn.scheduler.capacity.root.b.max-parallel-apps</name><value>0</value>"), "max-parallel-apps"),
    ] {
        let run = run(scratch.file("jobs.csv", text), scratch.file("queues.xml", queues), |options| {
            options.cluster = node(2, 8192, 8);
        });
        let waited: Vec<Option<&str>> = run.jobs.iter().map(|job| job.waited_for.as_deref()).collect();
        assert!(waited[1].is_some_and(|waited| waited.contains(why)), "{waited:?}");
    }
}

#[test]
fn tasks_of_a_job_have_their_own_sizes() {
    let scratch = Scratch::new();
    let text = "job,submit_ms,duration_ms,count,task,memory_mb,vcores,type\n\
                m,0,30000,2,map,1024,1,\nm,,30000,2,map,4096,1,\nm,,9000,1,reduce,1024,1,\nm,,9000,2,reduce,6144,1,\n\
                d,60000,30000,2,x,1024,1,dag\nd,,30000,2,x,4096,1,\n";
    let mut free: Vec<i64> = Vec::new();
    let run = run(scratch.file("jobs.csv", text), scratch.file("queues.xml", FAIR), |options| {
        options.cluster = node(4, 32_768, 32);
        options.queues = vec!["root.a".to_owned()];
        options.every_ms = 1000;
    });
    for interval in &run.intervals {
        free.push(interval.queues.iter().map(|queue| queue.usage).max().unwrap_or(0));
    }
    assert!(run.jobs.iter().all(|job| job.end == JobEnd::Done && job.tasks_done == job.tasks), "{:?}", run.jobs);
    // An AM of 1 GiB, and maps of 1 + 1 + 4 + 4; then reduces of 1 + 6 + 6.
    let most = |from: usize, to: usize| free[from..to].iter().copied().max();
    assert_eq!((most(0, 30), most(60, 90)), (Some(1024 + 10_240), Some(1024 + 10_240)), "{free:?}");
    assert_eq!(most(36, 45), Some(1024 + 13_312), "{free:?}");
}

/// A job of the plain CSV: its type, and its groups of tasks: how many, of which size, how long, on which host, after
/// which delay.
type Drawn = (bool, Vec<(u32, u32, u32, u32, u32)>);

fn drawn() -> impl Strategy<Value = Vec<Drawn>> {
    let group = (1..9_u32, 1..3_u32, 1..20_u32, 0..8_u32, 0..15_u32);
    prop::collection::vec((any::<bool>(), prop::collection::vec(group, 1..5)), 1..7)
}

fn plain(jobs: &[Drawn]) -> String {
    let mut text = "job,submit_ms,queue,type,task,count,memory_mb,vcores,duration_ms,host,delay_ms\n".to_owned();
    for (job, (dag, groups)) in jobs.iter().enumerate() {
        let (at, queue) = (job * 3000, if job % 2 == 0 { "root.b" } else { "root.a" });
        for (number, (count, size, life, host, delay)) in groups.iter().enumerate() {
            let (kind, task) = if *dag { ("dag", "x") } else { ("mapreduce", ["map", "reduce"][number % 2]) };
            let host = if *host < 4 { format!("/rack{}/node{host}", host % 2) } else { String::new() };
            text += &format!(
                "j{job},{at},{queue},{kind},{task},{count},{},1,{},{host},{}\n",
                size * 1024,
                life * 1000,
                delay * 1000
            );
        }
    }
    text
}

/// Each group is a stage, which waits for those before it by the bits of its host.
fn stages(jobs: &[Drawn]) -> String {
    let mut text = String::new();
    for (job, (_, groups)) in jobs.iter().enumerate() {
        for (number, (count, size, life, host, delay)) in (1_u32..).zip(groups) {
            let waits: String =
                (1..number).filter(|before| host >> (before - 1) & 1 == 1).map(|n| format!("_{n}")).collect();
            let begins = 1000 + 3 * job + *delay as usize;
            text += &format!(
                "M{number}{waits},{count},j_{job},1,Terminated,{begins},{},100,{}\n",
                begins + *life as usize,
                f64::from(*size) * 1.5
            );
        }
    }
    text
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn every_task_comes_to_its_end_once(
        jobs in drawn(),
        of_stages in any::<bool>(),
        capacity in any::<bool>(),
        lost in prop::collection::vec((1..40_u32, 1..4_u32, 1..20_u32), 0..6),
        seed in any::<u64>(),
    ) {
        let scratch = Scratch::new();
        let trace = if of_stages { scratch.file("t.csv", &stages(&jobs)) } else { scratch.file("t.csv", &plain(&jobs)) };
        let queues = scratch.file("queues.xml", if capacity { CAPACITY } else { FAIR });
        // One node is away at a time, and all are there in the end.
        let (mut events, mut now) = (String::new(), 0);
        for (after, node, away) in lost {
            let (gone, back) = (now + after, now + after + away);
            events += &format!("{gone},lose,node{node},,,\n{back},back,node{node},,,\n");
            now = back;
        }
        let changes = scratch.file("events.csv", &format!("time_s,event,node,rack,memory_mb,vcores\n{events}"));
        let run = run(trace, queues, |options| {
            options.cluster = ClusterOptions { rack_size: Some(2), changes: Some(changes), ..node(4, 4096, 4) };
            options.seed = seed;
        });
        prop_assert_eq!(run.jobs.len(), jobs.len());
        for job in &run.jobs {
            // An AM has no second attempt.
            prop_assert!(matches!(job.end, JobEnd::Done | JobEnd::AmLost), "{:?}", job);
            prop_assert!(job.end == JobEnd::AmLost || job.tasks_done == job.tasks, "{:?}", job);
            prop_assert!(job.containers >= job.tasks_done, "{:?}", job);
        }
    }
}
