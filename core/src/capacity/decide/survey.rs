//! A round of the preemption policy with several workers.
//!
//! One worker makes the round: the first that is not given up. Its books have all queues and applications, with the
//! usage of the others as of a fold. But the containers of a node are known to the worker of the node alone. So a
//! survey goes from worker to worker, and each adds what it has. The round then chooses among all containers, as it
//! would with one worker. Each worker gets the choice and applies it to what is its own. A container that has ended
//! meanwhile is not found. Cost: O(containers) a round.

use crate::capacity::rules::leaf::SharedEntry;
use crate::capacity::rules::preempted::{Candidate, HeldIn, Live, NodeIn, ReservedIn};
use crate::capacity::types::Shared;
use crate::config::capacity::PreemptionSettings;
use crate::engine::books::ledger::NodeShared;
use crate::engine::intake::reply::Once;
use crate::id::{LabelId, NodeId};
use crate::resource::Resource;
use crate::sync::Arc;
use rustc_hash::{FxHashMap, FxHashSet};

/// What a round has marked, and whether it is no container: a reservation, or what has ended.
pub(crate) type Mark = (Candidate, bool);

/// What a worker has of an application.
#[derive(Clone, Debug, Default)]
pub(crate) struct Found {
    pub(crate) containers: Vec<Live>,
    pub(crate) reservations: Vec<ReservedIn>,
}

/// What workers have, all together.
#[derive(Clone, Debug, Default)]
pub(crate) struct Surveyed {
    /// By application.
    pub(crate) found: FxHashMap<u32, Found>,
    /// Containers that may go for others that need their room.
    pub(crate) killable: FxHashSet<Candidate>,
    /// Their sizes, by queue and label.
    pub(crate) killable_sums: FxHashMap<(u32, LabelId), Resource>,
    /// What was asked for without a label and stands on a node with one, by leaf and label; what has ended among it.
    pub(crate) on_lent_nodes: FxHashMap<(u32, LabelId), Vec<(Candidate, SharedEntry)>>,
    /// Labels of nodes, where there are labels.
    pub(crate) labels: FxHashMap<NodeId, LabelId>,
    /// Nodes on which something is reserved; all, where that may be moved.
    pub(crate) nodes: Vec<NodeIn<Arc<NodeShared>>>,
}

impl Surveyed {
    /// Nothing is known of the others.
    #[cfg(feature = "faults")]
    pub(crate) fn is_empty(&self) -> bool {
        let Surveyed { found, killable, killable_sums, on_lent_nodes, labels, nodes } = self;
        let of_containers = found.is_empty() && killable.is_empty() && killable_sums.is_empty();
        of_containers && on_lent_nodes.is_empty() && labels.is_empty() && nodes.is_empty()
    }

    pub(crate) fn containers(&self, app: u32) -> &[Live] {
        self.found.get(&app).map_or(&[], |found| &found.containers)
    }

    pub(crate) fn reservations(&self, app: u32) -> &[ReservedIn] {
        self.found.get(&app).map_or(&[], |found| &found.reservations)
    }

    pub(crate) fn is_killable(&self, candidate: Candidate) -> bool {
        self.killable.contains(&candidate)
    }

    pub(crate) fn nodes(&self) -> &[NodeIn<Arc<NodeShared>>] {
        &self.nodes
    }

    /// What was reserved on one node is on another, as far as these are known here.
    pub(crate) fn moves(&mut self, from: &NodeShared, to: &NodeShared, made: HeldIn) {
        let mut held_on = |of: &NodeShared, held| {
            if let Some(node) = self.nodes.iter_mut().find(|node| node.place.id == of.id) {
                node.held = held;
            }
        };
        held_on(from, None);
        held_on(to, Some(made));
    }

    pub(crate) fn killable_in(&self, queue: u32, label: LabelId) -> Resource {
        self.killable_sums.get(&(queue, label)).copied().unwrap_or(Resource::ZERO)
    }
}

/// A round on its way.
#[derive(Clone, Debug)]
pub(crate) struct Survey {
    pub(crate) settings: PreemptionSettings,
    /// Who is told what was marked, where somebody waits for it.
    pub(crate) reply: Option<Once<Vec<Mark>>>,
    pub(crate) surveyed: Surveyed,
    /// Who has added what it has.
    pub(crate) been: Vec<usize>,
}

impl Survey {
    pub(crate) fn of(settings: PreemptionSettings, reply: Option<Once<Vec<Mark>>>) -> Survey {
        Survey { settings, reply, surveyed: Surveyed::default(), been: Vec::new() }
    }

    /// Who is next: the one who makes the round is last.
    pub(crate) fn next(&self, shared: &Shared, maker: usize) -> usize {
        let others = (0..shared.workers).filter(|worker| *worker != maker && !shared.is_dead(*worker));
        others.into_iter().find(|worker| !self.been.contains(worker)).unwrap_or(maker)
    }
}

/// What a round has chosen, for each worker to deal with what is its own.
#[derive(Debug, Default)]
pub(crate) struct Chosen {
    /// Whose AMs are to be told.
    pub(crate) marks: Vec<Candidate>,
    pub(crate) kills: Vec<Candidate>,
    pub(crate) reservations: Vec<Candidate>,
}
