//! The futures that a worker wakes: those that wait for mail of an application, and those that wait for room in its
//! lane.
//!
//! # Where it stands
//! A future is registered by a message to the worker ([`Look`](crate::engine::intake::to_worker::Look)), so only the
//! worker uses this data. Mail that it has pushed before that message is found at the registration; when it pushes mail
//! later, it finds the future here.

use crate::engine::intake::future_wakeup::Wakes;
use crate::id::Slot;
use rustc_hash::FxHashMap;

/// See the module's text.
#[derive(Debug, Default)]
pub(crate) struct WakerLists {
    mail: FxHashMap<Slot, Vec<Wakes>>,
    room: Vec<Wakes>,
}

impl WakerLists {
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
    pub(crate) fn has_no_mail_waiters(&self) -> bool {
        self.mail.is_empty()
    }

    /// This application's mailbox has something, or never will again.
    #[cold]
    pub(crate) fn wake_mail_waiters(&mut self, app: Slot) {
        self.mail.remove(&app);
    }

    /// The worker is given up.
    pub(crate) fn end(&mut self) {
        *self = WakerLists::default();
    }

    /// The same of all applications.
    pub(crate) fn wake_all_mail_waiters(&mut self) {
        self.mail.clear();
    }

    /// Messages were taken out of the lane.
    #[inline]
    pub(crate) fn wake_room_waiters(&mut self) {
        if !self.room.is_empty() {
            self.room.clear();
        }
    }
}
