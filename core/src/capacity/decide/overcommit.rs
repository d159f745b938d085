//! Nodes that have more than they may, since their total is another (rules/capacity.md 6, 11.1;
//! `signalContainersIfOvercommitted`).
//!
//! Run by the worker: when it hears of the new total, after what follows from the change of the cluster, and when the
//! node reports. Then who has to go is known before the node is offered, and goes after that: Hadoop sends itself an
//! event.

use super::preempting::candidate_of;
use crate::capacity::types::Shard;
use crate::engine::books::ledger::NodeShared;
use crate::id::NONE;
use crate::resource::Resource;
use smallvec::SmallVec;

impl Shard {
    /// A node has another total, of which the books know. `kill`: what does not fit ends from now on. Where that was so
    /// before, and this time it is not asked for, their AMs are told first.
    pub(crate) fn total_has_changed(&mut self, node: &NodeShared, kill: bool) {
        let Some(node) = self.place_of(node) else { return };
        let ends = &mut self.nodes[node as usize].own.ends_overcommitted;
        *ends |= kill;
        if kill {
            self.look_what_does_not_fit(node);
            self.end_what_did_not_fit();
        } else if *ends {
            let told = self.not_fitting(node).into_iter().map(|index| candidate_of(&self.containers[index]));
            told.collect::<Vec<_>>().into_iter().for_each(|candidate| self.tell_of(candidate));
        }
    }

    /// A node reports: what does not fit on it is to go.
    pub(crate) fn look_what_does_not_fit(&mut self, node: u32) {
        // A panic may have left some of another node.
        self.own.containers_to_end.clear();
        if self.nodes[node as usize].own.ends_overcommitted {
            let containers_to_end =
                self.not_fitting(node).into_iter().map(|index| (index, candidate_of(&self.containers[index])));
            self.own.containers_to_end = containers_to_end.collect();
        }
    }

    /// What did not fit when the node reported goes, unless it has ended since and its record is free, or another's.
    pub(crate) fn end_what_did_not_fit(&mut self) {
        for (index, candidate) in std::mem::take(&mut self.own.containers_to_end) {
            let record = &self.containers[index];
            if record.node != NONE && candidate_of(record) == candidate {
                self.kill_or_mark(index);
            }
        }
    }

    fn not_fitting(&self, node: u32) -> SmallVec<[u32; 4]> {
        let arith = self.own.books.arith;
        self.overcommitted(node, |free| arith.fits_in(&Resource::ZERO, free))
    }
}
