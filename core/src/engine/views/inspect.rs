//! Inspection: views of a worker's own data for drivers and the embedder, and acts that only they ask a worker for.
//!
//! # Where it stands
//! Plain code over one shard. The stepped driver calls it; the threaded one sends it to the worker ([`ask_workers`]),
//! which runs it between two other messages. Nothing here is on the path of a heartbeat.

use crate::engine::books::ledger::NodeShared;
use crate::engine::decider::Decider;
use crate::engine::intake::reply::once;
use crate::engine::intake::to_worker::{Internal, Look};
use crate::engine::mail::container::{Container, EndedContainer};
use crate::engine::shard::{Shard, WorkerJournal};
use crate::engine::shared::Shared;
use crate::event::Refused;
use crate::event::refused::Gone;
use crate::id::{ContainerId, ContainerName, NodeId};
use crate::resource::Resource;
use crate::sync::Arc;
use std::collections::BTreeMap;

/// A container, as the worker of its node knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct ContainerView {
    /// The container's id.
    pub id: ContainerId,
    /// The name of its node.
    pub node: String,
    /// The number of its node, as in [`Container::node`](crate::Container::node).
    pub node_id: NodeId,
    /// The priority of the ask.
    pub priority: i32,
    /// The [`allocation_request_id`](crate::Ask::allocation_request_id) of the ask.
    pub allocation_request_id: i64,
    /// The container's size.
    pub resource: Resource,
    /// Whether its node has reported it as launched.
    pub launched: bool,
    /// Whether it has ended. Its room on the node is occupied until the node reports the end.
    pub ended: bool,
}

/// How many containers there are, without a view of each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct ContainerCounts {
    /// Live containers, by the number of the application. An application without any is left out.
    pub by_app: BTreeMap<u32, u64>,
    /// Containers by node, including ended ones whose end the node has not reported. A node without any is left out.
    pub by_node: BTreeMap<NodeId, u64>,
}

impl ContainerCounts {
    /// Adds the counts of another worker.
    pub(crate) fn and(mut self, other: ContainerCounts) -> ContainerCounts {
        for (app, count) in other.by_app {
            *self.by_app.entry(app).or_default() += count;
        }
        // A node belongs to one worker.
        self.by_node.extend(other.by_node);
        self
    }
}

/// The reservation of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct ReservedView {
    /// The application's number.
    pub app: u32,
    /// The number that the container will have.
    pub container: u32,
    /// The priority of the ask.
    pub priority: i32,
    /// The [`allocation_request_id`](crate::Ask::allocation_request_id) of the ask.
    pub allocation_request_id: i64,
    /// Its size.
    pub resource: Resource,
}

/// A change of a node's reservation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct ReservationNews {
    /// The node's number.
    pub node: NodeId,
    /// The node's reservation now, if it has one.
    pub reserved: Option<ReservedView>,
}

/// What a worker has noted since the last call, in order of time.
#[derive(Debug, Default)]
pub(crate) struct StepRecord {
    /// With the name of the node, and whether it is an AM's.
    pub(crate) allocated: Vec<(Container, String, bool)>,
    pub(crate) ended: Vec<EndedContainer>,
}

/// What the workers keep memory for. With the feature `faults`, to check that it does not grow.
#[cfg(feature = "faults")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Kept {
    /// Places in their lists of nodes.
    pub node_places: usize,
    /// Records of containers.
    pub container_records: usize,
    /// Records of containers on their way to AMs that were ever used.
    pub mail_records: usize,
    /// Places in their lists of applications.
    pub applications: usize,
    /// Request keys of the applications in these.
    pub request_keys: usize,
}

/// A reservation: node, number of the application, number of the container, priority, size.
pub(crate) type Reserved = (Arc<NodeShared>, u32, u32, i32, Resource);

impl<D: Decider> Shard<D> {
    /// What happened since this was last called.
    pub(crate) fn take_step_record(&mut self) -> StepRecord {
        let WorkerJournal { allocated, ended } = self.journal.as_mut().map(std::mem::take).unwrap_or_default();
        let node_name = |node| {
            let found = self.nodes.of_any_time().find(|at| at.shared.id == node);
            found.map_or_else(String::new, |at| at.shared.name.to_string())
        };
        let named = |(container, is_am): (Container, bool)| (container, node_name(container.node), is_am);
        StepRecord { allocated: allocated.into_iter().map(named).collect(), ended }
    }

    /// Nodes on which a reservation was made or given up since this was last called, each once, and what is reserved
    /// there now.
    pub(crate) fn take_reservation_news(&mut self) -> Vec<ReservationNews> {
        let mut changed = self.reservation_news.as_mut().map(std::mem::take).unwrap_or_default();
        changed.sort_unstable();
        changed.dedup();
        let now = |(place, node): (u32, NodeId)| {
            let at = &self.nodes[place as usize];
            let stands = at.reservation.as_ref().filter(|_| at.shared.id == node);
            let reserved = stands.and_then(|reservation| {
                Some(ReservedView {
                    app: self.find_app(reservation.app)?.shared.id.number,
                    container: reservation.number,
                    priority: reservation.key.priority,
                    allocation_request_id: reservation.key.allocation_request_id,
                    resource: reservation.size,
                })
            });
            ReservationNews { node, reserved }
        };
        changed.into_iter().map(now).collect()
    }

    /// Where the reservation of each node stands.
    pub(crate) fn reservations(&self) -> Vec<Reserved> {
        self.nodes
            .present()
            .filter_map(|(_, node)| {
                let reservation = node.reservation.as_ref()?;
                let app = self.find_app(reservation.app)?.shared.id.number;
                Some((node.shared.clone(), app, reservation.number, reservation.key.priority, reservation.size))
            })
            .collect()
    }

    /// What this worker keeps memory for.
    #[cfg(feature = "faults")]
    pub(crate) fn kept(&self) -> Kept {
        Kept {
            node_places: self.nodes.of_any_time().count(),
            container_records: self.containers.made(),
            mail_records: self.own_records.made(),
            applications: self.apps.len(),
            request_keys: self.apps.iter().flatten().map(|app| app.keys.len()).sum(),
        }
    }

    /// A container that runs, or whose node has not said that it ended, by its application, attempt and number.
    /// O(containers of this worker) where the application has it no more.
    pub(crate) fn find_container(&self, name: &ContainerName) -> Option<ContainerId> {
        let is_named = |index: &u32| {
            let record = &self.containers[*index];
            let attempt = (record.application, u32::from(record.attempt), record.number);
            attempt == (name.attempt.application.number, name.attempt.number, name.number)
        };
        let apps = self.apps.iter().flatten().filter(|app| app.shared.id == name.attempt.application);
        let running = apps.flat_map(|app| &app.containers).copied().find(is_named);
        let on_nodes = || self.nodes.present().flat_map(|(_, node)| &node.containers).copied().find(is_named);
        running.or_else(on_nodes).map(|index| self.container_id(index))
    }

    /// How many there are here. O(applications + nodes).
    pub(crate) fn container_counts(&self) -> ContainerCounts {
        let mut counts = ContainerCounts::default();
        for app in self.apps.iter().flatten().filter(|app| !app.containers.is_empty()) {
            *counts.by_app.entry(app.number).or_default() += app.containers.len() as u64;
        }
        let nodes = self.nodes.present().filter(|(_, node)| !node.containers.is_empty());
        counts.by_node = nodes.map(|(_, node)| (node.shared.id, node.containers.len() as u64)).collect();
        counts
    }

    /// All containers, node by node, in order of allocation.
    pub(crate) fn container_views(&self) -> Vec<ContainerView> {
        let mut views = Vec::new();
        for (_, node) in self.nodes.present() {
            for index in &node.containers {
                let record = &self.containers[*index];
                views.push(ContainerView {
                    id: self.container_id(*index),
                    node: node.shared.name.to_string(),
                    node_id: node.shared.id,
                    priority: record.priority,
                    allocation_request_id: record.allocation_request_id,
                    resource: *self.containers.size(record),
                    launched: record.launched,
                    ended: !record.fate.is_live(),
                });
            }
        }
        views
    }
}

/// Has the first worker that is there do something between two messages, and waits for it.
pub(crate) fn ask_one<D: Decider, T: Send + 'static>(
    shared: &Shared<D>,
    what: impl FnOnce(&mut Shard<D>) -> T + Send + 'static,
) -> Result<T, Refused> {
    let worker = (0..shared.workers).find(|worker| !shared.is_dead(*worker)).ok_or(Gone::AllWorkers)?;
    let (reply, answer) = once();
    let look = Look::new(move |shard| {
        reply.send(what(shard));
    });
    shared.lanes.internal[worker].send(Internal::Look(look)).map_err(|_| Gone::ShutDown)?;
    // A worker that panics drops what it is asked.
    answer.receive().ok_or(Refused::Gone(Gone::Worker(worker)))
}

/// Has every worker that is there do something between two messages and waits for all; the answers by worker.
pub(crate) fn ask_workers<D: Decider, T: Send + 'static>(
    shared: &Shared<D>,
    what: impl FnOnce(&mut Shard<D>) -> T + Clone + Send + 'static,
) -> Result<Vec<T>, Refused> {
    let mut answers = Vec::with_capacity(shared.workers);
    for (worker, lane) in shared.lanes.internal.iter().enumerate().filter(|(worker, _)| !shared.is_dead(*worker)) {
        let (reply, answer) = once();
        let what = what.clone();
        let look = Look::new(move |shard| {
            reply.send(what(shard));
        });
        lane.send(Internal::Look(look)).map_err(|_| Gone::ShutDown)?;
        answers.push((worker, answer));
    }
    // A worker that panics drops what it is asked.
    answers.into_iter().map(|(worker, answer)| answer.receive().ok_or(Refused::Gone(Gone::Worker(worker)))).collect()
}
