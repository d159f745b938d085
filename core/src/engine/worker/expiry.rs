//! Expiry: ends containers that an AM has acquired and that no node has reported as launched in time.
//!
//! # Where it stands
//! Each worker scans the containers of its own nodes, every third of the interval
//! (`yarn.resourcemanager.rm.container-allocation.expiry-interval-ms`); Hadoop's `ContainerAllocationExpirer`,
//! rules/assignment.md 11.5. Heartbeats and grants do nothing for it: the thread that drains a mailbox writes the time
//! of acquisition into the mail record (`mailbox`), and the scan reads it there.
//!
//! # What races, and why it is safe
//! A scan against the acquisition: the worker sees a container not acquired, or acquired with its time
//! (`loom-tests/tests/expire_vs_acquire.rs`). Launch, completion and release are messages to the same worker.
//!
//! # Trade-offs
//! A scan goes over all records of the worker, in slices between batches, so that no heartbeat waits for all of it. A
//! list of what is not launched would have to be written at every grant.

use crate::engine::decider::Decider;
use crate::engine::mail::container::EndReason;
use crate::engine::records::expiry_scans::{ExpiryScans, between};
use crate::engine::shard::Shard;

/// Records that one slice of a look goes over.
const SLICE: u32 = 4096;

impl<D: Decider> Shard<D> {
    /// How long it is until the next look for expired containers.
    pub(crate) fn next_scan_in_ms(&self, now_ms: u64) -> u64 {
        self.expiry_scans.due.left_ms(now_ms).unwrap_or(u64::MAX)
    }

    /// Goes on with the look for expired containers, or begins one when it is due; false when there is nothing to do.
    pub(crate) fn scan_for_expired(&mut self, now_ms: u64) -> bool {
        let interval_ms = self.shared.settings.container_expiry_ms;
        let (first, began_ms) = match self.expiry_scans.under_way {
            Some(at) => at,
            None if !self.expiry_scans.due.is_over(now_ms) => {
                if self.expiry_scans.due.is_beyond(now_ms, between(interval_ms)) {
                    self.expiry_scans = ExpiryScans::from(now_ms, interval_ms);
                }
                return false;
            }
            None => (0, now_ms),
        };
        // The clock has jumped by more than a mail record can tell (25 days).
        let passed_ms = began_ms.saturating_sub(self.expiry_scans.last_ms);
        let has_jumped = passed_ms > interval_ms && passed_ms > u64::from(i32::MAX.cast_unsigned());
        let longest = i64::try_from(interval_ms).unwrap_or(i64::MAX);
        let end = self.containers.len().min(first + SLICE);
        for index in first..end {
            let record = &self.containers[index];
            if !record.fate.is_live() || record.launched {
                continue;
            }
            let acquired_for_ms = |at_ms| self.shared.arenas[self.worker].acquired_for_ms(record.mail, at_ms);
            // Read after the time of acquisition, so later than it: what still looks as if it were to come was acquired
            // before the jump. Of the rest, some may have been too; they look like new ones, and expire an interval
            // from now at the latest.
            let is_from_before =
                || acquired_for_ms(self.shared.clock.now_ms()).is_some_and(|waited: i32| waited.is_negative());
            // Later than the interval, not at it.
            let has_expired =
                |waited: i32| i64::from(waited) > longest || has_jumped && waited.is_negative() && is_from_before();
            if acquired_for_ms(began_ms).is_some_and(has_expired) {
                self.end_container(index, EndReason::Expired, false);
            }
        }
        if end < self.containers.len() {
            self.expiry_scans.under_way = Some((end, began_ms));
        } else {
            // From its end: with a small interval and many records it would never be over.
            self.expiry_scans = ExpiryScans::from(now_ms, interval_ms);
        }
        true
    }
}
