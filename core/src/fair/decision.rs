//! Decisions as values: what one scheduling pass did, queue by queue, application by application, and why.
//!
//! # Where it stands
//! Plain data for people: made by `trace` while a pass runs, taken by the caller of [`Stepped`](crate::Stepped).
//! Nothing is decided by it. Names are texts, so that a trace can be kept longer than the scheduler.
//!
//! # Rules
//! Each reason is one test of Hadoop's.

use crate::fair::control::Stopped;
use crate::id::Locality;
use crate::policy::Precedence;
use crate::queue::RunningLimit;
use crate::resource::Resource;

/// One scheduling pass over a node.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Decision {
    /// The node's name.
    pub node: String,
    /// What the node has.
    pub total: Resource,
    /// What was free when the pass began.
    pub free: Resource,
    /// What became of the reservation that the node had when the pass began.
    pub reservation: Option<ReservationVisit>,
    /// The walks from root, one a container, in order.
    pub descents: Vec<QueueVisit>,
    /// Why the pass was over.
    pub end: PassEnd,
}

/// Why a pass over a node was over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PassEnd {
    /// Continuous scheduling: less than the minimum allocation is free, so the node is not offered.
    BelowMinimum,
    /// Continuous scheduling: a node that registered earlier has as much memory free, so this one is not offered.
    SameFreeMemory,
    /// A reservation that is still valid takes the whole pass, served or not.
    Reservation,
    /// The last walk reserved the node.
    Reserved,
    /// The last walk came to nothing: nobody could use what is free.
    NothingPlaced,
    /// `assignmultiple` is off: one container a pass.
    OneContainer,
    /// `max.assign` containers were made.
    MaxAssign(i32),
    /// `dynamic.max.assign`: more than half of what was free is assigned.
    HalfAssigned,
    /// The node runs as many containers as it may
    /// ([`Settings::max_containers_per_node`](crate::Settings::max_containers_per_node)).
    MostOfANode(i32),
    /// 100,000 containers were granted: the next heartbeat grants more, so that one does not hold up its worker without
    /// bound.
    MostOfAHeartbeat,
}

/// What a queue or application had when the siblings were put in order.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Claim {
    /// What its containers used.
    pub usage: Resource,
    /// As of the last update.
    pub demand: Resource,
    /// Instantaneous fair share, as of the last update.
    pub fair_share: Resource,
    /// Min share; zero for applications.
    pub min_share: Resource,
    /// Weight.
    pub weight: f32,
}

/// A queue in one walk.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct QueueVisit {
    /// Its full name.
    pub queue: String,
    /// What it had.
    pub claim: Claim,
    /// Why it comes before the next of the same list; of the last, nothing.
    pub precedes: Option<Precedence>,
    /// What the visit came to.
    pub outcome: QueueOutcome,
    /// Of a parent that was visited: all child queues, in the order in which the policy offers the node to them.
    pub queues: Vec<QueueVisit>,
    /// Of a leaf that was visited: the applications that the node is offered to, in the policy's order; then those that
    /// have no place in it ([`AppOutcome::NothingPending`], [`AppOutcome::Waiting`]).
    pub apps: Vec<AppVisit>,
}

/// What the visit of a queue came to.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum QueueOutcome {
    /// Not visited: an earlier sibling got the container or the reservation.
    NotReached,
    /// A container was made for an application below.
    Placed,
    /// The node was reserved for an application below.
    Reserved,
    /// Nobody below could use the node.
    Nothing,
    /// It uses more than its max share in some type: nobody below is asked.
    AboveMaxShare {
        /// Its max share.
        max_share: Resource,
    },
}

/// An application in one walk.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct AppVisit {
    /// Its number.
    pub app: u32,
    /// What it had.
    pub claim: Claim,
    /// Why it comes before the next of the same list; of the last in the policy's order, nothing.
    pub precedes: Option<Precedence>,
    /// What the visit came to.
    pub outcome: AppOutcome,
    /// What AMs may use in its leaf queue, where it waits for its AM's container and the queue has an AM share.
    pub am_limit: Option<Resource>,
    /// Its request keys, as far as they were looked at; those behind that wait are [`KeyOutcome::NotReached`].
    pub keys: Vec<KeyVisit>,
}

/// What the visit of an application came to.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum AppOutcome {
    /// Not visited: an earlier one got the container or the reservation.
    NotReached,
    /// A container was made.
    Placed,
    /// A container of size zero was made. It counts as none: the walk goes on.
    PlacedNothing,
    /// The node was reserved.
    Reserved,
    /// None of its request keys could use the node: each says why.
    NoKey,
    /// It has blacklisted the node or its rack.
    Blacklisted,
    /// It waits for its AM's container, which would take the leaf queue's AMs above their share.
    AmShare(AmShare),
    /// Not offered: its demand as of the last update is what it uses. New asks count from the next update on.
    NothingPending,
    /// Not offered: it waits for a limit of running applications.
    Waiting,
}

/// The AM share of a leaf queue against an AM that waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AmShare {
    /// What AMs use there.
    pub used: Resource,
    /// What this AM needs.
    pub asked: Resource,
    /// What AMs may use there.
    pub limit: Resource,
}

/// One request key of an application: a priority and an allocation request id.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct KeyVisit {
    /// Smaller is tried first.
    pub priority: i32,
    /// Of equal priority the smaller is tried first; 0 where the AM does not use it.
    pub allocation_request_id: i64,
    /// The size of its `*` ask.
    pub size: Resource,
    /// How many containers were wanted.
    pub outstanding: u32,
    /// What came of it.
    pub outcome: KeyOutcome,
}

/// What came of a request key.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "most keys of a trace are passed over; made only where it is asked for")]
#[non_exhaustive]
pub enum KeyOutcome {
    /// Not tried: an earlier key was tried, whatever came of that.
    NotReached,
    /// A container.
    Placed {
        /// Its number.
        container: u32,
        /// How near to what was asked for.
        locality: Locality,
    },
    /// The node is reserved.
    Reserved {
        /// The number that the container will have.
        container: u32,
        /// How near to what was asked for.
        locality: Locality,
    },
    /// Passed over for a reason.
    PassedOver(Obstacle),
}

/// Why a request key got nothing on a node.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Obstacle {
    /// Nothing is outstanding at `*`.
    NothingOutstanding,
    /// `*` is not relaxed, and nothing is asked for on the node's rack.
    RackNotAsked,
    /// The rack's ask is not relaxed, and nothing is asked for on the node.
    NodeNotAsked,
    /// The ask is larger than the whole node.
    LargerThanNode {
        /// What the node has.
        total: Resource,
    },
    /// A queue would go above its max share.
    MaxShare {
        /// The leaf, or one above it.
        queue: String,
        /// What it uses.
        usage: Resource,
        /// Its max share.
        max_share: Resource,
    },
    /// The AM had asked for 0 on the rack, not relaxed: nothing but the node itself will do.
    RackNotRelaxed,
    /// Delay scheduling: the node is further away than what is allowed now.
    TooFar {
        /// What is allowed now.
        allowed: Locality,
        /// Opportunities counted since the level last changed, this one included.
        opportunities: u32,
    },
    /// It does not fit what is free, and may not reserve the node. Keys behind it are not tried.
    DoesNotFit {
        /// What was to be placed.
        size: Resource,
        /// What was free.
        free: Resource,
        /// How near to what was asked for it would have been.
        locality: Locality,
        /// Why the node was not reserved.
        not_reserved: NotReserved,
    },
    /// The grant found things changed: other workers have taken the ask, the AM share or the room under a limit, or the
    /// application is in another queue by now.
    Overtaken,
    /// The worker can hold no further container.
    NoRecord,
}

/// Why a node was not reserved for an ask that did not fit.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum NotReserved {
    /// The application is not below its fair share.
    NotStarved {
        /// What it uses.
        usage: Resource,
        /// As of the last update; zero before it was in any.
        fair_share: Resource,
    },
    /// The ask is smaller than what nodes are reserved for.
    BelowThreshold {
        /// `reservation-threshold.increment-multiple` times the increment.
        threshold: Resource,
    },
    /// Room that was freed for it is kept for it on the node.
    RoomOwed,
    /// The node is reserved for another application.
    OthersNode,
    /// As many nodes are reserved for it as may be (`reservable-nodes`).
    TooManyNodes {
        /// How many are, of the rack for an ask there.
        reserved: u32,
        /// How many nodes count: the rack's or the cluster's.
        nodes: u32,
    },
}

/// What became of a reservation that a node had.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ReservationVisit {
    /// Whose it was.
    pub app: u32,
    /// The number that the container would have.
    pub container: u32,
    /// The priority of the ask.
    pub priority: i32,
    /// Its allocation request id.
    pub allocation_request_id: i64,
    /// The size that it was made with.
    pub size: Resource,
    /// What became of it.
    pub outcome: ReservationOutcome,
    /// What AMs may use in the leaf queue, where the application waits for its AM's container and the queue has an AM
    /// share.
    pub am_limit: Option<Resource>,
}

/// What became of a reservation.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ReservationOutcome {
    /// Still wanted, and it does not fit yet.
    Kept,
    /// The container was made.
    Fulfilled {
        /// How near to what was asked for.
        locality: Locality,
    },
    /// It fits, and was not served all the same.
    NotServed(Obstacle),
    /// Given up: what was asked for can no longer be had here. The pass goes on.
    Dropped(Obstacle),
    /// Given up: the AM would take its queue's AMs above their share. The pass goes on.
    DroppedForAmShare(AmShare),
}

/// Why an application is offered no node at all, or in vain whatever the node: the first of Hadoop's tests that it
/// fails.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum NotOffered {
    /// It has ended.
    Ended,
    /// It waits for a limit of running applications.
    Waiting {
        /// The limit that is reached. `None`: there is room by now, and the application starts when one that runs
        /// beside it ends at its limit, or with the next reload, as in Hadoop.
        limit: Option<RunningLimit>,
    },
    /// Nothing is outstanding.
    NothingOutstanding,
    /// Nodes or racks are asked for, and nothing is at `*`, without which none of them is served.
    NothingAnywhere,
    /// Its demand as of the last update is what it uses: what it asks for counts from the next update on.
    NothingPending {
        /// What it asks for and has not got.
        outstanding: Resource,
    },
    /// Its queue or one above uses more than its max share in some type.
    AboveMaxShare {
        /// The queue nearest to root of those that do.
        queue: String,
        /// What it uses.
        usage: Resource,
        /// Its max share.
        max_share: Resource,
    },
    /// It waits for its AM's container, which would take the leaf queue's AMs above their share.
    AmShare(AmShare),
}

impl From<Stopped> for NotOffered {
    fn from(stopped: Stopped) -> NotOffered {
        match stopped {
            Stopped::Ended => NotOffered::Ended,
            Stopped::Waiting { limit } => NotOffered::Waiting { limit },
        }
    }
}
