//! After a panic of the worker: the books are rebuilt from what the [control has said](super::attempt_log) and from
//! what the engine has.
//!
//! # Where it stands
//! The worker's own thread calls it, in the two halves of `engine::worker::restart`. Of the old books nothing is
//! trusted but the queues as they were published: a queue that is not published any more may still be the leaf of an
//! application that has ended.
//!
//! # Protocol
//! 1. [`show_nothing`](Shard::show_nothing): the other workers see nothing of this one.
//! 2. [`forget_books`](Shard::forget_books): the books are empty, and the newest structure is published to them.
//! 3. [`rebuild_books`](Shard::rebuild_books): each attempt enters its leaf, and has started if its turn says so.
//!    The usage of the others is folded in and asks are counted. Then limits are computed, and applications start that
//!    may.
//!
//! # What races, and why it is safe
//! For each leaf one worker decides who starts, before the panic and after it; no other worker decides meanwhile. If it
//! had let an application start before others heard of it, it tells them again. A worker that knows already ignores
//! that.

use super::parts::{CapacityKey, CapacityWorker};
use crate::capacity::books::AppBook;
use crate::capacity::rules::ordered::AppEntry;
use crate::capacity::types::Shard;
use std::collections::BTreeMap;

impl Shard {
    /// Nothing runs here any more, and nothing is reserved.
    pub(crate) fn show_nothing(&mut self) {
        let (place, types, worker) = (self.own.books.place, self.types, self.worker);
        for known in self.own.known.apps.values() {
            let shared_attempt = &known.entrant.shared_attempt;
            shared_attempt.show_nothing(place, types);
            let to_preempt = &mut known.entrant.app.am.lock().to_preempt;
            to_preempt.retain(|container| usize::from(container.worker) != worker);
        }
    }

    /// Nobody is in the books.
    pub(crate) fn forget_books(&mut self) {
        let CapacityWorker { books, marked, surveyed, .. } = &mut self.own;
        *books = books.emptied();
        (*marked, *surveyed) = (BTreeMap::new(), Default::default());
        for app in self.apps.iter_mut().flatten() {
            app.own.entry = None;
            app.keys.iter_mut().for_each(|key| key.own = CapacityKey::default());
        }
    }

    /// Everybody is, as it should be.
    pub(crate) fn rebuild_books(&mut self) {
        let given_up = self.own.known.given_up.clone();
        given_up.into_iter().for_each(|worker| self.own.books.take_over_starts_of(worker));
        let known: Vec<_> = self.own.known.apps.values().cloned().collect();
        for known in known {
            self.ensure_app(&known.entrant.app);
            let slot = known.entrant.app.slot.index;
            let local = self.app_mut(slot);
            // One that has ended here waits for word that it is over.
            if local.closed {
                continue;
            }
            local.usage = local.shared.usage();
            let entry: AppEntry = self.own.books.add(AppBook { turn: known.turn, ..known.entrant.book() });
            self.app_mut(slot).own.entry = Some(entry);
            self.own.books.restore_entry(entry);
            self.fold_app(slot);
            self.recount_all(slot);
        }
        self.own.books.recompute_all();
        self.tell_who_starts();
        for app in 0..self.apps.len() {
            if self.apps[app].as_ref().is_some_and(|app| !app.closed) {
                self.work_out_headroom(u32::try_from(app).expect("slots are u32"));
            }
        }
    }
}
