//! What a round of preemption marks, of either scheduler.
//!
//! Plain values; any thread.

use crate::fair::MarkedFor;
use crate::id::{ContainerId, ContainerName};

/// What a round of preemption has marked: a FairScheduler's for one starved application, and a round for
/// each; a CapacityScheduler's all in one.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct PreemptionRound {
    /// The number of the starved application. A CapacityScheduler's policy marks for queues, and names none.
    pub app: Option<u32>,
    /// Containers to be preempted, in the order in which they were chosen.
    pub containers: Vec<ContainerId>,
    /// Reservations, each by the name that its container would have. A CapacityScheduler's policy marks them as it
    /// marks containers, and no AM is told. Where nodes have had other labels, it may also mark what has ended.
    pub reservations: Vec<ContainerName>,
}

impl PreemptionRound {
    /// How many containers and reservations it marks.
    #[must_use]
    pub fn count(&self) -> usize {
        self.containers.len() + self.reservations.len()
    }

    /// What a CapacityScheduler's policy has marked: containers as the workers find them, each with its place in the
    /// order of the choice. Nothing is no round.
    pub(super) fn of_policy(
        mut found: Vec<(usize, ContainerId)>,
        reservations: Vec<ContainerName>,
    ) -> Vec<PreemptionRound> {
        found.sort_unstable_by_key(|(place, _)| *place);
        let containers = found.into_iter().map(|(_, id)| id).collect();
        let round = PreemptionRound { app: None, containers, reservations };
        if round.count() == 0 { Vec::new() } else { vec![round] }
    }
}

impl From<MarkedFor> for PreemptionRound {
    fn from(MarkedFor { app, containers }: MarkedFor) -> PreemptionRound {
        PreemptionRound { app: Some(app), containers, reservations: Vec::new() }
    }
}
