//! Probes: whoever asks whether the server answers and whether it takes work is told so, without a login, also while it
//! ends.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use evenweave::clock::{Clock, MonotonicClock};
use evenweave::{FairScheduler, Settings};
use evenweave_server::events::Ring;
use evenweave_server::scheduler::{Basics, Steps};
use evenweave_server::{Access, Cluster, Limits, ResourceManager, Tokens, serve};
use evenweave_testkit::until;
use tempfile::TempDir;

fn manager(access: Access) -> Arc<ResourceManager> {
    let settings = Settings::from_properties([]).expect("Hadoop's defaults");
    let basics = Basics::of_fair(&settings);
    let stepped = FairScheduler::builder().settings(settings).stepped().expect("a scheduler");
    let manager = ResourceManager::new(Cluster::new(1, "rm:8088"), Arc::new(Steps::new(stepped, basics)));
    Arc::new(manager.with_access(access))
}

/// Status, head and body; nothing where nobody listens.
fn ask(at: &str, method: &str, path: &str) -> Option<(u16, String, String)> {
    let mut stream = TcpStream::connect(at).ok()?;
    stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a time");
    // As kubelet asks: by the address of a pod, and not by a name of this machine.
    let request = format!("{method} {path} HTTP/1.1\r\nHost: 10.1.2.3:8088\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    let (head, body) = answer.split_once("\r\n\r\n")?;
    let status = head.split(' ').nth(1)?.parse().ok()?;
    Some((status, head.to_ascii_lowercase(), body.to_owned()))
}

fn tokens(folder: &TempDir) -> Access {
    let file = folder.path().join("tokens");
    std::fs::write(&file, "ann:0123456789abcdef-ann\n").expect("written");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).expect("set");
    }
    Access { authenticators: vec![Arc::new(Tokens::from_file(file).expect("tokens"))], ..Access::default() }
}

/// From the start to the end, each time with the reason.
#[test]
fn probes_are_answered_without_a_login_until_the_end() {
    let folder = TempDir::new().expect("a folder");
    let manager = manager(tokens(&folder));
    manager.readiness().begins("no node has reported yet");
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let at = listener.local_addr().expect("an address").to_string();
    let limits = Limits { drain: Duration::from_secs(120), ..Limits::default() };
    let over = Arc::new(std::sync::atomic::AtomicBool::new(false));
    let (served, flag) = (manager.clone(), over.clone());
    let thread = std::thread::spawn(move || {
        // ORDERING: Relaxed, here and below. The flag carries no data.
        let over = || flag.load(std::sync::atomic::Ordering::Relaxed);
        serve(&served, &Arc::new(Ring::default()), listener, limits, Some(Duration::from_secs(6)), &over)
    });
    // From its start on.
    let clock = MonotonicClock::new();
    let readyz = || ask(&at, "GET", "/readyz").map(|(status, _, body)| (status, body));
    assert_eq!(readyz(), Some((503, "not ready: no node has reported yet\n".to_owned())));
    let (status, head, body) = ask(&at, "GET", "/healthz").expect("an answer");
    assert_eq!((status, body.as_str()), (200, "ok\n"), "it answers, ready or not");
    for line in ["content-type: text/plain;charset=utf-8", "cache-control: no-store", "x-content-type-options: nosniff"]
    {
        assert!(head.contains(line), "{head}");
    }
    // Nothing else is told without a token.
    for path in ["/healthz/", "/readyz/x", "/metrics", "/ws/v1/cluster/info"] {
        assert_eq!(ask(&at, "GET", path).map(|answer| answer.0), Some(401), "{path}");
    }
    manager.readiness().takes_work();
    // A slow machine has come to the end by now: what is asked before it is not seen then.
    if clock.now_ms() < 4_000 {
        assert_eq!(readyz(), Some((200, "ready\n".to_owned())));
        let (status, head, body) = ask(&at, "HEAD", "/readyz").expect("an answer");
        assert!(status == 200 && body.is_empty() && head.contains("content-length: 6"), "{head}");
        assert_eq!(ask(&at, "POST", "/readyz").map(|answer| answer.0), Some(405));
    }
    // The time is over, and it goes on answering that it ends.
    until("it is told that it ends", || {
        readyz() == Some((503, "not ready: the time of the server is over\n".to_owned()))
    });
    let (status, _, body) = ask(&at, "HEAD", "/readyz").expect("an answer");
    assert!(status == 503 && body.is_empty());
    assert_eq!(ask(&at, "GET", "/healthz").map(|answer| answer.0), Some(200), "it still answers");
    assert!(!thread.is_finished());
    over.store(true, std::sync::atomic::Ordering::Relaxed);
    thread.join().expect("no panic").expect("served");
    assert!(clock.now_ms() < 120_000, "what is shown has ended, and nobody waits longer");
    assert_eq!(readyz(), None);
}
