//! Pictures in JSON: whole, or what has changed since one that the reader has.

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use super::picture::{Node, Partitions, Picture, Queue, Whole};

/// Name, rack, state, used MiB and vcores, all MiB and vcores, worker.
type NodeRow<'p> = (&'p str, &'p str, &'static str, i64, i64, i64, i64, Option<usize>);

/// Its place among the nodes, and its row from the state on.
type NodeChange = (usize, &'static str, i64, i64, i64, i64, Option<usize>);

#[derive(Serialize)]
struct All<'p> {
    #[serde(flatten)]
    whole: &'p Whole,
    nodes: Vec<NodeRow<'p>>,
    queues: &'p [Queue],
    #[serde(skip_serializing_if = "Option::is_none")]
    labels: Option<&'p Partitions>,
}

#[derive(Serialize)]
struct Changes<'p> {
    #[serde(flatten)]
    whole: &'p Whole,
    nodes_changed: Vec<NodeChange>,
    /// Place, MiB and vcores, one node after the other, of those of which nothing else has changed.
    nodes_used: Vec<i64>,
    /// Place, and what is new.
    queues_changed: Vec<(usize, QueueChange<'p>)>,
}

/// The members of a queue that are no more as they were.
struct QueueChange<'p> {
    before: &'p Queue,
    now: &'p Queue,
}

impl Serialize for QueueChange<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let QueueChange { before, now } = self;
        // All of them: its place says which queue it is.
        let Queue { path: _, leaf, policy, steady, capacity, fair, used, demand, pending, maximum, apps, apps_pending } =
            now;
        let mut out = to.serialize_map(None)?;
        changed(&mut out, "leaf", &before.leaf, leaf)?;
        changed(&mut out, "policy", &before.policy, policy)?;
        changed(&mut out, "steady", &before.steady, steady)?;
        changed(&mut out, "capacity", &before.capacity, capacity)?;
        changed(&mut out, "fair", &before.fair, fair)?;
        changed(&mut out, "used", &before.used, used)?;
        changed(&mut out, "demand", &before.demand, demand)?;
        changed(&mut out, "pending", &before.pending, pending)?;
        changed(&mut out, "maximum", &before.maximum, maximum)?;
        changed(&mut out, "apps", &before.apps, apps)?;
        changed(&mut out, "apps_pending", &before.apps_pending, apps_pending)?;
        out.end()
    }
}

fn changed<M: SerializeMap, T: Serialize + PartialEq>(
    out: &mut M,
    name: &'static str,
    before: &T,
    now: &T,
) -> Result<(), M::Error> {
    if before == now { Ok(()) } else { out.serialize_entry(name, now) }
}

fn text(of: &impl Serialize) -> String {
    serde_json::to_string(of).expect("texts and numbers can be written")
}

fn row(node: &Node) -> NodeRow<'_> {
    let ([mib, vcores], [all_mib, all_vcores]) = (node.used, node.total);
    (&node.name, &node.rack, node.state.name(), mib, vcores, all_mib, all_vcores, node.worker)
}

/// All of it.
pub(super) fn whole(of: &Picture) -> String {
    let nodes = of.nodes.iter().map(row).collect();
    text(&All { whole: &of.whole, nodes, queues: &of.queues, labels: of.labels.as_ref() })
}

/// What has changed since `before`; where other nodes or queues stand there now, all of it.
pub(super) fn since(before: &Picture, of: &Picture) -> String {
    if !of.is_laid_out_as(before) {
        return whole(of);
    }
    let (mut nodes_changed, mut nodes_used) = (Vec::new(), Vec::new());
    for (place, (before, node)) in before.nodes.iter().zip(&of.nodes).enumerate() {
        let ([mib, vcores], [all_mib, all_vcores]) = (node.used, node.total);
        if (node.state, node.total, node.worker) != (before.state, before.total, before.worker) {
            nodes_changed.push((place, node.state.name(), mib, vcores, all_mib, all_vcores, node.worker));
        } else if node.used != before.used {
            // There are not so many nodes.
            nodes_used.extend([i64::try_from(place).unwrap_or(i64::MAX), mib, vcores]);
        }
    }
    let queues = before.queues.iter().zip(&of.queues).enumerate();
    let queues = queues.filter(|(_, (before, now))| before != now);
    let queues_changed = queues.map(|(place, (before, now))| (place, QueueChange { before, now })).collect();
    text(&Changes { whole: &of.whole, nodes_changed, nodes_used, queues_changed })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::NodeState;
    use serde_json::{Value, json};

    fn picture(version: u64, queues: &[&str]) -> Picture {
        let node = |index| Node {
            name: format!("n{index}").into(),
            rack: "/r0".into(),
            state: NodeState::Running,
            used: [index, 1],
            total: [100, 10],
            worker: Some(0),
        };
        let queue = |path: &&str| Queue {
            path: (*path).into(),
            leaf: true,
            policy: "fair".into(),
            steady: Some([5, 5]),
            capacity: None,
            fair: [5, 5],
            used: [1, 1],
            demand: [2, 2],
            pending: [1, 1],
            maximum: [9, 9],
            apps: 3,
            apps_pending: Some(1),
        };
        let whole = Whole { version, ..Whole::default() };
        let (nodes, queues) = ((0..4).map(node).collect(), queues.iter().map(queue).collect());
        Picture { whole, nodes, queues, labels: None }
    }

    fn read(text: &str) -> Value {
        serde_json::from_str(text).expect("JSON")
    }

    /// As a reader makes one state of another.
    fn applied(mut state: Value, changes: &Value) -> Value {
        let place = |of: &Value| usize::try_from(of.as_u64().expect("a place")).expect("a place");
        state["version"] = changes["version"].clone();
        for change in changes["nodes_changed"].as_array().expect("a list") {
            for at in 1..7 {
                state["nodes"][place(&change[0])][at + 1] = change[at].clone();
            }
        }
        for used in changes["nodes_used"].as_array().expect("a list").chunks(3) {
            for at in 1..3 {
                state["nodes"][place(&used[0])][at + 2] = used[at].clone();
            }
        }
        for change in changes["queues_changed"].as_array().expect("a list") {
            for (name, value) in change[1].as_object().expect("members") {
                state["queues"][place(&change[0])][name] = value.clone();
            }
        }
        state
    }

    #[test]
    fn what_has_changed_makes_one_picture_of_another() {
        let before = picture(7, &["root", "root.a", "root.b"]);
        let mut after = picture(8, &["root", "root.a", "root.b"]);
        after.nodes[1].used = [70, 7];
        (after.nodes[2].state, after.nodes[2].used, after.nodes[2].worker) = (NodeState::Lost, [0, 0], None);
        after.nodes[3].total = [200, 20];
        let [_, one, other] = after.queues.as_mut_slice() else { panic!("three") };
        (one.used, one.demand, one.apps_pending) = ([2, 1], [4, 4], None);
        (other.leaf, other.policy, other.steady) = (false, "drf".into(), Some([6, 5]));
        (other.capacity, other.fair, other.pending) = (Some([1, 1]), [6, 6], [0, 0]);
        (other.maximum, other.apps) = ([8, 8], 4);
        let changes = read(&since(&before, &after));
        assert_eq!(changes["nodes_used"], json!([1, 70, 7]));
        assert_eq!(changes["nodes_changed"].as_array().map(Vec::len), Some(2));
        assert_eq!(changes["queues_changed"][0], json!([1, {"used": [2, 1], "demand": [4, 4], "apps_pending": null}]));
        assert_eq!(changes.get("nodes"), None);
        assert_eq!(applied(read(&whole(&before)), &changes), read(&whole(&after)));
    }

    #[test]
    fn where_others_stand_all_of_it_is_told() {
        let before = picture(7, &["root", "root.a"]);
        let other_queues = picture(8, &["root", "root.b"]);
        let mut other_nodes = picture(8, &["root", "root.a"]);
        other_nodes.nodes.swap(0, 1);
        let mut fewer = picture(8, &["root", "root.a"]);
        fewer.nodes.pop();
        let mut labelled = picture(8, &["root", "root.a"]);
        let partitions = vec![(String::new(), true), ("gpu".to_owned(), false)];
        labelled.labels = Some(Partitions { partitions, of_nodes: vec![0, 0, 1, 0] });
        for after in [&other_queues, &other_nodes, &fewer, &labelled] {
            assert_eq!(since(&before, after), whole(after));
        }
        assert_eq!(read(&whole(&before)).get("labels"), None);
        let told = json!({"partitions": [["", true], ["gpu", false]], "of_nodes": [0, 0, 1, 0]});
        assert_eq!(read(&whole(&labelled))["labels"], told);
        // A node goes to another partition; then nothing is new but figures.
        let mut moved = Picture { whole: Whole { version: 9, ..Whole::default() }, ..labelled.clone() };
        assert!(read(&since(&labelled, &moved)).get("nodes").is_none());
        moved.labels.as_mut().expect("labels").of_nodes[1] = 1;
        assert_eq!(since(&labelled, &moved), whole(&moved));
    }
}
