//! What a round of preemption marks, of either scheduler.
//!
//! Plain values; any thread.

use crate::fair::MarkedFor;
use crate::id::ContainerId;

/// The containers that a round of preemption has marked: a FairScheduler's for one starved application, and a round for
/// each; a CapacityScheduler's all in one.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct PreemptionRound {
    /// The number of the starved application. A CapacityScheduler's policy marks for queues, and names none.
    pub app: Option<u32>,
    /// Containers to be preempted, in the order in which they were chosen.
    pub containers: Vec<ContainerId>,
}

impl PreemptionRound {
    /// What a CapacityScheduler's policy has marked, as the workers find it, each with its place in the order of the
    /// choice. Nothing is no round.
    pub(super) fn of_policy(mut found: Vec<(usize, ContainerId)>) -> Vec<PreemptionRound> {
        found.sort_unstable_by_key(|(place, _)| *place);
        let containers: Vec<_> = found.into_iter().map(|(_, id)| id).collect();
        if containers.is_empty() { Vec::new() } else { vec![PreemptionRound { app: None, containers }] }
    }
}

impl From<MarkedFor> for PreemptionRound {
    fn from(MarkedFor { app, containers }: MarkedFor) -> PreemptionRound {
        PreemptionRound { app: Some(app), containers }
    }
}
