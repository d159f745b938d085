//! Queues that make themselves in the tree of a running scheduler, and go again.
//!
//! Follows rules/capacity.md 26; `CapacitySchedulerQueueManager`, `ParentQueue`, `ManagedParentQueue` and
//! `AutoCreatedQueueDeletionPolicy`. Plain data of one thread: whoever owns the tree. The file is read anew with the
//! queues that there are then; nothing has changed where that fails.
//!
//! Cost: O(properties and queues of the file) for each queue that makes itself or goes.

use super::managed::{Division, LeafNeeds, Turns, Withheld, divisions_of, of_templates};
use super::tree::{Applications, Named, QueueNode, RefreshFault, Status, Tree};
use crate::config::capacity::{
    CapacityFigures, CapacityFile, CapacityFileError, CapacityQueue, CapacityQueueKind, KnownLabels, LabelFigures,
    MadeQueue, MadeQueues, QueueMaking, QueueState,
};
use crate::resource::Resource;
use std::collections::BTreeMap;

/// Why a queue cannot make itself.
#[derive(Debug, thiserror::Error)]
pub(crate) enum MakingFault {
    #[error("{0} names no parent queue")]
    NoParent(String),
    #[error("the parent queue {0} is ambiguous")]
    Ambiguous(String),
    #[error("{0} has no existing parent queue")]
    NowhereToBe(String),
    #[error(
        "{queue} is {levels} levels below the first configured queue, which is more than maximum-queue-depth {most}"
    )]
    TooDeep { queue: String, levels: i32, most: i32 },
    #[error("{0} is not a parent queue")]
    NotInLeaf(String),
    #[error("auto-queue-creation-v2.enabled is not true in {0}")]
    Off(String),
    #[error("{parent} has {children} child queues, and may have max-queues {most}")]
    TooMany { parent: String, children: usize, most: i32 },
    #[error("the child queues of {0} do not all divide by weight")]
    NotByWeight(String),
    #[error("the leaf queues of {0} already have all of its guaranteed capacity")]
    NothingLeft(String),
    #[error("{queue} would be RUNNING, and its parent {parent} is not")]
    ParentNotRunning { queue: String, parent: String },
    #[error(transparent)]
    File(#[from] CapacityFileError),
}

/// What has come of it.
#[derive(Debug, Default)]
pub(crate) struct Made {
    /// The queue that was asked for, where it has come about, or was there under its full path.
    pub(crate) leaf: Option<u32>,
    /// Whose limits follow, each before the next.
    pub(crate) tops: Vec<u32>,
    /// Parents in which something has made itself.
    pub(crate) parents: Vec<u32>,
    /// Where not all of it has come about.
    pub(crate) fault: Option<MakingFault>,
}

/// By place in a file: managed parents, and leaves of theirs that have nothing at present.
type Divided = (Vec<(usize, Vec<Division>)>, Vec<(usize, Withheld)>);

/// The name of a queue, and the part before its last dot.
fn halves(path: &str) -> Option<(&str, &str)> {
    path.rsplit_once('.').filter(|(parent, _)| !parent.is_empty())
}

impl Tree {
    fn find_one(&self, name: &str) -> Option<u32> {
        match self.find(name) {
            Named::Queue(slot) => Some(slot),
            Named::Ambiguous | Named::Unknown => None,
        }
    }

    fn has_made_itself(&self, slot: u32) -> bool {
        self.get(slot).config.making == Some(QueueMaking::Flexible)
    }

    /// The first queue above that is there, and the names of those that have to come between, from the top.
    pub(crate) fn place_of(&self, path: &str) -> Result<(u32, Vec<String>), MakingFault> {
        let (above, _) = halves(path).ok_or_else(|| MakingFault::NoParent(path.to_owned()))?;
        if self.find(above) == Named::Ambiguous {
            return Err(MakingFault::Ambiguous(above.to_owned()));
        }
        let (mut missing, mut levels, mut candidate) = (Vec::new(), 1, above);
        let mut existing = self.find_one(candidate);
        let mut configured = existing.filter(|slot| !self.has_made_itself(*slot));
        while configured.is_none() && !candidate.is_empty() {
            levels += 1;
            let (upper, name) = candidate.rsplit_once('.').unwrap_or(("", candidate));
            candidate = upper;
            if existing.is_none() {
                missing.insert(0, name.to_owned());
                existing = self.find_one(candidate);
            }
            configured = self.find_one(candidate).filter(|slot| !self.has_made_itself(*slot));
        }
        let (Some(existing), Some(configured)) = (existing, configured) else {
            return Err(MakingFault::NowhereToBe(path.to_owned()));
        };
        let (config, top) = (&self.get(existing).config, &self.get(configured).config);
        let most = top.as_parent().map_or(2, |parent| parent.flexible_creation.maximum_depth);
        if levels > most {
            return Err(MakingFault::TooDeep { queue: path.to_owned(), levels, most });
        }
        match config.as_parent() {
            None => Err(MakingFault::NotInLeaf(config.path.clone())),
            Some(parent) if !parent.flexible_creation.enabled => Err(MakingFault::Off(config.path.clone())),
            Some(_) => Ok((existing, missing)),
        }
    }

    /// A queue makes itself, with the parents that it lacks. `read` gives the file with the queues that there are then.
    pub(crate) fn make(
        &mut self,
        path: &str,
        cluster: &Resource,
        read: impl Fn(&MadeQueues) -> Result<CapacityFile, CapacityFileError>,
    ) -> Result<Made, MakingFault> {
        let (above, name) = halves(path).ok_or_else(|| MakingFault::NoParent(path.to_owned()))?;
        let managed =
            self.find_one(above).filter(|slot| self.get(*slot).config.kind == CapacityQueueKind::ManagedParent);
        match managed {
            Some(parent) => self.make_managed(parent, name, cluster, read),
            None => self.make_flexible(path, name, cluster, read),
        }
    }

    fn check_room(queue: &CapacityQueue, most: i32) -> Result<(), MakingFault> {
        let children = queue.children.len();
        if usize::try_from(most).is_ok_and(|most| children < most) {
            return Ok(());
        }
        Err(MakingFault::TooMany { parent: queue.path.clone(), children, most })
    }

    fn make_flexible(
        &mut self,
        path: &str,
        name: &str,
        cluster: &Resource,
        read: impl Fn(&MadeQueues) -> Result<CapacityFile, CapacityFileError>,
    ) -> Result<Made, MakingFault> {
        let (top, missing) = self.place_of(path)?;
        let config = &self.get(top).config;
        let most = |queue: &CapacityQueue| queue.as_parent().map_or(0, |parent| parent.flexible_creation.max_queues);
        Tree::check_room(config, most(config))?;
        if self.file.settings().legacy_queue_mode && !self.file.divides_by_weight(config) {
            return Err(MakingFault::NotByWeight(config.path.clone()));
        }
        // A path that begins with a short name may be that of a queue which is there. Hadoop makes it a second time.
        let full = missing.iter().fold(config.path.clone(), |at, name| format!("{at}.{name}"));
        if let Some(leaf) = self.slot_at(&format!("{full}.{name}")) {
            return Ok(Made { leaf: Some(leaf), ..Made::default() });
        }
        let (mut made, mut at, mut top) = (self.all_made(), config.path.clone(), top);
        let mut steps: Vec<(&str, bool)> = missing.iter().map(|name| (name.as_str(), false)).collect();
        steps.push((name, true));
        let first = made.queues.len();
        for (name, is_leaf) in steps {
            at = format!("{at}.{name}");
            match self.slot_at(&at) {
                Some(there) => {
                    let config = &self.get(there).config;
                    if config.kind != CapacityQueueKind::Parent {
                        return Err(MakingFault::NotInLeaf(at));
                    }
                    Tree::check_room(config, most(config))?;
                    top = there;
                }
                None => made.queues.push(MadeQueue { path: at.clone(), is_leaf, making: QueueMaking::Flexible }),
            }
        }
        let mut file = read(&made)?;
        // A parent that has just made itself may be told to have no children.
        let full = made.queues[first..].iter().position(|queue| {
            file.queue_at(&queue.path).is_some_and(|queue| !queue.kind.is_leaf() && most(queue) <= 0)
        });
        let mut fault = None;
        if let Some(full) = full {
            let parent = &made.queues[first + full].path;
            fault = Some(MakingFault::TooMany { parent: parent.clone(), children: 0, most: 0 });
            made.queues.truncate(first + full + 1);
            file = read(&made)?;
        }
        self.take_in(file, top, cluster)?;
        self.made.queues = made.queues;
        let come = self.made.queues[first..].iter().filter_map(|queue| self.find_one(&queue.path));
        let come: Vec<u32> = come.collect();
        let parents: Vec<u32> =
            std::iter::once(top).chain(come).filter(|slot| !self.get(*slot).config.kind.is_leaf()).collect();
        // The last parent, where something was to make itself in it and has not, is as it was.
        let parents: Vec<u32> = parents.into_iter().filter(|slot| !self.get(*slot).children.is_empty()).collect();
        let tops = parents.iter().map(|parent| self.top_of(*parent)).collect();
        let leaf = if fault.is_none() { self.slot_at(&at) } else { None };
        Ok(Made { leaf, tops, parents, fault })
    }

    /// From where limits follow when something has changed in a parent.
    fn top_of(&self, parent: u32) -> u32 {
        match self.get(parent).parent {
            Some(above) if !self.file.settings().legacy_queue_mode => above,
            _ => parent,
        }
    }

    /// Another file, with queues that have come or gone below `top`; all others are as they were.
    fn take_in(&mut self, file: CapacityFile, top: u32, cluster: &Resource) -> Result<(), MakingFault> {
        let path = self.get(top).config.path.clone();
        let stays: Vec<Option<u32>> = file.queues().iter().map(|queue| self.slot_at(&queue.path)).collect();
        for (index, queue) in file.queues().iter().enumerate() {
            self.check_begins(&file, &stays, index, queue)?;
        }
        let mut file = file;
        for (index, slot) in stays.iter().enumerate() {
            if let Some(withheld) = slot.and_then(|slot| self.withheld.get(&slot)) {
                file.withhold(index, withheld.amounts, &withheld.vectors);
            }
        }
        let known = |queue: &CapacityQueue| Some(self.get(self.slot_at(&queue.path)?).figures.clone());
        let mut figures = file.figures_with(known);
        if let Some(index) = file.index_of(&path) {
            file.update_figures_below(index, &mut figures, &self.by_label(cluster), self.fractions)?;
        }
        self.seat(file, &stays, figures, Tree::status_of_new);
        self.show_shares();
        Ok(())
    }

    pub(crate) fn slot_at(&self, path: &str) -> Option<u32> {
        self.file.index_of(path).map(|index| self.slots[index])
    }

    pub(crate) fn status_of_new(&self, queue: &CapacityQueue, parent: Option<u32>) -> Status {
        let above = parent.map_or(Status::Running, |parent| self.get(parent).status);
        match (queue.own_state, above) {
            (Some(state), _) => Status::from(state),
            (None, Status::Running) => Status::Running,
            (None, Status::Stopped | Status::Draining) => Status::Stopped,
        }
    }

    fn check_begins(
        &self,
        file: &CapacityFile,
        stays: &[Option<u32>],
        index: usize,
        queue: &CapacityQueue,
    ) -> Result<(), MakingFault> {
        let (None, Some(QueueState::Running), Some(parent)) = (stays[index], queue.own_state, queue.parent) else {
            return Ok(());
        };
        let runs = stays[parent].is_none_or(|slot| self.get(slot).status == Status::Running);
        if runs {
            return Ok(());
        }
        let (queue, parent) = (queue.path.clone(), file.queues()[parent].path.clone());
        Err(MakingFault::ParentNotRunning { queue, parent })
    }

    fn make_managed(
        &mut self,
        parent: u32,
        name: &str,
        cluster: &Resource,
        read: impl Fn(&MadeQueues) -> Result<CapacityFile, CapacityFileError>,
    ) -> Result<Made, MakingFault> {
        let QueueNode { config, figures, children, .. } = self.get(parent);
        let (config, of_parent) = (config.clone(), figures.clone());
        let Some(creation) = config.as_parent().and_then(|parent| parent.managed_creation.as_ref()) else {
            return Err(MakingFault::Off(config.path.clone()));
        };
        Tree::check_room(&config, creation.max_queues)?;
        let (arith, legacy) = (self.arith(), self.file.settings().legacy_queue_mode);
        let mut divisions = self.divisions_of(parent);
        if creation.fail_on_exceeding_parent_capacity {
            let sum = children.iter().fold(0.0_f32, |sum, child| sum + self.get(*child).absolute_capacity());
            if divisions[0].part.absolute + sum > of_parent.labels[0].absolute_capacity {
                return Err(MakingFault::NothingLeft(config.path.clone()));
            }
        }
        let (mut made, path) = (self.all_made(), format!("{}.{name}", config.path));
        if let Some(leaf) = self.slot_at(&path) {
            return Ok(Made { leaf: Some(leaf), ..Made::default() });
        }
        made.queues.push(MadeQueue { path: path.clone(), is_leaf: true, making: QueueMaking::Managed });
        let file = read(&made)?;
        for division in &mut divisions {
            let above = division.above(&config, &of_parent);
            division.look_at(&above, legacy);
            division.measure(&config, &above, arith, cluster);
        }
        let stays: Vec<Option<u32>> = file.queues().iter().map(|queue| self.slot_at(&queue.path)).collect();
        for (index, queue) in file.queues().iter().enumerate() {
            self.check_begins(&file, &stays, index, queue)?;
        }
        let known = |queue: &CapacityQueue| Some(self.get(self.slot_at(&queue.path)?).figures.clone());
        let figures = file.figures_with(known);
        self.seat(file, &stays, figures, Tree::status_of_new);
        self.made.queues = made.queues;
        let leaf = self.slot_at(&path).expect("it has a place by now");
        let (mut has, by_label) = (Vec::with_capacity(divisions.len()), self.by_label(cluster));
        for division in &mut divisions {
            let above = division.above(&config, &of_parent);
            has.push(division.admit(leaf, &above));
        }
        self.withheld.insert(leaf, Withheld { amounts: has.contains(&false), vectors: Vec::new() });
        self.withhold_all((*self.file).clone());
        let node = &mut self.nodes[leaf as usize];
        for (division, has) in divisions.iter().zip(has) {
            division.set(&node.config.clone(), &mut node.figures, has, &by_label.of(division.label()));
        }
        self.divisions.insert(parent, divisions);
        self.work_out_below(parent, cluster)?;
        self.show_shares();
        Ok(Made { leaf: Some(leaf), tops: vec![self.top_of(parent)], parents: Vec::new(), fault: None })
    }

    /// By label.
    fn divisions_of(&self, parent: u32) -> Vec<Division> {
        self.divisions.get(&parent).expect("of every managed parent").clone()
    }

    /// The file as it was read, and what is withheld of it.
    fn withhold_all(&mut self, mut file: CapacityFile) {
        for (slot, withheld) in &self.withheld {
            if let Some(index) = file.index_of(&self.get(*slot).config.path) {
                file.withhold(index, withheld.amounts, &withheld.vectors);
            }
        }
        for (slot, queue) in self.slots.iter().zip(file.queues()) {
            if self.withheld.contains_key(slot) {
                self.nodes[*slot as usize].config = crate::sync::Arc::new(queue.clone());
            }
        }
        self.file = crate::sync::Arc::new(file);
    }

    fn work_out_below(&mut self, top: u32, cluster: &Resource) -> Result<(), CapacityFileError> {
        let mut figures: Vec<CapacityFigures> = self.slots.iter().map(|slot| self.get(*slot).figures.clone()).collect();
        let Some(index) = self.file.index_of(&self.get(top).config.path) else { return Ok(()) };
        self.file.update_figures_below(index, &mut figures, &self.by_label(cluster), self.fractions)?;
        for (slot, figures) in self.slots.iter().zip(figures) {
            self.nodes[*slot as usize].figures = figures;
        }
        Ok(())
    }

    /// Leaves of managed parents know what the template gives.
    pub(crate) fn show_shares(&mut self) {
        for (parent, divisions) in &self.divisions {
            for child in self.nodes[*parent as usize].children.clone() {
                self.nodes[child as usize].template_share = Some(divisions[0].part.absolute);
            }
        }
    }

    // ------------------------------------------------------------------------------------------------ labels

    /// Queues know labels from now on, of which the file says nothing for them.
    pub(crate) fn learn(
        &mut self,
        known: &[(u32, String)],
        read: impl Fn(&MadeQueues) -> Result<CapacityFile, CapacityFileError>,
    ) -> Result<(), CapacityFileError> {
        let mut made = self.all_made();
        for (slot, label) in known {
            let node = self.get(*slot);
            if !node.known || node.of_label(label).is_some() {
                continue;
            }
            let is_leaf = node.config.kind.is_leaf();
            let none = || KnownLabels { is_leaf, am_percents: BTreeMap::new() };
            let of_queue = made.known_labels.entry(node.config.path.clone()).or_insert_with(none);
            of_queue.am_percents.entry(label.clone()).or_insert(0.0);
        }
        let file = read(&made)?;
        let figures = file.figures_with(|queue| {
            let node = self.get(self.slot_at(&queue.path)?);
            let of_label =
                |label: &str| node.of_label(label).map_or_else(LabelFigures::default, |(_, figures)| *figures);
            let labels = queue.capacities.iter().map(|capacity| of_label(&capacity.label)).collect();
            let mut figures = node.figures.clone();
            figures.labels = labels;
            Some(figures)
        });
        let stays: Vec<Option<u32>> = file.queues().iter().map(|queue| self.slot_at(&queue.path)).collect();
        self.seat(file, &stays, figures, Tree::status_of_new);
        self.show_shares();
        Ok(())
    }

    // ------------------------------------------------------------------------------------------------ they go

    /// Whether a queue that has made itself is needed by nobody. `applications`: here and below.
    pub(crate) fn may_go(&self, slot: u32, applications: i64) -> bool {
        let QueueNode { config, children, known, .. } = self.get(slot);
        let idle = if config.kind.is_leaf() { applications == 0 } else { children.is_empty() };
        *known && config.removes_itself && idle
    }

    /// A queue that has made itself the flexible way goes; gives its parent.
    pub(crate) fn remove(
        &mut self,
        slot: u32,
        cluster: &Resource,
        read: impl Fn(&MadeQueues) -> Result<CapacityFile, CapacityFileError>,
    ) -> Result<Option<u32>, MakingFault> {
        let Some(parent) = self.get(slot).parent else { return Ok(None) };
        let mut made = self.all_made();
        made.queues.retain(|queue| queue.path != self.get(slot).config.path);
        let file = read(&made)?;
        self.take_in(file, parent, cluster)?;
        self.made.queues = made.queues;
        Ok(Some(self.top_of(parent)))
    }

    // ------------------------------------------------------------------------------------------------ managed parents

    fn needs(&self, parent: u32, apps: &impl Fn(u32) -> Applications) -> Vec<LeafNeeds> {
        let of = |slot: &u32| {
            let Applications { all, listed, first_ms } = apps(*slot);
            LeafNeeds { slot: *slot, has_applications: all > 0, listed, first_ms }
        };
        self.get(parent).children.iter().map(of).collect()
    }

    /// One round of the policy that divides what managed parents have; whether a leaf has another part by now.
    pub(crate) fn manage(
        &mut self,
        cluster: &Resource,
        apps: impl Fn(u32) -> Applications,
        read: impl Fn(&MadeQueues) -> Result<CapacityFile, CapacityFileError>,
    ) -> Result<bool, MakingFault> {
        let legacy = self.file.settings().legacy_queue_mode;
        let mut parents: Vec<u32> = self.divisions.keys().copied().filter(|slot| self.get(*slot).known).collect();
        parents.sort_unstable();
        let mut changed = false;
        for parent in parents {
            let config = self.get(parent).config.clone();
            let creation = config.as_parent().and_then(|parent| parent.managed_creation.as_ref());
            if creation.is_none_or(|creation| creation.fail_on_exceeding_parent_capacity) {
                continue;
            }
            let (of_parent, needs) = (self.get(parent).figures.clone(), self.needs(parent, &apps));
            let mut divisions = self.divisions_of(parent);
            for division in &mut divisions {
                let above = division.above(&config, &of_parent);
                division.look_at(&above, legacy);
                let turns = division.turns(&needs, &above);
                self.turn(division, &turns, cluster);
                division.commit(&turns);
                changed |= turns != Turns::default();
            }
            self.divisions.insert(parent, divisions);
        }
        if changed {
            // What was withheld may not be any more.
            let file = read(&self.all_made())?;
            self.withhold_all(file);
        }
        self.show_shares();
        Ok(changed)
    }

    fn turn(&mut self, division: &Division, turns: &Turns, cluster: &Resource) {
        let all = turns.ends.iter().map(|leaf| (leaf, false)).chain(turns.begins.iter().map(|leaf| (leaf, true)));
        let nodes = self.by_label(cluster).of(division.label());
        for (leaf, has) in all {
            let node = &mut self.nodes[*leaf as usize];
            division.set(&node.config.clone(), &mut node.figures, has, &nodes);
            let withheld = self.withheld.entry(*leaf).or_default();
            *withheld = Withheld { amounts: withheld.amounts || !has, vectors: Vec::new() };
        }
    }

    /// A refresh divides anew what managed parents that stay have.
    pub(crate) fn redivide_parents(
        &self,
        file: &mut CapacityFile,
        stays: &[Option<u32>],
        figures: &mut [CapacityFigures],
        cluster: &Resource,
        apps: &impl Fn(u32) -> Applications,
    ) -> Result<Divided, RefreshFault> {
        let (arith, legacy) = (self.arith(), file.settings().legacy_queue_mode);
        let is_new = |index: usize| stays[index].is_none();
        let mut divisions = divisions_of(file, figures, arith, cluster, is_new);
        let mut withheld = Vec::new();
        for (index, stays_in) in stays.iter().enumerate() {
            let queue = &file.queues()[index];
            let creation = queue.as_parent().and_then(|parent| parent.managed_creation.as_ref());
            let (Some(slot), Some(creation)) = (*stays_in, creation) else { continue };
            let old = self.get(slot);
            if creation.fail_on_exceeding_parent_capacity {
                let children = old.children.iter().map(|child| self.get(*child).figures.labels[0].capacity);
                let (children, own) = (children.fold(0.0_f32, |sum, part| sum + part), old.figures.labels[0].capacity);
                if own < children {
                    return Err(RefreshFault::LeavesAbove { queue: queue.path.clone(), children, own });
                }
            }
            // As in Hadoop amounts of the template are measured by what the parent had before.
            let mut by_label = of_templates(&creation.leaf, &old.config, &old.figures, arith, cluster);
            let of_parent = figures[index].clone();
            let leaves = queue.children.clone();
            let needs = self.needs(slot, apps);
            let place = |slot: &u32| leaves.iter().copied().find(|leaf| stays[*leaf] == Some(*slot));
            let needs: Vec<LeafNeeds> = needs.into_iter().filter(|needs| place(&needs.slot).is_some()).collect();
            let mut vectors: Vec<Vec<String>> = vec![Vec::new(); leaves.len()];
            for division in &mut by_label {
                let above = division.above(queue, &of_parent);
                division.look_at(&above, legacy);
                for leaf in &leaves {
                    division.set_to_nothing(&file.queues()[*leaf], &mut figures[*leaf], &above);
                }
                let turns = division.turns(&needs, &above);
                let nodes = self.by_label(cluster).of(division.label());
                for leaf in turns.begins.iter().filter_map(place) {
                    division.set(&file.queues()[leaf], &mut figures[leaf], true, &nodes);
                }
                for (leaf, vectors) in leaves.iter().zip(&mut vectors) {
                    if !stays[*leaf].is_some_and(|slot| turns.begins.contains(&slot)) {
                        vectors.push(division.label().to_owned());
                    }
                }
                division.commit(&turns);
            }
            let none = leaves.iter().zip(vectors);
            withheld.extend(none.map(|(leaf, vectors)| (*leaf, Withheld { amounts: false, vectors })));
            divisions.push((index, by_label));
        }
        for (leaf, withheld) in &withheld {
            file.withhold(*leaf, withheld.amounts, &withheld.vectors);
        }
        Ok((divisions, withheld))
    }
}
