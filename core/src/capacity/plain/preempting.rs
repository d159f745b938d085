//! Rounds of the preemption policy, and what they lead to (rules/capacity.md 25).

use super::killable::{as_candidate, as_container};
use super::state::{Node, Plain, Refused, Reserved};
use crate::capacity::arith::Arith;
use crate::capacity::asks::ANY;
use crate::capacity::bounds::Bounds;
use crate::capacity::leaf::Leaf;
use crate::capacity::order::AppRank;
use crate::capacity::preempted::{Candidate, Facts, HeldIn, Live, NodeIn, OnNode, Preempted};
use crate::capacity::preemption::ByPriority;
use crate::capacity::tree::QueueNode;
use crate::capacity::users::Users;
use crate::capacity::victims::{Chooser, is_let_run, is_remembered};
use crate::config::capacity::AppOrdering;
use crate::id::ContainerNumber;
use crate::resource::Resource;
use serde_json::{Map, Value, json};

impl Plain {
    /// One round; then what it has sent takes effect.
    pub(super) fn preempt(&mut self, shown: &mut Map<String, Value>) -> Result<(), Refused> {
        let settings = self.preemption.clone();
        let scheduler = self.tree.file.settings();
        let for_higher = scheduler.underutilized_preemption.then_some(ByPriority {
            now_ms: self.now_ms,
            delay_ms: scheduler.underutilized_preemption_delay_ms,
            moves: scheduler.underutilized_preemption_moves_reservations,
        });
        let chosen = Chooser { world: self }.choose(&settings, for_higher);
        if settings.observe_only {
            return Ok(());
        }
        let (mut marks, mut kills) = (Vec::new(), Vec::new());
        for (candidate, wait) in &chosen.containers {
            match self.marked.get(candidate) {
                Some(since) if is_let_run(*since, *wait, self.now_ms) => {
                    self.marked.remove(candidate);
                    kills.push(*candidate);
                }
                Some(_) => {}
                None => {
                    self.marked.insert(*candidate, self.now_ms);
                    marks.push(*candidate);
                }
            }
        }
        let (now, wait) = (self.now_ms, settings.max_wait_before_kill_ms);
        self.marked.retain(|_, since| is_remembered(*since, wait, now));
        if !marks.is_empty() {
            let marks = marks.iter().copied().map(as_container);
            let marks = marks.map(|(app, number)| json!({"app": app, "container": number}));
            shown.insert("marked".to_owned(), marks.collect());
        }
        for (app, number) in chosen.reservations.into_iter().map(as_container) {
            self.end_reservation(app, number);
        }
        for (app, number) in marks.into_iter().map(as_container) {
            if let Some(local) = self.apps.get_mut(&app).filter(|local| local.containers.contains_key(&number)) {
                local.to_tell.insert(number);
            }
        }
        kills.into_iter().for_each(|candidate| self.kill_or_mark(candidate));
        Ok(())
    }
}

impl Plain {
    fn held_on(&self, node: &Node) -> Option<HeldIn> {
        let (app, number) = node.reservation?;
        let local = self.app(app);
        let made = local.reservations.iter().find(|made| made.number == number)?;
        let would_do_elsewhere = local.asks.row(made.key, ANY).is_none_or(|row| row.relax);
        Some(HeldIn {
            candidate: as_candidate(app, number),
            size: made.size,
            since_ms: made.since_ms,
            may_move: would_do_elsewhere && !made.has_moved,
        })
    }
}

impl Preempted for Plain {
    type Place = usize;

    fn arith(&self) -> Arith {
        self.arith
    }

    fn cluster(&self) -> Resource {
        self.cluster
    }

    fn minimum(&self) -> Resource {
        self.minimum
    }

    fn queues(&self) -> Vec<u32> {
        self.tree.slots().to_vec()
    }

    fn node(&self, slot: u32) -> &QueueNode {
        self.tree.get(slot)
    }

    fn is_leaf(&self, slot: u32) -> bool {
        self.leaves[slot as usize].is_some()
    }

    fn used(&self, slot: u32) -> Resource {
        self.counts[slot as usize].used
    }

    fn reserved(&self, slot: u32) -> Resource {
        self.counts[slot as usize].reserved
    }

    fn nodes(&self, all: bool) -> Vec<NodeIn<usize>> {
        let as_seen = |(at, node): (usize, &Option<Node>)| {
            let node = node.as_ref()?;
            let held = self.held_on(node);
            if held.is_none() && !all {
                return None;
            }
            let live = self.apps.iter().flat_map(|(app, local)| {
                let here = local.containers.iter().filter(move |(_, container)| container.node == at);
                here.map(|(number, container)| (container.made, (*app, *number), container.size, container.am, None))
            });
            let left = self.lingering.iter().filter(|(_, left)| left.node == at);
            let left = left.map(|(id, left)| (left.made, *id, left.size, left.am, Some(left.leaf)));
            let mut here: Vec<_> = live.chain(left).collect();
            here.sort_by_key(|(made, ..)| *made);
            let on_node = |(_, (app, number), size, am, leaf)| {
                let candidate = as_candidate(app, number);
                OnNode { candidate, size, am, killable: node.killable.has(candidate), leaf }
            };
            Some(NodeIn {
                place: at,
                free: node.free,
                killable: node.killable.sum(),
                held,
                containers: here.into_iter().map(on_node).collect(),
            })
        };
        self.nodes.iter().enumerate().filter_map(as_seen).collect()
    }

    fn move_reservation(&mut self, held: &HeldIn, from: &usize, to: &usize) {
        let (app, number) = as_container(held.candidate);
        let reservations = &mut self.app_mut(app).reservations;
        let Some(at) = reservations.iter().position(|made| made.number == number) else { return };
        let made = reservations.remove(at);
        reservations.push(Reserved { node: *to, has_moved: true, ..made });
        self.node_mut(*from).reservation = None;
        self.node_mut(*to).reservation = Some((app, number));
    }

    fn used_capacity(&self, slot: u32) -> f32 {
        self.counts[slot as usize].used_capacity
    }

    fn killable_in(&self, slot: u32) -> Resource {
        Plain::killable_in(self, slot)
    }

    fn is_killable(&self, candidate: Candidate) -> bool {
        Plain::is_killable(self, candidate)
    }

    fn leaf(&self, slot: u32) -> &Leaf {
        Plain::leaf(self, slot)
    }

    fn users_mut(&mut self, slot: u32) -> &mut Users {
        &mut self.leaf_mut(slot).users
    }

    fn user_weight(&self, slot: u32, user: &str) -> f32 {
        self.tree.user_weight(slot, user)
    }

    fn bounds(&self, slot: u32) -> Bounds {
        Plain::bounds(self, slot)
    }

    fn ordering(&self, slot: u32) -> AppOrdering {
        Plain::ordering(self, slot)
    }

    fn reorder(&mut self, slot: u32) {
        Plain::reorder(self, slot);
    }

    fn app(&self, app: u32) -> Facts {
        let app = Plain::app(self, app);
        Facts {
            user: app.user.clone(),
            priority: app.priority,
            am: app.am,
            waits_for_am: app.managed && !app.has_am,
            used: app.used,
            reserved: app.reserved,
            pending: app.asks.pending().amount(),
        }
    }

    fn rank(&self, app: u32) -> AppRank {
        Plain::rank(self, app)
    }

    fn leaf_of(&self, app: u32) -> Option<u32> {
        self.apps.get(&app).map(|app| app.leaf)
    }

    fn has_moved_along(&self, candidate: Candidate) -> bool {
        let (app, number) = as_container(candidate);
        number < Plain::app(self, app).moved_below
    }

    fn containers(&self, app: u32) -> Vec<Live> {
        let containers = Plain::app(self, app).containers.iter();
        let live = containers.map(|(number, container)| Live {
            number: ContainerNumber::granted(1, 0, *number),
            size: container.size,
            priority: container.priority,
            am: container.am,
        });
        live.collect()
    }

    fn reservations(&self, app: u32) -> Vec<(ContainerNumber, Resource)> {
        Plain::app(self, app)
            .reservations
            .iter()
            .map(|made| (ContainerNumber::granted(1, 0, made.number), made.size))
            .collect()
    }
}
