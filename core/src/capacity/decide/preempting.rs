//! Rounds of the preemption policy, and what they lead to (rules/capacity.md 25); containers that go only when somebody
//! needs their room (rules/capacity.md 25.4, 16.6.4, 18.2).
//!
//! Run by the worker between two messages: it alone knows all that a round looks at.

use super::messages::CapacityMessage;
use super::survey::{Chosen, Mark, Survey};
use super::victims::{Chooser, is_let_run, is_remembered};
use crate::capacity::books::Books;
use crate::capacity::rules::partition::Partition;
use crate::capacity::rules::preempted::{Candidate, NodeIn, OnNode};
use crate::capacity::rules::preemption::ByPriority;
use crate::capacity::rules::tree::ROOT;
use crate::capacity::types::{Node, Shard};
use crate::config::capacity::PreemptionSettings;
use crate::engine::books::ledger::NodeShared;
use crate::engine::mail::container::EndReason;
use crate::engine::records::containers::ContainerRecord;
use crate::id::{ContainerId, ContainerNumber};
use crate::resource::Resource;
use crate::sync::Arc;
use rustc_hash::{FxHashMap, FxHashSet};

/// A container, as a round names it.
pub(crate) fn candidate_of(record: &ContainerRecord) -> Candidate {
    (record.application, record.named())
}

impl Shard {
    /// One round; then what it has chosen takes effect. Gives what is newly marked.
    pub(crate) fn preempt(&mut self, settings: &PreemptionSettings) -> Vec<Mark> {
        let scheduler = self.own.books.file(ROOT).settings();
        let for_higher = scheduler.underutilized_preemption.then(|| ByPriority {
            now_ms: self.shared.clock.now_ms(),
            delay_ms: scheduler.underutilized_preemption_delay_ms,
            moves: scheduler.underutilized_preemption_moves_reservations,
        });
        let is_lazy = scheduler.lazy_preemption;
        let chosen = Chooser { shard: self }.choose(settings, for_higher);
        if settings.observe_only || chosen.has_failed {
            return Vec::new();
        }
        let (mut marks, mut kills) = (Vec::new(), Vec::new());
        let now = self.shared.clock.now_ms();
        let marked = &mut self.own.marked;
        for (candidate, wait) in &chosen.containers {
            match marked.get(candidate) {
                Some(since) if is_let_run(*since, *wait, now) => {
                    marked.remove(candidate);
                    kills.push(*candidate);
                }
                Some(_) => {}
                None => {
                    marked.insert(*candidate, now);
                    marks.push(*candidate);
                }
            }
        }
        marked.retain(|_, since| is_remembered(*since, settings.max_wait_before_kill_ms, now));
        if !is_lazy {
            // What is a reservation still goes as one.
            kills.retain(|kill| !chosen.as_reserved.contains(kill) || self.live(*kill).is_none());
        }
        let chosen = Chosen { marks, kills, reservations: chosen.reservations.into_iter().collect() };
        // Others know of theirs.
        let found = (self.shared.workers == 1).then(|| self.find_all(chosen.marks.iter().copied()));
        let is_none = |candidate: &Candidate| found.as_ref().is_some_and(|found| !found.contains_key(candidate));
        let mark = |candidate: &Candidate| (*candidate, chosen.reservations.contains(candidate) || is_none(candidate));
        let marked = chosen.marks.iter().map(mark).collect();
        self.apply_choice(&chosen);
        if self.shared.workers > 1 {
            self.tell_all_others(&CapacityMessage::Chosen(Arc::new(chosen)));
        }
        marked
    }

    /// A round has chosen; what runs elsewhere, or has ended, is not found here.
    pub(crate) fn apply_choice(&mut self, chosen: &Chosen) {
        chosen.reservations.iter().for_each(|reserved| self.end_chosen_reservation(*reserved));
        chosen.marks.iter().for_each(|candidate| self.tell_of(*candidate));
        for candidate in &chosen.kills {
            if let Some(index) = self.live(*candidate).or_else(|| self.left_behind(*candidate)) {
                self.kill_or_mark(index);
            } else if self.own.books.has_labels() {
                self.end_chosen_reservation(*candidate);
            }
        }
    }

    /// A reservation that a round has chosen ends, if it stands here.
    fn end_chosen_reservation(&mut self, (app, reserved): Candidate) {
        let ContainerNumber { attempt, number, .. } = reserved;
        if self.own.books.find(app).is_some_and(|known| self.app(known.slot).shared.attempt == attempt) {
            self.end_reservation_of(app, number);
        }
    }

    /// A round by time, with the settings in force.
    pub(crate) fn preempt_if_on(&mut self) {
        let root = self.own.books.queues.first().and_then(Option::as_ref);
        let settings = root.and_then(|root| root.published.file.settings().monitors.preemption.clone());
        if let Some(settings) = settings {
            self.survey(&Survey::of(settings, None));
        }
    }

    /// The ids of the containers that are here, each with its place among all. One that has ended may be marked until
    /// its node has said so.
    pub(crate) fn ids_of(&self, marked: &[Mark]) -> Vec<(usize, ContainerId)> {
        let containers = || marked.iter().enumerate().filter(|(_, (_, is_other))| !is_other);
        let found = self.find_all(containers().map(|(_, (candidate, _))| *candidate));
        let id_of = |(place, (candidate, _)): (usize, &Mark)| Some((place, self.container_id(*found.get(candidate)?)));
        containers().filter_map(id_of).collect()
    }

    /// The records of those that are here: that live, or that their nodes have still. O(containers) where some do not
    /// live.
    fn find_all(&self, candidates: impl Iterator<Item = Candidate>) -> FxHashMap<Candidate, u32> {
        let (mut found, mut others) = (FxHashMap::default(), FxHashSet::default());
        for candidate in candidates {
            match self.live(candidate) {
                Some(index) => drop(found.insert(candidate, index)),
                None => drop(others.insert(candidate)),
            }
        }
        if !others.is_empty() {
            let on_nodes = self.nodes.present().flat_map(|(_, node)| node.containers.iter().copied());
            let named = on_nodes.map(|index| (candidate_of(&self.containers[index]), index));
            found.extend(named.filter(|(candidate, _)| others.contains(candidate)));
        }
        found
    }

    /// The record of a live container.
    pub(crate) fn live(&self, candidate: Candidate) -> Option<u32> {
        let slot = self.own.books.find(candidate.0)?.slot;
        self.app(slot).containers.iter().copied().find(|index| candidate_of(&self.containers[*index]) == candidate)
    }

    /// The record of one that has ended and whose room its node has not given back, where that may still count.
    fn left_behind(&self, candidate: Candidate) -> Option<u32> {
        let counts = self.own.books.file(ROOT).settings().lazy_preemption;
        let mut on_nodes =
            self.nodes.present().filter(|_| counts).flat_map(|(_, node)| node.containers.iter().copied());
        on_nodes.find(|index| candidate_of(&self.containers[*index]) == candidate)
    }

    /// A reservation of an application ends, by its number.
    pub(crate) fn end_reservation_of(&mut self, app: u32, number: u32) {
        let Some(slot) = self.own.books.find(app).map(|app| app.slot) else { return };
        let node = self.reservations_of(slot).find(|(_, made)| made.number == number).map(|(node, _)| node);
        if let Some(node) = node {
            self.end_reservation(node);
        }
    }

    /// A container goes, or may go for others from now on. Where others come first, one that has ended counts too until
    /// its node has said so, and in the queues for good.
    pub(crate) fn kill_or_mark(&mut self, index: u32) {
        let record = self.containers[index];
        if !self.own.books.file(ROOT).settings().lazy_preemption {
            if record.fate.is_live() {
                self.end_container(index, EndReason::Preempted, false);
            }
            return;
        }
        let (candidate, size) = (candidate_of(&record), *self.containers.size(&record));
        self.nodes[record.node as usize].own.killable.add(candidate, size);
        if let Some(leaf) = self.own.books.find(candidate.0).map(|app| app.leaf) {
            by_partition!(self, record.node, |p| self.own.books.set_killable(leaf, candidate, Some(size), p));
        }
    }

    /// A parent is above its maximum: killable containers below it go, by id, until it is not.
    pub(crate) fn enforce_maximum<P: Partition>(&mut self, slot: u32, p: P) {
        let books = &self.own.books;
        if books.counts_in(slot, p).killable.is_empty() {
            return;
        }
        let maximum = *books.maximum(slot, p);
        if !P::IS_WHOLE && !books.is_above_maximum(slot, p) {
            return;
        }
        let candidates: Vec<Candidate> = books.counts_in(slot, p).killable.keys().copied().collect();
        for candidate in candidates {
            let books = &self.own.books;
            if !books.arith.is_greater(books.size(p), &books.counts_in(slot, p).used, &maximum) {
                break;
            }
            self.end_for_room(candidate);
        }
    }

    /// A killable container goes, for another one.
    pub(crate) fn end_for_room(&mut self, candidate: Candidate) {
        if let Some(index) = self.live(candidate) {
            self.end_without_asks(index, EndReason::Preempted);
        }
    }

    /// A container is to be preempted: its AM is told by its next call.
    pub(crate) fn tell_of(&mut self, candidate: Candidate) {
        let Some(index) = self.live(candidate) else { return };
        let Some(entry) = self.own.books.apps.entry(candidate.0) else { return };
        let (id, slot) = (self.container_id(index), self.own.books.apps[entry].slot);
        self.own.books.apps[entry].has_marked = true;
        let to_preempt = &mut self.app(slot).shared.am.lock().to_preempt;
        // One that is marked anew before its AM has called is told of once.
        if !to_preempt.contains(&id) {
            to_preempt.push(id);
        }
    }
}

impl Shard {
    /// This worker's nodes, all or those on which something is reserved.
    pub(crate) fn own_nodes(&self, all: bool) -> Vec<NodeIn<Arc<NodeShared>>> {
        let as_seen = |(place, node): (u32, &Node)| {
            let held = self.held_on(place);
            if held.is_none() && !all {
                return None;
            }
            let on_node = |index: &u32| {
                let record = &self.containers[*index];
                let candidate = candidate_of(record);
                let ended = node.own.ended.iter().find(|(other, _)| *other == candidate);
                OnNode {
                    candidate,
                    size: *self.containers.size(record),
                    asked: record.label,
                    am: record.am,
                    killable: node.own.killable.has(candidate),
                    leaf: ended.map(|(_, leaf)| *leaf),
                }
            };
            Some(NodeIn {
                place: node.shared.clone(),
                label: node.label,
                free: node.free,
                killable: node.own.killable.sum(),
                held,
                containers: node.containers.iter().map(on_node).collect(),
            })
        };
        self.nodes.present().filter_map(as_seen).collect()
    }
}

impl Books {
    pub(crate) fn killable_in<P: Partition>(&self, slot: u32, p: P) -> Resource {
        self.counts_in(slot, p).killable_sum
    }

    /// A parent uses more of a partition than it may (rules/node-labels.md 15).
    fn is_above_maximum<P: Partition>(&self, slot: u32, p: P) -> bool {
        let (maximum, counts) = (self.maximum(slot, p), self.counts_in(slot, p));
        if !maximum.is_zero() {
            return self.arith.is_less(&self.cluster, maximum, &counts.used);
        }
        let label = if p.is_first() { "" } else { self.labels.name(p.label()) };
        let of_label = self.node(slot).of_label(label);
        of_label.map_or(0.0, |(_, figures)| figures.absolute_maximum_capacity) < counts.absolute_used_capacity
    }

    /// A container of a leaf may go for others from now on, or may not.
    pub(crate) fn set_killable<P: Partition>(&mut self, leaf: u32, candidate: Candidate, size: Option<Resource>, p: P) {
        if !self.queue(leaf).published.refreshed {
            return;
        }
        let mut at = Some(leaf);
        while let Some(queue) = at {
            let counts = self.queue_mut(queue).killable_mut(p);
            match size {
                Some(size) => {
                    counts.killable.insert(candidate, size);
                    counts.killable_sum = counts.killable_sum.plus(&size);
                }
                None => {
                    let size = counts.killable.remove(&candidate).unwrap_or(Resource::ZERO);
                    counts.killable_sum = counts.killable_sum.minus(&size);
                }
            }
            at = self.parent(queue);
        }
    }
}
