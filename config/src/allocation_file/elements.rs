//! The elements that an allocation file may have: where each belongs, former names, which one was meant.
//!
//! Tables and look-ups over names alone (rules/configuration.md 2.1 and 3.2).

use crate::nearest::nearest;

/// The elements that mean something at the top level.
pub(super) const TOP_LEVEL: [&str; 17] = [
    "queue",
    "pool",
    "user",
    "userMaxAppsDefault",
    "queueMaxAppsDefault",
    "queueMaxResourcesDefault",
    "queueMaxAMShareDefault",
    "defaultQueueSchedulingPolicy",
    "defaultQueueSchedulingMode",
    "defaultFairSharePreemptionTimeout",
    "fairSharePreemptionTimeout",
    "defaultMinSharePreemptionTimeout",
    "defaultFairSharePreemptionThreshold",
    "queuePlacementPolicy",
    "reservation-agent",
    "reservation-policy",
    "reservation-planner",
];

/// The elements that mean something in a queue, child queues aside.
pub(super) const QUEUE: [&str; 19] = [
    "minResources",
    "maxResources",
    "maxChildResources",
    "maxContainerAllocation",
    "maxRunningApps",
    "maxAMShare",
    "weight",
    "schedulingPolicy",
    "schedulingMode",
    "minSharePreemptionTimeout",
    "fairSharePreemptionTimeout",
    "fairSharePreemptionThreshold",
    "allowPreemptionFrom",
    "aclSubmitApps",
    "aclAdministerApps",
    "aclAdministerReservations",
    "aclListReservations",
    "aclSubmitReservations",
    "reservation",
];

/// The elements that mean something in a user.
pub(super) const USER: [&str; 1] = ["maxRunningApps"];

/// The one element of a placement policy.
pub(super) const RULE: &str = "rule";

/// A field of queues with its default for all queues.
const DEFAULTS: [(&str, &str); 7] = [
    ("maxResources", "queueMaxResourcesDefault"),
    ("maxRunningApps", "queueMaxAppsDefault"),
    ("maxAMShare", "queueMaxAMShareDefault"),
    ("schedulingPolicy", "defaultQueueSchedulingPolicy"),
    ("minSharePreemptionTimeout", "defaultMinSharePreemptionTimeout"),
    ("fairSharePreemptionTimeout", "defaultFairSharePreemptionTimeout"),
    ("fairSharePreemptionThreshold", "defaultFairSharePreemptionThreshold"),
];

/// Names of the scheduler's first years, in MapReduce 1, which YARN never took over.
const FORMER: [(&str, &str); 9] = [
    ("poolMaxJobsDefault", "queueMaxAppsDefault"),
    ("userMaxJobsDefault", "userMaxAppsDefault"),
    ("defaultPoolSchedulingMode", "defaultQueueSchedulingPolicy"),
    ("defaultPoolMaxResources", "queueMaxResourcesDefault"),
    ("maxRunningJobs", "maxRunningApps"),
    ("minMaps", "minResources"),
    ("minReduces", "minResources"),
    ("maxMaps", "maxResources"),
    ("maxReduces", "maxResources"),
];

/// A nested element is a queue when its tag is `pool` or the end of the word `queue`: `'queue'.endsWith(tag)`.
pub(super) fn is_child_queue(tag: &str) -> bool {
    tag == "pool" || "queue".ends_with(tag)
}

pub(super) fn is_rule(tag: &str) -> bool {
    tag.eq_ignore_ascii_case(RULE)
}

/// Where an element belongs, for those that stand elsewhere: an order to put it there.
pub(super) fn belongs(tag: &str) -> Option<String> {
    if is_rule(tag) {
        return Some("put it inside <queuePlacementPolicy>".to_owned());
    }
    let (where_to, also) = if QUEUE.contains(&tag) {
        let default = DEFAULTS.iter().find(|(field, _)| *field == tag);
        ("put it inside a <queue>", default.map(|(_, default)| format!("; for all queues there is <{default}>")))
    } else if TOP_LEVEL.contains(&tag) {
        let field = DEFAULTS.iter().find(|(_, default)| *default == tag);
        ("put it directly inside <allocations>", field.map(|(field, _)| format!("; for one queue there is <{field}>")))
    } else {
        return None;
    };
    Some(format!("{where_to}{}", also.unwrap_or_default()))
}

/// The known name that an unknown one stands for: the one that took its place, or the nearest.
pub(super) fn meant<'a>(tag: &str, known: impl IntoIterator<Item = &'a str> + Clone) -> Option<&'a str> {
    let current = FORMER.iter().find(|(former, _)| *former == tag).map(|(_, current)| *current);
    let current = current.and_then(|current| known.clone().into_iter().find(|name| *name == current));
    current.or_else(|| nearest(tag, known))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_and_former_names_lead_to_elements_that_there_are() {
        for (field, default) in DEFAULTS {
            assert!(QUEUE.contains(&field) && TOP_LEVEL.contains(&default), "{field} {default}");
        }
        for (former, current) in FORMER {
            assert!(!QUEUE.contains(&former) && !TOP_LEVEL.contains(&former), "{former}");
            assert!(QUEUE.contains(&current) || TOP_LEVEL.contains(&current), "{current}");
        }
    }

    #[test]
    fn every_element_has_its_place() {
        assert_eq!(belongs("weight").as_deref(), Some("put it inside a <queue>"));
        assert_eq!(
            belongs("maxAMShare").as_deref(),
            Some("put it inside a <queue>; for all queues there is <queueMaxAMShareDefault>")
        );
        assert_eq!(
            belongs("queueMaxAppsDefault").as_deref(),
            Some("put it directly inside <allocations>; for one queue there is <maxRunningApps>")
        );
        assert_eq!(belongs("Rule").as_deref(), Some("put it inside <queuePlacementPolicy>"));
        assert_eq!(belongs("bogus"), None);
    }

    #[test]
    fn the_name_that_was_meant() {
        assert_eq!(meant("maxRunningJobs", QUEUE), Some("maxRunningApps"));
        assert_eq!(meant("poolMaxJobsDefault", TOP_LEVEL), Some("queueMaxAppsDefault"));
        assert_eq!(meant("minMaps", TOP_LEVEL), None);
        assert_eq!(meant("wieght", QUEUE), Some("weight"));
    }
}
