//! What the properties say, as read.

use crate::cluster::r;
use evenweave::Settings;
use evenweave_testkit::settings as from;

/// `TestFairScheduler.testConfValidation`
#[test]
fn a_minimum_above_the_maximum_is_refused() {
    for (of, min, max) in [("mb", "2048", "1024"), ("vcores", "2", "1")] {
        let [min_name, max_name] =
            ["minimum", "maximum"].map(|bound| format!("yarn.scheduler.{bound}-allocation-{of}"));
        let properties = [(min_name.as_str(), min), (max_name.as_str(), max)];
        let error = Settings::from_properties(properties).unwrap_err().to_string();
        assert!(error.starts_with(&format!("{min_name}: {min} ")) && error.contains(&max_name), "{error}");
    }
}

/// `TestFairScheduler.testLoadConfigurationOnInitialize`
#[test]
fn every_property_is_read() {
    let settings = from(&[
        ("yarn.scheduler.fair.assignmultiple", "true"),
        ("yarn.scheduler.fair.max.assign", "3"),
        ("yarn.scheduler.fair.sizebasedweight", "true"),
        ("yarn.scheduler.fair.locality.threshold.node", ".5"),
        ("yarn.scheduler.fair.locality.threshold.rack", ".7"),
        ("yarn.scheduler.fair.continuous-scheduling-enabled", "true"),
        ("yarn.scheduler.fair.continuous-scheduling-sleep-ms", "10"),
        ("yarn.scheduler.fair.locality-delay-rack-ms", "5000"),
        ("yarn.scheduler.fair.locality-delay-node-ms", "5000"),
        ("yarn.scheduler.maximum-allocation-mb", "1024"),
        ("yarn.scheduler.minimum-allocation-mb", "512"),
        ("yarn.scheduler.increment-allocation-mb", "128"),
    ]);
    assert!(settings.assign_multiple && settings.size_based_weight && settings.continuous_scheduling);
    assert_eq!((settings.max_assign, settings.continuous_scheduling_sleep_ms), (3, 10));
    let near = |value: f64, expected: f64| (value - expected).abs() < 0.000_01;
    assert!(near(settings.locality_threshold_node, 0.5) && near(settings.locality_threshold_rack, 0.7));
    assert_eq!((settings.locality_delay_node_ms, settings.locality_delay_rack_ms), (5000, 5000));
    let memory = [settings.maximum, settings.minimum, settings.increment].map(|amount| amount.memory_mb());
    assert_eq!(memory, [1024, 512, 128]);
}

/// `TestFairScheduler.testNonMinZeroResourcesSettings`, `TestFairScheduler.testMinZeroResourcesSettings`
#[test]
fn minimum_and_increment_are_read_in_both_types() {
    for (memory, vcores, minimum) in [("256", "1", r(256, 1)), ("0", "0", r(0, 0))] {
        let settings = from(&[
            ("yarn.scheduler.minimum-allocation-mb", memory),
            ("yarn.scheduler.minimum-allocation-vcores", vcores),
            ("yarn.scheduler.increment-allocation-mb", "512"),
            ("yarn.scheduler.increment-allocation-vcores", "2"),
        ]);
        assert_eq!((settings.minimum, settings.increment), (minimum, r(512, 2)));
    }
}
