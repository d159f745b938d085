//! Passes over all nodes of a partition: each ask is tried on its candidates, one after the other
//! (rules/multi-node.md 2 to 6).
//!
//! Run by a worker on its own nodes, between two messages. The traversal is that of [`pass`](super::pass): it has
//! [`Together`] as its partition, and calls [`try_on_candidates`](Shard::try_on_candidates) where it else looks at its
//! one node. The order of the nodes is [`CandidateLists`]'.

use super::pass::{MAX_CONFLICTS, Over, PassResult, Visit};
use crate::capacity::rules::allocator::{Limits, Skipped};
use crate::capacity::rules::candidates::{CandidateLists, Nodes};
use crate::capacity::rules::observer::Observer;
use crate::capacity::rules::ordered::AppEntry;
use crate::capacity::rules::partition::{Part, Partition, Together, Whole};
use crate::capacity::rules::tree::ROOT;
use crate::capacity::types::{CapacityDecider, Shard};
use crate::engine::records::node_list::NodeList;
use crate::id::{LabelId, Locality, NodeId};
use crate::policy::candidates::{CandidateAsk, CandidateNode};
use crate::resource::Resource;
use smallvec::SmallVec;

/// The nodes of a worker at some time.
struct Now<'a> {
    nodes: &'a NodeList<CapacityDecider>,
    now_ms: u64,
    silent_after_ms: u64,
}

impl Nodes for Now<'_> {
    fn present(&self) -> impl Iterator<Item = (u32, LabelId)> {
        self.nodes.present().map(|(place, node)| (place, node.label))
    }

    fn id(&self, node: u32) -> NodeId {
        self.nodes[node as usize].shared.id
    }

    fn facts(&self, node: u32) -> CandidateNode<'_> {
        facts(self.nodes, node)
    }

    fn may_be_tried(&self, node: u32, label: LabelId) -> bool {
        let at = &self.nodes[node as usize];
        let is_silent = self.now_ms.saturating_sub(at.last_heartbeat_ms) > self.silent_after_ms;
        !at.gone && !is_silent && at.label == label
    }

    fn may_be_offered(&self, node: u32, label: LabelId) -> bool {
        self.may_be_tried(node, label) && !self.nodes[node as usize].decommissioning
    }
}

/// What is offered together of the nodes with a label.
#[derive(Clone, Copy, Debug)]
struct PartitionOf(LabelId);

impl Over for PartitionOf {
    fn go<O: Observer>(self, shard: &mut Shard, eye: &mut O) -> Option<PassResult> {
        shard.go_together(self.0, eye)
    }
}

fn facts(nodes: &NodeList<CapacityDecider>, node: u32) -> CandidateNode<'_> {
    let at = &nodes[node as usize];
    CandidateNode {
        name: &at.shared.name,
        rack: &at.shared.rack,
        total: at.total,
        allocated: at.total.minus(&at.free),
        containers: at.containers.len(),
        is_reserved: at.reservation.is_some(),
    }
}

impl Shard {
    /// Does something with the lists of candidates and what they are filled from.
    fn with_candidates<T>(&mut self, what: impl FnOnce(&mut CandidateLists, &Now<'_>) -> T) -> Option<T> {
        let (now_ms, silent_after_ms) = (self.shared.clock.now_ms(), self.shared.settings.silent_after_ms);
        let now = Now { nodes: &self.nodes, now_ms, silent_after_ms };
        self.own.candidates.as_deref_mut().map(|lists| what(lists, &now))
    }

    fn sort_candidates_by_time(&mut self) {
        self.with_candidates(|lists, now| lists.sort_by_time(now, now.now_ms));
    }

    /// A node has reported: the nodes of its partition are offered (rules/multi-node.md 2).
    pub(crate) fn offer_candidates(&mut self, node: u32) {
        self.sort_candidates_by_time();
        let label = self.nodes[node as usize].label;
        self.with_candidates(|lists, now| lists.offer(now, label, Some(node)));
        self.in_passes(|shard| shard.pass_over(node, PartitionOf(label)));
    }

    /// A round of the async allocation thread goes over partitions, in the order of their names (rules/multi-node.md
    /// 8).
    pub(crate) fn offer_partitions_from(&mut self, first: usize) {
        self.sort_candidates_by_time();
        let mut labels: SmallVec<[LabelId; 8]> = SmallVec::new();
        for (_, node) in self.nodes.present() {
            if !labels.contains(&node.label) {
                labels.push(node.label);
            }
        }
        labels.sort_unstable_by(|a, b| self.own.books.label_name(*a).cmp(self.own.books.label_name(*b)));
        if labels.is_empty() {
            return;
        }
        let first = first % labels.len();
        for label in labels[first..].iter().chain(&labels[..=first]) {
            self.with_candidates(|lists, now| lists.offer(now, *label, None));
            let node = self.own.candidates.as_ref().and_then(|lists| lists.together().first().copied());
            if let Some(node) = node {
                self.pass_over(node, PartitionOf(*label));
                self.tell_known_labels(false);
            }
        }
    }

    /// What is reserved on any of the nodes comes first; then one container or reservation for somebody.
    fn go_together<O: Observer>(&mut self, label: LabelId, eye: &mut O) -> Option<PassResult> {
        let count = self.own.candidates.as_ref().map_or(0, |lists| lists.together().len());
        for at in 0..count {
            let node = self.own.candidates.as_ref().and_then(|lists| lists.together().get(at).copied());
            if let Some(node) = node.filter(|node| self.nodes[*node as usize].reservation.is_some()) {
                self.serve_reservation(node, eye);
                self.publish_free(node);
            }
        }
        if !self.own.books.has_labels() {
            return self.go_together_in(Together(Whole), eye);
        }
        let handed = self.go_together_in(Together(Part::of(label)), eye);
        let is_shared = self.own.books.labels.partition(label).is_some_and(|partition| !partition.exclusive);
        if handed.is_some() || label.is_none() || !is_shared {
            handed
        } else {
            self.go_together_in(Together(Part::lent(label)), eye)
        }
    }

    fn go_together_in<O: Observer, P: Partition>(&mut self, p: Together<P>, eye: &mut O) -> Option<PassResult> {
        for _ in 0..MAX_CONFLICTS {
            let mut limits = Limits::new(*self.own.books.size(p.asked()));
            let mut visit = self.visit_together()?;
            self.offer_queue(ROOT, &mut visit, &mut limits, p, eye);
            let Some(proposal) = &visit.proposal else { return None };
            let node = proposal.node;
            // As in Hadoop what is for a reserved node comes to nothing, and counts.
            let is_refused = self.nodes[node as usize].reservation.is_some();
            if is_refused || self.commit(proposal, p.0) {
                let handed = PassResult {
                    off_switch: proposal.chosen.locality == Locality::OffSwitch,
                    reservation: !proposal.chosen.allocated,
                };
                self.publish_free(node);
                return Some(handed);
            }
        }
        None
    }

    /// The nodes are offered together from now on; a single one as if it were alone.
    fn visit_together(&mut self) -> Option<Visit> {
        let lists = self.own.candidates.as_deref_mut()?;
        lists.begin_pass();
        let (node, is_one) = (*lists.together().first()?, lists.together().len() == 1);
        let has_killable = lists.together().iter().any(|node| !self.nodes[*node as usize].own.killable.is_empty());
        let alone = self.visit(node);
        Some(if is_one { alone } else { Visit { is_free: true, has_killable, ..alone } })
    }

    /// An ask is tried on its candidates in order, until one has room for it. Only where the last one has none, that
    /// one is reserved (rules/multi-node.md 4).
    pub(super) fn try_on_candidates<O: Observer, P: Partition>(
        &mut self,
        (entry, app, key): (AppEntry, u32, usize),
        reserved: &Resource,
        visit: &mut Visit,
        limits: &Limits,
        p: P,
        eye: &mut O,
    ) -> Result<(), Skipped> {
        let (number, leaf) = (self.own.books.apps[entry].sorting, self.own.books.apps[entry].leaf);
        let Some(line) = self.with_candidates(|lists, now| lists.take_line(now, number)) else {
            return Err(Skipped::Key);
        };
        let skips = self.own.candidates.as_ref().is_some_and(|lists| lists.skips_reserved());
        let mut outcome = Err(Skipped::Key);
        let mut next = self.next_that_may(&line, 0, entry, key);
        while let Some(at) = next {
            let node = line[at];
            next = self.next_that_may(&line, at + 1, entry, key);
            let has_later = next.is_some();
            if has_later && skips && self.nodes[node as usize].reservation.is_some() {
                continue;
            }
            (visit.node, visit.has_later) = (node, has_later);
            outcome = self.try_key((app, key), (leaf, reserved), visit, limits, p, eye);
            if visit.proposal.is_some() {
                break;
            }
        }
        self.with_candidates(|lists, _| lists.put_back(number, line));
        outcome
    }

    /// The first node from some place of a line on that may serve an ask at all.
    fn next_that_may(&self, line: &[u32], from: usize, entry: AppEntry, key: usize) -> Option<usize> {
        let lists = self.own.candidates.as_ref()?;
        let book = &self.own.books.apps[entry];
        let asking = &self.app(book.slot).keys[key];
        let ask = CandidateAsk {
            application: book.number,
            queue: &self.own.books.node(book.leaf).config.path,
            priority: asking.id().priority,
            allocation_request_id: asking.id().allocation_request_id,
            size: asking.size,
        };
        let may = |node: u32| {
            self.has_most_containers(node).is_none() && lists.may(book.sorting, &ask, &facts(&self.nodes, node))
        };
        (from..line.len()).find(|at| may(line[*at]))
    }
}
