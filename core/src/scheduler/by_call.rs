//! The threaded FairScheduler driven by calls: what its threads do by time, and what they have noted, for embedders with
//! timers of their own, for replay and for tests.

use super::fair::FairScheduler;
use super::handles::AppHandle;
use super::journal::Journal;
use super::stepped::PreemptionRound;
use crate::clock::Patience;
use crate::config::{Diagnostic, Reader};
use crate::engine::{TaskCall, ask_workers};
use crate::event::Refused;
use crate::fair::allocations::{ControlLane, Reloads, apply};
use crate::fair::preemption::PreemptionCall;
use crate::fair::{Control, ControlMessage, NotOffered, Shard};
use crate::sync::channel::{Sender, bounded};

impl FairScheduler {
    /// Does what the watcher does at each look even if the file has not changed: it removes empty dynamic queues, and tries
    /// waiting changes of a queue's type again. Waits until this is published.
    ///
    /// # Errors
    /// [`Refused::OwnThread`], [`Refused::TaskLost`], [`Refused::ShutDown`].
    pub fn clean_up(&self) -> Result<(), Refused> {
        let lane = &self.open_to_wait()?.lanes.control;
        let (reply, answer) = bounded(1);
        lane.send(ControlMessage::CleanUp).map_err(|_| self.gone("control"))?;
        lane.send(ControlMessage::Barrier(reply.into())).map_err(|_| self.gone("control"))?;
        self.answer(&answer, &Patience::endless(), "control")
    }

    /// Takes new allocations from the text of an allocation file, as [`FairScheduler::reload`]. It first removes empty dynamic
    /// queues, and then parses the text on the caller's thread. Returns warnings: what was accepted although it is probably a
    /// mistake. Waits for the control.
    ///
    /// # Errors
    /// [`Refused::BadAllocations`] when the text is no allocation file: the old one stays, except perhaps the placement rules;
    /// [`Refused::ReloadBrokeOff`]; [`Refused::OwnThread`], [`Refused::TaskLost`], [`Refused::ShutDown`].
    pub fn reload_text(&self, text: &str) -> Result<Vec<Diagnostic>, Refused> {
        self.take_text(text, true)
    }

    /// As [`reload_text`](Self::reload_text) without the clean-up: an administrator's refresh with a given text. New reservable
    /// queues become plans.
    ///
    /// # Errors
    /// Those of [`FairScheduler::reload_text`]; [`Refused::PlanClass`].
    pub fn refresh_with(&self, text: &str) -> Result<Vec<Diagnostic>, Refused> {
        let warnings = self.take_text(text, false)?;
        self.refresh_plans()?;
        Ok(warnings)
    }

    fn take_text(&self, text: &str, clean_up: bool) -> Result<Vec<Diagnostic>, Refused> {
        let shared = self.open()?;
        let custom_policies = self.look(Control::policy_names)?;
        let mut control = ControlLane { shared: self.shared().clone(), events: self.event_sink() };
        if clean_up {
            control.clean_up();
        }
        let reader = Reader { types: shared.decider.settings.types.clone(), custom_policies, limit: u64::MAX };
        apply(reader.parse(text, "allocations"), &mut control)
    }

    /// Makes one pass of continuous scheduling over all nodes, each worker over its own, and waits until it is done. Use it
    /// without [timers](crate::FairSchedulerBuilder::timers); with them, `yarn.scheduler.fair.continuous-scheduling-enabled`
    /// starts a thread for it.
    ///
    /// # Errors
    /// [`Refused::WorkerLost`], [`Refused::OwnThread`], [`Refused::ShutDown`].
    pub fn continuous(&self) -> Result<(), Refused> {
        ask_workers(self.open_to_wait()?, |shard| shard.continuous_pass()).map(drop)
    }

    /// Serves all starved applications once, one after the other: marks containers for each, as
    /// [`Stepped::preempt`](crate::Stepped::preempt) does, and waits until this is done. [`FairScheduler::update_now`] finds the
    /// starved applications. Use it without [timers](crate::FairSchedulerBuilder::timers); with them, the preemption thread does
    /// this after each update.
    ///
    /// The AMs are warned ([`Allocation::strict_preemptions`](crate::Allocation::strict_preemptions)). With `kill` all marked
    /// containers end at once, as by [`FairScheduler::kill_marked`]. Otherwise a marked container runs on, and its AM may release
    /// it. A second call marks no container twice.
    ///
    /// # Errors
    /// [`Refused::PreemptionOff`] if `yarn.scheduler.fair.preemption` is not true; [`Refused::OwnThread`], [`Refused::TaskLost`],
    /// [`Refused::ShutDown`].
    pub fn preempt(&self, kill: bool) -> Result<Vec<PreemptionRound>, Refused> {
        let rounds = self.ask_preemption(PreemptionCall::Rounds)?;
        if kill {
            self.kill_marked()?;
        }
        Ok(rounds.into_iter().map(PreemptionRound::from).collect())
    }

    /// Ends every container that is marked for preemption, whether or not its wait is over. Sends messages to the workers:
    /// [`FairScheduler::quiesce`] waits until they have done it.
    ///
    /// # Errors
    /// Those of [`FairScheduler::preempt`].
    pub fn kill_marked(&self) -> Result<(), Refused> {
        self.ask_preemption(PreemptionCall::KillAll)
    }

    fn ask_preemption<T>(&self, call: impl FnOnce(Sender<T>) -> PreemptionCall) -> Result<T, Refused> {
        let shared = self.open_to_wait()?;
        if !shared.settings.preemption {
            return Err(Refused::PreemptionOff);
        }
        let (reply, answer) = bounded(1);
        shared.lanes.preemption.send(TaskCall::Own(call(reply))).map_err(|_| self.gone("preemption"))?;
        self.answer(&answer, &Patience::endless(), "preemption")
    }

    /// Returns why an application is offered no node now, as [`Stepped::not_offered`](crate::Stepped::not_offered). Waits for the
    /// control and all workers.
    ///
    /// # Errors
    /// [`Refused::WorkerLost`], [`Refused::OwnThread`], [`Refused::ShutDown`], [`Refused::TaskLost`].
    pub fn not_offered(&self, app: &AppHandle) -> Result<Option<NotOffered>, Refused> {
        let shared = self.open_to_wait()?;
        let of_control = app.0.clone();
        let stopped = self.look(move |control| control.why_stopped(&of_control).map(NotOffered::from))?;
        if stopped.is_some() {
            return Ok(stopped);
        }
        let (home, slot) = (app.0.home, app.0.slot.index);
        self.owner_is_there(home)?;
        let answers = ask_workers(shared, move |shard| (shard.id() == home).then(|| shard.why_not_offered(slot)))?;
        answers.into_iter().flatten().next().ok_or(Refused::WorkerLost(home))
    }

    /// Waits until everything accepted is processed ([`FairScheduler::quiesce`]). Then it returns what has happened since its
    /// last call (with a [journal](crate::FairSchedulerBuilder::journal)), the present reservations, and the room that is kept
    /// for starved applications. Containers are in the order of their grants, worker by worker.
    ///
    /// # Errors
    /// [`Refused::WorkerLost`], [`Refused::OwnThread`], [`Refused::ShutDown`], [`Refused::TaskLost`].
    pub fn take_journal(&self) -> Result<Journal, Refused> {
        self.quiet(&Patience::endless())?;
        let shared = self.shared();
        let mut outcome = Journal::default();
        let (mut all_reserved, mut all_held) = (Vec::new(), Vec::new());
        let look = |shard: &mut Shard| (shard.take_noted(), shard.reservations(), shard.owed_rooms());
        for (noted, reserved, held) in ask_workers(shared, look)? {
            outcome.note(noted);
            all_reserved.extend(reserved);
            all_held.extend(held);
        }
        let nodes = shared.nodes.lock().ids();
        outcome.finish(&nodes, all_reserved, all_held);
        Ok(outcome)
    }
}
