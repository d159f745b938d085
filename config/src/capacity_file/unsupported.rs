//! What a configuration asks for that Hadoop has and Evenweave has not. A scheduler is not built with it, and a check
//! tells of it.

use super::file::CapacityFile;
use super::source::Source;
#[cfg(feature = "check")]
use super::warnings::Warnings;
use crate::java;
use crate::site::SiteProperties;
use std::collections::BTreeMap;

/// What is here of labels.
const OF_LABELS: &str = "yarn.node-labels.enabled is not true: no node has a label and no ask may name one";
/// The same where they are on.
const BY_CALLS: &str =
    "nodes get labels by calls of the library, in `simulate`, over REST in `serve`, and with --node-labels in `load`";
pub(super) const CONSTRAINTS: &str = "yarn.resourcemanager.placement-constraints.handler";

/// One thing that is not here.
#[derive(Debug, PartialEq, Eq)]
struct Absent {
    /// The first property that asks for it.
    property: String,
    /// Its name.
    what: String,
    /// What else asks for it.
    more: usize,
    /// What of it is here, and what is not, where a part is.
    lacks: &'static str,
}

/// Who would start with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Starts {
    /// A program that embeds the library, and can give nodes labels.
    Embedder,
    /// A program whose nodes have none.
    Program,
}

fn absent(file: &CapacityFile, source: &Source<'_>, starts: Starts) -> Vec<Absent> {
    let mut found = Vec::new();
    let are_on = file.settings().node_labels.enabled;
    if are_on && starts == Starts::Embedder {
        return found;
    }
    let lacks = if are_on { BY_CALLS } else { OF_LABELS };
    // By label, and whether it is an expression's.
    let mut labels: BTreeMap<(bool, &str), Absent> = BTreeMap::new();
    for queue in file.queues() {
        let what = |label: &str| format!("node labels, as {label:?} of {}", queue.path);
        let mut ask = |is_expression: bool, label, property: String| {
            let absent = || Absent { property, what: what(label), more: 0, lacks };
            labels.entry((is_expression, label)).and_modify(|absent| absent.more += 1).or_insert_with(absent);
        };
        let labelled = queue.capacities.iter().filter(|capacity| !capacity.label.is_empty() && capacity.is_configured);
        for capacity in labelled {
            let of = |key| Source::of_label(&queue.path, &capacity.label, key);
            let keys = ["capacity", "maximum-capacity", "maximum-am-resource-percent"];
            let written = keys.into_iter().map(of).find(|property| source.raw(property).is_some());
            // Root has the labels of all queues.
            let inherited = || queue.parent.map(|_| Source::of(&queue.path, "accessible-node-labels"));
            if let Some(property) = written.or_else(inherited) {
                ask(false, capacity.label.as_str(), property);
            }
        }
        if let Some(expression) = queue.own_default_label_expression.as_deref().filter(|text| !text.is_empty()) {
            ask(true, expression, Source::of(&queue.path, "default-node-label-expression"));
        }
    }
    found.extend(labels.into_values());
    found
}

/// What handles placement constraints, where something does.
fn handler(source: &Source<'_>) -> Option<String> {
    let handler = source.text(CONSTRAINTS).map(|text| java::trim(&text).to_owned());
    handler.filter(|handler| !matches!(handler.as_str(), "" | "disabled"))
}

/// Tells of constraints that the file itself switches on. Of a site's its own check tells.
#[cfg(feature = "check")]
pub(super) fn check_constraints(source: &Source<'_>, warnings: &mut Warnings<'_>) {
    let Some(handler) = handler(source) else { return };
    let message = format!("is {handler}, and placement constraints are not supported");
    warnings.push(CONSTRAINTS, "unsupported", &message, |found| {
        found
            .effect("Evenweave does not start with it, and refuses a refresh with it")
            .help("set it to disabled, or stay with Hadoop's own CapacityScheduler");
    });
}

/// Tells of it.
#[cfg(feature = "check")]
pub(super) fn check(file: &CapacityFile, source: &Source<'_>, warnings: &mut Warnings<'_>) {
    for Absent { property, what, more, lacks } in absent(file, source, Starts::Embedder) {
        let more = match more {
            0 => String::new(),
            1 => " (and 1 more queue)".to_owned(),
            more => format!(" (and {more} more queues)"),
        };
        let message = format!("asks for {what}{more}, and labels are off");
        let mut effect = "Hadoop takes it; Evenweave does not start with it, and refuses a refresh with it".to_owned();
        if !lacks.is_empty() {
            effect.push_str(&format!(": {lacks}"));
        }
        let help = "set yarn.node-labels.enabled to true in yarn-site.xml, and give that file with --site; or remove the capacities of \
                    labels";
        warnings.push(&property, "unsupported", &message, |found| {
            found.effect(effect).help(help);
        });
    }
}

impl CapacityFile {
    /// What the configuration asks for that is not here, each with its place. `all` is what the file was read from.
    #[doc(hidden)]
    pub fn unsupported(&self, all: &SiteProperties) -> Vec<String> {
        self.absent(all, Starts::Embedder)
    }

    /// The same for a program whose nodes have no labels.
    #[doc(hidden)]
    pub fn unsupported_without_labels(&self, all: &SiteProperties) -> Vec<String> {
        self.absent(all, Starts::Program)
    }

    /// A property with its place in a file, where it stands in one.
    #[doc(hidden)]
    #[must_use]
    pub fn placed(all: &SiteProperties, property: &str) -> String {
        let place = Source::unlisted(all).name_at(property);
        place.map_or_else(|| property.to_owned(), |at| format!("{at}: {property}"))
    }

    fn absent(&self, all: &SiteProperties, starts: Starts) -> Vec<String> {
        let source = Source::unlisted(all);
        let mut found = absent(self, &source, starts);
        if let Some(handler) = handler(&source) {
            let what = format!("placement constraints: {CONSTRAINTS} is {handler}");
            found.push(Absent { property: CONSTRAINTS.to_owned(), what, more: 0, lacks: "" });
        }
        let placed = found.into_iter().map(|Absent { property, mut what, lacks, .. }| {
            if !lacks.is_empty() {
                what.push_str(&format!(" ({lacks})"));
            }
            source.name_at(&property).map_or_else(|| what.clone(), |at| format!("{at}: {what}"))
        });
        placed.collect()
    }
}
