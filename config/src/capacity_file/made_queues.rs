//! What a running scheduler has besides its file, as a file is read with it: queues that have made themselves and where
//! they stand, and the labels that queues know.
//!
//! Follows rules/capacity.md 26 and rules/node-labels.md 1. Whoever runs the scheduler keeps the list; the file is read
//! anew with it, so that such a queue is read and checked as a configured one is. Pure.

use super::label_capacity::KnownLabels;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// How a queue has made itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum QueueMaking {
    /// `auto-queue-creation-v2`
    Flexible,
    /// `auto-create-child-queue`: in a managed parent.
    Managed,
}

/// A queue that has made itself.
#[derive(Clone, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub struct MadeQueue {
    pub path: String,
    pub is_leaf: bool,
    pub making: QueueMaking,
}

/// A leaf in a plan: of a reservation, or of what nobody has reserved.
#[derive(Clone, Debug, PartialEq)]
#[doc(hidden)]
pub struct Reserved {
    pub name: String,
    /// The part of the plan that it has, and the part that it may use.
    pub part: f32,
    pub most: f32,
}

/// All of them.
#[derive(Clone, Debug, Default, PartialEq)]
#[doc(hidden)]
pub struct MadeQueues {
    /// The leaves of plans that there are, by path; a plan that is new has one for all of it.
    pub reserved: BTreeMap<String, Vec<Reserved>>,
    /// In the order in which they have made themselves: a parent before its children.
    pub queues: Vec<MadeQueue>,
    /// Parents that had made themselves and that the file in force lists. They are configured by now; as in Hadoop they
    /// stay parents until the next refresh, whatever the file makes of them.
    pub listed_parents: BTreeSet<String>,
    /// What templates have set, by full name, for those that have gone again too: as in Hadoop it stays until the next
    /// refresh.
    pub properties: BTreeMap<String, String>,
    /// The labels that queues know, by path; a queue that knows the empty one alone is not among them.
    pub known_labels: BTreeMap<String, KnownLabels>,
}

impl MadeQueues {
    #[doc(hidden)]
    pub fn is_empty(&self) -> bool {
        self.queues.is_empty() && self.reserved.is_empty() && self.known_labels.is_empty()
    }
}

/// The same, by what reading looks for.
#[derive(Debug, Default)]
pub(super) struct ByParent<'a> {
    children: HashMap<&'a str, Vec<(&'a str, &'a MadeQueue)>>,
    parents: HashSet<&'a str>,
    reserved: Option<&'a BTreeMap<String, Vec<Reserved>>>,
    /// By the plan's path and the leaf's name.
    leaves: HashMap<(&'a str, &'a str), &'a Reserved>,
    known_labels: Option<&'a BTreeMap<String, KnownLabels>>,
}

impl<'a> ByParent<'a> {
    pub(super) fn of(made: &'a MadeQueues) -> ByParent<'a> {
        let mut out =
            ByParent { reserved: Some(&made.reserved), known_labels: Some(&made.known_labels), ..ByParent::default() };
        for (plan, leaves) in &made.reserved {
            out.leaves.extend(leaves.iter().map(|leaf| ((plan.as_str(), leaf.name.as_str()), leaf)));
        }
        out.parents.extend(made.listed_parents.iter().map(String::as_str));
        for queue in &made.queues {
            if let Some((parent, name)) = queue.path.rsplit_once('.') {
                out.children.entry(parent).or_default().push((name, queue));
            }
            if !queue.is_leaf {
                out.parents.insert(&queue.path);
            }
        }
        out
    }

    /// Those in this queue, by their names.
    pub(super) fn children(&self, path: &str) -> &[(&'a str, &'a MadeQueue)] {
        self.children.get(path).map_or(&[], Vec::as_slice)
    }

    /// The leaves of a plan, where it has been one before.
    pub(super) fn reserved(&self, plan: &str) -> Option<&'a [Reserved]> {
        self.reserved?.get(plan).map(Vec::as_slice)
    }

    /// One of them.
    pub(super) fn reserved_leaf(&self, plan: &str, name: &str) -> Option<&'a Reserved> {
        self.leaves.get(&(plan, name)).copied()
    }

    /// The labels that a queue of this path and kind knows, with shares of AMs.
    pub(super) fn known_labels(&self, path: &str, is_leaf: bool) -> Option<&'a BTreeMap<String, f32>> {
        let known = self.known_labels?.get(path).filter(|known| known.is_leaf == is_leaf)?;
        Some(&known.am_percents)
    }

    /// It has made itself, and has children or may get some: it stays a parent where it becomes a configured queue.
    pub(super) fn was_parent(&self, path: &str) -> bool {
        self.parents.contains(path)
    }
}
