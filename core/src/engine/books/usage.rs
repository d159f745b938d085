//! Words that usage is counted in.
//!
//! # Who owns what
//! A [`UsageCell`] has one writer, the worker whose it is; a [`SharedUsage`] is for what changes so seldom that all may
//! write it. The `ledger` is made of both.
//!
//! # What races, and why it is safe
//! The AM usage of a leaf queue, when an application is moved out of it at the moment its AM is granted:
//! `loom-tests/tests/move_vs_grant.rs`.

// How a sum ends is said at each.
#![warn(clippy::arithmetic_side_effects)]

use crate::resource::{MAX_TYPES, Resource};
use crate::sync::atomic::{AtomicI64, Ordering};

/// One vector that one thread changes and all may read.
#[derive(Debug)]
pub struct UsageCell([AtomicI64; MAX_TYPES]);

impl Default for UsageCell {
    fn default() -> Self {
        UsageCell(std::array::from_fn(|_| AtomicI64::new(0)))
    }
}

impl UsageCell {
    /// Adds; by the owner alone.
    #[inline]
    pub fn add(&self, types: usize, amount: &Resource) {
        for (cell, lane) in self.0.iter().zip(amount.amounts()).take(types) {
            // ORDERING: Relaxed. A sum nobody infers other memory from; quiescence is reached through channels.
            cell.store(cell.load(Ordering::Relaxed).wrapping_add(*lane), Ordering::Relaxed);
        }
    }

    /// Adds; `now` is the sum of all cells afterwards, as the owner sees it. By the owner, who may be the only writer
    /// of all: then the cell, which others have read, need not come over before it is written.
    #[cfg(not(loom))]
    #[inline]
    pub(crate) fn add_knowing(&self, types: usize, amount: &Resource, now: &Resource, alone: bool) {
        if alone { self.set(types, now) } else { self.add(types, amount) }
    }

    /// Replaces; by the owner alone.
    #[inline]
    pub fn set(&self, types: usize, amount: &Resource) {
        self.set_lanes(0, 2, amount);
        if types > 2 {
            self.set_custom(types, amount);
        }
    }

    /// A call, so that who has two types has no loop in the way.
    #[inline(never)]
    fn set_custom(&self, types: usize, amount: &Resource) {
        self.set_lanes(2, types, amount);
    }

    #[inline(always)]
    fn set_lanes(&self, from: usize, to: usize, amount: &Resource) {
        for (cell, lane) in self.0[from..to].iter().zip(&amount.amounts()[from..to]) {
            // ORDERING: Relaxed, as in `add`.
            cell.store(*lane, Ordering::Relaxed);
        }
    }

    /// Adds so many times the value of the first types to a sum, up to the end of 64 bits: an AM may ask for any
    /// number.
    #[inline]
    pub fn add_to<const TYPES: usize>(&self, times: u32, sum: &mut [i64; TYPES]) {
        for (sum, cell) in sum.iter_mut().zip(&self.0) {
            // ORDERING: Relaxed, as in `add`.
            *sum = sum.saturating_add(cell.load(Ordering::Relaxed).saturating_mul(i64::from(times)));
        }
    }

    /// The amount of one type.
    #[inline]
    pub fn get(&self, index: usize) -> i64 {
        // ORDERING: Relaxed, as in `add`.
        self.0[index].load(Ordering::Relaxed)
    }

    /// The value, type by type.
    #[inline]
    pub fn read(&self) -> Resource {
        // ORDERING: Relaxed, as in `add`.
        Resource::from_fn(|i| self.0[i].load(Ordering::Relaxed))
    }
}

/// A vector that several threads change, seldom.
#[derive(Debug, Default)]
pub struct SharedUsage(UsageCell);

impl SharedUsage {
    /// The value, type by type.
    pub fn read(&self) -> Resource {
        self.0.read()
    }

    /// Adds; by anybody.
    pub fn add(&self, amount: &Resource) {
        for (word, lane) in self.0.0.iter().zip(amount.amounts()).filter(|(_, lane)| **lane != 0) {
            // ORDERING: Relaxed. Each type is one word with its own limit.
            word.fetch_add(*lane, Ordering::Relaxed);
        }
    }

    /// Takes away; by anybody.
    pub fn subtract(&self, amount: &Resource) {
        self.add(&Resource::ZERO.minus(amount));
    }

    /// Adds if every type stays within `limit`; otherwise leaves no trace.
    #[must_use]
    pub fn try_add(&self, amount: &Resource, limit: &Resource) -> bool {
        for i in 0..MAX_TYPES {
            let (lane, limit) = (amount.get(i), limit.get(i));
            // ORDERING: Relaxed, as in `add`: the compare-exchange on one word keeps it within its limit.
            let taken = self.0.0[i].fetch_update(Ordering::Relaxed, Ordering::Relaxed, |used| {
                (used.wrapping_add(lane) <= limit).then(|| used.wrapping_add(lane))
            });
            if taken.is_err() {
                for j in 0..i {
                    self.0.0[j].fetch_sub(amount.get(j), Ordering::Relaxed);
                }
                return false;
            }
        }
        true
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_refused_am_share_leaves_no_trace() {
        let used = SharedUsage::default();
        assert!(used.try_add(&Resource::new(10, 1), &Resource::new(10, 1)));
        assert!(!used.try_add(&Resource::new(0, 1), &Resource::new(10, 1)));
        assert!(!used.try_add(&Resource::new(1, 0), &Resource::new(10, 5)));
        assert_eq!(used.read(), Resource::new(10, 1));
    }
}
