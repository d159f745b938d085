//! A file of queues, as text.

/// A file of queues as it was read.
#[derive(Clone, Debug)]
pub(super) struct Queues {
    pub(super) name: String,
    pub(super) text: String,
}
