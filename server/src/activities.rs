//! What passes of a CapacityScheduler were told of, as Hadoop's `ActivitiesManager` keeps it.
//!
//! Owned by the ResourceManager, behind a lock that only those take who ask for activities. The scheduler tells; what
//! it was told since is fetched with each question.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, TryLockError};

use evenweave::reason::{AppVisited, CapacityPass};

use crate::scheduler::Scheduler;
use crate::time;

/// So many visits of an application are kept, or 1.2 for each node
/// (`yarn.resourcemanager.activities-manager.app-activities.max-queue-length`).
const VISITS: usize = 100;

/// So long they are kept, in ms (`yarn.resourcemanager.activities-manager.app-activities.ttl-ms`, and
/// `scheduler-activities.ttl-ms`).
const KEPT_MS: u64 = 600_000;

/// So many passes are kept for who asks for many.
const PASSES: usize = 500;

/// What is kept, with times in ms since 1970.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    /// The last pass over each node that was told in full.
    by_node: HashMap<String, CapacityPass>,
    /// The last of all that has tried something.
    last: Option<CapacityPass>,
    /// Those since somebody asked for many.
    many: VecDeque<CapacityPass>,
    by_app: HashMap<u32, VecDeque<AppVisited>>,
}

impl Kept {
    pub(crate) fn on_node(&self, node: &str) -> Option<&CapacityPass> {
        self.by_node.get(node)
    }

    pub(crate) fn last(&self) -> Option<&CapacityPass> {
        self.last.as_ref()
    }

    /// An application's visits, the oldest first; `None`: it was never visited while somebody watched.
    pub(crate) fn of_app(&self, app: u32) -> Option<&VecDeque<AppVisited>> {
        self.by_app.get(&app)
    }

    pub(crate) fn take_many(&mut self) -> Vec<CapacityPass> {
        std::mem::take(&mut self.many).into()
    }

    fn took(&mut self, pass: CapacityPass) {
        if pass.tries_something() {
            self.last = Some(pass.clone());
        }
        self.many.push_back(pass.clone());
        if self.many.len() > PASSES {
            self.many.pop_front();
        }
        self.by_node.insert(pass.node.clone(), pass);
    }

    fn visited(&mut self, visit: AppVisited, most: usize) {
        let visits = self.by_app.entry(visit.app.app).or_default();
        while visits.len() >= most {
            visits.pop_front();
        }
        visits.push_back(visit);
    }

    /// What is too old goes, and what is of applications that have ended.
    fn forget(&mut self, now_ms: u64, runs: impl Fn(u32) -> bool) {
        let is_fresh = |time_ms: u64| now_ms.saturating_sub(time_ms) <= KEPT_MS;
        self.by_node.retain(|_, pass| is_fresh(pass.time_ms));
        self.by_app.retain(|app, visits| {
            visits.retain(|visit| is_fresh(visit.time_ms));
            runs(*app) && !visits.is_empty()
        });
    }
}

/// See the module's text.
#[derive(Debug, Default)]
pub(crate) struct Activities {
    kept: Mutex<Kept>,
}

impl Activities {
    /// What is kept, with what the scheduler was told since. Of applications only of those that run. Nothing while it
    /// is being looked at for somebody else: so those who ask do not queue up behind each other.
    pub(crate) fn kept(&self, scheduler: &dyn Scheduler, runs: impl Fn(u32) -> bool) -> Option<MutexGuard<'_, Kept>> {
        let mut kept = match self.kept.try_lock() {
            Ok(kept) => kept,
            Err(TryLockError::Poisoned(kept)) => kept.into_inner(),
            Err(TryLockError::WouldBlock) => return None,
        };
        let mut watched = scheduler.take_watched();
        // The scheduler's clock does not begin in 1970.
        let (now_ms, clock_ms) = (time::now_ms(), watched.now_ms);
        let dated = |time_ms: &mut u64| *time_ms = now_ms.saturating_sub(clock_ms.saturating_sub(*time_ms));
        watched.passes.iter_mut().for_each(|pass| dated(&mut pass.time_ms));
        watched.visits.iter_mut().for_each(|visit| dated(&mut visit.time_ms));
        let most = VISITS.max(scheduler.nodes().len() * 12 / 10);
        watched.passes.into_iter().for_each(|pass| kept.took(pass));
        watched.visits.into_iter().for_each(|visit| kept.visited(visit, most));
        kept.forget(now_ms, runs);
        Some(kept)
    }
}

#[cfg(test)]
mod tests {
    use evenweave::reason::Watch;
    use evenweave::{
        CapacityConfiguration, CapacityScheduler, FairScheduler, Heartbeat, Resource, SchedulerApi as _, Settings,
    };

    use super::*;
    use crate::scheduler::{Basics, CapacitySteps, Steps};

    #[test]
    fn a_second_question_does_not_wait_for_the_first() {
        let settings = Settings::from_properties([]).expect("Hadoop's defaults");
        let basics = Basics::of_fair(&settings);
        let stepped = FairScheduler::builder().settings(settings).stepped().expect("a scheduler");
        let (scheduler, activities) = (Steps::new(stepped, basics), Activities::default());
        let first = activities.kept(&scheduler, |_| true);
        assert!(first.is_some());
        assert!(activities.kept(&scheduler, |_| true).is_none());
        drop(first);
        assert!(activities.kept(&scheduler, |_| true).is_some());
    }
    #[test]
    fn times_are_of_the_calendar() {
        let queues = [("yarn.scheduler.capacity.root.queues", "a"), ("yarn.scheduler.capacity.root.a.capacity", "100")];
        let configuration = CapacityConfiguration::from_properties([], queues).expect("a queue");
        let basics = Basics::of_capacity(configuration.file().settings());
        let mut stepped = CapacityScheduler::builder(configuration).stepped().expect("a scheduler");
        let node = stepped.add_node("n1", "/r1", Resource::new(1024, 1)).expect("a node");
        stepped.watch(Watch::Node("n1".to_owned()));
        stepped.advance(5_000);
        stepped.heartbeat(Heartbeat::new(&node));
        stepped.advance(2_000);
        let (scheduler, activities, before) =
            (CapacitySteps::new(stepped, basics), Activities::default(), time::now_ms());
        let kept = activities.kept(&scheduler, |_| true).expect("nobody else asks");
        let pass = kept.on_node("n1").expect("it was watched");
        assert!((before - 2_000..=time::now_ms() - 2_000).contains(&pass.time_ms), "{pass:?}");
    }
}
