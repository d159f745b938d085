//! From properties to [`Settings`].

use super::error::SettingsError;
use super::names::*;
use super::reader::{Needs, Reader};
use super::types::{self, MAXIMUM, MINIMUM, allocation};
use super::{CONTAINERS_PER_NODE, Settings, checks};
use crate::acl::AccessControlList;
use crate::diagnostic::Diagnostic;
use crate::findings::Findings;
use crate::java;
use crate::known::{AM_PREEMPTION_OF, FAIR, TYPES};
use crate::properties::Properties;
use crate::scheduler_class::SchedulerKind;
use std::collections::HashMap;

/// Reads everything there is: the settings, without their warnings, what stops a start, and what is odd. `files`: beside whose files.
pub(super) fn read(
    properties: &Properties<'_>,
    files: &[SchedulerKind],
) -> (Settings, Vec<SettingsError>, Vec<Diagnostic>) {
    let mut reader = Reader { properties, errors: Vec::new(), findings: Findings::default() };
    let mut settings = values(&mut reader);
    settings.am_preemption_by_queue = am_preemption_by_queue(&mut reader);
    let whose = checks::whose(properties, files);
    if whose == SchedulerKind::Capacity {
        // It does not read them.
        reader.errors.retain(|error| !is_of_fair_alone(error.problem.property()));
    }
    checks::all(&mut reader, &settings, whose, files);
    let warnings = properties.site().warnings().into_iter().chain(reader.findings.into_vec()).collect();
    (settings, reader.errors, warnings)
}

/// Whether only the FairScheduler reads a property.
pub(super) fn is_of_fair_alone(property: &str) -> bool {
    let is_increment = matches!(property, MEMORY_INCREMENT | VCORES_INCREMENT | INCREMENT_MULTIPLE)
        || property.starts_with(TYPES) && property.ends_with(".increment-allocation");
    property.starts_with(FAIR) || is_increment
}

fn values(reader: &mut Reader<'_>) -> Settings {
    let types = types::types(reader);
    types::check_bounds(reader);
    let increment = types::increments(reader, &types);
    let multiple = reader.float(INCREMENT_MULTIPLE, 2.0);
    let preemption = reader.flag(PREEMPTION, false);
    // Hadoop reads these only when it creates what needs them.
    let preempting = Needs { name: PREEMPTION, on: preemption };
    let properties = reader.properties;
    let threshold = reader.keep_if(preempting, properties.float(UTILIZATION, 0.8), 0.8);
    let before_kill = reader.keep_if(preempting, properties.int(WAIT_BEFORE_KILL, 15_000), 15_000);
    let before_check = reader.keep_if(preempting, properties.long(WAIT_BEFORE_CHECK, 10_000), 10_000);
    let reservation_system = reader.flag(RESERVATION_SYSTEM, false);
    let reserving = Needs { name: RESERVATION_SYSTEM, on: reservation_system };
    let plan_step = reader.keep_if(reserving, properties.duration_ms(PLAN_STEP, 1000), 1000);
    let max_periodicity = reader.keep_if(reserving, properties.long(MAX_PERIODICITY, 86_400_000), 86_400_000);
    let smoothness_factor = reader.keep_if(reserving, properties.int(SMOOTHNESS, 10), 10);
    Settings {
        minimum: allocation(reader, &types, &MINIMUM),
        maximum: allocation(reader, &types, &MAXIMUM),
        increment,
        allocation_file: reader.text(ALLOCATION_FILE).unwrap_or_else(|| "fair-scheduler.xml".to_owned()),
        allow_undeclared_pools: reader.flag("yarn.scheduler.fair.allow-undeclared-pools", true),
        user_as_default_queue: reader.flag("yarn.scheduler.fair.user-as-default-queue", true),
        size_based_weight: reader.flag("yarn.scheduler.fair.sizebasedweight", false),
        assign_multiple: reader.flag(ASSIGN_MULTIPLE, false),
        dynamic_max_assign: reader.flag(DYNAMIC_MAX_ASSIGN, true),
        max_assign: reader.int(MAX_ASSIGN, -1),
        max_containers_per_node: reader.int("yarn.scheduler.fair.max-containers-per-node", CONTAINERS_PER_NODE),
        locality_threshold_node: locality_threshold(reader, LOCALITY_NODE),
        locality_threshold_rack: locality_threshold(reader, LOCALITY_RACK),
        locality_delay_node_ms: reader.long(DELAY_NODE, -1),
        locality_delay_rack_ms: reader.long(DELAY_RACK, -1),
        continuous_scheduling: reader.flag(CONTINUOUS, false),
        continuous_scheduling_sleep_ms: {
            let sleep = reader.int(CONTINUOUS_SLEEP, 5);
            reader.not_negative(CONTINUOUS_SLEEP, sleep.into(), 0)
        },
        reservable_nodes: reader.float(RESERVABLE_NODES, 0.05),
        reservation_threshold: increment.times(f64::from(multiple)),
        update_interval_ms: millis(reader, "yarn.scheduler.fair.update-interval-ms", 500, 500),
        preemption,
        preemption_utilization_threshold: threshold,
        preemption_strict: reader.flag(STRICT, false),
        wait_before_kill_ms: before_kill.into(),
        wait_before_next_starvation_check_ms: before_check,
        am_preemption: reader.flag(AM_PREEMPTION, true),
        am_preemption_by_queue: HashMap::new(),
        acl_enable: reader.flag(ACL_ENABLE, false),
        reservation_acl_enable: reader.flag(RESERVATION_ACL, false),
        admin_acl: AccessControlList::parse(&reader.text(ADMIN_ACL).unwrap_or_else(|| "*".to_owned())),
        include_port_in_node_name: reader.flag("yarn.scheduler.include-port-in-node-name", false),
        container_expiry_ms: int_millis(
            reader,
            "yarn.resourcemanager.rm.container-allocation.expiry-interval-ms",
            600_000,
        ),
        node_heartbeat_interval_ms: millis(reader, NODE_HEARTBEAT, 1000, 0),
        node_expiry_ms: int_millis(reader, NODE_EXPIRY, 600_000),
        recovery: reader.flag("yarn.resourcemanager.recovery.enabled", false),
        work_preserving_recovery: reader.flag("yarn.resourcemanager.work-preserving-recovery.enabled", true),
        scheduling_wait_ms: millis(
            reader,
            "yarn.resourcemanager.work-preserving-recovery.scheduling-wait-ms",
            10_000,
            0,
        ),
        reservation_system,
        reservation_system_class: reader.text("yarn.resourcemanager.reservation-system.class"),
        plan_follower_class: reader.text("yarn.resourcemanager.reservation-system.plan.follower"),
        plan_step_ms: reader.not_negative(PLAN_STEP, plan_step, 1000),
        reservation_max_periodicity_ms: positive_periodicity(reader, max_periodicity),
        reservation_smoothness_factor: smoothness_factor,
        reservation_favor_early: reader.flag("yarn.resourcemanager.reservation-system.favor-early-allocation", true),
        migration_mode: reader.flag(MIGRATION, false),
        no_terminal_rule_check: reader.flag(NO_TERMINAL_RULE_CHECK, false),
        schedule_asynchronously: reader.flag("yarn.scheduler.fair.schedule-asynchronously.enable", false),
        schedule_asynchronously_interval_ms: millis(
            reader,
            "yarn.scheduler.fair.schedule-asynchronously.scheduling-interval-ms",
            5,
            0,
        ),
        types,
        warnings: Vec::new(),
    }
}

/// Java keeps a threshold as a double, but reads it as a float; more than 1 is 1.
fn locality_threshold(reader: &mut Reader<'_>, name: &str) -> f64 {
    f64::from(java::min(reader.float(name, -1.0), 1.0))
}

fn millis(reader: &mut Reader<'_>, name: &str, default: i64, instead: u64) -> u64 {
    let value = reader.long(name, default);
    reader.not_negative(name, value, instead)
}

/// A time that Hadoop keeps in 32 bits.
fn int_millis(reader: &mut Reader<'_>, name: &str, default: i32) -> u64 {
    let value = reader.int(name, default);
    reader.not_negative(name, value.into(), 0)
}

fn positive_periodicity(reader: &mut Reader<'_>, value: i64) -> u64 {
    match value {
        0 => 86_400_000,
        value => reader.not_negative(MAX_PERIODICITY, value, 86_400_000),
    }
}

fn am_preemption_by_queue(reader: &mut Reader<'_>) -> HashMap<String, bool> {
    let mut out = HashMap::new();
    for name in reader.properties.names() {
        if let Some(queue) = name.strip_prefix(AM_PREEMPTION_OF) {
            // The built-in default, not that of `yarn.scheduler.fair.am.preemption`.
            out.insert(queue.to_owned(), reader.flag(name, true));
        }
    }
    out
}
