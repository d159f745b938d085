//! `/state`: the scheduler's state at one moment. Of a FairScheduler what Hadoop's logger `FairScheduler.statedump`
//! writes, as it writes it, and as values; Hadoop's CapacityScheduler has no such thing, and is told by the same means.

use std::collections::BTreeMap;

use evenweave::Resource;
use evenweave::parts::java::resource_text;
use evenweave::resource::ResourceTypes;
use evenweave::view::{CapacityPartitionView, CapacityQueueView};

use crate::manager::ResourceManager;
use crate::rest::request::{Answer, Asked, Outcome};
use crate::rest::resource::resource;
use crate::scheduler::{FairQueue, Kind, am_limit};
use crate::value::{Object, Value, number};

pub(crate) fn state(of: &ResourceManager, _: &Asked) -> Outcome {
    let scheduler = of.scheduler();
    let (basics, cluster) = (scheduler.basics(), scheduler.cluster());
    let dump = match basics.kind {
        Kind::Fair => fair(&basics.types, &cluster, scheduler.fair_queues()),
        Kind::Capacity => capacity(&basics.types, &cluster, &scheduler.capacity_queues()),
    };
    Ok(Answer::natural("state", dump))
}

/// Memory and vcores: Hadoop's metrics keep no more of what is free.
fn available(cluster: &Resource, used: &Resource) -> Resource {
    let free = cluster.minus(used);
    Resource::new(free.memory_mb(), free.vcores())
}

fn head(types: &ResourceTypes, name: &str, [cluster, used, demand]: [&Resource; 3]) -> Object {
    Object::new()
        .with("scheduler", name)
        .with("clusterCapacity", resource(types, cluster))
        .with("allocations", resource(types, used))
        .with("availability", resource(types, &available(cluster, used)))
        .with("demand", resource(types, demand))
}

fn fair(types: &ResourceTypes, cluster: &Resource, queues: Vec<FairQueue>) -> Object {
    let root = queues.iter().find(|queue| queue.view.name == "root");
    let (used, demand) = root.map_or((Resource::ZERO, Resource::ZERO), |root| (root.view.usage, root.view.demand));
    let words = |of: &Resource| resource_text(types, of);
    let first = format!(
        "FairScheduler state: Cluster Capacity: {}  Allocations: {}  Availability: {}  Demand: {}",
        words(cluster),
        words(&used),
        words(&available(cluster, &used)),
        words(&demand)
    );
    let mut tree: BTreeMap<&str, Vec<&FairQueue>> = BTreeMap::new();
    for queue in &queues {
        let above = queue.view.name.rsplit_once('.').map_or("", |(above, _)| above);
        tree.entry(above).or_default().push(queue);
    }
    tree.values_mut().for_each(|children| children.sort_by_key(|child| child.view.place));
    let (mut texts, mut objects) = (Vec::new(), Vec::new());
    let mut rest: Vec<&FairQueue> = root.into_iter().collect();
    while let Some(queue) = rest.pop() {
        rest.extend(tree.get(queue.view.name.as_str()).into_iter().flatten().rev());
        let fields = fields(types, queue, &am_limit(&queue.view, queue.max_am_share, cluster, &used));
        let text = fields.iter().map(|(name, _, text, _)| format!("{name}: {text}")).collect::<Vec<_>>().join(", ");
        texts.push(format!("{{{text}}}"));
        objects.push(fields.into_iter().fold(Object::new(), |object, (_, name, _, value)| object.with(name, value)));
    }
    let messages = vec![Value::from(first), texts.join(", ").into()];
    let queues: Value = objects.into_iter().collect();
    head(types, "FairScheduler", [cluster, &used, &demand]).with("queues", queues).with("messages", messages)
}

/// Hadoop's name of it, ours, and the value in both.
type Field = (&'static str, &'static str, String, Value);

fn fields(types: &ResourceTypes, of: &FairQueue, am_limit: &Resource) -> Vec<Field> {
    let view = &of.view;
    let amount =
        |name, member, of: &Resource| -> Field { (name, member, resource_text(types, of), resource(types, of).into()) };
    let float = |name, member, of: f32| -> Field { (name, member, number::float(of), of.into()) };
    let count = |name, member, of: u32| -> Field { (name, member, of.to_string(), of.into()) };
    let text = |name, member, of: &str| -> Field { (name, member, of.to_owned(), of.into()) };
    let mut fields = vec![
        text("Name", "name", &view.name),
        float("Weight", "weight", view.weight),
        text("Policy", "policy", &view.policy),
        amount("FairShare", "fairShare", &view.fair_share),
        amount("SteadyFairShare", "steadyFairShare", &view.steady_fair_share),
        amount("MaxShare", "maxShare", &view.max_share),
        amount("MinShare", "minShare", &view.min_share),
        amount("ResourceUsage", "resourceUsage", &view.usage),
        amount("Demand", "demand", &view.demand),
    ];
    let share = float("MaxAMShare", "maxAMShare", of.max_am_share);
    let runnable = count("Runnable", "runnable", view.runnable);
    match view.leaf {
        false => fields.extend([share, runnable]),
        true => fields.extend([
            runnable,
            count("NumPendingApps", "numPendingApps", view.pending),
            count("NonRunnable", "nonRunnable", view.non_runnable),
            share,
            amount("MaxAMResource", "maxAMResource", am_limit),
            amount("AMResourceUsage", "amResourceUsage", &view.am_usage),
            (
                "LastTimeAtMinShare",
                "lastTimeAtMinShare",
                view.last_at_min_share_ms.to_string(),
                view.last_at_min_share_ms.into(),
            ),
        ]),
    }
    fields
}

/// A queue on the nodes of a label; all else that is told of it is of nodes without one.
fn partition(types: &ResourceTypes, of: &CapacityPartitionView) -> Object {
    Object::new()
        .with("label", of.label.as_str())
        .with("capacity", of.capacity)
        .with("usedCapacity", of.used_capacity)
        .with("maximumCapacity", of.maximum_capacity)
        .with("guaranteed", resource(types, &of.guaranteed))
        .with("maximum", resource(types, &of.maximum))
        .with("used", resource(types, &of.used))
        .with("reserved", resource(types, &of.reserved))
        .with("pending", resource(types, &of.pending))
}

fn capacity(types: &ResourceTypes, cluster: &Resource, queues: &[CapacityQueueView]) -> Object {
    let root = queues.iter().find(|queue| queue.name == "root");
    let (used, pending) = root.map_or((Resource::ZERO, Resource::ZERO), |root| (root.used, root.pending));
    let queue = |queue: &CapacityQueueView| {
        let leaf = queue.leaf.as_ref();
        Object::new()
            .with("name", queue.name.as_str())
            .with("state", queue.state.as_str())
            .with("capacity", queue.capacity)
            .with("usedCapacity", queue.used_capacity)
            .with("maximumCapacity", queue.maximum_capacity)
            .maybe("weight", queue.configured.capacities.first().map(|capacity| capacity.weight))
            .with("maxParallelApps", queue.configured.max_parallel_apps)
            .with("preemptionDisabled", queue.configured.preemption_disabled)
            .with("intraQueuePreemptionDisabled", queue.configured.intra_queue_preemption_disabled)
            .with("guaranteed", resource(types, &queue.guaranteed))
            .with("maximum", resource(types, &queue.maximum))
            .with("used", resource(types, &queue.used))
            .with("reserved", resource(types, &queue.reserved))
            .with("pending", resource(types, &queue.pending))
            .with("applications", queue.applications)
            .maybe("pendingApplications", leaf.map(|leaf| leaf.pending_applications))
            .with(
                "accessibleNodeLabels",
                queue.accessible_labels.iter().map(|label| Value::from(label.as_str())).collect::<Vec<_>>(),
            )
            .maybe("defaultNodeLabelExpression", queue.default_label.as_deref())
            .with("partitions", queue.partitions.iter().map(|part| partition(types, part)).collect::<Value>())
    };
    let queues: Value = queues.iter().map(queue).collect();
    head(types, "CapacityScheduler", [cluster, &used, &used.plus(&pending)]).with("queues", queues)
}
