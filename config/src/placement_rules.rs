//! Placement rules as configured: which queue an application enters is decided by an ordered list of these.
//!
//! Only the data and its checks; evaluating them belongs to placement. Follows rules/configuration.md 6; Hadoop's
//! `QueuePlacementPolicy` and the `PlacementRule` classes.

use super::settings::Settings;
use std::fmt;

/// The rules there are. `nestedUserQueue` is `User` with a parent rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RuleKind {
    /// The queue that was asked for.
    Specified,
    /// A queue named after the user.
    User,
    /// A queue named after the user's first group.
    PrimaryGroup,
    /// The first existing queue named after one of the user's groups.
    SecondaryGroupExisting,
    /// A fixed queue.
    Default,
    /// None: the application is rejected.
    Reject,
}

impl RuleKind {
    /// The names of the allocation file, `nestedUserQueue` included.
    pub(super) const NAMES: [(&'static str, RuleKind); 7] = [
        ("specified", RuleKind::Specified),
        ("user", RuleKind::User),
        ("primaryGroup", RuleKind::PrimaryGroup),
        ("secondaryGroupExistingQueue", RuleKind::SecondaryGroupExisting),
        ("nestedUserQueue", RuleKind::User),
        ("default", RuleKind::Default),
        ("reject", RuleKind::Reject),
    ];

    /// Hadoop's rule class, as it stands in its log and in recordings.
    #[must_use]
    pub fn hadoop_class(self) -> &'static str {
        match self {
            RuleKind::Specified => "SpecifiedPlacementRule",
            RuleKind::User => "UserPlacementRule",
            RuleKind::PrimaryGroup => "PrimaryGroupPlacementRule",
            RuleKind::SecondaryGroupExisting => "SecondaryGroupExistingPlacementRule",
            RuleKind::Default => "DefaultPlacementRule",
            RuleKind::Reject => "RejectPlacementRule",
        }
    }
}

impl fmt::Display for RuleKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            RuleKind::Specified => "specified",
            RuleKind::User => "user",
            RuleKind::PrimaryGroup => "primaryGroup",
            RuleKind::SecondaryGroupExisting => "secondaryGroupExistingQueue",
            RuleKind::Default => "default",
            RuleKind::Reject => "reject",
        })
    }
}

/// One placement rule.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PlacementRule {
    /// What it does.
    pub kind: RuleKind,
    /// Whether it may name a queue that does not exist.
    pub create: bool,
    /// The queue of a `default` rule, with `root.`; no other rule has one.
    pub queue: Option<String>,
    /// The nested rule, which gives the parent queue.
    pub parent: Option<Box<PlacementRule>>,
}

impl PlacementRule {
    /// A rule without a parent rule; a `default` one places in `root.default`.
    #[must_use]
    pub fn new(kind: RuleKind, create: bool) -> PlacementRule {
        let queue = (kind == RuleKind::Default).then(|| "root.default".to_owned());
        PlacementRule { kind, create, queue, parent: None }
    }

    /// Whether the rule always decides, so that none after it can be reached.
    #[must_use]
    pub fn is_terminal(&self) -> bool {
        match self.kind {
            RuleKind::Specified | RuleKind::SecondaryGroupExisting => false,
            // A nested rule is an error here, but Hadoop reports it only after an error in the order of the rules. For
            // the order a `reject` with a nested rule is terminal only if the nested rule is, too.
            RuleKind::Reject => self.parent.as_ref().is_none_or(|parent| parent.is_terminal()),
            RuleKind::User | RuleKind::PrimaryGroup | RuleKind::Default => {
                self.create && self.parent.as_ref().is_none_or(|parent| parent.is_terminal())
            }
        }
    }
}

/// The rules where the allocation file has no policy.
///
/// ```
/// use evenweave::Settings;
/// use evenweave::config::default_rules;
/// let rules = default_rules(&Settings::default());
/// assert_eq!(rules.iter().map(|rule| rule.kind.to_string()).collect::<Vec<_>>(), ["specified", "user"]);
/// ```
#[must_use]
pub fn default_rules(settings: &Settings) -> Vec<PlacementRule> {
    rules_without_policy(settings.allow_undeclared_pools, settings.user_as_default_queue)
}

/// As [`default_rules`]. `undeclared` is `allow-undeclared-pools`, and `user_as_default` is `user-as-default-queue`.
pub(super) fn rules_without_policy(undeclared: bool, user_as_default: bool) -> Vec<PlacementRule> {
    let mut rules = vec![PlacementRule::new(RuleKind::Specified, undeclared)];
    if user_as_default {
        rules.push(PlacementRule::new(RuleKind::User, undeclared));
    }
    if !user_as_default || !undeclared {
        rules.push(PlacementRule::new(RuleKind::Default, true));
    }
    rules
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_is_terminal_with_its_parent() {
        let parent = |kind| Some(Box::new(PlacementRule::new(kind, true)));
        let mut rule = PlacementRule::new(RuleKind::User, true);
        assert!(rule.is_terminal());
        rule.parent = parent(RuleKind::Specified);
        assert!(!rule.is_terminal());
        rule.parent = parent(RuleKind::PrimaryGroup);
        assert!(rule.is_terminal());
        assert!(PlacementRule::new(RuleKind::Reject, false).is_terminal());
    }

    #[test]
    fn default_rules_always_end_with_a_terminal_one() {
        for (pools, user) in [(true, true), (true, false), (false, true), (false, false)] {
            let settings =
                Settings { allow_undeclared_pools: pools, user_as_default_queue: user, ..Settings::default() };
            let rules = default_rules(&settings);
            let last = rules.len() - 1;
            assert!(rules.iter().enumerate().all(|(i, rule)| rule.is_terminal() == (i == last)));
        }
    }
}
