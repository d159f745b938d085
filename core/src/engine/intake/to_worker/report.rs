//! A node's report: as the embedder gives it, and packed as it travels.

use crate::engine::books::ledger::NodeShared;
use crate::id::{ContainerId, OwnContainer, Slot};
use crate::sync::Arc;
use smallvec::SmallVec;

/// A node's report.
///
/// Feature `serde`: it cannot be serialized, because it contains the node's handle. Its fields can.
#[derive(Clone, Debug)]
pub struct Heartbeat {
    pub(crate) node: Arc<NodeShared>,
    /// Up to two are stored without an allocation.
    pub(crate) launched: SmallVec<[ContainerId; 2]>,
    pub(crate) completed: SmallVec<[ContainerId; 4]>,
    /// If it is not zero, the [`HeartbeatProbe`](crate::HeartbeatProbe) is told of this heartbeat.
    pub stamp: u64,
    /// Whether the report also offers the node's room, as each heartbeat of Hadoop's does. Default: true. With `false`
    /// the report only brings news of containers, for embedders that learn of these between heartbeats.
    pub offer: bool,
}

impl Heartbeat {
    pub(crate) fn of(node: Arc<NodeShared>) -> Heartbeat {
        Heartbeat { node, launched: SmallVec::new(), completed: SmallVec::new(), stamp: 0, offer: true }
    }
}

/// How many containers a report holds.
const REPORTED: usize = 4;

/// How many launched containers a report holds with their whole ids, if the node lists the containers that it has to
/// stop.
const NAMED: usize = 2;

/// The bit at which the number of completed containers begins in [`Report::counts`].
const COMPLETED: u8 = 4;

/// A heartbeat with few containers. It names the node by its place at the worker: a reference to the node would be
/// counted up by the sender and down by the worker, with each heartbeat.
#[derive(Debug)]
pub(crate) struct Report {
    pub(crate) stamp: u64,
    /// The launched containers, then the completed ones. If the node lists the containers that it has to stop, the last
    /// place is no container: see [`pack`].
    containers: [OwnContainer; REPORTED],
    pub(crate) node: u32,
    /// Tells apart the nodes that have had the place, one after the other.
    pub(crate) generation: u8,
    /// The number of launched containers; from the fifth bit on, the number of completed ones.
    counts: u8,
    pub(crate) offer: bool,
}

impl Report {
    /// Packs a heartbeat for the node's owner. `None` if it has too many containers.
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
        // A container of another worker cannot be on this node, and is left out.
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

    /// The launched containers, for their worker. Application and attempt are valid only if the node lists the
    /// containers that it has to stop.
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

/// Packs application and attempt of each launched container into the room of one container. `None` if there are too
/// many containers, or one of another worker.
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

/// The whole id of the launched container number `i` of a report.
#[inline]
fn unpack(packed: OwnContainer, i: usize, own: OwnContainer, worker: u16) -> ContainerId {
    let (application, attempt) =
        if i == 0 { (packed.record, packed.app.index) } else { (packed.number, packed.app.generation) };
    let OwnContainer { record, number, app } = own;
    let attempt = u16::try_from(attempt).unwrap_or(u16::MAX);
    ContainerId { application, attempt, app, number, worker, record }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::id::NodeId;
    use crate::resource::Resource;

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
}
