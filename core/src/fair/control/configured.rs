//! The settings in force of each queue: its own, the inherited ones, and the defaults.
//!
//! The control reads them from its tree and the file in force. Inheritance follows `FSQueue.updatePreemptionVariables`
//! and `getMaximumContainerAllocation`, rules/configuration.md 3.2.

use super::settings::{OwnPreemption, Queue};
use crate::config::{AccessControlList, AllocationFile, Limit, PlacementRule};
use crate::fair::engine::Control;
use crate::preemption::QueuePreemption;
use crate::resource::Resource;
use crate::resource::sorted;

/// The settings in force of a queue. [`QueueView`](crate::view::QueueView) has its present figures.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct QueueConfig {
    /// The full name, as in `root.a.b`.
    pub name: String,
    /// Whether the queue holds applications, and not queues.
    pub leaf: bool,
    /// Whether the queue is not in the allocation file.
    pub dynamic: bool,
    /// The name of the policy: `fair`, `FIFO`, `DRF`, or a policy of the embedder.
    pub policy: String,
    /// `weight`
    pub weight: f32,
    /// `minResources`
    pub min_resources: Resource,
    /// `maxResources`, the parent's `maxChildResources`, or `queueMaxResourcesDefault`.
    pub max_resources: Limit,
    /// `max_resources` as an amount on the present cluster, at least `min_resources`.
    pub effective_max_resources: Resource,
    /// `maxChildResources`
    pub max_child_resources: Option<Limit>,
    /// `maxContainerAllocation`, inherited. The scheduler's own maximum also applies.
    pub max_container_allocation: Resource,
    /// `maxRunningApps` or `queueMaxAppsDefault`
    pub max_running_apps: i32,
    /// `maxAMShare` or `queueMaxAMShareDefault`
    pub max_am_share: f32,
    /// `minSharePreemptionTimeout` in milliseconds, inherited; `i64::MAX` means never, -1 means not set.
    pub min_share_preemption_timeout_ms: i64,
    /// `fairSharePreemptionTimeout` in milliseconds, inherited; as above.
    pub fair_share_preemption_timeout_ms: i64,
    /// `fairSharePreemptionThreshold`, inherited.
    pub fair_share_preemption_threshold: f32,
    /// `allowPreemptionFrom`: false if the queue or a queue above it forbids preemption.
    pub preemptable: bool,
    /// `reservation`
    pub reservable: bool,
    /// `aclSubmitApps`: the queue's own list; the lists of the queues above it also apply. `None` if neither the file
    /// in force nor, as in Hadoop, an earlier file names the queue.
    pub acl_submit: Option<AccessControlList>,
    /// `aclAdministerApps`, as above.
    pub acl_administer: Option<AccessControlList>,
}

impl Control {
    /// The file in force.
    pub(crate) fn allocations(&self) -> &AllocationFile {
        &self.own.file
    }

    /// The rules in force.
    pub(crate) fn placement_rules(&self) -> &[PlacementRule] {
        &self.own.rules
    }

    /// All queues, by name.
    pub(crate) fn queue_configs(&self) -> Vec<QueueConfig> {
        let mut out: Vec<_> =
            self.tree.in_order_of_creation().into_iter().map(|slot| self.queue_config(self.tree.get(slot))).collect();
        sorted::by(&mut out, |a, b| a.name.cmp(&b.name));
        out
    }

    fn queue_config(&self, queue: &Queue) -> QueueConfig {
        let file = &self.own.file;
        let acls = self.acls.of(&queue.name);
        let preemption = self.preemption_of(queue);
        QueueConfig {
            name: queue.name.to_string(),
            leaf: queue.leaf,
            dynamic: queue.own.dynamic,
            policy: queue.own.policy.name().to_owned(),
            weight: queue.own.weight,
            min_resources: queue.own.min_share,
            max_resources: queue.own.raw_max,
            effective_max_resources: queue.own.max_share(&self.nodes.total()),
            max_child_resources: queue.own.max_child,
            max_container_allocation: self.tree.max_container(queue.slot.index),
            max_running_apps: queue.max_running_apps,
            max_am_share: queue.own.max_am_share,
            min_share_preemption_timeout_ms: preemption.min_timeout_ms,
            fair_share_preemption_timeout_ms: preemption.fair_timeout_ms,
            fair_share_preemption_threshold: preemption.threshold,
            preemptable: preemption.preemptable,
            reservable: file.queues.get(&*queue.name).is_some_and(|own| own.reservation),
            acl_submit: acls.map(|[submit, _]| submit.clone()),
            acl_administer: acls.map(|[_, administer]| administer.clone()),
        }
    }

    /// A queue's preemption settings, inherited where it says nothing.
    pub(super) fn preemption_of(&self, queue: &Queue) -> QueuePreemption {
        let file = &self.own.file;
        QueuePreemption {
            min_timeout_ms: self
                .inherited(queue, |own| own.min_timeout_ms)
                .unwrap_or(file.min_share_preemption_timeout_ms),
            fair_timeout_ms: self
                .inherited(queue, |own| own.fair_timeout_ms)
                .unwrap_or(file.fair_share_preemption_timeout_ms),
            threshold: self.inherited(queue, |own| own.threshold).unwrap_or(file.fair_share_preemption_threshold),
            preemptable: self.inherited(queue, |own| own.preemptable).unwrap_or(true),
        }
    }

    /// What the file says of a queue or, failing that, of the nearest one above it.
    fn inherited<T>(&self, queue: &Queue, read: impl Fn(&OwnPreemption) -> Option<T>) -> Option<T> {
        self.tree.path(queue.slot.index).find_map(|at| read(&at.own.preemption))
    }
}
