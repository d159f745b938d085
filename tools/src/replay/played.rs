//! What a scenario is played on: either scheduler, without threads or on them, quiet after each step.
//!
//! Scenarios name applications and containers by number, and say nothing of what an AM fetches. A [`Played`] makes such
//! a step from the calls that an embedder has.

use std::collections::HashMap;

use super::named::{Named, TakenOver};
use crate::api::{
    AllocateRequest, Allocation, AppHandle, Ask, ContainerView, Heartbeat, Journal, Location, NewAttempt, NewNode,
    NodeHandle, RecoveredContainer, Refused, Resource, SchedulerApi, Submission, SubmitTerms,
};
use evenweave::refused::{NotFound, TryAgain};

/// A scheduler, and what the steps name in it. Each call returns when nothing is under way any more.
pub(super) struct Played<S> {
    pub(super) scheduler: S,
    /// By number, finished ones included.
    apps: HashMap<u32, AppHandle>,
    /// Applications of which the AM's container has not been fetched yet.
    masters: Vec<u32>,
    taken_over: TakenOver,
}

impl<S: SchedulerApi> Played<S> {
    /// A scheduler with so many before it.
    pub(super) fn new(scheduler: S, epoch: u32) -> Played<S> {
        Played { scheduler, apps: HashMap::new(), masters: Vec::new(), taken_over: TakenOver::by(epoch) }
    }

    /// The end of a call, which has come to this.
    pub(super) fn done<T>(&mut self, outcome: Result<T, Refused>) -> Result<T, Refused> {
        let settled = self.scheduler.settle();
        let outcome = outcome?;
        settled.map(|()| outcome)
    }

    // ------------------------------------------------------------------------------------------------ by name

    /// The application of a number, while it is there.
    pub(super) fn app(&self, number: u32) -> Result<AppHandle, Refused> {
        self.apps.get(&number).filter(|app| !app.is_finished()).cloned().ok_or(Refused::NotFound(NotFound::App(number)))
    }

    /// The same, finished or not.
    pub(super) fn known_app(&self, number: u32) -> Result<AppHandle, Refused> {
        self.apps.get(&number).cloned().ok_or(Refused::NotFound(NotFound::App(number)))
    }

    /// The same, once its AM may call.
    pub(super) fn calling(&self, number: u32) -> Result<AppHandle, Refused> {
        let app = self.app(number)?;
        if app.waits_for_am() { Err(TryAgain::NoAm(number).into()) } else { Ok(app) }
    }

    pub(super) fn node(&mut self, name: &str) -> Result<NodeHandle, Refused> {
        self.scheduler.find_node(name).ok_or_else(|| Refused::NotFound(NotFound::Node(name.to_owned())))
    }

    /// A container that lives, or whose node still has to report its end; the AM of one that lives has fetched it by
    /// now.
    fn find(&mut self, named: Named) -> Result<ContainerView, Refused> {
        let app = self.known_app(named.app)?;
        let found = self.scheduler.containers()?.into_iter().find(|view| self.taken_over.is(named, view.id));
        let found = found.ok_or_else(|| named.missing())?;
        if !found.ended {
            self.acquire(&app);
        }
        Ok(found)
    }

    /// The AM fetches all that it was granted.
    fn acquire(&self, app: &AppHandle) {
        // One that has finished has nothing to fetch.
        let _ = self.scheduler.fetch(app, &mut Allocation::default());
    }

    /// Whether an earlier scheduler granted the container.
    pub(super) fn is_taken_over(&self, named: Named) -> bool {
        self.taken_over.is_earlier(named)
    }

    // ------------------------------------------------------------------------------------------------ nodes

    pub(super) fn location(&self, name: &str) -> Location {
        self.scheduler.location(name)
    }

    /// A node with what it says runs on it; what became of each.
    pub(super) fn add_node(
        &mut self,
        node: NewNode,
        running: Vec<(Named, RecoveredContainer)>,
    ) -> Result<Vec<Result<(), Refused>>, Refused> {
        let apps: Vec<_> = running.iter().map(|(named, _)| self.app(named.app)).collect();
        let known = apps.iter().zip(&running).filter_map(|(app, (_, container))| Some((app.clone().ok()?, *container)));
        let outcome = self.scheduler.register_node(node, known.collect());
        let (_, taken) = self.done(outcome)?;
        let mut taken = taken.into_iter();
        let mut out = Vec::new();
        for (app, (named, _)) in apps.into_iter().zip(running) {
            let outcome = match app {
                Err(refused) => Err(refused),
                Ok(_) => taken.next().unwrap_or(Err(NotFound::App(named.app).into())),
            };
            out.push(outcome.map(|id| self.taken_over.note(id, named)));
        }
        Ok(out)
    }

    /// Does something to a node.
    pub(super) fn on_node(
        &mut self,
        name: &str,
        act: impl FnOnce(&mut S, &NodeHandle) -> Result<(), Refused>,
    ) -> Result<(), Refused> {
        let node = self.node(name)?;
        let outcome = act(&mut self.scheduler, &node);
        self.done(outcome)
    }

    /// The node tells what has been launched and what is over, and is offered.
    pub(super) fn heartbeat(&mut self, node: &str, launched: &[Named], completed: &[Named]) -> Result<(), Refused> {
        let mut heartbeat = Heartbeat::new(&self.node(node)?);
        if !launched.is_empty() || !completed.is_empty() {
            self.taken_over.tell(&self.scheduler.containers()?, launched, completed, &mut heartbeat);
        }
        self.send(heartbeat)
    }

    fn send(&mut self, heartbeat: Heartbeat) -> Result<(), Refused> {
        let outcome = self.scheduler.heartbeat(heartbeat).map_err(|not_sent| not_sent.reason);
        self.done(outcome)
    }

    /// The node of a container says something of it, and is not offered.
    fn report(&mut self, view: &ContainerView, say: impl FnOnce(&mut Heartbeat)) -> Result<(), Refused> {
        let mut heartbeat = Heartbeat::new(&self.node(&view.node)?);
        heartbeat.offer = false;
        say(&mut heartbeat);
        self.send(heartbeat)
    }

    pub(super) fn launch(&mut self, named: Named) -> Result<(), Refused> {
        let view = self.find(named)?;
        if view.ended {
            return Err(named.missing());
        }
        self.report(&view, |heartbeat| heartbeat.add_launched([view.id]))
    }

    pub(super) fn complete(&mut self, named: Named) -> Result<(), Refused> {
        let view = self.find(named)?;
        self.report(&view, |heartbeat| heartbeat.add_completed([view.id]))
    }

    // ------------------------------------------------------------------------------------------------ applications

    pub(super) fn submit(&mut self, submission: Submission, terms: Option<SubmitTerms>) -> Result<(), Refused> {
        let (number, managed) = (submission.number, submission.am.is_some());
        let outcome = match terms {
            Some(terms) => self.scheduler.submit_with(submission, terms),
            None => self.scheduler.submit(submission),
        };
        let app = self.done(outcome)?;
        self.begun(number, app, managed);
        Ok(())
    }

    pub(super) fn new_attempt(&mut self, number: u32, new: NewAttempt) -> Result<(), Refused> {
        let (old, managed) = (self.app(number)?, new.am.is_some());
        let outcome = self.scheduler.new_attempt(&old, new);
        let next = self.done(outcome)?;
        self.begun(number, next, managed);
        Ok(())
    }

    /// An attempt has begun, with a container for its AM or not.
    fn begun(&mut self, number: u32, app: AppHandle, managed: bool) {
        self.apps.insert(number, app);
        self.masters.retain(|other| *other != number);
        if managed {
            self.masters.push(number);
        }
    }

    /// Does something to an application.
    pub(super) fn on_app(
        &mut self,
        number: u32,
        act: impl FnOnce(&mut S, &AppHandle) -> Result<(), Refused>,
    ) -> Result<(), Refused> {
        let app = self.app(number)?;
        let outcome = act(&mut self.scheduler, &app);
        self.done(outcome)
    }

    /// An AM's call; nodes and racks of the blacklist by name.
    pub(super) fn ask(&mut self, app: u32, asks: &[Ask], add: &[&str], remove: &[&str]) -> Result<Allocation, Refused> {
        let app = self.calling(app)?;
        let locations = |names: &[&str]| names.iter().map(|name| self.location(name)).collect::<Vec<_>>();
        let request = AllocateRequest::new(asks.to_vec())
            .with_blacklist_add(locations(add))
            .with_blacklist_remove(locations(remove));
        let mut answer = Allocation::default();
        let outcome = self.scheduler.allocate(&app, &request, &mut answer);
        self.done(outcome)?;
        Ok(answer)
    }

    /// The AM gives a container back; one that is not its own is ignored.
    pub(super) fn release(&mut self, named: Named) -> Result<(), Refused> {
        let app = self.calling(named.app)?;
        self.acquire(&app);
        let releases = self.find(named).ok().filter(|view| !view.ended).map(|view| view.id);
        let request = AllocateRequest::default().with_releases(releases);
        let outcome = self.scheduler.allocate(&app, &request, &mut Allocation::default());
        self.done(outcome)
    }

    /// A container that runs already is taken over.
    pub(super) fn recover(&mut self, node: &str, named: Named, container: RecoveredContainer) -> Result<(), Refused> {
        let (app, node) = (self.app(named.app)?, self.node(node)?);
        let outcome = self.scheduler.recover_container(&app, &node, container);
        let id = self.done(outcome)?;
        self.taken_over.note(id, named);
        Ok(())
    }

    /// What happened since this was last called; the end of a step.
    pub(super) fn take_journal(&mut self) -> Result<Journal, Refused> {
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

    /// Changes the total of a node.
    pub(super) fn resize_node(&mut self, node: &str, total: Resource) -> Result<(), Refused> {
        self.on_node(node, |scheduler, node| scheduler.resize_node(node, total))
    }
}
