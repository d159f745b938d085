//! Lints: what Hadoop takes without a word, and what is probably a mistake.
//!
//! Run by a check, on the document and what was read from it; never at a reload. Each file is one subject; each lint
//! has a code of its own, listed in `docs/configuration-checks.md`. A sensible file must pass without a word: what is
//! right in some cluster is not warned of. What they go by: rules/configuration.md 1 to 7 and
//! rules/fair-shares.md 7 to 11.

mod acls;

mod amounts;

mod apps;

mod bounds;

mod legacy;

mod placement;

mod policies;

mod preemption;

mod reservations;

mod structure;

mod subject;

mod tree;

#[cfg(test)]
mod tests;

use super::check_options::CheckOptions;
use super::file::AllocationFile;
use super::queue_settings::QueueSettings;
use crate::warnings::Warnings;
use crate::xml::Element;
use subject::Subject;
use tree::Tree;

/// Runs all lints.
pub(super) fn run(root: &Element<'_>, file: &AllocationFile, options: &CheckOptions<'_>, warnings: &mut Warnings<'_>) {
    let blank = QueueSettings::default();
    let subject = Subject {
        root,
        tree: Tree::new(root, file, &blank),
        top: root.elements().map(|element| (element.name, element)).collect(),
        file,
        options,
    };
    for lint in [
        structure::check,
        legacy::check,
        amounts::check,
        bounds::check,
        apps::check,
        policies::check,
        acls::check,
        placement::check,
        preemption::check,
        reservations::check,
    ] {
        lint(&subject, warnings);
    }
}
