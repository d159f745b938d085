//! Running limits: who may run, and who starts when a slot frees (rules/fair-shares.md 7, `MaxRunningAppsEnforcer`).

use super::lines::{Crowd, Line, start_waiting};
use super::tree::{Queue, QueueTree};
use super::waiting::Waiting;
use std::collections::HashMap;

/// Running and waiting applications by user.
#[derive(Debug, Default)]
pub(crate) struct Running {
    running_of: HashMap<String, i64>,
    /// With their leaf queues.
    waiting_of: HashMap<String, Waiting<u32>>,
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
    /// False of one whose end has begun.
    fn may_start(&self, app: u32) -> bool;
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
        self.stopped_by_user(limits, user).or_else(|| Running::stopped_by_queue(tree, leaf))
    }

    fn stopped_by_user(&self, limits: &impl UserLimits, user: &str) -> Option<AtLimit> {
        let (running, limit) = (self.of(user), limits.limit(user));
        (running >= limit).then_some(AtLimit { queue: None, running, limit })
    }

    fn stopped_by_queue<S>(tree: &QueueTree<S>, leaf: u32) -> Option<AtLimit> {
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

    pub(crate) fn wait(&mut self, user: &str, app: u32, leaf: u32) {
        self.waiting_of.entry(user.to_owned()).or_default().push(app, leaf);
    }

    /// One that waits does so in another leaf.
    pub(crate) fn waits_in(&mut self, user: &str, app: u32, leaf: u32) {
        if let Some(waiting) = self.waiting_of.get_mut(user) {
            waiting.becomes(app, leaf);
        }
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

    /// Whether one waits in its user's list, there for this leaf.
    #[cfg(feature = "faults")]
    pub(crate) fn is_waiting(&self, user: &str, app: u32, leaf: u32) -> bool {
        self.waiting_of.get(user).is_some_and(|waiting| waiting.has(app, &leaf))
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

    /// After a runnable application has left `leaf`: who may start now. At most as many as lists were gathered, and
    /// only where a queue or the user was exactly at its limit, as in Hadoop.
    pub(crate) fn runnable_left<S>(
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

    /// Makes waiting applications runnable in order of their start times, at most `most`; returns them.
    pub(crate) fn start_waiting<S>(
        &mut self,
        tree: &mut QueueTree<S>,
        apps: &impl Apps,
        limits: &impl UserLimits,
        lines: &[Line<'_>],
        most: Option<usize>,
    ) -> Vec<u32> {
        start_waiting(&mut Waiters { running: self, tree, apps, limits }, lines, most)
    }
}

/// Those that wait, with all that decides whether they may run.
struct Waiters<'a, S, A, L> {
    running: &'a mut Running,
    tree: &'a mut QueueTree<S>,
    apps: &'a A,
    limits: &'a L,
}

impl<S, A, L: UserLimits> Waiters<'_, S, A, L> {
    fn user_has_room(&self, user: &str) -> bool {
        self.running.stopped_by_user(self.limits, user).is_none()
    }

    fn queues_have_room(&self, leaf: u32) -> bool {
        Running::stopped_by_queue(self.tree, leaf).is_none()
    }
}

impl<S, A: Apps, L: UserLimits> Crowd for Waiters<'_, S, A, L> {
    fn next_in(&self, line: Line<'_>, after: Option<u64>) -> Option<(u64, u32)> {
        match line {
            Line::Leaf(leaf) => self.tree.get(leaf).waiting.after(after),
            Line::User(user) => self.running.waiting_of.get(user)?.after(after),
        }
    }

    fn start_ms(&self, app: u32) -> u64 {
        self.apps.start_ms(app)
    }

    fn goes_on(&self, app: u32) -> bool {
        self.apps.may_start(app)
    }

    fn has_room_for(&self, app: u32) -> bool {
        self.user_has_room(self.apps.user(app)) && self.queues_have_room(self.apps.leaf(app))
    }

    fn is_hopeless(&self, line: Line<'_>) -> bool {
        let may_some = match line {
            Line::Leaf(leaf) => {
                let mut users = self.tree.get(leaf).waiting.kinds();
                self.queues_have_room(leaf) && users.any(|user| self.user_has_room(user))
            }
            Line::User(user) => {
                let mut leaves = self.running.waiting_of.get(user).into_iter().flat_map(Waiting::kinds);
                self.user_has_room(user) && leaves.any(|leaf| self.queues_have_room(*leaf))
            }
        };
        !may_some
    }

    fn run(&mut self, app: u32) {
        let (user, leaf) = (self.apps.user(app), self.apps.leaf(app));
        self.running.count(self.tree, user, leaf, 1);
        self.tree.get_mut(leaf).runnable.push(app);
    }

    fn leave_lines(&mut self, app: u32) {
        self.tree.get_mut(self.apps.leaf(app)).waiting.remove(app);
        self.running.stop_waiting(self.apps.user(app), app);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    /// Each application is another user's, all are in one leaf.
    struct EachItsUser(Vec<String>, u32);

    impl Apps for EachItsUser {
        fn user(&self, app: u32) -> &str {
            &self.0[app as usize]
        }

        fn leaf(&self, _app: u32) -> u32 {
            self.1
        }

        fn start_ms(&self, app: u32) -> u64 {
            app.into()
        }

        fn may_start(&self, _app: u32) -> bool {
            true
        }
    }

    /// Counts how often somebody's limit is asked for.
    struct Asked(Cell<usize>);

    impl UserLimits for Asked {
        fn limit(&self, _user: &str) -> i64 {
            self.0.set(self.0.get() + 1);
            5
        }
    }

    /// An end looks at few, however many wait: at whom it lets start, and not at those for whom the queue has no room
    /// then.
    #[test]
    fn an_end_looks_at_few_of_those_that_wait() {
        let (mut tree, mut running) = (QueueTree::default(), Running::default());
        let root = tree.add("root", None, false, ());
        let leaf = tree.add("root.a", Some(root), true, ());
        tree.add("root.b", Some(root), true, ());
        tree.get_mut(root).max_running_apps = 2;
        let (apps, limits) = (EachItsUser((0..1000).map(|app| format!("u{app}")).collect(), leaf), Asked(Cell::new(0)));
        for app in 0..1000 {
            let user = apps.user(app).to_owned();
            if running.can_run(&tree, &limits, &user, leaf) {
                running.count(&mut tree, &user, leaf, 1);
                tree.get_mut(leaf).runnable.push(app);
            } else {
                tree.get_mut(leaf).waiting.push(app, user.clone().into());
                running.wait(&user, app, leaf);
            }
        }
        for ends in 0..500 {
            limits.0.set(0);
            tree.get_mut(leaf).runnable.remove(ends);
            running.count(&mut tree, apps.user(ends), leaf, -1);
            let started = running.runnable_left(&mut tree, &apps, &limits, leaf, apps.user(ends));
            assert_eq!(started, [ends + 2]);
            assert!(limits.0.get() < 10, "{} users' limits were asked for", limits.0.get());
        }
    }
}
