//! The figures of one leaf from which the limits of its users are computed. They depend on the published structure and
//! on the cluster only.

use super::arith::Arith;
use super::tree::QueueNode;
use super::users::LimitInputs;
use crate::resource::{Calculator, Resource};
use std::mem::offset_of;

/// Below this an amount is exact in a float.
const EXACT: i64 = 1 << 52;

/// See the module's text. What each pass reads comes first.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct Bounds {
    arith: Arith,
    user_limit: f32,
    factor: f32,
    pub(crate) am_percent: f32,
    has_usual: bool,
    /// At least the smallest container.
    capacity: Resource,
    /// See [`LimitInputs`].
    floor: Resource,
    usual: Resource,
    /// Rounded down to what containers are multiples of.
    maximum: Resource,
    /// See [`LimitInputs`].
    most_of_user: Resource,
    guaranteed: Resource,
    cluster: Resource,
    minimum: Resource,
}

/// What the scheduler and the cluster have for all leaves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Given {
    pub(crate) arith: Arith,
    pub(crate) cluster: Resource,
    pub(crate) minimum: Resource,
}

/// What the configuration has for the users of a leaf.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ForUsers {
    /// `minimum-user-limit-percent`
    pub(crate) limit: f32,
    /// `user-limit-factor`
    pub(crate) factor: f32,
    pub(crate) am_percent: f32,
}

impl Bounds {
    /// What each pass reads.
    pub(crate) const HOT_BYTES: usize = offset_of!(Bounds, most_of_user);

    /// What the leaf may use, rounded down to what containers are multiples of.
    #[inline]
    pub(crate) fn most(&self) -> &Resource {
        &self.maximum
    }

    /// Of a leaf queue, on the nodes of a label that have as much as `given` says.
    pub(crate) fn of(node: &QueueNode, label: &str, given: Given) -> Bounds {
        let leaf = node.leaf().expect("a leaf queue");
        let of_label = node.of_label(label);
        let for_users = ForUsers {
            limit: leaf.user_limit,
            factor: leaf.user_limit_factor,
            // Leaves of plans have none, as in Hadoop, whatever the file says.
            am_percent: of_label.map_or(0.0, |(capacity, _)| capacity.max_am_resource_percent),
        };
        let (guaranteed, maximum) =
            of_label.map_or(Default::default(), |(_, figures)| (figures.effective_minimum, figures.effective_maximum));
        Bounds::new(given, &guaranteed, &maximum, for_users)
    }

    /// Of a leaf queue to which so much is guaranteed, and which may use so much.
    pub(crate) fn new(given: Given, guaranteed: &Resource, maximum: &Resource, for_users: ForUsers) -> Bounds {
        let Given { arith, cluster, minimum } = given;
        let ForUsers { limit: user_limit, factor, am_percent } = for_users;
        let capacity = arith.most(&cluster, guaranteed, &minimum);
        let maximum = arith.round_down(maximum, &minimum);
        let floor = arith.hundredth_up(&arith.times(&capacity, f64::from(user_limit)));
        let is_bounded = factor != -1.0 && !guaranteed.is_zero();
        let most_of_user = if is_bounded { arith.times(&capacity, f64::from(factor)) } else { maximum };
        let usual = arith.round_up(&arith.least(&cluster, &floor, &most_of_user), &minimum);
        let has_usual = arith.calculator == Calculator::Dominant
            && arith.types == 2
            && (0..2).all(|i| cluster.get(i) > 0 && (1..EXACT).contains(&capacity.get(i)) && floor.get(i) >= 0);
        let guaranteed = *guaranteed;
        Bounds {
            arith,
            user_limit,
            factor,
            am_percent,
            capacity,
            maximum,
            floor,
            usual,
            has_usual,
            most_of_user,
            guaranteed,
            cluster,
            minimum,
        }
    }

    #[inline]
    pub(crate) fn inputs(&self) -> LimitInputs<'_> {
        LimitInputs {
            arith: self.arith,
            cluster: &self.cluster,
            minimum: &self.minimum,
            guaranteed: &self.guaranteed,
            capacity: &self.capacity,
            floor: &self.floor,
            usual: self.has_usual.then_some(&self.usual),
            most: &self.most_of_user,
            user_limit: self.user_limit,
            factor: self.factor,
        }
    }
}
