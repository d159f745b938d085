//! A FairScheduler without threads, for the one who drives it and for those who ask.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use evenweave::config::Diagnostic;
use evenweave::reason::{AppOutcome, AppVisit, Decision, QueueVisit, ReservationOutcome};
use evenweave::view::QueueView;
use evenweave::{Resource, SchedulerApi as _, Stepped};

use super::asked::{Basics, FairQueue, Scheduler};
use super::held::Held;
use super::reading::allocations;
use super::refresh::{NotRefreshed, QueuesText};

/// A stepped FairScheduler behind a lock: whoever steps and whoever asks take turns.
#[derive(Debug)]
pub struct Steps {
    basics: Basics,
    inner: Mutex<Inner>,
}

#[derive(Debug)]
struct Inner {
    stepped: Stepped,
    /// What AMs may use, by leaf queue, as of the last check.
    am_limits: BTreeMap<String, Resource>,
}

impl Steps {
    /// Of a scheduler that keeps a trace: from it comes what AMs may use.
    #[must_use]
    pub fn new(stepped: Stepped, basics: Basics) -> Steps {
        Steps { basics, inner: Mutex::new(Inner { stepped, am_limits: BTreeMap::new() }) }
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does something with the scheduler.
    pub fn step<T>(&self, what: impl FnOnce(&mut Stepped) -> T) -> T {
        what(&mut self.inner().stepped)
    }

    /// Takes what the passes noted since this was last called.
    pub fn take_trace(&self) -> Vec<Decision> {
        let mut inner = self.inner();
        let passes = inner.stepped.take_trace();
        let queues: BTreeMap<u32, String> =
            inner.stepped.apps().into_iter().map(|app| (app.id.number, app.queue)).collect();
        for pass in &passes {
            if let Some(held) = &pass.reservation
                && !matches!(held.outcome, ReservationOutcome::Dropped(_))
                && let (Some(limit), Some(queue)) = (held.am_limit, queues.get(&held.app))
            {
                inner.am_limits.insert(queue.clone(), limit);
            }
            pass.descents.iter().for_each(|descent| note_limits(descent, &mut inner.am_limits));
        }
        passes
    }
}

/// Each application that was asked while it waited for its AM had the limit worked out.
fn note_limits(queue: &QueueVisit, limits: &mut BTreeMap<String, Resource>) {
    queue.queues.iter().for_each(|below| note_limits(below, limits));
    let was_asked = |app: &&AppVisit| {
        use AppOutcome::{Blacklisted, NotReached, NothingPending, Waiting};
        !matches!(app.outcome, NotReached | Blacklisted | NothingPending | Waiting)
    };
    if let Some(limit) = queue.apps.iter().filter(was_asked).filter_map(|app| app.am_limit).next_back() {
        limits.insert(queue.queue.clone(), limit);
    }
}

impl Held for Steps {
    type Api = Stepped;

    fn held<T>(&self, what: impl FnOnce(&mut Stepped) -> T) -> T {
        self.step(what)
    }

    fn basics(&self) -> &Basics {
        &self.basics
    }
}

impl Scheduler for Steps {
    fn fair_queues(&self) -> Vec<FairQueue> {
        let inner = &mut *self.inner();
        let shares: BTreeMap<String, f32> =
            inner.stepped.queue_configs().into_iter().map(|queue| (queue.name, queue.max_am_share)).collect();
        let with_limit = |view: QueueView| {
            let am_limit = inner.am_limits.get(&view.name).copied().unwrap_or(Resource::ZERO);
            let max_am_share = shares.get(&view.name).copied().unwrap_or(-1.0);
            FairQueue { view, am_limit, max_am_share }
        };
        inner.stepped.queues().into_iter().map(with_limit).collect()
    }

    fn refresh_queues(&self, file: Option<&QueuesText>) -> Result<Vec<Diagnostic>, NotRefreshed> {
        let Some(file) = file else { return Ok(self.step(Stepped::refresh_file)?) };
        let warnings = allocations(file, &self.basics)?;
        self.step(|stepped| stepped.refresh_queues(&file.text))?;
        Ok(warnings)
    }
}
