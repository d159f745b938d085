//! What an AM is told on its own thread: whether its leaf may have what it asks for, and what it can still get
//! (rules/assignment.md 9, 10).

use crate::engine::books::ledger::AppShared;
use crate::engine::edge::allocate::left_of_cluster;
use crate::event::Refused;
use crate::event::refused::Limit;
use crate::fair::engine::{QueueSnapshot, SchedulerSnapshot, Shared};
use crate::matching::size::asks_for_nothing_left;
use crate::prefetch::prefetch;
use crate::resource::Resource;

/// The share of a leaf will be read.
#[inline]
pub(super) fn prefetch_share(snapshot: &SchedulerSnapshot, leaf: u32) {
    if let Some(share) = snapshot.figures.queues.get(leaf as usize) {
        prefetch(&share.generation);
        prefetch(&share.fair_share);
    }
}

/// Refuses what is asked for of a resource of which the leaf may have nothing. Sizes are cut to what one container may
/// have there.
#[inline]
pub(super) fn largest<'a>(
    shared: &Shared,
    snapshot: &SchedulerSnapshot,
    leaf: &QueueSnapshot,
    mut sizes: impl Iterator<Item = &'a Resource>,
) -> Result<Resource, Refused> {
    if let Some(size) = sizes.find(|size| asks_for_nothing_left(shared.types, size, &leaf.limit)) {
        return Err(Limit::ZeroMax { asked: Box::new(*size), queue: leaf.name.to_string() }.into());
    }
    let (of_cluster, of_queue) = (&snapshot.structure.max_allocation, &leaf.max_container);
    Ok(Resource::of_types(shared.types, |i| of_cluster.get(i).min(of_queue.get(i))))
}

/// What an application can still get, as its leaf's policy sees it.
#[inline]
pub(super) fn headroom(
    shared: &Shared,
    snapshot: &SchedulerSnapshot,
    app: &AppShared,
    leaf: &QueueSnapshot,
) -> Resource {
    let (types, left) = (shared.types, left_of_cluster(shared, snapshot, app));
    let (max, usage) = (&leaf.limit, leaf.shared.usage_of(types));
    let available = Resource::of_types(types, |i| left.get(i).min(max.get(i).wrapping_sub(usage.get(i))));
    leaf.own.policy.headroom(snapshot.figures.fair_share(leaf.slot), &usage, &available)
}
