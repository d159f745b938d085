//! The figures that limits of users come from, of one leaf: a copy, so that users may change beside it.

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
    maximum: Resource,
    user_limit: f32,
    factor: f32,
    pub(crate) am_percent: f32,
}

impl Bounds {
    /// Of a leaf queue.
    pub(crate) fn of(node: &QueueNode, arith: Arith, cluster: Resource, minimum: Resource) -> Bounds {
        let leaf = node.leaf().expect("a leaf queue");
        Bounds {
            arith,
            cluster,
            minimum,
            guaranteed: *node.guaranteed(),
            maximum: *node.maximum(),
            user_limit: leaf.user_limit,
            factor: leaf.user_limit_factor,
            // Leaves of plans have none, as in Hadoop, whatever the file says.
            am_percent: node.config.capacities.first().map_or(0.0, |capacity| capacity.max_am_resource_percent),
        }
    }

    pub(crate) fn inputs(&self) -> LimitInputs<'_> {
        LimitInputs {
            arith: self.arith,
            cluster: &self.cluster,
            minimum: &self.minimum,
            guaranteed: &self.guaranteed,
            maximum: &self.maximum,
            user_limit: self.user_limit,
            factor: self.factor,
        }
    }
}
