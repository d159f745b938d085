//! Limits of applications that run at once (rules/capacity.md 22; `CSMaxRunningAppsEnforcer`).

use super::state::Plain;
use crate::capacity::heap::JavaHeap;
use crate::capacity::tree::ROOT;

impl Plain {
    fn running(&self, slot: u32) -> i64 {
        match &self.leaves[slot as usize] {
            Some(leaf) => i64::try_from(leaf.runnable.len()).unwrap_or(i64::MAX),
            None => self.counts[slot as usize].runnable,
        }
    }

    fn most_in(&self, slot: u32) -> i64 {
        i64::from(self.tree.get(slot).config.max_parallel_apps)
    }

    fn most_of(&self, user: &str) -> i64 {
        let settings = self.tree.file.settings();
        i64::from(*settings.max_parallel_apps_by_user.get(user).unwrap_or(&settings.user_max_parallel_apps))
    }

    fn running_of(&self, user: &str) -> i64 {
        self.running_of.get(user).copied().unwrap_or_default()
    }

    fn may_run(&self, leaf: u32, user: &str) -> bool {
        self.running_of(user) < self.most_of(user)
            && self.tree.path(leaf).all(|queue| self.running(queue) < self.most_in(queue))
    }

    fn count_running(&mut self, leaf: u32, user: &str, by: i64) {
        *self.running_of.entry(user.to_owned()).or_default() += by;
        let above: Vec<u32> = self.tree.path(leaf).skip(1).collect();
        above.into_iter().for_each(|queue| self.counts[queue as usize].runnable += by);
    }

    /// A new attempt runs or waits, and enters its leaf.
    pub(super) fn begin(&mut self, app: u32) {
        let (leaf, user) = (self.app(app).leaf, self.app(app).user.clone());
        let runs = self.may_run(leaf, &user);
        self.app_mut(app).runnable = runs;
        if runs {
            self.count_running(leaf, &user, 1);
        } else {
            self.waiting_of.entry(user).or_default().push(app);
        }
        self.enter(app);
    }

    /// An attempt has left its leaf: whoever may run now begins.
    pub(super) fn ran_or_waited(&mut self, app: u32, leaf: u32) {
        let (user, runnable) = (self.app(app).user.clone(), self.app(app).runnable);
        if !runnable {
            self.waiting_of.entry(user).or_default().retain(|other| *other != app);
            return;
        }
        self.count_running(leaf, &user, -1);
        let was_full = |queue: &u32| self.running(*queue) == self.most_in(*queue) - 1;
        let highest = self.tree.path(leaf).filter(was_full).last();
        let mut lists = Vec::new();
        if let Some(highest) = highest {
            self.gather(highest, &mut lists);
        }
        if self.running_of(&user) == self.most_of(&user) - 1
            && let Some(waiting) = self.waiting_of.get(&user)
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
        match &self.leaves[slot as usize] {
            Some(leaf) => lists.push(leaf.waiting.clone()),
            None => self.tree.get(slot).children.iter().for_each(|child| self.gather(*child, lists)),
        }
    }

    fn begin_waiting(&mut self, lists: &[Vec<u32>], most: usize) {
        // A list's turn comes by the start of its next application; an empty one never.
        let start = |list: usize, at: usize| match lists[list].get(at).and_then(|app| self.apps.get(app)) {
            Some(app) => app.start_ms,
            None => u64::MAX,
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
            let (leaf, user) = (self.app(app).leaf, self.app(app).user.clone());
            if self.may_run(leaf, &user) {
                self.count_running(leaf, &user, 1);
                self.app_mut(app).runnable = true;
                self.enter(app);
                begun.push(app);
                if begun.len() >= most {
                    break;
                }
            }
            before = Some(app);
        }
        for app in begun {
            let (leaf, user) = (self.app(app).leaf, self.app(app).user.clone());
            let first = |list: &mut Vec<u32>| {
                if let Some(at) = list.iter().position(|other| *other == app) {
                    list.remove(at);
                }
            };
            first(&mut self.leaf_mut(leaf).waiting);
            first(self.waiting_of.entry(user).or_default());
        }
    }
}
