//! `load --scheduler capacity`: the CapacityScheduler is driven by a bundled file, its books balance, and what it has
//! not is refused.

use std::path::PathBuf;
use std::process::{Command, Output};

fn load(name: &str, arguments: &[&str]) -> (Output, PathBuf) {
    let out = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let program = Command::new(env!("CARGO_BIN_EXE_evenweave"))
        .args(["load", "--scheduler", "capacity", "--out"])
        .arg(&out)
        .args(arguments)
        .output();
    (program.expect("the program runs"), out)
}

#[test]
fn the_capacity_scheduler_is_driven_and_its_books_balance() {
    for more in [&[][..], &["--async", "on"]] {
        let small = ["--nodes", "40", "--duration", "2s", "--task-seconds", "0.2", "--json"];
        let (output, out) = load("capacity-load", &[&small[..], more].concat());
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{said}");
        let result: serde_json::Value = serde_json::from_slice(&output.stdout).expect("one object");
        assert_eq!(result["scheduler"], "capacity");
        assert_eq!((&result["lost"], &result["differences"]), (&0.into(), &serde_json::json!([])));
        assert!(result["granted"].as_u64() > Some(100), "{result}");
        let queues = result["queues"].as_array().expect("queues");
        let share = |name: &str| queues.iter().find(|queue| queue["name"] == name).map(|queue| &queue["fair_share_mb"]);
        // Half of 40 nodes of 128 GiB, and three eighths of that.
        assert_eq!(share("root.production.ingest"), Some(&(131_072.0 * 40.0 * 0.5 * 0.375).into()));
        let page = std::fs::read_to_string(out.join("report.html")).expect("the report");
        assert!(page.contains("Usage against guaranteed capacity"));
    }
}

/// Something goes wrong four times a second, and its books balance, all records inside among them.
#[test]
fn a_soak_of_the_capacity_scheduler_keeps_its_books() {
    for workers in ["1", "3"] {
        let small =
            ["--soak", "6s", "--faults", "--nodes", "40", "--task-seconds", "0.5", "--workers", workers, "--json"];
        let (output, _) = load("capacity-soak", &small);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{said}");
        let result: serde_json::Value = serde_json::from_slice(&output.stdout).expect("one object");
        assert_eq!((&result["lost"], &result["differences"]), (&0.into(), &serde_json::json!([])));
        let refreshes = &result["faults"]["the queues are refreshed, or cannot be"];
        assert!(refreshes.as_u64() > Some(1) && result["granted"].as_u64() > Some(100), "{result}");
    }
}

#[test]
fn what_it_has_not_is_refused() {
    for (arguments, why) in [
        (&["--core", "locked"][..], "--core locked: the locked twin is the FairScheduler's"),
        (&["--preemption"], "--preemption: this load is the FairScheduler's"),
        (&["--reload", "1s"], "--reload: what is reloaded in turn are allocation files"),
    ] {
        let (output, _) = load("capacity-refused", arguments);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && said.contains(why), "{said}");
    }
}

/// A quarter of the nodes has a label, a tenth one that is lent. Each partition is kept full by jobs that ask for it.
#[test]
fn nodes_with_labels_are_filled_and_the_books_balance_by_label() {
    for workers in ["1", "2"] {
        let small = ["--nodes", "40", "--duration", "3s", "--task-seconds", "0.2", "--workers", workers, "--json"];
        let labels = ["--node-labels", "gpu:0.25,spare(exclusive=false):10%"];
        let (output, out) = load("labelled-load", &[&small[..], &labels].concat());
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{said}");
        let result: serde_json::Value = serde_json::from_slice(&output.stdout).expect("one object");
        assert_eq!((&result["lost"], &result["differences"]), (&0.into(), &serde_json::json!([])));
        let partitions = result["partitions"].as_array().expect("partitions");
        let of = |field: &str| partitions.iter().map(|one| one[field].clone()).collect::<Vec<_>>();
        assert_eq!(of("label"), ["", "gpu", "spare"]);
        assert_eq!(of("nodes"), [26, 10, 4]);
        assert_eq!(of("exclusive"), [true, true, false]);
        let granted: u64 = of("granted").iter().filter_map(serde_json::Value::as_u64).sum();
        assert_eq!(Some(granted), result["granted"].as_u64(), "{result}");
        for one in partitions {
            assert!(one["granted"].as_u64() > Some(20) && one["utilisation"].as_f64() > Some(0.0), "{one}");
        }
        let page = std::fs::read_to_string(out.join("report.html")).expect("the report");
        assert!(page.contains("Node labels") && page.contains("label spare, shared"));
    }
}

/// Queues of a file are sent to the labels for which they have a capacity; a label that none has one for is told of.
#[test]
fn jobs_go_where_their_queues_have_a_capacity() {
    let property = |name: &str, value: &str| {
        format!("<property><name>yarn.scheduler.capacity.{name}</name><value>{value}</value></property>")
    };
    let queues: String = [
        ("root.queues", "a,b"),
        ("root.a.capacity", "50"),
        ("root.b.capacity", "50"),
        ("root.a.accessible-node-labels", "gpu"),
        ("root.a.accessible-node-labels.gpu.capacity", "100"),
        ("root.b.accessible-node-labels", " "),
        ("maximum-am-resource-percent", "0.8"),
        ("per-node-heartbeat.maximum-offswitch-assignments", "100"),
    ]
    .map(|(name, value)| property(name, value))
    .concat();
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("labelled.xml");
    std::fs::write(&path, format!("<configuration>{queues}</configuration>")).expect("a file can be written");
    let path = path.display().to_string();
    let small = ["--config", &path, "--nodes", "20", "--duration", "2s", "--task-seconds", "0.2", "--json"];
    let (output, _) = load("labelled-queues", &[&small[..], &["--node-labels", "gpu:0.5,odd:0.25"]].concat());
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("nodes have the label \"odd\", and no queue can use it"), "{said}");
    let result: serde_json::Value = serde_json::from_slice(&output.stdout).expect("one object");
    assert_eq!((&result["lost"], &result["differences"]), (&0.into(), &serde_json::json!([])));
    let granted = |at: usize| result["partitions"][at]["granted"].as_u64();
    assert!(granted(0) > Some(50) && granted(1) > Some(50), "{result}");
    assert_eq!(granted(2), Some(0));
}

#[test]
fn labels_that_cannot_be_are_refused() {
    for (arguments, why) in [
        (&["--node-labels", "gpu"][..], "\"gpu\" has no share"),
        (&["--node-labels", "a:0.6,b:0.6"], "the labels have 1.2 of the nodes together"),
        (&["--node-labels", "a:0.5", "-D", "yarn.node-labels.enabled=false"], "yarn.node-labels.enabled is false"),
        (&["--node-labels", "a b:0.5", "--nodes", "4"], "label name should only contains"),
        (&["--node-labels", "a:0.1", "--nodes", "4"], "none of 4 nodes would have the label \"a\""),
        (&["--node-labels", "a:0.5", "--soak", "5s"], "cannot be used with"),
    ] {
        let (output, _) = load("labels-refused", arguments);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(2) && said.contains(why), "{arguments:?}: {said}");
    }
    let output = Command::new(env!("CARGO_BIN_EXE_evenweave")).args(["load", "--node-labels", "a:0.5"]).output();
    let output = output.expect("the program runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(2) && said.contains("a FairScheduler has no node labels"), "{said}");
}
