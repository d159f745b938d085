//! What a server says, as it may be shown: names in it are chosen by strangers.

use evenweave_tools::output::line;
use serde_json::Value;

/// An answer, with all texts and names in it as lines.
pub(super) fn lines(of: Value) -> Value {
    match of {
        Value::String(text) => Value::String(line(&text).into_owned()),
        Value::Array(values) => values.into_iter().map(lines).collect(),
        Value::Object(members) => {
            members.into_iter().map(|(name, value)| (line(&name).into_owned(), lines(value))).collect()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => of,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn texts_and_names_are_lines() {
        let hostile = "a\u{1b}[2J\n\u{202e}b";
        let shown = r"a\u{1b}[2J\n\u{202e}b";
        assert_eq!(
            lines(json!({hostile: [hostile, 1, null, {"a": hostile}]})),
            json!({shown: [shown, 1, null, {"a": shown}]})
        );
    }
}
