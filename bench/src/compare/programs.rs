//! The programs that are run: this one, and the peers', which are built here from their sources when they are needed.

use std::ffi::OsStr;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

use evenweave_tools::Failure;

use super::child::last_lines;
use super::settings::Setting;
use super::sides::Program;

/// The heap of Hadoop's process: enough for the largest size, and no growing meanwhile.
const JVM: [&str; 2] = ["-Xms3g", "-Xmx8g"];

/// Where they are.
pub(super) struct Programs {
    ours: PathBuf,
    peers: PathBuf,
}

impl Programs {
    /// This side's program, and the peers' in the directory that is given, or where the sources are.
    ///
    /// # Errors
    /// When the sources of the peers' programs are not found.
    pub(super) fn new(ours: PathBuf, peers: Option<&Path>) -> Result<Programs, Failure> {
        Ok(Programs { ours, peers: sources(peers)? })
    }

    /// Builds the program unless it is newer than all its sources.
    ///
    /// # Errors
    /// What is missing, or why it cannot be built.
    pub(super) fn prepare(&self, program: Program) -> Result<(), String> {
        match program {
            Program::Evenweave => Ok(()),
            Program::Hadoop => {
                tool("java", "-version", "a JDK 17")?;
                let hadoop = self.peers.join("hadoop");
                if stale(&self.jar(), &hadoop) {
                    build("mvn", &["-q", "-B", "package"], &hadoop, "Maven 3.6 or later with a JDK 17")?;
                }
                built(&self.jar())
            }
            Program::Yunikorn => {
                let (yunikorn, made) = (self.peers.join("yunikorn"), self.yunikorn());
                if stale(&made, &yunikorn) {
                    build("go", &["build", "-o", "target/yunikorn-peer", "."], &yunikorn, "Go 1.25 or later")?;
                }
                built(&made)
            }
        }
    }

    fn jar(&self) -> PathBuf {
        self.peers.join("hadoop/target/hadoop-peer.jar")
    }

    fn yunikorn(&self) -> PathBuf {
        self.peers.join("yunikorn/target/yunikorn-peer")
    }

    /// The command that a setting is.
    pub(super) fn command(&self, setting: &Setting) -> Vec<std::ffi::OsString> {
        let mut command: Vec<std::ffi::OsString> = match setting.program {
            Program::Evenweave => vec![self.ours.clone().into()],
            Program::Hadoop => {
                let mut java = vec!["java".into()];
                java.extend(JVM.map(Into::into));
                java.extend(["-jar".into(), self.jar().into()]);
                java
            }
            Program::Yunikorn => vec![self.yunikorn().into()],
        };
        command.extend(setting.arguments.iter().map(Into::into));
        command
    }
}

/// The program of this side.
///
/// # Errors
/// When it is not there.
pub(super) fn ours(given: Option<&Path>) -> Result<PathBuf, Failure> {
    match given {
        // Without a directory it would be looked for on the PATH.
        Some(path) => std::path::absolute(path)
            .ok()
            .filter(|path| path.is_file())
            .ok_or_else(|| Failure::input(format!("--ours {}: there is no such program", path.display()))),
        None => std::env::current_exe()
            .map_err(|error| Failure::input(format!("this program does not find itself: {error}"))),
    }
}

/// The sources: as given, as they were when this was built, or below the current directory.
fn sources(given: Option<&Path>) -> Result<PathBuf, Failure> {
    let good = |path: &Path| path.join("hadoop/pom.xml").is_file() && path.join("yunikorn/go.mod").is_file();
    let found = match given {
        Some(path) if good(path) => Some(path.to_owned()),
        Some(path) => {
            let shown = path.display();
            let message = format!(
                "--peers {shown}: hadoop/pom.xml and yunikorn/go.mod are not there; bench/peers of the sources has them"
            );
            return Err(Failure::input(message));
        }
        None => [Path::new(env!("CARGO_MANIFEST_DIR")).join("peers"), PathBuf::from("bench/peers")]
            .into_iter()
            .find(|path| good(path)),
    };
    let absolute = found.and_then(|path| std::path::absolute(path).ok());
    absolute.ok_or_else(|| {
        Failure::input("bench/peers is not found: run this in the source tree, or say where it is with --peers DIR")
    })
}

/// Whether any source is newer than what was made of it.
fn stale(made: &Path, sources: &Path) -> bool {
    let changed = |path: &Path| std::fs::metadata(path).and_then(|data| data.modified()).ok();
    changed(made).is_none_or(|made| newest(sources).is_some_and(|source| source > made))
}

/// When a source was changed last. Built things lie in `target`.
fn newest(directory: &Path) -> Option<SystemTime> {
    let entries =
        std::fs::read_dir(directory).ok()?.flatten().filter(|entry| entry.file_name() != OsStr::new("target"));
    entries
        .filter_map(|entry| {
            let path = entry.path();
            if path.is_dir() { newest(&path) } else { entry.metadata().and_then(|data| data.modified()).ok() }
        })
        .max()
}

fn missing(tool: &str, wanted: &str) -> String {
    format!("{tool} is not on the PATH: install {wanted}")
}

fn tool(tool: &str, version: &str, wanted: &str) -> Result<(), String> {
    match Command::new(tool).arg(version).output() {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => Err(format!("{tool} {version} fails: {}; install {wanted}", last_lines(&output.stderr))),
        Err(error) if error.kind() == ErrorKind::NotFound => Err(missing(tool, wanted)),
        Err(error) => Err(format!("{tool}: {error}; install {wanted}")),
    }
}

fn build(tool: &str, arguments: &[&str], directory: &Path, wanted: &str) -> Result<(), String> {
    match Command::new(tool).args(arguments).current_dir(directory).output() {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => {
            // Maven says on standard output what is wrong, Go on the other.
            let said = [output.stdout, output.stderr].concat();
            let (line, shown) = (arguments.join(" "), directory.display());
            Err(format!(
                "`{tool} {line}` in {shown} fails; it needs {wanted} and the package registry:\n{}",
                last_lines(&said)
            ))
        }
        Err(error) if error.kind() == ErrorKind::NotFound => Err(missing(tool, wanted)),
        Err(error) => Err(format!("{tool}: {error}")),
    }
}

fn built(path: &Path) -> Result<(), String> {
    if path.is_file() { Ok(()) } else { Err(format!("the build has not made {}", path.display())) }
}
