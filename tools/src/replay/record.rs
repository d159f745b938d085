//! A scenario of somebody's own: its steps are played here, and what each shows is written down beside it.

use std::collections::BTreeSet;
use std::fmt::Display;

use serde_json::{Map, Value, json};

use super::compare::{Observed, SeenContainer};
use super::drive::Player;
use super::on_engine::OnEngine;
use super::options::{DriverChoice, PlayOptions};
use super::scenario::{self, Step};
use crate::api::{Resource, ResourceTypes};
use crate::failure::Failure;

/// A container that was made, at a time of the scenario's clock.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Grant {
    /// When.
    pub at_ms: u64,
    /// The application.
    pub app: u32,
    /// Its number in the application.
    pub number: u32,
    /// Where.
    pub node: String,
    /// Its memory, in MiB.
    pub memory_mb: i64,
}

/// One that ended.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct End {
    /// When.
    pub at_ms: u64,
    /// The application.
    pub app: u32,
    /// Its number in the application.
    pub number: u32,
    /// Why.
    pub reason: &'static str,
}

/// What has happened where the steps come from; perhaps more than what the steps have.
#[derive(Debug, Default)]
pub struct Happened {
    /// Containers that were made.
    pub grants: BTreeSet<Grant>,
    /// Those that ended.
    pub ends: BTreeSet<End>,
    /// Steps that were refused, by number.
    pub refused: BTreeSet<usize>,
}

/// What a step shows must be refused just where it was.
fn same_refusal(
    index: usize,
    step: &impl Display,
    error: Option<&dyn Display>,
    happened: &Happened,
) -> Result<(), Failure> {
    match (error, happened.refused.contains(&index)) {
        (Some(_), true) | (None, false) => Ok(()),
        (Some(kind), false) => {
            Err(Failure::Scheduler(format!("step {index} {step} of the scenario of the run: refused as {kind}")))
        }
        (None, true) => Err(differs(index, step, "is accepted")),
    }
}

/// Adds to a scenario's head and steps what each step shows; gives it as one line.
///
/// # Errors
/// Steps that cannot be played, or that come to something else than what has happened.
pub fn recorded(mut scenario: Value, happened: &Happened) -> Result<String, Failure> {
    if scenario["scheduler"] == "capacity" {
        return recorded_capacity(scenario, happened);
    }
    let count = scenario["steps"].as_array().map_or(0, Vec::len);
    scenario["expect"] = vec![json!({}); count].into();
    let read = scenario::parse(&scenario.to_string(), "the scenario of the run")?;
    let Some(read) = read.into_iter().next() else {
        return Err(Failure::input("the scenario of the run has no steps"));
    };
    let mut player = Player::new(&read, PlayOptions::EXACT, false).map_err(Failure::Scheduler)?;
    let types = player.types().clone();
    let (mut expect, mut at_ms) = (Vec::with_capacity(count), 0);
    for (index, step) in read.steps.iter().enumerate() {
        if let Step::Advance { ms } = step {
            at_ms += ms;
        }
        let last = index + 1 == count;
        let tables = last || matches!(step, Step::Update);
        let seen = player.step(step, tables);
        same_refusal(index, step, seen.error.as_ref().map(|kind| kind as &dyn Display), happened)?;
        for made in &seen.allocated {
            let (app, number, memory_mb) = (made.app, made.container, made.resource.memory_mb());
            if !happened.grants.contains(&Grant { at_ms, app, number, node: made.node.clone(), memory_mb }) {
                return Err(differs(index, step, &format!("makes container {number} of {app} on {}", made.node)));
            }
        }
        // Of an application that goes nobody is told more.
        let told = seen.completed.iter().filter(|_| !matches!(step, Step::Finish { .. }));
        for end in told {
            let same = |known: &&End| known.at_ms == at_ms && known.app == end.app && known.number == end.container;
            if !happened.ends.iter().any(|known| same(&known) && known.reason == end.reason) {
                return Err(differs(index, step, &format!("ends container {} of {}", end.container, end.app)));
            }
        }
        expect.push(shown(&types, seen, tables, last));
    }
    scenario["expect"] = expect.into();
    Ok(scenario.to_string())
}

/// The same of a scenario of the CapacityScheduler.
fn recorded_capacity(mut scenario: Value, happened: &Happened) -> Result<String, Failure> {
    let mut engine = OnEngine::new(&scenario, DriverChoice::Stepped).map_err(Failure::Scheduler)?;
    let steps = scenario["steps"].as_array().map_or(&[][..], Vec::as_slice);
    let (mut expect, mut at_ms) = (Vec::with_capacity(steps.len()), 0);
    let number =
        |of: &Value, field: &str| of[field].as_u64().and_then(|number| u32::try_from(number).ok()).unwrap_or(0);
    for (index, step) in steps.iter().enumerate() {
        let op = step["op"].as_str().unwrap_or_default();
        if op == "advance" {
            at_ms += step["ms"].as_u64().unwrap_or(0);
        }
        let shown = engine.step(step, index + 1 == steps.len());
        same_refusal(index, step, shown.get("error").map(|error| error as &dyn Display), happened)?;
        for made in shown["allocated"].as_array().into_iter().flatten() {
            let (app, container) = (number(made, "app"), number(made, "container"));
            let node = made["node"].as_str().unwrap_or_default().to_owned();
            let memory_mb = made["resource"]["memory-mb"].as_i64().unwrap_or(0);
            let what = format!("makes container {container} of {app} on {node}");
            if !happened.grants.contains(&Grant { at_ms, app, number: container, node, memory_mb }) {
                return Err(differs(index, step, &what));
            }
        }
        // Of an application that goes nobody is told more.
        for end in shown["completed"].as_array().into_iter().flatten().filter(|_| op != "finish") {
            let (app, container) = (number(end, "app"), number(end, "container"));
            let same = |known: &&End| known.at_ms == at_ms && known.app == app && known.number == container;
            if !happened.ends.iter().any(|known| same(&known) && end["reason"] == known.reason) {
                return Err(differs(index, step, &format!("ends container {container} of {app}")));
            }
        }
        expect.push(shown);
    }
    scenario["expect"] = expect.into();
    Ok(scenario.to_string())
}

fn differs(index: usize, step: &impl Display, what: &str) -> Failure {
    Failure::Scheduler(format!("step {index} {step} of the scenario of the run {what}, and the run did not then"))
}

fn amounts(types: &ResourceTypes, of: &Resource) -> Value {
    let named = (0..types.len()).map(|index| (types.name(index).to_owned(), Value::from(of.get(index))));
    Value::Object(named.collect())
}

/// What a step shows, in the form of a recording.
fn shown(types: &ResourceTypes, seen: Observed, tables: bool, last: bool) -> Value {
    let of = |resource: &Resource| amounts(types, resource);
    let containers = |list: &[SeenContainer]| -> Vec<Value> {
        let one = |seen: &SeenContainer| {
            let SeenContainer { app, container, node, priority, resource } = seen;
            json!({"app": app, "container": container, "node": node, "priority": priority, "resource": of(resource)})
        };
        list.iter().map(one).collect()
    };
    let mut out = Map::new();
    let mut put = |name: &str, list: Vec<Value>| {
        if !list.is_empty() {
            out.insert(name.to_owned(), list.into());
        }
    };
    put("allocated", containers(&seen.allocated));
    put("reserved", containers(&seen.reserved));
    let ends = seen.completed.iter();
    put(
        "completed",
        ends.map(|end| json!({"app": end.app, "container": end.container, "reason": end.reason})).collect(),
    );
    let held = seen.held.iter();
    put("held", held.map(|held| json!({"node": held.node, "app": held.app, "resource": of(&held.resource)})).collect());
    let marks = |list: &[(u32, u32)]| -> Vec<Value> {
        list.iter().map(|(app, container)| json!({"app": app, "container": container})).collect()
    };
    let rounds = seen.marked.iter();
    put("marked", rounds.map(|round| json!({"app": round.app, "containers": marks(&round.containers)})).collect());
    put("preemption-warning", seen.preemption_warning.iter().map(|number| json!(number)).collect());
    if tables {
        put("queues", seen.queues.iter().map(|queue| queue.json(&of)).collect());
        put("apps", seen.apps.iter().map(|app| app.json(&of)).collect());
    }
    if last {
        put("nodes", seen.nodes.iter().map(|node| json!({"node": node.node, "free": of(&node.free)})).collect());
    }
    if let Some(kind) = &seen.error {
        out.insert("error".to_owned(), json!({"kind": kind}));
    }
    if let Some(headroom) = &seen.headroom {
        out.insert("headroom".to_owned(), of(headroom));
    }
    Value::Object(out)
}
