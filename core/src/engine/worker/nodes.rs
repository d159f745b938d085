//! A worker's nodes come, go, and get another total.
//!
//! # Where it stands
//! Called by [`handling`](crate::engine::worker::handling) with a message of the control. What runs on a node that goes
//! ends here.

use crate::engine::books::ledger::NodeShared;
use crate::engine::decider::Decider;
use crate::engine::intake::to_control::ControlMessage;
use crate::engine::mail::container::EndReason;
use crate::engine::records::containers::MADE_ROOM_FOR;
use crate::engine::records::node::Node;
use crate::engine::shard::Shard;
use crate::id::{LabelId, NONE};
use crate::resource::Resource;
use crate::sync::Arc;
use smallvec::SmallVec;

/// The most records of containers that are made for a node when it registers.
const RECORDS_OF_A_NODE: usize = 64;

impl<D: Decider> Shard<D> {
    pub(crate) fn add_node(&mut self, shared: Arc<NodeShared>, total: Resource, label: LabelId) {
        let room = most_containers(&total, &self.shared.settings.steps.minimum);
        let records = room.min(RECORDS_OF_A_NODE);
        self.make_records(records);
        let node = Node::new(shared, total, self.shared.clock.now_ms());
        self.nodes.add(Node { containers: preallocated_list(room), records, label, ..node });
        D::nodes_changed(self);
    }

    /// After a panic: a node that was to come, or to go, is gone, and its place is there as the control believes.
    pub(crate) fn give_up_place(&mut self, node: &Arc<NodeShared>) {
        if self.nodes.get(node.local).is_none_or(|at| at.shared.id != node.id) {
            self.nodes.add(Node::new(node.clone(), Resource::ZERO, 0));
            self.nodes.remove(node.local);
        }
    }

    /// There are records for the containers of one more node: a page of memory that is touched for the first time costs
    /// as much as several grants.
    fn make_records(&mut self, of_node: usize) {
        self.node_record_count += of_node;
        self.containers.make_room(self.node_record_count);
        self.shared.arenas[self.worker].make_room(self.node_record_count);
    }

    /// The nodes that are there.
    pub(crate) fn all_nodes(&self) -> Vec<Arc<NodeShared>> {
        self.nodes.present().map(|(_, node)| node.shared.clone()).collect()
    }

    /// The place of a node that is there.
    pub(crate) fn place_of(&self, node: &NodeShared) -> Option<u32> {
        self.nodes.get(node.local).filter(|at| !at.gone && at.shared.id == node.id).map(|_| node.local)
    }

    /// Ends what runs on a node; whether another may have its place then.
    pub(crate) fn remove_node(&mut self, node: &NodeShared) -> bool {
        let Some(node) = self.place_of(node) else {
            // Gone already: whoever told of that has given the place back.
            return false;
        };
        // Taken off the node in one go: one by one each would be looked for, and move those behind it.
        for at in std::mem::take(&mut self.nodes[node as usize].containers) {
            if self.containers[at].fate.is_live() {
                self.end_container(at, EndReason::NodeLost, true);
            } else {
                self.free_room(at);
                self.free_record_if_over(at);
            }
        }
        D::reservation_ends(self, node);
        self.unreserve(node);
        let at = &mut self.nodes[node as usize];
        at.own = D::Node::default();
        self.node_record_count -= at.records;
        self.nodes.remove(node);
        self.publish_free(node);
        D::nodes_changed(self);
        // A record whose kill is still to come names the place: seldom, so a node that goes meanwhile keeps it.
        !(self.shared.settings.preemption && self.containers.name_node(node))
    }

    pub(crate) fn resize_node(&mut self, shared: &Arc<NodeShared>, total: Resource, kill: bool) {
        let Some(place) = self.place_of(shared) else { return };
        let node = &mut self.nodes[place as usize];
        let allocated = node.total.minus(&node.free);
        node.total = total;
        node.free = total.minus(&allocated);
        shared.total.set(self.types, &total);
        if kill {
            D::overcommitted(self, shared.local);
        }
        self.publish_free(shared.local);
        D::nodes_changed(self);
    }

    /// The containers that have to go until what is free on a node fits: those that are no AM first, then the youngest.
    /// One whose end its node has yet to report is among them (rules/assignment.md 13.5).
    pub(crate) fn overcommitted(&self, node: u32, fits: impl Fn(&Resource) -> bool) -> SmallVec<[u32; 4]> {
        let at = &self.nodes[node as usize];
        let mut free = at.free;
        let mut victims: SmallVec<[u32; 4]> = SmallVec::new();
        for am in [false, true] {
            for index in at.containers.iter().rev() {
                let container = &self.containers[*index];
                if container.am == am && !fits(&free) {
                    free = free.plus(self.containers.size(container));
                    victims.push(*index);
                }
            }
        }
        victims
    }

    /// Ends containers until a node's memory is no longer below nothing. What its node knows keeps its room until the
    /// node reports.
    pub(crate) fn kill_overcommitted(&mut self, node: u32) {
        for index in self.overcommitted(node, |free| free.memory_mb() >= 0) {
            // One whose end its node has yet to report counts, and ends but once.
            if self.containers[index].fate.is_live() {
                self.end_container(index, EndReason::Preempted, false);
            }
        }
    }

    /// A decommissioning node has nothing left: told once.
    pub(crate) fn tell_drained(&mut self, node: u32) {
        let at = &mut self.nodes[node as usize];
        if at.decommissioning && at.containers.is_empty() && !std::mem::replace(&mut at.drained, true) {
            let node = at.shared.clone();
            self.tell_control(ControlMessage::NodeDrained(node));
        }
    }

    /// A node that is being emptied: its total follows what is allocated, so nothing more fits.
    pub(crate) fn follow_allocation(&mut self, node: u32) {
        let at = &self.nodes[node as usize];
        let allocated = at.total.minus(&at.free);
        if allocated != at.total {
            self.tell_control(ControlMessage::ResizeNode { node: at.shared.clone(), total: allocated });
        }
    }
}

/// An empty list with room for this many, whose memory has been written to.
fn preallocated_list(room: usize) -> Vec<u32> {
    // Not zeros: those are had without a write.
    let mut list = vec![NONE; room];
    list.clear();
    list
}

/// How many containers of the minimum allocation a node takes, as far as memory for their list is reserved at first.
fn most_containers(total: &Resource, minimum: &Resource) -> usize {
    let of_type =
        |(total, minimum): (&i64, &i64)| (*minimum > 0).then(|| usize::try_from(*total / *minimum).unwrap_or(0));
    let most = total.amounts().iter().zip(minimum.amounts()).filter_map(of_type).min();
    most.unwrap_or(0).min(MADE_ROOM_FOR as usize)
}
