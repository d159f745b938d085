//! Where in a file something stands, and warnings that carry it.

use std::fmt;

/// A place in a file: name, line and column, both counted from 1; the column in characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file's name as it was given.
    pub source: String,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.source, self.line, self.column)
    }
}

/// Something in a file that was accepted, as Hadoop accepts it, but hardly meant.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{at}: {message}")]
#[non_exhaustive]
pub struct ConfigWarning {
    /// Where it stands.
    pub at: Place,
    /// What is odd, what happens, what would be right.
    pub message: String,
}

/// Turns byte offsets into places.
#[derive(Debug)]
pub(super) struct Places<'a> {
    source: &'a str,
    text: &'a str,
    lines: Vec<usize>,
}

impl<'a> Places<'a> {
    pub(super) fn new(source: &'a str, text: &'a str) -> Places<'a> {
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
        Places { source, text, lines: std::iter::once(0).chain(ends).collect() }
    }

    pub(super) fn at(&self, offset: usize) -> Place {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.lines.partition_point(|start| *start <= offset);
        let start = self.lines.get(line.saturating_sub(1)).copied().unwrap_or(0);
        let column = self.text[start..offset].chars().count() + 1;
        Place { source: self.source.to_owned(), line, column }
    }

    pub(super) fn warning(&self, offset: usize, message: String) -> ConfigWarning {
        ConfigWarning { at: self.at(offset), message }
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
    }
}
