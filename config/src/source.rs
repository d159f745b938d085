//! Where the allocation file comes from: the local file system, or a source that the embedder brings.
//!
//! Called by the allocation file's watcher alone: a thread of its own in the
//! threaded scheduler. Follows rules/configuration.md 7.1 and 7.2; Hadoop's `AllocationFileLoaderService`.

use super::allocation_file::{AllocationFile, AllocationFileError, Parsed, PlacementChange};
use super::file::open_file;
use evenweave_resource::ResourceTypes;
use std::fmt;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// Where an allocation file is read from, and read again when it has changed.
///
/// [`FileSource`] is a file of this machine. Bring your own for a file on HDFS, in a database, or in a test's memory:
///
/// ```
/// use evenweave::FairScheduler;
/// use evenweave::config::AllocationSource;
/// use std::io::{self, Read};
///
/// #[derive(Debug)]
/// struct Fixed(&'static str);
///
/// impl AllocationSource for Fixed {
///     fn name(&self) -> String {
///         "built in".to_owned()
///     }
///     fn modified_ms(&self) -> io::Result<Option<u64>> {
///         Ok(Some(1)) // never again
///     }
///     fn open(&self) -> io::Result<Box<dyn Read + '_>> {
///         Ok(Box::new(self.0.as_bytes()))
///     }
/// }
///
/// let source = Fixed("<allocations><queue name='a'/></allocations>");
/// let scheduler = FairScheduler::builder().watch(source).start()?;
/// assert_eq!(scheduler.queues()?[1].name, "root.a");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Calls come from one thread at a time, the watcher's. They may take their time: scheduling does not wait for them.
/// They must not wait for the scheduler (`refresh_file`, `quiesce`, `shutdown`).
pub trait AllocationSource: Send + Sync + fmt::Debug {
    /// What it is called in errors, warnings and events, such as a path.
    fn name(&self) -> String;

    /// When it was last changed, in milliseconds since 1970 as `Clock::wall_ms` of the core counts them;
    /// `None` or 0 where there is nothing or the time is not known, which is told of and looked at again.
    ///
    /// # Errors
    /// When it cannot be found out. That is told of and tried again.
    fn modified_ms(&self) -> io::Result<Option<u64>>;

    /// All of it, from its beginning. The reader stops at the largest size that it takes, so no limit is needed here.
    ///
    /// # Errors
    /// When it cannot be read.
    fn open(&self) -> io::Result<Box<dyn Read + '_>>;
}

/// A file of this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileSource {
    path: PathBuf,
}

impl FileSource {
    /// The file at `path`, whether or not it is there.
    #[must_use]
    pub fn new(path: impl Into<PathBuf>) -> FileSource {
        FileSource { path: path.into() }
    }

    /// Finds the file as Hadoop finds the one of `yarn.scheduler.fair.allocation.file`: an absolute path, with or
    /// without `file:` in front, names the file itself, there or not; a relative one is looked for in `directories`, in
    /// their order, which stand for Hadoop's class path. `None`: it is in none of them.
    ///
    /// ```
    /// use evenweave::config::FileSource;
    /// let found = FileSource::locate("file:///etc/hadoop/fair-scheduler.xml", &[]);
    /// assert_eq!(found, Ok(Some(FileSource::new("/etc/hadoop/fair-scheduler.xml"))));
    /// assert_eq!(FileSource::locate("fair-scheduler.xml", &[]), Ok(None));
    /// assert!(FileSource::locate("hdfs:///fair-scheduler.xml", &[]).is_err());
    /// ```
    ///
    /// # Errors
    /// Where Hadoop finds no path in the text, or one on a file system that this crate cannot read.
    pub fn locate(location: &str, directories: &[&Path]) -> Result<Option<FileSource>, LocateError> {
        let whole = || location.to_owned();
        let colon = location.find(':').filter(|colon| location.find('/').is_none_or(|slash| *colon < slash));
        let path = match colon.filter(|_| !Path::new(location).is_absolute()) {
            None => location,
            Some(colon) => {
                let (scheme, rest) = (location[..colon].to_lowercase(), &location[colon + 1..]);
                match scheme.as_str() {
                    "file" => match rest.strip_prefix("//") {
                        Some(after) if !after.starts_with('/') => return Err(LocateError::Host { location: whole() }),
                        Some(path) => path,
                        None if rest.starts_with('/') => rest,
                        None => return Err(LocateError::RelativeWithScheme { location: whole() }),
                    },
                    "hdfs" | "s3a" | "viewfs" => return Err(LocateError::Remote { location: whole(), scheme }),
                    _ => return Err(LocateError::Scheme { location: whole(), scheme }),
                }
            }
        };
        if path.is_empty() {
            return Err(LocateError::Empty);
        }
        if Path::new(path).is_absolute() {
            return Ok(Some(FileSource::new(path)));
        }
        Ok(directories.iter().map(|directory| directory.join(path)).find(|path| path.exists()).map(FileSource::new))
    }

    /// The path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl AllocationSource for FileSource {
    fn name(&self) -> String {
        self.path.display().to_string()
    }

    fn modified_ms(&self) -> io::Result<Option<u64>> {
        let modified = match std::fs::metadata(&self.path) {
            Ok(metadata) => metadata.modified()?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        // Before 1970: as unknown as 0.
        Ok(modified.duration_since(UNIX_EPOCH).ok().map(|since| u64::try_from(since.as_millis()).unwrap_or(u64::MAX)))
    }

    fn open(&self) -> io::Result<Box<dyn Read + '_>> {
        Ok(Box::new(open_file(&self.path)?))
    }
}

/// Why the place of an allocation file names no file that can be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LocateError {
    /// Nothing stands there.
    #[error("the location of the allocation file is empty; write a path, such as fair-scheduler.xml")]
    Empty,
    /// On a file system that Hadoop takes and this crate does not read.
    #[error(
        "{location}: allocation files on {scheme} are not read by the scheduler itself; give the builder an \
         AllocationSource that reads it, or put the file on a local disk"
    )]
    Remote {
        /// The text.
        location: String,
        /// The file system.
        scheme: String,
    },
    /// On a file system that Hadoop does not take either.
    #[error("{location}: {scheme:?} is not a file system for allocation files; write an absolute path, or file:///...")]
    Scheme {
        /// The text.
        location: String,
        /// What stands before the colon.
        scheme: String,
    },
    /// `file:` and a relative path.
    #[error("{location}: after file: the path must be absolute; write file:///..., or the relative path alone")]
    RelativeWithScheme {
        /// The text.
        location: String,
    },
    /// `file://` and a host.
    #[error("{location}: file://HOST/ names another machine; write file:/// and the path")]
    Host {
        /// The text.
        location: String,
    },
}

/// Why an allocation file is not in force.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AllocationsError {
    /// A relative place, and none of the directories has the file. As in Hadoop there is no file then, for good.
    #[error("{location}: not found in {}; there is no allocation file then", list(.directories))]
    NotFound {
        /// The file's place.
        location: String,
        /// Where it was looked for.
        directories: Vec<PathBuf>,
    },
    /// It is gone, or nobody knows when it was changed.
    #[error("{name}: there is no such file, or its time of change is not known; what was in force stays")]
    Missing {
        /// The source's name.
        name: String,
    },
    /// It cannot be read.
    #[error("{name}: cannot be read: {problem}")]
    Unreadable {
        /// The source's name.
        name: String,
        /// What the system says.
        problem: String,
    },
    /// It is larger than the builder allows.
    #[error(
        "{name}: larger than {limit} bytes, the most that is read; `largest_allocation_file` of the builder allows more"
    )]
    TooLarge {
        /// The source's name.
        name: String,
        /// Bytes.
        limit: u64,
    },
    /// It names a policy that the scheduler was not given.
    #[error("the allocation file names the scheduling policy {policy:?}, which was not given to the builder")]
    UnknownPolicy {
        /// The policy.
        policy: String,
    },
    /// It was read with other resource types than the scheduler has.
    #[error(
        "the allocation file was read with other resource types than the scheduler's; read it with `Settings::types`"
    )]
    OtherTypes,
    /// It was made by a program, and gives an amount of a resource type that the scheduler lacks.
    #[error("queue {queue:?} has an amount of an unknown resource type: the scheduler has {types} types")]
    UnknownType {
        /// The queue, or the element.
        queue: String,
        /// How many types there are.
        types: usize,
    },
    /// It was made by a program, and a queue's name cannot be.
    #[error("{queue:?} is not a valid queue name: {why}")]
    BadQueueName {
        /// The name, or the beginning of a long one.
        queue: String,
        /// What would be right.
        why: &'static str,
    },
    /// It was made by a program, and has a value that cannot be meant.
    #[error("{}{element} is {value}: write {right}", owner(.queue))]
    BadValue {
        /// The queue; empty of what is the whole file's.
        queue: String,
        /// The element.
        element: &'static str,
        /// Its value.
        value: String,
        /// What would be right.
        right: &'static str,
    },
    /// It is no allocation file.
    #[error(transparent)]
    Invalid(#[from] Box<AllocationFileError>),
}

/// As its text: what else is in it is for programs that have it.
#[cfg(feature = "serde")]
impl serde::Serialize for AllocationsError {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

fn owner(queue: &str) -> String {
    if queue.is_empty() { String::new() } else { format!("queue {queue:?}: ") }
}

fn list(directories: &[PathBuf]) -> String {
    let names: Vec<_> = directories.iter().map(|directory| directory.display().to_string()).collect();
    if names.is_empty() { "any directory, as none was given".to_owned() } else { names.join(", ") }
}

impl AllocationsError {
    /// The change of placement rules that the file makes although it is refused; see
    /// [`AllocationFileError::installed_placement`].
    #[must_use]
    pub fn installed_placement(&self) -> Option<&PlacementChange> {
        match self {
            AllocationsError::Invalid(error) => error.installed_placement(),
            AllocationsError::NotFound { .. }
            | AllocationsError::Missing { .. }
            | AllocationsError::Unreadable { .. }
            | AllocationsError::TooLarge { .. }
            | AllocationsError::UnknownPolicy { .. }
            | AllocationsError::OtherTypes
            | AllocationsError::UnknownType { .. }
            | AllocationsError::BadQueueName { .. }
            | AllocationsError::BadValue { .. } => None,
        }
    }
}

/// Turns what a source has, or a text, into a file.
#[derive(Clone, Debug)]
#[doc(hidden)]
pub struct Reader {
    pub types: ResourceTypes,
    pub custom_policies: Vec<String>,
    /// The most bytes that are read.
    pub limit: u64,
}

impl Reader {
    /// Reads it whole, up to the limit, and parses it.
    #[doc(hidden)]
    pub fn read(&self, source: &dyn AllocationSource) -> Result<Parsed, AllocationsError> {
        let name = source.name();
        let mut bytes = Vec::new();
        let read = source.open().and_then(|all| all.take(self.limit.saturating_add(1)).read_to_end(&mut bytes));
        match read {
            Err(error) => return Err(AllocationsError::Unreadable { name, problem: error.to_string() }),
            Ok(_) if bytes.len() as u64 > self.limit => {
                return Err(AllocationsError::TooLarge { name, limit: self.limit });
            }
            Ok(_) => {}
        }
        let text = AllocationFile::decode(&bytes, &name).map_err(Box::new)?;
        drop(bytes);
        self.parse(&text, &name)
    }

    #[doc(hidden)]
    pub fn parse(&self, text: &str, name: &str) -> Result<Parsed, AllocationsError> {
        Ok(AllocationFile::parse(text, name, &self.types, &self.custom_policies).map_err(Box::new)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_read_as_hadoop_reads_them() {
        let at = |location: &str| FileSource::locate(location, &[]).map(|found| found.map(|found| found.name()));
        let path = Ok(Some("/etc/a b:c.xml".to_owned()));
        for same in ["/etc/a b:c.xml", "file:/etc/a b:c.xml", "FILE:///etc/a b:c.xml"] {
            assert_eq!(at(same), path, "{same}");
        }
        assert_eq!(at("conf/fair-scheduler.xml"), Ok(None));
        let kinds = [
            ("", "empty"),
            ("file:", "absolute"),
            ("file:fair.xml", "absolute"),
            ("file://host/fair.xml", "HOST"),
            ("s3a://bucket/fair.xml", "AllocationSource"),
            ("VIEWFS:/fair.xml", "AllocationSource"),
            ("http://host/fair.xml", "not a file system"),
            ("a:b", "not a file system"),
        ];
        for (wrong, says) in kinds {
            let error = at(wrong).unwrap_err().to_string();
            assert!(error.contains(says), "{wrong}: {error}");
        }
    }

    #[test]
    fn a_relative_place_is_looked_for_in_order() {
        let top = std::env::temp_dir().join(format!("evenweave-locate-{}", std::process::id()));
        let [first, second] = ["first", "second"].map(|name| top.join(name));
        std::fs::create_dir_all(&first).unwrap();
        std::fs::create_dir_all(&second).unwrap();
        std::fs::write(second.join("fair.xml"), "<allocations/>").unwrap();
        let locate = || FileSource::locate("fair.xml", &[&first, &second]).unwrap().unwrap();
        assert_eq!(locate().path(), second.join("fair.xml"));
        std::fs::write(first.join("fair.xml"), "<allocations/>").unwrap();
        assert_eq!(locate().path(), first.join("fair.xml"));
        assert!(locate().modified_ms().unwrap().is_some_and(|modified| modified > 0));
        // A directory in its place is found, and cannot be read.
        std::fs::remove_file(first.join("fair.xml")).unwrap();
        std::fs::create_dir(first.join("fair.xml")).unwrap();
        let reader = Reader { types: ResourceTypes::standard(), custom_policies: Vec::new(), limit: 100 };
        let error = reader.read(&locate()).unwrap_err().to_string();
        assert!(error.ends_with("fair.xml: cannot be read: it is not a regular file"), "{error}");
        std::fs::remove_dir_all(&first).unwrap();
        assert_eq!(FileSource::new(first.join("fair.xml")).modified_ms().unwrap(), None);
        std::fs::remove_dir_all(&top).unwrap();
    }

    /// A source that never ends.
    #[derive(Debug)]
    struct Endless;

    impl AllocationSource for Endless {
        fn name(&self) -> String {
            "endless".to_owned()
        }
        fn modified_ms(&self) -> io::Result<Option<u64>> {
            Ok(Some(1))
        }
        fn open(&self) -> io::Result<Box<dyn Read + '_>> {
            Ok(Box::new(io::repeat(b' ')))
        }
    }

    #[test]
    fn no_more_is_read_than_the_limit() {
        let reader = Reader { types: ResourceTypes::standard(), custom_policies: Vec::new(), limit: 1000 };
        assert_eq!(reader.read(&Endless), Err(AllocationsError::TooLarge { name: "endless".to_owned(), limit: 1000 }));
    }
}
