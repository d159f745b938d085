//! Access control lists that are read otherwise than they look.
//!
//! Hadoop's text is `users groups`, untrimmed, with exactly one space between. Pure; for the lints of both kinds of
//! files.

use super::acl::AccessControlList;
use super::java;
use super::quoted::shown;
use std::collections::BTreeSet;

/// So many names of a list stand in a warning.
const MAX_NAMES: usize = 20;

/// What is odd in a list: a code, what to say after the list's name, what Hadoop does, and what would be right.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct AclOddity {
    pub(super) is_star: bool,
    pub(super) message: &'static str,
    pub(super) effect: String,
    pub(super) help: &'static str,
}

/// Looks through the text of a list.
pub(super) fn oddity(text: &str) -> Option<AclOddity> {
    let list = AccessControlList::parse(text);
    if list.everybody {
        return None;
    }
    if list.users.contains("*") || list.groups.contains("*") {
        return Some(AclOddity {
            is_star: true,
            message: "has a \"*\" among other names",
            effect: "Hadoop takes it for a name: \"*\" means everybody only where it stands alone".to_owned(),
            help: "write * alone for everybody, or remove it",
        });
    }
    let (users, groups) = text.split_once(' ').unwrap_or((text, ""));
    let spaced = |name: &String| name.contains(char::is_whitespace);
    let torn = !list.groups.is_empty()
        && (java::trim(users).ends_with(',') || groups.trim_start().starts_with(',') || users.contains(['\n', '\t']));
    if !torn && !list.users.iter().chain(&list.groups).any(spaced) {
        return None;
    }
    Some(AclOddity {
        is_star: false,
        message: "has white space that changes what it means",
        effect: format!("Hadoop reads users {}; groups {}", quoted(&list.users), quoted(&list.groups)),
        help: "write \"user1,user2 group1,group2\": one space, between users and groups, and no other white space",
    })
}

fn quoted(names: &BTreeSet<String>) -> String {
    if names.is_empty() {
        return "none".to_owned();
    }
    let first: Vec<String> = names.iter().take(MAX_NAMES).map(|name| shown(name)).collect();
    let more = match names.len().saturating_sub(MAX_NAMES) {
        0 => String::new(),
        more => format!(" (and {more} more)"),
    };
    format!("{}{more}", first.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_that_mean_what_they_say_are_not_odd() {
        for text in ["*", " ", "", "al", "al,bo", "al,bo dev,ops", " dev", "al dev", "* dev"] {
            assert_eq!(oddity(text), None, "{text:?}");
        }
    }

    #[test]
    fn a_star_among_names_and_white_space_in_the_wrong_place_are() {
        for text in ["*,al", "al,*", "al *,dev"] {
            assert!(oddity(text).is_some_and(|odd| odd.is_star), "{text:?}");
        }
        for text in ["al, bo", "al ,bo", "al dev ops", "\n al dev", "al bo dev"] {
            assert!(oddity(text).is_some_and(|odd| !odd.is_star), "{text:?}");
        }
        assert_eq!(oddity("al, bo").unwrap().effect, "Hadoop reads users \"al\"; groups \"bo\"");
    }
}
