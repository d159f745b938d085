//! The scenario format, version 1: what is done step by step, and what real Hadoop showed after each
//! (`docs/rules/recordings.md`).

use std::collections::{BTreeMap, HashMap};
use std::fmt;

use serde::Deserialize;
use serde_json::Value;

use super::amounts::{Amounts, resource};
use super::booking::{Definition, ListedAs};
use super::lines::{filled_lines, parse_line};
use super::named::Named;
use crate::api::{RecoveredContainer, ResourceTypes};
use crate::failure::Failure;

/// One deterministic run.
#[derive(Debug, Deserialize)]
pub(super) struct Scenario {
    pub(super) name: String,
    /// Where the clock stands at the first step, ms since 1970, in recordings of the reservation system.
    pub(super) start: Option<u64>,
    #[serde(default)]
    pub(super) properties: BTreeMap<String, String>,
    pub(super) allocations: String,
    /// Users' groups, the primary one first.
    #[serde(default)]
    pub(super) groups: HashMap<String, Vec<String>>,
    pub(super) steps: Vec<Step>,
    pub(super) expect: Vec<Expected>,
}

/// One line of an ask.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct AskLine {
    pub(super) priority: i32,
    pub(super) location: String,
    pub(super) resource: Amounts,
    /// Below zero counts as none.
    pub(super) count: i32,
    #[serde(default = "yes")]
    pub(super) relax: bool,
    /// The allocation request id.
    #[serde(default, rename = "request-id")]
    pub(super) request_id: i64,
}

fn yes() -> bool {
    true
}

/// A container that a node reports as it registers.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct ReportedContainer {
    pub(super) app: u32,
    #[serde(default = "first")]
    pub(super) attempt: u32,
    pub(super) container: u32,
    /// How many ResourceManagers there were before the one that granted it.
    #[serde(default)]
    pub(super) epoch: u32,
    pub(super) priority: i32,
    pub(super) resource: Amounts,
    /// It is the AM's.
    #[serde(default)]
    pub(super) am: bool,
    /// It has ended.
    #[serde(default)]
    pub(super) complete: bool,
    /// Of the nodes that its ask wanted.
    #[serde(default)]
    pub(super) label: Option<String>,
}

/// A container that a node tells of in a heartbeat. One that has ended, and of which the scheduler does not wait to
/// hear, changes nothing.
#[derive(Clone, Copy, Debug, Deserialize)]
pub(super) struct ToldContainer {
    pub(super) app: u32,
    #[serde(default = "first")]
    pub(super) attempt: u32,
    pub(super) container: u32,
    #[serde(default)]
    pub(super) epoch: u32,
}

impl ToldContainer {
    pub(super) fn named(self) -> Named {
        Named { app: self.app, attempt: self.attempt, epoch: self.epoch, number: self.container }
    }
}

fn first() -> u32 {
    1
}

fn first_port() -> u16 {
    1
}

impl ReportedContainer {
    pub(super) fn named(&self) -> Named {
        Named { app: self.app, attempt: self.attempt, epoch: self.epoch, number: self.container }
    }

    /// As the core is told of it.
    pub(super) fn recovered(&self, types: &ResourceTypes) -> RecoveredContainer {
        RecoveredContainer::new(self.attempt, self.container, resource(types, &self.resource))
            .asked_for(self.priority, 0)
            .with_epoch(self.epoch)
            .with_am(self.am)
            .with_ended(self.complete)
    }
}

/// One step.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "op", rename_all = "kebab-case")]
pub(super) enum Step {
    NodeAdd {
        node: String,
        rack: String,
        /// Its NodeManager's. Whoever made the recordings gave 1 to all at first.
        #[serde(default = "first_port")]
        port: u16,
        resource: Amounts,
        /// What runs on it: of a ResourceManager that was restarted.
        #[serde(default)]
        containers: Vec<ReportedContainer>,
    },
    NodeRemove {
        node: String,
    },
    Heartbeat {
        node: String,
        /// What it tells in the same breath, before it is offered.
        #[serde(default)]
        launched: Vec<ToldContainer>,
        #[serde(default)]
        completed: Vec<ToldContainer>,
    },
    NodeResize {
        node: String,
        total: Amounts,
    },
    Submit {
        app: u32,
        user: String,
        queue: Option<String>,
        am: Option<Amounts>,
        reservation: Option<i64>,
        /// Its name in the trace, of a run that `simulate` has written.
        job: Option<String>,
    },
    /// Another ResourceManager begins, which knows nothing.
    Restart {
        allocations: Option<String>,
    },
    /// An application as it was stored, with an AM that runs.
    RecoverApp {
        app: u32,
        user: String,
        queue: String,
        am: Option<Amounts>,
    },
    Ask {
        app: u32,
        #[serde(default)]
        asks: Vec<AskLine>,
        #[serde(default, rename = "blacklist-add")]
        blacklist_add: Vec<String>,
        #[serde(default, rename = "blacklist-remove")]
        blacklist_remove: Vec<String>,
    },
    Release {
        app: u32,
        container: u32,
        #[serde(default)]
        epoch: u32,
    },
    Launch {
        app: u32,
        container: u32,
        #[serde(default)]
        epoch: u32,
    },
    Complete {
        app: u32,
        container: u32,
        #[serde(default)]
        epoch: u32,
    },
    Finish {
        app: u32,
    },
    Update,
    Advance {
        ms: u64,
    },
    Move {
        app: u32,
        queue: String,
    },
    Reload {
        allocations: Option<String>,
        /// By an administrator's refresh.
        #[serde(default)]
        plans: bool,
    },
    ReserveNew,
    ReserveSubmit {
        user: Option<String>,
        queue: Option<String>,
        reservation: Option<i64>,
        definition: Option<Definition>,
    },
    ReserveUpdate {
        user: Option<String>,
        reservation: Option<i64>,
        definition: Option<Definition>,
    },
    ReserveDelete {
        user: Option<String>,
        reservation: Option<i64>,
    },
    ReserveList {
        user: Option<String>,
        queue: Option<String>,
        reservation: Option<ListedAs>,
        from: Option<i64>,
        to: Option<i64>,
        #[serde(default)]
        allocations: bool,
    },
    Follow,
    Continuous,
    Preempt {
        #[serde(default = "yes")]
        kill: bool,
    },
    Kill {
        /// Only what was marked `yarn.scheduler.fair.waitTimeBeforeKill` ago, as the timer does.
        #[serde(default)]
        due: bool,
    },
}

impl Step {
    /// Its name in the file.
    pub(super) fn op(&self) -> &'static str {
        match self {
            Step::NodeAdd { .. } => "node-add",
            Step::NodeRemove { .. } => "node-remove",
            Step::Heartbeat { .. } => "heartbeat",
            Step::NodeResize { .. } => "node-resize",
            Step::Submit { .. } => "submit",
            Step::Restart { .. } => "restart",
            Step::RecoverApp { .. } => "recover-app",
            Step::Ask { .. } => "ask",
            Step::Release { .. } => "release",
            Step::Launch { .. } => "launch",
            Step::Complete { .. } => "complete",
            Step::Finish { .. } => "finish",
            Step::Update => "update",
            Step::Advance { .. } => "advance",
            Step::Move { .. } => "move",
            Step::Reload { .. } => "reload",
            Step::ReserveNew => "reserve-new",
            Step::ReserveSubmit { .. } => "reserve-submit",
            Step::ReserveUpdate { .. } => "reserve-update",
            Step::ReserveDelete { .. } => "reserve-delete",
            Step::ReserveList { .. } => "reserve-list",
            Step::Follow => "follow",
            Step::Continuous => "continuous",
            Step::Preempt { .. } => "preempt",
            Step::Kill { .. } => "kill",
        }
    }
}

impl fmt::Display for Step {
    /// Its name, and what tells it from others of the name.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.op())?;
        match self {
            Step::NodeAdd { node, .. }
            | Step::NodeRemove { node }
            | Step::Heartbeat { node, .. }
            | Step::NodeResize { node, .. } => write!(f, " {node}"),
            Step::Submit { app, .. } | Step::RecoverApp { app, .. } | Step::Ask { app, .. } | Step::Finish { app } => {
                write!(f, " {app}")
            }
            Step::Release { app, container, .. }
            | Step::Launch { app, container, .. }
            | Step::Complete { app, container, .. } => write!(f, " {app}/{container}"),
            Step::Advance { ms } => write!(f, " {ms}"),
            Step::Move { app, queue } => write!(f, " {app} {queue}"),
            Step::ReserveSubmit { reservation: Some(number), .. }
            | Step::ReserveUpdate { reservation: Some(number), .. }
            | Step::ReserveDelete { reservation: Some(number), .. } => write!(f, " {number}"),
            Step::Update
            | Step::Restart { .. }
            | Step::Reload { .. }
            | Step::ReserveNew
            | Step::ReserveSubmit { .. }
            | Step::ReserveUpdate { .. }
            | Step::ReserveDelete { .. }
            | Step::ReserveList { .. }
            | Step::Follow
            | Step::Continuous
            | Step::Preempt { .. }
            | Step::Kill { .. } => Ok(()),
        }
    }
}

#[derive(Debug, Deserialize)]
pub(super) struct ExpectedError {
    pub(super) kind: String,
    /// Of a call of the reservation system: Hadoop's text.
    pub(super) message: Option<String>,
}

/// A container or reservation.
#[derive(Debug, Deserialize)]
pub(super) struct ExpectedContainer {
    pub(super) app: u32,
    pub(super) container: u32,
    pub(super) node: String,
    pub(super) priority: i32,
    #[serde(default)]
    pub(super) resource: Amounts,
}

#[derive(Debug, Deserialize)]
pub(super) struct ExpectedEnd {
    pub(super) app: u32,
    pub(super) container: u32,
    pub(super) reason: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct ExpectedHeld {
    pub(super) node: String,
    pub(super) app: u32,
    #[serde(default)]
    pub(super) resource: Amounts,
}

/// What was marked for a starved application.
#[derive(Debug, Deserialize)]
pub(super) struct ExpectedRound {
    pub(super) app: u32,
    #[serde(default)]
    pub(super) containers: Vec<ExpectedMark>,
}

#[derive(Debug, Deserialize)]
pub(super) struct ExpectedMark {
    pub(super) app: u32,
    pub(super) container: u32,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct ExpectedQueue {
    pub(super) name: String,
    pub(super) policy: String,
    #[serde(default)]
    pub(super) leaf: bool,
    #[serde(default)]
    pub(super) fair_share: Amounts,
    #[serde(default)]
    pub(super) steady_fair_share: Amounts,
    #[serde(default)]
    pub(super) usage: Amounts,
    #[serde(default)]
    pub(super) demand: Amounts,
    #[serde(default)]
    pub(super) min_share: Amounts,
    /// Absent is boundless.
    pub(super) max_share: Option<Amounts>,
    #[serde(default)]
    pub(super) runnable: u32,
    #[serde(default)]
    pub(super) non_runnable: u32,
    #[serde(default)]
    pub(super) pending: u32,
    #[serde(default)]
    pub(super) am_usage: Amounts,
    /// In recordings of the reservation system; absent is 1.
    pub(super) weight: Option<f32>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct ExpectedApp {
    pub(super) app: u32,
    pub(super) queue: String,
    #[serde(default)]
    pub(super) fair_share: Amounts,
    #[serde(default)]
    pub(super) usage: Amounts,
    #[serde(default)]
    pub(super) demand: Amounts,
    #[serde(default)]
    pub(super) runnable: bool,
}

#[derive(Debug, Deserialize)]
pub(super) struct ExpectedNode {
    pub(super) node: String,
    #[serde(default)]
    pub(super) free: Amounts,
}

/// What a step shows. An absent list is empty.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct Expected {
    pub(super) error: Option<ExpectedError>,
    #[serde(default)]
    pub(super) allocated: Vec<ExpectedContainer>,
    #[serde(default)]
    pub(super) reserved: Vec<ExpectedContainer>,
    #[serde(default)]
    pub(super) completed: Vec<ExpectedEnd>,
    pub(super) headroom: Option<Amounts>,
    #[serde(default)]
    pub(super) preemption_warning: Vec<u32>,
    #[serde(default)]
    pub(super) marked: Vec<ExpectedRound>,
    #[serde(default)]
    pub(super) held: Vec<ExpectedHeld>,
    /// Containers that the node is told to stop as it registers.
    #[serde(default)]
    pub(super) orphans: Vec<ExpectedMark>,
    pub(super) queues: Option<Vec<ExpectedQueue>>,
    pub(super) apps: Option<Vec<ExpectedApp>>,
    #[serde(default)]
    pub(super) nodes: Vec<ExpectedNode>,
    pub(super) id: Option<i64>,
    pub(super) allocation: Option<Value>,
    pub(super) reservations: Option<Value>,
    pub(super) plans: Option<Value>,
    pub(super) moved: Option<Value>,
    pub(super) killed: Option<Value>,
}

impl Scenario {
    /// The family: the name without seed and number.
    pub(super) fn family(&self) -> &str {
        self.name.rsplitn(3, '-').nth(2).unwrap_or(&self.name)
    }

    /// Recordings of the reservation system leave out a weight that is 1.
    fn fill_weights(&mut self) {
        if self.start.is_some() {
            for queue in self.expect.iter_mut().filter_map(|expect| expect.queues.as_mut()).flatten() {
                queue.weight.get_or_insert(1.0);
            }
        }
    }

    /// The resource types that `yarn.resource-types` names.
    ///
    /// # Errors
    /// When there are more than the core takes.
    pub(super) fn types(&self) -> Result<ResourceTypes, String> {
        let custom = self.properties.get("yarn.resource-types").map(String::as_str).unwrap_or_default();
        let names = custom.split(',').map(str::trim).filter(|name| !matches!(*name, "" | "memory-mb" | "vcores"));
        let unit = |name: &str| {
            let key = format!("yarn.resource-types.{name}.units");
            self.properties.get(&key).cloned().unwrap_or_default()
        };
        ResourceTypes::with_custom(names.map(|name| (name, unit(name)))).map_err(|error| error.to_string())
    }
}

/// Reads a scenario file: one JSON object a line, blank lines passed over.
///
/// # Errors
/// At the first line that is no scenario, with its place.
pub(super) fn parse(text: &str, file: &str) -> Result<Vec<Scenario>, Failure> {
    let mut out = Vec::new();
    for (line_number, line) in filled_lines(text) {
        let hint = "a line is one scenario: an object with name, allocations, steps and expect";
        let mut scenario: Scenario = parse_line(line, file, line_number, hint)?;
        scenario.fill_weights();
        if scenario.steps.len() != scenario.expect.len() {
            return Err(Failure::input(format!(
                "{file}:{line_number}:1: {} has {} steps and {} expectations; there must be one for each step",
                scenario.name,
                scenario.steps.len(),
                scenario.expect.len()
            )));
        }
        out.push(scenario);
    }
    Ok(out)
}

/// There is no scenario of a name.
pub(super) fn no_scenario<'a>(name: &str, scenarios: impl Iterator<Item = &'a Scenario>) -> Failure {
    Failure::input(format!("there is no scenario {name:?}; there are: {}", list(scenarios.map(|other| &other.name))))
}

/// Some of many, for a message.
pub(super) fn list(of: impl Iterator<Item = impl ToString>) -> String {
    const MOST: usize = 40;
    let all: Vec<String> = of.map(|one| one.to_string()).collect();
    match all.len() {
        0 => "none".to_owned(),
        1..=MOST => all.join(", "),
        more => format!("{}, … {} more", all[..MOST].join(", "), more - MOST),
    }
}
