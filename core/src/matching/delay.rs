//! Delay: how far from what was asked for a request key may be served by now.
//!
//! Hadoop's `FSAppAttempt.getAllowedLocalityLevel` and `getAllowedLocalityLevelByTime`, with
//! `resetAllowedLocalityLevel` and `resetSchedulingOpportunities`. Each worker keeps one for each key, of its own
//! nodes.
//!
//! ```text
//! node ──enough visits, or enough time──> rack ──the same──> anywhere
//!   └───────────── a container at the node or on the rack ─────┘
//! ```

use crate::id::Locality;

/// When a level has lasted long enough.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Rule {
    /// Of the cluster's nodes so large a part was offered: at the level of a node, and at that of a rack.
    Visits { nodes: usize, thresholds: [f64; 2] },
    /// So many milliseconds have passed; counted from the application's start before the first container.
    Time { now_ms: u64, start_ms: u64, delays_ms: [i64; 2] },
}

/// See the module's text.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Delay {
    last_scheduled_ms: Option<u64>,
    /// Visits at this level.
    pub(crate) opportunities: u32,
    /// The allowed level, once it was asked for.
    level: Option<Locality>,
}

impl Delay {
    /// Counts a visit and says which locality is allowed now.
    pub(crate) fn visit(&mut self, rule: Rule) -> Locality {
        self.opportunities = self.opportunities.saturating_add(1);
        let Some(level) = self.level else {
            self.enter(Locality::Node, rule);
            return Locality::Node;
        };
        let (next, which) = match level {
            Locality::Node => (Locality::Rack, 0),
            Locality::Rack => (Locality::OffSwitch, 1),
            Locality::OffSwitch => return level,
        };
        let is_over = match rule {
            Rule::Visits { nodes, thresholds } => f64::from(self.opportunities) > nodes as f64 * thresholds[which],
            Rule::Time { now_ms, start_ms, delays_ms } => {
                let waited = now_ms.saturating_sub(self.last_scheduled_ms.unwrap_or(start_ms));
                i64::try_from(waited).unwrap_or(i64::MAX) > delays_ms[which]
            }
        };
        if !is_over {
            return level;
        }
        self.opportunities = 0;
        self.enter(next, rule);
        next
    }

    /// Counts so many visits, one after the other.
    pub(crate) fn visit_often(&mut self, mut visits: u64, rule: Rule) {
        while visits > 0 {
            // As many as change nothing but their count.
            let plain = match (self.level, rule) {
                (Some(Locality::OffSwitch), _) => visits,
                (Some(level), Rule::Visits { nodes, thresholds }) => {
                    let threshold = nodes as f64 * thresholds[usize::from(level == Locality::Rack)];
                    #[expect(
                        clippy::cast_possible_truncation,
                        clippy::cast_sign_loss,
                        reason = "rounded down, and cut where it is too large"
                    )]
                    let most = threshold as u64;
                    most.saturating_sub(self.opportunities.into()).min(visits)
                }
                (None, _) | (_, Rule::Time { .. }) => 0,
            };
            self.opportunities = self.opportunities.saturating_add(u32::try_from(plain).unwrap_or(u32::MAX));
            visits -= plain;
            if visits > 0 {
                self.visit(rule);
                visits -= 1;
            }
        }
    }

    fn enter(&mut self, level: Locality, rule: Rule) {
        self.level = Some(level);
        if let Rule::Time { now_ms, .. } = rule {
            self.last_scheduled_ms = Some(now_ms);
        }
    }

    /// A container is granted so near: served nearer than the level allowed, the level is raised again.
    #[inline]
    pub(crate) fn served(&mut self, locality: Locality) {
        if locality != Locality::OffSwitch && self.level.is_some_and(|level| locality < level) {
            self.level = Some(locality);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_visits_each_level_lasts_its_part_of_the_nodes() {
        let rule = Rule::Visits { nodes: 4, thresholds: [0.5, 0.25] };
        let mut delay = Delay::default();
        let levels: Vec<_> = (0..7).map(|_| delay.visit(rule)).collect();
        use Locality::{Node, OffSwitch, Rack};
        // More than two visits at the first level, more than one at the second.
        assert_eq!(levels, [Node, Node, Rack, Rack, OffSwitch, OffSwitch, OffSwitch]);
        delay.served(OffSwitch);
        assert_eq!(delay.visit(rule), OffSwitch);
        delay.served(Node);
        assert_eq!(delay.visit(rule), Rack, "the visits since the last change of level count");
    }

    #[test]
    fn visits_count_together_as_one_by_one() {
        for thresholds in [[0.5, 0.25], [0.0, 0.0], [0.3, 1.0], [1.0, 0.9]] {
            for nodes in [0, 1, 3, 10] {
                let rule = Rule::Visits { nodes, thresholds };
                for visits in 0..40 {
                    for before in 0..12 {
                        let mut one_by_one = Delay::default();
                        for _ in 0..before {
                            one_by_one.visit(rule);
                        }
                        let mut together = one_by_one;
                        together.visit_often(visits, rule);
                        for _ in 0..visits {
                            one_by_one.visit(rule);
                        }
                        let told = |delay: &Delay| (delay.level, delay.opportunities);
                        assert_eq!(told(&together), told(&one_by_one), "{visits} after {before} by {rule:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn by_time_a_level_lasts_longer_than_its_delay() {
        let at = |now_ms| Rule::Time { now_ms, start_ms: 100, delays_ms: [10, 20] };
        let mut delay = Delay::default();
        assert_eq!(delay.visit(at(500)), Locality::Node);
        assert_eq!(delay.visit(at(510)), Locality::Node);
        assert_eq!(delay.visit(at(511)), Locality::Rack);
        assert_eq!(delay.visit(at(531)), Locality::Rack);
        assert_eq!(delay.visit(at(532)), Locality::OffSwitch);
    }
}
