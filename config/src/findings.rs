//! What was found, bounded: one list of diagnostics of a reading.

use super::diagnostic::Diagnostic;

/// More than anybody reads; a hostile file is not to make millions.
const MAX_FINDINGS: usize = 1000;

/// What there is to say of a file, up to a bound.
#[derive(Debug, Default)]
pub(super) struct Findings(Vec<Diagnostic>);

impl Findings {
    /// Adds one, which is made only if there is room for it, and gives it.
    pub(super) fn push(&mut self, make: impl FnOnce() -> Diagnostic) -> Option<&mut Diagnostic> {
        if self.0.len() < MAX_FINDINGS {
            self.0.push(make());
            return self.0.last_mut();
        }
        if !self.is_full() {
            let message = format!("more than {MAX_FINDINGS} warnings; those found later are left out");
            self.0.push(Diagnostic::warning("too-many-warnings", None, message));
        }
        None
    }

    /// Whether more would be left out. What is dear to find out need not be found out then.
    pub(super) fn is_full(&self) -> bool {
        self.0.len() > MAX_FINDINGS
    }

    pub(super) fn into_vec(self) -> Vec<Diagnostic> {
        self.0
    }
}
