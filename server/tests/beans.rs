//! `/jmx` beside that of a real ResourceManager in which the same has happened: bean by bean, name by name, value by
//! value.
//!
//! One node of 8 GB and 8 vcores. In root.b an application of ann's was killed while it waited, and one of bob's has
//! its ApplicationMaster. In root.a.x an application of ann's has its ApplicationMaster and three of five containers,
//! and the node is full.

#![expect(clippy::unwrap_used, reason = "a test's helpers")]

mod asking;
mod node_record;

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use asking::answer;
use axum::body::Body;
use axum::http::Request;
use evenweave::config::AllocationFile;
use evenweave::prelude::*;
use evenweave_server::events::Ring;
use evenweave_server::records::{AppRecord, AppState, FinalStatus};
use evenweave_server::scheduler::{Basics, CapacityThreads, Scheduler, Threads};
use evenweave_server::{Cluster, ResourceManager, site};
use flate2::read::GzDecoder;
use node_record::node_record;
use serde_json::{Map, Value};

const PREFIX: &str = "Hadoop:service=ResourceManager,name=";

/// Never here: nobody times it, or counts it below root.
const NEVER: [&str; 5] = [
    "AggregateNodeLocalContainersAllocated",
    "AggregateOffSwitchContainersAllocated",
    "AggregateRackLocalContainersAllocated",
    "AppAttemptFirstContainerAllocationDelayAvgTime",
    "AppAttemptFirstContainerAllocationDelayNumOps",
];

/// Never here of users and partitions of a CapacityScheduler: what is preempted is counted by queue.
const NEVER_PREEMPTED: [&str; 5] = [
    "AggregateContainersPreempted",
    "AggregateMemoryMBPreempted",
    "AggregateMemoryMBSecondsPreempted",
    "AggregateVcoreSecondsPreempted",
    "AggregateVcoresPreempted",
];

/// Never here of a user of a CapacityScheduler: what Hadoop works out for each of his containers, and what is 0 there.
const NEVER_OF_USERS: [&str; 12] = [
    "AbsoluteUsedCapacity",
    "AvailableMB",
    "AvailableVCores",
    "GuaranteedAbsoluteCapacity",
    "GuaranteedCapacity",
    "GuaranteedMB",
    "GuaranteedVCores",
    "MaxAbsoluteCapacity",
    "MaxCapacity",
    "MaxCapacityMB",
    "MaxCapacityVCores",
    "UsedCapacity",
];

/// Here of a user of a CapacityScheduler who has an application in a leaf queue. Above, it is 0 in Hadoop.
const OF_AMS: [&str; 4] = ["AMResourceLimitMB", "AMResourceLimitVCores", "UsedAMResourceMB", "UsedAMResourceVCores"];

/// Never here of partitions: in Hadoop it is 0 there.
const NEVER_OF_PARTITIONS: [&str; 18] = [
    "ActiveApplications",
    "ActiveUsers",
    "AppsCompleted",
    "AppsFailed",
    "AppsKilled",
    "AppsPending",
    "AppsRunning",
    "AppsSubmitted",
    "UnmanagedAppsCompleted",
    "UnmanagedAppsFailed",
    "UnmanagedAppsKilled",
    "UnmanagedAppsPending",
    "UnmanagedAppsRunning",
    "UnmanagedAppsSubmitted",
    "running_0",
    "running_60",
    "running_300",
    "running_1440",
];

type Beans = BTreeMap<String, Map<String, Value>>;

fn by_name(answer: &Value) -> Beans {
    let beans = answer["beans"].as_array().expect("beans").iter().filter_map(Value::as_object);
    let named = beans.map(|bean| (bean["name"].as_str().expect("a name").to_owned(), bean.clone()));
    named.filter_map(|(name, bean)| Some((name.strip_prefix(PREFIX)?.to_owned(), bean))).collect()
}

fn real(name: &str) -> Beans {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/data/jmx-{name}.json.gz"));
    let mut text = String::new();
    let file = std::fs::File::open(path).expect("an answer");
    GzDecoder::new(file).read_to_string(&mut text).expect("gzip");
    by_name(&serde_json::from_str(&text).expect("JSON"))
}

fn ours(manager: Arc<ResourceManager>) -> Beans {
    let site = site(manager, Arc::new(Ring::default()), SocketAddr::from(([127, 0, 0, 1], 8088)));
    let answer = answer(site, Request::get("/jmx").body(Body::empty()).expect("a request"));
    by_name(&serde_json::from_str(answer.body()).expect("JSON"))
}

type AskCall = Box<dyn Fn(&AppHandle, Vec<Ask>)>;

/// The calls that both schedulers have.
struct Calls {
    shown: Arc<dyn Scheduler>,
    submit: Box<dyn Fn(Submission) -> AppHandle>,
    ask: AskCall,
    beat: Box<dyn Fn()>,
    settle: Box<dyn Fn()>,
}

/// Of a scheduler with a node; which of its handles is waited with is named by `$settles`.
macro_rules! calls {
    ($scheduler:expr, $node:expr, $shown:expr, |$settles:ident| $settle:block) => {{
        let (scheduler, node) = (&$scheduler, $node);
        let [submits, asks, beats, $settles] = std::array::from_fn(|_| scheduler.clone());
        Calls {
            shown: Arc::new($shown),
            submit: Box::new(move |submission| submits.submit(submission).expect("taken")),
            ask: Box::new(move |app, of| {
                asks.allocate(app, &AllocateRequest::new(of), &mut Allocation::default()).expect("asked");
            }),
            beat: Box::new(move || beats.heartbeat(Heartbeat::new(&node)).expect("sent")),
            settle: Box::new(move || $settle),
        }
    }};
}

/// What has happened in the real ResourceManager.
fn play(calls: &Calls) -> Arc<ResourceManager> {
    let manager = Arc::new(ResourceManager::new(Cluster::new(7, "rm:8088"), calls.shown.clone()));
    manager.records().node(node_record("n0", "/default-rack", 0));
    let submit = |number: u32, user: &str, queue: &str| {
        let app = (calls.submit)(Submission::new(number, user).in_queue(queue).with_am(Resource::new(1024, 1)));
        let record = AppRecord::new(number, user, queue, manager.now_ms()).with_attempt(Some(app.clone()));
        manager.records().submitted(record);
        (calls.settle)();
        app
    };
    let beats = |count: usize| {
        for _ in 0..count {
            (calls.beat)();
            (calls.settle)();
        }
    };
    let gone = submit(1, "ann", "root.b");
    calls.shown.kill(&gone).expect("it lives");
    manager.records().ended(1, AppState::Killed, FinalStatus::Killed, String::new(), 1);
    let one = submit(2, "ann", "root.a.x");
    beats(1);
    submit(3, "bob", "root.b");
    beats(5);
    (calls.ask)(&one, vec![Ask::anywhere(1, Resource::new(2048, 1), 5)]);
    beats(15);
    for container in calls.shown.containers() {
        let id = container.id;
        let key = (id.application_number(), id.attempt(), id.number());
        manager.records().container(key, &container.resource, manager.now_ms());
    }
    manager
}

fn fair() -> (FairScheduler, Arc<ResourceManager>) {
    let file = "<allocations><queue name='a'><weight>3.0</weight><queue name='x'><maxResources>8192 mb, 8 vcores\
                </maxResources></queue></queue><queue name='b'/></allocations>";
    let settings = Settings::from_properties([]).expect("Hadoop's defaults");
    let basics = Basics::of_fair(&settings);
    let file = AllocationFile::parse(file, "file", &settings.types, &[]).expect("queues").file;
    let builder = FairScheduler::builder().settings(settings).allocations(file).cluster_timestamp(7).timers(false);
    let scheduler = builder.start().expect("a scheduler");
    let node = scheduler.add_node("n0", "/default-rack", Resource::new(8192, 8)).expect("a node");
    let manager = play(&calls!(scheduler, node, Threads::new(scheduler.clone(), basics), |settles| {
        settles.quiesce().unwrap();
        settles.update_now().unwrap();
        settles.quiesce().unwrap();
    }));
    (scheduler, manager)
}

fn capacity() -> (CapacityScheduler, Arc<ResourceManager>) {
    let own = [
        ("yarn.scheduler.capacity.root.queues", "a,b"),
        ("yarn.scheduler.capacity.root.a.capacity", "60"),
        ("yarn.scheduler.capacity.root.b.capacity", "40"),
        ("yarn.scheduler.capacity.root.a.queues", "x"),
        ("yarn.scheduler.capacity.root.a.x.capacity", "100"),
        ("yarn.scheduler.capacity.root.a.x.user-limit-factor", "2"),
        ("yarn.scheduler.capacity.maximum-am-resource-percent", "0.5"),
    ];
    let configuration = CapacityConfiguration::from_properties([], own).expect("a configuration");
    let basics = Basics::of_capacity(configuration.file().settings());
    let builder = CapacityScheduler::builder(configuration).cluster_timestamp(7).timers(false);
    let scheduler = builder.start().expect("a scheduler");
    let node = scheduler.add_node("n0", "/default-rack", Resource::new(8192, 8)).expect("a node");
    let manager = play(&calls!(scheduler, node, CapacityThreads::new(scheduler.clone(), basics), |settles| {
        settles.quiesce().unwrap();
    }));
    (scheduler, manager)
}

/// What differs, in words.
fn compare(
    real: &Beans,
    ours: &Beans,
    never: impl Fn(&str) -> BTreeSet<String>,
    else_than: &[(&str, &str)],
) -> Vec<String> {
    let mut found = Vec::new();
    for (name, is) in ours {
        let Some(should) = real.get(name) else {
            found.push(format!("{name}: not in Hadoop"));
            continue;
        };
        let names = |of: &Map<String, Value>| of.keys().cloned().collect::<BTreeSet<_>>();
        let missing: BTreeSet<_> = names(should).difference(&names(is)).cloned().collect();
        let never = never(name);
        found.extend(missing.difference(&never).map(|gone| format!("{name}: {gone} is gone")));
        found.extend(never.difference(&missing).map(|there| format!("{name}: {there} is there, or not in Hadoop")));
        for (attribute, value) in is {
            let skipped = attribute == "tag.Hostname" || name == "FSOpDurations";
            let knowingly = else_than.contains(&(name, attribute));
            match should.get(attribute) {
                None => found.push(format!("{name}: {attribute} is not in Hadoop")),
                Some(other) if !skipped && (other == value) == knowingly => {
                    found.push(format!("{name}: {attribute} is {value}, in Hadoop {other}"));
                }
                Some(_) => {}
            }
        }
    }
    found
}

fn set(names: &[&[&str]]) -> BTreeSet<String> {
    names.iter().flat_map(|names| names.iter().map(|name| (*name).to_owned())).collect()
}

/// Of the cluster's bean.
fn never_of_cluster() -> BTreeSet<String> {
    let timed = ["AMContainerAllocationDelay", "AMLaunchDelay", "AMRegisterDelay"];
    let timed = timed.iter().flat_map(|name| ["AvgTime", "NumOps"].map(|end| format!("{name}{end}")));
    timed.chain(set(&[&["RmEventProcCPUAvg", "RmEventProcCPUMax"]])).collect()
}

#[test]
fn a_fair_schedulers_beans_are_hadoops() {
    let (scheduler, manager) = fair();
    let (real, ours) = (real("fair"), ours(manager));
    scheduler.shutdown().unwrap();
    let not_here: Vec<_> = real.keys().filter(|name| !ours.contains_key(*name)).collect();
    assert!(not_here.iter().all(|name| name.starts_with("PartitionQueueMetrics,")), "{not_here:?}");
    let timed = |name: &str| {
        let interval = ["IMaxTime", "IMinTime", "INumOps"];
        let ends: &[&str] = match name {
            "ContinuousSchedulingRun" => &["AvgTime", "MaxTime", "MinTime", "NumOps", "StdevTime"],
            "UpdateThreadRun" => &["MinTime", "StdevTime"],
            _ => &[],
        };
        interval.iter().chain(ends).map(|end| format!("{name}{end}")).collect::<Vec<_>>()
    };
    let never = |name: &str| match name {
        "ClusterMetrics" => never_of_cluster(),
        "FSOpDurations" => {
            ["ContinuousSchedulingRun", "NodeUpdateCall", "UpdateThreadRun"].into_iter().flat_map(timed).collect()
        }
        "QueueMetrics,q0=root" => set(&[&NEVER[3..]]),
        _ => set(&[&NEVER]),
    };
    let else_than = [
        // Hadoop's root goes on to count an application as one that asks that was killed while it did.
        ("QueueMetrics,q0=root", "ActiveApplications"),
        ("QueueMetrics,q0=root", "ActiveUsers"),
        ("QueueMetrics,q0=root,user=ann", "ActiveApplications"),
        // Hadoop's is of the last time that an ApplicationMaster was held against it, ours as things stand.
        ("QueueMetrics,q0=root,q1=a,q2=x", "MaxAMShareMB"),
        ("QueueMetrics,q0=root,q1=a,q2=x", "MaxAMShareVCores"),
        ("QueueMetrics,q0=root,q1=b", "MaxAMShareVCores"),
    ];
    assert_eq!(compare(&real, &ours, never, &else_than), Vec::<String>::new());
}

#[test]
fn a_capacity_schedulers_beans_are_hadoops() {
    let (scheduler, manager) = capacity();
    let (real, ours) = (real("capacity"), ours(manager));
    scheduler.shutdown().unwrap();
    let not_here: Vec<_> = real.keys().filter(|name| !ours.contains_key(*name)).collect();
    let are_users = not_here.iter().all(|name| name.starts_with("PartitionQueueMetrics,") && name.contains(",user="));
    assert!(are_users, "{not_here:?}");
    let never = |name: &str| {
        if name == "ClusterMetrics" {
            never_of_cluster()
        } else if name.starts_with("Partition") {
            set(&[&NEVER_OF_PARTITIONS, &NEVER, &NEVER_PREEMPTED])
        } else if ["QueueMetrics,q0=root,q1=a,q2=x,user=ann", "QueueMetrics,q0=root,q1=b,user=bob"].contains(&name) {
            set(&[&NEVER, &NEVER_PREEMPTED, &NEVER_OF_USERS])
        } else if name.contains(",user=") {
            set(&[&NEVER, &NEVER_PREEMPTED, &NEVER_OF_USERS, &OF_AMS])
        } else if name == "QueueMetrics,q0=root" {
            set(&[&NEVER[3..]])
        } else {
            set(&[&NEVER])
        }
    };
    assert_eq!(compare(&real, &ours, never, &[]), Vec::<String>::new());
}
