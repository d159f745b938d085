//! The warnings of one text, with their places.
//!
//! Owned by whoever reads or checks the text; plain data. `findings` bounds them, `diagnostic` says what one is.

use super::diagnostic::{Diagnostic, Places, Span};
use super::findings::Findings;

/// Warnings so far, and the text that their places are in.
#[derive(Debug)]
pub(super) struct Warnings<'a> {
    pub(super) places: Places<'a>,
    findings: Findings,
    /// What is said when there is no room goes here and is forgotten.
    beyond: Diagnostic,
}

impl<'a> Warnings<'a> {
    pub(super) fn new(places: Places<'a>) -> Warnings<'a> {
        let beyond = Diagnostic::warning("too-many-warnings", None, "");
        Warnings { places, findings: Findings::default(), beyond }
    }

    /// Notes a warning down; effect and help can be added to what it gives.
    pub(super) fn warn(&mut self, code: &'static str, at: Span, message: impl Into<String>) -> &mut Diagnostic {
        let places = &self.places;
        let kept = self.findings.push(|| Diagnostic::warning(code, Some(places.span(at)), message));
        kept.unwrap_or(&mut self.beyond)
    }

    /// Whether more would be left out.
    pub(super) fn is_full(&self) -> bool {
        self.findings.is_full()
    }

    pub(super) fn into_list(self) -> Vec<Diagnostic> {
        self.findings.into_vec()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_list_says_so_once_and_takes_no_more() {
        let mut warnings = Warnings::new(Places::new("f", "text"));
        for i in 0..1002 {
            warnings.warn("stray-text", Span::point(0), format!("warning {i}")).help("help");
        }
        let list = warnings.into_list();
        assert_eq!((list.len(), list[999].message.as_str()), (1001, "warning 999"));
        assert_eq!(list[999].help.as_deref(), Some("help"));
        assert_eq!((list[1000].code, list[1000].help.as_deref()), ("too-many-warnings", None));
    }
}
