//! What an administrator asks for and changes: a scheduler on threads of its own, asked through the router.

mod asking;
mod node_record;

use std::sync::{Arc, Mutex};

use asking::answer;
use axum::body::Body;
use axum::http::{Request, header};
use evenweave::prelude::*;
use evenweave_server::records::AppRecord;
use evenweave_server::scheduler::{Basics, CapacityThreads, QueuesText, Scheduler, Threads};
use evenweave_server::{Cluster, ResourceManager, router};
use node_record::node_record;
use serde_json::{Value, json};

/// Status and body, which is JSON.
fn ask(manager: &Arc<ResourceManager>, method: &str, path: &str, body: &str) -> (u16, Value) {
    let request = Request::builder().method(method).uri(path).header(header::CONTENT_TYPE, "application/json");
    let request = request.body(Body::from(body.to_owned())).expect("a request");
    let answer = answer(router(manager.clone()), request);
    (answer.status().as_u16(), serde_json::from_str(answer.body()).unwrap_or_else(|_| answer.body().as_str().into()))
}

/// A file that can be changed.
type File = Arc<Mutex<Result<String, String>>>;

/// With two nodes, and the file of queues that is read again.
fn managed(scheduler: Arc<dyn Scheduler>, name: &'static str) -> (Arc<ResourceManager>, File) {
    let file: File = Arc::new(Mutex::new(Ok(String::new())));
    let read = file.clone();
    let source = move || {
        let text = read.lock().expect("a lock").clone()?;
        Ok(QueuesText { name: name.to_owned(), text })
    };
    let manager = ResourceManager::new(Cluster::new(7, "rm:8088"), scheduler).with_queues(Arc::new(source));
    for node in ["n1", "n2"] {
        manager.records().node(node_record(node, "/r1", 0));
    }
    (Arc::new(manager), file)
}

fn fair(properties: &[(&str, &str)]) -> (FairScheduler, Arc<ResourceManager>, File) {
    let settings = Settings::from_properties(properties.iter().copied()).expect("settings");
    let basics = Basics::of_fair(&settings);
    let scheduler = FairScheduler::builder().settings(settings).timers(false).start().expect("a scheduler");
    for node in ["n1", "n2"] {
        scheduler.add_node(node, "/r1", Resource::new(8192, 8)).expect("a node");
    }
    let (manager, file) = managed(Arc::new(Threads::new(scheduler.clone(), basics)), "fair-scheduler.xml");
    (scheduler, manager, file)
}

const CAPACITIES: [(&str, &str); 3] = [
    ("yarn.scheduler.capacity.root.queues", "a,b"),
    ("yarn.scheduler.capacity.root.a.capacity", "75"),
    ("yarn.scheduler.capacity.root.b.capacity", "25"),
];

fn capacity() -> (CapacityScheduler, Arc<ResourceManager>, File) {
    let configuration = CapacityConfiguration::from_properties([], CAPACITIES).expect("a configuration");
    let basics = Basics::of_capacity(configuration.file().settings());
    let scheduler = CapacityScheduler::builder(configuration).timers(false).start().expect("a scheduler");
    for node in ["n1", "n2"] {
        scheduler.add_node(node, "/r1", Resource::new(8192, 8)).expect("a node");
    }
    let (manager, file) = managed(Arc::new(CapacityThreads::new(scheduler.clone(), basics)), "capacity-scheduler.xml");
    (scheduler, manager, file)
}

const REFRESH: &str = "/ws/v1/evenweave/refresh-queues";

fn says(file: &File, text: &str) {
    *file.lock().expect("a lock") = Ok(text.to_owned());
}

#[test]
fn an_allocation_file_is_taken_whole_or_not_at_all() {
    let (scheduler, manager, file) = fair(&[]);
    let names = || scheduler.queues().unwrap().into_iter().map(|queue| queue.name).collect::<Vec<_>>();
    says(&file, "<allocations>\n <queue name='a'><weight>3.0</weight></queue>\n <queue name='b'/>\n</allocations>");
    let (status, answer) = ask(&manager, "POST", REFRESH, "");
    assert_eq!((status, &answer["refresh"]["refreshed"]), (200, &true.into()), "{answer}");
    assert_eq!(names(), ["root", "root.a", "root.b"]);
    // The first queue is good, the rules too; the second is not.
    let wrong = "<allocations>\n <queue name='c'/>\n <queuePlacementPolicy><rule name='reject'/></queuePlacementPolicy>\n \
                 <queue name='d'><maxAMShare>1.5x</maxAMShare></queue>\n</allocations>";
    says(&file, wrong);
    let rules = scheduler.placement_rules().expect("rules");
    let (status, answer) = ask(&manager, "POST", REFRESH, "");
    let fault = &answer["RemoteException"];
    assert_eq!((status, &fault["exception"]), (400, &"YarnException".into()), "{answer}");
    let found = &fault["diagnostics"][0];
    assert_eq!((&found["severity"], &found["line"], &found["column"]), (&"error".into(), &4.into(), &30.into()));
    assert_eq!(found["source"], "fair-scheduler.xml");
    assert!(found["message"].as_str().expect("a text").contains("root.d"), "{found}");
    assert!(fault["message"].as_str().expect("a text").starts_with("fair-scheduler.xml:4:30: "), "{fault}");
    assert_eq!(
        (names(), scheduler.placement_rules().expect("rules")),
        (vec!["root".to_owned(), "root.a".into(), "root.b".into()], rules)
    );
    // What is odd is taken, and told.
    says(&file, "<allocations><queue name='e'><maxAMShare>1.5</maxAMShare></queue></allocations>");
    let (status, answer) = ask(&manager, "POST", REFRESH, "");
    assert_eq!((status, &answer["refresh"]["diagnostics"][0]["severity"]), (200, &"warning".into()), "{answer}");
    // A file that is not there.
    *file.lock().expect("a lock") = Err("fair-scheduler.xml: it is gone".to_owned());
    let (status, answer) = ask(&manager, "POST", REFRESH, "");
    assert_eq!((status, &answer["RemoteException"]["message"]), (400, &"fair-scheduler.xml: it is gone".into()));
    // It is done, not read.
    assert_eq!(ask(&manager, "GET", REFRESH, "").0, 503);
    scheduler.shutdown().unwrap();
}

#[test]
fn a_capacity_file_is_taken_whole_or_not_at_all() {
    let (scheduler, manager, file) = capacity();
    let property = |name: &str, value: &str| {
        format!("<property><name>yarn.scheduler.capacity.root.{name}</name><value>{value}</value></property>\n")
    };
    let whole = |b: &str| {
        let queues = property("queues", "a,b") + &property("a.capacity", "60") + &property("b.capacity", b);
        format!("<configuration>\n{queues}</configuration>")
    };
    let share = || scheduler.queues().expect("queues").iter().find(|queue| queue.name == "root.a").expect("a").capacity;
    says(&file, &whole("40"));
    assert_eq!(ask(&manager, "POST", REFRESH, "").0, 200);
    assert!((share() - 0.6).abs() < 1e-6, "{}", share());
    says(&file, &whole("50"));
    let (status, answer) = ask(&manager, "POST", REFRESH, "");
    let found = &answer["RemoteException"]["diagnostics"][0];
    assert_eq!((status, &found["code"]), (400, &"capacity-sum".into()), "{answer}");
    assert!((share() - 0.6).abs() < 1e-6);
    says(&file, &whole("many"));
    let (status, answer) = ask(&manager, "POST", REFRESH, "");
    let found = &answer["RemoteException"]["diagnostics"][0];
    assert_eq!(
        (status, &found["source"], &found["line"]),
        (400, &"capacity-scheduler.xml".into(), &4.into()),
        "{answer}"
    );
    says(&file, "<configuration>");
    let (status, answer) = ask(&manager, "POST", REFRESH, "");
    assert_eq!((status, &answer["RemoteException"]["diagnostics"][0]["severity"]), (400, &"error".into()), "{answer}");
    scheduler.shutdown().unwrap();
}

#[test]
fn nodes_are_taken_out_brought_back_and_resized() {
    let (fair, over_fair, _) = fair(&[]);
    let (capacity, over_capacity, _) = capacity();
    let cluster_of = [
        Box::new({
            let of = fair.clone();
            move || of.stats().cluster
        }) as Box<dyn Fn() -> Resource>,
        Box::new({
            let of = capacity.clone();
            move || of.stats().cluster
        }),
    ];
    for (manager, cluster) in [&over_fair, &over_capacity].into_iter().zip(cluster_of) {
        let command = |what: &str| ask(manager, "POST", &format!("/ws/v1/evenweave/nodes/n1:8041/{what}"), "");
        let (status, answer) = command("decommission");
        assert_eq!((status, &answer["node"]["state"]), (200, &"DECOMMISSIONING".into()), "{answer}");
        assert_eq!(command("recommission").1["node"]["state"], "RUNNING");
        // The total that it had.
        assert_eq!(cluster(), Resource::new(16384, 16));
        let path = "/ws/v1/cluster/nodes/n1:8041/resource";
        let (status, answer) =
            ask(manager, "POST", path, r#"{"resource":{"memory":4096,"vCores":4},"overCommitTimeout":-1}"#);
        assert_eq!((status, &answer["memory"], &answer["vCores"]), (200, &4096.into(), &4.into()), "{answer}");
        assert_eq!(cluster(), Resource::new(12288, 12));
        for (body, why) in [
            (json!({"resource": {"memory": 1}}), "resource.vCores"),
            (json!({"resource": {"memory": -1, "vCores": 1}}), "whole number"),
            (json!({"resource": {"memory": "much", "vCores": 1}}), "whole number"),
            (json!({"resource": {"memory": 1, "vCores": 1}, "overCommitTimeout": 0}), "overCommitTimeout"),
        ] {
            let (status, answer) = ask(manager, "POST", path, &body.to_string());
            assert!(status >= 400 && answer.to_string().contains(why), "{body}: {status} {answer}");
        }
        assert_eq!(cluster(), Resource::new(12288, 12));
        let (status, answer) = command("remove");
        assert_eq!((status, &answer["node"]["state"]), (200, &"DECOMMISSIONED".into()), "{answer}");
        assert_eq!(cluster(), Resource::new(8192, 8));
        // It is gone.
        for what in ["decommission", "recommission", "remove"] {
            let (status, answer) = command(what);
            assert!(status == 400 && answer.to_string().contains("DECOMMISSIONED"), "{status} {answer}");
        }
        for (id, status) in [("n9:8041", 404), ("n1", 400), ("..%2f..", 400), ("n2:8041:1", 400)] {
            assert_eq!(ask(manager, "POST", &format!("/ws/v1/evenweave/nodes/{id}/remove"), "").0, status, "{id}");
        }
        // One that runs empty goes by itself, if it was not kept.
        let command = |what: &str| ask(manager, "POST", &format!("/ws/v1/evenweave/nodes/n2:8041/{what}"), "");
        manager.node_drained("n2");
        assert_eq!(cluster(), Resource::new(8192, 8));
        command("decommission");
        manager.node_drained("n2");
        assert_eq!(cluster(), Resource::ZERO);
    }
    fair.shutdown().unwrap();
    capacity.shutdown().unwrap();
}

#[test]
fn only_administrators_do_it() {
    let (scheduler, manager, file) = fair(&[("yarn.admin.acl", "ann")]);
    says(&file, "<allocations/>");
    let resource = r#"{"resource":{"memory":1,"vCores":1}}"#;
    let doors = [
        ("POST", REFRESH, "", "refreshQueues"),
        ("POST", "/ws/v1/evenweave/nodes/n1:8041/decommission", "", "refreshNodes"),
        ("POST", "/ws/v1/evenweave/nodes/n1:8041/recommission", "", "refreshNodes"),
        ("POST", "/ws/v1/evenweave/nodes/n1:8041/remove", "", "refreshNodes"),
        ("POST", "/ws/v1/cluster/nodes/n1:8041/resource", resource, "updateNodeResource"),
        ("GET", "/ws/v1/evenweave/log-level", "", "getLogLevel"),
        ("PUT", "/ws/v1/evenweave/log-level", r#"{"levels":"trace"}"#, "setLogLevel"),
    ];
    for (method, path, body, call) in doors {
        for who in ["", "?user.name=bob", "?user.name=ann%20", "?user.name="] {
            let (status, answer) = ask(&manager, method, &format!("{path}{who}"), body);
            assert_eq!(
                (status, &answer["RemoteException"]["exception"]),
                (403, &"ForbiddenException".into()),
                "{path}{who}"
            );
            let sentence = answer["RemoteException"]["message"].as_str().expect("a sentence");
            assert!(sentence.ends_with(&format!("doesn't have permission to call '{call}'")), "{sentence}");
        }
    }
    assert_eq!(scheduler.stats().cluster, Resource::new(16384, 16));
    assert_eq!(ask(&manager, "POST", &format!("{REFRESH}?user.name=ann"), "").0, 200);
    scheduler.shutdown().unwrap();
}

#[test]
fn the_state_is_told_as_hadoops_logger_tells_it() {
    let (scheduler, manager, file) = fair(&[]);
    says(
        &file,
        "<allocations><queue name='b'><queue name='c'><maxAMShare>0.25</maxAMShare></queue></queue><queue name='a'><weight>2</weight></queue></allocations>",
    );
    assert_eq!(ask(&manager, "POST", REFRESH, "").0, 200);
    scheduler.submit(Submission::new(1, "ann").in_queue("root.b.c").with_am(Resource::new(1024, 1))).expect("taken");
    scheduler.quiesce().unwrap();
    scheduler.update_now().unwrap();
    scheduler.heartbeat(Heartbeat::new(&scheduler.find_node("n1").expect("n1"))).expect("sent");
    scheduler.quiesce().unwrap();
    scheduler.update_now().unwrap();
    let (status, answer) = ask(&manager, "GET", "/ws/v1/evenweave/state", "");
    assert_eq!(status, 200);
    let messages = &answer["state"]["messages"];
    assert_eq!(
        messages[0],
        "FairScheduler state: Cluster Capacity: <memory:16384, vCores:16>  Allocations: <memory:1024, vCores:1>  \
         Availability: <memory:15360, vCores:15>  Demand: <memory:1024, vCores:1>"
    );
    let tree = messages[1].as_str().expect("a text");
    let names: Vec<&str> = tree.split("Name: ").skip(1).map(|rest| rest.split(',').next().unwrap()).collect();
    let of_view: Vec<&str> = answer["state"]["queues"]
        .as_array()
        .expect("queues")
        .iter()
        .map(|queue| queue["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, of_view);
    // A queue stands before those below it, and those of a parent in the order of their creation.
    let place = |name: &str| names.iter().position(|one| *one == name).expect(name);
    assert!(place("root") == 0 && place("root.b") + 1 == place("root.b.c"), "{names:?}");
    assert!(tree.contains(
        "{Name: root.b.c, Weight: 1.0, Policy: fair, FairShare: <memory:16384, vCores:0>, SteadyFairShare: <memory:5461, vCores:0>, \
         MaxShare: <memory:9223372036854775807, vCores:2147483647>, MinShare: <memory:0, vCores:0>, ResourceUsage: <memory:1024, \
         vCores:1>, Demand: <memory:1024, vCores:1>, Runnable: 1, NumPendingApps: 0, NonRunnable: 0, MaxAMShare: 0.25, \
         MaxAMResource: <memory:4096, vCores:4>, AMResourceUsage: <memory:1024, vCores:1>"
    ), "{tree}");
    assert!(tree.contains("{Name: root.b, ") && tree.contains(", MaxAMShare: 0.5, Runnable: 1}"), "{tree}");
    scheduler.shutdown().unwrap();
    let (scheduler, manager, _) = capacity();
    scheduler.quiesce().unwrap();
    let (_, answer) = ask(&manager, "GET", "/ws/v1/evenweave/state", "");
    let state = &answer["state"];
    assert_eq!(
        (&state["scheduler"], &state["clusterCapacity"]["memory"]),
        (&"CapacityScheduler".into(), &16384.into())
    );
    let a = state["queues"].as_array().expect("queues").iter().find(|queue| queue["name"] == "root.a").expect("a");
    assert_eq!((&a["guaranteed"]["memory"], &a["state"]), (&12288.into(), &"RUNNING".into()), "{a}");
    scheduler.shutdown().unwrap();
}

#[test]
fn hosts_that_a_file_names_leave() {
    const PATH: &str = "/ws/v1/evenweave/refresh-nodes";
    let (scheduler, manager, _) = fair(&[]);
    let (status, answer) = ask(&manager, "POST", PATH, "");
    assert!(status == 400 && answer.to_string().contains("started without one"), "{answer}");
    let Ok(manager) = Arc::try_unwrap(manager) else { panic!("held elsewhere") };
    let folder = tempfile::TempDir::new().expect("a folder");
    let file = folder.path().join("exclude");
    let manager = Arc::new(manager.with_excluded(file.clone()));
    let says = |text: &str| std::fs::write(&file, text).expect("written");
    let states = |manager: &ResourceManager| -> Vec<&'static str> {
        manager.records().nodes().iter().map(|node| node.state.name()).collect()
    };
    let (status, answer) = ask(&manager, "POST", PATH, "");
    assert!(status == 400 && answer.to_string().contains("exclude: "), "{answer}");
    says("# who leaves\n n2 # the second\nn9 n8");
    let (status, answer) = ask(&manager, "POST", &format!("{PATH}?graceful=true"), "");
    assert_eq!((status, &answer["refresh"]["changed"]), (200, &json!(["n2:8041"])), "{answer}");
    assert_eq!(states(&manager), ["RUNNING", "DECOMMISSIONING"]);
    says("");
    assert_eq!(ask(&manager, "POST", PATH, "").0, 200);
    assert_eq!(states(&manager), ["RUNNING", "RUNNING"]);
    says("<hosts><host><name>n1</name></host></hosts>");
    let (status, answer) = ask(&manager, "POST", PATH, "");
    assert!(status == 400 && answer.to_string().contains("exclude:1: "), "{answer}");
    assert_eq!(ask(&manager, "POST", &format!("{PATH}?graceful=maybe"), "").0, 400);
    says("n1");
    assert_eq!(ask(&manager, "POST", PATH, "").0, 200);
    assert_eq!(states(&manager), ["DECOMMISSIONED", "RUNNING"]);
    assert_eq!(scheduler.stats().cluster, Resource::new(8192, 8));
    scheduler.shutdown().unwrap();
}

#[test]
fn rights_are_asked_for_where_hadoop_asks() {
    let site =
        [("yarn.acl.enable", "true"), ("yarn.admin.acl", "root"), ("yarn.cluster.max-application-priority", "10")];
    let own = CAPACITIES.into_iter().chain([
        ("yarn.scheduler.capacity.root.acl_administer_queue", " "),
        ("yarn.scheduler.capacity.root.acl_submit_applications", " "),
        ("yarn.scheduler.capacity.root.a.acl_submit_applications", "*"),
        ("yarn.scheduler.capacity.root.a.acl_administer_queue", "boss"),
        (
            "yarn.scheduler.capacity.root.a.acl_application_max_priority",
            "[user=ann max_priority=5 default_priority=1] [user=boss max_priority=9 default_priority=1]",
        ),
    ]);
    let configuration = CapacityConfiguration::from_properties(site, own).expect("a configuration");
    let basics = Basics::of_capacity(configuration.file().settings());
    let scheduler =
        CapacityScheduler::builder(configuration).cluster_timestamp(7).timers(false).start().expect("a scheduler");
    let app =
        scheduler.submit(Submission::new(1, "ann").in_queue("root.a").with_am(Resource::new(1024, 1))).expect("taken");
    let (manager, _) = managed(Arc::new(CapacityThreads::new(scheduler.clone(), basics)), "capacity-scheduler.xml");
    manager.records().submitted(AppRecord::new(1, "ann", "root.a", 5).with_attempt(Some(app)));
    let app = "/ws/v1/cluster/apps/application_7_0001";
    for (user, may) in [("ann", true), ("boss", true), ("root", true), ("eve", false), ("", false)] {
        let (_, shown) = ask(&manager, "GET", &format!("{app}?user.name={user}"), "");
        assert_eq!(shown["app"]["startedTime"], if may { 5 } else { 0 }, "{user}");
        assert_eq!(shown["app"]["resourceRequests"].is_array(), may, "{user}");
    }
    let priority = |user: &str, wanted: i32| {
        ask(&manager, "PUT", &format!("{app}/priority?user.name={user}"), &format!(r#"{{"priority":{wanted}}}"#))
    };
    assert_eq!(priority("eve", 3).0, 403);
    assert_eq!(priority("ann", 4).1["priority"], 4);
    // Higher than any group that admits her goes.
    assert_eq!(priority("ann", 8).0, 503);
    assert_eq!(priority("boss", 8).1["priority"], 8);
    let put =
        |user: &str, what: &str, body: &str| ask(&manager, "PUT", &format!("{app}/{what}?user.name={user}"), body).0;
    assert_eq!(put("eve", "queue", r#"{"queue":"root.a"}"#), 200, "the queue it is in: nothing is asked, as in Hadoop");
    assert_eq!(put("eve", "queue", r#"{"queue":"root.b"}"#), 403);
    // He may change the application, and not enter the other queue.
    assert_eq!(put("boss", "queue", r#"{"queue":"root.b"}"#), 403);
    assert_eq!(put("eve", "state", r#"{"state":"KILLED"}"#), 403);
    for (user, status) in [("eve", 403), ("root", 400)] {
        assert_eq!(
            ask(&manager, "GET", &format!("/ws/v1/cluster/scheduler-conf?user.name={user}"), "").0,
            status,
            "{user}"
        );
    }
    let access = |user: &str| {
        ask(&manager, "GET", &format!("/ws/v1/cluster/queues/root.a/access?user=ann&user.name={user}"), "").0
    };
    assert_eq!((access("boss"), access("eve")), (200, 403));
    assert_eq!(put("boss", "state", r#"{"state":"KILLED"}"#), 202);
    scheduler.shutdown().unwrap();
}
