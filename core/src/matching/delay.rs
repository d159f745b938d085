//! Delay scheduling: how far from the requested place a request key may get a container now.
//!
//! Hadoop's `FSAppAttempt.getAllowedLocalityLevel` and `getAllowedLocalityLevelByTime`, with
//! `resetAllowedLocalityLevel` and `resetSchedulingOpportunities`. Each worker keeps one per key, and counts only its
//! own nodes.
//!
//! ```text
//! node ──enough visits, or enough time──> rack ──the same──> anywhere
//! A container that is nearer than the level leads back: on the node to `node`, on the rack to `rack`.
//! ```

use crate::id::Locality;

/// When a level has lasted long enough.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Rule {
    /// More visits at the level than `nodes` times its threshold: first the node's threshold, then the rack's. With
    /// several workers `nodes` is how many nodes this worker has, because it counts only visits of those.
    Visits { nodes: usize, thresholds: [f64; 2] },
    /// The level has lasted longer than its delay: first the node's delay, then the rack's. The first visit starts the
    /// first level. `start_ms` counts only if the level began while visits were counted.
    Time { now_ms: u64, start_ms: u64, delays_ms: [i64; 2] },
}

/// See the module's text.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Delay {
    /// When a visit last raised the level, or began the first one. In Hadoop `lastScheduledContainer`.
    last_scheduled_ms: Option<u64>,
    /// Visits since a visit last raised the level. A container that lowers the level does not reset them.
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

    /// The same as that many calls of `visit`, but without a step for each one.
    pub(crate) fn visit_often(&mut self, mut visits: u64, rule: Rule) {
        while visits > 0 {
            // How many visits can be counted in one step, because the level stays the same.
            let in_one_step = match (self.level, rule) {
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
            self.opportunities = self.opportunities.saturating_add(u32::try_from(in_one_step).unwrap_or(u32::MAX));
            visits -= in_one_step;
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

    /// A container was granted at this locality. If it is nearer than the allowed level, the level goes back to it.
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
        assert_eq!(delay.visit(rule), Rack, "visits from before the container count too");
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
