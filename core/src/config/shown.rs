//! What a file says, as it stands in messages: on one line, in quotes, and never longer than anybody reads.

use crate::resource::{Resource, ResourceTypes};
use std::borrow::Cow;
use std::fmt::Write as _;

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

/// A message with a name in it that is not in quotes: line ends and the like are written out.
pub(super) fn one_line(message: String) -> String {
    if !message.contains(char::is_control) {
        return message;
    }
    message.chars().fold(String::new(), |mut line, c| {
        if c.is_control() {
            line.extend(c.escape_default())
        } else {
            line.push(c)
        }
        line
    })
}

/// A resource as Hadoop prints it, custom types by name where not zero.
pub(super) fn resource_text(types: &ResourceTypes, amounts: &Resource) -> String {
    let mut text = format!("<memory:{}, vCores:{}", amounts.memory_mb(), amounts.vcores());
    for index in (2..types.len()).filter(|index| amounts.get(*index) != 0) {
        let written = write!(text, ", {}: {}{}", types.name(index), amounts.get(index), types.unit(index));
        written.expect("writing into a text does not fail");
    }
    text.push('>');
    text
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

    #[test]
    fn line_ends_do_not_end_a_message() {
        assert_eq!(one_line("\u{e9} is \"b\"".to_owned()), "\u{e9} is \"b\"");
        assert_eq!(one_line("a\r\n\u{85}b is".to_owned()), "a\\r\\n\\u{85}b is");
    }
}
