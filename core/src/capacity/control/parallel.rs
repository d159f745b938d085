//! Limits of applications that run at once (rules/capacity.md 22; `CSMaxRunningAppsEnforcer`).

use crate::capacity::decide::messages::CapacityMessage;
use crate::capacity::rules::tree::ROOT;
use crate::capacity::types::Control;
use crate::engine::books::ledger::AppShared;
use crate::engine::control::{App, LeafEntry};
use crate::queue::{Crowd, Line, RunningLimit, Waiting, start_waiting};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Of a queue: applications by number.
#[derive(Debug, Default)]
struct OfQueue {
    /// Of a leaf: those that may run.
    running: BTreeSet<u32>,
    /// Of a leaf: those that a limit keeps waiting, in the order in which they came, with their users.
    waiting: Waiting<Box<str>>,
    /// Of a leaf: those that neither run nor wait any more, and have not left: their end has begun, or their attempt
    /// was stopped.
    out: BTreeSet<u32>,
    /// Of a parent: how many may run below.
    running_below: i64,
}

/// See the module's text.
#[derive(Debug, Default)]
pub(super) struct Parallel {
    queues: Vec<OfQueue>,
    /// Of the users, by name.
    running_of: FxHashMap<String, i64>,
    /// With their leaf queues.
    waiting_of: FxHashMap<String, Waiting<u32>>,
    /// Applications by number whose attempt was stopped: it holds no place any more.
    stopped: BTreeSet<u32>,
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
        count(leaf.running.len() + leaf.waiting.len() + leaf.out.len())
    }

    /// It is in a leaf no longer.
    pub(super) fn leave(&mut self, leaf: u32, app: u32) {
        let leaf = &mut self.queues[leaf as usize];
        // In one of them.
        let _ = leaf.running.remove(&app) || leaf.waiting.remove(app) || leaf.out.remove(&app);
    }

    /// An application of a user waits no more.
    fn remove_waiting(&mut self, user: &str, app: u32) {
        let Some(waiting) = self.waiting_of.get_mut(user) else { return };
        waiting.remove(app);
        if waiting.is_empty() {
            self.waiting_of.remove(user);
        }
    }

    /// It is in a leaf, and may run there or not.
    pub(super) fn enter(&mut self, leaf: u32, app: u32, user: &str, runnable: bool) {
        let queue = &mut self.queues[leaf as usize];
        if self.stopped.contains(&app) {
            queue.out.insert(app);
        } else if runnable {
            queue.running.insert(app);
        } else {
            queue.waiting.push(app, user.into());
            if let Some(waiting) = self.waiting_of.get_mut(user) {
                waiting.becomes(app, leaf);
            }
        }
    }

    pub(super) fn is_stopped(&self, app: u32) -> bool {
        self.stopped.contains(&app)
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

    /// The limit of parallel applications that keeps an application waiting; none where it does not wait, or there is
    /// room by now.
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
        self.user_has_room(user) && self.queues_have_room(leaf)
    }

    fn user_has_room(&self, user: &str) -> bool {
        self.running_of(user) < self.most_of(user)
    }

    /// A leaf has, and all above it.
    fn queues_have_room(&self, leaf: u32) -> bool {
        self.own.tree.path(leaf).all(|queue| self.running(queue) < self.most_in(queue))
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
            self.own.parallel.waiting_of.entry(user.to_owned()).or_default().push(app, leaf);
        }
        self.own.parallel.enter(leaf, app, user, runs);
        runs
    }

    /// An attempt leaves its leaf: whoever may run now begins. Nothing of one that was stopped before.
    pub(super) fn leave_running_or_waiting(&mut self, app: u32, user: &str, stood: LeafEntry) {
        let LeafEntry { leaf, runnable } = stood;
        self.own.parallel.leave(leaf, app);
        if self.own.parallel.stopped.remove(&app) {
            return;
        }
        self.count_of_user(leaf, user, -1);
        if !runnable {
            self.own.parallel.remove_waiting(user, app);
            return;
        }
        self.count_running(leaf, user, -1);
        let was_full = |queue: &u32| self.running(*queue) == self.most_in(*queue) - 1;
        let highest = self.own.tree.path(leaf).filter(was_full).last();
        let mut lines = Vec::new();
        if let Some(highest) = highest {
            self.gather(highest, &mut lines);
        }
        if self.running_of(user) == self.most_of(user) - 1 && self.own.parallel.waiting_of.contains_key(user) {
            lines.push(Line::User(user));
        }
        start_waiting(self, &lines, Some(lines.len()));
    }

    /// An attempt has left the lists of its leaf before its application ends, or another attempt begins: it holds no
    /// place.
    pub(crate) fn attempt_stopped(&mut self, app: &AppShared) {
        let Ok(known) = self.known(app) else { return };
        let (number, stood) = (app.id.number, LeafEntry { leaf: known.leaf, runnable: known.runnable });
        if !self.own.parallel.is_stopped(number) {
            self.leave_running_or_waiting(number, &app.user, stood);
            self.own.parallel.stopped.insert(number);
            self.own.parallel.enter(stood.leaf, number, &app.user, stood.runnable);
        }
    }

    /// After a refresh of the queues.
    pub(super) fn begin_all_that_may(&mut self) {
        let mut lines = Vec::new();
        self.gather(ROOT, &mut lines);
        start_waiting(self, &lines, None);
    }

    fn gather(&self, slot: u32, lines: &mut Vec<Line<'_>>) {
        if self.running(slot) >= self.most_in(slot) {
            return;
        }
        if self.own.is_leaf(slot) {
            lines.push(Line::Leaf(slot));
        } else {
            self.own.tree.get(slot).children.iter().for_each(|child| self.gather(*child, lines));
        }
    }

    fn numbered(&self, app: u32) -> &App {
        self.app(self.by_number[&app])
    }

    /// Who runs and who waits, by leaf and by user. How many run below a queue is not looked at: as in Hadoop moves
    /// leave that as it was.
    #[cfg(feature = "faults")]
    pub(in crate::capacity) fn audit_parallel(&self, waiting: usize, wrong: &mut Vec<String>) {
        let parallel = &self.own.parallel;
        let (mut listed, mut stopped, mut running_of) = (0, [0; 2], FxHashMap::<String, i64>::default());
        for app in self.apps.iter().flatten() {
            let (number, user) = (app.shared.id.number, &app.shared.user);
            let queue = &parallel.queues[app.leaf as usize];
            let stands = [
                queue.running.contains(&number),
                queue.waiting.has(number, user),
                queue.out.contains(&number),
                parallel.waiting_of.get(&**user).is_some_and(|waiting| waiting.has(number, &app.leaf)),
            ];
            let is_out = parallel.is_stopped(number);
            let (runs, waits) = (app.runnable && !is_out, !app.runnable && !is_out);
            if stands != [runs, waits, is_out, waits] {
                wrong.push(format!(
                    "application {number} (may run: {}, stopped: {is_out}) runs, waits, is out, waits for its user: {stands:?}",
                    app.runnable
                ));
            }
            listed += 1;
            stopped[usize::from(app.runnable)] += usize::from(is_out);
            if runs {
                *running_of.entry(user.to_string()).or_default() += 1;
            }
        }
        let in_leaves: i64 = (0..).zip(&parallel.queues).map(|(leaf, _)| parallel.in_leaf(leaf)).sum();
        if in_leaves != listed {
            wrong.push(format!("leaf queues list {in_leaves} applications, {listed} are there"));
        }
        let of_users: Option<usize> = parallel.waiting_of.values().map(Waiting::count).sum();
        let of_leaves: Option<usize> = parallel.queues.iter().map(|queue| queue.waiting.count()).sum();
        if [of_users, of_leaves] != [Some(waiting - stopped[0]); 2] {
            let count = waiting - stopped[0];
            wrong.push(format!("{count} applications wait, in lines of users and leaves: {of_users:?}, {of_leaves:?}"));
        }
        if stopped.iter().sum::<usize>() != parallel.stopped.len() {
            wrong.push(format!("stopped are {:?}, {stopped:?} of them are there", parallel.stopped));
        }
        if running_of != parallel.running_of {
            wrong.push(format!("users run {running_of:?}, {:?} are counted", parallel.running_of));
        }
    }
}

/// Applications by number.
impl Crowd for Control {
    fn next_in(&self, line: Line<'_>, after: Option<u64>) -> Option<(u64, u32)> {
        let parallel = &self.own.parallel;
        match line {
            Line::Leaf(leaf) => parallel.queues[leaf as usize].waiting.after(after),
            Line::User(user) => parallel.waiting_of.get(user)?.after(after),
        }
    }

    fn start_ms(&self, app: u32) -> u64 {
        self.numbered(app).shared.start_ms
    }

    fn goes_on(&self, app: u32) -> bool {
        self.numbered(app).end.lets_start()
    }

    fn has_room_for(&self, app: u32) -> bool {
        let app = self.numbered(app);
        self.may_run(app.leaf, &app.shared.user)
    }

    fn is_hopeless(&self, line: Line<'_>) -> bool {
        let parallel = &self.own.parallel;
        let may_some = match line {
            Line::Leaf(leaf) => {
                let mut users = parallel.queues[leaf as usize].waiting.kinds();
                self.queues_have_room(leaf) && users.any(|user| self.user_has_room(user))
            }
            Line::User(user) => {
                let mut leaves = parallel.waiting_of.get(user).into_iter().flat_map(Waiting::kinds);
                self.user_has_room(user) && leaves.any(|leaf| self.queues_have_room(*leaf))
            }
        };
        !may_some
    }

    fn run(&mut self, app: u32) {
        let (slot, leaf, user) =
            (self.by_number[&app], self.numbered(app).leaf, self.numbered(app).shared.user.clone());
        self.count_running(leaf, &user, 1);
        self.count_of_user(leaf, &user, 1);
        self.own.parallel.queues[leaf as usize].running.insert(app);
        self.start(slot);
        self.tell(CapacityMessage::Started(app));
    }

    fn leave_lines(&mut self, app: u32) {
        let (leaf, user) = (self.numbered(app).leaf, self.numbered(app).shared.user.clone());
        let of_leaf = &mut self.own.parallel.queues[leaf as usize];
        of_leaf.waiting.remove(app);
        if !of_leaf.running.contains(&app) {
            of_leaf.out.insert(app);
        }
        self.own.parallel.remove_waiting(&user, app);
    }
}
