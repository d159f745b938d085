//! Locality: how near the requested place a key must get its containers now, by the FairScheduler's settings.
//!
//! The rule is [`Delay`](crate::matching::delay::Delay)'s, one a key and worker.

use crate::config::Settings;
use crate::fair::engine::{KeyLocal, Shard};
use crate::id::Locality;
use crate::matching::delay::Rule;
use crate::resource::Resource;

impl Shard {
    /// Counts the opportunity and says which locality is allowed now.
    #[inline(never)]
    pub(super) fn visit_key(&mut self, app: u32, key: usize) -> Locality {
        self.own.repeatable = true;
        let rule = self.rule_of(app);
        self.take_missed(app, key);
        self.app_mut(app).keys[key].own.visit(rule)
    }

    /// Which locality the next visit would allow, and how many visits that level has had then; without one.
    pub(super) fn allowed_at(&mut self, app: u32, key: usize) -> (Locality, u32) {
        if !self.own.counts_opportunities {
            return (Locality::OffSwitch, 0);
        }
        let rule = self.rule_of(app);
        self.take_missed(app, key);
        let mut delay = self.app(app).keys[key].own;
        (delay.visit(rule), delay.opportunities)
    }

    fn rule_of(&self, app: u32) -> Rule {
        let settings = &self.shared.decider.settings;
        if settings.continuous_scheduling {
            Rule::Time {
                now_ms: self.shared.clock.now_ms(),
                start_ms: self.app(app).own.tie.start_ms,
                delays_ms: [settings.locality_delay_node_ms, settings.locality_delay_rack_ms],
            }
        } else {
            rule_of_visits(settings, self.nodes_of_visits())
        }
    }

    /// Each worker counts the offers of its own nodes, so it compares with how many those are.
    pub(super) fn nodes_of_visits(&self) -> usize {
        let alone = self.shared.workers == 1;
        if alone { self.snapshot.structure.nodes as usize } else { self.nodes.count() }
    }
}

impl KeyLocal {
    /// How near a node is to what is asked for, of so many outstanding, and the size that is asked for there; nothing
    /// where that is further away than allowed.
    #[inline(always)]
    pub(super) fn nearest(
        &self,
        outstanding: u32,
        [rack, name]: [u32; 2],
        allowed: Locality,
    ) -> Option<(Locality, &Resource)> {
        let anywhere = self.relax && outstanding > 0;
        let Some(rows) = self.named() else {
            return anywhere.then_some((Locality::OffSwitch, &self.size));
        };
        // The node's row counts only beside its rack's.
        if let Some(row) = rows.pending(name).filter(|_| rows.pending(rack).is_some()) {
            return Some((Locality::Node, row.size()));
        }
        if rows.any_strict() && rows.present(rack).is_some_and(|row| !row.relax()) {
            // A strict rack ask: this key waits for a node that was asked for.
            return None;
        }
        // Where nothing more is allowed, the rack is not looked at.
        let rack_row = if allowed == Locality::Node { None } else { rows.pending(rack) };
        if let Some(row) = rack_row {
            return Some((Locality::Rack, row.size()));
        }
        let is_far_enough = allowed == Locality::OffSwitch || !rows.any_present();
        (anywhere && is_far_enough).then_some((Locality::OffSwitch, &self.size))
    }
}

/// The rule where visits are counted, among this many nodes.
pub(super) fn rule_of_visits(settings: &Settings, nodes: usize) -> Rule {
    Rule::Visits { nodes, thresholds: [settings.locality_threshold_node, settings.locality_threshold_rack] }
}
