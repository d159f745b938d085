//! What is odd in a configuration that Hadoop takes.

use super::error::CapacityFileError;
use crate::config::diagnostic::Diagnostic;

/// The most warnings kept: more of them nobody reads.
const MOST: usize = 1000;

/// Something odd, and the property that it is about.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PropertyWarning {
    /// The property's full name.
    pub property: String,
    /// What is odd; without a place, which whoever read the file knows.
    pub diagnostic: Diagnostic,
}

/// The warnings so far.
#[derive(Debug, Default)]
pub(super) struct Warnings(Vec<PropertyWarning>);

impl Warnings {
    /// Whether more are taken.
    pub(super) fn room(&self) -> bool {
        self.0.len() < MOST
    }

    /// `message` goes on from the property's name.
    pub(super) fn push(&mut self, property: &str, code: &'static str, message: &str, help: Option<String>) {
        if self.room() {
            let mut diagnostic = Diagnostic::warning(code, None, format!("{property}: {message}"));
            diagnostic.help = help;
            self.0.push(PropertyWarning { property: property.to_owned(), diagnostic });
        }
    }

    /// The value, or the default and a warning: for what Hadoop reads only when it is needed.
    pub(super) fn or_default<T>(&mut self, read: Result<T, CapacityFileError>, default: T) -> T {
        read.unwrap_or_else(|error| {
            let help = Some("the default holds here; Hadoop fails when it needs the value".to_owned());
            self.push(&error.property, "bad-value", &error.fault.to_string(), help);
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

    pub(super) fn into_vec(self) -> Vec<PropertyWarning> {
        self.0
    }
}
