//! What is still to be obtained from one leaf, by partition, while a round of the preemption policy takes its
//! containers.
//!
//! A plain value of the round.

use crate::capacity::rules::arith::Arith;
use crate::capacity::rules::preemption::Taking;
use crate::resource::Resource;

/// See the module's text.
#[derive(Debug)]
pub(super) struct Takings {
    parts: Vec<Taking>,
    conservative: bool,
    arith: Arith,
    cluster: Resource,
}

impl Takings {
    /// `wanted`: by partition, `None` where nothing is to be obtained.
    pub(super) fn of(
        wanted: impl Iterator<Item = Option<Resource>>,
        conservative: bool,
        arith: Arith,
        cluster: Resource,
    ) -> Takings {
        Takings { parts: wanted.map(|to_obtain| Taking { to_obtain }).collect(), conservative, arith, cluster }
    }

    /// The partitions from which something is to be obtained.
    pub(super) fn open(&self) -> Vec<usize> {
        self.parts.iter().enumerate().filter(|(_, taking)| taking.to_obtain.is_some()).map(|(part, _)| part).collect()
    }

    /// Enough has been taken, everywhere.
    pub(super) fn are_done(&self) -> bool {
        self.parts.iter().all(|taking| taking.to_obtain.is_none())
    }

    /// Takes a container of `size` on a node of a partition, if it counts there. `None` is a partition of which nothing
    /// is known.
    pub(super) fn take(&mut self, part: Option<usize>, size: &Resource, budget: &mut Resource) -> bool {
        let taking = part.and_then(|part| self.parts.get_mut(part));
        taking.is_some_and(|taking| taking.take(size, budget, self.conservative, self.arith, &self.cluster))
    }
}
