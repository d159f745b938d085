//! Typed reading of properties, as Hadoop's `Configuration`: expansion of `${name}`, trimming, hexadecimal integers.

use super::java;
use super::settings::SettingsError;
use std::collections::HashMap;

/// Properties by name. Their order does not matter; of two of one name the last counts.
#[derive(Debug, Default)]
pub(super) struct Properties<'a> {
    values: HashMap<&'a str, &'a str>,
}

/// How often a value is expanded, `Configuration.MAX_SUBST`.
const MAX_EXPANSIONS: usize = 20;
/// The longest value after expansion; nothing sensible is near it.
const MAX_LENGTH: usize = 1 << 16;

impl<'a> FromIterator<(&'a str, &'a str)> for Properties<'a> {
    fn from_iter<T: IntoIterator<Item = (&'a str, &'a str)>>(pairs: T) -> Self {
        Properties { values: pairs.into_iter().collect() }
    }
}

impl<'a> Properties<'a> {
    /// The names, sorted.
    pub(super) fn names(&self) -> Vec<&'a str> {
        let mut names: Vec<&str> = self.values.keys().copied().collect();
        names.sort_unstable();
        names
    }

    /// The value, expanded but not trimmed.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        let mut value = (*self.values.get(name)?).to_owned();
        for _ in 0..MAX_EXPANSIONS {
            let Some((start, end)) = variable(&value) else { break };
            let Some(replacement) = self.values.get(&value[start + 2..end]) else { break };
            value.replace_range(start..=end, replacement);
            if value.len() > MAX_LENGTH {
                break;
            }
        }
        Some(value)
    }

    fn trimmed(&self, name: &str) -> Option<String> {
        self.text(name).map(|value| java::trim(&value).to_owned())
    }

    /// `getBoolean`: `true` or `false` in any case, anything else is as good as not set.
    pub(super) fn flag(&self, name: &str) -> Option<bool> {
        match self.trimmed(name)?.to_lowercase().as_str() {
            "true" => Some(true),
            "false" => Some(false),
            _ => None,
        }
    }

    /// `getLong`.
    pub(super) fn long(&self, name: &str, default: i64) -> Result<i64, SettingsError> {
        self.number(name, default, "an integer, such as 1024", parse_long)
    }

    /// `getInt`.
    pub(super) fn int(&self, name: &str, default: i32) -> Result<i32, SettingsError> {
        let parse = |text: &str| parse_long(text).and_then(|value| i32::try_from(value).ok());
        self.number(name, default, "an integer of 32 bits, such as 10", parse)
    }

    /// `getFloat`.
    pub(super) fn float(&self, name: &str, default: f32) -> Result<f32, SettingsError> {
        self.number(name, default, "a number, such as 0.5", java::parse_float)
    }

    fn number<T>(
        &self,
        name: &str,
        default: T,
        expected: &'static str,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Result<T, SettingsError> {
        let Some(value) = self.trimmed(name) else { return Ok(default) };
        parse(&value).ok_or(SettingsError::NotANumber { property: name.to_owned(), value, expected })
    }
}

/// An integer; `0x10` and `-0x10` are hexadecimal.
fn parse_long(text: &str) -> Option<i64> {
    let (sign, bare) = text.strip_prefix('-').map_or(("", text), |bare| ("-", bare));
    match bare.strip_prefix("0x").or_else(|| bare.strip_prefix("0X")) {
        Some(digits) => java::parse_long_radix(&format!("{sign}{digits}"), 16),
        None => java::parse_long(text),
    }
}

/// The first `${name}`: where it starts and where its brace closes.
fn variable(text: &str) -> Option<(usize, usize)> {
    let start = text.find("${")?;
    let end = start + text[start..].find('}')?;
    Some((start, end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_as_hadoop_reads_them() {
        let properties: Properties<'_> =
            [("a", " 7 "), ("b", "-0x5"), ("c", "${a}"), ("d", "${d}"), ("e", "yes"), ("f", "")].into_iter().collect();
        assert_eq!(properties.long("a", 1).unwrap(), 7);
        assert_eq!(properties.long("b", 1).unwrap(), -5);
        assert_eq!(properties.int("c", 1).unwrap(), 7);
        assert_eq!(properties.int("none", 1).unwrap(), 1);
        assert_eq!(properties.flag("e"), None);
        for bad in ["d", "e", "f"] {
            assert!(properties.int(bad, 1).is_err(), "{bad}");
        }
    }
}
