//! Why an application of the FairScheduler waits.
//!
//! Run on the caller's thread; workers answer for their nodes, the control for what has ended and for limits of running
//! applications.

use super::door::Door;
use super::handles::{AppHandle, NodeHandle};
use super::steps::Stepping;
use crate::app::Reason;
use crate::engine::ask_workers;
use crate::event::Refused;
use crate::event::refused::NotFound;
use crate::fair::{FairDecider, FairReason, FairWait, NotOffered, Shard, Waits};
use crate::resource::sorted;

fn stopped(why: impl Into<NotOffered>) -> Vec<FairReason> {
    vec![Reason::for_any_node(FairWait::NotOffered(why.into()))]
}

pub(super) fn why(
    door: &Door<FairDecider>,
    app: &AppHandle,
    node: Option<&NodeHandle>,
) -> Result<Vec<FairReason>, Refused> {
    let shared = door.open_to_wait()?;
    if let Some(node) = node
        && !node.stands_in(&shared.nodes.lock())
    {
        return Err(NotFound::Node(node.0.name.to_string()).into());
    }
    let of_control = app.0.clone();
    if let Some(why) = door.look(move |control| control.why_stopped(&of_control))? {
        return Ok(stopped(why));
    }
    door.owner_is_there(app.0.home)?;
    let (asked, on) = (app.0.clone(), node.map(|node| node.0.clone()));
    let look = move |shard: &mut Shard| (shard.id(), shard.why_waiting(&asked, on.as_deref()));
    let mut found = ask_workers(shared, look)?;
    sorted::by_key(&mut found, |(worker, _)| *worker != app.0.home);
    Ok(Waits::together(found.into_iter().map(|(_, waits)| waits)))
}

/// The same without threads.
pub(super) fn why_stepped(
    steps: &mut Stepping<FairDecider>,
    app: &AppHandle,
    node: Option<&NodeHandle>,
) -> Vec<FairReason> {
    if let Some(why) = steps.stepper.control().why_stopped(&app.0) {
        return stopped(why);
    }
    let look = |shard: &mut Shard| shard.why_waiting(&app.0, node.map(|node| &*node.0));
    let mut found: Vec<_> = steps.stepper.shards().map(|shard| (shard.id(), look(shard))).collect();
    sorted::by_key(&mut found, |(worker, _)| *worker != app.0.home);
    Waits::together(found.into_iter().map(|(_, waits)| waits))
}
