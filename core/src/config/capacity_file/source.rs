//! The properties of a CapacityScheduler: those of capacity-scheduler.xml over those of yarn-site.
//!
//! An empty value is none at all, as in Hadoop's reading of `<value/>`. Expansion of `${name}` can make little text very
//! long, property by property, so that all of it together has an end.

use super::error::{CapacityFault, CapacityFileError};
use crate::config::java;
use crate::config::properties::Properties;
use std::cell::Cell;
use std::collections::{HashMap, HashSet};

/// What all of the scheduler's own properties begin with.
pub(super) const PREFIX: &str = "yarn.scheduler.capacity.";

/// So many bytes may expansion add.
const MOST_EXPANSION: usize = 1 << 26;

/// A number or nothing where the property is absent.
type Read<T> = Result<T, CapacityFileError>;

/// All properties, typed reading and lists of names.
#[derive(Debug)]
pub(super) struct Source<'a> {
    properties: Properties<'a>,
    raw: HashMap<&'a str, &'a str>,
    /// Sorted.
    names: Vec<&'a str>,
    /// What expansion has added, and the first property for which it was too much.
    expanded: Cell<usize>,
    too_long: Cell<Option<usize>>,
}

impl<'a> Source<'a> {
    /// Of two of one name the later counts.
    pub(super) fn new(pairs: impl Iterator<Item = (&'a str, &'a str)>) -> Source<'a> {
        let raw: HashMap<&str, &str> = pairs.filter(|(_, value)| !value.is_empty()).collect();
        let properties: Properties<'a> = raw.iter().map(|(name, value)| (*name, *value)).collect();
        let names = properties.names();
        Source { properties, raw, names, expanded: Cell::new(0), too_long: Cell::new(None) }
    }

    /// The value, expanded, not trimmed.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        let (name, raw) = self.raw.get_key_value(name)?;
        if !raw.contains("${") {
            return Some((*raw).to_owned());
        }
        if self.too_long.get().is_some() {
            return None;
        }
        let text = self.properties.text(name)?;
        self.expanded.set(self.expanded.get() + text.len().saturating_sub(raw.len()));
        if self.expanded.get() > MOST_EXPANSION {
            self.too_long.set(self.names.binary_search(name).ok());
        }
        Some(text)
    }

    /// Whether expansion has come to its end. What was read after that is nothing to go by.
    pub(super) fn check_expansion(&self) -> Result<(), CapacityFileError> {
        let fault = CapacityFault::Expansion { most: MOST_EXPANSION };
        self.too_long.get().map_or(Ok(()), |at| Err(CapacityFileError::new(self.names[at], fault)))
    }

    /// The value as written.
    pub(super) fn raw(&self, name: &str) -> Option<&'a str> {
        self.raw.get(name).copied()
    }

    /// What follows the prefix in the names that begin with it, in order.
    pub(super) fn under<'s>(&'s self, prefix: &'s str) -> impl Iterator<Item = &'a str> + 's {
        let first = self.names.partition_point(|name| *name < prefix);
        self.names[first..].iter().map_while(move |name| name.strip_prefix(prefix))
    }

    pub(super) fn properties(&self) -> &Properties<'a> {
        &self.properties
    }

    pub(super) fn flag(&self, name: &str, default: bool) -> bool {
        self.properties.flag(name).unwrap_or(default)
    }

    pub(super) fn int(&self, name: &str, default: i32) -> Read<i32> {
        Ok(self.properties.int(name, default)?)
    }

    pub(super) fn long(&self, name: &str, default: i64) -> Read<i64> {
        Ok(self.properties.long(name, default)?)
    }

    pub(super) fn float(&self, name: &str, default: f32) -> Read<f32> {
        Ok(self.properties.float(name, default)?)
    }

    /// `Configuration.getDouble`.
    pub(super) fn double(&self, name: &str, default: f64) -> Read<f64> {
        let Some(text) = self.text(name) else { return Ok(default) };
        java::parse_double(&text).ok_or_else(|| not_a_number(name, &text, "a number, such as 0.1"))
    }

    /// `Integer.valueOf` of the text as it is: neither trimmed nor hexadecimal.
    pub(super) fn bare_int(&self, name: &str) -> Read<Option<i32>> {
        let Some(text) = self.text(name) else { return Ok(None) };
        let value = java::parse_int(&text);
        value
            .map(Some)
            .ok_or_else(|| not_a_number(name, &text, "an integer of 32 bits without white space around it, such as 10"))
    }

    /// `Configuration.getTrimmedStringCollection`: the parts between commas or line ends, each once, none empty.
    pub(super) fn list(&self, name: &str) -> Vec<String> {
        let text = self.text(name).unwrap_or_default();
        let mut seen = HashSet::new();
        let parts = text.split([',', '\n']).map(java::trim).filter(|part| !part.is_empty());
        parts.filter(|part| seen.insert(*part)).map(str::to_owned).collect()
    }

    /// A property of a queue.
    pub(super) fn of(queue: &str, key: &str) -> String {
        format!("{PREFIX}{queue}.{key}")
    }

    /// A property of a queue for a label, the empty one for none.
    pub(super) fn of_label(queue: &str, label: &str, key: &str) -> String {
        if label.is_empty() {
            Source::of(queue, key)
        } else {
            format!("{PREFIX}{queue}.accessible-node-labels.{label}.{key}")
        }
    }
}

pub(super) fn not_a_number(property: &str, text: &str, expected: &'static str) -> CapacityFileError {
    CapacityFileError::new(property, CapacityFault::NotANumber { text: text.to_owned(), expected })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(pairs: &'static [(&'static str, &'static str)]) -> Source<'static> {
        Source::new(pairs.iter().copied())
    }

    #[test]
    fn an_empty_value_is_none() {
        let source = source(&[("a", ""), ("b", " ")]);
        assert_eq!(source.int("a", 7), Ok(7));
        assert!(source.int("b", 7).is_err());
        assert_eq!(source.under("").collect::<Vec<_>>(), ["b"]);
    }

    #[test]
    fn bare_integers_are_not_trimmed() {
        let source = source(&[("a", "33"), ("b", " 33"), ("c", "0x10")]);
        assert_eq!(source.bare_int("a"), Ok(Some(33)));
        assert!(source.bare_int("b").is_err() && source.bare_int("c").is_err());
        assert_eq!(source.int("c", 0), Ok(16));
    }

    #[test]
    fn names_under_a_prefix_come_in_order() {
        let source = source(&[("p.b", "1"), ("p.a", "1"), ("p", "1"), ("q.a", "1"), ("p/a", "1")]);
        assert_eq!(source.under("p.").collect::<Vec<_>>(), ["a", "b"]);
    }
}
