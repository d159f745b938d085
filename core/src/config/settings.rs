//! The yarn-site properties that the scheduler reads, once, at start.
//!
//! Configuration reference 1; Hadoop's `FairSchedulerConfiguration` and the checks of `FairScheduler.validateConf`.

use super::acl::AccessControlList;
use super::java;
use super::nearest::hint;
use super::properties::Properties;
use crate::resource::{Resource, ResourceTypes, ResourceTypesError, Unit, UnitError};
use std::collections::HashMap;

const FAIR: &str = "yarn.scheduler.fair.";
const AM_PREEMPTION_OF: &str = "yarn.scheduler.fair.am.preemption.";
const TYPES: &str = "yarn.resource-types";

/// What follows `yarn.scheduler.fair.` in the properties there are, per-queue ones aside.
const KNOWN: [&str; 24] = [
    "allocation.file",
    "user-as-default-queue",
    "allow-undeclared-pools",
    "preemption",
    "preemption.cluster-utilization-threshold",
    "am.preemption",
    "waitTimeBeforeKill",
    "waitTimeBeforeNextStarvationCheck",
    "sizebasedweight",
    "assignmultiple",
    "dynamic.max.assign",
    "max.assign",
    "locality.threshold.node",
    "locality.threshold.rack",
    "locality-delay-node-ms",
    "locality-delay-rack-ms",
    "continuous-scheduling-enabled",
    "continuous-scheduling-sleep-ms",
    "update-interval-ms",
    "reservable-nodes",
    "migration.mode",
    "no-terminal-rule.check",
    "schedule-asynchronously.enable",
    "schedule-asynchronously.scheduling-interval-ms",
];

/// Scheduler-wide settings; the default is Hadoop's.
///
/// ```
/// use evenweave::Settings;
/// let settings = Settings::from_properties([("yarn.scheduler.fair.max.assign", "4")]).unwrap();
/// assert_eq!(settings.max_assign, 4);
/// assert!(Settings::from_properties([("yarn.scheduler.fair.max.assign", "four")]).is_err());
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Settings {
    /// `yarn.resource-types` and their `.units`.
    pub types: ResourceTypes,
    /// `yarn.scheduler.minimum-allocation-mb`, `-vcores` and `yarn.resource-types.<type>.minimum-allocation`.
    pub minimum: Resource,
    /// `yarn.scheduler.maximum-allocation-mb`, `-vcores` and `yarn.resource-types.<type>.maximum-allocation`;
    /// unbounded in custom types where not set, and in unused lanes.
    pub maximum: Resource,
    /// `yarn.scheduler.increment-allocation-mb`, `-vcores` and `yarn.resource-types.<type>.increment-allocation`;
    /// 0 is no rounding.
    pub increment: Resource,
    /// `yarn.scheduler.fair.allocation.file`, as it stands; finding it is the embedder's part.
    pub allocation_file: String,
    /// `yarn.scheduler.fair.allow-undeclared-pools`
    pub allow_undeclared_pools: bool,
    /// `yarn.scheduler.fair.user-as-default-queue`
    pub user_as_default_queue: bool,
    /// `yarn.scheduler.fair.sizebasedweight`
    pub size_based_weight: bool,
    /// `yarn.scheduler.fair.assignmultiple`
    pub assign_multiple: bool,
    /// `yarn.scheduler.fair.dynamic.max.assign`
    pub dynamic_max_assign: bool,
    /// `yarn.scheduler.fair.max.assign`; from 0 down: no limit.
    pub max_assign: i32,
    /// `yarn.scheduler.fair.locality.threshold.node`: a 32-bit float, widened, 1.0 at most; negative: none.
    pub locality_threshold_node: f64,
    /// `yarn.scheduler.fair.locality.threshold.rack`: a 32-bit float, widened, 1.0 at most; negative: none.
    pub locality_threshold_rack: f64,
    /// `yarn.scheduler.fair.locality-delay-node-ms`
    pub locality_delay_node_ms: i64,
    /// `yarn.scheduler.fair.locality-delay-rack-ms`
    pub locality_delay_rack_ms: i64,
    /// `yarn.scheduler.fair.continuous-scheduling-enabled`
    pub continuous_scheduling: bool,
    /// `yarn.scheduler.fair.continuous-scheduling-sleep-ms`; a negative value counts as 0.
    pub continuous_scheduling_sleep_ms: u64,
    /// `yarn.scheduler.fair.reservable-nodes`
    pub reservable_nodes: f32,
    /// [`Settings::increment`] times `yarn.scheduler.reservation-threshold.increment-multiple`.
    pub reservation_threshold: Resource,
    /// `yarn.scheduler.fair.update-interval-ms`; a negative value counts as 500.
    pub update_interval_ms: u64,
    /// `yarn.scheduler.fair.preemption`
    pub preemption: bool,
    /// `yarn.scheduler.fair.preemption.cluster-utilization-threshold`
    pub preemption_utilization_threshold: f32,
    /// `yarn.scheduler.fair.waitTimeBeforeKill`
    pub wait_before_kill_ms: i64,
    /// `yarn.scheduler.fair.waitTimeBeforeNextStarvationCheck`
    pub wait_before_next_starvation_check_ms: i64,
    /// `yarn.scheduler.fair.am.preemption`
    pub am_preemption: bool,
    /// `yarn.scheduler.fair.am.preemption.<queue>` by full queue name; see [`Settings::am_preemption_in`].
    pub am_preemption_by_queue: HashMap<String, bool>,
    /// `yarn.acl.enable`
    pub acl_enable: bool,
    /// `yarn.acl.reservation-enable`
    pub reservation_acl_enable: bool,
    /// `yarn.admin.acl`
    pub admin_acl: AccessControlList,
    /// `yarn.scheduler.include-port-in-node-name`
    pub include_port_in_node_name: bool,
    /// `yarn.resourcemanager.rm.container-allocation.expiry-interval-ms`
    pub container_expiry_ms: u64,
    /// `yarn.resourcemanager.nodemanagers.heartbeat-interval-ms`
    pub node_heartbeat_interval_ms: u64,
    /// `yarn.resourcemanager.work-preserving-recovery.scheduling-wait-ms`
    pub scheduling_wait_ms: u64,
    /// `yarn.scheduler.fair.schedule-asynchronously.enable`: not Hadoop's; mirrors the property of the same name under
    /// `yarn.scheduler.capacity.`
    pub schedule_asynchronously: bool,
    /// `yarn.scheduler.fair.schedule-asynchronously.scheduling-interval-ms`: not Hadoop's, as above.
    pub schedule_asynchronously_interval_ms: u64,
    /// See [`Settings::warnings`].
    pub(crate) warnings: Vec<String>,
}

/// Why the properties cannot be taken.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SettingsError {
    /// The text is no number, or too large.
    #[error("{property}: {value:?} is not {expected}")]
    NotANumber {
        /// The property.
        property: String,
        /// Its value.
        value: String,
        /// What would be right.
        expected: &'static str,
    },
    /// The minimum allocation is negative or above the maximum.
    #[error(
        "{property}: {value} is negative or above {maximum_property}, which is {maximum}; it must be from 0 to that"
    )]
    MinimumAllocation {
        /// The property of the minimum.
        property: &'static str,
        /// Its value.
        value: i32,
        /// The property of the maximum.
        maximum_property: &'static str,
        /// Its value.
        maximum: i32,
    },
    /// The increment of memory or vcores is not positive.
    #[error("{property}: the increment {value} must be greater than 0")]
    Increment {
        /// The property.
        property: String,
        /// The increment.
        value: i64,
    },
    /// An increment that is not a number and perhaps a unit.
    #[error("{property}: {value:?} is not a number and at most one space and a unit, such as \"512\" or \"1 Gi\"")]
    IncrementFormat {
        /// The property.
        property: String,
        /// Its value.
        value: String,
    },
    /// An increment that in the type's own unit does not fit 64 bits.
    #[error("{property}: {value:?} is too large; in the unit of the type it must be below 2^63")]
    IncrementTooLarge {
        /// The property.
        property: String,
        /// Its value.
        value: String,
    },
    /// A unit that there is not.
    #[error("{property}: {source}")]
    Unit {
        /// The property.
        property: String,
        /// The unit, and the ones there are.
        source: UnitError,
    },
    /// The list of resource types.
    #[error("yarn.resource-types: {source}")]
    Types {
        /// What is wrong with it.
        #[from]
        source: ResourceTypesError,
    },
}

impl Settings {
    /// Reads the properties; their order does not matter, others' are ignored.
    ///
    /// # Errors
    /// Where Hadoop's scheduler would not start.
    pub fn from_properties<'a>(
        properties: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Settings, SettingsError> {
        let properties: Properties<'a> = properties.into_iter().collect();
        let mut warnings = Vec::new();
        let types = read_types(&properties, &mut warnings)?;
        check_allocation_bounds(&properties)?;
        let increment = read_increments(&properties, &types)?;
        let multiple = properties.float("yarn.scheduler.reservation-threshold.increment-multiple", 2.0)?;
        let fair = |name: &str| format!("{FAIR}{name}");
        let flag = |name: &str, default| properties.flag(&fair(name)).unwrap_or(default);
        // Java keeps a threshold as a double, but reads it as a float.
        let threshold = |name: &str| properties.float(&fair(name), -1.0).map(|value| f64::from(java::min(value, 1.0)));
        let preemption = flag("preemption", false);
        let mut lenient = Lenient { preemption, warnings: &mut warnings };
        let preemption_utilization_threshold =
            lenient.or_default(properties.float(&fair("preemption.cluster-utilization-threshold"), 0.8), 0.8)?;
        let wait_before_kill_ms =
            i64::from(lenient.or_default(properties.int(&fair("waitTimeBeforeKill"), 15_000), 15_000)?);
        let wait_before_next_starvation_check_ms =
            lenient.or_default(properties.long(&fair("waitTimeBeforeNextStarvationCheck"), 10_000), 10_000)?;
        let sleep = properties.int(&fair("continuous-scheduling-sleep-ms"), 5)?;
        let mut not_negative = |name: &str, value: i64, instead: u64| {
            u64::try_from(value).unwrap_or_else(|_| {
                warnings.push(format!("{name}: {value} is negative; {instead} is taken"));
                instead
            })
        };
        let mut millis = |name: &str, default: i64, instead: u64| {
            properties.long(name, default).map(|value| not_negative(name, value, instead))
        };
        let update_interval_ms = millis(&fair("update-interval-ms"), 500, 500)?;
        let container_expiry_ms =
            millis("yarn.resourcemanager.rm.container-allocation.expiry-interval-ms", 600_000, 0)?;
        let node_heartbeat_interval_ms = millis("yarn.resourcemanager.nodemanagers.heartbeat-interval-ms", 1000, 0)?;
        let scheduling_wait_ms = millis("yarn.resourcemanager.work-preserving-recovery.scheduling-wait-ms", 10_000, 0)?;
        let schedule_asynchronously_interval_ms =
            millis(&fair("schedule-asynchronously.scheduling-interval-ms"), 5, 0)?;
        let continuous_scheduling_sleep_ms = not_negative(&fair("continuous-scheduling-sleep-ms"), i64::from(sleep), 0);
        let am_preemption_by_queue = am_preemption_by_queue(&properties, &mut warnings);
        warn_of_unknown(&properties, &types, &mut warnings);
        Ok(Settings {
            minimum: read_allocation(&properties, &types, &MINIMUM)?,
            maximum: read_allocation(&properties, &types, &MAXIMUM)?,
            increment,
            allocation_file: properties
                .text(&fair("allocation.file"))
                .unwrap_or_else(|| "fair-scheduler.xml".to_owned()),
            allow_undeclared_pools: flag("allow-undeclared-pools", true),
            user_as_default_queue: flag("user-as-default-queue", true),
            size_based_weight: flag("sizebasedweight", false),
            assign_multiple: flag("assignmultiple", false),
            dynamic_max_assign: flag("dynamic.max.assign", true),
            max_assign: properties.int(&fair("max.assign"), -1)?,
            locality_threshold_node: threshold("locality.threshold.node")?,
            locality_threshold_rack: threshold("locality.threshold.rack")?,
            locality_delay_node_ms: properties.long(&fair("locality-delay-node-ms"), -1)?,
            locality_delay_rack_ms: properties.long(&fair("locality-delay-rack-ms"), -1)?,
            continuous_scheduling: flag("continuous-scheduling-enabled", false),
            continuous_scheduling_sleep_ms,
            reservable_nodes: properties.float(&fair("reservable-nodes"), 0.05)?,
            reservation_threshold: increment.times(f64::from(multiple)),
            update_interval_ms,
            preemption,
            preemption_utilization_threshold,
            wait_before_kill_ms,
            wait_before_next_starvation_check_ms,
            am_preemption: flag("am.preemption", true),
            am_preemption_by_queue,
            acl_enable: properties.flag("yarn.acl.enable").unwrap_or(false),
            reservation_acl_enable: properties.flag("yarn.acl.reservation-enable").unwrap_or(false),
            admin_acl: AccessControlList::parse(&properties.text("yarn.admin.acl").unwrap_or_else(|| "*".to_owned())),
            include_port_in_node_name: properties.flag("yarn.scheduler.include-port-in-node-name").unwrap_or(false),
            container_expiry_ms,
            node_heartbeat_interval_ms,
            scheduling_wait_ms,
            schedule_asynchronously: flag("schedule-asynchronously.enable", false),
            schedule_asynchronously_interval_ms,
            types,
            warnings,
        })
    }

    /// What was accepted, as Hadoop accepts it, but hardly meant: unknown properties, negative times.
    #[must_use]
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Whether application masters in this queue (full name) may be preempted.
    #[must_use]
    pub fn am_preemption_in(&self, queue: &str) -> bool {
        self.am_preemption_by_queue.get(queue).copied().unwrap_or(self.am_preemption)
    }
}

impl Default for Settings {
    fn default() -> Self {
        Settings::from_properties([]).expect("the defaults are valid; a test reads them")
    }
}

/// Hadoop reads the preemption properties only when preemption is on, so a bad one must not stop a start without it.
struct Lenient<'a> {
    preemption: bool,
    warnings: &'a mut Vec<String>,
}

impl Lenient<'_> {
    fn or_default<T>(&mut self, read: Result<T, SettingsError>, default: T) -> Result<T, SettingsError> {
        match read {
            Err(error) if !self.preemption => {
                self.warnings.push(format!("{error}; not used while {FAIR}preemption is off"));
                Ok(default)
            }
            read => read,
        }
    }
}

/// `minimum` or `maximum`: the classic properties with their defaults, and the default of custom types.
pub(super) struct Allocation {
    kind: &'static str,
    memory: (&'static str, i32),
    vcores: (&'static str, i32),
    custom: i64,
}

pub(super) const MINIMUM: Allocation = Allocation {
    kind: "minimum",
    memory: ("yarn.scheduler.minimum-allocation-mb", 1024),
    vcores: ("yarn.scheduler.minimum-allocation-vcores", 1),
    custom: 0,
};
pub(super) const MAXIMUM: Allocation = Allocation {
    kind: "maximum",
    memory: ("yarn.scheduler.maximum-allocation-mb", 8192),
    vcores: ("yarn.scheduler.maximum-allocation-vcores", 4),
    custom: i64::MAX,
};

pub(super) fn read_allocation(
    properties: &Properties<'_>,
    types: &ResourceTypes,
    allocation: &Allocation,
) -> Result<Resource, SettingsError> {
    // Unused lanes take the value that never binds.
    let mut out = Resource::from_fn(|_| allocation.custom);
    for (i, name) in types.names().enumerate() {
        // -1 means "not set", whoever wrote it.
        let own = properties.long(&format!("{TYPES}.{name}.{}-allocation", allocation.kind), -1)?;
        let amount = match i {
            _ if own != -1 => own,
            0 => i64::from(properties.int(allocation.memory.0, allocation.memory.1)?),
            1 => i64::from(properties.int(allocation.vcores.0, allocation.vcores.1)?),
            _ => allocation.custom,
        };
        out = out.with(i, amount);
    }
    Ok(out)
}

/// `FairScheduler.validateConf`, which looks at the classic properties alone, even where the others win.
fn check_allocation_bounds(properties: &Properties<'_>) -> Result<(), SettingsError> {
    for (minimum, maximum) in [(MINIMUM.memory, MAXIMUM.memory), (MINIMUM.vcores, MAXIMUM.vcores)] {
        let value = properties.int(minimum.0, minimum.1)?;
        let limit = properties.int(maximum.0, maximum.1)?;
        if value < 0 || value > limit {
            let (property, maximum_property) = (minimum.0, maximum.0);
            return Err(SettingsError::MinimumAllocation { property, value, maximum_property, maximum: limit });
        }
    }
    Ok(())
}

pub(super) fn read_types(
    properties: &Properties<'_>,
    warnings: &mut Vec<String>,
) -> Result<ResourceTypes, SettingsError> {
    let list = properties.text(TYPES).unwrap_or_default();
    let mut custom: Vec<(String, String)> = Vec::new();
    for name in list.split(',').map(java::trim).filter(|name| !name.is_empty()) {
        if ResourceTypes::standard().index(name).is_some() {
            continue;
        }
        if custom.iter().any(|(known, _)| known == name) {
            warnings.push(format!("{TYPES}: {name:?} is named twice"));
            continue;
        }
        let property = format!("{TYPES}.{name}.units");
        let unit = java::trim(&properties.text(&property).unwrap_or_default()).to_owned();
        Unit::parse(&unit).map_err(|source| SettingsError::Unit { property, source })?;
        custom.push((name.to_owned(), unit));
    }
    Ok(ResourceTypes::with_custom(custom)?)
}

fn read_increments(properties: &Properties<'_>, types: &ResourceTypes) -> Result<Resource, SettingsError> {
    let classic = ["yarn.scheduler.increment-allocation-mb", "yarn.scheduler.increment-allocation-vcores"];
    let mut out = Resource::NONE;
    for (i, name) in types.names().enumerate() {
        let property = format!("{TYPES}.{name}.increment-allocation");
        let (property, amount) = match (properties.text(&property), i) {
            (Some(value), _) => {
                let amount = read_increment(&property, &value, types.unit(i))?;
                (property, amount)
            }
            (None, 0) => (classic[0].to_owned(), properties.long(classic[0], 1024)?),
            (None, 1) => (classic[1].to_owned(), i64::from(properties.int(classic[1], 1)?)),
            (None, _) => (property, 0),
        };
        if i < 2 && amount <= 0 {
            return Err(SettingsError::Increment { property, value: amount });
        }
        out = out.with(i, amount);
    }
    Ok(out)
}

/// `^([0-9]+) ?([a-zA-Z]*)$`, converted from the unit given to the type's own.
fn read_increment(property: &str, value: &str, own: &str) -> Result<i64, SettingsError> {
    let format = || SettingsError::IncrementFormat { property: property.to_owned(), value: value.to_owned() };
    let too_large = || SettingsError::IncrementTooLarge { property: property.to_owned(), value: value.to_owned() };
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
    let parse =
        |unit: &str| Unit::parse(unit).map_err(|source| SettingsError::Unit { property: property.to_owned(), source });
    parse(unit)?.convert(amount, parse(own)?).ok_or_else(too_large)
}

fn am_preemption_by_queue(properties: &Properties<'_>, warnings: &mut Vec<String>) -> HashMap<String, bool> {
    let mut out = HashMap::new();
    for name in properties.names() {
        let Some(queue) = name.strip_prefix(AM_PREEMPTION_OF) else { continue };
        let value = properties.flag(name);
        if value.is_none() {
            // The built-in default, not that of `yarn.scheduler.fair.am.preemption`.
            warnings.push(format!("{name}: neither true nor false; true is taken"));
        }
        out.insert(queue.to_owned(), value.unwrap_or(true));
    }
    out
}

fn warn_of_unknown(properties: &Properties<'_>, types: &ResourceTypes, warnings: &mut Vec<String>) {
    for name in properties.names() {
        if let Some(tail) = name.strip_prefix(FAIR) {
            if !KNOWN.contains(&tail) && !name.starts_with(AM_PREEMPTION_OF) {
                let known = KNOWN.map(|tail| format!("{FAIR}{tail}"));
                warnings.push(format!("{name}: unknown, ignored{}", hint(name, known.iter().map(String::as_str))));
            }
        } else if let Some(tail) = name.strip_prefix("yarn.resource-types.") {
            let of = ["increment-allocation", "minimum-allocation", "maximum-allocation", "units", "type"];
            let Some(of) = of.iter().find_map(|of| tail.strip_suffix(of)?.strip_suffix('.')) else { continue };
            if types.index(of).is_none() {
                let hint = hint(of, types.names());
                warnings.push(format!("{name}: there is no resource type {of:?}, ignored{hint}"));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_hadoops() {
        let settings = Settings::default();
        assert_eq!(settings.minimum, Resource::new(1024, 1));
        assert_eq!(settings.maximum, Resource::UNBOUNDED.with(0, 8192).with(1, 4));
        assert_eq!(settings.increment, Resource::new(1024, 1));
        assert_eq!(settings.reservation_threshold, Resource::new(2048, 2));
        assert_eq!(settings.update_interval_ms, 500);
        assert!(settings.warnings().is_empty());
    }

    #[test]
    fn unknown_properties_get_the_nearest_known_name() {
        let settings = Settings::from_properties([("yarn.scheduler.fair.asignmultiple", "true")]).unwrap();
        assert_eq!(
            settings.warnings(),
            ["yarn.scheduler.fair.asignmultiple: unknown, ignored; did you mean \
              \"yarn.scheduler.fair.assignmultiple\"?"]
        );
    }

    #[test]
    fn increments_have_units() {
        let read = |value: &str| read_increment("p", value, "Mi");
        assert_eq!(read("2 Gi"), Ok(2048));
        assert_eq!(read("59"), Ok(59));
        for bad in [" 59", "31  Mi", "-60", "14.5", "17x", "", "9223372036854775808", "9223372036854775807Pi"] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn errors_name_the_property_and_what_would_be_right() {
        let error = Settings::from_properties([("yarn.scheduler.minimum-allocation-mb", "9000")]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "yarn.scheduler.minimum-allocation-mb: 9000 is negative or above yarn.scheduler.maximum-allocation-mb, \
             which is 8192; it must be from 0 to that"
        );
    }

    #[test]
    fn a_bad_preemption_property_only_counts_with_preemption() {
        let bad = ("yarn.scheduler.fair.waitTimeBeforeKill", "1e3");
        assert_eq!(Settings::from_properties([bad]).unwrap().warnings().len(), 1);
        assert!(Settings::from_properties([bad, ("yarn.scheduler.fair.preemption", "true")]).is_err());
    }
}
