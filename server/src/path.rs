//! Paths as Hadoop's web server reads them, whatever bytes somebody has written.

use std::borrow::Cow;

use percent_encoding::{NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// A path in which all that is escaped is UTF-8: Hadoop takes bytes that are none for U+FFFD. `None`: it takes no such
/// path, in which a `%` is not followed by two digits.
pub(crate) fn readable(path: &str) -> Option<Cow<'_, str>> {
    let is_escape = |rest: &str| rest.len() >= 2 && rest.bytes().take(2).all(|digit| digit.is_ascii_hexdigit());
    if !path.split('%').skip(1).all(is_escape) {
        return None;
    }
    if percent_decode_str(path).decode_utf8().is_ok() {
        return Some(path.into());
    }
    let parts = path.split('/').map(|part| match percent_decode_str(part).decode_utf8_lossy() {
        Cow::Borrowed(_) => part.to_owned(),
        Cow::Owned(letters) => utf8_percent_encode(&letters, NON_ALPHANUMERIC).to_string(),
    });
    Some(parts.collect::<Vec<_>>().join("/").into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_no_letters_are_one_that_stands_for_them() {
        for (path, shown) in [
            ("/apps/a", Some("/apps/a")),
            ("/apps/%c3%a9%2f", Some("/apps/%c3%a9%2f")),
            ("/a%2fb/%ff/c%2F", Some("/a%2Fb/%EF%BF%BD/c%2F")),
            ("/a%2f%ff/c", Some("/a%2F%EF%BF%BD/c")),
            ("/%c3%28", Some("/%EF%BF%BD%28")),
            ("/%c3(", Some("/%EF%BF%BD%28")),
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
