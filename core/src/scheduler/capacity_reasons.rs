//! Why an application of the CapacityScheduler waits.
//!
//! Run on the caller's thread; workers answer for their nodes, the control for limits of parallel applications.

use super::door::Door;
use super::handles::{AppHandle, NodeHandle};
use super::steps::Stepping;
use crate::capacity::{CapacityDecider, CapacityReason, CapacityShard as Shard, CapacityWait, Waits};
use crate::engine::ask_workers;
use crate::event::Refused;
use crate::event::refused::NotFound;
use crate::queue::RunningLimit;

/// Whether the control knows which limit it is that an application waits for.
fn waits_to_run(reasons: &[CapacityReason]) -> bool {
    reasons.iter().any(|reason| matches!(reason.wait, CapacityWait::NotRunnable { .. }))
}

fn with_limit(mut reasons: Vec<CapacityReason>, found: Option<RunningLimit>) -> Vec<CapacityReason> {
    for reason in &mut reasons {
        if let CapacityWait::NotRunnable { limit } = &mut reason.wait {
            limit.clone_from(&found);
        }
    }
    reasons
}

pub(super) fn why(
    door: &Door<CapacityDecider>,
    app: &AppHandle,
    node: Option<&NodeHandle>,
) -> Result<Vec<CapacityReason>, Refused> {
    let shared = door.open_to_wait()?;
    if let Some(node) = node
        && !node.stands_in(&shared.nodes.lock())
    {
        return Err(NotFound::Node(node.0.name.to_string()).into());
    }
    let (asked, on) = (app.0.clone(), node.map(|node| node.0.clone()));
    let look = move |shard: &mut Shard| shard.why_waiting(&asked, on.as_deref());
    let reasons = Waits::together(ask_workers(shared, look)?, node.is_none());
    if !waits_to_run(&reasons) {
        return Ok(reasons);
    }
    let app = app.0.clone();
    let limit = door.look(move |control| control.parallel_limit(&app))?;
    Ok(with_limit(reasons, limit))
}

/// The same without threads.
pub(super) fn why_stepped(
    steps: &mut Stepping<CapacityDecider>,
    app: &AppHandle,
    node: Option<&NodeHandle>,
) -> Vec<CapacityReason> {
    let on = node.map(|node| &*node.0);
    let found = steps.stepper.shards().map(|shard| shard.why_waiting(&app.0, on)).collect();
    let reasons = Waits::together(found, node.is_none());
    let limit = waits_to_run(&reasons).then(|| steps.stepper.control().parallel_limit(&app.0)).flatten();
    with_limit(reasons, limit)
}
