//! Nodes that have more than they may, since their total is another (reference 6, 11.1; `signalContainersIfOvercommitted`).
//!
//! Run by the worker: when it hears of the new total, after what follows from the change of the cluster, and when the node reports.

use super::preempting::candidate_of;
use super::types::Shard;
use crate::engine::books::ledger::NodeShared;
use crate::resource::Resource;
use smallvec::SmallVec;

impl Shard {
    /// A node has another total, of which the books know. `kill`: what does not fit ends from now on. Where that was so before, and
    /// this time it is not asked for, their AMs are told first.
    pub(super) fn total_has_changed(&mut self, node: &NodeShared, kill: bool) {
        let Some(node) = self.place_of(node) else { return };
        let ends = &mut self.nodes[node as usize].own.ends_overcommitted;
        *ends |= kill;
        if kill {
            self.end_what_does_not_fit(node);
        } else if *ends {
            let told = self.not_fitting(node).into_iter().map(|index| candidate_of(&self.containers[index]));
            told.collect::<Vec<_>>().into_iter().for_each(|candidate| self.tell_of(candidate));
        }
    }

    /// A node has reported.
    pub(super) fn end_what_does_not_fit(&mut self, node: u32) {
        if self.nodes[node as usize].own.ends_overcommitted {
            self.not_fitting(node).into_iter().for_each(|index| self.kill_or_mark(index));
        }
    }

    fn not_fitting(&self, node: u32) -> SmallVec<[u32; 4]> {
        let arith = self.own.books.arith;
        self.overcommitted(node, |free| arith.fits_in(&Resource::ZERO, free))
    }
}
