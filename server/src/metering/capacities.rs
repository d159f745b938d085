//! What a CapacityScheduler's metrics have besides (`CSQueueMetrics`, `CSQueueUtils`).

use std::cmp::Ordering;

use evenweave::Resource;
use evenweave::resource::Calculator;

use super::bean::{Bean, put, set_float};
use super::measured::Capacities;
use crate::scheduler::Basics;

fn calculator(basics: &Basics) -> Calculator {
    if basics.dominant { Calculator::Dominant } else { Calculator::Memory }
}

/// `multiplyAndNormalizeDown`: a part of the cluster in steps of the least container.
#[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "as Hadoop multiplies")]
fn part(cluster: &Resource, by: f32, basics: &Basics) -> Resource {
    let of = |index: usize| {
        let (amount, step) = ((cluster.get(index) as f64 * f64::from(by)) as i64, basics.minimum.get(index));
        if step == 0 { amount } else { amount / step * step }
    };
    match calculator(basics) {
        Calculator::Dominant => Resource::from_fn(|index| if index < basics.types.len() { of(index) } else { 0 }),
        // By memory alone there is one vcore, if there is anything.
        Calculator::Memory => Resource::new(of(0), i64::from(of(0) > 0)),
    }
}

/// What is guaranteed and not used, with reservations; nothing where more is used. `cluster`: all nodes, also where it
/// is about those of a label.
pub(super) fn available(guaranteed: &Resource, used: &Resource, cluster: &Resource, basics: &Basics) -> Resource {
    match calculator(basics).compare(basics.types.len(), cluster, guaranteed, used, false) {
        Ordering::Greater => guaranteed.minus(used).most(&Resource::ZERO),
        Ordering::Equal | Ordering::Less => Resource::ZERO,
    }
}

/// Of a queue.
pub(super) fn put_queue(bean: &mut Bean, of: &Capacities, cluster: &Resource, basics: &Basics) {
    put(bean, "Guaranteed", &part(cluster, of.guaranteed_part.1, basics));
    put(bean, "MaxCapacity", &part(cluster, of.most_part.1, basics));
    for (name, value) in [
        ("GuaranteedCapacity", of.guaranteed_part.0),
        ("GuaranteedAbsoluteCapacity", of.guaranteed_part.1),
        ("MaxCapacity", of.most_part.0),
        ("MaxAbsoluteCapacity", of.most_part.1),
        ("UsedCapacity", of.used_part.0),
        ("AbsoluteUsedCapacity", of.used_part.1),
    ] {
        set_float(bean, name, value);
    }
    put(bean, "AMResourceLimit", &of.am_limit);
    put(bean, "UsedAMResource", &of.am_used);
}

/// Of a user in a queue: nothing above leaf queues, and of one who has no application there any more it is not known.
pub(super) fn put_user(bean: &mut Bean, of: &Capacities, user: &str) {
    if let Some(of) = of.users.get(user) {
        put(bean, "AMResourceLimit", &of.am_limit);
        put(bean, "UsedAMResource", &of.am_used);
    }
}
