//! `/nodes` and `/nodes/{id}`.

use std::collections::HashMap;
use std::sync::Arc;

use evenweave::Resource;

use super::errors::Fault;
use super::request::{Answer, Asked, Outcome};
use super::resource::Amounts;
use crate::manager::ResourceManager;
use crate::records::{NodeRecord, NodeState, Records};
use crate::value::{Object, Shared, Value};

/// Hadoop's names of states.
const STATES: [&str; 8] =
    ["NEW", "RUNNING", "UNHEALTHY", "DECOMMISSIONED", "LOST", "REBOOTED", "DECOMMISSIONING", "SHUTDOWN"];

/// What the scheduler has of each node: the total, what is free, and how many containers hold room.
struct Seen<'m> {
    /// The label of each that has one, by id; `None` where the scheduler has no labels.
    labels: Option<HashMap<String, String>>,
    nodes: HashMap<String, (Resource, Resource, i64)>,
    amounts: Amounts<'m>,
    /// Nobody says any, so that of all nodes is the same.
    utilization: Arc<Shared>,
}

/// The labels of nodes that have one, by id; also of those that are gone, as in Hadoop. `None`: the scheduler has no
/// labels. It is not asked while the records are locked: it may wait for somebody who waits for them.
pub(crate) fn labels(
    manager: &ResourceManager,
    is_wanted: impl Fn(&NodeRecord) -> bool,
) -> Option<HashMap<String, String>> {
    let scheduler = manager.scheduler();
    if !scheduler.basics().labels {
        return None;
    }
    let ids: Vec<String> =
        manager.records().nodes().iter().filter(|node| is_wanted(node)).map(NodeRecord::id).collect();
    let labels = scheduler.node_labels(&ids.iter().map(String::as_str).collect::<Vec<_>>());
    Some(ids.into_iter().zip(labels).filter(|(_, label)| !label.is_empty()).collect())
}

impl<'m> Seen<'m> {
    fn of(manager: &'m ResourceManager, is_wanted: impl Fn(&NodeRecord) -> bool) -> Seen<'m> {
        let scheduler = manager.scheduler();
        let counts = scheduler.container_counts().by_node;
        let nodes = scheduler.nodes().into_iter().map(|node| {
            let count = counts.get(&node.id).copied().unwrap_or_default();
            (node.name, (node.total, node.free, i64::try_from(count).unwrap_or(i64::MAX)))
        });
        Seen {
            labels: labels(manager, is_wanted),
            nodes: nodes.collect(),
            amounts: Amounts::new(&scheduler.basics().types),
            utilization: Shared::new(utilization()),
        }
    }

    fn node(&self, node: &NodeRecord) -> Object {
        let labels: Vec<Value> = match &self.labels {
            Some(labels) => labels.get(&node.id()).into_iter().map(|label| label.as_str().into()).collect(),
            None => node.labels.iter().map(|label| label.as_str().into()).collect(),
        };
        let seen = self.nodes.get(&node.name).filter(|_| !node.state.is_gone());
        let (total, free, containers) = seen.copied().unwrap_or((node.total, Resource::ZERO, 0));
        let used = if seen.is_some() { total.minus(&free) } else { Resource::ZERO };
        Object::of_about(28)
            .with("rack", node.rack.as_str())
            .with("state", Value::word(node.state.name()))
            .with("id", node.id())
            .with("nodeHostName", node.name.as_str())
            .with("nodeHTTPAddress", if node.state.is_gone() { String::new() } else { node.http_address() })
            .with("lastHealthUpdate", node.last_health_ms)
            .with("version", node.version.as_str())
            .with("healthReport", Value::word(""))
            .with("numContainers", containers)
            .with("usedMemoryMB", used.memory_mb())
            .with("availMemoryMB", free.memory_mb())
            .with("usedVirtualCores", used.vcores())
            .with("availableVirtualCores", free.vcores())
            .with("memUtilization", 0.0_f32)
            .with("cpuUtilization", 0.0_f32)
            .with("numRunningOpportContainers", 0)
            .with("usedMemoryOpportGB", 0)
            .with("usedVirtualCoresOpport", 0)
            .with("numQueuedContainers", 0)
            .with("nodeLabels", labels)
            .with("allocationTags", Object::new())
            .with("resourceUtilization", self.utilization.clone())
            .maybe("usedResource", seen.map(|_| self.amounts.of(&used)))
            .maybe("availableResource", seen.map(|_| self.amounts.of(&free)))
            .with("nodeAttributesInfo", Object::new())
            .with("totalResource", self.amounts.of(&total))
    }
}

fn utilization() -> Object {
    Object::new()
        .with("nodePhysicalMemoryMB", 0)
        .with("nodeVirtualMemoryMB", 0)
        .with("nodeCPUUsage", 0.0_f32)
        .with("aggregatedContainersPhysicalMemoryMB", 0)
        .with("aggregatedContainersVirtualMemoryMB", 0)
        .with("containersCPUUsage", 0.0_f32)
}

fn wanted_states(asked: &Asked) -> Result<Option<Vec<String>>, Fault> {
    let Some(states) = asked.query("states") else { return Ok(None) };
    let mut wanted = Vec::new();
    for state in states.split(',').map(|state| state.trim().to_uppercase()) {
        if !STATES.contains(&state.as_str()) {
            let message = format!("No enum constant org.apache.hadoop.yarn.api.records.NodeState.{state}");
            return Err(Fault::illegal_argument(message));
        }
        wanted.push(state);
    }
    Ok(Some(wanted))
}

pub(crate) fn nodes(of: &ResourceManager, asked: &Asked) -> Outcome {
    let wanted = wanted_states(asked)?;
    let is_wanted =
        |state: NodeState| wanted.as_ref().is_none_or(|wanted| wanted.iter().any(|one| one == state.name()));
    let seen = Seen::of(of, |node| is_wanted(node.state));
    let records = of.records();
    let found = records.nodes().iter().filter(|node| is_wanted(node.state));
    let found: Value = found.map(|node| seen.node(node)).collect();
    Ok(Answer::natural("nodes", Object::new().with("node", found)))
}

/// The node of an id.
///
/// # Errors
/// When it is no id, or none of a node here.
pub(crate) fn named<'r>(records: &'r Records, id: &str) -> Result<&'r NodeRecord, Fault> {
    let (host, port) = host_and_port(id)?;
    let found = records.node_named(host).filter(|node| i32::from(node.port) == port);
    found.ok_or_else(|| Fault::not_found(format_args!("nodeId, {id}, is not found")))
}

/// The parts of a node's id.
///
/// # Errors
/// When it is no id.
pub(super) fn host_and_port(id: &str) -> Result<(&str, i32), Fault> {
    // As Java splits it: empty parts at the end are none.
    let mut parts: Vec<&str> = id.split(':').collect();
    while parts.last().is_some_and(|last| last.is_empty()) {
        parts.pop();
    }
    let [host, port] = parts[..] else {
        return Err(Fault::illegal_argument(format!("Invalid NodeId [{id}]. Expected host:port")));
    };
    let host = host.trim();
    let port: i32 = port.parse().map_err(|_| Fault::illegal_argument(format!("Invalid port: {port}")))?;
    Ok((host, port))
}

pub(crate) fn node(of: &ResourceManager, asked: &Asked) -> Outcome {
    let id = asked.part("node");
    let (host, _) = host_and_port(id)?;
    let seen = Seen::of(of, |node| node.name == host);
    let records = of.records();
    Ok(Answer::natural("node", seen.node(named(&records, id)?)))
}
