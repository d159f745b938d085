//! Report: a node says what runs and what has ended; then it is offered.
//!
//! # Where it stands
//! First of the stages: a heartbeat leads to ends (`container_end`), then to an offer of the node's room (`offer`).

use crate::engine::decider::Decider;
use crate::engine::intake::to_worker::Heartbeat;
use crate::engine::shard::Shard;
use crate::engine::shared::count;
use crate::id::{ContainerId, OwnContainer};
use crate::sync::atomic::Ordering;

impl<D: Decider> Shard<D> {
    /// A node of this worker reports what runs and what has ended; then it is offered.
    pub(crate) fn report(
        &mut self,
        node: u32,
        stamp: u64,
        offer: bool,
        launched: impl Iterator<Item = ContainerId>,
        completed: impl Iterator<Item = OwnContainer> + Clone,
    ) {
        // What is reported after an update has returned is decided under its shares, in the midst of a batch too.
        self.sync();
        let token = match (&self.shared.probe, stamp) {
            (Some(probe), stamp) if stamp != 0 => Some(probe.taken(self.worker, stamp)),
            _ => None,
        };
        let before = self.granted();
        count(&self.shared.counters[self.worker].heartbeats, 1);
        if !self.nodes[node as usize].gone {
            self.defer_root_usage();
            for container in launched {
                match self.live_container(container).filter(|index| self.containers[*index].node == node) {
                    Some(index) => self.containers[index].launched = true,
                    None => self.report_unknown_container(node, container, completed.clone()),
                }
            }
            self.prefetch_ends(completed.clone());
            let mut completed = completed.peekable();
            while let Some(container) = completed.next() {
                if let Some(next) = completed.peek() {
                    self.prefetch_ties(next);
                }
                if let Some(index) = self.container_on(container, node) {
                    self.complete(index);
                }
            }
            self.nodes[node as usize].last_heartbeat_ms = self.shared.clock.now_ms();
            if self.nodes[node as usize].decommissioning {
                self.follow_allocation(node);
            }
            D::node_reports(self, node);
            if offer && self.shared.settings.reports_offer {
                // What is free now can still be assigned: the smaller total arrives later, and what no longer fits ends
                // then.
                self.offer_node(node);
            }
            self.resume_root_usage();
            D::node_reported(self, node);
            self.tell_drained(node);
        }
        if let (Some(token), Some(probe)) = (token, &self.shared.probe) {
            let grants = u32::try_from(self.granted() - before).unwrap_or(u32::MAX);
            probe.served(self.worker, stamp, token, grants);
        }
    }

    /// A node reports.
    pub(crate) fn heartbeat(&mut self, heartbeat: &Heartbeat) {
        let Heartbeat { node, launched, completed, stamp, offer } = heartbeat;
        // The node belongs to another scheduler, or to another worker: the heartbeat is dropped.
        if node.scheduler != self.shared.scheduler || node.owner != self.worker {
            return;
        }
        let worker = self.worker;
        let own = |container: &ContainerId| container.own_of(worker);
        let (launched, completed) = (launched.iter().copied(), completed.iter().filter_map(own));
        if let Some(place) = self.place_of(node) {
            // Nobody has seen these containers yet, as `prefetch_next` has those of a report.
            completed.clone().for_each(|container| self.prefetch_end(&container));
            self.report(place, *stamp, *offer, launched, completed);
        }
    }

    /// A node names a container as launched that is not live there: it has ended meanwhile, or was never on this node.
    /// Unless the same report says that it has completed, the node has to stop it (Hadoop's
    /// `SchedulerApplicationAttempt.containerLaunchedOnNode`).
    #[cold]
    fn report_unknown_container(
        &self,
        node: u32,
        container: ContainerId,
        completed: impl Iterator<Item = OwnContainer>,
    ) {
        let own = container.own_of(self.worker);
        if !completed.map(Some).any(|over| over == own) {
            self.nodes[node as usize].shared.tell_to_stop(container);
        }
    }

    /// A container that this worker still knows, on the given node.
    fn container_on(&self, container: OwnContainer, node: u32) -> Option<u32> {
        self.known_own(container).filter(|index| self.containers[*index].node == node)
    }

    pub(crate) fn launch(&mut self, index: u32) {
        self.containers[index].launched = true;
    }

    /// Grants of this worker, ever.
    fn granted(&self) -> u64 {
        // ORDERING: Relaxed. This thread alone writes it.
        self.shared.counters[self.worker].granted.load(Ordering::Relaxed)
    }
}
