//! Whether the queue of a rule is there, or may be made.
//!
//! `MappingRuleValidationContextImpl` and `MappingRuleValidationHelper`.

use super::properties::Problem;
use super::queues::known;
use super::target::{Target, in_full, target};
use crate::capacity_file::file::CapacityFile;
use crate::capacity_file::mapping_rules::{MappingRule, RuleAction};
use crate::java;

/// Parts of a path that stand for something else.
const VARIABLES: [&str; 6] = ["%user", "%primary_group", "%secondary_group", "%application", "%specified", "%default"];

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

    fn check_whole(&self) -> Result<(), Problem> {
        let path = &self.path;
        let (above, name) = path.rsplit_once('.').unwrap_or(("", path));
        match target(self.file, &in_full(self.file, path)?) {
            Target::Queue { is_leaf: true } | Target::Creatable => Ok(()),
            Target::Queue { is_leaf: false } => Err(format!("Target queue '{path}' but it's not a leaf queue.")),
            Target::AmbiguousQueue => Err(format!("Target queue is an ambiguous leaf queue '{path}'.")),
            Target::AmbiguousParent => {
                Err(format!("Target queue path '{path}' contains an ambiguous parent queue '{above}' reference."))
            }
            Target::NoParent => Err(format!("Target queue does not exist and has no parent defined '{path}'.")),
            Target::NotCreatable => Err(format!(
                "Mapping rule specified a parent queue '{above}', but it is not a dynamic parent queue, and no queue \
                 exists with name '{name}' under it."
            )),
        }
    }

    /// Of a path with variables only what stands before the first can be checked.
    fn check_beginning(&self) -> Result<(), Problem> {
        let parts = java::split(&self.path, '.');
        let fixed = parts.iter().take_while(|part| !VARIABLES.contains(part)).count();
        if fixed == 0 {
            return Ok(());
        }
        let full = in_full(self.file, &parts[..fixed].join("."))?;
        if let Some(queue) = self.file.queue(&full) {
            if queue.kind.is_leaf() {
                return Err(format!(
                    "Queue path '{}' is invalid because '{full}' is a leaf queue, which can have no other queues under it.",
                    self.path
                ));
            }
            return Ok(());
        }
        if fixed > 1
            && self
                .file
                .queue(&in_full(self.file, &parts[..fixed - 1].join("."))?)
                .is_some_and(|queue| known(queue).makes_queues)
        {
            return Ok(());
        }
        Err(format!("No eligible parent found on path '{}'.", self.path))
    }
}
