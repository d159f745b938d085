//! Calls of the CapacityScheduler for lifetimes of applications.
//!
//! Run on the caller's thread; what they ask is the control's.

use super::capacity::CapacityStepped;
use super::capacity_threads::CapacityScheduler;
use super::handles::AppHandle;
use crate::capacity::{CapacityCall, Lifetime};
use crate::engine::control::Call;
use crate::event::Refused;
use crate::id::ApplicationId;

impl CapacityScheduler {
    /// When an application's time is over; `None`: never. It has got its lifetime with its submission: what it asked for
    /// ([`SubmitTerms::with_lifetime`](crate::SubmitTerms::with_lifetime)) within its leaf queue's `maximum-application-lifetime`, else the
    /// queue's `default-application-lifetime`. As in Hadoop neither a move nor a refresh changes it, and an application that makes its queue
    /// gets what it asks for.
    ///
    /// # Errors
    /// [`Refused::NoSuchApp`] when it has ended; [`Refused::Panicked`] (the clock); [`Refused::OwnThread`], [`Refused::TaskLost`],
    /// [`Refused::ShutDown`].
    pub fn lifetime(&self, app: &AppHandle) -> Result<Option<Lifetime>, Refused> {
        let app = app.0.clone();
        self.door().look(move |control| control.lifetime(&app))?
    }

    /// Gives an application so many seconds from now on, whether it had a lifetime or not. It is cut, without a refusal, to what
    /// `maximum-application-lifetime` of the queue in which it is by now gives it from its submission on. Says when its time is over then,
    /// which may be at once. `RMAppManager.updateApplicationTimeout`, and what `yarn application -updateLifetime` asks for.
    ///
    /// # Errors
    /// [`Refused::BadLifetime`] of less than 0; [`Refused::NoSuchApp`] when it has ended; [`Refused::Panicked`] (the clock);
    /// [`Refused::OwnThread`], [`Refused::TaskLost`], [`Refused::ShutDown`].
    pub fn set_lifetime(&self, app: &AppHandle, seconds: i64) -> Result<Lifetime, Refused> {
        self.set_lifetime_by(None, app, seconds)
    }

    /// The same on behalf of a user, who must have the right to change it: see [`check_app`](Self::check_app).
    ///
    /// # Errors
    /// [`Refused::AppAcl`] where he may not; otherwise as of [`set_lifetime`](Self::set_lifetime).
    pub fn set_lifetime_as(&self, user: &str, app: &AppHandle, seconds: i64) -> Result<Lifetime, Refused> {
        self.set_lifetime_by(Some(user), app, seconds)
    }

    fn set_lifetime_by(&self, by: Option<&str>, app: &AppHandle, seconds: i64) -> Result<Lifetime, Refused> {
        let (app, by) = (app.0.clone(), by.map(str::to_owned));
        self.door().call(|reply| Call::Own(CapacityCall::SetLifetime { app, by, seconds, reply }))?
    }

    /// One round of the lifetime monitor: ends every application whose time is over, and says which, the longest overdue first. With timers
    /// the scheduler makes one each `yarn.resourcemanager.application-timeouts.monitor.interval-ms` (3000). An event tells of each
    /// ([`SchedulerEvent::LifetimeOver`](crate::SchedulerEvent::LifetimeOver)); its AM's calls are refused ([`Refused::NoSuchApp`]), and its
    /// nodes are told what to stop where [`node_stops`](crate::CapacitySchedulerBuilder::node_stops) is on, as by [`finish`](Self::finish).
    /// Waits for the control alone: [`quiesce`](Self::quiesce) for their ends.
    ///
    /// # Errors
    /// [`Refused::Panicked`] (the clock); [`Refused::OwnThread`], [`Refused::TaskLost`], [`Refused::ShutDown`].
    pub fn expire_applications(&self) -> Result<Vec<ApplicationId>, Refused> {
        self.door().call(|reply| Call::Own(CapacityCall::ExpireApplications(reply)))?
    }

    /// The lifetime in seconds that an application gets in a leaf queue which asks for so many; 0 and below are none, of either. Of a queue
    /// that is not there, or no leaf, what was asked for. `CapacityScheduler.checkAndGetApplicationLifetime`.
    ///
    /// # Errors
    /// [`Refused::OwnThread`], [`Refused::TaskLost`], [`Refused::ShutDown`].
    pub fn lifetime_in(&self, queue: &str, asked_seconds: i64) -> Result<i64, Refused> {
        let queue = queue.to_owned();
        self.door().look(move |control| control.lifetime_in(&queue, asked_seconds))
    }

    /// The longest lifetime in a leaf queue in seconds; 0 and below are none. Of a queue that is not there, or no leaf, -1.
    /// `CapacityScheduler.getMaximumApplicationLifetime`.
    ///
    /// # Errors
    /// [`Refused::OwnThread`], [`Refused::TaskLost`], [`Refused::ShutDown`].
    pub fn maximum_lifetime(&self, queue: &str) -> Result<i64, Refused> {
        let queue = queue.to_owned();
        self.door().look(move |control| control.maximum_lifetime(&queue))
    }
}

impl CapacityStepped {
    /// When an application's time is over, as [`CapacityScheduler::lifetime`].
    ///
    /// # Errors
    /// [`Refused::NoSuchApp`] when it has ended; [`Refused::Panicked`] (the clock).
    pub fn lifetime(&mut self, app: &AppHandle) -> Result<Option<Lifetime>, Refused> {
        self.steps.stepper.control().lifetime(&app.0)
    }

    /// Gives an application so many seconds from now on, as [`CapacityScheduler::set_lifetime`].
    ///
    /// # Errors
    /// [`Refused::BadLifetime`] of less than 0; [`Refused::NoSuchApp`] when it has ended; [`Refused::Panicked`] (the clock).
    pub fn set_lifetime(&mut self, app: &AppHandle, seconds: i64) -> Result<Lifetime, Refused> {
        self.steps.stepper.control().set_lifetime(None, &app.0, seconds)
    }

    /// The same on behalf of a user, as [`CapacityScheduler::set_lifetime_as`].
    ///
    /// # Errors
    /// [`Refused::AppAcl`] where he may not; otherwise as of [`set_lifetime`](Self::set_lifetime).
    pub fn set_lifetime_as(&mut self, user: &str, app: &AppHandle, seconds: i64) -> Result<Lifetime, Refused> {
        self.steps.stepper.control().set_lifetime(Some(user), &app.0, seconds)
    }

    /// One round of the lifetime monitor, as [`CapacityScheduler::expire_applications`]. Nothing else makes one here.
    ///
    /// # Errors
    /// [`Refused::Panicked`] (the clock).
    pub fn expire_applications(&mut self) -> Result<Vec<ApplicationId>, Refused> {
        let ended = self.steps.stepper.control().expire_applications();
        self.steps.settle();
        ended
    }

    /// The lifetime that an application gets in a leaf queue, as [`CapacityScheduler::lifetime_in`].
    pub fn lifetime_in(&mut self, queue: &str, asked_seconds: i64) -> i64 {
        self.steps.stepper.control().lifetime_in(queue, asked_seconds)
    }

    /// The longest lifetime in a leaf queue, as [`CapacityScheduler::maximum_lifetime`].
    pub fn maximum_lifetime(&mut self, queue: &str) -> i64 {
        self.steps.stepper.control().maximum_lifetime(queue)
    }
}
