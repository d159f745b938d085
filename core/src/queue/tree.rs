//! Queues by slot and name.

use super::runnable::Runnable;
use super::waiting::Waiting;
use crate::caught::caught;
use crate::config::{AllocationFile, Limit, QueueSettings};
use crate::id::{Slot, Slots};
use crate::policy::{SchedulingPolicy, ShareInput};
use crate::resource::Resource;
use crate::sync::Arc;

use std::collections::{BTreeMap, HashMap, HashSet};

/// One queue.
#[derive(Debug)]
pub(crate) struct Queue {
    pub(crate) slot: Slot,
    pub(crate) name: Arc<str>,
    pub(crate) parent: Option<u32>,
    pub(crate) leaf: bool,
    /// Not named by the allocation file.
    pub(crate) dynamic: bool,
    /// The file names it. One that a queue of another type stands in the way of is named, and may be dynamic all the same.
    pub(crate) named: bool,
    /// By what counts creations: in that order, and found by it.
    children: BTreeMap<u64, u32>,
    /// Counts creations: the order in which housekeeping looks at queues.
    pub(crate) created: u64,
    /// Runnable applications, by slot index.
    pub(crate) runnable: Runnable,
    /// Applications that wait for a running limit.
    pub(crate) waiting: Waiting,
    /// Of a parent: runnable applications below.
    pub(crate) running_below: i64,
    /// Numbers of the applications that keep the queue from being cleaned away.
    pub(crate) submitted: HashSet<u32>,
    pub(crate) policy: Arc<dyn SchedulingPolicy>,
    pub(crate) weight: f32,
    pub(crate) min_share: Resource,
    pub(crate) raw_max: Limit,
    pub(crate) max_running_apps: i32,
    pub(crate) max_am_share: f32,
    pub(crate) max_child: Option<Limit>,
    /// Its own; unbounded = the parent's.
    pub(crate) max_container: Resource,
    pub(crate) preemption: OwnPreemption,
    pub(crate) steady_fair_share: Resource,
}

/// What the file says of a queue's preemption; where it says nothing the queues above are asked.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct OwnPreemption {
    pub(crate) min_timeout_ms: Option<i64>,
    pub(crate) fair_timeout_ms: Option<i64>,
    pub(crate) threshold: Option<f32>,
    pub(crate) preemptable: Option<bool>,
}

impl Queue {
    /// Runnable applications here and below.
    pub(crate) fn count(&self) -> i64 {
        if self.leaf { i64::try_from(self.runnable.len()).unwrap_or(i64::MAX) } else { self.running_below }
    }

    /// Its child queues, in order of creation.
    pub(crate) fn children(&self) -> impl DoubleEndedIterator<Item = u32> {
        self.children.values().copied()
    }

    /// On the present cluster, raised to the min share.
    pub(crate) fn max_share(&self, cluster: &Resource) -> Resource {
        self.raw_max.of(cluster).most(&self.min_share)
    }

    /// Reads its settings.
    pub(crate) fn configure(&mut self, file: &AllocationFile) {
        let nothing_said = QueueSettings::default();
        let own = file.queues.get(&*self.name);
        // A queue that the file says something of is named by it too, in the same spelling.
        self.named = own.is_some() || file.names(&self.name);
        let own = own.unwrap_or(&nothing_said);
        self.weight = own.weight.unwrap_or(1.0);
        self.min_share = own.min.unwrap_or(Resource::ZERO);
        self.raw_max = own.max.unwrap_or(file.queue_max_resources);
        self.max_running_apps = own.max_running_apps.unwrap_or(file.queue_max_apps);
        self.max_am_share = own.max_am_share.unwrap_or(file.queue_max_am_share);
        self.max_child = own.max_child;
        self.max_container = own.max_container.unwrap_or(Resource::UNBOUNDED);
        self.preemption = OwnPreemption {
            min_timeout_ms: own.min_share_preemption_timeout_ms,
            fair_timeout_ms: own.fair_share_preemption_timeout_ms,
            threshold: own.fair_share_preemption_threshold,
            preemptable: own.preemptable,
        };
    }
}

/// All queues; see the module's text.
#[derive(Debug, Default)]
pub(crate) struct QueueTree {
    slots: Vec<Option<Queue>>,
    given: Slots,
    /// Seeded: whoever submits may choose a name, and could choose such as collide.
    by_name: HashMap<Arc<str>, u32>,
    created: u64,
}

impl QueueTree {
    pub(crate) fn get(&self, slot: u32) -> &Queue {
        self.slots[slot as usize].as_ref().expect("slots are taken from the tree itself")
    }

    pub(crate) fn get_mut(&mut self, slot: u32) -> &mut Queue {
        self.slots[slot as usize].as_mut().expect("slots are taken from the tree itself")
    }

    pub(crate) fn find(&self, name: &str) -> Option<u32> {
        self.by_name.get(name).copied()
    }

    /// How many slots there are, empty ones included.
    pub(crate) fn width(&self) -> usize {
        self.slots.len()
    }

    pub(crate) fn at(&self, slot: u32) -> Option<&Queue> {
        self.slots.get(slot as usize)?.as_ref()
    }

    /// How many queues there are, slots that are given out, names that are known.
    #[cfg(feature = "faults")]
    pub(crate) fn counts(&self) -> (usize, usize, usize) {
        (self.slots.iter().flatten().count(), self.given.taken(), self.by_name.len())
    }

    /// All queues, in order of creation.
    pub(crate) fn in_order_of_creation(&self) -> Vec<u32> {
        let mut all: Vec<_> = self.slots.iter().flatten().map(|queue| (queue.created, queue.slot.index)).collect();
        all.sort_unstable();
        all.into_iter().map(|(_, slot)| slot).collect()
    }

    /// From a queue up to the root.
    pub(crate) fn path(&self, slot: u32) -> impl Iterator<Item = &Queue> {
        std::iter::successors(Some(self.get(slot)), |queue| queue.parent.map(|parent| self.get(parent)))
    }

    /// A queue and all below it, parents first.
    pub(crate) fn walk(&self, slot: u32) -> Vec<u32> {
        let (mut out, mut open) = (Vec::new(), vec![slot]);
        // Depth first, children in order.
        while let Some(at) = open.pop() {
            out.push(at);
            open.extend(self.get(at).children().rev());
        }
        out
    }

    /// Whether no application is in a queue or below it.
    pub(crate) fn is_empty(&self, slot: u32) -> bool {
        let queue = self.get(slot);
        if queue.leaf {
            queue.runnable.is_empty() && queue.waiting.is_empty() && queue.submitted.is_empty()
        } else {
            queue.children().all(|child| self.is_empty(child))
        }
    }

    /// Adds a queue under its parent.
    pub(crate) fn add(
        &mut self,
        name: &str,
        parent: Option<u32>,
        leaf: bool,
        policy: Arc<dyn SchedulingPolicy>,
    ) -> u32 {
        let slot = self.given.take();
        let index = slot.index;
        if slot.ix() == self.slots.len() {
            self.slots.push(None);
        }
        let name: Arc<str> = name.into();
        self.created += 1;
        self.slots[index as usize] = Some(Queue {
            slot,
            name: name.clone(),
            parent,
            leaf,
            dynamic: true,
            named: false,
            children: BTreeMap::new(),
            created: self.created,
            runnable: Runnable::default(),
            waiting: Waiting::default(),
            running_below: 0,
            submitted: HashSet::new(),
            policy,
            weight: 1.0,
            min_share: Resource::ZERO,
            raw_max: Limit::UNBOUNDED,
            max_running_apps: i32::MAX,
            max_am_share: 0.5,
            max_child: None,
            max_container: Resource::UNBOUNDED,
            preemption: OwnPreemption::default(),
            steady_fair_share: Resource::ZERO,
        });
        if let Some(parent) = parent {
            let created = self.created;
            self.get_mut(parent).children.insert(created, index);
        }
        self.by_name.insert(name, index);
        index
    }

    /// Takes a queue and all below it away; returns their slots.
    pub(crate) fn remove(&mut self, slot: u32) -> Vec<u32> {
        let gone = self.walk(slot);
        let Queue { parent, created, .. } = *self.get(slot);
        if let Some(parent) = parent {
            self.get_mut(parent).children.remove(&created);
        }
        for slot in &gone {
            if let Some(queue) = self.slots[*slot as usize].take() {
                self.by_name.remove(&queue.name);
                self.given.give_back(queue.slot);
            }
        }
        gone
    }

    /// The most that one container may have in a queue: its own, else its parent's, up to root's.
    pub(crate) fn max_container(&self, slot: u32) -> Resource {
        self.path(slot)
            .map(|queue| queue.max_container)
            .find(|own| *own != Resource::UNBOUNDED)
            .unwrap_or(Resource::UNBOUNDED)
    }

    /// Distributes steady fair shares from the root down; returns the queues whose share changed. Where a policy panics those below its
    /// queue stay as they are, and what it said goes to `panics`.
    pub(crate) fn compute_steady_shares(
        &mut self,
        types: usize,
        cluster: &Resource,
        panics: &mut Vec<String>,
    ) -> Vec<u32> {
        let mut changed = Vec::new();
        let mut inputs: Vec<ShareInput> = Vec::new();
        let Some(root) = self.find(crate::config::ROOT) else { return changed };
        if self.get(root).steady_fair_share != *cluster {
            self.get_mut(root).steady_fair_share = *cluster;
            changed.push(root);
        }
        let mut todo = vec![root];
        while let Some(at) = todo.pop() {
            let queue = self.get(at);
            if queue.leaf {
                continue;
            }
            inputs.clear();
            inputs.extend(queue.children().map(|child| {
                let child = self.get(child);
                ShareInput {
                    weight: child.weight,
                    min: child.min_share,
                    max: child.max_share(cluster),
                    active: true,
                    start_ms: 0,
                    sequence: 0,
                    share: child.steady_fair_share,
                }
            }));
            let share = |inputs: &mut [_]| queue.policy.compute_shares(types, &queue.steady_fair_share, inputs, true);
            if let Err(message) = caught(|| share(&mut inputs)) {
                panics.push(message);
                continue;
            }
            let children: Vec<_> = queue.children().collect();
            for (child, input) in children.iter().zip(&inputs) {
                let queue = self.get_mut(*child);
                if queue.steady_fair_share != input.share {
                    queue.steady_fair_share = input.share;
                    changed.push(*child);
                }
            }
            todo.extend(children);
        }
        changed
    }
}
