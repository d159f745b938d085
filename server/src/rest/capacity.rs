//! `/scheduler` of a CapacityScheduler: its tree of queues, and how its last passes went.

use std::collections::{BTreeMap, HashMap};

use evenweave::Resource;
use evenweave::config::AccessControlList;
use evenweave::config::capacity::{
    CapacityMode, CapacityQueue, CapacityQueueKind, CapacityQueueRole, CapacityUnit, LabelCapacity, QueueMaking,
};
use evenweave::parts::java::{hash_order, types_in_order};
use evenweave::view::{CapacityLeafView, CapacityQueueView, CapacityUserView};

use super::partitions::QueuePart;
use super::queue_counts::{Counted, counted};
use super::request::{Answer, Outcome};
use super::resource::{Amounts, unset};
use crate::java::place_of_text;
use crate::manager::ResourceManager;
use crate::scheduler::{Basics, Health};
use crate::value::{Object, Value};

struct Tree<'s> {
    of: &'s ResourceManager,
    basics: &'s Basics,
    amounts: Amounts<'s>,
    counted: HashMap<String, Counted>,
    /// By the parent's path.
    children: BTreeMap<&'s str, Vec<&'s CapacityQueueView>>,
}

/// In percent, between none and all.
fn percent(of: f32) -> f32 {
    of.clamp(0.0, 1.0) * 100.0
}

/// A maximum in percent: none is shown as all, as in Hadoop.
fn most_percent(of: f32) -> f32 {
    let percent = of * 100.0;
    if !(1e-5..=100.0).contains(&percent) { 100.0 } else { percent }
}

impl Tree<'_> {
    fn resource(&self, of: &Resource) -> Value {
        self.amounts.of(of).into()
    }

    /// What the queue is to have of each type, as it was written.
    fn vector(&self, of: &LabelCapacity) -> Object {
        let types = &self.basics.types;
        let order = hash_order(types_in_order(types).into_iter().map(|index| types.name(index)));
        let part = |index: usize| {
            let (unit, value) = of.vector.part(index)?;
            let unit = match unit {
                CapacityUnit::Percentage => "%",
                CapacityUnit::Absolute => "",
                CapacityUnit::Weight => "w",
            };
            Some((types.name(index), format!("{value:?}{unit}")))
        };
        let parts: Vec<(&str, String)> = order.into_iter().filter_map(|name| part(types.index(name)?)).collect();
        let whole = parts.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(",");
        let entries = parts
            .iter()
            .map(|(name, value)| Object::new().with("resourceName", *name).with("resourceValue", value.as_str()));
        Object::new()
            .with("configuredCapacityVector", format!("[{whole}]"))
            .with("capacityVectorEntries", entries.collect::<Value>())
    }

    fn capacities(&self, of: &CapacityQueueView) -> Object {
        let known = QueuePart::all(of).filter(|part| part.has_fractions);
        let capacities = known.filter_map(|part| Some(self.capacity(&part, part.configured?, of.leaf.is_some())));
        Object::new().with("queueCapacitiesByPartition", capacities.collect::<Value>())
    }

    fn capacity(&self, of: &QueuePart<'_>, configured: &LabelCapacity, is_leaf: bool) -> Object {
        let or_unset = |amounts: &Resource| match amounts.is_zero() {
            true => unset(self.basics).into(),
            false => self.resource(amounts),
        };
        let am_share = if is_leaf { configured.max_am_resource_percent * 100.0 } else { 0.0 };
        // Of a label that the queue may use, and nothing is configured for, these amounts were never set.
        let or_never_set = |amounts: &Resource| match configured.is_configured {
            true => self.resource(amounts),
            false => or_unset(amounts),
        };
        Object::new()
            .with("partitionName", of.label)
            .with("queueCapacityVectorInfo", self.vector(configured))
            .with("capacity", percent(of.capacity))
            .with("usedCapacity", of.used_capacity * 100.0)
            .with("maxCapacity", most_percent(of.maximum_capacity))
            .with("absoluteCapacity", percent(of.absolute_capacity))
            .with("absoluteUsedCapacity", of.absolute_used_capacity * 100.0)
            .with("absoluteMaxCapacity", percent(of.absolute_maximum_capacity))
            .with("maxAMLimitPercentage", am_share)
            .with("weight", configured.weight)
            .with("normalizedWeight", of.normalized_weight)
            .with("configuredMinResource", or_unset(&configured.minimum))
            .with("configuredMaxResource", or_unset(&configured.maximum))
            .with("effectiveMinResource", or_never_set(&of.guaranteed))
            .with("effectiveMaxResource", or_never_set(&of.maximum))
    }

    fn usage(&self, of: &CapacityQueueView) -> Object {
        let usage = |part: QueuePart<'_>| {
            let mut usage = Object::new()
                .with("partitionName", part.label)
                .with("used", self.resource(&part.used))
                .with("reserved", self.resource(&part.reserved))
                .with("pending", self.resource(&part.pending));
            if of.leaf.is_some() {
                usage.push("amUsed", self.resource(&part.am_used));
                usage.push("amLimit", self.resource(&part.am_limit));
                usage.push("userAmLimit", self.resource(&part.user_am_limit));
            }
            usage
        };
        let known = QueuePart::all(of).filter(|part| part.has_amounts);
        Object::new().with("resourceUsagesByPartition", known.map(usage).collect::<Value>())
    }

    /// A user of a leaf queue.
    fn user(&self, of: &CapacityUserView, queue: &CapacityQueueView) -> Object {
        let none = Resource::ZERO;
        let usage = |label: &str, used: &Resource, am_used: &Resource, am_limit: &Resource| {
            Object::new()
                .with("partitionName", label)
                .with("used", self.resource(used))
                .with("reserved", self.resource(&none))
                .with("pending", self.resource(&none))
                .with("amUsed", self.resource(am_used))
                .with("amLimit", self.resource(am_limit))
                .with("userAmLimit", self.resource(&none))
        };
        let parts = queue.partitions.iter().filter_map(|part| {
            let user = part.users.iter().find(|user| user.user == of.user && user.has_amounts)?;
            Some((part.label.as_str(), user))
        });
        let (mut used, mut usages) = (of.used, vec![usage("", &of.used, &of.am_used, &of.am_limit)]);
        for (label, part) in parts {
            used = used.plus(&part.used);
            usages.push(usage(label, &part.used, &part.am_used, &part.am_limit));
        }
        let usages: Value = usages.into_iter().collect();
        Object::new()
            .with("username", of.user.as_str())
            .with("resourcesUsed", self.resource(&used))
            .with("numPendingApplications", of.pending_applications)
            .with("numActiveApplications", of.active_applications)
            .with("AMResourceUsed", self.resource(&of.am_used))
            .with("userResourceLimit", self.resource(&of.last_limit))
            .with("resources", Object::new().with("resourceUsagesByPartition", usages))
            .with("userWeight", of.weight)
            .with("isActive", of.is_active)
    }

    /// What every queue says after its own capacities.
    fn settings(&self, of: &CapacityQueueView, answer: &mut Object) {
        let configured = &of.configured;
        answer.push("queueAcls", acls(configured));
        answer.push("queuePriority", configured.priority);
        answer.push("orderingPolicyInfo", ordering(configured));
    }

    fn making(&self, of: &CapacityQueueView, answer: &mut Object) {
        let configured = &of.configured;
        answer.push("mode", mode(configured, self.basics.types.len()));
        answer.push("queueType", if of.leaf.is_some() { "leaf" } else { "parent" });
        answer.push(
            "creationMethod",
            match of.making {
                None => "static",
                Some(QueueMaking::Managed) => "dynamicLegacy",
                Some(_) => "dynamicFlexible",
            },
        );
        answer.push("autoCreationEligibility", eligibility(configured));
        let templates = match &configured.role {
            CapacityQueueRole::Parent(_) => self.of.scheduler().templates(&of.name),
            CapacityQueueRole::Leaf(_) => None,
        };
        let (common, parent, leaf) = templates.map(|of| (of.common, of.parent, of.leaf)).unwrap_or_default();
        answer.push("autoQueueTemplateProperties", template(&common));
        answer.push("autoQueueParentTemplateProperties", template(&parent));
        answer.push("autoQueueLeafTemplateProperties", template(&leaf));
    }

    fn children(&self, of: &CapacityQueueView) -> Option<Object> {
        let children: Value = self.children.get(of.name.as_str())?.iter().map(|child| self.queue(child)).collect();
        Some(Object::new().with("queue", children))
    }

    fn queue(&self, of: &CapacityQueueView) -> Object {
        let configured = &of.configured;
        let counted = self.counted.get(&of.name).copied().unwrap_or_default();
        let mut answer = match &of.leaf {
            Some(_) => Object::of_kind("capacitySchedulerLeafQueueInfo"),
            None => Object::new(),
        };
        answer.push("queuePath", of.name.as_str());
        answer.push("capacity", percent(of.capacity));
        answer.push("usedCapacity", of.used_capacity * 100.0);
        answer.push("maxCapacity", most_percent(of.maximum_capacity));
        answer.push("absoluteCapacity", percent(of.absolute_capacity));
        answer.push("absoluteMaxCapacity", percent(of.absolute_maximum_capacity));
        answer.push("absoluteUsedCapacity", percent(of.absolute_used_capacity));
        answer.push("weight", configured.capacities[0].weight);
        answer.push("normalizedWeight", of.normalized_weight);
        answer.push("numApplications", of.applications);
        answer.push("maxParallelApps", configured.max_parallel_apps);
        answer.push("queueName", configured.name.as_str());
        answer.push("isAbsoluteResource", configured.mode == CapacityMode::AbsoluteResource);
        answer.push("state", of.state.as_str());
        if let Some(children) = self.children(of) {
            answer.push("queues", children);
        }
        answer.push("resourcesUsed", self.resource(&of.used));
        answer.push("hideReservationQueues", false);
        answer.push(
            "nodeLabels",
            of.accessible_labels.iter().map(|label| Value::from(label.as_str())).collect::<Vec<_>>(),
        );
        answer.push("allocatedContainers", counted.allocated);
        answer.push("reservedContainers", counted.reserved);
        answer.push("pendingContainers", counted.pending);
        answer.push("capacities", self.capacities(of));
        answer.push("resources", self.usage(of));
        answer.push("minEffectiveCapacity", self.resource(&of.guaranteed));
        answer.push("maxEffectiveCapacity", self.resource(&of.maximum));
        answer.push("maximumAllocation", self.resource(&configured.maximum_allocation));
        self.settings(of, &mut answer);
        answer.push("autoCreateChildQueueEnabled", configured.kind == CapacityQueueKind::ManagedParent);
        answer.push("leafQueueTemplate", leaf_template(configured));
        self.making(of, &mut answer);
        if let Some(label) = &of.default_label {
            answer.push("defaultNodeLabelExpression", label.as_str());
        }
        if let Some(leaf) = &of.leaf {
            self.leaf(of, leaf, &mut answer);
        }
        answer
    }

    fn leaf(&self, of: &CapacityQueueView, leaf: &CapacityLeafView, answer: &mut Object) {
        let configured = &of.configured;
        let default_priority = match &configured.role {
            CapacityQueueRole::Leaf(settings) => settings.default_application_priority,
            CapacityQueueRole::Parent(_) => 0,
        };
        // Of whoever comes first; of nobody, that of the queue.
        let mut users: Vec<&CapacityUserView> = leaf.users.iter().collect();
        users.sort_by_key(|user| place_of_text(&user.user, leaf.users.len()));
        let user_am_limit = users.first().map_or(leaf.am_limit, |user| user.am_limit);
        let users: Value = users.into_iter().map(|user| self.user(user, of)).collect();
        answer.push("numActiveApplications", leaf.active_applications);
        answer.push("numPendingApplications", leaf.pending_applications);
        answer.push("numContainers", of.containers);
        answer.push("maxApplications", leaf.max_applications);
        answer.push("maxApplicationsPerUser", leaf.max_applications_per_user);
        answer.push("userLimit", leaf.user_limit);
        answer.push("users", Object::new().with("user", users));
        answer.push("userLimitFactor", leaf.user_limit_factor);
        answer.push("configuredMaxAMResourceLimit", leaf.am_percent);
        answer.push("AMResourceLimit", self.resource(&leaf.am_limit));
        answer.push("usedAMResource", self.resource(&leaf.am_used));
        answer.push("userAMResourceLimit", self.resource(&user_am_limit));
        answer.push("preemptionDisabled", configured.preemption_disabled);
        answer.push("intraQueuePreemptionDisabled", configured.intra_queue_preemption_disabled);
        answer.push("defaultPriority", default_priority);
        answer.push("isAutoCreatedLeafQueue", of.making == Some(QueueMaking::Managed));
        answer.push("maxApplicationLifetime", configured.maximum_lifetime_seconds);
        answer.push("defaultApplicationLifetime", configured.default_lifetime_seconds);
    }

    fn root(&self, of: &CapacityQueueView) -> Object {
        let configured = &of.configured;
        let mut answer = Object::of_kind("capacityScheduler")
            .with("capacity", percent(of.capacity))
            .with("usedCapacity", of.used_capacity * 100.0)
            .with("maxCapacity", most_percent(of.maximum_capacity))
            .with("weight", configured.capacities[0].weight)
            .with("normalizedWeight", of.normalized_weight)
            .with("queueCapacityVectorInfo", self.vector(&configured.capacities[0]))
            .with("queueName", configured.name.as_str())
            .with("queuePath", of.name.as_str())
            .with("maxParallelApps", configured.max_parallel_apps)
            .with("isAbsoluteResource", configured.mode == CapacityMode::AbsoluteResource)
            .maybe("queues", self.children(of))
            .with("capacities", self.capacities(of))
            .with("health", self.health(&self.of.scheduler().health()))
            .with("maximumAllocation", self.resource(&configured.maximum_allocation));
        self.settings(of, &mut answer);
        self.making(of, &mut answer);
        answer
    }

    fn health(&self, of: &Health) -> Object {
        const NONE: &str = "N/A";
        let operation = |name: &str, of: Option<(String, String, String)>| {
            let of = of.map(|(node, container, queue)| (self.of.records().node_id(&node), container, queue));
            let none = || NONE.to_owned();
            let (node, container, queue) = of.unwrap_or_else(|| (none(), none(), none()));
            Object::new()
                .with("operation", name)
                .with("nodeId", node)
                .with("containerId", container)
                .with("queue", queue)
        };
        // What was made has no id yet when that is noted.
        let made =
            |of: Option<&(String, String)>| of.map(|(node, queue)| (node.clone(), NONE.to_owned(), queue.clone()));
        let operations = [
            operation("last-allocation", made(of.last_allocation.as_ref())),
            operation("last-release", of.last_release.clone()),
            operation("last-preemption", of.last_preemption.clone()),
            operation("last-reservation", made(of.last_reservation.as_ref())),
        ];
        let run = |name: &str, (count, amount): &(i64, Resource)| {
            Object::new().with("operation", name).with("count", *count).with("resources", self.resource(amount))
        };
        let runs =
            [run("releases", &of.releases), run("allocations", &of.allocations), run("reservations", &of.reservations)];
        Object::new()
            .with("lastrun", of.last_run_ms)
            .with("operationsInfo", operations.into_iter().collect::<Value>())
            .with("lastRunDetails", runs.into_iter().collect::<Value>())
    }
}

/// `types`: how many resource types there are.
fn mode(of: &CapacityQueue, types: usize) -> &'static str {
    let mut units = (0..types).filter_map(|index| Some(of.capacities[0].vector.part(index)?.0));
    if units.next().is_some_and(|first| units.any(|unit| unit != first)) {
        return "mixed";
    }
    match of.mode {
        CapacityMode::AbsoluteResource => "absolute",
        CapacityMode::Percentage if of.capacities[0].weight >= 0.0 => "weight",
        CapacityMode::Percentage => "percentage",
    }
}

fn ordering(of: &CapacityQueue) -> &'static str {
    match &of.role {
        CapacityQueueRole::Parent(settings) => settings.ordering.name(),
        CapacityQueueRole::Leaf(settings) => settings.ordering.name(),
    }
}

fn eligibility(of: &CapacityQueue) -> &'static str {
    match &of.role {
        CapacityQueueRole::Parent(settings) if settings.managed_creation.is_some() => "legacy",
        CapacityQueueRole::Parent(settings) if settings.flexible_creation.enabled => "flexible",
        CapacityQueueRole::Parent(_) | CapacityQueueRole::Leaf(_) => "off",
    }
}

/// As Hadoop writes a list: users, then groups.
fn list(of: &AccessControlList) -> String {
    if of.everybody {
        return "*".to_owned();
    }
    let names = |of: &std::collections::BTreeSet<String>| of.iter().cloned().collect::<Vec<_>>().join(",");
    format!("{} {}", names(&of.users), names(&of.groups))
}

fn acls(of: &CapacityQueue) -> Object {
    let acl = |kind: &str, list: String| Object::new().with("accessType", kind).with("accessControlList", list);
    let all = [
        acl("ADMINISTER_QUEUE", list(&of.acl_administer)),
        acl("APPLICATION_MAX_PRIORITY", "*".to_owned()),
        acl("SUBMIT_APP", list(&of.acl_submit)),
    ];
    Object::new().with("queueAcl", all.into_iter().collect::<Value>())
}

fn template(of: &BTreeMap<String, String>) -> Object {
    let property =
        |(name, value): (&String, &String)| Object::new().with("name", name.as_str()).with("value", value.as_str());
    Object::new().with("property", of.iter().map(property).collect::<Value>())
}

/// What the file says of leaves to be made, of whatever queue. A name begins where it has that of the template last, as
/// Hadoop cuts it.
fn leaf_template(of: &CapacityQueue) -> Object {
    const BEGIN: &str = "leaf-queue-template.";
    let property = |(name, value): (&String, &String)| {
        let own = name.rsplit(BEGIN).next().unwrap_or(name);
        Object::new().with("name", format!("{BEGIN}{own}")).with("value", value.as_str())
    };
    Object::new().with("property", of.leaf_template.iter().map(property).collect::<Value>())
}

pub(crate) fn scheduler(of: &ResourceManager) -> Outcome {
    let scheduler = of.scheduler();
    let queues = scheduler.capacity_queues();
    let mut children: BTreeMap<&str, Vec<&CapacityQueueView>> = BTreeMap::new();
    for queue in &queues {
        if let Some((above, _)) = queue.name.rsplit_once('.') {
            children.entry(above).or_default().push(queue);
        }
    }
    let (basics, amounts) = (scheduler.basics(), Amounts::new(&scheduler.basics().types));
    let tree = Tree { of, basics, amounts, counted: counted(of), children };
    let root = queues.iter().find(|queue| queue.name == "root").map(|root| tree.root(root));
    Ok(Answer::natural("scheduler", Object::new().maybe("schedulerInfo", root)))
}
