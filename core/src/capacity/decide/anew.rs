//! After a panic of the worker: the books are written anew, from what the [control has said](super::known) and what the engine has.
//!
//! # Where it stands
//! Called by the worker's own thread, in the two halves of `engine::worker::anew`. What the panic left of the books is not believed, but for the
//! queues as they were published: one that is not published any more may still be the leaf of an application that has ended.
//!
//! # Protocol
//! 1. [`show_nothing`](Shard::show_nothing): what the other workers see of this one is nothing. 2. [`forget_books`](Shard::forget_books): empty
//!    ones, to which the newest structure is published. 3. [`write_books_anew`](Shard::write_books_anew): each attempt enters its leaf,
//!    where it has started if its turn says so; the others' usage is folded in and asks are counted; then the limits are worked out, and whoever
//!    may starts.
//!
//! # What races, and why it is safe
//! For each leaf one worker decides who starts, before the panic and after it: nobody else does meanwhile. Of one that it had let start before
//! others heard, it tells them again, which changes nothing where they know.

use super::parts::{CapacityKey, CapacityWorker};
use crate::capacity::books::AppBook;
use crate::capacity::rules::ordered::AppEntry;
use crate::capacity::types::Shard;
use crate::resource::Resource;
use std::collections::BTreeMap;

impl Shard {
    /// Nothing runs here any more, and nothing is reserved.
    pub(crate) fn show_nothing(&mut self) {
        let (place, types, worker) = (self.own.books.place, self.types, self.worker);
        for known in self.own.known.apps.values() {
            let joint = &known.entrant.joint;
            joint.show_reserved(place, types, &Resource::ZERO);
            joint.show_containers(place, 0);
            let to_preempt = &mut known.entrant.app.am.lock().to_preempt;
            to_preempt.retain(|container| usize::from(container.worker) != worker);
        }
    }

    /// Nobody is in the books.
    pub(crate) fn forget_books(&mut self) {
        let CapacityWorker { books, marked, surveyed, .. } = &mut self.own;
        *books = books.anew();
        (*marked, *surveyed) = (BTreeMap::new(), Default::default());
        for app in self.apps.iter_mut().flatten() {
            app.own.entry = None;
            app.keys.iter_mut().for_each(|key| key.own = CapacityKey::default());
        }
    }

    /// Everybody is, as it should be.
    pub(crate) fn write_books_anew(&mut self) {
        let given_up = self.own.known.given_up.clone();
        given_up.into_iter().for_each(|worker| self.own.books.decide_for(worker));
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
            self.own.books.enter_as_it_stood(entry);
            self.fold_app(slot);
            self.recount_all(slot);
        }
        self.own.books.work_out_anew();
        self.tell_who_starts();
        for app in 0..self.apps.len() {
            if self.apps[app].as_ref().is_some_and(|app| !app.closed) {
                self.work_out_headroom(u32::try_from(app).expect("slots are u32"));
            }
        }
    }
}
