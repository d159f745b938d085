//! A reservation on its way from a worker to another.
//!
//! # Invariant
//! It stands on one node, or is on its way in one message, or has ended. Whoever takes it off a node sends it in the
//! same message; whoever gets it puts it on a node, or sends it back, or drops it. A message that a panic came in
//! between is not worked off once more.

use crate::app::SchedulingKey;
use crate::capacity::rules::preempted::Candidate;
use crate::engine::books::ledger::{AppShared, NodeShared};
use crate::id::LabelId;
use crate::resource::Resource;
use crate::sync::Arc;

/// What a round wants: something reserved is to stand on another node.
#[derive(Clone, Debug)]
pub(crate) struct Move {
    /// By application and number.
    pub(crate) reserved: Candidate,
    pub(crate) from: Arc<NodeShared>,
    pub(crate) to: Arc<NodeShared>,
}

/// A reservation that stands nowhere, and is charged to nobody.
#[derive(Clone, Debug)]
pub(crate) struct Transit {
    pub(crate) app: Arc<AppShared>,
    pub(crate) number: u32,
    pub(crate) key: SchedulingKey,
    pub(crate) size: Resource,
    pub(crate) label: LabelId,
    pub(crate) since_ms: u64,
    pub(crate) from: Arc<NodeShared>,
    pub(crate) to: Arc<NodeShared>,
    /// It could not stand there, and goes back.
    pub(crate) returns: bool,
}
