//! The allocation file: queues, limits, users, defaults and placement rules.
//!
//! Reading is one pure function from text to [`AllocationFile`], warnings beside it; what a reload does with the result
//! belongs to the scheduler. Follows rules/configuration.md 2, 3 and 7.3; Hadoop's `AllocationFileLoaderService`,
//! `AllocationFileParser`, `AllocationFileQueueParser` and `QueueProperties`.

#[cfg(feature = "check")]
mod check;

mod check_options;

mod context;

mod defaults;

mod elements;

mod error;

mod file;

#[cfg(feature = "check")]
mod lint;

#[cfg(feature = "convert")]
mod outline;

mod placement;

mod placement_error;

mod policy_name;

mod queue;

mod queue_settings;

mod read;

mod user;

#[cfg(test)]
mod tests;

pub use check_options::{CheckOptions, Checked};
pub use error::{AllocationFileError, NumberKind, PlacementChange};
pub use file::{AllocationFile, Parsed};
#[cfg(feature = "convert")]
pub(crate) use outline::{Outline, Outlined, less_than_minimum, read_outlined};
pub use placement_error::PlacementError;
pub use policy_name::PolicyName;
pub use queue_settings::QueueSettings;

use super::diagnostic::Diagnostic;
use super::encoding::{self, ReadAs, Undecodable};
use evenweave_resource::ResourceTypes;

impl AllocationFile {
    /// Reads an allocation file. `source_name` stands in errors and warnings; `custom_policies` are the scheduling
    /// policies that the embedder brings.
    ///
    /// ```
    /// use evenweave::AllocationFile;
    /// use evenweave::resource::ResourceTypes;
    /// let text = "<allocations>\n <queue name='a'><maxAMShare>1.5x</maxAMShare></queue>\n</allocations>";
    /// let error = AllocationFile::parse(text, "fair-scheduler.xml", &ResourceTypes::standard(), &[]).unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "fair-scheduler.xml:2:30: queue \"root.a\": maxAMShare \"1.5x\" is not a number; write a number, \
    ///      such as 0.5 or -1"
    /// );
    /// ```
    ///
    /// # Errors
    /// Where Hadoop refuses the file. An error may still change the placement rules, see
    /// [`AllocationFileError::installed_placement`].
    pub fn parse(
        text: &str,
        source_name: &str,
        types: &ResourceTypes,
        custom_policies: &[String],
    ) -> Result<Parsed, AllocationFileError> {
        read::read(text, source_name, types, custom_policies)
    }

    /// Checks an allocation file: gives all errors, not only the first, and warns of whatever Hadoop takes, but was
    /// hardly meant. For whoever edits files; it costs more than [`AllocationFile::parse`].
    ///
    /// ```
    /// use evenweave::AllocationFile;
    /// use evenweave::config::{CheckOptions, Severity};
    /// use evenweave::resource::ResourceTypes;
    /// let text = "<allocations>\n <queue name='a'><maxAMShare>1.5</maxAMShare></queue>\n</allocations>";
    /// let checked = AllocationFile::check(text, "fair-scheduler.xml", &CheckOptions::new(&ResourceTypes::standard()));
    /// let [found] = checked.diagnostics.as_slice() else { panic!() };
    /// assert_eq!((found.severity, found.code), (Severity::Warning, "am-share-above-1"));
    /// assert_eq!(found.message, "queue \"root.a\": maxAMShare is 1.5");
    /// assert_eq!(found.effect.as_deref(), Some("Hadoop takes it for 1.0: it is a fraction, not a percentage"));
    /// ```
    #[cfg(feature = "check")]
    #[must_use]
    pub fn check(text: &str, source_name: &str, options: &CheckOptions<'_>) -> Checked {
        check::check(text, source_name, options)
    }

    /// Turns a file's bytes into text by its byte order mark or XML declaration, as Hadoop's parser of allocation files
    /// does: UTF-8, UTF-16, UTF-32, ISO 8859, windows-125x, GBK, GB18030, Big5, Shift_JIS, EUC-JP, EUC-KR, KOI8 and a
    /// few more. Bytes that have no character in one of the last are U+FFFD; [`replaced_bytes`](Self::replaced_bytes)
    /// tells of them.
    ///
    /// # Errors
    /// When the bytes are not in the encoding, or are beyond ASCII in one that is not read here.
    pub fn decode(bytes: &[u8], source_name: &str) -> Result<String, AllocationFileError> {
        let decoded = encoding::decode(bytes, source_name, ReadAs::Allocations);
        decoded.map(|decoded| decoded.text).map_err(|Undecodable { at, problem, unsupported }| {
            if unsupported {
                AllocationFileError::UnsupportedEncoding { at, problem }
            } else {
                AllocationFileError::Malformed { at, problem }
            }
        })
    }

    /// Warns where [`decode`](Self::decode) has U+FFFD in place of bytes.
    #[must_use]
    pub fn replaced_bytes(bytes: &[u8], source_name: &str) -> Option<Diagnostic> {
        encoding::replaced(bytes, source_name, ReadAs::Allocations)
    }
}
