//! Access control lists: who may submit to and administer a queue.
//!
//! Follows rules/configuration.md 5.1; Hadoop's `AccessControlList`.

use super::java;
use std::collections::BTreeSet;

/// A right in a queue, given by its list for that right or by that of any queue above it. Hadoop's `QueueACL`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum QueueAccess {
    /// `aclSubmitApps`, Hadoop's `SUBMIT_APPLICATIONS`.
    Submit,
    /// `aclAdministerApps`, Hadoop's `ADMINISTER_QUEUE`: submit, and kill, move and see all applications in it.
    Administer,
}

/// Users and groups, or everybody.
///
/// ```
/// use evenweave::config::AccessControlList;
/// let list = AccessControlList::parse("al,bo dev");
/// assert!(list.allows("al", &["ops"]));
/// assert!(list.allows("cy", &["dev"]));
/// assert!(!list.allows("cy", &["ops"]));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct AccessControlList {
    /// `*`: everybody is allowed; the two sets are empty then.
    pub everybody: bool,
    /// The users.
    pub users: BTreeSet<String>,
    /// The groups.
    pub groups: BTreeSet<String>,
}

impl AccessControlList {
    /// Everybody: `*`.
    #[must_use]
    pub fn everybody() -> AccessControlList {
        AccessControlList { everybody: true, ..AccessControlList::default() }
    }

    /// Nobody: a single space.
    #[must_use]
    pub fn nobody() -> AccessControlList {
        AccessControlList::default()
    }

    /// Reads `users groups`: comma-separated users, one space, comma-separated groups; `*` as either is everybody.
    #[must_use]
    pub fn parse(text: &str) -> AccessControlList {
        let (users, groups) = text.split_once(' ').unwrap_or((text, ""));
        if java::trim(users) == "*" || java::trim(groups) == "*" {
            return AccessControlList::everybody();
        }
        AccessControlList { everybody: false, users: names(users), groups: names(groups) }
    }

    /// Whether a user who is in these groups is allowed.
    #[must_use]
    pub fn allows<G: AsRef<str>>(&self, user: &str, groups: &[G]) -> bool {
        self.everybody
            || self.users.contains(user)
            || (!self.groups.is_empty() && groups.iter().any(|group| self.groups.contains(group.as_ref())))
    }
}

/// `StringUtils.getTrimmedStringCollection`: split at commas and line ends, trimmed, empty ones left out.
fn names(list: &str) -> BTreeSet<String> {
    let trimmed = list.split([',', '\n']).map(java::trim);
    trimmed.filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(text: &str) -> (Vec<String>, Vec<String>) {
        let list = AccessControlList::parse(text);
        assert!(!list.everybody, "{text:?}");
        (list.users.into_iter().collect(), list.groups.into_iter().collect())
    }

    #[test]
    fn a_star_on_either_side_is_everybody() {
        for text in ["*", "* dev", "al *", " *", " * "] {
            assert_eq!(AccessControlList::parse(text), AccessControlList::everybody(), "{text:?}");
        }
        assert_eq!(sorted("*x"), (vec!["*x".into()], vec![]));
        assert_eq!(sorted("al,* dev"), (vec!["*".into(), "al".into()], vec!["dev".into()]));
    }

    #[test]
    fn only_the_first_space_divides() {
        assert_eq!(sorted("al, bo"), (vec!["al".into()], vec!["bo".into()]));
        assert_eq!(sorted("al dev ops"), (vec!["al".into()], vec!["dev ops".into()]));
        assert_eq!(sorted("\n al dev\n"), (vec![], vec!["al dev".into()]));
        assert_eq!(sorted(" "), (vec![], vec![]));
    }
}
