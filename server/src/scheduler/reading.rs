//! Files of queues, read whole before a scheduler is given them.

use std::path::PathBuf;

use evenweave::CapacityConfiguration;
use evenweave::config::{AllocationFile, CheckOptions, Diagnostic, LARGEST_FILE, SiteFile, read_file};

use super::asked::Basics;
use super::refresh::{NotRefreshed, QueuesText};
use crate::read_timeout::Patience;

const RULES_FILE: &str = "yarn.scheduler.capacity.mapping-rule-json-file";

/// Reads an allocation file whole: what is probably a mistake, or the errors with it.
pub(super) fn allocations(file: &QueuesText, basics: &Basics) -> Result<Vec<Diagnostic>, NotRefreshed> {
    let mut options = CheckOptions::new(&basics.types);
    options.custom_policies = &basics.policies;
    let checked = AllocationFile::check(&file.text, &file.name, &options);
    match checked.file {
        Some(_) => Ok(checked.diagnostics),
        None => Err(NotRefreshed::Wrong(checked.diagnostics)),
    }
}

/// Reads a `capacity-scheduler.xml` whole, over the site that is in force: itself, and what is probably a mistake.
pub(super) fn capacities(
    file: &QueuesText,
    in_force: &CapacityConfiguration,
) -> Result<(CapacityConfiguration, Vec<Diagnostic>), NotRefreshed> {
    let own = SiteFile::parse(&file.text, &file.name).map_err(|error| NotRefreshed::Wrong(vec![error.diagnostic()]))?;
    match in_force.with_queues(own.pairs()) {
        Ok(read) => {
            let warnings = own.warnings().iter().chain(read.file().warnings()).cloned().collect();
            Ok((read, warnings))
        }
        Err(error) => {
            let mut diagnostic = error.diagnostic();
            let stands = own.properties().iter().rfind(|property| property.name == error.property);
            diagnostic.at = diagnostic.at.or(stands.map(|property| property.at.clone()));
            Err(NotRefreshed::Wrong(vec![diagnostic]))
        }
    }
}

/// Whether the file of mapping rules that a `capacity-scheduler.xml` names can be read at all. The scheduler reads it
/// on the caller's thread and would hang with it; what is wrong with it or with the text, the scheduler says.
///
/// # Errors
/// A sentence, where the file does not come in time.
pub(crate) fn reach_rules(file: &QueuesText, patience: &Patience) -> Result<(), String> {
    let Ok(own) = SiteFile::parse(&file.text, &file.name) else { return Ok(()) };
    let named = own.pairs().filter(|(name, _)| *name == RULES_FILE).last();
    let Some((_, path)) = named else { return Ok(()) };
    let path = PathBuf::from(path);
    patience.read(&path.display().to_string(), move || drop(read_file(&path, LARGEST_FILE)))
}
