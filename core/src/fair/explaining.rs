//! Why an application waits, as a worker sees it: what a pass over each of its nodes would find, without one.
//!
//! Run by a worker between two messages, for who asks. The application is looked at as if nobody came before it; who
//! does, by the policy, is told besides. Decisions stay as they are: visits that are missed are counted, as the next
//! pass would, and no visit is added.
//!
//! O(nodes × request keys), and O(siblings) on each level for who comes first.

use crate::app::{Reason, merge};
use crate::engine::books::ledger::{AppShared, NodeShared};
use crate::engine::proposal::Proposal;
use crate::fair::decision::Obstacle;
use crate::fair::engine::Shard;
use crate::fair::reasons::{FairReason, FairWait};
use crate::id::NONE;
use crate::policy::Schedulable;
use std::cmp::Ordering;

/// What a worker finds.
#[derive(Debug, Default)]
pub(crate) struct Waits {
    /// What stands whatever the node, and who comes first.
    whole: Vec<FairReason>,
    /// Of its own nodes.
    on_nodes: Vec<FairReason>,
    /// How many of its nodes were looked at.
    nodes: usize,
}

impl Waits {
    /// What several workers have found, together: whoever has the application first.
    pub(crate) fn together(found: impl IntoIterator<Item = Waits>) -> Vec<FairReason> {
        let (mut whole, mut on_nodes, mut nodes) = (Vec::new(), Vec::new(), 0);
        for waits in found {
            nodes += waits.nodes;
            merge(&mut whole, waits.whole);
            merge(&mut on_nodes, waits.on_nodes);
        }
        if nodes == 0 && whole.is_empty() {
            whole.push(Reason::for_any_node(FairWait::NoNode));
        }
        whole.extend(on_nodes);
        whole
    }
}

fn is_promise(wait: &FairWait) -> bool {
    matches!(wait, FairWait::Offer | FairWait::WillReserve { .. })
}

type OnNode = (Option<(i32, i64)>, FairWait);

impl Shard {
    /// Why a runnable application waits; of one node, or of all of this worker's.
    pub(crate) fn why_waiting(&mut self, app: &AppShared, node: Option<&NodeShared>) -> Waits {
        let mut waits = Waits::default();
        let Some(local) = self.find_app(app.slot).filter(|local| !local.closed && local.leaf != NONE) else {
            return waits;
        };
        let index = local.slot.index;
        let nodes = match node {
            Some(node) => self.place_of(node).into_iter().collect(),
            None => self.nodes.present().map(|(node, _)| node).collect::<Vec<_>>(),
        };
        waits.nodes = nodes.len();
        let not_offered = self.why_not_offered(index);
        for at in nodes {
            let name = self.nodes[at as usize].shared.name.clone();
            let found = self.why_not_on(index, at, not_offered.is_none());
            let found = found.into_iter().map(|(key, wait)| Reason::on(&name, key, wait));
            merge(&mut waits.on_nodes, found);
        }
        let promised = waits.on_nodes.iter().any(|reason| is_promise(&reason.wait));
        waits.whole.extend(not_offered.map(|why| Reason::for_any_node(FairWait::NotOffered(why))));
        if promised && waits.whole.is_empty() {
            waits.whole.extend(self.sibling_ahead(index).map(Reason::for_any_node));
        }
        waits
    }

    /// What stands against it on a node. One that is offered nothing is served by what is owed to it and what is
    /// reserved for it alone.
    fn why_not_on(&mut self, app: u32, node: u32, is_offered: bool) -> Vec<OnNode> {
        if self.containers_left_on(node) == 0 {
            let most = self.shared.decider.settings.max_containers_per_node;
            return vec![(None, FairWait::MostContainers { most })];
        }
        let local = self.app(app);
        let at = &self.nodes[node as usize];
        if at.own.owes(local) && self.is_still_owed(local.slot) && !self.over_am_share(app) {
            let found = self.why_keys_wait(app, node);
            if found.iter().any(|(_, wait)| is_promise(wait)) {
                return found;
            }
        }
        let at = &self.nodes[node as usize];
        if let Some(made) = at.reservation
            && self.is_valid(&made, node).is_ok()
        {
            let free = at.free;
            let other = self.find_app(made.app).map_or(0, |other| other.number);
            if made.app.index != app {
                return is_offered.then_some((None, FairWait::NodeReserved { app: other })).into_iter().collect();
            }
            let key = Some((made.key.priority, made.key.allocation_request_id));
            if !made.size.fits_in(&free) {
                return vec![(key, FairWait::Reserved { asked: made.size, free })];
            }
            let index = self.key_index(app, made.key).expect("the reservation stands");
            return vec![(key, self.why_key_waits(app, index, node, true).0)];
        }
        if !is_offered {
            return Vec::new();
        }
        let lists = self.app(app).blacklists.as_ref();
        if lists.is_some_and(|lists| {
            lists.forbid(self.nodes[node as usize].shared.locations(), self.app(app).waits_for_am())
        }) {
            return vec![(None, FairWait::Blacklisted)];
        }
        self.why_keys_wait(app, node)
    }

    /// Of each key that has something outstanding, in the order in which they are tried.
    fn why_keys_wait(&mut self, app: u32, node: u32) -> Vec<OnNode> {
        let (mut found, mut is_over) = (Vec::new(), false);
        for index in 0..self.app(app).keys.len() {
            let key = &self.app(app).keys[index];
            if key.visible(self.worker) == 0 {
                continue;
            }
            let id = Some((key.id().priority, key.id().allocation_request_id));
            if is_over {
                found.push((id, FairWait::KeyBefore));
                continue;
            }
            let (wait, tried) = self.why_key_waits(app, index, node, false);
            is_over = tried;
            found.push((id, wait));
        }
        found
    }

    /// Of one key; and whether it is tried there, so that none behind it is.
    fn why_key_waits(&mut self, app: u32, index: usize, node: u32, reserved: bool) -> (FairWait, bool) {
        let local = self.app(app);
        let key = &local.keys[index];
        let (asked, outstanding) = (key.size, key.visible(self.worker));
        let wanted = self.wanted_here(local, key, outstanding, &self.nodes[node as usize]);
        let obstacle = |obstacle| FairWait::Obstacle { asked, obstacle };
        if let Err(unwanted) = wanted
            && !reserved
        {
            return (obstacle(self.obstacle_of(app, &asked, node, unwanted)), false);
        }
        let (allowed, opportunities) = self.allowed_at(app, index);
        let key = &self.app(app).keys[index];
        let at = &self.nodes[node as usize];
        let Some((locality, size)) = key.nearest(outstanding, at.shared.locations(), allowed) else {
            return (obstacle(self.too_far(app, index, node, allowed, opportunities)), false);
        };
        let (size, free) = (*size, at.free);
        if size.fits_in_types(self.types, &free) {
            return (FairWait::Offer, true);
        }
        let proposal = Proposal { app, key: index, node, locality, size, reserved };
        // One that does not stand any more is given up before.
        let wait = match self.may_reserve(&proposal, !reserved) {
            Ok(()) => FairWait::WillReserve { asked: size, free },
            Err(unreserved) => {
                let not_reserved = self.not_reserved(app, unreserved);
                obstacle(Obstacle::DoesNotFit { size, free, locality, not_reserved })
            }
        };
        (wait, true)
    }

    /// Of the application and the queues above it, the one nearest to root that a sibling comes before.
    fn sibling_ahead(&self, app: u32) -> Option<FairWait> {
        let (mut behind, mut child) = (None, None);
        let mut at = self.app(app).leaf;
        while at != NONE {
            let queue = self.queue(at);
            let found = match child {
                None => self.first_app(at).filter(|first| *first != app).map(|first| {
                    let number = |app: u32| format!("application {}", self.app(app).number);
                    let precedence = self.precedence(at, &self.app(first).schedulable(), &self.app(app).schedulable());
                    FairWait::Behind { first: number(first), second: number(app), precedence }
                }),
                Some(child) => self.first_queue(at).filter(|first| *first != child).map(|first| {
                    let name = |queue: u32| self.queue(queue).snapshot.name.to_string();
                    let precedence =
                        self.precedence(at, &self.queue(first).schedulable(), &self.queue(child).schedulable());
                    FairWait::Behind { first: name(first), second: name(child), precedence }
                }),
            };
            behind = found.or(behind);
            (child, at) = (Some(at), queue.parent);
        }
        behind
    }

    fn compare(&self, parent: u32, first: &Schedulable<'_>, second: &Schedulable<'_>) -> Ordering {
        self.queue(parent).snapshot.own.policy.compare(&self.cluster, first, second)
    }

    /// Of a leaf's applications with pending demand, the first by its policy.
    fn first_app(&self, leaf: u32) -> Option<u32> {
        let pending = self.queue(leaf).own.order.children().filter(|app| self.app(*app).is_pending());
        pending.min_by(|a, b| self.compare(leaf, &self.app(*a).schedulable(), &self.app(*b).schedulable()))
    }

    /// Of a queue's children, the first by its policy.
    fn first_queue(&self, parent: u32) -> Option<u32> {
        let children = self.queue(parent).snapshot.children.iter().copied();
        let present = children.filter(|child| self.queues[*child as usize].is_some());
        present.min_by(|a, b| self.compare(parent, &self.queue(*a).schedulable(), &self.queue(*b).schedulable()))
    }
}
