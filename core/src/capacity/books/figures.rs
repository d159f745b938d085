//! What the structure says of a queue, worked out as passes need it.
//!
//! Made anew whenever the books take over a structure or another cluster; nothing that a pass does changes it. So a
//! pass reads it in one place and divides nothing that it divided before.

use super::Books;
use crate::capacity::rules::allocator::Rules;
use crate::capacity::rules::arith::Arith;
use crate::capacity::rules::bounds::Bounds;
use crate::capacity::rules::order::{AppOrder, QueueRank};
use crate::capacity::rules::tree::QueueNode;
use crate::resource::Resource;

/// See the module's text.
#[derive(Debug)]
pub(super) struct Figures {
    pub(super) parent: Option<u32>,
    /// What it may use.
    pub(super) maximum: Resource,
    absolute_capacity: f32,
    priority: i32,
    /// The configured absolute minimum.
    minimum: Resource,
    /// `reservations-continue-look-all-nodes`
    pub(super) continue_looking: bool,
    measure: Measure,
    pub(super) leaf: Option<Box<LeafFigures>>,
}

/// Of a leaf queue.
#[derive(Debug)]
pub(super) struct LeafFigures {
    pub(super) bounds: Bounds,
    pub(super) rules: Rules,
    pub(super) order: AppOrder,
}

/// What a queue's use is measured by (rules/capacity.md 5.3).
#[derive(Clone, Copy, Debug)]
struct Measure {
    /// There is a cluster: else nothing is used of it.
    exists: bool,
    guaranteed: Resource,
    /// Of the cluster, the part that is guaranteed.
    share: f64,
}

impl Measure {
    fn of(node: &QueueNode, arith: Arith, cluster: &Resource, minimum: &Resource) -> Measure {
        let guaranteed = match node.template_share.filter(|_| node.absolute_capacity() == 0.0) {
            Some(share) => cluster.times(f64::from(share)),
            None => *node.guaranteed(),
        };
        let guaranteed = arith.most(cluster, &guaranteed, minimum);
        let exists = arith.is_greater(cluster, cluster, &Resource::ZERO);
        Measure { exists, guaranteed, share: arith.share(cluster, &guaranteed) }
    }
}

impl Figures {
    /// What a queue is compared with its siblings by, that uses so much of the cluster and of its guarantee.
    #[inline]
    pub(super) fn rank(&self, absolute_used: f32, used: f32) -> QueueRank<'_> {
        let Figures { absolute_capacity, priority, ref minimum, .. } = *self;
        QueueRank { absolute_capacity, used, absolute_used, priority, minimum }
    }

    /// How much of the cluster, and how full of its guarantee, a queue is that uses so much (rules/capacity.md 5.3).
    #[inline]
    pub(super) fn used_capacities(&self, arith: Arith, cluster: &Resource, used: &Resource) -> (f32, f32) {
        let Measure { exists, guaranteed, share } = &self.measure;
        if *exists { arith.divide_by_both(cluster, used, guaranteed, *share) } else { (0.0, 0.0) }
    }
}

impl Books {
    /// Of a queue, as the books know structure and cluster.
    pub(super) fn figures_of(&self, published: &super::CapacityPublished) -> Figures {
        let (node, settings) = (&published.node, published.file.settings());
        let leaf = node.leaf().map(|leaf| {
            let bounds = Bounds::of(node, self.arith, self.cluster, self.minimum);
            // -1 is no delay at all.
            let part = |delay: i32| u32::try_from(delay).map_or(delay, |delay| self.place.part_of(delay).cast_signed());
            let rules = Rules {
                arith: self.arith,
                cluster: self.cluster,
                // Each worker counts the visits of its own nodes.
                nodes: self.place.part_of(self.nodes),
                node_locality_delay: part(settings.node_locality_delay),
                rack_locality_additional_delay: part(settings.rack_locality_additional_delay),
                continue_looking: settings.reservations_continue_look_all_nodes,
                maximum_allocation: node.config.maximum_allocation,
                minimum_allocation_factor: leaf.minimum_allocation_factor,
            };
            Box::new(LeafFigures { bounds, rules, order: AppOrder::of(&leaf.ordering) })
        });
        Figures {
            parent: node.parent,
            maximum: *node.maximum(),
            absolute_capacity: node.absolute_capacity(),
            priority: node.config.priority,
            minimum: node.config.capacities.first().map_or(Resource::ZERO, |capacity| capacity.minimum),
            continue_looking: settings.reservations_continue_look_all_nodes,
            measure: Measure::of(node, self.arith, &self.cluster, &self.minimum),
            leaf,
        }
    }

    /// There is another structure or another cluster.
    pub(super) fn renew_figures(&mut self) {
        for slot in 0..self.queues.len() {
            let Some(queue) = &self.queues[slot] else { continue };
            let figures = self.figures_of(&queue.published);
            if let Some(queue) = &mut self.queues[slot] {
                queue.figures = figures;
            }
        }
    }
}
