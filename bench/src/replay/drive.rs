//! A scenario's steps on the stepped driver. Everything that depends on the core's stepped API is in this file.

use std::sync::Arc;

use super::compare::{Observed, SeenApp, SeenContainer, SeenEnd, SeenNode, SeenQueue};
use super::scenario::{Amounts, AskLine, Scenario, Step, resource};
use crate::api::{
    AllocatedView, AllocationFile, AppView, Ask, Decision, EndReason, FairScheduler, Heartbeat, NotOffered, QueueView,
    Refused, ResourceTypes, Settings, Stepped, Submission,
};

/// The time from which the recordings made their ids; only the order of ids depends on it.
const CLUSTER_TIMESTAMP: u64 = 1;

/// The stepped scheduler of one scenario.
pub(super) struct Player {
    stepped: Stepped,
    types: ResourceTypes,
}

fn kind(refusal: &Refused) -> String {
    refusal.kind().to_owned()
}

impl Player {
    /// Builds the scheduler from the scenario's configuration; with `trace` it notes its reasons.
    ///
    /// # Errors
    /// What the core says against it.
    pub(super) fn new(scenario: &Scenario, trace: bool) -> Result<Player, String> {
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
            .journal(true)
            .trace(trace);
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
        match self.apply(step) {
            Ok(headroom) => seen.headroom = headroom,
            Err(kind) => seen.error = Some(kind),
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
        let end =
            |(app, container, why): (u32, u32, EndReason)| SeenEnd { app, container, reason: why.as_str().to_owned() };
        seen.completed = outcome.completed.into_iter().map(end).collect();
        if all {
            self.show_all(&mut seen);
        }
        seen
    }

    /// Why the passes since this was last called went as they did.
    pub(super) fn take_trace(&mut self) -> Vec<Decision> {
        self.stepped.take_trace()
    }

    /// An application that has not ended, as it is now, and why it is offered nothing at all, if it is not.
    pub(super) fn app(&mut self, number: u32) -> Option<(AppView, Option<NotOffered>)> {
        let handle = self.stepped.app(number).ok()?;
        let view = self.stepped.apps().into_iter().find(|view| view.id.number == number)?;
        Some((view, self.stepped.not_offered(&handle)))
    }

    /// A queue as it is now.
    pub(super) fn queue(&self, name: &str) -> Option<QueueView> {
        self.stepped.queues().into_iter().find(|queue| queue.name == name)
    }

    /// The nodes' names, in order of registration.
    pub(super) fn nodes(&mut self) -> Vec<String> {
        self.stepped.nodes().into_iter().map(|node| node.name).collect()
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
        };
        seen.queues = self.stepped.queues().into_iter().map(queue).collect();
        let app = |view: AppView| SeenApp {
            app: view.id.number,
            queue: view.queue,
            resources: [view.fair_share, view.usage, view.demand],
            runnable: view.runnable,
        };
        seen.apps = self.stepped.apps().into_iter().map(app).collect();
        let node = |view: crate::api::NodeView| SeenNode { node: view.name, free: view.free };
        seen.nodes = self.stepped.nodes().into_iter().map(node).collect();
    }

    /// The headroom, if the step tells one, or the kind of its refusal.
    fn apply(&mut self, step: &Step) -> Result<Option<crate::api::Resource>, String> {
        match step {
            Step::NodeAdd { node, rack, resource } => {
                let total = self.amounts(resource);
                self.stepped.add_node(node, rack, total).map_err(|refusal| kind(&refusal))?;
            }
            Step::NodeRemove { node } => {
                let handle = self.stepped.node(node).map_err(|refusal| kind(&refusal))?;
                self.stepped.remove_node(&handle).map_err(|refusal| kind(&refusal))?;
            }
            Step::Heartbeat { node } => {
                let handle = self.stepped.node(node).map_err(|refusal| kind(&refusal))?;
                self.stepped.heartbeat(&Heartbeat::new(&handle));
            }
            Step::Submit { app, user, queue, am } => {
                let am = am.as_ref().map(|amounts| self.amounts(amounts).into());
                let submission = Submission { number: *app, user: user.clone(), queue: queue.clone(), am };
                self.stepped.submit(&submission).map_err(|refusal| kind(&refusal))?;
            }
            Step::Ask { app, asks, blacklist_add, blacklist_remove } => {
                return self.ask(*app, asks, blacklist_add, blacklist_remove).map(Some);
            }
            Step::Release { app, container } => {
                self.stepped.release_numbered(*app, *container).map_err(|refusal| kind(&refusal))?;
            }
            Step::Launch { app, container } => {
                self.stepped.launch_numbered(*app, *container).map_err(|refusal| kind(&refusal))?;
            }
            Step::Complete { app, container } => {
                self.stepped.complete_numbered(*app, *container).map_err(|refusal| kind(&refusal))?;
            }
            Step::Finish { app } => {
                let app = self.stepped.app(*app).map_err(|refusal| kind(&refusal))?;
                self.stepped.finish(&app).map_err(|refusal| kind(&refusal))?;
            }
            Step::Update => self.stepped.update(),
            Step::Advance { ms } => self.stepped.advance(*ms),
            Step::Move { app, queue } => {
                let app = self.stepped.app(*app).map_err(|refusal| kind(&refusal))?;
                self.stepped.move_app(&app, queue).map_err(|refusal| kind(&refusal))?;
            }
            Step::Reload { allocations } => {
                self.stepped.reload(allocations.as_deref()).map_err(|refusal| kind(&refusal))?;
            }
            Step::Continuous => self.stepped.continuous(),
            // Preemption is not built yet: such a scenario fails at this step and says so.
            Step::Preempt | Step::Kill => return Err("step not supported".to_owned()),
        }
        Ok(None)
    }

    fn ask(
        &mut self,
        app: u32,
        lines: &[AskLine],
        add: &[String],
        remove: &[String],
    ) -> Result<crate::api::Resource, String> {
        let mut asks = Vec::with_capacity(lines.len());
        for line in lines {
            asks.push(Ask {
                location: self.stepped.location(&line.location),
                relax_locality: line.relax,
                ..Ask::anywhere(line.priority, self.amounts(&line.resource), u32::try_from(line.count).unwrap_or(0))
            });
        }
        let add: Vec<&str> = add.iter().map(String::as_str).collect();
        let remove: Vec<&str> = remove.iter().map(String::as_str).collect();
        self.stepped.allocate_numbered(app, &asks, &add, &remove).map_err(|refusal| kind(&refusal))
    }
}
