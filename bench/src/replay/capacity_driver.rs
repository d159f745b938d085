//! What a scenario of the CapacityScheduler is played on: without threads, or on them, quiet after each step.

use std::collections::HashMap;

use super::bookings::{Booking, booking};
use super::named::{Named, TakenOver};
use crate::api::{
    AllocateRequest, Allocation, AppHandle, Ask, CapacityAppView, CapacityQueueView, CapacityReason, CapacityScheduler,
    CapacitySchedulerBuilder, CapacityStepped, ContainerId, ContainerView, Heartbeat, Journal, Location, NewAttempt,
    NodeHandle, NodeView, RecoveredContainer, Refused, Resource, Submission,
};
#[cfg(test)]
use crate::api::{CapacityPass, Watch};

/// The calls of a scenario. Each returns when nothing is under way any more.
pub(super) trait CapacityDriver: Booking {
    fn location(&self, name: &str) -> Location;
    fn add_node(&mut self, name: &str, rack: &str, total: Resource) -> Result<(), Refused>;
    fn remove_node(&mut self, name: &str) -> Result<(), Refused>;
    /// The node tells what has been launched and what is over, and is offered.
    fn heartbeat(&mut self, node: &str, launched: &[Named], completed: &[Named]) -> Result<(), Refused>;
    /// A round of asynchronous scheduling that begins at the node with so many before it.
    fn round(&mut self, first: usize) -> Result<(), Refused>;
    fn submit(&mut self, submission: Submission, priority: Option<i32>) -> Result<(), Refused>;
    /// Nodes and racks of the blacklist by name. Gives the headroom, and what is to be preempted.
    fn ask(&mut self, app: u32, asks: &[Ask], add: &[&str], remove: &[&str]) -> Result<(Resource, Vec<u32>), Refused>;
    /// A container that runs already is taken over.
    fn recover(&mut self, node: &str, named: Named, container: RecoveredContainer) -> Result<(), Refused>;
    fn release(&mut self, container: Named) -> Result<(), Refused>;
    fn launch(&mut self, container: Named) -> Result<(), Refused>;
    fn complete(&mut self, container: Named) -> Result<(), Refused>;
    fn new_attempt(&mut self, app: u32, new: NewAttempt) -> Result<(), Refused>;
    /// `kill`: what does not fit any more ends.
    fn resize_node(&mut self, node: &str, total: Resource, kill: bool) -> Result<(), Refused>;
    fn decommission_node(&mut self, node: &str) -> Result<(), Refused>;
    fn recommission_node(&mut self, node: &str) -> Result<(), Refused>;
    fn finish(&mut self, app: u32) -> Result<(), Refused>;
    fn set_priority(&mut self, app: u32, priority: i32) -> Result<(), Refused>;
    fn move_app(&mut self, app: u32, queue: &str) -> Result<(), Refused>;
    fn refresh(&mut self, properties: &[(&str, &str)]) -> Result<(), Refused>;
    /// The clock has moved.
    fn tick(&mut self);
    fn preempt(&mut self) -> Result<Vec<(u32, u32)>, Refused>;
    /// A round of what removes queues that have made themselves.
    fn expire_queues(&mut self) -> Result<(), Refused>;
    /// A round of what divides what managed parents have.
    fn manage_queues(&mut self) -> Result<(), Refused>;
    /// What happened since this was last called; the end of a step.
    fn take_journal(&mut self) -> Result<Journal, Refused>;
    /// What does not add up inside, where the driver can tell at any step.
    fn audit(&mut self) -> Vec<String> {
        Vec::new()
    }
    fn queues(&mut self, with_limits: bool) -> Vec<CapacityQueueView>;
    fn apps(&mut self) -> Vec<CapacityAppView>;
    fn nodes(&mut self) -> Vec<NodeView>;
    /// Why an application waits, of one node or of all.
    fn why_waiting(&mut self, app: u32, node: Option<&str>) -> Result<Vec<CapacityReason>, Refused>;
    /// What the next pass over a node tries is to be told.
    #[cfg(test)]
    fn watch(&mut self, node: &str);
    /// What was told since this was last called.
    #[cfg(test)]
    fn watched(&mut self) -> Vec<CapacityPass>;
}

/// The scheduler without threads.
pub(super) struct Steps {
    stepped: CapacityStepped,
    /// By number, finished ones included.
    apps: HashMap<u32, AppHandle>,
    taken_over: TakenOver,
}

impl Steps {
    pub(super) fn new(stepped: CapacityStepped, epoch: u32) -> Steps {
        Steps { stepped, apps: HashMap::new(), taken_over: TakenOver::by(epoch) }
    }

    fn node(&mut self, name: &str) -> Result<NodeHandle, Refused> {
        self.stepped.find_node(name).ok_or_else(|| Refused::NoSuchNode(name.to_owned()))
    }

    /// A container that lives, or whose node still has to report its end; of one that lives the AM has been told by
    /// now.
    fn find(&mut self, named: Named, must_live: bool) -> Result<ContainerView, Refused> {
        let app = self.apps.get(&named.app).ok_or(Refused::NoSuchApp(named.app))?;
        let is_it = |view: &ContainerView| self.taken_over.is(named, view.id) && !(must_live && view.ended);
        let found = self.stepped.containers().into_iter().find(is_it);
        let found = found.ok_or_else(|| named.missing())?;
        if !found.ended {
            self.stepped.fetch(app, &mut Allocation::default())?;
        }
        Ok(found)
    }

    /// A node says something of its containers, and is not offered.
    fn report(&mut self, node: &str, say: impl FnOnce(&mut Heartbeat)) -> Result<(), Refused> {
        let node = self.node(node)?;
        let mut heartbeat = Heartbeat::new(&node);
        heartbeat.offer = false;
        say(&mut heartbeat);
        self.stepped.heartbeat(heartbeat);
        Ok(())
    }
}

impl CapacityDriver for Steps {
    fn location(&self, name: &str) -> Location {
        self.stepped.location(name)
    }

    fn add_node(&mut self, name: &str, rack: &str, total: Resource) -> Result<(), Refused> {
        self.stepped.add_node(name, rack, total).map(drop)
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

    fn round(&mut self, first: usize) -> Result<(), Refused> {
        self.stepped.offer_all_from(first);
        Ok(())
    }

    fn submit(&mut self, submission: Submission, priority: Option<i32>) -> Result<(), Refused> {
        let app = match priority {
            Some(priority) => self.stepped.submit_with_priority(&submission, priority),
            None => self.stepped.submit(&submission),
        };
        self.apps.insert(submission.number, app?);
        Ok(())
    }

    fn ask(&mut self, app: u32, asks: &[Ask], add: &[&str], remove: &[&str]) -> Result<(Resource, Vec<u32>), Refused> {
        self.stepped.allocate_numbered(app, asks, add, remove)
    }

    fn recover(&mut self, node: &str, named: Named, container: RecoveredContainer) -> Result<(), Refused> {
        let (app, node) = (self.stepped.app_numbered(named.app)?, self.node(node)?);
        let id = self.stepped.recover_container(&app, &node, container)?;
        self.taken_over.note(id, named);
        Ok(())
    }

    fn release(&mut self, container: Named) -> Result<(), Refused> {
        let app = self.stepped.app_numbered(container.app)?;
        if app.attempt() == container.attempt && !self.taken_over.is_earlier(container) {
            return self.stepped.release_numbered(container.app, container.number);
        }
        if app.waits_for_am() {
            return Err(Refused::NoAm(container.app));
        }
        // One that was kept from an attempt before, or taken over.
        let releases = self.find(container, true).ok().map(|view| view.id);
        let request = AllocateRequest::default().with_releases(releases);
        self.stepped.allocate(&app, &request, &mut Allocation::default())
    }

    fn launch(&mut self, container: Named) -> Result<(), Refused> {
        let view = self.find(container, true)?;
        self.report(&view.node, |heartbeat| heartbeat.launched.push(view.id))
    }

    fn complete(&mut self, container: Named) -> Result<(), Refused> {
        let view = self.find(container, false)?;
        self.report(&view.node, |heartbeat| heartbeat.completed.push(view.id))
    }

    fn new_attempt(&mut self, app: u32, new: NewAttempt) -> Result<(), Refused> {
        let old = self.stepped.app_numbered(app)?;
        let next = self.stepped.new_attempt(&old, new)?;
        self.apps.insert(app, next);
        Ok(())
    }

    fn resize_node(&mut self, node: &str, total: Resource, kill: bool) -> Result<(), Refused> {
        let node = self.node(node)?;
        if kill { self.stepped.shrink_node(&node, total) } else { self.stepped.resize_node(&node, total) }
    }

    fn decommission_node(&mut self, node: &str) -> Result<(), Refused> {
        let node = self.node(node)?;
        self.stepped.decommission_node(&node)
    }

    fn recommission_node(&mut self, node: &str) -> Result<(), Refused> {
        let node = self.node(node)?;
        self.stepped.recommission_node(&node)
    }

    fn finish(&mut self, app: u32) -> Result<(), Refused> {
        let app = self.stepped.app_numbered(app)?;
        self.stepped.finish(&app)
    }

    fn set_priority(&mut self, app: u32, priority: i32) -> Result<(), Refused> {
        let app = self.stepped.app_numbered(app)?;
        self.stepped.set_priority(&app, priority)
    }

    fn move_app(&mut self, app: u32, queue: &str) -> Result<(), Refused> {
        let app = self.stepped.app_numbered(app)?;
        self.stepped.move_app(&app, queue)
    }

    fn refresh(&mut self, properties: &[(&str, &str)]) -> Result<(), Refused> {
        self.stepped.refresh_properties(properties.iter().copied())
    }

    fn tick(&mut self) {
        self.stepped.tick();
    }

    fn preempt(&mut self) -> Result<Vec<(u32, u32)>, Refused> {
        self.stepped.preempt()
    }

    fn expire_queues(&mut self) -> Result<(), Refused> {
        self.stepped.expire_queues();
        Ok(())
    }

    fn manage_queues(&mut self) -> Result<(), Refused> {
        self.stepped.manage_queues();
        Ok(())
    }

    fn take_journal(&mut self) -> Result<Journal, Refused> {
        Ok(self.stepped.take_journal())
    }

    fn audit(&mut self) -> Vec<String> {
        self.stepped.audit(false).wrong
    }

    fn queues(&mut self, with_limits: bool) -> Vec<CapacityQueueView> {
        if with_limits { self.stepped.queues_with_limits() } else { self.stepped.queues() }
    }

    fn apps(&mut self) -> Vec<CapacityAppView> {
        self.stepped.apps()
    }

    fn nodes(&mut self) -> Vec<NodeView> {
        self.stepped.nodes()
    }

    fn why_waiting(&mut self, app: u32, node: Option<&str>) -> Result<Vec<CapacityReason>, Refused> {
        let node = node.map(|name| self.node(name)).transpose()?;
        let app = self.apps.get(&app).ok_or(Refused::NoSuchApp(app))?;
        match node {
            Some(node) => self.stepped.why_waiting_on(app, &node),
            None => Ok(self.stepped.why_waiting(app)),
        }
    }

    #[cfg(test)]
    fn watch(&mut self, node: &str) {
        self.stepped.watch(Watch::Node(node.to_owned()));
    }

    #[cfg(test)]
    fn watched(&mut self) -> Vec<CapacityPass> {
        self.stepped.take_watched().passes
    }
}

/// The threaded scheduler, on a virtual clock and without timers.
pub(super) struct Threaded {
    scheduler: CapacityScheduler,
    /// By number, finished ones included.
    apps: HashMap<u32, AppHandle>,
    /// Applications of which the AM's container has not been fetched yet.
    masters: Vec<u32>,
    taken_over: TakenOver,
}

impl Threaded {
    /// # Errors
    /// What the core says against the configuration.
    pub(super) fn start(builder: CapacitySchedulerBuilder, epoch: u32) -> Result<Threaded, String> {
        let scheduler = builder.timers(false).start().map_err(|error| error.to_string())?;
        let taken_over = TakenOver::by(epoch);
        Ok(Threaded { scheduler, apps: HashMap::new(), masters: Vec::new(), taken_over })
    }

    fn app(&self, number: u32) -> Result<&AppHandle, Refused> {
        self.apps.get(&number).filter(|app| !app.is_finished()).ok_or(Refused::NoSuchApp(number))
    }

    /// The same, once its AM may call.
    fn calling(&self, number: u32) -> Result<&AppHandle, Refused> {
        let app = self.app(number)?;
        if app.waits_for_am() { Err(Refused::NoAm(number)) } else { Ok(app) }
    }

    /// The AM has all that it was granted.
    fn acquire(&self, app: &AppHandle) {
        // One that has finished has nothing to acquire.
        let _ = self.scheduler.fetch(app, &mut Allocation::default());
    }

    fn node(&self, name: &str) -> Result<NodeHandle, Refused> {
        self.scheduler.find_node(name).ok_or_else(|| Refused::NoSuchNode(name.to_owned()))
    }

    /// A container that lives, or whose node still has to report its end.
    fn find(&self, named: Named) -> Result<(&AppHandle, ContainerView), Refused> {
        let handle = self.apps.get(&named.app).ok_or(Refused::NoSuchApp(named.app))?;
        let found = self.scheduler.containers()?.into_iter().find(|view| self.taken_over.is(named, view.id));
        Ok((handle, found.ok_or_else(|| named.missing())?))
    }

    /// Sends what a node says of its containers; it is offered only where `report` says so.
    fn send(&self, node: &str, report: impl FnOnce(&mut Heartbeat)) -> Result<(), Refused> {
        let node = self.node(node)?;
        let mut heartbeat = Heartbeat::new(&node);
        report(&mut heartbeat);
        self.scheduler.heartbeat(heartbeat).map_err(|not_sent| not_sent.reason)?;
        self.scheduler.quiesce();
        Ok(())
    }
}

impl CapacityDriver for Threaded {
    fn location(&self, name: &str) -> Location {
        self.scheduler.location(name)
    }

    fn add_node(&mut self, name: &str, rack: &str, total: Resource) -> Result<(), Refused> {
        self.scheduler.add_node(name, rack, total)?;
        self.scheduler.quiesce();
        Ok(())
    }

    fn remove_node(&mut self, name: &str) -> Result<(), Refused> {
        let node = self.node(name)?;
        self.scheduler.remove_node(&node)?;
        self.scheduler.quiesce();
        Ok(())
    }

    fn heartbeat(&mut self, node: &str, launched: &[Named], completed: &[Named]) -> Result<(), Refused> {
        let is_told = !launched.is_empty() || !completed.is_empty();
        let views = if is_told { self.scheduler.containers()? } else { Vec::new() };
        self.send(node, |heartbeat| self.taken_over.tell(&views, launched, completed, heartbeat))
    }

    fn round(&mut self, first: usize) -> Result<(), Refused> {
        self.scheduler.offer_all_from(first)?;
        self.scheduler.quiesce();
        Ok(())
    }

    fn submit(&mut self, submission: Submission, priority: Option<i32>) -> Result<(), Refused> {
        let (number, managed) = (submission.number, submission.am.is_some());
        let outcome = match priority {
            Some(priority) => self.scheduler.submit_with_priority(submission, priority),
            None => self.scheduler.submit(submission),
        };
        self.scheduler.quiesce();
        self.apps.insert(number, outcome?);
        if managed {
            self.masters.push(number);
        }
        Ok(())
    }

    fn ask(&mut self, app: u32, asks: &[Ask], add: &[&str], remove: &[&str]) -> Result<(Resource, Vec<u32>), Refused> {
        let app = self.calling(app)?;
        let locations = |names: &[&str]| names.iter().map(|name| self.location(name)).collect::<Vec<_>>();
        let request = AllocateRequest::new(asks.to_vec())
            .with_blacklist_add(locations(add))
            .with_blacklist_remove(locations(remove));
        let mut answer = Allocation::default();
        self.scheduler.allocate(app, &request, &mut answer)?;
        self.scheduler.quiesce();
        let warned = answer.strict_preemptions.into_iter().map(ContainerId::number).collect();
        Ok((self.scheduler.headroom(app)?, warned))
    }

    fn recover(&mut self, node: &str, named: Named, container: RecoveredContainer) -> Result<(), Refused> {
        let (app, node) = (self.app(named.app)?, self.node(node)?);
        let id = self.scheduler.recover_container(app, &node, container)?;
        self.taken_over.note(id, named);
        self.scheduler.quiesce();
        Ok(())
    }

    fn release(&mut self, container: Named) -> Result<(), Refused> {
        let handle = self.calling(container.app)?;
        self.acquire(handle);
        let found = self.find(container).ok();
        let releases: Vec<_> = found.into_iter().map(|(_, view)| view.id).collect();
        let request = AllocateRequest::default().with_releases(releases);
        self.scheduler.allocate(handle, &request, &mut Allocation::default())?;
        self.scheduler.quiesce();
        Ok(())
    }

    fn launch(&mut self, container: Named) -> Result<(), Refused> {
        let (handle, view) = self.find(container)?;
        if view.ended {
            return Err(container.missing());
        }
        self.acquire(handle);
        self.send(&view.node, |heartbeat| {
            heartbeat.offer = false;
            heartbeat.launched.push(view.id);
        })
    }

    fn complete(&mut self, container: Named) -> Result<(), Refused> {
        let (handle, view) = self.find(container)?;
        if !view.ended {
            self.acquire(handle);
        }
        self.send(&view.node, |heartbeat| {
            heartbeat.offer = false;
            heartbeat.completed.push(view.id);
        })
    }

    fn new_attempt(&mut self, app: u32, new: NewAttempt) -> Result<(), Refused> {
        let managed = new.am.is_some();
        let next = self.scheduler.new_attempt(self.app(app)?, new)?;
        self.apps.insert(app, next);
        self.masters.retain(|other| *other != app);
        if managed {
            self.masters.push(app);
        }
        self.scheduler.quiesce();
        Ok(())
    }

    fn resize_node(&mut self, node: &str, total: Resource, kill: bool) -> Result<(), Refused> {
        let node = self.node(node)?;
        if kill { self.scheduler.shrink_node(&node, total) } else { self.scheduler.resize_node(&node, total) }?;
        self.scheduler.quiesce();
        Ok(())
    }

    fn decommission_node(&mut self, node: &str) -> Result<(), Refused> {
        self.scheduler.decommission_node(&self.node(node)?)?;
        self.scheduler.quiesce();
        Ok(())
    }

    fn recommission_node(&mut self, node: &str) -> Result<(), Refused> {
        self.scheduler.recommission_node(&self.node(node)?)?;
        self.scheduler.quiesce();
        Ok(())
    }

    fn finish(&mut self, app: u32) -> Result<(), Refused> {
        self.scheduler.finish(self.app(app)?)?;
        self.scheduler.quiesce();
        Ok(())
    }

    fn set_priority(&mut self, app: u32, priority: i32) -> Result<(), Refused> {
        self.scheduler.set_priority(self.app(app)?, priority)?;
        self.scheduler.quiesce();
        Ok(())
    }

    fn move_app(&mut self, app: u32, queue: &str) -> Result<(), Refused> {
        let outcome = self.scheduler.move_app(self.app(app)?, queue);
        self.scheduler.quiesce();
        outcome
    }

    fn refresh(&mut self, properties: &[(&str, &str)]) -> Result<(), Refused> {
        let outcome = self.scheduler.refresh_properties(properties.iter().copied());
        self.scheduler.quiesce();
        outcome
    }

    fn tick(&mut self) {}

    fn preempt(&mut self) -> Result<Vec<(u32, u32)>, Refused> {
        let marked = self.scheduler.preempt()?;
        self.scheduler.quiesce();
        Ok(marked)
    }

    fn expire_queues(&mut self) -> Result<(), Refused> {
        self.scheduler.expire_queues()?;
        self.scheduler.quiesce();
        Ok(())
    }

    fn manage_queues(&mut self) -> Result<(), Refused> {
        self.scheduler.manage_queues()?;
        self.scheduler.quiesce();
        Ok(())
    }

    fn take_journal(&mut self) -> Result<Journal, Refused> {
        let outcome = self.scheduler.take_journal()?;
        // The ResourceManager fetches an AM's container at once.
        let masters = std::mem::take(&mut self.masters);
        for number in masters {
            let app = &self.apps[&number];
            if app.waits_for_am() && !app.is_finished() {
                self.masters.push(number);
            } else {
                self.acquire(app);
            }
        }
        Ok(outcome)
    }

    fn queues(&mut self, with_limits: bool) -> Vec<CapacityQueueView> {
        let queues = if with_limits { self.scheduler.queues_with_limits() } else { self.scheduler.queues() };
        queues.unwrap_or_default()
    }

    fn apps(&mut self) -> Vec<CapacityAppView> {
        self.scheduler.apps().unwrap_or_default()
    }

    fn nodes(&mut self) -> Vec<NodeView> {
        self.scheduler.nodes()
    }

    fn why_waiting(&mut self, app: u32, node: Option<&str>) -> Result<Vec<CapacityReason>, Refused> {
        let app = self.apps.get(&app).ok_or(Refused::NoSuchApp(app))?;
        match node {
            Some(name) => self.scheduler.why_waiting_on(app, &self.node(name)?),
            None => self.scheduler.why_waiting(app),
        }
    }

    #[cfg(test)]
    fn watch(&mut self, node: &str) {
        self.scheduler.watch(Watch::Node(node.to_owned())).unwrap();
    }

    #[cfg(test)]
    fn watched(&mut self) -> Vec<CapacityPass> {
        self.scheduler.take_watched().unwrap().passes
    }
}

booking!(Steps, self: self.stepped);
booking!(Threaded, self: self.scheduler, self.scheduler.quiesce());
