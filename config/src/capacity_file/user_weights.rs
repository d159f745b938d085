//! Weights of users: how much of a leaf's user limit one gets.
//!
//! Follows rules/capacity.md 2.2 and 3; `UserWeights`. A queue has its own weights and those of its ancestors, its own
//! before theirs. They are kept where they were set: copied into every queue, they would be as many as users times
//! queues.

use super::error::{CapacityFault, CapacityFileError};
use super::source::{Source, not_a_number};
use crate::java;
use evenweave_resource::sorted;
use std::collections::BTreeMap;

const KEY: &str = ".weight";

/// The weights that one queue sets.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct UserWeights {
    own: BTreeMap<String, f32>,
    /// The users by weight, the smallest first, without those whose weight is no number.
    ordered: Vec<(f32, String)>,
}

impl UserWeights {
    pub(super) fn read(source: &Source<'_>, queue: &str) -> Result<UserWeights, CapacityFileError> {
        let prefix = Source::of(queue, "user-settings.");
        let mut own = BTreeMap::new();
        for tail in source.under(&prefix) {
            let Some(user) = user(tail) else { continue };
            let property = format!("{prefix}{tail}");
            let text = source.text(&property).unwrap_or_default();
            let weight = java::parse_float(&text)
                .ok_or_else(|| not_a_number(&property, &text, "a number from 0, such as 1.5"))?;
            own.insert(user, weight);
        }
        let mut ordered: Vec<(f32, String)> = own.iter().map(|(user, weight)| (*weight, user.clone())).collect();
        ordered.retain(|(weight, _)| !weight.is_nan());
        sorted::by(&mut ordered, |a, b| a.0.total_cmp(&b.0));
        Ok(UserWeights { own, ordered })
    }

    pub(super) fn get(&self, user: &str) -> Option<f32> {
        self.own.get(user).copied()
    }
}

/// The user of `al.weight`. Whatever has `.weight` in it counts, and the user is the name without it.
fn user(tail: &str) -> Option<String> {
    let at = tail.find(KEY)?;
    let before = tail.match_indices(KEY).filter_map(|(at, _)| tail[..at].chars().next_back());
    let matches = before.into_iter().any(|c| !java::is_space(c));
    let user = format!("{}{}", &tail[..at], &tail[at + KEY.len()..]);
    (matches && !user.is_empty()).then_some(user)
}

/// Refuses weights below 0 and above 100 / `limit`. `path` are the leaf's weights, its parent's and so on to root's;
/// the cost is that of the weights out of range.
pub(super) fn check(path: &[&UserWeights], limit: f32, queue: &str) -> Result<(), CapacityFileError> {
    let most = 100.0 / limit;
    for (at, weights) in path.iter().enumerate() {
        let small = weights.ordered.iter().take_while(|(weight, _)| *weight < 0.0);
        let large = weights.ordered.iter().rev().take_while(|(weight, _)| *weight > most);
        let overridden = |user: &str| path[..at].iter().any(|nearer| nearer.own.contains_key(user));
        if let Some((weight, user)) = small.chain(large).find(|(_, user)| !overridden(user)) {
            let property = Source::of(queue, &format!("user-settings.{user}.weight"));
            let fault = CapacityFault::UserWeight {
                user: user.clone(),
                weight: java::float_text(*weight),
                limit: java::float_text(limit),
                most: java::float_text(most),
                queue: queue.to_owned(),
            };
            return Err(CapacityFileError::new(property, fault));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weights(pairs: &[(&str, f32)]) -> UserWeights {
        let own: BTreeMap<String, f32> = pairs.iter().map(|(user, weight)| ((*user).to_owned(), *weight)).collect();
        let mut ordered: Vec<(f32, String)> = own.iter().map(|(user, weight)| (*weight, user.clone())).collect();
        ordered.sort_by(|a, b| a.0.total_cmp(&b.0));
        UserWeights { own, ordered }
    }

    #[test]
    fn the_user_is_what_is_left_of_the_name() {
        let users = ["al.weight", "a.b.weight", ".weight", "al.weights", "al.wait", " .weight"].map(user);
        assert_eq!(users, [Some("al".into()), Some("a.b".into()), None, Some("als".into()), None, None]);
    }

    #[test]
    fn a_weight_is_between_0_and_100_over_the_user_limit() {
        let root = weights(&[("al", 3.0), ("bo", -1.0)]);
        let leaf = weights(&[("bo", 1.0)]);
        assert_eq!(check(&[&leaf, &root], 25.0, "root.a"), Ok(()));
        let error = check(&[&leaf, &root], 50.0, "root.a").unwrap_err();
        assert_eq!(
            error.fault.to_string(),
            "Weight (3.0) for user \"al\" must be between 0 and 100 / 50.0 (= 2.0, the number of concurrent active users \
             in root.a)"
        );
        assert!(check(&[&root], 25.0, "root.a").is_err());
    }
}
