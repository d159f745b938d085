//! Priority ACLs: who may submit with which priority.
//!
//! Follows rules/capacity.md 21; `AppPriorityACLConfigurationParser`.
//! `[user=u1,u2 group=g max_priority=7 default_priority=4][...]`.

use super::error::{CapacityFault, CapacityFileError};
use crate::acl::AccessControlList;
use crate::java;

/// One group of a priority ACL.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PriorityAcl {
    /// Whom it admits.
    pub admits: AccessControlList,
    /// The highest priority, at most the cluster's.
    pub max_priority: i32,
    /// The priority of a submission without one, from 0; `None` where it has none.
    pub default_priority: Option<i32>,
}

/// Reads all groups. Text outside of brackets does not count, so that `*` has none.
pub(super) fn read(text: &str, cluster_max: i32, property: &str) -> Result<Vec<PriorityAcl>, CapacityFileError> {
    let mut groups = Vec::new();
    let mut rest = text;
    while let Some(open) = rest.find('[') {
        let inner = &rest[open + 1..];
        let close = inner.find(']').unwrap_or(inner.len());
        // The first character after the bracket belongs to the group whatever it is, unless it closes it.
        let group = java::trim(&inner[..close]);
        if !group.is_empty() {
            let read = read_group(group, cluster_max).map_err(|problem| {
                CapacityFileError::new(property, CapacityFault::PriorityAcl { text: text.to_owned(), problem })
            })?;
            groups.push(read);
        }
        rest = &inner[close..];
    }
    Ok(groups)
}

fn read_group(group: &str, cluster_max: i32) -> Result<PriorityAcl, String> {
    let (mut names, mut max_priority, mut default_priority) = (Vec::new(), None, None);
    let priority = |value: &str| {
        java::parse_int(value).ok_or_else(|| format!("has the priority {value:?}, which is not an integer of 32 bits"))
    };
    for pair in group.split(' ').filter(|pair| !pair.is_empty()) {
        let [key, value, ..] = java::split(pair, '=')[..] else { continue };
        match java::trim(key).to_uppercase().as_str() {
            "USER" | "GROUP" => names.push(java::trim(value)),
            "MAX_PRIORITY" => max_priority = Some(priority(value)?),
            "DEFAULT_PRIORITY" => default_priority = Some(priority(value)?.max(0)),
            _ => {
                return Err(format!("has {key:?}, which must be user, group, max_priority or default_priority"));
            }
        }
    }
    let Some(max_priority) = max_priority else { return Err("lacks max_priority=<number> in a group".to_owned()) };
    let Some(first) = names.first() else { return Err("lacks user=<users> or group=<groups> in a group".to_owned()) };
    // The first list is taken for users and the second for groups, whatever they are called.
    let list = match names.get(1).filter(|second| !second.is_empty()) {
        _ if *first == "*" => "*".to_owned(),
        Some(second) => java::trim(&format!("{first} {second}")).to_owned(),
        None => (*first).to_owned(),
    };
    let admits = AccessControlList::parse(&list);
    Ok(PriorityAcl { admits, max_priority: max_priority.min(cluster_max), default_priority })
}

/// What is odd in an ACL that was read: what it does, how that shows, and what would be right.
#[cfg(feature = "check")]
pub(super) type Odd = (String, &'static str, &'static str);

/// What Hadoop takes of an ACL without a word, and what is probably a mistake.
#[cfg(feature = "check")]
pub(super) fn oddities(text: &str, cluster_max: i32) -> Vec<Odd> {
    let mut found: Vec<Odd> = Vec::new();
    if !text.contains('[') {
        if java::trim(text) != "*" {
            let message = "has no group in brackets".to_owned();
            found.push((
                message,
                "everybody may have every priority",
                "write [user=ann max_priority=5 default_priority=1]",
            ));
        }
        return found;
    }
    for (at, group) in text.split('[').enumerate().skip(1) {
        let pairs = group.split(']').next().unwrap_or_default().split(' ').map(|pair| java::split(pair, '='));
        let pairs: Vec<(String, String)> = pairs
            .filter_map(|pair| match pair[..] {
                [key, value, ..] => Some((java::trim(key).to_uppercase(), value.to_owned())),
                _ => None,
            })
            .collect();
        if pairs.is_empty() {
            continue;
        }
        let number = |key: &str| {
            let last = pairs.iter().rfind(|(name, _)| name == key);
            last.and_then(|(_, value)| java::parse_int(value))
        };
        let names: Vec<&str> =
            pairs.iter().map(|(key, _)| key.as_str()).filter(|key| matches!(*key, "USER" | "GROUP")).collect();
        let most = number("MAX_PRIORITY").unwrap_or_default();
        if most > cluster_max {
            let message = format!(
                "has max_priority={most} in group {at}, and yarn.cluster.max-application-priority is {cluster_max}"
            );
            found.push((message, "the smaller one counts", "raise the cluster's, or lower this one"));
        }
        match number("DEFAULT_PRIORITY").map(|default| default.max(0).min(cluster_max)) {
            None => found.push((
                format!("has no default_priority in group {at}"),
                "a submission without a priority is refused to those who have their default from it",
                "write default_priority=<number>",
            )),
            Some(default) if default > most => found.push((
                format!("has a default_priority above the max_priority in group {at}"),
                "a submission without a priority is refused to those whom no other group admits",
                "lower the default",
            )),
            Some(_) => {}
        }
        if names.len() > 2 || names.first() == Some(&"GROUP") || names.get(1) == Some(&"USER") {
            found.push((
                format!("names others than user=<users> group=<groups>, in this order, in group {at}"),
                "the first list is taken for users, the second for groups, and further ones are ignored",
                "write one list of users, then one of groups",
            ));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_read_and_cut_to_the_clusters_maximum() {
        let text = "x[user=al,bo group=dev max_priority=7 default_priority=-4] [group=ops  max_priority=3]";
        let groups = read(text, 5, "p").unwrap();
        assert_eq!(groups.len(), 2);
        assert_eq!(groups[0].admits, AccessControlList::parse("al,bo dev"));
        assert_eq!((groups[0].max_priority, groups[0].default_priority), (5, Some(0)));
        // A group alone stands where users stand.
        assert_eq!(groups[1].admits, AccessControlList::parse("ops"));
        assert_eq!(read("*", 5, "p"), Ok(Vec::new()));
    }

    #[test]
    fn a_group_needs_a_maximum_and_somebody() {
        for bad in ["[user=al]", "[max_priority=3]", "[user=al max_priority=x]", "[usr=al max_priority=1]"] {
            assert!(read(bad, 5, "p").is_err(), "{bad}");
        }
    }
}
