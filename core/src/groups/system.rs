//! The operating system's groups.

use super::source::Groups;
use nix::unistd::{Group, User, getgrouplist};
use std::ffi::CString;

/// What `id -Gn user` prints: the primary group, then the others in the system's order; a group without a name by its
/// number. Whatever the system's name service knows counts, a directory on another machine, too, so it may take long:
/// put it into a [`CachedGroups`](super::CachedGroups). A user that is unknown, or whose groups cannot be had, has
/// none.
///
/// On Linux, FreeBSD and NetBSD, with the cargo feature `system-groups`.
///
/// ```
/// use evenweave::clock::MonotonicClock;
/// use evenweave::groups::{CachedGroups, Groups, SystemGroups};
/// use std::sync::Arc;
/// let groups = CachedGroups::new(SystemGroups, Arc::new(MonotonicClock::new()));
/// println!("{:?}", groups.of("root"));
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemGroups;

impl Groups for SystemGroups {
    fn of(&self, user: &str) -> Vec<String> {
        let Ok(Some(known)) = User::from_name(user) else { return Vec::new() };
        let Ok(name) = CString::new(known.name) else { return Vec::new() };
        let Ok(mut ids) = getgrouplist(&name, known.gid) else { return Vec::new() };
        // Where the system puts the primary group elsewhere, or names it twice.
        ids.retain(|id| *id != known.gid);
        ids.insert(0, known.gid);
        let name = |id: nix::unistd::Gid| match Group::from_gid(id) {
            Ok(Some(group)) => group.name,
            Ok(None) | Err(_) => id.to_string(),
        };
        ids.into_iter().map(name).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn answers_as_id_does() {
        let passwd = std::fs::read_to_string("/etc/passwd").unwrap();
        let users = passwd.lines().filter_map(|line| line.split(':').next());
        let mut compared = 0;
        for user in users.take(50) {
            let Ok(id) = Command::new("id").args(["-Gn", user]).output() else { continue };
            let printed = String::from_utf8(id.stdout).unwrap();
            // Names with a space cannot be told apart in what `id` prints.
            assert_eq!(SystemGroups.of(user).join(" "), printed.trim_end(), "{user}");
            compared += 1;
        }
        assert!(compared > 0);
    }

    #[test]
    fn nobody_knows_these_users() {
        for user in ["", "no such user", "a\0b", "../x"] {
            assert!(SystemGroups.of(user).is_empty(), "{user:?}");
        }
    }
}
