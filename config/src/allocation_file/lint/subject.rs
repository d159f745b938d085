//! What the lints look at, and a word that several say.

use super::tree::{Queue, Tree};
use crate::allocation_file::check_options::CheckOptions;
use crate::allocation_file::file::AllocationFile;
use crate::allocation_file::policy_name::PolicyName;
use crate::xml::Element;
use std::collections::HashMap;

/// What the lints look at.
pub(super) struct Subject<'a> {
    pub(super) root: &'a Element<'a>,
    /// The queues, merged by name.
    pub(super) tree: Tree<'a>,
    /// The last element of each name at the top level.
    pub(super) top: HashMap<&'a str, &'a Element<'a>>,
    pub(super) file: &'a AllocationFile,
    pub(super) options: &'a CheckOptions<'a>,
}

impl<'a> Subject<'a> {
    /// The scheduling policy of a queue.
    pub(super) fn policy(&self, queue: &Queue<'a>) -> &'a PolicyName {
        queue.settings.policy.as_ref().unwrap_or(&self.file.default_policy)
    }
}

/// ` (and 2 more)`, or nothing.
pub(super) fn and_more(more: usize) -> String {
    if more == 0 { String::new() } else { format!(" (and {more} more)") }
}
