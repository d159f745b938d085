//! Checking a file: all its errors, not only the first, and whatever was hardly meant.
//!
//! For whoever edits a file; a reload parses only. Pure functions over text, any thread.

use super::context::Context;
use super::read::{read_allocations, read_document};
use super::{AllocationFile, lint};
use crate::config::diagnostic::{Diagnostic, Places};
use crate::config::settings::Settings;
use crate::resource::{Resource, ResourceTypes};
use bumpalo::Bump;

/// What a check may know beyond the file.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct CheckOptions<'a> {
    /// The resource types.
    pub types: &'a ResourceTypes,
    /// The scheduling policies that the embedder brings.
    pub custom_policies: &'a [String],
    /// The settings that the file is to work with; without them what hangs on them is not looked at.
    pub settings: Option<&'a Settings>,
    /// The total of the cluster; without it limits are not compared with it.
    pub cluster: Option<Resource>,
}

impl<'a> CheckOptions<'a> {
    /// These types, and nothing else known.
    #[must_use]
    pub fn new(types: &'a ResourceTypes) -> CheckOptions<'a> {
        CheckOptions { types, custom_policies: &[], settings: None, cluster: None }
    }

    /// These settings and their types.
    #[must_use]
    pub fn with_settings(settings: &'a Settings) -> CheckOptions<'a> {
        CheckOptions { settings: Some(settings), ..CheckOptions::new(&settings.types) }
    }
}

/// What a check gives.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Checked {
    /// The file, if Hadoop would take it.
    pub file: Option<AllocationFile>,
    /// All that was found, errors and warnings, in the order of their places.
    pub diagnostics: Vec<Diagnostic>,
}

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
    diagnostics.sort_by_key(|diagnostic| diagnostic.at.as_ref().map_or(usize::MAX, |at| at.offset));
    Checked { file, diagnostics }
}
