//! What is outstanding, key by key, as the books count it (rules/capacity.md 10, 16.1).
//!
//! The engine changes asks; the decider sees what has become of each key against what it counted last.

use crate::capacity::books::AskChange;
use crate::capacity::rules::ordered::AppEntry;
use crate::capacity::types::Shard;
use crate::engine::decider::AskCause;
use crate::resource::Wide;

impl Shard {
    /// An application asks for something else.
    pub(crate) fn asks_have_changed(&mut self, app: u32, cause: AskCause) {
        // Without an entry it has ended here: it is let in before its AM can ask, and its asks come by the same lane.
        let Some(entry) = self.entry(app) else { return };
        self.recount_all(app);
        if self.own.books.has_labels() {
            self.note_requested(app, entry);
        }
        if let AskCause::Call { nothing: true, .. } | AskCause::News { nothing: true } = cause {
            self.own.books.stops_asking_if_idle(entry);
        }
        if let AskCause::Call { anywhere, .. } = cause
            && !self.own.silent
        {
            if anywhere && !self.app(app).waits_for_am() {
                self.own.books.demand_changed(entry);
            }
            self.work_out_headroom(app);
        }
    }

    /// The partitions that the AM has just asked for are known (rules/node-labels.md 8.4).
    fn note_requested(&mut self, app: u32, entry: AppEntry) {
        for key in 0..self.app(app).keys.len() {
            let key = &mut self.app_mut(app).keys[key];
            if std::mem::take(&mut key.own.is_asked) {
                let label = key.label;
                self.own.books.apps[entry].shared_attempt.requested.add(label);
            }
        }
    }

    /// What is outstanding under each key is counted anew.
    pub(crate) fn recount_all(&mut self, app: u32) {
        for key in 0..self.app(app).keys.len() {
            self.recount(app, key);
        }
    }

    /// What is outstanding under a key is counted anew.
    pub(crate) fn recount(&mut self, app: u32, key: usize) {
        if let Some((entry, change)) = self.counted_anew(app, key) {
            self.own.books.asks_replaced(entry, &change);
        }
    }

    /// The same of a key alone: what follows for its application, and for the queues, where it is another amount.
    #[inline(always)]
    pub(crate) fn counted_anew(&mut self, app: u32, key: usize) -> Option<(AppEntry, AskChange)> {
        let types = self.types;
        let local = self.apps[app as usize].as_mut().expect("an application that this worker knows");
        let entry = local.own.entry?;
        let key = &mut local.keys[key];
        // Of a key with nothing left this worker hears when there is something again. One that somebody empties just
        // now is not noted yet.
        let count = if key.is_open_or_note_zero() { key.total().max(1) } else { 0 };
        let (size, label) = (key.size, key.label);
        let own = &mut key.own;
        if own.count == count && (count == 0 || (own.size == size && own.label == label)) {
            return None;
        }
        let before = std::mem::replace(&mut own.count, count);
        let before_size = std::mem::replace(&mut own.size, size);
        let (begins, ends) = (before == 0 && count > 0, before > 0 && count == 0);
        let before_label = std::mem::replace(&mut own.label, label);
        if before_label != label && before > 0 {
            let pending = Wide::of_change(types, (&size, 0), (&size, count));
            let left = Wide::of_change(types, (&before_size, before), (&before_size, 0));
            return Some((entry, AskChange { pending, begins, ends, label, left: Some((before_label, left)) }));
        }
        let pending = Wide::of_change(types, (&before_size, before), (&size, count));
        Some((entry, AskChange { pending, begins, ends, label, left: None }))
    }

    /// An application ends, and what a container of it had taken of its asks does not come back: for its user's
    /// activity it is as if it did, until he is looked at (rules/capacity.md 20).
    pub(crate) fn asks_are_dropped(&mut self, container: u32) {
        let record = &self.containers[container];
        let (app, key) = (record.app.index, record.key());
        let Some((size, label)) = self.asks_of(container).last().map(|any| (any.size, any.label)) else { return };
        let Some(key) = self.key_index(app, key) else { return };
        let local = self.apps[app as usize].as_mut().expect("an application that this worker knows");
        let Some(entry) = local.own.entry else { return };
        let own = &mut local.keys[key].own;
        let (before, before_label) = ((own.size, own.count), own.label);
        (own.count, own.size, own.label) = (own.count.saturating_add(1), size, label);
        let (begins, ends) = (before.1 == 0, false);
        let change = if before_label == label {
            let pending = Wide::of_change(self.types, (&before.0, before.1), (&size, own.count));
            AskChange { pending, begins, ends, label, left: None }
        } else {
            let pending = Wide::of_change(self.types, (&size, 0), (&size, own.count));
            let left = Wide::of_change(self.types, (&before.0, before.1), (&before.0, 0));
            AskChange { pending, begins, ends, label, left: Some((before_label, left)) }
        };
        self.own.books.asks_replaced(entry, &change);
    }

    /// An AM has called, and what it asked for or gave back is known.
    pub(crate) fn has_called(&mut self, number: u32) {
        if let Some(slot) = self.own.books.find(number).map(|app| app.slot) {
            self.work_out_headroom(slot);
        }
    }

    /// What an application can still get (rules/capacity.md 15), for its AM to see.
    pub(crate) fn work_out_headroom(&mut self, app: u32) {
        if self.own.silent {
            return;
        }
        let local = self.app(app);
        // Its home worker answers for all. Of an attempt that has ended the entry may be another one's.
        let is_asked = !local.closed && local.shared.home == self.worker;
        if let Some(entry) = self.entry(app).filter(|_| is_asked) {
            let headroom = self.own.books.headroom(entry);
            self.app(app).shared.headroom.set(self.types, &headroom);
        }
    }
}
