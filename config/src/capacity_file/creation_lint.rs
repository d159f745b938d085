//! Lints of queues that make themselves, and of names: queues that never come, templates that nobody uses, short names
//! that stand for several queues.

use super::file::CapacityFile;
use super::queue::CapacityQueue;
use super::skeleton::CapacityQueueKind;
use super::source::{PREFIX, Source};
use super::templates::LEAF_TEMPLATE;
use super::warnings::Warnings;
use std::collections::{BTreeMap, BTreeSet};

const MANAGED: &str = "auto-create-child-queue.";
const FLEXIBLE: &str = "auto-queue-creation-v2.";
const ENABLED: &str = "enabled";
const FLEXIBLE_TEMPLATES: [&str; 3] = ["template.", "leaf-template.", "parent-template."];

/// Runs them.
pub(super) fn check(file: &CapacityFile, source: &Source<'_>, warnings: &mut Warnings<'_>) {
    let mut lint = CreationLint { file, source, warnings };
    for queue in file.queues() {
        lint.never_made(queue);
        lint.unused(queue);
    }
    lint.unused_wildcards();
    lint.ambiguous();
}

struct CreationLint<'a, 'w> {
    file: &'a CapacityFile,
    source: &'a Source<'a>,
    warnings: &'a mut Warnings<'w>,
}

impl CreationLint<'_, '_> {
    fn no_effect(&mut self, property: &str, message: &str, effect: &str, help: &str) {
        self.warnings.push(property, "no-effect", message, |found| {
            found.effect(effect).help(help);
        });
    }

    /// Making queues is on, and none is ever made.
    fn never_made(&mut self, queue: &CapacityQueue) {
        let flexible = Source::of(&queue.path, &format!("{FLEXIBLE}{ENABLED}"));
        let managed = Source::of(&queue.path, &format!("{MANAGED}{ENABLED}"));
        let is_flexible = self.source.flag(&flexible, false);
        if queue.kind == CapacityQueueKind::ManagedParent {
            let rules = self.file.mapping_rules();
            if rules.rules.is_empty() && rules.file.is_none() {
                let message = "is true, and there are no mapping rules";
                let effect = "no queue is ever made here: only a mapping rule that leads here makes one";
                self.no_effect(&managed, message, effect, "add a rule, such as u:%user:parent.%user, or remove this");
            }
            if is_flexible {
                let message = format!("is true, and so is {managed}");
                self.no_effect(&flexible, &message, "the latter counts", "remove one of the two");
            }
        } else if is_flexible && self.file.settings().legacy_queue_mode && !self.file.divides_by_weight(queue) {
            let message = "is true, and the queues of this parent have no weights";
            let effect = "no queue is ever made here: a submission to a new one is refused";
            let help = format!(
                "write their capacities as weights, such as 3w, or set {PREFIX}legacy-queue-mode.enabled to false"
            );
            self.no_effect(&flexible, message, effect, &help);
        }
    }

    /// What is said of queues to be made where none is.
    fn unused(&mut self, queue: &CapacityQueue) {
        let is_plan = queue.kind == CapacityQueueKind::Plan;
        let is_managed = queue.kind == CapacityQueueKind::ManagedParent;
        let of = |key: &str| Source::of(&queue.path, key);
        if !is_managed && !is_plan {
            self.unused_below(&of(&format!("{LEAF_TEMPLATE}.")), &of(&format!("{MANAGED}{ENABLED}")), |_| true);
        }
        if !is_managed {
            self.unused_below(&of(MANAGED), &of(&format!("{MANAGED}{ENABLED}")), |tail| tail != ENABLED);
        }
        if !uses_templates(queue) {
            self.unused_below(&of(FLEXIBLE), &of(&format!("{FLEXIBLE}{ENABLED}")), |tail| {
                tail != ENABLED && tail != "queue-auto-removal.enable"
            });
        }
    }

    /// Templates of paths with `*`.
    fn unused_wildcards(&mut self) {
        let mut paths: BTreeSet<&str> = BTreeSet::new();
        for tail in self.source.under(PREFIX) {
            let Some((path, rest)) = tail.split_once(&format!(".{FLEXIBLE}")) else { continue };
            let is_template = FLEXIBLE_TEMPLATES.iter().any(|template| rest.starts_with(template));
            if is_template && path.split('.').any(|part| part == "*") {
                paths.insert(path);
            }
        }
        for path in paths {
            if !self.is_used(&path.split('.').collect::<Vec<_>>()) {
                let switch = format!("{FLEXIBLE}{ENABLED} of a queue that it matches");
                self.unused_below(&Source::of(path, FLEXIBLE), &switch, |_| true);
            }
        }
    }

    /// Whether templates of a path, in parts of which `*` stands for any, are asked for, perhaps by a queue that may
    /// come.
    fn is_used(&self, path: &[&str]) -> bool {
        self.file.queues().iter().any(|queue| {
            let parts: Vec<&str> = queue.path.split('.').collect();
            uses_templates(queue)
                && parts.len() <= path.len()
                && parts.iter().zip(path).all(|(part, pattern)| part == pattern || *pattern == "*")
        })
    }

    fn unused_below(&mut self, prefix: &str, switch: &str, counts: impl Fn(&str) -> bool) {
        let tails: Vec<&str> = self.source.under(prefix).filter(|tail| counts(tail)).collect();
        let Some(first) = tails.first() else { return };
        let more = match tails.len() - 1 {
            0 => String::new(),
            more => format!(", as are {more} more of this prefix"),
        };
        let message = format!("is set{more}, and no queue is made from it");
        let help = format!("set {switch} to true, or remove it");
        self.no_effect(&format!("{prefix}{first}"), &message, "it does not count", &help);
    }

    /// Short names that stand for several queues, a leaf among them.
    fn ambiguous(&mut self) {
        let mut by_name: BTreeMap<&str, Vec<&CapacityQueue>> = BTreeMap::new();
        for queue in self.file.queues().iter().filter(|queue| queue.parent.is_some()) {
            let same = by_name.entry(&queue.name).or_default();
            // A name that is listed twice in one parent is told of as that.
            if same.iter().all(|other| other.path != queue.path) {
                same.push(queue);
            }
        }
        by_name.retain(|_, queues| queues.len() > 1 && queues.iter().any(|queue| queue.kind.is_leaf()));
        for (name, queues) in by_name {
            let above =
                |queue: &CapacityQueue| queue.parent.map_or("", |parent| self.file.queues()[parent].path.as_str());
            let paths: Vec<&str> = queues.iter().map(|queue| queue.path.as_str()).collect();
            let (list, rest) = paths.split_at(paths.len().min(3));
            let more = if rest.is_empty() { String::new() } else { format!(" and {} more", rest.len()) };
            let message = format!("has {name:?}, a name of {} queues: {}{more}", paths.len(), list.join(", "));
            let effect = format!("a submission to {name:?} is refused: only full paths work");
            let property = Source::of(above(queues[1]), "queues");
            self.warnings.push(&property, "ambiguous-name", &message, |found| {
                found
                    .effect(effect)
                    .help("submit to full paths, and name them in mapping rules; or rename all but one");
            });
        }
    }
}

/// Whether templates of a queue are asked for: it makes others, or it is a plan.
fn uses_templates(queue: &CapacityQueue) -> bool {
    let makes = queue.as_parent().is_some_and(|parent| parent.flexible_creation.enabled);
    makes && queue.kind != CapacityQueueKind::ManagedParent || queue.kind == CapacityQueueKind::Plan
}
