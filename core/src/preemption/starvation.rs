//! How much an application, or a leaf queue, is short of (rules/preemption.md 1 to 4).

use crate::policy::ClusterTotal;
use crate::resource::{Calculator, Resource};

/// What a queue's settings say about preemption, inherited where it says nothing itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct QueuePreemption {
    /// `minSharePreemptionTimeout` in ms; `i64::MAX` is never, below zero is at once.
    pub(crate) min_timeout_ms: i64,
    /// `fairSharePreemptionTimeout` in ms, as above.
    pub(crate) fair_timeout_ms: i64,
    /// `fairSharePreemptionThreshold`
    pub(crate) threshold: f32,
    /// `allowPreemptionFrom`: false where it, or a queue above, forbids it.
    pub(crate) preemptable: bool,
}

/// What an application is short of, in its two parts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Starvation {
    /// Of its fair share, up to the threshold.
    pub(crate) fair_share: Resource,
    /// Of its queue's min share, what was handed out to it.
    pub(crate) min_share: Resource,
}

impl Starvation {
    /// Both parts.
    pub(crate) fn total(&self) -> Resource {
        self.fair_share.saturating_plus(&self.min_share)
    }

    /// Whether both parts are nothing.
    pub(crate) fn is_none(&self) -> bool {
        self.fair_share.is_zero() && self.min_share.is_zero()
    }
}

/// How a leaf queue's policy compares amounts on the present cluster.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Yardstick {
    pub(crate) calculator: Calculator,
    pub(crate) cluster: ClusterTotal,
}

impl Yardstick {
    /// Whether `a` is strictly below `b`. Under `drf` only the largest share of each is compared.
    pub(crate) fn below(&self, a: &Resource, b: &Resource) -> bool {
        self.calculator.compare(self.cluster.types, &self.cluster.total, a, b, true).is_lt()
    }

    /// Whether `a` is above `b`. Under `drf` the largest share of each decides; if those are equal, the next largest.
    fn above_by_all_shares(&self, a: &Resource, b: &Resource) -> bool {
        self.calculator.compare(self.cluster.types, &self.cluster.total, a, b, false).is_gt()
    }
}

/// Whether the cluster is used enough for anybody to be starved: strictly above the threshold in memory or vcores. An
/// empty cluster is not.
pub(crate) fn is_busy(threshold: f32, allocated: &Resource, cluster: &Resource) -> bool {
    let part = |i: usize| allocated.get(i) as f32 / cluster.get(i) as f32;
    let (memory, vcores) = (part(0), part(1));
    !memory.is_nan() && !vcores.is_nan() && threshold < memory.max(vcores)
}

impl QueuePreemption {
    /// What an application lacks of its fair share, up to the threshold and up to its demand; `None` if it lacks
    /// nothing. Only the amount: the caller keeps the time at which the application last lacked nothing, and compares
    /// it with the timeout.
    ///
    /// 10240 MB of fair share and a threshold of 0.9 make 9215, not 9216: the threshold is a 32-bit float.
    pub(crate) fn fair_share_starvation(
        &self,
        yardstick: &Yardstick,
        usage: &Resource,
        fair_share: &Resource,
        demand: &Resource,
    ) -> Option<Resource> {
        let wanted = fair_share.times(f64::from(self.threshold)).least(demand);
        yardstick.below(usage, &wanted).then(|| wanted.minus_non_negative(usage))
    }
}

/// What a leaf queue lacks of its min share, up to its demand. The caller checks the timeout.
pub(crate) fn min_share_starvation(min_share: &Resource, demand: &Resource, usage: &Resource) -> Resource {
    min_share.least(demand).minus_non_negative(usage)
}

/// What the next application in order is credited with of what is left of its queue's min-share starvation; `None` when
/// nothing is left. `wanted` is its pending demand less its fair-share starvation.
///
/// An application that wants more than is left is credited with `wanted - left`, the part that it cannot have, and not
/// with `left`, the part that it can have: Hadoop's quirk.
pub(crate) fn min_share_part(yardstick: &Yardstick, left: &mut Resource, wanted: &Resource) -> Option<Resource> {
    if left.is_zero() {
        return None;
    }
    if yardstick.above_by_all_shares(wanted, left) {
        let rest = wanted.minus_non_negative(left);
        *left = Resource::ZERO;
        Some(rest)
    } else {
        *left = left.minus_non_negative(wanted);
        Some(*wanted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn yardstick(calculator: Calculator) -> Yardstick {
        Yardstick { calculator, cluster: ClusterTotal { types: 2, total: Resource::new(100_000, 100) } }
    }

    fn settings(threshold: f32) -> QueuePreemption {
        QueuePreemption { min_timeout_ms: 0, fair_timeout_ms: 0, threshold, preemptable: true }
    }

    #[test]
    fn the_threshold_is_a_float_and_capped_by_demand() {
        let starvation = |usage, demand| {
            let of = |mb| Resource::new(mb, 0);
            let memory = yardstick(Calculator::Memory);
            settings(0.9).fair_share_starvation(&memory, &of(usage), &of(10_240), &of(demand))
        };
        assert_eq!(starvation(0, 20_000), Some(Resource::new(9215, 0)));
        assert_eq!(starvation(9214, 20_000), Some(Resource::new(1, 0)));
        assert_eq!(starvation(9215, 20_000), None);
        assert_eq!(starvation(1000, 3000), Some(Resource::new(2000, 0)));
    }

    #[test]
    fn under_drf_the_largest_shares_are_compared() {
        let dominant = yardstick(Calculator::Dominant);
        let (usage, share) = (Resource::new(30_000, 1), Resource::new(10_000, 40));
        let starvation = settings(1.0).fair_share_starvation(&dominant, &usage, &share, &Resource::UNBOUNDED);
        assert_eq!(starvation, Some(Resource::new(0, 39)));
    }

    #[test]
    fn utilisation_is_strict_and_in_single_precision() {
        let cluster = Resource::new(10_000, 10);
        assert!(!is_busy(0.8, &Resource::new(8000, 0), &cluster));
        assert!(is_busy(0.8, &Resource::new(8001, 0), &cluster));
        assert!(is_busy(0.8, &Resource::new(0, 9), &cluster));
        assert!(!is_busy(0.8, &Resource::ZERO, &Resource::ZERO));
        assert!(!is_busy(0.8, &Resource::new(9000, 0), &Resource::new(10_000, 0)), "0 of 0 vcores is no number");
    }

    /// The recorded example of rules/preemption.md 4: the third wants more than is left and is credited with the rest.
    #[test]
    fn the_rest_is_credited_where_too_little_is_left() {
        let memory = yardstick(Calculator::Memory);
        let mut left = min_share_starvation(&Resource::new(10_240, 10), &Resource::new(13_312, 3), &Resource::ZERO);
        assert_eq!(left, Resource::new(10_240, 3));
        let wanted = [(5120, 1), (4096, 1), (4096, 1), (1024, 1)].map(|(mb, vcores)| Resource::new(mb, vcores));
        let parts = wanted.map(|wanted| min_share_part(&memory, &mut left, &wanted));
        let expected = [Some((5120, 1)), Some((4096, 1)), Some((3072, 0)), None];
        assert_eq!(parts, expected.map(|part| part.map(|(mb, vcores)| Resource::new(mb, vcores))));
    }

    /// The founding post's example, 6 GiB over four that want 3, 2, 1 and a half: it says 3, 2, 1 and nothing, and so
    /// does Hadoop. Where the third wants 4, the post would give it the 1 that is left, Hadoop the 3 that are not.
    #[test]
    fn the_example_of_the_founding_post() {
        let memory = yardstick(Calculator::Memory);
        let parts = |wanted: [i64; 4]| {
            let mut left = Resource::new(6 * 1024, 0);
            wanted
                .map(|mb| min_share_part(&memory, &mut left, &Resource::new(mb, 0)).map_or(0, |part| part.memory_mb()))
        };
        let by_the_post = |wanted: [i64; 4]| {
            let mut left = 6 * 1024;
            wanted.map(|mb| {
                let part = mb.min(left);
                left -= part;
                part
            })
        };
        let example = [3072, 2048, 1024, 512];
        assert_eq!((by_the_post(example), parts(example)), ([3072, 2048, 1024, 0], [3072, 2048, 1024, 0]));
        let other = [3072, 2048, 4096, 512];
        assert_eq!((by_the_post(other), parts(other)), ([3072, 2048, 1024, 0], [3072, 2048, 3072, 0]));
    }
}
