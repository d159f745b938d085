//! Offer: a node may get containers. The decider chooses, and each choice comes back as a grant.
//!
//! # Where it stands
//! After a report, or in a round of the async allocation thread; then the decider's pass, which calls `grant` for each
//! container.

use crate::engine::decider::Decider;
use crate::engine::shard::Shard;
use crate::engine::shared::count;

/// The most containers that one heartbeat grants, whatever room the node has and however many are asked for. The worker
/// then goes on with its other messages, and the next heartbeat grants more. No real node holds as many.
pub(crate) const MAX_GRANTS_PER_HEARTBEAT: i32 = 100_000;

impl<D: Decider> Shard<D> {
    /// A node may get containers, if it is still there.
    pub(crate) fn offer_node(&mut self, node: u32) {
        if !self.nodes[node as usize].gone {
            D::offered(self, node);
            self.publish_free(node);
        }
    }

    /// A round of the async allocation thread. Where it begins is left to chance, as in Hadoop.
    pub(crate) fn offer_all(&mut self) {
        // A step of xorshift; 0 would stay 0.
        let mut chance = self.random_state;
        chance ^= chance << 13;
        chance ^= chance >> 17;
        chance ^= chance << 5;
        self.random_state = chance;
        let nodes = u32::try_from(self.nodes.count()).unwrap_or(u32::MAX).max(1);
        self.offer_from((chance % nodes) as usize);
    }

    /// Offers every node that has reported lately once, in order of registration, beginning at `first`: from there to
    /// the last, then from the first to this one, which gets a second offer (Hadoop's `CapacityScheduler.schedule`).
    pub(crate) fn offer_from(&mut self, first: usize) {
        if D::round_is_together(self, first) {
            return;
        }
        let now = self.shared.clock.now_ms();
        let Some(begin) = self.nodes.nth(first) else { return };
        for at in (begin..self.nodes.end()).chain(0..=begin) {
            let Some(node) = self.nodes.in_order(at) else { continue };
            let at = &self.nodes[node as usize];
            let silent = now.saturating_sub(at.last_heartbeat_ms) > self.shared.settings.silent_after_ms;
            if at.decommissioning || silent {
                continue;
            }
            count(&self.shared.counters[self.worker].offers, 1);
            D::offered_in_round(self, node);
            self.publish_free(node);
        }
    }
}
