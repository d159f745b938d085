//! What a pass over a node tries, queue by queue, application by application, as values.
//!
//! Plain data, to be shown to people. A pass makes it only while somebody watches that pass; other passes pay nothing
//! for it. Each `…End` is an outcome that Hadoop's scheduler activities also report (rules/capacity.md 11 to 17).

use crate::resource::Resource;

/// A pass over a node of a CapacityScheduler, as it goes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CapacityPass {
    /// The node.
    pub node: String,
    /// When, in ms of the scheduler's clock.
    pub time_ms: u64,
    /// What is tried there.
    pub course: PassCourse,
}

/// What a pass does with a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PassCourse {
    /// Less than the smallest container is free: nobody is asked.
    NodeFull,
    /// The node runs as many containers as it may: nobody is asked.
    MostContainers {
        /// So many.
        most: i32,
    },
    /// The node is reserved: nobody else is asked.
    Reserved {
        /// The leaf queue.
        queue: String,
        /// The number of the container that the reservation is to become.
        container: u32,
        /// The application that has reserved it.
        app: AppTried,
    },
    /// It is offered to the queues, from root on.
    Offered(QueueTried),
}

/// A queue that a pass comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueueTried {
    /// Its full name.
    pub queue: String,
    /// What comes of it.
    pub end: QueueEnd,
    /// Those below that are asked, in order.
    pub queues: Vec<QueueTried>,
    /// Of a leaf queue: the applications that are asked, in order.
    pub apps: Vec<AppTried>,
}

/// What comes of asking a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueueEnd {
    /// Nothing more is asked for in it.
    NothingWanted,
    /// The node has less room than the smallest container.
    NodeFull,
    /// It uses all that it may.
    AtMaximum,
    /// It has no room for the next container of an application, and keeps what it has left.
    NoRoom {
        /// The application's number.
        app: u32,
    },
    /// Nobody in it gets anything.
    Nothing,
    /// Somebody in it gets a container.
    Allocates,
    /// Somebody in it reserves the node.
    Reserves,
}

/// An application that a pass comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AppTried {
    /// Its number.
    pub app: u32,
    /// Its leaf queue.
    pub queue: String,
    /// Its priority.
    pub priority: i32,
    /// What comes of it.
    pub end: AppEnd,
    /// Its request keys that are tried, in order.
    pub keys: Vec<KeyTried>,
}

/// What comes of asking an application.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AppEnd {
    /// Its queue uses all that it may.
    QueueAtMaximum,
    /// Its user has more than allowed.
    UserAtLimit,
    /// It asks for nothing.
    NothingWanted,
    /// None of its request keys gets anything.
    Nothing,
    /// It gets a container.
    Allocates,
    /// It reserves the node.
    Reserves,
}

/// A request key that is tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyTried {
    /// Its priority.
    pub priority: i32,
    /// Its allocation request id.
    pub allocation_request_id: i64,
    /// What is found, try by try: the same key may be tried for the node, its rack and anywhere.
    pub ends: Vec<KeyEnd>,
}

/// What is found when a request key is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyEnd {
    /// It has nothing outstanding.
    NothingWanted,
    /// As many nodes are reserved for it as it needs.
    ReservedEnough,
    /// Its queue has less left than one container of it.
    NoRoomInQueue,
    /// The application has blacklisted the node or its rack.
    Blacklisted,
    /// It waits for a node that is nearer to what it asks for.
    TooFar,
    /// What it asks for further away is strict (`relaxLocality` false).
    Strict,
    /// Nothing of it is for this node.
    NotHere,
    /// A container is larger than the whole node.
    LargerThanNode {
        /// A container.
        asked: Resource,
        /// The node.
        total: Resource,
    },
    /// A reservation has to be given up for a container, and none is large enough.
    NothingToUnreserve,
    /// The node has no room.
    NoRoom {
        /// For a container.
        asked: Resource,
        /// What it has, with what may be killed.
        available: Resource,
    },
    /// The node has no room, and is reserved.
    Reserved {
        /// For a container.
        asked: Resource,
        /// What it has, with what may be killed.
        available: Resource,
    },
    /// The node has no room for its reservation yet.
    StaysReserved {
        /// The reservation.
        asked: Resource,
        /// What it has, with what may be killed.
        available: Resource,
    },
    /// It gets a container.
    Allocated {
        /// Of this size.
        size: Resource,
    },
}

/// What is to be recorded of passes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Watch {
    /// The next pass of each worker that tries something, whatever the node.
    AnyNode,
    /// The next pass over a node, by name, within a minute.
    Node(String),
    /// Each visit of an application, for some time.
    App {
        /// The application's number.
        app: u32,
        /// For how long, in ms of the scheduler's clock.
        for_ms: u64,
    },
}

/// What was recorded of passes since the last call that took it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Watched {
    /// Whole passes, in order of time.
    pub passes: Vec<CapacityPass>,
    /// Visits of applications, in order of time.
    pub visits: Vec<AppVisited>,
    /// When it was asked for, in ms of the scheduler's clock.
    pub now_ms: u64,
}

/// A visit of an application.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AppVisited {
    /// The node that it is asked about.
    pub node: String,
    /// When, in ms of the scheduler's clock.
    pub time_ms: u64,
    /// What is tried.
    pub app: AppTried,
    /// It has reserved the node before.
    pub is_of_reservation: bool,
}

impl AppTried {
    /// One that is looked at: nothing comes of it, as far as is known yet.
    pub(crate) fn of(app: u32, queue: &str, priority: i32) -> AppTried {
        AppTried { app, queue: queue.to_owned(), priority, end: AppEnd::Nothing, keys: Vec::new() }
    }
}

impl CapacityPass {
    /// Whether the pass counts for [`Watch::AnyNode`]. It does not only where the node is
    /// reserved and its application has no key that is tried. A full node counts, although no queue is asked.
    #[must_use]
    pub fn tries_something(&self) -> bool {
        match &self.course {
            PassCourse::Reserved { app, .. } => !app.keys.is_empty(),
            PassCourse::NodeFull | PassCourse::MostContainers { .. } | PassCourse::Offered(_) => true,
        }
    }

    /// Visits its applications.
    pub(crate) fn apps(&self, visit: &mut impl FnMut(&AppTried)) {
        fn below(queue: &QueueTried, visit: &mut impl FnMut(&AppTried)) {
            queue.apps.iter().for_each(&mut *visit);
            queue.queues.iter().for_each(|queue| below(queue, visit));
        }
        match &self.course {
            PassCourse::NodeFull | PassCourse::MostContainers { .. } => {}
            PassCourse::Reserved { app, .. } => visit(app),
            PassCourse::Offered(root) => below(root, visit),
        }
    }
}
