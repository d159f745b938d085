//! Why a placement policy cannot be taken.

use crate::nearest::nearest;
use crate::placement_rules::RuleKind;
use std::fmt;

/// Why a placement policy cannot be taken: what is wrong, what would be right.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PlacementError {
    /// A policy without any content.
    Empty,
    /// A rule without a name.
    NoName,
    /// A rule that there is not.
    UnknownRule {
        /// Its name.
        name: String,
    },
    /// A rule that always decides, before others.
    NotLast {
        /// The rule's number, from 1.
        number: usize,
        /// Its kind.
        kind: RuleKind,
    },
    /// The last rule may leave an application without a queue.
    Undecided {
        /// Its kind.
        kind: RuleKind,
    },
    /// A rule that cannot give a parent queue.
    NotInside {
        /// Its name.
        name: String,
    },
    /// A rule that takes no parent queue.
    NothingInside {
        /// The outer rule.
        kind: RuleKind,
    },
    /// A rule inside one of its own kind.
    SameKind {
        /// The inner rule's name.
        name: String,
    },
    /// `nestedUserQueue` without a rule inside.
    NoParentRule,
}

fn names() -> [&'static str; 7] {
    RuleKind::NAMES.map(|(name, _)| name)
}

impl PlacementError {
    /// Whether Hadoop finds it only after it has read all rules: in their order, or when it initialises them.
    #[cfg(feature = "convert")]
    pub(super) fn follows_reading(&self) -> bool {
        match self {
            PlacementError::NotLast { .. }
            | PlacementError::Undecided { .. }
            | PlacementError::NothingInside { .. }
            | PlacementError::SameKind { .. } => true,
            PlacementError::Empty
            | PlacementError::NoName
            | PlacementError::UnknownRule { .. }
            | PlacementError::NotInside { .. }
            | PlacementError::NoParentRule => false,
        }
    }

    pub(super) fn code(&self) -> &'static str {
        match self {
            PlacementError::Empty => "placement-empty",
            PlacementError::NoName => "rule-without-name",
            PlacementError::UnknownRule { .. } => "unknown-rule",
            PlacementError::NotLast { .. } => "unreachable-rules",
            PlacementError::Undecided { .. } => "undecided-placement",
            PlacementError::NotInside { .. }
            | PlacementError::NothingInside { .. }
            | PlacementError::SameKind { .. } => "rule-nesting",
            PlacementError::NoParentRule => "rule-without-parent",
        }
    }

    pub(super) fn problem(&self) -> String {
        match self {
            PlacementError::Empty => "it is empty".to_owned(),
            PlacementError::NoName => "a rule has no name".to_owned(),
            PlacementError::UnknownRule { name } => format!("rule {name:?} is not known"),
            PlacementError::NotLast { number, kind } => {
                format!("rule {number} ({kind}) always decides, so the rules after it are never reached")
            }
            PlacementError::Undecided { kind } => {
                format!("the last rule ({kind}) may leave an application without a queue")
            }
            PlacementError::NotInside { name } => format!("rule {name:?} cannot be inside another rule"),
            PlacementError::NothingInside { kind } => format!("rule \"{kind}\" cannot have a rule inside"),
            PlacementError::SameKind { name } => format!("rule {name:?} cannot be inside one of the same kind"),
            PlacementError::NoParentRule => {
                "rule \"nestedUserQueue\" has no rule inside it, which would give the parent queue".to_owned()
            }
        }
    }

    pub(super) fn help(&self) -> String {
        match self {
            PlacementError::Empty => "write rules, or remove it for the default ones".to_owned(),
            PlacementError::NoName => format!("add name=\"...\"; known are {}", names().join(", ")),
            PlacementError::UnknownRule { name } => match nearest(name, names()) {
                Some(meant) => format!("did you mean {meant:?}?"),
                None => format!("known are {}", names().join(", ")),
            },
            PlacementError::NotLast { kind: RuleKind::Reject, .. } => "make it the last".to_owned(),
            PlacementError::NotLast { .. } => "give it create=\"false\", or make it the last".to_owned(),
            PlacementError::Undecided { .. } => {
                "end with <rule name=\"default\"/> or <rule name=\"reject\"/>".to_owned()
            }
            PlacementError::NotInside { .. } | PlacementError::SameKind { .. } => {
                "inside can be specified, primaryGroup, secondaryGroupExistingQueue, default or user, \
                 but not the outer one's kind"
                    .to_owned()
            }
            PlacementError::NothingInside { .. } => {
                "remove the inner rule, or make the outer one nestedUserQueue".to_owned()
            }
            PlacementError::NoParentRule => {
                "put one inside, such as <rule name=\"primaryGroup\"/>, or write rule \"user\"".to_owned()
            }
        }
    }
}

impl fmt::Display for PlacementError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; {}", self.problem(), self.help())
    }
}
