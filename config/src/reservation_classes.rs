//! Classes of the reservation system that a configuration may name. As for Hadoop, only a full name counts.

use super::nearest::nearest;

const PACKAGE: &str = "org.apache.hadoop.yarn.server.resourcemanager.reservation.";

/// What a class is for.
#[derive(Clone, Copy, Debug)]
pub(super) struct ReservationClasses {
    /// The element that names the class, or the last part of the property.
    pub(super) named_by: &'static str,
    /// The names, below the package.
    known: &'static [&'static str],
}

/// All three.
pub(super) const RESERVATION_CLASSES: [ReservationClasses; 3] = [
    ReservationClasses {
        named_by: "reservation-agent",
        known: &["planning.AlignedPlannerWithGreedy", "planning.GreedyReservationAgent"],
    },
    ReservationClasses { named_by: "reservation-policy", known: &["CapacityOverTimePolicy", NO_OVER_COMMIT] },
    ReservationClasses { named_by: "reservation-planner", known: &["planning.SimpleCapacityReplanner"] },
];

/// The policy that has no settings.
const NO_OVER_COMMIT: &str = "NoOverCommitPolicy";

/// Whether a class is the policy that sets no limit to what one user has.
pub(super) fn is_no_over_commit(class: &str) -> bool {
    class.strip_prefix(PACKAGE) == Some(NO_OVER_COMMIT)
}

impl ReservationClasses {
    /// Whether it is one of Hadoop's.
    pub(super) fn has(&self, class: &str) -> bool {
        class.strip_prefix(PACKAGE).is_some_and(|name| self.known.contains(&name))
    }

    /// What to write instead.
    pub(super) fn instead_of(&self, class: &str) -> String {
        let last = |name: &'static str| name.rsplit('.').next().unwrap_or(name);
        let meant = class.rsplit('.').next().unwrap_or(class);
        let meant = nearest(meant, self.known.iter().map(|name| last(name)));
        let named = |name: &&&'static str| meant.is_none_or(|meant| last(name) == meant);
        let full: Vec<String> = self.known.iter().filter(named).map(|name| format!("{PACKAGE}{name}")).collect();
        format!("write {}", full.join(" or "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_full_name_counts_and_the_nearest_is_proposed() {
        let [agent, policy, _] = RESERVATION_CLASSES;
        assert!(agent.has(&format!("{PACKAGE}planning.GreedyReservationAgent")));
        for wrong in
            ["planning.GreedyReservationAgent", "GreedyReservationAgent", &format!("{PACKAGE}GreedyReservationAgent")]
        {
            assert!(!agent.has(wrong), "{wrong}");
            assert_eq!(agent.instead_of(wrong), format!("write {PACKAGE}planning.GreedyReservationAgent"));
        }
        assert_eq!(policy.instead_of("com.acme.Nobody").matches(PACKAGE).count(), 2);
        assert!(is_no_over_commit(&format!("{PACKAGE}NoOverCommitPolicy")) && !is_no_over_commit(NO_OVER_COMMIT));
    }
}
