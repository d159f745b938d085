//! What an application is to the scheduler: asks and locations.
//!
//! Plain values; any thread.

mod reason;

pub use reason::Reason;
#[cfg(not(loom))]
pub(crate) use reason::{Wait, merge};

use crate::resource::Resource;
use std::fmt;

/// Where an ask wants its containers: anywhere, on a rack, or on a node. `location` of the scheduler makes it from a
/// name; it is cheap to copy. It belongs to that scheduler: others refuse it.
///
/// It is a small number with the tag of its scheduler.
///
/// Feature `serde`: every location can be serialized. Only [`Location::ANY`] can be deserialized: send names over a
/// wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Location(u32);

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for Location {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Location, D::Error> {
        match u32::deserialize(deserializer)? {
            0 => Ok(Location::ANY),
            _ => Err(serde::de::Error::custom(
                "a location other than `*` is its scheduler's own: send the name, and ask the scheduler's `location`",
            )),
        }
    }
}

/// Bits of a location's number.
const NUMBER_BITS: u32 = 26;

impl Location {
    /// `*`: anywhere.
    pub const ANY: Location = Location(0);

    /// A name that is too long to be one of a node or rack: requests with it are refused
    /// ([`Invalid::NoLocation`](crate::refused::Invalid::NoLocation)).
    pub const NOWHERE: Location = Location(u32::MAX);

    /// The number that a scheduler's table has for it.
    #[inline]
    pub(crate) const fn number(self) -> u32 {
        self.0 & LocationTag::LAST_NUMBER
    }
}

/// A node label in an ask: the name of a label, or none for the default partition. `label` of the scheduler makes it
/// from a name; it is cheap to copy. It belongs to that scheduler: others refuse it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Label(Option<Location>);

impl Label {
    /// No label: the default partition.
    pub const NONE: Label = Label(None);

    /// A name that is not empty.
    pub(crate) fn named(name: Location) -> Label {
        Label(Some(name))
    }

    pub(crate) fn name(self) -> Option<Location> {
        self.0
    }
}

/// `label 3`, or `no label`. Names are the scheduler's.
impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            None => f.write_str("no label"),
            Some(name) => write!(f, "label {}", name.number()),
        }
    }
}

/// What tells one scheduler's locations from another's: of 62 that are made one after the other each has its own.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LocationTag(u32);

impl LocationTag {
    /// The largest number of a location.
    pub(crate) const LAST_NUMBER: u32 = (1 << NUMBER_BITS) - 1;

    /// A process's scheduler of this number has it. Neither `*` nor `NOWHERE` does.
    pub(crate) fn of(scheduler: u64) -> LocationTag {
        let tags = u64::from((u32::MAX >> NUMBER_BITS) - 1);
        LocationTag(u32::try_from(scheduler % tags + 1).expect("below 64") << NUMBER_BITS)
    }

    /// A number of this scheduler's table as a location.
    pub(crate) fn location(self, number: u32) -> Location {
        Location(if number == 0 { 0 } else { self.0 | number })
    }

    /// Whether a request may name the location here.
    #[inline]
    pub(crate) fn takes(self, location: Location) -> bool {
        location.0 ^ self.0 <= LocationTag::LAST_NUMBER || location == Location::ANY
    }
}

/// `*`, or `location 3`: its number. Names are the scheduler's.
impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Location::ANY => f.write_str("*"),
            Location::NOWHERE => f.write_str("nowhere"),
            Location(_) => write!(f, "location {}", self.number()),
        }
    }
}

/// What asks are grouped by (YARN's SchedulerRequestKey without containers to update): a smaller priority comes first,
/// within it a smaller id (rules/assignment.md 5.1).
#[cfg(not(loom))]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct SchedulingKey {
    pub(crate) priority: i32,
    pub(crate) allocation_request_id: i64,
}

/// One line of an `allocate` call (YARN's `ResourceRequest`).
///
/// An AM that wants a container on a node sends three lines: one for the node, one for its rack, and one for
/// [`Location::ANY`]. The count at `*` says how many containers are granted; the other lines say where. So a line for a
/// node or rack without a line at `*` is accepted and never served, and a node without its rack is ignored. With
/// [`strict`](Ask::strict) at `*` and at the rack only that node is used.
///
/// All lines of one priority and request id are one request, with one size at each location: another size replaces the
/// one before. Give each size its own priority or request id. [`Allocation::warnings`](crate::Allocation::warnings)
/// reports both mistakes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Ask {
    /// The priority. A smaller number is served first.
    pub priority: i32,
    /// The request id. Asks of one priority with different ids are separate; the smaller id is served first. The
    /// container names the id that it was granted for. 0 if the AM does not use ids.
    #[cfg_attr(feature = "serde", serde(default))]
    pub allocation_request_id: i64,
    /// Where. Feature `serde`: only [`Location::ANY`] can be deserialized; it is also the default.
    #[cfg_attr(feature = "serde", serde(default = "anywhere"))]
    pub location: Location,
    /// The size of each container (memory in MiB, vcores, further types).
    pub resource: Resource,
    /// How many containers the AM wants from now on. It *replaces* the outstanding number of the same priority, id and
    /// location.
    pub count: u32,
    /// Whether a container may be placed further away than here.
    #[cfg_attr(feature = "serde", serde(default = "relaxed"))]
    pub relax_locality: bool,
    /// Of an ask at [`Location::ANY`]: the label of the nodes that it wants. `None`: what the application's submission
    /// says, or its queue. Feature `serde`: only the default partition can be deserialized.
    #[cfg_attr(feature = "serde", serde(default))]
    pub label: Option<Label>,
}

/// Where an ask wants its containers that does not say.
#[cfg(feature = "serde")]
fn anywhere() -> Location {
    Location::ANY
}

/// What an ask is that does not say.
#[cfg(feature = "serde")]
pub(crate) fn relaxed() -> bool {
    true
}

impl Ask {
    /// An ask for `count` containers of `resource`, on any node.
    #[must_use]
    pub fn anywhere(priority: i32, resource: Resource, count: u32) -> Ask {
        let location = Location::ANY;
        Ask { priority, allocation_request_id: 0, location, resource, count, relax_locality: true, label: None }
    }

    /// Returns the ask with a rack or node as its location.
    #[must_use]
    pub fn at(self, location: Location) -> Ask {
        Ask { location, ..self }
    }

    /// Returns the ask without relaxed locality: containers must not be placed further away.
    #[must_use]
    pub fn strict(self) -> Ask {
        Ask { relax_locality: false, ..self }
    }

    /// Returns the ask with or without relaxed locality.
    #[must_use]
    pub fn relaxed(self, relax_locality: bool) -> Ask {
        Ask { relax_locality, ..self }
    }

    /// Returns the ask for nodes with a label; [`Label::NONE`] is the default partition.
    #[must_use]
    pub fn labelled(self, label: Label) -> Ask {
        Ask { label: Some(label), ..self }
    }

    /// Returns the ask with another priority.
    #[must_use]
    pub fn with_priority(self, priority: i32) -> Ask {
        Ask { priority, ..self }
    }

    /// Returns the ask with another size of the containers.
    #[must_use]
    pub fn with_resource(self, resource: Resource) -> Ask {
        Ask { resource, ..self }
    }

    /// Returns the ask with another count. 0 withdraws the line.
    #[must_use]
    pub fn with_count(self, count: u32) -> Ask {
        Ask { count, ..self }
    }

    /// Returns the ask with an allocation request id.
    #[must_use]
    pub fn with_request_id(self, allocation_request_id: i64) -> Ask {
        Ask { allocation_request_id, ..self }
    }

    #[cfg(not(loom))]
    pub(crate) fn key(&self) -> SchedulingKey {
        SchedulingKey { priority: self.priority, allocation_request_id: self.allocation_request_id }
    }
}

/// `2 x <memory:1024, vCores:1> at *, priority 1`, and what is not usual.
impl fmt::Display for Ask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Ask { priority, allocation_request_id, location, resource, count, relax_locality, label } = self;
        write!(f, "{count} x {resource} at {location}, priority {priority}")?;
        if *allocation_request_id != 0 {
            write!(f, ", request {allocation_request_id}")?;
        }
        if let Some(label) = label {
            write!(f, ", {label}")?;
        }
        if *relax_locality { Ok(()) } else { f.write_str(", there alone") }
    }
}
