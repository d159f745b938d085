//! Resource types: their list, units and kinds, and the bounds and increments of what may be asked for.
//!
//! Follows rules/configuration.md 1.1 to 1.3; Hadoop's `ResourceUtils`,
//! `FairSchedulerConfiguration.getIncrementAllocation` and the checks of `FairScheduler.validateConf`.

use super::names::{MEMORY_INCREMENT, VCORES_INCREMENT};
use super::reader::Reader;
use crate::findings::Findings;
use crate::java;
use crate::known::TYPES;
use crate::properties::Properties;
use crate::settings_error::{SettingsError, SettingsProblem};
use evenweave_resource::{MAX_TYPES, Resource, ResourceTypes, Unit};

const COUNTABLE: &str = "COUNTABLE";

/// The property of a resource type.
pub(super) fn of_type(name: &str, field: &str) -> String {
    format!("{TYPES}.{name}.{field}")
}

/// `minimum` or `maximum`: the classic properties with their defaults, and the default of custom types.
pub(super) struct Allocation {
    pub(super) field: &'static str,
    pub(super) memory: (&'static str, i32),
    pub(super) vcores: (&'static str, i32),
    custom: i64,
}

pub(super) const MINIMUM: Allocation = Allocation {
    field: "minimum-allocation",
    memory: ("yarn.scheduler.minimum-allocation-mb", 1024),
    vcores: ("yarn.scheduler.minimum-allocation-vcores", 1),
    custom: 0,
};
pub(super) const MAXIMUM: Allocation = Allocation {
    field: "maximum-allocation",
    memory: ("yarn.scheduler.maximum-allocation-mb", 8192),
    vcores: ("yarn.scheduler.maximum-allocation-vcores", 4),
    custom: i64::MAX,
};

pub(super) fn allocation(reader: &mut Reader<'_>, types: &ResourceTypes, allocation: &Allocation) -> Resource {
    // Unused lanes take the value that never binds.
    let mut out = Resource::from_fn(|_| allocation.custom);
    for (i, name) in types.names().enumerate() {
        let property = of_type(name, allocation.field);
        let amount = match i {
            0 | 1 => {
                // -1 means "not set", whoever wrote it; the classic property was looked at by `check_bounds`.
                let classic = if i == 0 { allocation.memory } else { allocation.vcores };
                match reader.long(&property, -1) {
                    -1 => reader.properties.int(classic.0, classic.1).map_or(classic.1.into(), i64::from),
                    own => own,
                }
            }
            _ => reader.long(&property, allocation.custom),
        };
        // Vcores are an integer of 32 bits.
        out = out.with(i, if i == 1 { amount.min(i32::MAX.into()) } else { amount });
    }
    out
}

/// The types of a scheduler that has other properties of its own.
pub(crate) fn read_types(properties: &Properties<'_>) -> Result<ResourceTypes, SettingsError> {
    read(properties, types)
}

/// The smallest and the largest allocation of such a scheduler.
pub(crate) fn read_bounds(
    properties: &Properties<'_>,
    types: &ResourceTypes,
) -> Result<(Resource, Resource), SettingsError> {
    read(properties, |reader| {
        for (name, default) in [MINIMUM.memory, MINIMUM.vcores, MAXIMUM.memory, MAXIMUM.vcores] {
            reader.int(name, default);
        }
        (allocation(reader, types, &MINIMUM), allocation(reader, types, &MAXIMUM))
    })
}

fn read<T>(properties: &Properties<'_>, read: impl FnOnce(&mut Reader<'_>) -> T) -> Result<T, SettingsError> {
    let mut reader = Reader { properties, errors: Vec::new(), findings: Findings::default() };
    let value = read(&mut reader);
    reader.errors.into_iter().next().map_or(Ok(value), Err)
}

/// Looks at the classic properties alone, even where the others win.
pub(super) fn check_bounds(reader: &mut Reader<'_>) {
    for (minimum, maximum) in [(MINIMUM.memory, MAXIMUM.memory), (MINIMUM.vcores, MAXIMUM.vcores)] {
        let before = reader.errors.len();
        let value = reader.int(minimum.0, minimum.1);
        let limit = reader.int(maximum.0, maximum.1);
        if reader.errors.len() == before && (value < 0 || value > limit) {
            let (property, maximum_property) = (minimum.0, maximum.0);
            let problem = SettingsProblem::MinimumAllocation { property, value, maximum_property, maximum: limit };
            // Whichever was written is the one to correct.
            reader.error(if reader.is_set(property) { property } else { maximum_property }, problem);
        }
    }
}

/// The types that `yarn.resource-types` lists, beside memory and vcores.
pub(super) fn types(reader: &mut Reader<'_>) -> ResourceTypes {
    let list = reader.text(TYPES).unwrap_or_default();
    // As many again as can be had: further ones would only repeat that they are too many.
    let names = java::split_trimmed(&list);
    let mut custom: Vec<(&str, String)> = Vec::new();
    for name in names.iter().copied().take(2 * MAX_TYPES) {
        let twice = custom.iter().any(|(known, _)| *known == name);
        match name_problem(name).or(twice.then_some("is named twice; name it once")) {
            Some(problem) => reader.error(TYPES, SettingsProblem::TypeName { name: name.to_owned(), problem }),
            None => custom.push((name, unit(reader, name))),
        }
    }
    ResourceTypes::with_custom(custom).unwrap_or_else(|source| {
        reader.error(TYPES, SettingsProblem::Types { source });
        ResourceTypes::standard()
    })
}

fn name_problem(name: &str) -> Option<&'static str> {
    match name {
        "" => Some("is no name; there is a comma too many"),
        "memory" | "memory-mb" | "vcores" => Some("is there without being listed, and must not be"),
        _ if !is_type_name(name) => Some(
            "must be a letter and then letters, digits, \".\", \"_\" and \"-\", perhaps after a name space and \"/\"",
        ),
        _ => None,
    }
}

/// `[space/]name`: the name as above, the space of parts with a dot between them, each of letters, digits and inner
/// hyphens; all of ASCII.
fn is_type_name(text: &str) -> bool {
    let part = |part: &str| {
        !part.is_empty()
            && part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
            && !part.starts_with('-')
            && !part.ends_with('-')
    };
    let (space, name) = text.split_once('/').map_or((None, text), |(space, name)| (Some(space), name));
    let inside = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-');
    space.is_none_or(|space| space.split('.').all(part))
        && name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.bytes().all(inside)
}

/// The unit of a type; looks at its kind, too.
fn unit(reader: &mut Reader<'_>, name: &str) -> String {
    let property = of_type(name, "type");
    let kind = reader.text(&property).unwrap_or_else(|| COUNTABLE.to_owned());
    if kind != COUNTABLE {
        reader.error(&property.clone(), SettingsProblem::TypeKind { property, value: kind });
    }
    let property = of_type(name, "units");
    let unit = reader.text(&property).unwrap_or_default();
    if let Err(source) = Unit::parse(&unit) {
        reader.error(&property.clone(), SettingsProblem::Unit { property, source });
        return String::new();
    }
    if !unit.is_empty() && matches!(name, "yarn.io/gpu" | "yarn.io/fpga") {
        let problem = SettingsProblem::UnitOfKnownType { property: property.clone(), name: name.to_owned(), unit };
        reader.error(&property, problem);
        return String::new();
    }
    unit
}

pub(super) fn increments(reader: &mut Reader<'_>, types: &ResourceTypes) -> Resource {
    let mut out = Resource::ZERO;
    for (i, name) in types.names().enumerate() {
        let property = of_type(name, "increment-allocation");
        let (property, amount) = match (reader.text(&property), i) {
            (Some(value), _) => {
                let read = increment(&property, &value, types.unit(i));
                let amount = read.unwrap_or_else(|problem| {
                    reader.error(&property, problem);
                    1
                });
                // Vcores are an integer of 32 bits.
                (property, if i == 1 { i64::from(java::int_value(amount)) } else { amount })
            }
            (None, 0) => (MEMORY_INCREMENT.to_owned(), reader.long(MEMORY_INCREMENT, 1024)),
            (None, 1) => (VCORES_INCREMENT.to_owned(), i64::from(reader.int(VCORES_INCREMENT, 1))),
            (None, _) => (property, 0),
        };
        if i < 2 && amount <= 0 {
            reader.error(&property.clone(), SettingsProblem::Increment { property, value: amount });
        }
        out = out.with(i, amount);
    }
    out
}

/// `^([0-9]+) ?([a-zA-Z]*)$`, converted from the unit given to the type's own.
fn increment(property: &str, value: &str, own: &str) -> Result<i64, SettingsProblem> {
    let format = || SettingsProblem::IncrementFormat { property: property.to_owned(), value: value.to_owned() };
    let too_large = || SettingsProblem::IncrementTooLarge { property: property.to_owned(), value: value.to_owned() };
    let unit = value.trim_start_matches(|c: char| c.is_ascii_digit());
    let digits = &value[..value.len() - unit.len()];
    let unit = unit.strip_prefix(' ').unwrap_or(unit);
    if digits.is_empty() || !unit.bytes().all(|b| b.is_ascii_alphabetic()) {
        return Err(format());
    }
    let amount: i64 = digits.parse().map_err(|_| too_large())?;
    if unit.is_empty() {
        return Ok(amount);
    }
    let parse = |unit: &str| {
        Unit::parse(unit).map_err(|source| SettingsProblem::Unit { property: property.to_owned(), source })
    };
    parse(unit)?.convert_in_64_bits(amount, parse(own)?).ok_or_else(too_large)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn increments_have_units() {
        let read = |value: &str| increment("p", value, "Mi");
        assert_eq!(read("2 Gi"), Ok(2048));
        assert_eq!(read("59"), Ok(59));
        // In 64 bits throughout, as in Hadoop: digits are lost where the product is too large.
        assert_eq!(read("10000000000 G"), Ok(9_530_000_000_000));
        for bad in [" 59", "31  Mi", "-60", "14.5", "17x", "", "9223372036854775808", "9223372036854775807Pi"] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }

    /// As Hadoop's `ResourceUtils` answered.
    #[test]
    fn names_of_types() {
        for good in ["a.b/c", "a_b", "a-b.c", "A1.b-2/c-d_e.f", "MEMORY-MB", "yarn.io/gpu"] {
            assert_eq!(name_problem(good), None, "{good}");
        }
        for bad in [
            "1gpu", "g pu", "a/b/c", "a-/c", "-a/c", "a..b/c", "a/1", "a/", "/a", "gp\u{fc}", "a_b/c", "g\tpu", "",
            "vcores",
        ] {
            assert!(name_problem(bad).is_some(), "{bad}");
        }
    }
}
