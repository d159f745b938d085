//! Node labels: of which labels the properties speak, queue by queue.
//!
//! Follows rules/capacity.md 27; `CapacitySchedulerConfiguration.getConfiguredNodeLabelsByQueue`.

use super::error::{CapacityFault, CapacityFileError};
use super::source::{PREFIX, Source};
use std::collections::{BTreeSet, HashMap};

const KEY: &str = "accessible-node-labels";
/// A queue that may use every label.
pub(super) const ANY: &str = "*";

/// The labels with capacities of their own, by the path of the queue. Every queue has the empty label, which is none.
#[derive(Debug, Default)]
pub(super) struct LabelsByQueue<'a> {
    by_queue: HashMap<&'a str, BTreeSet<&'a str>>,
    all: BTreeSet<&'a str>,
}

impl<'a> LabelsByQueue<'a> {
    pub(super) fn read(source: &Source<'a>) -> Result<LabelsByQueue<'a>, CapacityFileError> {
        let mut out = LabelsByQueue { all: BTreeSet::from([""]), ..LabelsByQueue::default() };
        for name in source.under(PREFIX).filter(|name| name.contains("accessible-node-labels.")) {
            let (queue, label) = queue_and_label(name)
                .ok_or_else(|| CapacityFileError::new(format!("{PREFIX}{name}"), CapacityFault::LabelProperty))?;
            out.by_queue.entry(queue).or_insert_with(|| BTreeSet::from([""])).insert(label);
            out.all.insert(label);
        }
        Ok(out)
    }

    /// Those of a queue, sorted, the empty one first.
    pub(super) fn of(&self, queue: &str) -> Vec<&'a str> {
        self.by_queue.get(queue).map_or_else(|| vec![""], |labels| labels.iter().copied().collect())
    }

    /// Those of any queue: root's.
    pub(super) fn all(&self) -> Vec<&'a str> {
        self.all.iter().copied().collect()
    }
}

/// Of `root.a.accessible-node-labels.x.capacity` the queue `root.a` and the label `x`.
fn queue_and_label(name: &str) -> Option<(&str, &str)> {
    let at = name.find(KEY)?;
    let label = name.get(at + KEY.len() + 1..)?;
    let (label, _) = label.split_once('.')?;
    let before = &name[..at];
    let last = before.chars().next_back()?;
    Some((&before[..before.len() - last.len_utf8()], label))
}

/// `accessible-node-labels` of a queue below root: the labels, or [`ANY`] alone; `None` where the queue does not say.
pub(super) fn accessible(source: &Source<'_>, queue: &str) -> Option<BTreeSet<String>> {
    let text = source.text(&Source::of(queue, KEY))?;
    let labels = text.split(',').map(crate::java::trim).filter(|label| !label.is_empty());
    let labels: BTreeSet<String> = labels.map(str::to_owned).collect();
    Some(if labels.contains(ANY) { any() } else { labels })
}

/// Every label.
pub(super) fn any() -> BTreeSet<String> {
    BTreeSet::from([ANY.to_owned()])
}

/// Whether a queue with these labels may ask for every label of an expression such as `x && y`.
pub(super) fn permits(labels: &BTreeSet<String>, expression: &str) -> bool {
    let mut asked = expression.split("&&").map(crate::java::trim).filter(|label| !label.is_empty());
    labels.contains(ANY) || asked.all(|label| labels.contains(label))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_come_from_the_names_of_properties() {
        let of = |tail| queue_and_label(tail);
        assert_eq!(of("root.a.accessible-node-labels.x.capacity"), Some(("root.a", "x")));
        assert_eq!(of("root.accessible-node-labels..capacity"), Some(("root", "")));
        assert_eq!(of("root.a.accessible-node-labels.x"), None);
        assert_eq!(of("accessible-node-labels.x.capacity"), None);
    }

    #[test]
    fn an_expression_needs_all_of_its_labels() {
        let labels = BTreeSet::from(["x".to_owned()]);
        assert!(permits(&labels, " x && ") && permits(&any(), "y"));
        assert!(!permits(&labels, "x&&y"));
    }
}
