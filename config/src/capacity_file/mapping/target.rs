//! Whether a path is one that an application can go to.
//!
//! `MappingRuleValidationHelper`.

use super::properties::Problem;
use crate::java;

/// A queue as rules see it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known<'a> {
    pub(crate) path: &'a str,
    pub(crate) is_leaf: bool,
    /// Queues make themselves in it.
    pub(crate) makes_queues: bool,
    /// A parent below which queues make themselves, and parents of theirs too.
    pub(crate) makes_parents: bool,
}

/// The queues that there are.
pub(crate) trait Queues {
    /// The one of this path or short name; none where several have the short name.
    fn queue(&self, name: &str) -> Option<Known<'_>>;

    /// The one of this path.
    fn queue_at(&self, path: &str) -> Option<Known<'_>>;

    /// Several have this short name.
    fn is_ambiguous(&self, name: &str) -> bool;
}

/// What is at the end of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// A queue.
    Queue { is_leaf: bool },
    /// None, and it can be made.
    Creatable,
    /// Several of this short name.
    AmbiguousQueue,
    /// Several that could be its parent.
    AmbiguousParent,
    /// None, and nothing that it could be made in.
    NoParent,
    /// None, and nothing makes itself where it would be.
    NotCreatable,
}

/// The path with its first part, which may be a short name, in full.
pub(super) fn in_full(queues: &impl Queues, path: &str) -> Result<String, Problem> {
    let mut parts = java::split(path, '.');
    let first = parts[0];
    let Some(queue) = queues.queue(first) else {
        let what = if queues.is_ambiguous(first) { "is ambiguous" } else { "does not exist" };
        return Err(format!("Path root '{first}' {what}. Path '{path}' is invalid"));
    };
    parts[0] = queue.path;
    Ok(parts.join("."))
}

/// Of a path that is [in full](in_full).
pub(super) fn target(queues: &impl Queues, path: &str) -> Target {
    if let Some(queue) = queues.queue(path) {
        return Target::Queue { is_leaf: queue.is_leaf };
    }
    if queues.is_ambiguous(path) {
        return Target::AmbiguousQueue;
    }
    let Some((parent, _)) = path.rsplit_once('.') else { return Target::NoParent };
    if queues.is_ambiguous(parent) {
        return Target::AmbiguousParent;
    }
    let makes = match (queues.queue(parent), parent.rsplit_once('.')) {
        (Some(parent), _) => parent.makes_queues,
        (None, None) => return Target::NoParent,
        (None, Some((grandparent, _))) if queues.is_ambiguous(grandparent) => return Target::AmbiguousParent,
        (None, Some((grandparent, _))) => queues.queue(grandparent).is_some_and(|queue| queue.makes_parents),
    };
    if makes { Target::Creatable } else { Target::NotCreatable }
}
