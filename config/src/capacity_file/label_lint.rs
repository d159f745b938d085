//! Lints of node labels: labels that a queue can get nothing of, shares that nobody can ask for, AMs that are sent
//! where their queue may not go; and, where the labels of the nodes are known, labels that queues and nodes do not
//! share.
//!
//! Follows rules/node-labels.md 6 to 8. A queue has room in a partition if it, and every queue above it but root, has a
//! capacity for the label: of others the maximum is 0.

use super::file::CapacityFile;
use super::labels::{ANY, permits};
use super::node_labels::{AM_BY_SHARING, AM_DEFAULT, ENABLED};
use super::property_names::may_come;
use super::queue::CapacityQueue;
use super::skeleton::CapacityQueueKind;
use super::source::Source;
use super::warnings::Warnings;
use crate::diagnostic::Diagnostic;
use crate::nearest::nearest;
use crate::site::SiteProperties;
use evenweave_resource::Resource;
use std::collections::{BTreeMap, BTreeSet};

const LIST: &str = "accessible-node-labels";

/// Runs all lints that need no more than the files.
pub(super) fn check(file: &CapacityFile, source: &Source<'_>, is_site_known: bool, warnings: &mut Warnings<'_>) {
    let labels = &file.settings().node_labels;
    let mut lint = Lint { file, source, warnings };
    if labels.enabled {
        lint.without_room();
        lint.without_access();
    }
    lint.masters(is_site_known);
    if let Some(label) = labels.am_default.as_ref().filter(|_| labels.enabled && labels.am_by_sharing) {
        let message = format!("is true, and AMs that name no label get {label:?}");
        lint.warnings.push(AM_BY_SHARING, "no-effect", &message, |found| {
            found.effect("no AM asks for nodes without a label, so none is lent one").help("remove one of the two");
        });
    }
}

struct Lint<'a, 'w> {
    file: &'a CapacityFile,
    source: &'a Source<'a>,
    warnings: &'a mut Warnings<'w>,
}

/// `root.a`, and how many others.
fn and_more(first: &CapacityQueue, more: usize) -> String {
    match more {
        0 => first.path.clone(),
        1 => format!("{} (and 1 more queue)", first.path),
        more => format!("{} (and {more} more queues)", first.path),
    }
}

/// Whether a queue can have anything of a partition.
fn has_room(file: &CapacityFile, queue: &CapacityQueue, label: &str) -> bool {
    if !file.settings().legacy_queue_mode {
        // Capacities are vectors there; nothing is said of them.
        return true;
    }
    let queues = file.queues();
    let line = std::iter::successors(Some(queue), |queue| queue.parent.map(|parent| &queues[parent]));
    line.filter(|queue| queue.parent.is_some()).all(|queue| {
        let of_label = queue.capacities.iter().find(|capacity| capacity.label == label);
        of_label.is_some_and(|capacity| capacity.is_configured && capacity.maximum_capacity > 0.0)
    })
}

fn may_use(file: &CapacityFile, queue: &CapacityQueue, label: &str) -> bool {
    permits(file.accessible_labels(queue), label)
}

/// Whether applications of a queue can get nodes of a label, or of queues that may come to be in it.
fn can_use(file: &CapacityFile, queue: &CapacityQueue, label: &str) -> bool {
    may_use(file, queue, label) && (may_come(queue) || queue.as_leaf().is_some() && has_room(file, queue, label))
}

impl Lint<'_, '_> {
    /// Labels of a list that no queue there can get anything of.
    fn without_room(&mut self) {
        // By queue: labels of which it has been told above.
        let mut told: BTreeMap<usize, BTreeSet<&str>> = BTreeMap::new();
        let queues = self.file.queues();
        for (index, queue) in queues.iter().enumerate() {
            if self.warnings.is_full() {
                return;
            }
            let above = queue.parent.and_then(|parent| told.get(&parent)).cloned().unwrap_or_default();
            let mut here = above;
            let list = queue.own_accessible_labels.iter().filter(|_| queue.parent.is_some()).flatten();
            for label in list.filter(|label| *label != ANY) {
                if here.contains(label.as_str()) || self.is_used_below(index, label) {
                    continue;
                }
                let property = Source::of(&queue.path, LIST);
                let message = format!("has the label {label:?}, and no leaf queue there can get anything of it");
                let help = format!(
                    "write {} above 0 for a leaf there, and the same for every queue above it but root; or take the label \
                     out of the list",
                    Source::of_label(&queue.path, label, "capacity")
                );
                self.warnings.push(&property, "label-capacity", &message, |found| {
                    found.effect("asks for it are taken, and wait for ever").help(help);
                });
                here.insert(label);
            }
            if !here.is_empty() && !queue.children.is_empty() {
                told.insert(index, here);
            }
        }
    }

    fn is_used_below(&self, index: usize, label: &str) -> bool {
        let queues = self.file.queues();
        let mut left = vec![index];
        while let Some(index) = left.pop() {
            // The leaves of a plan come and go with reservations.
            if queues[index].kind == CapacityQueueKind::Plan || can_use(self.file, &queues[index], label) {
                return true;
            }
            left.extend(&queues[index].children);
        }
        false
    }

    /// Parts of a partition that go to a queue whose applications cannot ask for them.
    fn without_access(&mut self) {
        for queue in self.file.queues().iter().filter(|queue| queue.parent.is_some()) {
            for capacity in queue.capacities.iter().filter(|capacity| !capacity.label.is_empty()) {
                let has_part = capacity.capacity > 0.0 || capacity.weight > 0.0 || capacity.minimum != Resource::ZERO;
                let property = Source::of_label(&queue.path, &capacity.label, "capacity");
                let is_written = self.source.raw(&property).is_some();
                if !has_part || !is_written || may_use(self.file, queue, &capacity.label) || self.warnings.is_full() {
                    continue;
                }
                let list = Source::of(&queue.path, LIST);
                let message = format!("is of a label that {} may not use", queue.path);
                let help = format!("add {} to {list}, or remove it", capacity.label);
                self.warnings.push(&property, "label-access", &message, |found| {
                    found.effect("it counts among the siblings' parts, and nobody there can ask for it").help(help);
                });
            }
        }
    }

    /// The label of AMs that name none.
    fn masters(&mut self, is_site_known: bool) {
        let settings = &self.file.settings().node_labels;
        let Some(label) = &settings.am_default else { return };
        let refused = "applications whose AM names no label are refused";
        if !settings.enabled {
            if is_site_known {
                let message = format!("is {label:?}, and {ENABLED} is not true");
                self.warnings.push(AM_DEFAULT, "am-label", &message, |found| {
                    found.effect(refused).help(format!("set {ENABLED} to true, or remove it"));
                });
            }
            return;
        }
        if label.contains("&&") {
            let message = format!("is {label:?}, an expression of several labels");
            self.warnings.push(AM_DEFAULT, "am-label", &message, |found| {
                found.effect(refused).help("write one label: a node has no more");
            });
            return;
        }
        let leaves = || self.file.queues().iter().filter(|queue| queue.as_leaf().is_some());
        let mut without_access = leaves().filter(|queue| !may_use(self.file, queue, label));
        if let Some(first) = without_access.next() {
            let message = format!("is {label:?}, which {} may not use", and_more(first, without_access.count()));
            self.warnings.push(AM_DEFAULT, "am-label", &message, |found| {
                found
                    .effect(format!("there {refused}"))
                    .help(format!("add the label to {LIST} of these queues, or let their AMs name a label"));
            });
        }
        let mut without_room =
            leaves().filter(|queue| may_use(self.file, queue, label) && !has_room(self.file, queue, label));
        if let Some(first) = without_room.next() {
            let message = format!("is {label:?}, for which {} has no capacity", and_more(first, without_room.count()));
            self.warnings.push(AM_DEFAULT, "am-label", &message, |found| {
                found
                    .effect("AMs there that name no label wait for ever")
                    .help(format!("write {LIST}.{label}.capacity for these queues and those above them"));
            });
        }
    }
}

impl CapacityFile {
    /// Finds what does not go together with the labels that nodes have, each with whether it is exclusive. `all` is
    /// what the file was read from: yarn-site with the file over it.
    #[must_use]
    pub fn check_labels(&self, all: &SiteProperties, labels: &[(String, bool)]) -> Vec<Diagnostic> {
        let source = Source::new(all);
        let mut warnings = Warnings::new(&source);
        for (label, property) in self.named_labels() {
            if labels.iter().any(|(name, _)| *name == label) {
                continue;
            }
            let near = nearest(label, labels.iter().map(|(name, _)| name.as_str()));
            let help = match near {
                Some(near) => format!("did you mean {near:?}? Else give nodes the label, or remove what names it"),
                None => "give nodes the label, or remove what names it".to_owned(),
            };
            warnings.push(
                &property,
                "label-without-nodes",
                &format!("names the label {label:?}, and no node has it"),
                |found| {
                    found.effect("asks for it wait for ever, or are refused where the label is not added").help(help);
                },
            );
        }
        let mut found = warnings.into_vec();
        let queues = self.queues();
        let mut warn = |code, message: String, effect: &str, help: String| {
            let mut one = Diagnostic::warning(code, None, message);
            one.effect(effect).help(help);
            found.push(one);
        };
        for (label, exclusive) in labels {
            if *exclusive && !queues.iter().any(|queue| can_use(self, queue, label)) {
                let message = format!("nodes have the label {label:?}, and no queue can use it");
                let help = format!(
                    "give a queue the label in {LIST}, and {LIST}.{label}.capacity to it and to those above it"
                );
                warn("label-unused", message, "these nodes stay empty: the label is exclusive", help);
            }
        }
        let is_labelled =
            |queue: &CapacityQueue| self.default_label_expression(queue).is_some_and(|label| !label.is_empty());
        let mut leaves = queues.iter().filter(|queue| queue.as_leaf().is_some()).peekable();
        let all_labelled = leaves.peek().is_some() && leaves.all(is_labelled) && !queues.iter().any(may_come);
        if let Some((label, _)) = labels.iter().find(|(_, exclusive)| !exclusive && all_labelled) {
            let message = format!("the label {label:?} is shared, and every queue has a default-node-label-expression");
            let effect = "nodes are lent only to asks for no label, and asks that name none get the queue's";
            let help = "let a queue have no default label, or its AMs ask for the empty one".to_owned();
            warn("label-not-lent", message, effect, help);
        }
        found
    }

    /// The labels that queues and AMs name, each with the first property that does.
    fn named_labels(&self) -> BTreeMap<&str, String> {
        let mut named = BTreeMap::new();
        for queue in self.queues() {
            let list = queue.own_accessible_labels.iter().filter(|_| queue.parent.is_some()).flatten();
            for label in list.filter(|label| *label != ANY) {
                named.entry(label.as_str()).or_insert_with(|| Source::of(&queue.path, LIST));
            }
            for capacity in queue.capacities.iter().filter(|capacity| queue.parent.is_some() && capacity.is_configured)
            {
                named
                    .entry(capacity.label.as_str())
                    .or_insert_with(|| Source::of_label(&queue.path, &capacity.label, "capacity"));
            }
            let expression = queue.own_default_label_expression.as_deref().unwrap_or_default();
            for label in expression.split("&&").map(str::trim) {
                named.entry(label).or_insert_with(|| Source::of(&queue.path, "default-node-label-expression"));
            }
        }
        if let Some(label) = &self.settings().node_labels.am_default {
            named.entry(label.as_str()).or_insert_with(|| AM_DEFAULT.to_owned());
        }
        named.remove("");
        named
    }
}

#[cfg(test)]
mod tests {
    use super::super::source::PREFIX;
    use super::*;
    use crate::site::SiteFile;

    const ON: (&str, &str) = (ENABLED, "true");

    fn site(pairs: &[(&str, &str)]) -> SiteProperties {
        let property =
            |(name, value): &(&str, &str)| format!("<property><name>{name}</name><value>{value}</value></property>");
        let text = format!("<configuration>{}</configuration>", pairs.iter().map(property).collect::<String>());
        let mut site = SiteProperties::new();
        site.add(&SiteFile::parse(&text, "yarn-site.xml").unwrap());
        site
    }

    /// Leaves `a` and `p.b`, with more properties; the prefix is left out.
    fn file(more: &[(&str, &str)]) -> SiteFile {
        let all = [
            ("root.queues", "a,p"),
            ("root.a.capacity", "50"),
            ("root.p.capacity", "50"),
            ("root.p.queues", "b"),
            ("root.p.b.capacity", "100"),
        ];
        let property = |(name, value): (&str, &str)| {
            format!("<property><name>{PREFIX}{name}</name><value>{value}</value></property>")
        };
        let properties: String = all.iter().chain(more).map(|pair| property(*pair)).collect();
        SiteFile::parse(&format!("<configuration>{properties}</configuration>"), "capacity-scheduler.xml").unwrap()
    }

    /// What is found, each as its code, its property and its message.
    fn found(of_site: &[(&str, &str)], more: &[(&str, &str)]) -> Vec<String> {
        let (read, found) = CapacityFile::check(&site(of_site), &file(more), None);
        assert!(read.is_some(), "{found:?}");
        assert!(found.iter().all(|one| one.at.is_some() && one.effect.is_some() && one.help.is_some()), "{found:?}");
        found.into_iter().map(|one| format!("{}: {}", one.code, one.message.replace(PREFIX, "~"))).collect()
    }

    /// `a` may use `gpu`, and has all of it.
    const GPU_OF_A: [(&str, &str); 3] = [
        ("root.a.accessible-node-labels", "gpu"),
        ("root.a.accessible-node-labels.gpu.capacity", "100"),
        ("root.p.accessible-node-labels", " "),
    ];

    #[test]
    fn a_sensible_file_passes() {
        assert_eq!(found(&[ON], &GPU_OF_A), [""; 0]);
        let with_all = [("root.a.accessible-node-labels", "*"), ("root.a.accessible-node-labels.gpu.capacity", "100")];
        assert_eq!(found(&[ON], &with_all), [""; 0]);
        // Of a label it may have nothing for sure, and what others leave.
        let elastic = [
            ("root.a.accessible-node-labels.gpu.capacity", "100"),
            ("root.p.accessible-node-labels", "gpu"),
            ("root.p.accessible-node-labels.gpu.capacity", "0"),
            ("root.p.b.accessible-node-labels.gpu.capacity", "0"),
        ];
        assert_eq!(found(&[ON], &elastic), [""; 0]);
    }

    #[test]
    fn a_label_without_a_capacity_is_told_of_once() {
        let list = ("root.a.accessible-node-labels", "gpu");
        let told = "label-capacity: ~root.a.accessible-node-labels has the label \"gpu\", and no leaf queue \
                    there can get anything of it";
        assert_eq!(found(&[ON], &[list]), [told]);
        // The one above has none.
        let below = [
            ("root.a.accessible-node-labels.gpu.capacity", "100"),
            ("root.p.accessible-node-labels", "gpu"),
            ("root.p.b.accessible-node-labels", "gpu"),
            ("root.p.b.accessible-node-labels.gpu.capacity", "0"),
        ];
        let told = "label-capacity: ~root.p.accessible-node-labels has the label \"gpu\", and no leaf queue \
                    there can get anything of it";
        assert_eq!(found(&[ON], &below), [told]);
        // Queues that come to be there have what their templates say.
        let flexible = [list, ("root.a.auto-queue-creation-v2.enabled", "true")];
        assert!(found(&[ON], &flexible).iter().all(|told| !told.starts_with("label-")));
    }

    #[test]
    fn a_part_that_nobody_can_ask_for_is_told_of() {
        let more = [
            ("root.a.accessible-node-labels", " "),
            ("root.a.accessible-node-labels.gpu.capacity", "40"),
            ("root.p.accessible-node-labels.gpu.capacity", "60"),
            ("root.p.b.accessible-node-labels.gpu.capacity", "100"),
        ];
        let told = "label-access: ~root.a.accessible-node-labels.gpu.capacity is of a label that root.a may not use";
        assert_eq!(found(&[ON], &more), [told]);
    }

    #[test]
    fn capacities_of_a_label_add_up() {
        let more = [
            ("root.a.accessible-node-labels.gpu.capacity", "40"),
            ("root.p.accessible-node-labels.gpu.capacity", "50"),
            ("root.p.b.accessible-node-labels.gpu.capacity", "100"),
        ];
        let (read, found) = CapacityFile::check(&site(&[ON]), &file(&more), None);
        assert!(read.is_none());
        assert_eq!(found[0].code, "capacity-sum", "{found:?}");
        assert!(found[0].message.contains("gpu"), "{found:?}");
    }

    #[test]
    fn ams_are_sent_where_their_queues_may_go() {
        let am = (AM_DEFAULT, "gpu");
        assert_eq!(
            found(&[ON, am], &GPU_OF_A),
            [format!("am-label: {AM_DEFAULT} is \"gpu\", which root.p.b may not use")]
        );
        let without_room = [GPU_OF_A[0], GPU_OF_A[1], ("root.p.accessible-node-labels.gpu.capacity", "0")];
        assert_eq!(
            found(&[ON, am], &without_room),
            [format!("am-label: {AM_DEFAULT} is \"gpu\", for which root.p.b has no capacity")]
        );
        assert_eq!(
            found(&[ON, (AM_DEFAULT, "gpu &amp;&amp; ssd")], &[]),
            [format!("am-label: {AM_DEFAULT} is \"gpu && ssd\", an expression of several labels")]
        );
        assert_eq!(found(&[am], &[]), [format!("am-label: {AM_DEFAULT} is \"gpu\", and {ENABLED} is not true")]);
        let all = [
            ("root.a.accessible-node-labels.gpu.capacity", "50"),
            ("root.p.accessible-node-labels.gpu.capacity", "50"),
            ("root.p.b.accessible-node-labels.gpu.capacity", "100"),
        ];
        assert_eq!(found(&[ON, am], &all), [""; 0]);
        assert_eq!(
            found(&[ON, am, (AM_BY_SHARING, "true")], &all),
            [format!("no-effect: {AM_BY_SHARING} is true, and AMs that name no label get \"gpu\"")]
        );
    }

    /// Codes and messages of what does not go together with these labels of nodes.
    fn with(labels: &[(&str, bool)], more: &[(&str, &str)]) -> Vec<String> {
        let (site, file) = (site(&[ON]), file(more));
        let (read, _) = CapacityFile::check(&site, &file, None);
        let mut all = site.clone();
        all.add(&file);
        let labels: Vec<(String, bool)> =
            labels.iter().map(|(name, exclusive)| ((*name).to_owned(), *exclusive)).collect();
        let found = read.unwrap().check_labels(&all, &labels);
        assert!(found.iter().all(|one| one.effect.is_some() && one.help.is_some()), "{found:?}");
        let said = |one: &Diagnostic| {
            let help = one.help.as_ref().filter(|help| help.starts_with("did you mean"));
            let help = help.and_then(|help| help.split('?').next()).map(|help| format!("; {help}?"));
            format!("{}: {}{}", one.code, one.message.replace(PREFIX, "~"), help.unwrap_or_default())
        };
        found.iter().map(said).collect()
    }

    #[test]
    fn queues_and_nodes_have_the_same_labels() {
        assert_eq!(with(&[("gpu", true)], &GPU_OF_A), [""; 0]);
        assert_eq!(
            with(&[("gpus", true)], &GPU_OF_A),
            [
                "label-without-nodes: ~root.a.accessible-node-labels names the label \"gpu\", and no node has it; did you \
                 mean \"gpus\"?",
                "label-unused: nodes have the label \"gpus\", and no queue can use it"
            ]
        );
        // Its nodes are lent.
        assert_eq!(with(&[("gpu", true), ("spare", false)], &GPU_OF_A), [""; 0]);
        let labelled = [
            GPU_OF_A[1],
            ("root.p.accessible-node-labels.gpu.capacity", "0"),
            ("root.p.b.accessible-node-labels.gpu.capacity", "0"),
            ("root.a.default-node-label-expression", "gpu"),
            ("root.p.b.default-node-label-expression", "gpu"),
        ];
        assert_eq!(
            with(&[("gpu", true), ("spare", false)], &labelled),
            ["label-not-lent: the label \"spare\" is shared, and every queue has a default-node-label-expression"]
        );
        assert_eq!(with(&[("gpu", true), ("spare", false)], &labelled[..4]), [""; 0]);
    }
}
