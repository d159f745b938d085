//! From bytes to text, as an XML parser does it.

use super::diagnostic::{Place, Places};

/// Bytes that are not in the encoding they should be in.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Undecodable {
    pub(super) at: Place,
    pub(super) problem: &'static str,
}

/// Decodes by the byte order mark or the XML declaration: UTF-8, UTF-16, ISO-8859-1 or ASCII.
pub(super) fn decode(bytes: &[u8], source_name: &str) -> Result<String, Undecodable> {
    match bytes {
        [0xfe, 0xff, rest @ ..] => utf16(rest, u16::from_be_bytes, source_name),
        [0xff, 0xfe, rest @ ..] => utf16(rest, u16::from_le_bytes, source_name),
        _ if is_latin1(bytes) => Ok(bytes.iter().map(|byte| char::from(*byte)).collect()),
        _ => std::str::from_utf8(bytes).map(str::to_owned).map_err(|error| {
            let good = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
            let at = Places::new(source_name, &good).at(good.len());
            Undecodable { at, problem: "not UTF-8; save the file as UTF-8" }
        }),
    }
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16, source_name: &str) -> Result<String, Undecodable> {
    let units = bytes.chunks(2).map(|pair| unit([pair[0], pair.get(1).copied().unwrap_or(0)]));
    char::decode_utf16(units).collect::<Result<String, _>>().map_err(|_| Undecodable {
        at: Places::new(source_name, "").at(0),
        problem: "not UTF-16, as its byte order mark says; save the file as UTF-8",
    })
}

/// Whether the XML declaration names ISO-8859-1.
fn is_latin1(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(200)];
    let Some(rest) = head.strip_prefix(b"<?xml") else { return false };
    let declaration = rest.split(|byte| *byte == b'>').next().unwrap_or_default();
    let declaration = String::from_utf8_lossy(declaration);
    let value = declaration.split_once("encoding").map(|(_, value)| value.trim_start_matches([' ', '=']));
    let quoted = value.and_then(|value| value.split(['"', '\'']).nth(1)).unwrap_or_default();
    ["ISO-8859-1", "LATIN1"].iter().any(|name| name.eq_ignore_ascii_case(quoted))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_declaration_decides() {
        let latin = b"<?xml version='1.0' encoding = 'iso-8859-1'?><a>\xe9</a>";
        assert!(decode(latin, "f").unwrap().ends_with("<a>\u{e9}</a>"));
        assert_eq!(decode(b"\xff\xfea\0", "f").unwrap(), "a");
        let error = decode(b"<a>\n\xe9</a>", "f.xml").unwrap_err();
        assert_eq!((error.at.line, error.at.column), (2, 1));
    }
}
