//! Node labels of a server: set, shown, and taken away while containers run.

use std::fs;
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

use super::admin::admin;
use super::{Served, app_of, poll};

/// `DEFAULT` is the label of what `training` asks for without naming one.
const QUEUES: &str = "<configuration>
<property><name>yarn.scheduler.capacity.root.queues</name><value>training,reports</value></property>
<property><name>yarn.scheduler.capacity.root.training.capacity</name><value>40</value></property>
<property><name>yarn.scheduler.capacity.root.reports.capacity</name><value>60</value></property>
<property><name>yarn.scheduler.capacity.root.training.accessible-node-labels</name><value>gpu</value></property>
<property><name>yarn.scheduler.capacity.root.training.accessible-node-labels.gpu.capacity</name><value>100</value></property>
<property><name>yarn.scheduler.capacity.root.training.default-node-label-expression</name><value>DEFAULT</value></property>
<property><name>yarn.scheduler.capacity.root.reports.accessible-node-labels</name><value> </value></property>
</configuration>";

/// What a queue has in use on the nodes of a label, in MB.
fn used(served: &Served, queue: &str, label: &str) -> i64 {
    let tree = served.json("/ws/v1/cluster/scheduler");
    let queues = tree["scheduler"]["schedulerInfo"]["queues"]["queue"].as_array().expect("queues").clone();
    let queue = queues.iter().find(|of| of["queueName"] == queue).expect("the queue").clone();
    let parts = queue["resources"]["resourceUsagesByPartition"].as_array().expect("partitions").clone();
    let part = parts.iter().find(|part| part["partitionName"] == label);
    part.map_or(0, |part| part["used"]["memory"].as_i64().expect("a number"))
}

pub(crate) fn until(what: &str, is_so: impl Fn() -> bool) {
    poll(|| is_so().then_some(())).unwrap_or_else(|| panic!("never: {what}"));
}

/// A server with labels. What `training` asks for without naming one has the label `default`.
pub(crate) fn labelled(default: &str, more: &[&str]) -> (TempDir, Served) {
    let folder = TempDir::new().expect("a folder");
    let queues = folder.path().join("capacity-scheduler.xml");
    fs::write(&queues, QUEUES.replace("DEFAULT", default)).expect("written");
    let (config, on) = (queues.display().to_string(), "yarn.node-labels.enabled=true");
    let with = ["--listen", "127.0.0.1:0", "--scheduler", "capacity", "--config", &config, "-D", on];
    let served = Served::start(&[&with, more].concat());
    (folder, served)
}

#[test]
fn labels_are_given_to_nodes_and_taken_from_them() {
    let (_folder, served) = labelled("gpu", &["--workers", "2"]);
    let run = |words: &[&str]| admin(&served.at, None, words);
    let good = |words: &[&str]| {
        let (code, out, err) = run(words);
        assert_eq!((code, err.as_str()), (0, ""), "{words:?}: {out}");
        out
    };
    let list = ["cluster", "--list-node-labels"];
    assert_eq!(good(&list), "Node Labels: \n");
    assert_eq!(good(&["rmadmin", "-addToClusterNodeLabels", "gpu(exclusive=false),old"]), "");
    assert_eq!(good(&list), "Node Labels: <gpu:exclusivity=false>,<old:exclusivity=true>\n");
    let (code, _, err) = run(&["rmadmin", "-addToClusterNodeLabels", "gpu"]);
    assert!(code == 255 && err.contains("Exclusivity cannot be modified for an existing label"), "{err}");
    assert_eq!(good(&["rmadmin", "-replaceLabelsOnNode", "n0=gpu n1:8041=gpu", "n2=old", "-failOnUnknownNodes"]), "");
    let (code, _, err) = run(&["rmadmin", "-replaceLabelsOnNode", "n0=old nowhere=gpu", "-failOnUnknownNodes"]);
    assert!(code == 255 && err.contains("Failed to replace labels as there are unknown nodes:[nowhere:0]"), "{err}");
    let (code, _, err) = run(&["rmadmin", "-replaceLabelsOnNode", "n0=fast"]);
    assert!(code == 255 && err.contains("Not all labels being replaced contained by known label"), "{err}");
    let shown = good(&["queue", "-status", "training"]);
    assert!(shown.contains("\tDefault Node Label expression : gpu\n\tAccessible Node Labels : gpu\n"), "{shown}");
    let shown = good(&["queue", "-status", "reports"]);
    let none = "\tDefault Node Label expression : <DEFAULT_PARTITION>\n\tAccessible Node Labels : \n";
    assert!(shown.contains(none), "{shown}");
    assert!(good(&["node", "-status", "n1:8041"]).contains("\tNode-Labels : gpu\n"));
    assert!(good(&["node", "-status", "n3:8041"]).contains("\tNode-Labels : \n"));
    // What asks for the label gets these nodes, and others while it leaves them idle.
    until("training runs on its nodes", || used(&served, "training", "gpu") > 0);
    let partitions = served.json("/ws/v1/cluster/get-rm-node-labels");
    let nodes: Vec<(&Value, &Value)> = partitions["nodeLabelInfo"]
        .as_array()
        .expect("labels")
        .iter()
        .map(|label| (&label["name"], &label["activeNMs"]))
        .collect();
    let named = |name: &str, count: &str| (Value::from(name), Value::from(count));
    let expected = [named("<DEFAULT_PARTITION>", "37"), named("gpu", "2"), named("old", "1")];
    assert!(nodes.iter().copied().eq(expected.iter().map(|(name, count)| (name, count))), "{nodes:?}");
    let (code, _, err) = run(&["rmadmin", "-removeFromClusterNodeLabels", "gpu"]);
    assert!(code == 255 && err.contains("because queue=root.training is using this label"), "{err}");
    // Nodes lose their labels with all that runs on them, and the cluster goes on.
    assert_eq!(good(&["rmadmin", "-removeFromClusterNodeLabels", "old"]), "");
    assert_eq!(good(&["rmadmin", "-replaceLabelsOnNode", "n0= n1:8041="]), "");
    until("training has nothing there", || used(&served, "training", "gpu") == 0);
    assert_eq!(good(&list), "Node Labels: <gpu:exclusivity=false>\n");
    assert_eq!(served.json("/ws/v1/cluster/get-node-to-labels")["nodeToLabels"], Value::Null);
    served.state_under_load();
}

#[test]
fn labels_are_there_from_the_start() {
    let folder = TempDir::new().expect("a folder");
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).expect("written");
        path.display().to_string()
    };
    let queues = file("capacity-scheduler.xml", &QUEUES.replace("DEFAULT", "gpu"));
    let options = format!(
        "scheduler = 'capacity'\nqueues = '{queues}'\nlisten = '127.0.0.1:0'\nnode-labels = ['gpu(exclusive=false), old', 'new']\n\
         labelled-nodes = 'n0..n9=gpu n12=old'\n"
    );
    let options = file("serve.toml", &options);
    let served = Served::start(&["--config", &options]);
    let partitions = served.json("/ws/v1/cluster/get-rm-node-labels");
    let rows: Vec<String> = partitions["nodeLabelInfo"]
        .as_array()
        .expect("labels")
        .iter()
        .map(|label| format!("{} {} {}", label["name"], label["exclusivity"], label["activeNMs"]).replace('"', ""))
        .collect();
    assert_eq!(rows, ["<DEFAULT_PARTITION> true 29", "gpu false 10", "new true 0", "old true 1"]);
    until("training runs on its nodes", || used(&served, "training", "gpu") > 0);
    drop(served);
    let run = |arguments: &[&str]| {
        let program = Command::new(env!("CARGO_BIN_EXE_evenweave"))
            .args(["serve", "--listen", "127.0.0.1:0", "--nodes", "40", "--for", "1", "--queues", &queues])
            .args(arguments)
            .output()
            .expect("the program runs");
        (program.status.code(), String::from_utf8_lossy(&program.stderr).into_owned())
    };
    let capacity = ["--scheduler", "capacity"];
    for (arguments, why) in [
        (&["--node-labels", "gpu"][..], "a FairScheduler has no node labels; give --scheduler capacity"),
        (&["--labelled-nodes", "n0=gpu"], "--node-labels"),
        (&["--node-labels", "a.b"], "label name should only contains"),
        (&["--node-labels", "gpu,gpu(exclusive=false)"], "gpu is both exclusive and shared"),
        (&["--node-labels", "gpu(yes)"], "is not correct"),
        (
            &["--node-labels", "gpu", "--labelled-nodes", "n0=old"],
            "Not all labels being replaced contained by known label",
        ),
        (
            &["--node-labels", "gpu", "--labelled-nodes", "n38..n40=gpu"],
            "there is no node n40: the nodes are n0 to n39",
        ),
        (&["--node-labels", "gpu", "-D", "yarn.node-labels.enabled=false"], "yarn.node-labels.enabled is false"),
    ] {
        let scheduler = if why.contains("FairScheduler") { &[][..] } else { &capacity };
        let (code, said) = run(&[scheduler, arguments].concat());
        assert!(code == Some(2) && said.contains(why), "{arguments:?}: {code:?} {said}");
    }
}

#[test]
fn an_application_is_submitted_for_the_nodes_of_a_label() {
    let (_folder, served) = labelled(" ", &[]);
    let post = |path: &str, body: &str| served.ask("POST", path, "Content-Type: application/json\r\n", body);
    assert_eq!(post("/ws/v1/cluster/add-node-labels", r#"{"nodeLabelInfo":{"name":"gpu"}}"#), (200, String::new()));
    assert_eq!(post("/ws/v1/cluster/nodes/n0/replace-labels?labels=gpu", ""), (200, String::new()));
    let wish = |queue: &str| {
        format!(r#"{{"do":"submit","user":"carla","queue":"{queue}","label":"gpu","tasks":5,"seconds":3600}}"#)
    };
    let (status, said) = post("/ws/v1/evenweave/controls", &wish("root.reports"));
    assert!(status == 400 && said.contains("doesn't have permission to access all labels"), "{status}: {said}");
    let (status, said) = post("/ws/v1/evenweave/controls", &wish("root.training"));
    assert_eq!(status, 200, "{said}");
    let path = format!("/ws/v1/cluster/apps/{}", app_of(&said));
    until("it runs on the node", || {
        let app = served.json(&path)["app"].clone();
        let parts = app["resourceInfo"]["resourceUsagesByPartition"].as_array().cloned().unwrap_or_default();
        let part = parts.iter().find(|part| part["partitionName"] == "gpu");
        let used = part.and_then(|part| part["used"]["memory"].as_i64()).unwrap_or_default();
        app["amNodeLabelExpression"] == "gpu" && app["appNodeLabelExpression"] == "gpu" && used > 0
    });
}
