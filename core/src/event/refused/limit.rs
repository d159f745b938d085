//! A limit is reached.

use crate::resource::Resource;

/// A limit stands against it: of a queue, of a user, or of the scheduler.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Limit {
    /// The queue's maximum of a requested resource type is zero.
    #[error("{asked} asks for a resource of which queue {queue:?} may have nothing")]
    ZeroMax {
        /// The requested resource.
        asked: Box<Resource>,
        /// The queue.
        queue: String,
    },
    /// All queues together have as many applications as allowed.
    #[error("application {0}: there are as many applications as yarn.scheduler.capacity.maximum-applications allows")]
    TooManyApps(u32),
    /// The leaf queue has as many applications as allowed.
    #[error("queue {queue:?} has {applications} applications already, as many as it may")]
    QueueFull {
        /// The leaf queue.
        queue: String,
        /// How many it has.
        applications: i64,
    },
    /// The user has as many applications in the leaf queue as a user may have.
    #[error(
        "queue {queue:?} has {applications} applications of user {user:?} already, as many as one user may have there"
    )]
    UserFull {
        /// The leaf queue.
        queue: String,
        /// How many the user has.
        applications: i64,
        /// The user.
        user: String,
    },
    /// Nodes and racks have had too many different names: 67 million.
    #[error("nodes and racks have had too many different names: use some again, or a new scheduler")]
    TooManyPlaces,
    /// An application has used too many different priorities and allocation request ids.
    #[error(
        "application {app} has asked under {asked} different priorities and allocation request ids with this call, and may under \
         {most}: use some again"
    )]
    TooManyKeys {
        /// The application.
        app: u32,
        /// How many different ones there would be with this call.
        asked: usize,
        /// How many there may be while the attempt lives.
        most: usize,
    },
    /// With this node the cluster would have more than 2<sup>60</sup> of a resource type.
    #[error("node {name:?}: total {total} is too large beside the other nodes: give at most {largest}")]
    ClusterTooLarge {
        /// Its name.
        name: String,
        /// Its total.
        total: Box<Resource>,
        /// The largest total that is possible.
        largest: Box<Resource>,
    },
    /// A move would take a queue above its limit of running applications.
    #[error("queue {0:?} has as many running applications as it may")]
    MaxRunning(String),
    /// A move would take a queue above its max share.
    #[error("queue {0:?} would go above its max share")]
    MaxShare(String),
    /// A runnable application would not be runnable in the target of a move.
    #[error("application {0} is runnable and would not be in the target queue: a limit of running applications")]
    NotRunnable(u32),
}

impl Limit {
    /// A short, stable word.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Limit::ZeroMax { .. } => "zero-max",
            Limit::TooManyApps(_) => "max-applications",
            Limit::QueueFull { .. } => "queue-full",
            Limit::UserFull { .. } => "user-full",
            Limit::TooManyPlaces => "too-many-places",
            Limit::TooManyKeys { .. } => "too-many-keys",
            Limit::ClusterTooLarge { .. } => "cluster-too-large",
            Limit::MaxRunning(_) => "max-running",
            Limit::MaxShare(_) => "max-share",
            Limit::NotRunnable(_) => "not-runnable",
        }
    }
}
