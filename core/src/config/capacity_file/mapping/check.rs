//! Whether the queue of a rule is there, or may be made.
//!
//! `MappingRuleValidationContextImpl` and `MappingRuleValidationHelper`.

use super::{MappingRule, RuleAction};
use crate::config::capacity_file::CapacityFile;
use crate::config::capacity_file::queue::CapacityQueue;
use crate::config::capacity_file::skeleton::CapacityQueueKind;
use crate::config::java;

/// Parts of a path that stand for something else.
const VARIABLES: [&str; 6] = ["%user", "%primary_group", "%secondary_group", "%application", "%specified", "%default"];

type Problem = String;

pub(super) fn check(file: &CapacityFile, rule: &MappingRule) -> Result<(), Problem> {
    match &rule.action {
        RuleAction::Place { queue, .. } => Checker { file, path: trimmed(queue) }.check(queue),
        RuleAction::Reject | RuleAction::SetDefault(_) => Ok(()),
    }
}

/// White space around the last dot does not count.
fn trimmed(path: &str) -> String {
    path.rsplit_once('.')
        .map_or_else(|| path.to_owned(), |(parent, leaf)| format!("{}.{}", java::trim(parent), java::trim(leaf)))
}

struct Checker<'a> {
    file: &'a CapacityFile,
    path: String,
}

impl Checker<'_> {
    fn check(&self, written: &str) -> Result<(), Problem> {
        if written.is_empty() {
            return Err("Queue path is empty.".to_owned());
        }
        for part in java::split(written, '.') {
            if part.is_empty() {
                return Err(format!("Path segment cannot be empty '{written}'."));
            }
            if VARIABLES.contains(&part) {
                return self.check_beginning();
            }
        }
        self.check_whole()
    }

    /// The path with its first part, which may be a short name, in full.
    fn in_full(&self, path: &str) -> Result<String, Problem> {
        let mut parts = java::split(path, '.');
        let first = parts[0];
        let Some(queue) = self.file.queue(first) else {
            let what = if self.file.is_ambiguous(first) { "is ambiguous" } else { "does not exist" };
            return Err(format!("Path root '{first}' {what}. Path '{path}' is invalid"));
        };
        parts[0] = &queue.path;
        Ok(parts.join("."))
    }

    fn check_whole(&self) -> Result<(), Problem> {
        let (file, path) = (self.file, &self.path);
        let full = self.in_full(path)?;
        if let Some(queue) = file.queue(&full) {
            let leaf = queue.kind.is_leaf();
            return if leaf { Ok(()) } else { Err(format!("Target queue '{path}' but it's not a leaf queue.")) };
        }
        if file.is_ambiguous(&full) {
            return Err(format!("Target queue is an ambiguous leaf queue '{path}'."));
        }
        let (above, name) = self.path.rsplit_once('.').unwrap_or(("", path));
        let ambiguous =
            || Err(format!("Target queue path '{path}' contains an ambiguous parent queue '{above}' reference."));
        let no_parent = || Err(format!("Target queue does not exist and has no parent defined '{path}'."));
        let Some((parent, _)) = full.rsplit_once('.') else { return no_parent() };
        if file.is_ambiguous(parent) {
            return ambiguous();
        }
        let creatable = match (file.queue(parent), parent.rsplit_once('.')) {
            (Some(parent), _) => makes_queues(parent),
            (None, None) => return no_parent(),
            (None, Some((grandparent, _))) if file.is_ambiguous(grandparent) => return ambiguous(),
            (None, Some((grandparent, _))) => file.queue(grandparent).is_some_and(flexible),
        };
        if creatable {
            return Ok(());
        }
        Err(format!(
            "Mapping rule specified a parent queue '{above}', but it is not a dynamic parent queue, and no queue exists \
             with name '{name}' under it."
        ))
    }

    /// Of a path with variables only what stands before the first can be checked.
    fn check_beginning(&self) -> Result<(), Problem> {
        let parts = java::split(&self.path, '.');
        let fixed = parts.iter().take_while(|part| !VARIABLES.contains(part)).count();
        if fixed == 0 {
            return Ok(());
        }
        let full = self.in_full(&parts[..fixed].join("."))?;
        if let Some(queue) = self.file.queue(&full) {
            if queue.kind.is_leaf() {
                return Err(format!(
                    "Queue path '{}' is invalid because '{full}' is a leaf queue, which can have no other queues under it.",
                    self.path
                ));
            }
            return Ok(());
        }
        if fixed > 1 && self.file.queue(&self.in_full(&parts[..fixed - 1].join("."))?).is_some_and(makes_queues) {
            return Ok(());
        }
        Err(format!("No eligible parent found on path '{}'.", self.path))
    }
}

/// Whether queues make themselves below it, whatever kind of parent it is.
fn flexible(queue: &CapacityQueue) -> bool {
    queue.as_parent().is_some_and(|parent| parent.flexible_creation.enabled)
}

/// Whether queues make themselves in it.
fn makes_queues(queue: &CapacityQueue) -> bool {
    match queue.kind {
        CapacityQueueKind::ManagedParent => true,
        CapacityQueueKind::Parent => flexible(queue),
        CapacityQueueKind::Leaf | CapacityQueueKind::Plan | CapacityQueueKind::Reservation => false,
    }
}
