//! The queue tree of a running scheduler: settings in force, derived figures, states, and how another file is taken
//! over.
//!
//! Follows rules/capacity.md 3 to 7 and 24; `CapacitySchedulerQueueManager`, `AbstractCSQueue` and `QueueStateManager`.
//! Plain data of one thread. A queue keeps its slot as long as it is known; one that a refresh has removed keeps it
//! too, for the applications that it may still have.
//!
//! # Whole or not at all
//! A refresh is planned on copies: what Hadoop would find wrong half-way is found before anything changes. Hadoop then
//! applies the old file once more, and so does the caller.

use super::arith::Arith;
use super::managed::{Division, Withheld, divisions_of};
use crate::config::capacity::{
    CapacityFigures, CapacityFile, CapacityFileError, CapacityQueue, CapacityQueueKind, Cluster, LabelCapacity,
    LabelFigures, LateFault, LeafSettings, MadeQueues, MixedFractions, QueueState,
};
use crate::resource::Resource;
use crate::sync::Arc;
use rustc_hash::FxHashMap;
use std::fmt;

/// The slot of root.
pub(crate) const ROOT: u32 = 0;

/// Whether a queue takes applications.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    Running,
    Stopped,
    /// It takes none, and is stopped when its last one has left.
    Draining,
}

impl From<QueueState> for Status {
    fn from(state: QueueState) -> Status {
        match state {
            QueueState::Running => Status::Running,
            QueueState::Stopped => Status::Stopped,
        }
    }
}

/// One queue.
#[derive(Clone, Debug)]
pub(crate) struct QueueNode {
    pub(crate) config: Arc<CapacityQueue>,
    pub(crate) figures: CapacityFigures,
    pub(crate) status: Status,
    pub(crate) parent: Option<u32>,
    pub(crate) children: Vec<u32>,
    /// It is in the file in force; else a refresh has removed it, or it has gone by itself.
    pub(crate) known: bool,
    /// Which of the queues that have been in its slot it is.
    pub(crate) born: u64,
    /// Of a leaf in a managed parent: the fraction of the cluster that the template gives.
    pub(crate) template_share: Option<f32>,
}

impl QueueNode {
    pub(crate) fn leaf(&self) -> Option<&LeafSettings> {
        self.config.as_leaf()
    }

    /// What is guaranteed.
    pub(crate) fn guaranteed(&self) -> &Resource {
        &self.figures.labels[0].effective_minimum
    }

    /// What it may use.
    pub(crate) fn maximum(&self) -> &Resource {
        &self.figures.labels[0].effective_maximum
    }

    /// Its capacities and figures for a label; `None` where it knows none.
    pub(crate) fn of_label(&self, label: &str) -> Option<(&LabelCapacity, &LabelFigures)> {
        let slot = self.config.slot(label)?;
        Some((&self.config.capacities[slot], &self.figures.labels[slot]))
    }

    /// Whether a refresh looks at what its children have together.
    fn refresh_checks_children(&self) -> bool {
        !matches!(self.config.kind, CapacityQueueKind::ManagedParent | CapacityQueueKind::Plan)
    }

    pub(crate) fn absolute_capacity(&self) -> f32 {
        self.figures.labels[0].absolute_capacity
    }
}

/// Why a refresh is refused.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RefreshFault {
    #[error(
        "{queue} cannot be deleted from the capacity scheduler configuration, as the queue is not yet in stopped state. \
         Current State : {status}"
    )]
    NotStopped { queue: String, status: Status },
    #[error(
        "Can not convert the leaf queue: {queue} to parent queue since it is not yet in stopped state. Current State : \
         {status}"
    )]
    LeafNotStopped { queue: String, status: Status },
    #[error(
        "Can not convert parent queue: {0} to auto create enabled parent queue since it could have other pre-configured \
         queues which is not supported"
    )]
    ToManaged(String),
    #[error(
        "Cannot convert auto create enabled parent queue: {0} to leaf queue. Please check  parent queue's configuration \
         auto-create-child-queue.enabled is set to true"
    )]
    FromManaged(String),
    #[error(
        "Total of Auto Created leaf queues guaranteed capacity : {children} exceeds Parent queue's {queue} guaranteed \
         capacity {own}.Cannot enforce policy to auto create queues beyond parent queue's capacity"
    )]
    LeavesAbove { queue: String, children: f32, own: f32 },
    #[error("The parent Queue:{0} is not running. Please activate the parent queue first")]
    ParentNotRunning(String),
    #[error(
        "Trying to reinitialize {queue} the maximum allocation size can not be decreased! Current setting: {now}, trying \
         to set it to: {new}"
    )]
    SmallerAllocation { queue: String, now: Box<Resource>, new: Box<Resource> },
    #[error(transparent)]
    File(#[from] CapacityFileError),
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Status::Running => "RUNNING",
            Status::Stopped => "STOPPED",
            Status::Draining => "DRAINING",
        })
    }
}

/// A refresh that nothing stands against.
#[derive(Debug)]
pub(crate) struct Plan {
    file: CapacityFile,
    /// By place in the file: the slot of a queue that stays as it is.
    stays: Vec<Option<u32>>,
    /// By slot, of those there are.
    status: Vec<Status>,
    figures: Vec<CapacityFigures>,
    /// By place in the file: of managed parents.
    divisions: Vec<(usize, Vec<Division>)>,
    /// By place in the file: see [`Withheld`].
    withheld: Vec<(usize, Withheld)>,
}

/// How many applications a queue has, and of a leaf who is in its lists.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Applications {
    pub(crate) all: i64,
    pub(crate) listed: usize,
    /// When the first of these was submitted.
    pub(crate) first_ms: u64,
}

/// What a queue's name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Named {
    Queue(u32),
    Ambiguous,
    Unknown,
}

/// See the module's text.
#[derive(Debug)]
pub(crate) struct Tree {
    pub(crate) file: Arc<CapacityFile>,
    pub(crate) fractions: MixedFractions,
    pub(crate) nodes: Vec<QueueNode>,
    /// By place in the file.
    pub(crate) slots: Vec<u32>,
    /// Queues that have made themselves.
    pub(crate) made: MadeQueues,
    /// What the nodes of each label have, where there are labels.
    pub(crate) partitions: Option<Cluster>,
    /// Of managed parents, by slot.
    pub(crate) divisions: FxHashMap<u32, Vec<Division>>,
    /// Of leaves in managed parents, by slot.
    pub(crate) withheld: FxHashMap<u32, Withheld>,
    /// Slots that may be taken, the next one last.
    free: Vec<u32>,
    /// Slots that were taken since somebody has asked.
    newborn: Vec<u32>,
    births: u64,
}

impl Tree {
    /// The queues of a file, on a cluster without nodes.
    pub(crate) fn new(file: CapacityFile, fractions: MixedFractions) -> Result<Tree, CapacityFileError> {
        let mut figures = file.figures_when_read(|_| None);
        file.update_figures(&mut figures, &Resource::ZERO.into(), fractions)?;
        let mut tree = Tree {
            file: Arc::new(file.clone()),
            fractions,
            nodes: Vec::new(),
            slots: Vec::new(),
            made: MadeQueues::default(),
            partitions: None,
            divisions: FxHashMap::default(),
            withheld: FxHashMap::default(),
            free: Vec::new(),
            newborn: Vec::new(),
            births: 0,
        };
        let arith = tree.arith();
        let divisions = divisions_of(&file, &figures, arith, &Resource::ZERO, |_| true);
        let stays = vec![None; file.queues().len()];
        tree.apply(Plan { stays, file, status: Vec::new(), figures, divisions, withheld: Vec::new() });
        Ok(tree)
    }

    pub(crate) fn arith(&self) -> Arith {
        let settings = self.file.settings();
        Arith { calculator: settings.calculator, types: settings.types.len() }
    }

    pub(crate) fn get(&self, slot: u32) -> &QueueNode {
        &self.nodes[slot as usize]
    }

    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The slots of all known queues, each before its children.
    pub(crate) fn slots(&self) -> &[u32] {
        &self.slots
    }

    /// From a queue up to root.
    pub(crate) fn path(&self, slot: u32) -> impl Iterator<Item = u32> + '_ {
        std::iter::successors(Some(slot), |at| self.get(*at).parent)
    }

    /// The queue of a full path, or of a short name that one queue alone has.
    pub(crate) fn find(&self, name: &str) -> Named {
        match self.file.queue(name) {
            Some(queue) => Named::Queue(self.file.index_of(&queue.path).map_or(ROOT, |index| self.slots[index])),
            None if self.file.is_ambiguous(name) => Named::Ambiguous,
            None => Named::Unknown,
        }
    }

    /// The cluster by label.
    pub(crate) fn by_label(&self, cluster: &Resource) -> Cluster {
        self.partitions.clone().unwrap_or_else(|| (*cluster).into())
    }

    /// All figures anew for another cluster (6, from root down).
    pub(crate) fn cluster_changed(&mut self, cluster: &Resource) -> Result<(), CapacityFileError> {
        let mut figures: Vec<CapacityFigures> = self.slots.iter().map(|slot| self.get(*slot).figures.clone()).collect();
        self.file.update_figures(&mut figures, &self.by_label(cluster), self.fractions)?;
        for (slot, figures) in self.slots.iter().zip(figures) {
            self.nodes[*slot as usize].figures = figures;
        }
        Ok(())
    }

    /// The last application of a queue has left: whether that stops it.
    pub(crate) fn drained(&mut self, queue: u32) {
        let node = &mut self.nodes[queue as usize];
        if node.status == Status::Draining {
            node.status = Status::Stopped;
        }
    }

    /// A queue that is STOPPED has an application all the same; says whether it was STOPPED.
    pub(crate) fn drains_again(&mut self, queue: u32) -> bool {
        let status = &mut self.nodes[queue as usize].status;
        let is_stopped = *status == Status::Stopped;
        if is_stopped {
            *status = Status::Draining;
        }
        is_stopped
    }

    /// What a refresh from `file` comes to. `property` is the new configuration's text of a property, `apps` how many
    /// applications a queue has.
    pub(crate) fn plan(
        &self,
        mut file: CapacityFile,
        cluster: &Resource,
        property: impl Fn(&str) -> Option<String>,
        apps: impl Fn(u32) -> Applications,
    ) -> Result<Plan, RefreshFault> {
        file.check_amounts_on(cluster)?;
        self.check_removals(&file, property)?;
        let old: FxHashMap<&str, u32> = self.slots.iter().map(|slot| (&*self.get(*slot).config.path, *slot)).collect();
        let kinds_alike =
            |slot: u32, queue: &CapacityQueue| self.get(slot).config.kind.is_leaf() == queue.kind.is_leaf();
        let stays: Vec<Option<u32>> = file
            .queues()
            .iter()
            .map(|queue| old.get(&*queue.path).copied().filter(|slot| kinds_alike(*slot, queue)))
            .collect();
        let mut status: Vec<Status> = self.nodes.iter().map(|node| node.status).collect();
        for (queue, slot) in file.queues().iter().zip(&stays) {
            let Some(slot) = *slot else { continue };
            self.refresh_status(&mut status, slot, queue, &apps)?;
            let (now, new) = (&self.get(slot).config.maximum_allocation, &queue.maximum_allocation);
            let is_itself = queue.making.is_some() && self.get(slot).config.making.is_some();
            if queue.kind.is_leaf() && !is_itself && !now.fits_in(new) {
                let (now, new) = (Box::new(*now), Box::new(*new));
                return Err(RefreshFault::SmallerAllocation { queue: queue.path.clone(), now, new });
            }
        }
        let were_there = stays.iter().enumerate().filter_map(|(index, slot)| {
            let parent = slot.filter(|slot| self.get(*slot).refresh_checks_children())?;
            Some((index, self.get(parent).config.as_parent()?.allow_zero_capacity_sum))
        });
        file.check_children_again(were_there, cluster)?;
        let before = |queue: &CapacityQueue| {
            let index = file.index_of(&queue.path)?;
            let node = self.get(stays[index]?);
            Some((&*node.config, &node.figures))
        };
        let mut figures = file.figures_when_read(before);
        let (divisions, withheld) = self.redivide_parents(&mut file, &stays, &mut figures, cluster, &apps)?;
        file.update_figures(&mut figures, &self.by_label(cluster), self.fractions)?;
        Ok(Plan { file, stays, status, figures, divisions, withheld })
    }

    /// Those that the file does not have, or has as another kind.
    fn check_removals(
        &self,
        file: &CapacityFile,
        property: impl Fn(&str) -> Option<String>,
    ) -> Result<(), RefreshFault> {
        for slot in &self.slots {
            let QueueNode { config, status, .. } = self.get(*slot);
            let (queue, status) = (config.path.clone(), *status);
            let Some(new) = file.queue_at(&config.path).filter(|new| new.making.is_none()) else {
                // One that has made itself stays, or goes with its parent.
                if config.making.is_some() {
                    continue;
                }
                let text = property(&format!("yarn.scheduler.capacity.{queue}.state"));
                if status != Status::Stopped && text.as_deref() != Some("STOPPED") {
                    return Err(RefreshFault::NotStopped { queue, status });
                }
                continue;
            };
            let managed = |queue: &CapacityQueue| queue.kind == CapacityQueueKind::ManagedParent;
            if !config.kind.is_leaf() && !managed(config) && managed(new) {
                return Err(RefreshFault::ToManaged(queue));
            }
            if managed(config) && !managed(new) {
                return Err(RefreshFault::FromManaged(queue));
            }
            let to_parent = config.kind.is_leaf() && !new.kind.is_leaf();
            if to_parent && status != Status::Stopped && new.state != QueueState::Stopped {
                return Err(RefreshFault::LeafNotStopped { queue, status });
            }
        }
        Ok(())
    }

    /// The state of a queue that stays, and of those below it where it stops.
    fn refresh_status(
        &self,
        status: &mut [Status],
        slot: u32,
        queue: &CapacityQueue,
        apps: &impl Fn(u32) -> Applications,
    ) -> Result<(), RefreshFault> {
        match (status[slot as usize], queue.own_state) {
            (Status::Running, Some(QueueState::Stopped)) => {
                let mut waiting = vec![slot];
                while let Some(at) = waiting.pop() {
                    status[at as usize] = if apps(at).all > 0 { Status::Draining } else { Status::Stopped };
                    waiting.extend(&self.get(at).children);
                }
            }
            (Status::Stopped | Status::Draining, Some(QueueState::Running)) => {
                let parent = self.get(slot).parent;
                if let Some(parent) = parent.filter(|parent| status[*parent as usize] != Status::Running) {
                    return Err(RefreshFault::ParentNotRunning(self.get(parent).config.path.clone()));
                }
                status[slot as usize] = Status::Running;
            }
            _ => {}
        }
        Ok(())
    }

    /// Takes a planned refresh over. Queues that are new, or of another kind, get new slots.
    pub(crate) fn apply(&mut self, plan: Plan) {
        let Plan { file, stays, status, figures, divisions, withheld } = plan;
        for (node, status) in self.nodes.iter_mut().zip(status) {
            node.status = status;
        }
        let made = |queue: &&CapacityQueue| queue.making.is_some();
        let made: Vec<&str> = file.queues().iter().filter(made).map(|queue| queue.path.as_str()).collect();
        let is_parent = |path: &str| file.queue_at(path).is_some_and(|queue| !queue.kind.is_leaf());
        let gone = self.made.queues.extract_if(.., |queue| !made.contains(&queue.path.as_str()));
        self.made.listed_parents = gone.map(|queue| queue.path).filter(|path| is_parent(path)).collect();
        self.seat(file, &stays, figures, |_, queue, _| Status::from(queue.state));
        self.divisions = divisions.into_iter().map(|(index, division)| (self.slots[index], division)).collect();
        self.withheld = withheld.into_iter().map(|(index, withheld)| (self.slots[index], withheld)).collect();
        self.show_shares();
    }

    /// The file is refused although its queues are in force: see [`CapacityFile::keep_common`].
    pub(crate) fn keep_common(&mut self, before: &CapacityFile, fault: &LateFault) {
        let mut file = (*self.file).clone();
        file.keep_common(before, fault);
        self.file = Arc::new(file);
    }

    /// The queues of a file take their places: `stays` has the slots of those that have one, by place in the file,
    /// `status` says what a new one begins with.
    pub(crate) fn seat(
        &mut self,
        file: CapacityFile,
        stays: &[Option<u32>],
        figures: Vec<CapacityFigures>,
        status: impl Fn(&Tree, &CapacityQueue, Option<u32>) -> Status,
    ) {
        self.nodes.iter_mut().for_each(|node| node.known = false);
        let mut slots: Vec<u32> = Vec::with_capacity(stays.len());
        for ((queue, stays), figures) in file.queues().iter().zip(stays).zip(figures) {
            let parent = queue.parent.map(|parent| slots[parent]);
            let (slot, status, born) = match *stays {
                Some(slot) => (slot, self.get(slot).status, self.get(slot).born),
                None => {
                    let status = status(self, queue, parent);
                    let (slot, born) = self.take_slot();
                    (slot, status, born)
                }
            };
            let (config, template_share) = (Arc::new(queue.clone()), None);
            let node =
                QueueNode { config, figures, status, parent, children: Vec::new(), known: true, born, template_share };
            self.put(slot, node);
            slots.push(slot);
        }
        self.made.properties.clone_from(file.set_by_templates());
        (self.file, self.slots) = (Arc::new(file), slots);
    }

    /// A slot for a new queue, and which of those that were born it is.
    pub(crate) fn take_slot(&mut self) -> (u32, u64) {
        let next = || u32::try_from(self.nodes.len()).expect("fewer queues than slots");
        let slot = self.free.pop().unwrap_or_else(next);
        self.births += 1;
        self.newborn.push(slot);
        (slot, self.births)
    }

    /// A queue in its slot, and behind those that its parent has.
    pub(crate) fn put(&mut self, slot: u32, node: QueueNode) {
        let parent = node.parent;
        match self.nodes.get_mut(slot as usize) {
            Some(place) => *place = node,
            None => self.nodes.push(node),
        }
        if let Some(parent) = parent {
            self.nodes[parent as usize].children.push(slot);
        }
    }

    /// Slots that were taken since this was last asked, in this order.
    pub(crate) fn newborn(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.newborn)
    }

    /// Nobody is in a slot any more, and another queue may be.
    pub(crate) fn give_back(&mut self, slot: u32) {
        self.free.push(slot);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::SiteProperties;

    fn properties(of_label: &[(&str, &str)]) -> SiteProperties {
        let common = [
            ("root.queues", "a,b"),
            ("root.a.capacity", "50"),
            ("root.b.capacity", "50"),
            ("root.a.maximum-am-resource-percent", "0.5"),
        ];
        let pairs = common.iter().chain(of_label);
        pairs.map(|(name, value)| (format!("yarn.scheduler.capacity.{name}"), (*value).to_owned())).collect()
    }

    /// Of a label that the file says nothing of any more a queue keeps what Hadoop's keeps, and its share is nothing.
    #[test]
    fn queues_know_their_labels_over_refreshes() {
        let site = SiteProperties::new();
        let with = properties(&[
            ("root.a.accessible-node-labels.x.capacity", "100"),
            ("root.a.accessible-node-labels.x.maximum-am-resource-percent", "0.25"),
        ]);
        let mut tree = Tree::new(CapacityFile::read(&site, &with).unwrap(), MixedFractions::ByKind).unwrap();
        let refresh = |tree: &mut Tree, all: &SiteProperties| {
            let (file, _) = CapacityFile::read_to_refresh(&site, all, &tree.all_made()).unwrap();
            let plan = tree.plan(file, &Resource::ZERO, |_| None, |_| Applications::default()).unwrap();
            tree.apply(plan);
        };
        let labels = |tree: &Tree| {
            let of = |queue: &CapacityQueue| {
                let labels = queue.capacities.iter().filter(|capacity| !capacity.label.is_empty());
                let one = |label: &crate::config::capacity::LabelCapacity| {
                    (label.label.clone(), label.is_configured, label.capacity, label.max_am_resource_percent)
                };
                labels.map(one).collect::<Vec<_>>()
            };
            tree.file.queues().iter().map(of).collect::<Vec<_>>()
        };
        let x = |configured, capacity, am| vec![("x".to_owned(), configured, capacity, am)];
        let before = [x(true, 1.0, 0.1), x(true, 1.0, 0.25), vec![]];
        assert_eq!(labels(&tree), before);
        refresh(&mut tree, &properties(&[]));
        assert_eq!(labels(&tree), [x(false, 0.0, 0.1), x(false, 0.0, 0.25), vec![]]);
        refresh(&mut tree, &properties(&[]));
        assert_eq!(labels(&tree), [x(false, 0.0, 0.1), x(false, 0.0, 0.25), vec![]]);
        refresh(&mut tree, &with);
        assert_eq!(labels(&tree), before);
    }
}
