//! Bodies of requests: an object with a few members that are texts, in JSON or XML. One within another has a name with a dot, `a.b`.

use std::collections::HashMap;

use quick_xml::events::Event;
use quick_xml::{Reader, XmlVersion};
use serde_json::Value;

use super::asked::Asked;
use super::errors::Fault;
use super::format::Format;

/// The members that are texts or numbers, by name.
pub(crate) type Members = HashMap<String, String>;

/// Reads the body, whose root has a name in XML.
///
/// # Errors
/// A body that is of another kind, or nothing.
pub(crate) fn members(asked: &Asked, root: &str) -> Result<Members, Fault> {
    match asked.content {
        None => Err(Fault::not_supported()),
        Some(Format::Json) => from_json(&asked.body, root),
        Some(Format::Xml) => from_xml(&asked.body, root),
    }
}

/// A scalar as text.
fn text(of: &Value) -> Option<String> {
    match of {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// The scalars, and those one level below.
fn take(found: &mut Members, above: &str, members: impl IntoIterator<Item = (String, Value)>) {
    for (name, value) in members {
        if let (Value::Object(inner), "") = (&value, above) {
            take(found, &format!("{name}."), inner.clone());
        } else {
            found.extend(text(&value).map(|text| (format!("{above}{name}"), text)));
        }
    }
}

fn from_json(body: &[u8], root: &str) -> Result<Members, Fault> {
    match serde_json::from_slice(body).map_err(Fault::unreadable)? {
        Value::Object(members) => {
            let mut found = Members::new();
            for (name, value) in members {
                if let (Value::Object(inner), true) = (&value, name == root) {
                    take(&mut found, "", inner.clone());
                } else {
                    take(&mut found, "", [(name, value)]);
                }
            }
            Ok(found)
        }
        Value::Array(_) => Err(Fault::unreadable("java.lang.NullPointerException")),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Ok(Members::new()),
    }
}

fn from_xml(body: &[u8], root: &str) -> Result<Members, Fault> {
    let text = std::str::from_utf8(body).map_err(Fault::unreadable)?;
    let mut reader = Reader::from_str(text);
    let (mut members, mut path, mut value) = (Members::new(), Vec::<String>::new(), String::new());
    let mut seen = false;
    loop {
        match reader.read_event().map_err(Fault::unreadable)? {
            Event::Start(start) => {
                let name = String::from_utf8_lossy(start.local_name().as_ref()).into_owned();
                if path.is_empty() && (seen || name != root) {
                    return Err(Fault::unreadable(format_args!("unexpected element {name}")));
                }
                seen = true;
                path.push(name);
                value.clear();
            }
            Event::Empty(start) => {
                let name = String::from_utf8_lossy(start.local_name().as_ref()).into_owned();
                if path.is_empty() && (seen || name != root) {
                    return Err(Fault::unreadable(format_args!("unexpected element {name}")));
                }
                seen = true;
                if path.len() == 1 {
                    members.insert(name, String::new());
                }
            }
            Event::Text(piece) => {
                value.push_str(&piece.xml_content(XmlVersion::Implicit1_0).map_err(Fault::unreadable)?)
            }
            Event::CData(piece) => {
                value.push_str(&piece.xml_content(XmlVersion::Implicit1_0).map_err(Fault::unreadable)?)
            }
            Event::GeneralRef(name) => {
                let resolved = match name.resolve_char_ref().map_err(Fault::unreadable)? {
                    Some(letter) => letter.to_string(),
                    None => {
                        let name = name.decode().map_err(Fault::unreadable)?;
                        let known = quick_xml::escape::resolve_predefined_entity(&name);
                        known.ok_or_else(|| Fault::unreadable(format_args!("unknown entity {name}")))?.to_owned()
                    }
                };
                value.push_str(&resolved);
            }
            Event::End(_) => {
                let name = path.pop().unwrap_or_default();
                match path.as_slice() {
                    [_] => members.insert(name, std::mem::take(&mut value)),
                    [_, above] => members.insert(format!("{above}.{name}"), std::mem::take(&mut value)),
                    _ => None,
                };
            }
            // A document that declares a type of its own is none that is meant well.
            Event::DocType(_) => return Err(Fault::unreadable("a document type")),
            Event::Decl(_) | Event::PI(_) | Event::Comment(_) => {}
            Event::Eof if seen && path.is_empty() => return Ok(members),
            Event::Eof => return Err(Fault::unreadable("the document ends too soon")),
        }
    }
}
