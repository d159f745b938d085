//! `serve` over TLS, and `admin` that asks it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use super::Served;

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../server/tests/data/tls").join(name)
}

/// Exit code, standard output, standard error.
fn admin(rm: &str, ca: Option<&Path>, words: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_evenweave"));
    command.args(["admin", "--rm", rm]).env_remove("EVENWEAVE_TOKEN").env_remove("EVENWEAVE_CA");
    if let Some(ca) = ca {
        command.arg("--ca").arg(ca);
    }
    let output = command.args(words).output().expect("the program runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().expect("a code"), text(&output.stdout), text(&output.stderr))
}

#[test]
fn a_server_is_asked_by_https() {
    let folder = TempDir::new().expect("a folder");
    let (key, ca) = (folder.path().join("server.key"), data("ca.pem"));
    fs::copy(data("server.key"), &key).expect("copied");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(&key, fs::Permissions::from_mode(0o600)).expect("set");
    }
    let (certificate, key) = (data("server.pem").display().to_string(), key.display().to_string());
    let served = Served::start(&["--listen", "localhost:0", "--tls-cert", &certificate, "--tls-key", &key]);
    let rm = format!("https://{}", served.at);
    let (code, out, err) = admin(&rm, Some(&ca), &["node", "-list"]);
    assert!(code == 0 && out.starts_with("Total Nodes:40\n"), "{out}{err}");
    // A write.
    assert_eq!(admin(&rm, Some(&ca), &["rmadmin", "-refreshQueues"]), (0, String::new(), String::new()));
    // An authority that nobody has named, and no TLS at all.
    let (code, _, err) = admin(&rm, None, &["node", "-list"]);
    assert!(code == 1 && err.contains(&format!("answers at {rm}: ")) && err.contains("with --ca FILE"), "{err}");
    let (code, _, err) = admin(&served.at, None, &["node", "-list"]);
    assert!(code == 1 && err.contains("no ResourceManager answers at") && err.contains("--rm https://"), "{err}");
    // Files that are none.
    let (code, _, err) = admin(&rm, Some(Path::new(&key)), &["node", "-list"]);
    assert!(code == 1 && err.contains("there is no certificate in it"), "{err}");
    let (code, _, err) = admin(&served.at, Some(&ca), &["node", "-list"]);
    assert!(code == 1 && err.contains("begins with https://"), "{err}");
    let program = Command::new(env!("CARGO_BIN_EXE_evenweave"))
        .args(["serve", "--listen", "127.0.0.1:0", "--tls-cert", &key, "--tls-key", &key])
        .output()
        .expect("the program runs");
    let said = String::from_utf8_lossy(&program.stderr);
    assert!(program.status.code() == Some(2) && said.contains("there is no certificate in it"), "{said}");
}
