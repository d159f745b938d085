//! The run as a scenario: each call on the scheduler as steps of the form that `replay` reads, and what came of them.
//!
//! The calls themselves are made as ever; what they show in the form's words comes of playing the steps
//! ([`evenweave_tools::replay::recorded`]), which must grant and end the same containers at the same times. What a node tells is
//! the steps `launch` and `complete` where these have a word for it, as recorders know them; what ended before its node
//! knew is told in the heartbeat itself. A scenario ends early where it has as many steps as are wanted, and says when
//! that was.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use evenweave_tools::Failure;
use evenweave_tools::replay::{End, Grant, Happened, recorded};
use rustc_hash::FxHashMap;
use serde_json::{Map, Value, json as object};

use super::inputs::{ScenarioHead, ScenarioQueues};
use super::record::WrittenRun;
use crate::api::{
    AllocateRequest, Allocation, AppHandle, Ask, Clock as _, ContainerId, EndReason, Heartbeat, Location, NewLabel,
    NodeHandle, Resource, ResourceTypes, Submission, VirtualClock,
};

/// How a container stands on its node.
#[derive(Clone, Copy, Debug, Default)]
struct Stands {
    launched: bool,
    /// It has ended, and its node waits for a word of it.
    lingers: bool,
}

/// See the module's text.
#[derive(Debug)]
pub(super) struct Scribe {
    clock: Arc<VirtualClock>,
    types: ResourceTypes,
    /// The form's head: name, properties, queues.
    head: Map<String, Value>,
    /// It is the form of the CapacityScheduler.
    capacity: bool,
    places: RefCell<FxHashMap<Location, String>>,
    /// The nodes' names by number.
    nodes: Vec<String>,
    /// By application and number.
    there: BTreeMap<(u32, u32), Stands>,
    marked: bool,
    /// How far the clock has been told of.
    told_ms: u64,
    most: usize,
    steps: Vec<Value>,
    happened: Happened,
    ended: bool,
    /// Containers that the run was granted, and how many of these after the end of the scenario.
    granted: u64,
    granted_later: u64,
}

fn number(id: ContainerId) -> (u32, u32) {
    (id.application_number(), id.number())
}

impl Scribe {
    pub(super) fn new(
        clock: Arc<VirtualClock>,
        types: ResourceTypes,
        begins: &ScenarioHead,
        labels: Option<&[NewLabel]>,
    ) -> Scribe {
        let (scheduler, field, queues) = match &begins.queues {
            ScenarioQueues::Fair(allocations) => ("fair", "allocations", object!(allocations)),
            ScenarioQueues::Capacity(properties) => ("capacity", "capacity", object!(properties)),
        };
        let mut head = Map::new();
        head.insert("name".to_owned(), "simulated".into());
        head.insert("scheduler".to_owned(), scheduler.into());
        head.insert("properties".to_owned(), object!(begins.properties));
        head.insert(field.to_owned(), queues);
        if let Some(labels) = labels {
            let label = |label: &NewLabel| object!({"name": label.name, "exclusive": label.exclusive});
            head.insert("labels".to_owned(), labels.iter().map(label).collect());
        }
        Scribe {
            clock,
            types,
            head,
            capacity: scheduler == "capacity",
            places: RefCell::new(std::iter::once((Location::ANY, "*".to_owned())).collect()),
            nodes: Vec::new(),
            there: BTreeMap::new(),
            marked: false,
            told_ms: 0,
            most: begins.steps,
            steps: Vec::new(),
            happened: Happened::default(),
            ended: false,
            granted: 0,
            granted_later: 0,
        }
    }

    /// The scenario on one line, and how far it goes.
    ///
    /// # Errors
    /// Where the steps do not come to what the run came to.
    pub(super) fn written(mut self) -> Result<WrittenRun, Failure> {
        let steps = self.steps.len();
        self.head.insert("steps".to_owned(), Value::Array(self.steps));
        Ok(WrittenRun {
            line: recorded(Value::Object(self.head), &self.happened)?,
            steps,
            ends_ms: self.ended.then_some(self.told_ms),
            granted: self.granted - self.granted_later,
            granted_in_run: self.granted,
        })
    }

    pub(super) fn is_on(&self) -> bool {
        !self.ended
    }

    fn amounts(&self, of: &Resource) -> Value {
        let named = (0..self.types.len()).map(|index| (self.types.name(index).to_owned(), Value::from(of.get(index))));
        Value::Object(named.collect())
    }

    /// A step, and before it the clock as it is.
    fn note(&mut self, step: Value) {
        if self.steps.len() + 2 > self.most {
            self.ended = true;
        }
        if self.ended {
            return;
        }
        let now = self.clock.now_ms();
        if now > self.told_ms {
            self.steps.push(object!({"op": "advance", "ms": now - self.told_ms}));
            self.told_ms = now;
        }
        self.steps.push(step);
    }

    // ------------------------------------------------------------------------------------------------ calls

    /// A place has a name.
    pub(super) fn named(&self, place: Location, name: &str) {
        self.places.borrow_mut().entry(place).or_insert_with(|| name.to_owned());
    }

    pub(super) fn node_added(&mut self, node: &NodeHandle, total: &Resource, label: &str) {
        self.nodes.push(node.name().to_owned());
        let resource = self.amounts(total);
        let mut step = object!({"op": "node-add", "node": node.name(), "rack": node.rack(), "resource": resource});
        if !label.is_empty() {
            step["label"] = label.into();
        }
        self.note(step);
    }

    pub(super) fn node_removed(&mut self, node: &NodeHandle) {
        self.note(object!({"op": "node-remove", "node": node.name()}));
    }

    /// A node has another size.
    pub(super) fn node_resized(&mut self, node: &NodeHandle, total: &Resource) {
        let total = self.amounts(total);
        self.note(object!({"op": "node-resize", "node": node.name(), "total": total}));
    }

    /// The step that was noted last was refused.
    pub(super) fn refused(&mut self) {
        if !self.ended && !self.steps.is_empty() {
            self.happened.refused.insert(self.steps.len() - 1);
        }
    }

    /// An application is handed in; `job` is its name in the trace.
    pub(super) fn submitted(&mut self, submission: &Submission, am: Option<&Resource>, job: &str) {
        let mut step = object!({"op": "submit", "app": submission.number, "user": submission.user, "job": job});
        if let Some(am) = am {
            step["am"] = self.amounts(am);
        }
        if let Some(queue) = &submission.queue {
            step["queue"] = queue.as_str().into();
        }
        if let Some(label) = &submission.label {
            step["label"] = label.as_str().into();
        }
        self.note(step);
    }

    /// A node's report: what it has launched, what is done, and then the offer.
    pub(super) fn heartbeat(&mut self, heartbeat: &Heartbeat, node: &NodeHandle) {
        if self.ended {
            return;
        }
        // What the steps `launch` and `complete` have no word for.
        let (mut launched, mut completed) = (Vec::new(), Vec::new());
        let told = |(app, container): (u32, u32)| object!({"app": app, "container": container});
        for id in heartbeat.launched().iter().copied().map(number) {
            match self.there.get_mut(&id).filter(|stands| !stands.lingers) {
                Some(stands) => {
                    stands.launched = true;
                    self.note(object!({"op": "launch", "app": id.0, "container": id.1}));
                }
                // One that is no more.
                None => launched.push(told(id)),
            }
        }
        for id in heartbeat.completed().iter().copied().map(number) {
            match self.there.remove(&id) {
                Some(_) => self.note(object!({"op": "complete", "app": id.0, "container": id.1})),
                None => completed.push(told(id)),
            }
        }
        let mut step = object!({"op": "heartbeat", "node": node.name()});
        for (field, list) in [("launched", launched), ("completed", completed)] {
            if !list.is_empty() {
                step[field] = list.into();
            }
        }
        self.note(step);
    }

    /// An AM's call: what it gives back, then what it asks for. One that is refused gives nothing back.
    pub(super) fn calls(&mut self, app: &AppHandle, request: &AllocateRequest, refused: bool) {
        for id in request.releases.iter().filter(|_| !refused).copied().map(number) {
            self.note(object!({"op": "release", "app": id.0, "container": id.1}));
        }
        let asks = self.lines(&request.asks);
        self.note(object!({"op": "ask", "app": app.number(), "asks": asks}));
    }

    fn lines(&self, asks: &[Ask]) -> Value {
        let places = self.places.borrow();
        let line = |ask: &Ask| {
            let mut line = object!({"priority": ask.priority, "location": places.get(&ask.location), "count": ask.count,
                "resource": self.amounts(&ask.resource), "relax": ask.relax_locality});
            // None is the same as 0.
            if ask.allocation_request_id > 0 {
                line["request-id"] = ask.allocation_request_id.into();
            }
            line
        };
        asks.iter().map(line).collect()
    }

    /// What an answer has brought; of the last step also after the scenario has ended.
    pub(super) fn told(&mut self, answer: &Allocation) {
        let at_ms = self.clock.now_ms();
        self.granted += answer.granted.len() as u64;
        if self.ended && at_ms > self.told_ms {
            self.granted_later += answer.granted.len() as u64;
            return;
        }
        for container in &answer.granted {
            let (app, number) = number(container.id);
            self.there.insert((app, number), Stands::default());
            let node = self.nodes.get(container.node.index()).cloned().unwrap_or_default();
            self.happened.grants.insert(Grant { at_ms, app, number, node, memory_mb: container.resource.memory_mb() });
        }
        for ended in &answer.ended {
            let (app, number) = number(ended.id);
            self.happened.ends.insert(End { at_ms, app, number, reason: ended.reason.as_str() });
            let by_node = matches!(ended.reason, EndReason::Completed | EndReason::NodeLost);
            match self.there.get_mut(&(app, number)) {
                Some(stands) if stands.launched && !by_node => stands.lingers = true,
                Some(_) => drop(self.there.remove(&(app, number))),
                None => {}
            }
        }
    }

    /// What was in a mailbox was taken out: the application has it, as after a call that asks for nothing.
    pub(super) fn fetched(&mut self, app: &AppHandle, answer: &Allocation) {
        self.told(answer);
        if !answer.granted.is_empty() {
            self.note(object!({"op": "ask", "app": app.number(), "asks": []}));
        }
    }

    /// An application goes. What of it runs is told of by nodes' heartbeats from then on.
    pub(super) fn finishes(&mut self, app: &AppHandle) {
        let app = app.number();
        self.there.retain(|(of, _), _| *of != app);
        self.note(object!({"op": "finish", "app": app}));
    }

    pub(super) fn updated(&mut self) {
        self.note(object!({"op": "update"}));
    }

    /// A round of preemption has marked so many.
    pub(super) fn marked(&mut self, containers: usize) {
        if self.capacity {
            return self.note(object!({"op": "preempt"}));
        }
        self.marked |= containers > 0;
        self.note(object!({"op": "preempt", "kill": false}));
    }

    /// What is marked and due is killed.
    pub(super) fn kills(&mut self) {
        if self.marked {
            self.note(object!({"op": "kill", "due": true}));
        }
    }

    /// All nodes were offered, that with so many before it first.
    pub(super) fn offered(&mut self, first: usize) {
        let step = if self.capacity { object!({"op": "round", "first": first}) } else { object!({"op": "continuous"}) };
        self.note(step);
    }
}
