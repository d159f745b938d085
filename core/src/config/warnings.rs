//! The warnings of one reading or checking, bounded.
//!
//! Owned by whoever reads a text; plain data. `diagnostic` says what a warning is.

use super::diagnostic::{Diagnostic, Places, Span};

/// More than anybody reads; a hostile file is not to make millions.
const MAX_WARNINGS: usize = 1000;

/// Warnings so far, and the text that their places are in.
#[derive(Debug)]
pub(super) struct Warnings<'a> {
    pub(super) places: Places<'a>,
    list: Vec<Diagnostic>,
    /// What is said when the list is full goes here and is forgotten.
    beyond: Diagnostic,
}

impl<'a> Warnings<'a> {
    pub(super) fn new(places: Places<'a>) -> Warnings<'a> {
        let message = format!("more than {MAX_WARNINGS} warnings; those found from here on are left out");
        Warnings { places, list: Vec::new(), beyond: Diagnostic::warning("too-many-warnings", None, message) }
    }

    /// Notes a warning down; effect and help can be added to what it gives.
    pub(super) fn warn(&mut self, code: &'static str, at: Span, message: impl Into<String>) -> &mut Diagnostic {
        if self.is_full() {
            return &mut self.beyond;
        }
        let at = self.places.span(at);
        let full = self.list.len() == MAX_WARNINGS;
        self.list.push(if full {
            Diagnostic { at: Some(at), ..self.beyond.clone() }
        } else {
            Diagnostic::warning(code, Some(at), message)
        });
        match self.list.last_mut() {
            Some(last) if !full => last,
            _ => &mut self.beyond,
        }
    }

    /// Whether more would be left out. What is dear to find out need not be found out then.
    pub(super) fn is_full(&self) -> bool {
        self.list.len() > MAX_WARNINGS
    }

    pub(super) fn into_list(self) -> Vec<Diagnostic> {
        self.list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_list_says_so_once_and_takes_no_more() {
        let mut warnings = Warnings::new(Places::new("f", "text"));
        for i in 0..MAX_WARNINGS + 2 {
            warnings.warn("stray-text", Span::point(0), format!("warning {i}")).help("help");
        }
        let list = warnings.into_list();
        assert_eq!(list.len(), MAX_WARNINGS + 1);
        assert_eq!(list[MAX_WARNINGS - 1].message, "warning 999");
        let last = &list[MAX_WARNINGS];
        assert_eq!((last.code, last.help.as_deref()), ("too-many-warnings", None));
        assert!(last.to_string().starts_with("f:1:1: more than 1000 warnings"));
    }
}
