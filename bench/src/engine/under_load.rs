//! What the load needs of a scheduler, whichever it drives.

use std::sync::Arc;

use evenweave_tools::figures::QueueFigures;

use super::figures::{AppFigures, Totals};
use crate::api::{
    AllocateRequest, Allocation, AppHandle, Heartbeat, Label, LabelView, Location, NodeHandle, NodeView, NotSent,
    Refused, Resource, Submission,
};
use evenweave::refused::TryAgain;

/// Called with an application's number when grants wait for it.
pub(crate) type Wake = Arc<dyn Fn(u32) + Send + Sync>;

/// The port of all NodeManagers.
pub(crate) const NODE_PORT: u16 = 8041;

/// All ids of a run are made from this, so that two runs name the same things alike.
pub(crate) const CLUSTER_TIMESTAMP: u64 = 1_700_000_000_000;

/// Asked again and again, gives the answers to many submissions once, when they are there.
pub(crate) type Pending = Box<dyn FnMut() -> Option<Vec<Result<AppHandle, String>>>>;

/// What the load needs of a scheduler. Refusals come as their message: the load can only report them.
pub(crate) trait Engine: Send + Sync {
    /// A node registers.
    fn add_node(&self, name: &str, rack: &str, total: Resource) -> Result<NodeHandle, String>;
    /// Applications enter; the answers, in their order, come when the returned function has them.
    fn submit_all(&self, submissions: Vec<Submission>) -> Result<Pending, String>;
    /// The allocation file is another from now on.
    fn reload(&self, text: &str) -> Result<(), String>;
    /// A node's or rack's name as asks have it.
    fn location(&self, name: &str) -> Location;
    /// A node label as asks have it.
    fn label(&self, name: &str) -> Label;
    /// Every node label, the default partition first; none where labels are off.
    fn labels(&self) -> Vec<LabelView>;
    /// Hands one heartbeat over.
    fn heartbeat(&self, heartbeat: Heartbeat) -> Result<(), Box<NotSent<Heartbeat>>>;
    /// Hands heartbeats over; those for which there was no room come back.
    fn heartbeats(&self, batch: Vec<Heartbeat>) -> Result<(), Vec<Heartbeat>>;
    /// Those of the applications that call next: a hint, which an engine need not take.
    fn prefetch_calls(&self, _apps: &[AppHandle], _next: &[u32]) {}
    /// One call of an ApplicationMaster.
    fn allocate(&self, app: &AppHandle, request: &AllocateRequest, answer: &mut Allocation) -> Result<(), Refused>;
    /// The application leaves.
    fn finish(&self, app: &AppHandle) -> Result<(), String>;
    /// Every queue, by name.
    fn queues(&self) -> Vec<QueueFigures>;
    /// Every application, by number.
    fn apps(&self) -> Vec<AppFigures>;
    /// Every node, by registration.
    fn nodes(&self) -> Vec<NodeView>;
    /// Sums over the whole scheduler.
    fn stats(&self) -> Totals;
    /// What is asked for and not granted, as the scheduler last worked it out.
    fn pending(&self) -> Resource;
    /// Recomputes demand and shares now.
    fn update_now(&self);
    /// Returns when every accepted message has been worked off.
    fn quiesce(&self);
    /// Of every kind of record inside what does not add up, a sentence each; when nobody calls.
    fn audit(&self) -> Vec<String>;
    /// Ends the scheduler's threads.
    fn shutdown(&self);
}

/// Calls until the control has room for it.
pub(super) fn finish_soon(begin: impl Fn() -> Result<(), Refused>) -> Result<(), Refused> {
    loop {
        match begin() {
            Err(Refused::TryAgain(TryAgain::Busy)) => std::thread::yield_now(),
            outcome => return outcome,
        }
    }
}
