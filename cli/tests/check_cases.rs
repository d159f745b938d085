//! `evenweave check` on files that it has been wrong about, and on their likes: command, exit code, codes of what is
//! found.
//!
//! `data/cases` has the files. What comes before the arguments of a case is its directory.

#![expect(clippy::unwrap_used, reason = "a test's helpers")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

fn evenweave(directory: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_evenweave"));
    command.current_dir(directory).args(arguments).output().unwrap()
}

/// The exit code of a check, and the codes of what it found, file by file.
fn check(directory: &Path, arguments: &[&str]) -> (i32, Vec<String>) {
    let output = evenweave(directory, &[&["check"], arguments, &["--format", "json"]].concat());
    let document: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"));
    let found = document["files"].as_array().unwrap().iter().flat_map(|file| file["diagnostics"].as_array().unwrap());
    let codes = found.map(|found| found["code"].as_str().unwrap().to_owned()).collect();
    (output.status.code().unwrap(), codes)
}

const CAPACITY: &str = "capacity-scheduler.xml";
const SITE: &str = "yarn-site.xml";
const WITH_SITE: [&str; 3] = [CAPACITY, "--site", SITE];

/// Directory, arguments, exit code, codes.
type Case = (&'static str, &'static [&'static str], i32, &'static [&'static str]);

const CASES: &[Case] = &[
    ("01-check-foreign-property", &[CAPACITY], 2, &["capacity-sum"]),
    ("02-check-empty-capacity-file", &[CAPACITY], 2, &["queues"]),
    ("02-check-empty-capacity-file", &WITH_SITE, 2, &["queues"]),
    ("03-check-hadoop-1-capacity-file", &[CAPACITY], 2, &["obsolete-property", "queues"]),
    ("04-false-allocation-warning", &WITH_SITE, 0, &[]),
    ("04-false-allocation-warning", &[CAPACITY, SITE], 0, &[]),
    ("05-other-scheduler-alone", &[SITE], 0, &[]),
    ("06-absolute-without-cluster", &[CAPACITY], 0, &[]),
    ("06-absolute-without-cluster", &[CAPACITY, "--cluster", "memory-mb=16384, vcores=16"], 0, &[]),
    ("07-absolute-gpu-without-cluster", &WITH_SITE, 0, &[]),
    ("07-absolute-gpu-without-cluster", &[CAPACITY], 0, &[]),
    (
        "07-absolute-gpu-without-cluster",
        &[CAPACITY, "--site", SITE, "--cluster", "memory-mb=32768, vcores=32, yarn.io/gpu=8"],
        0,
        &[],
    ),
    ("08-no-room-vcores-default-calculator", &[CAPACITY, "--cluster", "memory-mb=1048576, vcores=8"], 0, &[]),
    ("12-root-element-spelling", &[CAPACITY], 0, &["root-element"]),
    ("14-json-rules-without-format", &[CAPACITY], 0, &["no-effect"]),
    ("15-legacy-rules-with-json-format", &[CAPACITY], 0, &["no-effect"]),
    ("16-json-rule-two-users", &[CAPACITY], 0, &["mapping-matches"]),
    ("17-acl-open-by-administration", &WITH_SITE, 0, &["acl-open-above"]),
    ("17-acl-open-by-administration", &[CAPACITY], 0, &["acl-open-above"]),
    ("18-acl-white-space", &WITH_SITE, 0, &["acl-white-space"]),
    ("18-acl-white-space", &[CAPACITY], 0, &["acl-white-space"]),
    ("19-acl-disabled", &WITH_SITE, 0, &["acl-disabled"]),
    ("19-acl-disabled", &[CAPACITY], 0, &[]),
    ("20-leaf-name-in-two-parents", &[CAPACITY], 0, &["ambiguous-name"]),
    ("21-auto-creation-with-percentages", &[CAPACITY], 0, &["no-effect"]),
    ("27-stock-file-warns", &[CAPACITY], 0, &[]),
    ("27-stock-file-warns", &[CAPACITY, "--cluster", "memory-mb=1048576, vcores=512"], 0, &[]),
    ("28-template-without-auto-creation", &[CAPACITY], 0, &["no-effect", "no-effect"]),
    ("29-json-file-without-format", &[CAPACITY], 0, &["no-effect"]),
    ("30-check-queues-in-site", &[SITE], 2, &["capacity-sum"]),
    ("30-check-queues-in-site", &WITH_SITE, 2, &["capacity-sum"]),
    ("30-check-queues-in-site", &[CAPACITY, SITE], 2, &["capacity-sum"]),
];

#[test]
fn cases() {
    let all = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/cases");
    let mut wrong = Vec::new();
    for (directory, arguments, code, codes) in CASES {
        let found = check(&all.join(directory), arguments);
        if found != (*code, codes.iter().map(|code| (*code).to_owned()).collect()) {
            wrong.push(format!("{directory} {arguments:?}: {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    let mut there: Vec<String> = std::fs::read_dir(&all)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.join(CAPACITY).exists() || path.join(SITE).exists())
        .map(|path| path.file_name().unwrap().to_string_lossy().into_owned())
        .filter(|name| CASES.iter().all(|(directory, ..)| directory != name))
        .collect();
    there.sort();
    assert_eq!(there, [""; 0], "none is forgotten");
}

/// A directory of one test, gone at its end.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let path = std::env::temp_dir().join(format!("evenweave-cases-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Scratch(path)
    }

    /// A file of properties; of a name that begins with a dot the prefix of the CapacityScheduler is left out.
    fn properties(&self, name: &str, properties: &[(&str, &str)]) {
        let full = |name: &str| match name.strip_prefix('.') {
            Some(tail) => format!("yarn.scheduler.capacity.{tail}"),
            None => name.to_owned(),
        };
        let lines = properties
            .iter()
            .map(|(name, value)| format!("<property><name>{}</name><value>{value}</value></property>\n", full(name)));
        let text = format!("<configuration>\n{}</configuration>\n", lines.collect::<String>());
        std::fs::write(self.0.join(name), text).unwrap();
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

const TWO: [(&str, &str); 3] = [(".root.queues", "a,b"), (".root.a.capacity", "50"), (".root.b.capacity", "50")];
const DOMINANT: (&str, &str) =
    (".resource-calculator", "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator");
const CLASS: &str = "yarn.resourcemanager.scheduler.class";
const FAIR_CLASS: &str = "org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.FairScheduler";
const CAPACITY_CLASS: &str = "org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.CapacityScheduler";

/// Two queues of a half each, and more properties or others: the codes of a check with these arguments.
fn with(scratch: &Scratch, more: &[(&str, &str)], arguments: &[&str]) -> Vec<String> {
    let mut all: Vec<(&str, &str)> = TWO.to_vec();
    all.retain(|(name, _)| more.iter().all(|(other, _)| other != name));
    all.extend(more);
    scratch.properties(CAPACITY, &all);
    check(&scratch.0, arguments).1
}

#[test]
fn a_file_is_what_its_name_or_kind_says_and_else_all_that_it_may_be() {
    let scratch = Scratch::new("kinds");
    let monitor = ("yarn.resourcemanager.scheduler.monitor.enable", "true");
    let bad_sum = [(".root.queues", "a"), (".root.a.capacity", "60"), monitor];
    for (name, arguments, codes) in [
        ("capacity-scheduler.xml", &[][..], &["capacity-sum"][..]),
        ("prod-capacity-scheduler.xml", &[], &["capacity-sum"]),
        ("queues.xml", &[], &["capacity-sum"]),
        ("queues.xml", &["--kind", "capacity"], &["capacity-sum"]),
        ("yarn-site.xml", &[], &["capacity-sum"]),
        ("yarn-site.xml", &["--kind", "capacity"], &["capacity-sum"]),
        ("fair-scheduler.xml", &[], &["root-element"]),
        ("queues.xml", &["--kind", "allocations"], &["root-element"]),
    ] {
        scratch.properties(name, &bad_sum);
        let found = check(&scratch.0, &[&[name], arguments].concat());
        assert_eq!(found, (2, codes.iter().map(|code| (*code).to_owned()).collect()), "{name} {arguments:?}");
    }
    // Mixed: both are told.
    scratch.properties("mixed.xml", &[&bad_sum[..], &[("yarn.resource-types.gpu.minimum-allocation", "0")]].concat());
    assert_eq!(check(&scratch.0, &["mixed.xml"]), (2, vec!["capacity-sum".into(), "unknown-property".into()]));
    // Settings of the whole scheduler in yarn-site are no list of queues.
    scratch.properties(SITE, &[(CLASS, CAPACITY_CLASS), (".maximum-applications", "5000")]);
    assert_eq!(check(&scratch.0, &[SITE]), (0, vec![]));
    // Of a FairScheduler's site the rest of another time is not looked at.
    scratch.properties(SITE, &[(CLASS, FAIR_CLASS), (".root.queues", "a"), (".root.a.capacity", "60")]);
    assert_eq!(check(&scratch.0, &[SITE]), (0, vec![]));
    for (name, codes) in [("empty.xml", &["nothing-checked"][..]), ("yarn-site.xml", &[]), ("core-site.xml", &[])] {
        scratch.properties(name, &[]);
        assert_eq!(check(&scratch.0, &[name]), (0, codes.iter().map(|code| (*code).to_owned()).collect()), "{name}");
    }
    scratch.properties("other.xml", &[("fs.defaultFS", "hdfs://a")]);
    assert_eq!(check(&scratch.0, &["other.xml"]).1, ["nothing-checked"]);
}

#[test]
fn what_hadoop_takes_for_something_else_is_told() {
    let scratch = Scratch::new("silent");
    let on = [("yarn.acl.enable", "true"), ("yarn.admin.acl", " ")];
    scratch.properties(SITE, &on);
    let root = [(".root.acl_submit_applications", " "), (".root.acl_administer_queue", " ")];
    let json = (".mapping-rule-format", "json");
    let rule = |matches: &str| format!(r#"{{"rules":[{{"type":"user","matches":"{matches}","policy":"reject"}}]}}"#);
    let (two, star, everybody) = (rule("al bo"), rule("al*"), rule("*"));
    for (more, codes) in [
        // Lists.
        (vec![(".root.a.acl_submit_applications", "al")], vec!["acl-open-above"]),
        (vec![(".root.a.acl_administer_queue", "al")], vec!["acl-open-above"]),
        (vec![root[0], (".root.a.acl_submit_applications", "al")], vec!["acl-open-above"]),
        (vec![root[1], (".root.a.acl_submit_applications", "al")], vec!["acl-open-above"]),
        (
            vec![root[0], root[1], (".root.a.acl_submit_applications", "al"), (".root.a.acl_administer_queue", "*")],
            vec!["acl-open-above"],
        ),
        (vec![root[0], root[1], (".root.a.acl_submit_applications", "al")], vec![]),
        (vec![root[0], root[1], (".root.a.acl_submit_applications", "*,al")], vec!["acl-star"]),
        (vec![root[0], root[1], (".root.a.acl_administer_queue", "al, bo")], vec!["acl-white-space"]),
        (
            vec![
                root[0],
                root[1],
                (".root.b.auto-create-child-queue.enabled", "true"),
                (".root.b.leaf-queue-template.capacity", "10"),
                (".root.b.leaf-queue-template.acl_submit_applications", "al, bo"),
                (".queue-mappings", "u:%user:b.%user"),
            ],
            vec!["acl-white-space"],
        ),
        // Rules.
        (vec![json], vec!["no-effect"]),
        (vec![json, (".mapping-rule-json", &two)], vec!["mapping-matches"]),
        (vec![json, (".mapping-rule-json", &star)], vec!["mapping-matches"]),
        (vec![json, (".mapping-rule-json", &everybody)], vec![]),
        (vec![json, (".mapping-rule-json", &everybody), (".mapping-rule-json-file", "/x")], vec!["no-effect"]),
        (vec![json, (".mapping-rule-json-file", "/no/such/rules.json")], vec!["mapping-file"]),
        (vec![json, ("yarn.scheduler.queue-placement-rules.app-name", "etl:a")], vec!["no-effect"]),
        (vec![(".mapping-rule-format", "legacy"), (".mapping-rule-json", &everybody)], vec!["no-effect"]),
        (vec![(".queue-mappings", "u:al*:a")], vec!["mapping-matches"]),
        (vec![(".queue-mappings", "u:al:a,g:domain users:b")], vec![]),
        // Queues that make themselves.
        (
            vec![
                (".root.a.capacity", "1w"),
                (".root.b.capacity", "1w"),
                (".root.auto-queue-creation-v2.enabled", "true"),
            ],
            vec![],
        ),
        (vec![(".root.a.auto-queue-creation-v2.enabled", "true")], vec![]),
        (vec![(".root.auto-queue-creation-v2.enabled", "true"), (".legacy-queue-mode.enabled", "false")], vec![]),
        (
            vec![(".root.a.auto-create-child-queue.enabled", "true"), (".root.a.leaf-queue-template.capacity", "10")],
            vec!["no-effect"],
        ),
        (
            vec![
                (".root.a.auto-create-child-queue.enabled", "true"),
                (".root.a.leaf-queue-template.capacity", "10"),
                (".queue-mappings", "u:%user:a.%user"),
            ],
            vec![],
        ),
        (vec![(".root.*.auto-queue-creation-v2.template.capacity", "2w")], vec!["no-effect"]),
        (vec![(".root.a.auto-queue-creation-v2.max-queues", "5")], vec!["no-effect"]),
        (
            vec![
                (".root.a.auto-queue-creation-v2.enabled", "true"),
                (".root.a.auto-queue-creation-v2.leaf-template.user-limit-factor", "2"),
                (".root.*.auto-queue-creation-v2.template.capacity", "2w"),
            ],
            vec![],
        ),
        // Percent and fractions.
        (vec![(".root.a.minimum-user-limit-percent", "0.25")], vec!["user-limit-percent"]),
        (vec![(".minimum-user-limit-percent", "0.25")], vec!["user-limit-percent"]),
        (vec![(".root.a.minimum-user-limit-percent", "25")], vec![]),
    ] {
        assert_eq!(with(&scratch, &more, &WITH_SITE)[..], codes[..], "{more:?}");
    }
    scratch.properties(SITE, &[("yarn.admin.acl", "*,al")]);
    assert_eq!(check(&scratch.0, &[SITE]).1, ["acl-star"]);
    // Lists for everybody are the same without rights.
    scratch.properties(SITE, &[("yarn.acl.enable", "false")]);
    let open = [(".root.a.acl_submit_applications", "*"), (".root.a.acl_administer_queue", "*")];
    assert_eq!(with(&scratch, &open, &WITH_SITE), [""; 0]);
}

#[test]
fn sensible_files_pass_without_a_word() {
    let scratch = Scratch::new("sensible");
    let amounts = [(".root.a.capacity", "[memory=4096,vcores=4]"), (".root.b.capacity", "[memory=4096,vcores=4]")];
    let capped = (".root.a.maximum-capacity", "[memory=8192,vcores=8]");
    let nested = [
        (".root.a.queues", "x,y"),
        (".root.a.x.capacity", "[memory=1024,vcores=1]"),
        (".root.a.y.capacity", "[memory=3072,vcores=3]"),
    ];
    let mixed = [
        (".legacy-queue-mode.enabled", "false"),
        (".root.a.capacity", "[memory=50%,vcores=2w,yarn.io/gpu=2]"),
        (".root.b.capacity", "1w"),
        DOMINANT,
    ];
    let workflow =
        [(".workflow-priority-mappings", "w:root.a:3"), (".workflow-priority-mappings-override.enable", "true")];
    for more in [
        amounts.to_vec(),
        [&amounts[..], &[capped]].concat(),
        [&amounts[..], &nested].concat(),
        [&amounts[..], &nested, &[DOMINANT]].concat(),
        mixed.to_vec(),
        workflow.to_vec(),
        vec![(".root.a.acl_application_max_priority", "[user=al max_priority=5 default_priority=1]")],
        vec![(".root.acl_application_max_priority", "*")],
        vec![("yarn.resourcemanager.scheduler.monitor.enable", "true")],
        vec![(".root.capacity", "100"), (".root.accessible-node-labels", "*")],
    ] {
        assert_eq!(with(&scratch, &more, &[CAPACITY]), [""; 0], "{more:?}");
    }
    // With the settings of a site that is for the CapacityScheduler.
    let increments = [
        (CLASS, CAPACITY_CLASS),
        ("yarn.scheduler.minimum-allocation-mb", "256"),
        ("yarn.scheduler.increment-allocation-mb", "512"),
        ("yarn.resource-types", "gpu"),
        ("yarn.resource-types.gpu.increment-allocation", "2"),
    ];
    scratch.properties(SITE, &increments);
    assert_eq!(with(&scratch, &[DOMINANT], &WITH_SITE), [""; 0]);
    assert_eq!(check(&scratch.0, &[SITE]).1, [""; 0]);
    scratch.properties(SITE, &[(CLASS, "x.FifoScheduler")]);
    assert_eq!(check(&scratch.0, &[SITE]).1, ["other-scheduler"]);
}

#[test]
fn figures_of_a_small_cluster_go_by_the_calculator() {
    let scratch = Scratch::new("calculator");
    let small = [
        (".root.a.capacity", "5"),
        (".root.a.maximum-capacity", "5"),
        (".root.b.capacity", "95"),
        (".maximum-am-resource-percent", "1"),
    ];
    let cluster = [CAPACITY, "--cluster", "memory-mb=1048576, vcores=8"];
    assert_eq!(with(&scratch, &small, &cluster), [""; 0]);
    assert_eq!(with(&scratch, &[&small[..], &[DOMINANT]].concat(), &cluster), ["no-room"]);
    // Vcores that are written and not counted, where that shows.
    let amounts = [
        (".root.a.capacity", "[memory=524288,vcores=4]"),
        (".root.b.capacity", "[memory=524288,vcores=4]"),
        (".maximum-am-resource-percent", "1"),
    ];
    assert_eq!(with(&scratch, &amounts, &cluster), ["uncounted-vcores"]);
    assert_eq!(with(&scratch, &[&amounts[..], &[DOMINANT]].concat(), &cluster), [""; 0]);
    assert_eq!(with(&scratch, &amounts, &[CAPACITY]), [""; 0]);
    // Beside a file of the FairScheduler, whose nodes count them.
    std::fs::write(scratch.0.join("fair-scheduler.xml"), "<allocations><queue name='a'/></allocations>").unwrap();
    let pair = [CAPACITY, "fair-scheduler.xml", "--cluster", "memory-mb=1048576, vcores=8"];
    assert_eq!(with(&scratch, &[], &pair), ["uncounted-vcores"]);
    assert_eq!(with(&scratch, &[DOMINANT], &pair), [""; 0]);
    assert_eq!(with(&scratch, &[], &[CAPACITY, "fair-scheduler.xml"]), [""; 0]);
}

#[test]
fn amounts_that_a_refresh_refuses_on_this_cluster_are_told() {
    let scratch = Scratch::new("refresh");
    let more = [
        DOMINANT,
        (".root.a.capacity", "[memory=5120,vcores=6]"),
        (".root.a.queues", "x,y"),
        (".root.a.x.capacity", "[memory=4096,vcores=1]"),
        (".root.a.y.capacity", "[memory=2048,vcores=1]"),
        (".root.b.capacity", "[memory=1024,vcores=1]"),
        (".maximum-am-resource-percent", "1"),
    ];
    // 6144 MiB and 2 vcores are no less and no more than 5120 MiB and 6 vcores, until there are nodes.
    assert_eq!(with(&scratch, &more, &[CAPACITY]), [""; 0]);
    assert_eq!(with(&scratch, &more, &[CAPACITY, "--cluster", "memory-mb=8192, vcores=32"]), ["refresh-refused"]);
    assert_eq!(with(&scratch, &more, &[CAPACITY, "--cluster", "memory-mb=32768, vcores=8"]), [""; 0]);
}

#[test]
fn bounds_of_containers_hide_no_sum_of_capacities() {
    let scratch = Scratch::new("bounds");
    let more = [
        ("yarn.scheduler.minimum-allocation-mb", "9000"),
        ("yarn.scheduler.maximum-allocation-vcores", "0"),
        (".root.a.capacity", "60"),
    ];
    // By their places.
    assert_eq!(with(&scratch, &more, &[CAPACITY]), ["capacity-sum", "minimum-allocation", "minimum-allocation"]);
}

#[test]
fn what_is_not_here_is_told_with_its_line_and_refused_with_it() {
    let scratch = Scratch::new("unsupported");
    for (more, line, what) in [
        (vec![("yarn.resourcemanager.placement-constraints.handler", "scheduler")], 5, "placement constraints"),
        (
            vec![
                (".root.a.accessible-node-labels", "gpu"),
                (".root.accessible-node-labels.gpu.capacity", "100"),
                (".root.a.accessible-node-labels.gpu.capacity", "100"),
            ],
            6,
            "node labels",
        ),
        (
            vec![(".root.a.default-node-label-expression", "gpu"), (".root.a.accessible-node-labels", "gpu")],
            5,
            "node labels",
        ),
    ] {
        assert_eq!(with(&scratch, &more, &[CAPACITY]), ["unsupported"], "{more:?}");
        let output = evenweave(&scratch.0, &["check", CAPACITY, "--format", "json"]);
        // No error of the file, and the commands below refuse it.
        assert_eq!(output.status.code(), Some(2), "{more:?}");
        let document: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(document["files"][0]["diagnostics"][0]["line"], line, "{more:?}");
        for command in [
            &["simulate", "--config", CAPACITY, "--until", "1m"][..],
            &["load", "--scheduler", "capacity", "--config", CAPACITY],
            &["serve", "--scheduler", "capacity", "--config", CAPACITY, "--listen", "127.0.0.1:0"],
        ] {
            let output = evenweave(&scratch.0, command);
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!(output.status.code(), Some(2), "{command:?}: {said}");
            let place = format!("not supported: {CAPACITY}:{line}:");
            assert!(said.contains(&place) && said.contains(what), "{command:?}: {said}");
        }
    }
    // Where labels are on, nodes of a load have none all the same.
    scratch.properties(SITE, &[("yarn.node-labels.enabled", "true")]);
    let more = [
        (".root.a.accessible-node-labels", "gpu"),
        (".root.accessible-node-labels.gpu.capacity", "100"),
        (".root.a.accessible-node-labels.gpu.capacity", "100"),
    ];
    with(&scratch, &more, &[CAPACITY]);
    let output = evenweave(&scratch.0, &["load", "--scheduler", "capacity", "--config", CAPACITY, "--site", SITE]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("and with --node-labels in `load`"), "{said}");
    let output = evenweave(&scratch.0, &["simulate", "--config", CAPACITY, "--site", SITE, "--until", "1m"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    let site = [(CLASS, CAPACITY_CLASS), ("yarn.node-labels.enabled", "true")];
    scratch.properties(SITE, &site);
    assert_eq!(check(&scratch.0, &[SITE]), (0, vec![]));
    assert_eq!(check(&scratch.0, &WITH_SITE), (0, vec![]), "labels are on, and `serve` and `simulate` start with them");
    let site = [("yarn.resourcemanager.placement-constraints.handler", "scheduler")];
    scratch.properties(SITE, &site);
    assert_eq!(with(&scratch, &[], &WITH_SITE), ["unsupported"]);
    let output = evenweave(&scratch.0, &["simulate", "--config", CAPACITY, "--site", SITE, "--until", "1m"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains(&format!("not supported: {SITE}:2:")), "{said}");
}

#[test]
fn a_simulation_takes_the_root_elements_that_a_check_takes() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/cases/12-root-element-spelling").join(CAPACITY);
    // The report is written where the program runs.
    let scratch = Scratch::new("root-element");
    let file = file.to_str().expect("a path in UTF-8");
    let output = evenweave(&scratch.0, &["simulate", "--config", file, "--until", "1m", "--nodes", "2"]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
}
