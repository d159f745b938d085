//! Why an allocation file cannot be taken.

use super::placement_error::PlacementError;
use crate::diagnostic::{Diagnostic, Place};
use crate::placement_rules::PlacementRule;
use crate::resource_string::ResourceStringError;
use std::fmt;

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

/// What a number has to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NumberKind {
    /// Any number.
    Real,
    /// A whole one.
    Integer,
    /// A whole number of seconds.
    Seconds,
}

impl NumberKind {
    fn name(self) -> &'static str {
        match self {
            NumberKind::Real => "a number",
            NumberKind::Integer => "an integer",
            NumberKind::Seconds => "a whole number of seconds",
        }
    }

    fn example(self) -> &'static str {
        match self {
            NumberKind::Real => "0.5 or -1",
            NumberKind::Integer => "50",
            NumberKind::Seconds => "60",
        }
    }
}

/// Why an allocation file cannot be taken: where, what is wrong, what would be right.
///
/// A `subject` is an element with the queue or user that it belongs to, such as `queue "root.a": maxAMShare`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AllocationFileError {
    /// The text is not well-formed XML.
    Malformed {
        /// Where.
        at: Place,
        /// What the parser met.
        problem: String,
    },
    /// The text goes beyond ASCII in an encoding that Hadoop reads and this crate does not.
    UnsupportedEncoding {
        /// Where it does so first.
        at: Place,
        /// Which encoding, and what to do.
        problem: String,
    },
    /// Another root element.
    RootElement {
        /// Where.
        at: Place,
        /// Its name.
        found: String,
    },
    /// A queue name that is empty or has a dot.
    QueueName {
        /// Where.
        at: Place,
        /// The parent queue's full name.
        parent: String,
        /// The name, trimmed.
        name: String,
    },
    /// A queue without a name, but with an attribute that looks like it.
    MisspeltName {
        /// Where.
        at: Place,
        /// The parent queue's full name.
        parent: String,
        /// The attribute.
        attribute: String,
    },
    /// A queue whose full name is too long to be repeated for every queue below it.
    LongQueueName {
        /// Where.
        at: Place,
        /// The beginning of its full name.
        name: String,
        /// How many bytes a full name may have.
        longest: usize,
    },
    /// Other queues beside root.
    RootSiblings {
        /// Where root stands.
        at: Place,
    },
    /// An element without text.
    NoText {
        /// Where.
        at: Place,
        /// The element.
        subject: String,
        /// What to write.
        remedy: &'static str,
    },
    /// An element that does not begin with text.
    NotText {
        /// Where.
        at: Place,
        /// The element.
        subject: String,
        /// What it begins with.
        found: String,
    },
    /// A number that is none.
    NotANumber {
        /// Where.
        at: Place,
        /// The element.
        subject: String,
        /// Its text, or the beginning of a long one.
        text: String,
        /// What would be right.
        expected: NumberKind,
    },
    /// A resource string that is none.
    Resource {
        /// Where.
        at: Place,
        /// The element.
        subject: String,
        /// What is wrong with it.
        source: Box<ResourceStringError>,
    },
    /// A scheduling policy that there is not.
    UnknownPolicy {
        /// Where.
        at: Place,
        /// The element.
        subject: String,
        /// Its text, or the beginning of a long one.
        name: String,
        /// The ones there are.
        known: Box<str>,
    },
    /// `fifo` as default policy.
    FifoDefault {
        /// Where.
        at: Place,
    },
    /// `maxAMShare` or `reservation` in a parent queue.
    OnlyForLeaves {
        /// Where the element stands.
        at: Place,
        /// The queue's full name.
        queue: String,
        /// The element.
        element: String,
    },
    /// The placement policy.
    Placement {
        /// Where.
        at: Place,
        /// What is wrong with it.
        source: PlacementError,
    },
    /// One of the above, but in a part that Hadoop reads after it has put the file's placement rules in force: they
    /// stay, while everything else remains as it was before.
    AfterPlacement {
        /// What is wrong.
        cause: Box<AllocationFileError>,
        /// The change that is to be made all the same.
        placement: PlacementChange,
    },
}

impl AllocationFileError {
    /// The change of placement rules that the file makes although it is refused, if its rules were reached and are
    /// good.
    #[must_use]
    pub fn installed_placement(&self) -> Option<&PlacementChange> {
        if let AllocationFileError::AfterPlacement { placement, .. } = self { Some(placement) } else { None }
    }

    /// Where.
    #[must_use]
    pub fn place(&self) -> &Place {
        match self {
            AllocationFileError::Malformed { at, .. }
            | AllocationFileError::UnsupportedEncoding { at, .. }
            | AllocationFileError::RootElement { at, .. }
            | AllocationFileError::QueueName { at, .. }
            | AllocationFileError::MisspeltName { at, .. }
            | AllocationFileError::LongQueueName { at, .. }
            | AllocationFileError::RootSiblings { at }
            | AllocationFileError::NoText { at, .. }
            | AllocationFileError::NotText { at, .. }
            | AllocationFileError::NotANumber { at, .. }
            | AllocationFileError::Resource { at, .. }
            | AllocationFileError::UnknownPolicy { at, .. }
            | AllocationFileError::FifoDefault { at }
            | AllocationFileError::OnlyForLeaves { at, .. }
            | AllocationFileError::Placement { at, .. } => at,
            AllocationFileError::AfterPlacement { cause, .. } => cause.place(),
        }
    }

    /// The same as a diagnostic, in parts.
    #[must_use]
    pub fn diagnostic(&self) -> Diagnostic {
        let mut diagnostic = Diagnostic::error(self.code(), Some(self.place().clone()), self.problem());
        diagnostic.help = self.help();
        diagnostic.effect(if let AllocationFileError::UnsupportedEncoding { .. } = self {
            "Hadoop takes the file; this program cannot, and has not looked at what is in it"
        } else if self.installed_placement().is_some() {
            "Hadoop refuses the file, but at a reload its placement rules are in force by then, over the old queues"
        } else {
            "Hadoop refuses the file: it does not start with it, and a reload leaves everything as it was"
        });
        diagnostic
    }

    fn code(&self) -> &'static str {
        match self {
            AllocationFileError::Malformed { .. } => "malformed",
            AllocationFileError::UnsupportedEncoding { .. } => "unsupported-encoding",
            AllocationFileError::RootElement { .. } => "root-element",
            AllocationFileError::QueueName { .. }
            | AllocationFileError::MisspeltName { .. }
            | AllocationFileError::LongQueueName { .. } => "queue-name",
            AllocationFileError::RootSiblings { .. } => "root-siblings",
            AllocationFileError::NoText { .. } => "no-text",
            AllocationFileError::NotText { .. } => "not-text",
            AllocationFileError::NotANumber { .. } => "not-a-number",
            AllocationFileError::Resource { .. } => "not-a-resource",
            AllocationFileError::UnknownPolicy { .. } => "unknown-policy",
            AllocationFileError::FifoDefault { .. } => "fifo-default",
            AllocationFileError::OnlyForLeaves { .. } => "only-for-leaves",
            AllocationFileError::Placement { source, .. } => source.code(),
            AllocationFileError::AfterPlacement { cause, .. } => cause.code(),
        }
    }

    /// What is wrong, without place and help.
    fn problem(&self) -> String {
        match self {
            AllocationFileError::Malformed { problem, .. } => format!("not well-formed XML: {problem}"),
            AllocationFileError::UnsupportedEncoding { problem, .. } => problem.clone(),
            AllocationFileError::RootElement { found, .. } => format!("the root element is <{found}>"),
            AllocationFileError::QueueName { parent, name, .. } if name.is_empty() => {
                format!("a queue under {parent:?} has no name")
            }
            AllocationFileError::QueueName { parent, name, .. } => {
                format!("{name:?} cannot name a queue under {parent:?}, because it has a dot")
            }
            AllocationFileError::MisspeltName { parent, attribute, .. } => {
                format!("a queue under {parent:?} has no name, but an attribute {attribute:?}")
            }
            AllocationFileError::LongQueueName { name, longest, .. } => {
                format!("the full name of a queue, {name:?}, is longer than {longest} bytes")
            }
            AllocationFileError::RootSiblings { .. } => {
                "beside the queue \"root\" there are other queues at the top level".to_owned()
            }
            AllocationFileError::NoText { subject, .. } => format!("{subject} is empty"),
            AllocationFileError::NotText { subject, found, .. } => {
                format!("{subject} does not begin with its value, but with {found}")
            }
            AllocationFileError::NotANumber { subject, text, expected, .. } => {
                format!("{subject} {text:?} is not {}", expected.name())
            }
            AllocationFileError::Resource { subject, source, .. } => format!("{subject} {}", source.problem()),
            AllocationFileError::UnknownPolicy { subject, name, .. } => format!("{subject} {name:?} is not known"),
            AllocationFileError::FifoDefault { .. } => "the default policy cannot be fifo".to_owned(),
            AllocationFileError::OnlyForLeaves { queue, element, .. } => {
                format!("queue {queue:?}: {element} is for leaves, but this queue has child queues or type=\"parent\"")
            }
            AllocationFileError::Placement { source, .. } => format!("queuePlacementPolicy: {}", source.problem()),
            AllocationFileError::AfterPlacement { cause, .. } => cause.problem(),
        }
    }

    /// What would be right.
    fn help(&self) -> Option<String> {
        Some(match self {
            AllocationFileError::Malformed { .. } | AllocationFileError::UnsupportedEncoding { .. } => return None,
            AllocationFileError::RootElement { .. } => "it must be <allocations>".to_owned(),
            AllocationFileError::QueueName { name, .. } if name.is_empty() => "add name=\"...\"".to_owned(),
            AllocationFileError::MisspeltName { .. } => "write name=\"...\"".to_owned(),
            AllocationFileError::QueueName { .. } => {
                "a name is one part; for a queue below another put its element inside the other's".to_owned()
            }
            AllocationFileError::LongQueueName { .. } => "shorten its name, or those of the queues above it".to_owned(),
            AllocationFileError::RootSiblings { .. } => "put them inside it".to_owned(),
            AllocationFileError::NoText { remedy, .. } => (*remedy).to_owned(),
            AllocationFileError::NotText { .. } => "put the value first, and nothing else beside it".to_owned(),
            AllocationFileError::NotANumber { expected, .. } => {
                format!("write {}, such as {}", expected.name(), expected.example())
            }
            AllocationFileError::Resource { source, .. } => source.help(),
            AllocationFileError::UnknownPolicy { known, .. } => format!("known are {known}"),
            AllocationFileError::FifoDefault { .. } => {
                "write fair or drf, and fifo in the queues that want it".to_owned()
            }
            AllocationFileError::OnlyForLeaves { .. } => "move it into the leaf queues, or remove it".to_owned(),
            AllocationFileError::Placement { source, .. } => source.help(),
            AllocationFileError::AfterPlacement { cause, .. } => return cause.help(),
        })
    }
}

/// On one line: place, what is wrong, what would be right.
impl fmt::Display for AllocationFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place(), self.problem())?;
        self.help().iter().try_for_each(|help| write!(f, "; {help}"))
    }
}
