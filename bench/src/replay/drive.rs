//! A scenario's steps on the stepped driver. Everything that depends on the core's stepped API is in this file.

use std::sync::Arc;

use super::compare::{Observed, SeenApp, SeenContainer, SeenEnd, SeenHeld, SeenNode, SeenQueue, SeenRound};
use super::scenario::{Amounts, AskLine, Scenario, Step, resource};
use crate::api::{
    AllocatedView, AllocationFile, Ask, EndReason, FairScheduler, Heartbeat, HeldView, PreemptionRound, Refused,
    ResourceTypes, Settings, Stepped, Submission,
};

/// The time from which the recordings made their ids; only the order of ids depends on it.
const CLUSTER_TIMESTAMP: u64 = 1;

/// The stepped scheduler of one scenario.
pub(super) struct Player {
    stepped: Stepped,
    types: ResourceTypes,
}

/// By application and number, not in the order chosen.
fn round(round: PreemptionRound) -> SeenRound {
    let marked = round.containers.iter().map(|id| (id.application_number(), id.number()));
    let mut containers: Vec<_> = marked.collect();
    containers.sort_unstable();
    SeenRound { app: round.app, containers }
}

impl Player {
    /// Builds the scheduler from the scenario's configuration.
    ///
    /// # Errors
    /// What the core says against it.
    pub(super) fn new(scenario: &Scenario) -> Result<Player, String> {
        let types = scenario.types()?;
        let properties = scenario.properties.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let settings = Settings::from_properties(properties).map_err(|error| error.to_string())?;
        let parsed = AllocationFile::parse(&scenario.allocations, &scenario.name, &types, &[])
            .map_err(|error| error.to_string())?;
        let builder = FairScheduler::builder()
            .settings(settings)
            .allocations(parsed.file)
            .groups(Arc::new(scenario.groups.clone()))
            .cluster_timestamp(CLUSTER_TIMESTAMP)
            .journal(true);
        let stepped = builder.stepped().map_err(|error| error.to_string())?;
        Ok(Player { stepped, types })
    }

    /// The scenario's resource types.
    pub(super) fn types(&self) -> &ResourceTypes {
        &self.types
    }

    fn amounts(&self, amounts: &Amounts) -> crate::api::Resource {
        resource(&self.types, amounts)
    }

    /// Does one step and shows what came of it. Queues, applications and nodes are filled in when `all` is set.
    pub(super) fn step(&mut self, step: &Step, all: bool) -> Observed {
        let mut seen = Observed { error: None, ..Observed::default() };
        if let Err(refusal) = self.apply(step, &mut seen) {
            seen.error = Some(refusal.kind().to_owned());
        }
        let outcome = self.stepped.take_outcome();
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
        if all {
            self.show_all(&mut seen);
        }
        seen
    }

    fn show_all(&mut self, seen: &mut Observed) {
        let queue = |view: crate::api::QueueView| SeenQueue {
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
        };
        seen.queues = self.stepped.queues().into_iter().map(queue).collect();
        let app = |view: crate::api::AppView| SeenApp {
            app: view.id.number,
            queue: view.queue,
            resources: [view.fair_share, view.usage, view.demand],
            runnable: view.runnable,
        };
        seen.apps = self.stepped.apps().into_iter().map(app).collect();
        let node = |view: crate::api::NodeView| SeenNode { node: view.name, free: view.free };
        seen.nodes = self.stepped.nodes().into_iter().map(node).collect();
    }

    /// Does the step; notes what it tells by itself.
    fn apply(&mut self, step: &Step, seen: &mut Observed) -> Result<(), Refused> {
        match step {
            Step::NodeAdd { node, rack, resource } => {
                let total = self.amounts(resource);
                self.stepped.add_node(node, rack, total)?;
            }
            Step::NodeRemove { node } => {
                let handle = self.stepped.node(node)?;
                self.stepped.remove_node(&handle)?;
            }
            Step::Heartbeat { node } => {
                let handle = self.stepped.node(node)?;
                self.stepped.heartbeat(&Heartbeat::new(&handle));
            }
            Step::Submit { app, user, queue, am } => {
                let am = am.as_ref().map(|amounts| self.amounts(amounts));
                let submission = Submission { number: *app, user: user.clone(), queue: queue.clone(), am };
                self.stepped.submit(&submission)?;
            }
            Step::Ask { app, asks, blacklist_add, blacklist_remove } => {
                seen.headroom = Some(self.ask(*app, asks, blacklist_add, blacklist_remove)?);
                seen.preemption_warning = self.stepped.preemption_warning(*app)?;
            }
            Step::Release { app, container } => {
                self.stepped.release_numbered(*app, *container)?;
            }
            Step::Launch { app, container } => {
                self.stepped.launch_numbered(*app, *container)?;
            }
            Step::Complete { app, container } => {
                self.stepped.complete_numbered(*app, *container)?;
            }
            Step::Finish { app } => {
                let app = self.stepped.app(*app)?;
                self.stepped.finish(&app)?;
            }
            Step::Update => self.stepped.update(),
            Step::Advance { ms } => self.stepped.advance(*ms),
            Step::Move { app, queue } => {
                let app = self.stepped.app(*app)?;
                self.stepped.move_app(&app, queue)?;
            }
            Step::Reload { allocations } => {
                self.stepped.reload(allocations.as_deref())?;
            }
            Step::Continuous => self.stepped.continuous(),
            Step::Preempt { kill } => {
                seen.marked = self.stepped.preempt(*kill)?.into_iter().map(round).collect();
            }
            Step::Kill => self.stepped.kill(),
        }
        Ok(())
    }

    fn ask(
        &mut self,
        app: u32,
        lines: &[AskLine],
        add: &[String],
        remove: &[String],
    ) -> Result<crate::api::Resource, Refused> {
        let mut asks = Vec::with_capacity(lines.len());
        for line in lines {
            asks.push(Ask {
                priority: line.priority,
                location: self.stepped.location(&line.location),
                resource: self.amounts(&line.resource),
                count: u32::try_from(line.count).unwrap_or(0),
                relax_locality: line.relax,
            });
        }
        let add: Vec<&str> = add.iter().map(String::as_str).collect();
        let remove: Vec<&str> = remove.iter().map(String::as_str).collect();
        self.stepped.allocate_numbered(app, &asks, &add, &remove)
    }
}
