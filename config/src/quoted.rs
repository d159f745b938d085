//! What a file says, as it stands in messages: on one line, in quotes, and never longer than anybody reads.

use super::type_order::types_in_order;
use evenweave_resource::{Resource, ResourceTypes};
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

/// `Resource.toString`: cores as far as they fit into 32 bits, and of the other types those of which there is some.
#[must_use]
pub fn resource_text(types: &ResourceTypes, amounts: &Resource) -> String {
    let cores = amounts.vcores().clamp(i32::MIN.into(), i32::MAX.into());
    let others = types_in_order(types).into_iter().skip(2).filter(|index| amounts.get(*index) != 0);
    let others: Vec<String> =
        others.map(|index| format!(", {}: {}{}", types.name(index), amounts.get(index), types.unit(index))).collect();
    format!("<memory:{}, vCores:{cores}{}>", amounts.memory_mb(), others.concat())
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
    fn amounts_are_shown_in_the_order_of_hadoops_types() {
        let types = ResourceTypes::with_custom([("gpu", ""), ("fpga", ""), ("yarn.io/gpu", "G")]).expect("a few types");
        let amounts = Resource::new(1 << 40, 1 << 40).with(2, 1).with(4, 3);
        let shown = "<memory:1099511627776, vCores:2147483647, yarn.io/gpu: 3G, gpu: 1>";
        assert_eq!(resource_text(&types, &amounts), shown);
    }

    #[test]
    fn line_ends_do_not_end_a_message() {
        assert_eq!(one_line("\u{e9} is \"b\"".to_owned()), "\u{e9} is \"b\"");
        assert_eq!(one_line("a\r\n\u{85}b is".to_owned()), "a\\r\\n\\u{85}b is");
    }
}
