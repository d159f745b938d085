//! The properties of a CapacityScheduler, with the types of their values.
//!
//! Expansion of `${name}` can make little text very long, property by property, so that all of it together has an end.

use super::error::{CapacityFault, CapacityFileError};
use crate::diagnostic::Place;
use crate::java;
use crate::properties::{Properties, parse_boolean};
use crate::site::SiteProperties;
use std::cell::{Cell, RefCell};
use std::collections::HashSet;

/// What all of the scheduler's own properties begin with.
pub(super) const PREFIX: &str = "yarn.scheduler.capacity.";

/// So many bytes may expansion add.
const MAX_EXPANSION: usize = 1 << 26;

type Read<T> = Result<T, CapacityFileError>;

/// All properties, typed reading and lists of names.
#[derive(Debug)]
pub(super) struct Source<'a> {
    site: &'a SiteProperties,
    properties: Properties<'a>,
    /// Sorted.
    names: Vec<&'a str>,
    /// What expansion has added.
    expanded: Cell<usize>,
    /// The first value that could not be expanded.
    failed: RefCell<Option<CapacityFileError>>,
}

impl<'a> Source<'a> {
    pub(super) fn new(site: &'a SiteProperties) -> Source<'a> {
        Source { names: site.names(), ..Source::unlisted(site) }
    }

    /// For whoever asks for single properties alone: nothing is [under](Self::under) any prefix.
    pub(super) fn unlisted(site: &'a SiteProperties) -> Source<'a> {
        let (properties, names) = (Properties::from(site), Vec::new());
        Source { site, properties, names, expanded: Cell::new(0), failed: RefCell::new(None) }
    }

    pub(super) fn properties(&self) -> &Properties<'a> {
        &self.properties
    }

    /// The value, expanded, not trimmed. One that cannot be expanded is none, and [`Source::check_expansion`] tells of
    /// it.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        let raw = self.raw(name)?;
        if !raw.contains("${") {
            return Some(raw.to_owned());
        }
        let fail = |fault| {
            self.failed.borrow_mut().get_or_insert_with(|| CapacityFileError::new(name, fault));
            None
        };
        if self.expanded.get() > MAX_EXPANSION {
            return fail(CapacityFault::Expansion { most: MAX_EXPANSION });
        }
        match self.site.get(name) {
            Ok(text) => {
                let text = text.unwrap_or_default();
                self.expanded.set(self.expanded.get() + text.len().saturating_sub(raw.len()));
                Some(text)
            }
            Err(error) => fail(CapacityFault::Site(error.to_string())),
        }
    }

    /// The first value that could not be expanded. What was read after it is nothing to go by.
    pub(super) fn check_expansion(&self) -> Result<(), CapacityFileError> {
        self.failed.take().map_or(Ok(()), Err)
    }

    /// The value as written.
    pub(super) fn raw(&self, name: &str) -> Option<&'a str> {
        self.site.raw(name)
    }

    /// Where a property's name stands, if it is in a file.
    pub(super) fn name_at(&self, name: &str) -> Option<Place> {
        self.site.origin(name).and_then(|origin| origin.name_at()).cloned()
    }

    /// What follows the prefix in the names that begin with it, in order.
    pub(super) fn under<'s>(&'s self, prefix: &'s str) -> impl Iterator<Item = &'a str> + 's {
        let first = self.names.partition_point(|name| *name < prefix);
        self.names[first..].iter().map_while(move |name| name.strip_prefix(prefix))
    }

    pub(super) fn flag(&self, name: &str, default: bool) -> bool {
        // For what cannot be expanded.
        let there = self.raw(name).is_some_and(|raw| !raw.contains("${") || self.text(name).is_some());
        if there { self.properties.text(name).as_deref().and_then(parse_boolean).unwrap_or(default) } else { default }
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
        let parts = java::split_trimmed(&text).into_iter().filter(|part| !part.is_empty());
        parts.filter(|part| seen.insert(*part)).map(str::to_owned).collect()
    }

    /// A property of a queue.
    pub(super) fn of(queue: &str, key: &str) -> String {
        // Joined by hand: a file of ten thousand queues asks for half a million of them.
        let mut name = String::with_capacity(PREFIX.len() + queue.len() + 1 + key.len());
        for part in [PREFIX, queue, ".", key] {
            name.push_str(part);
        }
        name
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

/// The parts between colons, trimmed; empty ones do not count.
pub(super) fn parts(text: &str) -> Vec<&str> {
    text.split(':').map(java::trim).filter(|part| !part.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bare_integers_are_not_trimmed() {
        let site = [("a", "33"), ("b", " 33"), ("c", "0x10")].into_iter().collect();
        let source = Source::new(&site);
        assert_eq!(source.bare_int("a"), Ok(Some(33)));
        assert!(source.bare_int("b").is_err() && source.bare_int("c").is_err());
        assert_eq!(source.int("c", 0), Ok(16));
    }

    #[test]
    fn names_under_a_prefix_come_in_order() {
        let site = [("p.b", "1"), ("p.a", "1"), ("p", "1"), ("q.a", "1"), ("p/a", "1")].into_iter().collect();
        assert_eq!(Source::new(&site).under("p.").collect::<Vec<_>>(), ["a", "b"]);
    }

    #[test]
    fn what_cannot_be_expanded_is_told_of() {
        let site = [("a", "${b}"), ("b", "${a}x"), ("c", "${x}"), ("d", "true")].into_iter().collect();
        let source = Source::new(&site);
        assert_eq!(source.text("c").as_deref(), Some("${x}"));
        assert!(source.flag("d", false));
        assert_eq!(source.check_expansion(), Ok(()));
        assert!(!source.flag("a", false));
        assert_eq!(source.check_expansion().unwrap_err().property, "a");
    }

    #[test]
    fn expansion_has_an_end() {
        let long = "x".repeat(1 << 19);
        let mut site: SiteProperties = [("long", long.as_str())].into_iter().collect();
        for i in 0..200 {
            site.set(&format!("p{i}"), "${long}");
        }
        let source = Source::new(&site);
        let total: usize = (0..200).filter_map(|i| source.text(&format!("p{i}"))).map(|text| text.len()).sum();
        assert!(total < MAX_EXPANSION + (1 << 20));
        assert!(matches!(*source.check_expansion().unwrap_err().fault, CapacityFault::Expansion { .. }));
    }
}
