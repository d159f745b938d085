//! One capacity as the legacy queue mode reads it: percent, weight or absolute amounts.
//!
//! Follows rules/capacity.md 4.1; `CapacitySchedulerConfiguration`'s readings of `capacity` and `maximum-capacity`. A
//! text is read in all three ways, and every reading may refuse it.

use super::error::{CapacityFault, CapacityFileError};
use super::source::{Source, not_a_number};
use crate::java;
use evenweave_resource::{Resource, ResourceTypes, Unit};

pub(super) const CAPACITY: &str = "capacity";
pub(super) const MAXIMUM_CAPACITY: &str = "maximum-capacity";
pub(super) const ROOT_CAPACITY: f32 = 100.0;
const PERCENTAGE: &str = "a percentage such as 12.5, a weight such as 3w or amounts such as [memory=1024,vcores=1]";
const MAXIMUM: &str = "a percentage such as 12.5 or amounts such as [memory=1024,vcores=1]";
const WEIGHT: &str = "a weight such as 3w";
const AMOUNT: &str = "an integer, after which a unit such as Gi may stand, without white space";

/// What is between the brackets of `[name=value,...]`, if the text has that form.
pub(super) fn bracketed(text: &str) -> Option<&str> {
    // A regular expression's `$` takes one line end before the very end.
    let ends = ["\r\n", "\n", "\r", "\u{85}", "\u{2028}", "\u{2029}"];
    let text = ends.iter().find_map(|end| text.strip_suffix(end)).unwrap_or(text);
    text.strip_prefix('[')?.strip_suffix(']').filter(|inner| !inner.is_empty())
}

/// Whether the text has the form of a vector with names.
pub(super) fn is_vector(text: &str) -> bool {
    let text = text.replace(' ', "");
    let Some(inner) = bracketed(&text) else { return false };
    let sides: Vec<&str> = inner.split('=').collect();
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | ',' | '-' | '%' | '/');
    // A side between two signs is the value of the one and the name of the other.
    let long_enough = |(at, side): (usize, &&str)| {
        let inside = at > 0 && at + 1 < sides.len();
        side.len() >= if inside { 2 } else { 1 } && side.chars().all(allowed)
    };
    sides.len() > 1 && sides.iter().enumerate().all(long_enough)
}

/// Whether the text counts as absolute amounts. The amounts need not make sense.
pub(super) fn is_absolute(text: &str) -> bool {
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | ',' | '-' | '=' | ' ' | '/');
    bracketed(text).is_some_and(|inner| inner.chars().all(allowed))
}

fn is_weight(text: &str) -> bool {
    text.ends_with('w')
}

/// The percentage of a queue, 0 where it has none. Root always has 100.
pub(super) fn percent(source: &Source<'_>, queue: &str, label: &str, root: bool) -> Result<f32, CapacityFileError> {
    if root {
        return Ok(ROOT_CAPACITY);
    }
    let property = Source::of_label(queue, label, CAPACITY);
    let text = source.text(&property);
    let Some(text) = text.filter(|text| !is_absolute(text) && !is_weight(text) && !is_vector(text)) else {
        return Ok(0.0);
    };
    let value = java::parse_float(&text).ok_or_else(|| not_a_number(&property, &text, PERCENTAGE))?;
    in_range(value, &property, queue, label)
}

/// The maximum as a percentage: 100 where none is given. Without a label anything goes, and -1 is as good as absent.
pub(super) fn maximum_percent(
    source: &Source<'_>,
    queue: &str,
    label: &str,
    root: bool,
) -> Result<f32, CapacityFileError> {
    let property = Source::of_label(queue, label, MAXIMUM_CAPACITY);
    let labelled = !label.is_empty();
    if root && labelled {
        return Ok(ROOT_CAPACITY);
    }
    let other_mode = |text: &str| is_absolute(text) || is_vector(text) || (labelled && is_weight(text));
    let Some(text) = source.text(&property).filter(|text| !other_mode(text)) else { return Ok(ROOT_CAPACITY) };
    let value = java::parse_float(&text).ok_or_else(|| not_a_number(&property, &text, MAXIMUM))?;
    if labelled {
        return in_range(value, &property, queue, label);
    }
    Ok(if value == -1.0 { ROOT_CAPACITY } else { value })
}

/// A percentage from 0 to 100; NaN goes through, as in Hadoop.
fn in_range(value: f32, property: &str, queue: &str, label: &str) -> Result<f32, CapacityFileError> {
    if value.is_nan() || (0.0..=100.0).contains(&value) {
        return Ok(value);
    }
    let (queue, value) = (queue.to_owned(), java::float_text(value));
    let fault = if label.is_empty() {
        CapacityFault::Capacity { queue, value }
    } else {
        CapacityFault::LabelCapacity { queue, label: label.to_owned(), value }
    };
    Err(CapacityFileError::new(property, fault))
}

/// The weight, -1 where the capacity is none.
pub(super) fn weight(source: &Source<'_>, queue: &str, label: &str) -> Result<f32, CapacityFileError> {
    let property = Source::of_label(queue, label, CAPACITY);
    let Some(text) = source.text(&property).filter(|text| is_weight(text)) else { return Ok(-1.0) };
    let digits = text.split('w').next().unwrap_or_default();
    let value = java::parse_float(digits).ok_or_else(|| not_a_number(&property, &text, WEIGHT))?;
    let unset = f64::from((value + 1.0).abs()) <= 1e-6;
    if (f64::from(value) < -1e-6 && !unset) || value > 10_000.0 {
        let (queue, label, value) = (queue.to_owned(), label.to_owned(), java::float_text(value));
        return Err(CapacityFileError::new(property, CapacityFault::Weight { queue, label, value }));
    }
    Ok(value)
}

/// The amounts of `[name=value,...]`; nothing where the text has not that form, or names no memory.
pub(super) fn absolute(
    source: &Source<'_>,
    types: &ResourceTypes,
    property: &str,
) -> Result<Resource, CapacityFileError> {
    let Some(text) = source.text(property).filter(|text| is_absolute(text)) else { return Ok(Resource::ZERO) };
    let mut amounts = Resource::ZERO;
    for pair in java::split(java::trim(bracketed(&text).unwrap_or_default()), ',') {
        if let [name, value, ..] = java::split(pair, '=')[..] {
            set_amount(&mut amounts, types, property, java::trim(name), value)?;
        }
    }
    Ok(if amounts.memory_mb() == 0 { Resource::ZERO } else { amounts })
}

/// Unknown types and units are skipped, and every unit is converted to Mi, whatever the type, as in Hadoop.
fn set_amount(
    amounts: &mut Resource,
    types: &ResourceTypes,
    property: &str,
    name: &str,
    value: &str,
) -> Result<(), CapacityFileError> {
    let Some(index) = (if name == "memory" { Some(0) } else { types.index(name) }) else { return Ok(()) };
    let letters = value.len() - value.trim_end_matches(|c: char| c.is_ascii_alphabetic()).len();
    let (digits, unit) = value.split_at(value.len() - letters);
    let Ok(unit) = parse_unit(unit) else { return Ok(()) };
    let amount = java::parse_long(digits).ok_or_else(|| not_a_number(property, value, AMOUNT))?;
    let amount = unit.map_or(Some(amount), |unit| unit.convert_in_64_bits(amount, Unit::MEBI));
    let Some(amount) = amount else {
        return Err(CapacityFileError::new(property, CapacityFault::AmountTooLarge { text: value.to_owned() }));
    };
    *amounts = amounts.with(index, if index == 1 { to_int(amount) } else { amount });
    Ok(())
}

/// A unit, `None` where none is written.
pub(super) fn parse_unit(text: &str) -> Result<Option<Unit>, evenweave_resource::UnitError> {
    if text.is_empty() { Ok(None) } else { Unit::parse(text).map(Some) }
}

/// Vcores are 32 bits, and what is above wraps.
#[expect(clippy::cast_possible_truncation, reason = "wrapping is what is wanted")]
fn to_int(amount: i64) -> i64 {
    i64::from(amount as i32)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read<T>(text: &str, read: impl Fn(&Source<'_>) -> T) -> T {
        let site = [("yarn.scheduler.capacity.root.a.capacity", text)]
            .into_iter()
            .filter(|(_, text)| !text.is_empty())
            .collect();
        read(&Source::new(&site))
    }

    fn percent_of(text: &str) -> Result<f32, CapacityFileError> {
        read(text, |source| percent(source, "root.a", "", false))
    }

    #[test]
    fn percentages_are_floats_from_0_to_100() {
        for (text, value) in [("60", 60.0), (" 60 ", 60.0), ("60f", 60.0), ("1e1", 10.0), ("", 0.0), ("3w", 0.0)] {
            assert_eq!(percent_of(text), Ok(value), "{text:?}");
        }
        for bad in ["-1", "100.5", "Infinity", "60%", "[]", "[a%b]", " "] {
            assert!(percent_of(bad).is_err(), "{bad:?}");
        }
        assert!(percent_of("NaN").unwrap().is_nan());
        assert_eq!(
            percent_of("110").unwrap_err().to_string(),
            "yarn.scheduler.capacity.root.a.capacity: Illegal capacity of 110.0 for queue root.a: a percentage is from 0 \
             to 100"
        );
    }

    #[test]
    fn a_weight_ends_at_its_first_w() {
        let weight = |text| read(text, |source| weight(source, "root.a", ""));
        for (text, value) in [("3w", 3.0), ("3 w", 3.0), ("1w2w", 1.0), ("-1w", -1.0), ("60", -1.0)] {
            assert_eq!(weight(text), Ok(value), "{text:?}");
        }
        for bad in ["w", "-2w", "10001w", "3Ww"] {
            assert!(weight(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn amounts_skip_unknown_types_and_units_but_need_memory() {
        let types = ResourceTypes::with_custom([("gpu", "")]).unwrap();
        let amounts = |text| read(text, |source| absolute(source, &types, "yarn.scheduler.capacity.root.a.capacity"));
        assert_eq!(amounts("[memory=20G,vcores=51,bogus=1]"), Ok(Resource::new(19_073, 51)));
        assert_eq!(amounts("[memory-mb=1,gpu=2]"), Ok(Resource::from_slice(&[1, 0, 2])));
        assert_eq!(amounts("[memory=1,memory=2x]\n"), Ok(Resource::new(1, 0)));
        assert_eq!(amounts("[vcores=51]"), Ok(Resource::ZERO));
        assert_eq!(amounts("[memory=1,vcores=4294967297]"), Ok(Resource::new(1, 1)));
        for bad in ["[memory=58618 ,vcores=1]", "[memory=1.5]", "[memory=9223372036854775807Gi]"] {
            assert!(amounts(bad).is_err(), "{bad:?}");
        }
    }
}
