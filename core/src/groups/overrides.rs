//! Hadoop's static groups: `hadoop.user.group.static.mapping.overrides`.

use super::file::GroupsError;
use super::source::Groups;
use std::collections::HashMap;

/// Reads the value of `hadoop.user.group.static.mapping.overrides`: `user1=group1,group2;user2=;user3=group2`. As in
/// Hadoop names are not trimmed, empty parts do not count, and of a user that stands twice the last entry counts.
///
/// ```
/// use evenweave::groups::{Groups, parse_group_overrides};
/// let groups = parse_group_overrides("ann=staff,dev;bob=").unwrap();
/// assert_eq!(groups.of("ann"), ["staff", "dev"]);
/// assert!(groups.contains_key("bob"));
/// assert!(parse_group_overrides("ann=staff=dev").is_err());
/// ```
///
/// # Errors
/// An entry without a user or with a second `=`.
pub fn parse_group_overrides(text: &str) -> Result<HashMap<String, Vec<String>>, GroupsError> {
    let mut users = HashMap::new();
    for entry in text.split(';').filter(|entry| !entry.is_empty()) {
        let mut parts = entry.split('=').filter(|part| !part.is_empty());
        let (Some(user), list, None) = (parts.next(), parts.next(), parts.next()) else {
            return Err(GroupsError::Overrides { entry: entry.to_owned() });
        };
        let mut groups: Vec<String> = Vec::new();
        for group in list.unwrap_or_default().split(',').filter(|group| !group.is_empty()) {
            if !groups.iter().any(|known| known == group) {
                groups.push(group.to_owned());
            }
        }
        users.insert(user.to_owned(), groups);
    }
    Ok(users)
}

/// Some users' groups from a map, those of all others from elsewhere. A user in the map without groups is in none,
/// whatever the others would say. Hadoop's map has `dr.who` in it unless it is configured otherwise.
///
/// ```
/// use evenweave::groups::{Groups, OverriddenGroups, parse_group_overrides, parse_groups};
/// let others = parse_groups("ann: staff\nbob: staff\n", "groups.txt").unwrap();
/// let groups = OverriddenGroups::new(parse_group_overrides("ann=dev;dr.who=").unwrap(), others);
/// assert_eq!((groups.of("ann"), groups.of("bob")), (vec!["dev".to_owned()], vec!["staff".to_owned()]));
/// ```
#[derive(Debug)]
pub struct OverriddenGroups<G> {
    overrides: HashMap<String, Vec<String>>,
    others: G,
}

impl<G: Groups> OverriddenGroups<G> {
    /// Lays the map over the others.
    #[must_use]
    pub fn new(overrides: HashMap<String, Vec<String>>, others: G) -> OverriddenGroups<G> {
        OverriddenGroups { overrides, others }
    }
}

impl<G: Groups> Groups for OverriddenGroups<G> {
    fn of(&self, user: &str) -> Vec<String> {
        self.overrides.get(user).cloned().unwrap_or_else(|| self.others.of(user))
    }

    fn at_hand(&self, user: &str) -> Option<Vec<String>> {
        self.overrides.get(user).cloned().or_else(|| self.others.at_hand(user))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each as Hadoop's `Groups` read it.
    #[test]
    fn overrides_are_read_to_the_letter() {
        let read = |text: &str| {
            let mut users: Vec<(String, Vec<String>)> =
                parse_group_overrides(text).unwrap_or_else(|error| panic!("{text}: {error}")).into_iter().collect();
            users.sort();
            users
        };
        let user =
            |name: &str, groups: &[&str]| (name.to_owned(), groups.iter().map(|group| (*group).to_owned()).collect());
        assert_eq!(read("u1=g1,g2;u2=;u3=g2"), [user("u1", &["g1", "g2"]), user("u2", &[]), user("u3", &["g2"])]);
        assert_eq!(read(" a = x , y ;b=x,,x,y"), [user(" a ", &[" x ", " y "]), user("b", &["x", "y"])]);
        assert_eq!(read("a=1;a=2"), [user("a", &["2"])]);
        assert_eq!(read("=g"), [user("g", &[])]);
        assert_eq!(read("a==b"), [user("a", &["b"])]);
        assert_eq!(read("a"), [user("a", &[])]);
        assert_eq!(read("; ;a=x"), [user(" ", &[]), user("a", &["x"])]);
        assert_eq!(read(""), []);
        for bad in ["=", "a=b=c", "a=b;="] {
            assert!(parse_group_overrides(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_user_without_groups_is_not_looked_up() {
        let others = HashMap::from([("a".to_owned(), vec!["x".to_owned()]), ("b".to_owned(), vec!["y".to_owned()])]);
        let groups = OverriddenGroups::new(HashMap::from([("a".to_owned(), Vec::new())]), others);
        assert!(groups.of("a").is_empty());
        assert_eq!(groups.of("b"), ["y"]);
    }
}
