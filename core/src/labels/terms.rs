//! What a leaf queue has for labels of asks.

use std::collections::BTreeSet;

/// Every label.
const ANY_LABEL: &str = "*";

/// What a leaf queue has for labels of asks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LabelTerms<'a> {
    /// Its path.
    pub(crate) queue: &'a str,
    /// The labels that it may use.
    pub(crate) accessible: &'a BTreeSet<String>,
    /// The label of asks that name none.
    pub(crate) default: Option<&'a str>,
    /// Labels that only applications with that label may ask for.
    pub(crate) enforced: &'a BTreeSet<String>,
}

impl LabelTerms<'_> {
    /// Whether the queue may use nodes with a label.
    pub(crate) fn may_use(&self, label: &str) -> bool {
        label.is_empty() || self.accessible.contains(label) || self.accessible.contains(ANY_LABEL)
    }

    /// Its last name.
    pub(crate) fn short_name(&self) -> &str {
        self.queue.rsplit('.').next().unwrap_or_default()
    }

    /// The labels that it may use, with commas.
    pub(crate) fn list(&self) -> String {
        self.accessible.iter().map(String::as_str).collect::<Vec<_>>().join(",")
    }
}
