//! What an administrator asks for and changes, beside what a ResourceManager's REST has: queues read again, nodes taken
//! out and brought back, levels of the log, the scheduler's state. Functions as those of `rest`.

pub(crate) mod controls;

pub(crate) mod dump;

pub(crate) mod level_page;

pub(crate) mod levels;

pub(crate) mod node_commands;

pub(crate) mod queues;

use crate::manager::ResourceManager;
use crate::rest::errors::Fault;
use crate::rest::request::Asked;

/// Whether the caller may do what administrators do (`yarn.admin.acl`, whether or not `yarn.acl.enable` is set, as in
/// Hadoop).
///
/// # Errors
/// That he may not.
fn administers(of: &ResourceManager, asked: &Asked, what: &str) -> Result<(), Fault> {
    if of.scheduler().is_admin(&asked.user) {
        return Ok(());
    }
    Err(Fault::forbidden(format_args!("User {} doesn't have permission to call '{what}'", asked.user)))
}
