//! Why a pass went as it did: every reason of a trace, and of `not_offered`, reached by a tiny cluster.
//!
//! That tracing changes no decision is shown where the recordings are replayed with it: `cli/tests/explain.rs`.

#![expect(clippy::unwrap_used, reason = "a test's helpers")]

use evenweave::SchedulerApi as _;
use evenweave::policy::Precedence;
use evenweave::reason::{
    AppOutcome, AppVisit, Decision, KeyOutcome, NotOffered, NotReserved, Obstacle, PassEnd, QueueOutcome, QueueVisit,
    ReservationOutcome,
};
use evenweave::testing::ByNumber as _;
use evenweave::view::RunningLimit;
use evenweave::{
    AllocateRequest, Allocation, AppHandle, Ask, FairScheduler, Heartbeat, Locality, Location, NodeHandle, Resource,
    Stepped, Submission,
};
use evenweave_testkit::fair;

const fn r(memory_mb: i64, vcores: i64) -> Resource {
    Resource::new(memory_mb, vcores)
}

/// A max share of memory and vcores alone.
fn max(memory_mb: i64, vcores: i64) -> Resource {
    Resource::UNBOUNDED.with(0, memory_mb).with(1, vcores)
}

/// A stepped scheduler that traces, its nodes and how many applications it has seen.
struct Cluster {
    stepped: Stepped,
    nodes: Vec<NodeHandle>,
    apps: u32,
}

impl Cluster {
    /// `inside` is what stands in the allocation file; nodes are named n1, n2 … and stand on the racks given.
    fn new(properties: &[(&str, &str)], inside: &str, nodes: &[(&str, Resource)]) -> Cluster {
        Cluster::of(1, properties, inside, nodes)
    }

    fn of(workers: usize, properties: &[(&str, &str)], inside: &str, nodes: &[(&str, Resource)]) -> Cluster {
        let common = [("yarn.scheduler.minimum-allocation-mb", "0"), ("yarn.scheduler.minimum-allocation-vcores", "0")];
        let builder = fair(&[&common[..], properties].concat(), inside).workers(workers);
        let stepped = builder.journal(true).trace(true).stepped().unwrap();
        let mut cluster = Cluster { stepped, nodes: Vec::new(), apps: 0 };
        for (n, (rack, total)) in nodes.iter().enumerate() {
            let node = cluster.stepped.add_node(&format!("n{}", n + 1), rack, *total).unwrap();
            cluster.nodes.push(node);
        }
        cluster
    }

    /// An application of `ann` in a queue; later ones start later.
    fn submit(&mut self, queue: &str, am: Option<Resource>) -> AppHandle {
        self.apps += 1;
        self.stepped.advance(1);
        let (number, queue) = (self.apps, Some(queue.to_owned()));
        self.stepped.submit(Submission::new(number, "ann").maybe_in_queue(queue).maybe_with_am(am)).unwrap()
    }

    fn ask(&mut self, app: &AppHandle, asks: &[Ask]) {
        let request = AllocateRequest::new(asks.to_vec());
        self.stepped.allocate(app, &request, &mut Allocation::default()).unwrap();
    }

    /// An application with an ask at priority 1 anywhere, and an update.
    fn request(&mut self, queue: &str, size: Resource, count: u32) -> AppHandle {
        let app = self.submit(queue, None);
        self.ask(&app, &[Ask::anywhere(1, size, count)]);
        self.stepped.update_now();
        app
    }

    fn line(&self, at: &str, size: Resource, count: u32, relax_locality: bool) -> Ask {
        let location = if at == "*" { Location::ANY } else { self.stepped.location(at) };
        Ask::anywhere(1, size, count).at(location).relaxed(relax_locality)
    }

    /// An application with asks of 1024 MB at places, and an update.
    fn request_at(&mut self, places: &[(&str, u32, bool)]) -> AppHandle {
        let app = self.submit("q", None);
        let asks: Vec<_> = places.iter().map(|(at, count, relax)| self.line(at, r(1024, 1), *count, *relax)).collect();
        self.ask(&app, &asks);
        self.stepped.update_now();
        app
    }

    /// The pass that the `n`th node's report makes, from 1.
    fn pass(&mut self, n: usize) -> Decision {
        self.stepped.heartbeat(Heartbeat::new(&self.nodes[n - 1]));
        let mut passes = self.stepped.take_trace();
        assert_eq!(passes.len(), 1);
        passes.remove(0)
    }
}

fn queue<'a>(visit: &'a QueueVisit, name: &str) -> Option<&'a QueueVisit> {
    if visit.queue == name { Some(visit) } else { visit.queues.iter().find_map(|below| queue(below, name)) }
}

/// The visit of an application in the last walk of a pass.
fn app(pass: &Decision, number: u32) -> AppVisit {
    fn find(visit: &QueueVisit, number: u32) -> Option<&AppVisit> {
        let here = visit.apps.iter().find(|app| app.app == number);
        here.or_else(|| visit.queues.iter().find_map(|below| find(below, number)))
    }
    find(pass.descents.last().unwrap(), number).unwrap().clone()
}

/// Why the last walk of a pass gave an application's first key nothing.
fn obstacle(pass: &Decision, number: u32) -> Obstacle {
    let visit = app(pass, number);
    assert_eq!(visit.outcome, AppOutcome::NoKey);
    let KeyOutcome::PassedOver(obstacle) = visit.keys[0].outcome.clone() else { panic!("{visit:?}") };
    obstacle
}

const MULTIPLE: (&str, &str) = ("yarn.scheduler.fair.assignmultiple", "true");
const FIXED: (&str, &str) = ("yarn.scheduler.fair.dynamic.max.assign", "false");
const THRESHOLDS: [(&str, &str); 2] =
    [("yarn.scheduler.fair.locality.threshold.node", "1.0"), ("yarn.scheduler.fair.locality.threshold.rack", "1.0")];

// -------------------------------------------------------------------------------------------------- ends of a pass

#[test]
fn one_container_a_pass() {
    let mut cluster = Cluster::new(&[], "", &[("/r", r(4096, 4))]);
    cluster.request("q", r(1024, 1), 4);
    let pass = cluster.pass(1);
    assert_eq!((&*pass.node, pass.total, pass.free), ("n1", r(4096, 4), r(4096, 4)));
    assert_eq!((pass.end, pass.descents.len()), (PassEnd::OneContainer, 1));
    let visit = app(&pass, 1);
    assert_eq!(visit.outcome, AppOutcome::Placed);
    let key = &visit.keys[0];
    assert_eq!((key.priority, key.size, key.outstanding), (1, r(1024, 1), 4));
    assert_eq!(key.outcome, KeyOutcome::Placed { container: 1, locality: Locality::OffSwitch });
    assert_eq!(pass.descents[0].outcome, QueueOutcome::Placed);
}

#[test]
fn as_many_as_may_be_assigned() {
    let most = ("yarn.scheduler.fair.max.assign", "2");
    let mut cluster = Cluster::new(&[MULTIPLE, FIXED, most], "", &[("/r", r(4096, 4))]);
    cluster.request("q", r(1024, 1), 4);
    let pass = cluster.pass(1);
    assert_eq!((pass.end, pass.descents.len()), (PassEnd::MaxAssign(2), 2));
}

#[test]
fn half_of_what_was_free() {
    let mut cluster = Cluster::new(&[MULTIPLE], "", &[("/r", r(8192, 8))]);
    cluster.request("q", r(1024, 1), 8);
    let pass = cluster.pass(1);
    assert_eq!((pass.end, pass.descents.len()), (PassEnd::HalfAssigned, 5));
}

#[test]
fn nothing_placed() {
    let mut cluster = Cluster::new(&[MULTIPLE], "", &[("/r", r(8192, 8))]);
    cluster.request("q", r(1024, 1), 1);
    let pass = cluster.pass(1);
    assert_eq!((pass.end, pass.descents.len()), (PassEnd::NothingPlaced, 2));
    assert_eq!(pass.descents[1].outcome, QueueOutcome::Nothing);
}

/// Continuous scheduling passes over a node with less than the minimum allocation, and over one of two with equal
/// memory.
#[test]
fn nodes_that_continuous_scheduling_passes_over() {
    let properties = [
        ("yarn.scheduler.fair.continuous-scheduling-enabled", "true"),
        ("yarn.scheduler.minimum-allocation-mb", "2048"),
    ];
    let nodes = [("/r", r(4096, 4)), ("/r", r(4096, 4)), ("/r", r(1024, 4))];
    let mut cluster = Cluster::new(&properties, "", &nodes);
    cluster.stepped.offer_all();
    let mut ends: Vec<_> = cluster.stepped.take_trace().into_iter().map(|pass| (pass.node, pass.end)).collect();
    ends.sort_by(|a, b| a.0.cmp(&b.0));
    let expected = [("n1", PassEnd::NothingPlaced), ("n2", PassEnd::SameFreeMemory), ("n3", PassEnd::BelowMinimum)];
    assert_eq!(ends, expected.map(|(node, end)| (node.to_owned(), end)));
}

// -------------------------------------------------------------------------------------------------- queues

#[test]
fn siblings_that_are_not_reached_and_why_they_come_later() {
    let inside = "<queue name='a'><minResources>2048 mb, 1 vcores</minResources></queue><queue name='b'/>\
                  <queue name='c'><weight>2</weight></queue><queue name='d'/><queue name='e'/>";
    let mut cluster = Cluster::new(&[MULTIPLE, FIXED], inside, &[("/r", r(16_384, 16))]);
    let places: Vec<_> = ["b", "c", "d", "a"].map(|name| cluster.request(name, r(1024, 1), 1)).into();
    let pass = cluster.pass(1);
    assert_eq!(places.len(), 4);
    let first = &pass.descents[0];
    let seen: Vec<_> = first.queues.iter().map(|queue| (&*queue.queue, queue.outcome, queue.precedes)).collect();
    let expected = [
        ("root.a", QueueOutcome::Placed, Some(Precedence::MinShare)),
        ("root.b", QueueOutcome::NotReached, Some(Precedence::Name)),
        ("root.c", QueueOutcome::NotReached, Some(Precedence::Name)),
        ("root.d", QueueOutcome::NotReached, Some(Precedence::Demand)),
        ("root.e", QueueOutcome::NotReached, None),
    ];
    assert_eq!(seen, expected);
    assert_eq!(queue(first, "root.a").unwrap().claim.min_share, r(2048, 1));
    assert!(queue(first, "root.b").unwrap().apps.is_empty(), "it was not visited");
}

#[test]
fn usage_to_weight_decides_then_start_times() {
    let inside = "<queue name='a'/><queue name='b'><weight>3</weight></queue>";
    let mut cluster = Cluster::new(&[MULTIPLE, FIXED], inside, &[("/r", r(8192, 8))]);
    cluster.request("b", r(1024, 1), 1);
    cluster.request("b", r(1024, 1), 1);
    cluster.request("a", r(1024, 1), 5);
    let pass = cluster.pass(1);
    // a and b have one container each by then.
    let third = &pass.descents[2];
    assert_eq!((&*third.queues[0].queue, third.queues[0].precedes), ("root.b", Some(Precedence::UsageToWeight)));
    let first_of_b = queue(&pass.descents[1], "root.b").unwrap();
    let apps: Vec<_> = first_of_b.apps.iter().map(|app| (app.app, app.outcome, app.precedes)).collect();
    let expected = [(1, AppOutcome::Placed, Some(Precedence::StartTime)), (2, AppOutcome::NotReached, None)];
    assert_eq!(apps, expected);
}

#[test]
fn a_queue_above_its_max_share() {
    let inside = "<queue name='q'><maxResources>2048 mb, 2 vcores</maxResources></queue>";
    let mut cluster = Cluster::new(&[], inside, &[("/r", r(8192, 8))]);
    let app = cluster.request("q", r(1024, 1), 8);
    (0..2).for_each(|_| drop(cluster.pass(1)));
    let smaller = inside.replace("2048 mb", "1024 mb");
    cluster.stepped.reload_text(&format!("<allocations>{smaller}</allocations>")).unwrap();
    let pass = cluster.pass(1);
    let max_share = max(1024, 2);
    assert_eq!(queue(&pass.descents[0], "root.q").unwrap().outcome, QueueOutcome::AboveMaxShare { max_share });
    let expected = NotOffered::AboveMaxShare { queue: "root.q".to_owned(), usage: r(2048, 2), max_share };
    assert_eq!(cluster.stepped.not_offered(&app), Some(expected));
}

// -------------------------------------------------------------------------------------------------- applications

#[test]
fn a_blacklisted_node() {
    let mut cluster = Cluster::new(&[], "", &[("/r", r(8192, 8))]);
    let handle = cluster.request("q", r(1024, 1), 1);
    let blacklist_add = vec![cluster.stepped.location("/r")];
    let request = AllocateRequest::default().with_blacklist_add(blacklist_add);
    cluster.stepped.allocate(&handle, &request, &mut Allocation::default()).unwrap();
    let pass = cluster.pass(1);
    assert_eq!(app(&pass, 1).outcome, AppOutcome::Blacklisted);
    assert_eq!(cluster.stepped.not_offered(&handle), None);
}

#[test]
fn the_am_share_is_used_up() {
    let inside = "<queue name='q'><maxAMShare>0.25</maxAMShare></queue>";
    let mut cluster = Cluster::new(&[], inside, &[("/r", r(4096, 4))]);
    cluster.submit("q", Some(r(1024, 1)));
    let second = cluster.submit("q", Some(r(512, 1)));
    cluster.stepped.update_now();
    assert_eq!(app(&cluster.pass(1), 1).outcome, AppOutcome::Placed);
    let AppOutcome::AmShare(share) = app(&cluster.pass(1), 2).outcome else { panic!("it waits") };
    assert_eq!((share.used, share.asked, share.limit), (r(1024, 1), r(1024, 1), r(1024, 1)));
    assert_eq!(cluster.stepped.not_offered(&second), Some(NotOffered::AmShare(share)));
}

#[test]
fn applications_that_wait_and_such_that_want_nothing() {
    let inside = "<queue name='q'><maxRunningApps>1</maxRunningApps></queue>";
    let mut cluster = Cluster::new(&[], inside, &[("/r", r(4096, 4))]);
    let first = cluster.submit("q", None);
    let second = cluster.submit("q", None);
    cluster.ask(&second, &[Ask::anywhere(1, r(1024, 1), 1)]);
    let pass = cluster.pass(1);
    assert_eq!([1, 2].map(|n| app(&pass, n).outcome), [AppOutcome::NothingPending, AppOutcome::Waiting]);
    assert_eq!(cluster.stepped.not_offered(&first), Some(NotOffered::NothingOutstanding));
    cluster.ask(&first, &[Ask::anywhere(1, r(1024, 1), 1)]);
    let pending = NotOffered::NothingPending { outstanding: r(1024, 1) };
    assert_eq!(cluster.stepped.not_offered(&first), Some(pending), "no update has seen it");
}

/// A container of size zero counts as none: the walk goes on, here for ever in place of the next application.
#[test]
fn a_container_of_size_zero() {
    let mut cluster = Cluster::new(&[], "", &[("/r", r(4096, 4))]);
    let both = cluster.submit("q", None);
    let nothing = Ask::anywhere(1, Resource::ZERO, 1);
    cluster.ask(&both, &[nothing, Ask::anywhere(2, r(1024, 1), 1)]);
    cluster.stepped.update_now();
    let visit = app(&cluster.pass(1), 1);
    assert_eq!(visit.outcome, AppOutcome::PlacedNothing);
    assert_eq!((visit.keys[0].size, &visit.keys[1].outcome), (Resource::ZERO, &KeyOutcome::NotReached));
}

// -------------------------------------------------------------------------------------------------- request keys

#[test]
fn nothing_outstanding_at_one_key_and_too_much_at_the_other() {
    let mut cluster = Cluster::new(&[], "", &[("/r", r(4096, 4)), ("/r", r(8192, 8))]);
    let handle = cluster.submit("q", None);
    let elsewhere = cluster.line("n1", r(1024, 1), 1, true);
    cluster.ask(&handle, &[elsewhere, Ask::anywhere(2, r(8192, 1), 1)]);
    cluster.stepped.update_now();
    let visit = app(&cluster.pass(1), 1);
    let of = |i: usize| visit.keys[i].outcome.clone();
    assert_eq!(of(0), KeyOutcome::PassedOver(Obstacle::NothingOutstanding));
    assert_eq!(of(1), KeyOutcome::PassedOver(Obstacle::LargerThanNode { total: r(4096, 4) }));
}

#[test]
fn strict_asks_elsewhere() {
    let mut cluster = Cluster::new(&[], "", &[("/r1", r(4096, 4)), ("/r1", r(4096, 4)), ("/r2", r(4096, 4))]);
    cluster.request_at(&[("n1", 1, true), ("/r1", 1, false), ("*", 1, false)]);
    assert_eq!(obstacle(&cluster.pass(2), 1), Obstacle::NodeNotAsked);
    assert_eq!(obstacle(&cluster.pass(3), 1), Obstacle::RackNotAsked);
    let placed = app(&cluster.pass(1), 1).keys[0].outcome.clone();
    assert_eq!(placed, KeyOutcome::Placed { container: 1, locality: Locality::Node });
}

#[test]
fn a_rack_asked_for_with_0_and_strictly() {
    let mut cluster = Cluster::new(&[], "", &[("/r1", r(4096, 4))]);
    cluster.request_at(&[("/r1", 0, false), ("*", 1, true)]);
    assert_eq!(obstacle(&cluster.pass(1), 1), Obstacle::RackNotRelaxed);
}

#[test]
fn a_max_share_that_one_more_would_pass() {
    let inside = "<queue name='a'><maxResources>1024 mb, 1 vcores</maxResources><queue name='b'/></queue>";
    let mut cluster = Cluster::new(&[], inside, &[("/r", r(4096, 4))]);
    cluster.request("a.b", r(1024, 1), 2);
    cluster.pass(1);
    let expected = Obstacle::MaxShare { queue: "root.a".to_owned(), usage: r(1024, 1), max_share: max(1024, 1) };
    assert_eq!(obstacle(&cluster.pass(1), 1), expected);
}

#[test]
fn too_far_for_now() {
    let mut cluster = Cluster::new(&THRESHOLDS, "", &[("/r1", r(4096, 4)), ("/r2", r(4096, 4))]);
    cluster.request_at(&[("n1", 1, true), ("/r1", 1, true), ("*", 1, true)]);
    let too_far = |allowed, opportunities| Obstacle::TooFar { allowed, opportunities };
    assert_eq!(obstacle(&cluster.pass(2), 1), too_far(Locality::Node, 1));
    assert_eq!(obstacle(&cluster.pass(2), 1), too_far(Locality::Node, 2));
    assert_eq!(obstacle(&cluster.pass(2), 1), too_far(Locality::Rack, 0));
}

#[test]
fn too_small_for_a_node_of_its_own() {
    let mut cluster = Cluster::new(&[], "", &[("/r", r(4096, 4))]);
    cluster.request("a", r(4096, 1), 1);
    cluster.pass(1);
    cluster.request("b", r(1024, 1), 1);
    let not_reserved = NotReserved::BelowThreshold { threshold: r(2048, 2) };
    let (size, free, locality) = (r(1024, 1), r(0, 3), Locality::OffSwitch);
    assert_eq!(obstacle(&cluster.pass(1), 2), Obstacle::DoesNotFit { size, free, locality, not_reserved });
}

// -------------------------------------------------------------------------------------------------- reservations

/// Two nodes of 4096 MB with 1024 MB free each, and an application that is below its share and wants 2048 MB.
fn reserving(properties: &[(&str, &str)]) -> (Cluster, AppHandle) {
    let mut cluster = Cluster::new(properties, "", &[("/r", r(4096, 4)), ("/r", r(4096, 4))]);
    cluster.request("a", r(3072, 1), 2);
    (1..=2).for_each(|n| drop(cluster.pass(n)));
    let app = cluster.request("b", r(2048, 1), 1);
    (cluster, app)
}

#[test]
fn a_node_is_reserved_and_kept_until_the_container_fits() {
    let (mut cluster, _) = reserving(&[]);
    let made = cluster.pass(1);
    assert_eq!((made.end, made.descents[0].outcome), (PassEnd::Reserved, QueueOutcome::Reserved));
    let visit = app(&made, 2);
    assert_eq!(visit.outcome, AppOutcome::Reserved);
    let reserved = KeyOutcome::Reserved { container: 1, locality: Locality::OffSwitch };
    assert_eq!(visit.keys[0].outcome, reserved);
    // One of two nodes is as many as may be.
    let Obstacle::DoesNotFit { size, free, locality, not_reserved } = obstacle(&cluster.pass(2), 2) else {
        panic!("it does not fit")
    };
    assert_eq!((size, free, locality), (r(2048, 1), r(1024, 3), Locality::OffSwitch));
    assert_eq!(not_reserved, NotReserved::TooManyNodes { reserved: 1, nodes: 2 });
    let kept = cluster.pass(1);
    assert_eq!((kept.end, kept.descents.len()), (PassEnd::Reservation, 0));
    let visit = kept.reservation.unwrap();
    assert_eq!((visit.app, visit.container, visit.priority, visit.size), (2, 1, 1, r(2048, 1)));
    assert_eq!(visit.outcome, ReservationOutcome::Kept);
    cluster.stepped.complete_numbered(1, 1).unwrap();
    let served = cluster.pass(1);
    let outcome = served.reservation.unwrap().outcome;
    assert_eq!(outcome, ReservationOutcome::Fulfilled { locality: Locality::OffSwitch });
    assert_eq!(served.end, PassEnd::Reservation);
}

#[test]
fn a_reservation_is_dropped_when_nothing_is_wanted_any_more() {
    let (mut cluster, app) = reserving(&[]);
    cluster.pass(1);
    cluster.ask(&app, &[Ask::anywhere(1, r(2048, 1), 0)]);
    let pass = cluster.pass(1);
    assert_eq!(pass.reservation.unwrap().outcome, ReservationOutcome::Dropped(Obstacle::NothingOutstanding));
    assert_eq!((pass.end, pass.descents.len()), (PassEnd::NothingPlaced, 1), "the pass goes on");
}

#[test]
fn a_reservation_is_dropped_when_the_ask_has_outgrown_the_node() {
    let (mut cluster, app) = reserving(&[]);
    cluster.pass(1);
    cluster.stepped.resize_node(&cluster.nodes[1].clone(), r(8192, 8)).unwrap();
    cluster.ask(&app, &[Ask::anywhere(1, r(5120, 1), 1)]);
    let pass = cluster.pass(1);
    let larger = Obstacle::LargerThanNode { total: r(4096, 4) };
    assert_eq!(pass.reservation.unwrap().outcome, ReservationOutcome::Dropped(larger));
}

/// What was reserved fits, what is asked for by now does not.
#[test]
fn a_reservation_is_not_served_when_the_ask_has_grown() {
    let (mut cluster, app) = reserving(&[]);
    cluster.pass(1);
    cluster.ask(&app, &[Ask::anywhere(1, r(3072, 1), 1)]);
    cluster.stepped.resize_node(&cluster.nodes[0].clone(), r(5632, 4)).unwrap();
    let pass = cluster.pass(1);
    let not_reserved = NotReserved::TooManyNodes { reserved: 1, nodes: 2 };
    let locality = Locality::OffSwitch;
    let grown = Obstacle::DoesNotFit { size: r(3072, 1), free: r(2560, 3), locality, not_reserved };
    assert_eq!(pass.reservation.unwrap().outcome, ReservationOutcome::NotServed(grown));
    assert_eq!(pass.end, PassEnd::Reservation);
}

#[test]
fn an_am_whose_share_is_gone_loses_its_node() {
    let mut cluster = Cluster::new(&[], "<queueMaxAMShareDefault>-1</queueMaxAMShareDefault>", &[("/r", r(4096, 4))]);
    cluster.request("a", r(3072, 1), 1);
    cluster.pass(1);
    cluster.submit("b", Some(r(2048, 1)));
    cluster.stepped.update_now();
    assert_eq!(cluster.pass(1).end, PassEnd::Reserved);
    let less = "<allocations><queue name='b'><maxAMShare>0.25</maxAMShare></queue></allocations>";
    cluster.stepped.reload_text(less).unwrap();
    let pass = cluster.pass(1);
    let ReservationOutcome::DroppedForAmShare(share) = pass.reservation.unwrap().outcome else { panic!("dropped") };
    assert_eq!((share.used, share.asked, share.limit), (Resource::ZERO, r(2048, 1), r(512, 1)));
}

#[test]
fn one_above_its_fair_share_reserves_nothing() {
    let mut cluster = Cluster::new(&[], "", &[("/r", r(4096, 4))]);
    cluster.request("a", r(3072, 1), 2);
    cluster.stepped.update_now();
    cluster.request("b", r(1024, 1), 1);
    (0..2).for_each(|_| drop(cluster.pass(1)));
    let pass = cluster.pass(1);
    let Obstacle::DoesNotFit { not_reserved, .. } = obstacle(&pass, 1) else { panic!("{pass:?}") };
    let NotReserved::NotStarved { usage, fair_share } = not_reserved else { panic!("{not_reserved:?}") };
    assert_eq!((usage, fair_share.memory_mb()), (r(3072, 1), 2048));
}

// -------------------------------------------------------------------------------------------------- several workers

/// The second worker has not heard yet that the first has used up the limit: its grant is refused.
#[test]
fn others_have_taken_the_room() {
    let inside = "<queue name='q'><maxResources>1024 mb, 1 vcores</maxResources></queue>";
    let mut cluster = Cluster::of(2, &[], inside, &[("/r1", r(4096, 4)), ("/r2", r(4096, 4))]);
    assert_ne!(cluster.nodes[0].worker(), cluster.nodes[1].worker());
    cluster.request("q", r(1024, 1), 2);
    assert_eq!(app(&cluster.pass(1), 1).outcome, AppOutcome::Placed);
    assert_eq!(obstacle(&cluster.pass(2), 1), Obstacle::Overtaken);
}

// -------------------------------------------------------------------------------------------------- never offered

#[test]
fn running_limits_by_queue_parent_and_user() {
    let inside = "<queue name='p'><maxRunningApps>2</maxRunningApps><queue name='q'><maxRunningApps>1</maxRunningApps>\
                  </queue><queue name='s'/></queue><user name='ann'><maxRunningApps>3</maxRunningApps></user>";
    let mut cluster = Cluster::new(&[], inside, &[("/r", r(4096, 4))]);
    let mut waits = |queue: &str| {
        let app = cluster.submit(queue, None);
        match cluster.stepped.not_offered(&app) {
            Some(NotOffered::Waiting { limit: Some(limit) }) => Some(limit),
            Some(NotOffered::NothingOutstanding) => None,
            other => panic!("{other:?}"),
        }
    };
    let of = |queue: &str, running| RunningLimit::Queue { queue: queue.to_owned(), running, limit: running };
    assert_eq!(["p.q", "p.q"].map(&mut waits), [None, Some(of("root.p.q", 1))]);
    assert_eq!(["p.s", "p.s"].map(&mut waits), [None, Some(of("root.p", 2))]);
    let user = RunningLimit::User { user: "ann".to_owned(), running: 3, limit: 3 };
    assert_eq!(["t", "t"].map(&mut waits), [None, Some(user)]);
}

/// A reload that breaks off looks at nobody who waits, as in Hadoop.
#[test]
fn there_is_room_and_it_waits() {
    let file = |limit: u32, other: &str| {
        format!("<allocations><queue name='q'><maxRunningApps>{limit}</maxRunningApps></queue>{other}</allocations>")
    };
    let never = "<queue name='never'><schedulingPolicy>drf</schedulingPolicy></queue>";
    let mut cluster = Cluster::new(&[], "", &[("/r", r(4096, 4))]);
    cluster.stepped.reload_text(&file(1, never)).unwrap();
    cluster.submit("q", None);
    let app = cluster.submit("q", None);
    cluster.stepped.reload_text(&file(2, "")).unwrap_err();
    assert_eq!(cluster.stepped.not_offered(&app), Some(NotOffered::Waiting { limit: None }));
}

#[test]
fn an_application_that_has_ended() {
    let mut cluster = Cluster::new(&[], "", &[("/r", r(4096, 4))]);
    let app = cluster.submit("q", None);
    cluster.stepped.finish(&app).unwrap();
    assert_eq!(cluster.stepped.not_offered(&app), Some(NotOffered::Ended));
}

/// Nothing is noted where nobody asks for it, and what was noted is given once.
#[test]
fn without_a_trace_there_is_none() {
    let mut stepped = FairScheduler::builder().journal(true).stepped().unwrap();
    let node = stepped.add_node("n1", "/r", r(4096, 4)).unwrap();
    stepped.heartbeat(Heartbeat::new(&node));
    assert!(stepped.take_trace().is_empty());
    let mut cluster = Cluster::new(&[], "", &[("/r", r(4096, 4))]);
    cluster.pass(1);
    assert!(cluster.stepped.take_trace().is_empty());
}
