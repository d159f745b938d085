//! What is not compared when a file is read.

use super::error::{CapacityFault, CapacityFileError};
use evenweave_resource::Resource;
use std::collections::HashSet;

/// What is not compared when a file is read.
#[derive(Debug, Default)]
pub(super) struct Uncompared {
    /// The parents whose children are not compared with each other, by path.
    pub(super) parents: HashSet<String>,
    /// Amounts of queues that are listed: a refresh compares them on the cluster as it is, by `check_amounts_on`.
    amounts: bool,
}

impl Uncompared {
    /// Amounts alone.
    pub(super) fn amounts() -> Uncompared {
        Uncompared { amounts: true, ..Uncompared::default() }
    }

    pub(super) fn has(&self, parent: &str) -> bool {
        self.parents.contains(parent)
    }

    /// With which cluster amounts are compared: at a start there are no nodes.
    pub(super) fn cluster(&self) -> Option<Resource> {
        (!self.amounts).then_some(Resource::ZERO)
    }

    /// Whether it is only because of such a parent that there are no figures.
    pub(super) fn explains(&self, error: &CapacityFileError) -> bool {
        let (CapacityFault::MixedChildren { queue: parent, .. } | CapacityFault::LabelWithoutParent { parent, .. }) =
            &*error.fault
        else {
            return false;
        };
        self.has(parent)
    }
}
