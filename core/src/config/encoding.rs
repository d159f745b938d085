//! From bytes to text, as Java's XML parser does it: a UTF-16 byte order mark decides, then the XML declaration's encoding.
//!
//! Of the encodings that Java knows, the text beyond ASCII is read in UTF-8, UTF-16 and ISO-8859-1 only.

use super::diagnostic::{Place, Places};

/// Bytes that are not in the encoding they should be in.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Undecodable {
    pub(super) at: Place,
    pub(super) problem: &'static str,
}

/// What an encoding's name in an XML declaration means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Charset {
    Utf8,
    Latin1,
    Ascii,
    /// Its first 128 characters are ASCII, the others are not known here.
    BeyondAscii,
    /// Two or four bytes a character, of which a byte order mark would have told.
    Wide,
}

const NAMES: [(Charset, &[&str]); 5] = [
    (Charset::Utf8, &["UTF-8", "UTF8"]),
    (
        Charset::Latin1,
        &["ISO-8859-1", "ISO_8859-1", "ISO8859-1", "ISO8859_1", "ISO-IR-100", "LATIN1", "L1", "CP819", "IBM819"],
    ),
    (Charset::Ascii, &["US-ASCII", "ASCII", "ANSI_X3.4-1968", "ISO646-US", "ISO-IR-6", "CP367", "US", "CSASCII"]),
    (
        Charset::BeyondAscii,
        &[
            "LATIN2",
            "LATIN5",
            "LATIN9",
            "CP1250",
            "CP1252",
            "CP437",
            "IBM437",
            "KOI8-R",
            "KOI8-U",
            "EUC-JP",
            "EUC-KR",
            "SHIFT_JIS",
            "SJIS",
            "ISO-2022-JP",
            "ISO-2022-KR",
            "GB2312",
            "GBK",
            "GB18030",
            "BIG5",
            "TIS-620",
            "MACROMAN",
        ],
    ),
    (Charset::Wide, &["UTF-16", "UTF16", "UTF-16BE", "UTF-16LE", "UTF-32", "UNICODE"]),
];

impl Charset {
    fn of(name: &str) -> Option<Charset> {
        let is = |known: &&str| known.eq_ignore_ascii_case(name);
        if let Some((charset, _)) = NAMES.iter().find(|(_, names)| names.iter().any(is)) {
            return Some(*charset);
        }
        let numbered = |family: &str, numbers: &[&str]| {
            let number = name.get(..family.len()).filter(|head| head.eq_ignore_ascii_case(family))?;
            numbers.contains(&&name[number.len()..]).then_some(Charset::BeyondAscii)
        };
        numbered("ISO-8859-", &["2", "3", "4", "5", "6", "7", "8", "9", "11", "13", "15", "16"])
            .or_else(|| numbered("windows-125", &["0", "1", "2", "3", "4", "5", "6", "7", "8"]))
    }
}

/// Whether an XML declaration may name this encoding.
pub(super) fn is_known(name: &str) -> bool {
    Charset::of(name).is_some()
}

/// Decodes by the byte order mark or the XML declaration. An encoding that is not known is read as UTF-8: the parser will
/// find its name, and can tell the place.
pub(super) fn decode(bytes: &[u8], source_name: &str) -> Result<String, Undecodable> {
    match bytes {
        [0xfe, 0xff, rest @ ..] => return utf16(rest, u16::from_be_bytes, source_name),
        [0xff, 0xfe, rest @ ..] => return utf16(rest, u16::from_le_bytes, source_name),
        _ => {}
    }
    // The declaration counts even after the byte order mark of UTF-8.
    let unmarked = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let undecodable = |good: &[u8], problem| {
        let good = String::from_utf8_lossy(good);
        Err(Undecodable { at: Places::new(source_name, &good).at(good.len()), problem })
    };
    let latin1 = || unmarked.iter().map(|byte| char::from(*byte)).collect();
    let ascii = |problem| match unmarked.iter().position(|byte| !byte.is_ascii()) {
        Some(at) => undecodable(&unmarked[..at], problem),
        None => Ok(latin1()),
    };
    match Charset::of(&declared(unmarked)) {
        Some(Charset::Latin1) => Ok(latin1()),
        Some(Charset::Ascii) => {
            ascii("not ASCII, as its XML declaration says; save the file as UTF-8 and declare that")
        }
        Some(Charset::BeyondAscii) => {
            ascii("beyond ASCII the declared encoding is not known here; save the file as UTF-8 and declare that")
        }
        Some(Charset::Wide) => {
            undecodable(b"", "not in the wide encoding that is declared; save the file as UTF-8 and declare that")
        }
        Some(Charset::Utf8) | None => match std::str::from_utf8(bytes) {
            Ok(text) => Ok(text.to_owned()),
            Err(error) => undecodable(&bytes[..error.valid_up_to()], "not UTF-8; save the file as UTF-8"),
        },
    }
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16, source_name: &str) -> Result<String, Undecodable> {
    let units = bytes.chunks(2).map(|pair| unit([pair[0], pair.get(1).copied().unwrap_or(0)]));
    char::decode_utf16(units).collect::<Result<String, _>>().map_err(|_| Undecodable {
        at: Places::new(source_name, "").at(0),
        problem: "not UTF-16, as its byte order mark says; save the file as UTF-8",
    })
}

/// The encoding that the XML declaration names; empty without one.
fn declared(bytes: &[u8]) -> String {
    let head = &bytes[..bytes.len().min(200)];
    let Some(rest) = head.strip_prefix(b"<?xml") else { return String::new() };
    let declaration = rest.split(|byte| *byte == b'>').next().unwrap_or_default();
    let declaration = String::from_utf8_lossy(declaration);
    let value = declaration.split_once("encoding").map(|(_, value)| value.trim_start_matches([' ', '=']));
    value.and_then(|value| value.split(['"', '\'']).nth(1)).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(encoding: &str, content: &[u8]) -> Result<String, (usize, usize)> {
        let declaration = format!("<?xml version='1.0' encoding = '{encoding}'?>\n");
        let read = decode(&[declaration.as_bytes(), content].concat(), "f.xml");
        read.map(|text| text[declaration.len()..].to_owned()).map_err(|error| (error.at.line, error.at.column))
    }

    #[test]
    fn the_declaration_decides() {
        assert_eq!(text("iso-8859-1", b"<a>\xe9</a>").unwrap(), "<a>\u{e9}</a>");
        assert_eq!(decode(b"\xff\xfea\0", "f").unwrap(), "a");
        let error = decode(b"<a>\n\xe9</a>", "f.xml").unwrap_err();
        assert_eq!((error.at.line, error.at.column), (2, 1));
        let marked = b"\xef\xbb\xbf<?xml version='1.0' encoding='latin1'?>\xe9";
        assert!(decode(marked, "f").unwrap().ends_with('\u{e9}'));
    }

    #[test]
    fn what_is_not_in_the_declared_encoding_is_refused() {
        for name in ["us-ascii", "ISO-8859-15", "windows-1252", "Shift_JIS"] {
            assert_eq!(text(name, b"<a/>").unwrap(), "<a/>", "{name}");
            assert_eq!(text(name, b"<a>\xc3\xa9</a>"), Err((2, 4)), "{name}");
        }
        assert_eq!(text("UTF-16", b"<a/>"), Err((1, 1)));
        assert_eq!(text("bogus", "\u{e9}".as_bytes()).unwrap(), "\u{e9}");
        for unknown in ["bogus", "", "ISO-8859-10", "ISO-8859-", "windows-1259", "UTF-7"] {
            assert!(!is_known(unknown), "{unknown}");
        }
    }
}
