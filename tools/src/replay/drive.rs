//! A scenario's steps, played on whichever driver, and what each showed.

use super::amounts::resource;
use super::booking::Booked;
use super::bookings::{Bookings, take_followed};
use super::compare::{Observed, SeenApp, SeenContainer, SeenEnd, SeenHeld, SeenNode, SeenQueue, SeenRound};
use super::driver::{Beginning, Driver, start};
use super::named::Named;
use super::options::PlayOptions;
use super::scenario::{AskLine, ReportedContainer, Scenario, Step, ToldContainer};
use crate::api::{
    AllocatedView, AmRequest, AppView, Ask, Decision, EndReason, HeldView, Journal, NewNode, NotOffered,
    PreemptionRound, QueueView, Refused, ReserveError, Resource, ResourceTypes, Submission, VirtualClock,
};
use evenweave::refused::NotFound;
use serde_json::Value;
use std::sync::Arc;

/// What a step tells by itself.
#[derive(Debug, Default)]
pub(super) struct Told {
    headroom: Option<Resource>,
    warning: Vec<u32>,
    marked: Vec<SeenRound>,
    orphans: Vec<(u32, u32)>,
    booked: Booked,
}

/// By application and number, not in the order chosen. A FairScheduler's round serves an application.
fn round(round: PreemptionRound) -> Option<SeenRound> {
    let marked = round.containers.iter().map(|id| (id.application_number(), id.number()));
    let mut containers: Vec<_> = marked.collect();
    containers.sort_unstable();
    Some(SeenRound { app: round.app?, containers })
}

fn named(app: u32, number: u32, epoch: u32) -> Named {
    Named { app, attempt: 1, epoch, number }
}

/// The scheduler of one scenario.
pub(super) struct Player<'s> {
    scenario: &'s Scenario,
    how: PlayOptions,
    trace: bool,
    driver: Box<dyn Driver>,
    /// What the scheduler began with; the allocations are those in force.
    beginning: Beginning,
    types: ResourceTypes,
    bookings: Bookings,
}

/// Why a step was refused: its kind, and of the reservation system the text.
#[derive(Debug)]
pub(super) struct Refusal {
    pub(super) kind: String,
    message: Option<String>,
}

impl From<Refused> for Refusal {
    fn from(refused: Refused) -> Refusal {
        Refusal { kind: refused.kind().to_owned(), message: None }
    }
}

impl From<ReserveError> for Refusal {
    fn from(error: ReserveError) -> Refusal {
        Refusal { kind: error.kind().to_owned(), message: Some(error.to_string()) }
    }
}

impl<'s> Player<'s> {
    /// Builds the scheduler from the scenario's configuration; with `trace` it notes its reasons.
    ///
    /// # Errors
    /// What the core says against it.
    pub(super) fn new(scenario: &'s Scenario, how: PlayOptions, trace: bool) -> Result<Player<'s>, String> {
        let types = scenario.types()?;
        let clock = Arc::new(VirtualClock::new());
        clock.advance(scenario.start.unwrap_or_default());
        let beginning = Beginning { allocations: scenario.allocations.clone(), epoch: 0, clock };
        let driver = start(scenario, &beginning, &types, how, trace)?;
        Ok(Player { scenario, how, trace, driver, beginning, types, bookings: Bookings::new(scenario.start) })
    }

    /// Another scheduler begins, which knows nothing of what the one before had.
    fn restart(&mut self, allocations: Option<&str>) -> Result<(), Refusal> {
        if let Some(text) = allocations {
            text.clone_into(&mut self.beginning.allocations);
        }
        self.beginning.epoch += 1;
        let refused = |message| Refusal { kind: "bad-allocations".to_owned(), message: Some(message) };
        self.driver = start(self.scenario, &self.beginning, &self.types, self.how, self.trace).map_err(refused)?;
        Ok(())
    }

    /// A node registers, and says what runs on it; whose applications are not known is to be stopped.
    fn register(&mut self, node: &str, reports: &[ReportedContainer]) -> Result<Told, Refusal> {
        let mut told = Told::default();
        for report in reports {
            match self.driver.recover(node, report.named(), report.recovered(&self.types)) {
                Ok(()) => {}
                Err(Refused::NotFound(NotFound::App(_))) if report.complete => {}
                Err(Refused::NotFound(NotFound::App(app))) => told.orphans.push((app, report.container)),
                Err(other) => return Err(other.into()),
            }
        }
        told.orphans.sort_unstable();
        Ok(told)
    }

    /// The scheduler.
    pub(super) fn driver(&mut self) -> &mut dyn Driver {
        &mut *self.driver
    }

    /// The scenario's resource types.
    pub(super) fn types(&self) -> &ResourceTypes {
        &self.types
    }

    /// Does one step and shows what came of it. Queues, applications and nodes are filled in when `all` is set.
    pub(super) fn step(&mut self, step: &Step, all: bool) -> Observed {
        let mut seen = Observed { error: None, ..Observed::default() };
        let (answer, outcome) = self.play(step);
        match answer {
            Ok(Told { headroom, warning, marked, orphans, booked }) => {
                seen.headroom = headroom;
                seen.preemption_warning = warning;
                seen.marked = marked;
                seen.orphans = orphans;
                seen.booked = booked;
            }
            Err(Refusal { kind, message }) => {
                seen.error = Some(kind);
                seen.booked.message = message;
            }
        }
        let containers = |views: Vec<AllocatedView>| -> Vec<SeenContainer> {
            let seen = |view: AllocatedView| SeenContainer {
                app: view.app,
                container: view.container,
                node: view.node,
                priority: view.priority,
                resource: view.resource,
            };
            views.into_iter().map(seen).collect()
        };
        seen.allocated = containers(outcome.allocated);
        seen.reserved = containers(outcome.reserved);
        let held = |view: HeldView| SeenHeld { node: view.node, app: view.app, resource: view.resource };
        seen.held = outcome.held.into_iter().map(held).collect();
        let end =
            |(app, container, why): (u32, u32, EndReason)| SeenEnd { app, container, reason: why.as_str().to_owned() };
        seen.completed = outcome.completed.into_iter().map(end).collect();
        self.show_followed(&mut seen);
        if all {
            self.show_all(&mut seen);
        }
        seen
    }

    /// What the plan follower did to applications. To the scheduler a kill is an end as any other; recordings have a
    /// word for it.
    fn show_followed(&mut self, seen: &mut Observed) {
        let (moved, killed) = take_followed(self.driver.scheduler());
        for end in seen.completed.iter_mut().filter(|end| killed.contains(&end.app)) {
            if end.reason == EndReason::AppFinished.as_str() {
                end.reason = "app-killed".to_owned();
            }
        }
        seen.booked.moved = moved;
        seen.booked.killed = (!killed.is_empty()).then(|| killed.into());
    }

    /// Plans that are not as they were when this was last called; after the last step all.
    pub(super) fn plans(&mut self, last: bool) -> Option<Value> {
        self.bookings.plans(self.driver.scheduler(), last)
    }

    /// An application that has not ended, as it is now, and why it is offered nothing at all, if it is not.
    pub(super) fn app(&mut self, number: u32) -> Option<(AppView, Option<NotOffered>)> {
        let view = self.driver.apps().into_iter().find(|view| view.id.number == number)?;
        Some((view, self.driver.not_offered(number)))
    }

    /// Why the passes since this was last called went as they did.
    pub(super) fn take_trace(&mut self) -> Vec<Decision> {
        self.driver.take_trace()
    }

    /// A queue as it is now.
    pub(super) fn queue(&mut self, name: &str) -> Option<QueueView> {
        self.driver.queues().into_iter().find(|queue| queue.name == name)
    }

    /// The nodes' names, in order of registration.
    pub(super) fn nodes(&mut self) -> Vec<String> {
        self.driver.nodes().into_iter().map(|node| node.name).collect()
    }

    /// Does one step: what it tells by itself, or the kind of its refusal; and what happened.
    pub(super) fn play(&mut self, step: &Step) -> (Result<Told, Refusal>, Journal) {
        let answer = self.apply(step);
        match self.driver.take_journal() {
            Ok(outcome) => (answer, outcome),
            Err(refusal) => (Err(refusal.into()), Journal::default()),
        }
    }

    fn show_all(&mut self, seen: &mut Observed) {
        let queue = |view: QueueView| SeenQueue {
            name: view.name,
            policy: view.policy,
            leaf: view.leaf,
            resources: [
                view.fair_share,
                view.steady_fair_share,
                view.usage,
                view.demand,
                view.min_share,
                view.max_share,
                view.am_usage,
            ],
            counts: [view.runnable, view.non_runnable, view.pending],
            weight: Some(view.weight.to_bits()),
        };
        seen.queues = self.driver.queues().into_iter().map(queue).collect();
        let app = |view: AppView| SeenApp {
            app: view.id.number,
            queue: view.queue,
            resources: [view.fair_share, view.usage, view.demand],
            runnable: view.runnable,
        };
        seen.apps = self.driver.apps().into_iter().map(app).collect();
        let node = |view: crate::api::NodeView| SeenNode { node: view.name, free: view.free };
        seen.nodes = self.driver.nodes().into_iter().map(node).collect();
    }

    fn apply(&mut self, step: &Step) -> Result<Told, Refusal> {
        let driver = &mut self.driver;
        match step {
            Step::NodeAdd { node, rack, port, resource: total, containers } => {
                driver.add_node(NewNode::new(node, rack, resource(&self.types, total)).with_port(*port))?;
                return self.register(node, containers);
            }
            Step::Restart { allocations } => self.restart(allocations.as_deref())?,
            Step::RecoverApp { app, user, queue, am } => {
                let am = am.as_ref().map(|wanted| AmRequest::from(resource(&self.types, wanted)).running());
                driver.submit(Submission::new(*app, user.clone()).recovered_in(queue).maybe_with_am(am))?;
            }
            Step::NodeRemove { node } => driver.remove_node(node)?,
            Step::Heartbeat { node, launched, completed } => {
                let named = |told: &[ToldContainer]| told.iter().map(|told| told.named()).collect::<Vec<_>>();
                driver.heartbeat(node, &named(launched), &named(completed))?;
            }
            Step::NodeResize { node, total } => driver.resize_node(node, resource(&self.types, total))?,
            Step::Submit { app, user, queue, am, reservation, .. } => {
                let am = am.as_ref().map(|wanted| resource(&self.types, wanted));
                let mut submission =
                    Submission::new(*app, user.clone()).maybe_in_queue(queue.clone()).maybe_with_am(am);
                submission.reservation = reservation.map(|number| self.bookings.id(number));
                driver.submit(submission)?;
            }
            Step::Ask { app, asks, blacklist_add, blacklist_remove } => {
                return Ok(self.ask(*app, asks, blacklist_add, blacklist_remove)?);
            }
            Step::Release { app, container, epoch } => driver.release(named(*app, *container, *epoch))?,
            Step::Launch { app, container, epoch } => driver.launch(named(*app, *container, *epoch))?,
            Step::Complete { app, container, epoch } => driver.complete(named(*app, *container, *epoch))?,
            Step::Finish { app } => driver.finish(*app)?,
            Step::Update => driver.update()?,
            Step::Advance { ms } => {
                self.beginning.clock.advance(*ms);
                driver.scheduler().tick();
            }
            Step::Move { app, queue } => driver.move_app(*app, queue)?,
            Step::Reload { allocations, plans } => {
                driver.reload(allocations.as_deref(), *plans)?;
                if let Some(text) = allocations {
                    text.clone_into(&mut self.beginning.allocations);
                }
            }
            Step::ReserveNew
            | Step::ReserveSubmit { .. }
            | Step::ReserveUpdate { .. }
            | Step::ReserveDelete { .. }
            | Step::ReserveList { .. }
            | Step::Follow => {
                let before = self.weights();
                let mut booked = self.bookings.play(step, self.driver.scheduler(), &self.types)?;
                booked.queues_changed = before != self.weights();
                return Ok(Told { booked, ..Told::default() });
            }
            Step::Continuous => driver.continuous()?,
            Step::Preempt { kill } => {
                let rounds = driver.preempt(*kill)?;
                return Ok(Told { marked: rounds.into_iter().filter_map(round).collect(), ..Told::default() });
            }
            Step::Kill { due } => driver.kill(*due)?,
        }
        Ok(Told::default())
    }

    fn weights(&mut self) -> Vec<(String, u32)> {
        self.driver.queues().into_iter().map(|queue| (queue.name, queue.weight.to_bits())).collect()
    }

    fn ask(&mut self, app: u32, lines: &[AskLine], add: &[String], remove: &[String]) -> Result<Told, Refused> {
        let mut asks = Vec::with_capacity(lines.len());
        for line in lines {
            asks.push(
                Ask::anywhere(
                    line.priority,
                    resource(&self.types, &line.resource),
                    u32::try_from(line.count).unwrap_or(0),
                )
                .at(self.driver.location(&line.location))
                .with_request_id(line.request_id)
                .relaxed(line.relax),
            );
        }
        let add: Vec<&str> = add.iter().map(String::as_str).collect();
        let remove: Vec<&str> = remove.iter().map(String::as_str).collect();
        let headroom = Some(self.driver.ask(app, &asks, &add, &remove)?);
        let warning = self.driver.preemptions_numbered(app)?;
        Ok(Told { headroom, warning, ..Told::default() })
    }
}
