//! What a configuration asks for that is not supported: refused when a scheduler is built and when queues are
//! refreshed.

/// What would have an effect in Hadoop and has none here: each with its place, where it stands in a file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not supported: {}", .0.join(", "))]
#[non_exhaustive]
pub struct Unsupported(pub Vec<String>);
