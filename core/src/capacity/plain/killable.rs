//! Lazy preemption: containers that go only when somebody needs their room (rules/capacity.md 25.4, 16.6.4, 18.2).

use super::state::Plain;
use crate::capacity::preempted::Candidate;
use crate::id::ContainerNumber;
use crate::resource::Resource;
use std::collections::BTreeMap;

/// Its application and number: here applications have one attempt.
pub(super) fn as_container((app, number): Candidate) -> (u32, u32) {
    (app, number.number)
}

/// The same the other way round.
pub(super) fn as_candidate(app: u32, number: u32) -> Candidate {
    (app, ContainerNumber::granted(1, 0, number))
}

impl Plain {
    pub(super) fn killable_in(&self, slot: u32) -> Resource {
        let killable: &BTreeMap<_, Resource> = &self.counts[slot as usize].killable;
        killable.values().fold(Resource::ZERO, |sum, size| sum.plus(size))
    }

    pub(super) fn is_killable(&self, candidate: Candidate) -> bool {
        let leaves = self.leaves.iter().zip(&self.counts).filter(|(leaf, _)| leaf.is_some());
        leaves.into_iter().any(|(_, counts)| counts.killable.contains_key(&candidate))
    }

    /// Its grace period is over.
    pub(super) fn kill_or_mark(&mut self, candidate: Candidate) {
        let (app, number) = as_container(candidate);
        if !self.tree.file.settings().lazy_preemption {
            if self.apps.get(&app).is_some_and(|local| local.containers.contains_key(&number)) {
                self.end_container(app, number, true);
            }
            return;
        }
        // One that has ended counts too until its node has said so, and in the queues for good.
        let container = self.apps.get(&app).and_then(|local| local.containers.get(&number));
        let here = container.map(|container| (container.node, container.size));
        let left = || self.lingering.get(&(app, number)).map(|left| (left.node, left.size));
        let Some((node, size)) = here.or_else(left) else { return };
        self.node_mut(node).killable.add(candidate, size);
        let Some(leaf) = self.apps.get(&app).map(|local| local.leaf) else { return };
        let path: Vec<u32> = self.tree.path(leaf).collect();
        for queue in path {
            self.counts[queue as usize].killable.insert(candidate, size);
        }
    }

    /// It has ended, in this leaf.
    pub(super) fn not_killable_any_more(&mut self, leaf: u32, candidate: Candidate) {
        let path: Vec<u32> = self.tree.path(leaf).collect();
        for queue in path {
            self.counts[queue as usize].killable.remove(&candidate);
        }
    }

    /// A parent is above its maximum: killable containers below it go, by id, until it is not.
    pub(super) fn enforce_maximum(&mut self, slot: u32) {
        let maximum = *self.tree.get(slot).maximum();
        let (arith, cluster) = (self.arith, self.cluster);
        let candidates: Vec<Candidate> = self.counts[slot as usize].killable.keys().copied().collect();
        for candidate in candidates {
            if !arith.is_greater(&cluster, &self.counts[slot as usize].used, &maximum) {
                break;
            }
            let (app, number) = as_container(candidate);
            self.end_container(app, number, false);
        }
    }
}
