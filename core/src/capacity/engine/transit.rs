//! A reservation on its way from a worker to another.
//!
//! # Invariant
//! It stands on one node, or is in one transit, or has ended. Whoever takes it off a node puts it into a transit, in the same message; whoever
//! takes it out puts it on a node, or sends another transit, or drops it.

use crate::app::SchedulingKey;
use crate::engine::books::ledger::{AppShared, NodeShared};
use crate::resource::Resource;
use crate::sync::{Arc, Mutex};

/// What a round wants: something reserved is to stand on another node.
#[derive(Clone, Debug)]
pub(crate) struct Move {
    /// By application and number.
    pub(super) reserved: (u32, u64),
    pub(super) from: Arc<NodeShared>,
    pub(super) to: Arc<NodeShared>,
}

/// A reservation that stands nowhere, and is charged to nobody.
#[derive(Clone, Debug)]
pub(super) struct Load {
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

/// Empty once it has been taken out: a message that is worked off once more, after a panic, brings nothing.
#[derive(Clone, Debug)]
pub(crate) struct Transit(Arc<Mutex<Option<Load>>>);

impl Transit {
    pub(super) fn of(load: Load) -> Transit {
        Transit(Arc::new(Mutex::new(Some(load))))
    }

    pub(super) fn take(&self) -> Option<Load> {
        self.0.lock().take()
    }
}
