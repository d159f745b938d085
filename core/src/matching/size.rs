//! Sizes: what an ask is made of before it counts (rules/fair-shares.md 1.4).

use crate::event::Refused;
use crate::event::refused::Invalid;
use crate::resource::Resource;

/// The most of one resource type that a container may have, and all nodes together, whatever is configured: then no sum
/// of what runs passes the end of 64 bits, nor does the sum or difference of a few such.
pub(crate) const LARGEST_AMOUNT: i64 = 1 << 60;

/// What asks are rounded to, of the types that are configured.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Steps {
    pub(crate) types: usize,
    /// No container is smaller.
    pub(crate) minimum: Resource,
    /// Each is a multiple of this; 0 is no rounding.
    pub(crate) increment: Resource,
}

/// Refuses what is negative or larger than the largest container.
pub(crate) fn check_size(types: usize, asked: &Resource, largest: &Resource) -> Result<(), Refused> {
    let most = |i| largest.get(i).min(LARGEST_AMOUNT);
    if (0..types).all(|i| (0..=most(i)).contains(&asked.get(i))) {
        return Ok(());
    }
    let largest = Resource::from_fn(|i| if i < types { most(i) } else { largest.get(i) });
    Err(Invalid::Resource { asked: Box::new(*asked), largest: Box::new(largest) }.into())
}

/// Raises to the minimum, rounds up to the increment, then cuts to the largest container.
pub(crate) fn normalise(steps: &Steps, asked: &Resource, largest: &Resource) -> Resource {
    Resource::of_types(steps.types, |i| {
        let mut amount = asked.get(i).max(steps.minimum.get(i));
        let increment = steps.increment.get(i);
        if increment != 0 {
            // Near the largest numbers Hadoop's wraps, and what comes out is negative. Here it ends at the largest
            // container.
            amount = amount.saturating_add(increment.saturating_sub(1)) / increment;
            amount = amount.saturating_mul(increment);
        }
        amount.min(largest.get(i)).min(LARGEST_AMOUNT)
    })
}

/// Whether some of a resource is asked for of which the queue may have nothing.
pub(crate) fn asks_for_nothing_left(types: usize, asked: &Resource, max: &Resource) -> bool {
    (0..types).any(|i| asked.get(i) > 0 && max.get(i) == 0)
}
