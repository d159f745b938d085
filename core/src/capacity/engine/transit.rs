//! A reservation on its way from a worker to another.
//!
//! # Invariant
//! It stands on one node, or is on its way in one message, or has ended. Whoever takes it off a node sends it in the same message; whoever
//! gets it puts it on a node, or sends it back, or drops it. A message that a panic came in between is not worked off once more.

use crate::app::SchedulingKey;
use crate::capacity::preempted::Candidate;
use crate::engine::books::ledger::{AppShared, NodeShared};
use crate::resource::Resource;
use crate::sync::Arc;

/// What a round wants: something reserved is to stand on another node.
#[derive(Clone, Debug)]
pub(crate) struct Move {
    /// By application and number.
    pub(super) reserved: Candidate,
    pub(super) from: Arc<NodeShared>,
    pub(super) to: Arc<NodeShared>,
}

/// A reservation that stands nowhere, and is charged to nobody.
#[derive(Clone, Debug)]
pub(crate) struct Transit {
    pub(super) app: Arc<AppShared>,
    pub(super) number: u32,
    pub(super) key: SchedulingKey,
    pub(super) size: Resource,
    pub(super) since_ms: u64,
    pub(super) from: Arc<NodeShared>,
    pub(super) to: Arc<NodeShared>,
    /// It could not stand there, and goes back.
    pub(super) returns: bool,
}
