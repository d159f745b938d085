//! What a file says, as it stands in messages: on one line, in quotes, and never longer than anybody reads.

use std::borrow::Cow;

/// So many characters are shown of a text at most.
const LONGEST: usize = 200;

/// The text, or its beginning and `…`.
pub(super) fn shortened(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

/// The same in quotes, with line ends and other invisible characters written out.
pub(super) fn shown(text: &str) -> String {
    format!("{:?}", shortened(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_cut_at_a_character() {
        assert_eq!(shortened(&"\u{e9}".repeat(LONGEST)), "\u{e9}".repeat(LONGEST));
        assert_eq!(shortened(&"\u{e9}".repeat(LONGEST + 1)), format!("{}…", "\u{e9}".repeat(LONGEST)));
        assert_eq!(shown("a\n\"b\""), r#""a\n\"b\"""#);
    }
}
