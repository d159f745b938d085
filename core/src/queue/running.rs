//! Running limits: who may run, and who starts when a slot frees (fair-shares reference 7, `MaxRunningAppsEnforcer`).

use super::tree::{Queue, QueueTree};
use super::waiting::Waiting;
use std::collections::HashMap;

/// Running and waiting applications by user.
#[derive(Debug, Default)]
pub(crate) struct Running {
    running_of: HashMap<String, i64>,
    waiting_of: HashMap<String, Waiting>,
}

/// A list of waiting applications.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Line<'u> {
    /// Of a leaf queue.
    Leaf(u32),
    /// Of a user.
    User(&'u str),
}

/// A running limit that is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AtLimit {
    /// Whose it is; the user's where there is none.
    pub(crate) queue: Option<u32>,
    pub(crate) running: i64,
    pub(crate) limit: i64,
}

/// A limit of running applications that is reached.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum RunningLimit {
    /// Of the application's queue, or one above it.
    Queue {
        /// Which.
        queue: String,
        /// How many run there and below.
        running: i64,
        /// How many may.
        limit: i64,
    },
    /// Of its user.
    User {
        /// Who.
        user: String,
        /// How many of his run.
        running: i64,
        /// How many may.
        limit: i64,
    },
}

/// What the limits need of an application.
pub(crate) trait Apps {
    fn user(&self, app: u32) -> &str;
    fn leaf(&self, app: u32) -> u32;
    fn start_ms(&self, app: u32) -> u64;
}

/// How many applications of a user may run.
pub(crate) trait UserLimits {
    fn limit(&self, user: &str) -> i64;
}

impl Running {
    fn of(&self, user: &str) -> i64 {
        self.running_of.get(user).copied().unwrap_or(0)
    }

    pub(crate) fn can_run<S>(&self, tree: &QueueTree<S>, limits: &impl UserLimits, user: &str, leaf: u32) -> bool {
        self.stopped_by(tree, limits, user, leaf).is_none()
    }

    /// The limit that keeps an application of the user from running in a leaf; of several the user's, then the lowest
    /// queue's.
    pub(crate) fn stopped_by<S>(
        &self,
        tree: &QueueTree<S>,
        limits: &impl UserLimits,
        user: &str,
        leaf: u32,
    ) -> Option<AtLimit> {
        let (running, limit) = (self.of(user), limits.limit(user));
        if running >= limit {
            return Some(AtLimit { queue: None, running, limit });
        }
        let at_limit = |queue: &Queue<S>| {
            let (running, limit) = (queue.count(), i64::from(queue.max_running_apps));
            (running >= limit).then_some(AtLimit { queue: Some(queue.slot.index), running, limit })
        };
        tree.path(leaf).find_map(at_limit)
    }

    /// Counts an application in, or out with -1, at the ancestors of its leaf and at its user.
    pub(crate) fn count<S>(&mut self, tree: &mut QueueTree<S>, user: &str, leaf: u32, change: i64) {
        let mut at = tree.get(leaf).parent;
        while let Some(parent) = at {
            let queue = tree.get_mut(parent);
            queue.running_below += change;
            at = queue.parent;
        }
        let running = self.running_of.entry(user.to_owned()).or_insert(0);
        *running += change;
        if *running == 0 {
            self.running_of.remove(user);
        }
    }

    pub(crate) fn wait(&mut self, user: &str, app: u32) {
        self.waiting_of.entry(user.to_owned()).or_default().push(app);
    }

    pub(crate) fn stop_waiting(&mut self, user: &str, app: u32) {
        if let Some(waiting) = self.waiting_of.get_mut(user) {
            waiting.remove(app);
            if waiting.is_empty() {
                self.waiting_of.remove(user);
            }
        }
    }

    /// How many wait, by the lists of the users; `None` where these do not agree with themselves.
    #[cfg(feature = "faults")]
    pub(crate) fn waiting(&self) -> Option<usize> {
        self.waiting_of.values().map(Waiting::count).sum()
    }

    /// The lists of waiting applications below a queue that has room, children in order of creation.
    pub(crate) fn gather<S>(tree: &QueueTree<S>, queue: u32, lines: &mut Vec<Line<'_>>) {
        let at = tree.get(queue);
        if at.count() >= i64::from(at.max_running_apps) {
            return;
        }
        if at.leaf {
            lines.push(Line::Leaf(queue));
        } else {
            for child in at.children() {
                Running::gather(tree, child, lines);
            }
        }
    }

    /// Who stands in a line after a turn, or first.
    fn after<S>(&self, tree: &QueueTree<S>, line: Line<'_>, turn: Option<u64>) -> Option<(u64, u32)> {
        match line {
            Line::Leaf(leaf) => tree.get(leaf).waiting.after(turn),
            Line::User(user) => self.waiting_of.get(user)?.after(turn),
        }
    }

    /// After a runnable application has left `leaf`: who may start now. At most as many as lists were gathered, and only
    /// where a queue or the user was exactly at its limit, as in Hadoop.
    pub(crate) fn slot_freed<S>(
        &mut self,
        tree: &mut QueueTree<S>,
        apps: &impl Apps,
        limits: &impl UserLimits,
        leaf: u32,
        user: &str,
    ) -> Vec<u32> {
        let at_limit = |slot: u32| {
            let queue = tree.get(slot);
            queue.count() == i64::from(queue.max_running_apps) - 1
        };
        let highest = tree.path(leaf).map(|queue| queue.slot.index).filter(|slot| at_limit(*slot)).last();
        let mut lines = Vec::new();
        if let Some(highest) = highest {
            Running::gather(tree, highest, &mut lines);
        }
        if self.of(user) == limits.limit(user) - 1 && self.waiting_of.contains_key(user) {
            lines.push(Line::User(user));
        }
        let most = lines.len();
        self.start_waiting(tree, apps, limits, &lines, Some(most))
    }

    /// Makes waiting applications runnable in order of their start times, at most `most`; returns them. No further than that is
    /// looked.
    pub(crate) fn start_waiting<S>(
        &mut self,
        tree: &mut QueueTree<S>,
        apps: &impl Apps,
        limits: &impl UserLimits,
        lines: &[Line<'_>],
        most: Option<usize>,
    ) -> Vec<u32> {
        let mut started = Vec::new();
        let mut previous = None;
        let of = |running: &Running, tree: &QueueTree<S>, line: usize, turn| {
            let (turn, app) = running.after(tree, lines[line], turn)?;
            Some(Head { line, turn, app, start_ms: apps.start_ms(app) })
        };
        let mut merged = Merged::default();
        for line in 0..lines.len() {
            merged.put(of(self, tree, line, None));
        }
        while most.is_none_or(|most| started.len() < most) {
            let Some(Head { line, turn, app, .. }) = merged.take() else { break };
            // It waits still: those that start leave their lines below.
            merged.put(of(self, tree, line, Some(turn)));
            if previous.replace(app) == Some(app) {
                continue;
            }
            let (user, leaf) = (apps.user(app), apps.leaf(app));
            if self.can_run(tree, limits, user, leaf) {
                self.count(tree, user, leaf, 1);
                tree.get_mut(leaf).runnable.push(app);
                started.push(app);
            }
        }
        for app in &started {
            tree.get_mut(apps.leaf(*app)).waiting.remove(*app);
            self.stop_waiting(apps.user(*app), *app);
        }
        started
    }
}

/// Who stands first in a line, of those that were not taken yet.
#[derive(Clone, Copy, Debug)]
struct Head {
    line: usize,
    turn: u64,
    app: u32,
    start_ms: u64,
}

/// The heads of several lines by start time; ties as a binary heap of lists gives them (`java.util.PriorityQueue`). A line that has
/// come to its end stands in it too, behind all others: it has a say in where these stand.
#[derive(Debug, Default)]
struct Merged(Vec<Option<Head>>);

/// Whether the first comes before the second.
fn before(a: Option<&Head>, b: Option<&Head>) -> bool {
    let key = |head: Option<&Head>| head.map_or(u64::MAX, |head| head.start_ms);
    key(a) < key(b)
}

impl Merged {
    fn put(&mut self, new: Option<Head>) {
        let heap = &mut self.0;
        heap.push(new);
        let mut k = heap.len() - 1;
        while k > 0 {
            let parent = (k - 1) / 2;
            if !before(new.as_ref(), heap[parent].as_ref()) {
                break;
            }
            heap[k] = heap[parent];
            k = parent;
        }
        heap[k] = new;
    }

    /// The first one; none when no line has anybody left.
    fn take(&mut self) -> Option<Head> {
        let heap = &mut self.0;
        let last = heap.pop()?;
        let Some(head) = heap.first().copied() else { return last };
        let n = heap.len();
        let mut k = 0;
        while k < n / 2 {
            let mut child = 2 * k + 1;
            if child + 1 < n && before(heap[child + 1].as_ref(), heap[child].as_ref()) {
                child += 1;
            }
            if !before(heap[child].as_ref(), last.as_ref()) {
                break;
            }
            heap[k] = heap[child];
            k = child;
        }
        heap[k] = last;
        head
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All of some lists, by start time.
    fn merge(lists: &[Vec<u32>], start_ms: impl Fn(u32) -> u64) -> Vec<u32> {
        let of = |line: usize, at: usize| {
            let app = *lists[line].get(at)?;
            Some(Head { line, turn: at as u64, app, start_ms: start_ms(app) })
        };
        let mut merged = Merged::default();
        (0..lists.len()).for_each(|line| merged.put(of(line, 0)));
        let mut out = Vec::new();
        while let Some(Head { line, turn, app, .. }) = merged.take() {
            merged.put(of(line, usize::try_from(turn).unwrap() + 1));
            out.push(app);
        }
        out
    }

    #[test]
    fn ties_go_to_the_first_list_as_the_heap_has_it() {
        // fair-shares 7.5: lists b c d a by creation, two rounds each, one start time: b's two, c's, d's, a's.
        let lists = vec![vec![1, 2], vec![3, 4], vec![5, 6], vec![7, 8]];
        assert_eq!(merge(&lists, |_| 7).first(), Some(&1));
        let by_start = merge(&[vec![10, 30], vec![20]], u64::from);
        assert_eq!(by_start, [10, 20, 30]);
        assert!(merge(&[vec![], vec![]], u64::from).is_empty());
    }
}
