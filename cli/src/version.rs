//! Which program this is: what `-V` and `--version` print. `build.rs` finds it out.

/// On one line: the version, the commit and its date.
pub(crate) const SHORT: &str = env!("EVENWEAVE_VERSION");

/// With what a report of a fault needs.
pub(crate) const LONG: &str = concat!(
    env!("EVENWEAVE_VERSION"),
    "\ncommit: ",
    env!("EVENWEAVE_COMMIT"),
    "\ncommit date: ",
    env!("EVENWEAVE_COMMIT_DATE"),
    "\ncompiler: ",
    env!("EVENWEAVE_RUSTC"),
    "\ntarget: ",
    env!("EVENWEAVE_TARGET"),
    "\nprofile: ",
    env!("EVENWEAVE_PROFILE"),
);

/// The date of the commit, where it is known.
pub(crate) fn date() -> Option<&'static str> {
    Some(env!("EVENWEAVE_COMMIT_DATE")).filter(|date| *date != "unknown")
}
