//! A scheduler without threads, whichever decides: what a step does, what it shows, calls by number.
//!
//! Plain code on the caller's thread.

use super::handles::{AppHandle, NodeHandle};
use super::journal::Journal;
use crate::app::{Ask, Location};
use crate::clock::VirtualClock;
use crate::engine::decider::Decider;
use crate::engine::shard::Shard;
use crate::engine::{
    AllocateRequest, Allocation, AppShared, AtRest, Container, EventSource, External, Heartbeat, NodeShared, Stepper,
    drain, send_changes,
};
use crate::event::refused::{NotFound, TryAgain};
use crate::event::{Refused, SchedulerEvent};
use crate::id::{ContainerId, NodeId};
use crate::sync::Arc;
use std::collections::HashMap;

/// See the module's text.
#[derive(Debug)]
pub(crate) struct Stepping<D: Decider> {
    pub(crate) stepper: Stepper<D>,
    clock: Option<Arc<VirtualClock>>,
    events: EventSource,
    /// By number, finished ones included: nodes may still report their containers.
    apps: HashMap<u32, Arc<AppShared>>,
    /// By application and number; of those of several attempts the newest.
    by_number: HashMap<(u32, u32), ContainerId>,
    pub(super) scratch: Allocation,
    pending: Journal,
    journal: bool,
}

impl<D: Decider> Stepping<D> {
    pub(super) fn new(
        parts: AtRest<D>,
        events: EventSource,
        clock: Option<Arc<VirtualClock>>,
        journal: bool,
    ) -> Stepping<D> {
        Stepping {
            stepper: Stepper::new(parts),
            clock,
            events,
            apps: HashMap::new(),
            by_number: HashMap::new(),
            scratch: Allocation::default(),
            pending: Journal::default(),
            journal,
        }
    }

    /// Moves the virtual clock, if it is the scheduler's own.
    pub(super) fn advance_clock(&self, ms: u64) {
        if let Some(clock) = &self.clock {
            clock.advance(ms);
        }
    }

    pub(super) fn next_event(&mut self) -> Option<SchedulerEvent> {
        self.events.take()
    }

    pub(super) fn location(&self, name: &str) -> Location {
        self.stepper.shared().locations.requested(name)
    }

    // ------------------------------------------------------------------------------------------------ nodes

    pub(super) fn node_named(&mut self, name: &str) -> Option<Arc<NodeShared>> {
        self.stepper.control().all_nodes().find(|node| &*node.name == name).cloned()
    }

    pub(super) fn remove_node(&mut self, node: &NodeHandle) -> Result<(), Refused> {
        self.stepper.control().begin_remove_node(&node.0, None)?;
        self.settle();
        Ok(())
    }

    pub(super) fn heartbeat(&mut self, heartbeat: &Heartbeat) {
        self.stepper.pump();
        // A handle of another scheduler may name a worker that this one does not have. Any other worker drops it.
        if let Some(shard) = self.stepper.shards().nth(heartbeat.node.owner) {
            #[cfg(feature = "sharing")]
            let actor = crate::sync::sharing::set_actor(Some(shard.id()));
            shard.heartbeat(heartbeat);
            #[cfg(feature = "sharing")]
            crate::sync::sharing::reset_actor(actor);
        }
        self.settle();
    }

    /// Each worker offers its nodes.
    pub(super) fn offer_all(&mut self, offer: impl Fn(&mut Shard<D>)) {
        self.stepper.pump();
        self.stepper.shards().for_each(offer);
        self.settle();
    }

    // ------------------------------------------------------------------------------------------------ applications

    /// A submission has been answered.
    pub(super) fn submitted(&mut self, outcome: Result<Arc<AppShared>, Refused>) -> Result<AppHandle, Refused> {
        self.settle();
        let app = outcome?;
        if self.journal {
            self.apps.insert(app.id.number, app.clone());
        }
        Ok(AppHandle(app))
    }

    /// What an AM asks for takes effect.
    #[inline]
    pub(super) fn send(&mut self, app: &AppHandle, request: &AllocateRequest) -> Result<(), Refused> {
        send_changes(self.stepper.shared(), &app.0, request)?;
        self.settle();
        Ok(())
    }

    pub(super) fn finish_by(&mut self, by: Option<&str>, app: &AppHandle) -> Result<(), Refused> {
        self.stepper.control().finish_by(by, &app.0, None)?;
        self.settle();
        Ok(())
    }

    pub(super) fn move_by(&mut self, by: Option<&str>, app: &AppHandle, queue: &str) -> Result<(), Refused> {
        let outcome = self.stepper.control().move_by(by, &app.0, queue);
        // One that is refused may have something to tell the workers, too.
        self.settle();
        outcome
    }

    // ------------------------------------------------------------------------------------------------ by number

    pub(super) fn app(&self, number: u32) -> Result<AppHandle, Refused> {
        let app = self.apps.get(&number).filter(|app| !app.is_closed());
        app.cloned().map(AppHandle).ok_or(Refused::NotFound(NotFound::App(number)))
    }

    /// The same, once its AM may call.
    pub(super) fn calling(&self, number: u32) -> Result<AppHandle, Refused> {
        let app = self.app(number)?;
        if app.waits_for_am() { Err(TryAgain::NoAm(number).into()) } else { Ok(app) }
    }

    /// A call as recordings have it.
    pub(super) fn request(&self, asks: &[Ask], blacklist_add: &[&str], blacklist_remove: &[&str]) -> AllocateRequest {
        let locations = |names: &[&str]| names.iter().map(|name| self.location(name)).collect();
        AllocateRequest {
            asks: asks.to_vec(),
            releases: Vec::new(),
            blacklist_add: locations(blacklist_add),
            blacklist_remove: locations(blacklist_remove),
        }
    }

    /// The AM acquires all that it was granted.
    fn acquire(&mut self, app: &AppShared) {
        self.scratch.granted.clear();
        self.scratch.ended.clear();
        drain(self.stepper.shared(), app, &mut self.scratch);
    }

    pub(super) fn release_numbered(&mut self, number: u32, container: u32) -> Result<(), Refused> {
        let app = self.calling(number)?;
        self.acquire(&app.0);
        if let Some(id) = self.by_number.get(&(number, container)).copied() {
            self.stepper.shard(usize::from(id.worker)).handle_external(&mut External::Release(id));
        }
        self.settle();
        Ok(())
    }

    pub(super) fn launch_numbered(&mut self, number: u32, container: u32) -> Result<(), Refused> {
        let (app, id) = self.container_numbered(number, container)?;
        let shard = self.stepper.shard(usize::from(id.worker));
        let record = shard.live_container(id).ok_or(NotFound::Container { app: number, container })?;
        shard.launch(record);
        self.acquire(&app);
        self.settle();
        Ok(())
    }

    pub(super) fn complete_numbered(&mut self, number: u32, container: u32) -> Result<(), Refused> {
        let (app, id) = self.container_numbered(number, container)?;
        let missing = Refused::NotFound(NotFound::Container { app: number, container });
        let worker = usize::from(id.worker);
        let record = self.stepper.shard(worker).known_container(id).ok_or(missing)?;
        if self.stepper.shard(worker).live_container(id).is_some() {
            self.acquire(&app);
        }
        self.stepper.shard(worker).complete(record);
        self.settle();
        Ok(())
    }

    fn container_numbered(&self, number: u32, container: u32) -> Result<(Arc<AppShared>, ContainerId), Refused> {
        let app = self.apps.get(&number).cloned().ok_or(NotFound::App(number))?;
        let id = self.by_number.get(&(number, container)).copied();
        Ok((app, id.ok_or(NotFound::Container { app: number, container })?))
    }

    // ------------------------------------------------------------------------------------------------ what has
    // happened

    /// What happened since this was last called, without reservations and what stands; with the nodes present, by
    /// registration.
    pub(super) fn take_step_record(&mut self) -> (Journal, Vec<NodeId>) {
        let nodes = self.stepper.control().all_nodes().map(|node| node.id).collect();
        (std::mem::take(&mut self.pending), nodes)
    }

    /// Works off all messages and notes what happened.
    #[inline]
    pub(super) fn settle(&mut self) {
        self.stepper.pump();
        if !self.journal {
            return;
        }
        let mut fresh_ams = Vec::new();
        for shard in self.stepper.shards() {
            let noted = shard.take_step_record();
            for (Container { id, .. }, _, is_am) in &noted.allocated {
                self.by_number.insert((id.application, id.number), *id);
                if *is_am {
                    fresh_ams.push(id.application);
                }
            }
            self.pending.note(noted);
        }
        // The RM fetches an AM's container at once.
        for number in fresh_ams {
            if let Some(app) = self.apps.get(&number).cloned() {
                self.acquire(&app);
            }
        }
    }
}
