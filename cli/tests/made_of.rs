//! What `build.rs` finds out, in a checkout, in a package, without git, and in somebody else's repository.

#![expect(clippy::unwrap_used, reason = "a test's helpers")]

use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

/// The 28th of November 2026, in UTC; where the committer is it is the 29th.
const COMMITTED: &str = "1795899600 +0500";

struct Stage {
    scratch: TempDir,
    script: PathBuf,
}

impl Stage {
    /// The script, made into a program.
    fn new() -> Stage {
        let scratch = TempDir::new().unwrap();
        let script = scratch.path().join("script");
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("build.rs");
        let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
        let made = Command::new(rustc).args(["--edition", "2024", "-o"]).arg(&script).arg(source).status().unwrap();
        assert!(made.success());
        Stage { scratch, script }
    }

    /// A directory of the crate, in one of the project.
    fn project(&self, name: &str) -> PathBuf {
        let here = self.scratch.path().join(name).join("cli");
        std::fs::create_dir_all(&here).unwrap();
        std::fs::write(here.join("Cargo.toml"), "").unwrap();
        here
    }

    fn said(&self, here: &Path, more: &[(&str, &str)]) -> String {
        let mut command = Command::new(&self.script);
        command.env_clear().env("PATH", std::env::var_os("PATH").unwrap()).env("CARGO_MANIFEST_DIR", here);
        // Directories above are no repositories of this test.
        command.env("GIT_CEILING_DIRECTORIES", self.scratch.path());
        command.envs([("CARGO_PKG_VERSION", "1.2.3"), ("PROFILE", "release"), ("TARGET", "a-machine")]);
        let output = command.envs(more.iter().copied()).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    }
}

fn git(at: &Path, words: &[&str]) -> String {
    let identity =
        ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false", "-c", "init.defaultBranch=main"];
    let mut command = Command::new("git");
    command.current_dir(at).args(identity).args(words).env("GIT_COMMITTER_DATE", COMMITTED);
    let output = command.output().unwrap();
    assert!(output.status.success(), "git {words:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// The repository at the top of the project, with a commit; that commit.
fn commit(here: &Path) -> String {
    let top = here.parent().unwrap();
    git(top, &["init", "--quiet"]);
    git(top, &["add", "."]);
    git(top, &["commit", "--quiet", "--allow-empty", "-m", "one"]);
    git(top, &["rev-parse", "HEAD"])
}

fn has_git() -> bool {
    let there = Command::new("git").arg("--version").output().is_ok();
    if !there {
        eprintln!("git is not installed");
    }
    there
}

#[test]
fn a_checkout_knows_its_commit_and_what_changes_with_it() {
    if !has_git() {
        return;
    }
    let stage = Stage::new();
    let here = stage.project("checkout");
    let whole = commit(&here);
    let short = format!("cargo::rustc-env=EVENWEAVE_VERSION=1.2.3 ({} 2026-11-28)\n", &whole[..10]);
    let watched = |said: &str| -> Vec<String> {
        let watched = said.lines().filter_map(|line| line.strip_prefix("cargo::rerun-if-changed="));
        let watched: Vec<String> = watched.filter(|path| *path != "build.rs").map(str::to_owned).collect();
        // Of a file that is not there cargo says each time that it has changed.
        assert!(watched.iter().all(|path| Path::new(path).exists()), "{watched:?}");
        watched.iter().map(|path| path.rsplit_once(".git/").unwrap().1.to_owned()).collect()
    };
    let said = stage.said(&here, &[]);
    assert!(said.contains(&short) && said.contains(&format!("EVENWEAVE_COMMIT={whole}\n")), "{said}");
    assert!(
        said.contains("EVENWEAVE_COMMIT_DATE=2026-11-28\n") && said.contains("EVENWEAVE_TARGET=a-machine\n"),
        "{said}"
    );
    assert_eq!(watched(&said), ["HEAD", "refs/heads/main"]);
    // A branch without a file of its own gets one with the next commit.
    git(&here, &["checkout", "--quiet", "-b", "of/mine"]);
    git(&here, &["pack-refs", "--all"]);
    let said = stage.said(&here, &[]);
    assert!(said.contains(&short), "{said}");
    assert_eq!(watched(&said), ["HEAD", "packed-refs", "refs/heads"]);
    git(&here, &["checkout", "--quiet", "--detach"]);
    let said = stage.said(&here, &[]);
    assert!(said.contains(&short), "{said}");
    assert_eq!(watched(&said), ["HEAD", "packed-refs"]);
    // A debug build does not look, so that a commit changes nothing of it.
    let said = stage.said(&here, &[("PROFILE", "debug")]);
    assert!(said.contains("EVENWEAVE_VERSION=1.2.3 (debug build)\n") && watched(&said).is_empty(), "{said}");
}

#[test]
fn the_date_is_the_one_that_is_given() {
    let stage = Stage::new();
    let here = stage.project("dated");
    if has_git() {
        commit(&here);
    }
    for (seconds, date) in [
        ("0", "1970-01-01"),
        ("951782400", "2000-02-29"),
        ("1709251199", "2024-02-29"),
        ("1709251200", "2024-03-01"),
        ("4107542399", "2100-02-28"),
        ("4107542400", "2100-03-01"),
        ("-1", "1969-12-31"),
    ] {
        let said = stage.said(&here, &[("SOURCE_DATE_EPOCH", seconds)]);
        assert!(said.contains(&format!("EVENWEAVE_COMMIT_DATE={date}\n")), "{seconds}: {said}");
    }
    let said = stage.said(&here, &[("SOURCE_DATE_EPOCH", "yesterday")]);
    assert!(said.contains("cargo::warning=SOURCE_DATE_EPOCH is no number of seconds: \"yesterday\"\n"), "{said}");
    assert!(said.contains("cargo::rerun-if-env-changed=SOURCE_DATE_EPOCH\n"), "{said}");
}

#[test]
fn a_package_knows_what_cargo_has_written_and_no_more() {
    let stage = Stage::new();
    let here = stage.project("package");
    let unknown = "EVENWEAVE_VERSION=1.2.3 (commit unknown)\n";
    assert!(stage.said(&here, &[]).contains(unknown));
    // Without git, too.
    assert!(stage.said(&here, &[("PATH", "")]).contains(unknown));
    let whole = "0123456789abcdef0123456789abcdef01234567";
    let written = |commit: &str| {
        let text = format!("{{\n  \"git\": {{\n    \"sha1\": \"{commit}\"\n  }},\n  \"path_in_vcs\": \"cli\"\n}}");
        std::fs::write(here.join(".cargo_vcs_info.json"), text).unwrap();
        stage.said(&here, &[])
    };
    assert!(written(whole).contains("EVENWEAVE_VERSION=1.2.3 (0123456789)\n"));
    assert!(written("x\ncargo::rustc-env=A=b").contains(unknown));
    if !has_git() {
        return;
    }
    // Unpacked in a repository that is not the project's.
    std::fs::remove_file(here.join(".cargo_vcs_info.json")).unwrap();
    let top = here.parent().unwrap();
    git(top.parent().unwrap(), &["init", "--quiet"]);
    let said = stage.said(&here, &[("GIT_CEILING_DIRECTORIES", "")]);
    assert!(said.contains(unknown), "{said}");
}
