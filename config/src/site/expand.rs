//! `${name}` in values, as `Configuration.substituteVars` replaces it.
//!
//! The first variable of a text is replaced, again and again, until there is none, one that stands for nothing, or one
//! whose value contains it. A name has no space, `$` or `}` in it, so of nested ones the innermost comes first.

use crate::java;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// How many replacements there may be, less one: `Configuration.MAX_SUBST`.
const MAX_SUBSTITUTIONS: usize = 20;
/// The longest text that a replacement may leave; nothing sensible is near it.
const MAX_LENGTH: usize = 1 << 20;
/// How many bytes may come out of the values that one reading of settings expands: a file can have as many properties
/// that expand to something long as it has lines.
pub(crate) const MAX_EXPANDED: usize = 16 << 20;

/// A value after replacement.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Expanded {
    /// The text, not trimmed.
    pub text: String,
    /// The variable that ended the replacement early; it and all after it stand in the text as they were.
    pub unresolved: Option<Unresolved>,
}

/// Why a variable was not replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unresolved {
    /// Neither the environment, nor a system property, nor a property has this name.
    Unbound(String),
    /// Its value contains it; the text is what it was before any replacement.
    SelfReference(String),
}

/// A value in which 20 replacements do not come to an end, which Hadoop refuses to read; or one which becomes very
/// long, or with which all values together do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "after {MAX_SUBSTITUTIONS} replacements of ${{...}} there is no end, or more than {MAX_LENGTH} bytes have come out, or \
     {MAX_EXPANDED} of all properties together"
)]
pub struct TooManySubstitutions;

type Lookup = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// Where variables are looked up before the properties; empty unless the caller gives something in.
#[derive(Clone, Default)]
pub(super) struct Surroundings {
    pub(super) environment: Option<Lookup>,
    pub(super) system: Option<Lookup>,
}

impl fmt::Debug for Surroundings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (environment, system) = (self.environment.is_some(), self.system.is_some());
        f.debug_struct("Surroundings").field("environment", &environment).field("system", &system).finish()
    }
}

impl Surroundings {
    fn environment(&self, name: &str) -> Option<String> {
        self.environment.as_ref().and_then(|lookup| lookup(name))
    }

    /// `env.NAME`, `env.NAME-default`, `env.NAME:-default` from the environment; other names from the system
    /// properties.
    fn get(&self, variable: &str) -> Option<String> {
        let Some(name) = variable.strip_prefix("env.").filter(|name| !name.is_empty()) else {
            return self.system.as_ref().and_then(|lookup| lookup(variable));
        };
        let (dash, colon_dash) = (name.find('-'), name.find(":-"));
        match (dash, colon_dash) {
            (Some(dash), Some(colon)) if colon < dash => {
                let given = self.environment(&name[..colon]).filter(|value| !value.is_empty());
                Some(given.unwrap_or_else(|| name[colon + 2..].to_owned()))
            }
            (Some(dash), _) => Some(self.environment(&name[..dash]).unwrap_or_else(|| name[dash + 1..].to_owned())),
            (None, _) => self.environment(name),
        }
    }
}

/// Replaces the variables of a text. `property` gives the raw value of a property.
pub(super) fn expand<'p>(
    text: &str,
    surroundings: &Surroundings,
    property: impl Fn(&str) -> Option<&'p str>,
) -> Result<Expanded, TooManySubstitutions> {
    let mut value = text.to_owned();
    for _ in 0..MAX_SUBSTITUTIONS {
        let Some(name) = variable(&value) else { return Ok(Expanded { text: value, unresolved: None }) };
        let variable = &value[name.clone()];
        let found = surroundings.get(variable);
        let Some(found) = found.as_deref().or_else(|| property(java::trim(variable))) else {
            let unresolved = Some(Unresolved::Unbound(variable.to_owned()));
            return Ok(Expanded { text: value, unresolved });
        };
        let reference = name.start - "${".len()..name.end + "}".len();
        if found.contains(&value[reference.clone()]) {
            let unresolved = Some(Unresolved::SelfReference(variable.to_owned()));
            return Ok(Expanded { text: text.to_owned(), unresolved });
        }
        if value.len() + found.len() > MAX_LENGTH {
            return Err(TooManySubstitutions);
        }
        value.replace_range(reference, found);
    }
    Err(TooManySubstitutions)
}

/// The name in the first `${name}`.
fn variable(text: &str) -> Option<Range<usize>> {
    let mut from = 0;
    'brace: while let Some(at) = text[from..].find('{') {
        let start = from + at + 1;
        from = start;
        if !text[..start - 1].ends_with('$') {
            continue;
        }
        for (length, c) in text[start..].char_indices() {
            match c {
                '}' if length > 0 => return Some(start..start + length),
                '}' | ' ' | '$' => {
                    from = start + length + 1;
                    continue 'brace;
                }
                _ => {}
            }
        }
        return None;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_end_at_spaces_and_dollars() {
        let name = |text: &str| variable(text).map(|range| text[range].to_owned());
        assert_eq!(name("a ${b} ${c}").as_deref(), Some("b"));
        assert_eq!(name("${a${b}}").as_deref(), Some("b"));
        assert_eq!(name("${a b} ${c}").as_deref(), Some("c"));
        assert_eq!(name("${}x}${\u{e9}}").as_deref(), Some("\u{e9}"));
        assert_eq!(name("$${{}").as_deref(), Some("{"));
        for none in ["", "{a}", "${a", "$a}", "${ a}", "${}", "$ {a}"] {
            assert_eq!(name(none), None, "{none}");
        }
    }

    #[test]
    fn a_long_value_is_not_doubled_without_end() {
        let long = "x".repeat(MAX_LENGTH / 2);
        let expanded = expand("${a}${a}${a}", &Surroundings::default(), |_| Some(&long));
        assert_eq!(expanded, Err(TooManySubstitutions));
        let plain = "x".repeat(2 * MAX_LENGTH);
        assert_eq!(expand(&plain, &Surroundings::default(), |_| None).unwrap().text, plain);
    }
}
