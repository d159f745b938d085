//! The user has no right to do it.

use crate::event::access::AppAccess;

/// The user has no right to do it: an access control list says so.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Denied {
    /// The ResourceManager's own check of a submission, with `yarn.acl.enable`. It comes before the queue is created,
    /// and so checks the nearest existing queue.
    #[error(
        "user {user:?} may neither submit to nor administer queue {nearest:?} or a queue above it, and so may not submit to {queue:?}"
    )]
    Submit {
        /// The user.
        user: String,
        /// The queue in which the application was placed.
        queue: String,
        /// The nearest existing queue: `queue`, or a queue above it.
        nearest: String,
    },
    /// The user has no right on the application.
    #[error(
        "user {user:?} may not {access} application {app}: neither its owner nor in yarn.admin.acl, nor may administer its queue {queue:?} or a queue above it"
    )]
    App {
        /// The user.
        user: String,
        /// The right that the call needs.
        access: AppAccess,
        /// The application.
        app: u32,
        /// The application's queue.
        queue: String,
    },
    /// With reservation ACLs switched on, a user who submits an application needs the right to submit reservations.
    #[error("user {user:?} may not submit reservations to queue {queue:?}, and so no application either")]
    Reservation {
        /// The user.
        user: String,
        /// The queue.
        queue: String,
    },
    /// The user may neither submit to nor administer the queue.
    #[error("user {user:?} may neither submit to nor administer queue {queue:?} or a queue above it")]
    Queue {
        /// The user.
        user: String,
        /// The queue.
        queue: String,
    },
    /// No group of the queue's `acl_application_max_priority` that admits the user has so high a priority.
    #[error(
        "user {user:?} may not give application {app} priority {priority} in queue {queue:?}: no group of its \
         acl_application_max_priority that admits the user goes so high"
    )]
    Priority {
        /// The application.
        app: u32,
        /// The user who submits the application, or changes its priority.
        user: String,
        /// The priority, within `yarn.cluster.max-application-priority`.
        priority: i32,
        /// The queue.
        queue: String,
    },
}

impl Denied {
    /// A short, stable word.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Denied::Submit { .. } | Denied::Queue { .. } => "acl",
            Denied::App { .. } => "app-acl",
            Denied::Reservation { .. } => "reservation-acl",
            Denied::Priority { .. } => "priority-acl",
        }
    }
}
