//! Absurd values in odd orders, at every call of both drivers: no panic, no hang, and books that are right at the end.
//!
//! 10,000 sequences; `EVENWEAVE_SEQUENCES` says how many others. A failure names its sequence: `EVENWEAVE_FIRST` begins
//! there.

use evenweave::SchedulerApi as _;
use evenweave::config::QueueAccess;
use evenweave::event::AppAccess;
use evenweave::refused::{Gone, NotFound};
use evenweave::{
    AllocateRequest, Allocation, AllocationFile, AmRequest, AppHandle, Ask, ContainerId, FairScheduler, Heartbeat,
    Location, NewAttempt, NodeHandle, Refused, Resource, Settings, Stepped, Submission,
};
use evenweave_testkit::{number, within};
use std::time::Duration;

const SEQUENCES: u64 = 10_000;
/// Calls of a sequence.
const CALLS: u64 = 25;
/// One in so many sequences is of the threaded scheduler: on a busy machine each of its calls waits for a turn of
/// several threads.
const THREADED: u64 = 40;

const NAMES: [&str; 20] = [
    "",
    "*",
    "root",
    "root.a",
    "root.b",
    "root.a.x",
    "a",
    "a.b",
    "root.",
    ".a",
    "root..a",
    " root.a",
    "\n",
    "n0",
    "n1",
    "/r0",
    "/r1",
    "default",
    "\u{e9}\u{10000}",
    "ROOT.A",
];
const AMOUNTS: [i64; 12] = [0, 1, 2, -1, 512, 1024, 4096, 1 << 20, 1 << 40, i64::MAX, i64::MIN, i64::MAX / 2];
const FILES: [&str; 6] = [
    "",
    "<allocations/>",
    "<allocations><queue name='a'><maxResources>4096 mb, 4 vcores</maxResources></queue></allocations>",
    "<allocations><queue name='a' type='parent'/><queue name='b'><maxRunningApps>0</maxRunningApps></queue></allocations>",
    "<allocations><queue name='root'/></allocations>",
    "<allocations><queue name='a.b'/></allocations>",
];

/// SplitMix64.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % end as u64).unwrap()
    }

    fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    fn of<T: Clone>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())].clone()
    }

    fn name(&mut self) -> String {
        match self.below(30) {
            0 => "x".repeat(1001),
            1 => format!("root{}", ".d".repeat(300)),
            _ => self.of(&NAMES).to_owned(),
        }
    }

    /// Half of them make sense.
    fn size(&mut self) -> Resource {
        if self.one_in(2) { Resource::new(1024, 1) } else { Resource::new(self.of(&AMOUNTS), self.of(&AMOUNTS)) }
    }

    fn total(&mut self) -> Resource {
        if self.one_in(2) { Resource::new(8192, 8) } else { self.size() }
    }
}

/// Either driver.
enum Core {
    Stepped(Box<Stepped>),
    Threaded(FairScheduler),
}

/// The same call of both, where the one takes what the other takes a reference to.
macro_rules! both {
    ($core:expr, $of:ident => $call:expr) => {
        match &mut $core {
            Core::Stepped($of) => $call,
            Core::Threaded($of) => $call,
        }
    };
}

struct World {
    core: Core,
    dice: Dice,
    nodes: Vec<NodeHandle>,
    apps: Vec<AppHandle>,
    containers: Vec<ContainerId>,
    next: u32,
}

impl World {
    fn new(seed: u64) -> World {
        let mut dice = Dice(seed);
        let settings = Settings::from_properties([
            ("yarn.scheduler.fair.preemption", if dice.one_in(2) { "true" } else { "false" }),
            ("yarn.scheduler.fair.assignmultiple", if dice.one_in(2) { "true" } else { "false" }),
        ]);
        let builder = FairScheduler::builder()
            .settings(settings.unwrap())
            .workers(1 + dice.below(3))
            .journal(dice.one_in(2))
            .node_stops(dice.one_in(2))
            .timers(false);
        let core = if seed.is_multiple_of(THREADED) {
            Core::Threaded(
                builder.channel_capacity(1 + dice.below(64)).event_capacity(1 + dice.below(4)).start().unwrap(),
            )
        } else {
            Core::Stepped(Box::new(builder.trace(dice.one_in(4)).stepped().unwrap()))
        };
        World { core, dice, nodes: Vec::new(), apps: Vec::new(), containers: Vec::new(), next: 1 }
    }

    fn location(&mut self) -> Location {
        if self.dice.one_in(3) {
            return Location::ANY;
        }
        let name = self.dice.name();
        both!(self.core, s => s.location(&name))
    }

    fn ask(&mut self) -> Ask {
        let ask = Ask::anywhere(1, self.dice.size(), self.dice.of(&[0, 1, 2, 5, u32::MAX]))
            .with_priority(self.dice.of(&[1, 0, -1, i32::MIN, i32::MAX]))
            .with_request_id(self.dice.of(&[0, 0, 1, -1, i64::MIN, i64::MAX]));
        let ask = ask.at(self.location());
        if self.dice.one_in(3) { ask.strict() } else { ask }
    }

    fn node(&mut self) -> Option<NodeHandle> {
        (!self.nodes.is_empty()).then(|| self.dice.of(&self.nodes))
    }

    fn app(&mut self) -> Option<AppHandle> {
        (!self.apps.is_empty()).then(|| self.dice.of(&self.apps))
    }

    fn some_containers(&mut self) -> Vec<ContainerId> {
        let count = if self.containers.is_empty() { 0 } else { self.dice.below(4) };
        (0..count).map(|_| self.dice.of(&self.containers)).collect()
    }

    fn am(&mut self) -> Option<AmRequest> {
        self.dice.one_in(3).then(|| {
            let (place, avoided) = (self.location(), self.location());
            let am = AmRequest::from(self.dice.size());
            let am = if self.dice.one_in(2) { am.at(place) } else { am.strictly_at(place) };
            am.avoiding(&[avoided])
        })
    }

    fn submission(&mut self) -> Submission {
        self.next += u32::from(!self.dice.one_in(5));
        let queue = if self.dice.one_in(3) { None } else { Some(self.dice.name()) };
        let number = if self.dice.one_in(20) { u32::MAX } else { self.next };
        Submission::new(number, self.dice.of(&["ann", "bob", "", "a.b", "\n"]))
            .maybe_in_queue(queue)
            .maybe_with_am(self.am())
    }

    fn report(&mut self, node: &NodeHandle) -> Heartbeat {
        let mut report = Heartbeat::new(node);
        report.add_launched(self.some_containers());
        report.add_completed(self.some_containers());
        report
    }

    /// One call, whatever comes of it.
    fn call(&mut self) {
        match self.dice.below(27) {
            0 | 1 => {
                let (name, rack, total) = (self.dice.name(), self.dice.name(), self.dice.total());
                self.nodes.extend(both!(self.core, s => s.add_node(&name, &rack, total)).ok());
            }
            2 => {
                let (name, rack) = (self.dice.of(&["n0", "n1", "n2"]), self.dice.of(&["/r0", "/r1"]));
                self.nodes.extend(both!(self.core, s => s.add_node(name, rack, Resource::new(8192, 8))).ok());
            }
            3..=5 => {
                let submission = self.submission();
                let app = match &mut self.core {
                    Core::Stepped(s) => s.submit(submission),
                    Core::Threaded(s) => s.submit(submission),
                };
                self.apps.extend(app.ok());
            }
            6..=9 => {
                let Some(app) = self.app() else { return };
                let request = AllocateRequest::new((0..self.dice.below(4)).map(|_| self.ask()))
                    .with_releases(self.some_containers())
                    .with_blacklist_add((0..self.dice.below(2)).map(|_| self.location()))
                    .with_blacklist_remove((0..self.dice.below(2)).map(|_| self.location()));
                let mut answer = Allocation::default();
                // A refused call has changed nothing; that is as good a step as another.
                let _ = both!(self.core, s => s.allocate(&app, &request, &mut answer));
                self.containers.extend(answer.granted.iter().map(|container| container.id));
                self.containers.extend(answer.ended.iter().map(|container| container.id));
            }
            10..=13 => {
                let Some(node) = self.node() else { return };
                let report = self.report(&node);
                match &mut self.core {
                    Core::Stepped(s) => s.heartbeat(&report),
                    Core::Threaded(s) if self.dice.one_in(2) => drop(s.heartbeats(vec![report.clone(), report])),
                    Core::Threaded(s) => drop(s.heartbeat(report)),
                }
                node.take_stops(&mut self.containers);
            }
            14 => {
                let Some(app) = self.app() else { return };
                let user = self.dice.name();
                let _ = match self.dice.below(2) {
                    0 => both!(self.core, s => s.finish(&app)),
                    _ => both!(self.core, s => s.finish_as(&user, &app)),
                };
            }
            15 => {
                let Some(app) = self.app() else { return };
                let new = NewAttempt::default().keep_containers(self.dice.one_in(2)).maybe_with_am(self.am());
                self.apps.extend(both!(self.core, s => s.new_attempt(&app, new)).ok());
            }
            16 => {
                let Some(app) = self.app() else { return };
                let (user, queue) = (self.dice.name(), self.dice.name());
                let _ = both!(self.core, s => s.move_app(&app, &queue));
                let _ = both!(self.core, s => s.move_app_as(&user, &app, &queue));
                let _ = both!(self.core, s => s.check_app(&user, &app, AppAccess::View));
                both!(self.core, s => drop(s.not_offered(&app)));
            }
            17 => {
                let Some(node) = self.node() else { return };
                let total = self.dice.total();
                let _ = match self.dice.below(4) {
                    0 => both!(self.core, s => s.remove_node(&node)),
                    1 => both!(self.core, s => s.decommission_node(&node)),
                    2 => both!(self.core, s => s.recommission_node(&node)),
                    _ => both!(self.core, s => s.resize_node(&node, total)),
                };
            }
            18 => {
                let (name, leaf) = (self.dice.name(), self.dice.one_in(2));
                let _ = both!(self.core, s => if leaf { s.create_queue(&name) } else { s.create_parent_queue(&name) });
                let _ = both!(self.core, s => s.place(&name, Some(&name)));
                both!(self.core, s => drop(s.has_access(&name, &name, QueueAccess::Submit)));
                both!(self.core, s => drop(s.permits(&name, &name, QueueAccess::Administer)));
                both!(self.core, s => drop(s.is_admin(&name)));
            }
            19 => {
                let text = self.dice.of(&FILES);
                match &mut self.core {
                    Core::Stepped(s) if self.dice.one_in(2) => drop(s.refresh_queues(text)),
                    Core::Stepped(s) if text.is_empty() => s.clean_up(),
                    Core::Stepped(s) => drop(s.reload_text(text)),
                    Core::Threaded(s) => drop(s.reload_text(text)),
                }
            }
            20 => {
                let mut file = AllocationFile::default();
                file.leaves.insert(self.dice.name());
                file.parents.insert(self.dice.name());
                let _ = both!(self.core, s => s.reload(file.clone()));
                drop(FairScheduler::builder().allocations(file).stepped());
            }
            21 => {
                let maximum = if self.dice.one_in(2) { Resource::new(8192, 4) } else { self.dice.size() };
                let _ = both!(self.core, s => s.set_maximum_allocation(maximum));
                let _ = both!(self.core, s => s.refresh_file());
            }
            22 => match &mut self.core {
                Core::Stepped(s) => {
                    s.update_now();
                    s.advance(self.dice.of(&[0, 1, 1000, 600_000, u64::MAX / 4]));
                    let _ = s.preempt();
                    if self.dice.one_in(2) {
                        let _ = s.kill_marked();
                    }
                    s.offer_all();
                }
                Core::Threaded(s) => {
                    FairScheduler::update_now(s).unwrap();
                    let _ = s.preempt();
                    let _ = s.kill_marked();
                    let _ = s.offer_all();
                    let _ = s.clean_up();
                }
            },
            23 => match &mut self.core {
                Core::Stepped(s) => drop(s.take_journal()),
                Core::Threaded(s) => {
                    drop(s.take_journal());
                    drop(s.quiesce_within(Duration::ZERO));
                    drop(s.update_now_within(Duration::ZERO));
                    drop(s.refresh_file_within(Duration::ZERO));
                }
            },
            24 => {
                let (name, number) = (self.dice.name(), self.next);
                both!(self.core, s => drop((s.queues(), s.apps(), s.nodes(), s.containers(), s.stats(), s.queue_configs())));
                both!(self.core, s => drop((s.find_app(number), s.find_node(&name), s.next_event())));
                for container in self.some_containers() {
                    let name = both!(self.core, s => s.container_name(container));
                    both!(self.core, s => drop(s.find_container(&name)));
                }
            }
            25 => {
                if let Core::Threaded(s) = &self.core {
                    let submissions = (0..3).map(|i| Submission::new(1000 + i, "ann"));
                    let submitted = s.submit_all(submissions.collect()).unwrap();
                    if self.dice.one_in(2) {
                        self.apps.extend(submitted.try_take().into_iter().flatten().flatten());
                    }
                    if self.dice.one_in(2) {
                        self.apps.extend(submitted.wait().into_iter().flatten().flatten());
                    }
                }
            }
            _ => {
                let Some(app) = self.app() else { return };
                if let Core::Threaded(s) = &self.core {
                    let _ = s.begin_finish(&app);
                }
            }
        }
    }

    fn books_are_right(&mut self, seed: u64) {
        let audit = match &mut self.core {
            Core::Stepped(s) => s.audit(true),
            Core::Threaded(s) => s.audit().unwrap(),
        };
        assert!(audit.wrong.is_empty(), "sequence {seed}: {:#?}", audit.wrong);
    }

    /// Right in the end, and with nobody left, too.
    fn end(mut self, seed: u64) {
        self.books_are_right(seed);
        let numbers: Vec<_> = match &mut self.core {
            Core::Stepped(s) => s.apps().iter().map(|app| app.id.number).collect(),
            Core::Threaded(s) => s.apps().unwrap().iter().map(|app| app.id.number).collect(),
        };
        for number in numbers {
            let app = match &mut self.core {
                Core::Stepped(s) => s.find_app(number),
                Core::Threaded(s) => s.find_app(number).unwrap(),
            };
            let ended = app.map(|app| both!(self.core, s => s.finish(&app)));
            assert!(
                matches!(ended, None | Some(Ok(()) | Err(Refused::NotFound(NotFound::App(_))))),
                "sequence {seed}: {ended:?}"
            );
        }
        for node in std::mem::take(&mut self.nodes) {
            let _ = both!(self.core, s => s.remove_node(&node));
        }
        self.books_are_right(seed);
        let stats = both!(self.core, s => s.stats());
        assert_eq!((stats.running, stats.allocated), (0, Resource::ZERO), "sequence {seed}");
        if let Core::Threaded(s) = &self.core {
            assert!(s.shutdown().is_ok());
            assert_eq!(s.find_app(1).map(drop), Err(Refused::Gone(Gone::ShutDown)));
        }
    }
}

#[test]
fn absurd_values_in_odd_orders_disturb_nothing() {
    let (first, sequences) = (number("EVENWEAVE_FIRST", 0), number("EVENWEAVE_SEQUENCES", SEQUENCES));
    for seed in first..first + sequences {
        within("a sequence", || {
            let mut world = World::new(seed);
            (0..CALLS).for_each(|_| world.call());
            world.end(seed);
        });
    }
}
