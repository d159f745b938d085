//! A server over TLS: who connects sees its certificate, and hears nothing without it.

use std::fs;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use evenweave::{FairScheduler, Settings};
use evenweave_server::events::Ring;
use evenweave_server::records::AppRecord;
use evenweave_server::scheduler::{Basics, Steps};
use evenweave_server::{Cluster, Door, Limits, ResourceManager, Tls, serve};
use tempfile::TempDir;
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/tls").join(name)
}

/// The key, which its owner alone may use.
fn key(folder: &TempDir) -> PathBuf {
    let path = folder.path().join("server.key");
    fs::copy(data("server.key"), &path).expect("copied");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).expect("set");
    }
    path
}

/// A server while `asks` asks it.
fn served(limits: Limits, asks: impl FnOnce(SocketAddr)) {
    let folder = TempDir::new().expect("a folder");
    let tls = Tls::from_files(&data("server.pem"), &key(&folder)).expect("a certificate and its key");
    let settings = Settings::from_properties([]).expect("Hadoop's defaults");
    let basics = Basics::of_fair(&settings);
    let stepped = FairScheduler::builder().settings(settings).stepped().expect("a scheduler");
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let at = listener.local_addr().expect("an address");
    let manager = ResourceManager::new(Cluster::new(1, &at.to_string()), Arc::new(Steps::new(stepped, basics)));
    let manager = Arc::new(manager.over_https());
    manager.records().submitted(AppRecord::new(1, "ann", "root.a", 5).with_attempt(None));
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        // ORDERING: Relaxed, here and below. The flag carries no data.
        let ends = || over.load(Ordering::Relaxed);
        let door = Door { listener, tls: Some(tls) };
        scope.spawn(move || serve(&manager, &Arc::new(Ring::default()), door, limits, None, &ends).expect("served"));
        let asked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| asks(at)));
        over.store(true, Ordering::Relaxed);
        if let Err(why) = asked {
            std::panic::resume_unwind(why);
        }
    });
}

fn connect(at: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(at).expect("it listens");
    stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a time");
    stream
}

/// One who believes this authority, and asks a server of this name.
fn ask(at: SocketAddr, authority: &str, name: &'static str, request: &str) -> std::io::Result<String> {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(data(authority)).expect("a certificate")).expect("an authority");
    let config = ClientConfig::builder_with_provider(Arc::new(default_provider()));
    let config = config.with_safe_default_protocol_versions().expect("versions");
    let config = Arc::new(config.with_root_certificates(roots).with_no_client_auth());
    let client = ClientConnection::new(config, ServerName::try_from(name).expect("a name")).expect("a client");
    let mut stream = StreamOwned::new(client, connect(at));
    stream.write_all(request.as_bytes())?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer)?;
    Ok(String::from_utf8_lossy(&answer).into_owned())
}

#[test]
fn a_server_shows_its_certificate_and_answers_by_https_alone() {
    served(Limits::default(), |at| {
        let request = |method: &str, path: &str, more: &str| {
            format!("{method} {path} HTTP/1.1\r\nHost: {at}\r\nConnection: close\r\n{more}\r\n")
        };
        let info = request("GET", "/ws/v1/cluster/info", "");
        for name in ["localhost", "127.0.0.1"] {
            let answer = ask(at, "ca.pem", name, &info).expect("an answer");
            assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        }
        let unknown = ask(at, "ca.pem", "rm.example", &info).unwrap_err();
        assert!(unknown.to_string().contains("certificate"), "{unknown}");
        // Where links lead, and whose pages may write.
        let app = ask(at, "ca.pem", "localhost", &request("GET", "/ws/v1/cluster/apps/application_1_0001", ""));
        let url = format!("\"trackingUrl\":\"https://{at}/");
        assert!(app.as_ref().is_ok_and(|app| !app.contains("http://") || app.contains(&url)), "{app:?}");
        let kill = |origin: String| {
            let body = r#"{"state":"KILLED"}"#;
            let more =
                format!("Origin: {origin}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n", body.len());
            let request = request("PUT", "/ws/v1/cluster/apps/application_1_0001/state", &more) + body;
            ask(at, "ca.pem", "localhost", &request).expect("an answer")
        };
        let (other, own) = (kill(format!("http://{at}")), kill(format!("https://{at}")));
        assert!(other.starts_with("HTTP/1.1 403") && other.contains("another site"), "{other}");
        let location = format!("location: https://{at}/ws/v1/cluster/apps/application_1_0001/state");
        assert!(own.starts_with("HTTP/1.1 202") && own.contains(&location), "{own}");
        // Who does not speak TLS hears nothing of the cluster.
        let (mut plain, mut answer) = (connect(at), Vec::new());
        plain.write_all(info.as_bytes()).expect("sent");
        let _ = plain.read_to_end(&mut answer);
        assert!(!String::from_utf8_lossy(&answer).contains("HTTP/1"), "{answer:?}");
    });
}

#[test]
fn who_does_not_begin_to_speak_loses_his_place() {
    let limits = Limits { connections: 1, head_time: Duration::from_millis(200), ..Limits::default() };
    served(limits, |at| {
        let (mut silent, mut answer) = (connect(at), Vec::new());
        let _ = silent.read_to_end(&mut answer);
        assert!(answer.is_empty(), "{answer:?}");
    });
}

#[test]
fn files_that_are_no_certificate_and_key_are_told() {
    let folder = TempDir::new().expect("a folder");
    let (key, empty) = (key(&folder), folder.path().join("empty"));
    fs::write(&empty, "nothing\n").expect("written");
    for (certificate, private, why) in [
        (data("none.pem"), key.clone(), "none.pem: "),
        (folder.path().to_owned(), key.clone(), "it is not a regular file"),
        // What is no file needs no other mode.
        (data("server.pem"), folder.path().to_owned(), "it is not a regular file"),
        (empty.clone(), key.clone(), "empty: there is no certificate in it"),
        (key.clone(), key.clone(), "server.key: there is no certificate in it"),
        (data("ca.pem"), key.clone(), "cannot be a server's certificate and its key"),
        (data("server.pem"), data("none.key"), "none.key: "),
    ] {
        let found = Tls::from_files(&certificate, &private).unwrap_err();
        assert!(found.contains(why), "{found}");
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(&empty, fs::Permissions::from_mode(0o600)).expect("set");
        let found = Tls::from_files(&data("server.pem"), &empty).unwrap_err();
        assert!(found.contains("empty: there is no private key in it"), "{found}");
        fs::set_permissions(&key, fs::Permissions::from_mode(0o604)).expect("set");
        let found = Tls::from_files(&data("server.pem"), &key).unwrap_err();
        assert!(found.contains("everybody may use this key") && found.contains("chmod 600"), "{found}");
    }
}
