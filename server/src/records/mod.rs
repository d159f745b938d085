//! What a ResourceManager keeps beside its scheduler: of applications, their attempts, containers and nodes.
//!
//! Plain data. Whoever drives the scheduler tells what happens; who asks sees it. Of what has ended a bounded number is
//! kept.

mod app;

mod counted;

mod node;

mod usage;

pub use app::{AppRecord, AppState, AttemptRecord, AttemptState, FinalStatus, Master};
pub use counted::Ends;
pub(crate) use counted::{Counted, Counters, OnLabel, Preempted, upwards};
pub use node::{NodeRecord, NodeState};
pub use usage::Usage;

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;

use evenweave::{AppHandle, Resource};

/// `yarn.resourcemanager.max-completed-applications`, where it is not set.
pub const MAX_COMPLETED: usize = 1000;

/// A container of an application: number of the application, attempt, number.
pub type ContainerKey = (u32, u32, u32);

/// A container that lives.
#[derive(Debug)]
struct Living {
    made_ms: u64,
    amounts: Resource,
    /// The label of its node when it was made; it is counted there.
    label: Option<Arc<str>>,
}

impl Living {
    /// It has ended.
    fn ends(&self, number: u32, app: &mut AppRecord, counters: &mut Counters, preempted: bool, at_ms: u64) {
        match &self.label {
            None => app.counted.released += 1,
            Some(label) => counters.add_on_label(&app.queue, label, OnLabel { allocated: 0, released: 1 }),
        }
        app.container_ended(number, &self.amounts, self.made_ms, preempted, at_ms);
    }
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
    /// Where each stands there, by name.
    places: HashMap<String, usize>,
    containers: HashMap<ContainerKey, Living>,
    /// Labels of nodes that containers were made on.
    labels: Vec<Arc<str>>,
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
            places: HashMap::new(),
            containers: HashMap::new(),
            labels: Vec::new(),
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
        self.containers.get(&container).map(|living| living.made_ms)
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

    /// Its scheduler has taken an application that was submitted without an attempt. Whether it has ended meanwhile:
    /// then it gets none, and whoever calls takes it away again.
    pub fn accepted(&mut self, number: u32, handle: &AppHandle) -> bool {
        let Some(app) = self.apps.get_mut(&number) else { return true };
        if app.state.is_over() {
            return true;
        }
        handle.queue().clone_into(&mut app.queue);
        app.reports(handle);
        if app.attempt.is_none() {
            self.ends.submitted += 1;
            app.counted.apps.submitted += 1;
            app.enter(Some(handle.clone()));
        }
        false
    }

    /// A container was made on a node without a label, and has so much.
    pub fn container(&mut self, container: ContainerKey, amounts: &Resource, at_ms: u64) {
        self.container_on(container, "", amounts, at_ms);
    }

    /// The same on a node with a label; an empty one is none.
    pub fn container_on(&mut self, container: ContainerKey, label: &str, amounts: &Resource, at_ms: u64) {
        let label = self.label_named(label);
        let living = Living { made_ms: at_ms, amounts: *amounts, label: label.clone() };
        let before = self.containers.insert(container, living);
        let is_new = before.is_none();
        if let (Some(before), Some(living)) = (before, self.containers.get_mut(&container)) {
            // It stays where it was counted.
            living.label = before.label;
        }
        let Some(app) = self.apps.get_mut(&container.0) else { return };
        if is_new {
            match label {
                None => app.counted.allocated += 1,
                Some(label) => {
                    self.counters.add_on_label(&app.queue, &label, OnLabel { allocated: 1, released: 0 });
                }
            }
            app.usage.begins(amounts, at_ms);
        }
        if let Some(attempt) = app.attempt.as_mut().filter(|attempt| !attempt.had_container) {
            (attempt.had_container, attempt.first_container_ms) = (true, at_ms);
        }
    }

    /// One text for all containers of a label; none of no label.
    fn label_named(&mut self, label: &str) -> Option<Arc<str>> {
        if label.is_empty() {
            return None;
        }
        if let Some(known) = self.labels.iter().find(|known| &***known == label) {
            return Some(known.clone());
        }
        let label: Arc<str> = label.into();
        self.labels.push(label.clone());
        Some(label)
    }

    /// A container has ended; `preempted`: because its scheduler took it.
    pub fn container_ended(&mut self, container: ContainerKey, preempted: bool, at_ms: u64) {
        let Some(living) = self.containers.remove(&container) else { return };
        if let Some(app) = self.apps.get_mut(&container.0) {
            living.ends(container.2, app, &mut self.counters, preempted, at_ms);
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
        self.containers.retain(|(of, _, container), living| {
            if *of == number {
                living.ends(*container, app, &mut self.counters, false, at_ms);
            }
            *of != number
        });
        let counted = app.take_counted();
        // What no scheduler has taken is counted nowhere: names that are refused leave nothing but the application, as
        // in Hadoop.
        if app.attempt.is_some() {
            self.counters.add(&app.queue, &app.user, &counted);
        }
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

    /// A node has registered, or one that was lost is there again. One that is new costs O(1).
    pub fn node(&mut self, node: NodeRecord) {
        match self.places.get(&node.name).copied() {
            None => {
                self.places.insert(node.name.clone(), self.nodes.len());
                self.nodes.push(node);
            }
            Some(before) => {
                self.nodes.remove(before);
                self.nodes.push(node);
                for (place, node) in self.nodes.iter().enumerate().skip(before) {
                    if let Some(stands) = self.places.get_mut(&node.name) {
                        *stands = place;
                    }
                }
            }
        }
    }

    /// A node, by its name.
    #[must_use]
    pub fn node_named(&self, name: &str) -> Option<&NodeRecord> {
        self.places.get(name).and_then(|place| self.nodes.get(*place))
    }

    fn node_mut(&mut self, name: &str) -> Option<&mut NodeRecord> {
        self.places.get(name).and_then(|place| self.nodes.get_mut(*place))
    }

    /// A node has said how it does.
    pub fn node_reported(&mut self, name: &str, at_ms: u64) {
        if let Some(node) = self.node_mut(name) {
            node.last_health_ms = at_ms;
        }
    }

    /// `host:port` of a node, by its name.
    #[must_use]
    pub fn node_id(&self, name: &str) -> String {
        self.node_named(name).map_or_else(|| name.to_owned(), NodeRecord::id)
    }

    /// A node has a label from now on.
    pub fn label(&mut self, name: &str, label: &str) {
        if let Some(node) = self.node_mut(name) {
            node.labels = vec![label.to_owned()];
        }
    }

    /// A node has another total.
    pub fn node_has(&mut self, name: &str, total: Resource) {
        if let Some(node) = self.node_mut(name) {
            node.total = total;
        }
    }

    /// A node is in another state.
    pub fn node_is(&mut self, name: &str, state: NodeState) {
        if let Some(node) = self.node_mut(name) {
            node.state = state;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use evenweave::SchedulerApi as _;

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

    /// What an application has used stays when it ends, and its queue keeps what was preempted of it.
    #[test]
    fn what_was_used_is_counted_until_the_end_of_each_container() {
        let mut records = Records::new(2);
        records.submitted(AppRecord::new(1, "u", "root.a", 0).with_attempt(None));
        let size = Resource::new(1024, 2);
        for container in 1..=3 {
            records.container((1, 1, container), &size, 1_000);
        }
        let master = Master { container: 1, node: "n1".to_owned() };
        records.app_mut(1).expect("kept").registered(Some(master), "n1", 1, 1_000);
        records.container_ended((1, 1, 2), true, 3_000);
        let seconds = |records: &Records, now| {
            let usage = &records.app(1).expect("kept").usage;
            (usage.seconds(0, now), usage.seconds(1, now), usage.preempted_seconds(0), usage.preempted_seconds(1))
        };
        assert_eq!(seconds(&records, 5_000), (1024 * 10, 20, 2048, 4));
        records.ended(1, AppState::Finished, FinalStatus::Succeeded, String::new(), 6_000);
        assert_eq!(seconds(&records, 99_000), (1024 * 12, 24, 2048, 4));
        let app = records.app(1).expect("kept");
        assert_eq!((app.preempted, app.preempted_containers, app.preempted_masters), (size, 1, 0));
        for queue in ["root", "root.a"] {
            let Preempted { containers, memory_mb, vcores, memory_mb_seconds, vcore_seconds } =
                records.counters().of_queue(queue).expect("counted").preempted;
            assert_eq!((containers, memory_mb, vcores, memory_mb_seconds, vcore_seconds), (1, 1024, 2, 2048, 4));
        }
        // It is told twice that a container has ended.
        records.container_ended((1, 1, 2), true, 9_000);
        assert_eq!(seconds(&records, 99_000), (1024 * 12, 24, 2048, 4));
    }

    /// A queue has what was made on the nodes of a label apart from what it has elsewhere.
    #[test]
    fn containers_count_where_they_were_made() {
        let mut records = Records::new(2);
        records.submitted(AppRecord::new(1, "u", "root.a.b", 0).with_attempt(None));
        let size = Resource::new(1024, 2);
        for (container, label) in [(1, ""), (2, "gpu"), (3, "gpu"), (4, "ssd")] {
            records.container_on((1, 1, container), label, &size, 1_000);
        }
        records.container((1, 1, 5), &size, 1_000);
        // It is told twice that a container was made.
        records.container_on((1, 1, 2), "gpu", &size, 2_000);
        records.container_ended((1, 1, 2), false, 3_000);
        records.ended(1, AppState::Finished, FinalStatus::Succeeded, String::new(), 6_000);
        for queue in ["root", "root.a", "root.a.b"] {
            let on_label = |label| records.counters().on_label(queue, label).map(|of| (of.allocated, of.released));
            assert_eq!([on_label("gpu"), on_label("ssd"), on_label("no")], [Some((2, 2)), Some((1, 1)), Some((0, 0))]);
            let elsewhere = records.counters().of_queue(queue).expect("counted");
            assert_eq!((elsewhere.allocated, elsewhere.released), (2, 2), "{queue}");
        }
    }

    /// As Hadoop: a refused application is there, and no count of a queue or a user has it.
    #[test]
    fn what_is_refused_leaves_nothing_but_itself() {
        let mut records = Records::new(2);
        records.submitted(AppRecord::new(1, &"u".repeat(5_000), "root.a", 0));
        records.ended(1, AppState::Failed, FinalStatus::Failed, "no such queue".to_owned(), 1);
        assert_eq!(records.app(1).map(|app| (app.state, app.finished_ms)), Some((AppState::Failed, 1)));
        assert_eq!(records.counters().users().count(), 0);
        assert_eq!(records.ends(), Ends::default());
        let mut stepped = evenweave::FairScheduler::builder().stepped().expect("a scheduler");
        for number in [2, 3] {
            records.submitted(AppRecord::new(number, "ann", "default", 0));
        }
        let taken = stepped.submit(evenweave::Submission::new(2, "ann")).expect("taken");
        assert!(!records.accepted(2, &taken) && !records.accepted(2, &taken));
        assert_eq!(records.app(2).map(|app| app.queue.as_str()), Some(taken.queue()));
        assert_eq!((records.ends().submitted, records.counters().users().count()), (1, 0));
        records.ended(2, AppState::Killed, FinalStatus::Killed, String::new(), 2);
        assert!(records.counters().users().count() > 0);
        // One that was killed before.
        records.ended(3, AppState::Killed, FinalStatus::Killed, String::new(), 2);
        assert!(records.accepted(3, &taken) && records.accepted(4, &taken));
        assert_eq!((records.ends().submitted, records.ends().killed), (1, 1));
    }

    #[test]
    fn a_node_that_reports_is_known_to_be_well() {
        let mut records = Records::new(2);
        for name in ["n1", "n2", "n3", "n1"] {
            records.node(NodeRecord {
                name: name.to_owned(),
                port: 8041,
                http_port: 8042,
                rack: "/r".to_owned(),
                total: Resource::new(1, 1),
                version: String::new(),
                state: NodeState::Running,
                last_health_ms: 1,
                labels: Vec::new(),
            });
        }
        records.node_reported("n1", 7);
        let shown: Vec<(&str, u64)> =
            records.nodes().iter().map(|node| (node.name.as_str(), node.last_health_ms)).collect();
        assert_eq!(shown, [("n2", 1), ("n3", 1), ("n1", 7)]);
        // Each is found where it stands after one has come again.
        records.node_is("n3", NodeState::Lost);
        let states: Vec<NodeState> = records.nodes().iter().map(|node| node.state).collect();
        assert_eq!(states, [NodeState::Running, NodeState::Lost, NodeState::Running]);
        assert_eq!(records.node_named("n2").map(NodeRecord::id), Some("n2:8041".to_owned()));
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
