//! Why an application of a FairScheduler waits, as values.
//!
//! Made by `explaining` where somebody asks; nothing is decided by them.

use crate::app::{Reason, Wait};
use crate::fair::decision::{NotOffered, Obstacle};
use crate::fair::words::{Told, Words, precedence};
use crate::policy::Precedence;
use crate::resource::{Resource, ResourceTypes};
use std::fmt;
use std::mem::discriminant;

/// One reason why an application of a FairScheduler waits now.
pub type FairReason = Reason<FairWait>;

/// What an application of a FairScheduler waits for.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum FairWait {
    /// It is offered no node at all, or in vain whatever the node.
    NotOffered(NotOffered),
    /// There is no node.
    NoNode,
    /// The node runs as many containers as it may:
    /// [`Settings::max_containers_per_node`](crate::Settings::max_containers_per_node).
    MostContainers {
        /// So many.
        most: i32,
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
    /// A request key cannot use the node.
    Obstacle {
        /// The size of a container.
        asked: Resource,
        /// Why.
        obstacle: Obstacle,
    },
    /// A key of a smaller priority number is tried first, and whatever comes of that, this one is not.
    KeyBefore,
    /// Nothing stands against it on some node, and a sibling of its own, or of a queue above it, comes first in the
    /// policy's order. That one is offered each node before it.
    Behind {
        /// Who comes first: a queue's full name, or `application 7`.
        first: String,
        /// Before whom: a queue above the application or the application.
        second: String,
        /// Why.
        precedence: Precedence,
    },
    /// Nothing stands against it here: the node's next report serves it, unless others come first.
    Offer,
}

impl Wait for FairWait {
    fn is_alike(&self, other: &FairWait) -> bool {
        match (self, other) {
            (FairWait::NotOffered(one), FairWait::NotOffered(other)) => discriminant(one) == discriminant(other),
            (FairWait::Obstacle { obstacle: one, .. }, FairWait::Obstacle { obstacle: other, .. }) => {
                let reserved = |obstacle: &Obstacle| {
                    if let Obstacle::DoesNotFit { not_reserved, .. } = obstacle {
                        Some(discriminant(not_reserved))
                    } else {
                        None
                    }
                };
                discriminant(one) == discriminant(other) && reserved(one) == reserved(other)
            }
            _ => discriminant(self) == discriminant(other),
        }
    }
}

impl Words<'_> {
    /// What an application waits for.
    #[must_use]
    pub fn wait(&self, wait: &FairWait) -> Told {
        let wants = |asked, free| format!("wants {}, free {}", self.amounts(asked), self.amounts(free));
        match wait {
            FairWait::NotOffered(why) => self.not_offered(why),
            FairWait::NoNode => Told::new("there is no node", ""),
            FairWait::MostContainers { most } => Told::new(
                "the node runs as many containers as it may",
                format!("{most}, yarn.scheduler.fair.max-containers-per-node"),
            ),
            FairWait::NodeReserved { app } => Told::new(format!("the node is reserved for application {app}"), ""),
            FairWait::Reserved { asked, free } => {
                Told::new("the node is reserved for it and has no room yet", wants(asked, free))
            }
            FairWait::WillReserve { asked, free } => {
                Told::new("the node has no room, and can be reserved for it", wants(asked, free))
            }
            FairWait::Blacklisted => Told::new("it has blacklisted the node or its rack", ""),
            FairWait::Obstacle { asked, obstacle } => self.obstacle(asked, obstacle),
            FairWait::KeyBefore => Told::new("waits behind the key before it", ""),
            FairWait::Behind { first, second, precedence: why } => {
                Told::new(format!("{first} comes before {second}"), precedence(*why))
            }
            FairWait::Offer => Told::new("nothing stands against it", ""),
        }
    }

    /// A reason: key, what it waits for, and where.
    #[must_use]
    pub fn reason(&self, reason: &FairReason) -> String {
        let Reason { key, nodes, wait } = reason;
        Reason { key: *key, nodes: nodes.clone(), wait: self.wait(wait) }.to_string()
    }
}

/// A sentence without its full stop. Amounts are those of memory and vcores: [`Words`] know all types.
impl fmt::Display for FairWait {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", Words::new(&ResourceTypes::standard()).wait(self))
    }
}
