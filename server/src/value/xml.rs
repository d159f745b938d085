//! Writes answers of the REST interface as XML, with quick-xml.

use std::borrow::Cow;

use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesEnd, BytesStart, BytesText, Event};

use super::number::float;
use super::{Object, Value};

/// A whole document.
pub(crate) fn document(root: &'static str, of: &Value) -> String {
    let mut out = Writer::new(Vec::new());
    let declaration = Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), Some("yes")));
    out.write_event(declaration).and_then(|()| element(&mut out, root, of, false)).expect("memory can be written to");
    String::from_utf8(out.into_inner()).expect("texts were written")
}

type Out = Writer<Vec<u8>>;

/// Writes a value as one element, or a list as one element per entry. `typed`: an outer element has declared the
/// namespace `xsi`.
fn element(out: &mut Out, name: &str, of: &Value, typed: bool) -> std::io::Result<()> {
    let text = match of {
        Value::Number(number) => number.to_string(),
        Value::Float(number) => float(*number),
        Value::Flag(flag) => flag.to_string(),
        Value::Text(text) => replace_forbidden(text).into_owned(),
        Value::List(list) => return list.iter().try_for_each(|one| element(out, name, one, typed)),
        Value::Object(object) => return members(out, name, object, typed),
        Value::Shared(shared) => return members(out, name, &shared.object, typed),
    };
    out.write_event(Event::Start(BytesStart::new(name)))?;
    out.write_event(Event::Text(BytesText::new(&text)))?;
    out.write_event(Event::End(BytesEnd::new(name)))
}

/// Writes an object as one element, with its type and its members.
fn members(out: &mut Out, name: &str, of: &Object, typed: bool) -> std::io::Result<()> {
    let mut start = BytesStart::new(name);
    if let Some(kind) = of.kind {
        if !typed {
            start.push_attribute(("xmlns:xsi", "http://www.w3.org/2001/XMLSchema-instance"));
        }
        start.push_attribute(("xsi:type", kind));
    }
    // Nothing would be written inside: `<name/>`, as Hadoop writes it.
    if of.members.iter().all(|(_, value)| value.is_empty_list()) {
        return out.write_event(Event::Empty(start));
    }
    out.write_event(Event::Start(start))?;
    let typed = typed || of.kind.is_some();
    of.members.iter().try_for_each(|(name, value)| element(out, name, value, typed))?;
    out.write_event(Event::End(BytesEnd::new(name)))
}

/// The text with U+FFFD in place of each character that XML does not allow.
fn replace_forbidden(text: &str) -> Cow<'_, str> {
    let is_allowed =
        |c: char| matches!(c, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..);
    if text.chars().all(is_allowed) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().map(|c| if is_allowed(c) { c } else { '\u{fffd}' }).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_in_a_text_is_escaped() {
        let of = Value::from(Object::new().with("name", "</name><script>\"&'\u{1}"));
        let text = document("app", &of);
        assert!(text.contains("<name>&lt;/name&gt;&lt;script&gt;"), "{text}");
        assert!(!text.contains('\u{1}'), "{text}");
    }

    #[test]
    fn types_are_declared_once() {
        let leaf = || Object::of_kind("leaf").with("n", 1);
        let of = Object::of_kind("fair").with("queue", vec![leaf().into(), leaf().into()]).with("none", Object::new());
        let text = document("s", &of.into());
        assert_eq!(text.matches("xmlns:xsi").count(), 1, "{text}");
        assert_eq!(text.matches("xsi:type=\"leaf\"").count(), 2, "{text}");
        assert!(text.ends_with("<none/></s>"), "{text}");
    }
}
