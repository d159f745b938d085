//! The books of a FairScheduler at quiet, held against each other. Its containers are all small.

use crate::SMALL;
use evenweave::{FairScheduler, Resource};

/// At quiet: the books of nodes, queues, applications and counters agree.
pub fn assert_sums(scheduler: &FairScheduler) {
    scheduler.quiesce().unwrap();
    let (stats, queues, apps) = (scheduler.stats(), scheduler.queues().unwrap(), scheduler.apps().unwrap());
    let mut used = Resource::ZERO;
    for node in scheduler.nodes() {
        assert!(Resource::ZERO.fits_in(&node.free), "I1: {} is over-committed: {}", node.name, node.free);
        used = used.plus(&node.total.minus(&node.free));
    }
    for queue in &queues {
        let parts: Vec<Resource> = if queue.leaf {
            apps.iter().filter(|app| app.queue == queue.name).map(|app| app.usage).collect()
        } else {
            let below = |name: &str| name.rsplit_once('.').is_some_and(|(above, _)| above == queue.name);
            queues.iter().filter(|child| below(&child.name)).map(|child| child.usage).collect()
        };
        let sum = parts.iter().fold(Resource::ZERO, |sum, part| sum.plus(part));
        assert_eq!(queue.usage, sum, "I4: {}", queue.name);
    }
    assert_eq!(stats.allocated, used, "queues and nodes");
    assert_eq!(stats.running, stats.granted - stats.completed);
    assert_eq!(stats.running * 1024, u64::try_from(stats.allocated.memory_mb()).unwrap(), "all containers are small");
    assert_nothing_is_left(scheduler);
}

/// No record, lease or count is left over, and whoever can be served has a place.
pub fn assert_nothing_is_left(scheduler: &FairScheduler) {
    let audit = scheduler.audit().unwrap();
    assert!(audit.wrong.is_empty(), "{:#?}\nof {:?}", audit.wrong, audit.counted);
}

/// All nodes were offered: of small containers, asked for anywhere, none is outstanding that a node and its queues have
/// room for (I7).
pub fn assert_nobody_waits(scheduler: &FairScheduler) {
    let queues = scheduler.queues().unwrap();
    let nodes = scheduler.nodes();
    let Some(free) = nodes.iter().find(|node| SMALL.fits_in(&node.free)) else { return };
    for app in scheduler.apps().unwrap().iter().filter(|app| app.runnable && !app.outstanding.is_zero()) {
        let inside =
            |name: &str| app.queue.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
        let full =
            queues.iter().find(|queue| inside(&queue.name) && !queue.usage.plus(&SMALL).fits_in(&queue.max_share));
        assert!(full.is_some(), "I7: {app:?} waits, and {free:?} has room");
    }
}

/// No queue is above its limit.
pub fn assert_limits(scheduler: &FairScheduler) {
    for queue in scheduler.queues().unwrap() {
        assert!(queue.usage.fits_in(&queue.max_share), "I2: {} has {}", queue.name, queue.usage);
    }
}
