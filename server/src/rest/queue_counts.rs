//! What queues' metrics count: containers, reservations and asks, of a queue and of all below it.

use std::collections::HashMap;

use evenweave::Resource;

use super::partitions::Unlabelled;
use crate::manager::ResourceManager;
use crate::records::upwards;

/// What metrics count of a queue and those below.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counted {
    pub(crate) allocated: i64,
    pub(crate) pending: i64,
    pub(crate) reserved: i64,
    pub(crate) reserved_resource: Resource,
}

impl Counted {
    fn add(&mut self, more: &Counted) {
        self.allocated += more.allocated;
        self.pending += more.pending;
        self.reserved += more.reserved;
        self.reserved_resource = self.reserved_resource.plus(&more.reserved_resource);
    }
}

/// By the full name of the queue, on the nodes without a label: of others Hadoop's metrics of a queue count nothing.
/// O(applications + nodes + asks + queues × depth); where there are labels, O(containers) besides.
pub(crate) fn counted(of: &ResourceManager) -> HashMap<String, Counted> {
    let (scheduler, apps) = (of.scheduler(), of.figures());
    let mut leaves: HashMap<&str, Counted> = HashMap::new();
    let mut count = |app: u32, more: Counted| {
        if let Some(app) = apps.get(&app) {
            leaves.entry(&app.queue).or_default().add(&more);
        }
    };
    let unlabelled = Unlabelled::of(scheduler);
    if unlabelled.is_part() {
        let live = scheduler.containers();
        for container in live.iter().filter(|container| !container.ended && unlabelled.has(&container.node)) {
            count(container.id.application_number(), Counted { allocated: 1, ..Counted::default() });
        }
    } else {
        for (app, live) in scheduler.container_counts().by_app {
            count(app, Counted { allocated: i64::try_from(live).unwrap_or(i64::MAX), ..Counted::default() });
        }
    }
    for held in scheduler.reservations().into_iter().filter(|held| unlabelled.has(&held.node)) {
        count(held.app, Counted { reserved: 1, reserved_resource: held.resource, ..Counted::default() });
    }
    let requests = scheduler.requests();
    for request in requests.iter().filter(|request| request.location == "*" && request.label.is_empty()) {
        count(request.attempt.application.number, Counted { pending: request.count.into(), ..Counted::default() });
    }
    let mut counted: HashMap<String, Counted> = HashMap::new();
    for (leaf, of_leaf) in &leaves {
        upwards(leaf).for_each(|name| counted.entry(name.to_owned()).or_default().add(of_leaf));
    }
    counted
}
