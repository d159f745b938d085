//! Bodies of requests as trees: JSON and XML come to the same, as Hadoop's binding has them. What is in an array is
//! there more than once, and a number is its text.

use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};
use serde_json::Value;

use super::errors::Fault;
use super::format::Format;
use super::request::Asked;

/// How deep one may be.
const DEEPEST: usize = 128;

/// A member, with what is in it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Node {
    pub(crate) name: String,
    /// What it says; nothing where JSON says `null`.
    pub(crate) text: Option<String>,
    pub(crate) members: Vec<Node>,
}

impl Node {
    fn named(name: String) -> Node {
        Node { name, ..Node::default() }
    }

    /// All of a name.
    pub(crate) fn all(&self, name: &str) -> impl DoubleEndedIterator<Item = &Node> {
        self.members.iter().filter(move |member| member.name == name)
    }

    /// The last of a name: it counts where one is wanted.
    pub(crate) fn last(&self, name: &str) -> Option<&Node> {
        self.all(name).next_back()
    }

    /// Whether it says something: `null` does not.
    pub(crate) fn is_there(&self) -> bool {
        self.text.is_some() || !self.members.is_empty()
    }

    /// What the last of a name says.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.last(name)?.text.as_deref()
    }
}

/// Reads the body. In XML its root has a name.
///
/// # Errors
/// A body that is of another kind, or nothing.
pub(crate) fn document(asked: &Asked, root: &str) -> Result<Node, Fault> {
    match asked.content {
        None => Err(Fault::not_supported()),
        Some(Format::Json) => from_json(&asked.body),
        Some(Format::Xml) => from_xml(&asked.body, root),
    }
}

fn from_json(body: &[u8]) -> Result<Node, Fault> {
    let value = serde_json::from_slice(body).map_err(Fault::unreadable)?;
    match value {
        Value::Array(_) | Value::Null => Err(Fault::unreadable("java.lang.NullPointerException")),
        Value::Object(_) | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            let mut root = Node::default();
            take(&mut root, String::new(), value);
            Ok(root.members.pop().unwrap_or_default())
        }
    }
}

/// A member of that name, or one for each of an array. How deep a text is has been limited by whoever has read it.
fn take(into: &mut Node, name: String, value: Value) {
    let mut node = Node { name, text: Some(String::new()), members: Vec::new() };
    match value {
        Value::Null => node.text = None,
        Value::Bool(flag) => node.text = Some(flag.to_string()),
        Value::Number(number) => node.text = Some(number.to_string()),
        Value::String(text) => node.text = Some(text),
        Value::Array(list) => return list.into_iter().for_each(|one| take(into, node.name.clone(), one)),
        Value::Object(members) => members.into_iter().for_each(|(name, value)| take(&mut node, name, value)),
    }
    into.members.push(node);
}

fn from_xml(body: &[u8], root: &str) -> Result<Node, Fault> {
    let text = std::str::from_utf8(body).map_err(Fault::unreadable)?;
    let mut reader = Reader::from_str(text);
    // Elements that are open, each with its text; beneath them what holds the root.
    let mut open = vec![(Node::default(), String::new())];
    loop {
        let piece = match reader.read_event().map_err(Fault::unreadable)? {
            Event::Start(start) => {
                let node = begun(&start, root, &open)?;
                open.push((node, String::new()));
                continue;
            }
            Event::Empty(start) => {
                let node = Node { text: Some(String::new()), ..begun(&start, root, &open)? };
                if let Some((above, _)) = open.last_mut() {
                    above.members.push(node);
                }
                continue;
            }
            Event::End(_) => {
                if let Some((node, text)) = open.pop()
                    && let Some((above, _)) = open.last_mut()
                {
                    above.members.push(Node { text: Some(text), ..node });
                }
                continue;
            }
            Event::Text(piece) => piece.xml_content(XmlVersion::Implicit1_0).map_err(Fault::unreadable)?.into_owned(),
            Event::CData(piece) => piece.xml_content(XmlVersion::Implicit1_0).map_err(Fault::unreadable)?.into_owned(),
            Event::GeneralRef(name) => match name.resolve_char_ref().map_err(Fault::unreadable)? {
                Some(letter) => letter.to_string(),
                None => {
                    let name = name.decode().map_err(Fault::unreadable)?;
                    let known = quick_xml::escape::resolve_predefined_entity(&name);
                    known.ok_or_else(|| Fault::unreadable(format_args!("unknown entity {name}")))?.to_owned()
                }
            },
            // A document that declares a type of its own is none that is meant well.
            Event::DocType(_) => return Err(Fault::unreadable("a document type")),
            Event::Decl(_) | Event::PI(_) | Event::Comment(_) => continue,
            Event::Eof => break,
        };
        if let Some((_, text)) = open.last_mut() {
            text.push_str(&piece);
        }
    }
    let ends_too_soon = || Fault::unreadable("the document ends too soon");
    match open.pop() {
        Some((mut document, _)) if open.is_empty() => document.members.pop().ok_or_else(ends_too_soon),
        _ => Err(ends_too_soon()),
    }
}

/// An element that begins where others are open.
fn begun(start: &BytesStart<'_>, root: &str, open: &[(Node, String)]) -> Result<Node, Fault> {
    // With the prefix of its namespace: members that are in one are others.
    let name = String::from_utf8_lossy(start.name().as_ref()).into_owned();
    let is_elsewhere = || start.attributes().flatten().any(|one| one.key.as_ref() == b"xmlns" && !one.value.is_empty());
    if let [(document, _)] = open
        && (!document.members.is_empty() || name != root || is_elsewhere())
    {
        return Err(Fault::unreadable(format_args!("unexpected element {name}")));
    }
    if open.len() > DEEPEST {
        return Err(Fault::unreadable(format_args!("more than {DEEPEST} elements within each other")));
    }
    Ok(Node::named(name))
}
