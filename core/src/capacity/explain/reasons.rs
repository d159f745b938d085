//! Why an application of the CapacityScheduler waits, as values.
//!
//! Plain data for people: made when somebody asks, never by a pass. Each reason is one test of Hadoop's;
//! rules/capacity.md 9, 11 to 18, 22.

use crate::app::{Reason, Wait};
use crate::id::Locality;
use crate::queue::RunningLimit;
use crate::resource::Resource;
use std::fmt;

/// One reason why an application of a CapacityScheduler waits now.
pub type CapacityReason = Reason<CapacityWait>;

/// What an application waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CapacityWait {
    /// It has ended.
    Ended,
    /// A limit of applications that run at once (`max-parallel-apps`).
    NotRunnable {
        /// The limit that is reached. `None`: there is room by now, and the application starts when one that runs at
        /// its limit ends, or with the next refresh, as in Hadoop.
        limit: Option<RunningLimit>,
    },
    /// Its AM would take the AMs of its leaf queue above what they may have (`maximum-am-resource-percent`).
    AmLimit {
        /// The leaf queue.
        queue: String,
        /// What AMs use there.
        used: Resource,
        /// What this AM counts.
        asked: Resource,
        /// What AMs may use there.
        limit: Resource,
    },
    /// Its AM would take its user's AMs above what they may have in the leaf queue.
    UserAmLimit {
        /// The leaf queue.
        queue: String,
        /// The user.
        user: String,
        /// What the user's AMs use there.
        used: Resource,
        /// What this AM counts.
        asked: Resource,
        /// What the user's AMs may use there.
        limit: Resource,
    },
    /// No limit of AMs stands against it any more: it starts when its leaf queue looks next, which is when an
    /// application comes or goes or the cluster changes.
    NotActivated {
        /// The leaf queue.
        queue: String,
    },
    /// Nothing is outstanding.
    NothingOutstanding,
    /// Nodes or racks are asked for, and nothing is at `*`, without which none of them is served.
    NothingAnywhere,
    /// What is outstanding comes to nothing by the resource calculator, in this queue or the application itself.
    NothingCounted {
        /// The queue.
        queue: String,
    },
    /// A queue uses all that it may: its maximum, or what its parent has left for it.
    QueueLimit {
        /// The leaf, or one above it.
        queue: String,
        /// What it uses, with reservations.
        used: Resource,
        /// What it may use.
        limit: Resource,
    },
    /// Its user has more in the leaf queue than allowed (`user-limit-factor`, `minimum-user-limit-percent`).
    UserLimit {
        /// The leaf queue.
        queue: String,
        /// The user.
        user: String,
        /// What the user uses there, including reservations.
        used: Resource,
        /// What the user may use.
        limit: Resource,
    },
    /// The leaf queue has forgotten its user, who gets nothing there until another of the user's applications comes.
    /// This is a quirk of Hadoop: it happens when an application ends that waited for a limit of parallel applications.
    UserForgotten {
        /// The leaf queue.
        queue: String,
        /// The user.
        user: String,
    },
    /// A refresh has removed the queue, or one above, while the application was in it: a pass does not come there.
    QueueRemoved {
        /// The queue that is not in the tree any more.
        queue: String,
    },
    /// The leaf queue has less left than one container of the key. As in Hadoop it holds that back from applications
    /// behind this one.
    QueueRoom {
        /// The leaf queue.
        queue: String,
        /// The size of a container.
        asked: Resource,
        /// What the queue has left.
        left: Resource,
    },
    /// A container would take the queue or the user above a limit, and no reservation of the key is large enough to be
    /// given up for it.
    MustUnreserve {
        /// The size of a container.
        asked: Resource,
        /// What would have to be given up at least.
        short: Resource,
    },
    /// The key has as many nodes reserved as it needs, and none is given up for this one.
    ReservedEnough {
        /// How many.
        reserved: u32,
    },
    /// There is no node.
    NoNode,
    /// The node is being emptied.
    NodeDecommissioning,
    /// The node runs as many containers as it may: `max-containers-per-node`.
    MostContainers {
        /// So many.
        most: i32,
    },
    /// Less than the smallest container is free on the node.
    NodeFull {
        /// What is.
        free: Resource,
    },
    /// The node is reserved for another application.
    NodeReserved {
        /// Which.
        app: u32,
    },
    /// The node is reserved for this application, and has no room for the container yet.
    Reserved {
        /// The size of the container.
        asked: Resource,
        /// What is free.
        free: Resource,
    },
    /// The node has no room for a container, and its next report reserves it, unless others come first.
    WillReserve {
        /// The size of a container.
        asked: Resource,
        /// What is free.
        free: Resource,
    },
    /// It has blacklisted the node or its rack.
    Blacklisted,
    /// A container is larger than the whole node.
    LargerThanNode {
        /// The size of a container.
        asked: Resource,
        /// What the node has.
        total: Resource,
    },
    /// Nothing is asked for on the node or its rack, or nothing any more, and what is asked for further away is strict
    /// (`relaxLocality` false).
    NotHere,
    /// The node has another label than the one that is asked for. Where that label is not exclusive, its nodes are lent
    /// to asks without a label after as many offers in vain as the cluster has nodes.
    OtherLabel,
    /// It waits for a node that is nearer to what it asks for (`node-locality-delay`,
    /// `rack-locality-additional-delay`).
    LocalityWait {
        /// What the node would be.
        locality: Locality,
        /// How many nodes the key has been offered in vain, the next one counted.
        visits: u32,
        /// At which of them such a node will do.
        needed: u32,
    },
    /// A key of a smaller priority number is tried first, and while it waits this one is not.
    KeyBefore,
    /// Nothing stands against it here, and another application comes first: the node's next report serves that one.
    /// Told of one node alone.
    Behind {
        /// Which.
        app: u32,
        /// Its queue.
        queue: String,
    },
    /// A queue that comes first has no room for its next container, and keeps what it has left; then too little is left
    /// here. Told of one node alone.
    HeldBack {
        /// Which, or one of them.
        queue: String,
        /// What such queues keep.
        kept: Resource,
    },
    /// Nothing stands against it here: the node's next report serves it. Where many nodes are told of, it may be that
    /// others come first.
    Offer,
}

fn locality(of: Locality) -> &'static str {
    match of {
        Locality::Node => "node-local",
        Locality::Rack => "rack-local",
        Locality::OffSwitch => "off-switch",
    }
}

/// A sentence without its full stop.
impl fmt::Display for CapacityWait {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CapacityWait::Ended => f.write_str("it has ended"),
            CapacityWait::NotRunnable { limit: None } => f.write_str(
                "it waits for a limit of parallel applications that is not reached any more: it starts when one that runs ends, or with \
                 the next refresh",
            ),
            CapacityWait::NotRunnable { limit: Some(RunningLimit::Queue { queue, running, limit }) } => {
                write!(f, "{queue} runs as many applications as it may (max-parallel-apps): {running} of {limit}")
            }
            CapacityWait::NotRunnable { limit: Some(RunningLimit::User { user, running, limit }) } => {
                write!(f, "user {user} runs as many applications as he may (max-parallel-apps): {running} of {limit}")
            }
            CapacityWait::AmLimit { queue, used, asked, limit } => write!(
                f,
                "its AM would take the AMs of {queue} above their limit: they use {used}, this one counts {asked}, they may use {limit}"
            ),
            CapacityWait::UserAmLimit { queue, user, used, asked, limit } => write!(
                f,
                "its AM would take those of user {user} in {queue} above their limit: they use {used}, this one counts {asked}, they may \
                 use {limit}"
            ),
            CapacityWait::NotActivated { queue } => {
                write!(f, "it may start, and does when {queue} looks next: an application comes or goes, or the cluster changes")
            }
            CapacityWait::NothingOutstanding => f.write_str("it asks for nothing"),
            CapacityWait::NothingAnywhere => {
                f.write_str("it asks for nodes or racks and for nothing at `*`, without which they are not served")
            }
            CapacityWait::NothingCounted { queue } => {
                write!(f, "what is asked for comes to nothing in {queue} by the resource calculator")
            }
            CapacityWait::QueueLimit { queue, used, limit } => {
                write!(f, "{queue} uses all that it may: {used} of {limit}")
            }
            CapacityWait::UserLimit { queue, user, used, limit } => {
                write!(f, "user {user} has more than he may in {queue}: {used}, limit {limit}")
            }
            CapacityWait::UserForgotten { queue, user } => {
                write!(f, "{queue} has forgotten user {user}, as Hadoop does: he gets nothing there until another application of his comes")
            }
            CapacityWait::QueueRemoved { queue } => {
                write!(f, "{queue} is no queue any more: a refresh has removed it, and nothing is offered to it")
            }
            CapacityWait::QueueRoom { queue, asked, left } => {
                write!(f, "{queue} has less left than a container: wants {asked}, left {left}")
            }
            CapacityWait::MustUnreserve { asked, short } => write!(
                f,
                "a limit of its queue or user is reached, and no reservation is large enough to be given up: wants {asked}, {short} too much"
            ),
            CapacityWait::ReservedEnough { reserved } => {
                write!(f, "as many nodes are reserved for it as it needs: {reserved}")
            }
            CapacityWait::NoNode => f.write_str("there is no node"),
            CapacityWait::NodeDecommissioning => f.write_str("the node is being emptied"),
            CapacityWait::MostContainers { most } => write!(
                f,
                "the node runs as many containers as it may: {most}, yarn.scheduler.capacity.max-containers-per-node"
            ),
            CapacityWait::NodeFull { free } => write!(f, "the node is full: {free} free"),
            CapacityWait::NodeReserved { app } => write!(f, "the node is reserved for application {app}"),
            CapacityWait::Reserved { asked, free } => {
                write!(f, "the node is reserved for it and has no room yet: wants {asked}, {free} free")
            }
            CapacityWait::WillReserve { asked, free } => {
                write!(f, "the node has no room, and can be reserved for it: wants {asked}, {free} free")
            }
            CapacityWait::Blacklisted => f.write_str("it has blacklisted the node or its rack"),
            CapacityWait::LargerThanNode { asked, total } => {
                write!(f, "a container is larger than the whole node: wants {asked}, the node has {total}")
            }
            CapacityWait::NotHere => {
                f.write_str("nothing is asked for here, and what is asked for further away is strict (relaxLocality false)")
            }
            CapacityWait::OtherLabel => {
                f.write_str("the node has another label than what is asked for, or is not lent to it yet")
            }
            CapacityWait::LocalityWait { locality: near, visits, needed } => write!(
                f,
                "it waits for a nearer node: {} will do from visit {needed} on, the next is {visits}",
                locality(*near)
            ),
            CapacityWait::KeyBefore => f.write_str("a key before it waits"),
            CapacityWait::Behind { app, queue } => write!(f, "application {app} of {queue} comes first"),
            CapacityWait::HeldBack { queue, kept } => {
                write!(f, "{queue} comes first, has no room for its next container, and keeps what it has left: {kept}")
            }
            CapacityWait::Offer => f.write_str("nothing stands against it"),
        }
    }
}

impl Wait for CapacityWait {
    fn is_alike(&self, other: &CapacityWait) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::merge;

    #[test]
    fn reasons_of_many_nodes_are_one_with_their_number() {
        let full = |node: &str, free| CapacityReason {
            key: None,
            nodes: Some((1, node.to_owned())),
            wait: CapacityWait::NodeFull { free: Resource::new(free, 1) },
        };
        let before =
            CapacityReason { key: Some((2, 7)), nodes: Some((1, "n2".to_owned())), wait: CapacityWait::KeyBefore };
        let mut all = Vec::new();
        merge(&mut all, [full("n1", 5), before.clone(), full("n2", 6), before]);
        merge(&mut all, [0, 1].map(|_| CapacityReason::for_any_node(CapacityWait::NoNode)));
        let said: Vec<String> = all.iter().map(ToString::to_string).collect();
        assert_eq!(
            said,
            [
                "the node is full: <memory:5, vCores:1> free (2 nodes, n1 first)",
                "priority 2, allocation request 7: a key before it waits (2 nodes, n2 first)",
                "there is no node",
            ]
        );
    }
}
