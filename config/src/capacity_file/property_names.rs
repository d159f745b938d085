//! The names of properties there are, and what is odd about those that a configuration has.
//!
//! Follows rules/capacity.md 2. Hadoop says nothing of a name that it does not know; here every one is told of, with
//! the nearest that is.

use super::file::CapacityFile;
use super::keys::{GLOBAL_KEYS, LABEL_KEYS, QUEUE_KEYS};
use super::queue::CapacityQueue;
use super::skeleton::CapacityQueueKind;
use super::source::{PREFIX, Source};
use super::warnings::Warnings;
#[cfg(feature = "check")]
use crate::diagnostic::Diagnostic;
use crate::names::ROOT;
use crate::nearest::nearest;
#[cfg(feature = "check")]
use crate::site::SiteFile;
use std::collections::{BTreeMap, HashSet};

const TEMPLATES: [&str; 4] = [
    "leaf-queue-template.",
    "auto-queue-creation-v2.template.",
    "auto-queue-creation-v2.leaf-template.",
    "auto-queue-creation-v2.parent-template.",
];
/// Dots of a name that are looked at.
const MAX_DOTS: usize = 256;
/// So many names are compared with those that there are.
const MAX_HINTS: usize = 50;

/// Whether a queue has such a property; `multi-node-sorting.policy` is one too.
fn is_queue_key(key: &str) -> bool {
    let middle = |before: &str| key.strip_prefix(before).and_then(|rest| rest.rsplit_once('.'));
    QUEUE_KEYS.contains(&key)
        || key == "multi-node-sorting.policy"
        || middle("accessible-node-labels.").is_some_and(|(_, key)| LABEL_KEYS.contains(&key))
        || middle("user-settings.").is_some_and(|(_, key)| key == "weight")
        || TEMPLATES.iter().any(|before| key.strip_prefix(before).is_some_and(is_key_of_template))
}

/// A template has no templates.
fn is_key_of_template(key: &str) -> bool {
    QUEUE_KEYS.contains(&key) || (!TEMPLATES.iter().any(|before| key.starts_with(before)) && is_queue_key(key))
}

fn is_global_key(key: &str) -> bool {
    let user = key.strip_prefix("user.").and_then(|rest| rest.strip_suffix(".max-parallel-apps"));
    let policy = key.strip_prefix("multi-node-sorting.policy.");
    let of_policy = |rest: &str| rest.ends_with(".class") || rest.ends_with(".sorting-interval.ms");
    GLOBAL_KEYS.contains(&key) || user.is_some() || policy.is_some_and(of_policy)
}

/// The ways to cut a name in two at a dot, the longest beginning first.
fn cuts(tail: &str) -> impl Iterator<Item = (&str, &str)> {
    let dots: Vec<usize> = tail.match_indices('.').map(|(at, _)| at).take(MAX_DOTS).collect();
    dots.into_iter().rev().map(move |at| (&tail[..at], &tail[at + 1..]))
}

/// Tells of what only Hadoop 1 reads in a file: without it, a file of Hadoop 1 is one without queues.
#[cfg(feature = "check")]
pub(super) fn of_hadoop_1(file: &SiteFile) -> Option<Diagnostic> {
    const BEFORE: &str = "mapred.capacity-scheduler.";
    let mut old = file.properties().iter().filter(|property| property.name.starts_with(BEFORE));
    let first = old.next()?;
    let more = match old.count() {
        0 => String::new(),
        more => format!(", and {more} more that begin with {BEFORE}, are"),
    };
    let is = if more.is_empty() { " is" } else { "" };
    let message = format!("{}{more}{is} read by Hadoop 1 alone", first.name);
    let mut found = Diagnostic::warning("obsolete-property", Some(first.name_at.clone()), message);
    found
        .effect("it is ignored: queues and their capacities have other names")
        .help(format!("write {PREFIX}root.queues, and for each queue {PREFIX}root.<queue>.capacity"));
    Some(found)
}

/// Tells of names that are not known and of what else is odd.
pub(super) fn warn(source: &Source<'_>, file: &CapacityFile, warnings: &mut Warnings<'_>) {
    Teller { file, warnings, hints: 0, missing: BTreeMap::new() }.tell(source);
}

struct Teller<'a, 's> {
    file: &'a CapacityFile,
    warnings: &'a mut Warnings<'s>,
    hints: usize,
    /// Queues that do not exist but have settings: one of these, and how many.
    missing: BTreeMap<String, (String, usize)>,
}

impl Teller<'_, '_> {
    fn tell(mut self, source: &Source<'_>) {
        for tail in source.under(PREFIX) {
            if !self.warnings.is_full() && !is_global_key(tail) {
                self.tell_of(tail);
            }
        }
        for (queue, (property, number)) in std::mem::take(&mut self.missing) {
            let list = "list it in the \"queues\" of its parent";
            let help = match self.hint(&queue, |file| file.names.paths().collect()) {
                Some(near) => format!("did you mean {near:?}? Else {list}"),
                None => list.to_owned(),
            };
            self.warnings.push(
                &property,
                "unknown-queue",
                &format!("is of no queue: there is no {queue:?}"),
                |found| {
                    found
                        .effect(format!("it is ignored, as are all settings of that name, {number} of them"))
                        .help(help);
                },
            );
        }
        self.tell_of_queues(source);
    }

    fn tell_of(&mut self, tail: &str) {
        let of_queue = cuts(tail).find_map(|(path, key)| Some((self.file.queue_at(path)?, key)));
        if of_queue.is_some_and(|(_, key)| is_queue_key(key)) {
            return;
        }
        let property = format!("{PREFIX}{tail}");
        let Some((queue, key)) = of_queue else { return self.tell_of_stray(&property, tail) };
        if key == "acl_administer_jobs" {
            return self.warnings.push(&property, "obsolete-property", "was read by Hadoop 1 alone", |found| {
                found.effect("it is ignored").help(format!("write {PREFIX}{}.acl_administer_queue", queue.path));
            });
        }
        // The key of a queue that is not there, below one that is.
        match cuts(key).filter(|(_, key)| is_queue_key(key)).last() {
            Some((below, key)) => {
                let wildcard = below.split('.').all(|part| part == "*");
                let of_template = TEMPLATES.iter().any(|before| key.starts_with(before));
                if !(may_come(queue) || (wildcard && of_template)) {
                    let (_, number) = self.missing.entry(format!("{}.{below}", queue.path)).or_insert((property, 0));
                    *number += 1;
                }
            }
            None => {
                let near = self.hint(key, |_| QUEUE_KEYS.to_vec());
                self.unknown(&property, near.map(|near| format!("did you mean {PREFIX}{}.{near}?", queue.path)));
            }
        }
    }

    /// A name that begins with no queue's path.
    fn tell_of_stray(&mut self, property: &str, tail: &str) {
        let of_queue = cuts(tail).find(|(_, key)| is_queue_key(key));
        let queue = of_queue.and_then(|(name, key)| Some((self.file.queue(name)?, key)));
        let help = match queue {
            Some((queue, key)) => Some(format!("a queue is named by its path: write {PREFIX}{}.{key}", queue.path)),
            None => self.hint(tail, |_| GLOBAL_KEYS.to_vec()).map(|near| format!("did you mean {PREFIX}{near}?")),
        };
        self.unknown(property, help);
    }

    fn unknown(&mut self, property: &str, help: Option<String>) {
        self.warnings.push(property, "unknown-property", "is unknown", |found| {
            found.effect("it is ignored").help = help;
        });
    }

    /// The nearest of the known names, as long as not too many have been asked for.
    fn hint(&mut self, name: &str, known: impl Fn(&CapacityFile) -> Vec<&str>) -> Option<String> {
        self.hints += 1;
        if self.hints > MAX_HINTS {
            return None;
        }
        let known = known(self.file);
        let similar = known.into_iter().filter(|known| known.len().abs_diff(name.len()) * 3 <= known.len());
        nearest(name, similar.take(1000)).map(str::to_owned)
    }

    fn tell_of_queues(&mut self, source: &Source<'_>) {
        let mut paths = HashSet::new();
        for queue in self.file.queues() {
            if self.warnings.is_full() {
                return;
            }
            let property = |key| Source::of(&queue.path, key);
            if !paths.insert(queue.path.as_str()) {
                let above = queue.path.rsplit_once('.').map_or(ROOT, |(above, _)| above);
                let message = format!("names {:?} twice", queue.name);
                self.warnings.push(&Source::of(above, "queues"), "queue-twice", &message, |found| {
                    found
                        .effect("there are two queues of one name, and only the later can be found")
                        .help("name it once");
                });
            }
            let capacity = &queue.capacities[0];
            if queue.parent.is_some() && capacity.maximum_capacity < capacity.capacity {
                let message = "is below the capacity";
                self.warnings.push(&property("maximum-capacity"), "maximum-below-capacity", message, |found| {
                    found.effect("what is guaranteed cannot be had").help("write at least the capacity");
                });
            }
            // A weight of root says how its children divide, and a conversion writes one.
            let is_weight = capacity.weight >= 0.0;
            let text = source.raw(&property("capacity")).filter(|_| queue.parent.is_none() && !is_weight);
            if text.is_some_and(|text| text.trim() != "100") {
                self.warnings.push(&property("capacity"), "root-capacity", "is not 100", |found| {
                    found.effect("it is ignored: root always has 100").help("remove it");
                });
            }
        }
    }
}

/// Whether queues may come to be in it, whose settings then stand in the file before they do.
pub(super) fn may_come(queue: &CapacityQueue) -> bool {
    let flexible = queue.as_parent().is_some_and(|parent| parent.flexible_creation.enabled);
    flexible || queue.kind == CapacityQueueKind::ManagedParent
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_queues_may_have_names_in_them() {
        for key in [
            "capacity",
            "accessible-node-labels.x.capacity",
            "user-settings.al.b.weight",
            "leaf-queue-template.capacity",
            "auto-queue-creation-v2.leaf-template.accessible-node-labels.x.capacity",
            "multi-node-sorting.policy",
        ] {
            assert!(is_queue_key(key), "{key}");
        }
        for key in ["capacty", "accessible-node-labels.x.state", "leaf-queue-template.leaf-queue-template.capacity"] {
            assert!(!is_queue_key(key), "{key}");
        }
        assert!(is_global_key("user.al.max-parallel-apps") && is_global_key("multi-node-sorting.policy.x.class"));
    }

    fn warnings(more: &[(&str, &str)]) -> Vec<String> {
        let pairs = [("root.queues", "abc,b"), ("root.abc.capacity", "50"), ("root.b.capacity", "50")];
        let pairs: Vec<(String, &str)> =
            pairs.iter().chain(more).map(|(name, value)| (format!("{PREFIX}{name}"), *value)).collect();
        let pairs = pairs.iter().map(|(name, value)| (name.as_str(), *value));
        let file = CapacityFile::from_properties([], pairs).unwrap();
        file.warnings().iter().map(|warning| warning.to_string().replace(PREFIX, "~")).collect()
    }

    #[test]
    fn unknown_names_get_the_nearest_known_one() {
        assert!(warnings(&[]).is_empty());
        assert_eq!(
            warnings(&[("root.b.capasity", "1"), ("maximum-aplications", "1"), ("abc.capacity", "1")]),
            [
                "~abc.capacity is unknown; it is ignored; a queue is named by its path: write ~root.abc.capacity",
                "~maximum-aplications is unknown; it is ignored; did you mean ~maximum-applications?",
                "~root.b.capasity is unknown; it is ignored; did you mean ~root.b.capacity?",
            ]
        );
    }

    #[test]
    fn settings_of_a_queue_that_is_not_there_are_told_of_once() {
        let warnings = warnings(&[("root.abd.capacity", "1"), ("root.abd.state", "RUNNING")]);
        assert_eq!(
            warnings,
            [
                "~root.abd.capacity is of no queue: there is no \"root.abd\"; it is ignored, as are all settings of that \
                 name, 2 of them; did you mean \"root.abc\"? Else list it in the \"queues\" of its parent"
            ]
        );
    }

    #[test]
    fn what_cannot_be_meant_is_told_of() {
        assert_eq!(warnings(&[("root.b.maximum-capacity", "40"), ("root.capacity", "50")]).len(), 2);
        assert_eq!(warnings(&[("root.capacity", "1.0w")]), [""; 0], "a conversion writes it");
        assert_eq!(warnings(&[("root.b.acl_administer_jobs", "*")]).len(), 1);
        let flexible = ("root.b.auto-queue-creation-v2.enabled", "true");
        assert!(
            warnings(&[
                flexible,
                ("root.b.x.capacity", "1w"),
                ("root.*.auto-queue-creation-v2.template.capacity", "1w")
            ])
            .is_empty()
        );
    }
}
