//! Why work is not done.

use std::io;
use std::path::Path;

use crate::api::{AllocationFileError, CapacityFileError, Place, SettingsError, SiteFileError};
use crate::system_fault::SystemFault;
use crate::trace_error::TraceError;
use crate::traces::TraceFileError;

/// A failure.
#[derive(Debug)]
pub enum Failure {
    /// What was given is wrong; the text says what, where, and what would be right.
    Input(String),
    /// The same of a file, with the place for programs.
    File(Box<FileFault>),
    /// The trace is wrong; shown with the line.
    Trace(Box<TraceError>),
    /// The scheduler under test did something that it must not.
    Scheduler(String),
}

/// What is wrong with a file.
#[derive(Debug)]
pub struct FileFault {
    /// What is wrong, where, and what would be right.
    pub message: String,
    /// The file's name as it was given.
    pub file: String,
    /// Where in it, or why it cannot be read or written.
    pub fault: Fault,
}

/// Where a file is wrong, or why it cannot be read or written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A place in it, both counted from 1.
    At {
        /// The line.
        line: u64,
        /// The column, in characters.
        column: u64,
    },
    /// The operating system's answer.
    System(SystemFault),
}

impl From<TraceFileError> for Failure {
    fn from(error: TraceFileError) -> Failure {
        let fault = match (error.at, error.system) {
            (Some(at), _) => Fault::At { line: at.line, column: at.column },
            (None, Some(system)) => Fault::System(system),
            (None, None) => return Failure::Input(error.to_string()),
        };
        Failure::File(Box::new(FileFault { message: error.to_string(), file: error.file, fault }))
    }
}

impl Failure {
    /// Wrong input.
    pub fn input(message: impl Into<String>) -> Failure {
        Failure::Input(message.into())
    }

    /// A file that cannot be read or written.
    pub fn system(message: impl Into<String>, path: &Path, error: &io::Error) -> Failure {
        let fault = Fault::System(error.into());
        Failure::File(Box::new(FileFault { message: message.into(), file: path.display().to_string(), fault }))
    }

    /// What is wrong at a place, if it has one.
    fn placed(message: String, at: Option<&Place>) -> Failure {
        let Some(at) = at else { return Failure::Input(message) };
        let fault = Fault::At { line: at.line as u64, column: at.column as u64 };
        Failure::File(Box::new(FileFault { message, file: at.source.to_string(), fault }))
    }

    /// What is said of it, on one line.
    #[must_use]
    pub fn message(&self) -> String {
        match self {
            Failure::Input(message) | Failure::Scheduler(message) => message.clone(),
            Failure::File(fault) => fault.message.clone(),
            Failure::Trace(error) => error.to_string(),
        }
    }

    /// The same, whose text begins with this. Of a failure of the scheduler nothing changes.
    #[must_use]
    pub fn under(self, head: &str) -> Failure {
        match self {
            Failure::Input(message) => Failure::Input(format!("{head}: {message}")),
            Failure::File(mut fault) => {
                fault.message = format!("{head}: {}", fault.message);
                Failure::File(fault)
            }
            Failure::Trace(_) | Failure::Scheduler(_) => self,
        }
    }
}

impl From<SettingsError> for Failure {
    fn from(error: SettingsError) -> Failure {
        Failure::placed(error.to_string(), error.at.as_ref())
    }
}

impl From<CapacityFileError> for Failure {
    fn from(error: CapacityFileError) -> Failure {
        Failure::placed(error.to_string(), error.at.as_ref())
    }
}

impl From<AllocationFileError> for Failure {
    fn from(error: AllocationFileError) -> Failure {
        Failure::placed(error.to_string(), error.diagnostic().at.as_ref())
    }
}

impl From<SiteFileError> for Failure {
    fn from(error: SiteFileError) -> Failure {
        Failure::placed(error.to_string(), error.diagnostic().at.as_ref())
    }
}
