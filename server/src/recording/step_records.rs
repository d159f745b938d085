//! What happens in steps goes into a ResourceManager's records: the part that is the same for both schedulers.

use std::collections::HashMap;
use std::sync::Arc;

use evenweave::refused::Invalid;
use evenweave::view::AllocatedView;
use evenweave::{EndReason, Refused, Resource};

use super::common::PORT;
use super::file::Submit;
use crate::manager::ResourceManager;
use crate::records::{AppRecord, AppState, FinalStatus, Master, NodeRecord, NodeState};
use crate::rest::partitions::LabelledNodes;
use crate::rest::waiting::{ACTIVATED, NOT_ACTIVATED};
use crate::time::stamp;

/// How far an ApplicationMaster says that it is, whenever it asks.
pub(super) const PROGRESS: f32 = 0.25;

/// An ApplicationMaster that was lost.
pub(super) struct Lost {
    pub(super) app: u32,
    /// What the scheduler says of its container.
    pub(super) why: String,
}

/// See the module's text.
pub(super) struct Keeping {
    manager: Arc<ResourceManager>,
    /// Containers that live, and their nodes.
    live: HashMap<(u32, u32), String>,
}

impl Keeping {
    pub(super) fn new(manager: Arc<ResourceManager>) -> Keeping {
        Keeping { manager, live: HashMap::new() }
    }

    /// What the submitter says of his application.
    pub(super) fn describe(record: &mut AppRecord, submit: &Submit) {
        record.unmanaged = submit.am.is_none();
        if let Some(name) = &submit.name {
            record.name.clone_from(name);
        }
        if let Some(kind) = &submit.kind {
            record.kind.clone_from(kind);
        }
        let tags = submit.tags.as_deref().unwrap_or_default().split(',').map(str::trim);
        record.tags = tags.filter(|tag| !tag.is_empty()).map(str::to_lowercase).collect();
    }

    pub(super) fn node(&mut self, name: &str, rack: &str, total: Resource) {
        let node = NodeRecord {
            name: name.to_owned(),
            port: PORT,
            http_port: 8042,
            rack: rack.to_owned(),
            total,
            version: "3.4.2".to_owned(),
            state: NodeState::Running,
            last_health_ms: self.manager.now_ms(),
            labels: Vec::new(),
        };
        self.manager.records().node(node);
    }

    /// A node is labelled. Of a scheduler without labels it is shown.
    pub(super) fn label(&mut self, name: &str, label: &str) {
        self.manager.records().label(name, label);
    }

    pub(super) fn node_lost(&mut self, name: &str) {
        self.manager.records().node_is(name, NodeState::Lost);
    }

    /// An ApplicationMaster has called.
    pub(super) fn called(&mut self, app: u32, progress: f32, add: &[&str], remove: &[&str]) {
        let mut records = self.manager.records();
        let Some(app) = records.app_mut(app).filter(|app| !app.state.is_over()) else { return };
        app.progress = progress;
        if let Some(attempt) = &mut app.attempt {
            attempt.blacklist.extend(add.iter().map(|name| (*name).to_owned()));
            attempt.blacklist.retain(|name| !remove.contains(&name.as_str()));
        }
    }

    /// An ApplicationMaster has asked. Whether or not that was refused, it has said how far it is.
    pub(super) fn asked<T>(&mut self, app: u32, outcome: &Result<T, Refused>, add: &[&str], remove: &[&str]) {
        match outcome {
            Ok(_) => self.called(app, PROGRESS, add, remove),
            Err(why @ Refused::Invalid(Invalid::Resource { .. })) => {
                self.called(app, PROGRESS, &[], &[]);
                self.manager.call_refused(app, why);
            }
            Err(_) => {}
        }
    }

    /// Whether a container lives, as far as is kept here.
    pub(super) fn lives(&self, app: u32, container: u32) -> bool {
        self.live.contains_key(&(app, container))
    }

    /// The node of a container that lives, as far as is kept here.
    pub(super) fn node_of(&self, app: u32, container: u32) -> String {
        self.live.get(&(app, container)).cloned().unwrap_or_default()
    }

    /// Containers were made. The first of an application that has waited for its ApplicationMaster is that one's, which
    /// starts and registers at once.
    pub(super) fn allocated(&mut self, containers: &[AllocatedView], waits: impl Fn(u32) -> bool) {
        let now = self.manager.now_ms();
        let labels = LabelledNodes::of(self.manager.scheduler());
        let mut records = self.manager.records();
        for container in containers {
            self.live.insert((container.app, container.container), container.node.clone());
            let waited = records.app(container.app).is_some_and(|app| app.state == AppState::Accepted);
            if let Some(app) = records.app_mut(container.app).filter(|_| waited && !waits(container.app)) {
                let master = Master { container: container.container, node: container.node.clone() };
                app.registered(Some(master), "", 1, now);
            }
            let label = labels.label(&container.node);
            records.container_on((container.app, 1, container.container), label, &container.resource, now);
        }
    }

    /// Containers have ended. The ApplicationMasters among them that were lost.
    pub(super) fn ended(&mut self, containers: &[(u32, u32, EndReason)]) -> Vec<Lost> {
        let mut lost = Vec::new();
        let now = self.manager.now_ms();
        let mut records = self.manager.records();
        for (number, container, reason) in containers {
            self.live.remove(&(*number, *container));
            records.container_ended((*number, 1, *container), *reason == EndReason::Preempted, now);
            let Some(app) = records.app_mut(*number) else { continue };
            let is_master = app.attempt.as_ref().and_then(|attempt| attempt.master.as_ref());
            let is_master = is_master.is_some_and(|master| master.container == *container);
            if is_master && !app.state.is_over() {
                let why = match reason {
                    EndReason::NodeLost => (-100, "Container released on a *lost* node"),
                    EndReason::Preempted => (-102, "Container preempted by scheduler"),
                    EndReason::Released => (-100, "Container released by application"),
                    EndReason::Completed | EndReason::AppFinished | EndReason::Expired | _ => (0, ""),
                };
                let id = self.manager.cluster().attempt_id(*number, 1);
                let why = format!(
                    "AM Container for {id} exited with  exitCode: {}\nFailing this attempt.Diagnostics: {}For more \
                     detailed output, check the application tracking page: http://{}/cluster/app/{} Then click on \
                     links to logs of each attempt.\n",
                    why.0,
                    why.1,
                    self.manager.cluster().web_address,
                    self.manager.cluster().app_id(*number),
                );
                lost.push(Lost { app: *number, why });
            }
        }
        lost
    }

    /// An application has failed with its ApplicationMaster: there is one attempt.
    pub(super) fn failed(&mut self, number: u32, why: &str) {
        let id = self.manager.cluster().app_id(number);
        let diagnostics = format!(
            "Application {id} failed 1 times (global limit =2; local limit is =1) due to {why}. Failing the application."
        );
        let mut records = self.manager.records();
        if let Some(attempt) = records.app_mut(number).and_then(|app| app.attempt.as_mut()) {
            why.clone_into(&mut attempt.diagnostics);
        }
        records.ended(number, AppState::Failed, FinalStatus::Failed, diagnostics, self.manager.now_ms());
    }

    /// Why an application's ApplicationMaster waits.
    pub(super) fn not_activated(&mut self, number: u32, why: &str) {
        self.waits(number, &format!("{NOT_ACTIVATED}{why}"));
    }

    /// An application's ApplicationMaster may start, and waits for a node.
    pub(super) fn activated(&mut self, number: u32, details: &str) {
        self.waits(number, &format!("{ACTIVATED}{details}"));
    }

    fn waits(&mut self, number: u32, says: &str) {
        let text = format!("{} {says}", stamp(self.manager.now_ms()));
        let mut records = self.manager.records();
        let waits = records.app_mut(number).filter(|app| app.state == AppState::Accepted);
        if let Some(attempt) = waits.and_then(|app| app.attempt.as_mut()) {
            attempt.diagnostics = text;
        }
    }
}
