//! What the FairScheduler keeps of a queue in the control's tree: its settings, and what follows from them.
//!
//! Plain data of the control. Follows `QueueManager` and `FSQueue` (rules/fair-shares.md 2).

use crate::config::{AllocationFile, Limit, QueueSettings};
use crate::policy::SchedulingPolicy;
use crate::resource::Resource;
use crate::sync::Arc;
use std::collections::HashSet;

/// A queue of the tree.
pub(crate) type Queue = crate::queue::Queue<QueueOwn>;
/// All queues.
pub(crate) type QueueTree = crate::queue::QueueTree<QueueOwn>;

/// See the module's text.
#[derive(Debug)]
pub(crate) struct QueueOwn {
    /// Not named by the allocation file.
    pub(crate) dynamic: bool,
    /// The file names it. One that a queue of another type stands in the way of is named, and may be dynamic all the
    /// same.
    pub(crate) named: bool,
    /// Numbers of the applications that keep the queue from being cleaned away.
    pub(crate) submitted: HashSet<u32>,
    pub(crate) policy: Arc<dyn SchedulingPolicy>,
    pub(crate) weight: f32,
    pub(crate) min_share: Resource,
    pub(crate) raw_max: Limit,
    pub(crate) max_am_share: f32,
    pub(crate) max_child: Option<Limit>,
    /// Its own; unbounded = the parent's.
    pub(crate) max_container: Resource,
    pub(crate) preemption: OwnPreemption,
    pub(crate) steady_fair_share: Resource,
    /// How many siblings come before by name, as of the last publish.
    pub(crate) name_order: u64,
}

/// What the file says of a queue's preemption; where it says nothing the queues above are asked.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct OwnPreemption {
    pub(crate) min_timeout_ms: Option<i64>,
    pub(crate) fair_timeout_ms: Option<i64>,
    pub(crate) threshold: Option<f32>,
    pub(crate) preemptable: Option<bool>,
}

impl QueueOwn {
    /// Of a queue that is dynamic until a file names it.
    pub(crate) fn new(policy: Arc<dyn SchedulingPolicy>) -> QueueOwn {
        QueueOwn {
            dynamic: true,
            named: false,
            submitted: HashSet::new(),
            policy,
            weight: 1.0,
            min_share: Resource::ZERO,
            raw_max: Limit::UNBOUNDED,
            max_am_share: 0.5,
            max_child: None,
            max_container: Resource::UNBOUNDED,
            preemption: OwnPreemption::default(),
            steady_fair_share: Resource::ZERO,
            name_order: 0,
        }
    }

    /// On the present cluster, raised to the min share.
    pub(crate) fn max_share(&self, cluster: &Resource) -> Resource {
        self.raw_max.of(cluster).most(&self.min_share)
    }
}

impl Queue {
    /// Reads its settings.
    pub(crate) fn configure(&mut self, file: &AllocationFile) {
        let nothing_said = QueueSettings::default();
        let said = file.queues.get(&*self.name);
        // A queue that the file says something of is named by it too, in the same spelling.
        self.own.named = said.is_some() || file.names(&self.name);
        let said = said.unwrap_or(&nothing_said);
        self.max_running_apps = said.max_running_apps.unwrap_or(file.queue_max_apps);
        let own = &mut self.own;
        own.weight = said.weight.unwrap_or(1.0);
        own.min_share = said.min.unwrap_or(Resource::ZERO);
        own.raw_max = said.max.unwrap_or(file.queue_max_resources);
        own.max_am_share = said.max_am_share.unwrap_or(file.queue_max_am_share);
        own.max_child = said.max_child;
        own.max_container = said.max_container.unwrap_or(Resource::UNBOUNDED);
        own.preemption = OwnPreemption {
            min_timeout_ms: said.min_share_preemption_timeout_ms,
            fair_timeout_ms: said.fair_share_preemption_timeout_ms,
            threshold: said.fair_share_preemption_threshold,
            preemptable: said.preemptable,
        };
    }
}

impl QueueTree {
    /// Whether no application is in a queue or below it.
    pub(crate) fn is_empty(&self, slot: u32) -> bool {
        let queue = self.get(slot);
        if queue.leaf {
            queue.runnable.is_empty() && queue.waiting.is_empty() && queue.own.submitted.is_empty()
        } else {
            queue.children().all(|child| self.is_empty(child))
        }
    }

    /// The most that one container may have in a queue: its own, else its parent's, up to root's.
    pub(crate) fn max_container(&self, slot: u32) -> Resource {
        self.path(slot)
            .map(|queue| queue.own.max_container)
            .find(|own| *own != Resource::UNBOUNDED)
            .unwrap_or(Resource::UNBOUNDED)
    }
}
