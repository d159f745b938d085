//! Anew: a worker that has panicked gives its nodes up, settles its books and begins anew.
//!
//! # Where it stands
//! Run by the worker's own thread after a panic was caught (`driver::run_worker`), on the shard that the panic left
//! behind. That may be in the midst of anything: a container may be in one list and not in another, a queue may be
//! counted and its parent not, a snapshot half taken over. So nothing that is derived is believed. ADR 10.
//!
//! # What is believed
//! The records of containers and their mail; what a watch was told, by its seat; the applications' asks and numbers,
//! whose message is worked off once more where it was under way. All else is made anew from that and from the newest
//! snapshot.
//!
//! # Two halves
//! 1. [`Shard::give_up_nodes`] settles what others see: leases go back, usage is set to nothing (the worker is the only
//!    writer of its cells, so there is nothing to be taken away container by container), rooms get back what was
//!    counted there, each container's AM is told of its end, once. It runs none of the embedder's code but the wake-up,
//!    whose panic it survives.
//! 2. [`Shard::begin_anew`] takes the newest snapshot over as if it were the first. It asks policies for keys; if that
//!    panics again the worker is given up, with its books settled.
//!
//! # Invariants
//! I4: nothing of this worker is left in any usage. I5: a container that its AM has seen, or may have, ends once; one
//! that it has not seen goes back to the asks. I2: room is given back once, what was spent for the grant under way
//! included.

use crate::engine::books::ledger::NodeShared;
use crate::engine::decider::Decider;
use crate::engine::intake::messages::Internal;
use crate::engine::mail::container::EndReason;
use crate::engine::records::looks::Looks;
use crate::engine::records::queue::QueueLocal;
use crate::engine::shard::Shard;
use crate::engine::shared::count;
use crate::id::NONE;
use crate::resource::Resource;
use crate::sync::Arc;
use crate::sync::atomic::Ordering;
use std::panic::{AssertUnwindSafe, catch_unwind};

impl<D: Decider> Shard<D> {
    /// The first half: what runs on this worker's nodes ends, and they are gone. Says which they were.
    pub(crate) fn give_up_nodes(&mut self) -> Vec<Arc<NodeShared>> {
        self.return_leases();
        self.use_nothing();
        for index in 0..self.containers.len() {
            let record = &self.containers[index];
            // Nobody's, or settled: ended before, and perhaps still on its node.
            if record.node != NONE && record.mail != NONE {
                self.settle(index);
            }
        }
        self.containers = self.containers.emptied();
        D::nodes_lost(self);
        self.level_counters();
        let places: Vec<u32> = self.nodes.present().map(|(place, _)| place).collect();
        let mut gone = Vec::with_capacity(places.len());
        for place in places {
            let node = &mut self.nodes[place as usize];
            (node.free, node.reservation, node.own) = (node.total, None, D::Node::default());
            node.containers = Vec::new();
            gone.push(node.shared.clone());
            self.nodes.remove(place);
            self.publish_free(place);
        }
        self.records_of_nodes = 0;
        self.wake_up_all();
        gone
    }

    /// Every AM with something to fetch here is woken: a wake-up that panicked, or that the panic came before, would be
    /// missed by an AM whose mailbox is not empty any more.
    fn wake_up_all(&mut self) {
        self.waits.all_mail_came();
        let Some(wake) = &self.shared.on_grants else { return };
        for app in self.apps.iter().flatten().filter(|app| !app.closed) {
            if !(app.cell.granted.is_empty() && app.cell.ended.is_empty()) {
                // It may be what has panicked; that it does so again keeps nobody else from being woken.
                let _ = catch_unwind(AssertUnwindSafe(|| wake(app.number)));
            }
        }
    }

    fn return_leases(&mut self) {
        let (worker, several) = (self.worker, self.shared.workers > 1);
        self.leases.clear();
        for key in self.apps.iter_mut().flatten().flat_map(|app| &mut app.keys) {
            key.set_handed_back();
            if several {
                key.cell.pool.hand_back(worker);
            }
        }
    }

    /// This worker's cells of all queues and applications say nothing, and rooms have back what it counted there.
    fn use_nothing(&mut self) {
        let types = self.types;
        (self.root_is_held, self.root_held) = (false, Resource::ZERO);
        for app in self.apps.iter_mut().flatten() {
            app.containers.clear();
            app.reserved.clear();
            app.cell.reserved.set(0);
            app.cell.usage.set(types, &Resource::ZERO);
            // After the usage, as always.
            app.cell.marked.clear();
        }
        for queue in self.queues.iter_mut().flatten() {
            queue.snapshot.shared.cells[self.worker].usage.set(types, &Resource::ZERO);
            queue.seat.vacate(&queue.snapshot.shared.watch, self.worker);
        }
    }

    /// One container ends for its AM.
    fn settle(&mut self, index: u32) {
        let record = self.containers[index];
        let id = self.container_id(index);
        let arena = &self.shared.arenas[self.worker];
        let app = self.find_app(record.app).filter(|app| !app.closed).map(|app| app.shared.clone());
        let was_handed_over = arena.is_of(record.mail, &id);
        if was_handed_over {
            count(&self.shared.counters[self.worker].ended, 1);
        }
        match app {
            // The panic came before the grant was in the mailbox, or its AM has not seen it: the unit goes back.
            Some(app) if !was_handed_over || arena.withdraw(record.mail) => {
                if !was_handed_over {
                    self.own_records.put(record.mail);
                }
                let rows = self.asks_of(index);
                // A lane is closed only at shutdown, when nobody asks any more.
                let _ = self.shared.lanes.internal[app.home].send(Internal::GiveBack { app, rows });
            }
            Some(app) => {
                arena.push_ended(&app.cells[self.worker].ended, record.mail, EndReason::NodeLost);
            }
            // Closed: nobody will ask. What its AM has not seen is found when the close empties the mailbox.
            None if !was_handed_over || !arena.withdraw(record.mail) => self.own_records.put(record.mail),
            None => {}
        }
    }

    /// Of what was granted all has ended. What was under way may have been counted in one of the two only.
    fn level_counters(&self) {
        let counters = &self.shared.counters[self.worker];
        // ORDERING: Relaxed. Statistics that this thread alone writes.
        let [granted, ended] = [&counters.granted, &counters.ended].map(|counter| counter.load(Ordering::Relaxed));
        count(&counters.granted, ended.saturating_sub(granted));
        count(&counters.ended, granted.saturating_sub(ended));
    }

    /// The second half: queues, members and orders are made from the newest snapshot; the applications keep their asks.
    pub(crate) fn begin_anew(&mut self) {
        #[cfg(feature = "faults")]
        assert!(!self.fails_anew, "an injected panic while the worker begins anew");
        D::pass_lost(self);
        self.looks = Looks::from(self.shared.clock.now_ms(), self.shared.settings.container_expiry_ms);
        for app in self.apps.iter_mut().flatten() {
            (app.leaf, app.position, app.runnable) = (NONE, NONE, false);
            app.usage = app.shared.usage();
        }
        for queue in self.queues.iter_mut().flatten() {
            queue.forget_members();
            D::queue_emptied(&mut queue.own);
        }
        self.snapshot = self.snapshots.newest().clone();
        self.take_structure(None);
        self.read_usage();
        D::figures_taken(self);
        D::begun_anew(self);
    }

    /// Given up for good: no queue waits for this worker to count in its watch.
    pub(crate) fn join_for_good(&mut self) {
        let structure = self.snapshots.newest().structure.clone();
        for (index, queue) in structure.queues.iter().enumerate() {
            let Some(queue) = queue.as_ref().filter(|queue| queue.watched) else { continue };
            self.queues.resize_with(self.queues.len().max(index + 1), || None);
            let local = &mut self.queues[index];
            if local.as_ref().is_none_or(|local| local.snapshot.slot != queue.slot) {
                *local = Some(QueueLocal::new(self.worker, queue, D::queue(queue, &self.snapshot.figures)));
            }
            if let Some(local) = local {
                local.seat.join_for_good(&queue.shared.watch);
            }
        }
    }
}
