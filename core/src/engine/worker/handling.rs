//! One worker: the only writer of a shard of the nodes.
//!
//! # Where it stands
//! Messages in, one at a time: internal lane first, then a batch of external ones; then `assignment` and `grant`. One
//! thread in the threaded driver, a plain call in the stepped one; the code is the same.
//!
//! # Batches
//! The newest snapshot is taken over at the start of a batch and before each report. At the end of a batch leases are handed back (`reconcile`), so that no room is idle in the hands of a
//! worker that blocks.

use crate::ahead::expect;
use crate::app::SchedulingKey;
use crate::engine::books::ledger::{AppShared, KeyCell, NodeShared};
use crate::engine::decider::{AskCause, Decider, QueuePart};
use crate::engine::intake::inbox::Next;
use crate::engine::intake::messages::{
    AskChange, AskGroup, AskNews, AskRow, Asked, Asking, ControlMessage, External, GiveBack, Heartbeat, Internal, News,
    NewsKind, Round, grouped,
};
use crate::engine::mail::container::EndReason;
use crate::engine::shared::{ANY, count};
use crate::engine::worker::app::AppLocal;
use crate::engine::worker::containers::ContainerRecord;
use crate::engine::worker::key::{KeyLocal, Told};
use crate::engine::worker::node::Node;
use crate::engine::worker::shard::Shard;
use crate::id::{ContainerId, NONE, OwnContainer, Slot};
use crate::resource::Resource;
use crate::sync::Arc;
use crate::sync::atomic::Ordering;
use smallvec::SmallVec;
use std::collections::BTreeMap;

/// A list of containers has room for so many before they come, at most: of those that its application asks for, or its node takes.
const MADE_ROOM_FOR: u32 = 256;

/// Records of containers are made for so many of each node, at most, when it comes.
const RECORDS_OF_A_NODE: usize = 64;

/// Groups of one call that are compared with each other; of more an index is made.
const FEW_GROUPS: usize = 8;

/// Which groups of a call have the last word on what is wanted of their key at `*`.
struct LastAny<'a> {
    asks: &'a [AskGroup],
    /// Of many groups: the last one of each key, by key.
    last: Option<BTreeMap<SchedulingKey, usize>>,
}

impl<'a> LastAny<'a> {
    fn of(asks: &'a [AskGroup]) -> LastAny<'a> {
        let says = || asks.iter().enumerate().filter(|(_, group)| group.any().is_some());
        // Later ones replace earlier ones.
        let last = (asks.len() > FEW_GROUPS).then(|| says().map(|(at, group)| (group.key, at)).collect());
        LastAny { asks, last }
    }

    /// Whether some group after this one says how many its key wants at `*`.
    fn is_said_after(&self, at: usize) -> bool {
        let key = self.asks[at].key;
        match &self.last {
            Some(last) => last.get(&key).is_some_and(|last| *last > at),
            None => self.asks[at + 1..].iter().any(|group| group.key == key && group.any().is_some()),
        }
    }

    /// The keys that the call wants nothing of any more: of two `*` asks for one key the last counts.
    fn ended_keys(&self) -> impl Iterator<Item = SchedulingKey> {
        let nothing = self.asks.iter().enumerate().filter(|(_, group)| group.any() == Some(0));
        nothing.filter(|(at, _)| !self.is_said_after(*at)).map(|(_, group)| group.key)
    }
}

/// What a group of asks has changed.
struct Replaced {
    /// How many are wanted anywhere, if the group says.
    any: Option<u32>,
    told: Told,
}

/// A key, which is made if need be: of the cell that news of it have, so that only who meets it first waits for others who do.
#[inline]
fn key_of<'a, D: Decider>(
    app: &'a mut AppLocal<D>,
    id: SchedulingKey,
    cell: Option<&Arc<KeyCell>>,
    workers: usize,
) -> &'a mut KeyLocal<D> {
    let at = match app.keys.binary_search_by_key(&id, |key| key.id()) {
        Ok(at) => at,
        Err(at) => {
            make_key(app, at, id, cell, workers);
            at
        }
    };
    &mut app.keys[at]
}

#[cold]
fn make_key<D: Decider>(
    app: &mut AppLocal<D>,
    at: usize,
    id: SchedulingKey,
    cell: Option<&Arc<KeyCell>>,
    workers: usize,
) {
    app.look_at_all_keys();
    let cell = cell.map_or_else(|| app.shared.key(id, workers), Arc::clone);
    app.keys.insert(at, KeyLocal::new(id, cell, workers));
}

/// An application's list can hold twice what it asks for: its memory is asked for now rather than with a grant, and not
/// again while it asks for about as much.
#[inline]
fn make_room(list: &mut Vec<u32>, count: u32) {
    let wanted = count.min(MADE_ROOM_FOR) as usize;
    if list.capacity() < wanted {
        list.reserve_exact(2 * wanted - list.len());
    }
}

impl<D: Decider> Shard<D> {
    /// Works off one internal message. Who calls keeps it: after a panic it may be worked off once more.
    pub(crate) fn handle_internal(&mut self, message: &mut Internal<D>) -> Next {
        match message {
            Internal::News(news) => self.apply_news(&news.app, &news.rows, news.blacklist.as_deref()),
            Internal::Reopened { app, key } => self.reopen(*app, *key),
            Internal::GiveBack { app, rows } => self.apply_give_back(app, rows),
            Internal::FirstAsk { app, asks } => {
                let asks = grouped(asks, |size| *size);
                self.apply_asks(&AskChange { app: Asking::New(app.clone()), asks, blacklist: None });
            }
            Internal::CloseApp { app, successor } => {
                let handed_over =
                    successor.as_ref().map_or_else(Vec::new, |successor| self.hand_over(app.slot, successor));
                self.close_app(app.slot);
                self.waits.mail_came(app.slot);
                self.tell_control(ControlMessage::AppClosed { slot: app.slot, handed_over });
            }
            Internal::AddNode { node, total } => self.add_node(node.clone(), *total),
            Internal::RemoveNode(node) => {
                let place_is_free = self.remove_node(node);
                self.tell_control(ControlMessage::NodeClosed { node: node.clone(), place_is_free });
            }
            Internal::ResizeNode { node, total, kill } => self.resize_node(node, *total, *kill),
            Internal::Decommission { node, on } => {
                if let Some(place) = self.place_of(node) {
                    let node = &mut self.nodes[place as usize];
                    (node.decommissioning, node.drained) = (*on, false);
                }
            }
            Internal::Own(message) => D::told(self, message),
            Internal::Round(Round::Offers) => self.offer_all(),
            Internal::Round(Round::Continuous) => D::all_offered(self),
            Internal::TakeSnapshot => self.sync(),
            Internal::Look(look) => look.at(self),
            Internal::Barrier(reply) => {
                // Who waits for quiet, then sends on, wants that to be worked off with what has been published since, and
                // after what time has made due.
                self.sync();
                while self.look_for_expired(self.shared.clock.now_ms()) {}
                // And looks at books in which nothing is leased.
                self.hand_back_leases();
                // Whoever asked may have gone.
                let _ = reply.send(());
            }
            Internal::Shutdown => return Next::Stop,
        }
        Next::GoOn
    }

    /// Works off one external message. Who calls keeps it, as an internal one.
    #[inline]
    pub(crate) fn handle_external(&mut self, message: &mut External) {
        match message {
            External::Report(report) => {
                let (launched, completed) = (report.launched().iter().copied(), report.completed().iter().copied());
                // Of the node that had the place before: late, and of no use to anybody.
                if self.nodes.get(report.node).is_some_and(|at| at.turn == report.turn) {
                    self.report(report.node, report.stamp, report.offer, launched, completed);
                }
            }
            External::Heartbeat(heartbeat) => self.heartbeat(heartbeat),
            External::Heartbeats(batch) => {
                for heartbeat in &*batch {
                    self.heartbeat(heartbeat);
                }
            }
            // Where it is not known any more it is over.
            External::Group(asks) if self.find_app(asks.app).is_some_and(|app| !app.closed) => {
                self.change_group(asks.app.index, &asks.asked());
            }
            External::Group(_) => {}
            External::Asks(change) => self.apply_asks(change),
            External::Release(container) => self.release(*container),
            External::Releases(containers) => containers.iter().for_each(|container| self.release(*container)),
            External::Barrier(reply) => {
                // Whoever asked may have gone.
                let _ = reply.send(());
            }
        }
    }

    fn release(&mut self, container: ContainerId) {
        if let Some(index) = self.live_container(container) {
            self.end_container(index, EndReason::Released, false);
        }
    }

    /// An external message has been taken ahead: asks for what it names.
    #[inline]
    pub(crate) fn expect_later(&self, message: &External) {
        if let External::Report(report) = message {
            if let Some(node) = self.nodes.get(report.node) {
                node.expect_report();
            }
            report.completed().iter().for_each(|container| self.containers.expect(container.record));
        } else if let External::Group(asks) = message
            && let Some(app) = self.apps.get(asks.app.ix())
        {
            expect(app);
        }
    }

    /// Two are worked off before this external message: asks for what is named by what [`expect_later`](Self::expect_later)
    /// asked for.
    #[inline]
    pub(crate) fn expect_soon(&self, message: &External) {
        if let External::Report(report) = message {
            for record in report.completed().iter().filter_map(|container| self.containers.named(container)) {
                if let Some(app) = self.apps.get(record.app.ix()) {
                    expect(app);
                }
            }
        } else if let External::Group(asks) = message
            && let Some(app) = self.find_app(asks.app)
        {
            app.expect_visit();
            if let Some(Some(leaf)) = self.queues.get(app.leaf as usize) {
                leaf.expect_asks();
            }
        }
    }

    /// The next external message: the same, a link further.
    #[inline]
    pub(crate) fn expect_next(&self, message: &External) {
        if let External::Report(report) = message {
            report.completed().iter().for_each(|container| self.expect_end(container));
        } else if let External::Group(asks) = message
            && let Some(app) = self.find_app(asks.app)
        {
            app.expect_first_key();
        }
    }

    pub(crate) fn id(&self) -> usize {
        self.worker
    }

    /// Grants of this worker, ever.
    fn granted(&self) -> u64 {
        // ORDERING: Relaxed. This thread alone writes it.
        self.shared.counters[self.worker].granted.load(Ordering::Relaxed)
    }

    fn tell_control(&self, message: ControlMessage<D>) {
        // The control ends after the workers; a closed lane means that the scheduler is being dropped.
        let _ = self.shared.lanes.control.send(message);
    }

    /// A node reports.
    pub(crate) fn heartbeat(&mut self, heartbeat: &Heartbeat) {
        let Heartbeat { node, launched, completed, stamp, offer } = heartbeat;
        // A handle of another scheduler: nothing here is meant.
        if node.scheduler != self.shared.scheduler || node.owner != self.worker {
            return;
        }
        let worker = self.worker;
        let own = |container: &ContainerId| container.own_of(worker);
        let (launched, completed) = (launched.iter().filter_map(own), completed.iter().filter_map(own));
        if let Some(place) = self.place_of(node) {
            // Nobody has seen these containers yet, as `expect_next` has those of a report.
            completed.clone().for_each(|container| self.expect_end(&container));
            self.report(place, *stamp, *offer, launched, completed);
        }
    }

    /// A node of this worker reports what runs and what has ended; then it is offered.
    fn report(
        &mut self,
        node: u32,
        stamp: u64,
        offer: bool,
        launched: impl Iterator<Item = OwnContainer>,
        completed: impl Iterator<Item = OwnContainer> + Clone,
    ) {
        // What is reported after an update has returned is decided under its shares, in the midst of a batch too.
        self.sync();
        let token = match (&self.shared.probe, stamp) {
            (Some(probe), stamp) if stamp != 0 => Some(probe.taken(self.worker, stamp)),
            _ => None,
        };
        let before = self.granted();
        count(&self.shared.counters[self.worker].heartbeats, 1);
        if !self.nodes[node as usize].gone {
            self.hold_root();
            for container in launched {
                if let Some(index) = self.container_on(container, node) {
                    self.containers[index].launched = true;
                }
            }
            self.expect_ends(completed.clone());
            let mut completed = completed.peekable();
            while let Some(container) = completed.next() {
                if let Some(next) = completed.peek() {
                    self.expect_ties(next);
                }
                if let Some(index) = self.container_on(container, node) {
                    self.complete(index);
                }
            }
            self.nodes[node as usize].last_heartbeat_ms = self.shared.clock.now_ms();
            if self.nodes[node as usize].decommissioning {
                self.follow_allocation(node);
            }
            if offer {
                // What is free now can still be assigned: the smaller total arrives later, and what no longer fits ends
                // then.
                self.offer_node(node);
            }
            self.release_root();
            self.tell_drained(node);
        }
        if let (Some(token), Some(probe)) = (token, &self.shared.probe) {
            let grants = u32::try_from(self.granted() - before).unwrap_or(u32::MAX);
            probe.served(self.worker, stamp, token, grants);
        }
    }

    /// A container will end: asks for what its application's line leads to.
    #[inline]
    fn expect_end(&self, container: &OwnContainer) {
        let Some((record, app)) = self.ending(container) else { return };
        self.shared.arenas[self.worker].expect_end(record.mail);
        app.expect_visit();
        app.expect_last_container();
        if let Some(leaf) = self.queues.get(app.leaf as usize) {
            expect(leaf);
        }
    }

    /// Asks for what the ends of these containers will read and write and is not on its way yet. Each touches a dozen lines that are
    /// cold or another core's; asked for at once, those of one container come beside those of the next.
    fn expect_ends(&self, completed: impl Iterator<Item = OwnContainer>) {
        for container in completed {
            let Some((_, app)) = self.ending(&container) else { continue };
            // Mostly it gets the next container, whose grant writes there.
            app.expect_first_key();
            if let Some(Some(leaf)) = self.queues.get(app.leaf as usize) {
                leaf.expect_change(app.position);
                if let Some(Some(parent)) = self.queues.get(leaf.parent as usize) {
                    parent.expect_change(leaf.position);
                }
            }
            // It takes the place of the one that goes.
            if let Some(last) = app.containers.last() {
                self.containers.expect(*last);
            }
        }
    }

    /// The end of this container comes next: asks for what its application will be compared with.
    #[inline]
    fn expect_ties(&self, container: &OwnContainer) {
        if let Some((_, app)) = self.ending(container)
            && let Some(Some(leaf)) = self.queues.get(app.leaf as usize)
        {
            leaf.own.expect_comparison();
        }
    }

    #[inline(always)]
    fn ending(&self, container: &OwnContainer) -> Option<(&ContainerRecord, &AppLocal<D>)> {
        let record = self.containers.named(container).filter(|record| record.fate.is_live())?;
        Some((record, self.find_app(record.app)?))
    }

    /// A container that this worker still knows, on the given node.
    fn container_on(&self, container: OwnContainer, node: u32) -> Option<u32> {
        self.known_own(container).filter(|index| self.containers[*index].node == node)
    }

    /// A container that is live, or whose node still has to report its end.
    pub(crate) fn known_container(&self, container: ContainerId) -> Option<u32> {
        self.known_own(container.own_of(self.worker)?)
    }

    fn known_own(&self, container: OwnContainer) -> Option<u32> {
        let record = self.containers.named(&container)?;
        (record.fate.is_live() || record.fate.is_on_node()).then_some(container.record)
    }

    pub(crate) fn live_container(&self, container: ContainerId) -> Option<u32> {
        self.known_container(container).filter(|index| self.containers[*index].fate.is_live())
    }

    /// The node says that a container is done.
    pub(crate) fn complete(&mut self, index: u32) {
        if self.containers[index].fate.is_live() {
            self.end_container(index, EndReason::Completed, true);
        } else {
            self.free_room(index);
            self.reuse_record(index);
        }
    }

    pub(crate) fn launch(&mut self, index: u32) {
        self.containers[index].launched = true;
    }

    /// Lets callers see the node's room.
    pub(crate) fn publish_free(&self, node: u32) {
        if let Some(node) = self.nodes.get(node) {
            node.shared.free.set(self.types, &node.free);
        }
    }

    /// A node may get containers, if it is still there.
    pub(crate) fn offer_node(&mut self, node: u32) {
        if !self.nodes[node as usize].gone {
            D::offered(self, node);
            self.publish_free(node);
        }
    }

    /// One offer to every node that has reported lately, from the async allocation thread.
    fn offer_all(&mut self) {
        let now = self.shared.clock.now_ms();
        let silent = self.shared.settings.node_heartbeat_interval_ms.saturating_mul(2);
        for at in 0..self.nodes.end() {
            let Some(node) = self.nodes.in_order(at) else { continue };
            let at = &self.nodes[node as usize];
            if at.decommissioning || now.saturating_sub(at.last_heartbeat_ms) > silent {
                continue;
            }
            count(&self.shared.counters[self.worker].offers, 1);
            self.offer_node(node);
        }
    }

    // ------------------------------------------------------------------------------------------------ asks

    /// Applies what an AM asks; by the application's home worker, which tells the others.
    pub(crate) fn apply_asks(&mut self, change: &AskChange) {
        let AskChange { app, asks, blacklist } = change;
        let index = match app {
            // Not known any more: it is over.
            Asking::Known(slot) if self.find_app(*slot).is_none() => return,
            Asking::Known(slot) => slot.index,
            Asking::New(app) if app.is_closed() => return,
            Asking::New(app) => {
                let index = self.meet_app(app);
                app.set_met();
                index
            }
        };
        self.change_asks(index, asks, blacklist.as_deref());
    }

    /// The same of an application that this worker knows. Where the control has closed it and has not come to say so here, what
    /// is asked for now ends with the rest: not worth a look at a word that lies apart, with each call.
    fn change_asks(&mut self, index: u32, asks: &[AskGroup], blacklist: Option<&[u32]>) {
        if self.app(index).closed {
            return;
        }
        let last_any = LastAny::of(asks);
        self.know_keys(index, asks);
        // In order: of two asks for one key and location the last counts.
        let mut told = if blacklist.is_some() { Told::All } else { Told::Nothing };
        for group in asks {
            told = told.max(self.replace_asks(index, &group.asked()).told);
        }
        // Within a key the `*` ask decides last whether the rest is kept.
        let workers = self.shared.workers;
        for key in last_any.ended_keys() {
            key_of(self.app_mut(index), key, None, workers).forget_rows();
        }
        if let Some(blacklist) = blacklist {
            self.app_mut(index).set_blacklist(blacklist);
        }
        if !asks.is_empty() || blacklist.is_some() {
            let anywhere = asks.iter().any(|group| group.any().is_some());
            D::asks_changed(self, index, asks.iter().map(|group| &group.size), AskCause::Call { anywhere });
        }
        if told != Told::Nothing && self.shared.workers > 1 {
            let mut news = SmallVec::new();
            for (i, group) in asks.iter().enumerate() {
                self.add_news(index, &group.asked(), last_any.is_said_after(i), &mut news);
            }
            let shared = self.app(index).shared.clone();
            let waits = shared.waits_for_am();
            self.tell_others(&shared, news, blacklist);
            if !waits {
                asks.iter().for_each(|group| self.set_told(index, group.key));
            }
        }
    }

    /// The same where one group is all that changes, as with nearly every call, of an application that is not closed here.
    fn change_group(&mut self, index: u32, group: &Asked<'_>) {
        let Replaced { any, told } = self.replace_asks(index, group);
        if any == Some(0) {
            let workers = self.shared.workers;
            key_of(self.app_mut(index), group.key, None, workers).forget_rows();
        }
        D::asks_changed(self, index, std::iter::once(&group.size), AskCause::Call { anywhere: any.is_some() });
        match told {
            Told::Nothing => {}
            Told::Reopened => {
                let app = self.app(index).slot;
                self.send_others(|| Internal::Reopened { app, key: group.key });
            }
            Told::All => {
                let mut news = SmallVec::new();
                self.add_news(index, group, false, &mut news);
                let shared = self.app(index).shared.clone();
                let waits = shared.waits_for_am();
                self.tell_others(&shared, news, None);
                if !waits {
                    self.set_told(index, group.key);
                }
            }
        }
    }

    /// All workers know what is asked under a key. Not while the AM is waited for, as read before they were told: some of them put
    /// the application in order as one that waits, and what is asked next under the key tells them that it does not.
    fn set_told(&mut self, app: u32, key: SchedulingKey) {
        if let Some(at) = self.key_index(app, key) {
            self.app_mut(app).keys[at].set_told();
        }
    }

    /// Some worker has found nothing left of a key: there is something again.
    fn reopen(&mut self, app: Slot, key: SchedulingKey) {
        // Not known any more: it is over.
        if self.find_app(app).is_none_or(|app| app.closed) {
            return;
        }
        if let Some(at) = self.key_index(app.index, key) {
            let local = self.app(app.index);
            local.look_at_all_keys();
            let size = local.keys[at].size;
            D::asks_changed(self, app.index, std::iter::once(&size), AskCause::News);
        }
    }

    /// The other workers hear of asks that have changed.
    fn tell_others(&self, app: &Arc<AppShared>, rows: SmallVec<[AskNews; 2]>, blacklist: Option<&[u32]>) {
        let news = || News { app: app.clone(), rows: rows.clone(), blacklist: blacklist.map(Box::from) };
        self.send_others(|| Internal::News(Box::new(news())));
    }

    fn send_others(&self, message: impl Fn() -> Internal<D>) {
        for other in (0..self.shared.workers).filter(|other| *other != self.worker) {
            // As in `tell_control`.
            let _ = self.shared.lanes.internal[other].send(message());
        }
    }

    /// What the other workers have to know of a group; nothing of a rack or node that was dropped again, or of a `*` that another
    /// group of the call replaces (`said_later`): they forget racks and nodes when this worker does.
    fn add_news(&mut self, app: u32, group: &Asked<'_>, said_later: bool, news: &mut SmallVec<[AskNews; 2]>) {
        let Asked { key: id, size, relax, rows } = *group;
        let last_any = rows.iter().rposition(|row| row.location == ANY).filter(|_| !said_later);
        let workers = self.shared.workers;
        let key = key_of(self.app_mut(app), id, None, workers);
        for (at, AskRow { location, count }) in rows.iter().enumerate() {
            let what = if *location == ANY {
                let any = NewsKind::Any { epoch: key.epoch, cell: key.cell.clone(), open: *count > 0 };
                (last_any == Some(at)).then_some(any)
            } else {
                key.rows().shared_count(*location).map(NewsKind::Location)
            };
            let of = |what| AskNews { key: id, location: *location, size, relax, what };
            news.extend(what.map(of));
        }
    }

    /// Knows an application by its first message. What was published up to now is taken first: it may still show the
    /// application that had the slot before, which must not come after this one.
    pub(crate) fn meet_app(&mut self, shared: &Arc<AppShared>) -> u32 {
        if self.find_app(shared.slot).is_none() {
            self.sync();
        }
        self.ensure_app(shared)
    }

    /// Knows the keys of a call's asks. Many new ones are sorted in all at once: one by one each would move those behind it.
    fn know_keys(&mut self, app: u32, asks: &[AskGroup]) {
        if asks.len() > FEW_GROUPS {
            self.add_keys(app, asks.iter().map(|group| (group.key, None)));
        }
    }

    fn add_keys<'a>(&mut self, app: u32, keys: impl Iterator<Item = (SchedulingKey, Option<&'a Arc<KeyCell>>)>) {
        let workers = self.shared.workers;
        let local = self.app_mut(app);
        let is_new = |id: &SchedulingKey| local.keys.binary_search_by_key(id, |key| key.id()).is_err();
        let mut new: Vec<_> = keys.filter(|(id, _)| is_new(id)).collect();
        if new.is_empty() {
            return;
        }
        // Of those of one key one with a cell comes first.
        new.sort_unstable_by_key(|(id, cell)| (*id, cell.is_none()));
        new.dedup_by_key(|(id, _)| *id);
        let made = |(id, cell): (SchedulingKey, Option<&Arc<KeyCell>>)| {
            KeyLocal::new(id, cell.map_or_else(|| local.shared.key(id, workers), Arc::clone), workers)
        };
        local.keys.extend(new.into_iter().map(made));
        // Two runs in order, one after the other: what a merge sort is quick with.
        local.keys.sort_by_key(|key| key.id());
        local.look_at_all_keys();
    }

    /// What is asked under one key from now on.
    #[inline(always)]
    fn replace_asks(&mut self, app: u32, group: &Asked<'_>) -> Replaced {
        let (types, workers) = (self.types, self.shared.workers);
        let app = self.app_mut(app);
        // What others know of an AM that is waited for is put in order by its asks.
        let anew = workers > 1 && app.waits_for_am();
        let key = key_of(app, group.key, None, workers);
        let (mut any, mut told) = (None, Told::Nothing);
        for AskRow { location, count } in group.rows {
            if *location == ANY {
                // Of several the last counts.
                any = Some(*count);
            } else {
                if key.change_rows(|rows| rows.replace(*location, &group.size, group.relax, *count)) {
                    key.set_untold();
                }
            }
        }
        if let Some(count) = any {
            told = key.replace(types, count, &group.size, group.relax, anew);
        }
        if key.is_untold() {
            told = Told::All;
        }
        if let Some(count) = any {
            make_room(&mut app.containers, count);
        }
        app.look_at_all_keys();
        Replaced { any, told }
    }

    /// What the home worker has done.
    fn apply_news(&mut self, shared: &Arc<AppShared>, rows: &[AskNews], blacklist: Option<&[u32]>) {
        if shared.is_closed() {
            return;
        }
        let workers = self.shared.workers;
        let index = self.meet_app(shared);
        if rows.len() > FEW_GROUPS {
            self.add_keys(index, rows.iter().map(|row| (row.key, row.what.cell())));
        }
        for news in rows {
            let app = self.app_mut(index);
            let key = key_of(app, news.key, news.what.cell(), workers);
            match &news.what {
                NewsKind::Any { epoch, cell, open } => {
                    key.cell = cell.clone();
                    key.epoch = *epoch;
                    key.size = news.size;
                    key.relax = news.relax;
                    if !open {
                        key.forget_rows();
                    }
                    make_room(&mut app.containers, cell.pool.total());
                }
                NewsKind::Location(count) => {
                    key.change_rows(|rows| rows.learn(news.location, &news.size, news.relax, count));
                }
            }
        }
        if let Some(blacklist) = blacklist {
            self.app_mut(index).set_blacklist(blacklist);
        }
        self.app(index).look_at_all_keys();
        D::asks_changed(self, index, rows.iter().map(|row| &row.size), AskCause::News);
    }

    /// Units go back to asks; by the application's home worker.
    pub(crate) fn apply_give_back(&mut self, shared: &Arc<AppShared>, rows: &[GiveBack]) {
        if shared.is_closed() || self.find_app(shared.slot).is_none_or(|app| app.closed) {
            return;
        }
        let (index, types, workers) = (shared.slot.index, self.types, self.shared.workers);
        let mut news: SmallVec<[AskNews; 2]> = SmallVec::new();
        for back in rows {
            let key = key_of(self.app_mut(index), back.key, None, workers);
            let what = if back.location == ANY {
                let is_other = key.relax != back.relax || !key.size.equals_in_types(types, &back.size);
                if is_other {
                    // Who has not heard of it when the AM asks again grants nothing.
                    key.set_untold();
                    key.cell.size.set(types, &back.size);
                    (key.size, key.relax) = (back.size, back.relax);
                }
                let told = key.put_one() || is_other;
                told.then(|| NewsKind::Any { epoch: key.epoch, cell: key.cell.clone(), open: true })
            } else {
                key.change_rows(|rows| rows.put_back(back.location, &back.size, back.relax));
                key.rows().shared_count(back.location).map(NewsKind::Location)
            };
            let of =
                |what| AskNews { key: back.key, location: back.location, size: back.size, relax: back.relax, what };
            news.extend(what.map(of));
        }
        self.app(index).look_at_all_keys();
        // First, so that nothing comes in between.
        if !news.is_empty() {
            self.tell_others(shared, news, None);
        }
        D::asks_changed(self, index, rows.iter().map(|row| &row.size), AskCause::GivenBack);
    }

    // ------------------------------------------------------------------------------------------------ queues, nodes

    fn add_node(&mut self, shared: Arc<NodeShared>, total: Resource) {
        let room = most_containers(&total, &self.shared.settings.steps.minimum);
        let records = room.min(RECORDS_OF_A_NODE);
        self.make_records(records);
        let node = Node::new(shared, total, self.shared.clock.now_ms());
        self.nodes.add(Node { containers: written_to(room), records, ..node });
        D::nodes_changed(self);
    }

    /// After a panic: a node that was to come, or to go, is gone, and its place is there as the control believes.
    pub(crate) fn give_up_place(&mut self, node: &Arc<NodeShared>) {
        if self.nodes.get(node.local).is_none_or(|at| at.shared.id != node.id) {
            self.nodes.add(Node::new(node.clone(), Resource::ZERO, 0));
            self.nodes.remove(node.local);
        }
    }

    /// There are records for the containers of one more node: a page of memory that is touched for the first time costs as much
    /// as several grants.
    fn make_records(&mut self, of_node: usize) {
        self.records_of_nodes += of_node;
        self.containers.make_room(self.records_of_nodes);
        self.shared.arenas[self.worker].make_room(self.records_of_nodes);
    }

    /// The nodes that are there.
    pub(crate) fn all_nodes(&self) -> Vec<Arc<NodeShared>> {
        self.nodes.present().map(|(_, node)| node.shared.clone()).collect()
    }

    /// The place of a node that is there.
    fn place_of(&self, node: &NodeShared) -> Option<u32> {
        self.nodes.get(node.local).filter(|at| !at.gone && at.shared.id == node.id).map(|_| node.local)
    }

    /// Ends what runs on a node; whether another may have its place then.
    fn remove_node(&mut self, node: &NodeShared) -> bool {
        let Some(node) = self.place_of(node) else {
            // Gone already: whoever told of that has given the place back.
            return false;
        };
        // Taken off the node in one go: one by one each would be looked for, and move those behind it.
        for at in std::mem::take(&mut self.nodes[node as usize].containers) {
            if self.containers[at].fate.is_live() {
                self.end_container(at, EndReason::NodeLost, true);
            } else {
                self.free_room(at);
                self.reuse_record(at);
            }
        }
        D::reservation_ends(self, node);
        self.unreserve(node);
        let at = &mut self.nodes[node as usize];
        at.own = D::Node::default();
        self.records_of_nodes -= at.records;
        self.nodes.remove(node);
        self.publish_free(node);
        D::nodes_changed(self);
        // A record whose kill is still to come names the place: seldom, so a node that goes meanwhile keeps it.
        !(self.shared.settings.preemption && self.containers.name_node(node))
    }

    fn resize_node(&mut self, shared: &Arc<NodeShared>, total: Resource, kill: bool) {
        let Some(place) = self.place_of(shared) else { return };
        let node = &mut self.nodes[place as usize];
        let allocated = node.total.minus(&node.free);
        node.total = total;
        node.free = total.minus(&allocated);
        shared.total.set(self.types, &total);
        if kill {
            self.kill_overcommitted(shared.local);
        }
        self.publish_free(shared.local);
        D::nodes_changed(self);
    }

    /// Ends containers until a node's memory is no longer below nothing: those that are no AM first, then the youngest.
    /// What its node knows keeps its room until the node reports. Assignment reference 13.5.
    fn kill_overcommitted(&mut self, node: u32) {
        let at = &self.nodes[node as usize];
        let mut missing = -at.free.memory_mb();
        let mut victims: SmallVec<[u32; 4]> = SmallVec::new();
        for am in [false, true] {
            for index in at.containers.iter().rev() {
                let container = &self.containers[*index];
                if container.am == am && missing > 0 {
                    missing -= self.containers.size(container).memory_mb();
                    victims.push(*index);
                }
            }
        }
        for index in victims {
            // One whose end its node has yet to report counts, and ends but once.
            if self.containers[index].fate.is_live() {
                self.end_container(index, EndReason::Preempted, false);
            }
        }
    }

    /// A decommissioning node has nothing left: told once.
    fn tell_drained(&mut self, node: u32) {
        let at = &mut self.nodes[node as usize];
        if at.decommissioning && at.containers.is_empty() && !std::mem::replace(&mut at.drained, true) {
            let node = at.shared.clone();
            self.tell_control(ControlMessage::NodeDrained(node));
        }
    }

    /// A node that is being emptied: its total follows what is allocated, so nothing more fits.
    fn follow_allocation(&mut self, node: u32) {
        let at = &self.nodes[node as usize];
        let allocated = at.total.minus(&at.free);
        if allocated != at.total {
            self.tell_control(ControlMessage::ResizeNode { node: at.shared.clone(), total: allocated });
        }
    }
}

/// An empty list with room for so many, whose memory has been written to.
fn written_to(room: usize) -> Vec<u32> {
    // Not zeros: those are had without a write.
    let mut list = vec![NONE; room];
    list.clear();
    list
}

/// How many containers of the minimum allocation a node takes, as far as memory for their list is asked for ahead.
fn most_containers(total: &Resource, minimum: &Resource) -> usize {
    let of_type =
        |(total, minimum): (&i64, &i64)| (*minimum > 0).then(|| usize::try_from(*total / *minimum).unwrap_or(0));
    let most = total.amounts().iter().zip(minimum.amounts()).filter_map(of_type).min();
    most.unwrap_or(0).min(MADE_ROOM_FOR as usize)
}
