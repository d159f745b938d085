//! Why an allocation file cannot be taken.

use crate::config::diagnostic::Place;
use crate::config::placement_rules::PlacementRule;
use crate::config::resource_string::ResourceStringError;

/// What a file does to the placement rules in force.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlacementChange {
    /// A policy without any rule element: the rules in force stay.
    Keep,
    /// No policy: the rules of the settings, see [`default_rules`](crate::default_rules).
    Defaults,
    /// These rules.
    Rules(Vec<PlacementRule>),
}

/// Why an allocation file cannot be taken: where, what is wrong, what would be right.
///
/// A `subject` is an element with the queue or user that it belongs to, such as `queue "root.a": maxAMShare`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AllocationFileError {
    /// The text is not well-formed XML.
    #[error("{at}: not well-formed XML: {problem}")]
    Malformed {
        /// Where.
        at: Place,
        /// What the parser met.
        problem: String,
    },
    /// Another root element.
    #[error("{at}: the root element is <{found}>, but must be <allocations>")]
    RootElement {
        /// Where.
        at: Place,
        /// Its name.
        found: String,
    },
    /// A queue name that is empty or has a dot.
    #[error("{at}: {name:?} cannot name a queue under {parent:?}; a name is one part, not empty and without a dot")]
    QueueName {
        /// Where.
        at: Place,
        /// The parent queue's full name.
        parent: String,
        /// The name, trimmed.
        name: String,
    },
    /// Other queues beside root.
    #[error("{at}: beside the queue \"root\" no other queue may stand; put the others inside it")]
    RootSiblings {
        /// Where root stands.
        at: Place,
    },
    /// An element without text.
    #[error("{at}: {subject} is empty; write a value, or remove it for the default")]
    NoText {
        /// Where.
        at: Place,
        /// The element.
        subject: String,
    },
    /// An element that does not begin with text.
    #[error("{at}: {subject} must begin with its value, not with {found}")]
    NotText {
        /// Where.
        at: Place,
        /// The element.
        subject: String,
        /// What it begins with.
        found: String,
    },
    /// A number that is none.
    #[error("{at}: {subject} {text:?} is not {expected}")]
    NotANumber {
        /// Where.
        at: Place,
        /// The element.
        subject: String,
        /// Its text.
        text: String,
        /// What would be right.
        expected: &'static str,
    },
    /// A resource string that is none.
    #[error("{at}: {subject} {source}")]
    Resource {
        /// Where.
        at: Place,
        /// The element.
        subject: String,
        /// What is wrong with it.
        source: Box<ResourceStringError>,
    },
    /// A scheduling policy that there is not.
    #[error("{at}: {subject} {name:?} is not known; known are {known}")]
    UnknownPolicy {
        /// Where.
        at: Place,
        /// The element.
        subject: String,
        /// Its text.
        name: String,
        /// The ones there are.
        known: String,
    },
    /// `fifo` as default policy.
    #[error("{at}: the default policy cannot be fifo; write fair or drf, and fifo in the queues that want it")]
    FifoDefault {
        /// Where.
        at: Place,
    },
    /// `maxAMShare` or `reservation` in a parent queue.
    #[error("{at}: queue {queue:?}: {element} is for leaves, but this queue has child queues or type=\"parent\"")]
    OnlyForLeaves {
        /// Where the element stands.
        at: Place,
        /// The queue's full name.
        queue: String,
        /// The element.
        element: String,
    },
    /// The placement policy.
    #[error("{at}: queuePlacementPolicy: {problem}")]
    Placement {
        /// Where.
        at: Place,
        /// What is wrong, and what would be right.
        problem: String,
    },
    /// One of the above, but in a part that Hadoop reads after it has put the file's placement rules in force: they stay,
    /// while everything else remains as it was before.
    #[error("{cause}")]
    AfterPlacement {
        /// What is wrong.
        cause: Box<AllocationFileError>,
        /// The change that is to be made all the same.
        placement: PlacementChange,
    },
}

impl AllocationFileError {
    /// The change of placement rules that the file makes although it is refused, if its rules were reached and are good.
    #[must_use]
    pub fn installed_placement(&self) -> Option<&PlacementChange> {
        if let AllocationFileError::AfterPlacement { placement, .. } = self { Some(placement) } else { None }
    }
}
