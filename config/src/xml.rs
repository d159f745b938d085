//! A small document tree with the place of every element.
//!
//! quick-xml finds the tokens; this adds what Java's parser checks beyond that (one root, known entities, legal
//! characters, attribute syntax, no DOCTYPE) and builds a tree as Java's `Document` with comments ignored: text around
//! a comment is one piece, a CDATA section is a piece of its own.
//!
//! The tree lies in an arena of the caller's, who drops it in one go: a file of 10,000 queues has some 200,000 nodes,
//! and to free each by itself took an eighth of the time of reading it.
//!
//! Hostile input meets a limit before it costs stack, memory or time beyond its own length. Those on names and on the
//! number of attributes are Java's, as its parser has them when told to be secure.

use super::diagnostic::Span;
use super::encoding::{ReadAs, is_known};
use super::quoted::{shortened, shown};
use bumpalo::Bump;
use quick_xml::Reader;
use quick_xml::errors::{Error, IllFormedError, SyntaxError};
use quick_xml::events::Event;
use smallvec::SmallVec;
use std::borrow::Cow;
use std::collections::HashSet;

/// The deepest nesting of elements: the tree is walked by recursion. Java has no such limit.
pub(super) const MAX_DEPTH: usize = 200;

/// The most attributes of an element, as in Java.
const MAX_ATTRIBUTES: usize = 10_000;

/// The longest name of an element, attribute or instruction in units of UTF-16, as in Java.
const MAX_NAME: usize = 1000;

/// The longest attribute value in bytes, before references are replaced. Names stand in every message below them; Java
/// has no such limit.
const MAX_VALUE: usize = 10_000;

const NO_DOCTYPE: &str = "a DOCTYPE is not allowed; remove it";

/// An element. It borrows from the text or, where that says it otherwise, from the arena.
#[derive(Clone, Copy, Debug)]
pub(super) struct Element<'t> {
    pub(super) name: &'t str,
    /// Where its `<` stands.
    pub(super) offset: usize,
    /// What is between its tags.
    pub(super) content: Span,
    pub(super) children: &'t [Node<'t>],
    pub(super) attributes: &'t [Attribute<'t>],
}

/// An attribute: what it says, and where.
#[derive(Clone, Copy, Debug)]
pub(super) struct Attribute<'t> {
    pub(super) name: &'t str,
    /// References replaced, white space made spaces.
    pub(super) value: &'t str,
    pub(super) name_at: Span,
    /// Between the quotes.
    pub(super) value_at: Span,
}

/// What an element contains, comments left out; with the bytes of text, comments within it included.
#[derive(Clone, Copy, Debug)]
pub(super) enum Node<'t> {
    Text(Span, &'t str),
    CData(Span, &'t str),
    Element(Element<'t>),
    Instruction(Span),
}

/// Why a text is no document.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Malformed {
    pub(super) offset: usize,
    pub(super) problem: String,
}

fn malformed<T>(offset: usize, problem: impl Into<String>) -> Result<T, Malformed> {
    Err(Malformed { offset, problem: problem.into() })
}

impl<'t> Element<'t> {
    /// Its name in the start tag.
    pub(super) fn name_at(&self) -> Span {
        Span::new(self.offset + 1, self.name.len())
    }

    /// An attribute.
    pub(super) fn attribute_named(&self, name: &str) -> Option<&'t Attribute<'t>> {
        self.attributes.iter().find(|attribute| attribute.name == name)
    }

    /// An attribute's value.
    pub(super) fn attribute(&self, name: &str) -> Option<&'t str> {
        self.attribute_named(name).map(|attribute| attribute.value)
    }

    /// The elements directly inside.
    pub(super) fn elements(&self) -> impl Iterator<Item = &'t Element<'t>> + use<'t> {
        self.children.iter().filter_map(|node| match node {
            Node::Element(element) => Some(element),
            Node::Text(..) | Node::CData(..) | Node::Instruction(_) => None,
        })
    }

    /// The text that it begins with, if it does: the first piece, as Java's `getFirstChild` gives it.
    pub(super) fn first_text(&self) -> Option<&'t str> {
        match self.children.first()? {
            Node::Text(_, text) | Node::CData(_, text) => Some(text),
            Node::Element(_) | Node::Instruction(_) => None,
        }
    }

    /// Whether an element of this name is directly inside.
    pub(super) fn has(&self, name: &str) -> bool {
        self.elements().any(|element| element.name == name)
    }
}

/// Reads a document and gives its root element.
pub(super) fn parse<'t>(text: &'t str, arena: &'t Bump, read_as: ReadAs) -> Result<Element<'t>, Malformed> {
    // Java takes a byte order mark for part of the encoding.
    let start = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let version = Version::of(&text[start..]);
    if (version == Version::Later || may_be_illegal(text))
        && let Some((at, c)) = text.char_indices().skip(usize::from(start > 0)).find(|(_, c)| !version.is_legal(*c))
    {
        return malformed(at, format!("the character {:?} is not allowed in XML", c));
    }
    let builder = Builder {
        text,
        arena,
        read_as,
        base: start,
        version,
        open: Vec::new(),
        nodes: Vec::new(),
        joined: String::new(),
        root: None,
    };
    builder.run()
}

struct Builder<'t> {
    text: &'t str,
    arena: &'t Bump,
    read_as: ReadAs,
    base: usize,
    version: Version,
    open: Vec<Open<'t>>,
    /// The children so far of all elements that are open, those of the innermost last.
    nodes: Vec<Node<'t>>,
    /// The last node's text when it is of several pieces, and else empty.
    joined: String,
    root: Option<Element<'t>>,
}

/// An element whose end has not come yet.
struct Open<'t> {
    /// Without children, and with an empty content.
    element: Element<'t>,
    /// Where its children begin among all.
    first: usize,
}

impl<'t> Builder<'t> {
    fn run(mut self) -> Result<Element<'t>, Malformed> {
        let mut reader = Reader::from_str(&self.text[self.base..]);
        reader.config_mut().check_comments = true;
        loop {
            let offset = self.base + position(reader.buffer_position());
            let event = match reader.read_event() {
                Ok(event) => event,
                Err(error) => {
                    let at = self.base + position(reader.error_position());
                    return malformed(at, self.describe(&error));
                }
            };
            // The token as it stands, so that what is kept of it can be borrowed.
            let end = self.base + position(reader.buffer_position());
            let token = self.text.get(offset..end).unwrap_or_default();
            match event {
                Event::Start(_) => self.start(offset, end, inside(token, "<", ">"))?,
                Event::Empty(_) => {
                    self.start(offset, end, inside(token, "<", "/>"))?;
                    self.end(end)?;
                }
                Event::End(_) => self.end(offset)?,
                Event::Text(_) => self.text(offset, token)?,
                Event::GeneralRef(_) => self.reference(offset, inside(token, "&", ";"))?,
                Event::CData(_) => {
                    if self.open.is_empty() {
                        return malformed(offset, "text outside the root element");
                    }
                    let text = self.keep(self.version.normalise_lines(inside(token, "<![CDATA[", "]]>")));
                    self.push(Node::CData(Span::new(offset, token.len()), text));
                }
                Event::PI(_) => self.instruction(offset, inside(token, "<?", "?>"))?,
                Event::Decl(_) => self.declaration(offset, inside(token, "<?", "?>"))?,
                Event::DocType(_) => return malformed(offset, NO_DOCTYPE),
                Event::Comment(_) => {}
                Event::Eof => return self.finish(),
            }
        }
    }

    fn describe(&self, error: &Error) -> String {
        let Error::IllFormed(IllFormedError::MismatchedEndTag { found, .. } | IllFormedError::UnmatchedEndTag(found)) =
            error
        else {
            let is_doctype = matches!(
                error,
                Error::Syntax(SyntaxError::UnclosedDoctype) | Error::IllFormed(IllFormedError::MissingDoctypeName)
            );
            return if is_doctype { NO_DOCTYPE.to_owned() } else { error.to_string() };
        };
        let found = if is_name(found) { format!("</{}>", shortened(found)) } else { shown(&format!("</{found}>")) };
        match self.open.last() {
            Some(open) => {
                format!("{found} closes nothing; <{0}> is open, so </{0}> must come first", open.element.name)
            }
            None => format!("{found} closes nothing; no element is open"),
        }
    }

    fn finish(mut self) -> Result<Element<'t>, Malformed> {
        if let Some(open) = self.open.pop() {
            let Element { name, offset, .. } = open.element;
            return malformed(offset, format!("<{name}> is never closed; </{name}> is missing"));
        }
        match self.root {
            Some(root) => Ok(root),
            None => malformed(self.text.len(), "the document is empty; it needs a root element"),
        }
    }

    fn start(&mut self, offset: usize, content: usize, tag: &'t str) -> Result<(), Malformed> {
        if self.open.is_empty() && self.root.is_some() {
            return malformed(offset, "a second root element; there must be exactly one");
        }
        if self.open.len() >= MAX_DEPTH {
            return malformed(offset, format!("elements are nested deeper than {MAX_DEPTH}"));
        }
        let (name, attributes) = read_tag(self.version, self.arena, offset + 1, tag)?;
        let element = Element { name, offset, content: Span::point(content), children: &[], attributes };
        self.settle();
        self.open.push(Open { element, first: self.nodes.len() });
        Ok(())
    }

    fn end(&mut self, offset: usize) -> Result<(), Malformed> {
        let Some(Open { element, first }) = self.open.pop() else {
            return malformed(offset, "an end tag without a start tag");
        };
        self.settle();
        let children = self.arena.alloc_slice_copy(&self.nodes[first..]);
        self.nodes.truncate(first);
        let closed = Element { content: element.content.to(Span::point(offset)), children, ..element };
        if self.open.is_empty() {
            self.root = Some(closed);
        } else {
            self.nodes.push(Node::Element(closed));
        }
        Ok(())
    }

    fn text(&mut self, offset: usize, text: &'t str) -> Result<(), Malformed> {
        if self.open.is_empty() {
            return match text.find(|c| !self.version.is_space(c)) {
                Some(at) => malformed(offset + at, "text outside the root element"),
                None => Ok(()),
            };
        }
        // A search for one byte is much quicker than one for three, and most often enough.
        if let Some(at) = text.bytes().any(|byte| byte == b']').then(|| text.find("]]>")).flatten() {
            return malformed(offset + at, "\"]]>\" in text; write \"]]&gt;\"");
        }
        self.append(Span::new(offset, text.len()), self.version.normalise_lines(text));
        Ok(())
    }

    fn reference(&mut self, offset: usize, name: &str) -> Result<(), Malformed> {
        let c = resolve(self.version, offset, name)?;
        if self.open.is_empty() {
            return malformed(offset, "text outside the root element");
        }
        self.append(Span::new(offset, "&;".len() + name.len()), c.to_string().into());
        Ok(())
    }

    /// A piece of text: a node of its own, or the end of the one before.
    fn append(&mut self, at: Span, text: Cow<'t, str>) {
        let Some(parent) = self.open.last() else { return };
        if let Some(Node::Text(start, before)) = self.nodes[parent.first..].last_mut() {
            *start = start.to(at);
            if self.joined.is_empty() {
                self.joined.push_str(before);
            }
            self.joined.push_str(&text);
            return;
        }
        let text = self.keep(text);
        self.nodes.push(Node::Text(at, text));
    }

    fn push(&mut self, node: Node<'t>) {
        self.settle();
        self.nodes.push(node);
    }

    /// The last node's text gets its end: what comes next does not belong to it.
    fn settle(&mut self) {
        if let Some(Node::Text(_, text)) = self.nodes.last_mut().filter(|_| !self.joined.is_empty()) {
            *text = self.arena.alloc_str(&self.joined);
            self.joined.clear();
        }
    }

    fn keep(&self, text: Cow<'t, str>) -> &'t str {
        keep(self.arena, text)
    }

    fn instruction(&mut self, offset: usize, content: &str) -> Result<(), Malformed> {
        let target = content.split(|c| self.version.is_space(c)).next().unwrap_or_default();
        if target.eq_ignore_ascii_case("xml") {
            return malformed(offset, "an XML declaration must stand at the very start");
        }
        check_name(offset, target, "a processing instruction")?;
        if !self.open.is_empty() {
            self.push(Node::Instruction(Span::new(offset, "<??>".len() + content.len())));
        }
        Ok(())
    }

    fn declaration(&mut self, offset: usize, content: &'t str) -> Result<(), Malformed> {
        if offset != self.base {
            return malformed(offset, "an XML declaration must stand at the very start");
        }
        let (_, attributes) = read_tag(self.version, self.arena, offset + 2, content)?;
        let Some(("version", version)) = attributes.first().map(|first| (first.name, first.value)) else {
            return malformed(offset, "the XML declaration has no version; write version=\"1.0\"");
        };
        if version != "1.0" && version != "1.1" {
            return malformed(offset, format!("XML version {version:?} is not known; write \"1.0\""));
        }
        for (index, Attribute { name, value, .. }) in attributes.iter().enumerate().skip(1) {
            let known = match *name {
                "encoding" if index > 1 => return malformed(offset, "encoding must stand right after version"),
                "encoding" => is_known(value, self.read_as),
                "standalone" => matches!(*value, "yes" | "no"),
                _ => false,
            };
            if !known {
                return malformed(offset, format!("{name}={value:?} in the XML declaration is not known"));
            }
        }
        Ok(())
    }
}

fn keep<'t>(arena: &'t Bump, text: Cow<'t, str>) -> &'t str {
    match text {
        Cow::Borrowed(text) => text,
        Cow::Owned(text) => arena.alloc_str(&text),
    }
}

/// What stands between the marks of a token.
fn inside<'t>(token: &'t str, start: &str, end: &str) -> &'t str {
    let token = token.strip_prefix(start).unwrap_or(token);
    token.strip_suffix(end).unwrap_or(token)
}

/// A tag's name and attributes; `offset` is where the content stands.
fn read_tag<'t>(
    version: Version,
    arena: &'t Bump,
    offset: usize,
    content: &'t str,
) -> Result<(&'t str, &'t [Attribute<'t>]), Malformed> {
    // Most tags are a plain name.
    if content.len() <= MAX_NAME && is_ascii_name(content) {
        return Ok((content, &[]));
    }
    let is_space = |c| version.is_space(c);
    let length = content.find(is_space).unwrap_or(content.len());
    let name = &content[..length];
    check_name(offset, name, "an element")?;
    let mut known = Names::default();
    let mut attributes: SmallVec<[Attribute<'_>; 4]> = SmallVec::new();
    let mut rest = &content[length..];
    loop {
        let trimmed = rest.trim_start_matches(is_space);
        let at = offset + content.len() - trimmed.len();
        if trimmed.is_empty() || trimmed == "?" {
            return Ok((name, arena.alloc_slice_copy(&attributes)));
        }
        if trimmed.len() == rest.len() {
            return malformed(at, "white space is missing between attributes");
        }
        if attributes.len() >= MAX_ATTRIBUTES {
            return malformed(at, format!("an element has more than {MAX_ATTRIBUTES} attributes"));
        }
        let length = trimmed.find(|c| c == '=' || is_space(c)).unwrap_or(trimmed.len());
        let key = &trimmed[..length];
        check_name(at, key, "an attribute")?;
        let value = trimmed[length..].trim_start_matches(is_space);
        let Some(value) = value.strip_prefix('=').map(|value| value.trim_start_matches(is_space)) else {
            return malformed(at, format!("attribute {key} has no value; write {key}=\"...\""));
        };
        let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''));
        let Some((quoted, after)) = quote.and_then(|quote| value[1..].split_once(quote)) else {
            return malformed(at, format!("the value of attribute {key} must stand in quotes"));
        };
        if !known.insert(&attributes, key) {
            return malformed(at, format!("attribute {key} is given twice"));
        }
        if quoted.len() > MAX_VALUE {
            return malformed(at, format!("the value of attribute {key} is longer than {MAX_VALUE} bytes"));
        }
        let place = offset + content.len() - value.len() + 1;
        attributes.push(Attribute {
            name: key,
            value: keep(arena, attribute_value(version, place, quoted)?),
            name_at: Span::new(at, key.len()),
            value_at: Span::new(place, quoted.len()),
        });
        rest = after;
    }
}

/// The names of an element's attributes: looked for one by one while they are few, as they nearly always are.
#[derive(Default)]
struct Names<'t> {
    many: HashSet<&'t str>,
}

impl<'t> Names<'t> {
    const FEW: usize = 8;

    /// Takes a name in; false when one of those before has it.
    fn insert(&mut self, before: &[Attribute<'t>], name: &'t str) -> bool {
        if before.len() < Names::FEW {
            return before.iter().all(|other| other.name != name);
        }
        if self.many.is_empty() {
            self.many.extend(before.iter().map(|other| other.name));
        }
        self.many.insert(name)
    }
}

/// References replaced, white space made spaces.
fn attribute_value(version: Version, offset: usize, raw: &str) -> Result<Cow<'_, str>, Malformed> {
    let lines = version.normalise_lines(raw);
    if !lines.contains(['&', '<', '\t', '\n']) {
        return Ok(lines);
    }
    let mut out = String::with_capacity(lines.len());
    let mut rest = &*lines;
    while let Some(at) = rest.find(['&', '<', '\t', '\n']) {
        out.push_str(&rest[..at]);
        let place = offset + lines.len() - rest.len() + at;
        match rest.as_bytes()[at] {
            b'<' => return malformed(place, "\"<\" in an attribute; write \"&lt;\""),
            b'&' => {
                let Some(end) = rest[at..].find(';') else {
                    return malformed(place, "\"&\" starts a reference that no \";\" ends; write \"&amp;\"");
                };
                out.push(resolve(version, place, &rest[at + 1..at + end])?);
                rest = &rest[at + end + 1..];
            }
            _ => {
                out.push(' ');
                rest = &rest[at + 1..];
            }
        }
    }
    out.push_str(rest);
    Ok(out.into())
}

/// What `&name;` stands for.
fn resolve(version: Version, offset: usize, name: &str) -> Result<char, Malformed> {
    let number = name.strip_prefix('#').map(|digits| match digits.strip_prefix('x') {
        Some(digits) => (digits, 16),
        None => (digits, 10),
    });
    if let Some((digits, radix)) = number {
        let plain = digits.chars().all(|c| c.is_digit(radix));
        let code = u32::from_str_radix(digits, radix).ok().filter(|_| plain);
        return match code.and_then(char::from_u32).filter(|c| version.may_be_referred_to(*c)) {
            Some(c) => Ok(c),
            None => malformed(offset, format!("{} is no character that XML allows", shown(&format!("&{name};")))),
        };
    }
    match name {
        "lt" => Ok('<'),
        "gt" => Ok('>'),
        "amp" => Ok('&'),
        "quot" => Ok('"'),
        "apos" => Ok('\''),
        _ => {
            let name = shown(&format!("&{name};"));
            malformed(offset, format!("{name} is not known; for a plain \"&\" write \"&amp;\""))
        }
    }
}

fn position(at: u64) -> usize {
    usize::try_from(at).unwrap_or(usize::MAX)
}

/// The version of XML, on which line ends, white space and legal characters hang.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Version {
    /// 1.0.
    First,
    /// 1.1.
    Later,
}

impl Version {
    /// The one that a document declares.
    fn of(text: &str) -> Version {
        let declaration = text.strip_prefix("<?").and_then(|rest| rest.split_once("?>"));
        let arena = Bump::new();
        let read = declaration.and_then(|(inside, _)| read_tag(Version::Later, &arena, 0, inside).ok());
        let attributes = read.filter(|(name, _)| *name == "xml").map(|(_, attributes)| attributes).unwrap_or_default();
        let later = attributes.first().is_some_and(|first| first.name == "version" && first.value == "1.1");
        if later { Version::Later } else { Version::First }
    }

    /// All line ends as one character.
    fn normalise_lines(self, text: &str) -> Cow<'_, str> {
        if self == Version::Later && text.contains(NEW_LINE_ENDS) {
            let pairs = text.replace("\r\n", "\n").replace("\r\u{85}", "\n");
            return pairs.replace('\r', "\n").replace(NEW_LINE_ENDS, "\n").into();
        }
        if text.bytes().any(|byte| byte == b'\r') {
            text.replace("\r\n", "\n").replace('\r', "\n").into()
        } else {
            text.into()
        }
    }

    fn is_space(self, c: char) -> bool {
        matches!(c, ' ' | '\t' | '\n' | '\r') || (self == Version::Later && NEW_LINE_ENDS.contains(&c))
    }

    /// Whether it may stand in the text.
    fn is_legal(self, c: char) -> bool {
        match c {
            '\u{7f}'..='\u{84}' | '\u{86}'..='\u{9f}' => self == Version::First,
            _ => matches!(c, '\t' | '\n' | '\r' | '\u{20}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..),
        }
    }

    /// Whether its number may stand in the text.
    fn may_be_referred_to(self, c: char) -> bool {
        match self {
            Version::First => self.is_legal(c),
            Version::Later => !matches!(c, '\0' | '\u{fffe}' | '\u{ffff}'),
        }
    }
}

/// Next line and line separator, in XML 1.1 line ends as well.
const NEW_LINE_ENDS: [char; 2] = ['\u{85}', '\u{2028}'];

/// False when all characters are legal; a quick look at the bytes that illegal ones begin with.
fn may_be_illegal(text: &str) -> bool {
    const BLOCK: usize = 4096;
    let odd = |byte: u8| (byte < b' ' && !matches!(byte, b'\t' | b'\n' | b'\r')) || byte == 0xef;
    // All of a block, without an early end: the compiler makes vector instructions of it.
    text.as_bytes().chunks(BLOCK).any(|block| block.iter().fold(false, |found, byte| found | odd(*byte)))
}

/// Checks a name; `of` says of what.
fn check_name(offset: usize, name: &str, of: &str) -> Result<(), Malformed> {
    if name.len() > MAX_NAME && name.encode_utf16().count() > MAX_NAME {
        return malformed(offset, format!("the name of {of} is longer than {MAX_NAME} characters"));
    }
    if !is_name(name) {
        return malformed(offset, format!("{} is no name of {of}", shown(name)));
    }
    Ok(())
}

fn is_ascii_name(text: &str) -> bool {
    let starts = |byte: u8| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b':');
    let goes_on = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b':' | b'-' | b'.');
    text.bytes().next().is_some_and(starts) && text.bytes().all(goes_on)
}

fn is_name(text: &str) -> bool {
    if is_ascii_name(text) {
        return true;
    }
    let starts = |c: char| c.is_alphabetic() || matches!(c, '_' | ':');
    let goes_on = |c: char| c.is_alphanumeric() || matches!(c, '_' | ':' | '-' | '.' | '\u{b7}');
    text.chars().next().is_some_and(starts) && text.chars().all(goes_on)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With an arena that nobody gives back.
    fn parse(text: &str) -> Result<Element<'static>, Malformed> {
        super::parse(Box::leak(text.into()), Box::leak(Box::default()), ReadAs::Allocations)
    }

    fn problem(text: &str) -> (usize, String) {
        let error = parse(text).expect_err(text);
        (error.offset, error.problem)
    }

    #[test]
    fn builds_javas_tree() {
        let root =
            parse("\u{feff}<?xml version='1.0'?><a x='1&#9;\t2'>p<!-- c -->q&#53;<![CDATA[<r>]]><b/></a>").unwrap();
        assert_eq!(root.attribute("x"), Some("1\t 2"));
        assert!(matches!(&root.children[0], Node::Text(_, text) if *text == "pq5"));
        assert!(matches!(&root.children[1], Node::CData(_, text) if *text == "<r>"));
        assert!(root.has("b"));
    }

    /// As Java's parser answered.
    #[test]
    fn version_1_1_has_more_line_ends_and_characters_by_number() {
        let content = |version: &str, inner: &str| {
            let text = format!("<?xml version='{version}'?><a>{inner}</a>");
            let root = parse(&text).map_err(|error| error.problem)?;
            Ok(root.first_text().unwrap_or_default().to_owned())
        };
        let lines = "x\u{85}y\u{2028}z\r\u{85}w\r\nv\ru\n\u{85}t\r\r\u{85}s\r\u{2028}";
        assert_eq!(content("1.1", lines), Ok("x\ny\nz\nw\nv\nu\n\nt\n\ns\n\n".to_owned()));
        assert_eq!(
            content("1.0", lines),
            Ok("x\u{85}y\u{2028}z\n\u{85}w\nv\nu\n\u{85}t\n\n\u{85}s\n\u{2028}".to_owned())
        );
        assert_eq!(content("1.1", "<![CDATA[x\u{85}]]>"), Ok("x\n".to_owned()));
        assert_eq!(content("1.1", "&#1;&#x85;&#x7f;&#13;"), Ok("\u{1}\u{85}\u{7f}\r".to_owned()));
        let (first, later): (&[&str], &[&str]) =
            (&["&#1;", "&#xfffe;"], &["&#0;", "&#xfffe;", "\u{1}", "\u{80}", "\u{7f}"]);
        for (version, bad) in [("1.0", first), ("1.1", later)] {
            for inner in bad {
                let refused: Result<String, String> = content(version, inner);
                assert!(refused.is_err(), "{version} {inner:?}");
            }
        }
        assert_eq!(content("1.0", "\u{80}\u{7f}"), Ok("\u{80}\u{7f}".to_owned()));
        let tag = "<?xml version='1.1'\u{85}?>\u{85}<a\u{85}x\u{85}=\u{2028}'1\u{85}2\r\u{85}3&#1;'/>\u{2028}";
        assert_eq!(parse(tag).unwrap().attribute("x"), Some("1 2 3\u{1}"));
        problem("<?xml version='1.0'?><a\u{85}x='1'/>");
    }

    #[test]
    fn everything_has_its_place() {
        let text = "<ab cd = 'e&lt;f'> g<!-- -->&amp;h <![CDATA[i]]><?j k?></ab>";
        let root = parse(text).unwrap();
        let at = |span: Span| &text[span.offset..span.offset + span.length];
        let attribute = root.attribute_named("cd").unwrap();
        assert_eq!([at(root.name_at()), at(attribute.name_at), at(attribute.value_at)], ["ab", "cd", "e&lt;f"]);
        let nodes: Vec<&str> = root
            .children
            .iter()
            .map(|node| match node {
                Node::Text(span, _) | Node::CData(span, _) | Node::Instruction(span) => at(*span),
                Node::Element(element) => panic!("{element:?}"),
            })
            .collect();
        assert_eq!(nodes, [" g<!-- -->&amp;h ", "<![CDATA[i]]>", "<?j k?>"]);
        assert_eq!(at(root.content), " g<!-- -->&amp;h <![CDATA[i]]><?j k?>");
        let text = "\u{feff}<a>p<b/></a>";
        let root = parse(text).unwrap();
        assert_eq!(&text[root.content.offset..root.content.offset + root.content.length], "p<b/>");
        let inner = root.elements().next().unwrap();
        assert!(inner.content.length == 0 && text[inner.content.offset..].starts_with("</a>"));
    }

    #[test]
    fn malformed_documents_are_errors_with_a_place() {
        assert_eq!(problem("<a><b></a>").0, 6);
        assert_eq!(problem("<a>\n<b>").0, 4);
        assert_eq!(problem("<a/>junk").0, 4);
        assert_eq!(problem("<a/><a/>").0, 4);
        assert_eq!(problem("<a x='1&y'/>").0, 7);
        for bad in [
            "",
            " \n",
            "junk<a/>",
            "<!DOCTYPE a><a/>",
            "<a x='1' x='2'/>",
            "<a x=1/>",
            "<a>&nope;</a>",
            " <?xml version='1.0'?><a/>",
            "<?xml version='2.0'?><a/>",
            "<?xml version='1.0' encoding='bogus'?><a/>",
            "<?xml version='1.0' standalone='yes' encoding='UTF-8'?><a/>",
            "<a>\u{1}</a>",
            "<a>\u{fffe}</a>",
            "<a>\u{ffff}</a>",
            "<a x='1'y='2'/>",
            "<a><!-- -- --></a>",
            "<a>&#0;</a>",
            "<a>]]></a>",
            "<a x/>",
            "<1/>",
            "< a/>",
            "<a",
            "</a>",
            "<a></a",
            "<a x='<'/>",
            "<a>&</a>",
            "<a>a & b</a>",
        ] {
            problem(bad);
        }
    }

    #[test]
    fn depth_is_limited() {
        let nested = |depth| format!("{}{}", "<a>".repeat(depth), "</a>".repeat(depth));
        assert!(parse(&nested(MAX_DEPTH)).is_ok());
        assert_eq!(problem(&nested(100_000)), (600, "elements are nested deeper than 200".to_owned()));
    }

    #[test]
    fn attributes_are_limited_as_in_java() {
        let many = |n| format!("<a>\n<b{}/></a>", (0..n).map(|i| format!(" a{i}=''")).collect::<String>());
        assert!(parse(&many(10_000)).is_ok());
        let (at, what) = problem(&many(10_001));
        assert_eq!(
            (&many(10_001)[at..at + 9], what.as_str()),
            ("a10000=''", "an element has more than 10000 attributes")
        );
    }

    #[test]
    fn an_attribute_may_not_be_given_twice_however_many_there_are() {
        for n in [1, 7, 8, 9, 20] {
            let attributes: String = (0..n).map(|i| format!(" a{i}=''")).collect();
            assert!(parse(&format!("<b{attributes}/>")).is_ok());
            for again in [0, n - 1] {
                let problem = problem(&format!("<b{attributes} a{again}=''/>"));
                assert_eq!(problem, (2 + attributes.len() + 1, format!("attribute a{again} is given twice")));
            }
        }
    }

    #[test]
    fn names_are_limited_as_in_java() {
        for (before, after, of) in [("<a><", "/></a>", "an element"), ("<a ", "=''/>", "an attribute")] {
            // Two bytes and one unit of UTF-16 each.
            let long = |n| format!("{before}{}{after}", "\u{e9}".repeat(n));
            assert!(parse(&long(1000)).is_ok());
            let problem = problem(&long(1001));
            assert_eq!(problem, (before.len(), format!("the name of {of} is longer than 1000 characters")));
        }
        assert_eq!(problem(&format!("<a><?{} x?></a>", "p".repeat(1001))).0, 3);
    }

    #[test]
    fn attribute_values_are_limited() {
        let long = |n| format!("<a>\n <b name='{}'/></a>", "x".repeat(n));
        assert!(parse(&long(10_000)).is_ok());
        assert_eq!(problem(&long(10_001)), (8, "the value of attribute name is longer than 10000 bytes".to_owned()));
    }

    #[test]
    fn a_doctype_is_refused_whatever_it_says() {
        for text in [
            "<!DOCTYPE a><a/>",
            "<?xml version='1.0'?><!DOCTYPE a [<!ENTITY b 'bb'><!ENTITY c '&b;&b;'>]><a>&c;</a>",
            "<!DOCTYPE a SYSTEM 'file:///etc/passwd'><a/>",
            "<!DOCTYPE a [<a/>",
            "<!DOCTYPE>",
        ] {
            assert_eq!(problem(text).1, NO_DOCTYPE, "{text}");
        }
    }

    #[test]
    fn what_the_file_says_stands_on_one_line_and_is_not_repeated_at_length() {
        for bad in ["<a></\na>", "<a>&\n;</a>", "<a>&#\n;</a>", "<a b='&\n;'/>", "<a>\n</b\nc></a>", "<a \u{b7}=''/>"] {
            let problem = problem(bad).1;
            assert!(!problem.contains('\n'), "{problem}");
        }
        let long = "x".repeat(100_000);
        for bad in
            [format!("<a></{long}>"), format!("<a>&{long};</a>"), format!("<a b='1'{long}/>"), format!("</{long}>")]
        {
            assert!(problem(&bad).1.len() < 400);
        }
    }
}
