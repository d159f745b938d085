//! Checking configuration files against what Apache Hadoop 3.4.2 made of them, as recorded in
//! `tools/tests/data/vectors`.

#![allow(clippy::unwrap_used, reason = "a test, outside any #[test] function")]

use evenweave::config::capacity::CapacityFile;
use evenweave::config::{CheckOptions, Severity, SiteFile, SiteProperties};
use evenweave::resource::ResourceTypes;
use evenweave::{AllocationFile, Resource};
use serde_json::Value;
use std::collections::BTreeSet;
use std::io::Read;

/// The cases of a family.
fn lines(family: &str) -> Vec<Value> {
    let path = format!("{}/../tools/tests/data/vectors/{family}.jsonl.gz", env!("CARGO_MANIFEST_DIR"));
    let mut text = String::new();
    flate2::read::GzDecoder::new(std::fs::File::open(path).unwrap()).read_to_string(&mut text).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Those with an allocation file.
fn cases() -> Vec<Value> {
    lines("allocation-files").into_iter().filter(|case| case["input"]["xml"].is_string()).collect()
}

/// Names and values.
fn pairs(object: &Value) -> Vec<(String, String)> {
    let members = object.as_object().into_iter().flatten();
    members.map(|(name, value)| (name.clone(), value.as_str().unwrap().to_owned())).collect()
}

fn text(case: &Value) -> String {
    AllocationFile::decode(case["input"]["xml"].as_str().unwrap().as_bytes(), "f.xml").unwrap()
}

fn types(case: &Value) -> ResourceTypes {
    let list = case["input"]["resource_types"].as_array().cloned().unwrap_or_default();
    let pair = |entry: &Value| [&entry["name"], &entry["units"]].map(|text| text.as_str().unwrap().to_owned());
    ResourceTypes::with_custom(list.iter().map(pair).map(|[name, unit]| (name, unit))).unwrap()
}

#[test]
fn a_file_has_errors_exactly_when_hadoop_refuses_it() {
    let mut compared = 0;
    for case in cases().iter().filter(|case| case["input"]["reload"].is_null()) {
        let text = text(case);
        let types = types(case);
        let checked = AllocationFile::check(&text, "f.xml", &CheckOptions::new(&types));
        let errors: Vec<_> = checked.diagnostics.iter().filter(|found| found.severity == Severity::Error).collect();
        assert_eq!(!errors.is_empty(), case["expect"]["error"] == true, "{}: {errors:?}", case["name"]);
        let parsed = AllocationFile::parse(&text, "f.xml", &types, &[]);
        match (&checked.file, parsed) {
            (Some(file), Ok(parsed)) => {
                // NaN is not equal to itself.
                let nan = |weight: Option<f32>| weight.is_some_and(f32::is_nan);
                let comparable = !file.queues.values().any(|queue| nan(queue.weight));
                assert!(!comparable || *file == parsed.file, "{}: {file:?} {:?}", case["name"], parsed.file);
                let missed = parsed.warnings.iter().find(|warning| !checked.diagnostics.contains(warning));
                assert_eq!(missed, None, "{}: a warning that the check has not", case["name"]);
            }
            (None, Err(first)) => {
                assert!(checked.diagnostics.contains(&first.diagnostic()), "{}: {first}", case["name"])
            }
            (file, parsed) => panic!("{}: {file:?} {parsed:?}", case["name"]),
        }
        compared += 1;
    }
    assert!(compared > 450, "{compared}");
}

#[test]
fn queues_that_hadoop_did_not_make_are_warned_of_and_no_others() {
    let (mut compared, mut missing_somewhere) = (0, 0);
    for case in cases() {
        let (input, expect) = (&case["input"], &case["expect"]);
        let plain = input["reload"].is_null() && input["dynamic"].is_null() && expect["order_dependent"] != true;
        let Some(queues) = expect["queues"].as_array().filter(|_| plain) else { continue };
        let made: BTreeSet<&str> = queues.iter().map(|queue| queue["name"].as_str().unwrap()).collect();
        let types = types(&case);
        let cluster = &input["cluster"];
        let mut options = CheckOptions::new(&types);
        options.cluster =
            Some(Resource::from_fn(|i| if i < types.len() { cluster[types.name(i)].as_i64().unwrap_or(0) } else { 0 }));
        let checked = AllocationFile::check(&text(&case), "f.xml", &options);
        let file = checked.file.unwrap();
        let missing: Vec<_> = file.leaves.union(&file.parents).filter(|name| !made.contains(name.as_str())).collect();
        let warned = checked.diagnostics.iter().any(|found| matches!(found.code, "drf-under-fair" | "fifo-parent"));
        assert_eq!(warned, !missing.is_empty(), "{}: {missing:?}", case["name"]);
        compared += 1;
        missing_somewhere += u32::from(!missing.is_empty());
    }
    assert!(compared > 300 && missing_somewhere > 30, "{compared}, of them {missing_somewhere} with missing queues");
}

/// A capacity-scheduler.xml with these properties.
fn capacity_file(own: &[(String, String)]) -> SiteFile {
    let escaped = |text: &str| text.replace('&', "&amp;").replace('<', "&lt;");
    let property = |(name, value): &(String, String)| {
        format!("<property><name>{}</name><value>{}</value></property>", escaped(name), escaped(value))
    };
    let text = format!("<configuration>{}</configuration>", own.iter().map(property).collect::<String>());
    SiteFile::parse(&text, "f.xml").unwrap()
}

/// Each value of each file is replaced in turn: of several mistakes the check tells first of the one that a scheduler
/// ends at.
#[test]
fn the_check_of_a_capacity_file_begins_with_the_error_that_reading_ends_at() {
    let (mut refused, mut several) = (0, 0);
    for case in lines("capacity-files") {
        let site: SiteProperties = pairs(&case["input"]["yarn_site"]).into_iter().collect();
        let own = pairs(&case["input"]["properties"]);
        for at in 0..own.len() {
            for value in ["x", "-7", "[memory=x]", "${a}", "1w"] {
                let mut changed = own.clone();
                value.clone_into(&mut changed[at].1);
                let file = capacity_file(&changed);
                let (read, found) = CapacityFile::check(&site, &file, None);
                let errors = found.iter().filter(|found| found.severity == Severity::Error).count();
                match CapacityFile::from_site(&site, &file) {
                    Ok(_) => assert_eq!(read.is_some(), errors == 0),
                    Err(first) => {
                        assert_eq!(found[0], first.diagnostic(), "{changed:?}");
                        refused += 1;
                        several += u32::from(errors > 1);
                    }
                }
            }
        }
    }
    assert!(refused > 1000 && several > 100, "{refused}, of them {several} with several errors");
}

#[test]
fn a_capacity_file_has_errors_exactly_when_hadoop_refuses_it() {
    let (mut compared, mut refused) = (0, 0);
    for case in lines("capacity-files") {
        let site: SiteProperties = pairs(&case["input"]["yarn_site"]).into_iter().collect();
        let own = pairs(&case["input"]["properties"]);
        let file = capacity_file(&own);
        let (read, found) = CapacityFile::check(&site, &file, None);
        let errors: Vec<_> = found.iter().filter(|found| found.severity == Severity::Error).collect();
        let (name, is_refused) = (&case["name"], case["expect"]["error"] == true);
        assert_eq!((!errors.is_empty(), read.is_none()), (is_refused, is_refused), "{name}: {errors:?}");
        if let Err(first) = CapacityFile::from_site(&site, &file) {
            assert_eq!(*errors[0], first.diagnostic(), "{name}");
        }
        // One recorded file has two mistakes. Of the others each has one, and of that comes no second one.
        assert!(errors.len() <= 1 || name == "two-children-007" && errors.len() == 2, "{name}: {errors:?}");
        compared += 1;
        refused += u32::from(is_refused);
    }
    assert!(compared > 300 && refused > 90, "{compared}, of them {refused} refused");
}
