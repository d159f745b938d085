//! Placement: which queue an application enters.
//!
//! Pure; run by the control. Follows `QueuePlacementPolicy`'s rules (rules/configuration.md 6).

#![warn(clippy::indexing_slicing)]

use crate::config::{PlacementRule, RuleKind, rooted, trim_java, valid_requested_name};

/// What rules look at of the queue tree.
pub(crate) trait QueueNames {
    /// A configured (not dynamic) queue of this name is there.
    fn is_static(&self, name: &str) -> bool;
    /// A leaf queue of this name is there.
    fn is_leaf(&self, name: &str) -> bool;
}

/// An application to be placed.
#[derive(Debug)]
pub(crate) struct Request<'a> {
    /// `default` stands for none.
    pub(crate) queue: &'a str,
    pub(crate) user: &'a str,
    /// The first is the primary one.
    pub(crate) groups: &'a [String],
}

/// A rule failed, so the submission does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RuleFailed {
    /// The name asked for is none that may be asked for.
    Name,
    /// The user is in no group that is known, and the rule needs one.
    Groups,
}

impl RuleFailed {
    /// What the rule needs, for people.
    pub(crate) fn why(self) -> &'static str {
        match self {
            RuleFailed::Name => "a name that is asked for has no white space and no dot at its ends",
            RuleFailed::Groups => "the rule needs the user's groups, and none are known",
        }
    }
}

/// The full name of the queue that the first rule to decide gives; `None` when none does.
pub(crate) fn place(
    rules: &[PlacementRule],
    request: &Request<'_>,
    queues: &impl QueueNames,
) -> Result<Option<String>, RuleFailed> {
    for rule in rules {
        if let Some(queue) = apply(rule, request, queues)? {
            return Ok(Some(queue));
        }
    }
    Ok(None)
}

fn apply(rule: &PlacementRule, request: &Request<'_>, queues: &impl QueueNames) -> Result<Option<String>, RuleFailed> {
    let queue = match rule.kind {
        RuleKind::Reject => return Ok(None),
        RuleKind::Specified => {
            if !valid_requested_name(request.queue) {
                return Err(RuleFailed::Name);
            }
            (request.queue != "default").then(|| assure_root(request.queue))
        }
        RuleKind::Default => Some(rule.queue.clone().unwrap_or_else(|| "root.default".to_owned())),
        RuleKind::User => parent_of(rule, request, queues)?.child(request.user),
        RuleKind::PrimaryGroup => {
            let primary = request.groups.first().ok_or(RuleFailed::Groups)?;
            parent_of(rule, request, queues)?.child(primary)
        }
        RuleKind::SecondaryGroupExisting => {
            if request.groups.is_empty() {
                return Err(RuleFailed::Groups);
            }
            let parent = parent_of(rule, request, queues)?;
            let existing = |queue: &String| queues.is_static(queue);
            return Ok(request.groups.iter().filter_map(|group| parent.child(group)).find(existing));
        }
    };
    Ok(queue.filter(|queue| rule.create || queues.is_static(queue)))
}

/// The full name; but an empty name stays empty, as in `FairQueuePlacementUtils`, and is refused later.
fn assure_root(name: &str) -> String {
    if name.is_empty() { String::new() } else { rooted(name) }
}

/// Where a rule puts its queue.
enum Parent {
    /// No nested rule: under root.
    Root,
    Queue(String),
    /// The nested rule gives nothing to put a queue under.
    Nothing,
}

impl Parent {
    /// The queue named after a user or group: trimmed, dots written out.
    fn child(&self, name: &str) -> Option<String> {
        let name = trim_java(name).replace('.', "_dot_");
        match self {
            Parent::Root => Some(assure_root(&name)),
            Parent::Queue(parent) => Some(format!("{parent}.{name}")),
            Parent::Nothing => None,
        }
    }
}

fn parent_of(rule: &PlacementRule, request: &Request<'_>, queues: &impl QueueNames) -> Result<Parent, RuleFailed> {
    let Some(nested) = &rule.parent else { return Ok(Parent::Root) };
    Ok(match apply(nested, request, queues)? {
        Some(queue) if !queues.is_leaf(&queue) => Parent::Queue(queue),
        _ => Parent::Nothing,
    })
}
