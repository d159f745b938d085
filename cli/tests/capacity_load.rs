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
