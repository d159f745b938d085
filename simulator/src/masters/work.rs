//! What any AM keeps: its tasks, and which container runs which.

use rustc_hash::FxHashMap;

use super::super::tasks::Group;
use super::calls::Launch;
use crate::api::{Container, ContainerId, NodeId, Resource};

/// A task that runs.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Held {
    pub(in super::super) group: u32,
    pub(in super::super) node: NodeId,
    pub(in super::super) id: ContainerId,
    /// When it was launched, in ms.
    pub(in super::super) since: u64,
    /// How often the task has failed before.
    pub(super) failures: u8,
    /// It will fail.
    pub(super) fails: bool,
}

/// See the module's text.
#[derive(Debug, Default)]
pub(in super::super) struct Work {
    pub(in super::super) groups: Vec<Group>,
    /// By container number.
    pub(in super::super) held: FxHashMap<u32, Held>,
    /// Containers that were launched, and of these those that ended before their time; so long they had run, and so
    /// much had they of each resource, memory first.
    pub(in super::super) launched: u64,
    /// The moment of the step that is under way.
    pub(in super::super) now: u64,
    /// What the application may still get, as its last call has told.
    pub(in super::super) headroom: Resource,
    /// By group: tasks that have come to their end.
    pub(in super::super) done: Vec<u64>,
}

impl Work {
    pub(in super::super) fn new(groups: Vec<Group>) -> Work {
        let done = vec![0; groups.len()];
        Work { groups, held: FxHashMap::default(), launched: 0, now: 0, headroom: Resource::ZERO, done }
    }

    /// How many tasks there are, and how many have come to their end.
    pub(in super::super) fn tasks(&self) -> [u64; 2] {
        [self.groups.iter().map(|group| u64::from(group.count)).sum(), self.done.iter().sum()]
    }

    /// A container gets a task of a group, and lives as long as that says.
    pub(super) fn launch(&mut self, container: &Container, group: u32, out: &mut Vec<Launch>) {
        let life_ms = Some(self.groups[group as usize].life_ms);
        self.launch_for(container, group, life_ms, (0, false), out);
    }

    /// The same, for another life; with how often the task has failed before, and whether it will again.
    pub(super) fn launch_for(
        &mut self,
        container: &Container,
        group: u32,
        life_ms: Option<u64>,
        (failures, fails): (u8, bool),
        out: &mut Vec<Launch>,
    ) {
        let held = Held { group, node: container.node, id: container.id, since: self.now, failures, fails };
        self.held.insert(container.id.number(), held);
        self.launched += 1;
        out.push(Launch { id: container.id, node: container.node, life_ms, again: false });
    }

    /// A task has come to its end.
    pub(super) fn task_done(&mut self, group: u32) {
        let group = group as usize;
        self.done[group] += 1;
        debug_assert!(self.done[group] <= u64::from(self.groups[group].count), "a task came to its end twice");
    }

    /// A container has ended: what it ran.
    pub(super) fn end(&mut self, id: ContainerId) -> Option<Held> {
        self.held.remove(&id.number())
    }
}
