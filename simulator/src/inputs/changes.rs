//! What happens to nodes, checked before the run: a node that is lost must be there, one that comes must not.

use std::collections::BTreeMap;

use evenweave_tools::Failure;
use evenweave_tools::files::open;
use evenweave_tools::traces::{NodeEvent, read_node_changes};

use crate::api::Resource;
use crate::cluster::{NodeFate, NodeSpec, PlannedChange};
use crate::options::SimulateOptions;

/// Amounts by type over a size, or over that of the settings.
type Sizes<'s> = dyn Fn(&BTreeMap<String, i64>, Option<&Resource>) -> Resource + 's;

/// A node that has been in the cluster.
struct Known {
    spec: NodeSpec,
    there: bool,
}

/// Reads the file of changes, if there is one. `size`: amounts by type over a size, or over that of the settings.
///
/// # Errors
/// A file that is not valid, and a change to a node of which it cannot be true.
pub(super) fn planned(
    options: &SimulateOptions,
    nodes: &[NodeSpec],
    size: &Sizes<'_>,
) -> Result<Vec<PlannedChange>, Failure> {
    let Some(path) = &options.cluster.changes else { return Ok(Vec::new()) };
    let name = path.display().to_string();
    let file = open(path, "--node-events")?;
    let changes = read_node_changes(file, &name)?;
    let mut known: BTreeMap<String, Known> =
        nodes.iter().map(|spec| (spec.name.clone(), Known { spec: spec.clone(), there: true })).collect();
    let mut planned = Vec::with_capacity(changes.len());
    for change in changes {
        let wrong = |what: String| Failure::input(format!("{name}:{}: {what}", change.line));
        let what = match change.event {
            NodeEvent::Lose(node) => {
                let there = known.get_mut(&node).filter(|node| node.there);
                let there =
                    there.ok_or_else(|| wrong(format!("there is no node {node:?} then; name one that is there")))?;
                there.there = false;
                NodeFate::Lose(vec![node])
            }
            NodeEvent::Back(node) => {
                let gone = known.get_mut(&node).filter(|node| !node.there);
                let gone = gone
                    .ok_or_else(|| wrong(format!("node {node:?} is not lost then; name one that was lost before")))?;
                gone.there = true;
                NodeFate::Add(vec![gone.spec.clone()])
            }
            NodeEvent::LoseRack(rack) => NodeFate::Lose(names(turn(&mut known, &rack, false, &wrong)?)),
            NodeEvent::BackRack(rack) => NodeFate::Add(turn(&mut known, &rack, true, &wrong)?),
            NodeEvent::Add { node, rack, size: own } => {
                if known.get(&node).is_some_and(|node| node.there) {
                    return Err(wrong(format!("node {node:?} is there already; give it another name")));
                }
                let spec = NodeSpec { name: node.clone(), rack, total: size(&own, None), label: String::new() };
                known.insert(node, Known { spec: spec.clone(), there: true });
                NodeFate::Add(vec![spec])
            }
            NodeEvent::Resize { node, size: own } => {
                let there = known.get_mut(&node).filter(|node| node.there);
                let there =
                    there.ok_or_else(|| wrong(format!("there is no node {node:?} then; name one that is there")))?;
                there.spec.total = size(&own, Some(&there.spec.total));
                NodeFate::Resize(node, there.spec.total)
            }
        };
        planned.push(PlannedChange { at_ms: change.at_ms, what });
    }
    Ok(planned)
}

/// The nodes of a rack that are not as they are to be, which they then are.
fn turn(
    known: &mut BTreeMap<String, Known>,
    rack: &str,
    there: bool,
    wrong: &dyn Fn(String) -> Failure,
) -> Result<Vec<NodeSpec>, Failure> {
    let others = known.values_mut().filter(|node| node.spec.rack == rack && node.there != there);
    let turned: Vec<NodeSpec> = others
        .map(|node| {
            node.there = there;
            node.spec.clone()
        })
        .collect();
    if turned.is_empty() {
        let which = if there { "lost" } else { "there" };
        return Err(wrong(format!("rack {rack:?} has no node that is {which} then; name a rack that has one")));
    }
    Ok(turned)
}

fn names(specs: Vec<NodeSpec>) -> Vec<String> {
    specs.into_iter().map(|spec| spec.name).collect()
}
