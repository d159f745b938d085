//! Every package that the workspace is built of takes the oldest compiler that `Cargo.toml` promises. That our own code
//! does is clippy's `incompatible_msrv`; `.ci/msrv.sh` builds with that compiler where it can be had.

#![expect(clippy::unwrap_used, reason = "a test's helpers")]

use serde_json::Value;
use std::process::Command;

#[test]
fn is_enough_for_every_package() {
    let told = |more: &[&str]| {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["metadata", "--format-version", "1", "--locked"]).args(more);
        cargo.current_dir(env!("CARGO_MANIFEST_DIR")).output().unwrap()
    };
    // Packages of other systems are nowhere on a machine that has built this one alone.
    let told = Some(told(&["--offline"])).filter(|told| told.status.success()).unwrap_or_else(|| told(&[]));
    assert!(told.status.success(), "{}", String::from_utf8_lossy(&told.stderr));
    let metadata: Value = serde_json::from_slice(&told.stdout).unwrap();
    let promised = version(env!("CARGO_PKG_RUST_VERSION"));
    let packages = metadata["packages"].as_array().unwrap();
    assert!(packages.len() > 100, "{} packages", packages.len());
    let newer: Vec<String> = packages
        .iter()
        .filter(|package| package["rust_version"].as_str().is_some_and(|needs| version(needs) > promised))
        .map(|package| format!("{} {} needs {}", package["name"], package["version"], package["rust_version"]))
        .collect();
    assert!(newer.is_empty(), "rust-version of the workspace is {}: {newer:?}", env!("CARGO_PKG_RUST_VERSION"));
}

/// `1.88`, or `1.88.0`.
fn version(text: &str) -> (u32, u32, u32) {
    let mut parts = text.split('.').map(|part| part.parse().unwrap());
    (parts.next().unwrap(), parts.next().unwrap_or(0), parts.next().unwrap_or(0))
}
