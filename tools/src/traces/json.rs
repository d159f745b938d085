//! A sequence of JSON values with the places of all that is in them. One value is in memory at a time.

use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use struson::reader::{JsonReader, JsonStreamReader, ReaderError, ReaderSettings, ValueType};

use super::error::{At, TraceFileError};
use super::source::Source;

/// A value and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Value {
    pub(super) at: At,
    pub(super) kind: Kind,
}

/// What a value is. A number is kept as it is written.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
    Null,
    Flag(bool),
    Number(String),
    Text(String),
    List(Vec<Value>),
    Object(Vec<(String, Value)>),
}

impl Value {
    /// What a value is called.
    pub(super) fn name(&self) -> &'static str {
        match self.kind {
            Kind::Null => "null",
            Kind::Flag(_) => "true or false",
            Kind::Number(_) => "a number",
            Kind::Text(_) => "a text",
            Kind::List(_) => "a list",
            Kind::Object(_) => "an object",
        }
    }
}

/// So deep may values be inside each other.
const DEEPEST: u32 = 100;

/// The values of a source, one after the other.
pub(super) struct Values {
    reader: JsonStreamReader<Box<dyn Read + Send>>,
    name: String,
    /// Bytes that were read since the value began.
    since: Arc<AtomicU64>,
    begun: bool,
    ended: bool,
}

impl Values {
    /// No value may be longer than `most` bytes: it is in memory as a whole.
    pub(super) fn new(source: Source, most: u64) -> Values {
        let settings = ReaderSettings {
            allow_multiple_top_level: true,
            track_path: false,
            max_nesting_depth: Some(DEEPEST),
            restrict_number_values: false,
            ..ReaderSettings::default()
        };
        let since = Arc::new(AtomicU64::new(0));
        let bytes = Measured { inner: source.bytes, begun: false, since: Arc::clone(&since), most };
        let bytes: Box<dyn Read + Send> = Box::new(bytes);
        Values {
            reader: JsonStreamReader::new_custom(bytes, settings),
            name: source.name,
            since,
            begun: false,
            ended: false,
        }
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    fn read(&mut self) -> Result<Option<Value>, ReaderError> {
        // ORDERING: Relaxed. It is read and written by one thread at a time, that of whoever reads the trace.
        self.since.store(0, Ordering::Relaxed);
        // The reader takes the very first value for granted.
        let more =
            if self.begun { self.reader.has_next()? } else { !matches!(self.reader.peek(), Err(ref e) if is_end(e)) };
        self.begun = true;
        if !more {
            return Ok(None);
        }
        read_value(&mut self.reader).map(Some)
    }

    fn failed(&self, error: &ReaderError) -> TraceFileError {
        let mut help = "a trace is one JSON object after the other, without anything between them";
        let (position, problem) = if let ReaderError::SyntaxError(error) = error {
            (Some(&error.location), format!("not JSON: {}", words(&error.kind.to_string())))
        } else if let ReaderError::MaxNestingDepthExceeded { location, .. } = error {
            (Some(location), format!("values are more than {DEEPEST} deep inside each other"))
        } else if let ReaderError::IoError { error, location } = error {
            if error.kind() != std::io::ErrorKind::Other {
                help = "the file is cut or damaged: get it once more";
            }
            (Some(location), error.to_string())
        } else {
            // What is left is a value of another type, which is not asked for.
            (None, error.to_string())
        };
        let at = position
            .and_then(|position| position.line_pos)
            .map_or(At::START, |place| At { line: place.line + 1, column: place.column + 1 });
        TraceFileError::new(&self.name, at, problem, help)
    }
}

/// `UnexpectedCharacter` as words.
fn words(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        if c.is_uppercase() && !out.is_empty() {
            out.push(' ');
        }
        out.extend(c.to_lowercase());
    }
    out
}

fn is_end(error: &ReaderError) -> bool {
    matches!(error, ReaderError::SyntaxError(error) if error.kind == struson::reader::SyntaxErrorKind::IncompleteDocument)
}

fn read_value<R: Read>(reader: &mut JsonStreamReader<R>) -> Result<Value, ReaderError> {
    let kind = reader.peek()?;
    let at = reader
        .current_position(false)
        .line_pos
        .map_or(At::START, |place| At { line: place.line + 1, column: place.column + 1 });
    let kind = match kind {
        ValueType::Null => {
            reader.next_null()?;
            Kind::Null
        }
        ValueType::Boolean => Kind::Flag(reader.next_bool()?),
        ValueType::Number => Kind::Number(reader.next_number_as_string()?),
        ValueType::String => Kind::Text(reader.next_string()?),
        ValueType::Array => {
            reader.begin_array()?;
            let mut list = Vec::new();
            while reader.has_next()? {
                list.push(read_value(reader)?);
            }
            reader.end_array()?;
            Kind::List(list)
        }
        ValueType::Object => {
            reader.begin_object()?;
            let mut members = Vec::new();
            while reader.has_next()? {
                let name = reader.next_name_owned()?;
                members.push((name, read_value(reader)?));
            }
            reader.end_object()?;
            Kind::Object(members)
        }
    };
    Ok(Value { at, kind })
}

impl Iterator for Values {
    type Item = Result<Value, TraceFileError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let read = self.read();
        self.ended = !matches!(read, Ok(Some(_)));
        read.map_err(|error| self.failed(&error)).transpose()
    }
}

/// Bytes without the mark of UTF-8 before them, which some programs write; so many in one go and no more.
struct Measured<R> {
    inner: R,
    begun: bool,
    since: Arc<AtomicU64>,
    most: u64,
}

impl<R: std::io::BufRead> Read for Measured<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if !self.begun {
            self.begun = true;
            if self.inner.fill_buf()?.starts_with(&[0xef, 0xbb, 0xbf]) {
                self.inner.consume(3);
            }
        }
        let length = self.inner.read(buffer)?;
        // ORDERING: Relaxed, as where it is set back.
        let since = self.since.fetch_add(length as u64, Ordering::Relaxed) + length as u64;
        if since > self.most {
            return Err(std::io::Error::other(format!("a value is longer than {} bytes", self.most)));
        }
        Ok(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<Result<Value, String>> {
        let source = Source::new(std::io::Cursor::new(text.as_bytes().to_vec()), "t.json").unwrap();
        Values::new(source, 4000).map(|value| value.map_err(|error| error.to_string())).collect()
    }

    #[test]
    fn values_follow_each_other_and_have_places() {
        let values = read("\u{feff}{\"a\": [1, null]}\n {\"\u{e9}\":  \"x\"}{}");
        let places: Vec<(u64, u64)> = values.iter().flatten().map(|value| (value.at.line, value.at.column)).collect();
        assert_eq!(places, [(1, 1), (2, 2), (2, 13)]);
        let Kind::Object(members) = &values[1].as_ref().unwrap().kind else { panic!("an object") };
        assert_eq!((members[0].0.as_str(), members[0].1.at), ("\u{e9}", At { line: 2, column: 9 }));
        assert!(read("").is_empty() && read(" \n").is_empty());
    }

    #[test]
    fn an_error_ends_them_with_its_place() {
        let values = read("{}\n{\"a\": tru}");
        assert_eq!(values.len(), 2);
        let said = values[1].as_ref().unwrap_err();
        assert!(said.starts_with("t.json:2:7: not JSON: invalid literal; "), "{said}");
        let said = read("{\"a\": 1").remove(0).unwrap_err();
        assert!(said.starts_with("t.json:1:8: not JSON: incomplete document; "), "{said}");
        let long = read(&format!("{{}}\n\"{}\"", "x".repeat(9000))).pop().unwrap().unwrap_err();
        assert!(long.contains("a value is longer than 4000 bytes; "), "{long}");
        let deep = read(&"[".repeat(1000)).remove(0).unwrap_err();
        assert!(deep.contains("more than 100 deep"), "{deep}");
    }
}
