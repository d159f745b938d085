//! A job, whatever trace it is from.

use std::collections::BTreeMap;

use super::error::At;
use super::hosts::Host;
use super::nodes::Node;

/// How a container is to run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Execution {
    /// It is guaranteed.
    #[default]
    Guaranteed,
    /// It runs where there is room, and may be ended.
    Opportunistic,
}

/// Equal tasks of a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    /// `map`, `reduce` or another; what counts hangs on the type of the AM.
    pub kind: String,
    /// So many.
    pub count: u32,
    /// How long each lives.
    pub duration_ms: i64,
    /// The host that is wanted.
    pub host: Option<Host>,
    /// A host as it is written that is none: the job comes to an end in the run when it asks for it.
    pub bad_host: Option<String>,
    /// Amounts by resource type; a type that is not named has the simulator's setting.
    pub resource: BTreeMap<String, i64>,
    /// The priority as it is written. SLS reads it and asks with those of the AM's type.
    pub priority: i32,
    /// How they are to run.
    pub execution: Execution,
    /// The allocation request id; -1 is none.
    pub allocation_id: i64,
    /// AMs of type `dag` do not ask before so long after the submission.
    pub delay_ms: i64,
    /// The number of the stage that it is a task of, among those of its job.
    pub stage: Option<u32>,
    /// The stages whose tasks end before AMs of type `dag` ask for it, by number; SLS's AM does not look at them.
    pub waits_for: Vec<u32>,
}

impl Task {
    /// One task of a kind; how long it takes, in ms.
    pub fn new(kind: impl Into<String>, duration_ms: i64) -> Task {
        Task {
            kind: kind.into(),
            count: 1,
            duration_ms,
            host: None,
            bad_host: None,
            resource: BTreeMap::new(),
            priority: 20,
            execution: Execution::Guaranteed,
            allocation_id: -1,
            delay_ms: 0,
            stage: None,
            waits_for: Vec::new(),
        }
    }
}

/// A job: when it comes, whose it is, what it asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// Its name in the trace; none where it has a number alone.
    pub id: Option<String>,
    /// So many identical jobs.
    pub count: u32,
    /// When it is submitted, in ms after the start; a negative one is submitted at once.
    pub arrival_ms: i64,
    /// When it ended in the trace, in ms; of a `stream` job this less the arrival is its running time.
    pub finish_ms: i64,
    /// Its queue.
    pub queue: String,
    /// Who submits it.
    pub user: String,
    /// The type of its AM: `mapreduce`, `stream`, `dag` or one's own.
    pub am_type: String,
    /// What its AM asks for, by resource type; a type that is not named has the simulator's setting.
    pub am_resource: BTreeMap<String, i64>,
    /// Its AM had a container; if not, the trace tells of none.
    pub has_am: bool,
    /// The node label of the application.
    pub label: Option<String>,
    /// The reservation that it belongs to, by its name in a file of reservations.
    pub reservation: Option<String>,
    /// Of a job that makes a reservation first: when it has to be done, in ms.
    pub deadline_ms: Option<i64>,
    /// Its tasks.
    pub tasks: Vec<Task>,
    /// What its reader has passed over.
    pub noted: Vec<Note>,
}

/// Something in a trace that is not as it should be, and that a job runs without.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// Where it stands.
    pub at: At,
    /// What it is, and what is made of it.
    pub said: String,
}

impl Job {
    /// A job without tasks of a queue, a user and an AM that are the usual ones.
    pub fn new(id: &str, arrival_ms: i64) -> Job {
        Job {
            id: Some(id.to_owned()),
            count: 1,
            arrival_ms,
            finish_ms: arrival_ms,
            queue: "default".to_owned(),
            user: "default".to_owned(),
            am_type: "mapreduce".to_owned(),
            am_resource: BTreeMap::new(),
            has_am: true,
            label: None,
            deadline_ms: None,
            reservation: None,
            tasks: Vec::new(),
            noted: Vec::new(),
        }
    }
}

/// A job that the simulator refuses, while the others go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Where the job, or what is wrong in it, stands.
    pub at: At,
    /// What is wrong.
    pub problem: String,
    /// What would be right.
    pub help: String,
}

/// What a trace holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// A job.
    Job(Box<Job>),
    /// A node that the trace brings.
    Node(Node),
    /// A job that is refused.
    Refused(Refusal),
}
