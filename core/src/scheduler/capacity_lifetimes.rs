//! Calls of the CapacityScheduler for lifetimes of applications.
//!
//! Run on the caller's thread; what they ask is the control's.

use super::handles::AppHandle;
use super::policy::Capacity;
use super::stepped::Stepped;
use super::threaded::Scheduler;
use crate::capacity::{CapacityCall, Lifetime};
use crate::engine::intake::to_control::Call;
use crate::event::Refused;
#[cfg(doc)]
use crate::event::refused::*;
use crate::id::ApplicationId;

/// # Lifetimes of applications
impl Scheduler<Capacity> {
    /// Returns when the lifetime of an application is over; `None` if never. Waits for the control.
    ///
    /// An application gets its lifetime at its submission: what it asks for
    /// ([`SubmitTerms::with_lifetime`](crate::SubmitTerms::with_lifetime)), at most `maximum-application-lifetime` of
    /// its leaf queue, otherwise the queue's `default-application-lifetime`. As in Hadoop neither a move nor a refresh
    /// changes it, and an application that makes its queue gets what it asks for.
    ///
    /// # Errors
    /// [`NotFound::App`] if it has ended; [`TryAgain::Panicked`] (the clock); [`Invalid::OwnThread`], [`Gone::Task`],
    /// [`Gone::ShutDown`].
    pub fn lifetime(&self, app: &AppHandle) -> Result<Option<Lifetime>, Refused> {
        let app = app.0.clone();
        self.door().look(move |control| control.lifetime(&app))?
    }

    /// Sets the lifetime of an application in seconds from now on. Returns when it is over, which may be at once. Waits
    /// for the control.
    ///
    /// The total since the submission is cut, without a refusal, to `maximum-application-lifetime` of the application's
    /// present queue.
    ///
    /// Follows `RMAppManager.updateApplicationTimeout`, which `yarn application -updateLifetime` calls.
    ///
    /// # Errors
    /// [`Invalid::Lifetime`] of less than 0; [`NotFound::App`] if it has ended; [`TryAgain::Panicked`] (the clock);
    /// [`Invalid::OwnThread`], [`Gone::Task`], [`Gone::ShutDown`].
    pub fn set_lifetime(&self, app: &AppHandle, seconds: i64) -> Result<Lifetime, Refused> {
        self.set_lifetime_by(None, app, seconds)
    }

    /// As [`set_lifetime`](Self::set_lifetime), on behalf of a user, who must have the right to change the application:
    /// see [`check_app`](Self::check_app).
    ///
    /// # Errors
    /// [`Denied::App`] if the user may not; otherwise those of [`set_lifetime`](Self::set_lifetime).
    pub fn set_lifetime_as(&self, user: &str, app: &AppHandle, seconds: i64) -> Result<Lifetime, Refused> {
        self.set_lifetime_by(Some(user), app, seconds)
    }

    fn set_lifetime_by(&self, by: Option<&str>, app: &AppHandle, seconds: i64) -> Result<Lifetime, Refused> {
        let (app, by) = (app.0.clone(), by.map(str::to_owned));
        self.door().call(|reply| Call::Own(CapacityCall::SetLifetime { app, by, seconds, reply }))?
    }

    /// Makes one round of the lifetime monitor: it ends every application whose lifetime is over, and returns their
    /// ids, the longest overdue first. With timers the scheduler makes a round every
    /// `yarn.resourcemanager.application-timeouts.monitor.interval-ms` (3,000).
    ///
    /// An event reports each end ([`SchedulerEvent::LifetimeOver`](crate::SchedulerEvent::LifetimeOver)). Calls of its
    /// AM are refused ([`NotFound::App`]). As by [`finish`](Self::finish), nodes are told what to stop with
    /// [`node_stops`](crate::CapacitySchedulerBuilder::node_stops). Waits only for the control:
    /// [`quiesce`](Self::quiesce) waits for the ends.
    ///
    /// # Errors
    /// [`TryAgain::Panicked`] (the clock); [`Invalid::OwnThread`], [`Gone::Task`], [`Gone::ShutDown`].
    pub fn expire_applications(&self) -> Result<Vec<ApplicationId>, Refused> {
        self.door().call(|reply| Call::Own(CapacityCall::ExpireApplications(reply)))?
    }

    /// Returns the lifetime in seconds that an application gets in a leaf queue if it asks for `asked_seconds`. 0 or
    /// less means none, in both. If the queue does not exist or is not a leaf, it returns `asked_seconds`. Waits for
    /// the control.
    ///
    /// Follows `CapacityScheduler.checkAndGetApplicationLifetime`.
    ///
    /// # Errors
    /// [`Invalid::OwnThread`], [`Gone::Task`], [`Gone::ShutDown`].
    pub fn lifetime_in(&self, queue: &str, asked_seconds: i64) -> Result<i64, Refused> {
        let queue = queue.to_owned();
        self.door().look(move |control| control.lifetime_in(&queue, asked_seconds))
    }

    /// Returns the longest lifetime in a leaf queue, in seconds. 0 or less means that there is no limit. If the queue
    /// does not exist or is not a leaf, it returns -1. Waits for the control.
    ///
    /// Follows `CapacityScheduler.getMaximumApplicationLifetime`.
    ///
    /// # Errors
    /// [`Invalid::OwnThread`], [`Gone::Task`], [`Gone::ShutDown`].
    pub fn maximum_lifetime(&self, queue: &str) -> Result<i64, Refused> {
        let queue = queue.to_owned();
        self.door().look(move |control| control.maximum_lifetime(&queue))
    }
}

/// # Lifetimes of applications
impl Stepped<Capacity> {
    /// Returns when the lifetime of an application is over, as
    /// [`CapacityScheduler::lifetime`](crate::CapacityScheduler::lifetime).
    ///
    /// # Errors
    /// [`NotFound::App`] if it has ended; [`TryAgain::Panicked`] (the clock).
    pub fn lifetime(&mut self, app: &AppHandle) -> Result<Option<Lifetime>, Refused> {
        self.steps.stepper.control().lifetime(&app.0)
    }

    /// Sets the lifetime of an application in seconds from now on, as
    /// [`CapacityScheduler::set_lifetime`](crate::CapacityScheduler::set_lifetime).
    ///
    /// # Errors
    /// [`Invalid::Lifetime`] of less than 0; [`NotFound::App`] if it has ended; [`TryAgain::Panicked`] (the clock).
    pub fn set_lifetime(&mut self, app: &AppHandle, seconds: i64) -> Result<Lifetime, Refused> {
        self.steps.stepper.control().set_lifetime(None, &app.0, seconds)
    }

    /// As [`set_lifetime`](Self::set_lifetime), on behalf of a user: see
    /// [`CapacityScheduler::set_lifetime_as`](crate::CapacityScheduler::set_lifetime_as).
    ///
    /// # Errors
    /// [`Denied::App`] if the user may not; otherwise those of [`set_lifetime`](Self::set_lifetime).
    pub fn set_lifetime_as(&mut self, user: &str, app: &AppHandle, seconds: i64) -> Result<Lifetime, Refused> {
        self.steps.stepper.control().set_lifetime(Some(user), &app.0, seconds)
    }

    /// Makes one round of the lifetime monitor, as
    /// [`CapacityScheduler::expire_applications`](crate::CapacityScheduler::expire_applications). Nothing else makes
    /// one here.
    ///
    /// # Errors
    /// [`TryAgain::Panicked`] (the clock).
    pub fn expire_applications(&mut self) -> Result<Vec<ApplicationId>, Refused> {
        let ended = self.steps.stepper.control().expire_applications();
        self.steps.settle();
        ended
    }

    /// Returns the lifetime that an application gets in a leaf queue, as
    /// [`CapacityScheduler::lifetime_in`](crate::CapacityScheduler::lifetime_in).
    pub fn lifetime_in(&mut self, queue: &str, asked_seconds: i64) -> i64 {
        self.steps.stepper.control().lifetime_in(queue, asked_seconds)
    }

    /// Returns the longest lifetime in a leaf queue, as
    /// [`CapacityScheduler::maximum_lifetime`](crate::CapacityScheduler::maximum_lifetime).
    pub fn maximum_lifetime(&mut self, queue: &str) -> i64 {
        self.steps.stepper.control().maximum_lifetime(queue)
    }
}
