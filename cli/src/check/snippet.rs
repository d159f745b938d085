//! The line that a finding is in, cut to what a screen takes.
//!
//! Places are known, so that nothing is counted from the file's start: a file of one long line costs no more than
//! others.

use evenweave::config::Place;
use evenweave_tools::output;
use miette::{MietteError, MietteSpanContents, SourceCode, SourceSpan, SpanContents};

/// Bytes of a line that are shown whole.
const WHOLE: usize = 160;
/// Bytes shown on either side of a place in a longer line.
const AROUND: usize = 60;

/// A text with one place in it.
#[derive(Debug)]
pub(super) struct Snippet<'a> {
    text: &'a str,
    place: &'a Place,
}

impl<'a> Snippet<'a> {
    /// `text` is shown as it is: see [`as_long`](evenweave_tools::output::as_long).
    pub(super) fn new(text: &'a str, place: &'a Place) -> Snippet<'a> {
        Snippet { text, place }
    }

    /// What to mark: of several lines the first.
    pub(super) fn mark(&self) -> SourceSpan {
        let marked = self.text.get(self.place.offset..self.place.offset + self.place.length).unwrap_or_default();
        let length = marked.find(['\r', '\n']).unwrap_or(marked.len());
        let most = self.boundary(self.place.offset + length.min(WHOLE));
        (self.place.offset, most - self.place.offset).into()
    }

    fn boundary(&self, offset: usize) -> usize {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        offset
    }

    /// The line of the place, without its end.
    fn line(&self) -> (usize, usize) {
        let start = self.text[..self.place.offset].rfind('\n').map_or(0, |at| at + 1);
        let end = self.text[self.place.offset..].find('\n').map_or(self.text.len(), |at| self.place.offset + at);
        (start, end)
    }

    /// The lines from `start` to `end` with one before and one after, as far as they are short.
    fn with_neighbours(&self, start: usize, end: usize) -> (usize, usize, usize) {
        let before = start.checked_sub(1).map(|end| self.text[..end].rfind('\n').map_or(0, |at| at + 1));
        let before = before.filter(|before| start - before <= WHOLE);
        let rest = self.text.get(end + 1..).filter(|rest| !rest.is_empty());
        let after = rest.map(|rest| rest.find('\n').unwrap_or(rest.len())).filter(|length| *length <= WHOLE);
        let first = self.place.line - 1 - usize::from(before.is_some());
        (before.unwrap_or(start), after.map_or(end, |length| end + 1 + length), first)
    }
}

impl SourceCode for Snippet<'_> {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        lines_before: usize,
        _lines_after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let (line, column) = (self.place.line - 1, self.place.column - 1);
        let (start, end) = self.line();
        let (start, end, line, column) = if lines_before == 0 {
            // The place alone, for its line and column.
            (span.offset(), span.offset() + span.len(), line, column)
        } else if end - start > WHOLE {
            let from = self.boundary(self.place.offset.saturating_sub(AROUND).max(start));
            (from, self.boundary((span.offset() + span.len() + AROUND).min(end)), line, 0)
        } else {
            let (start, end, line) = self.with_neighbours(start, end);
            (start, end, line, 0)
        };
        let data = self.text.as_bytes().get(start..end).ok_or(MietteError::OutOfBounds)?;
        let lines = data.iter().filter(|byte| **byte == b'\n').count() + 1;
        let name = output::line(&self.place.source).into_owned();
        let contents = MietteSpanContents::new_named(name, data, (start, end - start).into(), line, column, lines);
        Ok(Box::new(contents))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use evenweave::AllocationFile;
    use evenweave::config::CheckOptions;
    use evenweave::resource::ResourceTypes;

    /// The place of the only finding, and what is shown of the text.
    fn shown(text: &str) -> (String, usize, Vec<String>) {
        let types = ResourceTypes::standard();
        let found = AllocationFile::check(text, "f.xml", &CheckOptions::new(&types)).diagnostics;
        let [found] = found.as_slice() else { panic!("{found:?}") };
        let place = found.at.as_ref().unwrap();
        let snippet = Snippet::new(text, place);
        let mark = snippet.mark();
        let contents = snippet.read_span(&mark, 1, 1).unwrap();
        let lines = String::from_utf8(contents.data().to_vec()).unwrap();
        let marked = text[mark.offset()..mark.offset() + mark.len()].to_owned();
        (marked, contents.line(), lines.lines().map(str::to_owned).collect())
    }

    #[test]
    fn a_line_with_its_neighbours() {
        let (marked, line, lines) = shown("<allocations>\n<odd/>\n</allocations>");
        assert_eq!((marked.as_str(), line), ("odd", 0));
        assert_eq!(lines, ["<allocations>", "<odd/>", "</allocations>"]);
        assert_eq!(shown("<allocations><odd/></allocations>\n").2, ["<allocations><odd/></allocations>"]);
    }

    #[test]
    fn a_long_line_is_cut_around_the_place() {
        let filling = "<!-- \u{e9} -->".repeat(100);
        let (marked, line, lines) = shown(&format!("<allocations>\n{filling}<odd/>{filling}</allocations>"));
        assert_eq!((marked.as_str(), line, lines.len()), ("odd", 1, 1));
        assert!(lines[0].contains("<odd/>") && lines[0].len() < WHOLE, "{lines:?}");
    }

    #[test]
    fn of_a_mark_over_lines_the_first() {
        let text = "<allocations>\n  one\n  two\n</allocations>";
        assert_eq!(shown(text).0, "one");
    }
}
