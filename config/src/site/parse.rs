//! From a document to its properties.
//!
//! Hadoop reads the events of a stream, not a tree: each start and end of an element changes a small state whatever
//! encloses it, and so it is here. A `<name>` in a `<value>`, a property in a property, or properties far from the root
//! come out as there (`Configuration.Parser` of Hadoop 3.4.2; recorded in `tests/data/site-files.jsonl.gz`).

use super::error::{SiteFileError, SiteFileProblem};
use super::file::{Included, SiteFile, SiteProperty};
use super::prefixes::{Prefixes, local};
use crate::diagnostic::{Diagnostic, Place, Places, Span};
use crate::encoding::ReadAs;
use crate::findings::Findings;
use crate::java;
use crate::nearest::nearest;
use crate::xml::{self, Element, Node};
use bumpalo::Bump;
use rustc_hash::FxHashMap;

/// How deep files may include each other.
const MAX_DEPTH: usize = 8;
/// How many files may be included in all.
const MAX_FILES: usize = 100;

const ELEMENTS: [&str; 10] =
    ["configuration", "property", "name", "value", "final", "source", "tag", "description", "include", "fallback"];
const ATTRIBUTES: [&str; 6] = ["name", "value", "final", "source", "tag", "description"];

type Include<'i> = &'i mut dyn FnMut(&str) -> Result<Option<Included>, String>;

impl SiteFile {
    /// Reads a file that stands alone: `xi:include` is an error.
    ///
    /// # Errors
    /// When the text is not well-formed or includes another file.
    pub fn parse(text: &str, source_name: &str) -> Result<SiteFile, SiteFileError> {
        read(text, source_name, None)
    }

    /// Reads a file that may include others. `include` gets the text of `href` and answers with the file, with `None`
    /// if there is no such file, or with why it cannot be read. As in Hadoop a relative name in an included file is
    /// relative to the outermost one.
    ///
    /// # Errors
    /// When a text is not well-formed, a file that is included has no fallback and is not there, or files include each
    /// other without end.
    pub fn parse_with(
        text: &str,
        source_name: &str,
        include: &mut dyn FnMut(&str) -> Result<Option<Included>, String>,
    ) -> Result<SiteFile, SiteFileError> {
        read(text, source_name, Some(include))
    }
}

fn read(text: &str, source_name: &str, include: Option<Include<'_>>) -> Result<SiteFile, SiteFileError> {
    let mut file = SiteFile { source_name: source_name.to_owned(), properties: Vec::new(), warnings: Vec::new() };
    let mut shared = Shared { include, files: 0, findings: Findings::default() };
    read_into(&mut file.properties, &mut shared, text, source_name, 0)?;
    file.warnings = shared.findings.into_vec();
    Ok(file)
}

/// What a file has in common with those that it includes.
struct Shared<'i> {
    include: Option<Include<'i>>,
    files: usize,
    findings: Findings,
}

fn read_into(
    properties: &mut Vec<SiteProperty>,
    shared: &mut Shared<'_>,
    text: &str,
    source_name: &str,
    depth: usize,
) -> Result<(), SiteFileError> {
    let places = Places::new(source_name, text);
    let fail = |offset, problem| SiteFileError { at: places.at(offset), problem: SiteFileProblem::Malformed(problem) };
    let arena = Bump::new();
    let root = xml::parse(text, &arena, ReadAs::Properties).map_err(|error| fail(error.offset, error.problem))?;
    let mut reader =
        Reader { places: &places, properties, shared, depth, seen: FxHashMap::default(), state: State::default() };
    reader.look_at_root(&root);
    let mut prefixes = Prefixes::default();
    prefixes.enter(&root).map_err(|problem| fail(root.offset, problem))?;
    if ELEMENTS.contains(&local(root.name)) {
        reader.start(&root)?;
    }
    // An own stack: files may include each other, and each brings its depth.
    let mut open = vec![(&root, root.children.iter())];
    while let Some((element, rest)) = open.last_mut() {
        match rest.next() {
            Some(Node::Element(inner)) => {
                prefixes.enter(inner).map_err(|problem| fail(inner.offset, problem))?;
                reader.start(inner)?;
                open.push((inner, inner.children.iter()));
            }
            Some(Node::Text(at, text)) => reader.text(element, Some(at.offset), text),
            Some(Node::CData(_, text)) => reader.text(element, None, text),
            Some(Node::Instruction(_)) => {}
            None => {
                reader.end(element)?;
                prefixes.leave(element);
                open.pop();
            }
        }
    }
    Ok(())
}

/// A text and the bytes that it came from.
#[derive(Clone, Debug)]
struct Spanned {
    text: String,
    at: Span,
}

/// What Hadoop's parser remembers from one element to the next.
#[derive(Debug, Default)]
struct State {
    /// The text since the last start of an element whose text counts.
    token: String,
    in_token: bool,
    name: Option<Spanned>,
    value: Option<Spanned>,
    is_final: bool,
    /// The properties that are open.
    properties: usize,
    /// The file that an include names.
    include: Option<String>,
    /// It was not there, so its fallback counts.
    fallback_allowed: bool,
    fallback_entered: bool,
}

struct Reader<'r, 'i> {
    places: &'r Places<'r>,
    properties: &'r mut Vec<SiteProperty>,
    shared: &'r mut Shared<'i>,
    depth: usize,
    /// The properties of this file: which one of `properties` set a name last.
    seen: FxHashMap<String, usize>,
    state: State,
}

impl Reader<'_, '_> {
    fn look_at_root(&mut self, root: &Element<'_>) {
        if local(root.name) != "configuration" {
            let message = format!("the root element is <{}>, not <configuration>", root.name);
            self.find(root.offset, "root-element", message, "its properties are read all the same", None);
        }
    }

    fn start(&mut self, element: &Element<'_>) -> Result<(), SiteFileError> {
        match local(element.name) {
            "property" => self.start_property(element),
            "name" | "value" | "final" | "source" | "tag" => {
                self.state.in_token = true;
                self.state.token.clear();
            }
            "include" => return self.include(element),
            "fallback" => self.start_fallback(element),
            "configuration" | "description" => {}
            unknown => {
                let known = nearest(unknown, ELEMENTS).map(|known| format!("did you mean <{known}>?"));
                let message = format!("<{}> is unknown", element.name);
                self.find(element.offset, "unknown-element", message, "it is ignored, what is inside is read", known);
            }
        }
        Ok(())
    }

    fn start_property(&mut self, element: &Element<'_>) {
        if self.state.properties > 0 {
            let effect = "the inner one begins anew, and what is given by then is lost to the outer one";
            let help = Some("close the outer one first".to_owned());
            self.find(element.offset, "nested-property", "a <property> inside a <property>".to_owned(), effect, help);
        }
        self.state.properties += 1;
        (self.state.name, self.state.value, self.state.is_final) = (None, None, false);
        for attribute in element.attributes {
            let spanned = || Some(Spanned { text: attribute.value.to_string(), at: attribute.value_at });
            match local(attribute.name) {
                _ if attribute.name == "xmlns" || attribute.name.starts_with("xmlns:") => {}
                "name" => self.state.name = spanned(),
                "value" => self.state.value = spanned(),
                "final" => self.set_final(attribute.value, attribute.value_at.offset),
                "source" | "tag" | "description" => {}
                unknown => {
                    let known = nearest(unknown, ATTRIBUTES).map(|known| format!("did you mean {known:?}?"));
                    let message = format!("attribute {unknown:?} of <property> is unknown");
                    self.find(attribute.value_at.offset, "unknown-attribute", message, "it is ignored", known);
                }
            }
        }
    }

    fn start_fallback(&mut self, element: &Element<'_>) {
        if self.state.include.is_none() {
            let effect = "all properties up to the next include are ignored";
            let help = Some("put it inside an <xi:include>".to_owned());
            self.find(element.offset, "include", "a <fallback> outside an include".to_owned(), effect, help);
        }
        self.state.fallback_entered = true;
    }

    fn text(&mut self, within: &Element<'_>, offset: Option<usize>, text: &str) {
        if self.state.in_token {
            self.state.token.push_str(text);
        }
        let Some(offset) = offset else { return };
        let stray = java::trim(text);
        if !stray.is_empty() && matches!(local(within.name), "configuration" | "property") {
            let start = offset + text.len() - text.trim_start().len();
            let short: String = stray.chars().take(40).collect();
            self.find(
                start,
                "stray-text",
                format!("text {short:?} directly in <{}>", within.name),
                "it is ignored",
                None,
            );
        }
    }

    fn end(&mut self, element: &Element<'_>) -> Result<(), SiteFileError> {
        let token = |text: &str| Spanned { text: text.to_owned(), at: element.content };
        match local(element.name) {
            "name" if !self.state.token.is_empty() => {
                let name = token(java::trim(&self.state.token));
                self.look_for_second(element, "name", self.state.name.is_some());
                self.state.name = Some(name);
            }
            "value" if !self.state.token.is_empty() => {
                let value = token(&self.state.token);
                self.look_for_second(element, "value", self.state.value.is_some());
                self.state.value = Some(value);
            }
            "final" => {
                let token = self.state.token.clone();
                self.set_final(&token, element.offset);
            }
            "include" => self.end_include(element)?,
            "property" => self.end_property(element),
            _ => {}
        }
        Ok(())
    }

    fn look_for_second(&mut self, element: &Element<'_>, what: &str, second: bool) {
        if second && self.state.properties == 1 {
            let message = format!("a second {what} in one <property>");
            self.find(element.offset, "given-twice", message, "the last one counts", None);
        }
    }

    fn set_final(&mut self, text: &str, offset: usize) {
        self.state.is_final = text == "true";
        if !matches!(text, "true" | "false" | "") {
            let effect = "the property is not final";
            let help = Some("write true, in small letters and without white space".to_owned());
            self.find(offset, "final", format!("final is {text:?}, neither true nor false"), effect, help);
        }
    }

    fn end_property(&mut self, element: &Element<'_>) {
        self.state.properties -= 1;
        // An outer property has what its inner one leaves; else nobody asks for it again.
        let (name, value) = match self.state.properties {
            0 => (self.state.name.take(), self.state.value.take()),
            _ => (self.state.name.clone(), self.state.value.clone()),
        };
        let Some(name) = name else {
            let message = "a <property> without a name".to_owned();
            self.find(element.offset, "no-name", message, "it is ignored", None);
            return;
        };
        if !self.state.fallback_allowed && self.state.fallback_entered {
            return;
        }
        let name_at = self.place(name.at);
        let at = value.as_ref().map_or_else(|| name_at.clone(), |value| self.place(value.at));
        let value = value.map(|value| value.text);
        let property = SiteProperty { name: name.text, value, is_final: self.state.is_final, name_at, at };
        // What an outer property adds to its inner one is often nothing.
        if self.properties.last() == Some(&property) {
            return;
        }
        if java::trim(&property.name) != property.name || property.name.is_empty() {
            let message = format!("the name {:?} is empty or has white space at its ends", property.name);
            self.find(property.name_at.offset, "name", message, "nothing reads a property of this name", None);
        }
        self.look_for_same(&property);
        self.seen.insert(property.name.clone(), self.properties.len());
        self.properties.push(property);
    }

    /// The same property twice in one file, apart from one that is final: that is said where the files are laid over
    /// each other.
    fn look_for_same(&mut self, property: &SiteProperty) {
        let Some(before) = self.seen.get(&property.name).map(|before| &self.properties[*before]) else { return };
        let (Some(old), Some(new)) = (&before.value, &property.value) else { return };
        if before.is_final {
            return;
        }
        let effect = if old == new { "both are the same" } else { "the last one counts" };
        let message = format!("{} was set in line {} already", property.name, before.at.line);
        let found = Diagnostic {
            effect: Some(effect.to_owned()),
            help: Some("remove one".to_owned()),
            ..Diagnostic::warning("set-twice", Some(property.name_at.clone()), message)
        };
        self.shared.findings.push(|| found);
    }

    /// Where some bytes stand, white space at their ends left out.
    fn place(&self, at: Span) -> Place {
        self.places.span(self.places.trimmed(at))
    }

    fn include(&mut self, element: &Element<'_>) -> Result<(), SiteFileError> {
        self.state.include = None;
        let mut backwards = element.attributes.iter().rev();
        let Some(href) = backwards.find(|attribute| local(attribute.name) == "href").map(|href| href.value.to_string())
        else {
            let message = format!("<{}> without href", element.name);
            self.find(element.offset, "include", message, "nothing is included", None);
            self.state.include = Some(String::new());
            return Ok(());
        };
        self.state.include = Some(href.clone());
        let error = |problem| Err(SiteFileError { at: self.places.at(element.offset), problem });
        self.shared.files += 1;
        let shared = &mut *self.shared;
        let Some(include) = &mut shared.include else {
            return error(SiteFileProblem::IncludeRefused { href });
        };
        if self.depth >= MAX_DEPTH || shared.files > MAX_FILES {
            return error(SiteFileProblem::IncludeTooDeep { href, depth: MAX_DEPTH, count: MAX_FILES });
        }
        match include(&href) {
            Ok(Some(file)) => read_into(self.properties, shared, &file.text, &file.source_name, self.depth + 1),
            Ok(None) => {
                self.state.fallback_allowed = true;
                Ok(())
            }
            Err(problem) => error(SiteFileProblem::IncludeFailed { href, problem }),
        }
    }

    fn end_include(&mut self, element: &Element<'_>) -> Result<(), SiteFileError> {
        if self.state.fallback_allowed && !self.state.fallback_entered {
            let href = self.state.include.take().unwrap_or_default();
            let at = self.places.at(element.offset);
            return Err(SiteFileError { at, problem: SiteFileProblem::IncludeMissing { href } });
        }
        (self.state.fallback_allowed, self.state.fallback_entered, self.state.include) = (false, false, None);
        Ok(())
    }

    fn find(&mut self, offset: usize, code: &'static str, message: String, effect: &str, help: Option<String>) {
        let places = self.places;
        self.shared.findings.push(|| Diagnostic {
            effect: Some(effect.to_owned()),
            help,
            ..Diagnostic::warning(code, Some(places.at(offset)), message)
        });
    }
}
