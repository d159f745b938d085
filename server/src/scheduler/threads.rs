//! A FairScheduler on threads of its own, for those who ask.

use std::collections::HashMap;

use evenweave::config::{Diagnostic, QueueAccess};
use evenweave::reason::Words;
use evenweave::refused::NotFound;
use evenweave::view::QueueView;
use evenweave::{AppHandle, FairScheduler, Refused, Resource, SchedulerApi};

use super::asked::{AppFigures, Basics, Counts, FairQueue, Scheduler, Why};
use super::booking::Booking;
use super::held::Held;
use super::reading::allocations;
use super::refresh::{NotRefreshed, QueuesText};
use super::shares::{am_limit, figures};

/// A handle to a running FairScheduler. What a thread of it cannot answer any more is shown as nothing.
#[derive(Debug)]
pub struct Threads {
    scheduler: FairScheduler,
    basics: Basics,
}

impl Threads {
    /// Of a running scheduler.
    #[must_use]
    pub fn new(scheduler: FairScheduler, basics: Basics) -> Threads {
        Threads { scheduler, basics }
    }
}

impl Held for Threads {
    fn held<T>(&self, what: impl FnOnce(&mut dyn SchedulerApi) -> T) -> T {
        what(&mut self.scheduler.clone())
    }
}

impl Scheduler for Threads {
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
        let queues = self.scheduler.queues().unwrap_or_default();
        queues.iter().find(|queue| queue.name == "root").map_or(self.basics.maximum, |root| root.max_allocation)
    }

    fn apps(&self) -> Vec<AppFigures> {
        figures(
            self.scheduler.apps().unwrap_or_default(),
            &self.scheduler.queues().unwrap_or_default(),
            &self.cluster(),
        )
    }

    fn priority(&self, _: u32) -> Option<i32> {
        None
    }

    /// What AMs may use is as things stand: a running scheduler keeps no trace of what it last worked out.
    fn fair_queues(&self) -> Vec<FairQueue> {
        let configs = self.scheduler.queue_configs().unwrap_or_default();
        let shares: HashMap<&str, f32> =
            configs.iter().map(|queue| (queue.name.as_str(), queue.max_am_share)).collect();
        let stats = self.scheduler.stats();
        let with_limit = |view: QueueView| {
            let max_am_share = shares.get(view.name.as_str()).copied().unwrap_or(-1.0);
            let am_limit = match !view.leaf || (max_am_share + 1.0).abs() < 0.0001 {
                true => Resource::ZERO,
                false => am_limit(&view, max_am_share, &stats.cluster, &stats.allocated),
            };
            FairQueue { view, am_limit, max_am_share }
        };
        self.scheduler.queues().unwrap_or_default().into_iter().map(with_limit).collect()
    }

    fn has_queue(&self, name: &str) -> bool {
        self.scheduler.queues().unwrap_or_default().iter().any(|queue| queue.name == name)
    }

    fn has_access(&self, user: &str, queue: &str, access: QueueAccess) -> bool {
        self.scheduler.has_access(user, queue, access).unwrap_or(false)
    }

    fn booking(&self) -> Option<&dyn Booking> {
        Some(self)
    }

    fn why_waiting(&self, app: &AppHandle) -> Result<Vec<Why>, Refused> {
        let words = Words::new(&self.basics.types);
        let reasons = self.scheduler.why_waiting(app)?;
        Ok(reasons.into_iter().map(|reason| Why::told(reason, |wait| words.wait(wait).to_string())).collect())
    }

    fn set_priority(&self, _by: &str, app: &AppHandle, _priority: i32) -> Result<i32, Refused> {
        // Hadoop refuses it, whatever the application.
        Err(NotFound::App(app.number()).into())
    }

    fn refresh_queues(&self, file: Option<&QueuesText>) -> Result<Vec<Diagnostic>, NotRefreshed> {
        let Some(file) = file else { return Ok(self.scheduler.refresh_file()?) };
        let warnings = allocations(file, &self.basics)?;
        self.scheduler.reload_text(&file.text)?;
        Ok(warnings)
    }
}
