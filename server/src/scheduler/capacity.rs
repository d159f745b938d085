//! A CapacityScheduler without threads, for the one who drives it and for those who ask.

use std::sync::{Mutex, MutexGuard, PoisonError};

use evenweave::config::capacity::QueueTemplates;
use evenweave::config::{Diagnostic, QueueAccess};
use evenweave::reason::{Watch, Watched};
use evenweave::view::CapacityQueueView;
use evenweave::{AppHandle, CapacityStepped, Refused, Resource, SchedulerApi};

use super::asked::{AppFigures, Basics, Common, Counts, FairQueue, Health, Scheduler, Why};
use super::booking::Booking;
use super::capacity_views::{figures, has_queue, largest, nearest, templates};
use super::held::Held;
use super::reading::capacities;
use super::refresh::{NotRefreshed, QueuesText};

/// A stepped CapacityScheduler behind a lock: whoever steps and whoever asks take turns.
#[derive(Debug)]
pub struct CapacitySteps {
    basics: Basics,
    inner: Mutex<Inner>,
}

#[derive(Debug)]
struct Inner {
    stepped: CapacityStepped,
    health: Health,
}

impl CapacitySteps {
    /// Of a scheduler.
    #[must_use]
    pub fn new(stepped: CapacityStepped, basics: Basics) -> CapacitySteps {
        CapacitySteps { basics, inner: Mutex::new(Inner { stepped, health: Health::default() }) }
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does something with the scheduler.
    pub fn step<T>(&self, what: impl FnOnce(&mut CapacityStepped) -> T) -> T {
        what(&mut self.inner().stepped)
    }

    /// Says what the last passes came to.
    pub fn tell_health(&self, tell: impl FnOnce(&mut Health)) {
        tell(&mut self.inner().health);
    }
}

impl Held for CapacitySteps {
    fn held<T>(&self, what: impl FnOnce(&mut dyn SchedulerApi) -> T) -> T {
        self.step(|stepped| what(stepped))
    }
}

impl Scheduler for CapacitySteps {
    fn basics(&self) -> &Basics {
        &self.basics
    }

    fn cluster(&self) -> Resource {
        self.step(|stepped| stepped.stats().cluster)
    }

    fn counts(&self) -> Counts {
        self.step(|stepped| stepped.stats()).into()
    }

    fn largest(&self) -> Resource {
        largest(&self.basics, &Common::nodes(self))
    }

    fn apps(&self) -> Vec<AppFigures> {
        let (apps, queues, cluster) = self.step(|stepped| (stepped.apps(), stepped.queues(), stepped.stats().cluster));
        figures(apps, &queues, &cluster)
    }

    fn priority(&self, number: u32) -> Option<i32> {
        self.step(|stepped| stepped.app(number)).map(|view| view.priority)
    }

    fn fair_queues(&self) -> Vec<FairQueue> {
        Vec::new()
    }

    fn capacity_queues(&self) -> Vec<CapacityQueueView> {
        self.step(|stepped| stepped.queues())
    }

    fn templates(&self, queue: &str) -> Option<QueueTemplates> {
        templates(&self.step(CapacityStepped::configuration), queue)
    }

    fn health(&self) -> Health {
        self.inner().health.clone()
    }

    fn has_queue(&self, name: &str) -> bool {
        has_queue(&self.capacity_queues(), name)
    }

    fn has_access(&self, user: &str, queue: &str, access: QueueAccess) -> bool {
        let queue = nearest(&self.capacity_queues(), queue);
        self.step(|stepped| stepped.has_access(user, queue, access))
    }

    fn booking(&self) -> Option<&dyn Booking> {
        Some(self)
    }

    fn why_waiting(&self, app: &AppHandle) -> Result<Vec<Why>, Refused> {
        let reasons = self.step(|stepped| stepped.why_waiting(app));
        Ok(reasons.into_iter().map(|reason| Why::told(reason, ToString::to_string)).collect())
    }

    fn watch(&self, what: Watch) {
        self.step(|stepped| stepped.watch(what));
    }

    fn take_watched(&self) -> Watched {
        self.step(CapacityStepped::take_watched)
    }

    fn set_priority(&self, by: &str, app: &AppHandle, priority: i32) -> Result<i32, Refused> {
        self.step(|stepped| {
            stepped.set_priority_as(by, app, priority)?;
            Ok(stepped.app(app.number()).map_or(priority, |view| view.priority))
        })
    }

    fn refresh_queues(&self, file: Option<&QueuesText>) -> Result<Vec<Diagnostic>, NotRefreshed> {
        let file = file.ok_or(NotRefreshed::NoFile)?;
        let (read, warnings) = capacities(file, &self.step(CapacityStepped::configuration))?;
        self.step(|stepped| stepped.refresh_with(read))?;
        Ok(warnings)
    }
}
