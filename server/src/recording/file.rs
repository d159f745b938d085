//! What a file of recorded answers has in it.

use std::collections::{BTreeMap, HashMap};

use evenweave::labels::NewLabel;
use serde::Deserialize;

use super::json_members::Json;

/// Why a text is no recording.
#[derive(Debug, thiserror::Error)]
#[error("{why}")]
pub struct RecordingError {
    /// Which line, from 1.
    pub line: usize,
    /// Which column, from 1.
    pub column: usize,
    /// In words.
    pub why: String,
}

/// A recorded state, and what was answered in it.
#[derive(Debug, Deserialize)]
pub struct Recording {
    /// Its name.
    pub name: String,
    pub(super) scheduler: String,
    pub(super) setup: Setup,
    #[serde(default)]
    pub(super) volatile: Vec<String>,
    pub(super) responses: Vec<Recorded>,
}

impl Recording {
    /// Reads one.
    ///
    /// # Errors
    /// A text that is none.
    pub fn parse(text: &str) -> Result<Recording, RecordingError> {
        serde_json::from_str(text).map_err(|error| RecordingError {
            line: error.line(),
            column: error.column(),
            why: error.to_string(),
        })
    }
}

/// Amounts by type name; what is absent is zero.
pub(super) type Amounts = BTreeMap<String, i64>;

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
pub(super) struct Setup {
    pub(super) properties: BTreeMap<String, String>,
    pub(super) allocations: String,
    pub(super) capacity_scheduler: BTreeMap<String, String>,
    pub(super) groups: HashMap<String, Vec<String>>,
    pub(super) node_labels: Vec<NodeLabel>,
    pub(super) steps: Vec<Step>,
}

#[derive(Debug, Deserialize)]
pub(super) struct NodeLabel {
    pub(super) name: String,
    #[serde(default = "yes")]
    pub(super) exclusive: bool,
}

impl NodeLabel {
    pub(super) fn new_label(&self) -> NewLabel {
        NewLabel { name: self.name.clone(), exclusive: self.exclusive }
    }
}

/// A request, and what came of it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct Recorded {
    #[serde(default)]
    pub(super) before: Vec<Step>,
    pub(super) request: Request,
    pub(super) status: u16,
    pub(super) content_type: Option<String>,
    pub(super) location: Option<String>,
    pub(super) allow: Option<String>,
    #[serde(default = "nothing")]
    pub(super) body: Json,
}

fn nothing() -> Json {
    Json::Text(String::new())
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct Request {
    pub(super) method: String,
    pub(super) path: String,
    pub(super) accept: Option<String>,
    pub(super) content_type: Option<String>,
    pub(super) body: Option<String>,
}

fn yes() -> bool {
    true
}

#[derive(Clone, Debug, Deserialize)]
pub(super) struct AskLine {
    pub(super) priority: i32,
    pub(super) location: String,
    pub(super) resource: Amounts,
    /// Below zero counts as none.
    pub(super) count: i32,
    #[serde(default = "yes")]
    pub(super) relax: bool,
    pub(super) label: Option<String>,
}

/// One step.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "op", rename_all = "kebab-case")]
pub(super) enum Step {
    NodeAdd {
        node: String,
        rack: String,
        resource: Amounts,
    },
    NodeRemove {
        node: String,
    },
    NodeLabel {
        node: String,
        label: String,
    },
    Heartbeat {
        node: String,
    },
    Submit(Submit),
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
    },
    Launch {
        app: u32,
        container: u32,
    },
    Complete {
        app: u32,
        container: u32,
    },
    Finish {
        app: u32,
    },
    KillApp {
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
    Priority {
        app: u32,
        priority: i32,
    },
    Reload {
        allocations: Option<String>,
        #[serde(default, rename = "capacity-scheduler")]
        capacity_scheduler: Option<BTreeMap<String, String>>,
    },
    Continuous,
    Preempt {
        #[serde(default = "yes")]
        kill: bool,
    },
    Kill,
    Follow,
}

/// A submission.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Submit {
    pub(super) app: u32,
    pub(super) user: String,
    pub(super) queue: Option<String>,
    pub(super) am: Option<Amounts>,
    pub(super) name: Option<String>,
    #[serde(rename = "type")]
    pub(super) kind: Option<String>,
    pub(super) tags: Option<String>,
    pub(super) priority: Option<i32>,
}
