//! What FairScheduler reads of the site before it loads its allocation file, and how it fails.
//!
//! `FairScheduler.validateConf` and `initScheduler`, in their order; then what `FSYarnSiteConverter` reads besides.

use super::error::{ConvertError, JavaException};
use crate::java;
use crate::properties::{Properties, parse_boolean};
use crate::settings_error::{SettingsError, SettingsProblem};
use evenweave_resource::{ResourceTypes, Unit};

pub(super) const CONTINUOUS: &str = "yarn.scheduler.fair.continuous-scheduling-enabled";
pub(super) const PREEMPTION: &str = "yarn.scheduler.fair.preemption";
pub(super) const LOCALITY_NODE: &str = "yarn.scheduler.fair.locality.threshold.node";
pub(super) const LOCALITY_RACK: &str = "yarn.scheduler.fair.locality.threshold.rack";
pub(super) const MAX_ASSIGN: &str = "yarn.scheduler.fair.max.assign";
const UPDATE_INTERVAL: &str = "yarn.scheduler.fair.update-interval-ms";

/// What the conversion goes by.
#[derive(Clone, Debug)]
pub(super) struct Start {
    pub(super) continuous: bool,
    pub(super) continuous_sleep_ms: i32,
    pub(super) locality_node: f32,
    pub(super) locality_rack: f32,
    pub(super) assign_multiple: bool,
    pub(super) max_assign: i32,
    pub(super) size_based_weight: bool,
    pub(super) preemption: bool,
    pub(super) reservation_system: bool,
    pub(super) allow_undeclared_pools: bool,
    pub(super) user_as_default_queue: bool,
}

/// The properties of the site, read as the exception wants it that Java throws for a bad one.
pub(super) struct Site<'a> {
    properties: Properties<'a>,
}

impl<'a> Site<'a> {
    pub(super) fn new(properties: Properties<'a>) -> Site<'a> {
        Site { properties }
    }

    pub(super) fn flag(&self, name: &str, default: bool) -> Result<bool, ConvertError> {
        let text = self.properties.expanded(name).map_err(|error| not_a_number(&error, &[]))?;
        Ok(text.and_then(|expanded| parse_boolean(&expanded.text)).unwrap_or(default))
    }

    pub(super) fn int(&self, name: &str, default: i32) -> Result<i32, ConvertError> {
        self.properties.int(name, default).map_err(|error| not_a_number(&error, &INTEGERS))
    }

    pub(super) fn long(&self, name: &str, default: i64) -> Result<i64, ConvertError> {
        self.properties.long(name, default).map_err(|error| not_a_number(&error, &INTEGERS))
    }

    pub(super) fn float(&self, name: &str, default: f32) -> Result<f32, ConvertError> {
        self.properties.float(name, default).map_err(|error| not_a_number(&error, &[]))
    }

    /// Reads what FairScheduler reads when it starts; `notices` takes what it logs.
    pub(super) fn start(&self, types: &ResourceTypes, notices: &mut Vec<String>) -> Result<Start, ConvertError> {
        let increments = self.check_bounds(types)?;
        notices.extend(increments);
        self.float("yarn.scheduler.reservation-threshold.increment-multiple", 2.0)?;
        let continuous = self.flag(CONTINUOUS, false)?;
        let continuous_sleep_ms = self.int("yarn.scheduler.fair.continuous-scheduling-sleep-ms", 5)?;
        let (locality_node, locality_rack) = (self.float(LOCALITY_NODE, -1.0)?, self.float(LOCALITY_RACK, -1.0)?);
        self.long("yarn.scheduler.fair.locality-delay-node-ms", -1)?;
        self.long("yarn.scheduler.fair.locality-delay-rack-ms", -1)?;
        let assign_multiple = self.flag("yarn.scheduler.fair.assignmultiple", false)?;
        let max_assign = self.int(MAX_ASSIGN, -1)?;
        let size_based_weight = self.flag("yarn.scheduler.fair.sizebasedweight", false)?;
        self.float("yarn.scheduler.fair.reservable-nodes", 0.05)?;
        if self.long(UPDATE_INTERVAL, 500)? < 0 {
            notices.push(format!("{UPDATE_INTERVAL} is invalid, so using default value 500 ms instead"));
        }
        Ok(Start {
            continuous,
            continuous_sleep_ms,
            locality_node,
            locality_rack,
            assign_multiple,
            max_assign,
            size_based_weight,
            preemption: self.flag(PREEMPTION, false)?,
            reservation_system: self.flag("yarn.resourcemanager.reservation-system.enable", false)?,
            allow_undeclared_pools: self.flag("yarn.scheduler.fair.allow-undeclared-pools", true)?,
            user_as_default_queue: self.flag("yarn.scheduler.fair.user-as-default-queue", true)?,
        })
    }

    /// The bounds of allocations, the increments, and what is logged of the latter.
    fn check_bounds(&self, types: &ResourceTypes) -> Result<Vec<String>, ConvertError> {
        let mut notices = Vec::new();
        let kinds = [("memory", "mb", 1024, 8192), ("vcores", "vcores", 1, 4)];
        for (lane, (kind, unit, least, most)) in kinds.into_iter().enumerate() {
            let [minimum, maximum, increment] =
                ["minimum", "maximum", "increment"].map(|bound| format!("yarn.scheduler.{bound}-allocation-{unit}"));
            let (least, most) = (self.int(&minimum, least)?, self.int(&maximum, most)?);
            if least < 0 || least > most {
                return Err(invalid(format!(
                    "{kind} allocation configuration: {minimum}={least}, {maximum}={most}.  Both values must be greater \
                     than or equal to 0and the maximum allocation value must be greater than or equal tothe minimum \
                     allocation value."
                )));
            }
            let amount = self.increments(types, &mut notices)?[lane];
            if amount <= 0 {
                return Err(invalid(format!(
                    "{kind} allocation configuration: {increment}={amount}. Values must be greater than 0."
                )));
            }
        }
        Ok(notices)
    }

    /// The increments of memory and vcores. Those of other types are looked at, too.
    fn increments(&self, types: &ResourceTypes, notices: &mut Vec<String>) -> Result<[i64; 2], ConvertError> {
        let classic =
            [("yarn.scheduler.increment-allocation-mb", 1024), ("yarn.scheduler.increment-allocation-vcores", 1)];
        let mut own = [None; 2];
        for (lane, name) in types.names().enumerate() {
            let property = format!("yarn.resource-types.{name}.increment-allocation");
            let Some(text) = self.properties.text(&property) else { continue };
            let amount = increment(&property, &text, types.unit(lane))?;
            if let Some(own) = own.get_mut(lane) {
                *own = Some(if lane == 1 { i64::from(java::int_value(amount)) } else { amount });
                let (legacy, _) = classic[lane];
                if let Some(overridden) = self.properties.text(legacy) {
                    let text =
                        format!("Configuration {property}={text} is overriding the {legacy}={overridden} property");
                    if !notices.contains(&text) {
                        notices.push(text);
                    }
                }
            }
        }
        let memory = own[0].map_or_else(|| self.long(classic[0].0, classic[0].1), Ok)?;
        let vcores = own[1].map_or_else(|| self.int(classic[1].0, 1).map(i64::from), Ok)?;
        Ok([memory, vcores])
    }
}

/// `^([0-9]+) ?([a-zA-Z]*)$` in the type's own unit.
fn increment(property: &str, text: &str, own: &str) -> Result<i64, ConvertError> {
    let unit = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let digits = &text[..text.len() - unit.len()];
    let unit = unit.strip_prefix(' ').unwrap_or(unit);
    if digits.is_empty() || !unit.bytes().all(|byte| byte.is_ascii_alphabetic()) {
        return Err(ConvertError::fatal(format!("Property {property} is not in \"value [unit]\" format: {text}")));
    }
    let amount =
        java::parse_long(digits).ok_or_else(|| ConvertError::fatal(format!("For input string: \"{digits}\"")))?;
    if unit.is_empty() {
        return Ok(amount);
    }
    let unknown = |unit: &str| ConvertError::fatal(format!("Unknown unit '{unit}'."));
    let from = Unit::parse(unit).map_err(|_| unknown(unit))?;
    let to = Unit::parse(own).map_err(|_| unknown(own))?;
    from.convert_in_64_bits(amount, to).ok_or_else(|| {
        ConvertError::fatal(format!("Converting {amount} from '{unit}' to '{own}' will result in an overflow of Long"))
    })
}

fn invalid(what: String) -> ConvertError {
    ConvertError::crash(vec![JavaException::new("YarnRuntimeException", format!("Invalid resource scheduler {what}"))])
}

/// Prefixes of hexadecimal integers.
const INTEGERS: [&str; 4] = ["0x", "0X", "-0x", "-0X"];

/// Java's exception for a property that is no number.
fn not_a_number(error: &SettingsError, hexadecimal: &[&str]) -> ConvertError {
    let found = error.diagnostic();
    let refused = if let SettingsProblem::NotANumber { value, .. } = &*error.problem {
        ConvertError::fatal(number_format(value, hexadecimal))
    } else {
        ConvertError::crash(vec![JavaException::new("IllegalStateException", error.problem.to_string())])
    };
    refused.with(found)
}

/// The message of Java's `NumberFormatException`.
fn number_format(value: &str, hexadecimal: &[&str]) -> String {
    let prefix = hexadecimal.iter().find(|prefix| value.starts_with(**prefix));
    match prefix {
        Some(prefix) => {
            let sign = if prefix.starts_with('-') { "-" } else { "" };
            format!("For input string: \"{sign}{}\" under radix 16", &value[prefix.len()..])
        }
        // A float has another text for nothing at all.
        None if hexadecimal.is_empty() && value.is_empty() => "empty String".to_owned(),
        None => format!("For input string: \"{value}\""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn started(pairs: &[(&str, &str)]) -> Result<Start, String> {
        let site = Site::new(pairs.iter().copied().collect());
        site.start(&ResourceTypes::standard(), &mut Vec::new()).map_err(|error| error.to_string())
    }

    #[test]
    fn numbers_fail_as_in_java() {
        let fatal = |text: &str| format!("Fatal error during FS config conversion: {text}");
        for (name, value, said) in [
            (MAX_ASSIGN, " x ", "For input string: \"x\""),
            (MAX_ASSIGN, "-0xg", "For input string: \"-g\" under radix 16"),
            (LOCALITY_NODE, "0x1", "For input string: \"0x1\""),
            (LOCALITY_NODE, " ", "empty String"),
            (UPDATE_INTERVAL, "", "For input string: \"\""),
        ] {
            assert_eq!(started(&[(name, value)]).unwrap_err(), fatal(said), "{name}={value}");
        }
        let start = started(&[(MAX_ASSIGN, "0x10"), (LOCALITY_NODE, "0x1p2")]).unwrap();
        assert_eq!((start.max_assign, start.locality_node), (16, 4.0));
    }

    #[test]
    fn bounds_out_of_order_are_no_answer_of_the_command() {
        let said = started(&[("yarn.scheduler.minimum-allocation-vcores", "5")]).unwrap_err();
        assert!(said.starts_with("Invalid resource scheduler vcores allocation configuration: "), "{said}");
        assert!(started(&[("yarn.resource-types.memory-mb.increment-allocation", "1 Gi")]).is_ok());
        let said = started(&[("yarn.resource-types.vcores.increment-allocation", "one")]).unwrap_err();
        assert!(said.contains("is not in \"value [unit]\" format: one"), "{said}");
    }
}
