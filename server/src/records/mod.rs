//! What a ResourceManager keeps beside its scheduler: of applications, their attempts, containers and nodes.
//!
//! Plain data. Whoever drives the scheduler tells what happens; who asks sees it. Of what has ended a bounded number is kept.

mod app;

mod node;

pub use app::{AppRecord, AppState, AttemptRecord, AttemptState, FinalStatus, Master};
pub use node::{NodeRecord, NodeState};

use std::collections::{BTreeMap, HashMap, VecDeque};

use evenweave::Resource;

/// `yarn.resourcemanager.max-completed-applications`, where it is not set.
pub const MAX_COMPLETED: usize = 1000;

/// A container of an application: number of the application, attempt, number.
pub type ContainerKey = (u32, u32, u32);

/// How applications that a queue had have ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ends {
    /// That entered a queue.
    pub submitted: u64,
    /// `FINISHED`
    pub completed: u64,
    /// `FAILED`
    pub failed: u64,
    /// `KILLED`
    pub killed: u64,
}

/// See the module's text.
#[derive(Debug)]
pub struct Records {
    /// By number.
    apps: BTreeMap<u32, AppRecord>,
    /// Numbers of those that have ended, oldest first.
    ended: VecDeque<u32>,
    max_completed: usize,
    /// In order of registration; one that was lost stays, as such, until it is there again.
    nodes: Vec<NodeRecord>,
    /// When containers that live were made.
    containers: HashMap<ContainerKey, u64>,
    ends: Ends,
}

impl Default for Records {
    fn default() -> Records {
        Records::new(MAX_COMPLETED)
    }
}

impl Records {
    /// Nothing yet. So many applications that have ended are kept.
    #[must_use]
    pub fn new(max_completed: usize) -> Records {
        Records {
            apps: BTreeMap::new(),
            ended: VecDeque::new(),
            max_completed,
            nodes: Vec::new(),
            containers: HashMap::new(),
            ends: Ends::default(),
        }
    }

    /// All applications, by number.
    pub fn apps(&self) -> impl Iterator<Item = &AppRecord> {
        self.apps.values()
    }

    /// An application.
    #[must_use]
    pub fn app(&self, number: u32) -> Option<&AppRecord> {
        self.apps.get(&number)
    }

    /// The same, to be changed.
    pub fn app_mut(&mut self, number: u32) -> Option<&mut AppRecord> {
        self.apps.get_mut(&number)
    }

    /// All nodes, lost ones included.
    #[must_use]
    pub fn nodes(&self) -> &[NodeRecord] {
        &self.nodes
    }

    /// How applications have ended.
    #[must_use]
    pub fn ends(&self) -> Ends {
        self.ends
    }

    /// When a container was made, in ms since 1970.
    #[must_use]
    pub fn container_made(&self, container: ContainerKey) -> Option<u64> {
        self.containers.get(&container).copied()
    }

    /// An application is known from now on. One that was refused by its scheduler has ended with it.
    pub fn submitted(&mut self, app: AppRecord) {
        let number = app.number;
        let (entered, over) = (app.attempt.is_some(), app.state.is_over());
        if entered {
            self.ends.submitted += 1;
        }
        self.apps.insert(number, app);
        if over {
            self.over(number);
        }
    }

    /// A container was made.
    pub fn container(&mut self, container: ContainerKey, at_ms: u64) {
        self.containers.insert(container, at_ms);
        if let Some(attempt) = self.apps.get_mut(&container.0).and_then(|app| app.attempt.as_mut()) {
            attempt.had_container = true;
        }
    }

    /// A container has ended.
    pub fn container_ended(&mut self, container: ContainerKey) {
        self.containers.remove(&container);
    }

    /// An application has ended.
    pub fn ended(&mut self, number: u32, state: AppState, status: FinalStatus, diagnostics: String, at_ms: u64) {
        let Some(app) = self.apps.get_mut(&number).filter(|app| !app.state.is_over()) else { return };
        app.end(state, status, diagnostics, at_ms);
        if app.attempt.is_some() {
            match state {
                AppState::Finished => self.ends.completed += 1,
                AppState::Failed => self.ends.failed += 1,
                AppState::Killed => self.ends.killed += 1,
                AppState::Accepted | AppState::Running => {}
            }
        }
        self.containers.retain(|(app, ..), _| *app != number);
        self.over(number);
    }

    fn over(&mut self, number: u32) {
        self.ended.push_back(number);
        while self.ended.len() > self.max_completed {
            if let Some(oldest) = self.ended.pop_front() {
                self.apps.remove(&oldest);
            }
        }
    }

    /// A node has registered, or one that was lost is there again.
    pub fn node(&mut self, node: NodeRecord) {
        self.nodes.retain(|other| other.name != node.name);
        self.nodes.push(node);
    }

    /// `host:port` of a node, by its name.
    #[must_use]
    pub fn node_id(&self, name: &str) -> String {
        self.nodes.iter().find(|node| node.name == name).map_or_else(|| name.to_owned(), NodeRecord::id)
    }

    /// A node has a label from now on.
    pub fn label(&mut self, name: &str, label: &str) {
        if let Some(node) = self.nodes.iter_mut().find(|node| node.name == name) {
            node.labels = vec![label.to_owned()];
        }
    }

    /// A node has another total.
    pub fn node_has(&mut self, name: &str, total: Resource) {
        if let Some(node) = self.nodes.iter_mut().find(|node| node.name == name) {
            node.total = total;
        }
    }

    /// A node is in another state.
    pub fn node_is(&mut self, name: &str, state: NodeState) {
        if let Some(node) = self.nodes.iter_mut().find(|node| node.name == name) {
            node.state = state;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_that_was_killed_stays_so() {
        let mut records = Records::new(2);
        records.submitted(AppRecord::new(1, "u", "root.a", 0).with_attempt(None));
        records.ended(1, AppState::Killed, FinalStatus::Killed, "by u".to_owned(), 1);
        records.app_mut(1).expect("kept").registered(None, "n1", 1, 2);
        records.ended(1, AppState::Failed, FinalStatus::Failed, "lost".to_owned(), 3);
        let app = records.app(1).expect("kept");
        assert_eq!((app.state, app.status, app.diagnostics.as_str()), (AppState::Killed, FinalStatus::Killed, "by u"));
        assert_eq!((records.ends().killed, records.ends().failed), (1, 0));
    }

    #[test]
    fn of_those_that_have_ended_so_many_are_kept() {
        let mut records = Records::new(2);
        for number in 1..=4 {
            records.submitted(AppRecord::new(number, "u", "root.a", 0));
            records.ended(number, AppState::Finished, FinalStatus::Succeeded, String::new(), 1);
        }
        records.submitted(AppRecord::new(5, "u", "root.a", 0));
        assert_eq!(records.apps().map(|app| app.number).collect::<Vec<_>>(), [3, 4, 5]);
    }
}
