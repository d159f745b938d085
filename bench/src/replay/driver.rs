//! What a scenario is played on: the stepped scheduler, or the threaded one, quiet after each step.
//!
//! A step is the same calls on both. Where the threaded scheduler has no call of the scenario format's meaning
//! (containers and applications by number, the acquiring of all of an application's containers), its driver here makes
//! it from those that an embedder has.

use std::collections::HashMap;
use std::sync::Arc;

use super::bookings::{Booking, booking};
use super::named::{Named, TakenOver};
use super::options::{DriverChoice, PlayOptions};
use super::scenario::{Scenario, Step};
#[cfg(test)]
use crate::api::FairReason;
use crate::api::{
    AllocateRequest, Allocation, AllocationFile, AppHandle, AppView, Ask, Clock, ContainerId, ContainerView, Decision,
    FairScheduler, FairSchedulerBuilder, Heartbeat, Journal, Location, NewNode, NodeHandle, NodeView, NotOffered,
    PreemptionRound, QueueView, RecoveredContainer, Refused, Resource, ResourceTypes, Settings, Stepped, Submission,
    VirtualClock,
};

/// The time from which the recordings made their ids; only the order of ids depends on it.
const CLUSTER_TIMESTAMP: u64 = 1;
/// The longest interval there is.
const NEVER_MS: &str = "2147483647";

/// The calls of a scenario. Each returns when nothing is under way any more.
pub(super) trait Driver: Booking {
    fn location(&self, name: &str) -> Location;
    fn add_node(&mut self, node: NewNode) -> Result<(), Refused>;
    fn remove_node(&mut self, name: &str) -> Result<(), Refused>;
    /// The node tells what has been launched and what is over, and is offered.
    fn heartbeat(&mut self, node: &str, launched: &[Named], completed: &[Named]) -> Result<(), Refused>;
    fn resize_node(&mut self, node: &str, total: Resource) -> Result<(), Refused>;
    fn submit(&mut self, submission: Submission) -> Result<(), Refused>;
    /// Nodes and racks of the blacklist by name. Gives the headroom.
    fn ask(&mut self, app: u32, asks: &[Ask], add: &[&str], remove: &[&str]) -> Result<Resource, Refused>;
    /// A container that runs already is taken over.
    fn recover(&mut self, node: &str, named: Named, container: RecoveredContainer) -> Result<(), Refused>;
    fn release(&mut self, named: Named) -> Result<(), Refused>;
    fn launch(&mut self, named: Named) -> Result<(), Refused>;
    fn complete(&mut self, named: Named) -> Result<(), Refused>;
    fn finish(&mut self, app: u32) -> Result<(), Refused>;
    fn move_app(&mut self, app: u32, queue: &str) -> Result<(), Refused>;
    /// `refresh`: by an administrator's refresh.
    fn reload(&mut self, allocations: Option<&str>, refresh: bool) -> Result<(), Refused>;
    fn update(&mut self);
    /// The clock has moved.
    fn tick(&mut self);
    fn continuous(&mut self) -> Result<(), Refused>;
    /// Marks containers for everybody who is starved, and ends them or not.
    fn preempt(&mut self, kill: bool) -> Result<Vec<PreemptionRound>, Refused>;
    /// Ends what is marked; of `due` what has been so for long enough.
    fn kill(&mut self, due: bool) -> Result<(), Refused>;
    /// Numbers of an application's containers that are marked, smallest first.
    fn preemptions_numbered(&mut self, app: u32) -> Result<Vec<u32>, Refused>;
    /// What happened since this was last called; the end of a step.
    fn take_journal(&mut self) -> Result<Journal, Refused>;
    /// Why the passes since this was last called went as they did: of a scheduler that was started with a trace.
    fn take_trace(&mut self) -> Vec<Decision> {
        Vec::new()
    }
    /// Why an application is offered nothing at all, where the driver can tell.
    fn not_offered(&mut self, _app: u32) -> Option<NotOffered> {
        None
    }
    /// Why an application waits, on a node; nothing where one of them is not there.
    #[cfg(test)]
    fn why_waiting_on(&mut self, app: u32, node: &str) -> Vec<FairReason>;
    fn queues(&mut self) -> Vec<QueueView>;
    fn apps(&mut self) -> Vec<AppView>;
    fn nodes(&mut self) -> Vec<NodeView>;
}

/// What a scheduler begins with: the first, or one after a restart.
pub(super) struct Beginning {
    pub(super) allocations: String,
    pub(super) epoch: u32,
    /// It goes on.
    pub(super) clock: Arc<VirtualClock>,
}

/// The scheduler of one scenario, as it is wanted; only the stepped one keeps a trace.
///
/// # Errors
/// What the core says against the scenario's configuration.
pub(super) fn start(
    scenario: &Scenario,
    beginning: &Beginning,
    types: &ResourceTypes,
    how: PlayOptions,
    trace: bool,
) -> Result<Box<dyn Driver>, String> {
    let properties = scenario.properties.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    // Whoever made a recording of the reservation system did not look after containers that were never launched.
    let never = scenario.start.map(|_| ("yarn.resourcemanager.rm.container-allocation.expiry-interval-ms", NEVER_MS));
    let settings = Settings::from_properties(never.into_iter().chain(properties)).map_err(|error| error.to_string())?;
    let parsed = AllocationFile::parse(&beginning.allocations, &scenario.name, types, &[]);
    let mut builder = FairScheduler::builder()
        .settings(settings)
        .allocations(parsed.map_err(|error| error.to_string())?.file)
        .groups(Arc::new(scenario.groups.clone()))
        .cluster_timestamp(scenario.start.unwrap_or(CLUSTER_TIMESTAMP))
        .epoch(beginning.epoch)
        .clock(Arc::clone(&beginning.clock) as Arc<dyn Clock>)
        .workers(how.workers)
        .journal(true)
        .trace(trace);
    if let Some(changes) = how.fold_every {
        builder = builder.fold_every(changes);
    }
    Ok(match how.driver {
        DriverChoice::Stepped => {
            let stepped = builder.stepped().map_err(|error| error.to_string())?;
            Box::new(Steps { stepped, taken_over: TakenOver::by(beginning.epoch) })
        }
        DriverChoice::Threaded => {
            if scenario.steps.iter().any(|step| matches!(step, Step::Kill { due: true })) {
                return Err("kills by the clock are played without threads: leave --driver threaded out".to_owned());
            }
            Box::new(Threaded::start(builder, beginning.epoch)?)
        }
    })
}

/// The scheduler without threads.
struct Steps {
    stepped: Stepped,
    taken_over: TakenOver,
}

impl Steps {
    fn node(&mut self, name: &str) -> Result<NodeHandle, Refused> {
        self.stepped.find_node(name).ok_or_else(|| Refused::NoSuchNode(name.to_owned()))
    }

    /// A container that was taken over, and that lives or whose node still has to report its end.
    fn find(&mut self, named: Named) -> Result<ContainerView, Refused> {
        let found = self.stepped.containers().into_iter().find(|view| self.taken_over.is(named, view.id));
        found.ok_or_else(|| named.missing())
    }

    /// The AM of one that was taken over acquires all that it was granted; then its node says something, and is not
    /// offered.
    fn report(&mut self, app: u32, view: &ContainerView, say: impl FnOnce(&mut Heartbeat)) -> Result<(), Refused> {
        if !view.ended
            && let Ok(app) = self.stepped.app_numbered(app)
        {
            self.stepped.allocate(&app, &AllocateRequest::default(), &mut Allocation::default())?;
        }
        let node = self.node(&view.node)?;
        let mut heartbeat = Heartbeat::new(&node);
        heartbeat.offer = false;
        say(&mut heartbeat);
        self.stepped.heartbeat(heartbeat);
        Ok(())
    }
}

booking!(Steps, self: self.stepped);
booking!(Threaded, self: self.scheduler, self.scheduler.quiesce());

impl Driver for Steps {
    fn location(&self, name: &str) -> Location {
        self.stepped.location(name)
    }

    fn add_node(&mut self, node: NewNode) -> Result<(), Refused> {
        self.stepped.register_node(node, Vec::new()).map(drop)
    }

    fn remove_node(&mut self, name: &str) -> Result<(), Refused> {
        let node = self.node(name)?;
        self.stepped.remove_node(&node)
    }

    fn heartbeat(&mut self, node: &str, launched: &[Named], completed: &[Named]) -> Result<(), Refused> {
        let node = self.node(node)?;
        let mut heartbeat = Heartbeat::new(&node);
        if !launched.is_empty() || !completed.is_empty() {
            self.taken_over.tell(&self.stepped.containers(), launched, completed, &mut heartbeat);
        }
        self.stepped.heartbeat(heartbeat);
        Ok(())
    }

    fn resize_node(&mut self, node: &str, total: Resource) -> Result<(), Refused> {
        let node = self.node(node)?;
        self.stepped.resize_node(&node, total)
    }

    fn submit(&mut self, submission: Submission) -> Result<(), Refused> {
        self.stepped.submit(&submission).map(drop)
    }

    fn ask(&mut self, app: u32, asks: &[Ask], add: &[&str], remove: &[&str]) -> Result<Resource, Refused> {
        self.stepped.allocate_numbered(app, asks, add, remove).map(|(headroom, _)| headroom)
    }

    fn recover(&mut self, node: &str, named: Named, container: RecoveredContainer) -> Result<(), Refused> {
        let (app, node) = (self.stepped.app_numbered(named.app)?, self.node(node)?);
        let id = self.stepped.recover_container(&app, &node, container)?;
        self.taken_over.note(id, named);
        Ok(())
    }

    fn release(&mut self, named: Named) -> Result<(), Refused> {
        if !self.taken_over.is_earlier(named) {
            return self.stepped.release_numbered(named.app, named.number);
        }
        let app = self.stepped.app_numbered(named.app)?;
        // Not its own: nothing happens.
        let releases = self.find(named).ok().map(|view| view.id);
        self.stepped.allocate(&app, &AllocateRequest::default().with_releases(releases), &mut Allocation::default())
    }

    fn launch(&mut self, named: Named) -> Result<(), Refused> {
        if !self.taken_over.is_earlier(named) {
            return self.stepped.launch_numbered(named.app, named.number);
        }
        let view = self.find(named)?;
        if view.ended {
            return Err(named.missing());
        }
        self.report(named.app, &view, |heartbeat| heartbeat.launched.push(view.id))
    }

    fn complete(&mut self, named: Named) -> Result<(), Refused> {
        if !self.taken_over.is_earlier(named) {
            return self.stepped.complete_numbered(named.app, named.number);
        }
        let view = self.find(named)?;
        self.report(named.app, &view, |heartbeat| heartbeat.completed.push(view.id))
    }

    fn finish(&mut self, app: u32) -> Result<(), Refused> {
        let app = self.stepped.app_numbered(app)?;
        self.stepped.finish(&app)
    }

    fn move_app(&mut self, app: u32, queue: &str) -> Result<(), Refused> {
        let app = self.stepped.app_numbered(app)?;
        self.stepped.move_app(&app, queue)
    }

    fn reload(&mut self, allocations: Option<&str>, refresh: bool) -> Result<(), Refused> {
        match allocations {
            Some(text) if refresh => self.stepped.refresh_queues(text).map(drop),
            Some(text) => self.stepped.reload_text(text).map(drop),
            None if refresh => Ok(()),
            None => {
                self.stepped.clean_up();
                Ok(())
            }
        }
    }

    fn update(&mut self) {
        self.stepped.update_now();
    }

    fn tick(&mut self) {
        self.stepped.tick();
    }

    fn continuous(&mut self) -> Result<(), Refused> {
        self.stepped.offer_all();
        Ok(())
    }

    fn preempt(&mut self, kill: bool) -> Result<Vec<PreemptionRound>, Refused> {
        let rounds = self.stepped.preempt()?;
        if kill {
            self.stepped.kill_marked()?;
        }
        Ok(rounds)
    }

    fn kill(&mut self, due: bool) -> Result<(), Refused> {
        let outcome = if due { self.stepped.kill_due() } else { self.stepped.kill_marked() };
        // Where preemption is off nothing is marked.
        match outcome {
            Err(Refused::PreemptionOff) => Ok(()),
            other => other,
        }
    }

    fn preemptions_numbered(&mut self, app: u32) -> Result<Vec<u32>, Refused> {
        self.stepped.preemptions_numbered(app)
    }

    fn take_journal(&mut self) -> Result<Journal, Refused> {
        Ok(self.stepped.take_journal())
    }

    fn take_trace(&mut self) -> Vec<Decision> {
        self.stepped.take_trace()
    }

    fn not_offered(&mut self, app: u32) -> Option<NotOffered> {
        let app = self.stepped.app_numbered(app).ok()?;
        self.stepped.not_offered(&app)
    }

    #[cfg(test)]
    fn why_waiting_on(&mut self, app: u32, node: &str) -> Vec<FairReason> {
        let (Ok(app), Ok(node)) = (self.stepped.app_numbered(app), self.node(node)) else { return Vec::new() };
        self.stepped.why_waiting_on(&app, &node).unwrap_or_default()
    }

    fn queues(&mut self) -> Vec<QueueView> {
        self.stepped.queues()
    }

    fn apps(&mut self) -> Vec<AppView> {
        self.stepped.apps()
    }

    fn nodes(&mut self) -> Vec<NodeView> {
        self.stepped.nodes()
    }
}

/// The AM acquires all that it was granted.
fn acquire(scheduler: &FairScheduler, app: &AppHandle) {
    // One that has finished has nothing to acquire.
    let _ = scheduler.allocate(app, &AllocateRequest::default(), &mut Allocation::default());
}

/// The threaded scheduler, on a virtual clock and without timers.
struct Threaded {
    scheduler: FairScheduler,
    /// By number, finished ones included.
    apps: HashMap<u32, AppHandle>,
    /// Applications of which the AM's container has not been fetched yet.
    masters: Vec<u32>,
    nodes: HashMap<String, NodeHandle>,
    taken_over: TakenOver,
}

impl Threaded {
    fn start(builder: FairSchedulerBuilder, epoch: u32) -> Result<Threaded, String> {
        let scheduler = builder.timers(false).start().map_err(|error| error.to_string())?;
        Ok(Threaded {
            scheduler,
            apps: HashMap::new(),
            masters: Vec::new(),
            nodes: HashMap::new(),
            taken_over: TakenOver::by(epoch),
        })
    }

    /// The application of a number, while it is there.
    fn app(&self, number: u32) -> Result<&AppHandle, Refused> {
        self.apps.get(&number).filter(|app| !app.is_finished()).ok_or(Refused::NoSuchApp(number))
    }

    /// The same, once its AM may call.
    fn calling(&self, number: u32) -> Result<&AppHandle, Refused> {
        let app = self.app(number)?;
        if app.waits_for_am() { Err(Refused::NoAm(number)) } else { Ok(app) }
    }

    /// A container that lives, or whose node still has to report its end.
    fn find(&self, named: Named) -> Result<(&AppHandle, ContainerView), Refused> {
        let handle = self.apps.get(&named.app).ok_or(Refused::NoSuchApp(named.app))?;
        let found = self.scheduler.containers()?.into_iter().find(|view| self.taken_over.is(named, view.id));
        Ok((handle, found.ok_or_else(|| named.missing())?))
    }

    /// Sends what a node says of its containers; it is offered only where `report` says so.
    fn send(&self, node: &str, report: impl FnOnce(&mut Heartbeat)) -> Result<(), Refused> {
        let node = self.nodes.get(node).ok_or_else(|| Refused::NoSuchNode(node.to_owned()))?;
        let mut heartbeat = Heartbeat::new(node);
        report(&mut heartbeat);
        self.scheduler.heartbeat(heartbeat).map_err(|not_sent| not_sent.reason)?;
        self.scheduler.quiesce();
        Ok(())
    }
}

impl Driver for Threaded {
    fn location(&self, name: &str) -> Location {
        self.scheduler.location(name)
    }

    fn add_node(&mut self, node: NewNode) -> Result<(), Refused> {
        let name = node.name.clone();
        let (node, _) = self.scheduler.register_node(node, Vec::new())?;
        self.nodes.insert(name, node);
        self.scheduler.quiesce();
        Ok(())
    }

    fn remove_node(&mut self, name: &str) -> Result<(), Refused> {
        let node = self.nodes.remove(name).ok_or_else(|| Refused::NoSuchNode(name.to_owned()))?;
        self.scheduler.remove_node(&node)?;
        self.scheduler.quiesce();
        Ok(())
    }

    fn heartbeat(&mut self, node: &str, launched: &[Named], completed: &[Named]) -> Result<(), Refused> {
        let is_told = !launched.is_empty() || !completed.is_empty();
        let views = if is_told { self.scheduler.containers()? } else { Vec::new() };
        self.send(node, |heartbeat| self.taken_over.tell(&views, launched, completed, heartbeat))
    }

    fn resize_node(&mut self, node: &str, total: Resource) -> Result<(), Refused> {
        let node = self.nodes.get(node).ok_or_else(|| Refused::NoSuchNode(node.to_owned()))?;
        self.scheduler.resize_node(node, total)?;
        self.scheduler.quiesce();
        Ok(())
    }

    fn submit(&mut self, submission: Submission) -> Result<(), Refused> {
        let (number, managed) = (submission.number, submission.am.is_some());
        let app = self.scheduler.submit(submission)?;
        self.apps.insert(number, app);
        if managed {
            self.masters.push(number);
        }
        self.scheduler.quiesce();
        Ok(())
    }

    fn ask(&mut self, app: u32, asks: &[Ask], add: &[&str], remove: &[&str]) -> Result<Resource, Refused> {
        let app = self.calling(app)?;
        let locations = |names: &[&str]| names.iter().map(|name| self.location(name)).collect::<Vec<_>>();
        let request = AllocateRequest::new(asks.to_vec())
            .with_blacklist_add(locations(add))
            .with_blacklist_remove(locations(remove));
        let mut answer = Allocation::default();
        self.scheduler.allocate(app, &request, &mut answer)?;
        self.scheduler.quiesce();
        Ok(answer.headroom)
    }

    fn recover(&mut self, node: &str, named: Named, container: RecoveredContainer) -> Result<(), Refused> {
        let app = self.app(named.app)?;
        let node = self.nodes.get(node).ok_or_else(|| Refused::NoSuchNode(node.to_owned()))?;
        let id = self.scheduler.recover_container(app, node, container)?;
        self.taken_over.note(id, named);
        self.scheduler.quiesce();
        Ok(())
    }

    fn release(&mut self, named: Named) -> Result<(), Refused> {
        let handle = self.calling(named.app)?;
        acquire(&self.scheduler, handle);
        // Not its own: nothing happens.
        if let Ok((_, view)) = self.find(named) {
            let request = AllocateRequest::default().with_releases([view.id]);
            self.scheduler.allocate(handle, &request, &mut Allocation::default())?;
            self.scheduler.quiesce();
        }
        Ok(())
    }

    fn launch(&mut self, named: Named) -> Result<(), Refused> {
        let (handle, view) = self.find(named)?;
        if view.ended {
            return Err(named.missing());
        }
        acquire(&self.scheduler, handle);
        self.send(&view.node, |heartbeat| {
            heartbeat.offer = false;
            heartbeat.launched.push(view.id);
        })
    }

    fn complete(&mut self, named: Named) -> Result<(), Refused> {
        let (handle, view) = self.find(named)?;
        if !view.ended {
            acquire(&self.scheduler, handle);
        }
        self.send(&view.node, |heartbeat| {
            heartbeat.offer = false;
            heartbeat.completed.push(view.id);
        })
    }

    fn finish(&mut self, app: u32) -> Result<(), Refused> {
        self.scheduler.finish(self.app(app)?)?;
        self.scheduler.quiesce();
        Ok(())
    }

    fn move_app(&mut self, app: u32, queue: &str) -> Result<(), Refused> {
        self.scheduler.move_app(self.app(app)?, queue)?;
        self.scheduler.quiesce();
        Ok(())
    }

    fn reload(&mut self, allocations: Option<&str>, refresh: bool) -> Result<(), Refused> {
        let outcome = match allocations {
            Some(text) if refresh => self.scheduler.refresh_queues(text).map(drop),
            Some(text) => self.scheduler.reload_text(text).map(drop),
            None if refresh => Ok(()),
            None => self.scheduler.clean_up(),
        };
        self.scheduler.quiesce();
        outcome
    }

    fn update(&mut self) {
        self.scheduler.update_now();
        self.scheduler.quiesce();
    }

    fn tick(&mut self) {}

    fn continuous(&mut self) -> Result<(), Refused> {
        self.scheduler.offer_all()?;
        self.scheduler.quiesce();
        Ok(())
    }

    fn preempt(&mut self, kill: bool) -> Result<Vec<PreemptionRound>, Refused> {
        let rounds = self.scheduler.preempt()?;
        if kill {
            self.scheduler.kill_marked()?;
        }
        self.scheduler.quiesce();
        Ok(rounds)
    }

    fn kill(&mut self, due: bool) -> Result<(), Refused> {
        assert!(!due, "a scenario with kills by the clock does not start on threads");
        // Where preemption is off nothing is marked.
        match self.scheduler.kill_marked() {
            Err(Refused::PreemptionOff) => {}
            other => other?,
        }
        self.scheduler.quiesce();
        Ok(())
    }

    fn preemptions_numbered(&mut self, app: u32) -> Result<Vec<u32>, Refused> {
        let mut numbers: Vec<_> = self.app(app)?.strict_preemptions().into_iter().map(ContainerId::number).collect();
        numbers.sort_unstable();
        Ok(numbers)
    }

    fn take_journal(&mut self) -> Result<Journal, Refused> {
        let outcome = self.scheduler.take_journal()?;
        // The ResourceManager fetches an AM's container at once.
        let (scheduler, apps) = (&self.scheduler, &self.apps);
        self.masters.retain(|number| {
            let app = &apps[number];
            let waits = app.waits_for_am() && !app.is_finished();
            if !waits {
                acquire(scheduler, app);
            }
            waits
        });
        Ok(outcome)
    }

    #[cfg(test)]
    fn why_waiting_on(&mut self, app: u32, node: &str) -> Vec<FairReason> {
        let (Some(app), Some(node)) = (self.apps.get(&app), self.nodes.get(node)) else { return Vec::new() };
        self.scheduler.why_waiting_on(app, node).unwrap_or_default()
    }

    fn queues(&mut self) -> Vec<QueueView> {
        self.scheduler.queues().unwrap_or_default()
    }

    fn apps(&mut self) -> Vec<AppView> {
        self.scheduler.apps().unwrap_or_default()
    }

    fn nodes(&mut self) -> Vec<NodeView> {
        self.scheduler.nodes()
    }
}
