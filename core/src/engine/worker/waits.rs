//! Whom a worker wakes: futures that wait for mail of an application, and for room in its lane.
//!
//! # Where it stands
//! Asked for by a message between two others ([`Look`](crate::engine::intake::messages::Look)), so that all of it is the worker's
//! own: what it has pushed before it was asked it finds here, and of what it pushes later it knows who waits.

use crate::engine::books::ledger::AppShared;
use crate::engine::decider::Decider;
use crate::engine::intake::waiting::Wakes;
use crate::engine::worker::shard::Shard;
use crate::id::Slot;
use rustc_hash::FxHashMap;

/// See the module's text.
#[derive(Debug, Default)]
pub(crate) struct Awaited {
    mail: FxHashMap<Slot, Vec<Wakes>>,
    room: Vec<Wakes>,
}

impl Awaited {
    /// Whether nobody waits for mail.
    #[inline]
    pub(crate) fn is_nobody_after_mail(&self) -> bool {
        self.mail.is_empty()
    }

    /// This application's mailbox has something, or never will again.
    #[cold]
    pub(crate) fn mail_came(&mut self, app: Slot) {
        self.mail.remove(&app);
    }

    /// The worker is given up.
    pub(crate) fn end(&mut self) {
        *self = Awaited::default();
    }

    /// The same of all applications.
    pub(crate) fn all_mail_came(&mut self) {
        self.mail.clear();
    }

    /// Messages were taken out of the lane.
    #[inline]
    pub(crate) fn room_came(&mut self) {
        if !self.room.is_empty() {
            self.room.clear();
        }
    }
}

impl<D: Decider> Shard<D> {
    /// A future is to be woken by the next mail of this worker's, and at once where there is some.
    pub(crate) fn wake_for_mail(&mut self, app: &AppShared, wakes: Wakes) {
        let has_mail = app.cells.get(self.worker).is_some_and(|cell| cell.has_mail());
        if app.is_closed() || has_mail {
            return;
        }
        let waiting = self.waits.mail.entry(app.slot).or_default();
        // Of futures that were let go of nothing stays.
        waiting.retain(Wakes::is_awaited);
        waiting.push(wakes);
    }

    /// A future is to be woken when this worker has taken messages out of its lane.
    pub(crate) fn wake_for_room(&mut self, wakes: Wakes) {
        self.waits.room.push(wakes);
    }
}
