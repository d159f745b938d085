//! One worker: the only writer of a shard of the nodes.
//!
//! # Where it stands
//! Messages in, one at a time: internal lane first, then a batch of external ones; then `assignment` and `grant`. One
//! thread in the threaded driver, a plain call in the stepped one; the code is the same.
//!
//! # Batches
//! The newest snapshot is taken over at the start of a batch and before each report. At the end of a batch leases are handed back (`reconcile`), so that no room is idle in the hands of a
//! worker that blocks.

use crate::engine::decider::Decider;
use crate::engine::intake::inbox::Next;
use crate::engine::intake::messages::{
    AskChange, Asking, ControlMessage, External, Heartbeat, Internal, Round, grouped,
};
use crate::engine::mail::container::EndReason;
use crate::engine::shared::count;
use crate::engine::worker::shard::Shard;
use crate::id::{ContainerId, OwnContainer};
use crate::sync::atomic::Ordering;

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
            Internal::Recover(node, recovery) => self.answer_recovery(node, recovery),
            Internal::AddNode { node, total, running } => {
                self.add_node(node.clone(), *total);
                running.iter().for_each(|recovery| self.answer_recovery(node, recovery));
            }
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
                let (launched, completed) = (report.launched(self.worker), report.completed().iter().copied());
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
            External::Release(container) => self.release_all(std::slice::from_ref(container)),
            External::Releases(containers) => self.release_all(containers),
            External::Barrier(reply) => {
                // Whoever asked may have gone.
                let _ = reply.send(());
            }
        }
    }

    /// What an AM gives back in one call.
    fn release_all(&mut self, containers: &[ContainerId]) {
        for container in containers {
            if let Some(index) = self.live_container(*container) {
                self.end_container(index, EndReason::Released, false);
            }
        }
        if let Some(any) = containers.first() {
            D::released(self, any.application_number());
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

    pub(super) fn tell_control(&self, message: ControlMessage<D>) {
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
        let (launched, completed) = (launched.iter().copied(), completed.iter().filter_map(own));
        if let Some(place) = self.place_of(node) {
            // Nobody has seen these containers yet, as `prefetch_next` has those of a report.
            completed.clone().for_each(|container| self.prefetch_end(&container));
            self.report(place, *stamp, *offer, launched, completed);
        }
    }

    /// A node of this worker reports what runs and what has ended; then it is offered.
    fn report(
        &mut self,
        node: u32,
        stamp: u64,
        offer: bool,
        launched: impl Iterator<Item = ContainerId>,
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
                match self.live_container(container).filter(|index| self.containers[*index].node == node) {
                    Some(index) => self.containers[index].launched = true,
                    None => self.started_unseen(node, container, completed.clone()),
                }
            }
            self.prefetch_ends(completed.clone());
            let mut completed = completed.peekable();
            while let Some(container) = completed.next() {
                if let Some(next) = completed.peek() {
                    self.prefetch_ties(next);
                }
                if let Some(index) = self.container_on(container, node) {
                    self.complete(index);
                }
            }
            self.nodes[node as usize].last_heartbeat_ms = self.shared.clock.now_ms();
            if self.nodes[node as usize].decommissioning {
                self.follow_allocation(node);
            }
            D::node_reports(self, node);
            if offer && self.shared.settings.reports_offer {
                // What is free now can still be assigned: the smaller total arrives later, and what no longer fits ends
                // then.
                self.offer_node(node);
            }
            self.release_root();
            D::node_reported(self, node);
            self.tell_drained(node);
        }
        if let (Some(token), Some(probe)) = (token, &self.shared.probe) {
            let grants = u32::try_from(self.granted() - before).unwrap_or(u32::MAX);
            probe.served(self.worker, stamp, token, grants);
        }
    }

    /// A node names a container as running that is not alive there: it has ended meanwhile, or was never this node's. Unless the same
    /// report says that it is over, the node has to stop it (Hadoop's `SchedulerApplicationAttempt.containerLaunchedOnNode`).
    #[cold]
    fn started_unseen(&self, node: u32, container: ContainerId, completed: impl Iterator<Item = OwnContainer>) {
        let own = container.own_of(self.worker);
        if !completed.map(Some).any(|over| over == own) {
            self.nodes[node as usize].shared.tell_to_stop(container);
        }
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

    /// A round of the async allocation thread. Where it begins is left to chance, as in Hadoop.
    fn offer_all(&mut self) {
        // A step of xorshift; 0 would stay 0.
        let mut chance = self.chance;
        chance ^= chance << 13;
        chance ^= chance >> 17;
        chance ^= chance << 5;
        self.chance = chance;
        let nodes = u32::try_from(self.nodes.count()).unwrap_or(u32::MAX).max(1);
        self.offer_from((chance % nodes) as usize);
    }

    /// One offer to every node that has reported lately, in the order of their registration: from this one of them on to the last, then
    /// from the first to this one, once more (Hadoop's `CapacityScheduler.schedule`).
    pub(crate) fn offer_from(&mut self, first: usize) {
        let now = self.shared.clock.now_ms();
        let Some(begin) = self.nodes.nth(first) else { return };
        for at in (begin..self.nodes.end()).chain(0..=begin) {
            let Some(node) = self.nodes.in_order(at) else { continue };
            let at = &self.nodes[node as usize];
            let silent = now.saturating_sub(at.last_heartbeat_ms) > self.shared.settings.silent_after_ms;
            if at.decommissioning || silent {
                continue;
            }
            count(&self.shared.counters[self.worker].offers, 1);
            D::offered_in_round(self, node);
            self.publish_free(node);
        }
    }
}
