//! By which names queues are found: the full path, and the short name where one queue alone has it.
//!
//! Follows rules/capacity.md 3.4; `CSQueueStore`.

use super::queue::CapacityQueue;
use crate::names::ROOT;
use rustc_hash::FxHashMap;

/// All names of all queues.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct QueueNames {
    by_path: FxHashMap<String, usize>,
    by_name: FxHashMap<String, usize>,
    /// For a short name the first path that has it, and whether another has it too.
    short: FxHashMap<String, (String, bool)>,
}

impl QueueNames {
    /// `known` are the queues in Hadoop's order: of two with one path the later counts, and a short name that is also a
    /// path goes by who comes later.
    pub(super) fn new(queues: &[CapacityQueue], known: &[usize]) -> QueueNames {
        let mut names = QueueNames::default();
        for index in known {
            names.add(*index, &queues[*index]);
        }
        names
    }

    fn add(&mut self, index: usize, queue: &CapacityQueue) {
        self.by_path.insert(queue.path.clone(), index);
        self.by_name.insert(queue.path.clone(), index);
        if queue.name == ROOT {
            return;
        }
        let (path, ambiguous) = self.short.entry(queue.name.clone()).or_insert_with(|| (queue.path.clone(), false));
        *ambiguous |= *path != queue.path;
        if *ambiguous {
            self.by_name.remove(&queue.name);
        } else {
            self.by_name.insert(queue.name.clone(), index);
        }
    }

    /// How many paths there are: fewer than queues where a list names one twice.
    pub(super) fn paths_in_all(&self) -> usize {
        self.by_path.len()
    }

    /// Whether any queue has this name or path, alone or not.
    pub(super) fn knows(&self, name: &str) -> bool {
        self.by_name.contains_key(name) || self.short.contains_key(name)
    }

    /// Whether a queue's path and short name are its own, and nobody else's ever.
    pub(super) fn is_only(&self, index: usize, queue: &CapacityQueue) -> bool {
        let has = |name: &str| self.get(name) == Some(index);
        has(&queue.path)
            && has(&queue.name)
            && !self.is_ambiguous(&queue.name)
            && !self.by_path.contains_key(&queue.name)
            && !self.short.contains_key(&queue.path)
    }

    fn renumber(&mut self, new: impl Fn(usize) -> usize) {
        for index in self.by_path.values_mut().chain(self.by_name.values_mut()) {
            *index = new(*index);
        }
    }

    /// A queue of which no name is known comes to a place; those from there on are one place further.
    pub(super) fn come(&mut self, index: usize, queue: &CapacityQueue) {
        self.renumber(|before| before + usize::from(before >= index));
        self.add(index, queue);
    }

    /// A queue whose names are its own goes from a place; those behind it move up.
    pub(super) fn go(&mut self, index: usize, queue: &CapacityQueue) {
        self.by_path.remove(&queue.path);
        self.by_name.remove(&queue.path);
        self.by_name.remove(&queue.name);
        self.short.remove(&queue.name);
        self.renumber(|before| before - usize::from(before > index));
    }

    pub(super) fn by_path(&self, path: &str) -> Option<usize> {
        self.by_path.get(path).copied()
    }

    pub(super) fn get(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }

    pub(super) fn is_ambiguous(&self, name: &str) -> bool {
        self.short.get(name).is_some_and(|(_, ambiguous)| *ambiguous)
    }

    pub(super) fn paths(&self) -> impl Iterator<Item = &str> {
        self.by_path.keys().map(String::as_str)
    }
}
