//! Checking a file: all its errors, not only the first, and whatever is probably a mistake.
//!
//! For whoever edits a file; a reload parses only. Pure functions over text, any thread.

use super::check_options::{CheckOptions, Checked};
use super::context::Context;
use super::lint;
use super::read::{read_allocations, read_document};
use crate::diagnostic::{Diagnostic, Places};
use bumpalo::Bump;
use evenweave_resource::sorted;

pub(super) fn check(text: &str, source_name: &str, options: &CheckOptions<'_>) -> Checked {
    let places = Places::new(source_name, text);
    let arena = Bump::new();
    let root = match read_document(text, &arena, &places) {
        Ok(root) => root,
        Err(error) => return Checked { file: None, diagnostics: vec![error.diagnostic()] },
    };
    let mut context = Context::new(places, options.types, options.custom_policies).collecting();
    let read = read_allocations(&mut context, &root);
    let (mut warnings, mut errors) = context.into_findings();
    let file = match read {
        Ok(file) => {
            lint::run(&root, &file, options, &mut warnings);
            errors.is_empty().then_some(file)
        }
        Err(error) => {
            errors.push(error);
            None
        }
    };
    let mut diagnostics: Vec<Diagnostic> = errors.iter().map(|error| error.diagnostic()).collect();
    diagnostics.extend(warnings.into_list());
    // Stable: of one place the errors come first. What has no place is about all.
    sorted::by_key(&mut diagnostics, |diagnostic| diagnostic.at.as_ref().map_or(usize::MAX, |at| at.offset));
    Checked { file, diagnostics }
}
