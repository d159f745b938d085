//! Any lines `name=value` as yarn-site properties.

#![no_main]

use evenweave::Settings;
use libfuzzer_sys::fuzz_target;

/// Makes the names that matter easy to hit.
const NAMES: [&str; 12] = [
    "yarn.resource-types",
    "yarn.resource-types.gpu.units",
    "yarn.resource-types.gpu.increment-allocation",
    "yarn.scheduler.minimum-allocation-mb",
    "yarn.scheduler.maximum-allocation-vcores",
    "yarn.scheduler.increment-allocation-mb",
    "yarn.scheduler.reservation-threshold.increment-multiple",
    "yarn.scheduler.fair.locality.threshold.node",
    "yarn.scheduler.fair.max.assign",
    "yarn.scheduler.fair.update-interval-ms",
    "yarn.scheduler.fair.preemption",
    "yarn.admin.acl",
];

fuzz_target!(|text: &str| {
    let properties = text.lines().filter_map(|line| {
        let (name, value) = line.split_once('=')?;
        Some((name.parse::<usize>().ok().and_then(|i| NAMES.get(i)).copied().unwrap_or(name), value))
    });
    match Settings::from_properties(properties) {
        Ok(settings) => assert!(settings.types.len() >= 2),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});
