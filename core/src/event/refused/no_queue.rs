//! No queue takes an application.

/// No queue takes the application, or the queue that the call needs cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NoQueue {
    /// No placement rule places the application.
    #[error("no placement rule places application {number} of user {user:?} (queue asked for: {queue:?})")]
    NoRule {
        /// The application.
        number: u32,
        /// Its user.
        user: String,
        /// The queue that the submission names.
        queue: String,
    },
    /// A placement rule cannot be applied to the submission.
    #[error("no queue for user {user:?} (queue asked for: {queue:?}): {why}")]
    RuleFailed {
        /// The user who submits.
        user: String,
        /// The queue that the submission names.
        queue: String,
        /// What the rule needs.
        why: &'static str,
    },
    /// The ResourceManager refuses the name of the requested queue, wherever the rules place the application.
    #[error("application {number} asks for queue {queue:?}: {why}")]
    NameAtSubmit {
        /// The application.
        number: u32,
        /// The requested name.
        queue: String,
        /// What is wrong with it, and what would be right.
        why: &'static str,
    },
    /// The name is not that of a leaf queue, and no leaf queue can be made under it.
    #[error("{queue:?} is no leaf queue and cannot become one")]
    NotLeaf {
        /// The name.
        queue: String,
    },
    /// The reservation has no queue: it has not begun, it has ended, or it does not exist.
    #[error("{reservation} has no queue below plan {plan:?} now; submit to the plan without it")]
    ReservationNotActive {
        /// The reservation's name.
        reservation: String,
        /// The plan.
        plan: String,
    },
    /// The queue of the reservation is below another plan, or the submission names the plan by its short name.
    #[error("{reservation} has a queue, but not below {plan:?}: name the plan of the reservation, by its full path")]
    OtherPlan {
        /// The reservation's name.
        reservation: String,
        /// The plan, as it was named.
        plan: String,
    },
    /// A mapping rule names a queue that does not exist and cannot be created.
    #[error("queue {queue:?} cannot be made automatically: {why}")]
    NotMade {
        /// The path.
        queue: String,
        /// The reason.
        why: String,
    },
    /// A leaf queue of a managed parent accepts only applications that a mapping rule places there.
    #[error(
        "queue {queue:?} of a managed parent takes only applications that a mapping rule leads there: user {user:?} needs one"
    )]
    OnlyByRule {
        /// The path.
        queue: String,
        /// The user who submits.
        user: String,
    },
    /// A mapping rule places in a leaf queue of a managed parent, and names another parent.
    #[error(
        "queue {queue:?} has made itself already, and a mapping rule would have it in {parent:?} for user {user:?}"
    )]
    OtherParent {
        /// The path.
        queue: String,
        /// The parent that the rule names.
        parent: String,
        /// The user who submits.
        user: String,
    },
    /// A queue of that name and type cannot be created.
    #[error(
        "queue {queue:?} cannot be created: it is there with the other type, or a leaf queue or a policy above it stands against it"
    )]
    CannotCreate {
        /// The name.
        queue: String,
    },
    /// A part of a queue name is empty or has white space around it, or there are more than 127 below root.
    #[error(
        "{queue:?} is no queue name: every part between dots must be non-empty and without white space at its ends, and there may be 127 below root"
    )]
    BadName {
        /// The name.
        queue: String,
    },
    /// Several queues have this short name.
    #[error("several queues are named {0:?}: name one by its full path")]
    Ambiguous(String),
    /// The queue, or a queue above it, is stopped.
    #[error("queue {0:?} is stopped: it takes no applications")]
    Stopped(String),
}

impl NoQueue {
    /// A short, stable word.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            NoQueue::NoRule { .. } | NoQueue::RuleFailed { .. } => "placement",
            NoQueue::NameAtSubmit { .. } => "queue-name-at-submit",
            NoQueue::NotLeaf { .. } => "not-leaf",
            NoQueue::ReservationNotActive { .. } => "not-active",
            NoQueue::OtherPlan { .. } => "other-plan",
            NoQueue::NotMade { .. } => "not-made",
            NoQueue::OnlyByRule { .. } => "only-by-rule",
            NoQueue::OtherParent { .. } => "other-parent",
            NoQueue::CannotCreate { .. } => "cannot-create",
            NoQueue::BadName { .. } => "bad-queue-name",
            NoQueue::Ambiguous(_) => "ambiguous-queue",
            NoQueue::Stopped(_) => "stopped",
        }
    }
}
