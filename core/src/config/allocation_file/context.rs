//! What every part of reading a file needs: places, types, policies, the warnings so far, and typed texts.

use super::PolicyName;
use super::error::AllocationFileError as Error;
use crate::config::diagnostic::{Diagnostic, Places};
use crate::config::java;
use crate::config::resource_string::{Limit, Missing, parse_resource};
use crate::config::xml::{Element, Node};
use crate::resource::{Resource, ResourceTypes};
use std::cmp::Ordering;

/// More than anybody reads; a hostile file is not to make millions.
const MAX_WARNINGS: usize = 1000;

const REAL: &str = "a number, such as 0.5 or -1";
const INTEGER: &str = "an integer, such as 50";
const SECONDS: &str = "a whole number of seconds, such as 60";

pub(super) struct Context<'a> {
    pub(super) places: Places<'a>,
    pub(super) types: &'a ResourceTypes,
    pub(super) custom_policies: &'a [String],
    pub(super) warnings: Vec<Diagnostic>,
}

/// An element with what it belongs to: `queue "root.a": `, or nothing.
#[derive(Clone, Copy)]
pub(super) struct Field<'a> {
    pub(super) owner: &'a str,
    pub(super) element: &'a Element,
}

impl Field<'_> {
    fn subject(self) -> String {
        format!("{}{}", self.owner, self.element.name)
    }
}

impl Context<'_> {
    pub(super) fn warn(&mut self, element: &Element, message: String) {
        self.warn_at(element.offset, message);
    }

    fn warn_at(&mut self, offset: usize, message: String) {
        let message = match self.warnings.len().cmp(&MAX_WARNINGS) {
            Ordering::Less => message,
            Ordering::Equal => format!("more than {MAX_WARNINGS} warnings; those from here on are left out"),
            Ordering::Greater => return,
        };
        self.warnings.push(Diagnostic::warning("odd", Some(self.places.at(offset)), message));
    }

    pub(super) fn warn_field(&mut self, field: Field<'_>, message: &str) {
        self.warn(field.element, format!("{} {message}", field.subject()));
    }

    /// Text between elements means nothing: warns of it.
    pub(super) fn warn_stray_text(&mut self, element: &Element) {
        for node in &element.children {
            if let Node::Text(offset, text) = node {
                let stray = java::trim(text);
                if !stray.is_empty() {
                    let start = offset + text.len() - text.trim_start().len();
                    let short: String = stray.chars().take(40).collect();
                    let message = format!("text {short:?} directly in <{}> is ignored", element.name);
                    self.warn_at(start, message);
                }
            }
        }
    }

    /// The text as it stands: the first piece, which ends at an element or a CDATA section.
    pub(super) fn text<'e>(&self, field: Field<'e>) -> Result<&'e str, Error> {
        let at = || self.places.at(field.element.offset);
        let found = match field.element.children.first() {
            None => return Err(Error::NoText { at: at(), subject: field.subject() }),
            Some(Node::Text(_, text) | Node::CData(text)) => return Ok(text),
            Some(Node::Element(inner)) => format!("<{}>", inner.name),
            Some(Node::Instruction) => "a processing instruction".to_owned(),
        };
        Err(Error::NotText { at: at(), subject: field.subject(), found })
    }

    pub(super) fn trimmed<'e>(&self, field: Field<'e>) -> Result<&'e str, Error> {
        self.text(field).map(java::trim)
    }

    fn number<T>(
        &self,
        field: Field<'_>,
        expected: &'static str,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Result<T, Error> {
        let text = self.trimmed(field)?;
        parse(text).ok_or_else(|| Error::NotANumber {
            at: self.places.at(field.element.offset),
            subject: field.subject(),
            text: text.to_owned(),
            expected,
        })
    }

    pub(super) fn integer(&self, field: Field<'_>) -> Result<i32, Error> {
        self.number(field, INTEGER, java::parse_int)
    }

    pub(super) fn float(&self, field: Field<'_>) -> Result<f32, Error> {
        self.number(field, REAL, java::parse_float)
    }

    /// Read as a double and narrowed, as weights are.
    pub(super) fn narrowed(&self, field: Field<'_>) -> Result<f32, Error> {
        self.number(field, REAL, java::parse_double).map(java::narrow)
    }

    /// At most 1.0.
    pub(super) fn share(&self, field: Field<'_>) -> Result<f32, Error> {
        self.float(field).map(|value| java::min(value, 1.0))
    }

    /// From 0.0 to 1.0.
    pub(super) fn threshold(&self, field: Field<'_>) -> Result<f32, Error> {
        self.float(field).map(java::clamp_to_one)
    }

    /// Seconds as milliseconds; a product beyond 64 bits wraps, as in Hadoop, with a warning.
    pub(super) fn seconds(&mut self, field: Field<'_>) -> Result<i64, Error> {
        let seconds = self.number(field, SECONDS, java::parse_long)?;
        let (millis, wrapped) = seconds.overflowing_mul(1000);
        if wrapped {
            self.warn_field(field, &format!("is too large: it comes out as {millis} ms"));
        }
        Ok(millis)
    }

    pub(super) fn limit(&self, field: Field<'_>, missing: Missing) -> Result<Limit, Error> {
        let text = self.trimmed(field)?;
        parse_resource(text, self.types, missing).map_err(|source| Error::Resource {
            at: self.places.at(field.element.offset),
            subject: field.subject(),
            source: Box::new(source),
        })
    }

    /// Amounts; a percentage is dropped, as in Hadoop, with a warning.
    pub(super) fn amounts(&mut self, field: Field<'_>, missing: Missing) -> Result<Option<Resource>, Error> {
        let amounts = self.limit(field, missing)?.absolute();
        if amounts.is_none() {
            self.warn_field(field, "is a percentage, which has no effect here; write amounts");
        }
        Ok(amounts)
    }

    pub(super) fn policy(&self, field: Field<'_>) -> Result<PolicyName, Error> {
        let name = self.trimmed(field)?;
        PolicyName::parse(name, self.custom_policies).ok_or_else(|| {
            let custom = self.custom_policies.iter().map(String::as_str);
            Error::UnknownPolicy {
                at: self.places.at(field.element.offset),
                subject: field.subject(),
                name: name.to_owned(),
                known: ["fair", "fifo", "drf"].into_iter().chain(custom).collect::<Vec<_>>().join(", "),
            }
        })
    }
}
