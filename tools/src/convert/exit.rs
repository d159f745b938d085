//! How the command ends.

use std::collections::BTreeSet;

use crate::api::{Change, ConvertError, ConvertFault, Diagnostic, JavaException};

/// The kinds of ends that are not good.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The command line cannot be read.
    Options,
    /// Something that must be there is not.
    Precondition,
    /// A setting that cannot be converted, where the rules say that this ends it.
    Unsupported,
    /// What Hadoop calls fatal.
    Fatal,
    /// No CapacityScheduler starts with what was written.
    Verification,
    /// An exception that Hadoop's command does not expect.
    Crash,
}

/// Why it ended.
#[derive(Clone, Debug)]
pub struct Ended {
    /// The kind.
    pub kind: Kind,
    /// What Hadoop's command prints; of a crash the exception's message.
    pub message: String,
    /// The exception and its causes, where Hadoop has some.
    pub exceptions: Vec<JavaException>,
    /// What is wrong where in a file.
    pub found: Option<Box<Diagnostic>>,
    /// What would be right, where no file is wrong.
    pub help: Option<String>,
}

impl Ended {
    /// With what Hadoop's command prints before such a message.
    pub(super) fn new(kind: Kind, message: impl Into<String>) -> Ended {
        let before = match kind {
            Kind::Options => "Options parsing failed: ",
            Kind::Precondition => "Cannot start FS config conversion due to the following precondition error: ",
            Kind::Fatal => "Fatal error during FS config conversion: ",
            Kind::Unsupported | Kind::Verification | Kind::Crash => "",
        };
        let message = format!("{before}{}", message.into());
        Ended { kind, message, exceptions: Vec::new(), found: None, help: None }
    }

    pub(super) fn crash(class: &'static str, message: String) -> Ended {
        let exceptions = vec![JavaException::new(class, message.clone())];
        Ended { exceptions, ..Ended::new(Kind::Crash, message) }
    }

    pub(super) fn of(error: &ConvertError) -> Ended {
        let kind = match error.fault {
            ConvertFault::Unsupported => Kind::Unsupported,
            ConvertFault::Fatal => Kind::Fatal,
            ConvertFault::Verification => Kind::Verification,
            ConvertFault::Crash => Kind::Crash,
        };
        let (message, exceptions) = (error.to_string(), error.exceptions.clone());
        Ended { kind, message, exceptions, found: error.found.clone(), help: None }
    }
}

/// What a dry run collects.
#[derive(Clone, Debug, Default)]
pub struct DryRun {
    /// What would have ended it, each once.
    pub errors: BTreeSet<String>,
    /// The warnings, each once.
    pub warnings: BTreeSet<String>,
    /// Whether no CapacityScheduler starts with the result.
    pub verification_failed: bool,
}

/// What came of the command.
#[derive(Clone, Debug, Default)]
pub struct Ran {
    /// Whether the options are to be listed.
    pub help: bool,
    /// Why it ended; of a dry run only what Hadoop's command prints all the same.
    pub ended: Option<Ended>,
    /// Why a dry run ended, which is among its errors.
    pub noted: Option<Ended>,
    /// Whether it failed.
    pub failed: bool,
    /// The converter's warnings, in order.
    pub warnings: Vec<String>,
    /// What FairScheduler logs.
    pub notices: Vec<String>,
    /// What a dry run collected.
    pub dry_run: Option<DryRun>,
    /// What is to be printed: name and content of each file.
    pub console: Vec<(&'static str, String)>,
    /// What changes in meaning.
    pub changes: Vec<Change>,
}

impl Ran {
    pub(super) fn end(&mut self, ended: Ended) {
        self.failed = true;
        match (&mut self.dry_run, ended.kind) {
            (Some(dry_run), Kind::Precondition | Kind::Unsupported | Kind::Fatal) => {
                dry_run.errors.insert(ended.message.clone());
                self.noted = Some(ended);
            }
            (Some(_) | None, _) => self.ended = Some(ended),
        }
    }
}
