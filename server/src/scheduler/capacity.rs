//! A CapacityScheduler without threads, for the one who drives it and for those who ask.

use std::sync::{Mutex, MutexGuard, PoisonError};

use evenweave::config::QueueAccess;
use evenweave::config::capacity::{AppOrdering, CapacityQueueRole, QueueTemplates};
use evenweave::view::{AllocatedView, CapacityQueueView, ContainerView, NodeView, RequestView};
use evenweave::{AppHandle, CapacityStepped, Refused, Resource};

use super::asked::{AppFigures, Basics, FairQueue, Health, OfCapacity, Scheduler};

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

fn is_fair(queue: &CapacityQueueView) -> bool {
    match &queue.configured.role {
        CapacityQueueRole::Leaf(settings) => matches!(settings.ordering, AppOrdering::Fair { .. }),
        CapacityQueueRole::Parent(_) => false,
    }
}

impl Scheduler for CapacitySteps {
    fn basics(&self) -> &Basics {
        &self.basics
    }

    fn cluster(&self) -> Resource {
        self.step(|stepped| stepped.stats().cluster)
    }

    fn largest(&self) -> Resource {
        // As configured, and no more than the largest node has.
        let nodes = self.nodes();
        let largest = nodes.iter().map(|node| node.total).reduce(|a, b| a.most(&b));
        largest.map_or(self.basics.maximum, |largest| self.basics.maximum.least(&largest))
    }

    fn nodes(&self) -> Vec<NodeView> {
        self.step(CapacityStepped::nodes)
    }

    fn containers(&self) -> Vec<ContainerView> {
        self.step(CapacityStepped::containers)
    }

    fn reservations(&self) -> Vec<AllocatedView> {
        self.step(CapacityStepped::reservations)
    }

    fn requests(&self) -> Vec<RequestView> {
        self.step(CapacityStepped::requests)
    }

    fn apps(&self) -> Vec<AppFigures> {
        let (apps, queues, cluster) =
            self.step(|stepped| (stepped.apps(), stepped.queues(false), stepped.stats().cluster));
        let figures = |view: evenweave::view::CapacityAppView| {
            let queue = queues.iter().find(|queue| queue.name == view.queue);
            AppFigures {
                number: view.number,
                used: view.used,
                queue_part: queue.map_or(Resource::ZERO, |queue| match queue.guaranteed.is_zero() {
                    true => cluster.times(f64::from(queue.capacity)),
                    false => queue.guaranteed,
                }),
                priority: Some(view.priority),
                of_capacity: Some(OfCapacity {
                    by_fairness: queue.is_some_and(is_fair),
                    used: view.used,
                    reserved: view.reserved,
                    pending: view.pending,
                    am: view.am,
                    is_active: view.state == "active",
                }),
                queue: view.queue,
            }
        };
        apps.into_iter().map(figures).collect()
    }

    fn fair_queues(&self) -> Vec<FairQueue> {
        Vec::new()
    }

    fn capacity_queues(&self) -> Vec<CapacityQueueView> {
        self.step(|stepped| stepped.queues(false))
    }

    fn templates(&self, queue: &str) -> Option<QueueTemplates> {
        let configuration = self.step(CapacityStepped::configuration);
        let file = configuration.file();
        file.queue_at(queue).map(|queue| file.templates(queue))
    }

    fn health(&self) -> Health {
        self.inner().health.clone()
    }

    fn has_queue(&self, name: &str) -> bool {
        let last = |path: &str| path.rsplit('.').next().is_some_and(|last| last == name);
        self.step(|stepped| stepped.queues(false).iter().any(|queue| queue.name == name || last(&queue.name)))
    }

    fn has_access(&self, user: &str, queue: &str, access: QueueAccess) -> bool {
        // Of a queue that is not there the next one above it that is.
        let mut queue = queue;
        while queue.starts_with("root.") && !self.has_queue(queue) {
            queue = queue.rsplit_once('.').map_or("root", |(above, _)| above);
        }
        self.step(|stepped| stepped.has_access(user, queue, access))
    }

    fn is_admin(&self, user: &str) -> bool {
        self.step(|stepped| stepped.is_admin(user))
    }

    fn kill(&self, app: &AppHandle) -> Result<(), Refused> {
        self.step(|stepped| stepped.finish(app))
    }

    fn move_app(&self, app: &AppHandle, queue: &str) -> Result<(), Refused> {
        self.step(|stepped| stepped.move_app(app, queue))
    }

    fn set_priority(&self, app: &AppHandle, priority: i32) -> Result<i32, Refused> {
        self.step(|stepped| {
            stepped.set_priority(app, priority)?;
            Ok(stepped.app(app.number()).map_or(priority, |view| view.priority))
        })
    }
}
