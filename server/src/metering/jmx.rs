//! `/jmx`, as a ResourceManager's servlet chooses and writes beans.

use std::borrow::Cow;

use serde_json::json;

use super::bean::Bean;

/// Those whose name fits the pattern, in which `*` stands for anything; the status with them. A name has a domain, as
/// in JMX.
pub(super) fn text(beans: &[Bean], wanted: &str) -> (u16, String) {
    if !is_name(wanted) {
        return (400, String::new());
    }
    let found: Vec<&Bean> = beans.iter().filter(|bean| has_name(bean, wanted)).collect();
    (200, json!({ "beans": found }).to_string())
}

/// One attribute, asked for by `name::attribute`.
pub(super) fn attribute(beans: &[Bean], asked: &str) -> (u16, String) {
    // As Java splits: parts that are empty at the end are none.
    let mut parts: Vec<&str> = asked.split("::").collect();
    while parts.last().is_some_and(|last| last.is_empty()) {
        parts.pop();
    }
    let [wanted, attribute] = parts.as_slice() else {
        return (400, json!({"result": "ERROR", "message": "query format is not as expected."}).to_string());
    };
    if !is_name(wanted) {
        return (400, String::new());
    }
    let mut found = Vec::new();
    for bean in beans.iter().filter(|bean| has_name(bean, wanted)) {
        let mut one = Bean::new();
        one.insert("name".to_owned(), bean["name"].clone());
        one.insert("modelerType".to_owned(), bean["modelerType"].clone());
        match bean.get(*attribute) {
            Some(value) => {
                one.insert((*attribute).to_owned(), value.clone());
                found.push(one);
            }
            // Hadoop ends its list there.
            None => {
                one.insert("result".to_owned(), "ERROR".into());
                one.insert("message".to_owned(), format!("No attribute with name {attribute} was found.").into());
                found.push(one);
                return (404, json!({ "beans": found }).to_string());
            }
        }
    }
    (200, json!({ "beans": found }).to_string())
}

/// A value in the name of a bean. One that would end the value, or begin another key, is quoted as `ObjectName.quote`
/// does.
pub(super) fn key_value(of: &str) -> Cow<'_, str> {
    if !of.is_empty() && !of.contains([',', '=', ':', '"', '*', '?', '\n']) {
        return Cow::Borrowed(of);
    }
    let mut quoted = String::from('"');
    for letter in of.chars() {
        match letter {
            '"' | '*' | '?' | '\\' => quoted.extend(['\\', letter]),
            '\n' => quoted.push_str("\\n"),
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    Cow::Owned(quoted)
}

/// Whether it is an object's name: a domain, a colon, and keys with values or `*`.
fn is_name(text: &str) -> bool {
    let Some((_, keys)) = text.split_once(':') else { return false };
    keys_of(keys).iter().all(|key| {
        *key == "*" || key.split_once('=').is_some_and(|(name, value)| !name.is_empty() && !value.is_empty())
    })
}

/// The parts between commas; those in quotes part nothing.
fn keys_of(text: &str) -> Vec<&str> {
    let (mut keys, mut from, mut in_quotes, mut escaped) = (Vec::new(), 0, false, false);
    for (at, letter) in text.char_indices() {
        match letter {
            _ if escaped => escaped = false,
            '\\' if in_quotes => escaped = true,
            '"' => in_quotes = !in_quotes,
            ',' if !in_quotes => {
                keys.push(&text[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    keys.push(&text[from..]);
    keys
}

fn has_name(bean: &Bean, wanted: &str) -> bool {
    bean["name"].as_str().is_some_and(|name| fits(name, wanted))
}

fn fits(name: &str, pattern: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = name.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let Some(last) = parts.next_back() else { return rest.is_empty() };
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::{fits, is_name, key_value};

    #[test]
    fn a_pattern_fits_names() {
        let name = "Hadoop:service=ResourceManager,name=QueueMetrics,q0=root,q1=a";
        for pattern in ["*:*", "Hadoop:*", "Hadoop:service=ResourceManager,name=QueueMetrics,*", "*q1=a", name] {
            assert!(fits(name, pattern), "{pattern}");
        }
        for pattern in ["", "Hadoop:service=NameNode,*", "*,q0=root", "Hadoop:service=ResourceManager", "*x*"] {
            assert!(!fits(name, pattern), "{pattern}");
        }
        for (text, is) in
            [("*:*", true), (name, true), ("a:b=c,*", true), ("", false), ("*", false), ("a:b", false), ("a:b=", false)]
        {
            assert_eq!(is_name(text), is, "{text}");
        }
    }
    #[test]
    fn a_value_ends_where_its_quotes_end() {
        for plain in ["ann", "a-b.c", "ann\u{e9}", "a\\b"] {
            assert_eq!(key_value(plain), plain);
        }
        for (hostile, quoted) in [
            ("eve,q1=b", r#""eve,q1=b""#),
            (r#"a"b"#, r#""a\"b""#),
            ("a\nb", r#""a\nb""#),
            ("*", r#""\*""#),
            (r"?\", r#""\?\\""#),
            ("", r#""""#),
        ] {
            assert_eq!(key_value(hostile), quoted);
            assert!(is_name(&format!("Hadoop:service=ResourceManager,name=QueueMetrics,user={quoted}")), "{quoted}");
        }
        assert!(!is_name(r#"a:b="c",d"#));
    }
}
