//! Defaults, every warning, and that nothing is said without a reason. Values are compared with Hadoop elsewhere.

use super::*;
use crate::diagnostic::Severity;
use crate::scheduler_class::SchedulerKind;
use crate::settings_error::SettingsProblem;
use crate::site::{SiteFile, SiteProperties};
use evenweave_resource::Resource;

const CLASS: &str = "org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.FairScheduler";

fn read(pairs: &[(&str, &str)]) -> Settings {
    Settings::from_properties(pairs.iter().copied()).unwrap_or_else(|error| panic!("{pairs:?}: {error}"))
}

/// `code property` of each warning; the property is the first word of the message.
fn found(settings: &Settings) -> Vec<String> {
    let first = |message: &str| message.split([' ', ':']).next().unwrap_or_default().to_owned();
    settings.warnings().iter().map(|found| format!("{} {}", found.code, first(&found.message))).collect()
}

#[test]
fn defaults_are_hadoops() {
    let settings = Settings::default();
    assert_eq!(settings.minimum, Resource::new(1024, 1));
    assert_eq!(settings.maximum, Resource::UNBOUNDED.with(0, 8192).with(1, 4));
    assert_eq!(settings.increment, Resource::new(1024, 1));
    assert_eq!(settings.reservation_threshold, Resource::new(2048, 2));
    assert_eq!(settings.update_interval_ms, 500);
    assert_eq!((settings.node_expiry_ms, settings.container_expiry_ms), (600_000, 600_000));
    assert_eq!((settings.recovery, settings.work_preserving_recovery), (false, true));
    assert_eq!((settings.reservation_system, settings.plan_step_ms), (false, 1000));
    assert_eq!(settings.reservation_max_periodicity_ms, 86_400_000);
    assert!(settings.warnings().is_empty());
}

#[test]
fn errors_name_the_property_and_what_would_be_right() {
    let error = Settings::from_properties([("yarn.scheduler.minimum-allocation-mb", "9000")]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "yarn.scheduler.minimum-allocation-mb: 9000 is negative or above yarn.scheduler.maximum-allocation-mb, \
         which is 8192; it must be from 0 to that"
    );
    let error = Settings::from_properties([("yarn.scheduler.fair.max.assign", "${a}"), ("a", "${b}"), ("b", "${a}")]);
    assert!(error.unwrap_err().to_string().contains("after 20 replacements"));
}

/// Each as Hadoop's `ResourceUtils` or ResourceManager answered: refused.
#[test]
fn what_hadoop_does_not_start_with() {
    let gpu = ("yarn.resource-types", "gpu");
    for pairs in [
        vec![("yarn.resource-types", "gpu,gpu")],
        vec![("yarn.resource-types", "gpu,,fpga")],
        vec![("yarn.resource-types", "vcores")],
        vec![("yarn.resource-types", "1gpu")],
        vec![("yarn.resource-types", "yarn.io/gpu"), ("yarn.resource-types.yarn.io/gpu.units", "Gi")],
        vec![gpu, ("yarn.resource-types.gpu.units", " Mi")],
        vec![gpu, ("yarn.resource-types.gpu.units", "mi")],
        vec![gpu, ("yarn.resource-types.gpu.type", "countable")],
        vec![gpu, ("yarn.resource-types.gpu.minimum-allocation", "x")],
        vec![("yarn.resource-types.vcores.increment-allocation", "3G")],
        vec![("yarn.scheduler.fair.locality.threshold.node", "0,5")],
        vec![("yarn.resourcemanager.rm.container-allocation.expiry-interval-ms", "2147483648")],
        vec![
            ("yarn.resourcemanager.reservation-system.enable", "true"),
            ("yarn.resourcemanager.reservation-system.planfollower.time-step", "5 s"),
        ],
        vec![("yarn.scheduler.fair.preemption", "true"), ("yarn.scheduler.fair.waitTimeBeforeKill", "1e3")],
    ] {
        let refused = Settings::from_properties(pairs.iter().copied());
        assert!(refused.is_err(), "{pairs:?}: {:?}", refused.map(|settings| settings.types));
    }
    let many: Vec<String> = (0..20).map(|i| format!("r{i}")).collect();
    let error = Settings::from_properties([("yarn.resource-types", many.join(",").as_str())]).unwrap_err();
    assert!(matches!(*error.problem, SettingsProblem::Types { .. }), "{error}");
}

#[test]
fn types_units_and_bounds() {
    let settings = read(&[
        ("yarn.resource-types", " gpu ,\n a.b/c , "),
        ("yarn.resource-types.gpu.type", "COUNTABLE"),
        ("yarn.resource-types.a.b/c.units", "Mi"),
        ("yarn.resource-types.gpu.minimum-allocation", "-1"),
        ("yarn.resource-types.gpu.maximum-allocation", " 0x10 "),
        ("yarn.resource-types.a.b/c.increment-allocation", "1Gi"),
        ("yarn.resource-types.vcores.maximum-allocation", "99999999999"),
        ("yarn.resource-types.gpu.tags", "x"),
    ]);
    assert_eq!(settings.types.names().collect::<Vec<_>>(), ["memory-mb", "vcores", "gpu", "a.b/c"]);
    assert_eq!((settings.minimum.get(2), settings.maximum.get(2)), (-1, 16));
    assert_eq!((settings.increment.get(3), settings.maximum.get(1)), (1024, i64::from(i32::MAX)));
    assert!(settings.warnings().is_empty(), "{:?}", settings.warnings());
}

#[test]
fn properties_of_the_reservation_system() {
    let system = |name: &'static str| format!("yarn.resourcemanager.reservation-system.{name}");
    let (enable, step, period) = (system("enable"), system("planfollower.time-step"), system("max-periodicity"));
    let settings = read(&[(&enable, "true"), (&step, "2S"), (&period, "0")]);
    assert!(settings.reservation_system);
    assert_eq!((settings.plan_step_ms, settings.reservation_max_periodicity_ms), (2000, 86_400_000));
    let settings = read(&[(&enable, "true"), (&step, "-1"), (&period, "-5")]);
    assert_eq!((settings.plan_step_ms, settings.reservation_max_periodicity_ms), (1000, 86_400_000));
    assert_eq!(found(&settings).len(), 2);
    assert_eq!(found(&read(&[(&step, "x")])), [format!("not-a-number {step}")]);
}

/// Every kind of warning, by the properties that bring it about and no others.
#[test]
fn what_is_odd_is_a_warning() {
    let fair = "yarn.scheduler.fair.";
    for (pairs, expected) in [
        (vec![("asignmultiple", "true")], vec!["unknown-property asignmultiple"]),
        (vec![("preemptionInterval", "5")], vec!["unknown-property preemptionInterval"]),
        (vec![("preemption", "true"), ("am.preemption.a", "true")], vec!["unknown-property am.preemption.a"]),
        (vec![("assignmultiple", "yes")], vec!["not-boolean assignmultiple"]),
        (vec![("assignmultiple", "")], vec!["not-boolean assignmultiple"]),
        (vec![("assignmultiple", "${no}")], vec!["not-boolean assignmultiple"]),
        (vec![("update-interval-ms", "-5")], vec!["negative update-interval-ms"]),
        (vec![("preemption", "true"), ("waitTimeBeforeKill", "-1")], vec!["negative waitTimeBeforeKill"]),
        (
            vec![("locality.threshold.node", "1.5"), ("locality.threshold.rack", "0.5")],
            vec!["out-of-range locality.threshold.node"],
        ),
        (vec![("locality.threshold.node", "0.5")], vec!["no-effect locality.threshold.node"]),
        (
            vec![("preemption", "true"), ("preemption.cluster-utilization-threshold", "80")],
            vec!["out-of-range preemption.cluster-utilization-threshold"],
        ),
        (vec![("reservable-nodes", "-0.1")], vec!["out-of-range reservable-nodes"]),
        (vec![("continuous-scheduling-enabled", "true")], vec!["deprecated continuous-scheduling-enabled"]),
        (vec![("continuous-scheduling-sleep-ms", "5")], vec!["no-effect continuous-scheduling-sleep-ms"]),
        (
            vec![("locality-delay-node-ms", "5"), ("locality-delay-rack-ms", "5")],
            vec!["no-effect locality-delay-node-ms", "no-effect locality-delay-rack-ms"],
        ),
        (vec![("max.assign", "4")], vec!["no-effect max.assign"]),
        (vec![("max.assign", "4"), ("assignmultiple", "true")], vec!["no-effect max.assign"]),
        (
            vec![("waitTimeBeforeKill", "5"), ("am.preemption", "false"), ("am.preemption.root.a", "true")],
            vec!["no-effect waitTimeBeforeKill", "no-effect am.preemption", "no-effect am.preemption.root.a"],
        ),
        (vec![("preemption", "true"), ("preemption.strict", "true")], vec![]),
        (vec![("preemption", "true"), ("preemption.strikt", "true")], vec!["unknown-property preemption.strikt"]),
        (vec![("preemption.strict", "true")], vec!["no-effect preemption.strict"]),
        (vec![("waitTimeBeforeKill", "1e3")], vec!["not-a-number waitTimeBeforeKill", "no-effect waitTimeBeforeKill"]),
        (vec![("allocation.file", " f.xml")], vec!["white-space allocation.file"]),
        (vec![("allocation.file", "${no}/f.xml")], vec!["variable allocation.file"]),
        (vec![("migration.mode", "true")], vec!["no-effect migration.mode"]),
    ] {
        let names: Vec<(String, &str)> = pairs.iter().map(|(name, value)| (format!("{fair}{name}"), *value)).collect();
        let pairs: Vec<(&str, &str)> = names.iter().map(|(name, value)| (name.as_str(), *value)).collect();
        let expected: Vec<String> = expected.iter().map(|found| found.replacen(' ', &format!(" {fair}"), 1)).collect();
        assert_eq!(found(&read(&pairs)), expected, "{pairs:?}");
    }
    let gpu = ("yarn.resource-types", "gpu");
    for (pairs, expected) in [
        (vec![("yarn.resource-types.gpus.units", "")], "unknown-property yarn.resource-types.gpus.units"),
        (vec![gpu, ("yarn.resource-types.gpu.maximum", "5")], "unknown-property yarn.resource-types.gpu.maximum"),
        (vec![("yarn.scheduler.minimum-allocation-mb", "512")], "allocation memory-mb"),
        (vec![("yarn.resource-types.vcores.minimum-allocation", "9")], "allocation vcores"),
        (vec![("yarn.resource-types.memory-mb.increment-allocation", "10 Gi")], "allocation memory-mb"),
        (
            vec![("yarn.scheduler.increment-allocation-vcores", "1")],
            "deprecated yarn.scheduler.increment-allocation-vcores",
        ),
        (
            vec![
                ("yarn.scheduler.increment-allocation-mb", "512"),
                ("yarn.resource-types.memory-mb.increment-allocation", "256"),
            ],
            "no-effect yarn.scheduler.increment-allocation-mb",
        ),
        (
            vec![("yarn.resourcemanager.scheduler.class", "x.CapacityScheduler")],
            "other-scheduler yarn.resourcemanager.scheduler.class",
        ),
        (
            vec![("yarn.resourcemanager.scheduler.class", "io.evenweave.yarn.EvenweaveCapacityScheduler")],
            "other-scheduler yarn.resourcemanager.scheduler.class",
        ),
        (vec![("yarn.admin.acl", "al, bo dev")], "white-space yarn.admin.acl"),
        (vec![("yarn.admin.acl", "\n  al dev\n")], "white-space yarn.admin.acl"),
        (vec![("yarn.acl.reservation-enable", "true")], "no-effect yarn.acl.reservation-enable"),
        (
            vec![("yarn.nm.liveness-monitor.expiry-interval-ms", "500")],
            "node-expiry yarn.nm.liveness-monitor.expiry-interval-ms",
        ),
        (
            vec![("yarn.resourcemanager.nodemanagers.heartbeat-interval-ms", "0")],
            "out-of-range yarn.resourcemanager.nodemanagers.heartbeat-interval-ms",
        ),
        (
            vec![("yarn.scheduler.reservation-threshold.increment-multiple", "-1")],
            "out-of-range yarn.scheduler.reservation-threshold.increment-multiple",
        ),
    ] {
        let mut seen = found(&read(&pairs));
        // An increment of 10 Gi is above the maximum, and the minimum is no multiple of it.
        seen.dedup();
        assert_eq!(seen, [expected], "{pairs:?}");
    }
}

#[test]
fn nothing_is_said_of_usual_settings() {
    let usual = [
        ("yarn.resourcemanager.scheduler.class", CLASS),
        ("yarn.scheduler.fair.allocation.file", "/etc/hadoop/fair-scheduler.xml"),
        ("yarn.scheduler.fair.assignmultiple", " TRUE "),
        ("yarn.scheduler.fair.dynamic.max.assign", "false"),
        ("yarn.scheduler.fair.max.assign", "-1"),
        ("yarn.scheduler.fair.preemption", "true"),
        ("yarn.scheduler.fair.preemption.cluster-utilization-threshold", "1.0"),
        ("yarn.scheduler.fair.am.preemption.root.a", "false"),
        ("yarn.scheduler.fair.locality.threshold.node", "0"),
        ("yarn.scheduler.fair.locality.threshold.rack", "1"),
        ("yarn.scheduler.fair.locality-delay-node-ms", "-1"),
        ("yarn.scheduler.minimum-allocation-mb", "2048"),
        ("yarn.scheduler.maximum-allocation-mb", "10000"),
        ("yarn.resource-types.memory-mb.increment-allocation", "512"),
        ("yarn.admin.acl", " hadoop,admins"),
        ("yarn.acl.enable", "true"),
        ("yarn.scheduler.capacity.root.queues", "default"),
        ("yarn.nodemanager.resource.memory-mb", "x"),
        ("hadoop.tmp.dir", "${no.such}"),
    ];
    assert_eq!(found(&read(&usual)), [""; 0]);
    let own = [("yarn.resourcemanager.scheduler.class", "io.evenweave.yarn.EvenweaveFairScheduler")];
    assert_eq!(found(&read(&own)), [""; 0]);
    for acl in ["*", " *", "\n*\n", "al,bo dev,ops", "al", " dev", " ", "\n al", "al,bo "] {
        let warned = !read(&[("yarn.admin.acl", acl)]).warnings().is_empty();
        assert_eq!(warned, acl == "\n al", "{acl:?}");
    }
}

#[test]
fn what_is_found_in_a_file_has_its_place() {
    let text = "<configuration>\n<property><name>yarn.scheduler.fair.max.assign</name><value>four</value></property>\n\
                <property><name>yarn.scheduler.minimum-allocation-mb</name><value>-1</value></property>\n\
                <property><name>yarn.admin.acl</name><value></value></property>\
                <property><name>yarn.resource-types</name><value/></property>\n\
                <property><name>yarn.scheduler.fair.maxassign</name><value>4</value></property>\n\
                <property><name>yarn.scheduler.fair.reservable-nodes</name><value>7</value></property></configuration>";
    let mut site = SiteProperties::new();
    site.add(&SiteFile::parse(text, "s.xml").unwrap());
    let (settings, found) = Settings::check(&site);
    assert!(settings.is_none());
    let places: Vec<String> =
        found.iter().map(|found| format!("{} {}", found.at.as_ref().unwrap(), found.code)).collect();
    assert_eq!(
        places,
        [
            "s.xml:3:67 minimum-allocation",
            "s.xml:2:61 not-a-number",
            "s.xml:5:17 unknown-property",
            "s.xml:4:17 no-value",
            "s.xml:6:67 out-of-range",
        ]
    );
    let error = Settings::from_site(&site).unwrap_err();
    assert!(error.to_string().starts_with("s.xml:3:67: yarn.scheduler.minimum-allocation-mb: -1"), "{error}");
    // One corrected, one overridden: what remains are warnings.
    site.set("yarn.scheduler.minimum-allocation-mb", "1024");
    site.set("yarn.scheduler.fair.max.assign", "0");
    let (settings, found) = Settings::check(&site);
    assert_eq!(settings.unwrap().warnings(), found);
    assert_eq!(found.len(), 3);
}

/// Properties of Hadoop's own defaults are found by `${...}`, and count as not written.
#[test]
fn variables_find_hadoops_defaults() {
    let settings = read(&[("yarn.scheduler.maximum-allocation-mb", "${yarn.nm.liveness-monitor.expiry-interval-ms}")]);
    assert_eq!(settings.maximum.memory_mb(), 600_000);
    assert!(
        Settings::from_properties([("yarn.scheduler.fair.max.assign", "${yarn.scheduler.fair.max.assign.x}")]).is_err()
    );
}

#[test]
fn a_builder_goes_the_same_way() {
    let file = "<configuration><property name='yarn.scheduler.fair.max.assign' value='2'/>\
                <property name='yarn.scheduler.fair.allocation.file' value='${env.DIR:-/etc}/f.xml'/></configuration>";
    let settings = Settings::builder()
        .file(&SiteFile::parse(file, "s.xml").unwrap())
        .environment(|name| (name == "DIR").then(|| "/conf".to_owned()))
        .resource_type("gpu", "")
        .resource_type("disk", "Gi")
        .minimum_allocation(512, 1)
        .maximum_allocation(4096, 8)
        .increment_allocation(512, 1)
        .assign_multiple(true)
        .dynamic_max_assign(false)
        .max_assign(7)
        .preemption(true)
        .preemption_strict(true)
        .am_preemption_in("root.a", false)
        .set("yarn.resource-types.disk.maximum-allocation", 100)
        .build()
        .unwrap();
    assert_eq!((settings.max_assign, settings.allocation_file.as_str()), (7, "/conf/f.xml"));
    assert_eq!(settings.types.unit(3), "Gi");
    assert_eq!(settings.maximum, Resource::UNBOUNDED.with(0, 4096).with(1, 8).with(3, 100));
    assert!(settings.preemption_strict && !Settings::default().preemption_strict);
    assert!(!settings.am_preemption_in("root.a") && settings.am_preemption_in("root.b"));
    assert!(settings.warnings().is_empty(), "{:?}", settings.warnings());
    let error = Settings::builder().maximum_allocation(512, 1).build().unwrap_err();
    assert!(matches!(*error.problem, SettingsProblem::MinimumAllocation { .. }));
}

/// Whoever adds a property to the reader adds it to the table, too; the debug assertion in the reader sees to the rest.
#[test]
fn the_table_names_each_property_once() {
    let mut names: Vec<&str> = crate::known::KNOWN.iter().map(|(name, _)| *name).collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count);
    let defaults = crate::known::KNOWN.iter().filter_map(|(name, default)| default.map(|value| (*name, value)));
    let (read, plain) = (Settings::from_properties(defaults).unwrap(), Settings::default());
    let forget = |settings: Settings| format!("{:?}", Settings { warnings: Vec::new(), ..settings });
    assert_eq!(forget(read), forget(plain));
}

#[test]
fn names_and_values_of_any_kind_stand_on_one_line_and_are_not_repeated_at_length() {
    let long = "x".repeat(100_000);
    let of_queue = format!("yarn.scheduler.fair.am.preemption.root.{}", "a\nb");
    let pairs = [
        ("yarn.scheduler.fair.assign\nmultiple", "true"),
        ("yarn.resource-types.g\npu.units", ""),
        ("yarn.admin.acl", "${a\nb}"),
        ("yarn.scheduler.fair.preemption", &long),
        (&of_queue, "\n"),
    ];
    let settings = read(&pairs);
    assert!(settings.warnings().len() >= pairs.len(), "{:?}", settings.warnings());
    for warning in settings.warnings() {
        let text = warning.to_string();
        assert!(!text.contains('\n') && text.len() < 1000, "{text}");
    }
    let endless = [(of_queue.as_str(), "${c}${c}"), ("c", "${d}${d}"), ("d", "${c}")];
    let error = Settings::from_properties(endless).unwrap_err().to_string();
    assert!(!error.contains('\n'), "{error}");
}

/// While preemption is off, its properties are not read, and what is wrong in one is a warning.
#[test]
fn a_warning_has_the_code_that_the_error_would_have() {
    let threshold = "yarn.scheduler.fair.preemption.cluster-utilization-threshold";
    for (value, code) in [("most", "not-a-number"), ("${c}${c}", "substitution")] {
        let pairs = [(threshold, value), ("c", "${d}${d}"), ("d", "${c}")];
        let code_of = |preempts: &str| {
            let switch = [("yarn.scheduler.fair.preemption", preempts)];
            let (_, found) = Settings::check_beside(&pairs.into_iter().chain(switch).collect(), &[]);
            found.iter().map(|found| (found.severity, found.code)).collect::<Vec<_>>()
        };
        assert_eq!(code_of("true"), [(Severity::Error, code)], "{value}");
        assert!(code_of("false").contains(&(Severity::Warning, code)), "{value}: {:?}", code_of("false"));
    }
}

#[test]
fn what_the_capacity_scheduler_does_not_read_is_not_looked_at_for_it() {
    use SchedulerKind::{Capacity, Fair};
    let class = "yarn.resourcemanager.scheduler.class";
    let codes = |pairs: &[(&str, &str)], beside: &[SchedulerKind]| {
        let (_, found) = Settings::check_beside(&pairs.iter().copied().collect(), beside);
        found.iter().map(|found| found.code).collect::<Vec<_>>()
    };
    let small = ("yarn.scheduler.minimum-allocation-mb", "512");
    let four = ("yarn.scheduler.fair.max.assign", "four");
    let handler = ("yarn.resourcemanager.placement-constraints.handler", "scheduler");
    for (pairs, alone, fair, capacity) in [
        (vec![small], vec![], vec!["allocation"], vec![]),
        (vec![small, (class, CLASS)], vec!["allocation"], vec!["allocation"], vec![]),
        (vec![small, (class, Capacity.class())], vec![], vec!["other-scheduler", "allocation"], vec![]),
        (vec![four], vec!["not-a-number"], vec!["not-a-number"], vec![]),
        (vec![four, (class, Capacity.own_class())], vec![], vec!["not-a-number", "other-scheduler"], vec![]),
        (vec![(class, "x.Other")], vec!["other-scheduler"], vec!["other-scheduler"], vec![]),
        (vec![("yarn.node-labels.enabled", "true")], vec![], vec![], vec![]),
        (vec![handler], vec!["unsupported"], vec![], vec!["unsupported"]),
        (vec![("yarn.admin.acl", "*,al")], vec!["acl-star"], vec!["acl-star"], vec!["acl-star"]),
    ] {
        assert_eq!(codes(&pairs, &[]), alone, "{pairs:?}");
        assert_eq!(codes(&pairs, &[Fair, Capacity]), alone, "{pairs:?}");
        assert_eq!(codes(&pairs, &[Fair]), fair, "{pairs:?}");
        assert_eq!(codes(&pairs, &[Capacity]), capacity, "{pairs:?}");
    }
}
