//! Killable containers of one node, in the order in which Hadoop's hash map has them (rules/capacity.md 16.6.4).

use super::preempted::Candidate;
use crate::id::ContainerNumber;
use crate::resource::Resource;
use crate::resource::sorted;

/// Killable containers of a node, in the order of Hadoop's hash map.
#[derive(Debug)]
pub(crate) struct Killable {
    /// In the order in which they were marked; with the node's room they leave.
    marked: Vec<(Candidate, Resource)>,
    /// Buckets of the map; they only grow.
    buckets: u32,
}

impl Default for Killable {
    fn default() -> Killable {
        Killable { marked: Vec::new(), buckets: 16 }
    }
}

/// The hash of a container, where the ResourceManager has started at 0.
fn hash((app, number): Candidate) -> u32 {
    let ContainerNumber { attempt, epoch, number, .. } = number;
    let of_app = 371_237_u32.wrapping_mul(371_237_u32.wrapping_mul(6_521)).wrapping_add(app);
    let of_attempt =
        347_671_u32.wrapping_mul(347_671_u32.wrapping_mul(5_501).wrapping_add(of_app)).wrapping_add(attempt);
    // An id has the epoch above forty bits of number; the hash of a long folds its halves.
    (number ^ epoch << 8).wrapping_mul(31).wrapping_add(of_attempt)
}

impl Killable {
    pub(crate) fn add(&mut self, candidate: Candidate, size: Resource) {
        if self.has(candidate) {
            return;
        }
        self.marked.push((candidate, size));
        while self.marked.len() > self.buckets as usize / 4 * 3 {
            self.buckets *= 2;
        }
    }

    pub(crate) fn remove(&mut self, candidate: Candidate) {
        self.marked.retain(|(other, _)| *other != candidate);
    }

    pub(crate) fn has(&self, candidate: Candidate) -> bool {
        self.marked.iter().any(|(other, _)| *other == candidate)
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.marked.is_empty()
    }

    pub(crate) fn sum(&self) -> Resource {
        self.marked.iter().fold(Resource::ZERO, |sum, (_, size)| sum.plus(size))
    }

    /// In the order in which they would go.
    pub(crate) fn in_order(&self) -> Vec<(Candidate, Resource)> {
        let bucket = |candidate: Candidate| {
            let hash = hash(candidate);
            (hash ^ (hash >> 16)) % self.buckets
        };
        let mut out = self.marked.clone();
        sorted::by_key(&mut out, |(candidate, _)| bucket(*candidate));
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_is_that_of_the_buckets_and_not_of_the_marks() {
        let mut killable = Killable::default();
        let of = |number| (2, ContainerNumber::granted(1, 0, number));
        (1..=8).for_each(|number| killable.add(of(number), Resource::new(1024, 1)));
        let order: Vec<u32> = killable.in_order().into_iter().map(|((_, number), _)| number.number).collect();
        assert_eq!(order, [3, 2, 1, 8, 7, 6, 5, 4]);
        assert_eq!(killable.sum(), Resource::new(8192, 8));
        killable.remove(of(2));
        assert_eq!(killable.in_order().len(), 7);
    }

    /// As `java.util.HashMap` has such keys of Hadoop's.
    #[test]
    fn the_epoch_has_a_part_in_the_order() {
        let order = |epoch| {
            let mut killable = Killable::default();
            (1..=8).for_each(|number| {
                killable.add((23, ContainerNumber::granted(1, epoch, number)), Resource::new(1024, 1))
            });
            killable.in_order().into_iter().map(|((_, number), _)| number.number).collect::<Vec<u32>>()
        };
        assert_eq!([order(0), order(1)], [[7, 8, 1, 2, 3, 4, 5, 6], [6, 5, 4, 3, 2, 1, 8, 7]]);
    }
}
