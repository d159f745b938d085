//! The scheduler cannot do it now.

/// The scheduler cannot do it now. The same call may be accepted later.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TryAgain {
    /// The user's groups, which placement rules may need, are not known.
    #[error("the groups of user {user:?} are not known: {why}; try again")]
    NoGroups {
        /// The user who submits.
        user: String,
        /// Why the groups are not known.
        why: &'static str,
    },
    /// The application's AM has no container yet. Until it is granted, asks and releases are refused; an empty
    /// `allocate` is accepted.
    #[error("the ApplicationMaster of application {0} has no container yet")]
    NoAm(u32),
    /// The channel that the call needs is full: make the call again.
    #[error("the scheduler is busy: its channel is full; try again")]
    Busy,
    /// Code of the embedder panicked: a policy, a source of allocations, or a clock. Nothing is lost, and the call can
    /// be made again.
    #[error("{what} panicked: {message}")]
    Panicked {
        /// The code that panicked.
        what: &'static str,
        /// The message of the panic.
        message: String,
    },
}

impl TryAgain {
    /// A short, stable word.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            TryAgain::NoGroups { .. } => "no-groups",
            TryAgain::NoAm(_) => "no-am",
            TryAgain::Busy => "busy",
            TryAgain::Panicked { .. } => "panicked",
        }
    }
}
