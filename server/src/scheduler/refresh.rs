//! Queues that are read again: from where, what is said of them, and why they are not taken.
//!
//! All of a file is taken, or nothing: `reading` has read and checked it before its scheduler is given it.

use std::path::PathBuf;
use std::sync::Arc;

use evenweave::Refused;
use evenweave::config::{AllocationFile, Diagnostic, LARGEST_FILE, Severity, SiteFile, read_file};
use evenweave::refused::Configuration;

use super::kind::Kind;

/// A file of queues: an allocation file, or a `capacity-scheduler.xml`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueuesText {
    /// By which places in it are named.
    pub name: String,
    /// What it says.
    pub text: String,
}

/// Where queues are read from whenever they are refreshed; a sentence where they cannot be.
pub type QueuesSource = Arc<dyn Fn() -> Result<QueuesText, String> + Send + Sync>;

/// Reads them from a file, whatever it says by then, in the encoding that it declares.
#[must_use]
pub fn queues_in(path: PathBuf, kind: Kind) -> QueuesSource {
    Arc::new(move || {
        let name = path.display().to_string();
        let bytes = read_file(&path, LARGEST_FILE)
            .map_err(|error| format!("{name}: {error}; it must be a text file that can be read"))?;
        let text = decode(&bytes, &name, kind)?;
        Ok(QueuesText { name, text })
    })
}

/// The text of a file of queues, in the encoding that it declares.
///
/// # Errors
/// A sentence with the place where the bytes are not in it.
pub(crate) fn decode(bytes: &[u8], name: &str, kind: Kind) -> Result<String, String> {
    match kind {
        Kind::Fair => AllocationFile::decode(bytes, name).map_err(|error| error.to_string()),
        Kind::Capacity => SiteFile::decode(bytes, name).map_err(|error| error.to_string()),
    }
}

/// Why queues are as they were.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum NotRefreshed {
    /// There is no file to read.
    #[error("there is no file of queues to be read again: the server was started without one")]
    NoFile,
    /// The file cannot be read.
    #[error("{0}")]
    Unreadable(String),
    /// The file is wrong: errors, with places.
    #[error("{}", first(.0))]
    Wrong(Vec<Diagnostic>),
    /// The scheduler does not take them.
    #[error(transparent)]
    Refused(Refused),
}

impl From<Refused> for NotRefreshed {
    fn from(refused: Refused) -> NotRefreshed {
        if refused == Refused::Configuration(Configuration::NoFile) {
            NotRefreshed::NoFile
        } else {
            NotRefreshed::Refused(refused)
        }
    }
}

fn first(of: &[Diagnostic]) -> String {
    let first = of.iter().find(|one| one.severity == Severity::Error).or(of.first());
    first.map(ToString::to_string).unwrap_or_default()
}
