//! Locality: how near a key must be served by now, by the FairScheduler's settings.
//!
//! The rule is [`Delay`](crate::matching::delay::Delay)'s, one a key and worker.

use crate::app::Locality;
use crate::config::Settings;
use crate::fair::engine::Shard;
use crate::matching::delay::Rule;

impl Shard {
    /// Counts the opportunity and says which locality is allowed now.
    #[inline(never)]
    pub(super) fn visit_key(&mut self, app: u32, key: usize) -> Locality {
        self.own.repeatable = true;
        let settings = &self.shared.decider.settings;
        let rule = if settings.continuous_scheduling {
            Rule::Time {
                now_ms: self.shared.clock.now_ms(),
                start_ms: self.app(app).own.tie.start_ms,
                delays_ms: [settings.locality_delay_node_ms, settings.locality_delay_rack_ms],
            }
        } else {
            rule_of_visits(settings, self.nodes_of_visits())
        };
        self.take_missed(app, key);
        self.app_mut(app).keys[key].own.visit(rule)
    }

    /// Each worker counts the offers of its own nodes, so it compares with how many those are.
    pub(super) fn nodes_of_visits(&self) -> usize {
        let alone = self.shared.workers == 1;
        if alone { self.snapshot.structure.nodes as usize } else { self.nodes.count() }
    }
}

/// Where visits are counted, among so many nodes.
pub(super) fn rule_of_visits(settings: &Settings, nodes: usize) -> Rule {
    Rule::Visits { nodes, thresholds: [settings.locality_threshold_node, settings.locality_threshold_rack] }
}
