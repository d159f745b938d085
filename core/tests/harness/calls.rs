//! One operation as a call, and what must end by it.

use super::books::{AppBook, NodeBook};
use super::op::{Bad, File, Giving, Op, Stale, Where};
use super::shape::NodeShape;
use super::world::{Answer, Done, World};
use evenweave::SchedulerApi as _;
use evenweave::refused::{Configuration, NotFound};
use evenweave::testing::ByNumber as _;
use evenweave::{
    AllocateRequest, Allocation, AmRequest, Ask, ContainerId, EndReason, Heartbeat, Location, NewAttempt, Refused,
    Resource, Submission,
};
use std::collections::{BTreeMap, BTreeSet};

const USERS: [&str; 3] = ["ann", "bob", "eve"];

/// The outer error is a broken book, the inner one the scheduler's refusal.
pub(super) type Called = Result<Result<Done, Refused>, String>;

fn done<T>(outcome: Result<T, Refused>) -> Result<Done, Refused> {
    outcome.map(|_| Done::default())
}

fn nothing() -> Called {
    Ok(Ok(Done::default()))
}

impl World {
    pub(super) fn call(&mut self, op: &Op) -> Called {
        match *op {
            Op::Heartbeat { node, launches, ends, noise, offer } => self.heartbeat(node, launches, ends, noise, offer),
            Op::Update => {
                self.stepped.update_now();
                nothing()
            }
            Op::Continuous => {
                self.stepped.offer_all();
                nothing()
            }
            Op::Advance { ms } => self.advance(u64::from(ms)),
            Op::Submit { queue, user, am, place } => Ok(self.submit(queue, user, am, place)),
            Op::AddNode { a, b, again } if self.books.nodes.len() < 12 => {
                Ok(done(self.add_node(&NodeShape::of(a, b), again)))
            }
            Op::AddNode { .. } => nothing(),
            Op::RemoveNode { node } => self.remove_node(node),
            Op::Resize { node, a, b } => self.resize(node, &NodeShape::of(a, b)),
            Op::Decommission { node } => self.decommission(node),
            Op::Recommission { node } => self.recommission(node),
            Op::Complete { container } => self.complete(container),
            Op::Launch { container } => self.launch(container),
            Op::Reload { file, watcher } => self.reload(file, watcher),
            Op::Preempt { kill } => self.preempt(kill),
            Op::Kill => {
                let killed = self.stepped.kill_marked();
                assert!(
                    matches!(killed, Ok(()) | Err(Refused::Configuration(Configuration::PreemptionOff))),
                    "{killed:?}"
                );
                self.expect_kill();
                nothing()
            }
            Op::SetMaximum { what } => {
                let maximum = [[8192, 4, 4], [4096, 4, 2], [2048, 2, 1], [16_384, 8, 8]][usize::from(what) % 4];
                self.books.maximum = Resource::from_slice(&maximum[..self.shape.types]);
                self.stepped.set_maximum_allocation(self.books.maximum).expect("within the rules");
                nothing()
            }
            Op::CreateQueue { what, leaf } => {
                let names = ["root.made", "root.made.below", "root.a", "root.a.x.far.below", "root..", "elsewhere"];
                let name = names[usize::from(what) % names.len()];
                Ok(done(if leaf { self.stepped.create_queue(name) } else { self.stepped.create_parent_queue(name) }))
            }
            Op::Bad { what, which } => self.bad(what, which),
            Op::Stale { what, which } => self.stale(what, which),
            Op::Ask { app, priority, what, place, id } => {
                let key = (i32::from(priority % 3) + 1, i64::from(id));
                self.of_app(app, |world, app| world.ask(app, key, what, place))
            }
            Op::Poll { app } => self.of_app(app, |world, app| world.allocate(app, &AllocateRequest::default())),
            Op::Release { app, container, giving } => {
                self.of_app(app, |world, app| world.release(app, container, giving))
            }
            Op::Finish { app, beside } => self.of_app(app, |world, app| world.finish(app, beside)),
            Op::NextAttempt { app, fails, keep, am } => {
                self.of_app(app, |world, app| world.next_attempt(app, fails, keep, am))
            }
            Op::Blacklist { app, node, add } => self.of_app(app, |world, app| world.blacklist(app, node, add)),
            Op::Move { app, queue } => self.of_app(app, |world, app| Ok(world.move_app(app, queue))),
        }
    }

    /// A call of, or about, a live application, if there is one.
    fn of_app(&mut self, app: u8, call: impl FnOnce(&mut World, usize) -> Called) -> Called {
        match self.books.alive(app) {
            Some(app) => call(self, app),
            None => nothing(),
        }
    }

    // ------------------------------------------------------------------------------------------------ nodes

    pub(super) fn add_node(&mut self, shape: &NodeShape, again: bool) -> Result<(), Refused> {
        let total = self.total(shape);
        let name = match self.books.gone.pop().filter(|_| again) {
            Some(name) => {
                self.counts.add("add node: a name again", 1);
                name
            }
            None => format!("n{}", self.books.nodes_made),
        };
        let handle = self.stepped.add_node(&name, &format!("/r{}", shape.rack), total)?;
        self.books.nodes_made += 1;
        self.books.nodes.push(NodeBook {
            handle,
            rack: shape.rack,
            total,
            decommissioned_from: None,
            drained: false,
            shrunk: false,
        });
        Ok(())
    }

    fn heartbeat(&mut self, node: u8, launches: u8, ends: u8, noise: bool, offer: bool) -> Called {
        let Some(node) = self.books.node(node) else { return nothing() };
        let mut heartbeat = Heartbeat::new(&self.books.nodes[node].handle);
        heartbeat.offer = offer;
        let name = self.books.nodes[node].handle.name().to_owned();
        // What it runs, and what an AM may have started and ended between two reports.
        let mut known: Vec<_> = self.books.on_node(&name).map(|(id, book)| (*id, book.launched)).collect();
        heartbeat.add_launched(known.iter().filter(|(_, launched)| !launched).map(|(id, _)| *id).take(launches.into()));
        known.retain(|(id, launched)| *launched || self.books.apps.iter().any(|app| app.held.contains(id)));
        heartbeat.add_completed(known.iter().map(|(id, _)| *id).take(ends.into()));
        if noise {
            // Reported twice, of other nodes, or long ended: none of it does harm.
            let twice = heartbeat.completed().first().copied();
            heartbeat.add_completed(twice);
            let elsewhere = self.books.containers.iter().find(|(_, book)| book.node != name).map(|(id, _)| *id);
            let over =
                self.books.apps.iter().flat_map(|app| &app.held).find(|id| !self.books.containers.contains_key(id));
            let strangers: Vec<_> = elsewhere.into_iter().chain(over.copied()).collect();
            self.counts.add("heartbeat: strange ends", strangers.len());
            heartbeat.add_launched(strangers.iter().copied());
            heartbeat.add_completed(strangers);
        }
        for id in heartbeat.launched() {
            if let Some(book) = self.books.containers.get_mut(id).filter(|book| book.node == name) {
                book.launched = true;
            }
        }
        for id in heartbeat.completed() {
            match self.books.containers.get(id).filter(|book| book.node == name) {
                Some(book) if book.live => drop(self.ends.must.insert(*id, EndReason::Completed)),
                Some(_) => {
                    self.counts.add("heartbeat: end after an end", 1);
                    self.books.free_room(id);
                }
                None => {}
            }
        }
        if self.books.nodes[node].decommissioned_from.is_some() {
            let stays = self.books.on_node(&name).filter(|(id, _)| !self.ends.must.contains_key(id));
            let (count, sum) = stays.fold((0, Resource::ZERO), |(n, sum), (_, book)| (n + 1, sum.plus(&book.size)));
            self.ends.follow = Some((node, sum));
            self.ends.emptied = (count == 0).then_some(node);
        }
        self.stepped.heartbeat(&heartbeat);
        nothing()
    }

    fn remove_node(&mut self, node: u8) -> Called {
        let Some(at) = self.books.node(node) else { return nothing() };
        let node = self.books.nodes.remove(at);
        let name = node.handle.name().to_owned();
        let there: Vec<_> = self.books.on_node(&name).map(|(id, book)| (*id, book.live)).collect();
        for (id, live) in there {
            if live {
                self.ends.must.insert(id, EndReason::NodeLost);
            } else {
                self.books.free_room(&id);
            }
        }
        let outcome = self.stepped.remove_node(&node.handle);
        hold!(outcome.is_ok(), "a present node cannot be removed: {outcome:?}");
        hold!(self.stepped.remove_node(&node.handle).is_err(), "a node was removed twice");
        self.books.gone.push(name);
        self.removed_node = Some(node.handle);
        nothing()
    }

    fn resize(&mut self, node: u8, shape: &NodeShape) -> Called {
        let total = self.total(shape);
        let Some(node) = self.books.node(node) else { return nothing() };
        let node = &mut self.books.nodes[node];
        node.shrunk |= !node.total.fits_in(&total);
        node.total = total;
        Ok(done(self.stepped.resize_node(&node.handle, total)))
    }

    fn decommission(&mut self, node: u8) -> Called {
        let Some(node) = self.books.node(node) else { return nothing() };
        let node = &mut self.books.nodes[node];
        node.decommissioned_from.get_or_insert(node.total);
        node.drained = false;
        node.shrunk = true;
        Ok(done(self.stepped.decommission_node(&node.handle)))
    }

    /// One that is decommissioning, where there is one.
    fn recommission(&mut self, node: u8) -> Called {
        let emptying = self.books.nodes.iter().position(|node| node.decommissioned_from.is_some());
        let Some(at) = emptying.or_else(|| self.books.node(node)) else { return nothing() };
        let outcome = self.stepped.recommission_node(&self.books.nodes[at].handle);
        if let Some(total) = self.books.nodes[at].decommissioned_from.take() {
            self.counts.add("recommission: done", 1);
            self.ends.unmarked = true;
            self.set_total_and_kill(at, total, &[]);
        }
        Ok(done(outcome))
    }

    /// A decommissioning node has another total: what no longer fits goes. How many of the `brief` ones, too.
    pub(super) fn set_total_and_kill(&mut self, node: usize, total: Resource, brief: &[(bool, Resource)]) -> usize {
        if self.books.nodes[node].total != total {
            self.books.nodes[node].total = total;
            let (victims, brief_ones) = self.books.overcommitted(node, brief);
            self.counts.add("decommission: containers ended", victims.len() + brief_ones);
            self.ends.must.extend(victims.into_iter().map(|id| (id, EndReason::Preempted)));
            return brief_ones;
        }
        0
    }

    // ------------------------------------------------------------------------------------------------ containers

    fn prefetch_ends_of(&mut self, app: usize, which: impl Fn(&ContainerId) -> bool, reason: EndReason) {
        let ends = self.books.live_of(app).map(|(id, _)| *id).filter(which).map(|id| (id, reason));
        self.ends.must.extend(ends);
    }

    fn advance(&mut self, ms: u64) -> Called {
        let books = &mut self.books;
        books.now += ms;
        if books.next_look <= books.now {
            books.next_look = books.now + (books.expiry / 3).max(1);
            let late = |at: Option<u64>| at.is_some_and(|at| books.now - at > books.expiry);
            let expired =
                books.containers.iter().filter(|(_, book)| book.live && !book.launched && late(book.acquired_at));
            self.ends.must.extend(expired.map(|(id, _)| (*id, EndReason::Expired)));
            self.counts.add("advance: containers expired", self.ends.must.len());
        }
        self.stepped.advance(ms);
        nothing()
    }

    fn complete(&mut self, container: u8) -> Called {
        let Some(id) = self.books.some_container(container) else { return nothing() };
        self.complete_numbered(id.application_number(), id.number())?;
        // A second time it is known no more, whether its room was taken until now or not.
        self.complete_again(id.application_number(), id.number())?;
        nothing()
    }

    /// By number: of several attempts' containers it means the newest, which may be over while an older one lives.
    fn complete_numbered(&mut self, app: u32, number: u32) -> Result<(), String> {
        let Some(id) = self.books.numbered(app, number) else { return self.complete_again(app, number) };
        let outcome = self.stepped.complete_numbered(app, number);
        hold!(outcome.is_ok(), "{app}.{number} cannot be completed: {outcome:?}");
        if self.books.containers[&id].live {
            self.books.acquire_numbered(app);
            self.ends.must.insert(id, EndReason::Completed);
        } else {
            self.books.free_room(&id);
        }
        Ok(())
    }

    fn complete_again(&mut self, app: u32, number: u32) -> Result<(), String> {
        self.counts.add("complete: of what is over", 1);
        let outcome = self.stepped.complete_numbered(app, number);
        let unknown = Err(Refused::NotFound(NotFound::Container { app, container: number }));
        hold!(outcome == unknown, "{app}.{number} is over, and was completed: {outcome:?}");
        Ok(())
    }

    fn launch(&mut self, container: u8) -> Called {
        let Some(id) = self.books.some_container(container) else { return nothing() };
        let (app, number) = (id.application_number(), id.number());
        let outcome = self.stepped.launch_numbered(app, number);
        let id = self.books.numbered(app, number).filter(|id| self.books.containers[id].live);
        hold!(outcome.is_ok() == id.is_some(), "{app}.{number}, live: {id:?}, launched: {outcome:?}");
        if let Some(id) = id {
            self.books.containers.get_mut(&id).expect("just found").launched = true;
            self.books.acquire_numbered(app);
        }
        Ok(done(outcome))
    }

    fn release(&mut self, app: usize, container: u8, giving: Giving) -> Called {
        let pick = |from: &[ContainerId]| from.get(usize::from(container) % from.len().max(1)).copied();
        let releases = match giving {
            Giving::Own => {
                let live: Vec<_> = self.books.live_of(app).map(|(id, _)| *id).collect();
                pick(&live).into_iter().collect()
            }
            Giving::ById => {
                let number = self.books.apps[app].number;
                let of_all = self.books.apps.iter().filter(|other| other.number == number);
                let held: Vec<_> = of_all.flat_map(|other| other.held.iter().copied()).collect();
                pick(&held).into_iter().collect()
            }
            Giving::Strangers => {
                let number = self.books.apps[app].number;
                let others: Vec<_> =
                    self.books.containers.keys().filter(|id| id.application_number() != number).copied().collect();
                self.counts.add("release: a stranger's", usize::from(!others.is_empty()));
                pick(&others).into_iter().collect()
            }
            Giving::TwiceAndAsk => pick(&self.books.apps[app].held).map_or(Vec::new(), |id| vec![id, id]),
        };
        if giving == Giving::TwiceAndAsk && releases.is_empty() {
            return self.release_numbered(app, u32::from(container) % 8);
        }
        let asks = if giving == Giving::TwiceAndAsk {
            let resource = self.size(app, 1, container);
            self.books.apps[app].choosy = true;
            vec![Ask::anywhere(1, resource, u32::from(container) % 3)]
        } else {
            Vec::new()
        };
        self.allocate(app, &AllocateRequest::new(asks).with_releases(releases))
    }

    fn release_numbered(&mut self, app: usize, container: u32) -> Called {
        let number = self.books.apps[app].number;
        let outcome = self.stepped.release_numbered(number, container);
        if outcome.is_ok() {
            self.books.acquire(app);
            let id = self.books.numbered(number, container).filter(|id| self.books.containers[id].live);
            self.ends.must.extend(id.map(|id| (id, EndReason::Released)));
        }
        Ok(done(outcome))
    }

    fn preempt(&mut self, kill: bool) -> Called {
        let rounds = match self.stepped.preempt() {
            Ok(rounds) => rounds,
            Err(refused) => {
                hold!(!self.shape.preemption, "preemption is on: {refused}");
                return Ok(Err(refused));
            }
        };
        if kill {
            self.stepped.kill_marked().expect("preemption is on");
        }
        hold!(self.shape.preemption, "preemption is off");
        self.counts.add("preempt: rounds", rounds.len());
        for id in rounds.iter().flat_map(|round| &round.containers) {
            self.counts.add("preempt: containers marked", 1);
            let book = self.books.containers.get_mut(id).filter(|book| book.live);
            let book = book.ok_or_else(|| format!("{id:?} was marked, and does not live"))?;
            hold!(!book.marked, "I10: {id:?} was marked twice");
            (book.marked, book.warned, book.doomed) = (true, true, true);
            self.marked_now.insert(*id, (book.node.clone(), book.size));
        }
        if kill {
            self.expect_kill();
        }
        Ok(Ok(Done { rounds, answer: None }))
    }

    /// Everything that is marked goes, or what a second look says.
    fn expect_kill(&mut self) {
        let strict = self.shape.strict;
        self.books.kill_the_dead(!strict);
        for (id, book) in &mut self.books.containers {
            if std::mem::take(&mut book.doomed) {
                (book.marked, book.warned) = (false, false);
                if strict {
                    self.ends.may.push(*id);
                } else {
                    self.ends.must.insert(*id, EndReason::Preempted);
                }
            }
        }
    }

    // ------------------------------------------------------------------------------------------------ applications

    /// What an AM's container is asked for with; whether it may never be had.
    fn am_request(&self, size: Resource, place: u8) -> (AmRequest, bool) {
        let request = AmRequest::from(size);
        let node = self.books.nodes.get(usize::from(place) % self.books.nodes.len().max(1));
        let Some(node) = node.filter(|_| place >= 5) else { return (request, false) };
        let rack = self.stepped.location(&format!("/r{}", node.rack));
        let name = self.stepped.location(node.handle.name());
        let request = match place {
            5 => request.at(name).at(rack),
            6 => request.strict().at(rack),
            _ => request.avoiding(&[name]),
        };
        (request, place >= 6)
    }

    fn am_size(&self, am: u8) -> Option<Resource> {
        let sizes = [[1024, 1, 0], [2048, 1, 0], [512, 2, 0]];
        (am % 4 >= 2).then(|| Resource::from_slice(&sizes[usize::from(am % 3)][..self.shape.types]))
    }

    fn submit(&mut self, queue: u8, user: u8, am: u8, place: u8) -> Result<Done, Refused> {
        if self.books.apps.iter().filter(|app| app.alive).count() >= 16 {
            return Ok(Done::default());
        }
        let number = self.books.apps.iter().map(|app| app.number).max().unwrap_or(0) + 1;
        let queue = self.shape.leaves[usize::from(queue) % self.shape.leaves.len()].clone();
        let size = self.am_size(am);
        let request = size.map(|size| self.am_request(size, place));
        let choosy = request.as_ref().is_some_and(|(_, choosy)| *choosy);
        let user = USERS[usize::from(user) % 3].to_owned();
        let submission =
            Submission::new(number, user).in_queue(queue).maybe_with_am(request.map(|(request, _)| request));
        let handle = self.stepped.submit(submission)?;
        self.enter(handle, number, size, choosy);
        Ok(Done::default())
    }

    fn enter(&mut self, handle: evenweave::AppHandle, number: u32, am: Option<Resource>, choosy: bool) {
        let asks = am.map(|size| ((0, 0), (1, self.normalised(&size)))).into_iter().collect();
        self.books.apps.push(AppBook {
            handle,
            number,
            alive: true,
            waits_for_am: am.is_some(),
            am_came_back: false,
            am: Resource::ZERO,
            asks,
            granted: Vec::new(),
            ended: Vec::new(),
            held: Vec::new(),
            blacklist: BTreeSet::new(),
            choosy,
            strict: BTreeMap::new(),
            numbers: BTreeSet::new(),
            preempted: 0,
        });
    }

    fn finish(&mut self, app: usize, beside: Option<u8>) -> Called {
        if let Some(first) = beside.and_then(|other| self.books.alive(other)).filter(|first| *first != app) {
            let waits = [first, app].map(|app| {
                let number = self.books.apps[app].number;
                self.stepped.apps().iter().any(|view| view.id.number == number && !view.runnable)
            });
            self.counts.add("finish: one that waits, after one that runs", usize::from(waits == [false, true]));
            self.prefetch_ends_of(first, |_| true, EndReason::AppFinished);
            self.books.apps[first].alive = false;
            let begun = self.stepped.begin_finish(&self.books.apps[first].handle);
            hold!(begun.is_ok(), "a live application cannot be finished: {begun:?}");
        }
        self.prefetch_ends_of(app, |_| true, EndReason::AppFinished);
        self.books.apps[app].alive = false;
        let outcome = self.stepped.finish(&self.books.apps[app].handle);
        hold!(outcome.is_ok(), "a live application cannot be finished: {outcome:?}");
        nothing()
    }

    fn move_app(&mut self, app: usize, queue: u8) -> Result<Done, Refused> {
        let queue = &self.shape.leaves[usize::from(queue) % self.shape.leaves.len()];
        let outcome = self.stepped.move_app(&self.books.apps[app].handle, queue);
        self.books.moved |= outcome.is_ok();
        self.counts.add("move: done", usize::from(outcome.is_ok()));
        done(outcome)
    }

    fn next_attempt(&mut self, app: usize, fails: bool, keep: bool, am: u8) -> Called {
        let number = self.books.apps[app].number;
        let master = self.books.live_of(app).find(|(_, book)| book.am).map(|(id, _)| *id);
        if let Some(id) = master.filter(|_| fails) {
            self.complete_numbered(number, id.number())?;
            self.counts.add("next attempt: the AM failed", 1);
        }
        let size = self.am_size(am);
        let request = size.map(|size| self.am_request(size, am / 16 % 8));
        let choosy = request.as_ref().is_some_and(|(_, choosy)| *choosy);
        let runs = |world: &World| {
            let live = world.books.live_of(app).filter(|(id, _)| !world.ends.must.contains_key(id));
            let runs = live.filter(|(_, book)| book.launched && book.acquired_at.is_some());
            runs.map(|(id, _)| *id).collect::<BTreeSet<_>>()
        };
        let kept = if keep { runs(self) } else { BTreeSet::new() };
        let new = NewAttempt::default().keep_containers(keep).maybe_with_am(request.map(|(request, _)| request));
        let outcome = self.stepped.new_attempt(&self.books.apps[app].handle, new);
        if keep && let Err(refused) = outcome {
            // Nothing has changed.
            return Ok(Err(refused));
        }
        let already = std::mem::take(&mut self.ends.must);
        self.prefetch_ends_of(app, |id| !kept.contains(id), EndReason::AppFinished);
        self.ends.must.extend(already);
        self.books.apps[app].alive = false;
        let handle = match outcome {
            Ok(handle) => handle,
            // The old attempt is over all the same, and with it the application.
            Err(refused) => return Ok(Err(refused)),
        };
        let told: Vec<_> = handle.kept_containers().iter().map(|container| container.id).collect();
        let mut wanted: Vec<_> = kept.iter().copied().collect();
        wanted.sort_by_key(|id| (id.attempt(), id.number()));
        hold!(told == wanted, "attempt {} of {number} keeps {told:?}, not {wanted:?}", handle.attempt());
        self.counts.add("next attempt: done", 1);
        self.counts.add("next attempt: containers kept", kept.len());
        let before = &self.books.apps[app];
        let blacklist = if keep { before.blacklist.clone() } else { BTreeSet::new() };
        let choosy = choosy || !blacklist.is_empty();
        self.enter(handle, number, size, choosy);
        let next = self.books.apps.len() - 1;
        self.books.apps[next].held.extend(&kept);
        self.books.apps[next].blacklist = blacklist;
        for id in &kept {
            let book = self.books.containers.get_mut(id).expect("it is kept");
            (book.app, book.warned) = (next, false);
        }
        nothing()
    }

    fn blacklist(&mut self, app: usize, node: u8, add: bool) -> Called {
        let name = if node % 4 == 3 {
            format!("/r{}", node / 4 % 3)
        } else {
            format!("n{}", u32::from(node / 4) % self.books.nodes_made.max(1))
        };
        let listed = vec![self.stepped.location(&name)];
        let mut request = AllocateRequest::default();
        if add {
            request.blacklist_add = listed;
        } else {
            request.blacklist_remove = listed;
        }
        let called = self.allocate(app, &request)?;
        if called.is_ok() {
            let book = &mut self.books.apps[app];
            book.choosy = true;
            if add {
                book.blacklist.insert(name);
            } else {
                book.blacklist.remove(&name);
            }
        }
        Ok(called)
    }

    /// Raised to the minimum and rounded up, and no more than one may have; what is asked for is in whole GiB or less
    /// than one.
    fn normalised(&self, asked: &Resource) -> Resource {
        let memory = asked.memory_mb().max(self.minimum);
        let rounded = asked.with(0, (memory + 1023) / 1024 * 1024).with(1, asked.vcores().max(1));
        rounded.least(&self.books.largest())
    }

    fn size(&self, app: usize, priority: i32, what: u8) -> Resource {
        const SIZES: [[i64; 3]; 7] =
            [[1024, 1, 0], [2048, 1, 0], [1024, 2, 1], [3072, 2, 0], [4096, 4, 2], [300, 1, 0], [0, 1, 1]];
        let choice = if self.shape.uniform {
            self.books.apps[app].number as usize + priority.unsigned_abs() as usize
        } else {
            usize::from(what) / 8
        };
        Resource::from_slice(&SIZES[choice % SIZES.len()][..self.shape.types])
    }

    fn ask(&mut self, app: usize, (priority, id): (i32, i64), what: u8, place: Where) -> Called {
        let resource = self.size(app, priority, what);
        // Some ask for more than there is room for, so that others starve.
        let count = [0, 1, 2, 3, 5, 8, 13, 20][usize::from(what) % 8];
        let at = self.books.nodes.get(usize::from(what) % self.books.nodes.len().max(1));
        let (node, rack) = match at {
            Some(node) => (node.handle.name().to_owned(), format!("/r{}", node.rack)),
            None => ("n0".to_owned(), "/r0".to_owned()),
        };
        let [node, rack] = [node, rack].map(|name| self.stepped.location(&name));
        let line = |location: Location, count: u32, relax_locality: bool| {
            Ask::anywhere(priority, resource, count).with_request_id(id).at(location).relaxed(relax_locality)
        };
        let any = Location::ANY;
        let asks = match place {
            Where::Anywhere => vec![line(any, count, true)],
            Where::Node => vec![line(node, count, true), line(rack, count, true), line(any, count, true)],
            Where::Rack => vec![line(rack, count, true), line(any, count, true)],
            Where::StrictNode => vec![line(node, count, true), line(rack, count, false), line(any, count, false)],
            Where::StrictRack => vec![line(rack, count, true), line(any, count, false)],
            Where::Odd => vec![line(node, count, true), line(rack, count / 2, what >= 128), line(any, count + 1, true)],
        };
        let called = self.allocate(app, &AllocateRequest::new(asks))?;
        if called.is_ok() {
            let book = &mut self.books.apps[app];
            let strict = place == Where::StrictRack;
            // What comes back is asked for as it was, and may make the rest of its key strict.
            let mixed = book.strict.insert((priority, id), strict).is_some_and(|before| before != strict);
            book.choosy |= mixed || matches!(place, Where::StrictNode | Where::Odd);
            self.counts.add("ask: with a request id", usize::from(id != 0));
            self.counts.add("ask: withdrawn", usize::from(count == 0));
        }
        Ok(called)
    }

    /// An AM's call; what it is answered must be what is owed to it.
    fn allocate(&mut self, app: usize, request: &AllocateRequest) -> Called {
        let mut answer = Allocation::default();
        let handle = self.books.apps[app].handle.clone();
        if let Err(refused) = self.stepped.allocate(&handle, request, &mut answer) {
            return Ok(Err(refused));
        }
        let number = self.books.apps[app].number;
        let of_call: BTreeSet<ContainerId> = request
            .releases
            .iter()
            .filter(|id| id.application_number() == number)
            .filter(|id| self.books.containers.get(id).is_some_and(|container| container.live))
            .copied()
            .collect();
        self.counts.add("release: done", of_call.len());
        self.ends.must.extend(of_call.iter().map(|id| (*id, EndReason::Released)));
        // One that the AM had not been told of is undone, and comes back as an ask; of the others' ends it is told at
        // once.
        let book = &mut self.books.apps[app];
        let mut ended: Vec<_> = std::mem::take(&mut book.ended);
        let (unseen, seen): (Vec<_>, Vec<_>) = of_call.iter().partition(|id| book.granted.contains(id));
        ended.extend(seen.into_iter().map(|id| (id, EndReason::Released)));
        self.ends.told.extend(ended.iter().map(|(id, _)| *id));
        let mut granted: Vec<_> = std::mem::take(&mut book.granted);
        granted.retain(|id| !unseen.contains(id));
        book.granted = unseen;
        let mut told: Vec<_> = answer.granted.iter().map(|container| container.id).collect();
        let mut told_ended: Vec<_> = answer.ended.iter().map(|ended| (ended.id, ended.reason)).collect();
        if self.workers > 1 {
            granted.sort_unstable();
            told.sort_unstable();
        }
        ended.sort_unstable_by_key(|(id, _)| *id);
        told_ended.sort_unstable_by_key(|(id, _)| *id);
        hold!(told == granted, "I5: application {number} is told of {told:?}, not of {granted:?}");
        hold!(told_ended == ended, "I5: application {number} is told of the ends {told_ended:?}, not of {ended:?}");
        let now = self.books.now;
        for container in &answer.granted {
            let id = &container.id;
            let known = self.books.containers.get_mut(id).expect("granted and not ended, so in the books");
            let key = (container.priority, container.allocation_request_id);
            hold!(known.size == container.resource && known.key == key, "{id:?} has changed");
            known.acquired_at = Some(now);
            self.books.apps[app].held.push(*id);
        }
        let of_app = self.books.live_of(app).filter(|(id, book)| book.warned && !of_call.contains(id));
        let mut marked: Vec<_> = of_app.map(|(id, _)| *id).collect();
        let mut warned = answer.strict_preemptions.clone();
        warned.sort_unstable();
        marked.sort_unstable();
        hold!(warned == marked, "application {number} is warned of {warned:?}, not of {marked:?}");
        // What came back by a release was asked for before these asks, which replace it.
        let largest = self.books.largest();
        let mut groups: BTreeMap<_, (u32, Resource)> = BTreeMap::new();
        for ask in request.asks.iter().filter(|ask| ask.location == Location::ANY) {
            hold!(ask.resource.fits_in(&largest), "{} was taken, of {largest} at most", ask.resource);
            groups.insert((ask.priority, ask.allocation_request_id), (ask.count, ask.resource));
        }
        self.undo_unseen(app);
        for (key, (count, size)) in groups {
            let size = self.normalised(&size);
            self.books.apps[app].asks.insert(key, (i64::from(count), size));
        }
        let Allocation { granted, ended, strict_preemptions, headroom, .. } = answer;
        Ok(Ok(Done { answer: Some(Answer { granted, ended, strict_preemptions, headroom }), rounds: Vec::new() }))
    }

    /// Releases of what the AM has not been told of take effect before the asks of the same call.
    fn undo_unseen(&mut self, app: usize) {
        for id in std::mem::take(&mut self.books.apps[app].granted) {
            let book = &self.books.containers[&id];
            let (key, asked) = (book.key, book.asked);
            self.books.give_back(app, key, asked);
            self.books.containers.get_mut(&id).expect("just read").undone = true;
        }
    }

    // ------------------------------------------------------------------------------------------------ the rest

    fn reload(&mut self, file: File, watcher: bool) -> Called {
        let shape = &self.shape;
        let text = match file {
            File::CleanUp => None,
            File::First => Some(shape.allocations.as_str()),
            File::OtherLimits => Some(shape.other_limits.as_str()),
            File::OtherQueues => Some(shape.other_queues.as_str()),
            File::Torn => Some("<allocations><queue name='a'>"),
            File::Wrong => {
                Some("<allocations><queue name='a'><maxRunningApps>many</maxRunningApps></queue></allocations>")
            }
        };
        let outcome = match text {
            Some(text) if !watcher => self.stepped.refresh_queues(text).map(drop),
            Some(text) => self.stepped.reload_text(text).map(drop),
            None => {
                self.stepped.clean_up();
                Ok(())
            }
        };
        if matches!(file, File::Torn | File::Wrong) {
            hold!(
                matches!(outcome, Err(Refused::Configuration(Configuration::Allocations(_)))),
                "a bad file was taken: {outcome:?}"
            );
            self.counts.add("reload: of a bad file", 1);
        }
        Ok(done(outcome))
    }

    fn bad(&mut self, what: Bad, which: u8) -> Called {
        let (app, node) = (self.books.alive(which), self.books.node(which));
        let negative = Resource::from_slice(&[-1024, 1, 0][..self.shape.types]);
        let outcome = match what {
            Bad::NegativeAsk | Bad::TooLargeAsk | Bad::BlacklistAny => {
                let Some(app) = app else { return nothing() };
                let huge = self.books.maximum.with(0, self.books.maximum.memory_mb() + 1);
                let size = if what == Bad::NegativeAsk { negative } else { huge };
                let mut request = AllocateRequest::default();
                if what == Bad::BlacklistAny {
                    request.blacklist_add = vec![Location::ANY];
                } else {
                    request.asks = vec![Ask::anywhere(1, size, 1)];
                }
                self.stepped.allocate(&self.books.apps[app].handle, &request, &mut Allocation::default())
            }
            Bad::DuplicateApp => {
                let Some(app) = app else { return nothing() };
                let number = self.books.apps[app].number;
                let queue = Some(self.shape.leaves[0].clone());
                let submission = Submission::new(number, USERS[0]).maybe_in_queue(queue);
                self.stepped.submit(submission).map(drop)
            }
            Bad::DuplicateNode => {
                let Some(node) = node else { return nothing() };
                let NodeBook { handle, total, .. } = &self.books.nodes[node];
                self.stepped.add_node(handle.name(), "/elsewhere", *total).map(drop)
            }
            Bad::NegativeNode => self.stepped.add_node("below-nothing", "/r0", negative).map(drop),
            Bad::NegativeResize => {
                let Some(node) = node else { return nothing() };
                self.stepped.resize_node(&self.books.nodes[node].handle, negative)
            }
            Bad::Completion => self.stepped.complete_numbered(u32::from(which) % 8, 1 << 20),
            Bad::Launch => self.stepped.launch_numbered(u32::from(which) % 8, 1 << 20),
            Bad::MoveNowhere => {
                let Some(app) = app else { return nothing() };
                self.stepped.move_app(&self.books.apps[app].handle, "root.no.such.queue")
            }
        };
        hold!(outcome.is_err(), "{what:?} was taken");
        Ok(done(outcome))
    }

    fn stale(&mut self, what: Stale, which: u8) -> Called {
        let over = self.books.over(which);
        let app = over.map(|app| self.books.apps[app].handle.clone());
        let outcome = match (what, app, self.removed_node.clone()) {
            (Stale::Allocate, Some(app), _) => {
                let asks = vec![Ask::anywhere(1, Resource::new(1024, 1), 3)];
                let releases = over.map(|app| self.books.apps[app].held.clone()).unwrap_or_default();
                let request = AllocateRequest::new(asks).with_releases(releases);
                self.stepped.allocate(&app, &request, &mut Allocation::default())
            }
            (Stale::Finish, Some(app), _) => self.stepped.finish(&app),
            (Stale::NextAttempt, Some(app), _) => {
                self.stepped.new_attempt(&app, NewAttempt::default().keep_containers(true)).map(drop)
            }
            (Stale::Move, Some(app), _) => self.stepped.move_app(&app, &self.shape.leaves[0]),
            (Stale::Heartbeat, _, Some(node)) => {
                // Nobody is answered; nothing may come of it.
                let mut heartbeat = Heartbeat::new(&node);
                heartbeat.add_completed(self.books.some_container(which));
                self.stepped.heartbeat(&heartbeat);
                return nothing();
            }
            (Stale::Resize, _, Some(node)) => self.stepped.resize_node(&node, Resource::new(1024, 1)),
            (Stale::Decommission, _, Some(node)) => self.stepped.decommission_node(&node),
            (Stale::Recommission, _, Some(node)) => self.stepped.recommission_node(&node),
            // Nothing is over yet.
            (_, None, _) | (_, _, None) => return nothing(),
        };
        self.counts.add("stale handle: refused", 1);
        hold!(outcome.is_err(), "{what:?} was taken");
        Ok(done(outcome))
    }
}
