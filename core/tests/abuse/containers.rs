//! A node that claims room without end, and an application that asks without end: the node runs no more containers than
//! it may.

use crate::world::builder_with;
use evenweave::config::CONTAINERS_PER_NODE;
use evenweave::prelude::*;
use evenweave::reason::{CapacityWait, FairWait};
use evenweave_testkit::{SMALL, ask};

const ENDLESS: Resource = Resource::new(1 << 59, 1 << 59);
fn fair(more: &[(&str, &str)], workers: usize) -> Stepped {
    builder_with(more).workers(workers).stepped().unwrap()
}

fn capacity(most: &[(&str, &str)], workers: usize) -> CapacityStepped {
    let queues = [
        ("yarn.scheduler.capacity.root.queues", "abuser"),
        ("yarn.scheduler.capacity.root.abuser.capacity", "100"),
        ("yarn.scheduler.capacity.maximum-am-resource-percent", "1"),
        ("yarn.scheduler.capacity.per-node-heartbeat.maximum-offswitch-assignments", "100000"),
        ("yarn.scheduler.capacity.per-node-heartbeat.maximum-container-assignments", "-1"),
    ];
    let configuration = CapacityConfiguration::from_properties([], queues.into_iter().chain(most.iter().copied()));
    CapacityScheduler::builder(configuration.unwrap()).workers(workers).stepped().unwrap()
}

/// A node without end, an application that asks for all of it, and what it is granted in so many heartbeats.
macro_rules! endless {
    ($scheduler:ident, $update:expr, $heartbeats:literal) => {{
        let node = $scheduler.add_node("endless", "/r", ENDLESS).unwrap();
        let app = $scheduler.submit(Submission::new(1, "ann").in_queue("abuser")).unwrap();
        let asks = ask(u32::MAX);
        let mut answer = Allocation::default();
        $scheduler.allocate(&app, &asks, &mut answer).unwrap();
        let () = $update;
        let mut granted = Vec::new();
        for _ in 0..$heartbeats {
            $scheduler.heartbeat(Heartbeat::new(&node));
            $scheduler.allocate(&app, &AllocateRequest::default(), &mut answer).unwrap();
            granted.append(&mut answer.granted);
        }
        (node, app, granted)
    }};
}

macro_rules! is_bounded {
    ($scheduler:ident, $update:expr, $offer:expr, $is_why:expr) => {{
        let (node, app, granted) = endless!($scheduler, $update, 5);
        assert_eq!(granted.len(), 7);
        $offer;
        let mut answer = Allocation::default();
        $scheduler.allocate(&app, &AllocateRequest::default(), &mut answer).unwrap();
        assert!(answer.granted.is_empty());
        let reasons = $scheduler.why_waiting(&app);
        assert!(reasons.iter().any($is_why), "{reasons:?}");
        assert!(reasons.iter().any(|reason| reason.to_string().contains("max-containers-per-node")), "{reasons:?}");
        // One goes, another one comes.
        let mut report = Heartbeat::new(&node);
        report.add_completed([granted[3].id]);
        for report in [report, Heartbeat::new(&node)] {
            $scheduler.heartbeat(report);
        }
        $scheduler.allocate(&app, &AllocateRequest::default(), &mut answer).unwrap();
        assert_eq!((answer.granted.len(), answer.ended.len()), (1, 1));
        // What runs already is taken over all the same, and leaves room for nobody.
        let running = RecoveredContainer::new(1, 99, SMALL);
        $scheduler.recover_container(&app, &node, running).unwrap();
        let mut report = Heartbeat::new(&node);
        report.add_completed([granted[0].id]);
        $scheduler.heartbeat(report);
        $scheduler.allocate(&app, &AllocateRequest::default(), &mut answer).unwrap();
        assert_eq!((answer.granted.len(), answer.ended.len()), (0, 1));
        // Other nodes have room.
        let other = $scheduler.add_node("other", "/r", Resource::new(2048, 2)).unwrap();
        for _ in 0..2 {
            $scheduler.heartbeat(Heartbeat::new(&other));
        }
        $scheduler.allocate(&app, &AllocateRequest::default(), &mut answer).unwrap();
        assert_eq!(answer.granted.len(), 2);
        assert_eq!($scheduler.audit(true).wrong, [""; 0]);
    }};
}

#[test]
fn a_node_runs_no_more_containers_than_it_may() {
    for workers in [1, 3] {
        let mut scheduler = fair(
            &[
                ("yarn.scheduler.fair.max-containers-per-node", "7"),
                ("yarn.scheduler.fair.continuous-scheduling-enabled", "true"),
            ],
            workers,
        );
        is_bounded!(scheduler, scheduler.update_now(), scheduler.offer_all(), |reason| {
            reason.wait == FairWait::MostContainers { most: 7 }
        });
        let mut scheduler = capacity(&[("yarn.scheduler.capacity.max-containers-per-node", "7")], workers);
        is_bounded!(scheduler, (), scheduler.offer_all_from(0), |reason| {
            reason.wait == CapacityWait::MostContainers { most: 7 }
        });
    }
}

/// By default too there is an end, far beyond what a machine runs; and none where the setting says so.
#[test]
fn by_default_there_is_an_end() {
    let most = usize::try_from(CONTAINERS_PER_NODE).unwrap();
    for (more, granted) in [(None, most), (Some("0"), 300_000)] {
        let of = |name| more.map(|value| [(name, value)]);
        let mut scheduler =
            fair(of("yarn.scheduler.fair.max-containers-per-node").as_ref().map_or(&[], |of| &of[..]), 1);
        assert_eq!(endless!(scheduler, scheduler.update_now(), 3).2.len(), granted);
        let own = of("yarn.scheduler.capacity.max-containers-per-node");
        let mut scheduler = capacity(own.as_ref().map_or(&[], |of| &of[..]), 1);
        assert_eq!(endless!(scheduler, (), 3).2.len(), granted);
    }
}
