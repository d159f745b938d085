//! The edge: what an `allocate` call does on the caller's thread.
//!
//! # Where it stands
//! Validates against the newest snapshot, sends what changes to the workers concerned, and answers from the mailbox and the
//! ledger. It never waits for a worker: YARN's `allocate` assigns nothing itself.

use super::control::{asks_for_nothing_left, check_size, normalise};
use super::ledger::AppShared;
use super::mailbox::{Container, EndedContainer};
use super::messages::{AskChange, Asking, External};
use super::shared::{ANY, Shared};
use super::snapshot::{QueueSnapshot, SchedulerSnapshot};
use crate::app::{Ask, Location};
use crate::event::Refused;
use crate::id::ContainerId;
use crate::resource::Resource;
use crate::sync::Arc;
use crate::sync::channel::TrySendError;
use smallvec::SmallVec;

/// What an AM asks in one call.
#[derive(Clone, Debug, Default)]
pub struct AllocateRequest {
    /// Each replaces the outstanding ask of its priority, request id and location; of two alike the last counts.
    pub asks: Vec<Ask>,
    /// Containers given back. They take effect before the asks; unknown ones are ignored.
    pub releases: Vec<ContainerId>,
    /// Nodes and racks that the AM does not want.
    pub blacklist_add: Vec<Location>,
    /// Nodes and racks that it wants again; what stands in both lists is removed.
    pub blacklist_remove: Vec<Location>,
}

/// What an AM is answered. The caller owns it; each call clears and fills it.
#[derive(Clone, Debug, Default)]
pub struct Allocation {
    /// Containers granted since the last call; with one worker in the order in which they were.
    pub granted: Vec<Container>,
    /// Containers that have ended since the last call.
    pub ended: Vec<EndedContainer>,
    /// Containers that are to be preempted and still run: what YARN's preemption message calls the strict contract. The AM may
    /// give others back instead; that changes nothing for these.
    pub strict_preemptions: Vec<ContainerId>,
    /// What the application can still get, as its queue's policy sees it.
    pub headroom: Resource,
}

/// The leaf queue of an application in a snapshot.
fn leaf_of<'s>(
    shared: &Shared,
    snapshot: &'s SchedulerSnapshot,
    app: &AppShared,
) -> Result<&'s QueueSnapshot, Refused> {
    if app.scheduler != shared.scheduler || app.is_closed() {
        return Err(Refused::NoSuchApp(app.id.number));
    }
    let leaf = snapshot.structure.queues.get(app.queue() as usize).and_then(Option::as_deref);
    // Just moved into a queue that is not published yet.
    leaf.ok_or(Refused::Busy)
}

fn busy<T>(error: TrySendError<T>) -> Refused {
    match error {
        TrySendError::Full(_) => Refused::Busy,
        TrySendError::Disconnected(_) => Refused::ShutDown,
    }
}

/// Checks a request and sends it to the workers concerned.
pub(crate) fn send_changes(shared: &Shared, app: &Arc<AppShared>, request: &AllocateRequest) -> Result<(), Refused> {
    let AllocateRequest { asks, releases, blacklist_add, blacklist_remove } = request;
    let snapshot = shared.publisher.guard();
    let leaf = leaf_of(shared, &snapshot, app)?;
    if asks.is_empty() && releases.is_empty() && blacklist_add.is_empty() && blacklist_remove.is_empty() {
        return Ok(());
    }
    if app.waits_for_am() {
        return Err(Refused::NoAm(app.id.number));
    }
    let largest = snapshot.structure.max_allocation.least(&leaf.max_container);
    for ask in asks {
        check_size(shared.types, &ask.resource, &largest)?;
    }
    if blacklist_add.iter().any(|location| location.0 == ANY) {
        return Err(Refused::InvalidBlacklist);
    }
    if let Some(ask) = asks.iter().find(|ask| asks_for_nothing_left(shared.types, &ask.resource, &leaf.max_share)) {
        return Err(Refused::ZeroMax { asked: Box::new(ask.resource), queue: leaf.name.to_string() });
    }
    // Of an earlier attempt too: what was kept is this one's.
    for release in releases.iter().filter(|release| release.application == app.id.number) {
        let Some(lane) = shared.lanes.external.get(usize::from(release.worker)) else { continue };
        lane.try_send(External::Release(*release)).map_err(busy)?;
    }
    let mut am = app.am.lock();
    let mut changed = None;
    if !blacklist_add.is_empty() || !blacklist_remove.is_empty() {
        let mut blacklist = am.blacklist.clone();
        blacklist.extend(blacklist_add.iter().map(|location| location.0));
        blacklist.sort_unstable();
        blacklist.dedup();
        blacklist.retain(|listed| !blacklist_remove.iter().any(|location| location.0 == *listed));
        changed = (blacklist != am.blacklist).then_some(blacklist);
    }
    if asks.is_empty() && changed.is_none() {
        return Ok(());
    }
    let normal = |ask: &Ask| Ask { resource: normalise(&shared.settings, &ask.resource, &largest), ..*ask };
    let asks = match &asks[..] {
        [ask] => SmallVec::from_buf([normal(ask)]),
        asks => asks.iter().map(normal).collect(),
    };
    let asking = if app.is_met() { Asking::Known(app.slot) } else { Asking::New(app.clone()) };
    let message = AskChange { app: asking, asks, blacklist: changed.as_deref().map(Box::from) };
    shared.lanes.external[app.home].try_send(External::Asks(message)).map_err(busy)?;
    if let Some(blacklist) = changed {
        am.blacklist = blacklist;
        am.blacklisted = None;
    }
    Ok(())
}

/// Empties the application's mailbox and says what it can still get.
pub(crate) fn collect(shared: &Shared, app: &AppShared, out: &mut Allocation) -> Result<(), Refused> {
    out.granted.clear();
    out.ended.clear();
    out.strict_preemptions.clear();
    let snapshot = shared.publisher.guard();
    let leaf = leaf_of(shared, &snapshot, app)?;
    drain(shared, app, out);
    app.strict_preemptions(&mut out.strict_preemptions);
    out.headroom = headroom(shared, &snapshot, app, leaf);
    Ok(())
}

/// Empties the application's mailbox.
pub(crate) fn drain(shared: &Shared, app: &AppShared, out: &mut Allocation) {
    for (arena, cell) in shared.arenas.iter().zip(&app.cells) {
        arena.drain_granted(&cell.granted, || shared.clock.now_ms(), &mut out.granted);
        arena.drain_ended(&cell.ended, &mut out.ended);
    }
}

/// Assignment reference 10.
fn headroom(shared: &Shared, snapshot: &SchedulerSnapshot, app: &AppShared, leaf: &QueueSnapshot) -> Resource {
    let root = snapshot.structure.queue(super::snapshot::ROOT);
    let mut available = snapshot.structure.cluster.total.minus(&root.shared.usage());
    let mut am = app.am.lock();
    if !am.blacklist.is_empty() {
        if am.blacklisted.is_none() {
            let listed = |location: u32| am.blacklist.contains(&location);
            let nodes = shared.nodes.lock();
            let found = nodes.iter().filter(|node| node.locations().into_iter().any(listed)).cloned().collect();
            drop(nodes);
            am.blacklisted = Some(found);
        }
        for node in am.blacklisted.iter().flatten() {
            available = available.minus_non_negative(&node.free.read());
        }
    }
    // The policy may be the embedder's, and the control takes this lock when another attempt begins.
    drop(am);
    let usage = leaf.shared.usage();
    let available = available.least(&leaf.max_share.minus(&usage));
    let fair_share = snapshot.shares.queue(leaf.slot).fair_share;
    leaf.policy.headroom(&fair_share, &usage, &available)
}
