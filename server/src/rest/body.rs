//! Bodies of requests: an object with a few members that are texts, in JSON or XML.

use std::collections::HashMap;

use quick_xml::events::Event;
use quick_xml::{Reader, XmlVersion};
use serde_json::Value;

use super::asked::{Asked, Format};
use super::errors::Fault;

/// The members that are texts or numbers, by name.
pub(crate) type Members = HashMap<String, String>;

/// Reads the body, whose root has a name in XML.
///
/// # Errors
/// A body that is of another kind, or nothing.
pub(crate) fn members(asked: &Asked, root: &str) -> Result<Members, Fault> {
    match asked.content {
        None => Err(Fault::not_supported()),
        Some(Format::Json) => from_json(&asked.body),
        Some(Format::Xml) => from_xml(&asked.body, root),
    }
}

fn from_json(body: &[u8]) -> Result<Members, Fault> {
    match serde_json::from_slice(body).map_err(Fault::unreadable)? {
        Value::Object(members) => {
            let text = |(name, value): (String, Value)| match value {
                Value::String(text) => Some((name, text)),
                Value::Number(number) => Some((name, number.to_string())),
                Value::Bool(flag) => Some((name, flag.to_string())),
                Value::Object(inner) => {
                    // Whatever lies deeper is found by the names on the way, as of a timeout.
                    let texts = inner.into_iter().filter_map(|(_, value)| value.as_str().map(str::to_owned));
                    texts.last().map(|text| (name, text))
                }
                Value::Null | Value::Array(_) => None,
            };
            Ok(members.into_iter().filter_map(text).collect())
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
            Event::Text(piece) => value.push_str(&piece.xml_content(XmlVersion::Implicit1_0).map_err(Fault::unreadable)?),
            Event::CData(piece) => value.push_str(&piece.xml_content(XmlVersion::Implicit1_0).map_err(Fault::unreadable)?),
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
                if path.len() == 1 {
                    members.insert(name, std::mem::take(&mut value));
                }
            }
            // A document that declares a type of its own is none that is meant well.
            Event::DocType(_) => return Err(Fault::unreadable("a document type")),
            Event::Decl(_) | Event::PI(_) | Event::Comment(_) => {}
            Event::Eof if seen && path.is_empty() => return Ok(members),
            Event::Eof => return Err(Fault::unreadable("the document ends too soon")),
        }
    }
}
