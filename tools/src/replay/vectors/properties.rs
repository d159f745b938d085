//! Properties: the effective values of the scheduler's settings.

use serde_json::{Value, json};

use super::super::deviation::Mismatch;
use super::notation::{Input, float, is_error, resource, rules, same, taken};
use crate::api::{Settings, default_rules};

pub(super) fn check(input: &Value, expect: &Value) -> Result<(), Mismatch> {
    let Some(settings) = taken(Input::read(input)?.settings(), expect)? else { return Ok(()) };
    let (mut recorded, mut ours) = (expect.clone(), shown(&settings));
    for (name, recorded) in recorded.as_object_mut().into_iter().flatten() {
        if is_error(recorded) {
            // Hadoop reads it only when it is needed, and fails then; here it is told of at once.
            if settings.warnings().is_empty() {
                return Err(Mismatch::new(name, "a warning of the value", "none"));
            }
            *recorded = ours[name.as_str()].take();
            ours[name.as_str()] = recorded.clone();
        }
    }
    // Hadoop limits these where it uses them.
    for name in ["localityThresholdNode", "localityThresholdRack"] {
        match recorded[name].as_f64() {
            Some(value) => recorded[name] = narrowed(value.min(1.0)),
            None if recorded[name] == "Infinity" => recorded[name] = json!(1.0),
            None => {}
        }
    }
    if recorded["continuousSchedulingSleepMs"].as_i64().is_some_and(|value| value < 0) {
        recorded["continuousSchedulingSleepMs"] = json!(0);
    }
    same("", &recorded, &ours)
}

/// A number of 32 bits that Hadoop keeps in 64, and that is recorded as either.
#[expect(clippy::cast_possible_truncation, reason = "rounding is what is wanted")]
fn narrowed(value: f64) -> Value {
    float(value as f32)
}

/// Everything that is recorded of the settings.
fn shown(settings: &Settings) -> Value {
    let amounts = |amounts| resource(&settings.types, amounts);
    json!({
        "minimumAllocation": amounts(&settings.minimum),
        "maximumAllocation": amounts(&settings.maximum),
        "incrementAllocation": amounts(&settings.increment),
        "reservationThreshold": amounts(&settings.reservation_threshold),
        "assignMultiple": settings.assign_multiple,
        "maxAssignDynamic": settings.dynamic_max_assign,
        "maxAssign": settings.max_assign,
        "sizeBasedWeight": settings.size_based_weight,
        "localityThresholdNode": narrowed(settings.locality_threshold_node),
        "localityThresholdRack": narrowed(settings.locality_threshold_rack),
        "localityDelayNodeMs": settings.locality_delay_node_ms,
        "localityDelayRackMs": settings.locality_delay_rack_ms,
        "continuousScheduling": settings.continuous_scheduling,
        "continuousSchedulingSleepMs": settings.continuous_scheduling_sleep_ms,
        "updateIntervalMs": settings.update_interval_ms,
        "preemption": settings.preemption,
        "preemptionUtilizationThreshold": float(settings.preemption_utilization_threshold),
        "waitTimeBeforeKill": settings.wait_before_kill_ms,
        "waitTimeBeforeNextStarvationCheck": settings.wait_before_next_starvation_check_ms,
        "reservableNodes": float(settings.reservable_nodes),
        "includePortInNodeName": settings.include_port_in_node_name,
        "amPreemption": {
            "root": settings.am_preemption_in("root"),
            "root.a": settings.am_preemption_in("root.a"),
        },
        "placement": rules(&default_rules(settings)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_are_compared_as_they_were_given() {
        let input = json!({"properties": {"yarn.scheduler.fair.locality.threshold.node": "0.3"}});
        let settings = Input::read(&input).unwrap().settings().unwrap();
        let recorded = |threshold: f64| {
            let mut recorded = shown(&settings);
            recorded["localityThresholdNode"] = json!(threshold);
            check(&input, &recorded).is_ok()
        };
        assert!(recorded(0.3) && recorded(f64::from(0.3_f32)));
        assert!(!recorded(0.300_001));
    }
}
