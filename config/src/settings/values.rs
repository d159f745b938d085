//! What settings must be to make a scheduler, whether they were read or made by a program.

use super::fields::Settings;
use evenweave_resource::{MAX_TYPES, Resource};

/// A setting that no scheduler can have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field} is {value}: {right}")]
#[non_exhaustive]
pub struct SettingsFault {
    /// The field of [`Settings`].
    pub field: &'static str,
    /// What it is.
    pub value: String,
    /// What would be right.
    pub right: &'static str,
}

/// Times before that are no times: sums of two and of a clock's must not pass the ends of 64 bits. 142 million years.
const EARLIEST_MS: i64 = -(1 << 62);

impl Settings {
    /// What stands against making a scheduler of these settings, if anything does. Properties that Hadoop takes pass,
    /// but for a `NaN` where a number is compared.
    ///
    /// ```
    /// use evenweave::{Resource, Settings};
    ///
    /// let mut settings = Settings::default();
    /// settings.increment = Resource::new(1024, -1);
    /// let fault = settings.fault().expect("it cannot be");
    /// assert_eq!(fault.to_string(), "increment is <memory:1024, vCores:-1>: no amount may be negative");
    /// ```
    #[must_use]
    pub fn fault(&self) -> Option<SettingsFault> {
        let fault = |field, value: &dyn ToString, right| Some(SettingsFault { field, value: value.to_string(), right });
        let negative = "no amount may be negative";
        for (field, amounts) in [("minimum", &self.minimum), ("maximum", &self.maximum), ("increment", &self.increment)]
        {
            if is_negative(amounts) {
                return fault(field, amounts, negative);
            }
        }
        if (0..self.types.len()).any(|lane| self.minimum.get(lane) > self.maximum.get(lane)) {
            return fault("minimum", &self.minimum, "no amount may be above the one of `maximum`");
        }
        let numbers = [
            ("locality_threshold_node", self.locality_threshold_node),
            ("locality_threshold_rack", self.locality_threshold_rack),
            ("reservable_nodes", self.reservable_nodes.into()),
            ("preemption_utilization_threshold", self.preemption_utilization_threshold.into()),
        ];
        if let Some((field, value)) = numbers.iter().find(|(_, value)| value.is_nan()) {
            return fault(field, value, "it must be a number");
        }
        let times = [
            ("locality_delay_node_ms", self.locality_delay_node_ms),
            ("locality_delay_rack_ms", self.locality_delay_rack_ms),
            ("wait_before_kill_ms", self.wait_before_kill_ms),
            ("wait_before_next_starvation_check_ms", self.wait_before_next_starvation_check_ms),
        ];
        if let Some((field, value)) = times.iter().find(|(_, value)| *value < EARLIEST_MS) {
            return fault(field, value, "it must be at least -(2^62)");
        }
        let lengths = [
            ("continuous_scheduling_sleep_ms", self.continuous_scheduling_sleep_ms),
            ("update_interval_ms", self.update_interval_ms),
            ("container_expiry_ms", self.container_expiry_ms),
            ("node_heartbeat_interval_ms", self.node_heartbeat_interval_ms),
            ("node_expiry_ms", self.node_expiry_ms),
            ("scheduling_wait_ms", self.scheduling_wait_ms),
            ("plan_step_ms", self.plan_step_ms),
            ("reservation_max_periodicity_ms", self.reservation_max_periodicity_ms),
            ("schedule_asynchronously_interval_ms", self.schedule_asynchronously_interval_ms),
        ];
        let too_long = lengths.iter().find(|(_, value)| i64::try_from(*value).is_err());
        too_long.and_then(|(field, value)| fault(field, value, "it must be below 2^63"))
    }
}

fn is_negative(amounts: &Resource) -> bool {
    (0..MAX_TYPES).any(|lane| amounts.get(lane) < 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_field_that_cannot_be_is_named() {
        type Change = fn(&mut Settings);
        let cases: [(&str, Change); 9] = [
            ("minimum", |s| s.minimum = Resource::new(-1, 1)),
            ("minimum", |s| s.minimum = s.maximum.plus(&Resource::new(1, 0))),
            ("maximum", |s| s.maximum = Resource::new(1024, -1)),
            ("increment", |s| s.increment = Resource::new(-1, 1)),
            ("locality_threshold_rack", |s| s.locality_threshold_rack = f64::NAN),
            ("reservable_nodes", |s| s.reservable_nodes = f32::NAN),
            ("preemption_utilization_threshold", |s| s.preemption_utilization_threshold = f32::NAN),
            ("wait_before_kill_ms", |s| s.wait_before_kill_ms = i64::MIN),
            ("update_interval_ms", |s| s.update_interval_ms = u64::MAX),
        ];
        for (field, change) in cases {
            let mut settings = Settings::default();
            assert_eq!(settings.fault(), None);
            change(&mut settings);
            assert_eq!(settings.fault().map(|fault| fault.field), Some(field));
        }
    }
}
