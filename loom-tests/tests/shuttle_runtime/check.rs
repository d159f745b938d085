//! The books, compared when all threads of a schedule have come to their end.

use super::booking::plans_are_followed;
use super::plan::{LIMITS, SMALL, small};
use super::world::World;
use super::{draw, totals};
use evenweave::view::{ContainerView, Journal, QueueView, Stats};
use evenweave::{AllocateRequest, Ask, ContainerId, EndReason, Resource, SchedulerEvent, Submission};
use std::collections::{BTreeMap, BTreeSet};

type Name = (u32, u32);

fn name(id: ContainerId) -> Name {
    (id.application_number(), id.number())
}

fn sum<'a>(of: impl IntoIterator<Item = &'a Resource>) -> Resource {
    of.into_iter().fold(Resource::ZERO, |sum, one| sum.plus(one))
}

/// What a schedule's journal has told so far.
#[derive(Debug, Default)]
struct Ledger {
    granted: BTreeSet<Name>,
    ended: BTreeMap<Name, EndReason>,
}

impl Ledger {
    /// Waits for quiet; what was noted is added.
    fn read_on(&mut self, world: &World) -> Journal {
        let outcome = world.scheduler.take_journal().expect("all workers live");
        for made in &outcome.allocated {
            assert!(self.granted.insert((made.app, made.container)), "I5: granted once: {made:?}");
        }
        for (app, container, reason) in &outcome.completed {
            let ended = (*app, *container);
            assert!(self.granted.contains(&ended), "I5: what ends was granted: {ended:?}");
            assert!(self.ended.insert(ended, *reason).is_none(), "I5: it ends once: {ended:?}");
        }
        outcome
    }

    fn count(&self, why: EndReason) -> usize {
        self.ended.values().filter(|reason| **reason == why).count()
    }
}

fn of_queue<'a>(queues: &'a [QueueView], name: &str) -> &'a QueueView {
    queues.iter().find(|queue| queue.name == name).expect("the file names it")
}

/// Everything after the threads, to the scheduler's end.
pub(crate) fn check(world: &World) {
    let mut journal = Ledger::default();
    if !world.plan.timed {
        // Where threads act by themselves nothing stands still until there is nobody left to act for.
        quiet_is_quiet(world);
        plans_are_followed(world);
        settle(world, &mut journal);
        agree(world, &journal);
        nothing_above_a_limit(world);
        settle(world, &mut journal);
        agree(world, &journal);
    }
    for app in world.apps() {
        world.finish(&app);
    }
    nothing_is_left(world, &mut journal);
    all_room_is_found(world, &mut journal);
    let stats = world.scheduler.stats();
    totals::GRANTED.add(journal.granted.len());
    totals::HEARTBEATS.add(usize::try_from(stats.heartbeats).expect("few"));
    totals::ENDED.add(journal.ended.len());
    let unseen = journal.ended.len() - world.books().acquired.len();
    totals::WITHDRAWN.add(unseen);
    totals::PREEMPTED.add(journal.count(EndReason::Preempted));
    totals::EXPIRED.add(journal.count(EndReason::Expired));
    totals::RESERVED.add(usize::try_from(stats.reservations).expect("few"));
    totals::REFUSED.add(usize::try_from(stats.refused).expect("few"));
    while let Some(event) = world.scheduler.next_event() {
        let moved = matches!(event, SchedulerEvent::MovedAsReservationEnded { .. });
        assert!(moved || matches!(event, SchedulerEvent::NodeDrained(_)), "nothing panicked: {event:?}");
        totals::FOLLOWED.add(moved.into());
    }
    world.scheduler.shutdown();
}

/// Who has waited for quiet finds nothing that moves on.
fn quiet_is_quiet(world: &World) {
    let seen = || {
        let Stats { granted, completed, reservations, .. } = world.scheduler.stats();
        (granted, completed, reservations, world.scheduler.queues().expect("it is open"), world.scheduler.nodes())
    };
    world.scheduler.quiesce();
    let before = seen();
    world.scheduler.quiesce();
    assert_eq!(before, seen(), "nothing is under way after quiesce");
}

/// What is under way arrives, and every AM is told what there is to be told.
fn settle(world: &World, journal: &mut Ledger) {
    world.scheduler.quiesce();
    for app in world.apps() {
        assert!(world.allocate(&app, &AllocateRequest::default()), "it has not ended");
    }
    journal.read_on(world);
}

/// At quiet: AMs, journal, workers, nodes, queues, applications and counters say the same.
fn agree(world: &World, journal: &Ledger) {
    let views = world.scheduler.containers().expect("all workers live");
    let live: Vec<&ContainerView> = views.iter().filter(|view| !view.ended).collect();
    let ids: BTreeSet<ContainerId> = live.iter().map(|view| view.id).collect();
    assert_eq!(ids.len(), live.len(), "no id twice");
    let books = world.books();
    let held: BTreeSet<ContainerId> = books
        .held
        .iter()
        .filter(|(app, _)| !books.over.contains(app))
        .flat_map(|(_, held)| held.keys().copied())
        .collect();
    assert_eq!(held, ids, "I5: what AMs have and what runs");
    let over = books.over.clone();
    drop(books);
    let running: BTreeSet<Name> = ids.iter().map(|id| name(*id)).collect();
    let not_ended: BTreeSet<Name> =
        journal.granted.iter().filter(|made| !journal.ended.contains_key(made)).copied().collect();
    assert_eq!(not_ended, running, "I5: granted and not ended, and what runs");

    let (stats, queues, apps) = (
        world.scheduler.stats(),
        world.scheduler.queues().expect("it is open"),
        world.scheduler.apps().expect("it is open"),
    );
    for node in world.scheduler.nodes() {
        let here = sum(views.iter().filter(|view| view.node == node.name).map(|view| &view.resource));
        assert_eq!(node.total.minus(&node.free), here, "I1: {}", node.name);
        assert!(Resource::ZERO.fits_in(&node.free), "I1: {} is over-committed: {}", node.name, node.free);
    }
    for app in &apps {
        assert!(!over.contains(&app.id.number), "who has ended is gone");
        let of_app = live.iter().filter(|view| view.id.application_number() == app.id.number);
        assert_eq!(app.usage, sum(of_app.map(|view| &view.resource)), "I4: application {}", app.id.number);
    }
    let handles = world.apps();
    for queue in &queues {
        let parts: Vec<Resource> = if queue.leaf {
            apps.iter().filter(|app| app.queue == queue.name).map(|app| app.usage).collect()
        } else {
            let below = |name: &str| name.rsplit_once('.').is_some_and(|(above, _)| above == queue.name);
            queues.iter().filter(|child| below(&child.name)).map(|child| child.usage).collect()
        };
        assert_eq!(queue.usage, sum(&parts), "I4: {}", queue.name);
        if queue.leaf {
            let here = |number| apps.iter().any(|app| app.id.number == number && app.queue == queue.name);
            let ams = handles.iter().filter(|app| here(app.number()) && world.has_am(app)).count();
            assert_ams(world, queue, i64::try_from(ams).expect("few"));
        }
    }
    assert_eq!(stats.running, u64::try_from(live.len()).expect("few"));
    assert_eq!(stats.granted - stats.completed, stats.running);
    assert_eq!(stats.allocated, of_queue(&queues, "root").usage);
}

/// So many AMs run in the queue. As in Hadoop a move takes its AM out of the old queue and does not put it into the new one, from
/// which its end takes it out again.
fn assert_ams(world: &World, queue: &QueueView, ams: i64) {
    let (ams, used) = (small(ams), &queue.am_usage);
    let exact = *used == ams || world.has_moved() && used.fits_in(&ams);
    assert!(exact, "P7: AMs of {} use {used}, not {ams}", queue.name);
}

/// A queue that a lowered limit or a move has left above its limit gets nothing more, and no other comes above it.
fn nothing_above_a_limit(world: &World) {
    let before = world.scheduler.queues().expect("it is open");
    world.beat_all(&BTreeMap::new());
    world.scheduler.quiesce();
    for queue in world.scheduler.queues().expect("it is open") {
        let had = of_queue(&before, &queue.name).usage;
        let within = queue.usage.fits_in(&queue.max_share) || queue.usage == had;
        assert!(within, "I2: {} had {had}, may have {}, has {}", queue.name, queue.max_share, queue.usage);
    }
}

/// All applications have ended: nothing runs, is reserved, owed or taken anywhere.
fn nothing_is_left(world: &World, journal: &mut Ledger) {
    journal.read_on(world);
    // What has ended is still on its node until that says so.
    let mut ended: BTreeMap<String, Vec<ContainerId>> = BTreeMap::new();
    for view in world.scheduler.containers().expect("all workers live") {
        assert!(view.ended, "its application has ended: {view:?}");
        ended.entry(view.node).or_default().push(view.id);
    }
    world.beat_all(&ended);
    let outcome = journal.read_on(world);
    assert_eq!(outcome.allocated, [], "there is nobody to grant to");
    assert_eq!(outcome.reserved, [], "nothing is reserved");
    assert_eq!(outcome.held, [], "I10: nobody is owed");
    assert_eq!(journal.granted.len(), journal.ended.len(), "I5: what was granted has ended");
    let told = world.books().acquired.iter().map(|id| name(*id)).collect::<BTreeSet<_>>();
    assert!(told.is_subset(&journal.granted), "what AMs were told was granted");
    let (stats, queues) = (world.scheduler.stats(), world.scheduler.queues().expect("it is open"));
    assert_eq!((stats.running, stats.granted), (0, u64::try_from(journal.granted.len()).expect("few")));
    assert_eq!(world.scheduler.containers().expect("all workers live"), []);
    for queue in &queues {
        assert!(queue.usage.is_zero(), "I4: nobody is left in {}: {}", queue.name, queue.usage);
        assert_ams(world, queue, 0);
        assert_eq!((queue.runnable, queue.non_runnable), (0, 0), "{}", queue.name);
    }
    for node in world.scheduler.nodes() {
        assert_eq!(node.free, node.total, "I1: {} is empty", node.name);
    }
}

/// From empty: the limited queue can be filled to its limit. Room that was lost on the way would be missing here.
fn all_room_is_found(world: &World, journal: &mut Ledger) {
    let limit = LIMITS[draw(LIMITS.len())];
    world.reload(limit);
    if world.nodes().is_empty() {
        world.add_node(9, 4);
    }
    let submission = Submission::new(99, "ann").in_queue("root.capped");
    let app = world.scheduler.submit(submission).expect("the queue is there");
    let request = AllocateRequest::new([Ask::anywhere(1, SMALL, 8)]);
    assert!(world.allocate(&app, &request), "it has not ended");
    let granted = || world.scheduler.stats().granted;
    loop {
        let before = granted();
        world.scheduler.quiesce();
        world.scheduler.update_now();
        // A worker in the midst of a batch goes by the shares of its beginning.
        world.scheduler.quiesce();
        world.beat_all(&BTreeMap::new());
        world.scheduler.quiesce();
        if granted() == before {
            break;
        }
    }
    let room: i64 = world.nodes().iter().map(|(_, size)| size).sum();
    let used = of_queue(&world.scheduler.queues().expect("it is open"), "root.capped").usage;
    assert_eq!(used, small(limit.min(room)), "I2: room that is given back is found: limit {limit}, nodes {room}");
    assert!(world.allocate(&app, &AllocateRequest::default()), "it has not ended");
    world.finish(&app);
    nothing_is_left(world, journal);
}
