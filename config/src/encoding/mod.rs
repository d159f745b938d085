//! From bytes to text, as Java's XML parsers do it: a byte order mark or the first bytes tell how wide a character is,
//! then the XML declaration names the encoding.
//!
//! encoding_rs has the tables. It follows the web, where some names mean more than in Java: `names` says where they
//! part. Bytes without a character are refused in UTF-8, ASCII and an allocation file's UTF-16. Elsewhere Java puts
//! U+FFFD in their place and goes on, and so it is here.

mod names;
mod wide;

use super::diagnostic::{Diagnostic, Place, Places};
use encoding_rs::Encoding;
use names::{Charset, Width, is_wide};
use std::borrow::Cow;
use std::io;

pub(super) use names::{ReadAs, is_known};

/// Bytes that are not in the encoding they should be in.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Undecodable {
    pub(super) at: Place,
    pub(super) problem: String,
    /// Hadoop reads them; it is here that nothing does.
    pub(super) unsupported: bool,
}

/// A text, and what was lost on the way to it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Decoded {
    pub(super) text: String,
    /// The first byte of the text where U+FFFD stands for bytes without a character.
    pub(super) replaced: Option<usize>,
}

/// The mark that stands for bytes without a character.
const REPLACEMENT: char = '\u{fffd}';
const SAVE_AS_UTF8: &str = "save the file as UTF-8 and declare that";
/// `<?xm` in the encodings of IBM's mainframes, which differ in other characters.
const EBCDIC: [u8; 4] = [0x4c, 0x6f, 0xa7, 0x94];

/// Decodes by the byte order mark, the first bytes and the XML declaration. An encoding that is not known is read as
/// UTF-8: the parser will find its name, and can tell the place.
pub(super) fn decode(bytes: &[u8], source_name: &str, read_as: ReadAs) -> Result<Decoded, Undecodable> {
    let file = File { source_name, read_as };
    if let Some((width, rest)) = wide::width_of(bytes, read_as) {
        return file.wide(width, rest);
    }
    if bytes.starts_with(&EBCDIC) {
        let problem = format!("the file is in EBCDIC, which Hadoop reads and this program does not; {SAVE_AS_UTF8}");
        return Err(file.unsupported("", problem));
    }
    // The declaration counts even after the byte order mark of UTF-8.
    let unmarked = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let name = declared(unmarked);
    match Charset::of(&name, read_as) {
        Some(charset) => file.narrow(charset, &name, bytes, unmarked),
        None if name.is_empty() => file.utf8(bytes),
        None if is_wide(&name, read_as) => {
            let problem = format!("the XML declaration names {name}, but the bytes are not in it; {SAVE_AS_UTF8}");
            Err(file.refused("", problem))
        }
        None => Ok(Decoded { text: String::from_utf8_lossy(bytes).into_owned(), replaced: None }),
    }
}

/// JSON as Jackson reads it: UTF-8, UTF-16 or UTF-32, with or without a byte order mark.
///
/// # Errors
/// When the bytes are no text in the encoding that they begin with.
pub fn decode_json(bytes: &[u8]) -> io::Result<String> {
    let wrong = |what: &str| Err(io::Error::new(io::ErrorKind::InvalidData, format!("it is not text in {what}")));
    match wide::width_of_json(bytes) {
        None => {
            let unmarked = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
            std::str::from_utf8(unmarked).map(str::to_owned).or_else(|_| wrong("UTF-8"))
        }
        Some((width, rest)) => match wide::decode(width, rest) {
            (_, Some(_)) if matches!(width, Width::Utf32Little | Width::Utf32Big) => wrong("UTF-32"),
            (text, _) => Ok(text),
        },
    }
}

/// Where Hadoop reads U+FFFD in place of bytes that have no character in the declared encoding, as a warning.
pub(super) fn replaced(bytes: &[u8], source_name: &str, read_as: ReadAs) -> Option<Diagnostic> {
    let Decoded { text, replaced } = decode(bytes, source_name, read_as).ok()?;
    let at = Places::new(source_name, &text).at(replaced?);
    let name = declared(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes));
    let name = if name.is_empty() { "UTF-16" } else { &name };
    let mut warning =
        Diagnostic::warning("replaced-bytes", Some(at), format!("bytes that have no character in {name}"));
    warning
        .effect("Hadoop reads U+FFFD in their place")
        .help("declare the encoding that the file is in, or save it as UTF-8");
    Some(warning)
}

/// The file that is decoded.
struct File<'a> {
    source_name: &'a str,
    read_as: ReadAs,
}

impl File<'_> {
    /// The place is right after what could be read.
    fn undecodable(&self, good: &str, problem: String, unsupported: bool) -> Undecodable {
        let at = Places::new(self.source_name, good).at(good.len());
        Undecodable { at, problem, unsupported }
    }

    fn refused(&self, good: &str, problem: impl Into<String>) -> Undecodable {
        self.undecodable(good, problem.into(), false)
    }

    fn unsupported(&self, good: &str, problem: impl Into<String>) -> Undecodable {
        self.undecodable(good, problem.into(), true)
    }

    /// UTF-16 or UTF-32.
    fn wide(&self, width: Width, bytes: &[u8]) -> Result<Decoded, Undecodable> {
        let name = declared(&wide::ascii_head(width, bytes));
        let is_right = name.is_empty() || width.is_named(&name, self.read_as);
        // The parser tells of a name that nobody knows.
        if !is_right && is_known(&name, self.read_as) {
            let right = width.name();
            let problem = format!("the bytes are {right}, but the XML declaration says {name}; {SAVE_AS_UTF8}");
            return Err(self.refused("", problem));
        }
        let (text, broken) = wide::decode(width, bytes);
        match (broken, self.read_as) {
            (None, _) => Ok(Decoded { text, replaced: None }),
            (Some(at), ReadAs::Allocations) => Err(self
                .refused(&text[..at], format!("not {}, as its first bytes say; save the file as UTF-8", width.name()))),
            (Some(at), ReadAs::Properties) => Ok(Decoded { text, replaced: Some(at) }),
        }
    }

    fn utf8(&self, bytes: &[u8]) -> Result<Decoded, Undecodable> {
        match std::str::from_utf8(bytes) {
            Ok(text) => Ok(Decoded { text: text.to_owned(), replaced: None }),
            Err(error) => {
                let good = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
                Err(self.refused(&good, "not UTF-8; save the file as UTF-8"))
            }
        }
    }

    /// An encoding that has ASCII in it. `bytes` may begin with the byte order mark of UTF-8, `unmarked` does not.
    fn narrow(&self, charset: Charset, name: &str, bytes: &[u8], unmarked: &[u8]) -> Result<Decoded, Undecodable> {
        let whole = |text: String| Ok(Decoded { text, replaced: None });
        let latin1 = |bytes: &[u8]| -> String { bytes.iter().map(|byte| char::from(*byte)).collect() };
        let up_to = |wrong: fn(u8) -> bool| unmarked.iter().position(|byte| wrong(*byte));
        match charset {
            Charset::Utf8 => self.utf8(bytes),
            Charset::Latin1 => whole(latin1(unmarked)),
            Charset::Ascii => match up_to(|byte| !byte.is_ascii()) {
                None => whole(latin1(unmarked)),
                Some(at) => {
                    let problem = format!("not ASCII, as its XML declaration says; {SAVE_AS_UTF8}");
                    Err(self.refused(&latin1(&unmarked[..at]), problem))
                }
            },
            // A shift to other tables is beyond ASCII, too.
            Charset::Elsewhere => match up_to(|byte| !byte.is_ascii() || matches!(byte, 0x0e | 0x0f | 0x1b)) {
                None => whole(latin1(unmarked)),
                Some(at) => {
                    let problem = format!(
                        "beyond ASCII {name} is not read by this program, although Hadoop reads it; {SAVE_AS_UTF8}"
                    );
                    Err(self.unsupported(&latin1(&unmarked[..at]), problem))
                }
            },
            Charset::Kept(encoding) => {
                let (text, broken) = encoding.decode_without_bom_handling(unmarked);
                Ok(replacing(text, |text| text, broken))
            }
            Charset::Windows(encoding) => {
                let (text, _) = encoding.decode_without_bom_handling(unmarked);
                let without = |c| if matches!(c, '\u{80}'..='\u{9f}') { REPLACEMENT } else { c };
                Ok(replacing(text, |text| text.chars().map(without).collect(), true))
            }
            Charset::Iso(encoding) => {
                let (text, _) = encoding.decode_without_bom_handling(unmarked);
                let control = |(c, byte): (char, &u8)| if matches!(byte, 0x80..=0x9f) { char::from(*byte) } else { c };
                Ok(replacing(text, |text| text.chars().zip(unmarked).map(control).collect(), true))
            }
            Charset::Pairs(encoding) => {
                let text = pairs(encoding, unmarked);
                let replaced = text.find(REPLACEMENT);
                Ok(Decoded { text, replaced })
            }
            Charset::Thai => {
                let (text, _) = encoding_rs::WINDOWS_874.decode_without_bom_handling(unmarked);
                let without = |(c, byte): (char, &u8)| if matches!(byte, 0x80..=0x9f) { REPLACEMENT } else { c };
                Ok(replacing(text, |text| text.chars().zip(unmarked).map(without).collect(), true))
            }
        }
    }
}

/// The text as it becomes; `broken`: U+FFFD in it may stand for bytes without a character.
fn replacing(text: Cow<'_, str>, become_: impl FnOnce(String) -> String, broken: bool) -> Decoded {
    let text = become_(text.into_owned());
    let replaced = if broken { text.find(REPLACEMENT) } else { None };
    Decoded { text, replaced }
}

/// ASCII, and characters of two bytes from 0xA1 on.
fn pairs(encoding: &'static Encoding, bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    let mut rest = bytes;
    while let [first, after @ ..] = rest {
        rest = after;
        match (first, after) {
            (0..0x80, _) => text.push(char::from(*first)),
            (0xa1..=0xfe, [second @ 0xa1..=0xfe, after @ ..]) => {
                rest = after;
                text.push_str(&encoding.decode_without_bom_handling(&[*first, *second]).0);
            }
            _ => text.push(REPLACEMENT),
        }
    }
    text
}

/// The encoding that the XML declaration names; empty without one.
fn declared(bytes: &[u8]) -> String {
    let head = &bytes[..bytes.len().min(200)];
    let Some(rest) = head.strip_prefix(b"<?xml") else { return String::new() };
    let declaration = rest.split(|byte| *byte == b'>').next().unwrap_or_default();
    let declaration = String::from_utf8_lossy(declaration);
    let space = [' ', '\t', '\r', '\n', '='];
    let value = declaration.split_once("encoding").map(|(_, value)| value.trim_start_matches(space));
    value.and_then(|value| value.split(['"', '\'']).nth(1)).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests;
