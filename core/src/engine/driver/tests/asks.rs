//! Asks that change while some worker has yet to hear of what they were before.

use super::*;
use crate::engine::driver::runner::{TrackedWorker, recover};
use crate::engine::intake::inbox::Handler;
use crate::policy::{ClusterTotal, OrderKey, Schedulable, SchedulingPolicy, ShareInput};
use crate::resource::{Calculator, ResourceTypes};
use crate::shares::Fair;
use crate::sync::atomic::{AtomicBool as Flag, Ordering as Memory};
use std::cmp::Ordering;
use std::panic::{AssertUnwindSafe, catch_unwind};

const SMALL: Resource = Resource::new(1024, 1);
const LARGE: Resource = Resource::new(2048, 1);

/// The home of the first application, and the other worker.
const HOME: usize = 0;
const OTHER: usize = 1;

/// Two workers: home has a node, the other one two of one rack; and an application without asks.
fn world(setup: Setup<FairDecider>) -> (AtRest, Arc<AppShared>) {
    let mut parts = AtRest::new(setup);
    for (name, rack) in [("n0", "/r0"), ("n1", "/r1"), ("n2", "/r1")] {
        let spec = NewNode::new(name, rack, Resource::new(8192, 8));
        parts.control.add_node(&spec).unwrap();
    }
    let app = submit(&mut parts.control, 1, "root.q", None);
    assert_eq!(app.home, HOME);
    [HOME, OTHER].iter().for_each(|worker| process(&mut parts, *worker));
    update(&mut parts);
    (parts, app)
}

fn update(parts: &mut AtRest) {
    parts.control.publish();
    parts.updater.as_mut().unwrap().update();
    for (shard, _) in &mut parts.shards {
        shard.sync();
    }
}

/// The AM calls; what it asks lies in the lane of its home.
fn ask(parts: &AtRest, app: &Arc<AppShared>, asks: Vec<Ask>) {
    send_changes(&parts.shared, app, &AllocateRequest { asks, ..AllocateRequest::default() }).unwrap();
}

/// The home worker applies what lies in its lanes; what it tells lies in the lane of the other then.
fn home_applies(parts: &mut AtRest) {
    applies(parts, HOME);
}

/// The same of a worker that is the home of some application.
fn applies(parts: &mut AtRest, worker: usize) {
    process(parts, worker);
    let (shard, lanes) = &mut parts.shards[worker];
    while let Ok(mut parcel) = lanes.external.try_recv() {
        shard.handle_external(parcel.message());
    }
}

/// The sizes of what a worker grants on one of its nodes.
fn granted(parts: &mut AtRest, worker: usize, node: u32) -> Vec<Resource> {
    let shard = &mut parts.shards[worker].0;
    shard.take_step_record();
    shard.schedule(node);
    shard.take_step_record().allocated.iter().map(|(made, ..)| made.resource).collect()
}

/// A policy that panics when it is next asked for a key.
#[derive(Debug, Default)]
struct Touchy(Flag);

impl SchedulingPolicy for Touchy {
    fn name(&self) -> &str {
        "touchy"
    }
    fn calculator(&self) -> Calculator {
        Fair.calculator()
    }
    fn compare(&self, cluster: &ClusterTotal, a: &Schedulable<'_>, b: &Schedulable<'_>) -> Ordering {
        Fair.compare(cluster, a, b)
    }
    fn key(&self, cluster: &ClusterTotal, s: &Schedulable<'_>) -> Option<OrderKey> {
        assert!(!self.0.swap(false, Memory::Relaxed), "a policy that panics");
        Fair.key(cluster, s)
    }
    fn compute_shares(&self, types: usize, total: &Resource, children: &mut [ShareInput], steady: bool) {
        Fair.compute_shares(types, total, children, steady);
    }
    fn headroom(&self, fair_share: &Resource, usage: &Resource, available: &Resource) -> Resource {
        Fair.headroom(fair_share, usage, available)
    }
}

/// The home worker panics at an ask, after it has replaced the counts: the ask is worked off once more, changes nothing
/// any more, and the others have heard of it all the same.
#[test]
fn what_is_asked_before_a_panic_is_told() {
    let policy = Arc::new(Touchy::default());
    let text = "<allocations><queue name='q'><schedulingPolicy>touchy</schedulingPolicy></queue></allocations>";
    let file =
        AllocationFile::parse(text, "allocations", &ResourceTypes::standard(), &["touchy".to_owned()]).unwrap().file;
    let control = FairControl::new(vec![policy.clone()]);
    let (mut parts, app) = world(Setup { control, configuration: file, ..setup(2) });
    // It is pending, and wants nothing: so it has no place in the order.
    ask(&parts, &app, vec![Ask::anywhere(1, SMALL, 8)]);
    home_applies(&mut parts);
    process(&mut parts, OTHER);
    update(&mut parts);
    ask(&parts, &app, vec![Ask::anywhere(1, SMALL, 0)]);
    home_applies(&mut parts);
    process(&mut parts, OTHER);
    assert_eq!(granted(&mut parts, OTHER, 0), []);
    ask(&parts, &app, vec![Ask::anywhere(2, SMALL, 1)]);
    policy.0.store(true, Memory::Relaxed);
    let (shard, mut lanes) = parts.shards.remove(HOME);
    let mut home = TrackedWorker::new(shard, parts.shared.clone());
    let parcel = lanes.external.try_recv().unwrap();
    let outcome = catch_unwind(AssertUnwindSafe(|| home.external(parcel)));
    assert!(outcome.is_err(), "it is asked for the key of its place");
    let (nodes, goes_on) = recover(&mut home);
    assert_eq!((nodes.len(), goes_on), (1, true));
    home.process_kept(&mut lanes);
    process(&mut parts, OTHER - 1);
    assert_eq!(granted(&mut parts, OTHER - 1, 0), [SMALL], "the other worker serves it");
}

/// A container of an earlier size ends unseen, so its unit comes back, and the ask has its size again. The AM asks for
/// that size too: whoever has not heard that it is back grants none of the other one any more.
fn comes_back_and_is_asked_for(near: bool) {
    let (mut parts, app) = world(setup(2));
    let place = |parts: &AtRest| parts.shared.locations.requested("/r1");
    let of = |parts: &AtRest, size: Resource, count: u32| {
        let any = Ask::anywhere(1, size, count);
        if near { vec![any.at(place(parts)), any.strict()] } else { vec![any] }
    };
    ask(&parts, &app, of(&parts, SMALL, 1));
    home_applies(&mut parts);
    process(&mut parts, OTHER);
    update(&mut parts);
    // Not applied yet when the other one grants.
    ask(&parts, &app, of(&parts, LARGE, 3));
    assert_eq!(granted(&mut parts, OTHER, 0), [SMALL]);
    home_applies(&mut parts);
    process(&mut parts, OTHER);
    // The node is lost with it: the unit is on its way home.
    let node = parts.control.all_nodes().find(|node| &*node.name == "n1").unwrap().clone();
    parts.control.begin_remove_node(&node, None).unwrap();
    process(&mut parts, OTHER);
    home_applies(&mut parts);
    // Home tells that the size is the earlier one; before the other hears of it the AM asks for it.
    let again = of(&parts, SMALL, 2);
    ask(&parts, &app, if near { again[..1].to_vec() } else { again });
    home_applies(&mut parts);
    assert_eq!(granted(&mut parts, OTHER, 1), [], "what it knows is not asked for any more");
    process(&mut parts, OTHER);
    assert_eq!(granted(&mut parts, OTHER, 1), [SMALL], "it has heard of it");
}

#[test]
fn who_has_not_heard_of_a_size_that_came_back_grants_none_of_another() {
    comes_back_and_is_asked_for(false);
}

#[test]
fn who_has_not_heard_of_a_rack_whose_size_came_back_grants_none_of_another() {
    comes_back_and_is_asked_for(true);
}

/// What it holds of any key is to be had by others, who then need not ask for it.
#[test]
fn who_blocks_hands_back_pieces_of_all_keys() {
    // It serves both alike, also the one that is at home elsewhere.
    let (mut parts, first) = world(Setup { slack: Some(0), ..setup(2) });
    let second = submit(&mut parts.control, 2, "root.r", None);
    [HOME, OTHER].iter().for_each(|worker| process(&mut parts, *worker));
    update(&mut parts);
    for app in [&first, &second] {
        ask(&parts, app, vec![Ask::anywhere(1, SMALL, 100)]);
    }
    [HOME, OTHER, HOME].iter().for_each(|worker| applies(&mut parts, *worker));
    update(&mut parts);
    assert!((0..8).all(|_| granted(&mut parts, HOME, 0) == [SMALL]), "of both in turn");
    let shard = &mut parts.shards[HOME].0;
    assert_eq!(shard.leases.len(), 2);
    shard.hand_back_leases();
    assert!(shard.leases.is_empty());
    for app in [first, second] {
        assert_eq!(shard.app(app.slot.index).keys[0].cell.pool.visible(OTHER), 96);
    }
}
