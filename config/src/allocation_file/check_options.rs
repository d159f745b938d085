//! What a check is given, and what it gives.

use super::file::AllocationFile;
use crate::diagnostic::Diagnostic;
use crate::settings::Settings;
use evenweave_resource::{Resource, ResourceTypes};

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
