//! Something happens on a worker while a reservation is on its way there.

use super::*;
use crate::app::Ask;
use crate::capacity::control::{CapacityConfiguration, CapacityControl, Refresh};
use crate::capacity::types::CapacityDecider;
use crate::clock::VirtualClock;
use crate::engine::books::ledger::AppShared;
use crate::engine::driver::setup::Setup;
use crate::engine::edge::allocate::{AllocateRequest, send_changes};
use crate::engine::threads::events::events;
use crate::engine::{AtRest, NewNode, Stepper, Submission};
use crate::resource::Resource;
use std::time::Duration;

pub(in crate::capacity) type World = Stepper<CapacityDecider>;

pub(in crate::capacity) fn stepper() -> World {
    let site = [("yarn.scheduler.capacity.node-locality-delay", "-1")];
    let queues = [
        ("yarn.scheduler.capacity.root.queues", "high,low"),
        ("yarn.scheduler.capacity.root.high.capacity", "50"),
        ("yarn.scheduler.capacity.root.low.capacity", "50"),
        ("yarn.scheduler.capacity.root.high.user-limit-factor", "10"),
        ("yarn.scheduler.capacity.root.low.user-limit-factor", "10"),
        ("yarn.scheduler.capacity.maximum-am-resource-percent", "1"),
    ];
    let configuration = CapacityConfiguration::from_properties(site, queues).unwrap();
    let decider =
        CapacityDecider { settings: configuration.file().settings().clone(), resort: false, multi_node: None };
    World::new(AtRest::new(Setup {
        settings: decider.engine_settings(),
        control: CapacityControl::new(configuration, None, false).unwrap(),
        configuration: Refresh::First,
        events: events(1).0,
        groups: Arc::new(std::collections::HashMap::new()),
        groups_timeout: Duration::MAX,
        workers: 2,
        channel_capacity: 16,
        cluster_timestamp: 1,
        epoch: 0,
        node_stops: false,
        largest_node: true,
        clock: Arc::new(VirtualClock::new()),
        on_grants: None,
        probe: None,
        journal: true,
        note_reservations: false,
        decider,
        timers: false,
        fold_every: None,
        slack: None,
    }))
}

/// Two nodes of each worker, so full that what the second application wants fits nowhere; on one of the first worker's
/// it is reserved.
struct Full {
    stepper: World,
    apps: [Arc<AppShared>; 2],
    /// By worker.
    nodes: [Vec<Arc<NodeShared>>; 2],
}

const SIZE: Resource = Resource::new(4096, 1);

impl Full {
    fn new() -> Full {
        let mut stepper = stepper();
        let mut nodes = [Vec::new(), Vec::new()];
        // Nodes of different racks go to different workers.
        for number in 0..4 {
            let total = Resource::new(8192, 8);
            let spec = NewNode::new(format!("n{number}"), format!("/r{number}"), total);
            let node = stepper.control().add_node(&spec).unwrap();
            nodes[node.owner].push(node);
        }
        stepper.pump();
        let mut submit = |number, queue: &str| {
            let app = Submission::new(number, "ann").in_queue(queue);
            stepper.control().submit(&app).unwrap()
        };
        let apps = [submit(1, "low"), submit(2, "high")];
        let mut full = Full { stepper, apps, nodes };
        full.ask(0, Resource::new(6144, 1), 4);
        // Then what it has reserved on its way there is given up.
        for node in [full.nodes.concat(), full.nodes.concat()].concat() {
            full.offer(&node);
        }
        full.ask(1, SIZE, 3);
        let first = full.nodes[0][0].clone();
        full.offer(&first);
        assert_eq!(full.reserved(), ["n0"], "it is on the first node");
        full
    }

    fn ask(&mut self, app: usize, size: Resource, count: u32) {
        self.stepper.pump();
        let request = AllocateRequest { asks: vec![Ask::anywhere(1, size, count)], ..AllocateRequest::default() };
        send_changes(self.stepper.shared(), &self.apps[app], &request).unwrap();
        self.stepper.pump();
    }

    /// The first visit for an ask for anywhere gets nothing.
    fn offer(&mut self, node: &NodeShared) {
        (0..3).for_each(|_| self.stepper.shard(node.owner).offer_node(node.local));
    }

    /// Nodes on which the second application has something reserved.
    fn reserved(&mut self) -> Vec<String> {
        let all = self.stepper.shards().flat_map(|shard| shard.reservations());
        let mut names: Vec<_> = all.map(|(node, ..)| node.name.to_string()).collect();
        names.sort();
        names
    }

    /// The reservation begins to move, from the first worker's first node to the other's; nothing is worked off.
    fn sends(&mut self) {
        let (from, to) = (self.nodes[0][0].clone(), self.nodes[1][0].clone());
        let held = self.stepper.shard(0).held_on(from.local).expect("it is reserved");
        self.stepper.shard(0).move_from_here(&Move { reserved: held.candidate, from, to });
        assert!(!self.reserved().contains(&"n0".to_owned()), "it is on its way");
    }

    /// All is worked off, and everything adds up, before and after a fold.
    fn comes_to(&mut self, nodes: &[&str]) {
        self.stepper.pump();
        let mut nodes = nodes.to_vec();
        nodes.sort_unstable();
        assert_eq!(self.reserved(), nodes);
        for fold in [false, true] {
            assert_eq!(self.stepper.audit(fold).wrong, [""; 0], "with a fold: {fold}");
        }
    }

    fn target(&self) -> Arc<NodeShared> {
        self.nodes[1][0].clone()
    }
}

#[test]
fn it_moves_to_another_workers_node_under_its_number_and_not_once_more() {
    let mut full = Full::new();
    let before = full.stepper.shard(0).held_on(full.nodes[0][0].local).unwrap();
    full.sends();
    let target = full.target();
    full.comes_to(&[&target.name]);
    let now = full.stepper.shard(1).held_on(target.local).unwrap();
    assert_eq!((now.candidate, now.size, now.since_ms), (before.candidate, SIZE, before.since_ms));
    assert_eq!((before.may_move, now.may_move), (true, false));
}

#[test]
fn it_moves_among_one_workers_nodes() {
    let mut full = Full::new();
    let (from, to) = (full.nodes[0][0].clone(), full.nodes[0][1].clone());
    let held = full.stepper.shard(0).held_on(from.local).unwrap();
    let wanted = Move { reserved: held.candidate, from, to: to.clone() };
    full.stepper.shard(0).move_from_here(&wanted);
    full.comes_to(&[&to.name]);
    assert!(!full.stepper.shard(0).held_on(to.local).unwrap().may_move);
    // Told once more: it is not there any more.
    full.stepper.shard(0).move_from_here(&wanted);
    full.comes_to(&[&to.name]);
}

#[test]
fn where_the_other_node_has_gone_it_stays() {
    let mut full = Full::new();
    let target = full.target();
    full.stepper.control().begin_remove_node(&target, None).unwrap();
    full.sends();
    full.comes_to(&["n0"]);
    assert!(full.stepper.shard(0).held_on(full.nodes[0][0].local).unwrap().may_move, "it has not moved");
}

#[test]
fn where_the_other_node_is_reserved_meanwhile_it_stays() {
    let mut full = Full::new();
    let target = full.target();
    full.offer(&target);
    full.sends();
    full.comes_to(&["n0", &target.name]);
}

#[test]
fn where_both_nodes_have_gone_or_are_taken_it_has_ended() {
    let mut full = Full::new();
    let (target, source) = (full.target(), full.nodes[0][0].clone());
    full.offer(&target);
    full.sends();
    full.stepper.control().begin_remove_node(&source, None).unwrap();
    full.comes_to(&[&target.name]);
    // The ask is outstanding, as ever: once there is room in the queue something is reserved for it elsewhere.
    full.stepper.shard(1).end_reservation(target.local);
    full.comes_to(&[]);
    let other = full.nodes[0][1].clone();
    full.offer(&other);
    full.comes_to(&[&other.name]);
}

#[test]
fn where_its_application_is_over_it_has_ended() {
    let mut full = Full::new();
    let app = full.apps[1].clone();
    full.stepper.control().begin_finish(&app, None).unwrap();
    full.sends();
    full.comes_to(&[]);
}

#[test]
fn where_its_application_moves_to_another_leaf_it_counts_there() {
    let mut full = Full::new();
    let app = full.apps[1].clone();
    full.stepper.control().move_app(&app, "low").unwrap();
    full.sends();
    let target = full.target();
    full.comes_to(&[&target.name]);
}

#[test]
fn where_the_other_nodes_worker_has_panicked_it_stays_and_where_it_is_given_up_it_has_ended() {
    for (for_good, stays) in [(false, &["n0"][..]), (true, &[])] {
        let mut full = Full::new();
        full.sends();
        full.stepper.panic(1, for_good);
        full.comes_to(stays);
    }
}
