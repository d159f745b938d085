//! Whether a ResourceManager takes work, and why not: what `/readyz` says.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use evenweave::SchedulerEvent;

/// Whether a scheduler takes work, as `/readyz` says it. At first it does.
#[derive(Debug, Default)]
pub struct Readiness(Mutex<Against>);

/// What stands against it.
#[derive(Debug, Default)]
struct Against {
    begins: Option<String>,
    lost: BTreeSet<usize>,
    ends: Option<String>,
}

impl Readiness {
    fn against(&self) -> MutexGuard<'_, Against> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The scheduler takes no work yet, for this reason, until [`takes_work`](Self::takes_work).
    pub fn begins(&self, why: impl Into<String>) {
        self.against().begins = Some(why.into());
    }

    /// The scheduler takes work, unless it has lost a worker or ends.
    pub fn takes_work(&self) {
        self.against().begins = None;
    }

    /// The scheduler takes no more work, for this reason. There is no way back.
    pub fn ends(&self, why: impl Into<String>) {
        self.against().ends.get_or_insert(why.into());
    }

    /// Looks at an event of the scheduler. A worker that is given up stays lost until the process starts again. One
    /// that begins anew is not lost.
    pub fn heed(&self, event: &SchedulerEvent) {
        if let SchedulerEvent::WorkerPanicked { worker, goes_on: false, .. } = event {
            self.against().lost.insert(*worker);
        }
    }

    /// Why the scheduler takes no work: a sentence without a full stop. `None`: it does.
    #[must_use]
    pub fn why_not(&self) -> Option<String> {
        let against = self.against();
        let lost = || {
            let workers: Vec<String> = against.lost.iter().map(usize::to_string).collect();
            match workers.as_slice() {
                [] => None,
                [one] => Some(format!("worker {one} of the scheduler is lost")),
                more => Some(format!("workers {} of the scheduler are lost", more.join(", "))),
            }
        };
        against.ends.clone().or_else(lost).or_else(|| against.begins.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn panicked(worker: usize, goes_on: bool) -> SchedulerEvent {
        SchedulerEvent::WorkerPanicked { worker, message: String::new(), nodes: Vec::new(), goes_on }
    }

    #[test]
    fn what_weighs_most_is_said() {
        let readiness = Readiness::default();
        assert_eq!(readiness.why_not(), None);
        readiness.begins("it starts");
        assert_eq!(readiness.why_not().as_deref(), Some("it starts"));
        readiness.heed(&panicked(2, true));
        assert_eq!(readiness.why_not().as_deref(), Some("it starts"), "a worker that begins anew is there");
        readiness.heed(&panicked(2, false));
        assert_eq!(readiness.why_not().as_deref(), Some("worker 2 of the scheduler is lost"));
        readiness.takes_work();
        readiness.heed(&panicked(0, false));
        assert_eq!(readiness.why_not().as_deref(), Some("workers 0, 2 of the scheduler are lost"));
        readiness.ends("it is told to end");
        readiness.ends("and once more");
        assert_eq!(readiness.why_not().as_deref(), Some("it is told to end"));
    }
}
