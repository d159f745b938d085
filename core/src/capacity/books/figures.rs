//! What the structure says of a queue, worked out as passes need it.
//!
//! Made anew whenever the books take over a structure or another cluster; nothing that a pass does changes it. So a
//! pass reads it in one place and divides nothing that it divided before.

use crate::capacity::rules::allocator::Rules;
use crate::capacity::rules::arith::Arith;
use crate::capacity::rules::order::{AppOrder, QueueRank};
use crate::capacity::rules::tree::QueueNode;
use crate::capacity::rules::user_limit_figures::Bounds;
use crate::config::capacity::{CapacitySettings, LabelFigures};
use crate::prefetch::CACHE_LINE;
use crate::resource::Resource;
use std::mem::offset_of;

/// See the module's text. What each pass reads comes first.
#[derive(Debug)]
#[repr(C)]
pub(super) struct Figures {
    pub(super) leaf: Option<Box<LeafFigures>>,
    pub(super) parent: Option<u32>,
    absolute_capacity: f32,
    priority: i32,
    /// `reservations-continue-look-all-nodes`
    pub(super) continue_looking: bool,
    /// Of the applications of a leaf queue.
    pub(super) order: AppOrder,
    measure: Measure,
    /// What it may use.
    pub(super) maximum: Resource,
    /// The configured absolute minimum.
    minimum: Resource,
}

/// Of a leaf queue. What each pass reads comes first.
#[derive(Debug)]
#[repr(C, align(64))]
pub(super) struct LeafFigures {
    pub(super) rules: Rules,
    /// `rack-locality-full-reset`
    pub(super) rack_resets: bool,
    pub(super) bounds: Bounds,
}

impl LeafFigures {
    /// What each pass reads, in cache lines.
    pub(super) const HOT_LINES: usize = (offset_of!(LeafFigures, bounds) + Bounds::HOT_BYTES).div_ceil(CACHE_LINE);
}

/// What a queue's use is measured by (rules/capacity.md 5.3).
#[derive(Clone, Copy, Debug)]
#[repr(C)]
struct Measure {
    /// There is a cluster: else nothing is used of it.
    exists: bool,
    /// Of the cluster, the part that is guaranteed.
    share: f64,
    guaranteed: Resource,
}

impl Measure {
    fn of(node: &QueueNode, label: &str, arith: Arith, cluster: &Resource, minimum: &Resource) -> Measure {
        let of_label = node.of_label(label).map_or_else(LabelFigures::default, |(_, figures)| *figures);
        let share = node.template_share.filter(|_| label.is_empty() && of_label.absolute_capacity == 0.0);
        let guaranteed = share.map_or(of_label.effective_minimum, |share| cluster.times(f64::from(share)));
        let guaranteed = arith.most(cluster, &guaranteed, minimum);
        let exists = arith.is_greater(cluster, cluster, &Resource::ZERO);
        Measure { exists, guaranteed, share: arith.share(cluster, &guaranteed) }
    }
}

impl Figures {
    /// Of a queue on the nodes of a label; last what these have, and the smallest container.
    pub(super) fn of(
        node: &QueueNode,
        label: &str,
        settings: &CapacitySettings,
        leaf: Option<Box<LeafFigures>>,
        arith: Arith,
        (cluster, minimum): (&Resource, &Resource),
    ) -> Figures {
        let of_label = node.of_label(label);
        let figures = of_label.map_or_else(LabelFigures::default, |(_, figures)| *figures);
        Figures {
            parent: node.parent,
            maximum: figures.effective_maximum,
            absolute_capacity: figures.absolute_capacity,
            priority: node.config.priority,
            minimum: of_label.map_or(Resource::ZERO, |(capacity, _)| capacity.minimum),
            continue_looking: settings.reservations_continue_look_all_nodes,
            order: node.leaf().map_or(AppOrder::Fifo, |leaf| AppOrder::of(&leaf.ordering)),
            measure: Measure::of(node, label, arith, cluster, minimum),
            leaf,
        }
    }

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
