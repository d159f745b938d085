//! The containers that a node names in a report.

use crate::id::ContainerId;
use smallvec::SmallVec;
use std::fmt;
use std::ops::Deref;

/// Containers that a [`Heartbeat`](crate::Heartbeat) names, in order; read as a slice. Up to `N` lie in the report
/// itself, without an allocation.
///
/// ```
/// use evenweave::{ContainerId, Heartbeat};
///
/// fn add(report: &mut Heartbeat, first: ContainerId, others: Vec<ContainerId>) {
///     report.completed.push(first);
///     report.completed.extend(others);
///     assert_eq!(report.completed[0], first);
/// }
/// ```
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub struct Reported<const N: usize>(SmallVec<[ContainerId; N]>);

impl<const N: usize> Reported<N> {
    /// None.
    #[must_use]
    pub fn new() -> Reported<N> {
        Reported(SmallVec::new())
    }

    /// One more.
    #[inline]
    pub fn push(&mut self, container: ContainerId) {
        self.0.push(container);
    }

    /// None any more, with the memory kept.
    pub fn clear(&mut self) {
        self.0.clear();
    }
}

impl<const N: usize> Deref for Reported<N> {
    type Target = [ContainerId];

    #[inline]
    fn deref(&self) -> &[ContainerId] {
        &self.0
    }
}

impl<const N: usize> Extend<ContainerId> for Reported<N> {
    fn extend<I: IntoIterator<Item = ContainerId>>(&mut self, more: I) {
        self.0.extend(more);
    }
}

impl<const N: usize> FromIterator<ContainerId> for Reported<N> {
    fn from_iter<I: IntoIterator<Item = ContainerId>>(all: I) -> Reported<N> {
        Reported(all.into_iter().collect())
    }
}

impl<'a, const N: usize> IntoIterator for &'a Reported<N> {
    type Item = &'a ContainerId;
    type IntoIter = std::slice::Iter<'a, ContainerId>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<const N: usize> fmt::Debug for Reported<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
