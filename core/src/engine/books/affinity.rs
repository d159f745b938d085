//! Affinity: among children that are nearly equal a worker takes one whose applications are at home with it.
//!
//! # Where it stands
//! Deciders ask here what usage a child is put in order by. Plain functions; with one worker everybody is at home.
//!
//! # Why
//! What a worker grants to an application of another home is written on two cores: the mailbox, the count of the ask,
//! the usage of the application and of its leaf. In steady churn nearly any order of grants leaves everybody with the
//! same number of containers. So a worker leaves the applications of others to them, as long as nobody gets ahead by
//! more than the slack.
//!
//! # How
//! A child is a *stranger* if nobody below it who can be served is at home with this worker. A stranger is put in order
//! as if it used some more containers than it does: two and a thirty-second of its usage, and no more than the slack.
//! Its exact usage counts everywhere else.
//!
//! # Invariants
//! Strangers are ordered among each other by usage, and so are children at home. A stranger is passed over for no child
//! that uses more than it by more than the slack (`docs/concurrency.md`, P11).

#[cfg(not(loom))]
use super::pace::LEAST_R;
use crate::resource::Resource;

/// The part of its usage that a stranger counts more, as a power of two.
const PART: u32 = 5;
/// Containers that it counts more in any case.
const AT_LEAST: i64 = 2;

/// The part of R that the slack is, unless the embedder sets it.
#[cfg(not(loom))]
const PART_OF_R: u32 = 32;

/// The slack in containers, far below what views may be apart anyway.
#[cfg(not(loom))]
pub(crate) fn default_slack(every: Option<u32>) -> u32 {
    every.unwrap_or(LEAST_R) / PART_OF_R
}

/// What a stranger is put in order by. `floor`: no ask below it is smaller.
#[must_use]
pub fn usage_of_stranger(slack: u32, usage: &Resource, floor: &Resource) -> Resource {
    Resource::from_fn(|i| {
        let (used, floor) = (usage.get(i), floor.get(i).max(0));
        let some = (used.max(0) >> PART).saturating_add(floor.saturating_mul(AT_LEAST));
        used.saturating_add(some.min(floor.saturating_mul(i64::from(slack))))
    })
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    const SIZE: Resource = Resource::new(2048, 1);

    fn more(slack: u32, containers: i64) -> Resource {
        let usage = SIZE.saturating_times_int(containers);
        usage_of_stranger(slack, &usage, &SIZE).minus(&usage)
    }

    #[test]
    fn a_stranger_counts_some_containers_more_and_never_more_than_the_slack() {
        for (slack, used, expected) in [(512, 0, 2), (512, 64, 4), (512, 6_400, 202), (512, 64_000, 512), (1, 640, 1)] {
            assert_eq!(more(slack, used), SIZE.saturating_times_int(expected), "{used} of {slack}");
        }
    }

    #[test]
    fn without_slack_everybody_is_in_place_by_usage() {
        assert_eq!(more(0, 640), Resource::ZERO);
        assert_eq!(usage_of_stranger(512, &SIZE, &Resource::ZERO), SIZE);
        assert_eq!(usage_of_stranger(512, &Resource::ZERO, &Resource::UNBOUNDED), Resource::UNBOUNDED);
    }
}
