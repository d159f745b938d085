//! What is odd in properties that Hadoop accepts: unknown names, settings without effect, values that mean something
//! else.
//!
//! Each check looks at what was set, not at defaults, so that nothing is said of properties that nobody wrote.

use super::fields::Settings;
use super::names::*;
use super::reader::Reader;
use super::types::{MAXIMUM, MINIMUM, of_type};
use crate::acl::AccessControlList;
use crate::diagnostic::Diagnostic;
use crate::java;
use crate::known::{AM_PREEMPTION_OF, FAIR, KNOWN, OF_EMR, TYPE_FIELDS, TYPES, misspelt};
use crate::names::{ROOT, rooted};
use crate::nearest::nearest;
use crate::properties::Properties;
use crate::scheduler_class::{SCHEDULER_CLASS, SchedulerKind};
use evenweave_resource::ResourceTypes;

/// Properties of the FairScheduler that Hadoop 2 had and Hadoop 3 has not, and what takes their place.
const GONE: [(&str, &str); 3] = [
    ("yarn.scheduler.fair.preemptionInterval", "starvation is looked for with each update"),
    ("yarn.scheduler.fair.event-log-enabled", "there is no event log any more"),
    ("yarn.scheduler.fair.eventlog.dir", "there is no event log any more"),
];

/// Whether only the FairScheduler reads a property.
pub(super) fn is_of_fair_alone(property: &str) -> bool {
    let is_increment = matches!(property, MEMORY_INCREMENT | VCORES_INCREMENT | INCREMENT_MULTIPLE)
        || property.starts_with(TYPES) && property.ends_with(".increment-allocation");
    property.starts_with(FAIR) || is_increment
}

/// Whose properties these are, beside these files.
pub(super) fn whose(properties: &Properties<'_>, files: &[SchedulerKind]) -> SchedulerKind {
    let has = |kind| files.contains(&kind);
    match (has(SchedulerKind::Fair), has(SchedulerKind::Capacity)) {
        (true, false) => return SchedulerKind::Fair,
        (false, true) => return SchedulerKind::Capacity,
        (true, true) | (false, false) => {}
    }
    let class = properties.text(SCHEDULER_CLASS);
    class.as_deref().and_then(SchedulerKind::of_class).unwrap_or_else(|| {
        match properties.names().into_iter().any(is_of_fair_alone) {
            true => SchedulerKind::Fair,
            false => SchedulerKind::Capacity,
        }
    })
}

/// All checks of properties that are `whose`, beside `files`.
pub(super) fn all(reader: &mut Reader<'_>, settings: &Settings, whose: SchedulerKind, files: &[SchedulerKind]) {
    names(reader, &settings.types);
    without_value(reader, &settings.types);
    other_scheduler(reader, files);
    white_space(reader);
    admin_star(reader);
    allocations(reader, settings, whose);
    if whose == SchedulerKind::Fair {
        max_assign(reader, settings);
        preemption(reader, settings);
        locality(reader, settings);
        ranges(reader, settings);
        waits(reader, settings);
    } else {
        not_here(reader);
    }
    times(reader, settings);
    if whose == SchedulerKind::Fair {
        switches(reader, settings);
    }
    reservation_acls(reader, settings);
}

/// Adds an effect to a finding.
fn effect(text: impl Into<String>) -> impl FnOnce(Diagnostic) -> Diagnostic {
    let text = text.into();
    |found| Diagnostic { effect: Some(text), ..found }
}

/// Adds an effect and a help to a finding.
fn told(effect: impl Into<String>, help: impl Into<String>) -> impl FnOnce(Diagnostic) -> Diagnostic {
    let (effect, help) = (effect.into(), help.into());
    |found| Diagnostic { effect: Some(effect), help: Some(help), ..found }
}

/// Names that nothing reads.
fn names(reader: &mut Reader<'_>, types: &ResourceTypes) {
    for name in reader.properties.names() {
        if let Some(queue) = name.strip_prefix(AM_PREEMPTION_OF) {
            if queue != ROOT && !queue.starts_with("root.") {
                let help = || Some(format!("write {AM_PREEMPTION_OF}{}", rooted(queue)));
                unknown(reader, name, format!("{name}: {queue:?} is not the full name of a queue"), help);
            }
        } else if let Some((_, instead)) = GONE.iter().find(|(gone, _)| *gone == name) {
            unknown(reader, name, format!("{name} was read by Hadoop 2 alone; {instead}"), || None);
        } else if name.starts_with(FAIR) && !KNOWN.iter().any(|(known, _)| *known == name) {
            let known = KNOWN.iter().map(|(known, _)| *known).filter(|known| known.starts_with(FAIR));
            let help = || nearest(name, known).map(|known| format!("did you mean {known}?"));
            unknown(reader, name, format!("{name} is unknown"), help);
        } else if name == OF_EMR.0 {
            let message = format!("{name} is read by EMR's Hadoop alone");
            unknown(reader, name, message, || Some(format!("write {}", OF_EMR.1)));
        } else if let Some(near) = misspelt(name) {
            unknown(reader, name, format!("{name} is unknown"), || Some(format!("did you mean {near}?")));
        } else if let Some(tail) = name.strip_prefix(TYPES).and_then(|tail| tail.strip_prefix('.')) {
            unknown_of_types(reader, types, name, tail);
        }
    }
}

/// `help` looks for a name that is near, which is done for no more findings than are kept.
fn unknown(reader: &mut Reader<'_>, name: &str, message: String, help: impl FnOnce() -> Option<String>) {
    let at = reader.name_at(name);
    reader.findings.push(|| Diagnostic {
        effect: Some("it is ignored".to_owned()),
        help: help(),
        ..Diagnostic::warning("unknown-property", at, message)
    });
}

/// `yarn.resource-types.` and a tail that is not a listed type and one of its fields.
fn unknown_of_types(reader: &mut Reader<'_>, types: &ResourceTypes, name: &str, tail: &str) {
    let field_of = |listed: &str| tail.strip_prefix(listed).and_then(|rest| rest.strip_prefix('.'));
    // Of types whose names begin alike the longest is meant.
    if let Some(field) = types.names().filter_map(field_of).min_by_key(|field| field.len()) {
        if !TYPE_FIELDS.contains(&field) {
            let before = &name[..name.len() - field.len()];
            let help = || nearest(field, TYPE_FIELDS).map(|known| format!("did you mean {before}{known}?"));
            unknown(reader, name, format!("{name}: a resource type has no {field:?}"), help);
        }
        return;
    }
    let listed = TYPE_FIELDS.iter().find_map(|field| tail.strip_suffix(field)?.strip_suffix('.'));
    let Some(of) = listed else { return unknown(reader, name, format!("{name} is unknown"), || None) };
    let help = || match nearest(of, types.names()) {
        Some(known) => Some(format!("did you mean {known:?}?")),
        None => Some(format!("add {of} to {TYPES}")),
    };
    unknown(reader, name, format!("{name}: there is no resource type {of:?}"), help);
}

/// Hadoop's own yarn-default.xml has these without a value.
const EMPTY_IN_HADOOP: [&str; 3] =
    [TYPES, "yarn.resourcemanager.reservation-system.class", "yarn.resourcemanager.reservation-system.plan.follower"];

/// `<value/>` sets nothing: the default stays, or what an earlier file said.
fn without_value(reader: &mut Reader<'_>, types: &ResourceTypes) {
    let known = |name: &str| {
        let of_type = |of: &str| TYPE_FIELDS.iter().any(|field| of_type(of, field) == name);
        KNOWN.iter().any(|(known, _)| *known == name)
            || name.starts_with(AM_PREEMPTION_OF)
            || types.names().any(of_type)
    };
    let without_value = reader.properties.site().without_value();
    for (name, at) in without_value.filter(|(name, _)| known(name) && !EMPTY_IN_HADOOP.contains(name)) {
        reader.findings.push(|| {
            let message = format!("{name} has no value");
            told(
                "it is as good as not written: the default counts, or an earlier file",
                "write a value; as <property name=... value=\"\"/> it is the empty text",
            )(Diagnostic::warning("no-value", Some(at.clone()), message))
        });
    }
}

/// The class must read the files. Beside those of the CapacityScheduler alone it is said of them.
fn other_scheduler(reader: &mut Reader<'_>, files: &[SchedulerKind]) {
    let Some(class) = reader.properties.text(SCHEDULER_CLASS) else { return };
    let message = format!("{SCHEDULER_CLASS} is {class:?}");
    match files {
        [SchedulerKind::Fair] if !SchedulerKind::Fair.is(&class) => {
            let effect =
                "Hadoop would start another scheduler, or none; here the properties are read for the FairScheduler";
            reader.warn(SCHEDULER_CLASS, "other-scheduler", message, told(effect, SchedulerKind::Fair.help()));
        }
        [_] => {}
        _ if SchedulerKind::of_class(&class).is_none() => {
            let effect = "Hadoop would start another scheduler than these two, or none";
            let help = format!(
                "write {} or {}, without white space around it",
                SchedulerKind::Fair.class(),
                SchedulerKind::Capacity.class()
            );
            reader.warn(SCHEDULER_CLASS, "other-scheduler", message, told(effect, help));
        }
        _ => {}
    }
}

/// `*` is everybody only where it stands alone.
fn admin_star(reader: &mut Reader<'_>) {
    let Some(text) = reader.properties.text(ADMIN_ACL) else { return };
    let list = AccessControlList::parse(&text);
    if list.users.contains("*") || list.groups.contains("*") {
        let message = format!("{ADMIN_ACL} has a \"*\" among other names");
        let effect = "Hadoop takes it for a name: \"*\" means everybody only where it stands alone";
        reader.warn(ADMIN_ACL, "acl-star", message, told(effect, "write * alone for everybody, or remove it"));
    }
}

/// What a site switches on that is not here.
fn not_here(reader: &mut Reader<'_>) {
    const CONSTRAINTS: &str = "yarn.resourcemanager.placement-constraints.handler";
    let text = |reader: &Reader<'_>, name: &str| reader.properties.text(name).map(|text| java::trim(&text).to_owned());
    if let Some(handler) = text(reader, CONSTRAINTS).filter(|handler| !matches!(handler.as_str(), "" | "disabled")) {
        let message = format!("{CONSTRAINTS} is {handler:?}, and placement constraints are not supported");
        let help = "set it to disabled; Hadoop's own CapacityScheduler has constraints";
        reader.warn(CONSTRAINTS, "unsupported", message, told("Evenweave takes no request with constraints", help));
    }
}

/// White space in texts that nobody trims.
fn white_space(reader: &mut Reader<'_>) {
    if let Some(text) = reader.properties.text(ALLOCATION_FILE).filter(|text| java::trim(text) != text) {
        let message = format!("{ALLOCATION_FILE} is {text:?}, with white space at its ends");
        let told = told("it belongs to the name", "write the name without it");
        reader.warn(ALLOCATION_FILE, "white-space", message, told);
    }
    let Some(text) = reader.properties.text(ADMIN_ACL) else { return };
    let (lead, rest) = text.split_at(text.len() - text.trim_start_matches(|c: char| c <= ' ').len());
    let message = if rest.split(' ').next().is_some_and(|users| users.ends_with(',')) {
        format!("{ADMIN_ACL} is {text:?}, with a space after a comma")
    } else if lead.contains(' ') && lead.contains(['\n', '\t']) && java::trim(rest) != "*" {
        format!("{ADMIN_ACL} is {text:?}, which begins on a line of its own")
    } else {
        return;
    };
    let help = "write users with commas and no space, one space, groups with commas, all on one line";
    reader.warn(
        ADMIN_ACL,
        "white-space",
        message,
        told("the first space ends the users: what follows it are groups", help),
    );
}

/// The CapacityScheduler has no increment: its step is the minimum.
fn allocations(reader: &mut Reader<'_>, settings: &Settings, whose: SchedulerKind) {
    let is_fair = whose == SchedulerKind::Fair;
    let classic = [
        (MEMORY_INCREMENT, MINIMUM.memory.0, MAXIMUM.memory.0),
        (VCORES_INCREMENT, MINIMUM.vcores.0, MAXIMUM.vcores.0),
    ];
    for (i, name) in settings.types.names().enumerate() {
        // The property that counts: the type's own, or the classic one.
        let own = |field: &str| of_type(name, field);
        let set = |reader: &Reader<'_>, field: &str, classic: Option<&str>| {
            [Some(own(field)), classic.map(str::to_owned)].into_iter().flatten().find(|name| reader.is_set(name))
        };
        let classic = classic.get(i).copied();
        let increment_by = set(reader, "increment-allocation", classic.map(|(increment, _, _)| increment));
        let minimum_by = set(reader, MINIMUM.field, classic.map(|(_, minimum, _)| minimum));
        let maximum_by = set(reader, MAXIMUM.field, classic.map(|(_, _, maximum)| maximum));
        let (increment, minimum, maximum) =
            (settings.increment.get(i), settings.minimum.get(i), settings.maximum.get(i));
        if let Some((classic, _, _)) = classic.filter(|(classic, _, _)| is_fair && reader.is_set(classic)) {
            deprecated_increment(reader, classic, &own("increment-allocation"));
        }
        if minimum > maximum && reader.errors.is_empty() {
            let by = minimum_by.clone().or(maximum_by).unwrap_or_default();
            let message = format!("{name}: the minimum allocation {minimum} is above the maximum, {maximum}");
            reader.warn(
                &by,
                "allocation",
                message,
                effect("every container gets the maximum; Hadoop does not check this"),
            );
        } else if is_fair && increment > 0 && minimum > 0 && minimum % increment != 0 {
            let Some(by) = minimum_by.or(increment_by.clone()) else { continue };
            let rounded = (minimum / increment).saturating_add(1).saturating_mul(increment);
            let message =
                format!("{name}: the minimum allocation {minimum} is not a multiple of the increment, {increment}");
            let (effect, help) = (
                format!("the smallest container has {}", rounded.min(maximum)),
                format!("set {} too", own("increment-allocation")),
            );
            reader.warn(&by, "allocation", message, told(effect, help));
        }
        if let Some(by) = increment_by.filter(|_| is_fair && increment > maximum && maximum > 0) {
            let message = format!("{name}: the increment {increment} is above the maximum allocation, {maximum}");
            reader.warn(&by, "allocation", message, effect("every container gets the maximum"));
        }
    }
}

fn deprecated_increment(reader: &mut Reader<'_>, classic: &str, own: &str) {
    if reader.is_set(own) {
        let message = format!("{classic} is set beside {own}");
        reader.warn(classic, "no-effect", message, told("it has no effect", "remove it"));
    } else {
        let message = format!("{classic} is deprecated");
        reader.warn(classic, "deprecated", message, told("it still counts", format!("write {own}")));
    }
}

fn max_assign(reader: &mut Reader<'_>, settings: &Settings) {
    if !reader.is_set(MAX_ASSIGN) || settings.max_assign <= 0 {
        return;
    }
    if !settings.assign_multiple {
        let message = format!("{MAX_ASSIGN} is set, but {ASSIGN_MULTIPLE} is off");
        let told =
            told("one heartbeat assigns one container", format!("set {ASSIGN_MULTIPLE} to true, or remove this"));
        reader.warn(MAX_ASSIGN, "no-effect", message, told);
    } else if settings.dynamic_max_assign {
        let message = format!("{MAX_ASSIGN} is set, but {DYNAMIC_MAX_ASSIGN} is on, as it is by default");
        let told = told(
            "one heartbeat assigns up to half of what was free",
            format!("set {DYNAMIC_MAX_ASSIGN} to false, or remove this"),
        );
        reader.warn(MAX_ASSIGN, "no-effect", message, told);
    }
}

fn preemption(reader: &mut Reader<'_>, settings: &Settings) {
    if settings.preemption {
        return;
    }
    let of_queues = reader.properties.names();
    let of_queues = of_queues.into_iter().filter(|name| name.starts_with(AM_PREEMPTION_OF));
    for name in [UTILIZATION, STRICT, WAIT_BEFORE_KILL, WAIT_BEFORE_CHECK, AM_PREEMPTION].into_iter().chain(of_queues) {
        if reader.is_set(name) {
            let message = format!("{name} is set, but {PREEMPTION} is off");
            reader.warn(name, "no-effect", message, told("nothing is preempted", format!("set {PREEMPTION} to true")));
        }
    }
}

/// One of the two pairs counts, and only as a pair.
fn locality(reader: &mut Reader<'_>, settings: &Settings) {
    let thresholds = (settings.locality_threshold_node, settings.locality_threshold_rack);
    let pairs = [
        ([LOCALITY_NODE, LOCALITY_RACK], [thresholds.0 < 0.0, thresholds.1 < 0.0], !settings.continuous_scheduling),
        (
            [DELAY_NODE, DELAY_RACK],
            [settings.locality_delay_node_ms < 0, settings.locality_delay_rack_ms < 0],
            settings.continuous_scheduling,
        ),
    ];
    for (names, none, counts) in pairs {
        for (name, none, other, other_none) in
            [(names[0], none[0], names[1], none[1]), (names[1], none[1], names[0], none[0])]
        {
            // Not set is none, too.
            if none {
                continue;
            }
            if !counts {
                let is = if settings.continuous_scheduling { "on" } else { "off" };
                let message = format!("{name} is set, but {CONTINUOUS} is {is}");
                reader.warn(name, "no-effect", message, effect("it has no effect"));
            } else if other_none {
                let message = format!("{name} is set, but {other} is not");
                let told = told("no application waits for a better place", "set both, from 0 on");
                reader.warn(name, "no-effect", message, told);
            }
        }
    }
}

fn ranges(reader: &mut Reader<'_>, settings: &Settings) {
    for name in [LOCALITY_NODE, LOCALITY_RACK] {
        // The settings have it cut to 1.
        let written = reader.properties.float(name, -1.0).unwrap_or(-1.0);
        if written > 1.0 || written.is_nan() {
            let message = format!("{name}: {written} is not a part of all nodes");
            let effect = if written.is_nan() { "an application never gives up waiting" } else { "1 is taken" };
            reader.warn(name, "out-of-range", message, told(effect, "write a number from 0 to 1, or -1 for none"));
        }
    }
    let threshold = settings.preemption_utilization_threshold;
    if settings.preemption && !(0.0..=1.0).contains(&threshold) {
        let message = format!("{UTILIZATION}: {threshold} is not a part of the cluster");
        let effect = if threshold < 0.0 { "preemption is always allowed" } else { "nothing is ever preempted" };
        reader.warn(UTILIZATION, "out-of-range", message, told(effect, "write a number from 0 to 1"));
    }
    let nodes = settings.reservable_nodes;
    if !(0.0..=1.0).contains(&nodes) {
        let message = format!("{RESERVABLE_NODES}: {nodes} is not a part of all nodes");
        let effect = if nodes > 1.0 { "an application can reserve every node" } else { "no node is ever reserved" };
        reader.warn(RESERVABLE_NODES, "out-of-range", message, told(effect, "write a number from 0 to 1"));
    }
    let multiple = reader.properties.float(INCREMENT_MULTIPLE, 2.0).unwrap_or(2.0);
    if multiple < 0.0 || multiple.is_nan() {
        let message = format!("{INCREMENT_MULTIPLE}: {multiple} is not a multiple");
        let told = told("every container may reserve a node", "write a number from 0 on");
        reader.warn(INCREMENT_MULTIPLE, "out-of-range", message, told);
    }
}

fn waits(reader: &mut Reader<'_>, settings: &Settings) {
    let waits = [
        (
            WAIT_BEFORE_KILL,
            settings.wait_before_kill_ms,
            "Hadoop's preemption ends with an error at the first container",
        ),
        (
            WAIT_BEFORE_CHECK,
            settings.wait_before_next_starvation_check_ms,
            "it shortens the waits that are added to it",
        ),
    ];
    for (name, value, effect) in waits.into_iter().filter(|(_, value, _)| settings.preemption && *value < 0) {
        reader.warn_negative(name, value, effect.to_owned());
    }
}

fn times(reader: &mut Reader<'_>, settings: &Settings) {
    let (heartbeat, expiry) = (settings.node_heartbeat_interval_ms, settings.node_expiry_ms);
    if expiry < heartbeat {
        let name = if reader.is_set(NODE_EXPIRY) { NODE_EXPIRY } else { NODE_HEARTBEAT };
        let message = format!("{NODE_EXPIRY} is {expiry}, less than {NODE_HEARTBEAT}, which is {heartbeat}");
        let told = told("Hadoop's ResourceManager does not start", "a node must be able to report before it expires");
        reader.warn(name, "node-expiry", message, told);
    } else if heartbeat == 0 {
        let message = format!("{NODE_HEARTBEAT} is not above 0");
        let told = told("Hadoop tells nodes to report every 1000 ms", "write how often nodes report, such as 1000");
        reader.warn(NODE_HEARTBEAT, "out-of-range", message, told);
    }
}

fn switches(reader: &mut Reader<'_>, settings: &Settings) {
    if settings.continuous_scheduling {
        let message = format!("{CONTINUOUS} is on, which is deprecated");
        let told = told("large clusters become slow", format!("set {ASSIGN_MULTIPLE} to true instead"));
        reader.warn(CONTINUOUS, "deprecated", message, told);
    } else if reader.is_set(CONTINUOUS_SLEEP) {
        let message = format!("{CONTINUOUS_SLEEP} is set, but {CONTINUOUS} is off");
        reader.warn(CONTINUOUS_SLEEP, "no-effect", message, effect("it has no effect"));
    }
    for (name, on) in [(MIGRATION, settings.migration_mode), (NO_TERMINAL_RULE_CHECK, settings.no_terminal_rule_check)]
    {
        if on {
            let message = format!("{name} is for Hadoop's converter to the CapacityScheduler alone");
            reader.warn(name, "no-effect", message, told("it has no effect here", "remove it"));
        }
    }
}

fn reservation_acls(reader: &mut Reader<'_>, settings: &Settings) {
    if settings.reservation_acl_enable && !settings.acl_enable {
        let message = format!("{RESERVATION_ACL} is on, but {ACL_ENABLE} is off");
        let told = told("reservations are open to everybody", format!("set {ACL_ENABLE} to true"));
        reader.warn(RESERVATION_ACL, "no-effect", message, told);
    }
}
