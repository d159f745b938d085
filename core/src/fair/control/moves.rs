//! Moves: whether an application may go to another leaf queue, and what goes along (rules/assignment.md 14).

use super::queues::check_name;
use crate::config::rooted;
use crate::engine::books::ledger::AppShared;
use crate::engine::control::{App, LeafEntry};
use crate::event::refused::{Limit, NotFound};
use crate::event::{Named, Refused, check_length};
use crate::fair::engine::Control;
use crate::resource::Resource;

impl Control {
    /// Where an application would go, and whether it would be runnable there; `None`: it is there.
    pub(super) fn target_of_move(&self, app: &App, queue: &str) -> Result<Option<LeafEntry>, Refused> {
        check_length(Named::Queue, queue)?;
        let name = self.without_reservation(&rooted(queue)).into_owned();
        let target = self.tree.find(&name);
        if target.is_none() {
            check_name(&name)?;
        }
        let Some(leaf) = target.filter(|slot| self.tree.get(*slot).leaf) else {
            return Err(NotFound::Queue(name).into());
        };
        if leaf == app.leaf {
            return Ok(None);
        }
        if app.runnable {
            self.check_limits(&app.shared, app.leaf, leaf)?;
        }
        let runnable = self.can_run(&app.shared.user, leaf);
        if app.runnable && !runnable {
            return Err(Limit::NotRunnable(app.shared.id.number).into());
        }
        Ok(Some(LeafEntry { leaf, runnable }))
    }

    /// It has gone there.
    pub(super) fn has_moved(&mut self, app: &AppShared, stood: LeafEntry, am: &Resource) {
        let (slot, number) = (app.slot.index, app.id.number);
        let stands = self.app(slot);
        let (target, runs) = (stands.leaf, stands.runnable);
        if stood.runnable {
            self.count_out(app, stood.leaf, am);
        } else {
            self.tree.get_mut(stood.leaf).waiting.remove(slot);
            if runs {
                self.own.running.stop_waiting(&app.user, slot);
            }
        }
        self.tree.get_mut(stood.leaf).own.submitted.remove(&number);
        self.tree.get_mut(target).own.submitted.insert(number);
        if runs {
            self.count_in(app, target);
        } else {
            self.tree.get_mut(target).waiting.push(slot, app.user.clone());
            self.own.running.waits_in(&app.user, slot, target);
        }
        if stood.runnable {
            self.runnable_left(stood.leaf, &app.user);
        }
    }

    /// Limits from the target up to below the common ancestor.
    fn check_limits(&self, app: &AppShared, source: u32, target: u32) -> Result<(), Refused> {
        let above: Vec<_> = self.tree.path(source).map(|queue| queue.slot.index).collect();
        let usage = app.usage();
        for queue in self.tree.path(target).take_while(|queue| !above.contains(&queue.slot.index)) {
            if queue.count() == i64::from(queue.max_running_apps) {
                return Err(Limit::MaxRunning(queue.name.to_string()).into());
            }
            let used = self.ledger(queue.slot.index).map_or(Resource::ZERO, |ledger| ledger.usage());
            if !used.plus(&usage).fits_in(&queue.own.max_share(&self.nodes.total())) {
                return Err(Limit::MaxShare(queue.name.to_string()).into());
            }
        }
        Ok(())
    }
}
