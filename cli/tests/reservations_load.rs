//! `load --reservations`: reservations of a file are booked beside a load, their jobs run and leave, and the books balance.

use std::path::{Path, PathBuf};
use std::process::Command;

const FAIR: &str = "<allocations><defaultQueueSchedulingPolicy>drf</defaultQueueSchedulingPolicy>
    <queue name='prod'/><queue name='nightly'><reservation/></queue></allocations>";
const CAPACITY: &str = "<configuration>
    <property><name>yarn.scheduler.capacity.root.queues</name><value>prod,nightly</value></property>
    <property><name>yarn.scheduler.capacity.root.prod.capacity</name><value>50</value></property>
    <property><name>yarn.scheduler.capacity.root.nightly.capacity</name><value>50</value></property>
    <property><name>yarn.scheduler.capacity.root.nightly.reservable</name><value>true</value></property></configuration>";
/// The job of `brief` lasts longer than its reservation: it moves while it runs.
const RESERVATIONS: &str = "reservation,queue,user,book_s,arrival_s,deadline_s,containers,memory_mb,vcores,duration_s
early,root.nightly,ann,1.2,2,5,20,2048,1,1
brief,root.nightly,bob,1.2,2,4,10,2048,1,2
huge,root.nightly,cyd,1.2,2,4,100000,2048,1,2
";

const AT_ONCE: &str = "yarn.scheduler.capacity.plan-queues.update-at-once=true";

fn write(name: &str, text: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("reservations-load");
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join(name);
    std::fs::write(&path, text).expect("written");
    path
}

/// What a load says that ends well.
fn load(scheduler: &str, queues: &Path, options: &[&str]) -> serde_json::Value {
    let program = Command::new(env!("CARGO_BIN_EXE_evenweave"))
        .args(["load", "--scheduler", scheduler, "--nodes", "20", "--task-seconds", "0.2", "-D", AT_ONCE, "--json"])
        .arg("--config")
        .arg(queues)
        .args(options)
        .output()
        .expect("the program runs");
    assert!(program.status.success(), "{}", String::from_utf8_lossy(&program.stderr));
    let result: serde_json::Value = serde_json::from_slice(&program.stdout).expect("one object");
    assert_eq!((&result["lost"], &result["differences"]), (&0.into(), &serde_json::json!([])));
    assert!(result["allocations_per_s"].as_f64() > Some(10.0), "{result}");
    result
}

#[test]
fn jobs_of_a_load_go_to_a_plan_too() {
    for (scheduler, queues) in [("fair", FAIR), ("capacity", CAPACITY)] {
        let queues = write(&format!("{scheduler}-plan.xml"), queues);
        let out = queues.with_extension("out");
        let on = "yarn.resourcemanager.reservation-system.enable=true";
        load(scheduler, &queues, &["--duration", "3s", "-D", on, "--out", out.to_str().expect("a text")]);
    }
}

#[test]
fn jobs_enter_reservations_and_leave_them() {
    let reservations = write("reservations.csv", RESERVATIONS);
    for (scheduler, queues, workers) in [("fair", FAIR, "2"), ("capacity", CAPACITY, "1")] {
        let queues = write(&format!("{scheduler}.xml"), queues);
        let (out, reservations) = (queues.with_extension("out"), reservations.to_str().expect("a text"));
        let mut options = vec!["--workers", workers, "--duration", "8s", "--queue", "root.prod"];
        options.extend(["--reservations", reservations, "--out", out.to_str().expect("a text")]);
        let result = load(scheduler, &queues, &options);
        let found = |name: &str| {
            let list = result["reservations"].as_array().expect("reservations");
            list.iter().find(|one| one["reservation"] == name).expect("it was booked").clone()
        };
        let (early, brief, huge) = (found("early"), found("brief"), found("huge"));
        assert_eq!((&early["accepted"], &early["jobs"]), (&true.into(), &1.into()), "{result}");
        assert_eq!(
            (&brief["accepted"], &brief["jobs"], &brief["left"]),
            (&true.into(), &1.into(), &1.into()),
            "{result}"
        );
        assert_eq!((&huge["accepted"], &huge["jobs"]), (&false.into(), &0.into()));
        let page = std::fs::read_to_string(out.join("report.html")).expect("the report");
        assert!(page.contains("what is promised of root.nightly over time") && page.contains("refused: "));
    }
}
