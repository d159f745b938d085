//! What probes are told of a cluster that begins, works and ends.

use std::process::Command;
use std::time::Duration;

use evenweave_testkit::{until, within};

use crate::Served;

/// The time between two probes.
const PAUSE: Duration = Duration::from_millis(50);

#[test]
fn a_cluster_is_ready_once_it_works() {
    let served = Served::start(&["--listen", "127.0.0.1:0"]);
    assert_eq!(served.ask("GET", "/healthz", "", ""), (200, "ok\n".to_owned()));
    until("the first report of a node", || {
        let (status, said) = served.ask("GET", "/readyz", "", "");
        if status == 200 {
            assert_eq!(said, "ready\n");
            return true;
        }
        assert_eq!((status, said.as_str()), (503, "not ready: no node of the simulated cluster has reported yet\n"));
        std::thread::sleep(PAUSE);
        false
    });
    // By a name that is no name of this machine: nothing but these two is told.
    assert_eq!(served.ask_as("10.1.2.3:8088", "GET", "/readyz", "", "").0, 200);
    assert_eq!(served.ask_as("10.1.2.3:8088", "GET", "/metrics", "", "").0, 403);
}

#[cfg(unix)]
#[test]
fn a_cluster_that_ends_answers_until_nobody_asks_it_any_more() {
    let mut served = Served::start(&["--listen", "127.0.0.1:0", "--drain", "120"]);
    let signal = |served: &Served| {
        let sent = Command::new("kill").args(["-TERM", &served.child.id().to_string()]).status();
        assert!(sent.expect("kill runs").success());
    };
    served.state_under_load();
    assert_eq!(served.ask("GET", "/readyz", "", "").0, 200);
    signal(&served);
    let ends = "not ready: the server was told to end\n";
    until("a server that is told to end", || {
        let is_told = served.ask("GET", "/readyz", "", "") == (503, ends.to_owned());
        if !is_told {
            std::thread::sleep(PAUSE);
        }
        is_told
    });
    assert_eq!(served.ask("GET", "/healthz", "", "").0, 200, "the process is well");
    assert_eq!(served.ask("GET", "/ws/v1/cluster/info", "", "").0, 200, "and does what it is asked");
    assert!(served.child.try_wait().expect("a child").is_none());
    // Whoever is in a hurry says so twice.
    signal(&served);
    // Sooner than `--drain` says.
    let ended = within("the end of the server", || served.child.wait().expect("it ends"));
    assert!(ended.success(), "{ended}");
}
