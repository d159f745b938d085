//! `/scheduler` of a FairScheduler: its tree of queues.

use std::collections::{BTreeMap, HashMap};

use evenweave::Resource;
use evenweave::view::QueueView;

use super::queue_counts::{Counted, counted};
use super::request::{Answer, Outcome};
use super::resource::{Amounts, unset};
use crate::manager::ResourceManager;
use crate::scheduler::{Basics, FairQueue};
use crate::value::{Object, Value};

struct Tree<'s> {
    basics: &'s Basics,
    cluster: Resource,
    amounts: Amounts<'s>,
    counted: HashMap<String, Counted>,
    /// By the parent's name.
    children: BTreeMap<&'s str, Vec<&'s FairQueue>>,
}

impl Tree<'_> {
    fn queue(&self, of: &FairQueue) -> Object {
        let FairQueue { view, am_limit, .. } = of;
        let resource = |amounts: &Resource| Value::from(self.amounts.of(amounts));
        let counted = self.counted.get(&view.name).copied().unwrap_or_default();
        // Metrics keep reservations in memory and cores.
        let reserved = Resource::new(counted.reserved_resource.memory_mb(), counted.reserved_resource.vcores());
        let mut answer = if view.leaf { Object::of_kind("fairSchedulerLeafQueueInfo") } else { Object::new() };
        let min_share = if view.min_share.is_zero() { unset(self.basics).into() } else { resource(&view.min_share) };
        answer.push("maxApps", view.max_running_apps.min(i32::MAX.unsigned_abs()));
        answer.push("minResources", min_share);
        answer.push("maxResources", resource(&view.max_share.least(&self.cluster)));
        answer.push("usedResources", resource(&view.usage));
        answer.push("amUsedResources", resource(&view.am_usage));
        answer.push("amMaxResources", resource(am_limit));
        answer.push("demandResources", resource(&view.demand));
        answer.push("steadyFairResources", resource(&view.steady_fair_share));
        answer.push("fairResources", resource(&view.fair_share));
        answer.push("clusterResources", resource(&self.cluster));
        answer.push("reservedResources", resource(&reserved));
        answer.push("maxContainerAllocation", resource(&view.max_allocation));
        answer.push("pendingContainers", counted.pending);
        answer.push("allocatedContainers", counted.allocated);
        answer.push("reservedContainers", counted.reserved);
        answer.push("queueName", view.name.as_str());
        answer.push("schedulingPolicy", view.policy.as_str());
        answer.push("preemptable", view.preemptable);
        if view.leaf {
            answer.push("numPendingApps", view.pending);
            answer.push("numActiveApps", active(view));
        } else if let Some(children) = self.children.get(view.name.as_str()) {
            let children: Value = children.iter().map(|child| self.queue(child)).collect();
            answer.push("childQueues", Object::new().with("queue", children));
        }
        answer
    }
}

/// Runnable applications that have had a container.
fn active(view: &QueueView) -> u32 {
    (view.runnable + view.non_runnable).saturating_sub(view.pending)
}

pub(crate) fn scheduler(of: &ResourceManager) -> Outcome {
    let scheduler = of.scheduler();
    let queues = scheduler.fair_queues();
    let mut children: BTreeMap<&str, Vec<&FairQueue>> = BTreeMap::new();
    for queue in &queues {
        if let Some((above, _)) = queue.view.name.rsplit_once('.') {
            children.entry(above).or_default().push(queue);
        }
    }
    children.values_mut().for_each(|children| children.sort_by_key(|queue| queue.view.place));
    let basics = scheduler.basics();
    let (cluster, amounts) = (scheduler.cluster(), Amounts::new(&basics.types));
    let tree = Tree { basics, cluster, amounts, counted: counted(of), children };
    let root = queues.iter().find(|queue| queue.view.name == "root").map(|root| tree.queue(root));
    let info = Object::of_kind("fairScheduler").maybe("rootQueue", root);
    Ok(Answer::natural("scheduler", Object::new().with("schedulerInfo", info)))
}
