//! The queues that FairScheduler makes of a file, in the order in which it makes them.
//!
//! `QueueManager.updateAllocationConfiguration` with no application anywhere: what is in the way of a queue goes.

use crate::allocation_file::{AllocationFile, Outline, PolicyName, less_than_minimum};
use crate::hash_order::hash_order;
use crate::names::{ROOT, rooted};
use evenweave_resource::{Resource, ResourceTypes};
use std::collections::HashMap;

const DEFAULT_CHILDREN: &str = "root.default.";

/// A queue that was made.
#[derive(Clone, Debug)]
pub(super) struct Queue {
    /// The full name.
    pub(super) name: String,
    pub(super) leaf: bool,
    pub(super) parent: Option<usize>,
    /// In the order in which they were made.
    pub(super) children: Vec<usize>,
    pub(super) policy: PolicyName,
}

/// The queues that there are at the end. Root is the first; those that went again keep their place, without a name in
/// the index.
#[derive(Debug)]
pub(super) struct Tree<'a> {
    pub(super) queues: Vec<Queue>,
    index: HashMap<String, usize>,
    file: &'a AllocationFile,
    types: &'a ResourceTypes,
    notices: Vec<String>,
}

impl<'a> Tree<'a> {
    /// Makes the queues of a file; `notices` takes what Hadoop logs, each once.
    pub(super) fn make(
        file: &'a AllocationFile,
        outline: &Outline,
        types: &'a ResourceTypes,
        notices: &mut Vec<String>,
    ) -> Tree<'a> {
        let mut tree = Tree { queues: Vec::new(), index: HashMap::new(), file, types, notices: Vec::new() };
        tree.add(ROOT.to_owned(), None, false);
        for (names, leaf) in [(&outline.leaves, true), (&outline.parents, false)] {
            for name in hash_order(names.iter().map(String::as_str)) {
                tree.ensure(&rooted(name), leaf);
            }
        }
        notices.append(&mut tree.notices);
        tree
    }

    /// The short names of a queue's children.
    pub(super) fn children_of(&self, queue: usize) -> impl Iterator<Item = &str> {
        self.queues[queue].children.iter().map(|child| short_name(&self.queues[*child].name))
    }

    /// All queues, each before its children, children in order.
    pub(super) fn in_order(&self) -> Vec<usize> {
        let (mut order, mut waiting) = (Vec::new(), vec![0]);
        while let Some(queue) = waiting.pop() {
            order.push(queue);
            waiting.extend(self.queues[queue].children.iter().rev());
        }
        order
    }

    /// Whether a queue uses DRF.
    pub(super) fn uses_drf(&self) -> bool {
        self.in_order().into_iter().any(|queue| self.queues[queue].policy == PolicyName::Drf)
    }

    /// The largest resources of a queue on a cluster without nodes, as Hadoop looks at them when it makes one.
    fn look_at_maximum(&mut self, name: &str) {
        let settings = self.file.queues.get(name);
        let most = settings.and_then(|settings| settings.max).unwrap_or(self.file.queue_max_resources);
        let most = most.of(&Resource::ZERO);
        let least = settings.and_then(|settings| settings.min).unwrap_or(Resource::ZERO);
        if (0..self.types.len()).any(|lane| least.get(lane) > most.get(lane)) {
            self.notices.push(less_than_minimum(name, &most, &least, self.types));
        }
    }

    fn add(&mut self, name: String, parent: Option<usize>, leaf: bool) -> usize {
        let (queue, policy) = (self.queues.len(), self.file.policy_of(&name).clone());
        self.look_at_maximum(&name);
        self.index.insert(name.clone(), queue);
        self.queues.push(Queue { name, leaf, parent, children: Vec::new(), policy });
        if let Some(parent) = parent {
            self.queues[parent].children.push(queue);
        }
        queue
    }

    fn remove(&mut self, queue: usize) {
        if let Some(parent) = self.queues[queue].parent {
            self.queues[parent].children.retain(|child| *child != queue);
        }
        let mut waiting = vec![queue];
        while let Some(queue) = waiting.pop() {
            self.index.remove(&self.queues[queue].name);
            waiting.append(&mut self.queues[queue].children);
        }
    }

    fn ensure(&mut self, name: &str, leaf: bool) {
        if let Some(obstacle) = self.obstacle(name, leaf) {
            self.remove(obstacle);
        }
        if !self.index.contains_key(name) {
            self.create(name, leaf);
        }
    }

    /// What is in the way of a queue: one of its name that is of the other kind, or a leaf above it.
    fn obstacle(&self, name: &str, leaf: bool) -> Option<usize> {
        if name == ROOT || name.starts_with(DEFAULT_CHILDREN) {
            return None;
        }
        if let Some(there) = self.index.get(name) {
            return (self.queues[*there].leaf != leaf).then_some(*there);
        }
        above(name).filter_map(|name| self.index.get(name)).copied().find(|queue| self.queues[*queue].leaf)
    }

    /// Makes a queue and those above it that there are not; stops where a policy forbids one.
    fn create(&mut self, name: &str, leaf: bool) {
        let mut missing = vec![name];
        let mut parent = None;
        for above in above(name) {
            parent = self.index.get(above).copied();
            if parent.is_some() {
                break;
            }
            missing.push(above);
        }
        let Some(mut parent) = parent.filter(|parent| !self.queues[*parent].leaf) else { return };
        while let Some(name) = missing.pop() {
            let last = missing.is_empty();
            let policy = self.file.policy_of(name);
            if !self.allows(parent, policy) {
                self.notices.push(format!(
                    "Can't create queue '{name}',the child scheduling policy is not allowed by parent queue!"
                ));
                return;
            }
            if !(last && leaf) && *policy == PolicyName::Fifo {
                self.notices.push(format!("Can't create queue '{name}', since FIFO is only for leaf queues."));
                return;
            }
            parent = self.add(name.to_owned(), Some(parent), last && leaf);
        }
    }

    /// Whether a child may have this policy, with what Hadoop logs where it may not.
    fn allows(&mut self, parent: usize, policy: &PolicyName) -> bool {
        let refusal = match &self.queues[parent].policy {
            PolicyName::Fair if *policy == PolicyName::Drf => {
                "Queue policy can't be DRF if the parent policy is fair. Choose fair or FIFO for child queues instead. \
                 Please note that FIFO is only for leaf queues."
            }
            PolicyName::Fifo => "FIFO policy is only for leaf queues. Please choose DRF or fair for parent queues.",
            PolicyName::Fair | PolicyName::Drf | PolicyName::Custom(_) => return true,
        };
        self.notices.push(refusal.to_owned());
        false
    }
}

/// The names above a queue, the nearest first.
fn above(name: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(name.rsplit_once('.').map(|(above, _)| above), |name| {
        name.rsplit_once('.').map(|(above, _)| above)
    })
}

/// The part of a full name after its last dot.
pub(super) fn short_name(name: &str) -> &str {
    name.rsplit_once('.').map_or(name, |(_, short)| short)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::allocation_file::read_outlined;

    fn made(xml: &str) -> (Vec<String>, Vec<String>) {
        let types = ResourceTypes::standard();
        let read = read_outlined(&format!("<allocations>{xml}</allocations>"), "f", &types, false).unwrap();
        let mut notices = Vec::new();
        let tree = Tree::make(&read.file, &read.outline, &types, &mut notices);
        let queues = tree.in_order().into_iter().map(|queue| {
            let queue = &tree.queues[queue];
            format!("{}{}", queue.name, if queue.leaf { "" } else { "/" })
        });
        (queues.collect(), notices)
    }

    #[test]
    fn leaves_come_first_and_all_in_hash_order() {
        let (queues, notices) =
            made("<queue name='a'/><queue name='b'><queue name='c'/></queue><queue name='d' type='parent'/>");
        assert_eq!(queues, ["root/", "root.b/", "root.b.c", "root.a", "root.d/"]);
        assert!(notices.is_empty());
    }

    #[test]
    fn policies_forbid_queues() {
        let drf = "<schedulingPolicy>drf</schedulingPolicy>";
        let (queues, notices) = made(&format!("<queue name='a'>{drf}<queue name='b'/></queue>"));
        assert_eq!((queues.len(), notices.len()), (1, 4), "{notices:?}");
        let (queues, notices) =
            made("<queue name='a'><schedulingPolicy>fifo</schedulingPolicy><queue name='b'/></queue>");
        assert_eq!(queues, ["root/"]);
        assert_eq!(notices[0], "Can't create queue 'root.a', since FIFO is only for leaf queues.");
    }

    #[test]
    fn the_parent_wins_over_a_leaf_of_its_name_but_not_below_default() {
        assert_eq!(made("<queue name='a'/><queue name='a'><queue name='b'/></queue>").0, ["root/", "root.a/"]);
        let (queues, _) = made("<queue name='default'/><queue name='default'><queue name='b'/></queue>");
        assert_eq!(queues.len(), 2, "{queues:?}");
    }
}
