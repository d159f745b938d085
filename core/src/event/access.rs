//! Rights: what a user may do in a queue, or with an application.

use std::fmt;

/// A right on an application. Hadoop's `ApplicationAccessType`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum AppAccess {
    /// See its details, Hadoop's `VIEW_APP`.
    View,
    /// Kill or move it, Hadoop's `MODIFY_APP`.
    Modify,
}

/// As in "may not modify".
impl fmt::Display for AppAccess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            AppAccess::View => "view",
            AppAccess::Modify => "modify",
        })
    }
}
