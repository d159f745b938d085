//! Why a site file cannot be taken.

use crate::diagnostic::{Diagnostic, Place, Severity};

/// Why a site file cannot be taken, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{at}: {problem}")]
#[non_exhaustive]
pub struct SiteFileError {
    /// Where; in an included file, if it is wrong there.
    pub at: Place,
    /// What is wrong.
    pub problem: SiteFileProblem,
}

/// What is wrong with a site file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SiteFileProblem {
    /// The text is not well-formed XML.
    #[error("not well-formed XML: {0}")]
    Malformed(String),
    /// The text goes beyond ASCII in an encoding that Hadoop reads and this crate does not.
    #[error("{0}")]
    UnsupportedEncoding(String),
    /// `xi:include`, and the caller gave no way to read another file.
    #[error("<include href={href:?}> needs another file, and none can be read here; put its properties in its place")]
    IncludeRefused {
        /// The file that it names.
        href: String,
    },
    /// `xi:include` of a file that there is not, without `xi:fallback`.
    #[error("<include href={href:?}>: there is no such file; correct the name, or put an <xi:fallback/> inside")]
    IncludeMissing {
        /// The file that it names.
        href: String,
    },
    /// `xi:include` of a file that cannot be read.
    #[error("<include href={href:?}>: {problem}")]
    IncludeFailed {
        /// The file that it names.
        href: String,
        /// What the caller said.
        problem: String,
    },
    /// Files that include each other, or very many of them.
    #[error("<include href={href:?}>: files include each other more than {depth} deep, or more than {count} in all")]
    IncludeTooDeep {
        /// The file that it names.
        href: String,
        /// How deep they may.
        depth: usize,
        /// How many there may be.
        count: usize,
    },
}

impl SiteFileError {
    /// The same as a diagnostic.
    #[must_use]
    pub fn diagnostic(&self) -> Diagnostic {
        let code = match &self.problem {
            SiteFileProblem::Malformed(_) => "malformed",
            SiteFileProblem::UnsupportedEncoding(_) => "unsupported-encoding",
            SiteFileProblem::IncludeRefused { .. }
            | SiteFileProblem::IncludeMissing { .. }
            | SiteFileProblem::IncludeFailed { .. }
            | SiteFileProblem::IncludeTooDeep { .. } => "include",
        };
        let effect = match &self.problem {
            SiteFileProblem::UnsupportedEncoding(_) => {
                "Hadoop loads the file; this program cannot, and has not looked at what is in it"
            }
            SiteFileProblem::Malformed(_)
            | SiteFileProblem::IncludeRefused { .. }
            | SiteFileProblem::IncludeMissing { .. }
            | SiteFileProblem::IncludeFailed { .. }
            | SiteFileProblem::IncludeTooDeep { .. } => "the file cannot be loaded",
        };
        Diagnostic {
            severity: Severity::Error,
            code,
            at: Some(self.at.clone()),
            message: self.problem.to_string(),
            effect: Some(effect.to_owned()),
            help: None,
        }
    }
}
