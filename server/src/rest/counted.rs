//! What queues' metrics count: containers, reservations and asks, of a queue and of all below it.

use std::collections::HashMap;

use evenweave::Resource;

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

/// By the full name of the queue.
pub(crate) fn counted(of: &ResourceManager) -> HashMap<String, Counted> {
    let (scheduler, apps) = (of.scheduler(), of.figures());
    let mut counted: HashMap<String, Counted> = HashMap::new();
    let mut count = |app: u32, what: &dyn Fn(&mut Counted)| {
        let Some(app) = apps.get(&app) else { return };
        upwards(&app.queue).for_each(|name| what(counted.entry(name.to_owned()).or_default()));
    };
    for container in scheduler.containers().iter().filter(|container| !container.ended) {
        count(container.id.application_number(), &|of| of.allocated += 1);
    }
    for reservation in scheduler.reservations() {
        count(reservation.app, &|of| {
            of.reserved += 1;
            of.reserved_resource = of.reserved_resource.plus(&reservation.resource);
        });
    }
    for request in scheduler.requests().iter().filter(|request| request.location == "*") {
        count(request.attempt.application.number, &|of| of.pending += i64::from(request.count));
    }
    counted
}
