//! The rights that a user can have on an application. The rights on queues are in `queue/acls.rs`.

use std::fmt;

/// A right on an application. Hadoop's `ApplicationAccessType`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum AppAccess {
    /// The right to read its details: Hadoop's `VIEW_APP`.
    View,
    /// The right to kill or move it: Hadoop's `MODIFY_APP`.
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
