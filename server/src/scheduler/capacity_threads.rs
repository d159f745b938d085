//! A CapacityScheduler on threads of its own, for those who ask.

use evenweave::config::capacity::QueueTemplates;
use evenweave::config::{Diagnostic, QueueAccess};
use evenweave::reason::{Watch, Watched};
use evenweave::view::CapacityQueueView;
use evenweave::{AppHandle, CapacityScheduler, Refused, Resource, SchedulerApi};

use super::asked::{AppFigures, Basics, Common, Counts, FairQueue, Scheduler, Why};
use super::booking::Booking;
use super::capacity_views::{figures, has_queue, largest, nearest, templates};
use super::held::Held;
use super::reading::capacities;
use super::refresh::{NotRefreshed, QueuesText};

/// A handle to a running CapacityScheduler. What a thread of it cannot answer any more is shown as nothing.
#[derive(Debug)]
pub struct CapacityThreads {
    scheduler: CapacityScheduler,
    basics: Basics,
}

impl CapacityThreads {
    /// Of a running scheduler.
    #[must_use]
    pub fn new(scheduler: CapacityScheduler, basics: Basics) -> CapacityThreads {
        CapacityThreads { scheduler, basics }
    }
}

impl Held for CapacityThreads {
    fn held<T>(&self, what: impl FnOnce(&mut dyn SchedulerApi) -> T) -> T {
        what(&mut self.scheduler.clone())
    }
}

impl Scheduler for CapacityThreads {
    fn basics(&self) -> &Basics {
        &self.basics
    }

    fn cluster(&self) -> Resource {
        self.scheduler.stats().cluster
    }

    fn counts(&self) -> Counts {
        self.scheduler.stats().into()
    }

    fn largest(&self) -> Resource {
        largest(&self.basics, &Common::nodes(self))
    }

    fn apps(&self) -> Vec<AppFigures> {
        figures(self.scheduler.apps().unwrap_or_default(), &self.capacity_queues(), &self.cluster())
    }

    fn priority(&self, number: u32) -> Option<i32> {
        self.scheduler.app(number).ok().flatten().map(|view| view.priority)
    }

    fn fair_queues(&self) -> Vec<FairQueue> {
        Vec::new()
    }

    fn capacity_queues(&self) -> Vec<CapacityQueueView> {
        self.scheduler.queues().unwrap_or_default()
    }

    fn templates(&self, queue: &str) -> Option<QueueTemplates> {
        self.scheduler.configuration().ok().and_then(|configuration| templates(&configuration, queue))
    }

    fn has_queue(&self, name: &str) -> bool {
        has_queue(&self.capacity_queues(), name)
    }

    fn has_access(&self, user: &str, queue: &str, access: QueueAccess) -> bool {
        self.scheduler.has_access(user, nearest(&self.capacity_queues(), queue), access).unwrap_or(false)
    }

    fn booking(&self) -> Option<&dyn Booking> {
        Some(self)
    }

    fn why_waiting(&self, app: &AppHandle) -> Result<Vec<Why>, Refused> {
        let reasons = self.scheduler.why_waiting(app)?;
        Ok(reasons.into_iter().map(|reason| Why::told(reason, ToString::to_string)).collect())
    }

    fn watch(&self, what: Watch) {
        // A scheduler that has ended makes no passes.
        let _ = self.scheduler.watch(what);
    }

    fn take_watched(&self) -> Watched {
        self.scheduler.take_watched().unwrap_or_default()
    }

    fn set_priority(&self, by: &str, app: &AppHandle, priority: i32) -> Result<i32, Refused> {
        self.scheduler.set_priority_as(by, app, priority)?;
        Ok(self.scheduler.app(app.number())?.map_or(priority, |view| view.priority))
    }

    fn refresh_queues(&self, file: Option<&QueuesText>) -> Result<Vec<Diagnostic>, NotRefreshed> {
        let file = file.ok_or(NotRefreshed::NoFile)?;
        let (read, warnings) = capacities(file, &self.scheduler.configuration()?)?;
        self.scheduler.refresh_with(read)?;
        Ok(warnings)
    }
}
