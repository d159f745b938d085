//! Groups: who is in which, for placement rules and ACLs.
//!
//! [`Groups`] is what the scheduler's control asks, once or twice a submission. A map is one; [`GroupsFile`] reads
//! one from a file and can read it again; `SystemGroups` asks the operating system. [`CachedGroups`] remembers the
//! answers of a slow one, [`OverriddenGroups`] answers for some users itself. Follows Hadoop's `Groups` and its
//! mappings: the first group is the primary one.

mod cached;

mod file;

mod overrides;

mod source;

#[cfg(all(feature = "system-groups", any(target_os = "linux", target_os = "freebsd", target_os = "netbsd")))]
mod system;

pub use cached::CachedGroups;
pub use file::{GroupsError, GroupsFile, parse_groups};
pub use overrides::{OverriddenGroups, parse_group_overrides};
pub use source::Groups;
#[cfg(all(feature = "system-groups", any(target_os = "linux", target_os = "freebsd", target_os = "netbsd")))]
pub use system::SystemGroups;
