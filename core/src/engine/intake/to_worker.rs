//! What travels to a worker.

use crate::app::{Ask, SchedulingKey};
use crate::engine::books::ledger::{AppShared, KeyCell, NodeShared};
use crate::engine::intake::locations::ANY;
use crate::engine::intake::reply::Reply;
use crate::engine::mail::container::RecoveredContainer;
use crate::engine::parts::Parts;
use crate::engine::records::rows::SharedCount;
use crate::event::Refused;
use crate::id::{ContainerId, OwnContainer, Slot};
use crate::resource::Resource;
use crate::sync::Arc;
use crate::sync::channel::{Sender, TrySendError};
use smallvec::{SmallVec, smallvec};
use std::cell::Cell;
use std::fmt;

/// A node's report.
///
/// Feature `serde`: it cannot be serialized, because it contains the node's handle. Its fields can.
#[derive(Clone, Debug)]
pub struct Heartbeat {
    pub(crate) node: Arc<NodeShared>,
    /// Few lie in the report itself, without an allocation.
    pub(crate) launched: SmallVec<[ContainerId; 2]>,
    pub(crate) completed: SmallVec<[ContainerId; 4]>,
    /// If it is not zero, the [`HeartbeatProbe`](crate::HeartbeatProbe) is told of this heartbeat.
    pub stamp: u64,
    /// Whether the report also offers the node's room, as each heartbeat of Hadoop's does. Default: true. With `false`
    /// the report only brings news of containers, for embedders that learn of these between heartbeats.
    pub offer: bool,
}

/// What the embedder sends to a worker.
///
/// Small: thousands wait in a lane, written on one core and read on another, so each line of them is fetched twice. The
/// usual heartbeat and the usual ask are in the message; what is larger hangs on it.
#[derive(Debug)]
pub(crate) enum External {
    Report(Report),
    /// With more containers than a report holds.
    Heartbeat(Box<Heartbeat>),
    Heartbeats(Vec<Heartbeat>),
    /// To the application's home worker, as are asks of other kinds.
    Group(OneGroup),
    Asks(Box<AskChange>),
    /// To the worker that granted it.
    Release(ContainerId),
    /// The same of many.
    Releases(Vec<ContainerId>),
    /// Answer when it is reached.
    Barrier(Sender<()>),
}

const _: () = assert!(size_of::<External>() <= 80, "the usual messages set the size");

/// An external message on its way: moved as it is, whichever it is.
///
/// A channel hands a message from call to call in an `Option` or a `Result`, which would keep its own tag in a spare
/// bit pattern of the message's. Then each move is one of the tag and one of the rest, an odd number of bytes in pieces
/// that overlap, and what is read back in a piece that was not written as one waits until all that was written before
/// it, to other cores' lines too, is there. In a cell there are no spare bit patterns.
pub(crate) struct Parcel(Cell<External>);

impl Parcel {
    #[inline]
    pub(crate) fn of(message: External) -> Parcel {
        Parcel(Cell::new(message))
    }

    /// What it is, where it lies.
    #[inline]
    pub(crate) fn message(&mut self) -> &mut External {
        self.0.get_mut()
    }

    #[inline]
    pub(crate) fn into_message(self) -> External {
        self.0.into_inner()
    }
}

const _: () = assert!(size_of::<Option<Parcel>>() > size_of::<Parcel>(), "no spare bit patterns");

impl fmt::Debug for Parcel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Parcel")
    }
}

/// What its sender is told of a message that was not taken. Not a `From`: a refusal is public, and a parcel is not.
pub(crate) fn not_taken(error: &TrySendError<Parcel>) -> Refused {
    match error {
        TrySendError::Full(_) => Refused::Busy,
        TrySendError::Disconnected(_) => Refused::ShutDown,
    }
}

/// So many containers a report holds.
const REPORTED: usize = 4;

/// Of a node that lists what it has to stop, so many launched ones with all of their ids.
const NAMED: usize = 2;

/// Where the number of completed ones begins in a report's count.
const COMPLETED: u8 = 4;

/// A heartbeat of few containers. It names the node by its place among its worker's: no reference is counted up here
/// and down there with each.
#[derive(Debug)]
pub(crate) struct Report {
    pub(crate) stamp: u64,
    /// Those launched, then those completed. Of a node that lists what it has to stop the last is no container: see
    /// [`pack`].
    containers: [OwnContainer; REPORTED],
    pub(crate) node: u32,
    /// Which of the nodes that had the place, one after the other.
    pub(crate) generation: u8,
    /// How many were launched, and from the fifth bit on how many completed.
    counts: u8,
    pub(crate) offer: bool,
}

impl Report {
    /// What the heartbeat says to the node's owner, unless it is too much.
    #[inline]
    pub(crate) fn of(heartbeat: &Heartbeat) -> Option<Report> {
        let Heartbeat { node, launched, completed, stamp, offer } = heartbeat;
        let packed = if launched.is_empty() || !node.lists_stops() { None } else { Some(pack(launched, node.owner)?) };
        if launched.len() + completed.len() + usize::from(packed.is_some()) > REPORTED {
            return None;
        }
        let mut report = Report {
            stamp: *stamp,
            containers: [OwnContainer::NONE; REPORTED],
            node: node.local,
            generation: node.generation,
            counts: 0,
            offer: *offer,
        };
        // A container of another worker's is none of this node's.
        let mut room = report.containers.iter_mut();
        for (containers, one) in [(&launched[..], 1), (&completed[..], 1 << COMPLETED)] {
            for (own, place) in containers.iter().filter_map(|container| container.own_of(node.owner)).zip(&mut room) {
                *place = own;
                report.counts += one;
            }
        }
        if let Some(packed) = packed {
            report.containers[REPORTED - 1] = packed;
        }
        Some(report)
    }

    #[inline]
    fn own_launched(&self) -> &[OwnContainer] {
        &self.containers[..usize::from(self.counts % (1 << COMPLETED))]
    }

    /// Those launched, of the given worker's. Application and attempt mean something where the node lists what it has
    /// to stop.
    #[inline]
    pub(crate) fn launched(&self, worker: usize) -> impl Iterator<Item = ContainerId> {
        let worker = u16::try_from(worker).expect("workers are few");
        let packed = self.containers[REPORTED - 1];
        self.own_launched().iter().enumerate().map(move |(i, own)| unpack(packed, i, *own, worker))
    }

    #[inline]
    pub(crate) fn completed(&self) -> &[OwnContainer] {
        &self.containers[self.own_launched().len()..][..usize::from(self.counts >> COMPLETED)]
    }
}

/// Application and attempt of each launched container, in the room of one container. Too many do not fit, nor do
/// another worker's.
#[inline]
fn pack(launched: &[ContainerId], owner: usize) -> Option<OwnContainer> {
    if launched.len() > NAMED || launched.iter().any(|container| container.own_of(owner).is_none()) {
        return None;
    }
    let of = |i: usize| launched.get(i).map_or((0, 0), |container| (container.application, container.attempt));
    let [(first, of_first), (second, of_second)] = [of(0), of(1)];
    let app = Slot { index: u32::from(of_first), generation: u32::from(of_second) };
    Some(OwnContainer { record: first, number: second, app })
}

/// The whole id of a container that was launched as the first or second one of a report.
#[inline]
fn unpack(packed: OwnContainer, i: usize, own: OwnContainer, worker: u16) -> ContainerId {
    let (application, attempt) =
        if i == 0 { (packed.record, packed.app.index) } else { (packed.number, packed.app.generation) };
    let OwnContainer { record, number, app } = own;
    let attempt = u16::try_from(attempt).unwrap_or(u16::MAX);
    ContainerId { application, attempt, app, number, worker, record }
}

/// So many resource types the asks in a message have.
const ASKED_TYPES: usize = 3;

/// What nearly every call changes: asks of one key and size, of an application that the worker has met, so that no
/// reference is counted up here and down there with each call.
#[derive(Debug)]
pub(crate) struct OneGroup {
    pub(crate) app: Slot,
    allocation_request_id: i64,
    size: [i64; ASKED_TYPES],
    rows: AskRows,
    priority: i32,
    relax: bool,
}

impl OneGroup {
    /// Whether these asks are one group, of a scheduler of so many types.
    #[inline]
    pub(crate) fn takes(types: usize, asks: &[Ask]) -> bool {
        let Some((first, others)) = asks.split_first() else { return false };
        types <= ASKED_TYPES && others.iter().all(|ask| alike(first, ask))
    }

    /// What one changes that is like `first`, with the size that `size` makes of what is asked for. Made where it is
    /// needed: in an `Option` or `Result` it would be moved twice, as [`Parcel`] says.
    #[inline]
    pub(crate) fn of(app: Slot, first: &Ask, asks: &[Ask], size: impl Fn(&Resource) -> Resource) -> OneGroup {
        let SchedulingKey { priority, allocation_request_id } = first.key();
        let (size, relax) = (size(&first.resource), first.relax_locality);
        let size = std::array::from_fn(|i| size.get(i));
        OneGroup { app, allocation_request_id, size, rows: rows_of(asks), priority, relax }
    }

    /// The asks, where they lie.
    #[inline]
    pub(crate) fn asked(&self) -> Asked<'_> {
        let OneGroup { app: _, allocation_request_id, size, rows, priority, relax } = self;
        Asked {
            key: SchedulingKey { priority: *priority, allocation_request_id: *allocation_request_id },
            size: Resource::of_types(ASKED_TYPES, |i| size[i]),
            relax: *relax,
            rows,
        }
    }
}

/// Whose asks change.
#[derive(Debug)]
pub(crate) enum Asking {
    /// One that the worker has met: no reference is counted up here and down there with each call.
    Known(Slot),
    New(Arc<AppShared>),
}

/// What one `allocate` call changes.
#[derive(Debug)]
pub(crate) struct AskChange {
    pub(crate) app: Asking,
    /// In the order of the call.
    pub(crate) asks: AskGroups,
    /// The application's whole blacklist, when it changed.
    pub(crate) blacklist: Option<Box<[u32]>>,
}

/// Most calls are about one key and size.
pub(crate) type AskGroups = SmallVec<[AskGroup; 1]>;

/// One or two lie in the message itself.
pub(crate) type AskRows = SmallVec<[AskRow; 2]>;

/// Asks of a call that come one after another and differ in nothing but where and how many.
#[derive(Clone, Debug)]
pub(crate) struct AskGroup {
    pub(crate) key: SchedulingKey,
    pub(crate) size: Resource,
    pub(crate) relax: bool,
    pub(crate) rows: AskRows,
}

impl AskGroup {
    /// How many are wanted anywhere, if the group says: of several the last counts.
    pub(crate) fn any(&self) -> Option<u32> {
        self.rows.iter().rev().find(|row| row.location == ANY).map(|row| row.count)
    }

    /// What the group says, where it lies.
    #[inline]
    pub(crate) fn asked(&self) -> Asked<'_> {
        let AskGroup { key, size, relax, rows } = self;
        Asked { key: *key, size: *size, relax: *relax, rows }
    }
}

/// A group as it is read, whatever it lies in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked<'a> {
    pub(crate) key: SchedulingKey,
    pub(crate) size: Resource,
    pub(crate) relax: bool,
    pub(crate) rows: &'a [AskRow],
}

/// So many are wanted at a location from now on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AskRow {
    pub(crate) location: u32,
    pub(crate) count: u32,
}

/// Whether two asks differ in nothing but where and how many.
#[inline]
fn alike(a: &Ask, b: &Ask) -> bool {
    a.key() == b.key() && a.relax_locality == b.relax_locality && a.resource == b.resource
}

impl AskGroup {
    fn of_alike(first: &Ask, asks: &[Ask], size: impl Fn(&Resource) -> Resource) -> AskGroup {
        AskGroup { key: first.key(), size: size(&first.resource), relax: first.relax_locality, rows: rows_of(asks) }
    }
}

#[inline]
fn rows_of(asks: &[Ask]) -> AskRows {
    let row = |ask: &Ask| AskRow { location: ask.location.number(), count: ask.count };
    match asks {
        [one] => smallvec![row(one)],
        _ => asks.iter().map(row).collect(),
    }
}

/// Asks in groups, each with the size that `size` makes of what is asked for.
pub(crate) fn grouped(asks: &[Ask], size: impl Fn(&Resource) -> Resource) -> AskGroups {
    asks.chunk_by(alike).map(|asks| AskGroup::of_alike(&asks[0], asks, &size)).collect()
}

/// One replaced ask, as the home worker tells the others.
#[derive(Clone, Debug)]
pub(crate) struct AskNews {
    pub(crate) key: SchedulingKey,
    pub(crate) location: u32,
    pub(crate) size: Resource,
    pub(crate) relax: bool,
    pub(crate) what: NewsKind,
}

#[derive(Clone, Debug)]
pub(crate) enum NewsKind {
    /// The `*` asks are others, of this epoch, or there are some again.
    Any { epoch: u16, cell: Arc<KeyCell>, open: bool },
    /// A rack or node has a count now.
    Location(SharedCount),
}

impl NewsKind {
    /// The key's cell, where the news have it.
    pub(crate) fn cell(&self) -> Option<&Arc<KeyCell>> {
        match self {
            NewsKind::Any { cell, .. } => Some(cell),
            NewsKind::Location(_) => None,
        }
    }
}

/// One unit that goes back: the container ended before its AM saw it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GiveBack {
    pub(crate) key: SchedulingKey,
    pub(crate) location: u32,
    pub(crate) size: Resource,
    pub(crate) relax: bool,
}

/// Offers beside those of heartbeats: which nodes of the worker get one.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Round {
    /// Every node that has reported lately; from the async allocation thread.
    Offers,
    /// A pass of continuous scheduling.
    Continuous,
}

/// The attempt that takes over the running containers of one that ends.
#[derive(Clone, Debug)]
pub(crate) struct Successor {
    pub(crate) app: Arc<AppShared>,
    /// The AM's blacklist, which it takes over too.
    pub(crate) blacklist: Box<[u32]>,
}

/// A container that runs already, as its node says, and who waits for its id.
#[derive(Clone, Debug)]
pub(crate) struct Recovery {
    pub(crate) app: Arc<AppShared>,
    pub(crate) container: RecoveredContainer,
    pub(crate) reply: Reply<Result<ContainerId, Refused>>,
}

/// What the home worker tells the others of asks.
#[derive(Debug)]
pub(crate) struct News {
    pub(crate) app: Arc<AppShared>,
    pub(crate) rows: SmallVec<[AskNews; 2]>,
    /// The application's whole blacklist, when it changed.
    pub(crate) blacklist: Option<Box<[u32]>>,
}

/// What core threads send to a worker, in groups by sender.
#[derive(Debug)]
pub(crate) enum Internal<P: Parts> {
    // From the control.
    /// The AM's first request, made when a managed application is accepted.
    FirstAsk {
        app: Arc<AppShared>,
        asks: SmallVec<[Ask; 1]>,
    },
    /// The attempt ends: its containers end, or go over to the next attempt, then
    /// [`AppClosed`](crate::engine::intake::to_control::ControlMessage::AppClosed).
    CloseApp {
        app: Arc<AppShared>,
        successor: Option<Successor>,
    },
    /// A container of an application runs on a node of the worker.
    Recover(Arc<NodeShared>, Box<Recovery>),
    /// With what runs on it: nothing is offered before that is charged.
    AddNode {
        node: Arc<NodeShared>,
        total: Resource,
        running: Vec<Recovery>,
    },
    /// Its containers end, then [`NodeClosed`](crate::engine::intake::to_control::ControlMessage::NodeClosed).
    RemoveNode(Arc<NodeShared>),
    ResizeNode {
        node: Arc<NodeShared>,
        total: Resource,
        /// What no longer fits ends at once.
        kill: bool,
    },
    /// The node is to be emptied, or no longer.
    Decommission {
        node: Arc<NodeShared>,
        on: bool,
    },
    /// A snapshot was published that no worker may sleep over.
    TakeSnapshot,

    // From other workers.
    /// From the application's home worker. Seldom, and large.
    News(Box<News>),
    /// From the application's home worker, to who may have found nothing left of a key: there is something, of the size
    /// that is known.
    Reopened {
        app: Slot,
        key: SchedulingKey,
    },
    /// To the application's home worker.
    GiveBack {
        app: Arc<AppShared>,
        rows: SmallVec<[GiveBack; 3]>,
    },

    // From the decider: its part of the control, its tasks, and its workers.
    Own(P::Message),

    // From a thread that offers nodes at intervals; one outstanding a worker and kind.
    Round(Round),

    // From the embedder.
    /// It looks at something, or has it done, and is answered.
    Look(Look<P>),
    /// Answer when it is reached.
    Barrier(Sender<()>),
    /// Work off what is there and end.
    Shutdown,
}

/// What a worker does for somebody who waits for it; sends its answer itself.
pub(crate) struct Look<P: Parts>(Option<Looking<P>>);

type Looking<P> = Box<dyn FnOnce(&mut <P as Parts>::Shard) + Send>;

impl<P: Parts> Look<P> {
    pub(crate) fn new(look: impl FnOnce(&mut P::Shard) + Send + 'static) -> Look<P> {
        Look(Some(Box::new(look)))
    }

    /// Does it, once.
    pub(crate) fn at(&mut self, shard: &mut P::Shard) {
        if let Some(look) = self.0.take() {
            look(shard);
        }
    }
}

impl<P: Parts> std::fmt::Debug for Look<P> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Look")
    }
}

impl Heartbeat {
    pub(crate) fn of(node: Arc<NodeShared>) -> Heartbeat {
        Heartbeat { node, launched: SmallVec::new(), completed: SmallVec::new(), stamp: 0, offer: true }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::app::LocationTag;
    use crate::id::NodeId;

    fn container(worker: u16, number: u32) -> ContainerId {
        let app = Slot { index: 3, generation: 4 };
        ContainerId { application: 5, attempt: 1, app, number, worker, record: 100 + number }
    }

    fn heartbeat() -> Heartbeat {
        let node = NodeShared::new(0, NodeId(7), "n", "/r", 1, 2, 1, (6, 9), &Resource::ZERO);
        Heartbeat { stamp: 8, offer: false, ..Heartbeat::of(Arc::new(node)) }
    }

    #[test]
    fn a_report_says_what_the_heartbeat_says_to_the_nodes_owner() {
        let mut heartbeat = heartbeat();
        heartbeat.add_launched([container(0, 1), container(1, 2)]);
        heartbeat.add_completed([container(1, 3), container(1, 4)]);
        let report = Report::of(&heartbeat).unwrap();
        assert_eq!((report.node, report.generation, report.stamp, report.offer), (6, 9, 8, false));
        let names = |containers: &[OwnContainer]| containers.iter().map(|c| (c.number, c.record)).collect::<Vec<_>>();
        assert_eq!(names(report.own_launched()), [(2, 102)], "the first is another worker's");
        assert_eq!(names(report.completed()), [(3, 103), (4, 104)]);
        heartbeat.add_launched([container(1, 5)]);
        assert!(Report::of(&heartbeat).is_none(), "five are too many");
    }

    #[test]
    fn the_report_of_a_node_that_lists_stops_has_whole_ids() {
        let other = ContainerId { application: u32::MAX, attempt: u16::MAX, ..container(1, 2) };
        let launched = [container(1, 1), other];
        let mut all = listing(&launched, &[container(1, 3)]);
        let report = Report::of(&all).unwrap();
        assert_eq!(report.launched(1).collect::<Vec<_>>(), launched);
        assert_eq!(report.completed().iter().map(|own| own.number).collect::<Vec<_>>(), [3]);
        all.add_completed([container(1, 4)]);
        assert!(Report::of(&all).is_none(), "no room for the fourth");
        assert!(
            Report::of(&listing(&[1, 2, 3].map(|number| container(1, number)), &[])).is_none(),
            "nor for a third id"
        );
        assert!(Report::of(&listing(&[container(0, 1)], &[])).is_none(), "another worker's goes with its worker");
        let completed = [1, 2, 3, 4].map(|number| container(1, number));
        assert_eq!(Report::of(&listing(&[], &completed)).unwrap().completed().len(), 4);
    }

    /// Of a node that lists what it has to stop.
    fn listing(launched: &[ContainerId], completed: &[ContainerId]) -> Heartbeat {
        let node = NodeShared::new(0, NodeId(7), "n", "/r", 1, 2, 1, (6, 9), &Resource::ZERO).with_stops();
        let mut heartbeat = Heartbeat::of(Arc::new(node));
        heartbeat.add_launched(launched.iter().copied());
        heartbeat.add_completed(completed.iter().copied());
        heartbeat
    }

    #[test]
    fn a_group_arrives_as_it_was_sent() {
        let app = Slot { index: 1, generation: 2 };
        let resource = Resource::from_slice(&[1, 2, 3]);
        let (priority, allocation_request_id) = (-1, 1 << 40);
        let ask = |at: u32, count| {
            let location = LocationTag::of(5).location(at);
            Ask { priority, allocation_request_id, location, resource, count, relax_locality: false }
        };
        let asks = [ask(9, 6), ask(3, 2), ask(9, 1)];
        assert!(OneGroup::takes(3, &asks) && !OneGroup::takes(3, &[]));
        let message = OneGroup::of(app, &asks[0], &asks, |size| size.plus(size));
        let arrived = message.asked();
        assert_eq!((arrived.key, arrived.size, arrived.relax), (asks[0].key(), resource.plus(&resource), false));
        assert_eq!(
            arrived.rows.iter().map(|row| (row.location, row.count)).collect::<Vec<_>>(),
            [(9, 6), (3, 2), (9, 1)]
        );
        assert!(!OneGroup::takes(4, &asks), "of more types than it has room for");
        let other = Ask { relax_locality: true, ..asks[1] };
        assert!(!OneGroup::takes(3, &[asks[0], other]), "they differ");
        assert_eq!(grouped(&[asks[0], other, asks[2]], |size| *size).len(), 3);
    }
}
