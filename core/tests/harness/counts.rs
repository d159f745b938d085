//! How often operations were done, and how often they reached what they are there for.

use std::collections::BTreeMap;
use std::fmt;

/// Numbers by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts(BTreeMap<&'static str, u64>);

impl Counts {
    pub(crate) fn add(&mut self, name: &'static str, count: usize) {
        *self.0.entry(name).or_default() += count as u64;
    }

    pub(crate) fn of(&self, name: &str) -> u64 {
        self.0.get(name).copied().unwrap_or_default()
    }

    pub(crate) fn take_in(&mut self, other: &Counts) {
        for (name, count) in &other.0 {
            *self.0.entry(name).or_default() += count;
        }
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|(name, count)| write!(f, "\n  {count:>10} {name}"))
    }
}
