//! What a server says, as it may be shown: names in it are chosen by strangers, and a terminal obeys letters that are none.
//!
//! A control character is shown as Rust writes it, `\u{1b}`, and so is one that turns the direction of writing, by which a line reads as
//! another. The end of a line is `\n`: a name that has one makes no line of its own.

use serde_json::Value;

/// Characters that say in which direction is written, and ends of lines and paragraphs that are no control characters.
fn turns(letter: char) -> bool {
    matches!(letter, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn is_shown(letter: char) -> bool {
    !letter.is_control() && !turns(letter)
}

/// A text as one line.
pub(super) fn line(of: &str) -> String {
    if of.chars().all(is_shown) {
        return of.to_owned();
    }
    let mut shown = String::with_capacity(of.len() + 8);
    for letter in of.chars() {
        match is_shown(letter) {
            true => shown.push(letter),
            false => shown.extend(letter.escape_default()),
        }
    }
    shown
}

/// An answer, with all texts and names in it as lines.
pub(super) fn lines(of: Value) -> Value {
    match of {
        Value::String(text) => Value::String(line(&text)),
        Value::Array(values) => values.into_iter().map(lines).collect(),
        Value::Object(members) => members.into_iter().map(|(name, value)| (line(&name), lines(value))).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => of,
    }
}

/// An answer as JSON: the same values, and what is not to be shown is escaped as JSON has it.
pub(super) fn json(of: &Value) -> String {
    let mut shown = String::new();
    // What stands between texts is ASCII: the ends of lines in it are of the layout.
    for letter in format!("{of:#}").chars() {
        match letter {
            letter if letter == '\n' || is_shown(letter) => shown.push(letter),
            letter => {
                let mut units = [0; 2];
                for unit in letter.encode_utf16(&mut units) {
                    shown.push_str(&format!("\\u{unit:04x}"));
                }
            }
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const HOSTILE: &str = "a\u{1b}[2J\u{9b}1m\r\n\tState : FINISHED\u{7f}\u{202e}\u{2028}\u{0}b";

    #[test]
    fn a_text_is_a_line_without_orders_to_a_terminal() {
        assert_eq!(line("root.\u{e9}\u{4e2d} 'x' \"y\" \\"), "root.\u{e9}\u{4e2d} 'x' \"y\" \\");
        let shown = line(HOSTILE);
        assert!(shown.chars().all(is_shown), "{shown:?}");
        assert_eq!(shown, r"a\u{1b}[2J\u{9b}1m\r\n\tState : FINISHED\u{7f}\u{202e}\u{2028}\u{0}b");
        let answer = lines(json!({HOSTILE: [HOSTILE, 1, null, {"a": HOSTILE}]}));
        assert_eq!(answer[&shown], json!([shown, 1, null, {"a": shown}]));
    }

    #[test]
    fn json_has_the_same_values() {
        let answer = json!({HOSTILE: [HOSTILE, {"a": "\u{2067}"}]});
        let shown = super::json(&answer);
        assert!(shown.chars().all(|letter| letter == '\n' || is_shown(letter)), "{shown:?}");
        assert_eq!(serde_json::from_str::<Value>(&shown).expect("JSON"), answer);
    }
}
