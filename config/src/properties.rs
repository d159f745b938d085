//! Typed reading of properties, as Hadoop's `Configuration`: expansion of `${name}`, trimming, hexadecimal integers.

use super::diagnostic::Place;
use super::java;
use super::quoted::{one_line, shortened};
use super::settings_error::{SettingsError, SettingsProblem};
use super::site::{Expanded, MAX_EXPANDED, SiteProperties, TooManySubstitutions};
use std::borrow::Cow;
use std::cell::Cell;

/// Properties by name, with the types of their values.
#[derive(Debug)]
pub(super) struct Properties<'a> {
    site: Cow<'a, SiteProperties>,
    /// What has come out of expansions so far.
    expanded: Cell<usize>,
}

/// Of two of one name the last counts.
impl<'a> FromIterator<(&'a str, &'a str)> for Properties<'a> {
    fn from_iter<T: IntoIterator<Item = (&'a str, &'a str)>>(pairs: T) -> Self {
        Properties { site: Cow::Owned(pairs.into_iter().collect()), expanded: Cell::new(0) }
    }
}

impl<'a> From<&'a SiteProperties> for Properties<'a> {
    fn from(site: &'a SiteProperties) -> Self {
        Properties { site: Cow::Borrowed(site), expanded: Cell::new(0) }
    }
}

impl Properties<'_> {
    pub(super) fn site(&self) -> &SiteProperties {
        &self.site
    }

    /// The names, sorted.
    pub(super) fn names(&self) -> Vec<&str> {
        self.site.names()
    }

    /// The value, expanded but not trimmed; one whose expansion does not end as it is written.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        let raw = || self.site.raw(name).map(str::to_owned);
        self.expanded(name).map_or_else(|_| raw(), |expanded| expanded.map(|expanded| expanded.text))
    }

    /// The value, expanded but not trimmed, and what was not expanded.
    pub(super) fn expanded(&self, name: &str) -> Result<Option<Expanded>, SettingsError> {
        let Some(raw) = self.site.raw(name) else { return Ok(None) };
        let left = self.expanded.get() < MAX_EXPANDED || !raw.contains("${");
        let expanded = if left { self.site.expanded(name) } else { Err(TooManySubstitutions) };
        expanded
            .inspect(|expanded| {
                let came_out = expanded.as_ref().filter(|expanded| expanded.text != raw);
                self.expanded.update(|sum| sum + came_out.map_or(0, |expanded| expanded.text.len()));
            })
            .map_err(|source| {
                let (property, value) = (one_line(name.to_owned()), shortened(raw).into_owned());
                self.error(name, SettingsProblem::Substitution { property, value, source })
            })
    }

    fn trimmed(&self, name: &str) -> Result<Option<String>, SettingsError> {
        Ok(self.expanded(name)?.map(|expanded| java::trim(&expanded.text).to_owned()))
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

    /// `getTimeDuration` in milliseconds.
    pub(super) fn duration_ms(&self, name: &str, default: i64) -> Result<i64, SettingsError> {
        self.number(name, default, "an integer and perhaps a unit, ns us ms s m h or d, such as 5s", parse_duration_ms)
    }

    fn number<T>(
        &self,
        name: &str,
        default: T,
        expected: &'static str,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Result<T, SettingsError> {
        let Some(value) = self.trimmed(name)? else { return Ok(default) };
        let wrong = |value| SettingsProblem::NotANumber { property: name.to_owned(), value, expected };
        parse(&value).ok_or_else(|| self.error(name, wrong(value)))
    }

    /// What is wrong with a property, at the place of its value.
    pub(super) fn error(&self, name: &str, problem: SettingsProblem) -> SettingsError {
        SettingsError { at: self.at(name), problem: Box::new(problem) }
    }

    /// Where the value of a property stands, if it is in a file.
    pub(super) fn at(&self, name: &str) -> Option<Place> {
        self.site.origin(name).and_then(|origin| origin.at()).cloned()
    }
}

/// `getBoolean`: `true` or `false` in any case, anything else is as good as not set.
pub(super) fn parse_boolean(text: &str) -> Option<bool> {
    // Java compares the letters' upper case.
    let is = |word: &str| java::trim(text).chars().flat_map(char::to_uppercase).eq(word.chars());
    if is("TRUE") { Some(true) } else { is("FALSE").then_some(false) }
}

/// An integer; `0x10` and `-0x10` are hexadecimal.
fn parse_long(text: &str) -> Option<i64> {
    let (sign, bare) = text.strip_prefix('-').map_or(("", text), |bare| ("-", bare));
    match bare.strip_prefix("0x").or_else(|| bare.strip_prefix("0X")) {
        Some(digits) => java::parse_long_radix(&format!("{sign}{digits}"), 16),
        None => java::parse_long(text),
    }
}

/// An integer and a unit in any case, milliseconds without one; cut to whole milliseconds and to 64 bits.
fn parse_duration_ms(text: &str) -> Option<i64> {
    const UNITS: [(&str, i64, i64); 7] = [
        ("ns", 1, 1_000_000),
        ("us", 1, 1000),
        ("ms", 1, 1),
        ("s", 1000, 1),
        ("m", 60_000, 1),
        ("h", 3_600_000, 1),
        ("d", 86_400_000, 1),
    ];
    let text = text.to_lowercase();
    let unit = UNITS.iter().find_map(|(unit, times, per)| Some((text.strip_suffix(unit)?, times, per)));
    let (digits, times, per) = unit.unwrap_or((&text, &1, &1));
    java::parse_long(digits).map(|amount| amount.saturating_mul(*times) / per)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_as_hadoop_reads_them() {
        let properties: Properties<'_> = [
            ("a", " 7 "),
            ("b", "-0x5"),
            ("c", "${a}"),
            ("d", "${d}"),
            ("e", "yes"),
            ("f", ""),
            ("g", "fal\u{17f}e"),
            ("h", "${i}"),
            ("i", "${h}"),
        ]
        .into_iter()
        .collect();
        assert_eq!(properties.long("a", 1).unwrap(), 7);
        assert_eq!(properties.long("b", 1).unwrap(), -5);
        assert_eq!(properties.int("c", 1).unwrap(), 7);
        assert_eq!(properties.int("none", 1).unwrap(), 1);
        assert_eq!(properties.text("e").and_then(|text| parse_boolean(&text)), None);
        assert_eq!(properties.text("g").and_then(|text| parse_boolean(&text)), Some(false));
        assert_eq!(properties.text("h").as_deref(), Some("${i}"));
        for bad in ["d", "e", "f", "h"] {
            assert!(properties.int(bad, 1).is_err(), "{bad}");
        }
    }

    #[test]
    fn what_expansions_give_in_one_reading_has_an_end() {
        let long = "x".repeat(1 << 19);
        let names: Vec<String> = (0..100).map(|i| format!("n{i}")).collect();
        let expanding = names.iter().map(|name| (name.as_str(), "${long}"));
        let properties: Properties<'_> = expanding.chain([("long", long.as_str()), ("plain", "7")]).collect();
        let refused = names.iter().filter(|name| properties.expanded(name).is_err()).count();
        assert_eq!(refused, 100 - MAX_EXPANDED / long.len());
        assert_eq!(properties.text("n99").as_deref(), Some("${long}"));
        // What does not expand costs nothing.
        assert_eq!(properties.int("plain", 1).unwrap(), 7);
    }

    #[test]
    fn durations_have_units() {
        assert_eq!(parse_duration_ms("5"), Some(5));
        assert_eq!(parse_duration_ms("5S"), Some(5000));
        assert_eq!(parse_duration_ms("-1999us"), Some(-1));
        assert_eq!(parse_duration_ms("2d"), Some(172_800_000));
        assert_eq!(parse_duration_ms("9223372036854775807h"), Some(i64::MAX));
        for bad in ["", "5 s", "s", "1.5s", "5w"] {
            assert_eq!(parse_duration_ms(bad), None, "{bad}");
        }
    }
}
