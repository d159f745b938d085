//! Nodes: registration, removal, resizing, decommissioning.

use super::part::{ControlPart, Controlled};
use super::present::NodeEntry;
use super::state::{Answer, Control};
use crate::engine::books::ledger::NodeShared;
use crate::engine::intake::reply::Reply;
use crate::engine::intake::to_control::{NewNode, Panicked};
use crate::engine::intake::to_worker::{Internal, Recovery};
use crate::event::refused::{AlreadyExists, Gone, Invalid, Limit, NotFound};
use crate::event::{Named, Refused, SchedulerEvent, check_place};
use crate::id::NodeId;
use crate::resource::{MAX_TYPES, Resource};
use crate::sync::Arc;

impl<D: Controlled> Control<D> {
    /// Which worker gets a node: the one that has its rack, so that nobody else writes the rack's counts, unless that
    /// one has clearly more than its part; then the one with the fewest.
    fn choose_owner(&mut self, rack: u32) -> Option<usize> {
        let alive = |worker: &usize| !self.shared.is_dead(*worker);
        let fewest = (0..self.loads.len()).filter(alive).min_by_key(|worker| self.loads[*worker])?;
        let owner = *self
            .rack_owner
            .entry(rack)
            .and_modify(|owner| *owner = Some(*owner).filter(alive).unwrap_or(fewest))
            .or_insert(fewest);
        Some(if self.loads[owner] > self.loads[fewest] + self.loads[fewest] / 4 + 64 { fewest } else { owner })
    }

    fn check_types(&self, name: &str, total: &Resource) -> Result<(), Refused> {
        let types = self.shared.types;
        if (types..MAX_TYPES).any(|lane| total.get(lane) != 0) {
            return Err(Invalid::UnknownType { name: name.to_owned(), total: Box::new(*total), types }.into());
        }
        Ok(())
    }

    /// A node on which nothing runs.
    pub(crate) fn add_node(&mut self, new: &NewNode) -> Result<Arc<NodeShared>, Refused> {
        self.add_node_with(new, Vec::new())
    }

    /// A node with containers that run on it. Who waits for the answer about one that is not taken over has it first.
    pub(crate) fn add_node_with(
        &mut self,
        new: &NewNode,
        mut running: Vec<Recovery>,
    ) -> Result<Arc<NodeShared>, Refused> {
        let NewNode { name, rack, total, port: _ } = new;
        check_place(Named::Node, name)?;
        check_place(Named::Rack, rack)?;
        self.check_types(name, total)?;
        self.nodes.check(name, total, &Resource::ZERO)?;
        let shared = self.shared.clone();
        // An ask has one name for a place: no node may be called as a rack is.
        let taken =
            |what, name: &str, why| Err(Refused::Invalid(Invalid::PlaceName { what, name: name.to_owned(), why }));
        if name == rack {
            return taken(Named::Node, name, "its rack has it");
        }
        let number_of = |name: &str| shared.locations.intern(name).ok_or(Refused::Limit(Limit::TooManyPlaces));
        let name_location = number_of(name)?;
        if self.nodes.has_name(name_location) {
            return Err(AlreadyExists::Node(name.clone()).into());
        }
        if self.racks.contains_key(&name_location) {
            return taken(Named::Node, name, "a rack has it");
        }
        let rack_location = number_of(rack)?;
        if self.nodes.has_name(rack_location) {
            return taken(Named::Rack, rack, "a node has it");
        }
        let owner = self.choose_owner(rack_location).ok_or(Gone::AllWorkers)?;
        // The node is not counted yet.
        let mut beside = *total;
        running.retain(|recovery| self.admit_running(name, recovery, &mut beside));
        if !running.is_empty() {
            // Their applications stand in their leaves before the worker hears of them.
            self.publish();
        }
        let node = NodeShared::new(
            shared.scheduler,
            NodeId(self.nodes_made),
            name,
            rack,
            name_location,
            rack_location,
            owner,
            self.places[owner].take(),
            total,
        );
        let node = Arc::new(if shared.node_stops { node.with_stops() } else { node });
        self.nodes_made += 1;
        self.loads[owner] += 1;
        self.nodes.add(node.clone(), *total);
        self.nodes.take_over(&node, &beside.minus(total));
        shared.nodes.lock().add(node.clone(), new.hash());
        *Arc::make_mut(&mut self.racks).entry(rack_location).or_insert(0) += 1;
        let label = self.label_of_new(new, &node, total);
        self.to_worker(owner, Internal::AddNode { node: node.clone(), total: *total, label, running });
        self.cluster_changed();
        self.update_due = true;
        self.tell_label_of(&node);
        Ok(node)
    }

    pub(super) fn entry(&mut self, node: &NodeShared) -> Option<&mut NodeEntry> {
        self.nodes.find(node)
    }

    pub(crate) fn begin_remove_node(
        &mut self,
        node: &Arc<NodeShared>,
        reply: Option<Reply<Result<(), Refused>>>,
    ) -> Result<(), Refused> {
        if !self.nodes.begin_to_close(node, reply.into_iter().collect()) {
            return Err(NotFound::Node(node.name.to_string()).into());
        }
        node.set_gone();
        self.to_worker(node.owner, Internal::RemoveNode(node.clone()));
        Ok(())
    }

    /// A worker has panicked: the nodes that it had leave the cluster, and may register again.
    pub(super) fn worker_panicked(&mut self, panicked: Panicked) {
        let Panicked { worker, message, nodes, goes_on } = panicked;
        for node in &nodes {
            node.set_gone();
            self.node_closed(node, true);
        }
        if !goes_on {
            D::Control::worker_given_up(self, worker);
        }
        let nodes = nodes.iter().map(|node| node.name.to_string()).collect();
        if let Some(events) = self.events.clone() {
            let event = SchedulerEvent::WorkerPanicked { worker, message, nodes, goes_on };
            // Who is told finds them gone.
            self.answers.push(Answer(Box::new(move || events.put(event))));
        }
    }

    /// The owner has ended what ran on it: the node leaves the cluster.
    pub(super) fn node_closed(&mut self, node: &Arc<NodeShared>, place_is_free: bool) {
        let Some(entry) = self.nodes.remove(node.id) else { return };
        if place_is_free {
            self.places[node.owner].give_back(node);
        }
        self.shared.nodes.lock().remove(node.id);
        self.loads[node.owner] -= 1;
        let racks = Arc::make_mut(&mut self.racks);
        if let Some(count) = racks.get_mut(&node.rack_location) {
            *count -= 1;
            if *count == 0 {
                racks.remove(&node.rack_location);
                self.rack_owner.remove(&node.rack_location);
            }
        }
        self.forget_label_of(node);
        self.cluster_changed();
        self.update_due = true;
        self.tell_no_label();
        for reply in entry.closing.into_iter().flatten() {
            self.answer(reply, Ok(()));
        }
    }

    /// Gives a node another total. `kill`: what no longer fits ends at once (Hadoop's overcommit timeout of 0).
    pub(crate) fn set_total(&mut self, node: &Arc<NodeShared>, total: Resource, kill: bool) -> Result<(), Refused> {
        if self.entry(node).is_none() {
            return Err(NotFound::Node(node.name.to_string()).into());
        }
        self.check_types(&node.name, &total)?;
        self.nodes.check_resize(node, &total)?;
        let is_another = self.nodes.resize(node, total);
        if is_another {
            self.shared.nodes.lock().put_again(node.id);
            self.resize_label_of(node, &total);
            self.to_worker(node.owner, Internal::ResizeNode { node: node.clone(), total, kill });
        }
        // As in Hadoop, who says the same once more has what follows from a change worked out too.
        self.cluster_changed();
        if is_another {
            self.tell_no_label();
            self.tell_label_of(node);
            D::Control::resized(self, node, kill);
        }
        Ok(())
    }

    /// A container of an application that is there runs on a node: the owner takes it over, and answers.
    pub(crate) fn recover(&mut self, node: &Arc<NodeShared>, recovery: Recovery) {
        if self.entry(node).is_none() {
            let gone = Refused::NotFound(NotFound::Node(node.name.to_string()));
            let refused = self.known(&recovery.app).err().unwrap_or(gone);
            return recovery.reply.send(Err(refused));
        }
        let mut beside = Resource::ZERO;
        if self.admit_running(&node.name, &recovery, &mut beside) {
            self.nodes.take_over(node, &beside);
            // The application stands in its leaf before the worker hears of it.
            self.publish();
            self.to_worker(node.owner, Internal::Recover(node.clone(), Box::new(recovery)));
        }
    }

    /// Whether a container can be taken over on the node of this name. Who asked is told where not. `beside`: what is
    /// not counted yet, with this container from now on.
    fn admit_running(&mut self, node: &str, recovery: &Recovery, beside: &mut Resource) -> bool {
        let outcome = self.try_admit_running(node, recovery, beside);
        outcome.map_err(|refused| recovery.reply.clone().send(Err(refused))).is_ok()
    }

    fn try_admit_running(&mut self, node: &str, recovery: &Recovery, beside: &mut Resource) -> Result<(), Refused> {
        let Recovery { app, container, reply: _ } = recovery;
        let leaf = self.known(app)?.leaf;
        self.check_types(node, &container.resource)?;
        // As in Hadoop it may be larger than what is configured, and than what its node has left.
        self.nodes.check_running(&container.resource, beside)?;
        // One that has ended too: it may count as the AM.
        *beside = beside.plus(&container.resource);
        // As in Hadoop, whose FairScheduler takes the first that comes back for the AM.
        if app.managed && !app.waits_for_am() && app.am_resource().is_zero() {
            app.set_am_resource(self.shared.types, &container.resource);
            D::Control::am_recovered(self, leaf, &container.resource);
        }
        Ok(())
    }

    pub(crate) fn decommission(&mut self, node: &Arc<NodeShared>) -> Result<(), Refused> {
        let Some(entry) = self.entry(node) else { return Err(NotFound::Node(node.name.to_string()).into()) };
        entry.decommissioned_from.get_or_insert(entry.total);
        self.to_worker(node.owner, Internal::Decommission { node: node.clone(), on: true });
        Ok(())
    }

    /// A decommissioning node stays: it has its total again.
    pub(crate) fn recommission(&mut self, node: &Arc<NodeShared>) -> Result<(), Refused> {
        let Some(entry) = self.entry(node) else { return Err(NotFound::Node(node.name.to_string()).into()) };
        let Some(total) = entry.decommissioned_from.take() else { return Ok(()) };
        self.to_worker(node.owner, Internal::Decommission { node: node.clone(), on: false });
        self.set_total(node, total, true)
    }

    /// The most that one container may have: the configured maximum, no more than the largest node where that counts.
    pub(crate) fn max_allocation(&self) -> Resource {
        let largest = self.nodes.largest().filter(|_| self.shared.largest_node);
        largest.map_or(self.maximum, |largest| self.maximum.least(&largest))
    }

    /// Another configured maximum: what an admin's refresh reads again of the yarn-site properties.
    pub(crate) fn set_maximum(&mut self, maximum: Resource) -> Result<(), Refused> {
        let smallest = self.shared.settings.steps.minimum;
        let fits =
            |lane| maximum.get(lane) >= 0 && (lane >= self.shared.types || smallest.get(lane) <= maximum.get(lane));
        if !(0..MAX_TYPES).all(fits) {
            return Err(Invalid::Maximum { asked: Box::new(maximum), smallest: Box::new(smallest) }.into());
        }
        self.maximum = maximum;
        self.structure_changed = true;
        Ok(())
    }

    /// What the decider makes of the cluster follows it at once.
    pub(crate) fn cluster_changed(&mut self) {
        self.structure_changed = true;
        D::Control::cluster_changed(self);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::hash_order::hash_of_node;

    /// A name `host:port` is the same node to Hadoop as a host with this port.
    #[test]
    fn a_port_stands_in_the_name_or_beside_it() {
        let new = |name: &str| NewNode::new(name, "/r", Resource::ZERO);
        assert_eq!(new("h:8041").hash(), new("h").with_port(8041).hash());
        assert_eq!(new("h:8041").hash(), new("h:8041").with_port(8041).hash());
        assert_eq!(new("h").hash(), new("h").with_port(0).hash());
        assert_ne!(new("h").hash(), new("h").with_port(1).hash());
        assert_eq!(new("h:x").hash(), hash_of_node("h:x", 0));
    }
}
