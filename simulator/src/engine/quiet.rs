//! When heartbeats can be left out: while they can change nothing.
//!
//! Nothing is asked for: then a node that has nothing to say is offered and gets nothing, from either scheduler. What
//! an offer can still change is a reservation of one who wants nothing more, and room that is owed to a starved
//! application. So after the last reservation or mark, and after containers were stopped, which nodes hear of in one
//! report and tell in the next, two whole rounds are made.
//!
//! Updates wait as long as nothing has changed. The last one that was due is made up for, at its own time, before
//! anything else happens: what starves counts from it.
//!
//! Where offers are made beside heartbeats nothing is left out: a node's report is what says there that it is alive.

use super::super::events::Kind;
use super::run::{Quiet, Run};

impl Quiet {
    pub(super) fn new(allowed: bool) -> Quiet {
        Quiet {
            allowed,
            outstanding: 0,
            dirty: true,
            restless_until: 0,
            disturbed: false,
            reservations: 0,
            reported: 0,
            put_off: None,
        }
    }

    pub(super) fn changed(&mut self) {
        self.dirty = true;
    }

    pub(super) fn disturb(&mut self) {
        self.disturbed = true;
    }

    pub(super) fn updated(&mut self) {
        self.dirty = false;
    }
}

impl Run<'_> {
    /// Whether heartbeats without news are left out now.
    pub(super) fn is_quiet(&mut self) -> bool {
        if !self.quiet.allowed {
            return false;
        }
        if self.quiet.outstanding > 0 {
            self.quiet.restless_until = u64::MAX;
            return false;
        }
        if self.quiet.restless_until == u64::MAX {
            // The first look since something was asked for.
            let reservations = self.core.reservations();
            self.quiet.disturbed |= reservations != self.quiet.reservations;
            self.quiet.reservations = reservations;
            self.quiet.restless_until = self.now;
        }
        if std::mem::take(&mut self.quiet.disturbed) {
            self.quiet.restless_until = self.now + 2 * self.ring.interval() + 1;
        }
        self.now >= self.quiet.restless_until
    }

    /// Whether a timer may wait while it is quiet.
    pub(super) fn can_wait(&self, kind: Kind) -> bool {
        kind == Kind::Update && !self.quiet.dirty
    }

    pub(super) fn put_off(&mut self, kind: Kind) {
        if kind == Kind::Update {
            self.quiet.put_off = Some(self.now);
            self.next_update();
        }
    }

    /// Makes up for an update before something else happens.
    pub(super) fn end_quiet(&mut self, kind: Kind) {
        let Some(due) = self.quiet.put_off.take() else { return };
        if kind == Kind::Look {
            // It changes nothing that an update sees, unless something expires.
            self.quiet.put_off = Some(due);
            return;
        }
        let now = std::mem::replace(&mut self.now, due);
        self.wind();
        self.core.update();
        self.now = now;
    }
}
