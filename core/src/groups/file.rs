//! Groups from a file.

use super::source::Groups;
use crate::config::{LARGEST_FILE, Place, read_text_file};
use crate::sync::{Arc, SnapshotCell};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::{Path, PathBuf};

/// Why groups cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GroupsError {
    /// The file cannot be read.
    #[error("{}: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// A line is wrong.
    #[error("{at}: {problem}")]
    Line {
        /// Where.
        at: Place,
        /// What is wrong, and what would be right.
        problem: String,
    },
    /// `hadoop.user.group.static.mapping.overrides` is wrong.
    #[error("{entry:?} is not user=group,group; entries stand between \";\"")]
    Overrides {
        /// The entry.
        entry: String,
    },
}

/// Reads users and their groups: a line for each user, the primary group first.
///
/// ```text
/// # users of the example
/// ann: staff, dev
/// bob: staff       # and nothing else
/// carl:
/// ```
/// A name is what stands between the marks, white space at its ends left out. What follows a `#` at the start of a line
/// or after white space is a comment. A user stands in one line; a group that is named twice counts once. `source_name`
/// stands in errors. The result is itself a [`Groups`].
///
/// ```
/// use evenweave::groups::{Groups, parse_groups};
/// let groups = parse_groups("ann: staff, dev\nbob:\n", "groups.txt").unwrap();
/// assert_eq!(groups.of("ann"), ["staff", "dev"]);
/// let error = parse_groups("ann: staff\nbob staff\n", "groups.txt").unwrap_err();
/// assert_eq!(error.to_string(), "groups.txt:2:1: \"bob staff\" has no colon; write user: group, group");
/// ```
///
/// # Errors
/// The first line that is none of these.
pub fn parse_groups(text: &str, source_name: &str) -> Result<HashMap<String, Vec<String>>, GroupsError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut users: HashMap<String, (usize, Vec<String>)> = HashMap::new();
    let mut offset = 0;
    for (index, whole) in text.split('\n').enumerate() {
        let start = offset;
        offset += whole.len() + 1;
        let line = without_comment(whole);
        let bare = line.trim();
        if bare.is_empty() {
            continue;
        }
        let wrong = |problem: String| {
            let before = &line[..line.len() - line.trim_start().len()];
            let (column, offset) = (before.chars().count() + 1, start + before.len());
            let at = Place::new(source_name, index + 1, column, offset, bare.len());
            Err(GroupsError::Line { at, problem })
        };
        let Some((user, list)) = bare.split_once(':') else {
            return wrong(format!("{bare:?} has no colon; write user: group, group"));
        };
        let user = user.trim();
        if user.is_empty() {
            return wrong("there is no user before the colon; write user: group, group".to_owned());
        }
        let mut groups: Vec<String> = Vec::new();
        for group in list.split(',').map(str::trim).filter(|_| !list.trim().is_empty()) {
            if group.is_empty() {
                return wrong(format!("an empty group of {user:?}; there is a comma too many"));
            }
            if !groups.iter().any(|known| known == group) {
                groups.push(group.to_owned());
            }
        }
        match users.entry(user.to_owned()) {
            Entry::Occupied(before) => {
                let first = before.get().0;
                return wrong(format!("{user:?} stands in line {first} already; put all groups into one line"));
            }
            Entry::Vacant(entry) => entry.insert((index + 1, groups)),
        };
    }
    Ok(users.into_iter().map(|(user, (_, groups))| (user, groups)).collect())
}

fn without_comment(line: &str) -> &str {
    let starts = |at: &usize| line[..*at].chars().next_back().is_none_or(char::is_whitespace);
    let at = line.match_indices('#').map(|(at, _)| at).find(starts);
    &line[..at.unwrap_or(line.len())]
}

/// Groups from a file, in the form of [`parse_groups`], read when it is opened and when told to. Answers come from what
/// was read last, without a lock; a file that cannot be taken leaves that in force.
#[derive(Debug)]
pub struct GroupsFile {
    path: PathBuf,
    users: SnapshotCell<HashMap<String, Vec<String>>>,
}

impl GroupsFile {
    /// Opens and reads a file.
    ///
    /// # Errors
    /// When it cannot be read, is larger than 64 MiB, or a line is wrong.
    pub fn open(path: impl Into<PathBuf>) -> Result<GroupsFile, GroupsError> {
        let path = path.into();
        let users = SnapshotCell::new(Arc::new(read(&path)?));
        Ok(GroupsFile { path, users })
    }

    /// Reads the file again. Any thread may call it; look-ups meanwhile see the old file or the new one.
    ///
    /// # Errors
    /// As [`GroupsFile::open`]; what was read before stays.
    pub fn reload(&self) -> Result<(), GroupsError> {
        self.users.publish(Arc::new(read(&self.path)?));
        Ok(())
    }
}

impl Groups for GroupsFile {
    fn of(&self, user: &str) -> Vec<String> {
        self.users.load().of(user)
    }

    fn at_hand(&self, user: &str) -> Option<Vec<String>> {
        Some(self.of(user))
    }
}

fn read(path: &Path) -> Result<HashMap<String, Vec<String>>, GroupsError> {
    let unreadable = |source| GroupsError::Unreadable { path: path.to_owned(), source };
    let text = read_text_file(path, LARGEST_FILE).map_err(unreadable)?;
    parse_groups(&text, &path.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong(text: &str) -> String {
        parse_groups(text, "g").expect_err(text).to_string()
    }

    #[test]
    fn lines_name_a_user_and_its_groups() {
        let text = "\u{feff}# all\r\n\n ann : staff , domain users,staff,a#b\r\n\tbob: # none\n\
                    CORP\\carl: x #y, z\n#dora: x\n";
        let groups = parse_groups(text, "g").unwrap();
        assert_eq!(groups.len(), 3);
        assert_eq!(groups.of("ann"), ["staff", "domain users", "a#b"]);
        assert_eq!(groups.of("CORP\\carl"), ["x"]);
        assert!(groups.contains_key("bob") && groups.of("bob").is_empty());
        assert!(parse_groups("", "g").unwrap().is_empty());
    }

    #[test]
    fn a_wrong_line_is_named() {
        assert_eq!(wrong("a: b\n\n  c\n"), "g:3:3: \"c\" has no colon; write user: group, group");
        assert_eq!(wrong(" : b"), "g:1:2: there is no user before the colon; write user: group, group");
        assert_eq!(wrong("a: b,,c"), "g:1:1: an empty group of \"a\"; there is a comma too many");
        assert_eq!(wrong("a: b,"), "g:1:1: an empty group of \"a\"; there is a comma too many");
        assert_eq!(wrong("a: b\n# c\na: d"), "g:3:1: \"a\" stands in line 1 already; put all groups into one line");
        let GroupsError::Line { at, .. } = parse_groups("\u{e9}: b\n\u{e9} \u{e9}: b\n x", "g").unwrap_err() else {
            panic!("a line is wrong")
        };
        assert_eq!((at.line, at.column, at.length), (3, 2, 1));
    }

    #[test]
    fn a_bad_file_leaves_the_last_good_one_in_force() {
        let path = std::env::temp_dir().join(format!("evenweave-groups-{}", std::process::id()));
        std::fs::write(&path, "ann: staff\n").unwrap();
        let groups = GroupsFile::open(&path).unwrap();
        assert_eq!(groups.of("ann"), ["staff"]);
        std::fs::write(&path, "ann: dev\nbob: dev\n").unwrap();
        assert_eq!(groups.of("ann"), ["staff"], "not read before it is told to");
        groups.reload().unwrap();
        assert_eq!(groups.of("bob"), ["dev"]);
        std::fs::write(&path, "ann dev\n").unwrap();
        let error = groups.reload().unwrap_err().to_string();
        assert!(error.starts_with(&format!("{}:1:1: ", path.display())), "{error}");
        assert_eq!(groups.of("ann"), ["dev"]);
        std::fs::write(&path, b"ann: \xff\n").unwrap();
        assert!(groups.reload().is_err());
        std::fs::remove_file(&path).unwrap();
        assert!(matches!(groups.reload().unwrap_err(), GroupsError::Unreadable { .. }));
        assert_eq!(groups.of("ann"), ["dev"]);
        assert!(GroupsFile::open(&path).is_err());
    }
}
