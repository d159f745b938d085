//! `serve`: a simulated cluster is asked over HTTP while it works, and ends when it is told to.

mod admin;
mod chromium;
mod dark;
mod files;
mod keys;
mod label_pages;
mod labels;
mod page;
mod probes;
mod tls;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

use serde_json::Value;

struct Served {
    child: Child,
    /// It ends when nobody listens to what it says.
    _said: BufReader<ChildStdout>,
    at: String,
}

/// Looks five times a second until there is something; `None` after a minute and a half.
fn poll<T>(mut found: impl FnMut() -> Option<T>) -> Option<T> {
    (0..450).find_map(|_| {
        let found = found();
        if found.is_none() {
            std::thread::sleep(Duration::from_millis(200));
        }
        found
    })
}

/// The application that an answer to a submission names.
fn app_of(said: &str) -> String {
    let number = said.split("application ").nth(1).and_then(|rest| rest.split(' ').next()).expect(said);
    format!("application_1700000000000_{number:0>4}")
}

impl Served {
    /// Few nodes, with much to do.
    fn start(arguments: &[&str]) -> Served {
        Served::run(&[&["--nodes", "40", "--task-seconds", "1"], arguments].concat())
    }

    fn run(arguments: &[&str]) -> Served {
        let mut child = Command::new(env!("CARGO_BIN_EXE_evenweave"))
            .args(["serve", "--for", "300"])
            .args(arguments)
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program runs");
        let mut line = String::new();
        let mut said = BufReader::new(child.stdout.take().expect("piped"));
        said.read_line(&mut line).expect("a line");
        let at = line.split("://").nth(1).and_then(|rest| rest.split('/').next()).expect(&line).to_owned();
        Served { child, _said: said, at }
    }

    /// Status and body.
    fn ask(&self, method: &str, path: &str, headers: &str, body: &str) -> (u16, String) {
        self.ask_as(&self.at, method, path, headers, body)
    }

    /// The same, by another host's name.
    fn ask_as(&self, host: &str, method: &str, path: &str, headers: &str, body: &str) -> (u16, String) {
        let length = body.len();
        let rest = format!("Content-Length: {length}\r\n{headers}\r\n{body}");
        self.send(&format!("{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{rest}"))
    }

    fn send(&self, request: &str) -> (u16, String) {
        self.send_bytes(request.as_bytes())
    }

    fn send_bytes(&self, request: &[u8]) -> (u16, String) {
        let mut stream = TcpStream::connect(self.at.replace("0.0.0.0", "127.0.0.1")).expect("it listens");
        stream.set_read_timeout(Some(Duration::from_secs(90))).expect("a time");
        stream.write_all(request).expect("sent");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok()).expect(&answer);
        (status, answer.split_once("\r\n\r\n").map(|(_, body)| body.to_owned()).unwrap_or_default())
    }

    fn json(&self, path: &str) -> Value {
        let (status, body) = self.ask("GET", path, "", "");
        assert_eq!(status, 200, "{path}: {body}");
        serde_json::from_str(&body).expect("JSON")
    }

    /// The first state that is as wanted.
    fn state_once(&self, is_wanted: impl Fn(&Value) -> bool) -> Value {
        let state = poll(|| Some(self.json("/events/state")).filter(&is_wanted));
        state.unwrap_or_else(|| panic!("never as wanted: {}", self.json("/events/state")["totals"]))
    }

    /// An application that outlives every test.
    fn long_app(&self, queue: &str) -> String {
        let wish = format!(r#"{{"do":"submit","user":"carla","queue":"{queue}","tasks":100000,"seconds":3600}}"#);
        let (status, said) = self.ask("POST", "/ws/v1/evenweave/controls", "", &wish);
        assert_eq!(status, 200, "{said}");
        app_of(&said)
    }

    /// The state, once containers have run and ended.
    fn state_under_load(&self) -> Value {
        self.state_once(|state| state["totals"]["completed"].as_u64() > Some(100))
    }

    /// Events from the first on, until one of each kind was there.
    fn events_until(&self, kinds: &[&str]) {
        let mut stream = TcpStream::connect(&self.at).expect("it listens");
        stream.set_read_timeout(Some(Duration::from_secs(90))).expect("a time");
        let request = format!("GET /events?after=0 HTTP/1.1\r\nHost: {}\r\n\r\n", self.at);
        stream.write_all(request.as_bytes()).expect("sent");
        let mut missing = kinds.to_vec();
        let (mut seq, mut lost) = (0, 0);
        for line in BufReader::new(stream).lines() {
            let line = line.expect("a line, before the time is over");
            let Some(data) = line.strip_prefix("data: ") else { continue };
            let batch: Value = serde_json::from_str(data).expect("JSON");
            lost += batch["lost"].as_u64().expect("a number");
            for event in batch["events"].as_array().expect("events") {
                let next = event["seq"].as_u64().expect("a number");
                assert!(next > seq);
                seq = next;
                missing.retain(|kind| event["what"] != *kind);
            }
            if missing.is_empty() {
                assert!(lost < seq);
                return;
            }
        }
        panic!("never seen: {missing:?}");
    }

    #[cfg(unix)]
    fn terminate(mut self) {
        let sent = Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status();
        assert!(sent.expect("kill runs").success());
        let ended = self.child.wait().expect("it ends");
        assert!(ended.success(), "{ended}");
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // It has ended where the test went well.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

const LIFE: [&str; 8] = [
    "heartbeat",
    "application_added",
    "application_accepted",
    "attempt_added",
    "container_allocated",
    "container_acquired",
    "container_launched",
    "container_completed",
];

#[test]
fn a_cluster_lives_and_is_shown() {
    for scheduler in ["fair", "capacity"] {
        let served = Served::start(&["--listen", "127.0.0.1:0", "--scheduler", scheduler]);
        served.events_until(&LIFE);
        let state = served.state_under_load();
        assert_eq!((&state["scheduler"], &state["totals"]["nodes"]), (&scheduler.into(), &40.into()));
        let nodes = state["nodes"].as_array().expect("nodes");
        assert_eq!((nodes.len(), &nodes[0][2], &nodes[0][5]), (40, &"RUNNING".into(), &131_072.into()));
        let used: i64 = nodes.iter().filter_map(|node| node[3].as_i64()).sum();
        assert!(used > 0 && state["totals"]["used"][0] == used, "{}", state["totals"]);
        let root = state["queues"].as_array().expect("queues").iter().find(|queue| queue["path"] == "root");
        assert!(root.expect("root")["used"][0].as_i64() > Some(0));
        assert!(state["allocations_per_second"].as_f64() > Some(0.0));
        let (_, metrics) = served.ask("GET", "/metrics", "", "");
        let value = |name: &str| -> f64 {
            let line = metrics.lines().find_map(|line| line.strip_prefix(name)).expect(&metrics);
            line.trim().parse().expect(line)
        };
        assert!((value(r#"evenweave_nodes{state="running"} "#) - 40.0).abs() < 0.5);
        assert!(value("evenweave_containers_allocated_total ") > 100.0);
        let used = value(r#"evenweave_queue_used_mebibytes{queue="root"} "#);
        assert!(used > 0.0 && used <= value("evenweave_cluster_mebibytes "));
        assert!(metrics.ends_with("# EOF\n"));
        let beans = served.json("/jmx?qry=Hadoop:service=ResourceManager,name=QueueMetrics,q0=root");
        let root = &beans["beans"][0];
        assert_eq!((beans["beans"].as_array().map(Vec::len), &root["tag.Queue"]), (Some(1), &"root".into()));
        assert!(root["AllocatedMB"].as_i64() > Some(0) && root["AppsSubmitted"].as_i64() > Some(0), "{root}");
        assert_eq!(root["FairShareMB"].is_i64(), scheduler == "fair");
        let all = served.json("/jmx");
        let cluster =
            all["beans"].as_array().expect("beans").iter().find(|bean| bean["modelerType"] == "ClusterMetrics");
        assert_eq!(cluster.expect("the cluster's")["NumActiveNMs"], 40);
        let apps = served.json("/ws/v1/cluster/apps?states=RUNNING");
        // The cluster goes on without those that were killed, whatever they had asked for.
        let running = apps["apps"]["app"].as_array().expect("some run");
        for app in running {
            let path = format!("/ws/v1/cluster/apps/{}/state", app["id"].as_str().expect("an id"));
            let json = "Content-Type: application/json\r\n";
            let (status, body) = served.ask("PUT", &path, json, r#"{"state":"KILLED"}"#);
            assert!(status == 202 || status == 200, "{status} {body}");
        }
        let of = |state: &Value, name: &str| state["totals"][name].as_u64().expect("a number");
        let before = served.state_once(|state| state["totals"]["apps"]["killed"].as_u64() > Some(0));
        // By three reports of every node each ApplicationMaster has called.
        let reported = served.state_once(|state| of(state, "heartbeats") > of(&before, "heartbeats") + 3 * 40);
        served.state_once(|state| of(state, "granted") > of(&reported, "granted"));
        #[cfg(unix)]
        served.terminate();
    }
}

#[test]
fn who_may_not_write_is_told_why() {
    let kill = r#"{"state":"KILLED"}"#;
    let path = "/ws/v1/cluster/apps/application_1700000000000_0001/state";
    let json = "Content-Type: application/json\r\n";
    let served = Served::start(&["--listen", "127.0.0.1:0"]);
    for (headers, why) in [
        ("Origin: http://evil.example\r\n", "another site"),
        ("Origin: null\r\n", "another site"),
        ("Sec-Fetch-Site: cross-site\r\n", "another site"),
        ("Sec-Fetch-Site: same-site\r\n", "another site"),
    ] {
        let (status, body) = served.ask("PUT", path, &format!("{json}{headers}"), kill);
        assert!(status == 403 && body.contains(why), "{headers}: {status} {body}");
    }
    let own = format!("{json}Origin: http://{}\r\nSec-Fetch-Site: same-origin\r\n", served.at);
    assert_ne!(served.ask("PUT", path, &own, kill).0, 403);
    let large = format!("Host: {}\r\nConnection: close\r\nContent-Length: 100000", served.at);
    let (status, _) = served.send(&format!("PUT {path} HTTP/1.1\r\n{large}\r\n\r\n"));
    assert_eq!(status, 413);
    // By a name that somebody has led here: a page of his would be one of this site.
    let (status, body) = served.ask_as("evil.example:80", "PUT", path, json, kill);
    assert!(status == 403 && body.contains("Host"), "{status} {body}");
    assert_ne!(served.ask_as("localhost:80", "PUT", path, json, kill).0, 403);
    let open = Served::start(&["--listen", "0.0.0.0:0"]);
    let (status, body) = open.ask("PUT", path, json, kill);
    assert!(status == 403 && body.contains("reads only"), "{status} {body}");
    assert_eq!(open.ask("GET", "/ws/v1/cluster/info", "", "").0, 200);
}

#[test]
fn where_it_listens_is_a_name_or_an_address_and_told_where_it_cannot_be_had() {
    let named = Served::start(&["--listen", "localhost:0"]);
    assert_eq!(named.ask("GET", "/ws/v1/cluster/info", "", "").0, 200);
    for (listen, why) in [
        (named.at.as_str(), format!("nobody can listen at {}: ", named.at)),
        ("no-such-host.invalid:0", "no address of this machine, and no name of one".to_owned()),
        ("localhost", "such as 127.0.0.1:8088, localhost:8088".to_owned()),
    ] {
        let program = Command::new(env!("CARGO_BIN_EXE_evenweave")).args(["serve", "--listen", listen]).output();
        let program = program.expect("the program runs");
        let said = String::from_utf8_lossy(&program.stderr).into_owned();
        assert!(program.status.code() == Some(2) && said.contains(&why), "{listen}: {said}");
    }
}
