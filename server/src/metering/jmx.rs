//! `/jmx`, as a ResourceManager's servlet writes it: beans with Hadoop's names. Numbers that are not known are not there.

use evenweave::Resource;
use serde_json::{Map, Value, json};

use super::measured::{Measured, Queue};
use crate::records::NodeState;
use crate::scheduler::Kind;

const PREFIX: &str = "Hadoop:service=ResourceManager,name=";

/// The beans whose name fits the pattern, in which `*` stands for anything.
pub(super) fn text(measured: &Measured, wanted: &str) -> String {
    let queues = measured.queues.iter().map(|queue| of_queue(queue, measured));
    let beans = std::iter::once(of_cluster(measured)).chain(queues);
    let fits = |bean: &Map<String, Value>| bean["name"].as_str().is_some_and(|name| fits(name, wanted));
    json!({ "beans": beans.filter(fits).collect::<Vec<_>>() }).to_string()
}

fn fits(name: &str, pattern: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = name.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let Some(last) = parts.next_back() else { return rest.is_empty() };
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

fn bean(kind: &str, context: &str, host: &str) -> Map<String, Value> {
    let mut bean = Map::new();
    bean.insert("name".to_owned(), format!("{PREFIX}{kind}").into());
    bean.insert("modelerType".to_owned(), kind.into());
    bean.insert("tag.Context".to_owned(), context.into());
    bean.insert("tag.Hostname".to_owned(), host.into());
    bean
}

fn of_cluster(measured: &Measured) -> Map<String, Value> {
    let mut bean = bean("ClusterMetrics", "yarn", &measured.host);
    bean.insert("tag.ClusterMetrics".to_owned(), "ResourceManager".into());
    for (state, count) in measured.nodes {
        let name = match state {
            NodeState::Running => "NumActiveNMs",
            NodeState::Decommissioning => "NumDecommissioningNMs",
            NodeState::Decommissioned => "NumDecommissionedNMs",
            NodeState::Lost => "NumLostNMs",
        };
        bean.insert(name.to_owned(), count.into());
    }
    for name in ["NumUnhealthyNMs", "NumRebootedNMs", "NumShutdownNMs"] {
        bean.insert(name.to_owned(), 0.into());
    }
    bean.insert("CapabilityMB".to_owned(), measured.cluster.memory_mb().into());
    bean.insert("CapabilityVirtualCores".to_owned(), measured.cluster.vcores().into());
    bean.insert("UtilizedMB".to_owned(), measured.used.memory_mb().into());
    bean.insert("UtilizedVirtualCores".to_owned(), measured.used.vcores().into());
    bean
}

fn put(bean: &mut Map<String, Value>, name: &str, amount: &Resource) {
    bean.insert(format!("{name}MB"), amount.memory_mb().into());
    bean.insert(format!("{name}VCores"), amount.vcores().into());
}

fn of_queue(queue: &Queue, measured: &Measured) -> Map<String, Value> {
    let parts = queue.path.split('.').enumerate().map(|(depth, part)| format!(",q{depth}={part}"));
    let mut bean = bean(&format!("QueueMetrics{}", parts.collect::<String>()), "yarn", &measured.host);
    bean.insert("tag.Queue".to_owned(), queue.path.clone().into());
    bean.insert("AppsRunning".to_owned(), queue.running_apps.into());
    bean.insert("AppsPending".to_owned(), queue.pending_apps.into());
    put(&mut bean, "Allocated", &queue.used);
    put(&mut bean, "Pending", &queue.pending);
    let is_root = queue.path == "root";
    // Hadoop's FairScheduler keeps it for root alone.
    if is_root || measured.kind == Kind::Fair {
        let available = if is_root { measured.cluster.minus(&queue.used) } else { Resource::ZERO };
        put(&mut bean, "Available", &available);
    }
    if is_root {
        let Measured { counts, ends, .. } = measured;
        for (name, count) in [
            ("AllocatedContainers", counts.running),
            ("AggregateContainersAllocated", counts.granted),
            ("AggregateContainersReleased", counts.completed),
            ("AppsSubmitted", ends.submitted),
            ("AppsCompleted", ends.completed),
            ("AppsFailed", ends.failed),
            ("AppsKilled", ends.killed),
        ] {
            bean.insert(name.to_owned(), count.into());
        }
    }
    if let Some(shares) = &queue.shares {
        put(&mut bean, "FairShare", &shares.fair);
        put(&mut bean, "SteadyFairShare", &shares.steady);
        put(&mut bean, "MinShare", &shares.least);
        put(&mut bean, "MaxShare", &shares.most);
        put(&mut bean, "MaxAMShare", &shares.am_limit);
        put(&mut bean, "AMResourceUsage", &shares.am_used);
        bean.insert("MaxApps".to_owned(), shares.max_apps.into());
        bean.insert("tag.SchedulingPolicy".to_owned(), shares.policy.clone().into());
    }
    if let Some((guaranteed, most)) = &queue.capacity {
        put(&mut bean, "Guaranteed", guaranteed);
        put(&mut bean, "MaxCapacity", most);
    }
    bean
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[test]
    fn a_pattern_fits_names() {
        let name = "Hadoop:service=ResourceManager,name=QueueMetrics,q0=root,q1=a";
        for pattern in ["*:*", "Hadoop:*", "Hadoop:service=ResourceManager,name=QueueMetrics,*", "*q1=a", name] {
            assert!(fits(name, pattern), "{pattern}");
        }
        for pattern in ["", "Hadoop:service=NameNode,*", "*,q0=root", "Hadoop:service=ResourceManager", "*x*"] {
            assert!(!fits(name, pattern), "{pattern}");
        }
    }
}
