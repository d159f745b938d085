//! The call itself is wrong.

use crate::event::named::LONGEST_NAME;
use crate::event::named::Named;
use crate::resource::Resource;

/// The call itself is wrong. The same call is refused again.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Invalid {
    /// A requested resource is negative, or above the largest container.
    #[error("{asked} is negative or above the largest container here, {largest}")]
    Resource {
        /// The requested resource.
        asked: Box<Resource>,
        /// The largest container.
        largest: Box<Resource>,
    },
    /// The submission has no priority, and the group of the queue's `acl_application_max_priority` that admits the user
    /// has no `default_priority`. Hadoop refuses it with a `NullPointerException`.
    #[error(
        "application {app} has no priority, and in queue {queue:?} acl_application_max_priority has no default_priority where it \
         admits user {user:?}: submit with a priority"
    )]
    NoPriority {
        /// The application.
        app: u32,
        /// The user who submits.
        user: String,
        /// The queue.
        queue: String,
    },
    /// The lifetime is not valid: at a submission it must be above 0, later at least 0.
    #[error(
        "application {app}: {seconds} s is not a valid lifetime: give more than 0 at a submission, and at least 0 later"
    )]
    Lifetime {
        /// The application.
        app: u32,
        /// The requested lifetime.
        seconds: i64,
    },
    /// An ask names a label that it may not, in Hadoop's words.
    #[error("{0}")]
    Label(String),
    /// The application has asked for nodes of labels that the queue may not use, in Hadoop's words.
    #[error("{0}")]
    LabelAccess(String),
    /// `*` cannot be blacklisted.
    #[error("`*` cannot be blacklisted: name nodes or racks")]
    Blacklist,
    /// A name is too long.
    #[error("a {what} name of {bytes} bytes, {begins:?}: give at most {LONGEST_NAME}")]
    LongName {
        /// The kind of thing that the name is for.
        what: Named,
        /// The beginning of the name.
        begins: String,
        /// The length of the name.
        bytes: usize,
    },
    /// The name of a node or rack is not valid.
    #[error("{name:?} is not a valid {what} name: {why}")]
    PlaceName {
        /// The kind of thing that the name is for.
        what: Named,
        /// The name.
        name: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// The new largest container is negative, or below the smallest.
    #[error(
        "{asked} cannot be the largest container: no amount may be negative, or below that of the smallest, {smallest}"
    )]
    Maximum {
        /// The requested largest container.
        asked: Box<Resource>,
        /// [`Settings::minimum`](crate::Settings::minimum)
        smallest: Box<Resource>,
    },
    /// A node has an amount of an unknown resource type.
    #[error("node {name:?}: {total} has an amount of an unknown resource type: the scheduler has {types} types")]
    UnknownType {
        /// The node's name.
        name: String,
        /// Its total.
        total: Box<Resource>,
        /// How many types there are.
        types: usize,
    },
    /// The name of a node or rack in a request was too long: see `FairScheduler::location`.
    #[error("the request names a node or rack whose name is longer than {LONGEST_NAME} bytes")]
    NoLocation,
    /// A location in a request was made by another scheduler's `location`.
    #[error(
        "the request names a node or rack by a location of another scheduler: ask `location` of the one that is called"
    )]
    OthersLocation,
    /// The node's total is negative.
    #[error("node {name:?}: total {total} is negative")]
    NodeTotal {
        /// Its name.
        name: String,
        /// Its total.
        total: Box<Resource>,
    },
    /// The call would wait for the thread on which it is made: in a callback, or where a worker is polled.
    #[error(
        "the call would wait for the thread that it is made on (in a callback, or where a worker is polled): make it on another thread"
    )]
    OwnThread,
    /// The answers were already taken.
    #[error("the answers were already taken")]
    AlreadyTaken,
}

impl Invalid {
    /// A short, stable word.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Invalid::Resource { .. } => "invalid-resource",
            Invalid::NoPriority { .. } => "no-default-priority",
            Invalid::Lifetime { .. } => "bad-lifetime",
            Invalid::Label(_) => "invalid-label",
            Invalid::LabelAccess(_) => "label-access",
            Invalid::Blacklist => "invalid-blacklist",
            Invalid::LongName { .. } => "name-too-long",
            Invalid::PlaceName { .. } => "bad-place-name",
            Invalid::Maximum { .. } => "bad-maximum",
            Invalid::UnknownType { .. } => "unknown-type",
            Invalid::NoLocation => "no-location",
            Invalid::OthersLocation => "others-location",
            Invalid::NodeTotal { .. } => "bad-node",
            Invalid::OwnThread => "own-thread",
            Invalid::AlreadyTaken => "already-taken",
        }
    }
}
