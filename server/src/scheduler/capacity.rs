//! A CapacityScheduler without threads, for the one who drives it and for those who ask.

use std::sync::{Mutex, MutexGuard, PoisonError};

use evenweave::config::Diagnostic;
use evenweave::config::capacity::QueueTemplates;
use evenweave::reason::{Watch, Watched};
use evenweave::{AppHandle, CapacityStepped, Refused};

use super::asked::{Basics, Health, Scheduler};
use super::capacity_views::templates;
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
    type Api = CapacityStepped;

    fn held<T>(&self, what: impl FnOnce(&mut CapacityStepped) -> T) -> T {
        self.step(what)
    }

    fn basics(&self) -> &Basics {
        &self.basics
    }
}

impl Scheduler for CapacitySteps {
    fn templates(&self, queue: &str) -> Option<QueueTemplates> {
        templates(&self.step(CapacityStepped::configuration), queue)
    }

    fn health(&self) -> Health {
        self.inner().health.clone()
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
