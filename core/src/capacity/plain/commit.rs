//! A proposal becomes a container, a reservation, or nothing (rules/capacity.md 18).

use super::state::{Container, Plain, Reserved};
use crate::app::Locality;
use crate::capacity::allocator::Chosen;
use crate::capacity::asks::ANY;
use crate::resource::{Resource, Wide};
use serde_json::json;

/// What a pass has chosen.
#[derive(Clone, Debug)]
pub(super) struct Proposal {
    pub(super) app: u32,
    pub(super) key: i32,
    pub(super) node: usize,
    pub(super) chosen: Chosen,
    /// The reservation in hand: it becomes the container, or stays.
    pub(super) converts: Option<u32>,
    /// A reservation on another node that is given up for it.
    pub(super) gives_up: Option<u32>,
    /// Killable containers that have to go.
    pub(super) kills: Vec<(u32, u32)>,
}

impl Plain {
    pub(super) fn commit(&mut self, proposal: &Proposal) {
        if self.accepts(proposal) {
            self.apply(proposal);
        }
    }

    /// Whether a proposal still holds: all that it rests on is looked at once more (rules/capacity.md 18.1).
    fn accepts(&mut self, proposal: &Proposal) -> bool {
        let Proposal { app, key, node, chosen, converts, gives_up, kills } = proposal;
        let (arith, cluster) = (self.arith, self.cluster);
        let at = self.node(*node);
        let mut killed = Resource::ZERO;
        for (of, number) in kills {
            let live = self.apps.get(of).and_then(|app| app.containers.get(number));
            let Some(container) = live else { return false };
            killed = killed.plus(&container.size);
        }
        let given_up = match gives_up {
            Some(number) => {
                let made = self.app(*app).reservations.iter().find(|made| made.number == *number);
                made.map_or(Resource::ZERO, |made| made.size)
            }
            None => Resource::ZERO,
        };
        let released = given_up.plus(&killed);
        if chosen.allocated {
            let wanted = |location: &str| self.app(*app).asks.row(*key, location).is_some_and(|row| row.count > 0);
            let still = match chosen.locality {
                Locality::Node => wanted(&at.name) && wanted(&at.rack) && wanted(ANY),
                Locality::Rack => wanted(&at.rack) && wanted(ANY),
                Locality::OffSwitch => wanted(ANY),
            };
            if !still || !arith.fits_in(&chosen.size, &at.free.plus(&killed)) {
                return false;
            }
        }
        if converts.is_some() {
            return true;
        }
        let (leaf, user) = (self.app(*app).leaf, self.app(*app).user.clone());
        let Some(limit) = self.user_limit_and_publish(leaf, *app) else { return false };
        let Some(used) = self.leaf(leaf).users.get(&user).map(|user| user.used) else { return false };
        if arith.is_greater(&cluster, &used.minus(&released), &limit) {
            return false;
        }
        let net = chosen.size.minus(&released);
        self.tree
            .path(leaf)
            .all(|queue| arith.fits_in(&self.counts[queue as usize].used.plus(&net), self.tree.get(queue).maximum()))
    }

    /// A proposal that holds comes into force: books are charged, what it replaces ends (rules/capacity.md 18.2).
    fn apply(&mut self, proposal: &Proposal) {
        let Proposal { app, key, node, chosen, converts, gives_up, .. } = *proposal;
        if self.app(app).asks.row(key, ANY).is_none_or(|row| row.count <= 0) {
            return;
        }
        if !chosen.allocated && converts.is_some() {
            *self.app_mut(app).re_reservations.entry(key).or_default() += 1;
            return;
        }
        let number = converts.unwrap_or_else(|| {
            let local = self.app_mut(app);
            local.last_number += 1;
            local.last_number
        });
        let leaf = self.app(app).leaf;
        if chosen.allocated {
            let size = match converts {
                Some(number) => self.take_off(app, number).map_or(chosen.size, |made| made.size),
                None => chosen.size,
            };
            self.make_container(proposal, number, size);
        } else {
            let since_ms = self.now_ms;
            let local = self.app_mut(app);
            local.reservations.push(Reserved { number, node, key, size: chosen.size, since_ms, has_moved: false });
            local.reserved = local.reserved.plus(&chosen.size);
            local.re_reservations.remove(&key);
            self.node_mut(node).reservation = Some((app, number));
            self.add_reserved_by_apps(leaf, &chosen.size);
        }
        for (of, number) in &proposal.kills {
            // Those of its own leaf stay.
            if self.apps.get(of).is_some_and(|other| other.leaf != leaf) {
                self.end_container(*of, *number, false);
            }
        }
        if let Some(number) = gives_up {
            self.end_reservation(app, number);
        }
        if converts.is_none() {
            let user = self.app(app).user.clone();
            self.charge_leaf(leaf, &user, &chosen.size, 1);
            self.note_reorder(app);
        }
        if !chosen.allocated {
            self.add_reserved(leaf, &chosen.size);
        }
        if converts.is_none() {
            let above: Vec<u32> = self.tree.path(leaf).skip(1).collect();
            for queue in above {
                self.charge_queue(queue, &chosen.size, 1);
                self.enforce_maximum(queue);
            }
        }
    }

    fn make_container(&mut self, proposal: &Proposal, number: u32, size: Resource) {
        let Proposal { app, key, node, chosen, .. } = *proposal;
        let (host, rack) = (self.node(node).name.clone(), self.node(node).rack.clone());
        self.made += 1;
        let made = self.made;
        let local = self.app_mut(app);
        let (asked, any_size) = local.asks.take(key, chosen.locality, &host, &rack);
        local.used = local.used.plus(&chosen.size);
        let container = Container { node, size, priority: key, am: false, launched: false, made, asked: Some(asked) };
        local.containers.insert(number, container);
        let leaf = local.leaf;
        self.add_pending(leaf, &Wide::ZERO.minus(&(&any_size).into()));
        self.cease_if_idle(app);
        let at = self.node_mut(node);
        at.free = at.free.minus(&size);
        let shown = self.amounts(&size);
        self.allocated.push(json!({"app": app, "container": number, "node": host, "priority": key, "resource": shown}));
        self.new_containers.push((app, number));
    }
}
