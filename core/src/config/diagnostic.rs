//! Diagnostics: what is wrong or odd in a configuration, where, what comes of it, what to write instead.
//!
//! Pure data, made by whoever reads a file and shown by whoever called: the readers print nothing.

use super::shown::one_line;
use std::cell::Cell;
use std::fmt;
use std::ops::Range;

/// A place in a file: name, line and column, both counted from 1, the column in characters; and the bytes it covers.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Place {
    /// The file's name as it was given.
    pub source: String,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// The byte of the text at which it begins.
    pub offset: usize,
    /// The bytes to be marked; 0 for a point.
    pub length: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.source, self.line, self.column)
    }
}

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Severity {
    /// Hadoop refuses the file.
    Error,
    /// Hadoop takes the file, but this was hardly meant.
    Warning,
}

/// One thing that is wrong or odd.
///
/// It prints on one line: place, message, effect and help.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// A short stable name of its kind, such as `unknown-element`; `docs/configuration.md` lists them.
    pub code: &'static str,
    /// Where it stands, when it came from a file.
    pub at: Option<Place>,
    /// What is wrong.
    pub message: String,
    /// What Hadoop, and so this scheduler, does with it.
    pub effect: Option<String>,
    /// What to write instead.
    pub help: Option<String>,
}

impl Diagnostic {
    pub(super) fn warning(code: &'static str, at: Option<Place>, message: impl Into<String>) -> Diagnostic {
        let message = one_line(message.into());
        Diagnostic { severity: Severity::Warning, code, at, message, effect: None, help: None }
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(at) = &self.at {
            write!(f, "{at}: ")?;
        }
        f.write_str(&self.message)?;
        [&self.effect, &self.help].into_iter().flatten().try_for_each(|more| write!(f, "; {}", one_line(more.clone())))
    }
}

/// Turns byte offsets into places.
#[derive(Debug)]
pub(super) struct Places<'a> {
    source: &'a str,
    text: &'a str,
    lines: Vec<usize>,
    /// A byte and the characters before it on its line, as last asked for: on however long a line, places near each other
    /// cost what lies between them.
    last: Cell<(usize, usize)>,
}

impl<'a> Places<'a> {
    pub(super) fn new(source: &'a str, text: &'a str) -> Places<'a> {
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
        Places { source, text, lines: std::iter::once(0).chain(ends).collect(), last: Cell::new((0, 0)) }
    }

    /// The point at a byte.
    pub(super) fn at(&self, offset: usize) -> Place {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.lines.partition_point(|start| *start <= offset);
        let start = self.lines.get(line.saturating_sub(1)).copied().unwrap_or(0);
        let end = self.lines.get(line).copied().unwrap_or(usize::MAX);
        let here = Some(self.last.get()).filter(|(known, _)| (start..end).contains(known));
        let (known, before) = here.unwrap_or((start, 0));
        let characters = |bytes: Range<usize>| self.text[bytes].chars().count();
        let before = match known <= offset {
            true => before + characters(known..offset),
            // Further down, or on this line but behind.
            false if offset - start < known - offset => characters(start..offset),
            false => before - characters(offset..known),
        };
        self.last.set((offset, before));
        Place { source: self.source.to_owned(), line, column: before + 1, offset, length: 0 }
    }

    /// Where some bytes stand, white space at their ends left out.
    pub(super) fn span(&self, bytes: Range<usize>) -> Place {
        let text = self.text.get(bytes.clone()).unwrap_or_default();
        let start = bytes.start + text.len() - text.trim_start().len();
        Place { length: text.trim().len(), ..self.at(start) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters() {
        let places = Places::new("f.xml", "ab\n\u{e9}\u{e9}<x>");
        assert_eq!(places.at(7).to_string(), "f.xml:2:3");
        assert_eq!(places.at(0).to_string(), "f.xml:1:1");
        assert_eq!(places.at(999).to_string(), "f.xml:2:6");
        assert_eq!(places.at(5).to_string(), "f.xml:2:2");
        assert_eq!(places.at(8).to_string(), "f.xml:2:4");
        assert_eq!(places.at(1).to_string(), "f.xml:1:2");
        assert_eq!(places.at(2).to_string(), "f.xml:1:3");
        assert_eq!(places.at(0).to_string(), "f.xml:1:1");
    }

    #[test]
    fn a_diagnostic_prints_on_one_line() {
        let at = Places::new("f.xml", "<a>").at(0);
        let mut odd = Diagnostic::warning("odd", Some(at), "this is odd");
        assert_eq!(odd.to_string(), "f.xml:1:1: this is odd");
        odd.help = Some("do not".to_owned());
        assert_eq!(odd.to_string(), "f.xml:1:1: this is odd; do not");
    }
}
