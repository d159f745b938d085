//! How containers and reservations end, and nodes go (rules/capacity.md 20).

use super::killable::as_candidate;
use super::state::{Container, Lingering, Plain, Refused, Reserved};
use crate::config::capacity::AppOrdering;
use crate::resource::Resource;

impl Plain {
    fn known(&self, app: u32) -> Result<(), Refused> {
        if self.apps.contains_key(&app) || self.gone.contains_key(&app) {
            Ok(())
        } else {
            Err(Refused::new("no-such-app"))
        }
    }

    fn is_live(&self, app: u32, container: u32) -> bool {
        self.apps.get(&app).is_some_and(|app| app.containers.contains_key(&container))
    }

    pub(super) fn launch(&mut self, app: u32, container: u32) -> Result<(), Refused> {
        self.known(app)?;
        if !self.is_live(app, container) {
            return Err(Refused::new("no-such-container"));
        }
        self.acquire(app);
        if let Some(container) = self.app_mut(app).containers.get_mut(&container) {
            container.launched = true;
        }
        Ok(())
    }

    /// The node says that a container has finished.
    pub(super) fn complete(&mut self, app: u32, container: u32) -> Result<(), Refused> {
        self.known(app)?;
        if self.is_live(app, container) {
            self.acquire(app);
            self.end_container(app, container, true);
        } else if !self.lingering.contains_key(&(app, container)) {
            return Err(Refused::new("no-such-container"));
        }
        if let Some(left) = self.lingering.remove(&(app, container)) {
            let node = self.node_mut(left.node);
            node.free = node.free.plus(&left.size);
            node.killable.remove(as_candidate(app, container));
        }
        Ok(())
    }

    /// The end of a container or a reservation. One that its AM has not seen gives its asks back, unless `gives_back` is false.
    pub(super) fn end_container(&mut self, app: u32, container: u32, gives_back: bool) {
        if self.apps.get(&app).is_some_and(|app| app.reservations.iter().any(|made| made.number == container)) {
            self.end_reservation(app, container);
            return;
        }
        let Some(local) = self.apps.get_mut(&app) else { return };
        let Some(ended) = local.containers.remove(&container) else { return };
        let leaf = local.leaf;
        local.to_tell.remove(&container);
        local.used = local.used.minus(&ended.size);
        self.ended.insert((app, container));
        if ended.launched {
            let Container { node, size, am, made, .. } = ended;
            self.lingering.insert((app, container), Lingering { node, size, am, made, leaf });
        } else {
            let node = self.node_mut(ended.node);
            node.free = node.free.plus(&ended.size);
            node.killable.remove(as_candidate(app, container));
        }
        self.usage_lost(app, &ended.size);
        self.not_killable_any_more(leaf, as_candidate(app, container));
        if let Some(asked) = ended.asked.filter(|_| gives_back) {
            let replaced = self.app_mut(app).asks.give_back(ended.priority, &asked);
            self.asks_replaced(app, replaced);
        }
    }

    /// Leaf and ancestors lose a charge; the leaf's policy is told.
    fn usage_lost(&mut self, app: u32, size: &Resource) {
        self.note_reorder(app);
        let (leaf, user) = (self.app(app).leaf, self.app(app).user.clone());
        let negative = Resource::ZERO.minus(size);
        self.charge_leaf(leaf, &user, &negative, -1);
        self.charge_above(leaf, &negative, -1);
    }

    /// A fair leaf puts the application in its place anew before it is asked next.
    pub(super) fn note_reorder(&mut self, app: u32) {
        let leaf = self.app(app).leaf;
        if matches!(self.ordering(leaf), AppOrdering::Fair { .. }) {
            self.leaf_mut(leaf).to_reorder.insert((app, app));
        }
    }

    /// A reservation is taken off its application, its node and the reserved amounts; what it is charged stays.
    pub(super) fn take_off(&mut self, app: u32, number: u32) -> Option<Reserved> {
        let local = self.apps.get_mut(&app)?;
        let at = local.reservations.iter().position(|made| made.number == number)?;
        let made = local.reservations.remove(at);
        local.reserved = local.reserved.minus(&made.size);
        local.re_reservations.remove(&made.key);
        let leaf = local.leaf;
        if let Some(node) = &mut self.nodes[made.node] {
            node.reservation = None;
        }
        let negative = Resource::ZERO.minus(&made.size);
        self.add_reserved(leaf, &negative);
        self.add_reserved_by_apps(leaf, &negative);
        Some(made)
    }

    pub(super) fn end_reservation(&mut self, app: u32, number: u32) {
        if let Some(made) = self.take_off(app, number) {
            self.usage_lost(app, &made.size);
        }
    }

    pub(super) fn remove_node(&mut self, name: &str) -> Result<(), Refused> {
        let at = self.find_node(name)?;
        let here = self.apps.iter().flat_map(|(app, local)| {
            let of_node = local.containers.iter().filter(|(_, container)| container.node == at);
            of_node.map(|(number, _)| (*app, *number))
        });
        for (app, number) in here.collect::<Vec<_>>() {
            self.end_container(app, number, true);
        }
        if let Some((app, number)) = self.node(at).reservation {
            self.end_reservation(app, number);
        }
        self.lingering.retain(|_, left| left.node != at);
        let total = self.node(at).total;
        self.nodes[at] = None;
        self.cluster = self.cluster.minus(&total);
        self.cluster_changed();
        Ok(())
    }
}
