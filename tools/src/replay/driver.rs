//! What a scenario of the FairScheduler is played on: without threads, or on them.

use std::sync::Arc;

use super::named::Named;
use super::options::{DriverChoice, PlayOptions};
use super::played::Played;
use super::scenario::{Scenario, Step};
#[cfg(test)]
use crate::api::FairReason;
use crate::api::{
    AllocationFile, AppView, Ask, Clock, ContainerId, Decision, Fair, FairScheduler, Journal, Location, NewNode,
    NodeView, NotOffered, PreemptionRound, QueueView, RecoveredContainer, Refused, Resource, ResourceTypes,
    SchedulerApi, Settings, Stepped, Submission, VirtualClock,
};
use evenweave::refused::Configuration;

/// The time from which the recordings made their ids; only the order of ids depends on it.
const CLUSTER_TIMESTAMP: u64 = 1;
/// The longest interval there is.
const NEVER_MS: &str = "2147483647";

/// The calls of a scenario. Each returns when nothing is under way any more.
pub(super) trait Driver {
    /// The scheduler, for what is alike on both.
    fn scheduler(&mut self) -> &mut dyn SchedulerApi;
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
    fn update(&mut self) -> Result<(), Refused>;
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
    fn take_trace(&mut self) -> Vec<Decision>;
    /// Why an application is offered nothing at all.
    fn not_offered(&mut self, app: u32) -> Option<NotOffered>;
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
            Box::new(Played::new(stepped, beginning.epoch))
        }
        DriverChoice::Threaded => {
            if scenario.steps.iter().any(|step| matches!(step, Step::Kill { due: true })) {
                return Err("kills by the clock are played without threads: leave --driver threaded out".to_owned());
            }
            let scheduler = builder.timers(false).start().map_err(|error| error.to_string())?;
            Box::new(Played::new(scheduler, beginning.epoch))
        }
    })
}

/// What only this scheduler has, with threads and without.
trait FairCalls: SchedulerApi<Policy = Fair> + Sized {
    fn reload_text(&mut self, text: &str) -> Result<(), Refused>;
    fn clean_up(&mut self) -> Result<(), Refused>;
    fn kill_marked(&mut self) -> Result<(), Refused>;
    fn take_trace(&mut self) -> Vec<Decision>;
}

impl FairCalls for Stepped {
    fn reload_text(&mut self, text: &str) -> Result<(), Refused> {
        Stepped::reload_text(self, text).map(drop)
    }

    fn clean_up(&mut self) -> Result<(), Refused> {
        Stepped::clean_up(self);
        Ok(())
    }

    fn kill_marked(&mut self) -> Result<(), Refused> {
        Stepped::kill_marked(self)
    }

    fn take_trace(&mut self) -> Vec<Decision> {
        Stepped::take_trace(self)
    }
}

impl FairCalls for FairScheduler {
    fn reload_text(&mut self, text: &str) -> Result<(), Refused> {
        FairScheduler::reload_text(self, text).map(drop)
    }

    fn clean_up(&mut self) -> Result<(), Refused> {
        FairScheduler::clean_up(self)
    }

    fn kill_marked(&mut self) -> Result<(), Refused> {
        FairScheduler::kill_marked(self)
    }

    fn take_trace(&mut self) -> Vec<Decision> {
        Vec::new()
    }
}

impl<S: FairCalls> Driver for Played<S> {
    fn scheduler(&mut self) -> &mut dyn SchedulerApi {
        &mut self.scheduler
    }

    fn location(&self, name: &str) -> Location {
        Played::location(self, name)
    }

    fn add_node(&mut self, node: NewNode) -> Result<(), Refused> {
        Played::add_node(self, node, Vec::new()).map(drop)
    }

    fn remove_node(&mut self, name: &str) -> Result<(), Refused> {
        self.on_node(name, |scheduler, node| scheduler.remove_node(node))
    }

    fn heartbeat(&mut self, node: &str, launched: &[Named], completed: &[Named]) -> Result<(), Refused> {
        Played::heartbeat(self, node, launched, completed)
    }

    fn resize_node(&mut self, node: &str, total: Resource) -> Result<(), Refused> {
        Played::resize_node(self, node, total)
    }

    fn submit(&mut self, submission: Submission) -> Result<(), Refused> {
        Played::submit(self, submission, None)
    }

    fn ask(&mut self, app: u32, asks: &[Ask], add: &[&str], remove: &[&str]) -> Result<Resource, Refused> {
        Played::ask(self, app, asks, add, remove).map(|answer| answer.headroom)
    }

    fn recover(&mut self, node: &str, named: Named, container: RecoveredContainer) -> Result<(), Refused> {
        Played::recover(self, node, named, container)
    }

    fn release(&mut self, named: Named) -> Result<(), Refused> {
        Played::release(self, named)
    }

    fn launch(&mut self, named: Named) -> Result<(), Refused> {
        Played::launch(self, named)
    }

    fn complete(&mut self, named: Named) -> Result<(), Refused> {
        Played::complete(self, named)
    }

    fn finish(&mut self, app: u32) -> Result<(), Refused> {
        self.on_app(app, |scheduler, app| scheduler.finish(app))
    }

    fn move_app(&mut self, app: u32, queue: &str) -> Result<(), Refused> {
        self.on_app(app, |scheduler, app| scheduler.move_app(app, queue))
    }

    fn reload(&mut self, allocations: Option<&str>, refresh: bool) -> Result<(), Refused> {
        let outcome = match allocations {
            Some(text) if refresh => self.scheduler.refresh_queues(text).map(drop),
            Some(text) => self.scheduler.reload_text(text),
            None if refresh => Ok(()),
            None => self.scheduler.clean_up(),
        };
        self.done(outcome)
    }

    fn update(&mut self) -> Result<(), Refused> {
        let outcome = self.scheduler.update_now();
        self.done(outcome)
    }

    fn continuous(&mut self) -> Result<(), Refused> {
        let outcome = self.scheduler.offer_all_from(0);
        self.done(outcome)
    }

    fn preempt(&mut self, kill: bool) -> Result<Vec<PreemptionRound>, Refused> {
        let rounds = self.scheduler.preempt()?;
        let outcome = if kill { self.scheduler.kill_marked() } else { Ok(()) };
        self.done(outcome)?;
        Ok(rounds)
    }

    fn kill(&mut self, due: bool) -> Result<(), Refused> {
        let outcome = if due { self.scheduler.kill_due() } else { self.scheduler.kill_marked() };
        // Where preemption is off nothing is marked.
        self.done(match outcome {
            Err(Refused::Configuration(Configuration::PreemptionOff)) => Ok(()),
            other => other,
        })
    }

    fn preemptions_numbered(&mut self, app: u32) -> Result<Vec<u32>, Refused> {
        let mut numbers: Vec<_> = self.app(app)?.strict_preemptions().into_iter().map(ContainerId::number).collect();
        numbers.sort_unstable();
        Ok(numbers)
    }

    fn take_journal(&mut self) -> Result<Journal, Refused> {
        Played::take_journal(self)
    }

    fn take_trace(&mut self) -> Vec<Decision> {
        self.scheduler.take_trace()
    }

    fn not_offered(&mut self, app: u32) -> Option<NotOffered> {
        let app = self.app(app).ok()?;
        self.scheduler.not_offered(&app).ok()?
    }

    #[cfg(test)]
    fn why_waiting_on(&mut self, app: u32, node: &str) -> Vec<FairReason> {
        let (Ok(app), Ok(node)) = (self.known_app(app), self.node(node)) else { return Vec::new() };
        self.scheduler.why_waiting_on(&app, &node).unwrap_or_default()
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
