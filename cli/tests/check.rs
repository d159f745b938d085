//! `evenweave check` as it is run: what it says, in both forms, and its exit code.

#![expect(clippy::unwrap_used, reason = "a test's helpers")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// A directory of one test, gone at its end.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let path = std::env::temp_dir().join(format!("evenweave-check-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Scratch(path)
    }

    fn file(&self, name: &str, text: impl AsRef<[u8]>) -> String {
        let path = self.0.join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Runs it in the package's directory, so that paths are the same everywhere.
fn check(arguments: &[&str]) -> Output {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut command = Command::new(env!("CARGO_BIN_EXE_evenweave"));
    command.current_dir(directory).env_remove("NO_COLOR").arg("check").args(arguments).output().unwrap()
}

/// What it says, and its exit code.
fn said(arguments: &[&str]) -> (String, Option<i32>) {
    let output = check(arguments);
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    (String::from_utf8(output.stdout).unwrap(), output.status.code())
}

/// The codes of each file, in order.
fn codes(arguments: &[&str]) -> Vec<Vec<String>> {
    let (text, _) = said(&[arguments, &["--format", "json"]].concat());
    let document: Value = serde_json::from_str(&text).unwrap();
    let files = document["files"].as_array().unwrap().iter();
    let code = |found: &Value| found["code"].as_str().unwrap().to_owned();
    files.map(|file| file["diagnostics"].as_array().unwrap().iter().map(code).collect()).collect()
}

const TWELVE: &str = "tests/data/twelve-mistakes.xml";

#[test]
fn twelve_mistakes_are_told_as_expected() {
    let (text, code) = said(&[TWELVE]);
    let expected = include_str!("data/twelve-mistakes.expected.txt");
    assert!(text == expected, "it says:\n{text}");
    assert_eq!(code, Some(2));
    assert_eq!(codes(&[TWELVE])[0].len(), 12);
}

#[test]
fn the_bundled_file_is_clean_whatever_it_is_compared_with() {
    let scratch = Scratch::new("bundled");
    let property = |name: &str, value: &str| format!("<property><name>{name}</name><value>{value}</value></property>");
    let site = scratch.file(
        "yarn-site.xml",
        format!(
            "<configuration>{}{}</configuration>",
            property("yarn.scheduler.maximum-allocation-mb", "131072"),
            property("yarn.acl.enable", "true")
        ),
    );
    let cluster = "memory-mb=655360000, vcores=320000";
    let (text, code) =
        said(&["../tools/data/fair-scheduler.xml", "--site", &site, "--cluster", cluster, "--deny-warnings"]);
    let expected = format!(
        "{site}: no errors, no warnings\n../tools/data/fair-scheduler.xml: no errors, no warnings\nno errors, no warnings in 2 \
         files\n"
    );
    assert_eq!((text, code), (expected, Some(0)));
}

#[test]
fn the_class_of_the_site_must_read_the_files() {
    let scratch = Scratch::new("class");
    let fair = "../tools/data/fair-scheduler.xml";
    let capacity = "../tools/data/capacity-scheduler.xml";
    let hadoop = "org.apache.hadoop.yarn.server.resourcemanager.scheduler";
    for (class, reads_fair) in [
        (format!("{hadoop}.fair.FairScheduler"), true),
        ("io.evenweave.yarn.EvenweaveFairScheduler".to_owned(), true),
        (format!("{hadoop}.capacity.CapacityScheduler"), false),
        ("io.evenweave.yarn.EvenweaveCapacityScheduler".to_owned(), false),
    ] {
        let site = scratch.file(
            "yarn-site.xml",
            format!(
                "<configuration><property><name>yarn.resourcemanager.scheduler.class</name><value>{class}</value></property>\
                 <property><name>yarn.scheduler.maximum-allocation-mb</name><value>131072</value></property></configuration>"
            ),
        );
        let found = |is_odd: bool| vec!["other-scheduler".to_owned(); usize::from(is_odd)];
        assert_eq!(codes(&[fair, "--site", &site]), [found(!reads_fair), vec![]], "{class}");
        // The class is in the site file; it is said of the file that is not read.
        assert_eq!(codes(&[capacity, "--site", &site]), [vec![], found(reads_fair)], "{class}");
        assert_eq!(codes(&[capacity, &site]), [vec![], Vec::<String>::new()], "{class}");
    }
}

#[test]
fn exit_codes() {
    let scratch = Scratch::new("codes");
    let clean = scratch.file("clean.xml", "<allocations/>");
    let odd = scratch.file("odd.xml", "<allocations><odd/></allocations>");
    let bad = scratch.file("bad.xml", "<allocations><queue/></allocations>");
    let missing = scratch.0.join("missing.xml").display().to_string();
    for (arguments, code) in [
        (vec![clean.as_str()], 0),
        (vec![&clean, "--deny-warnings"], 0),
        (vec![&clean, &odd], 0),
        (vec![&odd, &clean, "--deny-warnings"], 1),
        (vec![&odd, &bad, "--deny-warnings"], 2),
        (vec![&bad], 2),
        (vec![&missing], 2),
        (vec![&bad, "--format", "json"], 2),
    ] {
        assert_eq!(said(&arguments).1, Some(code), "{arguments:?}");
    }
    for wrong in [vec![], vec![clean.as_str(), "--format", "yaml"], vec![&clean, "--cluster", "much"]] {
        let output = check(&wrong);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{wrong:?}");
    }
}

#[test]
fn the_json_document_has_everything() {
    let scratch = Scratch::new("json");
    let text = "<allocations>\n  \u{e9}<odd/>\n</allocations>";
    let odd = scratch.file("odd.xml", text);
    let missing = scratch.0.join("missing.xml").display().to_string();
    let (out, _) = said(&[&odd, &missing, "--format", "json"]);
    let document: Value = serde_json::from_str(&out).unwrap();
    let [first, second] = document["files"].as_array().unwrap().as_slice() else { panic!("{document}") };
    let of =
        |file: &Value| (file["file"].as_str().unwrap().to_owned(), file["errors"].clone(), file["warnings"].clone());
    assert_eq!(of(first), (odd, 0.into(), 2.into()));
    assert_eq!(of(second), (missing, 1.into(), 0.into()));
    let found = &first["diagnostics"][1];
    let mut keys: Vec<&str> = found.as_object().unwrap().keys().map(String::as_str).collect();
    keys.sort_unstable();
    assert_eq!(keys, ["code", "column", "effect", "help", "length", "line", "message", "offset", "severity"]);
    assert_eq!((&found["line"], &found["column"]), (&2.into(), &5.into()));
    let offset = usize::try_from(found["offset"].as_u64().unwrap()).unwrap();
    assert_eq!(&text[offset..offset + 3], "odd");
    assert_eq!((&found["severity"], &found["effect"]), (&"warning".into(), &"Hadoop ignores it".into()));
    let unreadable = &second["diagnostics"][0];
    assert_eq!((&unreadable["code"], &unreadable["line"]), (&"unreadable-file".into(), &Value::Null));
}

#[test]
fn output_that_is_no_terminals_has_no_escape_codes() {
    let scratch = Scratch::new("plain");
    // Neither ours nor the file's own.
    let hostile = scratch.file("hostile.xml", "<allocations>\u{1b}[2J</allocations>");
    let (text, _) = said(&[TWELVE, &hostile]);
    assert!(!text.contains('\u{1b}'), "{text}");
    assert!(text.contains("error[malformed]"), "{text}");
}

#[test]
fn of_many_findings_the_first_are_shown() {
    let scratch = Scratch::new("many");
    let file = scratch.file("many.xml", format!("<allocations>{}</allocations>", "<odd/>".repeat(60)));
    let (text, _) = said(&[&file]);
    assert_eq!(text.matches("warning[unknown-element]").count(), 50);
    assert!(text.contains(&format!("{file}: 10 more are not shown\n")), "{text}");
    // One line of a file can be long; what is shown of it is not.
    assert!(text.lines().all(|line| line.chars().count() < 250), "{text}");
}

#[test]
fn kinds_show_in_the_content() {
    let scratch = Scratch::new("kinds");
    let property = |name: &str, value: &str| format!("<property><name>{name}</name><value>{value}</value></property>");
    let site = |name: &str, inner: &str| scratch.file(name, format!("<configuration>{inner}</configuration>"));
    let yarn = site("a.xml", &property("yarn.scheduler.fair.asignmultiple", "true"));
    let broken = site("b.xml", &property("yarn.scheduler.fair.max.assign", "four"));
    // Queues of the other scheduler.
    let capacity = site("c.xml", &format!("<odd/>{}", property("yarn.scheduler.capacity.root.queues", "a")));
    let other = scratch.file("d.xml", "<queues/>");
    let found = codes(&[&yarn, &broken, &capacity, &other]);
    assert_eq!(
        found,
        [vec!["unknown-property"], vec!["not-a-number"], vec!["unknown-element", "capacity-sum"], vec!["root-element"]]
    );
}

#[test]
fn the_site_file_says_what_allocation_files_work_with() {
    let scratch = Scratch::new("site");
    let property = |name: &str, value: &str| format!("<property><name>{name}</name><value>{value}</value></property>");
    let types = scratch.file(
        "resource-types.xml",
        format!("<configuration>{}</configuration>", property("yarn.resource-types", "gpu")),
    );
    let yarn = scratch.file(
        "yarn-site.xml",
        format!("<configuration>{}</configuration>", property("yarn.scheduler.fair.preemption", "true")),
    );
    let queues = scratch.file(
        "fair-scheduler.xml",
        "<allocations><queue name='a'><maxResources>4096 mb, 4 vcores</maxResources></queue></allocations>",
    );
    let none: Vec<String> = vec![];
    assert_eq!(codes(&[&queues]), std::slice::from_ref(&none));
    let with_site = codes(&[&queues, "--site", &types, "--site", &yarn]);
    assert_eq!(with_site, [none.clone(), none.clone(), vec!["preemption-never".into(), "custom-types-zero".into()]]);
    // A site file among the others is checked once.
    assert_eq!(codes(&[&queues, &types, "--site", &types]).len(), 2);
    // One with errors is told of, and gives no settings.
    let broken = scratch.file(
        "broken.xml",
        format!("<configuration>{}</configuration>", property("yarn.scheduler.fair.max.assign", "four")),
    );
    assert_eq!(codes(&[&queues, "--site", &broken]), [vec!["not-a-number".to_owned()], none]);
}

#[test]
fn queues_of_the_capacity_scheduler_lie_over_the_site_file() {
    let scratch = Scratch::new("capacity");
    let property = |name: &str, value: &str| format!("<property><name>{name}</name><value>{value}</value></property>");
    let file = |name: &str, properties: &[(&str, &str)]| {
        let inner: String = properties.iter().map(|(name, value)| property(name, value)).collect();
        scratch.file(name, format!("<configuration>\n{inner}\n</configuration>"))
    };
    let queue = |tail: &str| format!("yarn.scheduler.capacity.root.{tail}");
    let (queues, share) = (queue("queues"), queue("a.capacity"));
    let good = file("good.xml", &[(&queues, "a"), (&share, "100")]);
    let (text, code) = said(&[&good, "--deny-warnings"]);
    assert_eq!(code, Some(0), "{text}");
    // The mistake is in the other file, and shown there.
    let site = file("yarn-site.xml", &[("yarn.scheduler.minimum-allocation-mb", "0")]);
    let (text, code) = said(&[&good, "--site", &site]);
    assert_eq!(code, Some(2), "{text}");
    assert!(text.contains("error[minimum-allocation]") && text.contains(&format!("[{site}:2:")), "{text}");
}

#[test]
fn all_that_is_wrong_with_queues_of_the_capacity_scheduler_is_told_in_one_go() {
    let scratch = Scratch::new("several");
    let property = |(name, value): &(&str, &str)| {
        format!("<property><name>yarn.scheduler.capacity.{name}</name><value>{value}</value></property>\n")
    };
    let queues = [
        ("root.queues", "dev,prod"),
        ("root.dev.capacity", "thirty"),
        ("root.prod.capacity", "70"),
        ("root.prod.state", "PAUSED"),
        ("root.prod.capasity", "70"),
        ("maximum-am-resource-percent", "10"),
    ];
    let text: String = queues.iter().map(property).collect();
    let file = scratch.file("capacity-scheduler.xml", format!("<configuration>{text}</configuration>"));
    let (said, code) = said(&[&file]);
    assert_eq!(code, Some(2));
    assert_eq!(codes(&[&file]), [["not-a-number", "state", "unknown-property", "am-percent"]]);
    assert!(said.contains("1 more queue is affected"), "{said}");
}

#[test]
fn a_total_of_the_cluster_names_memory_and_vcores() {
    let clean = "../tools/data/capacity-scheduler.xml";
    for (total, lacks) in [("memory-mb=1024", "vcores"), ("vcores=4", "memory-mb")] {
        let output = check(&[clean, "--cluster", total]);
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert!(said.contains(&format!("does not name {lacks}; write for example")), "{said}");
    }
    let said = String::from_utf8(check(&[clean, "--cluster", "4 GB"]).stderr).unwrap();
    assert!(said.contains("write for example \"memory-mb=4096, vcores=4\""), "{said}");
    for total in ["memory-mb=655360000, vcores=320000", "655360000 mb, 320000 vcores"] {
        assert_eq!(check(&[clean, "--cluster", total]).status.code(), Some(0), "{total}");
    }
}

#[test]
fn a_finding_in_an_included_file_is_shown_there() {
    let scratch = Scratch::new("include");
    let inner = scratch.file("inner.xml", "<configuration>\n\n<odd/></configuration>");
    let outer = scratch.file("outer.xml", "<configuration><include href='inner.xml'/></configuration>");
    let (text, _) = said(&[&outer]);
    assert!(text.contains(&format!("[{inner}:3:1]")) && text.contains("<odd/>"), "{text}");
    let (text, _) = said(&[&outer, "--format", "json"]);
    let document: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(document["files"][0]["diagnostics"][0]["source"], inner.as_str());
}

#[test]
fn a_file_in_another_encoding_is_read() {
    let scratch = Scratch::new("encoding");
    let text = "<?xml version='1.0' encoding='UTF-16'?><allocations><odd/></allocations>";
    let utf16: Vec<u8> = [0xfeff].into_iter().chain(text.encode_utf16()).flat_map(u16::to_be_bytes).collect();
    assert_eq!(codes(&[&scratch.file("wide.xml", utf16)]), [["unknown-element"]]);
    let bad = scratch.file("bad.xml", b"<allocations>\n\xe9</allocations>");
    let (text, code) = said(&[&bad]);
    assert_eq!(code, Some(2));
    assert!(text.contains(&format!("[{bad}:2:1]")) && text.contains("save the file as UTF-8"), "{text}");
}
