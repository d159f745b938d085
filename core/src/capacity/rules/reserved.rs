//! The leaf queues of plans in the tree of a running scheduler: one for each active reservation, and one for the part
//! of the plan that is not reserved.
//!
//! Follows `PlanQueue`, `ReservationQueue` and `AbstractAutoCreatedLeafQueue`. Plain data of the thread that owns the
//! tree. A new plan begins with one leaf that has all of the plan. From then on the plan follower adds and removes
//! leaves and sets their parts.
//!
//! Cost: to add or remove a leaf costs what [its place in the file](crate::config::capacity) costs, without reading the
//! settings of other queues; to entitle a leaf costs O(leaves of the plan). The first change after a publish copies the
//! settings of all queues, because the published structure shares them. Outside the legacy mode an entitlement is such
//! a change, too, because there the figures follow from the configured settings.

use super::arith::TOLERANCE;
use super::making::MakingFault;
use super::tree::{QueueNode, Tree};
use crate::config::capacity::{
    CapacityFigures, CapacityFile, CapacityQueue, CapacityQueueKind, KnownLabels, MadeQueues, Reserved, Shifted, Texts,
};
use crate::config::float_to_int;
use crate::sync::Arc;

/// How many applications the leaves of a plan may have together if the plan does not set it:
/// `DEFAULT_MAXIMUM_SYSTEM_APPLICATIIONS`.
const APPLICATIONS: f32 = 10_000.0;

impl Tree {
    /// What the file is read with: the queues that it does not list (automatically created queues, leaves of plans),
    /// and the labels that queues know.
    pub(crate) fn all_made(&self) -> MadeQueues {
        let plans = self.slots().iter().filter(|slot| self.get(**slot).config.kind == CapacityQueueKind::Plan);
        let leaf = |slot: &u32| {
            let (name, has) = (self.get(*slot).config.name.clone(), &self.get(*slot).figures.labels[0]);
            Reserved { name, part: has.capacity, most: has.maximum_capacity }
        };
        let leaves = |plan: &u32| {
            let plan = self.get(*plan);
            (plan.config.path.clone(), plan.children.iter().map(leaf).collect())
        };
        let known = |slot: &u32| {
            let config = &self.get(*slot).config;
            let labels = KnownLabels::of(config.kind.is_leaf(), &config.capacities)?;
            Some((config.path.clone(), labels))
        };
        let known_labels = self.slots().iter().filter_map(known).collect();
        MadeQueues { reserved: plans.map(leaves).collect(), known_labels, ..self.made.clone() }
    }

    /// Adds a leaf without capacity to a plan. As in Hadoop, it has no limits of its own before the cluster changes.
    pub(crate) fn add_reserved(&mut self, plan: u32, name: &str, texts: &Texts<'_>) -> Result<u32, MakingFault> {
        let path = self.get(plan).config.path.clone();
        let place = self.file.index_of(&path);
        let come = place.and_then(|place| Arc::make_mut(&mut self.file).add_leaf_of_plan(texts, place, name));
        match come {
            Some(shifted) => self.insert_leaf(plan, &shifted?),
            None => {
                let mut made = self.all_made();
                let reserved = Reserved { name: name.to_owned(), part: 0.0, most: 0.0 };
                made.reserved.entry(path.clone()).or_default().push(reserved);
                self.reread_with_leaves(texts.read_with(&made)?);
            }
        }
        let leaf = self.slot_at(&format!("{path}.{name}")).expect("it has a place by now");
        let most = self.applications_of(plan);
        let settings = self.get(leaf).leaf();
        let (user_limit, factor) = settings.map_or((100.0, 1.0), |leaf| (leaf.user_limit, leaf.user_limit_factor));
        let figures = &mut self.nodes[leaf as usize].figures;
        figures.max_applications = most;
        figures.max_applications_per_user = match factor == -1.0 {
            true => most,
            false => float_to_int(most as f32 * (user_limit / 100.0) * factor),
        };
        Ok(leaf)
    }

    /// How many applications a new leaf of a plan may have.
    fn applications_of(&self, plan: u32) -> i32 {
        let plan = self.get(plan);
        let given = plan.config.as_parent().and_then(|parent| parent.plan.as_ref());
        let given = given.map_or(-1, |given| given.maximum_applications);
        if given < 0 { float_to_int(APPLICATIONS * plan.absolute_capacity()) } else { given }
    }

    /// Gives a leaf the part `part` of its plan, of which it may use up to `most`. Returns false, and changes nothing,
    /// if the leaves together would have more than the plan.
    pub(crate) fn entitle(&mut self, leaf: u32, part: f32, most: f32) -> bool {
        let Some(plan) = self.get(leaf).parent else { return false };
        let of = |slot: u32| self.get(slot).figures.labels[0].capacity;
        let sum = self.get(plan).children.iter().fold(0.0_f32, |sum, child| sum + of(*child));
        let together = sum - of(leaf) + part;
        let fits = (0.0..1.0 + TOLERANCE).contains(&together);
        if !fits || !(0.0..=1.0).contains(&part) {
            return false;
        }
        let above = self.get(plan).figures.labels[0];
        self.nodes[leaf as usize].figures.labels[0].entitle(&above, part, most);
        if !self.file.settings().legacy_queue_mode
            && let Some(index) = self.file.index_of(&self.get(leaf).config.path)
        {
            Arc::make_mut(&mut self.file).entitle(index, part, most);
            self.renew(index);
        }
        true
    }

    /// Removes a leaf of a plan. It must have no applications.
    pub(crate) fn remove_reserved(&mut self, leaf: u32, texts: &Texts<'_>) -> Result<(), MakingFault> {
        let Some(plan) = self.get(leaf).parent else { return Ok(()) };
        let place = self.file.index_of(&self.get(leaf).config.path);
        if let Some(shifted) = place.and_then(|place| Arc::make_mut(&mut self.file).remove_leaf_of_plan(place)) {
            self.nodes[leaf as usize].known = false;
            self.nodes[plan as usize].children.retain(|child| *child != leaf);
            self.slots.remove(shifted.leaf);
            shifted.others.into_iter().for_each(|place| self.renew(place));
            return Ok(());
        }
        let mut made = self.all_made();
        if let Some(leaves) = made.reserved.get_mut(&self.get(plan).config.path) {
            leaves.retain(|one| one.name != self.get(leaf).config.name);
        }
        self.reread_with_leaves(texts.read_with(&made)?);
        Ok(())
    }

    /// Takes over the changed settings of the queue at a place of the file.
    fn renew(&mut self, place: usize) {
        self.nodes[self.slots[place] as usize].config = Arc::new(self.file.queues()[place].clone());
    }

    /// Inserts a leaf that was added to the file into the tree.
    fn insert_leaf(&mut self, plan: u32, shifted: &Shifted) {
        let file = self.file.clone();
        let queue = &file.queues()[shifted.leaf];
        let figures = CapacityFigures::read(queue, Some(&self.get(plan).figures), file.settings());
        let (config, status) = (Arc::new(queue.clone()), self.status_of_new(queue, Some(plan)));
        let (slot, born) = self.take_slot();
        let (parent, children) = (Some(plan), Vec::new());
        let node = QueueNode { config, figures, status, parent, children, known: true, born, template_share: None };
        self.put(slot, node);
        self.slots.insert(shifted.leaf, slot);
        shifted.others.iter().for_each(|place| self.renew(*place));
    }

    /// Takes over a file that differs only in leaves of plans: all other queues keep their figures and states.
    fn reread_with_leaves(&mut self, mut file: CapacityFile) {
        let stays: Vec<Option<u32>> = file.queues().iter().map(|queue| self.slot_at(&queue.path)).collect();
        for (index, slot) in stays.iter().enumerate() {
            if let Some(withheld) = slot.and_then(|slot| self.withheld.get(&slot)) {
                file.withhold(index, withheld.amounts, &withheld.vectors);
            }
        }
        let known = |queue: &CapacityQueue| Some(self.get(self.slot_at(&queue.path)?).figures.clone());
        let figures = file.figures_with(known);
        self.seat(file, &stays, figures, Tree::status_of_new);
        self.show_shares();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capacity::rules::tree::Named;
    use crate::config::SiteProperties;
    use crate::config::capacity::MixedFractions;
    use crate::resource::Resource;
    use proptest::prelude::*;

    const CLUSTER: Resource = Resource::new(100_000, 100);

    /// Two plans, one before other queues, one behind them; settings that leaves have from templates, and from their
    /// parents.
    fn properties(legacy: bool, more: &[(&str, &str)]) -> SiteProperties {
        let common = [
            ("root.queues", "a,p,b,q"),
            ("root.a.capacity", "10"),
            ("root.p.capacity", "40"),
            ("root.p.reservable", "true"),
            ("root.p.minimum-user-limit-percent", "25"),
            ("root.p.auto-queue-creation-v2.template.priority", "3"),
            ("root.p.leaf-queue-template.acl_submit_applications", "ann"),
            ("root.p.user-settings.ann.weight", "0.5"),
            ("root.b.capacity", "20"),
            ("root.b.queues", "x,y"),
            ("root.b.x.capacity", "50"),
            ("root.b.y.capacity", "50"),
            ("root.b.accessible-node-labels", "*"),
            ("root.b.default-node-label-expression", "l"),
            ("root.q.capacity", "30"),
            ("root.q.reservable", "true"),
            ("root.q.maximum-applications", "7"),
        ];
        let pairs = common.iter().chain(more);
        let pairs = pairs.map(|(name, value)| (format!("yarn.scheduler.capacity.{name}"), (*value).to_owned()));
        let mode = ("yarn.scheduler.capacity.legacy-queue-mode.enabled".to_owned(), legacy.to_string());
        pairs.chain([mode]).collect()
    }

    struct Bed {
        site: SiteProperties,
        all: SiteProperties,
        tree: Tree,
    }

    impl Bed {
        fn new(legacy: bool, more: &[(&str, &str)]) -> Bed {
            let (site, all) = (SiteProperties::new(), properties(legacy, more));
            let file = CapacityFile::read(&site, &all).unwrap();
            let mut tree = Tree::new(file, MixedFractions::ByKind).unwrap();
            tree.cluster_changed(&CLUSTER).unwrap();
            tree.newborn();
            Bed { site, all, tree }
        }

        fn slot(&self, path: &str) -> Option<u32> {
            self.tree.slot_at(path)
        }

        /// A leaf comes where it is not there; whether it is there by now.
        fn come(&mut self, plan: &str, name: &str) -> bool {
            let slot = self.slot(plan).unwrap();
            let read = self.tree.file.clone();
            let texts = Texts { site: &self.site, all: &self.all, read: &read };
            self.slot(&format!("{plan}.{name}")).is_some() || self.tree.add_reserved(slot, name, &texts).is_ok()
        }

        fn go(&mut self, path: &str) {
            let Some(slot) = self.slot(path) else { return };
            let read = self.tree.file.clone();
            let texts = Texts { site: &self.site, all: &self.all, read: &read };
            self.tree.remove_reserved(slot, &texts).unwrap();
            self.tree.give_back(slot);
        }

        /// The file is what it is when it is read with the queues that there are, and each queue has its settings from
        /// there.
        fn check(&self) {
            let texts = Texts { site: &self.site, all: &self.all, read: &self.tree.file };
            let read = texts.read_with(&self.tree.all_made()).unwrap();
            let mut own = (*self.tree.file).clone();
            for (place, queue) in read.queues().iter().enumerate() {
                if queue.kind == CapacityQueueKind::Reservation && own.settings().legacy_queue_mode {
                    // There nobody looks at what is configured for it.
                    let has = &self.tree.get(self.tree.slots()[place]).figures.labels[0];
                    own.entitle(place, has.capacity, has.maximum_capacity);
                }
            }
            assert_eq!(own.queues(), read.queues());
            assert!(own.finds_as(&read));
            own.figures(&CLUSTER).unwrap();
            assert_eq!(self.tree.slots().len(), read.queues().len());
            for (place, slot) in self.tree.slots().iter().enumerate() {
                let (node, queue) = (self.tree.get(*slot), &self.tree.file.queues()[place]);
                assert_eq!(*node.config, *queue);
                assert!(node.known);
                let children: Vec<u32> = queue.children.iter().map(|child| self.tree.slots()[*child]).collect();
                assert_eq!(node.children, children);
                assert_eq!(node.parent, queue.parent.map(|parent| self.tree.slots()[parent]));
                assert_eq!(self.tree.find(&queue.path), Named::Queue(*slot));
            }
        }
    }

    proptest! {
        #[test]
        fn a_file_with_other_leaves_is_as_when_it_is_read_with_them(
            legacy: bool,
            ops in proptest::collection::vec((0..3_u8, any::<bool>(), 0..5_usize, 0..4_u8), 1..40),
        ) {
            let mut bed = Bed::new(legacy, &[("root.p.r1.maximum-applications", "5")]);
            // The last one is the short name of another queue, so that the file is read for it.
            let names = ["r1", "r2", "p-default", "root.p-default", "x"];
            for (op, behind, name, part) in ops {
                let plan = if behind { "root.q" } else { "root.p" };
                let path = format!("{plan}.{}", names[name]);
                match op {
                    0 => prop_assert!(bed.come(plan, names[name])),
                    1 => bed.go(&path),
                    _ => {
                        if let Some(slot) = bed.slot(&path) {
                            bed.tree.entitle(slot, f32::from(part) / 4.0, 1.0);
                        }
                    }
                }
                bed.check();
            }
        }
    }

    #[test]
    fn leaves_may_have_a_thousandth_more_than_all_of_the_plan() {
        let mut bed = Bed::new(true, &[]);
        assert!(bed.come("root.p", "r1") && bed.come("root.p", "r2"));
        let (one, other) = (bed.slot("root.p.r1").unwrap(), bed.slot("root.p.r2").unwrap());
        // All of a new plan is the leaf's that it begins with.
        for leaf in bed.tree.get(bed.slot("root.p").unwrap()).children.clone() {
            assert!(bed.tree.entitle(leaf, 0.0, 1.0));
        }
        assert!(bed.tree.entitle(one, 0.5, 1.0));
        assert!(!bed.tree.entitle(other, 0.502, 1.0));
        assert!(bed.tree.entitle(other, 0.5005, 1.0));
    }

    #[test]
    fn what_is_wrong_for_a_leaf_leaves_everything_as_it_is() {
        let mut bed = Bed::new(true, &[("root.p.r1.maximum-applications", "many")]);
        assert!(!bed.come("root.p", "r1"));
        bed.check();
        assert!(bed.come("root.p", "r2"));
        bed.check();
    }

    #[test]
    fn leaves_come_and_go_without_a_look_at_what_is_written_for_others() {
        let mut bed = Bed::new(true, &[]);
        // Whoever reads the file again finds this.
        bed.all.set("yarn.scheduler.capacity.root.a.state", "NONSENSE");
        assert!(bed.come("root.p", "r1") && bed.come("root.q", "r2"));
        bed.go("root.p.r1");
        assert_eq!(bed.slot("root.p.r1"), None);
        assert!(bed.slot("root.q.r2").is_some());
    }
}
