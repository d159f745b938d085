//! Calls that only the FairScheduler has: its allocation file, its dynamic queues, what is marked for preemption.
//!
//! Bodies run on the caller's thread: with threads they send and wait, without they do it.

use super::door::CONTROL;
use super::fair::{ask_preemption, take_text, take_text_stepped};
use super::policy::Fair;
use super::stepped::Stepped;
use super::threaded::Scheduler;
use crate::clock::Patience;
use crate::config::{AllocationFile, Diagnostic, PlacementRule};
use crate::engine::intake::reply::once;
use crate::event::Refused;
use crate::event::refused::Configuration;
#[cfg(doc)]
use crate::event::refused::*;
use crate::fair::allocations::{Reloads, WatchCall};
use crate::fair::control::FairCall;
use crate::fair::preemption::PreemptionCall;
use crate::fair::{Call, Control, ControlMessage, Decision, QueueConfig};
use crate::resource::Resource;
use std::time::Duration;

/// How long [`refresh_file`](Scheduler::refresh_file) waits for the allocations.
const REFRESH: Duration = Duration::from_secs(60);

/// # Of the FairScheduler alone
impl Scheduler<Fair> {
    /// Creates a dynamic leaf queue before the first application enters it, with the parents that it needs. An existing
    /// queue stays as it is. The next clean-up removes the queue if it is empty. Waits for the control.
    ///
    /// # Errors
    /// [`NoQueue::BadName`], [`Invalid::LongName`], [`NoQueue::CannotCreate`]: parents made before the obstacle was met
    /// remain, as in Hadoop; [`Invalid::OwnThread`], [`Gone::Task`], [`Gone::ShutDown`].
    pub fn create_queue(&self, name: &str) -> Result<(), Refused> {
        self.add_queue(name, true)
    }

    /// As [`create_queue`](Self::create_queue), but the queue is a parent.
    ///
    /// # Errors
    /// Those of [`create_queue`](Self::create_queue).
    pub fn create_parent_queue(&self, name: &str) -> Result<(), Refused> {
        self.add_queue(name, false)
    }

    fn add_queue(&self, name: &str, leaf: bool) -> Result<(), Refused> {
        self.door().call(|reply| Call::Own(FairCall::AddQueue { name: name.to_owned(), leaf, reply }))?
    }

    /// Returns the settings of each queue, as configured, by name. Waits for the control.
    ///
    /// # Errors
    /// [`Invalid::OwnThread`], [`Gone::Task`], [`Gone::ShutDown`].
    pub fn queue_configs(&self) -> Result<Vec<QueueConfig>, Refused> {
        self.door().look(Control::queue_configs)
    }

    /// Returns the allocation file in force. Waits for the control.
    ///
    /// # Errors
    /// [`Invalid::OwnThread`], [`Gone::Task`], [`Gone::ShutDown`].
    pub fn allocations(&self) -> Result<AllocationFile, Refused> {
        self.door().look(|control| control.allocations().clone())
    }

    /// Returns the placement rules in force: those of the last file that had any, otherwise those of the settings.
    /// Waits for the control.
    ///
    /// # Errors
    /// [`Invalid::OwnThread`], [`Gone::Task`], [`Gone::ShutDown`].
    pub fn placement_rules(&self) -> Result<Vec<PlacementRule>, Refused> {
        self.door().look(|control| control.placement_rules().to_vec())
    }

    /// Takes new allocations, which the embedder has read. Waits for the control.
    ///
    /// First it cleans up as the watcher does: it removes empty dynamic queues, and tries waiting changes of a queue's
    /// type again. Scheduling goes on under the old allocations until the new ones are published. Then this call
    /// returns.
    ///
    /// | call | has the allocations from | cleans up first | warnings |
    /// | --- | --- | --- | --- |
    /// | `reload` | the embedder, as a value | yes | of the parser that made it |
    /// | [`reload_text`](Self::reload_text) | the embedder, as a text | yes | returned |
    /// | [`refresh_file`](Self::refresh_file) | the watched file, whether or not it has changed | no | returned, and an event |
    /// | the watcher | the watched file, when it has changed and is quiet | at each look | an event |
    /// | [`clean_up`](Self::clean_up) | nowhere: those in force stay | that alone | none |
    ///
    /// # Errors
    /// [`Configuration::Allocations`] if they are not valid; [`Configuration::BrokeOff`]; [`Invalid::OwnThread`],
    /// [`Gone::Task`], [`Gone::ShutDown`].
    pub fn reload(&self, allocations: AllocationFile) -> Result<(), Refused> {
        self.door().open()?.lanes.control.send(ControlMessage::CleanUp).map_err(|_| self.door().gone(CONTROL))?;
        self.door().call(|reply| Call::Reload(Box::new(allocations), reply))?
    }

    /// Takes new allocations from the text of an allocation file, as [`reload`](Self::reload). It first removes empty
    /// dynamic queues, and then parses the text on the caller's thread. Returns warnings: what was accepted although it
    /// is probably a mistake. Waits for the control.
    ///
    /// # Errors
    /// [`Configuration::Allocations`] when the text is no allocation file: the old one stays, except perhaps the
    /// placement rules; [`Configuration::BrokeOff`]; [`Invalid::OwnThread`], [`Gone::Task`], [`Gone::ShutDown`].
    pub fn reload_text(&self, text: &str) -> Result<Vec<Diagnostic>, Refused> {
        take_text(self.door(), text, true)
    }

    /// Reads the allocation file again at once, whether or not it has changed, as `yarn rmadmin -refreshQueues` does.
    /// New reservable queues become plans. (They do not when the watcher finds a changed file.) Returns warnings: what
    /// was accepted although it is probably a mistake. The same is sent as an event.
    ///
    /// Scheduling goes on meanwhile. Waits at most a minute; see [`refresh_file_within`](Self::refresh_file_within).
    ///
    /// Hadoop's command also reads the largest container again: see
    /// [`set_maximum_allocation`](Self::set_maximum_allocation).
    ///
    /// # Errors
    /// [`Configuration::NoFile`] when there is no file to read; [`Configuration::Allocations`] when it cannot be read
    /// or is not valid: what was in force stays; [`Configuration::BrokeOff`]; [`Configuration::PlanClass`] of a new
    /// plan; [`TryAgain::Panicked`] when the source panics; [`Refused::TimedOut`] when it takes too long: what it reads
    /// in the end still takes effect; [`Invalid::OwnThread`], [`Gone::Task`], [`Gone::ShutDown`], also if it shuts down
    /// meanwhile.
    pub fn refresh_file(&self) -> Result<Vec<Diagnostic>, Refused> {
        self.refresh_file_within(REFRESH)
    }

    /// As [`refresh_file`](Self::refresh_file), but waits at most for `time`.
    ///
    /// # Errors
    /// Those of [`refresh_file`](Self::refresh_file).
    pub fn refresh_file_within(&self, time: Duration) -> Result<Vec<Diagnostic>, Refused> {
        self.door().open()?;
        self.door().may_wait()?;
        let patience = Patience::of(time);
        let lane = self.inner.own.watcher.as_ref().ok_or(Configuration::NoFile)?;
        let (reply, answer) = once();
        lane.send(WatchCall::Refresh(reply)).map_err(|_| self.door().gone("watcher"))?;
        let warnings = self.door().answer(&answer, &patience, "watcher")??;
        self.refresh_plans()?;
        Ok(warnings)
    }

    /// Does what the watcher does at each look even if the file has not changed: it removes empty dynamic queues, and
    /// tries waiting changes of a queue's type again. Waits until this is published.
    ///
    /// # Errors
    /// [`Invalid::OwnThread`], [`Gone::Task`], [`Gone::ShutDown`].
    pub fn clean_up(&self) -> Result<(), Refused> {
        let lane = &self.door().open_to_wait()?.lanes.control;
        let (reply, answer) = once();
        lane.send(ControlMessage::CleanUp).map_err(|_| self.door().gone("control"))?;
        lane.send(ControlMessage::Barrier(reply.into())).map_err(|_| self.door().gone("control"))?;
        self.door().answer(&answer, &Patience::endless(), "control")
    }

    /// Ends every container that is marked for preemption, whether or not its wait is over. Sends messages to the
    /// workers: [`quiesce`](Self::quiesce) waits until they have done it.
    ///
    /// # Errors
    /// Those of [`preempt`](Self::preempt).
    pub fn kill_marked(&self) -> Result<(), Refused> {
        ask_preemption(self.door(), PreemptionCall::KillAll)
    }

    /// Sets the largest container ([`Settings::maximum`](crate::Settings::maximum)). Earlier asks stay as they are.
    /// Waits for the control.
    ///
    /// Of the yarn-site properties, `yarn rmadmin -refreshQueues` reads only this one again.
    ///
    /// # Errors
    /// [`Invalid::Maximum`]; [`Invalid::OwnThread`], [`Gone::Task`], [`Gone::ShutDown`].
    pub fn set_maximum_allocation(&self, maximum: Resource) -> Result<(), Refused> {
        self.door().call(|reply| Call::SetMaximum(maximum, reply))?
    }
}

/// # Of the FairScheduler alone
impl Stepped<Fair> {
    /// Creates a dynamic leaf queue, as [`FairScheduler::create_queue`](crate::FairScheduler::create_queue).
    ///
    /// # Errors
    /// [`NoQueue::BadName`], [`Invalid::LongName`], [`NoQueue::CannotCreate`].
    pub fn create_queue(&mut self, name: &str) -> Result<(), Refused> {
        self.add_queue(name, true)
    }

    /// As [`create_queue`](Self::create_queue), but the queue is a parent.
    ///
    /// # Errors
    /// Those of [`create_queue`](Self::create_queue).
    pub fn create_parent_queue(&mut self, name: &str) -> Result<(), Refused> {
        self.add_queue(name, false)
    }

    fn add_queue(&mut self, name: &str, leaf: bool) -> Result<(), Refused> {
        let outcome = self.steps.stepper.control().add_queue(name, leaf);
        self.steps.settle();
        outcome
    }

    /// Returns the settings of each queue, as configured, by name.
    pub fn queue_configs(&mut self) -> Vec<QueueConfig> {
        self.steps.stepper.control().queue_configs()
    }

    /// Returns the allocation file in force.
    pub fn allocations(&mut self) -> &AllocationFile {
        self.steps.stepper.control().allocations()
    }

    /// Returns the placement rules in force: those of the last file that had any, otherwise those of the settings.
    pub fn placement_rules(&mut self) -> &[PlacementRule] {
        self.steps.stepper.control().placement_rules()
    }

    /// Takes new allocations, as [`FairScheduler::reload`](crate::FairScheduler::reload).
    ///
    /// # Errors
    /// [`Configuration::Allocations`], [`Configuration::BrokeOff`].
    pub fn reload(&mut self, allocations: AllocationFile) -> Result<(), Refused> {
        let control = self.steps.stepper.control();
        Reloads::clean_up(control);
        let outcome = control.take(Box::new(allocations));
        self.steps.settle();
        outcome
    }

    /// Takes new allocations from a text, as [`FairScheduler::reload_text`](crate::FairScheduler::reload_text).
    ///
    /// # Errors
    /// [`Configuration::Allocations`]: the old ones stay, except perhaps the placement rules.
    /// [`Configuration::BrokeOff`].
    pub fn reload_text(&mut self, text: &str) -> Result<Vec<Diagnostic>, Refused> {
        Reloads::clean_up(self.steps.stepper.control());
        take_text_stepped(&mut self.steps, text)
    }

    /// Reads the watched allocation file again, as
    /// [`FairScheduler::refresh_file`](crate::FairScheduler::refresh_file).
    ///
    /// # Errors
    /// [`Configuration::NoFile`] when there is no file to read; [`Configuration::Allocations`] when it cannot be read
    /// or is not valid: what was in force stays; [`Configuration::BrokeOff`]; [`Configuration::PlanClass`].
    pub fn refresh_file(&mut self) -> Result<Vec<Diagnostic>, Refused> {
        let clock = self.steps.stepper.shared().clock.clone();
        let watcher = self.beside.as_mut().ok_or(Configuration::NoFile)?;
        let outcome = watcher.refresh(&*clock, self.steps.stepper.control());
        self.steps.settle();
        let warnings = outcome?;
        self.refresh_plans()?;
        Ok(warnings)
    }

    /// Cleans up as the allocation file's watcher does, as [`FairScheduler::clean_up`](crate::FairScheduler::clean_up).
    pub fn clean_up(&mut self) {
        Reloads::clean_up(self.steps.stepper.control());
        self.steps.settle();
    }

    /// Ends every container that is marked for preemption, whether or not its wait is over.
    ///
    /// # Errors
    /// Those of [`preempt`](Self::preempt).
    pub fn kill_marked(&mut self) -> Result<(), Refused> {
        self.steps.stepper.preempt(|preemptor, workers| preemptor.kill_all(workers))?;
        self.steps.settle();
        Ok(())
    }

    /// Sets the largest container, as
    /// [`FairScheduler::set_maximum_allocation`](crate::FairScheduler::set_maximum_allocation).
    ///
    /// # Errors
    /// [`Invalid::Maximum`].
    pub fn set_maximum_allocation(&mut self, maximum: Resource) -> Result<(), Refused> {
        self.steps.stepper.control().set_maximum(maximum)?;
        self.steps.settle();
        Ok(())
    }

    /// Why the passes over nodes since this was last called went as they did, in order; with several workers, worker by
    /// worker. Empty without a [trace](crate::FairSchedulerBuilder::trace).
    pub fn take_trace(&mut self) -> Vec<Decision> {
        self.steps.stepper.shards().flat_map(|shard| shard.take_trace()).collect()
    }
}
