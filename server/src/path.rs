//! Paths as Hadoop's web server reads them, whatever bytes somebody has written.

use std::borrow::Cow;

/// What stands for bytes that are no UTF-8: U+FFFD.
const NO_LETTER: &str = "%EF%BF%BD";

/// The bytes that a path stands for, each with how it is written; `None`: a `%` is not followed by two digits.
fn parts(path: &str) -> Option<Vec<(u8, &str)>> {
    let mut parts = Vec::with_capacity(path.len());
    let (bytes, mut at) = (path.as_bytes(), 0);
    while let Some(byte) = bytes.get(at) {
        let length = if *byte == b'%' { 3 } else { 1 };
        let written = path.get(at..at + length)?;
        let stands_for = match written.strip_prefix('%') {
            Some(digits) if digits.bytes().all(|digit| digit.is_ascii_hexdigit()) => {
                u8::from_str_radix(digits, 16).ok()?
            }
            Some(_) => return None,
            None => *byte,
        };
        parts.push((stands_for, written));
        at += length;
    }
    Some(parts)
}

/// A path in which all that is escaped is UTF-8: Hadoop takes bytes that are none for U+FFFD. `None`: it takes no such path.
pub(crate) fn readable(path: &str) -> Option<Cow<'_, str>> {
    if !path.contains('%') {
        return Some(path.into());
    }
    let parts = parts(path)?;
    let bytes: Vec<u8> = parts.iter().map(|(byte, _)| *byte).collect();
    if std::str::from_utf8(&bytes).is_ok() {
        return Some(path.into());
    }
    let (mut readable, mut at) = (String::with_capacity(path.len()), 0);
    for chunk in bytes.utf8_chunks() {
        let end = at + chunk.valid().len();
        readable.extend(parts[at..end].iter().map(|(_, written)| *written));
        at = end + chunk.invalid().len();
        if !chunk.invalid().is_empty() {
            readable.push_str(NO_LETTER);
        }
    }
    Some(readable.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_no_letters_are_one_that_stands_for_them() {
        for (path, shown) in [
            ("/apps/a", Some("/apps/a")),
            ("/apps/%c3%a9%2f", Some("/apps/%c3%a9%2f")),
            ("/a%2fb/%ff/c%2F", Some("/a%2fb/%EF%BF%BD/c%2F")),
            ("/%c3%28", Some("/%EF%BF%BD%28")),
            ("/%c3(", Some("/%EF%BF%BD(")),
            ("/%e2%82", Some("/%EF%BF%BD")),
            ("/%zz", None),
            ("/%", None),
            ("/%a", None),
            ("/%+1", None),
        ] {
            assert_eq!(readable(path).as_deref(), shown, "{path}");
        }
    }
}
