//! Files that are written whole or not at all: beside their place under another name, and renamed when all of them are
//! there.
//!
//! A full disk, a signal or a panic leaves what was there before. What is no regular file, such as `/dev/stdout` or a
//! pipe, is written to as it is.

use std::collections::BTreeSet;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

use tempfile::TempPath;

/// What a program that ends at once has to remove.
static UNFINISHED: Mutex<Unfinished> = Mutex::new(Unfinished { files: BTreeSet::new(), made: BTreeSet::new() });

/// To begin a file takes far less than these tries together.
const TRIES: usize = 50;
const BETWEEN_TRIES: Duration = Duration::from_millis(10);

/// Of this whole program.
struct Unfinished {
    /// Files under other names.
    files: BTreeSet<PathBuf>,
    /// Directories that were made for them.
    made: BTreeSet<PathBuf>,
}

impl Unfinished {
    /// A directory that somebody has filled meanwhile, and one that was there before, stays.
    fn remove(&mut self) {
        for path in std::mem::take(&mut self.files) {
            let _ = std::fs::remove_file(path);
        }
        self.remove_empty();
    }

    /// What was made for files that are all gone, whosever they were: the last of them takes the directory with it.
    fn remove_empty(&mut self) {
        // Those within others stand behind them.
        let made: Vec<PathBuf> = self.made.iter().rev().cloned().collect();
        for directory in made {
            if std::fs::remove_dir(&directory).is_ok() {
                self.made.remove(&directory);
            }
        }
    }
}

fn unfinished() -> MutexGuard<'static, Unfinished> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes the drafts of this program, when it ends without waiting for those who write them. Whoever hangs while a
/// file is begun, as on a dead mount, holds up no end: then they stay.
pub fn remove_unfinished() {
    for _ in 0..TRIES {
        match UNFINISHED.try_lock() {
            Ok(mut known) => return known.remove(),
            Err(TryLockError::Poisoned(known)) => return known.into_inner().remove(),
            Err(TryLockError::WouldBlock) => std::thread::sleep(BETWEEN_TRIES),
        }
    }
}

/// Files that get their names together, or are removed together.
#[derive(Debug, Default)]
pub struct Drafts {
    files: Vec<Draft>,
    /// Directories that were made for them, the outer ones first.
    made: Vec<PathBuf>,
}

#[derive(Debug)]
struct Draft {
    meanwhile: TempPath,
    name: PathBuf,
}

impl Drafts {
    /// Begins a file, and the directories that it needs.
    ///
    /// # Errors
    /// What the file system says.
    pub fn create(&mut self, path: &Path) -> io::Result<File> {
        // A link stays, and what it leads to is replaced.
        let name = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let before = match std::fs::metadata(&name) {
            Ok(before) if before.is_dir() => return Err(io::Error::from(io::ErrorKind::IsADirectory)),
            Ok(before) if !before.is_file() => return OpenOptions::new().write(true).open(&name),
            Ok(before) => Some(before.permissions()),
            Err(_) => None,
        };
        let directory = name.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        // Held until the file is there: a directory that was made for it is never seen empty by whoever removes others.
        let mut known = unfinished();
        self.make(directory, &mut known)?;
        let mut builder = tempfile::Builder::new();
        builder.prefix(".evenweave-").suffix(".tmp");
        // As of a file that is made anew; a secret one is only for secrets.
        #[cfg(unix)]
        let anew = <std::fs::Permissions as std::os::unix::fs::PermissionsExt>::from_mode(0o666);
        #[cfg(unix)]
        builder.permissions(anew);
        let (file, meanwhile) = builder.tempfile_in(directory)?.into_parts();
        known.files.insert(meanwhile.to_path_buf());
        drop(known);
        self.files.push(Draft { meanwhile, name });
        if let Some(before) = before {
            file.set_permissions(before)?;
        }
        Ok(file)
    }

    fn make(&mut self, directory: &Path, known: &mut Unfinished) -> io::Result<()> {
        let missing: Vec<&Path> =
            directory.ancestors().take_while(|path| !path.as_os_str().is_empty() && !path.exists()).collect();
        for path in missing.into_iter().rev() {
            match std::fs::create_dir(path) {
                Ok(()) => {
                    known.made.insert(path.to_owned());
                    self.made.push(path.to_owned());
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Writes a file under another name.
    ///
    /// # Errors
    /// What the file system says.
    pub fn put(&mut self, path: &Path, text: &str) -> io::Result<()> {
        self.create(path)?.write_all(text.as_bytes())
    }

    /// Takes others over, which then get their names with these.
    pub fn take(&mut self, mut others: Drafts) {
        self.files.append(&mut others.files);
        self.made.append(&mut others.made);
    }

    /// The files get their names.
    ///
    /// # Errors
    /// What the file system says; those that have no name by then are removed.
    pub fn keep(mut self) -> io::Result<()> {
        for Draft { meanwhile, name } in self.files.drain(..) {
            let path = meanwhile.to_path_buf();
            let renamed = meanwhile.persist(&name);
            unfinished().files.remove(&path);
            renamed?;
        }
        for directory in self.made.drain(..) {
            unfinished().made.remove(&directory);
        }
        Ok(())
    }
}

impl Drop for Drafts {
    fn drop(&mut self) {
        let mut known = unfinished();
        for Draft { meanwhile, .. } in self.files.drain(..) {
            known.files.remove(&*meanwhile);
            drop(meanwhile);
        }
        known.remove_empty();
    }
}

/// Writes one file whole or not at all.
///
/// # Errors
/// What the file system says.
pub fn write_whole(path: &Path, text: &str) -> io::Result<()> {
    let mut drafts = Drafts::default();
    drafts.put(path, text)?;
    drafts.keep()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_there_together_or_not_at_all() {
        let base = std::env::temp_dir().join(format!("evenweave-drafts-{}", std::process::id()));
        let [first, second] = ["a/b/first", "a/second"].map(|name| base.join(name));
        let begun = || {
            let mut drafts = Drafts::default();
            drafts.put(&first, "new").unwrap();
            drafts.put(&second, "new").unwrap();
            drafts
        };
        drop(begun());
        assert!(!base.exists());
        // The first has made the directories, and the last to go removes them.
        let two = [begun(), begun()];
        two.into_iter().for_each(drop);
        assert!(!base.exists());
        begun().keep().unwrap();
        std::fs::write(&first, "old").unwrap();
        drop(begun());
        assert_eq!(std::fs::read_to_string(&first).unwrap(), "old");
        begun().keep().unwrap();
        assert_eq!(std::fs::read_to_string(&first).unwrap(), "new");
        assert_eq!(std::fs::read_dir(base.join("a/b")).unwrap().count(), 1);
        let directory = Drafts::default().put(&base.join("a"), "new").unwrap_err();
        assert_eq!(directory.kind(), io::ErrorKind::IsADirectory);
        std::fs::remove_dir_all(&base).unwrap();
    }

    #[test]
    fn whoever_ends_at_once_removes_what_was_made_and_nothing_else() {
        let base = std::env::temp_dir().join(format!("evenweave-drafts-end-{}", std::process::id()));
        let [before, made] = ["before", "made/within"].map(|name| base.join(name));
        std::fs::create_dir_all(&before).unwrap();
        let files = BTreeSet::from([before.join("draft"), made.join("draft")]);
        std::fs::create_dir_all(&made).unwrap();
        files.iter().for_each(|file| std::fs::write(file, "new").unwrap());
        Unfinished { files, made: BTreeSet::from([made.clone(), base.join("made")]) }.remove();
        assert!(before.is_dir() && !base.join("made").exists());
        assert_eq!(std::fs::read_dir(&before).unwrap().count(), 0);
        let mut drafts = Drafts::default();
        drafts.put(&made.join("file"), "new").unwrap();
        let known = || unfinished().made.range(base.clone()..).filter(|path| path.starts_with(&base)).count();
        assert_eq!(known(), 2);
        drafts.keep().unwrap();
        assert_eq!(known(), 0);
        std::fs::remove_dir_all(&base).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn links_modes_and_devices_stay() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let base = std::env::temp_dir().join(format!("evenweave-drafts-unix-{}", std::process::id()));
        std::fs::create_dir_all(&base).unwrap();
        let [file, link] = ["file", "link"].map(|name| base.join(name));
        std::fs::write(&file, "old").unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o640)).unwrap();
        symlink(&file, &link).unwrap();
        write_whole(&link, "new").unwrap();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "new");
        assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
        assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
        write_whole(Path::new("/dev/null"), "new").unwrap();
        assert!(!std::fs::metadata("/dev/null").unwrap().is_file());
        std::fs::remove_dir_all(&base).unwrap();
    }
}
