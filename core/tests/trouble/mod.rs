//! A small cluster under load whose AMs keep books of their own: what they were given, what ended, each once.

#![allow(missing_docs, clippy::unwrap_used, reason = "a test's helpers")]
#![expect(clippy::wildcard_enum_match_arm, reason = "whatever else is told is a failure")]

#[path = "../container_counts/mod.rs"]
mod container_counts;

use container_counts::compare;
use evenweave::refused::{AlreadyExists, Gone, NotFound, TryAgain};
use evenweave::{
    AllocateRequest, Allocation, AppHandle, ContainerId, FairScheduler, FairSchedulerBuilder, Heartbeat, NodeHandle,
    NodeId, Refused, Resource, SchedulerEvent,
};
use evenweave_testkit::{ask, assert_limits, assert_sums, send, unmanaged, until, wait_for, within};
use std::collections::{HashMap, HashSet};

pub(crate) const NODES: usize = 12;
const APPS: usize = 8;
/// What an AM knows of a container.
#[derive(Debug, PartialEq, Eq)]
enum Known {
    Runs,
    /// Its node has been sent to say that it is done.
    Reported,
}

/// An AM with its books.
struct Master {
    handle: AppHandle,
    queue: &'static str,
    known: HashMap<ContainerId, (NodeId, Known)>,
    ever: HashSet<ContainerId>,
    granted: usize,
}

impl Master {
    fn new(handle: AppHandle, queue: &'static str) -> Master {
        Master { handle, queue, known: HashMap::new(), ever: HashSet::new(), granted: 0 }
    }

    /// What is told to it, entered in its books; how many containers were lost with their nodes.
    fn take(&mut self, answer: &Allocation) -> usize {
        for container in &answer.granted {
            assert!(self.ever.insert(container.id), "{:?} is granted twice", container.id);
            self.known.insert(container.id, (container.node, Known::Runs));
            self.granted += 1;
        }
        for ended in &answer.ended {
            assert!(self.known.remove(&ended.id).is_some(), "{:?} has ended twice, or was never granted", ended.id);
        }
        answer.ended.iter().filter(|ended| ended.reason == evenweave::EndReason::NodeLost).count()
    }
}

pub(crate) struct World {
    pub(crate) scheduler: FairScheduler,
    nodes: Vec<NodeHandle>,
    masters: Vec<Master>,
    /// Containers whose AM is gone: their nodes end them, and say so.
    orphans: HashMap<ContainerId, NodeId>,
    next_app: u32,
    round: u32,
    /// Events are not read.
    pub(crate) deaf: bool,
    /// What was told.
    pub(crate) panics: usize,
    pub(crate) lost_nodes: usize,
    pub(crate) told_lost: usize,
    /// Refusals for want of room.
    pub(crate) busy: usize,
}

impl World {
    pub(crate) fn start(builder: FairSchedulerBuilder) -> World {
        World::of(builder.start().unwrap())
    }

    pub(crate) fn of(scheduler: FairScheduler) -> World {
        let nodes = (0..NODES).map(|at| add_node(&scheduler, at)).collect();
        let mut world = World {
            scheduler,
            nodes,
            masters: Vec::new(),
            orphans: HashMap::new(),
            next_app: 1,
            round: 0,
            deaf: false,
            panics: 0,
            lost_nodes: 0,
            told_lost: 0,
            busy: 0,
        };
        for at in 0..APPS {
            let master = world.submit(["root.a", "root.b"][at % 2]);
            world.masters.push(master);
        }
        world
    }

    fn submit(&mut self, queue: &'static str) -> Master {
        let number = self.next_app;
        self.next_app += 1;
        let submission = unmanaged(number, queue);
        let submitted = wait_for("submit", || match self.scheduler.submit(submission.clone()) {
            // Where little patience was asked for, who knows the groups may not have had a processor in time.
            Err(Refused::TryAgain(TryAgain::NoGroups { .. })) => None,
            submitted => Some(submitted),
        });
        Master::new(submitted.unwrap(), queue)
    }

    pub(crate) fn apps(&self) -> impl Iterator<Item = &AppHandle> {
        self.masters.iter().map(|master| &master.handle)
    }

    /// Hears of what happened; what was lost registers again.
    pub(crate) fn hear(&mut self) {
        if self.deaf {
            return;
        }
        while let Some(event) = self.scheduler.next_event() {
            match event {
                SchedulerEvent::WorkerPanicked { nodes, .. } => {
                    self.panics += 1;
                    self.lost_nodes += nodes.len();
                    for name in nodes {
                        let at: usize = name[1..].parse().unwrap();
                        match within("add_node", || try_add(&self.scheduler, at)) {
                            Ok(node) => self.nodes[at] = node,
                            // Back already: it was to be replaced anyway.
                            Err(Refused::Gone(Gone::AllWorkers) | Refused::AlreadyExists(AlreadyExists::Node(_))) => {}
                            Err(other) => panic!("{other}"),
                        }
                    }
                }
                other => panic!("{other:?}"),
            }
        }
    }

    /// Waits until so many panics were told of, all in all. A worker's is told of once it has begun anew: another one
    /// before that is part of the same, or the worker is given up.
    pub(crate) fn hear_of_panics(&mut self, count: usize) {
        until("the event of a panic", || {
            self.hear();
            self.panics >= count
        });
    }

    /// Registers what is not there, without having been told.
    pub(crate) fn register_lost(&mut self) {
        let there: HashSet<String> = self.scheduler.nodes().into_iter().map(|node| node.name).collect();
        for at in 0..NODES {
            if !there.contains(&format!("n{at}")) {
                self.nodes[at] = add_node(&self.scheduler, at);
            }
        }
    }

    fn allocate(&mut self, at: usize, request: &AllocateRequest) {
        let mut answer = Allocation::default();
        let master = &mut self.masters[at];
        let busy = &mut self.busy;
        let told = wait_for("allocate", || match self.scheduler.allocate(&master.handle, request, &mut answer) {
            Err(Refused::TryAgain(TryAgain::Busy)) => {
                *busy += 1;
                None
            }
            told => Some(told),
        });
        match told {
            Ok(()) => self.told_lost += master.take(&answer),
            Err(refused) => assert!(matches!(refused, Refused::Gone(Gone::Worker(_))), "{refused}"),
        }
    }

    /// Asks for so many, of which the last counts.
    fn ask(&mut self, at: usize, count: u32) {
        self.allocate(at, &ask(count));
    }

    /// The report of a node: all that runs there is launched, of that some is done.
    fn report(&mut self, at: usize, all_done: bool) -> Heartbeat {
        let node = &self.nodes[at];
        let mut heartbeat = Heartbeat::new(node);
        self.orphans.retain(|id, on| {
            if *on == node.id() {
                heartbeat.add_completed([*id]);
            }
            *on != node.id()
        });
        for master in &mut self.masters {
            for (id, (on, known)) in &mut master.known {
                if *on == node.id() && *known == Known::Runs {
                    heartbeat.add_launched([*id]);
                    if all_done || (id.number() + self.round).is_multiple_of(3) {
                        *known = Known::Reported;
                        heartbeat.add_completed([*id]);
                    }
                }
            }
        }
        heartbeat
    }

    fn beat(&mut self, heartbeat: Heartbeat) {
        match within("heartbeat", || send(&self.scheduler, heartbeat, &mut self.busy)) {
            // Lost meanwhile: so is what it says.
            Ok(()) | Err(Refused::NotFound(NotFound::Node(_)) | Refused::Gone(Gone::Worker(_))) => {}
            Err(other) => panic!("{other}"),
        }
    }

    pub(crate) fn send_all(&mut self, heartbeats: Vec<Heartbeat>) {
        let mut left = heartbeats;
        until("heartbeats", || {
            let Err(not_sent) = self.scheduler.heartbeats(std::mem::take(&mut left)) else { return true };
            assert_eq!(not_sent.reason, Refused::TryAgain(TryAgain::Busy));
            left = not_sent.returned;
            false
        });
    }

    pub(crate) fn step_without_update(&mut self) {
        self.round += 1;
        self.hear();
        for at in 0..self.masters.len() {
            let further = u32::try_from(at).unwrap();
            self.ask(at, 3 + (self.round + further) % 5);
        }
        for at in 0..NODES {
            let heartbeat = self.report(at, false);
            self.beat(heartbeat);
        }
    }

    pub(crate) fn step(&mut self) {
        self.step_without_update();
        within("update_now", || self.scheduler.update_now()).unwrap();
    }

    pub(crate) fn steps(&mut self, count: usize) {
        (0..count).for_each(|_| self.step());
    }

    /// The node goes and comes again; the handle that is of no use any more.
    pub(crate) fn replace_node(&mut self, at: usize) -> NodeHandle {
        let gone = self.nodes[at].clone();
        // A panic that it leads to, or one before it, may have taken it away.
        match within("remove_node", || self.scheduler.remove_node(&gone)) {
            Ok(()) | Err(Refused::NotFound(NotFound::Node(_))) => {}
            Err(other) => panic!("{other}"),
        }
        self.hear();
        if let Ok(node) = within("add_node", || try_add(&self.scheduler, at)) {
            self.nodes[at] = node;
        }
        gone
    }

    /// An application ends, and another comes.
    pub(crate) fn replace_app(&mut self, at: usize) {
        let gone = self.forget_app(at);
        within("finish", || self.scheduler.finish(&gone)).unwrap();
    }

    /// An application's AM is heard of no more, and another application comes.
    pub(crate) fn forget_app(&mut self, at: usize) -> AppHandle {
        let queue = self.masters[at].queue;
        let new = self.submit(queue);
        self.replace(at, new)
    }

    fn replace(&mut self, at: usize, new: Master) -> AppHandle {
        let Master { handle, known, .. } = std::mem::replace(&mut self.masters[at], new);
        self.orphans.extend(known.into_iter().map(|(id, (node, _))| (id, node)));
        handle
    }

    /// New attempts of all.
    pub(crate) fn renew_apps(&mut self) {
        for at in 0..self.masters.len() {
            let old = self.masters[at].handle.clone();
            let new = within("new_attempt", || self.scheduler.new_attempt(&old, Default::default())).unwrap();
            self.replace(at, Master::new(new, self.masters[at].queue));
        }
    }

    /// A heartbeat of each node; how many were refused.
    pub(crate) fn try_beats(&mut self) -> usize {
        let refused = self.nodes.iter().filter(|node| {
            let sent = self.scheduler.heartbeat(Heartbeat::new(node));
            sent.is_err_and(|not_sent| not_sent.reason == Refused::TryAgain(TryAgain::Busy))
        });
        let refused = refused.count();
        self.busy += refused;
        refused
    }

    /// A node says of containers of all other nodes that they are done.
    pub(crate) fn report_strangers(&mut self, at: usize) {
        let node = &self.nodes[at];
        let mut heartbeat = Heartbeat::new(node);
        let known = self.masters.iter().flat_map(|master| &master.known);
        heartbeat.add_completed(known.filter(|(_, (on, _))| *on != node.id()).map(|(id, _)| *id));
        self.beat(heartbeat);
    }

    /// A node says twice, and a third time with all that ever was, that what runs there is done.
    pub(crate) fn report_twice(&mut self, at: usize) {
        let heartbeat = self.report(at, true);
        let mut all = heartbeat.clone();
        for master in &self.masters {
            all.add_completed(master.ever.iter().filter(|id| !master.known.contains_key(id)).copied());
        }
        self.beat(heartbeat.clone());
        self.beat(heartbeat);
        self.beat(all);
    }

    /// One container is acquired and never launched: it expires when time has passed.
    pub(crate) fn expire_one(&mut self, pass_time: &dyn Fn()) {
        self.ask(0, 1);
        // Nothing is granted of what an update has not seen.
        within("quiesce", || self.scheduler.quiesce()).unwrap();
        within("update_now", || self.scheduler.update_now()).unwrap();
        within("quiesce", || self.scheduler.quiesce()).unwrap();
        self.send_all(self.nodes.iter().map(Heartbeat::new).collect());
        within("quiesce", || self.scheduler.quiesce()).unwrap();
        let before = self.masters[0].known.len();
        self.allocate(0, &AllocateRequest::default());
        assert_eq!(self.masters[0].known.len(), before + 1);
        for _ in 0..10 {
            pass_time();
            within("quiesce", || self.scheduler.quiesce()).unwrap();
        }
        self.allocate(0, &AllocateRequest::default());
        assert_eq!(self.masters[0].known.len(), before, "it has expired");
    }

    /// At quiet: the scheduler's books agree with each other and with those of the AMs; then all asks are served to the
    /// last.
    pub(crate) fn check(&mut self) {
        self.settle();
        for at in 0..NODES {
            let (node, mut last) = (self.nodes[at].id(), Heartbeat::new(&self.nodes[at]));
            last.add_completed(self.orphans.iter().filter(|(_, on)| **on == node).map(|(id, _)| *id));
            self.beat(last);
        }
        self.orphans.clear();
        self.settle();
        assert_sums(&self.scheduler);
        assert_limits(&self.scheduler);
        let views = self.scheduler.containers().unwrap();
        assert_eq!(compare(&self.scheduler.container_counts().unwrap(), &views), Ok(()));
        let running: HashSet<ContainerId> = views.iter().filter(|view| !view.ended).map(|view| view.id).collect();
        for master in &self.masters {
            for (id, (_, known)) in &master.known {
                assert_eq!(*known, Known::Runs, "{id:?} was reported as done, and its AM was never told");
                assert!(running.contains(id), "{id:?} is lost: its AM has it");
            }
        }
        let known: usize = self.masters.iter().map(|master| master.known.len()).sum();
        let silent = running.len() - known;
        let of_others =
            |id: &&ContainerId| self.masters.iter().all(|master| master.handle.id().number != id.application_number());
        assert_eq!(running.iter().filter(of_others).count(), silent, "the rest is of AMs that never called again");
        self.all_done();
        let before: Vec<usize> = self.masters.iter().map(|master| master.granted).collect();
        // Fewer than what the limited queue may have, so nobody is refused.
        const EACH: u32 = 7;
        for at in 0..self.masters.len() {
            self.ask(at, EACH);
        }
        for _ in 0..6 {
            within("quiesce", || self.scheduler.quiesce()).unwrap();
            within("update_now", || self.scheduler.update_now()).unwrap();
            within("quiesce", || self.scheduler.quiesce()).unwrap();
            self.send_all(self.nodes.iter().map(Heartbeat::new).collect());
        }
        self.settle();
        for (master, before) in self.masters.iter().zip(before) {
            assert_eq!(
                master.granted - before,
                EACH as usize,
                "{} gets what it asks for, and no more",
                master.handle.id()
            );
        }
        self.assert_no_growth();
    }

    /// Nothing is under way, and all is told.
    pub(crate) fn settle(&mut self) {
        within("quiesce", || self.scheduler.quiesce()).unwrap();
        self.hear();
        for at in 0..self.masters.len() {
            self.ask(at, 0);
        }
        within("quiesce", || self.scheduler.quiesce()).unwrap();
        for at in 0..self.masters.len() {
            self.allocate(at, &AllocateRequest::default());
        }
    }

    /// One AM asks once, and gets all of it, though something that `arm` prepares goes wrong meanwhile.
    pub(crate) fn check_that_one_gets(&mut self, asked: u32, arm: &dyn Fn()) {
        self.all_done();
        // It wants something already, so that the next ask changes its place: the policy is asked.
        self.ask(1, 1);
        within("quiesce", || self.scheduler.quiesce()).unwrap();
        within("update_now", || self.scheduler.update_now()).unwrap();
        within("quiesce", || self.scheduler.quiesce()).unwrap();
        let (before, panics) = (self.masters[1].granted, self.panics);
        arm();
        self.ask(1, asked);
        within("quiesce", || self.scheduler.quiesce()).unwrap();
        // With the ask, or when shares are taken over next: it goes off once.
        for _ in 0..3 {
            within("update_now", || self.scheduler.update_now()).unwrap();
            within("quiesce", || self.scheduler.quiesce()).unwrap();
        }
        self.hear();
        assert_eq!(self.panics, panics + 1);
        for _ in 0..8 {
            within("update_now", || self.scheduler.update_now()).unwrap();
            within("quiesce", || self.scheduler.quiesce()).unwrap();
            self.send_all(self.nodes.iter().map(Heartbeat::new).collect());
            within("quiesce", || self.scheduler.quiesce()).unwrap();
        }
        self.allocate(1, &AllocateRequest::default());
        assert_eq!(self.masters[1].granted - before, asked as usize, "asked for once, all comes");
    }

    fn all_done(&mut self) {
        for at in 0..NODES {
            let heartbeat = self.report(at, true);
            self.beat(heartbeat);
        }
        self.settle();
        assert!(self.masters.iter().all(|master| master.known.is_empty()));
    }

    /// Memory is kept for what there was at once, not for what there ever was.
    fn assert_no_growth(&self) {
        let Ok(kept) = self.scheduler.kept() else { return };
        let room = NODES * 8;
        // At most; nodes come back to any of them.
        let workers = 3;
        assert!(kept.node_places <= workers * NODES, "{kept:?}");
        assert!(kept.container_records <= workers * 64 * NODES, "{kept:?}");
        assert!(kept.mail_records <= 8 * room, "{kept:?}");
        assert!(kept.applications <= workers * (2 * APPS + 10), "{kept:?}");
        assert!(kept.request_keys <= kept.applications, "{kept:?}");
    }
}

fn try_add(scheduler: &FairScheduler, at: usize) -> Result<NodeHandle, Refused> {
    scheduler.add_node(&format!("n{at}"), &format!("/r{}", at % 4), Resource::new(8192, 8))
}

fn add_node(scheduler: &FairScheduler, at: usize) -> NodeHandle {
    within("add_node", || try_add(scheduler, at)).unwrap()
}
