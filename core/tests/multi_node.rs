//! Multi-node placement as an embedder has it: policies, his own among them, what is refused, several workers.

#![expect(clippy::unwrap_used, reason = "a test's helpers")]

use evenweave::policy::candidates::{CandidateAsk, CandidateNode, Candidates};
use evenweave::{
    AppHandle, CapacitySchedulerBuilder, CapacityStepped, Heartbeat, NodeHandle, Resource, SchedulerApi as _,
};
use evenweave_testkit::{allocate, ask, beat, call, capacity, fetch, poll, unmanaged, until};
use std::cmp::Ordering;
use std::sync::Arc;

const QUEUES: [(&str, &str); 6] = [
    ("yarn.scheduler.capacity.root.queues", "a,b"),
    ("yarn.scheduler.capacity.root.a.capacity", "50"),
    ("yarn.scheduler.capacity.root.b.capacity", "50"),
    ("yarn.scheduler.capacity.root.a.user-limit-factor", "10"),
    ("yarn.scheduler.capacity.root.b.user-limit-factor", "10"),
    ("yarn.scheduler.capacity.maximum-am-resource-percent", "1"),
];
const ON: (&str, &str) = ("yarn.scheduler.capacity.multi-node-placement-enabled", "true");
const NAMES: &str = "yarn.scheduler.capacity.multi-node-sorting.policy.names";
const POLICY: &str = "yarn.scheduler.capacity.multi-node-sorting.policy";
const CLASS: &str = "yarn.scheduler.capacity.multi-node-sorting.policy.p.class";
const INTERVAL: (&str, &str) = ("yarn.scheduler.capacity.multi-node-sorting.policy.p.sorting-interval.ms", "0");
const HADOOPS: &str =
    "org.apache.hadoop.yarn.server.resourcemanager.scheduler.placement.ResourceUsageMultiNodeLookupPolicy";

fn builder(more: &[(&str, &str)]) -> CapacitySchedulerBuilder {
    capacity([], QUEUES.iter().chain([&ON]).chain(more).copied())
}

fn by(class: &str) -> CapacitySchedulerBuilder {
    builder(&[(NAMES, "p"), (POLICY, "p"), (CLASS, class), INTERVAL])
}

/// Three nodes, the second twice as large.
fn nodes(scheduler: &mut CapacityStepped) -> Vec<NodeHandle> {
    let mut add = |name, gib: i64| scheduler.add_node(name, "/r1", Resource::new(gib * 1024, 32)).unwrap();
    vec![add("n1", 8), add("n2", 16), add("n3", 8)]
}

fn names(scheduler: &mut CapacityStepped, app: &AppHandle, nodes: &[NodeHandle]) -> Vec<String> {
    let granted = fetch(scheduler, app).granted;
    let name_of = |id| nodes.iter().find(|node| node.id() == id).map(|node| node.name().to_owned());
    granted.into_iter().filter_map(|container| name_of(container.node)).collect()
}

/// Where eight containers of 1 GiB come, while the first node alone reports.
fn placed(builder: CapacitySchedulerBuilder) -> Vec<String> {
    let mut scheduler = builder.stepped().unwrap();
    let nodes = nodes(&mut scheduler);
    let app = scheduler.submit(unmanaged(1, "root.a")).unwrap();
    call(&mut scheduler, &app, &ask(8));
    for _ in 0..8 {
        scheduler.heartbeat(Heartbeat::new(&nodes[0]));
    }
    names(&mut scheduler, &app, &nodes)
}

#[test]
fn a_policy_says_which_node_comes_first() {
    assert_eq!(placed(by(HADOOPS)), ["n1", "n2", "n3", "n1", "n2", "n3", "n1", "n2"], "the least allocated");
    assert_eq!(placed(by("evenweave.FullestFirst")), ["n1"; 8]);
    let even = placed(by("evenweave.EmptiestFirst"));
    assert_eq!(even, ["n1", "n2", "n3", "n2", "n1", "n2", "n3", "n2"], "the larger node gets twice as many");
    assert_eq!(placed(builder(&[])), ["n1"; 8], "without a policy the first alone");
}

/// The last name first; and never `n1` for small containers.
#[derive(Debug)]
struct Own;

impl Candidates for Own {
    fn compare(&self, a: &CandidateNode<'_>, b: &CandidateNode<'_>) -> Ordering {
        b.name.cmp(a.name)
    }

    fn may(&self, ask: &CandidateAsk<'_>, node: &CandidateNode<'_>) -> bool {
        assert_eq!((ask.queue, ask.application), ("root.a", 1));
        node.name != "n3" || ask.size.memory_mb() > 1024
    }
}

#[test]
fn an_embedder_has_a_policy_of_his_own() {
    assert_eq!(placed(by("evenweave.Own").candidates("evenweave.Own", Arc::new(Own))), ["n2"; 8]);
    let refused = by("evenweave.Own").stepped().unwrap_err().to_string();
    let what = "not supported: yarn.scheduler.capacity.multi-node-sorting.policy.p.class is evenweave.Own, ";
    assert!(refused.starts_with(what), "{refused}");
}

#[test]
fn a_queue_may_have_another_policy_and_an_application_keeps_its_own() {
    let of_b = ("yarn.scheduler.capacity.root.b.multi-node-sorting.policy", "q");
    let q = ("yarn.scheduler.capacity.multi-node-sorting.policy.q.class", "evenweave.FullestFirst");
    let q_now = ("yarn.scheduler.capacity.multi-node-sorting.policy.q.sorting-interval.ms", "0");
    let mut scheduler =
        builder(&[(NAMES, "p,q"), (POLICY, "p"), (CLASS, HADOOPS), INTERVAL, of_b, q, q_now]).stepped().unwrap();
    let nodes = nodes(&mut scheduler);
    let spread = scheduler.submit(unmanaged(1, "root.a")).unwrap();
    let packed = scheduler.submit(unmanaged(2, "root.b")).unwrap();
    call(&mut scheduler, &spread, &ask(2));
    call(&mut scheduler, &packed, &ask(2));
    let beats = |scheduler: &mut CapacityStepped, times: usize| {
        (0..times).for_each(|_| scheduler.heartbeat(Heartbeat::new(&nodes[0])));
    };
    beats(&mut scheduler, 4);
    let first = names(&mut scheduler, &packed, &nodes);
    assert_eq!(first[0], first[1], "where something is already");
    // A refresh gives new applications of root.b the other policy, and switches nothing off.
    scheduler.refresh_properties(QUEUES.into_iter().chain([(POLICY, "p"), (CLASS, HADOOPS)])).unwrap();
    call(&mut scheduler, &packed, &ask(3));
    beats(&mut scheduler, 3);
    assert_eq!(names(&mut scheduler, &packed, &nodes).iter().filter(|name| **name == first[0]).count(), 3);
}

#[test]
fn several_workers_offer_their_own_nodes() {
    let scheduler = by("evenweave.EmptiestFirst").workers(3).start().unwrap();
    let total = Resource::new(8192, 8);
    let add = |n: usize| scheduler.add_node(&format!("n{n}"), &format!("/r{}", n % 3), total).unwrap();
    let nodes: Vec<NodeHandle> = (0..9).map(add).collect();
    let app = scheduler.submit(unmanaged(1, "root.a")).unwrap();
    allocate(&scheduler, &app, &ask(60)).unwrap();
    let mut granted = 0;
    until("all containers are granted", || {
        for node in &nodes {
            beat(&scheduler, Heartbeat::new(node));
        }
        granted += poll(&scheduler, &app).granted.len();
        granted == 60
    });
    scheduler.quiesce().unwrap();
    let free: i64 = scheduler.nodes().iter().map(|node| node.free.memory_mb()).sum();
    assert_eq!(free, (9 * 8 - 60) * 1024);
    scheduler.shutdown().unwrap();
}
