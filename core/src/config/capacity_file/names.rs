//! By which names queues are found: the full path, and the short name where one queue alone has it.
//!
//! Reference 3.4; `CSQueueStore`.

use super::queue::CapacityQueue;
use crate::config::ROOT;
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
