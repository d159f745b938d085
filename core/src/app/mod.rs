//! What an application is to the scheduler: asks, locations, localities.
//!
//! Plain values; any thread.

use crate::resource::Resource;

/// Where an ask wants its containers: anywhere, on a rack, on a node. Made by the scheduler's `location`, which knows
/// names as small numbers; cheap to copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Location(pub(crate) u32);

impl Location {
    /// `*`: anywhere.
    pub const ANY: Location = Location(0);
}

/// One line of an `allocate` call (YARN's ResourceRequest).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ask {
    /// Smaller is served first.
    pub priority: i32,
    /// Where.
    pub location: Location,
    /// The size of each container.
    pub resource: Resource,
    /// How many are wanted from now on: it *replaces* the outstanding number of the same priority and location.
    pub count: u32,
    /// Whether a container may be placed further away than asked.
    pub relax_locality: bool,
}

impl Ask {
    /// `count` containers of `resource` anywhere.
    #[must_use]
    pub fn anywhere(priority: i32, resource: Resource, count: u32) -> Ask {
        Ask { priority, location: Location::ANY, resource, count, relax_locality: true }
    }
}

/// How near to what was asked a container is placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Locality {
    /// On a node that was asked for.
    Node,
    /// On a rack that was asked for.
    Rack,
    /// Anywhere.
    OffSwitch,
}
