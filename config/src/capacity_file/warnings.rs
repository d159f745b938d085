//! What is odd in a configuration that Hadoop takes.

use super::error::CapacityFileError;
use super::source::Source;
use crate::diagnostic::Diagnostic;
use crate::findings::Findings;

/// The warnings so far; their number has an end.
#[derive(Debug)]
pub(super) struct Warnings<'a> {
    source: &'a Source<'a>,
    findings: Findings,
}

impl<'a> Warnings<'a> {
    pub(super) fn new(source: &'a Source<'a>) -> Warnings<'a> {
        Warnings { source, findings: Findings::default() }
    }

    /// Whether more would be left out.
    pub(super) fn is_full(&self) -> bool {
        self.findings.is_full()
    }

    /// Adds one, at the place of the property's name. `message` goes on from the name; `more` adds effect and help.
    pub(super) fn push(
        &mut self,
        property: &str,
        code: &'static str,
        message: &str,
        more: impl FnOnce(&mut Diagnostic),
    ) {
        let source = self.source;
        self.findings.push(|| {
            let mut found = Diagnostic::warning(code, source.name_at(property), format!("{property} {message}"));
            more(&mut found);
            found
        });
    }

    /// The value, or the default and a warning: for what Hadoop reads only when it is needed.
    pub(super) fn or_default<T>(&mut self, read: Result<T, CapacityFileError>, default: T) -> T {
        read.unwrap_or_else(|error| {
            self.push(&error.property, "not-a-number", &format!("cannot be read: {}", error.fault), |found| {
                found.effect("the default is taken; Hadoop fails when it needs the value");
            });
            default
        })
    }

    /// As it was read where it is `needed`, else the value or the default and a warning.
    pub(super) fn unless<T>(
        &mut self,
        needed: bool,
        read: Result<T, CapacityFileError>,
        default: T,
    ) -> Result<T, CapacityFileError> {
        if needed { read } else { Ok(self.or_default(read, default)) }
    }

    pub(super) fn into_vec(self) -> Vec<Diagnostic> {
        self.findings.into_vec()
    }
}
