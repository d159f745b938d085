//! Assignment: which container, if any, a node is offered for.
//!
//! # Where it stands
//! `worker` -> **assignment** -> `grant`. Reads the snapshot and the worker's own shard. What a visit changes whether
//! or not a container follows (opportunity counters, locality levels, dropped reservations) belongs to this worker
//! alone and is changed in place; shared state is changed by `grant` only.
//!
//! # Rules
//! Hadoop's `FairScheduler.attemptScheduling`, `FSParentQueue` / `FSLeafQueue.assignContainer`,
//! `FSAppAttempt.assignContainer` and `hasContainerForNode`.
//!
//! # Cost
//! One descent visits the winner of each level: O(depth). A child that declines is taken out of its tree, O(log
//! siblings); until the end of the pass where a second visit could only decline again without effect (room on the node
//! and under limits only shrinks within a pass), else until the end of the descent. Subtrees none of whose asks fits
//! the node or the queue's limit are skipped whole.

use crate::app::SchedulingKey;
use crate::engine::proposal::Proposal;
use crate::engine::records::rows::LocationRows;
use crate::engine::shared::count;
use crate::engine::stage::offer::MAX_GRANTS_PER_HEARTBEAT;
use crate::fair::decision::PassEnd;
use crate::fair::engine::{AppLocal, KeyLocal, Node, QueueLocal, Shard};
use crate::fair::outcome::{Outcome, Unwanted};
use crate::fair::worker::{HasDeclined, Suspended};
use crate::id::ROOT;
use crate::id::{Locality, NONE};
use crate::matching::number::containers_left;
use crate::order::{WinnerTree, java_order};
use crate::resource::{Resource, f64_to_i64};

impl Shard {
    /// One scheduling pass over a node: room owed to starved applications first, then its reservation, then one descent
    /// a container.
    pub(crate) fn schedule(&mut self, node: u32) {
        self.note_pass(node, PassEnd::NothingPlaced);
        self.catch_up();
        let end = self.schedule_within(node);
        self.note_pass_end(end);
        self.end_pass();
        self.refresh_available();
    }

    /// Says why the pass is over.
    fn schedule_within(&mut self, node: u32) -> PassEnd {
        let most_there = self.shared.decider.settings.max_containers_per_node;
        let room = self.containers_left_on(node);
        let most_granted =
            if room <= MAX_GRANTS_PER_HEARTBEAT { PassEnd::MostOfANode(most_there) } else { PassEnd::MostOfAHeartbeat };
        let at_most = self.serve_owed(node, room.min(MAX_GRANTS_PER_HEARTBEAT));
        if at_most == 0 {
            return most_granted;
        }
        if self.nodes[node as usize].reservation.is_some() && self.serve_reservation(node) {
            return PassEnd::Reservation;
        }
        let settings = &self.shared.decider.settings;
        let (multiple, dynamic, most) = (settings.assign_multiple, settings.dynamic_max_assign, settings.max_assign);
        let to_be_left = if multiple && dynamic { self.without_half(node) } else { Resource::ZERO };
        let mut count = 0;
        loop {
            self.note_descent(ROOT);
            let outcome = self.descend_from_root(node);
            self.end_descent();
            self.note_queue_end(outcome);
            match outcome {
                Outcome::Declined => return PassEnd::NothingPlaced,
                Outcome::Reserved => return PassEnd::Reserved,
                Outcome::Placed => count += 1,
            }
            if !multiple {
                return PassEnd::OneContainer;
            } else if dynamic && !to_be_left.fits_in_types(self.types, &self.nodes[node as usize].free) {
                return PassEnd::HalfAssigned;
            } else if !dynamic && most > 0 && count >= most {
                return PassEnd::MaxAssign(most);
            } else if count >= at_most {
                return most_granted;
            }
            if self.must_fold() {
                // The room that the AM share rule sees stays as it was at the start of the pass, as in Hadoop.
                let available = self.own.available;
                self.catch_up();
                self.own.available = available;
            }
        }
    }

    /// So many containers may be granted on a node besides those that it has.
    pub(crate) fn containers_left_on(&self, node: u32) -> i32 {
        containers_left(
            self.nodes[node as usize].containers.len(),
            self.shared.decider.settings.max_containers_per_node,
        )
    }

    /// What a node has free, less the half of it that a pass may assign.
    fn without_half(&self, node: u32) -> Resource {
        let free = &self.nodes[node as usize].free;
        Resource::of_types(self.types, |i| {
            let amount = free.get(i);
            amount.wrapping_sub(f64_to_i64(amount as f64 * 0.5))
        })
    }

    /// Before a choice: what the others have done is folded in, if that is too much to be missed (I8). Those that are
    /// out for the pass are visited again then, to no effect.
    fn catch_up(&mut self) {
        if self.must_fold() {
            self.end_pass();
            self.fold(self.shared.clock.now_ms());
        }
    }

    /// One pass of continuous scheduling: nodes by free memory, largest first; of nodes with equal free memory only the
    /// first to register is visited, as in Hadoop.
    pub(crate) fn continuous_pass(&mut self) {
        let minimum = self.shared.settings.steps.minimum;
        let mut nodes = std::mem::take(&mut self.own.by_free);
        nodes.clear();
        for at in 0..self.nodes.end() {
            let Some(node) = self.nodes.in_order(at) else { continue };
            let memory = self.nodes[node as usize].free.memory_mb();
            if memory >= minimum.memory_mb() {
                nodes.push((memory, node));
            } else {
                self.note_pass(node, PassEnd::BelowMinimum);
            }
        }
        nodes.sort_unstable_by_key(|(memory, node)| (std::cmp::Reverse(*memory), self.nodes[*node as usize].shared.id));
        let mut before = None;
        for (memory, node) in &nodes {
            if before.replace(*memory) == Some(*memory) {
                self.note_pass(*node, PassEnd::SameFreeMemory);
            } else if minimum.fits_in(&self.nodes[*node as usize].free) {
                count(&self.shared.counters[self.worker].offers, 1);
                self.offer_node(*node);
            } else {
                self.note_pass(*node, PassEnd::BelowMinimum);
            }
        }
        self.own.by_free = nodes;
    }

    /// Offers the node to all; mostly the first of the first takes it, and no queue on the way has to be asked.
    fn descend_from_root(&mut self, node: u32) -> Outcome {
        if self.descends_in_vain(node) {
            return Outcome::Declined;
        }
        if let Some(app) = self.first_choice(node) {
            let before = std::mem::replace(&mut self.own.repeatable, false);
            let outcome = self.offer(app, node);
            let repeatable = std::mem::replace(&mut self.own.repeatable, before);
            if outcome != Outcome::Declined {
                return outcome;
            }
            // The walk comes to it first, and goes on from there.
            self.own.has_declined = Some(HasDeclined { app, repeatable });
        }
        let outcome = self.descend(ROOT, node, 0);
        self.own.has_declined = None;
        outcome
    }

    /// The first of the first, where no queue on the way has anything to be looked at before its children: no limit, no
    /// child without a key, nobody who waits for an AM.
    fn first_choice(&self, node: u32) -> Option<u32> {
        if self.shared.decider.resort || !self.may_use(self.queue(ROOT), node) {
            return None;
        }
        let mut at = ROOT;
        loop {
            let queue = self.queue(at);
            if queue.limited
                || queue.own.has_irregular()
                || queue.own.masters().is_some_and(|masters| masters.winner().is_some())
            {
                return None;
            }
            let first = queue.own.order.child(queue.own.order.winner()?);
            if queue.leaf {
                return Some(first);
            }
            at = first;
        }
    }

    /// Whether some ask below a queue may fit the node, or have it reserved, or count the visit.
    #[inline]
    fn may_use(&self, queue: &QueueLocal, node: u32) -> bool {
        queue.own.may_reserve
            || self.own.counts_opportunities
            || queue.own.floor.fits_in_types(self.types, &self.nodes[node as usize].free)
    }

    /// Offers the node to a queue: its most deserving child that can use it.
    fn descend(&mut self, queue: u32, node: u32, depth: usize) -> Outcome {
        let local = self.queue(queue);
        if local.limited && !local.usage.fits_in(&local.snapshot.limit) {
            self.note_above_max_share(queue);
            return Outcome::Declined;
        }
        if local.own.has_irregular() || self.shared.decider.resort {
            return self.descend_sorted(queue, node, depth);
        }
        if local.limited && !local.usage.plus(&local.own.floor).fits_in_types(self.types, &local.snapshot.limit) {
            return Outcome::Declined;
        }
        if !self.may_use(local, node) {
            return Outcome::Declined;
        }
        let leaf = local.leaf;
        let masters = leaf && self.may_start_masters(queue);
        while let Some((position, is_master)) = self.next_child(queue, masters) {
            let before = std::mem::replace(&mut self.own.repeatable, false);
            let child = self.queue(queue).own.order.child(position);
            let outcome = if leaf { self.offer_once(child, node) } else { self.descend(child, node, depth + 1) };
            let repeatable = std::mem::replace(&mut self.own.repeatable, before);
            self.own.repeatable |= repeatable;
            if outcome != Outcome::Declined {
                return outcome;
            }
            let local = self.queue_mut(queue);
            let order = if is_master { local.own.masters_mut() } else { Some(&mut local.own.order) };
            if let Some(order) = order {
                order.suspend(position);
            }
            let out = Suspended { queue, position };
            if repeatable { self.own.out_for_descent.push(out) } else { self.own.out_for_pass.push(out) }
        }
        Outcome::Declined
    }

    /// Whether some AM that a leaf's applications wait for may fit its AM share. Where not, all of them decline without
    /// effect, and need not be visited.
    fn may_start_masters(&self, leaf: u32) -> bool {
        let local = self.queue(leaf);
        if local.own.masters().and_then(WinnerTree::winner).is_none() {
            return false;
        }
        self.am_limit(leaf)
            .is_none_or(|limit| local.snapshot.shared.am_usage.read().plus(&local.own.master_floor).fits_in(&limit))
    }

    /// The most deserving child; of a leaf's two orders, the smaller of their firsts.
    #[inline]
    fn next_child(&self, queue: u32, masters: bool) -> Option<(u32, bool)> {
        let local = self.queue(queue);
        if let Some(waiting) = local.own.masters()
            && masters
            && waiting.first() < local.own.order.first()
        {
            return waiting.winner().map(|position| (position, true));
        }
        local.own.order.winner().map(|position| (position, false))
    }

    /// The same with the children sorted anew, in the order in which Java's tree set would walk them.
    fn descend_sorted(&mut self, queue: u32, node: u32, depth: usize) -> Outcome {
        if self.own.scratch.len() <= depth {
            self.own.scratch.resize_with(depth + 1, Vec::new);
        }
        let mut order = std::mem::take(&mut self.own.scratch[depth]);
        order.clear();
        let local = self.queue(queue);
        let snapshot = &local.snapshot;
        if snapshot.leaf {
            let mut members: Vec<u32> = local.own.order.children().collect();
            members.retain(|app| self.app(*app).is_pending());
            members.sort_unstable_by_key(|app| self.app(*app).sequence);
            let compare = |a, b| {
                snapshot.own.policy.compare(&self.cluster, &self.app(a).schedulable(), &self.app(b).schedulable())
            };
            java_order(members, compare, &mut order);
        } else {
            let members = snapshot.children.iter().copied().filter(|child| self.queues[*child as usize].is_some());
            let compare = |a, b| {
                snapshot.own.policy.compare(&self.cluster, &self.queue(a).schedulable(), &self.queue(b).schedulable())
            };
            java_order(members, compare, &mut order);
        }
        let leaf = snapshot.leaf;
        self.note_children(queue, &order);
        let mut outcome = Outcome::Declined;
        for (place, child) in order.iter().enumerate() {
            self.note_child(place);
            outcome = if leaf { self.offer(*child, node) } else { self.descend(*child, node, depth + 1) };
            self.note_child_end(outcome);
            if outcome != Outcome::Declined {
                break;
            }
        }
        self.own.scratch[depth] = order;
        outcome
    }

    /// Offers the node to an application, unless it has declined already, before the walk.
    fn offer_once(&mut self, app: u32, node: u32) -> Outcome {
        match self.own.has_declined.take() {
            Some(has_declined) if has_declined.app == app => {
                self.own.repeatable = has_declined.repeatable;
                Outcome::Declined
            }
            _ => self.offer(app, node),
        }
    }

    /// Offers the node to one application of a leaf.
    fn offer(&mut self, app: u32, node: u32) -> Outcome {
        let local = self.app(app);
        if let Some(lists) = &local.blacklists
            && lists.forbid(self.nodes[node as usize].shared.locations(), local.waits_for_am())
        {
            self.note_blacklisted();
            return Outcome::Declined;
        }
        // Where there is one key, `assign` sees the same by what it reads anyway.
        if local.keys.len() > 1
            && !local.own.may_reserve
            && !self.shared.decider.resort
            && !self.own.counts_opportunities
            && !local.own.floor.fits_in_types(self.types, &self.nodes[node as usize].free)
        {
            return Outcome::Declined;
        }
        let outcome = self.assign(app, node, None);
        if outcome == Outcome::Declined && self.shared.workers > 1 && !self.app(app).has_open_key() {
            // Others have taken what was asked for: not visited again until the next fold or news of the application.
            let leaf = self.app(app).leaf;
            self.refresh_app(app);
            self.refresh_upwards(leaf);
        }
        outcome
    }

    /// `FSAppAttempt.hasContainerForNode`, for this many outstanding containers of the key.
    #[inline(always)]
    pub(super) fn wanted_here(
        &self,
        app: &AppLocal,
        key: &KeyLocal,
        any_count: u32,
        node: &Node,
    ) -> Result<(), Unwanted> {
        if any_count == 0 {
            return Err(Unwanted::NothingOutstanding);
        }
        if !key.relax || key.named().is_some_and(LocationRows::any_strict) {
            let rack = key.rows().present(node.shared.rack_location);
            let rack_count = rack.map_or(0, |row| row.left());
            let node_count = || key.rows().get(node.shared.name_location).map_or(0, |row| row.left());
            if !key.relax && rack_count == 0 {
                return Err(Unwanted::RackNotAsked);
            }
            if rack_count != 0 && !rack.is_some_and(|row| row.relax()) && node_count() == 0 {
                return Err(Unwanted::NodeNotAsked);
            }
        }
        if !key.size.fits_in_types(self.types, &node.total) {
            return Err(Unwanted::LargerThanNode);
        }
        if app.leaf != NONE && self.queue(app.leaf).limited_path && self.first_full_queue(app.leaf, &key.size).is_some()
        {
            return Err(Unwanted::MaxShare);
        }
        Ok(())
    }

    /// The lowest queue from a leaf on upwards that has no room for one more of a size.
    pub(crate) fn first_full_queue(&self, leaf: u32, size: &Resource) -> Option<u32> {
        let mut at = leaf;
        while at != NONE {
            let queue = self.queue(at);
            if queue.limited && !queue.usage.plus(size).fits_in(&queue.snapshot.limit) {
                return Some(at);
            }
            at = queue.parent;
        }
        None
    }

    /// `FSAppAttempt.assignContainer`: the first key that may be placed here, in their order; whatever its attempt
    /// comes to is the answer.
    pub(crate) fn assign(&mut self, app: u32, node: u32, reserved: Option<SchedulingKey>) -> Outcome {
        if reserved.is_none() && self.over_am_share(app) {
            self.note_am_share(app);
            return Outcome::Declined;
        }
        let local = self.app(app);
        let keys = match reserved {
            Some(key) => match self.key_index(app, key) {
                Some(key) => key..key + 1,
                None => return Outcome::Declined,
            },
            // Who notes reasons wants one of each key.
            None if self.shared.decider.resort => 0..local.keys.len(),
            None => local.first_key()..local.keys.len(),
        };
        for index in keys {
            let local = self.app(app);
            let mut key = &local.keys[index];
            let any_count = key.visible(self.worker);
            if reserved.is_none()
                && let Err(unwanted) = self.wanted_here(local, key, any_count, &self.nodes[node as usize])
            {
                self.note_unwanted(app, index, node, unwanted);
                continue;
            }
            let mut allowed = Locality::OffSwitch;
            if self.own.counts_opportunities {
                allowed = self.visit_key(app, index);
                key = &self.app(app).keys[index];
            }
            let locations = self.nodes[node as usize].shared.locations();
            if let Some((locality, size)) = key.nearest(any_count, locations, allowed) {
                let reserved = reserved.is_some();
                let size = size.copied_in_types(self.types);
                let outcome = self.put(&Proposal { app, key: index, node, locality, size, reserved });
                if outcome == Outcome::Declined && self.may_pass_over(app, index) {
                    self.own.repeatable = true;
                }
                return outcome;
            }
            self.note_too_far(app, index, node, allowed);
        }
        Outcome::Declined
    }

    /// Whether this key, having declined, may be passed over later in this pass, so that a key behind it gets its turn:
    /// when a queue on the path comes nearer to its limit.
    fn may_pass_over(&self, app: u32, key: usize) -> bool {
        let local = self.app(app);
        let behind = &local.keys[key + 1..];
        if !behind.iter().any(|key| key.visible(self.worker) > 0) {
            return false;
        }
        local.leaf != NONE && self.queue(local.leaf).limited_path
    }

    /// Places the proposal, or reserves the node for it.
    fn put(&mut self, proposal: &Proposal) -> Outcome {
        if !proposal.size.fits_in_types(self.types, &self.nodes[proposal.node as usize].free) {
            let reserved = self.reserve(proposal);
            self.note_no_fit(proposal, reserved);
            return if reserved.is_ok() { Outcome::Reserved } else { Outcome::Declined };
        }
        // What a grant reads and writes and a visit does not.
        let local = self.app(proposal.app);
        local.prefetch_visit(&self.own);
        if let Some(Some(leaf)) = self.queues.get(local.leaf as usize) {
            leaf.own.order.prefetch_ties();
        }
        let granted = self.try_grant(proposal);
        self.note_fit(proposal, granted);
        match granted {
            Ok(()) if proposal.size.is_zero_in_types(self.types) => {
                // Callers see nothing, and offer the node again: the next visit places the next one.
                self.own.repeatable = true;
                Outcome::Declined
            }
            Ok(()) => Outcome::Placed,
            Err(refusal) => {
                if proposal.reserved && refusal.is_final() {
                    self.unreserve(proposal.node);
                }
                Outcome::Declined
            }
        }
    }
}
