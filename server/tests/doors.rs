//! Who gets in: tokens, headers of proxies, connections, heads of requests. Each door is tried by those who mean no
//! good.

use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use evenweave::SchedulerApi as _;
use evenweave::{FairScheduler, Resource, Settings};
use evenweave_server::events::Ring;
use evenweave_server::records::AppRecord;
use evenweave_server::scheduler::{Basics, QueuesText, Steps};
use evenweave_server::{Access, Authenticator, Cluster, Limits, ResourceManager, Tokens, TrustedHeader, serve};
use evenweave_testkit::until;
use tempfile::TempDir;

struct Served {
    at: String,
    over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Served {
    fn start(listen: &str, access: Access, limits: Limits) -> Served {
        let settings =
            Settings::from_properties([("yarn.admin.acl", "ann"), ("yarn.acl.enable", "true")]).expect("settings");
        let basics = Basics::of_fair(&settings);
        let file = "<allocations><queue name='root'><aclAdministerApps> </aclAdministerApps></queue></allocations>";
        let mut stepped = FairScheduler::builder().settings(settings).stepped().expect("a scheduler");
        stepped.reload_text(file).expect("taken");
        stepped.add_node("n1", "/r1", Resource::new(8192, 8)).expect("a node");
        let source = move || Ok(QueuesText { name: "fair-scheduler.xml".to_owned(), text: file.to_owned() });
        let manager = ResourceManager::new(Cluster::new(1, "rm:8088"), Arc::new(Steps::new(stepped, basics)));
        let manager = Arc::new(manager.with_queues(Arc::new(source)).with_access(access));
        manager.records().submitted(AppRecord::new(1, "ann", "root.a", 5));
        let listener = TcpListener::bind(listen).expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let over = Arc::new(AtomicBool::new(false));
        let flag = over.clone();
        let thread = std::thread::spawn(move || {
            // ORDERING: Relaxed, here and below. The flag carries no data.
            let over = || flag.load(Ordering::Relaxed);
            serve(&manager, &Arc::new(Ring::default()), listener, limits, None, &over).expect("served");
        });
        Served { at: format!("127.0.0.1:{port}"), over, thread: Some(thread) }
    }

    fn with(access: Access) -> Served {
        Served::start("127.0.0.1:0", access, Limits::default())
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.at).expect("it listens");
        stream.set_read_timeout(Some(Duration::from_secs(90))).expect("a time");
        stream
    }

    /// All that comes back; nothing where the connection just ends.
    fn send(&self, request: &[u8]) -> String {
        let mut stream = self.connect();
        stream.write_all(request).expect("sent");
        let mut answer = Vec::new();
        // One that is reset has said what it had to say.
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    }

    /// Status and all.
    fn ask(&self, method: &str, path: &str, headers: &str) -> (u16, String) {
        let host = &self.at;
        let rest = format!("Host: {host}\r\nConnection: close\r\nContent-Length: 0\r\n{headers}\r\n");
        let answer = self.send(format!("{method} {path} HTTP/1.1\r\n{rest}").as_bytes());
        let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok()).expect(&answer);
        (status, answer)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let outcome = thread.join();
            assert!(outcome.is_ok() || std::thread::panicking());
        }
    }
}

const ANN: &str = "0123456789abcdef-ann";
const BOB: &str = "0123456789abcdef-bob";
const REFRESH: &str = "/ws/v1/evenweave/refresh-queues";
const INFO: &str = "/ws/v1/cluster/info";

fn bearer(token: &str) -> String {
    format!("Authorization: Bearer {token}\r\n")
}

/// A file that its owner alone may use.
fn token_file(folder: &TempDir, text: &str) -> PathBuf {
    let path = folder.path().join("tokens");
    fs::write(&path, text).expect("written");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).expect("set");
    }
    path
}

fn by(authenticator: impl Authenticator + 'static) -> Access {
    Access { authenticators: vec![Arc::new(authenticator)], ..Access::default() }
}

#[test]
fn a_token_stands_for_its_user_and_for_nobody_else() {
    let folder = TempDir::new().expect("a folder");
    let file = token_file(&folder, &format!("# who may ask\n\nann:{ANN}\nbob: {BOB}\n"));
    let served = Served::with(by(Tokens::from_file(file.clone()).expect("tokens")));
    let no_token = served.ask("GET", INFO, "");
    assert!(no_token.0 == 401 && no_token.1.contains("www-authenticate: Bearer realm=\"evenweave\""), "{}", no_token.1);
    assert!(no_token.1.contains(r#""exception":"AuthorizationException""#), "{}", no_token.1);
    for path in [
        "/metrics",
        "/jmx",
        "/events",
        "/events/state",
        "/nothing",
        "/logLevel",
        "/ws/v1/cluster",
        "/clusters",
        "/../jmx",
    ] {
        assert_eq!(served.ask("GET", path, "").0, 401, "{path}");
    }
    // A page asks for the token; nothing of the cluster is in it.
    for path in ["/", "/cluster", "/cluster/apps", "/assets/live.js"] {
        assert_eq!(served.ask("GET", path, "").0, 200, "{path}");
        assert_eq!(served.ask("GET", path, &bearer("wrong")).0, 401, "{path}");
        assert_eq!(served.ask("POST", path, "").0, 401, "{path}");
    }
    let two = bearer(ANN) + &bearer(BOB);
    for wrong in [
        bearer(""),
        bearer("0123456789abcdef-an"),
        bearer("0123456789abcdef-ann1"),
        bearer("0123456789ABCDEF-ANN"),
        bearer("ann"),
        bearer(&format!("ann:{ANN}")),
        bearer(&"x".repeat(5000)),
        format!("Authorization: Basic {ANN}\r\n"),
        format!("Authorization: {ANN}\r\n"),
        "Authorization: \r\n".to_owned(),
        two,
    ] {
        let (status, answer) = served.ask("GET", INFO, &wrong);
        assert_eq!(status, 401, "{wrong}: {answer}");
        assert!(!answer.contains("0123456789"), "a token came back: {answer}");
    }
    let (status, answer) = served.ask("GET", INFO, &format!("Accept: application/xml\r\n{}", bearer("x")));
    assert!(status == 401 && answer.contains("<exception>AuthorizationException</exception>"), "{answer}");
    for token in [ANN, BOB] {
        assert_eq!(served.ask("GET", INFO, &bearer(token)).0, 200);
    }
    // What the address says of a user does not count.
    let (status, answer) = served.ask("POST", &format!("{REFRESH}?user.name=ann"), &bearer(BOB));
    assert!(status == 403 && answer.contains("User bob doesn't have permission to call 'refreshQueues'"), "{answer}");
    assert_eq!(served.ask("POST", REFRESH, &bearer(ANN)).0, 200);
    let app = |token: &str| served.ask("GET", "/ws/v1/cluster/apps/application_1_0001?user.name=ann", &bearer(token)).1;
    assert!(app(ANN).contains(r#""startedTime":5"#), "{}", app(ANN));
    assert!(app(BOB).contains(r#""startedTime":0"#), "{}", app(BOB));
    // A page of another site, in whose name a browser asks.
    let (status, answer) = served.ask("POST", REFRESH, &(bearer(ANN) + "Origin: https://evil.example\r\n"));
    assert!(status == 403 && answer.contains("another site"), "{answer}");
}

#[test]
fn tokens_are_read_again_when_that_is_asked_for() {
    const PATH: &str = "/ws/v1/evenweave/refresh-tokens";
    let folder = TempDir::new().expect("a folder");
    let file = token_file(&folder, &format!("ann:{ANN}\n"));
    let served = Served::with(by(Tokens::from_file(file).expect("tokens")));
    token_file(&folder, &format!("ann:{ANN}\nbob:{BOB}\n"));
    assert_eq!(served.ask("GET", INFO, &bearer(BOB)).0, 401);
    assert_eq!(served.ask("POST", PATH, &bearer(ANN)).0, 200);
    assert_eq!(served.ask("POST", PATH, &bearer(BOB)).0, 403);
    token_file(&folder, &format!("ann:{ANN}\nbob:short\n"));
    let (status, answer) = served.ask("POST", PATH, &bearer(ANN));
    assert!(status == 400 && answer.contains("tokens:2: the token of bob"), "{answer}");
    // As it was.
    assert_eq!(served.ask("GET", INFO, &bearer(BOB)).0, 200);
}

#[test]
fn a_file_of_tokens_that_is_not_good_is_refused_by_its_line() {
    let folder = TempDir::new().expect("a folder");
    for (text, why) in [
        ("ann", "tokens:1: a line is a user, a colon and his token"),
        ("\n:0123456789abcdef", "tokens:2: \"\" is no name"),
        ("a b:0123456789abcdef", "tokens:1: \"a b\" is no name"),
        ("*:0123456789abcdef", "tokens:1: \"*\" is no name"),
        ("ann:0123456789abcde", "tokens:1: the token of ann has to be 16"),
        ("ann:0123456789abcdef 1", "tokens:1: the token of ann"),
        ("ann:0123456789abcdef\nbob:0123456789abcdef", "tokens:2: the token of bob is that of ann too"),
        ("", "tokens: there is no token in it"),
        ("# ann:0123456789abcdef\n\n", "tokens: there is no token in it"),
    ] {
        let found = Tokens::from_file(token_file(&folder, text)).unwrap_err();
        assert!(found.contains(why) && !found.contains("0123456789"), "{text:?}: {found}");
    }
    assert!(Tokens::from_file(folder.path().join("none")).unwrap_err().contains("none: "));
    let folder_itself = Tokens::from_file(folder.path().to_owned()).unwrap_err();
    assert!(folder_itself.contains("it is not a regular file"), "{folder_itself}");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let path = token_file(&folder, &format!("ann:{ANN}"));
        for mode in [0o640, 0o604, 0o620] {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("set");
            assert!(Tokens::from_file(path.clone()).unwrap_err().contains("chmod 600"), "{mode:o}");
        }
    }
}

#[test]
fn a_header_counts_from_a_trusted_proxy_alone() {
    let header = |proxy: &str| TrustedHeader::new("X-Forwarded-User", [proxy]).expect("a header");
    let behind = Served::with(by(header("127.0.0.1")));
    assert_eq!(behind.ask("GET", "/", "").0, 401);
    assert_eq!(behind.ask("POST", REFRESH, "X-Forwarded-User: ann\r\n").0, 200);
    assert_eq!(behind.ask("POST", REFRESH, "X-Forwarded-User: bob\r\n").0, 403);
    for forged in [
        "",
        "X-Forwarded-User: \r\n",
        "X-Forwarded-User: ann\r\nX-Forwarded-User: bob\r\n",
        "X-Forwarded-User: ann,bob\r\n",
        "X_Forwarded_User: ann\r\n",
    ] {
        assert_eq!(behind.ask("POST", REFRESH, forged).0, 401, "{forged}");
    }
    // What a proxy passes on of a page of another site.
    let cross = "X-Forwarded-User: ann\r\nSec-Fetch-Site: cross-site\r\n";
    assert_eq!(behind.ask("POST", REFRESH, cross).0, 403);
    let own = format!("X-Forwarded-User: ann\r\nSec-Fetch-Site: same-origin\r\nOrigin: https://{}\r\n", behind.at);
    assert_eq!(behind.ask("POST", REFRESH, &own).0, 200);
    let elsewhere = Served::with(by(header("10.0.0.1")));
    for spoofed in ["", "X-Forwarded-For: 10.0.0.1\r\n", "X-Real-IP: 10.0.0.1\r\nForwarded: for=10.0.0.1\r\n"] {
        let (status, answer) = elsewhere.ask("POST", REFRESH, &format!("X-Forwarded-User: ann\r\n{spoofed}"));
        assert!(status == 401 && answer.contains("counts only from a proxy that this server trusts"), "{answer}");
    }
    // A header that is forged is not made good by a token that is right.
    let folder = TempDir::new().expect("a folder");
    let tokens = Tokens::from_file(token_file(&folder, &format!("bob:{BOB}"))).expect("tokens");
    let both = Access { authenticators: vec![Arc::new(tokens), Arc::new(header("10.0.0.1"))], ..Access::default() };
    let both = Served::with(both);
    assert_eq!(both.ask("GET", INFO, &bearer(BOB)).0, 200);
    assert_eq!(both.ask("GET", INFO, &(bearer(BOB) + "X-Forwarded-User: ann\r\n")).0, 401);
}

#[test]
fn behind_a_proxy_a_level_is_set_by_a_page_of_ours_or_with_a_token() {
    const LEVEL: &str = "/logLevel?log=evenweave&level=INFO";
    let header = TrustedHeader::new("X-Forwarded-User", ["127.0.0.1"]).expect("a header");
    let folder = TempDir::new().expect("a folder");
    let tokens = Tokens::from_file(token_file(&folder, &format!("ann:{ANN}"))).expect("tokens");
    let access = Access { authenticators: vec![Arc::new(header), Arc::new(tokens)], ..Access::default() };
    let served = Served::with(access);
    // What a browser sends for a picture of another site's, where it does not say whose page asks.
    for method in ["GET", "HEAD"] {
        assert_eq!(served.ask(method, LEVEL, "X-Forwarded-User: ann\r\n").0, 403, "{method}");
    }
    let (_, answer) = served.ask("GET", LEVEL, "X-Forwarded-User: ann\r\nSec-Fetch-Site: same-site\r\n");
    assert!(answer.contains("another site"), "{answer}");
    for site in ["same-origin", "none"] {
        let headers = format!("X-Forwarded-User: ann\r\nSec-Fetch-Site: {site}\r\n");
        assert_eq!(served.ask("GET", LEVEL, &headers).0, 200, "{site}");
    }
    assert_eq!(served.ask("GET", LEVEL, &bearer(ANN)).0, 200);
    // It is read as before.
    assert_eq!(served.ask("GET", "/logLevel?log=evenweave", "X-Forwarded-User: ann\r\n").0, 200);
}

#[test]
fn a_proxy_that_nobody_has_told_of_writes_nothing() {
    let served = Served::with(Access::default());
    let write = format!("{REFRESH}?user.name=ann");
    assert_eq!(served.ask("POST", &write, "").0, 200);
    for sent in [
        "Forwarded: for=10.0.0.1",
        "X-Forwarded-For: 10.0.0.1",
        "x-forwarded-host: rm.example",
        "X-Forwarded-Proto: https",
        "Via: 1.1 proxy",
        "X-Real-IP: 10.0.0.1",
    ] {
        let (status, answer) = served.ask("POST", &write, &format!("{sent}\r\n"));
        assert!(status == 403 && answer.contains("comes through a proxy"), "{sent}: {answer}");
        assert_eq!(served.ask("GET", INFO, &format!("{sent}\r\n")).0, 200, "{sent}");
    }
}

#[test]
fn a_browser_is_believed_where_it_says_whose_page_asks() {
    let served = Served::with(Access::default());
    let write = |headers: &str| served.ask("POST", &format!("{REFRESH}?user.name=ann"), headers).0;
    let (own, other) = (format!("Origin: http://{}\r\n", served.at), "Origin: https://rm.example\r\n");
    // A proxy may have changed the Host on the way, which the Origin is compared with.
    for site in ["same-origin", "none"] {
        assert_eq!(write(&format!("Sec-Fetch-Site: {site}\r\n{other}")), 200, "{site}");
    }
    for site in ["cross-site", "same-site", "\u{e9}"] {
        assert_eq!(write(&format!("Sec-Fetch-Site: {site}\r\n{own}")), 403, "{site}");
    }
    assert_eq!(write(&own), 200);
    for origin in [other, "Origin: null\r\n"] {
        assert_eq!(write(origin), 403, "{origin}");
    }
}

#[test]
fn a_name_that_was_led_to_loopback_reads_nothing_there() {
    let served = Served::with(Access::default());
    let port = served.at.rsplit_once(':').expect("a port").1;
    let read = |host: &str, path: &str| {
        served.send(format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").as_bytes())
    };
    for path in [INFO, "/", "/events/state", "/metrics", "/jmx", "/assets/live.js"] {
        let answer = read(&format!("evil.example:{port}"), path);
        assert!(answer.starts_with("HTTP/1.1 403") && answer.contains("loopback address"), "{path}: {answer}");
    }
    for host in ["localhost", "127.0.0.1", "127.1.2.3", "[::1]"] {
        assert!(read(&format!("{host}:{port}"), INFO).starts_with("HTTP/1.1 200"), "{host}");
    }
    // What begins or ends as loopback is not loopback.
    for host in [
        "[::1].evil.example",
        "127.0.0.1.evil.example",
        "localhost.evil.example",
        "evil.example:80@localhost",
        "localhost@evil.example",
        "127.0.0.1:80@evil.example",
        "localhost, evil.example",
        "",
    ] {
        for asked in [format!("GET {INFO}"), format!("POST {REFRESH}?user.name=ann")] {
            let rest = format!("Host: {host}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
            let answer = served.send(format!("{asked} HTTP/1.1\r\n{rest}").as_bytes());
            let status = answer.split(' ').nth(1);
            assert!(matches!(status, Some("400" | "403")), "{host:?} {asked}: {answer}");
        }
    }
    // The line of a request can name a host too.
    let two = format!("GET http://evil.example{INFO} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", served.at);
    assert!(served.send(two.as_bytes()).starts_with("HTTP/1.1 403"));
    // No browser: it names no host.
    assert!(served.send(format!("GET {INFO} HTTP/1.0\r\n\r\n").as_bytes()).starts_with("HTTP/1.0 200"));
    // Elsewhere nobody knows what the server is called.
    let open = Served::start("0.0.0.0:0", Access::default(), Limits::default());
    assert_eq!(
        open.send(format!("GET {INFO} HTTP/1.1\r\nHost: rm.example\r\nConnection: close\r\n\r\n").as_bytes())
            .split(' ')
            .nth(1),
        Some("200")
    );
}

#[test]
fn who_does_not_read_his_answers_loses_his_place() {
    let limits = Limits { connections: 1, write_time: Duration::from_millis(200), ..Limits::default() };
    let served = Served::start("127.0.0.1:0", Access::default(), limits);
    let mut stream = served.connect();
    stream.set_write_timeout(Some(Duration::from_millis(500))).expect("a time");
    let request = format!("GET /assets/vendor/uPlot.js HTTP/1.1\r\nHost: {}\r\n\r\n", served.at);
    // Until nothing is taken of it any more: answers fill what there is of room for them.
    until("a full connection", || stream.write_all(request.as_bytes()).is_err());
    let again = (0..500).any(|_| {
        std::thread::sleep(Duration::from_millis(20));
        served.ask("GET", INFO, "").0 == 200
    });
    assert!(again, "the place is kept");
    drop(stream);
}

#[test]
fn who_says_nothing_may_read_where_that_is_allowed() {
    let folder = TempDir::new().expect("a folder");
    let tokens = Tokens::from_file(token_file(&folder, &format!("ann:{ANN}"))).expect("tokens");
    let served = Served::with(Access { anonymous_reads: true, ..by(tokens) });
    assert_eq!(served.ask("GET", INFO, "").0, 200);
    assert_eq!(served.ask("GET", "/cluster", "").0, 200);
    let (_, answer) = served.ask("GET", "/ws/v1/cluster/apps/application_1_0001?user.name=ann", "");
    assert!(answer.contains(r#""startedTime":0"#), "{answer}");
    assert_eq!(served.ask("POST", REFRESH, "").0, 401);
    assert_eq!(served.ask("GET", "/logLevel?log=evenweave&level=TRACE", "").0, 401);
    assert_eq!(served.ask("GET", INFO, &bearer("wrong")).0, 401);
}

#[test]
fn the_address_says_who_asks_on_loopback_alone() {
    let app = |served: &Served| served.ask("GET", "/ws/v1/cluster/apps/application_1_0001?user.name=ann", "").1;
    let loopback = Served::with(Access::default());
    assert!(app(&loopback).contains(r#""startedTime":5"#));
    assert_eq!(loopback.ask("POST", &format!("{REFRESH}?user.name=ann"), "").0, 200);
    let off = Served::with(Access { user_name_counts: false, ..Access::default() });
    assert!(app(&off).contains(r#""startedTime":0"#));
    assert_eq!(off.ask("POST", &format!("{REFRESH}?user.name=ann"), "").0, 403);
    let open = Served::start("0.0.0.0:0", Access::default(), Limits::default());
    assert!(app(&open).contains(r#""startedTime":0"#));
    for (method, path) in [
        ("POST", REFRESH),
        ("PUT", "/ws/v1/evenweave/log-level"),
        ("GET", "/logLevel?log=evenweave&level=TRACE"),
        ("GET", "//logLevel//?log=evenweave&level=TRACE"),
        ("HEAD", "/logLevel/?log=evenweave&%6cevel=TRACE"),
        ("POST", "/ws/v1/evenweave/nodes/n1:8041/remove"),
        ("POST", "/ws/v1/cluster/reservation/new-reservation"),
        ("POST", "/ws/v1/cluster/reservation/submit"),
        ("DELETE", INFO),
        ("PATCH", "//ws/v1/cluster/info"),
        ("BREW", "/ws/v1/cluster/../evenweave/refresh-queues"),
    ] {
        let (status, answer) =
            open.ask(method, &format!("{path}{}user.name=ann", if path.contains('?') { '&' } else { '?' }), "");
        assert!(status == 403 && (method == "HEAD" || answer.contains("reads only")), "{method} {path}: {answer}");
    }
}

#[test]
fn a_method_is_what_it_says() {
    let served = Served::with(Access::default());
    for header in ["X-HTTP-Method-Override: POST\r\n", "X-HTTP-Method: POST\r\n", "X-Method-Override: POST\r\n"] {
        assert_eq!(served.ask("GET", &format!("{REFRESH}?user.name=ann&_method=POST"), header).0, 503);
    }
    for path in ["/WS/v1/evenweave/refresh-queues", "/ws/v1/evenweave/%2e%2e/evenweave/refresh-queues"] {
        assert_eq!(served.ask("POST", &format!("{path}?user.name=ann"), "").0, 404, "{path}");
    }
    for user in ["ann%00", "ann%0a", "%61nn%20", "ann,bob", "*", "%ff"] {
        assert_eq!(served.ask("POST", &format!("{REFRESH}?user.name={user}"), "").0, 403, "{user}");
    }
}

#[test]
fn the_page_of_the_logs_levels_shows_texts_as_what_they_are() {
    let served = Served::with(Access::default());
    let (status, answer) = served.ask("GET", "/logLevel?user.name=ann&log=%3Cscript%3Ealert(1)%3C/script%3E", "");
    assert!(status == 200 && !answer.contains("<script>") && answer.contains("&lt;script&gt;"), "{answer}");
    assert_eq!(served.ask("GET", "/logLevel?user.name=bob", "").0, 403);
    let (status, answer) =
        served.ask("GET", "/logLevel?user.name=ann&log=a&level=TRACE", "Sec-Fetch-Site: cross-site\r\n");
    assert!(status == 403 && answer.contains("another site"), "{answer}");
}

#[test]
fn a_request_names_its_host_once() {
    let open = Served::start("0.0.0.0:0", Access::default(), Limits::default());
    for served in [&Served::with(Access::default()), &open] {
        let send = |version: &str, hosts: &[&str]| {
            let lines: String = hosts.iter().map(|host| format!("{host}\r\n")).collect();
            let rest = format!("{lines}Connection: close\r\nContent-Length: 0\r\n\r\n");
            let answer = served.send(format!("GET {INFO} HTTP/{version}\r\n{rest}").as_bytes());
            answer.split(' ').nth(1).and_then(|status| status.parse::<u16>().ok()).expect(&answer)
        };
        let own = format!("Host: {}", served.at);
        let (own, other) = (own.as_str(), "host: rm.example");
        assert_eq!(send("1.1", &[own]), 200);
        assert_eq!(send("1.0", &[]), 200, "no browser");
        for hosts in [&[][..], &[own, own], &[own, other], &[other, own]] {
            assert_eq!(send("1.1", hosts), 400, "{hosts:?}");
        }
        assert_eq!(send("1.0", &[own, other]), 400);
    }
}

/// Headers of an answer, in small letters.
fn headers(answer: &str) -> Vec<String> {
    answer.split("\r\n\r\n").next().unwrap_or_default().lines().map(str::to_lowercase).collect()
}

#[test]
fn every_answer_is_kept_nowhere_and_does_nothing_in_a_browser() {
    let folder = TempDir::new().expect("a folder");
    let tokens = Tokens::from_file(token_file(&folder, &format!("ann:{ANN}"))).expect("tokens");
    let (open, closed) = (Served::with(Access::default()), Served::with(by(tokens)));
    let large = format!(
        "POST {REFRESH} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Length: 99999999\r\n\r\n",
        open.at
    );
    let ask = |served: &Served, method: &str, path: &str| served.ask(method, path, "");
    let answers = [
        (200, ask(&open, "GET", INFO)),
        (200, ask(&open, "GET", "/ws/v1/cluster/apps")),
        (404, ask(&open, "GET", "/ws/v1/cluster/apps/application_1_0099")),
        (400, ask(&open, "GET", "/ws/v1/cluster/apps/nothing")),
        (204, ask(&open, "OPTIONS", INFO)),
        (503, ask(&open, "DELETE", INFO)),
        (500, open.ask("GET", INFO, "Accept: image/png\r\n")),
        (200, ask(&open, "GET", "/metrics")),
        (400, ask(&open, "GET", "/jmx?qry=x")),
        (200, ask(&open, "GET", "/events/state")),
        (200, ask(&open, "GET", "/logLevel?user.name=ann")),
        (403, ask(&open, "GET", "/logLevel")),
        (404, ask(&open, "GET", "/nothing/%3Cscript%3E")),
        (404, ask(&open, "GET", "/cluster/nothing")),
        (404, ask(&open, "GET", "/assets/nothing.js")),
        (405, ask(&open, "POST", "/metrics")),
        (413, (413, open.send(large.as_bytes()))),
        (403, open.ask("POST", REFRESH, "Origin: http://evil.example\r\n")),
        (400, open.ask("GET", INFO, "Host: localhost\r\n")),
        (401, ask(&closed, "GET", INFO)),
    ];
    for (expected, (_, answer)) in answers {
        let (status, headers) = (answer.split(' ').nth(1), headers(&answer));
        assert_eq!(status.and_then(|status| status.parse().ok()), Some(expected), "{answer}");
        let of = |name: &str| -> Vec<&str> {
            headers.iter().filter_map(|line| line.strip_prefix(name)?.strip_prefix(": ")).collect()
        };
        assert_eq!(of("cache-control"), ["no-store"], "{answer}");
        assert_eq!(of("x-content-type-options"), ["nosniff"], "{answer}");
        let [policy] = of("content-security-policy")[..] else { panic!("one policy: {answer}") };
        let forms = if answer.contains("<form>") { "form-action 'self'" } else { "form-action 'none'" };
        assert!(policy.starts_with("default-src 'none'") && policy.contains(forms), "{answer}");
        assert!(policy.contains("frame-ancestors 'none'"), "{answer}");
    }
    // A page says for itself what it does, and is asked for anew.
    let (_, page) = open.ask("GET", "/cluster", "");
    let found = headers(&page);
    assert!(found.iter().any(|line| line == "cache-control: no-cache"), "{page}");
    assert!(
        found.iter().any(|line| line.starts_with("content-security-policy: ") && line.contains("script-src 'self'"))
    );
}

#[test]
fn a_connection_too_many_is_told_so() {
    let limits = Limits { connections: 2, ..Limits::default() };
    let served = Served::start("127.0.0.1:0", Access::default(), limits);
    let open = || {
        let mut stream = served.connect();
        stream.write_all(format!("GET {INFO} HTTP/1.1\r\nHost: {}\r\n\r\n", served.at).as_bytes()).expect("sent");
        let mut first = [0; 12];
        stream.read_exact(&mut first).expect("an answer");
        assert_eq!(&first, b"HTTP/1.1 200");
        stream
    };
    let (one, _two) = (open(), open());
    let (status, answer) = served.ask("GET", INFO, "");
    assert!(status == 503 && answer.contains("2 connections are open already"), "{answer}");
    assert!(answer.contains("retry-after: 5"), "{answer}");
    drop(one);
    // The server learns of it when it looks.
    let again = (0..200).any(|_| {
        std::thread::sleep(Duration::from_millis(20));
        served.ask("GET", INFO, "").0 == 200
    });
    assert!(again);
}

#[test]
fn heads_are_neither_large_nor_slow() {
    let limits = Limits { head_bytes: 8192, ..Limits::default() };
    let served = Served::start("127.0.0.1:0", Access::default(), limits);
    let head = |rest: &str| {
        served.send(
            format!("GET {INFO} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n{rest}\r\n\r\n", served.at).as_bytes(),
        )
    };
    let large = head(&format!("X-Large: {}", "x".repeat(10_000)));
    assert!(large.starts_with("HTTP/1.1 431"), "{large}");
    let many: Vec<String> = (0..200).map(|number| format!("X-{number}: 1")).collect();
    assert!(head(&many.join("\r\n")).starts_with("HTTP/1.1 431"));
    for broken in ["\0", "Name with blanks: 1", "X: \u{1}", ": nothing"] {
        let answer = head(broken);
        assert!(answer.starts_with("HTTP/1.1 400"), "{broken:?}: {answer}");
    }
    let path = served.send(format!("GET /{} HTTP/1.1\r\n\r\n", "x".repeat(100_000)).as_bytes());
    assert!(path.is_empty() || path.starts_with("HTTP/1.1 4"), "{path}");
    // Two lengths, and a length with chunks: what one of two servers in a row takes for another request.
    for smuggled in ["Content-Length: 5\r\nContent-Length: 6", "Content-Length: 1e1"] {
        let answer = head(smuggled);
        assert!(answer.starts_with("HTTP/1.1 400"), "{smuggled:?}: {answer}");
    }
    assert!(head("X-Small: 1").starts_with("HTTP/1.1 200"));
    // The connection ends, though nobody has said a whole line.
    let limits = Limits { head_time: Duration::from_millis(200), ..Limits::default() };
    let hasty = Served::start("127.0.0.1:0", Access::default(), limits);
    assert!(!hasty.send(b"GET / HT").starts_with("HTTP/1.1 200"));
}
