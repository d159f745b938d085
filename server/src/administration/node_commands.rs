//! Nodes are taken out, brought back and given another total.

use evenweave::{Refused, Resource};

use super::administers;
use crate::manager::ResourceManager;
use crate::records::NodeState;
use crate::rest::body::members;
use crate::rest::errors::Fault;
use crate::rest::nodes;
use crate::rest::request::{Answer, Asked, Outcome};
use crate::rest::resource::resource;
use crate::value::{Object, Value};

/// The name of the node that the path names by its id, and where it stands.
fn named(of: &ResourceManager, asked: &Asked) -> Result<(String, NodeState), Fault> {
    let records = of.records();
    let node = nodes::named(&records, asked.part("node"))?;
    Ok((node.name.clone(), node.state))
}

/// One that is there; a sentence where it is gone.
fn present(of: &ResourceManager, asked: &Asked) -> Result<(String, NodeState), Fault> {
    let (name, state) = named(of, asked)?;
    if state.is_gone() {
        let sentence =
            format!("Node {} is {}: only a node that is there can be changed", asked.part("node"), state.name());
        return Err(Fault::bad_request(sentence));
    }
    Ok((name, state))
}

/// What the scheduler says against it.
fn refused(why: Refused) -> Fault {
    Fault::refused(why.to_string())
}

/// `/refresh-nodes`: what `yarn rmadmin -refreshNodes` does; with `?graceful=true` what `-g` does.
pub(crate) fn refresh(of: &ResourceManager, asked: &Asked) -> Outcome {
    administers(of, asked, "refreshNodes")?;
    let graceful = match asked.query("graceful") {
        None | Some("false") => false,
        Some("true") => true,
        Some(other) => return Err(Fault::illegal_argument(format!("graceful is {other:?}: it is true or false"))),
    };
    let changed = of.refresh_nodes(graceful).map_err(Fault::refused)?;
    let changed: Vec<Value> = changed.into_iter().map(Value::from).collect();
    Ok(Answer::natural("refresh", Object::new().with("refreshed", true).with("changed", changed)))
}

pub(crate) fn decommission(of: &ResourceManager, asked: &Asked) -> Outcome {
    administers(of, asked, "refreshNodes")?;
    let (name, state) = present(of, asked)?;
    if state != NodeState::Decommissioning {
        of.decommission(&name).map_err(refused)?;
    }
    nodes::node(of, asked)
}

pub(crate) fn recommission(of: &ResourceManager, asked: &Asked) -> Outcome {
    administers(of, asked, "refreshNodes")?;
    let (name, state) = present(of, asked)?;
    if state == NodeState::Decommissioning {
        of.recommission(&name).map_err(refused)?;
    }
    nodes::node(of, asked)
}

pub(crate) fn remove(of: &ResourceManager, asked: &Asked) -> Outcome {
    administers(of, asked, "refreshNodes")?;
    let (name, _) = present(of, asked)?;
    of.remove_node(&name).map_err(refused)?;
    nodes::node(of, asked)
}

/// Hadoop's `POST /nodes/{id}/resource`. Amounts of further types stay as they are.
pub(crate) fn resize(of: &ResourceManager, asked: &Asked) -> Outcome {
    administers(of, asked, "updateNodeResource")?;
    let body = members(asked, "resourceOption")?;
    let amount = |name: &str| -> Result<i64, Fault> {
        let text = body.get(&format!("resource.{name}")).ok_or_else(|| Fault::null(&format!("resource.{name}")))?;
        let amount: Option<i64> = text.parse().ok().filter(|amount| (0..=i64::from(i32::MAX)).contains(amount));
        amount.ok_or_else(|| {
            let most = i32::MAX;
            Fault::illegal_argument(format!(
                "resource.{name} is {text:?}: it has to be a whole number from 0 to {most}"
            ))
        })
    };
    let (memory, vcores) = (amount("memory")?, amount("vCores")?);
    if let Some(timeout) = body.get("overCommitTimeout").filter(|timeout| *timeout != "-1") {
        let sentence = format!(
            "overCommitTimeout is {timeout:?}: only -1 is there, by which what runs on the node goes on until it ends"
        );
        return Err(Fault::illegal_argument(sentence));
    }
    let (name, _) = present(of, asked)?;
    let types = &of.scheduler().basics().types;
    let now =
        of.scheduler().nodes().into_iter().find(|node| node.name == name).map_or(Resource::ZERO, |node| node.total);
    let total = Resource::from_fn(|index| match index {
        0 => memory,
        1 => vcores,
        other => now.get(other),
    });
    of.resize_node(&name, total).map_err(refused)?;
    Ok(Answer::bare("resource", resource(types, &total)))
}
