//! Running limits: who is runnable, who waits, and who starts when somebody has left.
//!
//! Follows `MaxRunningAppsEnforcer` (rules/fair-shares.md 7); the lists themselves are `queue::Running`'s.

use crate::config::AllocationFile;
use crate::engine::books::ledger::AppShared;
use crate::engine::control::{AppList, LeafEntry};
use crate::fair::engine::Control;
use crate::queue::{AtLimit, Running, RunningLimit, UserLimits};
use crate::resource::Resource;

impl UserLimits for AllocationFile {
    fn limit(&self, user: &str) -> i64 {
        i64::from(self.users.get(user).copied().unwrap_or(self.user_max_apps))
    }
}

/// Why no worker offers a node to an application.
#[derive(Debug)]
pub(crate) enum Stopped {
    /// It has ended.
    Ended,
    /// It waits to run; `limit` is what stops it, `None` if there is room by now but nothing has started it yet.
    Waiting { limit: Option<RunningLimit> },
}

impl Control {
    /// An attempt is in a leaf queue from now on, runnable if no limit stands against it.
    pub(super) fn run_or_wait(&mut self, app: &AppShared, leaf: u32) -> bool {
        self.tree.get_mut(leaf).own.submitted.insert(app.id.number);
        let runs = self.can_run(&app.user, leaf);
        let slot = app.slot.index;
        if runs {
            self.count_in(app, leaf);
        } else {
            self.tree.get_mut(leaf).waiting.push(slot, app.user.clone());
            self.own.running.wait(&app.user, slot, leaf);
        }
        runs
    }

    pub(super) fn can_run(&self, user: &str, leaf: u32) -> bool {
        self.own.running.can_run(&self.tree, &*self.own.file, user, leaf)
    }

    /// It is runnable in a leaf.
    pub(super) fn count_in(&mut self, app: &AppShared, leaf: u32) {
        self.tree.get_mut(leaf).runnable.push(app.slot.index);
        self.own.running.count(&mut self.tree, &app.user, leaf, 1);
    }

    /// It is runnable in a leaf no longer: its AM's share comes back.
    pub(super) fn count_out(&mut self, app: &AppShared, leaf: u32, am: &Resource) {
        self.tree.get_mut(leaf).runnable.remove(app.slot.index);
        if let Some(ledger) = self.ledger(leaf) {
            ledger.am_usage.subtract(am);
        }
        self.own.running.count(&mut self.tree, &app.user, leaf, -1);
    }

    /// An attempt has ended.
    pub(super) fn has_left(&mut self, app: &AppShared, stood: LeafEntry) {
        let leaf = stood.leaf;
        if stood.runnable {
            self.count_out(app, leaf, &app.am_resource());
        } else {
            self.tree.get_mut(leaf).waiting.remove(app.slot.index);
            self.own.running.stop_waiting(&app.user, app.slot.index);
        }
        self.tree.get_mut(leaf).own.submitted.remove(&app.id.number);
        if stood.runnable {
            self.runnable_left(leaf, &app.user);
        }
    }

    /// A runnable application has left `leaf`: starts the waiting applications that may run now.
    pub(super) fn runnable_left(&mut self, leaf: u32, user: &str) {
        let (apps, own) = (AppList(&self.apps), &mut self.own);
        let started = own.running.runnable_left(&mut self.tree, &apps, &*own.file, leaf, user);
        started.into_iter().for_each(|app| self.start(app));
    }

    /// After a reload: whoever may run now does.
    pub(super) fn start_all_that_may(&mut self) {
        let Some(root) = self.tree.find(crate::config::ROOT) else { return };
        let mut lines = Vec::new();
        Running::gather(&self.tree, root, &mut lines);
        let (apps, own) = (AppList(&self.apps), &mut self.own);
        let started = own.running.start_waiting(&mut self.tree, &apps, &*own.file, &lines, None);
        started.into_iter().for_each(|app| self.start(app));
    }

    /// Why no worker offers a node to an application; `None` if it is runnable.
    pub(crate) fn why_stopped(&self, shared: &AppShared) -> Option<Stopped> {
        let Ok(app) = self.known(shared) else { return Some(Stopped::Ended) };
        if app.runnable {
            return None;
        }
        let stopped = self.own.running.stopped_by(&self.tree, &*self.own.file, &shared.user, app.leaf);
        let limit = stopped.map(|AtLimit { queue, running, limit }| match queue {
            Some(queue) => RunningLimit::Queue { queue: self.tree.get(queue).name.to_string(), running, limit },
            None => RunningLimit::User { user: shared.user.to_string(), running, limit },
        });
        Some(Stopped::Waiting { limit })
    }

    /// Checks two laws. The `submitted` sets of the leaf queues have the number of every application, so that no queue
    /// in use is removed. A waiting application, and no other, is in the waiting list of its leaf queue and in its
    /// user's.
    #[cfg(feature = "faults")]
    pub(super) fn audit_lists(&self, waiting: usize, wrong: &mut Vec<String>) {
        let queues = || self.tree.in_order_of_creation().into_iter().map(|slot| self.tree.get(slot));
        let submitted: usize = queues().map(|queue| queue.own.submitted.len()).sum();
        let apps = self.apps.iter().flatten().count();
        if submitted != apps {
            wrong.push(format!("{apps} applications are there, the `submitted` sets have {submitted} numbers"));
        }
        let in_lines = [queues().map(|queue| queue.waiting.count()).sum(), self.own.running.waiting()];
        if in_lines != [Some(waiting); 2] {
            wrong.push(format!("{waiting} applications wait, in lines of queues and users stand {in_lines:?}"));
        }
        for app in self.apps.iter().flatten().filter(|app| !app.runnable) {
            let (user, slot) = (&app.shared.user, app.shared.slot.index);
            let stands =
                [self.tree.get(app.leaf).waiting.has(slot, user), self.own.running.is_waiting(user, slot, app.leaf)];
            if stands != [true; 2] {
                wrong.push(format!("{:?} waits; in the lines of its queue and its user: {stands:?}", app.shared));
            }
        }
        let [queues, .., names] = self.tree.counts();
        if queues != names {
            wrong.push(format!("{queues} queues have {names} names"));
        }
    }
}
