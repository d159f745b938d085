//! The edge: what an `allocate` call does on the caller's thread.
//!
//! # Where it stands
//! Validates against the newest snapshot, sends what changes to the workers concerned, and answers from the mailbox and
//! the ledger. It never waits for a worker: YARN's `allocate` assigns nothing itself.

// Whatever an AM asks for, nothing here may panic.
#![warn(clippy::indexing_slicing)]

use crate::app::{Ask, Location};
use crate::caught::caught;
use crate::engine::books::ledger::{AppShared, NodeShared};
use crate::engine::decider::Decider;
use crate::engine::edge::label_of_ask::of_ask;
use crate::engine::edge::warnings::{AskWarning, warn_of};
use crate::engine::intake::to_worker::{AskChange, Asking, External, OneGroup, Parcel, grouped, not_taken};
use crate::engine::mail::container::{Container, EndedContainer};
use crate::engine::publish::snapshot::{QueueSnapshot, SchedulerSnapshot};
use crate::engine::shared::Shared;
use crate::event::Refused;
use crate::event::refused::{Gone, Invalid, NotFound, TryAgain};
use crate::id::{ContainerId, LabelId};
use crate::matching::size::check_size;
use crate::prefetch::prefetch;
use crate::resource::Resource;
use crate::sync::Arc;
use smallvec::SmallVec;

/// What an AM asks in one call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
#[non_exhaustive]
pub struct AllocateRequest {
    /// Each ask replaces the outstanding one of the same priority, request id and location. Of two equal ones the last
    /// counts.
    pub asks: Vec<Ask>,
    /// Containers that the AM releases. Releases take effect before the asks. Unknown ones, and those of another
    /// scheduler, are ignored.
    pub releases: Vec<ContainerId>,
    /// Nodes and racks that the AM does not want from now on.
    pub blacklist_add: Vec<Location>,
    /// Nodes and racks that the AM wants again. A place in both lists is removed from the blacklist.
    pub blacklist_remove: Vec<Location>,
}

impl AllocateRequest {
    /// A request with these asks. `AllocateRequest::default()` asks for nothing: it only fetches.
    #[must_use]
    pub fn new(asks: impl IntoIterator<Item = Ask>) -> AllocateRequest {
        AllocateRequest { asks: asks.into_iter().collect(), ..AllocateRequest::default() }
    }

    /// Returns the request with these releases, in place of those before.
    #[must_use]
    pub fn with_releases(self, releases: impl IntoIterator<Item = ContainerId>) -> AllocateRequest {
        AllocateRequest { releases: releases.into_iter().collect(), ..self }
    }

    /// Returns the request with these additions to the blacklist, in place of those before.
    #[must_use]
    pub fn with_blacklist_add(self, places: impl IntoIterator<Item = Location>) -> AllocateRequest {
        AllocateRequest { blacklist_add: places.into_iter().collect(), ..self }
    }

    /// Returns the request with these removals from the blacklist, in place of those before.
    #[must_use]
    pub fn with_blacklist_remove(self, places: impl IntoIterator<Item = Location>) -> AllocateRequest {
        AllocateRequest { blacklist_remove: places.into_iter().collect(), ..self }
    }

    #[inline]
    fn is_empty(&self) -> bool {
        let AllocateRequest { asks, releases, blacklist_add, blacklist_remove } = self;
        asks.is_empty() && releases.is_empty() && blacklist_add.is_empty() && blacklist_remove.is_empty()
    }
}

/// The answer to an AM. The caller owns it; each call clears and fills it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Allocation {
    /// Containers granted since the last call. With one worker they are in the order of the grants.
    pub granted: Vec<Container>,
    /// Containers that have ended since the last call.
    pub ended: Vec<EndedContainer>,
    /// Containers that are marked for preemption and still run: the strict contract of YARN's preemption message. The
    /// AM may release others instead; these end nevertheless.
    pub strict_preemptions: Vec<ContainerId>,
    /// What the application can still get, by the limits of its queue.
    pub headroom: Resource,
    /// What the call asked for and was accepted, as YARN accepts it, although it is probably a mistake.
    pub warnings: Vec<AskWarning>,
}

impl Allocation {
    /// An empty answer with room for this many granted and ended containers. A call that brings no more allocates no
    /// memory.
    #[must_use]
    pub fn with_capacity(granted: usize, ended: usize) -> Allocation {
        Allocation { granted: Vec::with_capacity(granted), ended: Vec::with_capacity(ended), ..Allocation::default() }
    }

    /// Nothing, with the memory kept.
    fn clear(&mut self) {
        let Allocation { granted, ended, strict_preemptions, headroom, warnings } = self;
        warnings.clear();
        granted.clear();
        ended.clear();
        strict_preemptions.clear();
        *headroom = Resource::ZERO;
    }
}

/// The leaf queue of an application in a snapshot.
fn leaf_of<'s, D: Decider>(
    shared: &Shared<D>,
    snapshot: &'s SchedulerSnapshot<D>,
    app: &AppShared,
) -> Result<&'s QueueSnapshot<D>, Refused> {
    if app.scheduler != shared.scheduler || app.is_closed() {
        return Err(NotFound::App(app.id.number).into());
    }
    match snapshot.structure.queues.get(app.queue() as usize) {
        Some(Some(leaf)) => Ok(leaf),
        // Just moved into a queue that is not published yet.
        _ => Err(TryAgain::Busy.into()),
    }
}

/// How many calls are prefetched for at most. The cache would not hold what more of them read.
const MAX_PREFETCHED: usize = 16;

/// Prefetches what the next calls, those of these applications, read. Only the first [`MAX_PREFETCHED`] count. A call
/// follows a chain of pointers. The first load of every call is prefetched, then the second load of every call, and so
/// on. So the loads of different calls overlap, and the wait is one memory access for each step of the chain.
pub(crate) fn prefetch_calls<'a, D: Decider>(shared: &Shared<D>, apps: impl Iterator<Item = &'a AppShared> + Clone) {
    let (snapshot, apps) = (shared.publisher.guard(), apps.take(MAX_PREFETCHED));
    let mut leaves: SmallVec<[&QueueSnapshot<D>; MAX_PREFETCHED]> = SmallVec::new();
    for app in apps.clone() {
        app.prefetch_mail();
        if let Some(Some(leaf)) = snapshot.structure.queues.get(app.queue() as usize) {
            prefetch_leaf(leaf);
            leaves.push(leaf);
        }
        D::prefetch_call(&snapshot, app.queue());
    }
    leaves.iter().for_each(|leaf| prefetch(&leaf.shared.cells));
    apps.for_each(|app| prefetch_mail(shared, app));
    leaves.iter().for_each(|leaf| leaf.shared.prefetch_usage());
}

/// What a call reads of a leaf queue as published.
#[inline]
fn prefetch_leaf<D: Decider>(leaf: &QueueSnapshot<D>) {
    prefetch(&leaf.shared);
    prefetch(&leaf.limit);
    prefetch(&leaf.max_container);
}

/// Prefetches the top records of each worker's part of an application's mailbox, so that their loads overlap.
#[inline]
fn prefetch_mail<D: Decider>(shared: &Shared<D>, app: &AppShared) {
    for (arena, cell) in shared.arenas.iter().zip(&app.cells) {
        arena.prefetch_drain(&cell.granted);
        arena.prefetch_drain(&cell.ended);
    }
}

/// A whole call.
pub(crate) fn allocate<D: Decider>(
    shared: &Shared<D>,
    app: &Arc<AppShared>,
    request: &AllocateRequest,
    out: &mut Allocation,
) -> Result<(), Refused> {
    out.clear();
    app.prefetch_call();
    let snapshot = shared.publisher.guard();
    let leaf = leaf_of(shared, &snapshot, app)?;
    // Before anything is sent: a send waits for what was read before it.
    snapshot.structure.queue(crate::id::ROOT).shared.prefetch_usage();
    prefetch_leaf(leaf);
    D::prefetch_call(&snapshot, app.queue());
    leaf.shared.prefetch_usage();
    prefetch_mail(shared, app);
    if !request.is_empty() {
        send(shared, app, request, &snapshot, leaf)?;
        // Ended meanwhile: what it had is gone with its mailbox.
        if app.is_closed() {
            return Err(NotFound::App(app.id.number).into());
        }
        warn_of(app, &request.asks, &mut out.warnings);
    }
    answer(shared, app, &snapshot, leaf, out)
}

/// The first half of a call: checks a request and sends it to the workers concerned. An empty request is accepted
/// without a check: if the application has ended, [`collect`] refuses the call.
#[inline]
pub(crate) fn send_changes<D: Decider>(
    shared: &Shared<D>,
    app: &Arc<AppShared>,
    request: &AllocateRequest,
) -> Result<(), Refused> {
    if request.is_empty() {
        return Ok(());
    }
    let snapshot = shared.publisher.guard();
    let leaf = leaf_of(shared, &snapshot, app)?;
    send(shared, app, request, &snapshot, leaf)
}

/// The second half: empties the application's mailbox and says what it can still get.
pub(crate) fn collect<D: Decider>(shared: &Shared<D>, app: &AppShared, out: &mut Allocation) -> Result<(), Refused> {
    out.clear();
    let snapshot = shared.publisher.guard();
    let leaf = leaf_of(shared, &snapshot, app)?;
    answer(shared, app, &snapshot, leaf, out)
}

fn send<D: Decider>(
    shared: &Shared<D>,
    app: &Arc<AppShared>,
    request: &AllocateRequest,
    snapshot: &SchedulerSnapshot<D>,
    leaf: &QueueSnapshot<D>,
) -> Result<(), Refused> {
    let AllocateRequest { asks, releases, blacklist_add, blacklist_remove } = request;
    let is_for_home = !(asks.is_empty() && blacklist_add.is_empty() && blacklist_remove.is_empty());
    if is_for_home && shared.is_dead(app.home) {
        return Err(Gone::Worker(app.home).into());
    }
    if app.waits_for_am() {
        return Err(TryAgain::NoAm(app.id.number).into());
    }
    let (of_cluster, of_queue) = (&snapshot.structure.max_allocation, &leaf.max_container);
    let largest = Resource::of_types(shared.types, |i| of_cluster.get(i).min(of_queue.get(i)));
    // Asks of one size mostly come one after another.
    let sizes = || asks.chunk_by(|a, b| a.resource == b.resource).filter_map(|alike| Some(&alike.first()?.resource));
    let labels = &snapshot.structure.labels;
    let names_label = labels.len() > 0 || asks.iter().any(|ask| ask.label.is_some());
    let mut wanted: SmallVec<[LabelId; 4]> = SmallVec::new();
    if names_label {
        let (terms, of_app) = (D::label_terms(leaf), app.label.as_deref());
        for ask in asks {
            let size = || check_size(shared.types, &ask.resource, &largest);
            wanted.push(of_ask(ask, &shared.locations, labels, terms.as_ref(), of_app, size)?);
        }
    } else {
        for size in sizes() {
            check_size(shared.types, size, &largest)?;
        }
    }
    if blacklist_add.contains(&Location::ANY) {
        return Err(Invalid::Blacklist.into());
    }
    let named = asks.iter().map(|ask| &ask.location);
    // No blacklist can contain `NOWHERE`, so its removal is accepted and changes nothing.
    let taken_back = blacklist_remove.iter().filter(|location| **location != Location::NOWHERE);
    shared.locations.check(named.chain(blacklist_add).chain(taken_back))?;
    app.check_keys(asks)?;
    let most = D::asked(shared, snapshot, leaf, sizes())?;
    send_releases(shared, app, releases)?;
    if blacklist_add.is_empty() && blacklist_remove.is_empty() {
        return send_asks(shared, app, asks, &wanted, &most, None);
    }
    // Held while it is sent: of two changes the later one is also the later message.
    let mut am = app.am.lock();
    let mut blacklist = am.blacklist.clone();
    blacklist.extend(blacklist_add.iter().map(|location| location.number()));
    blacklist.sort_unstable();
    blacklist.dedup();
    let mut removed: Vec<_> = blacklist_remove.iter().map(|location| location.number()).collect();
    removed.sort_unstable();
    blacklist.retain(|listed| removed.binary_search(listed).is_err());
    if blacklist == am.blacklist {
        return send_asks(shared, app, asks, &wanted, &most, None);
    }
    send_asks(shared, app, asks, &wanted, &most, Some(&blacklist))?;
    app.set_blacklist(&mut am, blacklist);
    Ok(())
}

/// So many releases of a call travel one by one, without an allocation.
const FEW_RELEASES: usize = 8;

/// No more travel in one message, so that other messages are not kept waiting.
const MANY_RELEASES: usize = 1 << 14;

/// Sends each released container to the worker that granted it. If there are many, those of one worker are sent
/// together. Otherwise a call with more releases than a lane holds messages would always be refused as busy.
fn send_releases<D: Decider>(shared: &Shared<D>, app: &AppShared, releases: &[ContainerId]) -> Result<(), Refused> {
    // Containers of an earlier attempt count too: those that were kept belong to this attempt.
    let own = || releases.iter().filter(|release| release.application == app.id.number);
    let lanes = &shared.lanes.external;
    if own().nth(FEW_RELEASES).is_none() {
        for release in own() {
            let Some(lane) = lanes.get(usize::from(release.worker)) else { continue };
            lane.try_send(Parcel::of(External::Release(*release))).map_err(|error| not_taken(&error))?;
        }
        return Ok(());
    }
    let mut parts = vec![Vec::new(); lanes.len()];
    for release in own() {
        if let Some(part) = parts.get_mut(usize::from(release.worker)) {
            part.push(*release);
        }
    }
    for (lane, part) in lanes.iter().zip(parts) {
        for piece in part.chunks(MANY_RELEASES) {
            lane.try_send(Parcel::of(External::Releases(piece.to_vec()))).map_err(|error| not_taken(&error))?;
        }
    }
    Ok(())
}

/// What has changed goes to the application's home worker. `labels`: as of [`grouped`].
fn send_asks<D: Decider>(
    shared: &Shared<D>,
    app: &Arc<AppShared>,
    asks: &[Ask],
    labels: &[LabelId],
    most: &Resource,
    blacklist: Option<&[u32]>,
) -> Result<(), Refused> {
    let normal = |size: &Resource| D::normal(shared, size, most);
    if blacklist.is_none() {
        match asks.first() {
            None => return Ok(()),
            Some(first) if app.is_known_at_home() && OneGroup::takes(shared.types, asks, labels) => {
                let group = OneGroup::of(app.slot, first, asks, normal, labels);
                return send_to_home(shared, app, External::Group(group));
            }
            Some(_) => {}
        }
    }
    let asking = if app.is_known_at_home() { Asking::Known(app.slot) } else { Asking::New(app.clone()) };
    let change = AskChange { app: asking, asks: grouped(asks, normal, labels), blacklist: blacklist.map(Box::from) };
    send_to_home(shared, app, External::Asks(Box::new(change)))
}

fn send_to_home<D: Decider>(shared: &Shared<D>, app: &AppShared, message: External) -> Result<(), Refused> {
    // Not `ok_or`: it would read `app.id.number` in every call, from a cache line that nothing else in a call reads.
    let Some(lane) = shared.lanes.external.get(app.home) else { return Err(NotFound::App(app.id.number).into()) };
    lane.try_send(Parcel::of(message)).map_err(|error| not_taken(&error))
}

/// What an application can still get, without a call of its AM.
pub(crate) fn headroom<D: Decider>(shared: &Shared<D>, app: &AppShared) -> Result<Resource, Refused> {
    let snapshot = shared.publisher.load();
    let leaf = leaf_of(shared, &snapshot, app)?;
    let told = caught(|| D::headroom(shared, &snapshot, app, leaf));
    told.map_err(|message| Refused::TryAgain(TryAgain::Panicked { what: "the queue's policy, or the clock,", message }))
}

/// Empties the application's mailbox and says what it can still get; `out` is clear. What may panic, the policy and the
/// clock, is asked before anything is taken.
fn answer<D: Decider>(
    shared: &Shared<D>,
    app: &AppShared,
    snapshot: &SchedulerSnapshot<D>,
    leaf: &QueueSnapshot<D>,
    out: &mut Allocation,
) -> Result<(), Refused> {
    let told = caught(|| {
        out.headroom = D::headroom(shared, snapshot, app, leaf);
        drain(shared, app, out);
        app.strict_preemptions(&mut out.strict_preemptions);
    });
    told.map_err(|message| Refused::TryAgain(TryAgain::Panicked { what: "the queue's policy, or the clock,", message }))
}

/// Empties the application's mailbox. The clock is read once, before anything is taken, where there is something.
pub(crate) fn drain<D: Decider>(shared: &Shared<D>, app: &AppShared, out: &mut Allocation) {
    let mut now = None;
    for (arena, cell) in shared.arenas.iter().zip(&app.cells) {
        arena.drain_granted(&cell.granted, || *now.get_or_insert_with(|| shared.clock.now_ms()), &mut out.granted);
    }
    for (arena, cell) in shared.arenas.iter().zip(&app.cells) {
        arena.drain_ended(&cell.ended, &mut out.ended);
    }
}

/// What the cluster has left for an application: what nobody uses, less the free room of the nodes on its blacklist.
pub(crate) fn left_of_cluster<D: Decider>(
    shared: &Shared<D>,
    snapshot: &SchedulerSnapshot<D>,
    app: &AppShared,
) -> Resource {
    let root = snapshot.structure.queue(crate::id::ROOT);
    let types = shared.types;
    let (total, used) = (&snapshot.structure.cluster.total, root.shared.usage_of(types));
    let mut available = Resource::of_types(types, |i| total.get(i).wrapping_sub(used.get(i)));
    if app.has_blacklist() {
        let mut am = app.am.lock();
        if am.blacklisted.is_none() {
            // In order: `send` sorts it.
            let listed = |location: u32| am.blacklist.binary_search(&location).is_ok();
            let is_listed = |node: &NodeShared| node.locations().into_iter().any(listed);
            am.blacklisted = Some(shared.nodes.lock().in_map_order(is_listed));
        }
        // As in Hadoop each subtraction stops at 0. So the order of the nodes changes the result if one of them has
        // negative free room, because more runs on it than its total.
        for node in am.blacklisted.iter().flatten() {
            available = available.minus_non_negative(&node.free.read());
        }
    }
    available
}
