//! Why properties cannot be taken.

use crate::diagnostic::{Diagnostic, Place, Severity};
use crate::known::TYPES;
use crate::site::TooManySubstitutions;
use evenweave_resource::{ResourceTypesError, UnitError};
use std::fmt;

/// Why a property cannot be taken, and where its value stands.
#[derive(Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SettingsError {
    /// Where, if the value comes from a file.
    pub at: Option<Place>,
    /// What is wrong, and what would be right.
    pub problem: Box<SettingsProblem>,
}

impl fmt::Display for SettingsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(at) = &self.at {
            write!(f, "{at}: ")?;
        }
        self.problem.fmt(f)
    }
}

impl std::error::Error for SettingsError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.problem.source()
    }
}

/// What is wrong with a property.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SettingsProblem {
    /// The text is no number, or too large.
    #[error("{property}: {value:?} is not {expected}")]
    NotANumber {
        /// The property.
        property: String,
        /// Its value.
        value: String,
        /// What would be right.
        expected: &'static str,
    },
    /// The variables in the value cannot be replaced.
    #[error("{property}: {value:?}: {source}")]
    Substitution {
        /// The property.
        property: String,
        /// Its value as it was written, or the beginning of a long one.
        value: String,
        /// Why not.
        source: TooManySubstitutions,
    },
    /// The minimum allocation is negative or above the maximum.
    #[error(
        "{property}: {value} is negative or above {maximum_property}, which is {maximum}; it must be from 0 to that"
    )]
    MinimumAllocation {
        /// The property of the minimum.
        property: &'static str,
        /// Its value.
        value: i32,
        /// The property of the maximum.
        maximum_property: &'static str,
        /// Its value.
        maximum: i32,
    },
    /// The increment of memory or vcores is not positive.
    #[error("{property}: the increment {value} must be greater than 0")]
    Increment {
        /// The property.
        property: String,
        /// The increment.
        value: i64,
    },
    /// An increment that is not a number and perhaps a unit.
    #[error("{property}: {value:?} is not a number and at most one space and a unit, such as \"512\" or \"1 Gi\"")]
    IncrementFormat {
        /// The property.
        property: String,
        /// Its value.
        value: String,
    },
    /// An increment that in the type's own unit does not fit 64 bits.
    #[error("{property}: {value:?} is too large; in the unit of the type it must be below 2^63")]
    IncrementTooLarge {
        /// The property.
        property: String,
        /// Its value.
        value: String,
    },
    /// A unit that there is not.
    #[error("{property}: {source}")]
    Unit {
        /// The property.
        property: String,
        /// The unit, and the ones there are.
        source: UnitError,
    },
    /// A unit of a type that Hadoop gives none.
    #[error("{property}: {name} has no unit, but {unit:?} is given; remove it")]
    UnitOfKnownType {
        /// The property.
        property: String,
        /// The type.
        name: String,
        /// The unit.
        unit: String,
    },
    /// A kind of resource that there is not.
    #[error("{property}: {value:?} is not COUNTABLE, to the letter; there is no other kind")]
    TypeKind {
        /// The property.
        property: String,
        /// Its value.
        value: String,
    },
    /// The name of a resource type.
    #[error("yarn.resource-types: {name:?} {problem}")]
    TypeName {
        /// The name.
        name: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// The list of resource types.
    #[error("yarn.resource-types: {source}")]
    Types {
        /// What is wrong with it.
        source: ResourceTypesError,
    },
}

impl SettingsProblem {
    /// The property that it is about.
    pub(super) fn property(&self) -> &str {
        match self {
            SettingsProblem::NotANumber { property, .. }
            | SettingsProblem::Substitution { property, .. }
            | SettingsProblem::Increment { property, .. }
            | SettingsProblem::IncrementFormat { property, .. }
            | SettingsProblem::IncrementTooLarge { property, .. }
            | SettingsProblem::Unit { property, .. }
            | SettingsProblem::UnitOfKnownType { property, .. }
            | SettingsProblem::TypeKind { property, .. } => property,
            SettingsProblem::MinimumAllocation { property, .. } => property,
            SettingsProblem::TypeName { .. } | SettingsProblem::Types { .. } => TYPES,
        }
    }

    pub(super) fn code(&self) -> &'static str {
        match self {
            SettingsProblem::NotANumber { .. } => "not-a-number",
            SettingsProblem::Substitution { .. } => "substitution",
            SettingsProblem::MinimumAllocation { .. } => "minimum-allocation",
            SettingsProblem::Increment { .. }
            | SettingsProblem::IncrementFormat { .. }
            | SettingsProblem::IncrementTooLarge { .. } => "increment",
            SettingsProblem::Unit { .. } | SettingsProblem::UnitOfKnownType { .. } => "unit",
            SettingsProblem::TypeKind { .. } | SettingsProblem::TypeName { .. } | SettingsProblem::Types { .. } => {
                "resource-types"
            }
        }
    }
}

impl SettingsError {
    /// The same as a diagnostic.
    #[must_use]
    pub fn diagnostic(&self) -> Diagnostic {
        Diagnostic {
            severity: Severity::Error,
            code: self.problem.code(),
            at: self.at.clone(),
            message: self.problem.to_string(),
            effect: Some("the scheduler does not start".to_owned()),
            help: None,
        }
    }
}
