//! yarn-site.xml: what of the FairScheduler's properties has a counterpart.
//!
//! Hadoop's `FSYarnSiteConverter`.

use super::error::ConvertError;
use super::options::ConvertOptions;
use super::property_prefixes::{CAPACITY, PREEMPTION};
use super::start::{Site, Start};
use crate::java::float_text;
use std::collections::BTreeMap;

const MANAGER: &str = "org.apache.hadoop.yarn.server.resourcemanager.";
pub(super) const NODE_LOCALITY_DELAY: &str = "yarn.scheduler.capacity.node-locality-delay";
pub(super) const RACK_LOCALITY_DELAY: &str = "yarn.scheduler.capacity.rack-locality-additional-delay";
pub(super) const CALCULATOR: &str = "yarn.scheduler.capacity.resource-calculator";
pub(super) const DOMINANT: &str = "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator";

/// The properties to be written. `drf`: some queue, or the default, shares by the dominant resource.
pub(super) fn properties(
    site: &Site<'_>,
    start: &Start,
    drf: bool,
    options: &ConvertOptions,
) -> Result<BTreeMap<String, String>, ConvertError> {
    let mut out = BTreeMap::new();
    let mut set = |name: String, value: String| drop(out.insert(name, value));
    let capacity = |name: &str| format!("{CAPACITY}{name}");
    set("yarn.resourcemanager.scheduler.class".to_owned(), format!("{MANAGER}scheduler.capacity.CapacityScheduler"));
    set("yarn.resourcemanager.scheduler.monitor.enable".to_owned(), "true".to_owned());
    if start.continuous || options.asynchronous {
        set(capacity("schedule-asynchronously.enable"), "true".to_owned());
    }
    if start.continuous {
        let interval = start.continuous_sleep_ms.to_string();
        set(capacity("schedule-asynchronously.scheduling-interval-ms"), interval);
    }
    let mut monitors = Vec::new();
    if start.preemption && !(options.safe && options.no_preemption) {
        monitors.push("monitor.capacity.ProportionalCapacityPreemptionPolicy");
        let wait = site.int("yarn.scheduler.fair.waitTimeBeforeKill", 15_000)?;
        let check = site.long("yarn.scheduler.fair.waitTimeBeforeNextStarvationCheck", 10_000)?;
        set(format!("{PREEMPTION}max_wait_before_kill"), wait.to_string());
        set(format!("{PREEMPTION}monitoring_interval"), check.to_string());
    }
    if !options.percentages {
        monitors.push("scheduler.capacity.AutoCreatedQueueDeletionPolicy");
        set(capacity("auto-queue-creation-v2.queue-expiration-time"), "10".to_owned());
    }
    monitors.push("scheduler.capacity.QueueConfigurationAutoRefreshPolicy");
    let monitors: Vec<String> = monitors.into_iter().map(|policy| format!("{MANAGER}{policy}")).collect();
    set("yarn.resourcemanager.scheduler.monitor.policies".to_owned(), monitors.join(","));
    set(capacity("per-node-heartbeat.multiple-assignments-enabled"), start.assign_multiple.to_string());
    if start.max_assign != -1 {
        // 0 is no limit for the one. The other offers a node once before it looks at the limit: one container a
        // heartbeat.
        let most = if options.safe && start.max_assign <= 0 { -1 } else { start.max_assign };
        set(capacity("per-node-heartbeat.maximum-container-assignments"), most.to_string());
    }
    for (name, threshold) in [(NODE_LOCALITY_DELAY, start.locality_node), (RACK_LOCALITY_DELAY, start.locality_rack)] {
        // A part of the nodes is no count of opportunities: with most of them the scheduler does not start.
        if threshold != -1.0 && !options.safe {
            set(name.to_owned(), float_text(threshold));
        }
    }
    if drf {
        set(CALCULATOR.to_owned(), DOMINANT.to_owned());
    }
    Ok(out)
}
