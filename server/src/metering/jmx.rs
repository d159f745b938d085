//! `/jmx`, as a ResourceManager's servlet writes it: beans with Hadoop's names. Numbers that are not known are not there.

use evenweave::Resource;
use serde_json::{Map, Value, json};

use super::measured::{Measured, OfUser, Queue};
use crate::latency::{Durations, Latencies};
use crate::records::NodeState;
use crate::scheduler::{Kind, Updates};

/// Attributes by name.
pub(super) type Bean = Map<String, Value>;

const PREFIX: &str = "Hadoop:service=ResourceManager,name=";

/// All there are.
pub(super) fn beans(measured: &Measured, latencies: &Latencies) -> Vec<Bean> {
    let queues = measured.queues.iter().map(|queue| of_queue(queue, measured));
    let users = measured.users.iter().map(|of| of_user(of, measured));
    let durations = (measured.kind == Kind::Fair).then(|| of_durations(measured, latencies));
    std::iter::once(of_cluster(measured)).chain(durations).chain(queues).chain(users).collect()
}

/// Those whose name fits the pattern, in which `*` stands for anything; the status with them. A name has a domain, as in JMX.
pub(super) fn text(beans: &[Bean], wanted: &str) -> (u16, String) {
    if !is_name(wanted) {
        return (400, String::new());
    }
    let found: Vec<&Bean> = beans.iter().filter(|bean| has_name(bean, wanted)).collect();
    (200, json!({ "beans": found }).to_string())
}

/// One attribute, asked for by `name::attribute`.
pub(super) fn attribute(beans: &[Bean], asked: &str) -> (u16, String) {
    // As Java splits: parts that are empty at the end are none.
    let mut parts: Vec<&str> = asked.split("::").collect();
    while parts.last().is_some_and(|last| last.is_empty()) {
        parts.pop();
    }
    let [wanted, attribute] = parts.as_slice() else {
        return (400, json!({"result": "ERROR", "message": "query format is not as expected."}).to_string());
    };
    if !is_name(wanted) {
        return (400, String::new());
    }
    let mut found = Vec::new();
    for bean in beans.iter().filter(|bean| has_name(bean, wanted)) {
        let mut one = Bean::new();
        one.insert("name".to_owned(), bean["name"].clone());
        one.insert("modelerType".to_owned(), bean["modelerType"].clone());
        match bean.get(*attribute) {
            Some(value) => {
                one.insert((*attribute).to_owned(), value.clone());
                found.push(one);
            }
            // Hadoop ends its list there.
            None => {
                one.insert("result".to_owned(), "ERROR".into());
                one.insert("message".to_owned(), format!("No attribute with name {attribute} was found.").into());
                found.push(one);
                return (404, json!({ "beans": found }).to_string());
            }
        }
    }
    (200, json!({ "beans": found }).to_string())
}

/// Whether it is an object's name: a domain, a colon, and keys with values or `*`.
fn is_name(text: &str) -> bool {
    let Some((_, keys)) = text.split_once(':') else { return false };
    keys.split(',')
        .all(|key| key == "*" || key.split_once('=').is_some_and(|(name, value)| !name.is_empty() && !value.is_empty()))
}

fn has_name(bean: &Bean, wanted: &str) -> bool {
    bean["name"].as_str().is_some_and(|name| fits(name, wanted))
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

fn bean(kind: &str, context: &str, host: &str) -> Bean {
    let mut bean = Bean::new();
    bean.insert("name".to_owned(), format!("{PREFIX}{kind}").into());
    bean.insert("modelerType".to_owned(), kind.into());
    bean.insert("tag.Context".to_owned(), context.into());
    bean.insert("tag.Hostname".to_owned(), host.into());
    bean
}

fn of_cluster(measured: &Measured) -> Bean {
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

fn put(bean: &mut Bean, name: &str, amount: &Resource) {
    bean.insert(format!("{name}MB"), amount.memory_mb().into());
    bean.insert(format!("{name}VCores"), amount.vcores().into());
}

/// Hadoop's `FSOpDurations`, in milliseconds since the start; the passes of continuous scheduling are not timed.
fn of_durations(measured: &Measured, latencies: &Latencies) -> Bean {
    let mut bean = bean("FSOpDurations", "fairscheduler-op-durations", &measured.host);
    bean.insert("tag.FSOpDurations".to_owned(), "FSOpDurations".into());
    let Durations { count, mean, least, most, .. } = latencies.handling.durations();
    let deviation = latencies.handling.durations().deviation();
    bean.insert("NodeUpdateCallNumOps".to_owned(), count.into());
    for (name, value) in [("Avg", mean), ("Stdev", deviation), ("Min", least), ("Max", most)] {
        bean.insert(format!("NodeUpdateCall{name}Time"), value.into());
    }
    let Updates { count, total_ms, longest_ms } = measured.counts.updates;
    bean.insert("UpdateThreadRunNumOps".to_owned(), count.into());
    #[expect(clippy::cast_precision_loss, reason = "a mean")]
    bean.insert("UpdateThreadRunAvgTime".to_owned(), (total_ms as f64 / count.max(1) as f64).into());
    bean.insert("UpdateThreadRunMaxTime".to_owned(), longest_ms.into());
    bean
}

fn of_path(path: &str) -> String {
    path.split('.').enumerate().map(|(depth, part)| format!(",q{depth}={part}")).collect()
}

/// What a user has in a queue and in those below it.
fn of_user(of: &OfUser, measured: &Measured) -> Bean {
    let mut bean = bean(&format!("QueueMetrics{},user={}", of_path(&of.queue), of.user), "yarn", &measured.host);
    bean.insert("tag.Queue".to_owned(), of.queue.clone().into());
    bean.insert("tag.User".to_owned(), of.user.clone().into());
    bean.insert("AppsRunning".to_owned(), of.running_apps.into());
    bean.insert("AppsPending".to_owned(), of.pending_apps.into());
    put(&mut bean, "Allocated", &of.used);
    bean
}

fn of_queue(queue: &Queue, measured: &Measured) -> Bean {
    let mut bean = bean(&format!("QueueMetrics{}", of_path(&queue.path)), "yarn", &measured.host);
    bean.insert("tag.Queue".to_owned(), queue.path.clone().into());
    bean.insert("AppsRunning".to_owned(), queue.running_apps.into());
    bean.insert("AppsPending".to_owned(), queue.pending_apps.into());
    put(&mut bean, "Allocated", &queue.used);
    put(&mut bean, "Pending", &queue.pending);
    put(&mut bean, "Reserved", &queue.reserved);
    bean.insert("ReservedContainers".to_owned(), queue.reserved_containers.into());
    bean.insert("ActiveUsers".to_owned(), queue.active_users.into());
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
    use super::{fits, is_name};

    #[test]
    fn a_pattern_fits_names() {
        let name = "Hadoop:service=ResourceManager,name=QueueMetrics,q0=root,q1=a";
        for pattern in ["*:*", "Hadoop:*", "Hadoop:service=ResourceManager,name=QueueMetrics,*", "*q1=a", name] {
            assert!(fits(name, pattern), "{pattern}");
        }
        for pattern in ["", "Hadoop:service=NameNode,*", "*,q0=root", "Hadoop:service=ResourceManager", "*x*"] {
            assert!(!fits(name, pattern), "{pattern}");
        }
        for (text, is) in
            [("*:*", true), (name, true), ("a:b=c,*", true), ("", false), ("*", false), ("a:b", false), ("a:b=", false)]
        {
            assert_eq!(is_name(text), is, "{text}");
        }
    }
}
