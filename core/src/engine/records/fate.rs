//! What becomes of a container: whether it lives, stands on its node, is marked, and has a kill coming.
//!
//! # Who writes
//! The worker that owns the node, for every way in which a container may be marked or end.
//!
//! # Protocol
//! A container is marked while it lives; its mark announces one kill. It may end before that kill, by its node, its AM,
//! its application or its node's loss: then the mark goes, the kill still comes, and its record is kept until it has
//! come. So a late kill finds the container that it was meant for, or none. With
//! `preemption.strict` a marked container that still lives may be spared: mark and kill are both withdrawn, and it may
//! be marked again.
//!
//! # Invariant
//! I10, the part of it that is here: a container has at most one mark at a time, and each mark leads to at most one
//! kill. Checked by `loom-tests/tests/preemption_vs_end.rs`.

/// See the module's text. It is one byte, because a container's record must fit one cache line.
#[derive(Clone, Copy, Debug)]
pub struct Fate(u8);

const LIVE: u8 = 1;
const ON_NODE: u8 = 2;
/// It lives, and is to be preempted.
const MARKED: u8 = 4;
/// The kill of a mark is still to come, also after the container has ended by itself.
const DOOMED: u8 = 8;

impl Default for Fate {
    /// That of a container that was just granted.
    fn default() -> Self {
        Fate(LIVE | ON_NODE)
    }
}

impl Fate {
    /// That of no container.
    pub(crate) const OVER: Fate = Fate(0);

    #[inline]
    fn is(self, bit: u8) -> bool {
        self.0 & bit != 0
    }

    /// Takes a bit away; says whether it was there.
    #[inline]
    fn take(&mut self, bit: u8) -> bool {
        let was = self.is(bit);
        self.0 &= !bit;
        was
    }

    /// Whether it has not ended.
    #[must_use]
    #[inline]
    pub fn is_live(self) -> bool {
        self.is(LIVE)
    }

    /// Whether its node's room is taken by it.
    #[must_use]
    #[inline]
    pub fn is_on_node(self) -> bool {
        self.is(ON_NODE)
    }

    /// Whether it lives and is to be preempted.
    #[must_use]
    pub fn is_marked(self) -> bool {
        self.is(MARKED)
    }

    /// Marks it, if it lives and is not marked; a kill is to come then.
    #[must_use]
    pub fn mark(&mut self) -> bool {
        let may = self.is(LIVE) && !self.is(MARKED);
        if may {
            self.0 |= MARKED | DOOMED;
        }
        may
    }

    /// It ends; says whether it was marked.
    #[must_use]
    pub fn end(&mut self) -> bool {
        self.0 &= !LIVE;
        self.take(MARKED)
    }

    /// Its node has the room back; false where it had it before.
    #[must_use]
    pub fn leave_node(&mut self) -> bool {
        self.take(ON_NODE)
    }

    /// The kill that its mark announced has come; false where none was to come.
    #[must_use]
    pub fn take_kill(&mut self) -> bool {
        self.take(DOOMED)
    }

    /// Whether the kill that its mark announced is still to come.
    #[cfg(all(feature = "faults", not(loom)))]
    pub(crate) fn has_kill_to_come(self) -> bool {
        self.is(DOOMED)
    }

    /// It is not to be preempted after all; it may be marked again.
    pub fn spare(&mut self) {
        self.0 &= !(MARKED | DOOMED);
    }

    /// Whether its record can be used for another container: it has ended, its node has the room, and no kill is to
    /// come.
    #[must_use]
    pub fn is_over(self) -> bool {
        self.0 & (LIVE | ON_NODE | DOOMED) == 0
    }
}
