//! The leaves of plans in the tree of a running scheduler: one for each reservation that is there, one for what nobody has reserved.
//!
//! `PlanQueue`, `ReservationQueue` and `AbstractAutoCreatedLeafQueue`. Plain data of one thread: whoever owns the tree. A plan that is new has
//! one leaf for all of it; from then on the follower says who is there, and with what.
//!
//! Cost: O(properties and queues of the file) for each leaf that comes or goes; O(leaves of the plan) to entitle one, and outside of the legacy
//! mode O(queues of the file), whose figures follow from what is configured.

use super::making::MakingFault;
use super::tree::Tree;
use crate::config::capacity::{
    CapacityFile, CapacityFileError, CapacityQueue, CapacityQueueKind, MadeQueues, Reserved,
};
use crate::config::float_to_int;
use crate::sync::Arc;

/// By so much leaves may have more than all of the plan together: `CSQueueUtils.EPSILON`.
const TOLERANCE: f32 = 0.0001;
/// Applications of all leaves of a plan that does not say how many: `DEFAULT_MAXIMUM_SYSTEM_APPLICATIIONS`.
const APPLICATIONS: f32 = 10_000.0;

impl Tree {
    /// Queues that are not listed in the file: those that have made themselves, and the leaves of plans.
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
        MadeQueues { reserved: plans.map(leaves).collect(), ..self.made.clone() }
    }

    /// A leaf of no capacity in a plan. It has no limits of its own before the cluster changes, as in Hadoop.
    pub(crate) fn add_reserved(
        &mut self,
        plan: u32,
        name: &str,
        read: impl Fn(&MadeQueues) -> Result<CapacityFile, CapacityFileError>,
    ) -> Result<u32, MakingFault> {
        let path = self.get(plan).config.path.clone();
        let mut made = self.all_made();
        let reserved = Reserved { name: name.to_owned(), part: 0.0, most: 0.0 };
        made.reserved.entry(path.clone()).or_default().push(reserved);
        self.read_anew(read(&made)?);
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

    /// How many applications each leaf of a plan may have when it is made.
    fn applications_of(&self, plan: u32) -> i32 {
        let plan = self.get(plan);
        let given = plan.config.as_parent().and_then(|parent| parent.plan.as_ref());
        let given = given.map_or(-1, |given| given.maximum_applications);
        if given < 0 { float_to_int(APPLICATIONS * plan.absolute_capacity()) } else { given }
    }

    /// A leaf has this part of its plan from now on, and may use that; whether the leaves may have so much together.
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
            let mut file = (*self.file).clone();
            file.entitle(index, part, most);
            self.nodes[leaf as usize].config = Arc::new(file.queues()[index].clone());
            self.file = Arc::new(file);
        }
        true
    }

    /// A leaf of a plan goes; nobody is in it.
    pub(crate) fn remove_reserved(
        &mut self,
        leaf: u32,
        read: impl Fn(&MadeQueues) -> Result<CapacityFile, CapacityFileError>,
    ) -> Result<(), MakingFault> {
        let Some(plan) = self.get(leaf).parent else { return Ok(()) };
        let mut made = self.all_made();
        if let Some(leaves) = made.reserved.get_mut(&self.get(plan).config.path) {
            leaves.retain(|one| one.name != self.get(leaf).config.name);
        }
        self.read_anew(read(&made)?);
        Ok(())
    }

    /// The same file with other leaves of plans: all others are as they were.
    fn read_anew(&mut self, mut file: CapacityFile) {
        let stays: Vec<Option<u32>> = file.queues().iter().map(|queue| self.slot_at(&queue.path)).collect();
        for (index, slot) in stays.iter().enumerate() {
            if let Some(withheld) = slot.and_then(|slot| self.withheld.get(&slot)) {
                file.withhold(index, withheld.amounts, withheld.vector);
            }
        }
        let known = |queue: &CapacityQueue| Some(self.get(self.slot_at(&queue.path)?).figures.clone());
        let figures = file.figures_with(known);
        self.seat(file, &stays, figures, Tree::status_of_new);
        self.show_shares();
    }
}
