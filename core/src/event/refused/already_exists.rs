//! What a call would add is there already.

/// What the call would add is there already.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AlreadyExists {
    /// An application with this number already exists.
    #[error("application {0} already exists")]
    App(u32),
    /// A node with this name is already registered.
    #[error("node {0:?} is already registered")]
    Node(String),
}

impl AlreadyExists {
    /// A short, stable word.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            AlreadyExists::App(_) => "duplicate-app",
            AlreadyExists::Node(_) => "duplicate-node",
        }
    }
}
