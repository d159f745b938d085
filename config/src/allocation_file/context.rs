//! What every part of reading a file needs: places, types, policies, what was found so far, and typed texts.
//!
//! One reading owns it. A reading for use ends at the first error; one for a check notes errors down and goes on.

use super::elements::{belongs, meant};
use super::error::{AllocationFileError as Error, NumberKind};
use super::policy_name::PolicyName;
use crate::diagnostic::{Places, Span};
use crate::java;
use crate::nearest::nearest;
use crate::quoted::shortened;
use crate::resource_string::{Limit, Missing, parse_resource};
use crate::warnings::Warnings;
use crate::xml::{Element, Node};
use evenweave_resource::{Resource, ResourceTypes};
use std::fmt;

/// As for warnings: more than anybody reads.
const MAX_ERRORS: usize = 1000;

pub(super) struct Context<'a> {
    pub(super) types: &'a ResourceTypes,
    pub(super) custom_policies: &'a [String],
    pub(super) warnings: Warnings<'a>,
    /// A placement rule that always decides may stand before others, as Hadoop's converter can be told.
    pub(super) unordered_rules: bool,
    /// The errors passed over; `None` when the first one ends the reading.
    errors: Option<Vec<Error>>,
}

/// What an element belongs to. Shown, it stands before what is said of the element: `queue "root.a": `.
#[derive(Clone, Copy)]
pub(super) enum Owner<'a> {
    Top,
    PlacementPolicy,
    Queue(&'a str),
    User(&'a str),
}

impl fmt::Display for Owner<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Owner::Top => Ok(()),
            Owner::PlacementPolicy => f.write_str("queuePlacementPolicy: "),
            Owner::Queue(name) => write!(f, "queue {name:?}: "),
            Owner::User(name) => write!(f, "user {name:?}: "),
        }
    }
}

/// An element with what it belongs to.
#[derive(Clone, Copy)]
pub(super) struct Field<'a> {
    pub(super) owner: Owner<'a>,
    pub(super) element: &'a Element<'a>,
}

impl Field<'_> {
    pub(super) fn subject(self) -> String {
        format!("{}{}", self.owner, self.element.name)
    }
}

/// The bytes of an element's value without white space around it, or of its name when it has none.
pub(super) fn value_at(places: &Places<'_>, element: &Element<'_>) -> Span {
    match element.children.first() {
        Some(Node::Text(at, _) | Node::CData(at, _)) => places.trimmed(*at),
        Some(Node::Element(_) | Node::Instruction(_)) | None => element.name_at(),
    }
}

impl<'a> Context<'a> {
    pub(super) fn new(places: Places<'a>, types: &'a ResourceTypes, custom_policies: &'a [String]) -> Context<'a> {
        Context { types, custom_policies, warnings: Warnings::new(places), unordered_rules: false, errors: None }
    }

    /// The same, going on after errors.
    #[cfg(feature = "check")]
    pub(super) fn collecting(self) -> Context<'a> {
        Context { errors: Some(Vec::new()), ..self }
    }

    pub(super) fn into_findings(self) -> (Warnings<'a>, Vec<Error>) {
        (self.warnings, self.errors.unwrap_or_default())
    }

    /// Gives what was read, or passes the error over if errors are collected.
    pub(super) fn settle<T>(&mut self, read: Result<T, Error>) -> Result<Option<T>, Error> {
        match (read, &mut self.errors) {
            (Ok(value), _) => Ok(Some(value)),
            (Err(error), None) => Err(error),
            (Err(error), Some(errors)) => {
                if errors.len() < MAX_ERRORS {
                    errors.push(error);
                }
                Ok(None)
            }
        }
    }

    /// Wraps the errors that were passed over from the `first` on.
    pub(super) fn rewrite_errors(&mut self, first: usize, wrap: impl Fn(Error) -> Error) {
        if let Some(errors) = &mut self.errors {
            let later = errors.split_off(first.min(errors.len()));
            errors.extend(later.into_iter().map(wrap));
        }
    }

    pub(super) fn errors_so_far(&self) -> usize {
        self.errors.as_ref().map_or(0, Vec::len)
    }

    pub(super) fn value_at(&self, element: &Element<'_>) -> Span {
        value_at(&self.warnings.places, element)
    }

    /// An element that means nothing where it stands; `known` are those that would.
    pub(super) fn warn_of_ignored<'k>(
        &mut self,
        field: Field<'_>,
        parent: &str,
        known: impl IntoIterator<Item = &'k str> + Clone,
    ) {
        if self.warnings.is_full() {
            return;
        }
        let (tag, at) = (field.element.name, field.element.name_at());
        if let Some(order) = belongs(tag) {
            let message = format!("{}<{tag}> does not belong into <{parent}>", field.owner);
            self.warnings.warn("misplaced-element", at, message).effect("Hadoop ignores it").help(order);
            return;
        }
        let help = match meant(tag, known.clone()) {
            Some(name) => format!("did you mean <{name}>?"),
            None => format!("known here are {}", known.into_iter().collect::<Vec<_>>().join(", ")),
        };
        let message = format!("{}<{tag}> is not known in <{parent}>", field.owner);
        self.warnings.warn("unknown-element", at, message).effect("Hadoop ignores it").help(help);
    }

    /// Attributes that mean nothing; those of XML itself may stand anywhere.
    pub(super) fn warn_of_attributes(&mut self, element: &Element<'_>, known: &[&str]) {
        for attribute in element.attributes {
            let name = attribute.name;
            if known.contains(&name) || name.starts_with("xml") || self.warnings.is_full() {
                continue;
            }
            let help = match nearest(name, known.iter().copied()) {
                Some(meant) => format!("did you mean {meant}?"),
                None if known.is_empty() => "remove it; a value stands between the tags".to_owned(),
                None => format!("known here are {}", known.join(", ")),
            };
            let message = format!("<{}> has no attribute {name:?}", element.name);
            self.warnings.warn("unknown-attribute", attribute.name_at, message).effect("Hadoop ignores it").help(help);
        }
    }

    /// Text between elements means nothing.
    pub(super) fn warn_of_stray_text(&mut self, element: &Element<'_>) {
        for node in element.children {
            let (Node::Text(at, text) | Node::CData(at, text)) = node else { continue };
            // What `java::trim` takes off, by bytes.
            if text.bytes().all(|byte| byte <= b' ') {
                continue;
            }
            let at = self.warnings.places.trimmed(*at);
            let short: String = java::trim(text).chars().take(40).collect();
            self.warnings
                .warn("stray-text", at, format!("text {short:?} directly inside <{}>", element.name))
                .effect("Hadoop ignores it")
                .help("put it into the element that it was meant for, or into a comment: <!-- ... -->");
        }
    }

    /// The text as it stands: the first piece, which ends at an element or a CDATA section.
    pub(super) fn text<'e>(&mut self, field: Field<'e>) -> Result<&'e str, Error> {
        self.text_or(field, "write a value, or remove it for the default")
    }

    /// The same; `remedy` is what to write where there is none.
    pub(super) fn text_or<'e>(&mut self, field: Field<'e>, remedy: &'static str) -> Result<&'e str, Error> {
        let element = field.element;
        self.warn_of_attributes(element, &[]);
        let (at, found) = match element.children.first() {
            None => {
                let at = self.warnings.places.span(element.name_at());
                return Err(Error::NoText { at, subject: field.subject(), remedy });
            }
            Some(Node::Text(_, text) | Node::CData(_, text)) => {
                self.warn_of_more_content(field);
                return Ok(text);
            }
            Some(Node::Element(inner)) => (inner.name_at(), format!("<{}>", inner.name)),
            Some(Node::Instruction(at)) => (*at, "a processing instruction".to_owned()),
        };
        Err(Error::NotText { at: self.warnings.places.span(at), subject: field.subject(), found })
    }

    /// What stands behind the first piece of a value is not looked at.
    fn warn_of_more_content(&mut self, field: Field<'_>) {
        let more = field.element.children.iter().skip(1).find_map(|node| match node {
            Node::Text(at, text) | Node::CData(at, text) => (!java::trim(text).is_empty()).then_some(*at),
            Node::Element(element) => Some(element.name_at()),
            Node::Instruction(at) => Some(*at),
        });
        if let Some(at) = more {
            self.warnings
                .warn("more-content", at, format!("{} goes on after its value", field.subject()))
                .effect("Hadoop takes the first piece of text alone, up to an element or a CDATA section")
                .help("write the value as one piece of plain text");
        }
    }

    pub(super) fn trimmed<'e>(&mut self, field: Field<'e>) -> Result<&'e str, Error> {
        self.text(field).map(java::trim)
    }

    fn number<T>(
        &mut self,
        field: Field<'_>,
        expected: NumberKind,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Result<T, Error> {
        let text = self.trimmed(field)?;
        parse(text).ok_or_else(|| Error::NotANumber {
            at: self.warnings.places.span(self.value_at(field.element)),
            subject: field.subject(),
            text: shortened(text).into_owned(),
            expected,
        })
    }

    pub(super) fn integer(&mut self, field: Field<'_>) -> Result<i32, Error> {
        self.number(field, NumberKind::Integer, java::parse_int)
    }

    pub(super) fn float(&mut self, field: Field<'_>) -> Result<f32, Error> {
        self.number(field, NumberKind::Real, java::parse_float)
    }

    /// Read as a double and narrowed, as weights are.
    pub(super) fn narrowed(&mut self, field: Field<'_>) -> Result<f32, Error> {
        self.number(field, NumberKind::Real, java::parse_double).map(java::narrow)
    }

    /// At most 1.0.
    pub(super) fn share(&mut self, field: Field<'_>) -> Result<f32, Error> {
        self.float(field).map(|value| java::min(value, 1.0))
    }

    /// From 0.0 to 1.0.
    pub(super) fn threshold(&mut self, field: Field<'_>) -> Result<f32, Error> {
        self.float(field).map(java::clamp_to_one)
    }

    /// Seconds as milliseconds; a product beyond 64 bits wraps, as in Hadoop, with a warning.
    pub(super) fn seconds(&mut self, field: Field<'_>) -> Result<i64, Error> {
        let seconds = self.number(field, NumberKind::Seconds, java::parse_long)?;
        let (millis, wrapped) = seconds.overflowing_mul(1000);
        if wrapped {
            let at = self.value_at(field.element);
            self.warnings
                .warn("timeout-overflow", at, format!("{} is too large", field.subject()))
                .effect(format!("in milliseconds it does not fit 64 bits and comes out as {millis}"))
                .help("write a smaller one; the largest that fits is 9223372036854775");
        }
        Ok(millis)
    }

    pub(super) fn limit(&mut self, field: Field<'_>, missing: Missing) -> Result<Limit, Error> {
        let text = self.trimmed(field)?;
        parse_resource(text, self.types, missing).map_err(|source| Error::Resource {
            at: self.warnings.places.span(self.value_at(field.element)),
            subject: field.subject(),
            source: Box::new(source),
        })
    }

    /// An upper limit. `memory-mb=4096` alone forbids all vcores, which nobody means.
    pub(super) fn maximum(&mut self, field: Field<'_>) -> Result<Limit, Error> {
        let limit = self.limit(field, Missing::Max)?;
        if limit.absolute().is_some_and(|amounts| amounts.vcores() < 0) {
            let at = self.value_at(field.element);
            self.warnings
                .warn("no-vcores", at, format!("{} names no vcores", field.subject()))
                .effect("Hadoop takes them for -1: nothing that needs vcores fits")
                .help("add vcores=..., for example vcores=2147483647 for no limit");
        }
        Ok(limit)
    }

    /// Amounts; a percentage is dropped, as in Hadoop, with a warning.
    pub(super) fn amounts(&mut self, field: Field<'_>, missing: Missing) -> Result<Option<Resource>, Error> {
        let amounts = match missing {
            Missing::Zero => self.limit(field, missing),
            Missing::Max => self.maximum(field),
        }?
        .absolute();
        if amounts.is_none() {
            let at = self.value_at(field.element);
            self.warnings
                .warn("percentage-dropped", at, format!("{} is a percentage", field.subject()))
                .effect("Hadoop drops it, as if the element were not there")
                .help("write amounts, for example \"memory-mb=4096, vcores=4\"");
        }
        Ok(amounts)
    }

    pub(super) fn policy(&mut self, field: Field<'_>) -> Result<PolicyName, Error> {
        let name = self.trimmed(field)?;
        PolicyName::parse(name, self.custom_policies).ok_or_else(|| {
            let custom = self.custom_policies.iter().map(String::as_str);
            Error::UnknownPolicy {
                at: self.warnings.places.span(self.value_at(field.element)),
                subject: field.subject(),
                name: shortened(name).into_owned(),
                known: ["fair", "fifo", "drf"].into_iter().chain(custom).collect::<Vec<_>>().join(", ").into(),
            }
        })
    }
}
