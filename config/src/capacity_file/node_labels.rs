//! What the site says of node labels.
//!
//! Follows rules/node-labels.md 2, 8.2 and 8.3. Where labels are stored, and who says which node has which, is not
//! read: the embedder's affair.

use super::source::Source;
use crate::java;
use std::collections::BTreeSet;

pub(super) const ENABLED: &str = "yarn.node-labels.enabled";
const ENFORCED: &str = "yarn.node-labels.exclusive-enforced-partitions";
pub(super) const AM_DEFAULT: &str = "yarn.resourcemanager.node-labels.am.default-node-label-expression";
pub(super) const AM_BY_SHARING: &str = "yarn.resourcemanager.node-labels.am.allow-non-exclusive-allocation";

/// Node labels, as `yarn-site.xml` sets them; the default is Hadoop's.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct NodeLabelSettings {
    /// `yarn.node-labels.enabled`
    pub enabled: bool,
    /// `yarn.node-labels.exclusive-enforced-partitions`: labels that only applications with that label may ask for.
    pub enforced: BTreeSet<String>,
    /// `yarn.resourcemanager.node-labels.am.default-node-label-expression`: of AMs that name none.
    pub am_default: Option<String>,
    /// `yarn.resourcemanager.node-labels.am.allow-non-exclusive-allocation`: AMs without a label may run on nodes of
    /// labels that are shared.
    pub am_by_sharing: bool,
}

impl NodeLabelSettings {
    pub(super) fn read(site: &Source<'_>) -> NodeLabelSettings {
        let am_default = site.text(AM_DEFAULT).map(|text| java::trim(&text).to_owned());
        NodeLabelSettings {
            enabled: site.flag(ENABLED, false),
            enforced: site.list(ENFORCED).into_iter().collect(),
            am_default: am_default.filter(|label| !label.is_empty()),
            am_by_sharing: site.flag(AM_BY_SHARING, false),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pairs: &[(&'static str, &'static str)]) -> NodeLabelSettings {
        NodeLabelSettings::read(&Source::new(&pairs.iter().copied().collect()))
    }

    #[test]
    fn a_site_that_says_nothing_has_no_labels() {
        assert_eq!(read(&[]), NodeLabelSettings::default());
        assert_eq!(read(&[(ENABLED, "perhaps"), (AM_DEFAULT, " "), (ENFORCED, " , ")]), NodeLabelSettings::default());
    }

    #[test]
    fn names_are_trimmed() {
        let read = read(&[(ENABLED, " TRUE "), (ENFORCED, " x, y,,x"), (AM_DEFAULT, " x "), (AM_BY_SHARING, "true")]);
        assert!(read.enabled && read.am_by_sharing);
        assert_eq!(read.enforced.into_iter().collect::<Vec<_>>(), ["x", "y"]);
        assert_eq!(read.am_default.as_deref(), Some("x"));
    }
}
