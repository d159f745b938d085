//! Why one sibling comes before another, as a value.

use super::key::Tie;

/// Why one of two siblings is offered a node before the other: the first of a policy's comparisons that told them
/// apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Precedence {
    /// The other one wanted nothing at the last update (`fair`).
    Demand,
    /// It is below its min share, the other one is not.
    MinShare,
    /// Both are below their min share, and it has the smaller part of it.
    PartOfMinShare,
    /// The other one's weight is not positive, and this one's is larger (`fair`).
    Weight,
    /// It uses less for its weight (`fair`: memory over weight).
    UsageToWeight,
    /// Its largest share of the cluster, divided by its weight, is smaller. If those are equal, the first of the next
    /// largest shares that differs is smaller (`drf`).
    DominantShare,
    /// It started earlier.
    StartTime,
    /// Its name sorts first.
    Name,
    /// No reason is known. Either the policy gives none, or it does not put this one first if only the two are
    /// compared: its comparison is not transitive, as with weight 0 under `drf`.
    Policy,
}

impl Precedence {
    /// What is left when all else is equal.
    #[must_use]
    pub fn of_ties(first: Tie, second: Tie) -> Precedence {
        if first.start_ms == second.start_ms { Precedence::Name } else { Precedence::StartTime }
    }
}
