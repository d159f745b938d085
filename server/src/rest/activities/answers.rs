//! Activities as answers: `ActivitiesInfo`, `AppActivitiesInfo` and what is in them.

use evenweave::reason::CapacityPass;

use super::names::Names;
use super::tree::{Entry, shown};
use super::visits::{Attempt, Visit};
use super::words::Said;
use crate::time::date;
use crate::value::{Object, Value};

/// A try on a node.
struct OnNode<'n> {
    name: Option<&'n str>,
    said: &'n Said,
    node: &'n str,
}

/// Of a request: its nodes one by one, or by what came of them.
fn nodes<'n>(tries: impl Iterator<Item = OnNode<'n>>, by_diagnostic: bool) -> Value {
    if !by_diagnostic {
        let one = |of: OnNode<'_>| said(Object::new().maybe("name", of.name), of.said).with("nodeId", of.node);
        return tries.map(one).collect();
    }
    let mut groups: Vec<(&str, &str, Vec<Value>)> = Vec::new();
    for of in tries {
        let why = of.said.why.as_deref().and_then(|why| why.lines().next()).unwrap_or_default();
        match groups.iter_mut().find(|(state, known, _)| *state == of.said.state && *known == why) {
            Some((_, _, nodes)) => nodes.push(of.node.into()),
            None => groups.push((of.said.state, why, vec![of.node.into()])),
        }
    }
    let group = |(state, why, nodes): (&str, &str, Vec<Value>)| {
        Object::new()
            .with("allocationState", state)
            .maybe("diagnostic", (!why.is_empty()).then_some(why))
            .with("count", nodes.len())
            .with("nodeIds", nodes)
    };
    groups.into_iter().map(group).collect()
}

fn said(of: Object, said: &Said) -> Object {
    of.with("allocationState", said.state).maybe("diagnostic", said.why.as_deref())
}

fn entry(of: &Entry, by_diagnostic: bool) -> Object {
    let children: Value = if of.request.is_some() {
        let tries = of.children.iter().filter_map(|child| {
            Some(OnNode { name: child.name.as_deref(), said: &child.said, node: child.node.as_deref()? })
        });
        nodes(tries, by_diagnostic)
    } else {
        of.children.iter().map(|child| entry(child, by_diagnostic)).collect()
    };
    let answer = Object::new()
        .maybe("name", of.name.as_deref())
        .maybe("appPriority", of.app_priority)
        .maybe("requestPriority", of.request.map(|(priority, _)| priority))
        .maybe("allocationRequestId", of.request.map(|(_, id)| id));
    said(answer, &of.said).maybe("nodeId", of.node.as_deref()).with("children", children)
}

/// Of a pass, or why there is none to show.
pub(super) fn pass(
    pass: Option<&CapacityPass>,
    node: Option<String>,
    names: &Names<'_>,
    by_diagnostic: bool,
) -> Object {
    let answer = |node: Option<&str>| Object::new().maybe("nodeId", node);
    let Some(pass) = pass else {
        let why = if node.is_some() { "waiting for display" } else { "waiting for next allocation" };
        return answer(node.as_deref()).with("diagnostic", why);
    };
    let Some(shown) = shown(pass, names) else {
        return answer(node.as_deref()).with("diagnostic", "do not have available resources");
    };
    let allocation = Object::new()
        .with("partition", "")
        .maybe("updatedContainerId", shown.container)
        .with("finalAllocationState", shown.state)
        .with("root", entry(&shown.root, by_diagnostic));
    answer(Some(&names.node(&pass.node)))
        .with("timestamp", pass.time_ms)
        .with("dateTime", date(pass.time_ms))
        .with("allocations", Value::from_iter([allocation]))
}

/// A visit of an application.
pub(super) fn visit(of: &Visit, by_diagnostic: bool) -> Object {
    let mut groups: Vec<(String, Vec<&Attempt>)> = Vec::new();
    for attempt in &of.attempts {
        let name = attempt.group();
        match groups.iter_mut().find(|(known, _)| *known == name) {
            Some((_, attempts)) => attempts.push(attempt),
            None => groups.push((name, vec![attempt])),
        }
    }
    let request = |(_, attempts): &(String, Vec<&Attempt>)| {
        let last = attempts.last()?;
        let why = last.said.why.as_deref().filter(|_| last.request.is_some() && last.node.is_none());
        let tries = attempts.iter().filter_map(|attempt| {
            let node = attempt.node.as_deref()?;
            Some(OnNode { name: Some("Container-Id-Not-Assigned"), said: &attempt.said, node })
        });
        let answer = Object::new()
            .maybe("requestPriority", last.request.map(|(priority, _)| priority))
            .maybe("allocationRequestId", last.request.map(|(_, id)| id))
            .with("allocationState", last.said.state)
            .maybe("diagnostic", why)
            .with("children", nodes(tries, by_diagnostic));
        Some(answer)
    };
    let children: Value = groups.iter().filter_map(request).collect();
    let answer = Object::new()
        .maybe("nodeId", of.node.as_deref())
        .with("timestamp", of.time_ms)
        .with("dateTime", date(of.time_ms))
        .with("queueName", of.queue.as_str())
        .with("appPriority", of.priority);
    said(answer, &of.said).with("children", children)
}
