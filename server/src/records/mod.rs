//! What a ResourceManager keeps beside its scheduler: of applications, their attempts, containers and nodes.
//!
//! Plain data. Whoever drives the scheduler tells what happens; who asks sees it. Of what has ended a bounded number is kept.

mod app;

mod counted;

mod node;

pub use app::{AppRecord, AppState, AttemptRecord, AttemptState, FinalStatus, Master};
pub use counted::Ends;
pub(crate) use counted::{Counted, Counters, upwards};
pub use node::{NodeRecord, NodeState};

use std::collections::{BTreeMap, HashMap, VecDeque};

use evenweave::Resource;

/// `yarn.resourcemanager.max-completed-applications`, where it is not set.
pub const MAX_COMPLETED: usize = 1000;

/// A container of an application: number of the application, attempt, number.
pub type ContainerKey = (u32, u32, u32);

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
    /// Of applications that have ended or moved on; what others have had is with them.
    counters: Counters,
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
            counters: Counters::default(),
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

    /// What queues have had of applications that have ended or moved on.
    pub(crate) fn counters(&self) -> &Counters {
        &self.counters
    }

    /// When a container was made, in ms since 1970.
    #[must_use]
    pub fn container_made(&self, container: ContainerKey) -> Option<u64> {
        self.containers.get(&container).copied()
    }

    /// An application is known from now on. One that was refused by its scheduler has ended with it.
    pub fn submitted(&mut self, mut app: AppRecord) {
        let number = app.number;
        let (entered, over) = (app.attempt.is_some(), app.state.is_over());
        if entered {
            self.ends.submitted += 1;
            app.counted.apps.submitted = 1;
        }
        self.apps.insert(number, app);
        if over {
            self.over(number);
        }
    }

    /// A container was made.
    pub fn container(&mut self, container: ContainerKey, at_ms: u64) {
        let is_new = self.containers.insert(container, at_ms).is_none();
        let Some(app) = self.apps.get_mut(&container.0) else { return };
        app.counted.allocated += u64::from(is_new);
        if let Some(attempt) = app.attempt.as_mut().filter(|attempt| !attempt.had_container) {
            (attempt.had_container, attempt.first_container_ms) = (true, at_ms);
        }
    }

    /// A container has ended.
    pub fn container_ended(&mut self, container: ContainerKey) {
        let was_there = self.containers.remove(&container).is_some();
        if let Some(app) = self.apps.get_mut(&container.0) {
            app.counted.released += u64::from(was_there);
        }
    }

    /// An application is in another queue.
    pub fn moved(&mut self, number: u32, queue: &str) {
        let Some(app) = self.apps.get_mut(&number) else { return };
        if app.queue != queue {
            let counted = app.take_counted();
            self.counters.add(&app.queue, &app.user, &counted);
            queue.clone_into(&mut app.queue);
            app.reported_queue = None;
            app.moved = true;
        }
    }

    /// An application has ended.
    pub fn ended(&mut self, number: u32, state: AppState, status: FinalStatus, diagnostics: String, at_ms: u64) {
        let Some(app) = self.apps.get_mut(&number).filter(|app| !app.state.is_over()) else { return };
        app.end(state, status, diagnostics, at_ms);
        if app.attempt.is_some() {
            for ends in [&mut self.ends, &mut app.counted.apps] {
                match state {
                    AppState::Finished => ends.completed += 1,
                    AppState::Failed => ends.failed += 1,
                    AppState::Killed => ends.killed += 1,
                    AppState::Accepted | AppState::Running => {}
                }
            }
        }
        let before = self.containers.len();
        self.containers.retain(|(app, ..), _| *app != number);
        app.counted.released += u64::try_from(before - self.containers.len()).unwrap_or(u64::MAX);
        let counted = app.take_counted();
        self.counters.add(&app.queue, &app.user, &counted);
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
