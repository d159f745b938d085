//! One worker with one node, as far as preemption concerns it: the core's own parts, called in the order in which the
//! shard calls them.

use evenweave::Resource;
use evenweave::engine::books::close_once::Closed;
use evenweave::engine::books::marks::Marks;
use evenweave::engine::books::usage::UsageCell;
use evenweave::engine::lease::{AskPool, Taken};
use evenweave::engine::mail::container::{Container, EndReason};
use evenweave::engine::mail::mailbox::{Arena, FreeRecords, Stack};
use evenweave::engine::records::fate::Fate;
use evenweave::preemption::owed::{OwedRooms, serve};
use evenweave::sync::{Arc, Mutex};

/// Whose containers are preempted.
pub const VICTIM: usize = 0;
/// For whom.
pub const STARVED: usize = 1;
/// Who wants containers, too, and comes first in the order.
pub const OTHER: usize = 2;

/// Under which all have asked.
const EPOCH: u16 = 1;

/// The size of every container.
#[must_use]
pub fn one() -> Resource {
    Resource::new(1, 0)
}

/// An application as its AM, the control and the worker share it.
#[derive(Debug)]
pub struct App {
    /// What it uses.
    pub usage: UsageCell,
    /// What is marked of it.
    pub marks: Marks,
    asks: AskPool,
    granted: Stack,
    ended: Stack,
    closed: Closed,
}

/// What all share.
#[derive(Debug)]
pub struct World {
    arena: Arena,
    /// By number: [`VICTIM`], [`STARVED`], [`OTHER`].
    pub apps: [App; 3],
}

impl World {
    /// So many containers asked for by each.
    #[must_use]
    pub fn new(asks: [u32; 3]) -> Arc<World> {
        let app = |count| {
            // As one of several has it: a worker that is alone counts itself.
            let asks = AskPool::new(1);
            assert_eq!(asks.replace(count), EPOCH, "the first epoch that an AM begins");
            App {
                usage: UsageCell::default(),
                marks: Marks::default(),
                asks,
                granted: Stack::default(),
                ended: Stack::default(),
                closed: Closed::default(),
            }
        };
        Arc::new(World { arena: Arena::new(0, 1), apps: asks.map(app) })
    }

    /// What an application has outstanding.
    #[must_use]
    pub fn outstanding(&self, app: usize) -> u32 {
        self.apps[app].asks.total()
    }

    /// An AM wants nothing any more.
    pub fn withdraw_asks(&self, app: usize) {
        self.apps[app].asks.replace(0);
    }

    /// The control closes an application.
    pub fn close(&self, app: usize) {
        self.apps[app].closed.close();
    }

    fn is_closed(&self, app: usize) -> bool {
        self.apps[app].closed.is_closed()
    }

    /// An AM calls: how many containers it gets, and which numbers it is told of that have ended.
    pub fn call(&self, app: usize) -> (usize, Vec<u32>) {
        let (mut granted, mut ended) = (Vec::new(), Vec::new());
        self.arena.drain_granted(&self.apps[app].granted, || 0, &mut granted);
        self.arena.drain_ended(&self.apps[app].ended, &mut ended);
        (granted.len(), ended.iter().map(|end| end.id.number()).collect())
    }
}

/// The worker's record of a container.
#[derive(Clone, Copy, Debug)]
struct Record {
    app: usize,
    number: u32,
    mail: u32,
    fate: Fate,
    launched: bool,
    acquired_at_end: bool,
    reused: bool,
}

/// A worker with a node of so many containers. Its methods are its messages: a model takes turns by a mutex, as lanes
/// do.
#[derive(Debug)]
pub struct Worker {
    world: Arc<World>,
    own: FreeRecords,
    /// What its node has free.
    pub free: Resource,
    /// What its node owes.
    pub owed: OwedRooms<usize>,
    records: Vec<Record>,
    closed: [bool; 3],
    numbers: u32,
    /// Containers ended, in order: whose, which, why.
    pub ended: Vec<(usize, u32, EndReason)>,
}

impl Worker {
    /// A node with room for so many.
    #[must_use]
    pub fn new(world: &Arc<World>, room: i64) -> Worker {
        Worker {
            world: world.clone(),
            own: FreeRecords::default(),
            free: one().times_int(room),
            owed: OwedRooms::default(),
            records: Vec::new(),
            closed: [false; 3],
            numbers: 0,
            ended: Vec::new(),
        }
    }

    /// Grants a container, if it is asked for and there is room; its record.
    pub fn grant(&mut self, app: usize) -> Option<usize> {
        let world = self.world.clone();
        if self.closed[app] || !one().fits_in(&self.free) {
            return None;
        }
        world.apps[app].asks.take_one(0, EPOCH, Taken::default()).ok()?;
        let mail = world.arena.allocate(&mut self.own).expect("the arena has room");
        self.numbers += 1;
        let number = self.numbers;
        let fate = Fate::default();
        let record = Record { app, number, mail, fate, launched: false, acquired_at_end: false, reused: false };
        let at = self.records.iter().position(|record| record.reused).unwrap_or(self.records.len());
        if at == self.records.len() {
            self.records.push(record);
        } else {
            self.records[at] = record;
        }
        world.apps[app].usage.add(1, &one());
        self.free = self.free.minus(&one());
        self.owed.pay_off(app, &one());
        world.arena.push_granted(&world.apps[app].granted, mail, &Container::of_model(number, mail));
        Some(at)
    }

    /// A container runs.
    pub fn launch(&mut self, at: usize) {
        self.records[at].launched = true;
    }

    /// Whose container lives in a record, if one does.
    #[must_use]
    pub fn lives(&self, at: usize) -> Option<usize> {
        self.records.get(at).filter(|record| record.fate.is_live()).map(|record| record.app)
    }

    /// Marks a container for an application, as `Shard::take_victims`; its number, where it was marked.
    pub fn mark(&mut self, at: usize, number: u32, starved: usize) -> Option<u32> {
        let record = &mut self.records[at];
        if self.world.is_closed(starved) || record.number != number || !record.fate.mark() {
            return None;
        }
        let id = Container::of_model(record.number, record.mail).id;
        self.world.apps[record.app].marks.enter(id, one());
        self.owed.owe(starved, &one());
        Some(record.number)
    }

    /// The kill that a mark has announced, as `Shard::kill`.
    pub fn kill(&mut self, at: usize, number: u32) {
        if self.records[at].number == number && self.records[at].fate.take_kill() {
            self.end(at, EndReason::Preempted, false);
        }
    }

    /// With a second look: the kill if it is needed, as `Shard::kill_if_needed`, else the container is spared. Whether
    /// it was killed.
    pub fn kill_if(&mut self, at: usize, number: u32, starved: usize, needed: bool) -> bool {
        if self.records[at].number != number || !self.records[at].fate.take_kill() {
            return false;
        }
        let Record { app, mail, fate, .. } = self.records[at];
        if !fate.is_marked() {
            self.reuse(at);
            return false;
        }
        if needed && !self.closed[starved] {
            self.end(at, EndReason::Preempted, false);
            return true;
        }
        self.records[at].fate.spare();
        self.world.apps[app].marks.strike(Container::of_model(number, mail).id);
        self.owed.pay_off(starved, &one());
        false
    }

    /// The node reports the end of a container, as `Shard::complete`.
    pub fn complete(&mut self, at: usize, number: u32) {
        if self.records[at].number != number {
            return;
        }
        if self.records[at].fate.is_live() {
            self.end(at, EndReason::Completed, true);
        } else {
            self.free_room(at);
            self.reuse(at);
        }
    }

    /// Its AM gives a container back.
    pub fn release(&mut self, at: usize, number: u32) {
        if self.records[at].number == number && self.records[at].fate.is_live() {
            self.end(at, EndReason::Released, false);
        }
    }

    /// A pass over the node, as `Shard::serve_owed` and the descents after it: those it owes first, then whoever is
    /// first.
    pub fn pass(&mut self) {
        let closed = self.closed;
        for (app, amount) in self.owed.turns(|app| !closed[app]) {
            serve(amount, || self.grant(app).map(|_| one()));
        }
        for app in [OTHER, STARVED] {
            while self.grant(app).is_some() {}
        }
    }

    /// An application has ended: so do its containers, and its mailbox is emptied.
    pub fn close(&mut self, app: usize) {
        self.closed[app] = true;
        for at in 0..self.records.len() {
            if self.lives(at) == Some(app) {
                self.end(at, EndReason::AppFinished, false);
            }
        }
        let of = &self.world.apps[app];
        self.world.arena.purge(&of.granted, &of.ended, &mut self.own);
    }

    /// As `Shard::end_container` and what it calls.
    fn end(&mut self, at: usize, reason: EndReason, by_node: bool) {
        let world = self.world.clone();
        let app = self.records[at].app;
        if self.records[at].fate.is_live() {
            let record = &mut self.records[at];
            let was_marked = record.fate.end();
            let (number, mail, launched) = (record.number, record.mail, record.launched);
            let leave_usage = || world.apps[app].usage.add(1, &Resource::ZERO.minus(&one()));
            if was_marked {
                world.apps[app].marks.strike_after(Container::of_model(number, mail).id, leave_usage);
            } else {
                leave_usage();
            }
            let withdrawn = world.arena.withdraw(mail);
            self.records[at].acquired_at_end = !withdrawn;
            if self.closed[app] {
                if !withdrawn {
                    self.own.put(mail);
                }
            } else if withdrawn {
                // Nobody waits to be told: one worker looks at each pass.
                let _ = world.apps[app].asks.put_one();
            } else {
                world.arena.push_ended(&world.apps[app].ended, mail, reason);
            }
            self.ended.push((app, number, reason));
            if by_node || !launched {
                self.free_room(at);
            }
        } else if !self.records[at].acquired_at_end && !self.closed[app] {
            // As above.
            let _ = world.apps[app].asks.put_one();
        }
        self.reuse(at);
    }

    fn free_room(&mut self, at: usize) {
        if self.records[at].fate.leave_node() {
            self.free = self.free.plus(&one());
        }
    }

    fn reuse(&mut self, at: usize) {
        if self.records[at].fate.is_over() {
            self.records[at].reused = true;
        }
    }

    /// Records that nobody means any more, and all.
    #[must_use]
    pub fn reused(&self) -> (usize, usize) {
        (self.records.iter().filter(|record| record.reused).count(), self.records.len())
    }
}

/// The preemption task: marks the first container, and kills it if it was marked. Says whether it was.
pub fn preempt(worker: &Mutex<Worker>) -> bool {
    let marked = worker.lock().mark(0, 1, STARVED);
    if let Some(number) = marked {
        worker.lock().kill(0, number);
    }
    marked.is_some()
}
