//! Recovery of a worker that has panicked: it gives its nodes up, settles its books, and restarts.
//!
//! # Where it stands
//! The worker's own thread runs it after it has caught the panic (`driver::run_worker`), on the shard that the panic
//! left behind. The shard may be inconsistent: a container may be in one list and not in another, a queue may be
//! counted and its parent not, a snapshot may be taken over in part. So nothing that is derived is trusted. ADR 10.
//!
//! # What is trusted
//! The records of containers and their mail; what each worker has counted in a watch, by its seat; the asks and numbers
//! of applications, whose message is processed a second time if it was under way. Everything else is rebuilt from these
//! and from the newest snapshot.
//!
//! # Two halves
//! 1. [`Shard::give_up_nodes`] settles what others see. Leases go back. Usage is set to nothing: the worker is the only
//!    writer of its cells, so nothing is taken away container by container. Rooms get back what was counted there. The
//!    AM of each container is told of its end, once. Of the embedder's code it runs only the wake-up, and survives its
//!    panic.
//! 2. [`Shard::restart_after_panic`] takes the newest snapshot over as if it were the first. It asks policies for keys.
//!    If that panics again the worker is given up, with its books settled.
//!
//! # Invariants
//! I4: nothing of this worker is left in any usage. I5: a container that its AM has seen, or may have seen, ends once;
//! any other goes back to the asks. I2: room is given back once, also what was spent for the grant under way.

use crate::engine::books::ledger::NodeShared;
use crate::engine::decider::Decider;
use crate::engine::intake::to_worker::Internal;
use crate::engine::mail::container::EndReason;
use crate::engine::records::expiry_scans::ExpiryScans;
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
        self.node_record_count = 0;
        self.wake_up_all();
        gone
    }

    /// Every AM with something to fetch here is woken: a wake-up that panicked, or that the panic came before, would be
    /// missed by an AM whose mailbox is not empty any more.
    fn wake_up_all(&mut self) {
        self.waits.wake_all_mail_waiters();
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
        (self.root_usage_is_deferred, self.deferred_root_usage) = (false, Resource::ZERO);
        for app in self.apps.iter_mut().flatten() {
            app.containers.clear();
            app.reserved.clear();
            app.cell.reserved.set(0);
            app.cell.usage.set(types, &Resource::ZERO);
            app.cell.by_label.clear(types);
            // After the usage, as always.
            app.cell.marked.clear();
        }
        for queue in self.queues.iter_mut().flatten() {
            queue.snapshot.shared.cells[self.worker].usage.set(types, &Resource::ZERO);
            queue.watch_member.vacate(&queue.snapshot.shared.watch, self.worker);
            queue.vacate_label_rooms(self.worker);
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
    pub(crate) fn restart_after_panic(&mut self) {
        #[cfg(feature = "faults")]
        assert!(!self.panics_at_restart, "an injected panic while the worker begins anew");
        D::pass_lost(self);
        self.expiry_scans = ExpiryScans::from(self.shared.clock.now_ms(), self.shared.settings.container_expiry_ms);
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
        D::restarted_after_panic(self);
    }

    /// Given up for good: no queue waits for this worker to count in its watch.
    pub(crate) fn join_for_good(&mut self) {
        let structure = self.snapshots.newest().structure.clone();
        for (index, queue) in structure.queues.iter().enumerate() {
            let Some(queue) = queue.as_ref().filter(|queue| queue.watched) else { continue };
            self.queues.resize_with(self.queues.len().max(index + 1), || None);
            let local = &mut self.queues[index];
            if local.as_ref().is_none_or(|local| local.snapshot.slot != queue.slot) {
                *local =
                    Some(QueueLocal::new(self.worker, queue, D::queue(&self.shared, queue, &self.snapshot.figures)));
            }
            if let Some(local) = local {
                local.watch_member.join_for_good(&queue.shared.watch);
            }
        }
    }
}
