//! Steps of a recording on the CapacityScheduler.

#![expect(clippy::wildcard_enum_match_arm, reason = "of many kinds a few matter here")]

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use evenweave::SchedulerApi as _;
use evenweave::labels::StoredLabels;
use evenweave::refused::{Limit, NoQueue, NotFound};
use evenweave::view::{CapacityAppView, CapacityQueueView};
use evenweave::{CapacityConfiguration, CapacityScheduler, EndReason, Refused, Resource, Submission};

use super::alike::{self, Locked as _};
use super::common::{TIMESTAMP, WEB_ADDRESS, pairs, resource};
use super::file::{NodeLabel, Setup, Step, Submit};
use super::step_records::Keeping;
use crate::manager::{Cluster, ResourceManager};
use crate::records::{AppRecord, AppState};
use crate::rest::partitions::size_of;
use crate::rest::waiting::{above_limits, on_no_node};
use crate::scheduler::{Basics, CapacitySteps};

/// Where rules stand that lead users to queues.
const MAPPINGS: &str = "yarn.scheduler.capacity.queue-mappings";

/// A CapacityScheduler, and the ResourceManager over it.
pub(super) struct CapacityState {
    pub(super) manager: Arc<ResourceManager>,
    steps: Arc<CapacitySteps>,
    keeping: Keeping,
    /// So many containers that were asked for anywhere a heartbeat may make, and whether it may make more than one at
    /// all.
    off_switch: u64,
    multiple: bool,
    /// Applications whose ApplicationMaster may start.
    activated: HashSet<u32>,
}

impl CapacityState {
    pub(super) fn start(setup: &Setup) -> Result<CapacityState, String> {
        let read = CapacityConfiguration::from_properties(pairs(&setup.properties), pairs(&setup.capacity_scheduler));
        let configuration = read.map_err(|error| error.to_string())?;
        let settings = configuration.file().settings();
        let basics = Basics::of_capacity(settings);
        let off_switch = u64::try_from(settings.maximum_offswitch_assignments).unwrap_or(0);
        let multiple = settings.multiple_assignments;
        let stepped = CapacityScheduler::builder(configuration)
            .cluster_timestamp(TIMESTAMP)
            .groups(Arc::new(setup.groups.clone()))
            .journal(true)
            .labels(StoredLabels {
                labels: setup.node_labels.iter().map(NodeLabel::new_label).collect(),
                nodes: Vec::new(),
            })
            .stepped()
            .map_err(|error| error.to_string())?;
        let steps = Arc::new(CapacitySteps::new(stepped, basics));
        let cluster = Cluster::new(TIMESTAMP, WEB_ADDRESS).with_properties(pairs(&setup.properties));
        let manager = Arc::new(ResourceManager::new(cluster, steps.clone()));
        let keeping = Keeping::new(manager.clone());
        Ok(CapacityState { manager, steps, keeping, off_switch, multiple, activated: HashSet::new() })
    }

    pub(super) fn step(&mut self, step: &Step) {
        // What is refused has changed nothing.
        let before = self.masters_in_queues();
        let (held, queues) = match step {
            Step::NodeRemove { node } => {
                let held = self.steps.step(|stepped| stepped.reservations());
                (held.into_iter().find(|view| view.node == *node), self.queue_of_apps())
            }
            _ => (None, BTreeMap::new()),
        };
        let entered = self.apply(step).is_ok();
        let looked = match step {
            Step::Submit(submit) => entered.then(|| self.queue_of_apps().remove(&submit.app)).flatten(),
            _ => None,
        };
        // Who waits is looked at when something enters or leaves his queue, or limits change.
        match step {
            Step::Submit(_) => self.say_why_they_wait(&before, looked.as_deref()),
            Step::Heartbeat { .. } | Step::Ask { .. } | Step::Release { .. } | Step::Launch { .. } => {}
            Step::Complete { .. } | Step::Advance { .. } | Step::Update => {}
            _ => before.keys().for_each(|queue| self.say_why_they_wait(&before, Some(queue))),
        }
        self.settle();
        // The reservation of a node that is lost is released after its containers.
        if let Some(held) = held.filter(|_| entered) {
            let id = self.manager.cluster().container_id(held.app, 1, held.container);
            let queue = queues.get(&held.app).cloned().unwrap_or_default();
            self.steps.tell_health(|health| health.last_release = Some((held.node, id, queue)));
        }
    }

    /// What ApplicationMasters use, by leaf queue.
    fn masters_in_queues(&self) -> BTreeMap<String, Resource> {
        let queues = self.steps.step(|stepped| stepped.queues());
        queues.into_iter().filter_map(|queue| Some((queue.name, queue.leaf?.am_used))).collect()
    }

    /// What has happened since the last step goes into the records.
    pub(super) fn settle(&mut self) {
        let journal = self.steps.step(|stepped| stepped.take_journal());
        let queues = self.queue_of_apps();
        self.say_who_may_start();
        if let Some(last) = journal.allocated.last() {
            let queue = queues.get(&last.app).cloned().unwrap_or_default();
            self.steps.tell_health(|health| health.last_allocation = Some((last.node.clone(), queue)));
        }
        for (app, container, reason) in &journal.completed {
            let id = self.manager.cluster().container_id(*app, 1, *container);
            let node = self.keeping.node_of(*app, *container);
            let queue =
                queues.get(app).cloned().or_else(|| self.manager.records().app(*app).map(|app| app.queue.clone()));
            let ended = Some((node, id, queue.unwrap_or_default()));
            self.steps.tell_health(|health| {
                if *reason == EndReason::Preempted {
                    health.last_preemption.clone_from(&ended);
                }
                health.last_release = ended;
            });
        }
        self.keeping.allocated(&journal.allocated, |number| self.steps.waits(number));
        for lost in self.keeping.ended(&journal.completed) {
            self.steps.lost(lost.app);
            self.keeping.failed(lost.app, &lost.why);
            self.settle();
        }
    }

    fn queue_of_apps(&self) -> BTreeMap<u32, String> {
        self.steps.step(|stepped| stepped.apps().into_iter().map(|app| (app.number, app.queue)).collect())
    }

    fn apply(&mut self, step: &Step) -> Result<(), Refused> {
        if let Some(played) = alike::play(&self.manager, &*self.steps, &mut self.keeping, step) {
            return played;
        }
        match step {
            Step::Heartbeat { node } => self.heartbeat(node)?,
            Step::Submit(submit) => self.submit(submit)?,
            Step::Priority { app, priority } => {
                let owner = self.manager.records().app(*app).map(|app| app.user.clone()).unwrap_or_default();
                self.manager.set_priority(*app, &owner, *priority).map(drop)?;
            }
            Step::Reload { capacity_scheduler: Some(own), .. } => {
                self.steps.step(|stepped| stepped.refresh_properties(pairs(own)))?;
            }
            Step::Preempt { .. } => self.steps.step(|stepped| stepped.preempt()).map(drop)?,
            // Nothing happens by the others.
            _ => {}
        }
        Ok(())
    }

    /// A node is offered; how the last walk went that it led to is kept.
    fn heartbeat(&mut self, node: &str) -> Result<(), Refused> {
        let look = || self.steps.step(|stepped| (stepped.stats(), stepped.reservations(), stepped.containers()));
        let (before, reserved_before, _) = look();
        alike::heartbeat(&*self.steps, node)?;
        let (after, reserved, containers) = look();
        let granted = after.granted - before.granted;
        let local = (after.node_local + after.rack_local) - (before.node_local + before.rack_local);
        // What was asked for anywhere ends the walks; where it was not made the last walk has come to nothing.
        let is_last = granted > 0 && (!self.multiple || granted - local >= self.off_switch);
        let newest = containers.iter().rfind(|view| view.node == node && !view.ended);
        let allocated = newest.filter(|_| is_last).map_or(Resource::ZERO, |view| view.resource);
        let fresh = reserved.iter().find(|view| view.node == node && !reserved_before.contains(view)).cloned();
        let queue = fresh.as_ref().and_then(|view| self.queue_of_apps().remove(&view.app));
        let now = self.manager.now_ms();
        self.steps.tell_health(|health| {
            health.last_run_ms = now;
            health.releases = (0, Resource::ZERO);
            health.allocations = (i64::from(is_last), allocated);
            health.reservations = match &fresh {
                Some(view) => (1, view.resource),
                None => (0, Resource::ZERO),
            };
            if let (Some(view), Some(queue)) = (fresh, queue) {
                health.last_reservation = Some((view.node, queue));
            }
        });
        Ok(())
    }

    fn submit(&mut self, submit: &Submit) -> Result<(), Refused> {
        let types = self.manager.scheduler().basics().types.clone();
        let names = |queues: Vec<CapacityQueueView>| queues.into_iter().map(|queue| queue.name).collect::<Vec<_>>();
        let before = names(self.steps.step(|stepped| stepped.queues()));
        let am = submit.am.as_ref().map(|wanted| resource(&types, wanted));
        let submission = Submission::new(submit.app, submit.user.clone());
        let submission = submission.maybe_in_queue(submit.queue.clone()).maybe_with_am(am);
        let now = self.manager.now_ms();
        let record = |queue: &str, priority: i32| {
            let mut record = AppRecord::new(submit.app, &submit.user, queue, now);
            Keeping::describe(&mut record, submit);
            record.priority = priority;
            let last = |path: &str| path.rsplit('.').next().is_some_and(|last| last == queue);
            record.queue_was_there = before.iter().any(|name| name == queue || last(name));
            record
        };
        // The recorder asks for priority 0 where a step has none.
        let asked_for = submit.priority.unwrap_or(0);
        let outcome = self.steps.step(|stepped| stepped.submit_with_priority(submission, asked_for));
        let refused = match outcome {
            Ok(handle) => {
                let view = self.steps.step(|stepped| stepped.app(submit.app));
                let priority = view.as_ref().map_or(0, |view| view.priority);
                let mut record = record(handle.queue(), priority).with_attempt(Some(handle.clone()));
                record.am_label = view.map(|view| view.am_label).unwrap_or_default();
                if record.unmanaged {
                    record.registered(None, "", 1, now);
                }
                self.manager.records().submitted(record);
                return Ok(());
            }
            Err(refused) => refused,
        };
        let (id, user) = (self.manager.cluster().app_id(submit.app), &submit.user);
        let asked = submit.queue.as_deref().unwrap_or("default");
        let path = |name: &str| {
            before.iter().find(|path| path.rsplit('.').next() == Some(name)).cloned().unwrap_or_else(|| name.to_owned())
        };
        let denied = "org.apache.hadoop.security.AccessControlException: Queue";
        // What the scheduler itself refuses is an application that has failed.
        let (queue, why) = match &refused {
            // The ResourceManager itself refuses what names no queue.
            Refused::NotFound(NotFound::Queue(queue)) if !queue.is_empty() => {
                (queue.clone(), format!("Application {id} submitted by user {user} to unknown queue: {queue}"))
            }
            Refused::NoQueue(NoQueue::Ambiguous(queue)) => (
                queue.clone(),
                format!(
                    "Application {id} submitted by user {user} to ambiguous queue: {queue} please use full queue path \
                     instead."
                ),
            ),
            Refused::NoQueue(NoQueue::NotLeaf { queue }) => {
                (queue.clone(), format!("Application {id} submitted by user : {user} to non-leaf queue : {queue}"))
            }
            Refused::NoQueue(NoQueue::Stopped(queue)) => {
                let queue = path(queue);
                let why = format!("{denied} {queue} is STOPPED. Cannot accept submission of application: {id}");
                (queue, why)
            }
            Refused::Limit(Limit::QueueFull { queue, applications: limit }) => {
                let queue = path(queue);
                let why = format!(
                    "{denied} {queue} already has {limit} applications, cannot accept submission of application: {id}"
                );
                (queue, why)
            }
            Refused::Limit(Limit::UserFull { queue, applications: limit, .. }) => {
                let queue = path(queue);
                let why = format!(
                    "{denied} {queue} already has {limit} applications from user {user} cannot accept submission of \
                     application: {id}"
                );
                (queue, why)
            }
            Refused::Limit(Limit::TooManyApps(_)) => (
                asked.to_owned(),
                format!("Maximum system application limit reached,cannot accept submission of application: {id}"),
            ),
            Refused::NoQueue(NoQueue::NotMade { queue, why }) => (
                queue.clone(),
                format!("Application {id} submission by user : {user} to  queue : {queue} failed : {why}"),
            ),
            Refused::NoQueue(NoQueue::OnlyByRule { queue, .. }) => (
                queue.clone(),
                format!(
                    "Application {id} submission by user : {user} to specified queue : {queue}  is prohibited. Verify automatic \
                     queue mapping for user exists in {MAPPINGS}"
                ),
            ),
            Refused::NoQueue(NoQueue::OtherParent { queue, parent, .. }) => {
                let (present, leaf) = queue.rsplit_once('.').unwrap_or(("root", queue));
                let why = format!(
                    "Auto created Leaf queue {leaf} already exists under queue : {present}. But Queue mapping configuration \
                     {MAPPINGS} has been updated to a different parent queue : {parent} for the specified user : {user}"
                );
                (queue.clone(), why)
            }
            _ => return Err(refused),
        };
        let most = self.steps.step(|stepped| stepped.configuration().file().settings().max_application_priority);
        self.manager.records().submitted(record(&queue, asked_for.min(most)).refused(why, now));
        Ok(())
    }

    /// Applications that wait for their ApplicationMaster.
    fn waiting(&self) -> Vec<CapacityAppView> {
        let apps = self.steps.step(|stepped| stepped.apps());
        let records = self.manager.records();
        let waits = |number: u32| records.app(number).is_some_and(|app| app.state == AppState::Accepted);
        apps.into_iter().filter(|app| waits(app.number)).collect()
    }

    /// Applications that may start are said to wait for a node.
    fn say_who_may_start(&mut self) {
        let waiting: Vec<_> = self.waiting().into_iter().filter(|app| app.state == "active").collect();
        for app in waiting {
            if !self.activated.insert(app.number) {
                continue;
            }
            let queues = self.steps.step(|stepped| stepped.queues());
            let Some(queue) = queues.iter().find(|queue| queue.name == app.queue) else { continue };
            let scheduler = self.manager.scheduler();
            let nodes = size_of(scheduler, &app.am_label);
            let details = on_no_node(&scheduler.basics().types, &nodes, queue, &app.am_label);
            self.keeping.activated(app.number, &details);
        }
    }

    /// Applications of a queue that wait for a limit are said to do so. One that waited before was looked at before
    /// others have started: with what their ApplicationMasters had.
    fn say_why_they_wait(&mut self, before: &BTreeMap<String, Resource>, queue: Option<&str>) {
        let queues = self.steps.step(|stepped| stepped.queues());
        for app in self.waiting().into_iter().filter(|app| app.state == "pending" && Some(app.queue.as_str()) == queue)
        {
            let Some(queue) = queues.iter().find(|queue| queue.name == app.queue) else { continue };
            let scheduler = self.manager.scheduler();
            let used = before.get(&app.queue).filter(|_| app.am_label.is_empty());
            let am = (&app.am, app.am_label.as_str());
            let why = above_limits(scheduler.basics(), &scheduler.cluster(), queue, used, am);
            self.keeping.not_activated(app.number, &why);
        }
    }
}
