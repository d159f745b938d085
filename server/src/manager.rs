//! A ResourceManager, as those see it who ask it: a scheduler, and what is kept beside it.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use evenweave::config::Diagnostic;
use evenweave::parts::java::types_in_order;
use evenweave::refused::{Invalid, NotFound};
use evenweave::{Refused, Resource};

use crate::access::Access;
use crate::activities::Activities;
use crate::answer_slots::Turns;
use crate::controls::Controls;
use crate::excluded_hosts::hosts_in;
use crate::grant_rate::Assigned;
use crate::invalid;
use crate::latency::Latencies;
use crate::logging::Logging;
use crate::outgoing::Outgoing;
use crate::read_timeout::Patience;
use crate::readiness::Readiness;
use crate::records::{AppState, FinalStatus, NodeRecord, NodeState, Records};
use crate::scheduler::{AppFigures, Kind, NotRefreshed, QueuesSource, QueuesText, Scheduler, reach_rules};
use crate::time;

/// What tells this ResourceManager from others.
#[derive(Clone, Debug)]
pub struct Cluster {
    /// Of its ids: when it was first started, in ms since 1970.
    pub timestamp: u64,
    /// When it was started, in ms since 1970.
    pub started_ms: u64,
    /// Host and port of its pages.
    pub web_address: String,
    /// Its pages are there by `https`.
    pub https: bool,
    /// The Hadoop as which it answers.
    pub version: String,
    /// `yarn.webapp.filter-entity-list-by-user`, `yarn.resourcemanager.display.per-user-apps`: applications of others
    /// are not listed for those who may not see them.
    pub per_user_apps: bool,
    /// `yarn.resourcemanager.metrics.runtime.buckets`: running applications are counted by so many minutes.
    pub runtime_buckets: Vec<u32>,
    /// `hadoop.security.instrumentation.requires.admin`: `/metrics` and `/jmx` are for administrators alone. They have
    /// the usage of every user and queue.
    pub metrics_for_admins: bool,
    /// `yarn.log-aggregation-enable`: logs of containers are to be gathered.
    pub log_aggregation: bool,
    /// `yarn.node-labels.configuration-type` is `centralized`: administrators say which node has which label.
    pub centralized_labels: bool,
}

impl Cluster {
    /// Started now.
    #[must_use]
    pub fn new(timestamp: u64, web_address: &str) -> Cluster {
        Cluster {
            timestamp,
            started_ms: timestamp,
            web_address: web_address.to_owned(),
            https: false,
            version: "3.4.2".to_owned(),
            per_user_apps: false,
            runtime_buckets: vec![60, 300, 1440],
            metrics_for_admins: false,
            log_aggregation: false,
            centralized_labels: true,
        }
    }

    /// The same, started now.
    #[must_use]
    pub fn starting_now(mut self) -> Cluster {
        self.started_ms = time::now_ms();
        self
    }

    /// The same with what the site says of listing applications, of who may read metrics, and of counting applications
    /// by how long they run: a text that is no list of minutes counts as if it were not there.
    #[must_use]
    pub fn with_properties<'a>(mut self, properties: impl IntoIterator<Item = (&'a str, &'a str)>) -> Cluster {
        for (name, value) in properties {
            if matches!(name, "yarn.webapp.filter-entity-list-by-user" | "yarn.resourcemanager.display.per-user-apps") {
                self.per_user_apps = value.trim().eq_ignore_ascii_case("true");
            }
            if name == "hadoop.security.instrumentation.requires.admin" {
                self.metrics_for_admins = value.trim().eq_ignore_ascii_case("true");
            }
            if name == "yarn.node-labels.configuration-type" {
                self.centralized_labels = value.trim() == "centralized";
            }
            if name == "yarn.log-aggregation-enable" {
                self.log_aggregation = value.trim().eq_ignore_ascii_case("true");
            }
            if name == "yarn.resourcemanager.metrics.runtime.buckets" {
                match value.split(',').map(|minutes| minutes.trim().parse()).collect() {
                    Ok(minutes) => self.runtime_buckets = minutes,
                    Err(why) => tracing::warn!(%name, %value, %why, "no list of minutes, such as 60,300,1440"),
                }
            }
        }
        self
    }

    /// Where its pages are: `http://rm:8088`.
    #[must_use]
    pub fn url(&self) -> String {
        format!("{}://{}", if self.https { "https" } else { "http" }, self.web_address)
    }

    /// `application_…`
    #[must_use]
    pub fn app_id(&self, number: u32) -> String {
        format!("application_{}_{number:04}", self.timestamp)
    }

    /// `appattempt_…`
    #[must_use]
    pub fn attempt_id(&self, number: u32, attempt: u32) -> String {
        format!("appattempt_{}_{number:04}_{attempt:06}", self.timestamp)
    }

    /// `container_…`
    #[must_use]
    pub fn container_id(&self, number: u32, attempt: u32, container: u32) -> String {
        format!("container_{}_{number:04}_{attempt:02}_{container:06}", self.timestamp)
    }
}

/// What came of somebody's wish to end an application.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Killed {
    /// It had ended.
    Before,
    /// It ends. At once, as far as its ApplicationMaster is told nothing of it.
    Begun {
        /// Nobody is told.
        at_once: bool,
    },
}

/// See the module's text.
pub struct ResourceManager {
    cluster: Cluster,
    scheduler: Arc<dyn Scheduler>,
    records: Mutex<Records>,
    queues: Option<QueuesSource>,
    /// Who refreshes queues, one after the other.
    refreshing: Mutex<()>,
    /// Who commands nodes, one after the other: what the scheduler does and what is written down of it are one.
    commanding: Mutex<()>,
    logging: Option<Arc<Logging>>,
    controls: Option<Arc<dyn Controls>>,
    access: Arc<Access>,
    excluded: Option<PathBuf>,
    latencies: Arc<Latencies>,
    assigned: Assigned,
    activities: Activities,
    turns: Turns,
    patience: Patience,
    outgoing: Arc<Outgoing>,
    readiness: Readiness,
}

impl std::fmt::Debug for ResourceManager {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ResourceManager").field("cluster", &self.cluster).finish_non_exhaustive()
    }
}

impl ResourceManager {
    /// Over a scheduler.
    #[must_use]
    pub fn new(cluster: Cluster, scheduler: Arc<dyn Scheduler>) -> ResourceManager {
        let outgoing = Arc::<Outgoing>::default();
        ResourceManager {
            cluster,
            scheduler,
            records: Mutex::default(),
            queues: None,
            refreshing: Mutex::default(),
            commanding: Mutex::default(),
            logging: None,
            controls: None,
            access: Arc::default(),
            excluded: None,
            latencies: Arc::default(),
            assigned: Assigned::default(),
            activities: Activities::default(),
            turns: Turns::new(outgoing.clone()),
            patience: Patience::default(),
            outgoing,
            readiness: Readiness::default(),
        }
    }

    /// The same, whose queues are read from there when they are refreshed; else from the file that the scheduler
    /// watches.
    #[must_use]
    pub fn with_queues(mut self, source: QueuesSource) -> ResourceManager {
        self.queues = Some(source);
        self
    }

    /// The same, which waits so long at most for a file that it reads: ten seconds, where nobody says.
    #[must_use]
    pub fn with_patience(mut self, time: Duration) -> ResourceManager {
        self.patience = Patience::of(time);
        self
    }

    /// Reads what may hang.
    pub(crate) fn patience(&self) -> &Patience {
        &self.patience
    }

    /// The same, of a simulated cluster that others may change.
    #[must_use]
    pub fn with_controls(mut self, controls: Arc<dyn Controls>) -> ResourceManager {
        self.controls = Some(controls);
        self
    }

    /// What others may change of a simulated cluster.
    pub(crate) fn controls(&self) -> Option<&dyn Controls> {
        self.controls.as_deref()
    }

    /// The same, with a file of hosts that are to leave when nodes are refreshed
    /// (`yarn.resourcemanager.nodes.exclude-path`).
    #[must_use]
    pub fn with_excluded(mut self, file: PathBuf) -> ResourceManager {
        self.excluded = Some(file);
        self
    }

    /// The same, whose latencies are told there.
    #[must_use]
    pub fn with_latencies(mut self, latencies: Arc<Latencies>) -> ResourceManager {
        self.latencies = latencies;
        self
    }

    /// The same, whose log this is: its levels can be changed over REST.
    #[must_use]
    pub fn with_logging(mut self, logging: Arc<Logging>) -> ResourceManager {
        self.logging = Some(logging);
        self
    }

    /// The same, whose pages are there by `https`. [`serve`](crate::serve) with a certificate needs that.
    #[must_use]
    pub fn over_https(mut self) -> ResourceManager {
        self.cluster.https = true;
        self
    }

    /// The same, of which only those may ask.
    #[must_use]
    pub fn with_access(mut self, access: Access) -> ResourceManager {
        self.access = Arc::new(access);
        self
    }

    pub(crate) fn access(&self) -> &Arc<Access> {
        &self.access
    }

    pub(crate) fn logging(&self) -> Option<&Arc<Logging>> {
        self.logging.as_ref()
    }

    /// Who reads waits for one.
    pub(crate) fn turns(&self) -> &Turns {
        &self.turns
    }

    /// Answers that wait to be taken.
    pub(crate) fn outgoing(&self) -> &Arc<Outgoing> {
        &self.outgoing
    }

    /// Whether the scheduler takes work: what `/readyz` says. Whoever starts the scheduler, takes its events and ends it
    /// tells it so.
    #[must_use]
    pub fn readiness(&self) -> &Readiness {
        &self.readiness
    }

    /// Told by whoever times calls how long they take: they are shown in `/metrics` and `/jmx`.
    #[must_use]
    pub fn latencies(&self) -> &Arc<Latencies> {
        &self.latencies
    }

    /// How many containers a second were granted of late. `granted`: how many since the start.
    pub(crate) fn assigned_per_second(&self, granted: u64) -> u64 {
        self.assigned.per_second(granted, self.now_ms())
    }

    /// What passes were told of.
    pub(crate) fn activities(&self) -> &Activities {
        &self.activities
    }

    /// What tells it from others.
    #[must_use]
    pub fn cluster(&self) -> &Cluster {
        &self.cluster
    }

    /// The scheduler.
    #[must_use]
    pub fn scheduler(&self) -> &dyn Scheduler {
        &*self.scheduler
    }

    /// What is kept beside it. No worker of a scheduler waits for this lock.
    pub fn records(&self) -> MutexGuard<'_, Records> {
        self.records.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Now, in ms since 1970.
    #[must_use]
    pub fn now_ms(&self) -> u64 {
        time::now_ms()
    }

    /// Names and units of what schedulers look at: of memory and cores, whatever the policy.
    pub(crate) fn scheduling_types(&self) -> String {
        let types = &self.scheduler.basics().types;
        let named = |index: usize| match types.unit(index) {
            "" => types.name(index).to_owned(),
            unit => format!("{} (unit={unit})", types.name(index)),
        };
        types_in_order(types).into_iter().map(named).collect::<Vec<_>>().join(",")
    }

    /// What the scheduler has of the applications that have not ended, by number.
    pub(crate) fn figures(&self) -> HashMap<u32, AppFigures> {
        self.scheduler.apps().into_iter().map(|app| (app.number, app)).collect()
    }

    /// Ends an application on behalf of a user.
    ///
    /// # Errors
    /// [`NotFound::App`] of one that is not known.
    pub fn kill(&self, number: u32, by: &str, why: Option<&str>) -> Result<Killed, Refused> {
        let mut diagnostics = format!("Application {} was killed by user {by}", self.cluster.app_id(number));
        if let Some(why) = why {
            diagnostics.push_str(" with diagnostic message: ");
            diagnostics.push_str(why);
        }
        let (handle, unmanaged) = {
            let mut records = self.records();
            let app = records.app(number).ok_or(NotFound::App(number))?;
            if app.state.is_over() {
                return Ok(Killed::Before);
            }
            let found = (app.attempt.as_ref().and_then(|attempt| attempt.handle.clone()), app.unmanaged);
            // First the record: whoever sees that it has ended is not to write down another reason.
            records.ended(number, AppState::Killed, FinalStatus::Killed, diagnostics, self.now_ms());
            found
        };
        if let Some(handle) = handle {
            // One that ends at this moment has ended, too.
            let _ = self.scheduler.kill(&handle);
        }
        Ok(Killed::Begun { at_once: unmanaged })
    }

    /// A call of an ApplicationMaster was refused. Of a size that cannot be, an application that runs has Hadoop's
    /// words in its diagnostics from then on; of other refusals nothing is shown.
    pub fn call_refused(&self, number: u32, why: &Refused) {
        let Refused::Invalid(Invalid::Resource { asked, largest }) = why else { return };
        let Some(why) = invalid::request(self.scheduler.basics(), asked, largest) else { return };
        let mut records = self.records();
        let runs = records.app_mut(number).filter(|app| !app.state.is_over());
        if let Some(attempt) = runs.and_then(|app| app.attempt.as_mut()) {
            attempt.diagnostics = why;
        }
    }

    /// Moves an application.
    ///
    /// # Errors
    /// What the scheduler says against it; [`NotFound::App`] of one that is not known or has ended.
    pub fn move_app(&self, number: u32, queue: &str) -> Result<(), Refused> {
        let handle = {
            let records = self.records();
            let app = records.app(number).filter(|app| !app.state.is_over());
            app.and_then(|app| app.attempt.as_ref()?.handle.clone()).ok_or(NotFound::App(number))?
        };
        self.scheduler.move_app(&handle, queue)?;
        let queue = self.figures().remove(&number).map(|figures| figures.queue);
        if let Some(queue) = queue {
            self.records().moved(number, &queue);
        }
        Ok(())
    }

    /// Gives an application another priority on behalf of a user; what it comes to.
    ///
    /// # Errors
    /// What the scheduler says against it; [`NotFound::App`] of one that is not known or has ended.
    pub fn set_priority(&self, number: u32, by: &str, priority: i32) -> Result<i32, Refused> {
        let handle = {
            let records = self.records();
            let app = records.app(number).filter(|app| !app.state.is_over());
            app.and_then(|app| app.attempt.as_ref()?.handle.clone()).ok_or(NotFound::App(number))?
        };
        let priority = self.scheduler.set_priority(by, &handle, priority)?;
        if let Some(app) = self.records().app_mut(number) {
            app.priority = priority;
        }
        Ok(priority)
    }

    /// Reads the queues again, and takes all of them or nothing. Returns what is probably a mistake.
    ///
    /// # Errors
    /// Why they are as they were.
    pub fn refresh_queues(&self) -> Result<Vec<Diagnostic>, NotRefreshed> {
        let _one = self.refreshing.lock().unwrap_or_else(PoisonError::into_inner);
        let outcome = match &self.queues {
            None => self.scheduler.refresh_queues(None),
            Some(read) => match self.read_queues(read) {
                Ok(file) => self.take_queues(&file),
                Err(why) => Err(NotRefreshed::Unreadable(why)),
            },
        };
        match &outcome {
            Ok(warnings) => tracing::info!(warnings = warnings.len(), "queues are refreshed"),
            Err(why) => tracing::warn!(%why, "queues are as they were"),
        }
        outcome
    }

    /// The lock of those who refresh is held meanwhile, and so no longer than patience lasts.
    fn read_queues(&self, read: &QueuesSource) -> Result<QueuesText, String> {
        let read = read.clone();
        self.patience.read("the file of queues", move || read()).and_then(|read| read)
    }

    /// Gives the scheduler the queues of a text.
    ///
    /// # Errors
    /// Why they are as they were.
    pub fn refresh_with(&self, queues: &QueuesText) -> Result<Vec<Diagnostic>, NotRefreshed> {
        let _one = self.refreshing.lock().unwrap_or_else(PoisonError::into_inner);
        self.take_queues(queues)
    }

    /// By one at a time.
    fn take_queues(&self, queues: &QueuesText) -> Result<Vec<Diagnostic>, NotRefreshed> {
        if self.scheduler.basics().kind == Kind::Capacity {
            reach_rules(queues, &self.patience).map_err(NotRefreshed::Unreadable)?;
        }
        let warnings = self.scheduler.refresh_queues(Some(queues))?;
        if let Some(controls) = self.controls() {
            controls.taken(queues.text.clone());
        }
        Ok(warnings)
    }

    /// Reads the file of hosts that are to leave. Those in it leave: at once, or where `graceful`, when what runs on
    /// them has ended. Those that were to leave and are not in it stay. Ids of the nodes that have changed.
    ///
    /// # Errors
    /// A sentence: there is no such file, or it cannot be read.
    pub fn refresh_nodes(&self, graceful: bool) -> Result<Vec<String>, String> {
        let _one = self.refreshing.lock().unwrap_or_else(PoisonError::into_inner);
        let file = self.excluded.as_ref();
        let file = file.ok_or("there is no file of hosts to be read again: the server was started without one")?;
        let path = file.clone();
        let hosts = self.patience.read(&file.display().to_string(), move || hosts_in(&path))??;
        let nodes: Vec<NodeRecord> =
            self.records().nodes().iter().filter(|node| !node.state.is_gone()).cloned().collect();
        let mut changed = Vec::new();
        for node in nodes {
            let leaves = node.state == NodeState::Decommissioning;
            // One that is gone meanwhile has left, too.
            let done = match (hosts.contains(&node.name), graceful) {
                (true, true) if !leaves => self.decommission(&node.name),
                (true, false) => self.remove_node(&node.name),
                (false, _) if leaves => self.recommission(&node.name),
                (true, true) | (false, _) => continue,
            };
            if done.is_ok() {
                changed.push(node.id());
            }
        }
        Ok(changed)
    }

    fn command(&self) -> MutexGuard<'_, ()> {
        self.commanding.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What a node is, once a command to it that is under way is done. Nothing of one that is not known.
    #[must_use]
    pub fn node_state(&self, node: &str) -> Option<NodeState> {
        let _one = self.command();
        self.records().node_named(node).map(|one| one.state)
    }

    /// Lets a node run empty. Once it has, [`node_drained`](Self::node_drained) takes it away.
    ///
    /// # Errors
    /// What the scheduler says against it.
    pub fn decommission(&self, node: &str) -> Result<(), Refused> {
        let _one = self.command();
        self.scheduler.decommission_node(node)?;
        self.records().node_is(node, NodeState::Decommissioning);
        Ok(())
    }

    /// Keeps a node that was to run empty.
    ///
    /// # Errors
    /// What the scheduler says against it.
    pub fn recommission(&self, node: &str) -> Result<(), Refused> {
        let _one = self.command();
        self.scheduler.recommission_node(node)?;
        self.records().node_is(node, NodeState::Running);
        Ok(())
    }

    /// Takes a node away with all that runs on it.
    ///
    /// # Errors
    /// What the scheduler says against it.
    pub fn remove_node(&self, node: &str) -> Result<(), Refused> {
        let _one = self.command();
        self.take_away(node)
    }

    /// While nobody else commands.
    fn take_away(&self, node: &str) -> Result<(), Refused> {
        self.scheduler.remove_node(node)?;
        self.records().node_is(node, NodeState::Decommissioned);
        Ok(())
    }

    /// A node has run empty ([`SchedulerEvent::NodeDrained`](evenweave::SchedulerEvent::NodeDrained)): it goes, unless
    /// it was kept meanwhile.
    pub fn node_drained(&self, node: &str) {
        let _one = self.command();
        let is_to_go =
            |records: &Records| records.node_named(node).is_some_and(|one| one.state == NodeState::Decommissioning);
        if is_to_go(&self.records()) {
            // One that is gone at this moment is gone, too.
            let _ = self.take_away(node);
        }
    }

    /// Gives a node another total.
    ///
    /// # Errors
    /// What the scheduler says against it.
    pub fn resize_node(&self, node: &str, total: Resource) -> Result<(), Refused> {
        let _one = self.command();
        self.scheduler.resize_node(node, total)?;
        self.records().node_has(node, total);
        Ok(())
    }
}
