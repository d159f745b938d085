//! One file: its bytes, what kind it is by its content, what was found in it.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use crate::api::{AllocationFile, CheckOptions, Diagnostic, Place, ResourceTypes, Severity};

/// No configuration is near it; what is never ends.
const MAX_BYTES: u64 = 64 << 20;

/// One thing that was found.
#[derive(Debug)]
pub(super) struct Finding {
    pub(super) severity: Severity,
    pub(super) code: &'static str,
    pub(super) at: Option<Place>,
    pub(super) message: String,
    pub(super) effect: Option<String>,
    pub(super) help: Option<String>,
}

impl From<Diagnostic> for Finding {
    fn from(diagnostic: Diagnostic) -> Finding {
        let Diagnostic { severity, code, at, message, effect, help, .. } = diagnostic;
        Finding { severity, code, at, message, effect, help }
    }
}

/// A file that was checked.
#[derive(Debug)]
pub(super) struct Checked {
    pub(super) name: String,
    /// What its places are in; empty when it could not be read.
    pub(super) text: String,
    /// In the order of their places.
    pub(super) findings: Vec<Finding>,
}

impl Checked {
    pub(super) fn errors(&self) -> usize {
        self.findings.iter().filter(|finding| finding.severity == Severity::Error).count()
    }

    pub(super) fn warnings(&self) -> usize {
        self.findings.len() - self.errors()
    }
}

/// Reads and checks one file.
pub(super) fn check(path: &Path) -> Checked {
    let name = path.display().to_string();
    let bytes = match read(path) {
        Ok(bytes) => bytes,
        Err(problem) => {
            let finding = Finding {
                severity: Severity::Error,
                code: "unreadable-file",
                at: None,
                message: format!("{name}: {problem}"),
                effect: None,
                help: Some("it must be a file that can be read".to_owned()),
            };
            return Checked { name, text: String::new(), findings: vec![finding] };
        }
    };
    let text = match AllocationFile::decode(&bytes, &name) {
        Ok(text) => text,
        Err(error) => {
            let text = String::from_utf8_lossy(&bytes).into_owned();
            return Checked { name, text, findings: vec![error.diagnostic().into()] };
        }
    };
    let types = ResourceTypes::standard();
    let diagnostics = AllocationFile::check(&text, &name, &CheckOptions::new(&types)).diagnostics;
    Checked { name, text, findings: diagnostics.into_iter().map(Finding::from).collect() }
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut bytes));
    match read {
        Err(error) => Err(error.to_string()),
        Ok(_) if bytes.len() as u64 > MAX_BYTES => Err(format!("larger than {} MiB", MAX_BYTES >> 20)),
        Ok(_) => Ok(bytes),
    }
}
