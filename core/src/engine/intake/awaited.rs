//! Whom a worker wakes: futures that wait for mail of an application, and for room in its lane.
//!
//! # Where it stands
//! Asked for by a message between two others ([`Look`](crate::engine::intake::messages::Look)), so that all of it is
//! the worker's own: what it has pushed before it was asked it finds here, and of what it pushes later it knows who
//! waits.

use crate::engine::intake::waiting::Wakes;
use crate::id::Slot;
use rustc_hash::FxHashMap;

/// See the module's text.
#[derive(Debug, Default)]
pub(crate) struct Awaited {
    mail: FxHashMap<Slot, Vec<Wakes>>,
    room: Vec<Wakes>,
}

impl Awaited {
    /// A future waits for the next mail of an application.
    pub(crate) fn await_mail(&mut self, app: Slot, wakes: Wakes) {
        let waiting = self.mail.entry(app).or_default();
        // Of futures that were let go of nothing stays.
        waiting.retain(Wakes::is_awaited);
        waiting.push(wakes);
    }

    /// A future waits for room in the lane.
    pub(crate) fn await_room(&mut self, wakes: Wakes) {
        self.room.push(wakes);
    }

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
