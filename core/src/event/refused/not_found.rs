//! What a call names is not there.

/// What the call names is not there, or no longer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotFound {
    /// The application is unknown or has ended.
    #[error("application {0} is unknown or has finished")]
    App(u32),
    /// The node is unknown or was removed.
    #[error("node {0:?} is unknown or was removed")]
    Node(String),
    /// The container never existed, or has ended.
    #[error("container {container} of application {app} never existed or has ended")]
    Container {
        /// The application.
        app: u32,
        /// The container's number.
        container: u32,
    },
    /// The queue does not exist, or, as the target of a move, is not a leaf queue. At a submission only the
    /// CapacityScheduler refuses with this; the FairScheduler makes the queue.
    #[error("{0:?} is not an existing leaf queue")]
    Queue(String),
}

impl NotFound {
    /// A short, stable word.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            NotFound::App(_) => "no-such-app",
            NotFound::Node(_) => "no-such-node",
            NotFound::Container { .. } => "no-such-container",
            NotFound::Queue(_) => "no-such-queue",
        }
    }
}
