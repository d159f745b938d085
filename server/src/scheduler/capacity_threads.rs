//! A CapacityScheduler on threads of its own, for those who ask.

use evenweave::config::Diagnostic;
use evenweave::config::capacity::QueueTemplates;
use evenweave::reason::{Watch, Watched};
use evenweave::{AppHandle, CapacityScheduler, Refused};

use super::asked::{Basics, Scheduler};
use super::capacity_views::templates;
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
    type Api = CapacityScheduler;

    fn held<T>(&self, what: impl FnOnce(&mut CapacityScheduler) -> T) -> T {
        what(&mut self.scheduler.clone())
    }

    fn basics(&self) -> &Basics {
        &self.basics
    }
}

impl Scheduler for CapacityThreads {
    fn templates(&self, queue: &str) -> Option<QueueTemplates> {
        self.scheduler.configuration().ok().and_then(|configuration| templates(&configuration, queue))
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
