//! Settings put together by a program.

use super::fields::Settings;
use super::types::{MAXIMUM, MINIMUM, of_type};
use crate::known::{AM_PREEMPTION_OF, TYPES};
use crate::settings_error::SettingsError;
use crate::site::{SiteFile, SiteProperties};
use std::fmt::Display;
use std::time::Duration;

/// Builds [`Settings`] from site files, from properties by name, and from typed calls for what a program sets. All of
/// them are read in the same way, with the same errors and warnings. A value set here overrides the files, and a later
/// call overrides an earlier one.
///
/// ```
/// use evenweave::Settings;
/// let settings = Settings::builder()
///     .resource_type("gpu", "")
///     .assign_multiple(true)
///     .dynamic_max_assign(false)
///     .max_assign(4)
///     .maximum_allocation(65_536, 32)
///     .set("yarn.resource-types.gpu.maximum-allocation", 8)
///     .build()?;
/// assert_eq!(settings.max_assign, 4);
/// assert_eq!(settings.maximum.get(2), 8);
/// assert!(settings.warnings().is_empty());
/// # Ok::<(), evenweave::config::SettingsError>(())
/// ```
#[derive(Clone, Debug, Default)]
#[must_use = "a builder does nothing until `build` is called"]
pub struct SettingsBuilder {
    site: SiteProperties,
    types: Vec<String>,
}

/// Typed calls: a property and the type of its value.
macro_rules! typed {
    ($($name:ident: $type:ty = $property:literal;)*) => {$(
        #[doc = concat!("`", $property, "`")]
        pub fn $name(self, value: $type) -> Self {
            self.set($property, value)
        }
    )*};
}

/// The same of times, which Hadoop has in whole milliseconds: what is less is left out.
macro_rules! times {
    ($($name:ident = $property:literal;)*) => {$(
        #[doc = concat!("`", $property, "`, in whole milliseconds")]
        pub fn $name(self, value: Duration) -> Self {
            self.set($property, value.as_millis())
        }
    )*};
}

impl Settings {
    /// Settings from files, names and values, and typed calls; see [`SettingsBuilder`].
    pub fn builder() -> SettingsBuilder {
        SettingsBuilder::new()
    }
}

impl SettingsBuilder {
    /// A builder in which nothing is set: Hadoop's defaults.
    pub fn new() -> SettingsBuilder {
        SettingsBuilder::default()
    }

    /// Adds a site file. It overrides the files before it.
    pub fn file(mut self, file: &SiteFile) -> Self {
        self.site.add(file);
        self
    }

    /// Sets a property by its name, as `-D name=value` does.
    pub fn set(mut self, name: &str, value: impl Display) -> Self {
        self.site.set(name, value.to_string());
        self
    }

    /// Sets the environment for `${env.NAME}` in values.
    pub fn environment(mut self, lookup: impl Fn(&str) -> Option<String> + Send + Sync + 'static) -> Self {
        self.site.set_environment(lookup);
        self
    }

    /// Adds a custom resource type with its unit, which may be empty: `yarn.resource-types` and `.units`. The types in
    /// the files no longer count then.
    pub fn resource_type(mut self, name: &str, unit: &str) -> Self {
        self.types.push(name.to_owned());
        let list = self.types.join(",");
        self.set(TYPES, list).set(&of_type(name, "units"), unit)
    }

    /// The smallest container: `yarn.scheduler.minimum-allocation-mb` and `-vcores`
    pub fn minimum_allocation(self, memory_mb: u32, vcores: u32) -> Self {
        self.set(MINIMUM.memory.0, memory_mb).set(MINIMUM.vcores.0, vcores)
    }

    /// The largest container: `yarn.scheduler.maximum-allocation-mb` and `-vcores`
    pub fn maximum_allocation(self, memory_mb: u32, vcores: u32) -> Self {
        self.set(MAXIMUM.memory.0, memory_mb).set(MAXIMUM.vcores.0, vcores)
    }

    /// The increment, of which sizes of containers are multiples: `yarn.resource-types.memory-mb.increment-allocation`
    /// and the same of `vcores`
    pub fn increment_allocation(self, memory_mb: u32, vcores: u32) -> Self {
        let field = "increment-allocation";
        self.set(&of_type("memory-mb", field), memory_mb).set(&of_type("vcores", field), vcores)
    }

    /// Whether the AMs of a queue, by its full name, may be preempted:
    /// `yarn.scheduler.fair.am.preemption.<queue>`
    pub fn am_preemption_in(self, queue: &str, value: bool) -> Self {
        self.set(&format!("{AM_PREEMPTION_OF}{queue}"), value)
    }

    typed! {
        allocation_file: &str = "yarn.scheduler.fair.allocation.file";
        allow_undeclared_pools: bool = "yarn.scheduler.fair.allow-undeclared-pools";
        user_as_default_queue: bool = "yarn.scheduler.fair.user-as-default-queue";
        size_based_weight: bool = "yarn.scheduler.fair.sizebasedweight";
        assign_multiple: bool = "yarn.scheduler.fair.assignmultiple";
        dynamic_max_assign: bool = "yarn.scheduler.fair.dynamic.max.assign";
        max_assign: i32 = "yarn.scheduler.fair.max.assign";
        max_containers_per_node: i32 = "yarn.scheduler.fair.max-containers-per-node";
        locality_threshold_node: f32 = "yarn.scheduler.fair.locality.threshold.node";
        locality_threshold_rack: f32 = "yarn.scheduler.fair.locality.threshold.rack";
        reservable_nodes: f32 = "yarn.scheduler.fair.reservable-nodes";
        reservation_threshold_increment_multiple: f32 = "yarn.scheduler.reservation-threshold.increment-multiple";
        preemption: bool = "yarn.scheduler.fair.preemption";
        preemption_utilization_threshold: f32 = "yarn.scheduler.fair.preemption.cluster-utilization-threshold";
        preemption_strict: bool = "yarn.scheduler.fair.preemption.strict";
        am_preemption: bool = "yarn.scheduler.fair.am.preemption";
        acl_enable: bool = "yarn.acl.enable";
        admin_acl: &str = "yarn.admin.acl";
        schedule_asynchronously: bool = "yarn.scheduler.fair.schedule-asynchronously.enable";
        continuous_scheduling: bool = "yarn.scheduler.fair.continuous-scheduling-enabled";
    }

    times! {
        update_interval = "yarn.scheduler.fair.update-interval-ms";
        wait_before_kill = "yarn.scheduler.fair.waitTimeBeforeKill";
        wait_before_next_starvation_check = "yarn.scheduler.fair.waitTimeBeforeNextStarvationCheck";
        locality_delay_node = "yarn.scheduler.fair.locality-delay-node-ms";
        locality_delay_rack = "yarn.scheduler.fair.locality-delay-rack-ms";
        continuous_scheduling_sleep = "yarn.scheduler.fair.continuous-scheduling-sleep-ms";
        container_expiry = "yarn.resourcemanager.rm.container-allocation.expiry-interval-ms";
        node_heartbeat_interval = "yarn.resourcemanager.nodemanagers.heartbeat-interval-ms";
        node_expiry = "yarn.nm.liveness-monitor.expiry-interval-ms";
        schedule_asynchronously_interval = "yarn.scheduler.fair.schedule-asynchronously.scheduling-interval-ms";
    }

    /// The properties that are set so far.
    #[must_use]
    pub fn properties(&self) -> &SiteProperties {
        &self.site
    }

    /// Reads everything that was set and returns the settings.
    ///
    /// # Errors
    /// If Hadoop's scheduler would not start.
    pub fn build(self) -> Result<Settings, SettingsError> {
        Settings::from_site(&self.site)
    }
}
