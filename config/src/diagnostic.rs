//! Diagnostics: what is wrong or odd in a configuration, where, what comes of it, what to write instead.
//!
//! Pure data, made by whoever reads a file and shown by whoever called: the readers print nothing.

use super::java;
use super::quoted::one_line;
use std::cell::OnceCell;
use std::fmt;
use std::sync::Arc;

/// A place in a file: name, line and column, both counted from 1, the column in characters; and the bytes it covers.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Place {
    /// The file's name as it was given.
    #[cfg_attr(feature = "serde", serde(serialize_with = "shared_text"))]
    pub source: Arc<str>,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// The byte of the text at which it begins.
    pub offset: usize,
    /// The bytes to be marked; 0 for a point.
    pub length: usize,
}

/// `serde` serialises an `Arc` only with a feature that others would get with it.
#[cfg(feature = "serde")]
fn shared_text<S: serde::Serializer>(text: &Arc<str>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(text)
}

impl Place {
    #[doc(hidden)]
    #[must_use]
    pub fn new(source: &str, line: usize, column: usize, offset: usize, length: usize) -> Place {
        Place { source: source.into(), line, column, offset, length }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.source, self.line, self.column)
    }
}

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub enum Severity {
    /// Hadoop refuses the file.
    Error,
    /// Hadoop takes the file, but this is probably a mistake.
    Warning,
}

/// One thing that is wrong or odd.
///
/// It prints on one line: place, message, effect and help.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// A short stable name of its kind, such as `unknown-element`.
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

    pub(super) fn error(code: &'static str, at: Option<Place>, message: impl Into<String>) -> Diagnostic {
        Diagnostic { severity: Severity::Error, ..Diagnostic::warning(code, at, message) }
    }

    /// What Hadoop does with it.
    pub(super) fn effect(&mut self, effect: impl Into<String>) -> &mut Diagnostic {
        self.effect = Some(effect.into());
        self
    }

    /// What to write instead.
    pub(super) fn help(&mut self, help: impl Into<String>) -> &mut Diagnostic {
        self.help = Some(help.into());
        self
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

/// Bytes of a text: where they begin and how many they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) offset: usize,
    pub(super) length: usize,
}

impl Span {
    pub(super) fn new(offset: usize, length: usize) -> Span {
        Span { offset, length }
    }

    pub(super) fn point(offset: usize) -> Span {
        Span { offset, length: 0 }
    }

    fn end(self) -> usize {
        self.offset.saturating_add(self.length)
    }

    /// From the start of this to the end of the other.
    pub(super) fn to(self, other: Span) -> Span {
        Span { offset: self.offset, length: other.end().saturating_sub(self.offset) }
    }
}

/// Every so many bytes the characters before are noted down, so that a place in a long line is found without counting
/// it.
const STRIDE: usize = 1024;

/// Turns byte offsets into places.
#[derive(Debug)]
pub(super) struct Places<'a> {
    source: Arc<str>,
    text: &'a str,
    /// Most files have nothing wrong, and then nobody asks.
    index: OnceCell<Index>,
}

/// What finding a place in a long text needs.
#[derive(Debug)]
struct Index {
    /// Where each line begins.
    lines: Vec<usize>,
    /// The characters that begin before each multiple of `STRIDE`.
    characters: Vec<usize>,
}

impl Index {
    fn new(text: &str) -> Index {
        let ends = text.match_indices('\n').map(|(at, _)| at + 1);
        let mut before = 0;
        let characters = text.as_bytes().chunks(STRIDE).map(|chunk| {
            let here = before;
            before += starts_in(chunk);
            here
        });
        Index { lines: std::iter::once(0).chain(ends).collect(), characters: characters.collect() }
    }
}

impl<'a> Places<'a> {
    pub(super) fn new(source: &str, text: &'a str) -> Places<'a> {
        Places { source: source.into(), text, index: OnceCell::new() }
    }

    fn index(&self) -> &Index {
        self.index.get_or_init(|| Index::new(self.text))
    }

    /// The point at a byte.
    pub(super) fn at(&self, offset: usize) -> Place {
        self.span(Span::point(offset))
    }

    /// The place that covers these bytes; what goes beyond the text is cut off.
    pub(super) fn span(&self, span: Span) -> Place {
        let (offset, end) = (self.boundary(span.offset), self.boundary(span.end()));
        let lines = &self.index().lines;
        let line = lines.partition_point(|start| *start <= offset);
        let start = lines.get(line.saturating_sub(1)).copied().unwrap_or(0);
        let before = match offset - start {
            0..STRIDE => starts_in(&self.text.as_bytes()[start..offset]),
            _ => self.characters_before(offset) - self.characters_before(start),
        };
        let column = before + 1;
        Place { source: self.source.clone(), line, column, offset, length: end - offset }
    }

    /// What stands there.
    pub(super) fn text(&self, span: Span) -> &'a str {
        &self.text[self.boundary(span.offset)..self.boundary(span.end())]
    }

    /// The same bytes without white space at their ends; all of them when there is nothing else.
    pub(super) fn trimmed(&self, span: Span) -> Span {
        let text = self.text(span);
        match java::trim(text).len() {
            0 => span,
            length => Span::new(span.offset + text.len() - text.trim_start_matches(|c| c <= ' ').len(), length),
        }
    }

    fn boundary(&self, offset: usize) -> usize {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        offset
    }

    fn characters_before(&self, offset: usize) -> usize {
        // At the very end of the text the block may be one that has no bytes.
        let characters = &self.index().characters;
        let block = (offset / STRIDE).min(characters.len().saturating_sub(1));
        let before = characters.get(block).copied().unwrap_or(0);
        before + starts_in(&self.text.as_bytes()[block * STRIDE..offset])
    }
}

/// How many characters begin in these bytes of UTF-8.
fn starts_in(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte & 0xc0 != 0x80).count()
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
    }

    #[test]
    fn columns_in_a_long_line_count_from_its_start() {
        let text = format!("{}\n{}x", "\u{20ac}".repeat(5000), "\u{e9}".repeat(3000));
        let places = Places::new("f.xml", &text);
        for (offset, expected) in [(0, (1, 1)), (3072, (1, 1025)), (15_000, (1, 5001)), (text.len() - 1, (2, 3001))] {
            let place = places.at(offset);
            assert_eq!((place.line, place.column), expected, "at {offset}");
        }
        // A multiple of the stride as length: the last block is empty.
        let text = "x".repeat(2 * STRIDE);
        assert_eq!(Places::new("f.xml", &text).at(2 * STRIDE).column, 2 * STRIDE + 1);
    }

    #[test]
    fn a_span_stays_within_the_text() {
        let places = Places::new("f.xml", "a\u{e9}c");
        let place = places.span(Span::new(1, 2));
        assert_eq!((place.offset, place.length), (1, 2));
        assert_eq!(places.span(Span::new(3, usize::MAX)).length, 1);
        assert_eq!(places.text(Span::new(1, 2)), "\u{e9}");
        let places = Places::new("f.xml", " a b\n\t");
        assert_eq!(places.trimmed(Span::new(0, 6)), Span::new(1, 3));
        assert_eq!(places.trimmed(Span::new(4, 2)), Span::new(4, 2));
        assert_eq!(Span::new(2, 1).to(Span::new(5, 3)), Span::new(2, 6));
    }

    #[test]
    fn a_diagnostic_prints_on_one_line() {
        let at = Places::new("f.xml", "<a>").at(0);
        let mut odd = Diagnostic::warning("stray-text", Some(at), "this is odd");
        assert_eq!(odd.to_string(), "f.xml:1:1: this is odd");
        odd.help("do not").effect("it is ignored");
        assert_eq!(odd.to_string(), "f.xml:1:1: this is odd; it is ignored; do not");
    }
}
