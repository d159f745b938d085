//! The nodes that are there, in order of registration: each found, measured and taken away in O(log nodes), however
//! many there are.
//!
//! Owned by the control, run on its thread.

use crate::engine::books::ledger::NodeShared;
use crate::engine::intake::reply::Reply;
use crate::event::Refused;
use crate::event::refused::{Invalid, Limit};
use crate::id::NodeId;
use crate::matching::size::{LARGEST_AMOUNT, check_size};
use crate::resource::{MAX_TYPES, Resource};
use crate::sync::Arc;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Who waits for the end of something.
pub(super) type Waiters = Vec<Reply<Result<(), Refused>>>;

/// A node as the control keeps it.
#[derive(Debug)]
pub(crate) struct NodeEntry {
    pub(crate) shared: Arc<NodeShared>,
    pub(super) total: Resource,
    /// The most that it has had: what runs on it may be as much, also after it was made smaller.
    peak: Resource,
    /// The sum of what was taken over on it, as containers that run already: nobody has asked whether these fit.
    taken_over: Resource,
    pub(super) closing: Option<Waiters>,
    /// Its total before it was decommissioned, while it is.
    pub(super) decommissioned_from: Option<Resource>,
}

/// See the module's text.
#[derive(Debug, Default)]
pub(crate) struct PresentNodes {
    /// By id, which counts registrations.
    entries: BTreeMap<NodeId, NodeEntry>,
    by_name: FxHashMap<u32, NodeId>,
    /// How many are not closing.
    open: u32,
    total: Resource,
    /// Sums of what each node may have running: its peak, and what was taken over on it. At most [`LARGEST_AMOUNT`] of
    /// a type.
    peaks: Resource,
    /// Of each type, how many nodes have how much.
    amounts: [BTreeMap<i64, u32>; MAX_TYPES],
}

impl PresentNodes {
    pub(super) fn has_name(&self, location: u32) -> bool {
        self.by_name.contains_key(&location)
    }

    /// How many there are that are not being removed.
    pub(super) fn open(&self) -> u32 {
        self.open
    }

    /// What all have together.
    pub(crate) fn total(&self) -> Resource {
        self.total
    }

    /// The most of each type that one of them has.
    pub(super) fn largest(&self) -> Option<Resource> {
        let most = |lane: usize| self.amounts[lane].last_key_value().map_or(0, |(amount, _)| *amount);
        (!self.entries.is_empty()).then(|| Resource::from_fn(most))
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &NodeEntry> {
        self.entries.values()
    }

    /// One that is not being removed.
    pub(super) fn find(&mut self, node: &NodeShared) -> Option<&mut NodeEntry> {
        let entry = self.entries.get_mut(&node.id)?;
        // By address: another scheduler has a node of this number too.
        (std::ptr::eq(&*entry.shared, node) && entry.closing.is_none()).then_some(entry)
    }

    /// Refuses a node that would take the cluster too far, where `before` is what it counts for now.
    pub(super) fn check(&self, name: &str, total: &Resource, before: &Resource) -> Result<(), Refused> {
        if total.amounts().iter().any(|lane| *lane < 0) {
            return Err(Invalid::NodeTotal { name: name.to_owned(), total: Box::new(*total) }.into());
        }
        let others = self.peaks.minus(before);
        if others.amounts().iter().zip(total.amounts()).any(|(others, lane)| *lane > LARGEST_AMOUNT - others) {
            let largest = Resource::from_fn(|i| LARGEST_AMOUNT - others.get(i));
            return Err(Limit::ClusterTooLarge {
                name: name.to_owned(),
                total: Box::new(*total),
                largest: Box::new(largest),
            }
            .into());
        }
        Ok(())
    }

    /// What a node that is there counts for, and would with another total.
    pub(super) fn check_resize(&self, node: &NodeShared, total: &Resource) -> Result<(), Refused> {
        let before = self.entries.get(&node.id).map_or(Resource::ZERO, |entry| entry.peak);
        self.check(&node.name, total, &before)
    }

    /// Refuses a container that runs already where it would take the cluster too far, with what is not counted yet
    /// `beside` it.
    pub(super) fn check_running(&self, size: &Resource, beside: &Resource) -> Result<(), Refused> {
        check_size(MAX_TYPES, size, &Resource::from_fn(|i| LARGEST_AMOUNT - self.peaks.get(i) - beside.get(i)))
    }

    /// Checked containers are taken over on a node. They count as long as it is there.
    pub(super) fn take_over(&mut self, node: &NodeShared, size: &Resource) {
        let Some(entry) = self.entries.get_mut(&node.id) else { return };
        entry.taken_over = entry.taken_over.plus(size);
        self.peaks = self.peaks.plus(size);
    }

    /// A checked node comes.
    pub(super) fn add(&mut self, shared: Arc<NodeShared>, total: Resource) {
        self.by_name.insert(shared.name_location, shared.id);
        self.open += 1;
        self.count_in(&total);
        self.peaks = self.peaks.plus(&total);
        let (peak, taken_over) = (total, Resource::ZERO);
        let entry = NodeEntry { total, peak, taken_over, closing: None, decommissioned_from: None, shared };
        self.entries.insert(entry.shared.id, entry);
    }

    /// It is to go, once its worker has ended what runs on it.
    pub(super) fn begin_to_close(&mut self, node: &NodeShared, waiters: Waiters) -> bool {
        let Some(entry) = self.find(node) else { return false };
        entry.closing = Some(waiters);
        self.open -= 1;
        true
    }

    /// It is gone.
    pub(super) fn remove(&mut self, node: NodeId) -> Option<NodeEntry> {
        let entry = self.entries.remove(&node)?;
        self.by_name.remove(&entry.shared.name_location);
        self.open -= u32::from(entry.closing.is_none());
        self.count_out(&entry.total);
        self.peaks = self.peaks.minus(&entry.peak).minus(&entry.taken_over);
        Some(entry)
    }

    /// Gives a node another total, which was checked; says whether it is another.
    pub(super) fn resize(&mut self, node: &NodeShared, total: Resource) -> bool {
        let Some(entry) = self.find(node) else { return false };
        let before = std::mem::replace(&mut entry.total, total);
        let peak_before = entry.peak;
        entry.peak = entry.peak.most(&total);
        let peak = entry.peak;
        self.peaks = self.peaks.minus(&peak_before).plus(&peak);
        self.count_out(&before);
        self.count_in(&total);
        before != total
    }

    fn count_in(&mut self, total: &Resource) {
        self.total = self.total.plus(total);
        for (amounts, amount) in self.amounts.iter_mut().zip(total.amounts()) {
            *amounts.entry(*amount).or_insert(0) += 1;
        }
    }

    fn count_out(&mut self, total: &Resource) {
        self.total = self.total.minus(total);
        for (amounts, amount) in self.amounts.iter_mut().zip(total.amounts()) {
            if let Some(nodes) = amounts.get_mut(amount) {
                *nodes -= 1;
                if *nodes == 0 {
                    amounts.remove(amount);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn node(id: u32) -> Arc<NodeShared> {
        Arc::new(NodeShared::new(0, NodeId(id), &format!("n{id}"), "/r", id + 1, 0, 0, (id, 0), &Resource::ZERO))
    }

    proptest! {
        /// Totals, largest and count are those of the nodes looked at one by one, and what may run stays within the
        /// limit.
        #[test]
        fn sums_are_those_of_the_nodes(ops in proptest::collection::vec((0..5_u8, 0..6_u32, any::<[i64; 2]>()), 1..60)) {
            let (mut present, mut made) = (PresentNodes::default(), Vec::<Arc<NodeShared>>::new());
            for (op, which, [a, b]) in ops {
                let total = Resource::new(a >> (which * 9), b >> (which * 9));
                let known = made.get(which as usize).cloned();
                match (op, known) {
                    (0 | 1, _) => {
                        let new = node(u32::try_from(made.len()).unwrap());
                        if present.check(&new.name, &total, &Resource::ZERO).is_ok() {
                            present.add(new.clone(), total);
                            made.push(new);
                        }
                    }
                    (2, Some(node)) if present.find(&node).is_some() && present.check_resize(&node, &total).is_ok() => {
                        present.resize(&node, total);
                    }
                    (3, Some(node)) => drop(present.remove(node.id)),
                    (4, Some(node))
                        if present.find(&node).is_some() && present.check_running(&total, &Resource::ZERO).is_ok() =>
                    {
                        present.take_over(&node, &total);
                    }
                    _ => {}
                }
                let all: Vec<_> = present.iter().map(|entry| entry.total).collect();
                let wide = |lane: usize| all.iter().map(|total| i128::from(total.get(lane))).sum::<i128>();
                let may_run = |entry: &NodeEntry, lane: usize| {
                    i128::from(entry.peak.get(lane)) + i128::from(entry.taken_over.get(lane))
                };
                let peaks = |lane: usize| present.iter().map(|entry| may_run(entry, lane)).sum::<i128>();
                for lane in 0..2 {
                    prop_assert_eq!(i128::from(present.total().get(lane)), wide(lane));
                    prop_assert_eq!(i128::from(present.peaks.get(lane)), peaks(lane));
                    prop_assert!(peaks(lane) <= i128::from(LARGEST_AMOUNT));
                }
                prop_assert_eq!(present.largest(), all.iter().copied().reduce(|a, b| a.most(&b)));
                prop_assert_eq!(present.open() as usize, all.len());
            }
        }
    }
}
