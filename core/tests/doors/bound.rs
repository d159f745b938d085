//! A node that claims room for billions, and as many asked for: one heartbeat grants 100,000, and the next one goes on.

use evenweave::SchedulerApi as _;
use evenweave::{AllocateRequest, Allocation, Ask, Heartbeat, Resource, Stepped, Submission};
use evenweave_testkit::{capacity, fair};

const MOST: u64 = 100_000;
const TINY: Resource = Resource::new(1, 1);
const ENDLESS: i64 = 1 << 50;
const BILLIONS: u32 = 4_000_000_000;

fn asking(size: Resource, count: u32) -> AllocateRequest {
    AllocateRequest::new([Ask::anywhere(1, size, count)])
}

fn fair_scheduler(inside: &str) -> Stepped {
    let properties = [
        ("yarn.scheduler.fair.assignmultiple", "true"),
        ("yarn.scheduler.fair.dynamic.max.assign", "false"),
        ("yarn.scheduler.fair.preemption", "true"),
        ("yarn.scheduler.minimum-allocation-mb", "1"),
        ("yarn.resource-types.memory-mb.increment-allocation", "1"),
        ("yarn.scheduler.maximum-allocation-mb", "2147483647"),
    ];
    fair(&properties, inside).stepped().unwrap()
}

#[test]
fn of_the_fair_scheduler() {
    let mut stepped = fair_scheduler("");
    let node = stepped.add_node("n1", "/r1", Resource::new(ENDLESS, ENDLESS)).unwrap();
    let app = stepped.submit(Submission::new(1, "ann")).unwrap();
    let mut answer = Allocation::default();
    stepped.allocate(&app, &asking(TINY, BILLIONS), &mut answer).unwrap();
    stepped.update_now();
    for heartbeats in 1..=2 {
        stepped.heartbeat(Heartbeat::new(&node));
        assert_eq!(stepped.stats().granted, heartbeats * MOST);
    }
}

/// Room that is owed for what was preempted is handed out before all else.
#[test]
fn of_owed_room() {
    let mut stepped = fair_scheduler(
        "<queue name='a'/><queue name='b'><minResources>1000000000 mb,0 vcores</minResources></queue>\
         <defaultMinSharePreemptionTimeout>0</defaultMinSharePreemptionTimeout>",
    );
    let node = stepped.add_node("n1", "/r1", Resource::new(2_000_000_000, ENDLESS)).unwrap();
    let mut answer = Allocation::default();
    let large = stepped.submit(Submission::new(1, "ann").in_queue("root.a")).unwrap();
    stepped.allocate(&large, &asking(Resource::new(1_000_000_000, 1), 2), &mut answer).unwrap();
    stepped.update_now();
    stepped.heartbeat(Heartbeat::new(&node));
    stepped.allocate(&large, &AllocateRequest::default(), &mut answer).unwrap();
    assert_eq!(answer.granted.len(), 2);
    stepped.advance(10_000);
    let starved = stepped.submit(Submission::new(2, "ann").in_queue("root.b")).unwrap();
    stepped.allocate(&starved, &asking(TINY, BILLIONS), &mut answer).unwrap();
    stepped.update_now();
    assert_eq!(stepped.preempt().unwrap().len(), 1);
    stepped.kill_marked().unwrap();
    for heartbeats in 1..=2 {
        stepped.heartbeat(Heartbeat::new(&node));
        assert_eq!(stepped.stats().granted, 2 + heartbeats * MOST);
    }
}

#[test]
fn of_the_capacity_scheduler() {
    let site = [("yarn.scheduler.minimum-allocation-mb", "1"), ("yarn.scheduler.maximum-allocation-mb", "2147483647")];
    let queues = [
        ("yarn.scheduler.capacity.root.queues", "a"),
        ("yarn.scheduler.capacity.root.a.capacity", "100"),
        ("yarn.scheduler.capacity.per-node-heartbeat.maximum-container-assignments", "-1"),
        ("yarn.scheduler.capacity.per-node-heartbeat.maximum-offswitch-assignments", "2147483647"),
    ];
    let mut stepped = capacity(site, queues).stepped().unwrap();
    let node = stepped.add_node("n1", "/r1", Resource::new(ENDLESS, ENDLESS)).unwrap();
    let app = stepped.submit(Submission::new(1, "ann").in_queue("a")).unwrap();
    stepped.allocate(&app, &asking(TINY, BILLIONS), &mut Allocation::default()).unwrap();
    for heartbeats in 1..=2 {
        stepped.heartbeat(Heartbeat::new(&node));
        assert_eq!(stepped.stats().granted, heartbeats * MOST);
    }
}
