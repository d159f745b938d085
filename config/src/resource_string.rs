//! Resource strings of the allocation file: four notations, told apart by `=` and `%`.
//!
//! | has `=` | has `%` | notation | a type that is not named |
//! | --- | --- | --- | --- |
//! | yes | no | `memory-mb=1024, vcores=2` | zero, or no limit (vcores: -1) |
//! | yes | yes | `memory-mb=10%, vcores=5%` | 100 % |
//! | no | yes | `50%`, or `10% memory, 5% cpu` | 0 %, except in the first form |
//! | no | no | `1024 mb, 2 vcores` | 0 |
//!
//! Follows rules/configuration.md 4; Hadoop's `FairSchedulerConfiguration.parseResourceConfigValue`.

use super::java::{self, split};
use super::quoted::shortened;
use evenweave_resource::{MAX_TYPES, Resource, ResourceTypes, f64_to_i64};
use std::fmt;

/// An upper limit as configured: fixed, or a part of whatever the cluster has.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Limit {
    /// Fixed amounts. Lanes beyond the configured types never bind.
    Absolute(Resource),
    /// A fraction of the cluster's total, type by type.
    Percent([f64; MAX_TYPES]),
}

impl Limit {
    /// No limit in any type.
    pub const UNBOUNDED: Limit = Limit::Absolute(Resource::UNBOUNDED);

    /// The limit on a cluster of this size; fractions are truncated, and vcores end at 2147483647, as in Hadoop.
    ///
    /// ```
    /// use evenweave::Resource;
    /// use evenweave::config::{Limit, Missing, parse_resource};
    /// use evenweave::resource::ResourceTypes;
    /// let half = parse_resource("50%", &ResourceTypes::standard(), Missing::Max).unwrap();
    /// assert_eq!(half.of(&Resource::new(1001, 4)), Resource::new(500, 2));
    /// ```
    #[must_use]
    pub fn of(&self, cluster: &Resource) -> Resource {
        match self {
            Limit::Absolute(amounts) => *amounts,
            Limit::Percent(parts) => {
                Resource::from_fn(|i| at_most_an_int(i, f64_to_i64(cluster.get(i) as f64 * parts[i])))
            }
        }
    }

    /// The amounts, unless it is a part of the cluster.
    #[must_use]
    pub fn absolute(&self) -> Option<Resource> {
        match self {
            Limit::Absolute(amounts) => Some(*amounts),
            Limit::Percent(_) => None,
        }
    }
}

/// What a type means that the notation `name=value` does not name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// Nothing, as in `minResources`.
    Zero,
    /// No limit, as everywhere else; for vcores that comes out as -1, as in Hadoop.
    Max,
}

impl Missing {
    fn amount(self) -> i64 {
        match self {
            Missing::Zero => 0,
            Missing::Max => i64::MAX,
        }
    }
}

/// Why a text is no resource: what is wrong, what would be right. Of a long text, part, name or value the beginning is
/// kept.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ResourceStringError {
    /// Nothing but white space.
    Empty,
    /// A part that is not `name=value`.
    NotAPair {
        /// The whole text.
        text: String,
        /// The part.
        part: String,
    },
    /// A type that the cluster does not have.
    UnknownType {
        /// The whole text.
        text: String,
        /// The name.
        name: String,
        /// The names of all types.
        known: String,
    },
    /// A value that is no integer from 0.
    NotAnAmount {
        /// The whole text.
        text: String,
        /// The type.
        name: String,
        /// The value.
        value: String,
    },
    /// A value that is no percentage from 0.
    NotAPercentage {
        /// The whole text.
        text: String,
        /// The value.
        value: String,
    },
    /// A part of the notation without names is missing or malformed.
    Lacks {
        /// The whole text.
        text: String,
        /// What is missing.
        wanted: &'static str,
        /// A whole text that would do.
        example: &'static str,
    },
}

impl ResourceStringError {
    pub(super) fn problem(&self) -> String {
        match self {
            ResourceStringError::Empty => "is empty".to_owned(),
            ResourceStringError::NotAPair { text, part } => format!("{text:?}: {part:?} is not of the form name=value"),
            ResourceStringError::UnknownType { text, name, .. } => {
                format!("{text:?}: there is no resource type {name:?}")
            }
            ResourceStringError::NotAnAmount { text, name, value } => {
                format!("{text:?}: {name}={value:?} is not an integer from 0")
            }
            ResourceStringError::NotAPercentage { text, value } => {
                format!("{text:?}: {value:?} is not a percentage from 0")
            }
            ResourceStringError::Lacks { text, wanted, .. } => format!("{text:?} lacks {wanted}"),
        }
    }

    pub(super) fn help(&self) -> String {
        match self {
            ResourceStringError::Empty | ResourceStringError::NotAPair { .. } => {
                format!("write for example {AMOUNTS_EXAMPLE:?}")
            }
            ResourceStringError::UnknownType { known, .. } => format!("known are {known}"),
            ResourceStringError::NotAnAmount { .. } => {
                "write a plain integer, without unit or fraction; with one \"%\" all values need one".to_owned()
            }
            ResourceStringError::NotAPercentage { .. } => "write for example \"50%\" or \"12.5%\"".to_owned(),
            ResourceStringError::Lacks { example, .. } => format!("write for example {example:?}"),
        }
    }
}

impl fmt::Display for ResourceStringError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; {}", self.problem(), self.help())
    }
}

/// What messages propose: of the notations the one that can name every type.
const AMOUNTS_EXAMPLE: &str = "memory-mb=4096, vcores=4";
const PERCENTAGES_EXAMPLE: &str = "memory-mb=50%, vcores=50%";

/// Reads a resource string.
///
/// # Errors
/// When the text is in none of the notations.
///
/// ```
/// use evenweave::Resource;
/// use evenweave::config::{Limit, Missing, parse_resource};
/// use evenweave::resource::ResourceTypes;
/// let types = ResourceTypes::standard();
/// let min = parse_resource("1024 mb, 2 vcores", &types, Missing::Zero).unwrap();
/// assert_eq!(min, Limit::Absolute(Resource::new(1024, 2)));
/// ```
pub fn parse_resource(text: &str, types: &ResourceTypes, missing: Missing) -> Result<Limit, ResourceStringError> {
    if java::trim(text).is_empty() {
        return Err(ResourceStringError::Empty);
    }
    match (text.contains('='), text.contains('%')) {
        (true, false) => parse_named_amounts(text, types, missing),
        (true, true) => parse_named_percentages(text, types),
        (false, true) => parse_bare_percentages(&text.to_lowercase(), types),
        (false, false) => parse_bare_amounts(&text.to_lowercase(), types, missing),
    }
}

/// `name=value, ...` as type indices and trimmed values.
fn named<'a>(text: &'a str, types: &ResourceTypes) -> Result<Vec<(usize, &'a str)>, ResourceStringError> {
    let pair = |part: &'a str| {
        let sides = split(part, '=');
        let &[name, value] = sides.as_slice() else {
            return Err(ResourceStringError::NotAPair { text: kept(text), part: kept(part) });
        };
        let name = java::trim(name);
        let unknown = || ResourceStringError::UnknownType {
            text: kept(text),
            name: kept(name),
            known: types.names().collect::<Vec<_>>().join(", "),
        };
        Ok((types.index(name).ok_or_else(unknown)?, java::trim(value)))
    };
    split(text, ',').into_iter().map(pair).collect()
}

fn parse_named_amounts(text: &str, types: &ResourceTypes, missing: Missing) -> Result<Limit, ResourceStringError> {
    let mut amounts = Resource::from_fn(|_| missing.amount());
    if missing == Missing::Max {
        // The largest long narrowed to an int, which is what vcores are.
        amounts = amounts.with(1, -1);
    }
    for (index, value) in named(text, types)? {
        let Some(amount) = java::parse_long(value).filter(|amount| *amount >= 0) else {
            let (text, value) = (kept(text), kept(value));
            return Err(ResourceStringError::NotAnAmount { text, name: types.name(index).to_owned(), value });
        };
        amounts = amounts.with(index, at_most_an_int(index, amount));
    }
    Ok(Limit::Absolute(amounts))
}

/// Vcores are ints in Hadoop, and end where those end; every other type is a long.
fn at_most_an_int(index: usize, amount: i64) -> i64 {
    if index == 1 { amount.min(i64::from(i32::MAX)) } else { amount }
}

fn parse_named_percentages(text: &str, types: &ResourceTypes) -> Result<Limit, ResourceStringError> {
    let mut parts = [1.0; MAX_TYPES];
    for (index, value) in named(text, types)? {
        parts[index] = percentage(value, "").ok_or_else(|| not_a_percentage(text, value))?;
    }
    Ok(Limit::Percent(parts))
}

fn parse_bare_percentages(text: &str, types: &ResourceTypes) -> Result<Limit, ResourceStringError> {
    let parts: Vec<&str> = split(text, ',').into_iter().map(java::trim).collect();
    let mut fractions = [1.0; MAX_TYPES];
    if let &[only] = parts.as_slice() {
        let part = percentage(only, "").ok_or_else(|| not_a_percentage(text, only))?;
        fractions[..types.len()].fill(part);
        return Ok(Limit::Percent(fractions));
    }
    fractions[2..types.len()].fill(0.0);
    let wanted = [("memory", "a percentage of memory"), ("cpu", "a percentage of cpu")];
    for (index, (name, wanted)) in wanted.into_iter().enumerate() {
        let part = parts.iter().find(|part| part.contains(name));
        fractions[index] = part.and_then(|part| percentage(part, name)).ok_or_else(|| ResourceStringError::Lacks {
            text: kept(text),
            wanted,
            example: PERCENTAGES_EXAMPLE,
        })?;
    }
    Ok(Limit::Percent(fractions))
}

fn parse_bare_amounts(text: &str, types: &ResourceTypes, missing: Missing) -> Result<Limit, ResourceStringError> {
    let mut parts = split(text, ',');
    if parts.len() != 2 {
        parts = items(text);
    }
    if parts.len() != 2 {
        let wanted = "two parts, memory and vcores";
        return Err(ResourceStringError::Lacks { text: kept(text), wanted, example: AMOUNTS_EXAMPLE });
    }
    let mut found = [0; 2];
    let wanted = [("mb", "an amount of mb from 0"), ("vcores", "an amount of vcores from 0")];
    for (slot, (name, wanted)) in found.iter_mut().zip(wanted) {
        let part = parts.iter().find(|part| part.contains(name));
        *slot = part.and_then(|part| amount(java::trim(part), name)).ok_or_else(|| ResourceStringError::Lacks {
            text: kept(text),
            wanted,
            example: AMOUNTS_EXAMPLE,
        })?;
    }
    Ok(Limit::Absolute(Resource::from_fn(|i| match i {
        0 | 1 => found[i],
        _ if i < types.len() => 0,
        _ => missing.amount(),
    })))
}

/// The length of `digits` or `digits.[digits]` at the start, and of the digits alone; `None` without a digit.
fn number(text: &str) -> Option<(usize, usize)> {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let whole = digits(text);
    if whole == 0 {
        return None;
    }
    let rest = &text[whole..];
    let fraction = rest.strip_prefix('.').map_or(0, |rest| 1 + digits(rest));
    Some((whole + fraction, whole))
}

/// `[-]number [space] % [space] unit`, the whole text; negative ones are refused.
fn percentage(text: &str, unit: &str) -> Option<f64> {
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let (length, _) = number(unsigned)?;
    let rest = unsigned[length..].trim_start_matches(java::is_space).strip_prefix('%')?;
    if rest.trim_start_matches(java::is_space) != unit {
        return None;
    }
    let value: f64 = text[..text.len() - unsigned.len() + length].parse().ok()?;
    (value >= 0.0).then_some(value / 100.0)
}

/// `[-]digits[.digits] [space] unit` at the start, whatever follows; the fraction is dropped.
fn amount(text: &str, unit: &str) -> Option<i64> {
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let (length, whole) = number(unsigned)?;
    if !unsigned[length..].trim_start_matches(java::is_space).starts_with(unit) {
        return None;
    }
    let value = java::parse_int(&text[..text.len() - unsigned.len() + whole])?;
    (value >= 0).then_some(i64::from(value))
}

/// All `[-]number [space] letters [space]` in a text, wherever they stand.
fn items(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut start = 0;
    while let Some(skipped) = text[start..].find(|c: char| c.is_ascii_digit()) {
        let digits = start + skipped;
        let minus = usize::from(digits > start && text.as_bytes()[digits - 1] == b'-');
        let Some((length, whole)) = number(&text[digits..]) else { break };
        let rest = &text[digits + length..];
        let unit = rest.trim_start_matches(java::is_space);
        let letters = unit.bytes().take_while(u8::is_ascii_lowercase).count();
        if letters == 0 {
            start = digits + whole;
            continue;
        }
        let end = text.len() - unit[letters..].trim_start_matches(java::is_space).len();
        found.push(&text[digits - minus..end]);
        start = end;
    }
    found
}

fn not_a_percentage(text: &str, value: &str) -> ResourceStringError {
    ResourceStringError::NotAPercentage { text: kept(text), value: kept(value) }
}

/// A text as errors keep it.
fn kept(text: &str) -> String {
    shortened(text).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn types() -> ResourceTypes {
        ResourceTypes::with_custom([("gpu", "")]).unwrap()
    }

    fn max(text: &str) -> Option<[i64; 4]> {
        let limit = parse_resource(text, &types(), Missing::Max).ok()?;
        let lanes = *limit.absolute()?.amounts();
        Some([lanes[0], lanes[1], lanes[2], lanes[3]])
    }

    #[test]
    fn the_references_examples() {
        const M: i64 = i64::MAX;
        assert_eq!(max("10000 mb,0vcores"), Some([10000, 0, 0, M]));
        assert_eq!(max("1024 mb 2 vcores"), Some([1024, 2, 0, M]));
        assert_eq!(max("1024 mbytes, 2 vcores"), Some([1024, 2, 0, M]));
        assert_eq!(max("1024.7 mb,0vcores"), Some([1024, 0, 0, M]));
        assert_eq!(max("vcores=2 , memory-mb = 5"), Some([5, 2, M, M]));
        assert_eq!(max("memory-mb=1024"), Some([1024, -1, M, M]));
        for bad in ["512 mb", "-1 mb, 2 vcores", "50% memory, 50%", "memory=5", "", " "] {
            assert!(parse_resource(bad, &types(), Missing::Max).is_err(), "{bad}");
        }
    }

    #[test]
    fn percentages() {
        let part = |text| parse_resource(text, &types(), Missing::Max).unwrap();
        assert_eq!(part("50%"), Limit::Percent([0.5, 0.5, 0.5, 1.0, 1.0, 1.0, 1.0, 1.0]));
        assert_eq!(part("2.5% cpu, 10% memory"), Limit::Percent([0.1, 0.025, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0]));
        assert_eq!(part("vcores=5.%").of(&Resource::from_slice(&[100, 100, 7])), Resource::from_slice(&[100, 5, 7]));
        assert_eq!(part("-0%").of(&Resource::from_slice(&[100, 100, 7])), Resource::from_slice(&[0, 0, 0]));
        let beyond = part("3000000000%").of(&Resource::from_slice(&[100, 100, 100]));
        assert_eq!(beyond.amounts()[..3], [3_000_000_000, i64::from(i32::MAX), 3_000_000_000]);
    }

    #[test]
    fn unused_lanes_never_bind() {
        let used = Resource::from_slice(&[1, 1, 0]);
        for text in ["1 mb, 1 vcores", "50%", "memory-mb=1, vcores=1", "vcores=50%"] {
            let limit = parse_resource(text, &types(), Missing::Max).unwrap();
            assert!(used.fits_in(&limit.of(&Resource::from_slice(&[2, 2, 2]))), "{text}");
        }
    }

    #[test]
    fn items_are_found_anywhere() {
        assert_eq!(items("about 1.5.6mb and -3 vcores!"), ["5.6mb ", "-3 vcores"]);
        assert_eq!(items(&"1.".repeat(100_000)), [""; 0]);
    }

    #[test]
    fn errors_do_not_repeat_a_text_at_length() {
        let long = "x".repeat(100_000);
        for bad in
            [long.clone(), format!("{long}="), format!("memory-mb={long}"), format!("{long}%"), format!("{long}=%")]
        {
            let error = parse_resource(&bad, &types(), Missing::Max).unwrap_err().to_string();
            assert!(error.len() < 1000, "{error}");
        }
    }

    #[test]
    fn errors_say_what_would_be_right() {
        let error = parse_resource("memory=5", &types(), Missing::Max).unwrap_err();
        assert_eq!(
            error.to_string(),
            "\"memory=5\": there is no resource type \"memory\"; known are memory-mb, vcores, gpu"
        );
    }
}
