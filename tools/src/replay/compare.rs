//! What a step showed against what was recorded: every field, the first difference wins.

use serde_json::{Value, json};

use super::amounts::resource;
use super::booking::Booked;
use super::deviation::Mismatch;
use super::scenario::{Expected, ExpectedApp, ExpectedContainer, ExpectedQueue};
use crate::api::{Resource, ResourceTypes};

/// A container or reservation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SeenContainer {
    pub(super) app: u32,
    pub(super) container: u32,
    pub(super) node: String,
    pub(super) priority: i32,
    pub(super) resource: Resource,
}

/// A container that ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SeenEnd {
    pub(super) app: u32,
    pub(super) container: u32,
    pub(super) reason: String,
}

/// Room kept for a starved application.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SeenHeld {
    pub(super) node: String,
    pub(super) app: u32,
    pub(super) resource: Resource,
}

/// What was marked for a starved application: application and number of each container.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SeenRound {
    pub(super) app: u32,
    pub(super) containers: Vec<(u32, u32)>,
}

/// A queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SeenQueue {
    pub(super) name: String,
    pub(super) policy: String,
    pub(super) leaf: bool,
    /// In the order of [`QUEUE_RESOURCES`].
    pub(super) resources: [Resource; 7],
    /// In the order of [`QUEUE_COUNTS`].
    pub(super) counts: [u32; 3],
    /// The bits of it, in recordings that have it.
    pub(super) weight: Option<u32>,
}

impl SeenQueue {
    /// In the form of a recording; `of` writes an amount.
    pub(super) fn json(&self, of: &dyn Fn(&Resource) -> Value) -> Value {
        let mut out = json!({"name": self.name, "policy": self.policy, "leaf": self.leaf});
        let (resources, counts) =
            if self.leaf { (QUEUE_RESOURCES.len(), QUEUE_COUNTS.len()) } else { (PARENT_RESOURCES, PARENT_COUNTS) };
        for (name, amount) in QUEUE_RESOURCES.iter().zip(&self.resources).take(resources) {
            // Boundless is not written.
            if *amount != Resource::UNBOUNDED {
                out[*name] = of(amount);
            }
        }
        for (name, count) in QUEUE_COUNTS.iter().zip(self.counts).take(counts) {
            out[*name] = count.into();
        }
        out
    }
}

const QUEUE_RESOURCES: [&str; 7] =
    ["fair-share", "steady-fair-share", "usage", "demand", "min-share", "max-share", "am-usage"];
const QUEUE_COUNTS: [&str; 3] = ["runnable", "non-runnable", "pending"];
const APP_RESOURCES: [&str; 3] = ["fair-share", "usage", "demand"];
/// `am-usage` and all counts but the first are told of leaves only.
const PARENT_RESOURCES: usize = 6;
const PARENT_COUNTS: usize = 1;

/// An application.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SeenApp {
    pub(super) app: u32,
    pub(super) queue: String,
    /// Fair share, usage, demand.
    pub(super) resources: [Resource; 3],
    pub(super) runnable: bool,
}

impl SeenApp {
    /// In the form of a recording; `of` writes an amount.
    pub(super) fn json(&self, of: &dyn Fn(&Resource) -> Value) -> Value {
        let mut out = json!({"app": self.app, "queue": self.queue, "runnable": self.runnable});
        for (name, amount) in APP_RESOURCES.iter().zip(&self.resources) {
            out[*name] = of(amount);
        }
        out
    }
}

/// A node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SeenNode {
    pub(super) node: String,
    pub(super) free: Resource,
}

/// Everything that a step shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Observed {
    pub(super) error: Option<String>,
    pub(super) allocated: Vec<SeenContainer>,
    pub(super) reserved: Vec<SeenContainer>,
    pub(super) completed: Vec<SeenEnd>,
    pub(super) headroom: Option<Resource>,
    pub(super) preemption_warning: Vec<u32>,
    pub(super) marked: Vec<SeenRound>,
    pub(super) held: Vec<SeenHeld>,
    /// Application and number of each container that the node is told to stop.
    pub(super) orphans: Vec<(u32, u32)>,
    pub(super) queues: Vec<SeenQueue>,
    pub(super) apps: Vec<SeenApp>,
    pub(super) nodes: Vec<SeenNode>,
    pub(super) booked: Booked,
}

fn mismatch(field: impl Into<String>, expected: impl Into<String>, got: impl Into<String>) -> Option<Mismatch> {
    Some(Mismatch::new(field, expected, got))
}

/// Resources are compared, and shown, in the configured types only.
struct Comparer<'t> {
    types: &'t ResourceTypes,
}

impl Comparer<'_> {
    fn same(&self, a: &Resource, b: &Resource) -> bool {
        (0..self.types.len()).all(|index| a.get(index) == b.get(index))
    }

    fn show(&self, resource: &Resource) -> String {
        let lanes: Vec<String> = (0..self.types.len())
            .map(|index| match resource.get(index) {
                i64::MAX => format!("{} boundless", self.types.name(index)),
                amount => format!("{} {amount}", self.types.name(index)),
            })
            .collect();
        lanes.join(", ")
    }

    fn container(&self, seen: &SeenContainer) -> String {
        let SeenContainer { app, container, node, priority, resource } = seen;
        format!("app {app} container {container} on {node} priority {priority} ({})", self.show(resource))
    }

    /// The first place where two lists differ, as text.
    fn lists<T: PartialEq>(&self, field: &str, want: &[T], got: &[T], show: impl Fn(&T) -> String) -> Option<Mismatch> {
        let at = (0..want.len().max(got.len())).find(|&index| want.get(index) != got.get(index))?;
        let shown = |item: Option<&T>| item.map_or_else(|| "nothing more".to_owned(), &show);
        mismatch(format!("{field}[{at}]"), shown(want.get(at)), shown(got.get(at)))
    }
}

fn containers(types: &ResourceTypes, expected: &[ExpectedContainer]) -> Vec<SeenContainer> {
    let seen = |item: &ExpectedContainer| SeenContainer {
        app: item.app,
        container: item.container,
        node: item.node.clone(),
        priority: item.priority,
        resource: resource(types, &item.resource),
    };
    expected.iter().map(seen).collect()
}

fn queue(types: &ResourceTypes, item: &ExpectedQueue) -> SeenQueue {
    let max_share = item.max_share.as_ref().map_or(Resource::UNBOUNDED, |amounts| resource(types, amounts));
    let of = |amounts| resource(types, amounts);
    SeenQueue {
        name: item.name.clone(),
        policy: item.policy.clone(),
        leaf: item.leaf,
        resources: [
            of(&item.fair_share),
            of(&item.steady_fair_share),
            of(&item.usage),
            of(&item.demand),
            of(&item.min_share),
            max_share,
            of(&item.am_usage),
        ],
        counts: [item.runnable, item.non_runnable, item.pending],
        weight: item.weight.map(f32::to_bits),
    }
}

fn app(types: &ResourceTypes, item: &ExpectedApp) -> SeenApp {
    SeenApp {
        app: item.app,
        queue: item.queue.clone(),
        resources: [&item.fair_share, &item.usage, &item.demand].map(|amounts| resource(types, amounts)),
        runnable: item.runnable,
    }
}

fn queue_difference(eye: &Comparer<'_>, want: &SeenQueue, got: &SeenQueue) -> Option<Mismatch> {
    let field = |what: &str| format!("queue {} {what}", want.name);
    if want.name != got.name {
        return mismatch("queues", &want.name, &got.name);
    }
    if want.policy != got.policy {
        return mismatch(field("policy"), &want.policy, &got.policy);
    }
    if want.leaf != got.leaf {
        return mismatch(field("leaf"), want.leaf.to_string(), got.leaf.to_string());
    }
    if want.weight.is_some() && want.weight != got.weight {
        let show = |bits: Option<u32>| bits.map_or_else(String::new, |bits| f32::from_bits(bits).to_string());
        return mismatch(field("weight"), show(want.weight), show(got.weight));
    }
    let (resources, counts) =
        if want.leaf { (QUEUE_RESOURCES.len(), QUEUE_COUNTS.len()) } else { (PARENT_RESOURCES, PARENT_COUNTS) };
    for ((name, want), got) in QUEUE_RESOURCES.iter().zip(&want.resources).zip(&got.resources).take(resources) {
        if !eye.same(want, got) {
            return mismatch(field(name), eye.show(want), eye.show(got));
        }
    }
    for ((name, want), got) in QUEUE_COUNTS.iter().zip(want.counts).zip(got.counts).take(counts) {
        if want != got {
            return mismatch(field(name), want.to_string(), got.to_string());
        }
    }
    None
}

fn app_difference(eye: &Comparer<'_>, want: &SeenApp, got: &SeenApp) -> Option<Mismatch> {
    let field = |what: &str| format!("app {} {what}", want.app);
    if want.app != got.app {
        return mismatch("apps", want.app.to_string(), got.app.to_string());
    }
    if want.queue != got.queue {
        return mismatch(field("queue"), &want.queue, &got.queue);
    }
    for ((name, want), got) in APP_RESOURCES.iter().zip(&want.resources).zip(&got.resources) {
        if !eye.same(want, got) {
            return mismatch(field(name), eye.show(want), eye.show(got));
        }
    }
    (want.runnable != got.runnable)
        .then(|| mismatch(field("runnable"), want.runnable.to_string(), got.runnable.to_string()))?
}

fn first_of<T>(
    field: &str,
    want: &[T],
    got: &[T],
    name: impl Fn(&T) -> String,
    difference: impl Fn(&T, &T) -> Option<Mismatch>,
) -> Option<Mismatch> {
    if let Some(found) = want.iter().zip(got).find_map(|(want, got)| difference(want, got)) {
        return Some(found);
    }
    let names = |items: &[T]| format!("[{}]", items.iter().map(&name).collect::<Vec<_>>().join(", "));
    (want.len() != got.len()).then(|| mismatch(field, names(want), names(got)))?
}

/// The first disagreement between a recording and what was seen; `last` is the scenario's last step.
pub(super) fn difference(types: &ResourceTypes, expected: &Expected, seen: &Observed, last: bool) -> Option<Mismatch> {
    let eye = Comparer { types };
    let kind = expected.error.as_ref().map(|error| error.kind.as_str());
    if kind != seen.error.as_deref() {
        let show = |kind: Option<&str>| kind.map_or_else(|| "no refusal".to_owned(), str::to_owned);
        return mismatch("error", show(kind), show(seen.error.as_deref()));
    }
    for (field, want, got) in
        [("allocated", &expected.allocated, &seen.allocated), ("reserved", &expected.reserved, &seen.reserved)]
    {
        let found = eye.lists(field, &containers(types, want), got, |item| eye.container(item));
        if found.is_some() {
            return found;
        }
    }
    lists_and_headroom(&eye, expected, seen)
        .or_else(|| booked(expected, &seen.booked))
        .or_else(|| tables(&eye, expected, seen))
        .or_else(|| if last { nodes(&eye, expected, seen) } else { None })
}

fn lists_and_headroom(eye: &Comparer<'_>, expected: &Expected, seen: &Observed) -> Option<Mismatch> {
    let ends: Vec<SeenEnd> = expected
        .completed
        .iter()
        .map(|item| SeenEnd { app: item.app, container: item.container, reason: item.reason.clone() })
        .collect();
    let end = |item: &SeenEnd| format!("app {} container {} {}", item.app, item.container, item.reason);
    if let Some(found) = eye.lists("completed", &ends, &seen.completed, end) {
        return Some(found);
    }
    let held: Vec<SeenHeld> = expected
        .held
        .iter()
        .map(|item| SeenHeld { node: item.node.clone(), app: item.app, resource: resource(eye.types, &item.resource) })
        .collect();
    let keep = |item: &SeenHeld| format!("on {} for app {} ({})", item.node, item.app, eye.show(&item.resource));
    if let Some(found) = eye.lists("held", &held, &seen.held, keep) {
        return Some(found);
    }
    let marked: Vec<SeenRound> = expected
        .marked
        .iter()
        .map(|round| SeenRound {
            app: round.app,
            containers: round.containers.iter().map(|mark| (mark.app, mark.container)).collect(),
        })
        .collect();
    let round = |item: &SeenRound| format!("for app {}: {:?}", item.app, item.containers);
    if let Some(found) = eye.lists("marked", &marked, &seen.marked, round) {
        return Some(found);
    }
    let orphans: Vec<(u32, u32)> = expected.orphans.iter().map(|mark| (mark.app, mark.container)).collect();
    let orphan = |(app, container): &(u32, u32)| format!("app {app} container {container}");
    if let Some(found) = eye.lists("orphans", &orphans, &seen.orphans, orphan) {
        return Some(found);
    }
    if let Some(want) = &expected.headroom {
        let want = resource(eye.types, want);
        let got = seen.headroom.unwrap_or_default();
        if !eye.same(&want, &got) {
            return mismatch("headroom", eye.show(&want), eye.show(&got));
        }
    }
    let number = |item: &u32| item.to_string();
    eye.lists("preemption-warning", &expected.preemption_warning, &seen.preemption_warning, number)
}

/// What is shown of reservations.
fn booked(expected: &Expected, seen: &Booked) -> Option<Mismatch> {
    let show = |value: Option<&Value>| value.map_or_else(|| "nothing".to_owned(), Value::to_string);
    let values = [
        ("allocation", &expected.allocation, &seen.allocation),
        ("reservations", &expected.reservations, &seen.reservations),
        ("moved", &expected.moved, &seen.moved),
        ("killed", &expected.killed, &seen.killed),
        ("plans", &expected.plans, &seen.plans),
    ];
    if expected.id != seen.id {
        return mismatch("id", show(expected.id.map(Value::from).as_ref()), show(seen.id.map(Value::from).as_ref()));
    }
    if let Some(said) = &seen.message {
        let want = expected.error.as_ref().and_then(|error| error.message.as_deref()).unwrap_or_default();
        if want != said {
            return mismatch("message", want, said);
        }
    }
    if seen.queues_changed && expected.queues.is_none() {
        return mismatch("queues", "as before", "another set of queues, or other weights");
    }
    let (field, want, got) = values.into_iter().find(|(_, want, got)| want != got)?;
    mismatch(field, show(want.as_ref()), show(got.as_ref()))
}

fn tables(eye: &Comparer<'_>, expected: &Expected, seen: &Observed) -> Option<Mismatch> {
    if let Some(queues) = &expected.queues {
        let want: Vec<SeenQueue> = queues.iter().map(|item| queue(eye.types, item)).collect();
        let found =
            first_of("queues", &want, &seen.queues, |q| q.name.clone(), |want, got| queue_difference(eye, want, got));
        if found.is_some() {
            return found;
        }
    }
    // Where queues are told, absent applications mean that there is none.
    if expected.queues.is_some() || expected.apps.is_some() {
        let want: Vec<SeenApp> = expected.apps.iter().flatten().map(|item| app(eye.types, item)).collect();
        return first_of("apps", &want, &seen.apps, |a| a.app.to_string(), |want, got| app_difference(eye, want, got));
    }
    None
}

fn nodes(eye: &Comparer<'_>, expected: &Expected, seen: &Observed) -> Option<Mismatch> {
    let want: Vec<SeenNode> = expected
        .nodes
        .iter()
        .map(|item| SeenNode { node: item.node.clone(), free: resource(eye.types, &item.free) })
        .collect();
    let one = |want: &SeenNode, got: &SeenNode| {
        if want.node != got.node {
            return mismatch("nodes", &want.node, &got.node);
        }
        (!eye.same(&want.free, &got.free))
            .then(|| mismatch(format!("node {} free", want.node), eye.show(&want.free), eye.show(&got.free)))?
    };
    first_of("nodes", &want, &seen.nodes, |node| node.node.clone(), one)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RECORDED: &str = r#"{
        "allocated": [{"app": 2, "container": 1, "node": "n1", "priority": 5, "resource": {"memory-mb": 1024, "vcores": 2}}],
        "completed": [{"app": 1, "container": 3, "reason": "completed"}],
        "headroom": {"memory-mb": 512},
        "queues": [{"name": "root", "policy": "DRF", "usage": {"memory-mb": 1024, "vcores": 2}, "runnable": 1},
                   {"name": "root.a", "policy": "fair", "leaf": true, "pending": 1, "max-share": {"memory-mb": 9}}],
        "apps": [{"app": 2, "queue": "root.a", "demand": {"vcores": 4}, "runnable": true}],
        "nodes": [{"node": "n1", "free": {"vcores": 6}}]
    }"#;

    fn recorded() -> Expected {
        serde_json::from_str(RECORDED).unwrap()
    }

    fn same() -> Observed {
        let none = Resource::ZERO;
        let mut root = [none; 7];
        root[2] = Resource::new(1024, 2);
        root[5] = Resource::UNBOUNDED;
        let mut leaf = [none; 7];
        leaf[5] = Resource::new(9, 0);
        Observed {
            allocated: vec![SeenContainer {
                app: 2,
                container: 1,
                node: "n1".into(),
                priority: 5,
                resource: Resource::new(1024, 2),
            }],
            completed: vec![SeenEnd { app: 1, container: 3, reason: "completed".into() }],
            headroom: Some(Resource::new(512, 0)),
            queues: vec![
                SeenQueue {
                    name: "root".into(),
                    policy: "DRF".into(),
                    leaf: false,
                    resources: root,
                    counts: [1, 7, 7],
                    weight: None,
                },
                SeenQueue {
                    name: "root.a".into(),
                    policy: "fair".into(),
                    leaf: true,
                    resources: leaf,
                    counts: [0, 0, 1],
                    weight: None,
                },
            ],
            apps: vec![SeenApp {
                app: 2,
                queue: "root.a".into(),
                resources: [none, none, Resource::new(0, 4)],
                runnable: true,
            }],
            nodes: vec![SeenNode { node: "n1".into(), free: Resource::new(0, 6) }],
            ..Observed::default()
        }
    }

    fn found(change: impl FnOnce(&mut Observed)) -> Option<String> {
        let mut seen = same();
        change(&mut seen);
        difference(&ResourceTypes::standard(), &recorded(), &seen, true).map(|found| found.field)
    }

    #[test]
    fn the_same_is_the_same() {
        assert_eq!(found(|_| ()), None);
    }

    #[test]
    fn every_wrong_field_is_found() {
        let r = Resource::new(1, 1);
        assert_eq!(found(|s| s.error = Some("acl".into())).as_deref(), Some("error"));
        assert_eq!(found(|s| s.allocated[0].priority = 4).as_deref(), Some("allocated[0]"));
        assert_eq!(found(|s| s.allocated.clear()).as_deref(), Some("allocated[0]"));
        assert_eq!(found(|s| s.reserved.push(s.allocated[0].clone())).as_deref(), Some("reserved[0]"));
        assert_eq!(found(|s| s.completed[0].reason = "released".into()).as_deref(), Some("completed[0]"));
        let held = SeenHeld { node: "n1".into(), app: 1, resource: r };
        assert_eq!(found(|s| s.held.push(held)).as_deref(), Some("held[0]"));
        let round = SeenRound { app: 1, containers: vec![(2, 1)] };
        assert_eq!(found(|s| s.marked.push(round)).as_deref(), Some("marked[0]"));
        assert_eq!(found(|s| s.orphans.push((2, 1))).as_deref(), Some("orphans[0]"));
        assert_eq!(found(|s| s.headroom = None).as_deref(), Some("headroom"));
        assert_eq!(found(|s| s.preemption_warning.push(1)).as_deref(), Some("preemption-warning[0]"));
        assert_eq!(found(|s| s.queues[0].resources[2] = r).as_deref(), Some("queue root usage"));
        assert_eq!(found(|s| s.queues[1].resources[5] = r).as_deref(), Some("queue root.a max-share"));
        assert_eq!(found(|s| s.queues[1].counts[2] = 0).as_deref(), Some("queue root.a pending"));
        assert_eq!(found(|s| s.queues[1].policy = "DRF".into()).as_deref(), Some("queue root.a policy"));
        assert_eq!(found(|s| drop(s.queues.pop())).as_deref(), Some("queues"));
        assert_eq!(found(|s| s.apps[0].resources[2] = r).as_deref(), Some("app 2 demand"));
        assert_eq!(found(|s| s.apps[0].runnable = false).as_deref(), Some("app 2 runnable"));
        assert_eq!(found(|s| s.apps.clear()).as_deref(), Some("apps"));
        assert_eq!(found(|s| s.nodes[0].free = r).as_deref(), Some("node n1 free"));
        assert_eq!(found(|s| s.nodes.clear()).as_deref(), Some("nodes"));
    }
}
