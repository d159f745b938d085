//! Moves: whether an application may go to another leaf queue, and what follows (rules/capacity.md 23).

use crate::capacity::decide::messages::CapacityMessage;
use crate::capacity::rules::tree::Named;
use crate::capacity::types::Control;
use crate::engine::books::ledger::AppShared;
use crate::engine::control::{App, LeafEntry};
use crate::event::refused::{Invalid, NoQueue, NotFound};
use crate::event::{self, Refused, check_length};

impl Control {
    /// Where an application would go. Whether it may run stays as it was.
    pub(super) fn target_of_move(&self, app: &App, queue: &str) -> Result<LeafEntry, Refused> {
        check_length(event::Named::Queue, queue)?;
        let leaf = match self.within_plan(queue, None)? {
            Named::Ambiguous | Named::Unknown => return Err(NotFound::Queue(queue.to_owned()).into()),
            Named::Queue(slot) if !self.own.is_leaf(slot) => {
                return Err(NoQueue::NotLeaf { queue: queue.to_owned() }.into());
            }
            Named::Queue(slot) => slot,
        };
        self.check_requested(leaf, app.shared.id.number)?;
        self.check_leaf(leaf, &app.shared.user)?;
        Ok(LeafEntry { leaf, runnable: app.runnable })
    }

    /// What it has asked for must be what the target may use. As in Hadoop the default partition is none of that from
    /// now on, also where it does not go (rules/node-labels.md 17).
    fn check_requested(&self, leaf: u32, number: u32) -> Result<(), Refused> {
        let table = self.label_table();
        if table.len() == 0 {
            return Ok(());
        }
        let Some(known) = self.own.said.apps.get(&number) else { return Ok(()) };
        let requested = known.entrant.shared_attempt.requested.take_default_out();
        let terms = self.label_terms_of(leaf);
        let names: Vec<&str> = requested.iter().map(|label| &**table.name(*label)).collect();
        if names.iter().all(|name| terms.may_use(name)) {
            return Ok(());
        }
        let accessible: Vec<&str> = terms.accessible.iter().map(String::as_str).collect();
        Err(Refused::from(Invalid::LabelAccess(format!(
            "Specified queue={} can't satisfy following apps label expressions =[{}] accessible node labels =[{}]",
            terms.queue,
            names.join(", "),
            accessible.join(", ")
        ))))
    }

    /// It has gone there. As in Hadoop the queues above are not told how many may run.
    pub(super) fn has_moved(&mut self, app: &AppShared, stood: LeafEntry) {
        let (number, source) = (app.id.number, stood.leaf);
        let stands = self.app(app.slot.index);
        let (target, runnable) = (stands.leaf, stands.runnable);
        self.count_above(target, 1);
        self.own.parallel.leave(source, number);
        self.own.parallel.enter(target, number, &app.user, runnable);
        if !self.own.parallel.is_stopped(number) {
            self.count_of_user(source, &app.user, -1);
            if runnable {
                self.count_of_user(target, &app.user, 1);
            }
        }
        self.tell(CapacityMessage::Moved { app: number, leaf: target, runnable });
        self.leave_queues(source);
    }
}
