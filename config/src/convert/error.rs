//! Why a conversion ends without files.

use crate::diagnostic::Diagnostic;
use std::fmt;

/// A Java exception as Hadoop's log has it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct JavaException {
    /// The simple name of its class.
    pub class: &'static str,
    /// Its message; of a class of the Java library one that says the same.
    pub message: String,
}

impl JavaException {
    /// An exception of this class.
    #[must_use]
    pub fn new(class: &'static str, message: impl Into<String>) -> JavaException {
        JavaException { class, message: message.into() }
    }
}

impl fmt::Display for JavaException {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.class, self.message)
    }
}

/// How a conversion ends that does not succeed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConvertFault {
    /// A setting that cannot be converted, where the rules say that this ends it.
    Unsupported,
    /// What Hadoop calls fatal.
    Fatal,
    /// An exception that Hadoop's command does not expect.
    Crash,
    /// No CapacityScheduler starts with what was written.
    Verification,
}

/// Why a conversion ends: as Hadoop says it, and what is wrong where.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ConvertError {
    /// How it ends.
    pub fault: ConvertFault,
    /// The exception, and then the causes below it.
    pub exceptions: Vec<JavaException>,
    /// What is wrong, where, and what would be right; where a file says something wrong.
    pub found: Option<Box<Diagnostic>>,
}

impl ConvertError {
    pub(super) fn fatal(message: impl Into<String>) -> ConvertError {
        let exceptions = vec![JavaException::new("IllegalArgumentException", message)];
        ConvertError { fault: ConvertFault::Fatal, exceptions, found: None }
    }

    pub(super) fn crash(exceptions: Vec<JavaException>) -> ConvertError {
        ConvertError { fault: ConvertFault::Crash, exceptions, found: None }
    }

    pub(super) fn with(mut self, found: Diagnostic) -> ConvertError {
        self.found = Some(Box::new(found));
        self
    }

    /// The exception's own message.
    #[must_use]
    pub fn message(&self) -> &str {
        self.exceptions.first().map_or("", |exception| exception.message.as_str())
    }
}

/// As Hadoop's command says it.
impl fmt::Display for ConvertError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let before = match self.fault {
            ConvertFault::Unsupported => "Unsupported property/setting encountered during FS config conversion: ",
            ConvertFault::Fatal => "Fatal error during FS config conversion: ",
            ConvertFault::Verification => "Verification failed: ",
            ConvertFault::Crash => "",
        };
        write!(f, "{before}{}", self.message())
    }
}

impl std::error::Error for ConvertError {}
