//! Tells the program of which commit it is made, when that commit was made, by which compiler, and for which machine.
//!
//! The commit comes from git, if this is a checkout of the project, else from the file that cargo adds to a package. A
//! debug build has none: cargo would build this crate and its tests again after each commit.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

const DIGITS: usize = 10;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=SOURCE_DATE_EPOCH");
    let variable = |name: &str| env::var(name).ok();
    let here = PathBuf::from(variable("CARGO_MANIFEST_DIR").unwrap_or_default());
    let profile = variable("PROFILE").unwrap_or_default();
    let (commit, seconds) = if profile == "debug" { (None, None) } else { found(&here) };
    let date = source_date().or(seconds).map(date);
    let version = variable("CARGO_PKG_VERSION").unwrap_or_default();
    let short = match (&commit, &date, profile.as_str()) {
        (Some(commit), Some(date), _) => format!("{version} ({} {date})", beginning(commit)),
        (Some(commit), None, _) => format!("{version} ({})", beginning(commit)),
        (None, _, "debug") => format!("{version} (debug build)"),
        (None, ..) => format!("{version} (commit unknown)"),
    };
    let unknown = || "unknown".to_owned();
    let rustc = variable("RUSTC").and_then(|rustc| said(Command::new(rustc).arg("--version")));
    for (name, value) in [
        ("VERSION", short),
        ("COMMIT", commit.unwrap_or_else(unknown)),
        ("COMMIT_DATE", date.unwrap_or_else(unknown)),
        ("RUSTC", rustc.unwrap_or_else(unknown)),
        ("TARGET", variable("TARGET").unwrap_or_else(unknown)),
        ("PROFILE", profile),
    ] {
        println!("cargo::rustc-env=EVENWEAVE_{name}={value}");
    }
}

/// The first digits of a commit.
fn beginning(commit: &str) -> &str {
    commit.get(..DIGITS).unwrap_or(commit)
}

/// The commit, and its time in seconds since 1970.
fn found(here: &Path) -> (Option<String>, Option<i64>) {
    match of_git(here) {
        Some((commit, seconds)) => (Some(commit), Some(seconds)),
        None => (of_package(here), None),
    }
}

/// Of a checkout of the project: this crate may also lie in somebody else's repository.
fn of_git(here: &Path) -> Option<(String, i64)> {
    let git = |words: &[&str]| said(Command::new("git").arg("-C").arg(here).args(words));
    let top = Path::new(&git(&["rev-parse", "--show-toplevel"])?).canonicalize().ok()?;
    if top != here.parent()?.canonicalize().ok()? {
        return None;
    }
    let said = git(&["-c", "log.showSignature=false", "show", "--no-patch", "--format=%H %ct", "HEAD"])?;
    let (commit, seconds) = said.split_once(' ')?;
    // What changes with the commit: HEAD with the branch, else the branch's file. Of a branch without a file of its own,
    // the list of such branches, and the directory where the file comes to lie. A file that is not there would make
    // cargo run this each time.
    let path = |name: &str| git(&["rev-parse", "--git-path", name]).map(|path| here.join(path));
    let branch = git(&["symbolic-ref", "--quiet", "HEAD"]).and_then(|branch| path(&branch));
    let branch = branch.and_then(|branch| branch.ancestors().find(|path| path.exists()).map(Path::to_owned));
    for path in [path("HEAD"), path("packed-refs"), branch].into_iter().flatten().filter(|path| path.exists()) {
        println!("cargo::rerun-if-changed={}", path.display());
    }
    Some((commit.to_owned(), seconds.parse().ok()?))
}

/// Of a package: cargo writes the commit into it.
fn of_package(here: &Path) -> Option<String> {
    let text = std::fs::read_to_string(here.join(".cargo_vcs_info.json")).ok()?;
    let commit = text.split("\"sha1\"").nth(1)?.split('"').nth(1)?;
    commit.bytes().all(|digit| digit.is_ascii_hexdigit()).then(|| commit.to_owned())
}

/// What builds that are to be the same each time give in place of a time of their own.
fn source_date() -> Option<i64> {
    let text = env::var("SOURCE_DATE_EPOCH").ok()?;
    let seconds = text.trim().parse().ok();
    if seconds.is_none() {
        println!("cargo::warning=SOURCE_DATE_EPOCH is no number of seconds: {text:?}");
    }
    seconds
}

/// The first line that a command says, if it does its work.
fn said(command: &mut Command) -> Option<String> {
    let output = command.output().ok().filter(|output| output.status.success())?;
    let text = String::from_utf8(output.stdout).ok()?;
    text.lines().next().map(str::to_owned)
}

/// The day, as `2026-11-28`, in UTC. By Howard Hinnant's `civil_from_days`.
fn date(seconds: i64) -> String {
    let days = seconds.div_euclid(86_400) + 719_468;
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}
