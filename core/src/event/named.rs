//! The kinds of things that have names, and how a message shows a name.

use std::fmt;

pub use crate::resource::LONGEST_NAME;

/// How many characters of a too long name a message shows.
pub(super) const SHOWN: usize = 64;

/// The kind of thing that a name is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Named {
    /// A queue.
    Queue,
    /// A user.
    User,
    /// A node.
    Node,
    /// A rack.
    Rack,
}

impl fmt::Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Named::Queue => "queue",
            Named::User => "user",
            Named::Node => "node",
            Named::Rack => "rack",
        })
    }
}

/// A name; if it is too long, its beginning and `…`.
pub(crate) fn beginning(name: &str) -> String {
    match name.char_indices().nth(SHOWN).filter(|_| name.len() > LONGEST_NAME) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name.to_owned(),
    }
}
