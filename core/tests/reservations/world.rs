//! The queues of a recorded run: as much of a FairScheduler as the reservation system sees.

use evenweave::config::{AllocationFile, PolicyName};
use evenweave::policy::{SchedulingPolicy, ShareInput};
use evenweave::reservation::{PlanChild, PlanQueue, PlanQueues};
use evenweave::shares::{Drf, Fair};
use evenweave::{ApplicationId, Resource};
use std::collections::{BTreeMap, BTreeSet};

/// A queue of the model.
#[derive(Debug)]
pub(crate) struct Queue {
    pub(crate) leaf: bool,
    pub(crate) weight: f32,
    pub(crate) share: Resource,
    dynamic: bool,
    identity: u64,
}

/// The model.
#[derive(Debug, Default)]
pub(crate) struct World {
    pub(crate) file: AllocationFile,
    pub(crate) maximum: Resource,
    pub(crate) nodes: BTreeMap<String, Resource>,
    pub(crate) queues: BTreeMap<String, Queue>,
    /// Where each application is, by number.
    pub(crate) apps: BTreeMap<u32, String>,
    /// Of those that the follower wants to move, these it may.
    pub(crate) movable: BTreeMap<u32, String>,
    pub(crate) moved: BTreeMap<u32, String>,
    pub(crate) killed: BTreeSet<u32>,
    waiting: Vec<(String, bool)>,
    made: u64,
}

fn parent(name: &str) -> Option<&str> {
    name.rsplit_once('.').map(|(parent, _)| parent)
}

fn below(name: &str, queue: &str) -> bool {
    name == queue || name.strip_prefix(queue).is_some_and(|rest| rest.starts_with('.'))
}

impl World {
    pub(crate) fn new(file: AllocationFile, maximum: Resource) -> World {
        let mut world = World { maximum, ..World::default() };
        world.add("root", false, false);
        world.load(file);
        world
    }

    fn add(&mut self, name: &str, leaf: bool, dynamic: bool) {
        self.made += 1;
        let weight = self.file.queues.get(name).and_then(|own| own.weight).unwrap_or(1.0);
        let queue = Queue { leaf, weight, share: Resource::ZERO, dynamic, identity: self.made };
        self.queues.insert(name.to_owned(), queue);
    }

    /// A queue with the parents that it needs, unless a leaf is in the way.
    fn create(&mut self, name: &str, leaf: bool, dynamic: bool) -> bool {
        if let Some(above) = parent(name) {
            match self.queues.get(above).map(|above| above.leaf) {
                Some(true) => return false,
                Some(false) => {}
                None if self.create(above, false, true) => {}
                None => return false,
            }
        }
        self.add(name, leaf, dynamic);
        true
    }

    pub(crate) fn cluster(&self) -> Resource {
        self.nodes.values().sum()
    }

    fn is_empty(&self, queue: &str) -> bool {
        !self.apps.values().any(|at| below(at, queue))
    }

    fn remove_tree(&mut self, queue: &str) {
        self.queues.retain(|name, _| !below(name, queue));
    }

    fn in_the_way(&self, name: &str, leaf: bool) -> Option<String> {
        if let Some(queue) = self.queues.get(name) {
            return (queue.leaf != leaf).then(|| name.to_owned());
        }
        let above = std::iter::successors(parent(name), |at| parent(at));
        above.map(str::to_owned).find(|up| self.queues.get(up).is_some_and(|queue| queue.leaf))
    }

    /// A new file takes effect.
    pub(crate) fn load(&mut self, file: AllocationFile) {
        let old = std::mem::replace(&mut self.file, file);
        let named = |file: &AllocationFile| -> Vec<(String, bool)> {
            let leaves = file.leaves.iter().map(|name| (name.clone(), true));
            leaves.chain(file.parents.iter().map(|name| (name.clone(), false))).collect()
        };
        for (name, leaf) in named(&self.file) {
            match self.in_the_way(&name, leaf) {
                Some(old) if !self.is_empty(&old) => self.waiting.push((name, leaf)),
                other => {
                    other.iter().for_each(|old| self.remove_tree(old));
                    if !self.queues.contains_key(&name) {
                        self.create(&name, leaf, false);
                    }
                    if let Some(queue) = self.queues.get_mut(&name) {
                        queue.dynamic = false;
                    }
                }
            }
        }
        for (name, _) in named(&old).into_iter().filter(|(name, _)| !self.file.names(name)) {
            if let Some(queue) = self.queues.get_mut(&name) {
                queue.dynamic = true;
            }
        }
        for (name, queue) in &mut self.queues {
            queue.weight = self.file.queues.get(name).and_then(|own| own.weight).unwrap_or(1.0);
        }
        self.steady();
    }

    /// What the file's watcher does each time it wakes.
    pub(crate) fn housekeeping(&mut self) {
        let childless = |world: &World, name: &str| !world.queues.keys().any(|other| parent(other) == Some(name));
        let names: Vec<String> = self.queues.keys().cloned().collect();
        let mut parents = Vec::new();
        for name in names {
            if self.queues[&name].dynamic && childless(self, &name) && self.is_empty(&name) {
                self.queues.remove(&name);
                parents.extend(parent(&name).map(str::to_owned));
            }
        }
        while let Some(name) = parents.pop() {
            if self.queues.get(&name).is_some_and(|queue| queue.dynamic) && self.is_empty(&name) {
                self.remove_tree(&name);
                parents.extend(parent(&name).map(str::to_owned));
            }
        }
        for (name, leaf) in std::mem::take(&mut self.waiting) {
            let Some(old) = self.in_the_way(&name, leaf) else { continue };
            if self.is_empty(&old) {
                self.remove_tree(&old);
                let dynamic = !self.file.names(&name);
                self.create(&name, leaf, dynamic);
            } else {
                self.waiting.push((name, leaf));
            }
        }
    }

    /// All that a run of the follower may change.
    pub(crate) fn shown(&self) -> String {
        format!("{:?} {:?} {:?}", self.queues, self.apps, self.killed)
    }

    /// Steady fair shares, from root down.
    pub(crate) fn steady(&mut self) {
        let cluster = self.cluster();
        self.queues.get_mut("root").unwrap().share = cluster;
        let mut todo = vec!["root".to_owned()];
        while let Some(at) = todo.pop() {
            let children: Vec<String> = self.queues.keys().filter(|name| parent(name) == Some(&at)).cloned().collect();
            let mut inputs: Vec<ShareInput> = children.iter().map(|name| self.input(name, &cluster)).collect();
            let total = self.queues[&at].share;
            let drf = *self.file.policy_of(&at) == PolicyName::Drf;
            let policy: &dyn SchedulingPolicy = if drf { &Drf } else { &Fair };
            policy.compute_shares(2, &total, &mut inputs, true);
            for (name, input) in children.iter().zip(inputs) {
                self.queues.get_mut(name).unwrap().share = input.share;
            }
            todo.extend(children);
        }
    }

    fn input(&self, name: &str, cluster: &Resource) -> ShareInput {
        let own = self.file.queues.get(name);
        let max = own.and_then(|own| own.max).unwrap_or(self.file.queue_max_resources).of(cluster);
        let mut input = ShareInput::new(self.queues[name].weight, Resource::ZERO, max);
        input.share = self.queues[name].share;
        input
    }

    /// The leaf that an application enters, made where there is none; `None` where there can be none.
    pub(crate) fn enter(&mut self, leaf: &str) -> Option<()> {
        if let Some(queue) = self.queues.get(leaf) {
            return queue.leaf.then_some(());
        }
        let made = self.create(leaf, true, true);
        self.steady();
        made.then_some(())
    }
}

/// The name of an application of a recording.
pub(crate) fn app(number: u32) -> ApplicationId {
    ApplicationId { cluster_timestamp: 0, number }
}

impl PlanQueues for World {
    fn plan_queue(&self, queue: &str) -> Option<PlanQueue> {
        let found = self.queues.get(queue)?;
        Some(PlanQueue { identity: found.identity, parent: !found.leaf, share: found.share })
    }

    fn largest_container(&self) -> Resource {
        let largest = self.nodes.values().copied().reduce(|a, b| a.most(&b));
        largest.map_or(self.maximum, |largest| largest.least(&self.maximum))
    }

    fn children(&self, queue: &str) -> Vec<PlanChild> {
        let children = self.queues.iter().filter(|(name, _)| parent(name) == Some(queue));
        let child =
            |(name, own): (&String, &Queue)| PlanChild { name: name[queue.len() + 1..].to_owned(), leaf: own.leaf };
        children.map(child).collect()
    }

    fn share(&self, queue: &str) -> Option<Resource> {
        self.queues.get(queue).map(|queue| queue.share)
    }

    fn part(&self, queue: &str) -> Option<f32> {
        self.queues.get(queue).map(|queue| queue.weight)
    }

    fn make_leaf(&mut self, _: &str, queue: &str) {
        self.enter(queue);
    }

    fn entitle(&mut self, queue: &str, weight: f32, _: f32) -> bool {
        if let Some(queue) = self.queues.get_mut(queue) {
            queue.weight = weight;
        }
        true
    }

    fn apps(&self, queue: &str) -> Vec<ApplicationId> {
        self.apps.iter().filter(|(_, at)| *at == queue).map(|(number, _)| app(*number)).collect()
    }

    fn move_app(&mut self, app: ApplicationId, to: &str) -> bool {
        let goes = self.movable.get(&app.number).is_some_and(|target| target == to);
        if goes {
            self.apps.insert(app.number, to.to_owned());
            self.moved.insert(app.number, to.to_owned());
        }
        goes
    }

    fn kill_apps(&mut self, queue: &str) {
        let killed = self.apps.iter().filter(|(_, at)| *at == queue).map(|(number, _)| *number);
        self.killed.extend(killed);
    }

    fn remove(&mut self, queue: &str) {
        if self.queues.get(queue).is_some_and(|found| found.leaf) {
            self.queues.remove(queue);
        }
    }
}
