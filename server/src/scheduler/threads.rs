//! A FairScheduler on threads of its own, for those who ask.

use std::collections::HashMap;

use evenweave::config::Diagnostic;
use evenweave::view::QueueView;
use evenweave::{FairScheduler, Resource};

use super::asked::{Basics, FairQueue, Scheduler};
use super::held::Held;
use super::reading::allocations;
use super::refresh::{NotRefreshed, QueuesText};
use super::shares::am_limit;

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
    type Api = FairScheduler;

    fn held<T>(&self, what: impl FnOnce(&mut FairScheduler) -> T) -> T {
        what(&mut self.scheduler.clone())
    }

    fn basics(&self) -> &Basics {
        &self.basics
    }
}

impl Scheduler for Threads {
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

    fn refresh_queues(&self, file: Option<&QueuesText>) -> Result<Vec<Diagnostic>, NotRefreshed> {
        let Some(file) = file else { return Ok(self.scheduler.refresh_file()?) };
        let warnings = allocations(file, &self.basics)?;
        self.scheduler.refresh_queues(&file.text)?;
        Ok(warnings)
    }
}
