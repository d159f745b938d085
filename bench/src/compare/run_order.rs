//! The runs that are wanted, in order.

use super::cells::Cell;
use super::settings::{self, Extent, Setting};

/// A cell with all the ways in which it is run.
pub(super) struct CellRuns {
    pub(super) cell: Cell,
    pub(super) theirs: Vec<Setting>,
    pub(super) ours: Setting,
}

impl CellRuns {
    pub(super) fn of(cell: Cell, extent: Extent, workers: usize) -> CellRuns {
        CellRuns { theirs: settings::theirs(&cell, extent), ours: settings::ours(&cell, extent, workers), cell }
    }
}

/// One run that is wanted.
pub(super) struct Turn<'a> {
    pub(super) cell: &'a Cell,
    pub(super) setting: &'a Setting,
    pub(super) round: u32,
}

/// Theirs in each mode, ours, and so round by round; one cell after the other, so that rounds of a cell lie close
/// together.
pub(super) fn turns(contests: &[CellRuns], rounds: u32) -> Vec<Turn<'_>> {
    let mut turns = Vec::new();
    for CellRuns { cell, theirs, ours } in contests {
        for round in 1..=rounds {
            turns.extend(theirs.iter().chain([ours]).map(|setting| Turn { cell, setting, round }));
        }
    }
    turns
}
