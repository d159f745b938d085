//! Limits of applications that run at once (reference 22; `CSMaxRunningAppsEnforcer`).

use crate::capacity::engine::message::CapacityMessage;
use crate::capacity::engine::types::Control;
use crate::capacity::heap::JavaHeap;
use crate::capacity::tree::ROOT;
use crate::engine::books::ledger::AppShared;
use crate::queue::RunningLimit;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Of a queue: applications by number.
#[derive(Debug, Default)]
struct OfQueue {
    /// Of a leaf: those that may run.
    running: BTreeSet<u32>,
    /// Of a leaf: those that a limit keeps waiting, in the order in which they came.
    waiting: Vec<u32>,
    /// Of a parent: how many may run below.
    running_below: i64,
}

/// See the module's text.
#[derive(Debug, Default)]
pub(super) struct Parallel {
    queues: Vec<OfQueue>,
    /// Of the users, by name.
    running_of: FxHashMap<String, i64>,
    waiting_of: FxHashMap<String, Vec<u32>>,
}

fn count(of: usize) -> i64 {
    i64::try_from(of).unwrap_or(i64::MAX)
}

impl Parallel {
    pub(super) fn make_room(&mut self, queues: usize) {
        self.queues.resize_with(queues, OfQueue::default);
    }

    /// Another queue is in this slot.
    pub(super) fn begin(&mut self, slot: u32) {
        self.queues[slot as usize] = OfQueue::default();
    }

    /// Applications of a leaf that may run, by number.
    pub(super) fn running_in(&self, leaf: u32) -> impl Iterator<Item = u32> + '_ {
        self.queues[leaf as usize].running.iter().copied()
    }

    pub(super) fn in_leaf(&self, leaf: u32) -> i64 {
        let leaf = &self.queues[leaf as usize];
        count(leaf.running.len() + leaf.waiting.len())
    }

    /// It is in a leaf no longer.
    pub(super) fn leave(&mut self, leaf: u32, app: u32) {
        let leaf = &mut self.queues[leaf as usize];
        if !leaf.running.remove(&app) {
            leaf.waiting.retain(|other| *other != app);
        }
    }

    /// An application of a user waits no more.
    fn waits_no_more(&mut self, user: &str, app: u32) {
        let Some(waiting) = self.waiting_of.get_mut(user) else { return };
        if let Some(at) = waiting.iter().position(|other| *other == app) {
            waiting.remove(at);
        }
        if waiting.is_empty() {
            self.waiting_of.remove(user);
        }
    }

    pub(super) fn enter(&mut self, leaf: u32, app: u32, runnable: bool) {
        let leaf = &mut self.queues[leaf as usize];
        if runnable {
            leaf.running.insert(app);
        } else {
            leaf.waiting.push(app);
        }
    }
}

impl Control {
    fn running(&self, slot: u32) -> i64 {
        let queue = &self.own.parallel.queues[slot as usize];
        if self.own.is_leaf(slot) { count(queue.running.len()) } else { queue.running_below }
    }

    fn most_in(&self, slot: u32) -> i64 {
        i64::from(self.own.tree.get(slot).config.max_parallel_apps)
    }

    fn most_of(&self, user: &str) -> i64 {
        let settings = self.own.tree.file.settings();
        i64::from(*settings.max_parallel_apps_by_user.get(user).unwrap_or(&settings.user_max_parallel_apps))
    }

    fn running_of(&self, user: &str) -> i64 {
        self.own.parallel.running_of.get(user).copied().unwrap_or_default()
    }

    /// The limit of parallel applications that keeps an application waiting; none where it does not wait, or there is room by now.
    pub(crate) fn parallel_limit(&self, app: &AppShared) -> Option<RunningLimit> {
        let leaf = self.known(app).ok().filter(|app| !app.runnable)?.leaf;
        let (running, limit) = (self.running_of(&app.user), self.most_of(&app.user));
        if running >= limit {
            return Some(RunningLimit::User { user: app.user.to_string(), running, limit });
        }
        let full = self.own.tree.path(leaf).find(|queue| self.running(*queue) >= self.most_in(*queue))?;
        let queue = self.own.tree.get(full).config.path.clone();
        Some(RunningLimit::Queue { queue, running: self.running(full), limit: self.most_in(full) })
    }

    fn may_run(&self, leaf: u32, user: &str) -> bool {
        self.running_of(user) < self.most_of(user)
            && self.own.tree.path(leaf).all(|queue| self.running(queue) < self.most_in(queue))
    }

    fn count_running(&mut self, leaf: u32, user: &str, by: i64) {
        let own = &mut self.own;
        let running = own.parallel.running_of.entry(user.to_owned()).or_default();
        *running += by;
        if *running == 0 {
            own.parallel.running_of.remove(user);
        }
        for queue in own.tree.path(leaf).skip(1) {
            own.parallel.queues[queue as usize].running_below += by;
        }
    }

    /// A new attempt runs or waits.
    pub(super) fn run_or_wait(&mut self, app: u32, user: &str, leaf: u32) -> bool {
        let runs = self.may_run(leaf, user);
        if runs {
            self.count_running(leaf, user, 1);
        } else {
            self.own.parallel.waiting_of.entry(user.to_owned()).or_default().push(app);
        }
        self.own.parallel.enter(leaf, app, runs);
        runs
    }

    /// An attempt has left its leaf: whoever may run now begins.
    pub(super) fn ran_or_waited(&mut self, app: u32, user: &str, leaf: u32, runnable: bool) {
        if !runnable {
            self.own.parallel.waits_no_more(user, app);
            return;
        }
        self.count_running(leaf, user, -1);
        let was_full = |queue: &u32| self.running(*queue) == self.most_in(*queue) - 1;
        let highest = self.own.tree.path(leaf).filter(was_full).last();
        let mut lists = Vec::new();
        if let Some(highest) = highest {
            self.gather(highest, &mut lists);
        }
        if self.running_of(user) == self.most_of(user) - 1
            && let Some(waiting) = self.own.parallel.waiting_of.get(user)
        {
            lists.push(waiting.clone());
        }
        let most = lists.len();
        self.begin_waiting(&lists, most);
    }

    /// After a refresh of the queues.
    pub(super) fn begin_all_that_may(&mut self) {
        let mut lists = Vec::new();
        self.gather(ROOT, &mut lists);
        self.begin_waiting(&lists, usize::MAX);
    }

    fn gather(&self, slot: u32, lists: &mut Vec<Vec<u32>>) {
        if self.running(slot) >= self.most_in(slot) {
            return;
        }
        if self.own.is_leaf(slot) {
            lists.push(self.own.parallel.queues[slot as usize].waiting.clone());
        } else {
            self.own.tree.get(slot).children.iter().for_each(|child| self.gather(*child, lists));
        }
    }

    fn begin_waiting(&mut self, lists: &[Vec<u32>], most: usize) {
        // A list's turn comes by the start of its next application; an empty one never.
        let start = |list: usize, at: usize| {
            let app = lists[list].get(at).and_then(|app| self.by_number.get(app));
            app.map_or(u64::MAX, |slot| self.app(*slot).shared.start_ms)
        };
        let by_time = |a: &(u64, usize), b: &(u64, usize)| a.0.cmp(&b.0);
        let mut heap = JavaHeap::new();
        for list in 0..lists.len() {
            heap.push((start(list, 0), list), by_time);
        }
        let mut order = Vec::new();
        let mut at = vec![0; lists.len()];
        while heap.peek().is_some_and(|(time, _)| *time != u64::MAX) {
            let Some((_, list)) = heap.pop(by_time) else { break };
            order.push(lists[list][at[list]]);
            at[list] += 1;
            heap.push((start(list, at[list]), list), by_time);
        }
        let (mut before, mut begun) = (None, Vec::new());
        for app in order {
            if before == Some(app) {
                continue;
            }
            let slot = self.by_number[&app];
            let (leaf, user) = (self.app(slot).leaf, self.app(slot).shared.user.clone());
            if self.may_run(leaf, &user) {
                self.count_running(leaf, &user, 1);
                self.count_of_user(leaf, &user, 1);
                self.own.parallel.enter(leaf, app, true);
                self.start(slot);
                self.tell(CapacityMessage::Started(app));
                begun.push((app, leaf, user));
                if begun.len() >= most {
                    break;
                }
            }
            before = Some(app);
        }
        for (app, leaf, user) in begun {
            let of_leaf = &mut self.own.parallel.queues[leaf as usize].waiting;
            if let Some(at) = of_leaf.iter().position(|other| *other == app) {
                of_leaf.remove(at);
            }
            self.own.parallel.waits_no_more(&user, app);
        }
    }

    /// Who runs and who waits, by leaf and by user. How many run below a queue is not looked at: as in Hadoop moves leave that as it was.
    #[cfg(feature = "faults")]
    pub(in crate::capacity::engine) fn audit_parallel(&self, waiting: usize, wrong: &mut Vec<String>) {
        let parallel = &self.own.parallel;
        let (mut listed, mut running_of) = (0, FxHashMap::<String, i64>::default());
        for app in self.apps.iter().flatten() {
            let number = app.shared.id.number;
            let queue = &parallel.queues[app.leaf as usize];
            let runs = usize::from(queue.running.contains(&number));
            let waits = queue.waiting.iter().filter(|other| **other == number).count();
            if (runs, waits) != (usize::from(app.runnable), usize::from(!app.runnable)) {
                wrong
                    .push(format!("application {number} (may run: {}) runs {runs}, waits {waits} times", app.runnable));
            }
            listed += runs + waits;
            if app.runnable {
                *running_of.entry(app.shared.user.to_string()).or_default() += 1;
            } else if parallel.waiting_of.get(&*app.shared.user).is_none_or(|waiting| !waiting.contains(&number)) {
                wrong.push(format!("application {number} waits, and is not among those of its user"));
            }
        }
        let in_leaves: usize = parallel.queues.iter().map(|queue| queue.running.len() + queue.waiting.len()).sum();
        if in_leaves != listed {
            wrong.push(format!("leaf queues list {in_leaves} applications, {listed} are there"));
        }
        let of_users: usize = parallel.waiting_of.values().map(Vec::len).sum();
        if of_users != waiting {
            wrong.push(format!("{of_users} applications of users wait, {waiting} do"));
        }
        if running_of != parallel.running_of {
            wrong.push(format!("users run {running_of:?}, {:?} are counted", parallel.running_of));
        }
    }
}
