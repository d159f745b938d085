//! From properties to [`Settings`].

use super::checks::{self, is_of_fair_alone};
use super::fields::{CONTAINERS_PER_NODE, Settings};
use super::names::*;
use super::reader::{Needs, Reader};
use super::types::{self, MAXIMUM, MINIMUM, allocation};
use crate::acl::AccessControlList;
use crate::diagnostic::Diagnostic;
use crate::findings::Findings;
use crate::java;
use crate::known::AM_PREEMPTION_OF;
use crate::properties::Properties;
use crate::scheduler_class::SchedulerKind;
use crate::settings_error::SettingsError;
use crate::site::SiteProperties;
use std::collections::HashMap;

impl Settings {
    /// Reads pairs of name and value; their order does not matter, others' are ignored.
    ///
    /// # Errors
    /// Where Hadoop's scheduler would not start.
    pub fn from_properties<'a>(
        properties: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Settings, SettingsError> {
        Settings::read(&properties.into_iter().collect())
    }

    /// Reads the properties of site files.
    ///
    /// # Errors
    /// Where Hadoop's scheduler would not start; the first of perhaps several, [`Settings::check`] has all.
    pub fn from_site(site: &SiteProperties) -> Result<Settings, SettingsError> {
        Settings::read(&Properties::from(site))
    }

    fn read(properties: &Properties<'_>) -> Result<Settings, SettingsError> {
        let (settings, errors, warnings) = read(properties, &[SchedulerKind::Fair]);
        match errors.into_iter().next() {
            Some(error) => Err(error),
            None => Ok(Settings { warnings, ..settings }),
        }
    }

    /// Reads the properties of site files and says all that there is to say of them: every error, and the warnings of
    /// the files, of their layers and of the settings. There are settings unless there is an error.
    ///
    /// ```
    /// use evenweave::Settings;
    /// use evenweave::config::{Severity, SiteFile, SiteProperties};
    /// let text = "<configuration>
    ///   <property><name>yarn.scheduler.fair.max.assign</name><value>four</value></property>
    ///   <property><name>yarn.scheduler.fair.asignmultiple</name><value>true</value></property>
    /// </configuration>";
    /// let mut site = SiteProperties::new();
    /// site.add(&SiteFile::parse(text, "yarn-site.xml").unwrap());
    /// let (settings, found) = Settings::check(&site);
    /// assert!(settings.is_none());
    /// assert_eq!(found[0].severity, Severity::Error);
    /// assert_eq!(
    ///     found[0].to_string(),
    ///     "yarn-site.xml:2:63: yarn.scheduler.fair.max.assign: \"four\" is not an integer of 32 bits, such as 10; \
    ///      the scheduler does not start"
    /// );
    /// assert_eq!(
    ///     found[1].to_string(),
    ///     "yarn-site.xml:3:19: yarn.scheduler.fair.asignmultiple is unknown; it is ignored; \
    ///      did you mean yarn.scheduler.fair.assignmultiple?"
    /// );
    /// ```
    ///
    /// The properties are taken for a FairScheduler's; [`Settings::check_beside`] asks whose they are.
    #[must_use]
    pub fn check(site: &SiteProperties) -> (Option<Settings>, Vec<Diagnostic>) {
        Settings::check_beside(site, &[SchedulerKind::Fair])
    }

    /// The same of properties that are checked beside files of these schedulers. Beside those of one scheduler they are
    /// for it. Beside none, or those of both, the class in `yarn.resourcemanager.scheduler.class` says whose they are.
    /// Where it does not, they are the FairScheduler's if there is a property of it, and otherwise the
    /// CapacityScheduler's, as Hadoop's default is.
    ///
    /// What the CapacityScheduler does not read is not looked at where the properties are for it.
    ///
    /// ```
    /// use evenweave::Settings;
    /// use evenweave::config::{SchedulerKind, SiteProperties};
    ///
    /// let site: SiteProperties = [("yarn.scheduler.minimum-allocation-mb", "512")].into_iter().collect();
    /// // The FairScheduler's increment is 1024.
    /// assert_eq!(Settings::check_beside(&site, &[SchedulerKind::Fair]).1[0].code, "allocation");
    /// assert!(Settings::check_beside(&site, &[]).1.is_empty());
    /// ```
    #[must_use]
    pub fn check_beside(site: &SiteProperties, files: &[SchedulerKind]) -> (Option<Settings>, Vec<Diagnostic>) {
        let (settings, errors, warnings) = read(&Properties::from(site), files);
        let found = errors.iter().map(SettingsError::diagnostic).chain(warnings.iter().cloned()).collect();
        (errors.is_empty().then_some(Settings { warnings, ..settings }), found)
    }
}

impl Default for Settings {
    fn default() -> Self {
        Settings::from_properties([]).expect("the defaults are valid; a test reads them")
    }
}

/// Reads everything there is: the settings, without their warnings, what stops a start, and what is odd. `files`:
/// beside whose files.
fn read(properties: &Properties<'_>, files: &[SchedulerKind]) -> (Settings, Vec<SettingsError>, Vec<Diagnostic>) {
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
