//! Capacity vectors: a percentage, an amount or a weight for each resource type.
//!
//! Follows rules/capacity.md 4.3; `QueueCapacityConfigParser` and `QueueCapacityVector`. They rule when the legacy
//! queue mode is off; with it they are read too, and refused where they make no sense.

use super::amounts::{ROOT_CAPACITY, bracketed, is_vector, parse_unit};
use super::error::{CapacityFault, CapacityFileError};
use super::source::not_a_number;
use crate::java;
use evenweave_resource::{MAX_TYPES, ResourceTypes, Unit, f64_to_i64};

/// How a part of a vector is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CapacityUnit {
    /// Percent of what the parent has left after all amounts.
    Percentage,
    /// An amount in the type's own unit.
    Absolute,
    /// A part of what amounts and percentages have left.
    Weight,
}

/// A part of a vector.
type Part = (CapacityUnit, f64);

/// What a queue is to have of each type; nothing known of any where the text was no vector.
#[derive(Clone, Debug, PartialEq)]
pub struct CapacityVector {
    parts: Option<[Part; MAX_TYPES]>,
    /// Parts whose names are no types.
    unknown: Vec<(String, Part)>,
}

impl CapacityVector {
    const EMPTY: CapacityVector = CapacityVector { parts: None, unknown: Vec::new() };

    /// The same of every type.
    pub(super) fn uniform(unit: CapacityUnit, value: f64) -> CapacityVector {
        CapacityVector { parts: Some([(unit, value); MAX_TYPES]), unknown: Vec::new() }
    }

    /// Of root: all.
    pub(super) fn of_root() -> CapacityVector {
        CapacityVector::uniform(CapacityUnit::Percentage, f64::from(ROOT_CAPACITY))
    }

    /// The part of one type; `None` where there is no vector.
    #[must_use]
    pub fn part(&self, index: usize) -> Option<(CapacityUnit, f64)> {
        self.parts.and_then(|parts| parts.get(index).copied())
    }

    /// A name in it that is no resource type.
    #[must_use]
    pub fn unknown(&self) -> Option<&str> {
        self.unknown.first().map(|(name, _)| name.as_str())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.parts.is_none()
    }

    fn every(&self, types: usize, holds: impl Fn(Part) -> bool) -> bool {
        let named = self.parts.iter().flat_map(|parts| &parts[..types]);
        named.chain(self.unknown.iter().map(|(_, part)| part)).all(|part| holds(*part))
    }

    /// The unit of all parts, if there is one.
    pub(super) fn unit(&self, types: usize) -> Option<CapacityUnit> {
        let (first, _) = self.part(0)?;
        self.every(types, |(unit, _)| unit == first).then_some(first)
    }

    /// The weight, where every part is that weight.
    pub(super) fn weight(&self, types: usize) -> Option<f32> {
        let first = self.part(0).filter(|(unit, _)| *unit == CapacityUnit::Weight)?;
        self.every(types, |part| part == first).then(|| java::narrow(first.1))
    }
}

/// Reads a vector. A text that is none gives the empty one, unless a number in it is none.
pub(super) fn parse(
    text: Option<&str>,
    types: &ResourceTypes,
    property: &str,
) -> Result<CapacityVector, CapacityFileError> {
    let text = text.unwrap_or_default().replace(' ', "");
    if is_vector(&text) {
        return parse_named(bracketed(&text).unwrap_or_default(), types, property);
    }
    let suffix = text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let digits = &text[..text.len() - suffix.len()];
    // A regular expression's `.` takes no line end.
    let unit = match suffix.split(['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}']).next() {
        Some("") if !digits.is_empty() => CapacityUnit::Percentage,
        Some("w") if !digits.is_empty() => CapacityUnit::Weight,
        _ => return Ok(CapacityVector::EMPTY),
    };
    let value = java::parse_float(digits).ok_or_else(|| not_a_number(property, &text, "a number, such as 12.5"))?;
    Ok(CapacityVector::uniform(unit, f64::from(value)))
}

/// `name=value,...`; types without a name have the amount 0.
fn parse_named(inner: &str, types: &ResourceTypes, property: &str) -> Result<CapacityVector, CapacityFileError> {
    let mut parts = [(CapacityUnit::Absolute, 0.0); MAX_TYPES];
    let mut unknown: Vec<(String, Part)> = Vec::new();
    for pair in java::split(inner, ',') {
        let [name, value, ..] = java::split(pair, '=')[..] else { continue };
        let Some(part) = parse_part(value, property)? else { continue };
        match if name == "memory" { Some(0) } else { types.index(name) } {
            Some(index) => parts[index] = part,
            None => unknown.push((name.to_owned(), part)),
        }
    }
    Ok(if parts[0].1 == 0.0 { CapacityVector::EMPTY } else { CapacityVector { parts: Some(parts), unknown } })
}

/// `12.5%`, `3w`, `2Gi`, `1024`; `None` where something else stands before the digits.
fn parse_part(value: &str, property: &str) -> Result<Option<Part>, CapacityFileError> {
    let suffix: String = value.chars().filter(|c| !c.is_ascii_digit() && *c != '.').collect();
    let Some(digits) = value.strip_suffix(suffix.as_str()) else { return Ok(None) };
    let number = java::parse_float(digits)
        .ok_or_else(|| not_a_number(property, value, "a number and a unit, %, w or nothing, such as 12.5%"))?;
    let unit = match suffix.as_str() {
        "%" => CapacityUnit::Percentage,
        "w" => CapacityUnit::Weight,
        _ => CapacityUnit::Absolute,
    };
    let Ok(Some(named)) = parse_unit(&suffix) else { return Ok(Some((unit, f64::from(number)))) };
    let whole = f64_to_i64(f64::from(number));
    let Some(converted) = named.convert_in_64_bits(whole, Unit::MEBI) else {
        return Err(CapacityFileError::new(property, CapacityFault::AmountTooLarge { text: value.to_owned() }));
    };
    // It is a float before it is a double.
    Ok(Some((CapacityUnit::Absolute, f64::from(converted as f32))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use CapacityUnit::{Absolute, Percentage, Weight};

    fn parts(text: &str) -> Option<[(CapacityUnit, f64); 2]> {
        let vector = parse(Some(text), &ResourceTypes::standard(), "p").unwrap();
        Some([vector.part(0)?, vector.part(1)?])
    }

    #[test]
    fn every_part_has_its_unit() {
        assert_eq!(parts("[memory=39%, vcores=1w]"), Some([(Percentage, 39.0), (Weight, 1.0)]));
        assert_eq!(parts("[memory-mb=2Gi]"), Some([(Absolute, 2048.0), (Absolute, 0.0)]));
        assert_eq!(parts("[memory=5x,vcores=-3]"), Some([(Absolute, 5.0), (Absolute, 0.0)]));
        assert_eq!(parts("3 w"), Some([(Weight, 3.0), (Weight, 3.0)]));
        assert_eq!(parts("12.5"), Some([(Percentage, 12.5), (Percentage, 12.5)]));
    }

    #[test]
    fn without_memory_or_in_another_form_it_is_empty() {
        for text in ["[vcores=4]", "[memory=0%,vcores=4]", "60f", "50%", "+5", "1e1", "[]", "[a=b=c]", ""] {
            assert_eq!(parts(text), None, "{text:?}");
        }
        for bad in ["1.2.3", "[memory=abc]", "[memory=1.2.3]", "[memory=9Pi,vcores=9999999999999999Pi]"] {
            assert!(parse(Some(bad), &ResourceTypes::standard(), "p").is_err(), "{bad:?}");
        }
    }

    #[test]
    fn a_weight_of_every_type_is_a_weight() {
        let weight = |text| parse(Some(text), &ResourceTypes::standard(), "p").unwrap().weight(2);
        assert_eq!(weight("[memory=5w,vcores=5w]"), Some(5.0));
        assert_eq!(weight("5w"), Some(5.0));
        assert_eq!(weight("[memory=5w,vcores=5w,bogus=5w]"), Some(5.0));
        assert_eq!(weight("[memory=5w,vcores=5w,bogus=5]"), None);
        assert_eq!(weight("[memory=5w,vcores=4w]"), None);
        assert_eq!(weight("5"), None);
    }
}
