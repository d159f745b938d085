//! `load --preemption`: a queue comes late to a full cluster, and its share comes back to it; the report says so.

#![expect(clippy::unwrap_used, reason = "a test's helpers")]

use serde_json::Value;
use std::path::PathBuf;
use std::process::{Command, Output};

const QUEUES: &str = "<allocations><queue name=\"root\"><schedulingPolicy>drf</schedulingPolicy>
    <queue name=\"late\"><schedulingPolicy>drf</schedulingPolicy>
      <fairSharePreemptionTimeout>1</fairSharePreemptionTimeout>
      <fairSharePreemptionThreshold>0.8</fairSharePreemptionThreshold></queue>
    <queue name=\"first\"><schedulingPolicy>drf</schedulingPolicy></queue>
    <queue name=\"second\"><schedulingPolicy>drf</schedulingPolicy></queue></queue>
    <queueMaxAMShareDefault>0.7</queueMaxAMShareDefault></allocations>";

/// An AM's container is freed first, its tasks' in a second round: that is not to wait.
const SOON: &str = "yarn.scheduler.fair.waitTimeBeforeNextStarvationCheck=0";

/// A directory of one test, gone at its end.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let path = std::env::temp_dir().join(format!("evenweave-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        std::fs::write(path.join("queues.xml"), QUEUES).unwrap();
        Scratch(path)
    }

    fn load(&self, arguments: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_evenweave"))
            .args(["load", "--preemption", "--out"])
            .arg(self.0.join("out"))
            .arg("--queues")
            .arg(self.0.join("queues.xml"))
            .args(arguments)
            .output()
            .unwrap()
    }

    /// Small, with tasks that outlive the run: what comes to the late queue was taken from others. Times are in ms.
    /// Where the machine has so much else to do that the time does not do, all of it is tried once more, ten times as
    /// slow.
    fn small(&self, wait: u32, duration: u32, more: &[&str]) -> Value {
        let run = self.small_once(wait, duration, more);
        let is_enough = run["preemption"]["reached"] == true && run["differences"] == Value::Array(Vec::new());
        if is_enough { run } else { self.small_once(10 * wait, 10 * duration, more) }
    }

    fn small_once(&self, wait: u32, duration: u32, more: &[&str]) -> Value {
        let wait = format!("yarn.scheduler.fair.waitTimeBeforeKill={wait}");
        let duration = format!("{duration}ms");
        let small = ["--late-queue", "root.late", "--late-apps", "4", "--nodes", "12", "--task-seconds", "900"];
        let times = ["--late-after", "2s", "--duration", &duration];
        let rest = ["-D", "yarn.scheduler.fair.preemption=true", "-D", &wait, "-D", SOON, "--json"];
        let output = self.load(&[&small[..], &times, &rest, more].concat());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    }

    fn refused(&self, arguments: &[&str]) -> String {
        let output = self.load(arguments);
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(output.stdout.is_empty() && !self.0.join("out").exists(), "nothing is written");
        said
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

/// The late queue has a third of 768 containers, 256; 0.8 of it is 204, of which each of four AMs and its tasks are 51.
#[test]
fn a_queue_that_comes_late_gets_its_share_back() {
    let scratch = Scratch::new("late");
    // AMs call ten times a second, all on one thread: in a second they are warned before the kill, even where it gets
    // no processor for most of that. The wait comes twice, so the run is long.
    let run = scratch.small(1000, 12_000, &[]);
    assert_eq!(
        (&run["books_balance"], &run["lost"], &run["differences"]),
        (&true.into(), &0.into(), &Value::Array(vec![]))
    );
    let told = &run["preemption"];
    assert_eq!(
        (&told["reached"], &told["ams_killed"], &told["given_back"]),
        (&true.into(), &0.into(), &0.into()),
        "{told}"
    );
    let killed = told["killed"].as_u64().unwrap();
    // There is no most: without a wait between two looks, who is still owed room is found starved once more, as in
    // Hadoop, and the slower the machine, the more often.
    assert!(killed >= 1 && told["warned"].as_u64().unwrap() >= killed, "{told}");
    // In this order: an AM is warned when somebody is starved, its container is killed, and only then is room.
    let times = ["arrived_s", "starved_s", "first_warning_s", "first_kill_s", "reached_s"];
    let times = times.map(|time| number(&told[time]));
    assert!(times.is_sorted(), "{times:?}");
    // At the end the threshold holds, and the queue has not been given more than it asked for.
    let last = told["points"].as_array().unwrap().last().unwrap();
    let mib = |name: &str| number(&last[name]);
    assert_eq!(mib("share_mb") + mib("others_share_mb"), 12.0 * 131_072.0);
    assert!(mib("usage_mb") >= mib("target_mb") && mib("usage_mb") <= 256.0 * 2048.0, "{last}");
    assert_eq!(last["killed"], told["killed"]);
    let page = std::fs::read_to_string(scratch.0.join("out/report.html")).unwrap();
    for part in ["A queue comes late", "root.late: usage", "reached ", "Warned and taken", "What the others got done"] {
        assert!(page.contains(part), "the page has no {part:?}");
    }
}

#[test]
fn masters_that_give_back_at_the_warning_lose_nothing_to_kills() {
    let run = Scratch::new("give-back").small(4000, 9000, &["--give-back", "100"]);
    let told = &run["preemption"];
    assert_eq!((&run["books_balance"], &told["reached"]), (&true.into(), &true.into()), "{}", run["differences"]);
    let count = |name: &str| told[name].as_u64().unwrap();
    assert!(
        count("given_back") > 0 && count("killed") == 0,
        "{} given back, {} killed",
        count("given_back"),
        count("killed")
    );
    assert!(number(&told["reached_s"]) >= number(&told["first_given_back_s"]));
    assert_eq!(told["first_kill_s"], Value::Null);
}

#[test]
fn what_does_not_go_together_is_refused() {
    let scratch = Scratch::new("refused");
    let on = ["-D", "yarn.scheduler.fair.preemption=true"];
    let with = |more: &[&str]| scratch.refused(&[&on[..], &["--nodes", "4"], more].concat());
    let said = with(&["--late-queue", "root.nowhere"]);
    assert!(
        said.contains("no leaf queue of that name") && said.contains("root.first, root.late, root.second"),
        "{said}"
    );
    let said = with(&["--late-queue", "root"]);
    assert!(said.contains("nobody fills the cluster"), "{said}");
    let said = with(&["--late-queue", "root.first"]);
    assert!(said.contains("never starved") && said.contains("fairSharePreemptionTimeout"), "{said}");
    let said = with(&["--late-queue", "root.late", "--core", "locked"]);
    assert!(said.contains("leave out --core locked"), "{said}");
    let said = with(&["--late-queue", "root.late", "--late-after", "30s"]);
    assert!(said.contains("--late-after 30s: the run is over after 25s"), "{said}");
    let off = ["-D", "yarn.scheduler.fair.preemption=false", "--late-queue", "root.late", "--nodes", "4"];
    let said = scratch.refused(&off);
    assert!(said.contains("preemption off") && said.contains("-D yarn.scheduler.fair.preemption=true"), "{said}");
}
