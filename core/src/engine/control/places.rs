//! Which places in a worker's list of nodes are taken.

use crate::engine::books::ledger::NodeShared;

/// The places in the list of one worker's nodes.
#[derive(Debug, Default)]
pub(crate) struct Places {
    made: u32,
    /// Those that nobody has, with the turn that comes next.
    free: Vec<(u32, u8)>,
}

impl Places {
    /// A place, and which of its nodes this one will be.
    pub(super) fn take(&mut self) -> (u32, u8) {
        self.free.pop().unwrap_or_else(|| {
            self.made += 1;
            (self.made - 1, 0)
        })
    }

    /// How many there are, and how many of them nobody has.
    #[cfg(feature = "faults")]
    pub(super) fn counts(&self) -> (usize, usize) {
        (self.made as usize, self.free.len())
    }

    pub(super) fn give_back(&mut self, node: &NodeShared) {
        self.free.push((node.local, node.generation.wrapping_add(1)));
    }
}
