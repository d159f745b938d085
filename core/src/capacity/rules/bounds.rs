//! The figures that limits of users come from, of one leaf, as the structure and the cluster have them.

use super::arith::Arith;
use super::tree::QueueNode;
use super::users::LimitInputs;
use crate::resource::Resource;

/// See the module's text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    pub(crate) arith: Arith,
    pub(crate) cluster: Resource,
    pub(crate) minimum: Resource,
    guaranteed: Resource,
    /// At least the smallest container.
    capacity: Resource,
    /// Rounded down to what containers are multiples of.
    maximum: Resource,
    user_limit: f32,
    factor: f32,
    pub(crate) am_percent: f32,
}

impl Bounds {
    /// What the leaf may use, rounded down to what containers are multiples of.
    #[inline]
    pub(crate) fn most(&self) -> &Resource {
        &self.maximum
    }

    /// Of a leaf queue.
    pub(crate) fn of(node: &QueueNode, arith: Arith, cluster: Resource, minimum: Resource) -> Bounds {
        let leaf = node.leaf().expect("a leaf queue");
        Bounds {
            arith,
            cluster,
            minimum,
            guaranteed: *node.guaranteed(),
            capacity: arith.most(&cluster, node.guaranteed(), &minimum),
            maximum: arith.round_down(node.maximum(), &minimum),
            user_limit: leaf.user_limit,
            factor: leaf.user_limit_factor,
            // Leaves of plans have none, as in Hadoop, whatever the file says.
            am_percent: node.config.capacities.first().map_or(0.0, |capacity| capacity.max_am_resource_percent),
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
            maximum: &self.maximum,
            user_limit: self.user_limit,
            factor: self.factor,
        }
    }
}
