//! What a file must be to take effect, whether it was read or made by a program. Linear in its names.

use super::allocation_file::AllocationFile;
use super::names::{ROOT, trim_java};
use super::quoted::shortened;
use super::resource_string::Limit;
use super::source::AllocationsError;
use super::xml::MAX_DEPTH;
use evenweave_resource::{LONGEST_NAME, MAX_TYPES, Resource, ResourceTypes};
use std::fmt;

const ROOT_FIRST: &str = "a queue's full name begins with \"root\"";

impl AllocationFile {
    /// Why a scheduler of these types and policies cannot take the file.
    #[doc(hidden)]
    pub fn check_for(&self, types: &ResourceTypes, custom: &[String]) -> Result<(), AllocationsError> {
        if self.types.as_ref().is_some_and(|own| own != types) {
            return Err(AllocationsError::OtherTypes);
        }
        if let Some(policy) = self.unknown_policy(custom) {
            return Err(AllocationsError::UnknownPolicy { policy });
        }
        for name in self.queues.keys().chain(&self.leaves).chain(&self.parents) {
            if let Some(why) = fault_of(name) {
                return Err(AllocationsError::BadQueueName { queue: shortened(name).into_owned(), why });
            }
        }
        let lanes = types.len()..MAX_TYPES;
        let unset = |amount: i64| amount == 0 || amount == i64::MAX;
        let fits = |amounts: &Resource| lanes.clone().all(|lane| unset(amounts.get(lane)));
        let limit_fits = |limit: &Limit| limit.absolute().is_none_or(|amounts| fits(&amounts));
        for (name, queue) in &self.queues {
            let amounts = [&queue.min, &queue.max_container];
            let limits = [&queue.max, &queue.max_child];
            if !amounts.into_iter().flatten().all(fits) || !limits.into_iter().flatten().all(limit_fits) {
                return Err(AllocationsError::UnknownType { queue: shortened(name).into_owned(), types: types.len() });
            }
        }
        if !limit_fits(&self.queue_max_resources) {
            return Err(AllocationsError::UnknownType {
                queue: "queueMaxResourcesDefault".to_owned(),
                types: types.len(),
            });
        }
        // Of a text Hadoop takes all of the following, with the effects that the warnings tell of, and so does this.
        if self.types.is_none() { self.check_made() } else { Ok(()) }
    }

    /// Why what a program has made cannot be meant.
    fn check_made(&self) -> Result<(), AllocationsError> {
        if self.leaves.contains(ROOT) {
            let why = "root is no leaf queue: leave it out, or put a queue below it";
            return Err(AllocationsError::BadQueueName { queue: ROOT.to_owned(), why });
        }
        let bad = |queue: &str, element, value: &dyn fmt::Display, right| {
            let (queue, value) = (shortened(queue).into_owned(), value.to_string());
            Err(AllocationsError::BadValue { queue, element, value, right })
        };
        for (name, queue) in &self.queues {
            if let Some(weight) = queue.weight.filter(|weight| !(weight.is_finite() && *weight >= 0.0)) {
                return bad(name, "weight", &weight, "0 or more");
            }
            if let Some(share) = queue.max_am_share.filter(|share| !is_share(*share)) {
                return bad(name, "maxAMShare", &share, SHARE);
            }
            if let Some(threshold) = queue.fair_share_preemption_threshold.filter(|part| !is_part(*part)) {
                return bad(name, "fairSharePreemptionThreshold", &threshold, "from 0 to 1");
            }
            let amounts = [("minResources", queue.min), ("maxContainerAllocation", queue.max_container)];
            let limits = [("maxResources", &queue.max), ("maxChildResources", &queue.max_child)];
            let limits = limits.map(|(element, limit)| (element, limit.as_ref().and_then(Limit::absolute)));
            for (element, amounts) in amounts.into_iter().chain(limits) {
                if let Some(amounts) = amounts.filter(|amounts| amounts.amounts().iter().any(|amount| *amount < 0)) {
                    return bad(name, element, &amounts, "no negative amount");
                }
            }
        }
        if !is_share(self.queue_max_am_share) {
            return bad("", "queueMaxAMShareDefault", &self.queue_max_am_share, SHARE);
        }
        let threshold = self.fair_share_preemption_threshold;
        if !(is_part(threshold) || threshold == -1.0) {
            return bad("", "defaultFairSharePreemptionThreshold", &threshold, "from 0 to 1, or -1 for none");
        }
        Ok(())
    }
}

const SHARE: &str = "from 0 to 1, or -1 for no check";

fn is_part(value: f32) -> bool {
    (0.0..=1.0).contains(&value)
}

fn is_share(value: f32) -> bool {
    is_part(value) || value == -1.0
}

/// What is wrong with a queue's full name.
fn fault_of(name: &str) -> Option<&'static str> {
    if name.len() > LONGEST_NAME {
        return Some("a queue's full name has at most 1000 bytes");
    }
    let mut parts = name.split('.');
    // A file may spell the top in another case: see `AllocationFile::queues`.
    if !parts.next().is_some_and(|top| top.eq_ignore_ascii_case("root")) {
        return Some(ROOT_FIRST);
    }
    let mut depth = 0;
    for part in parts {
        depth += 1;
        if part.is_empty() || trim_java(part) != part {
            return Some("each part between dots has at least one character, and no white space at its ends");
        }
    }
    (depth > MAX_DEPTH).then_some("there are at most 200 levels below root")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(change: impl FnOnce(&mut AllocationFile)) -> AllocationsError {
        let mut file = AllocationFile::default();
        change(&mut file);
        file.check_for(&ResourceTypes::standard(), &[]).expect_err("it is refused")
    }

    #[test]
    fn names_are_checked_whichever_list_they_are_in() {
        for name in
            ["", "a", "rooty.a", "root.", "root..a", "root. a", "root.a ", &format!("root.{}", "a".repeat(1000))]
        {
            let is_refused = |error| matches!(error, AllocationsError::BadQueueName { .. });
            assert!(is_refused(refused(|file| assert!(file.leaves.insert(name.to_owned())))), "{name:?}");
            assert!(is_refused(refused(|file| assert!(file.parents.insert(name.to_owned())))), "{name:?}");
            let settings = crate::QueueSettings::default;
            assert!(is_refused(refused(|file| drop(file.queues.insert(name.to_owned(), settings())))), "{name:?}");
        }
        let deep = |levels| format!("root{}", ".a".repeat(levels));
        let mut file = AllocationFile::default();
        file.leaves.insert(deep(MAX_DEPTH));
        assert_eq!(file.check_for(&ResourceTypes::standard(), &[]), Ok(()));
        refused(|file| assert!(file.leaves.insert(deep(MAX_DEPTH + 1))));
    }

    #[test]
    fn types_are_the_scheduler_s() {
        let gpus = ResourceTypes::with_custom([("gpu", "")]).expect("a type");
        let text = "<allocations><queue name='a'><maxResources>gpu=4</maxResources></queue></allocations>";
        let file = AllocationFile::parse(text, "t", &gpus, &[]).expect("valid").file;
        assert_eq!(file.check_for(&gpus, &[]), Ok(()));
        assert_eq!(file.check_for(&ResourceTypes::standard(), &[]), Err(AllocationsError::OtherTypes));
        let three = Resource::from_fn(|lane| i64::from(lane < 3));
        let of_queue = |error| matches!(error, AllocationsError::UnknownType { .. });
        assert!(of_queue(refused(|file| file.queues.entry("root.a".to_owned()).or_default().min = Some(three))));
        let max = Some(Limit::Absolute(three));
        assert!(of_queue(refused(|file| file.queues.entry("root.a".to_owned()).or_default().max = max)));
        assert!(of_queue(refused(|file| file.queue_max_resources = Limit::Absolute(three))));
    }
}
