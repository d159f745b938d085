//! What the control has said of each attempt. After a panic the books are rebuilt from it.
//!
//! Each worker has one beside its books. It stores a message here before it does anything else with it, by plain
//! assignments, so that a panic finds it complete. Which attempts were let start is in what the workers share of the
//! attempt (`turn`). The control has one too, of all that it has said.

use super::messages::{AmMoved, CapacityMessage, Entrant};
use crate::engine::books::started_entry::EntryCount;
use crate::sync::Arc;
use std::collections::BTreeMap;

/// An attempt as the control would let it in now.
#[derive(Clone, Debug)]
pub(crate) struct LoggedAttempt {
    pub(crate) entrant: Entrant,
    /// How often it has entered a leaf to wait there.
    pub(crate) turn: EntryCount,
}

impl LoggedAttempt {
    fn stands(&mut self, runnable: bool) {
        self.entrant.runnable = runnable;
        if runnable {
            self.turn.enter();
        }
    }

    /// Whether it has started in its leaf, as far as the worker that decides there has said. Else it waits.
    pub(crate) fn has_started(&self) -> bool {
        self.entrant.runnable && self.turn.may_start(&self.entrant.shared_attempt.turn)
    }
}

/// See the module's text. By number; an attempt that has ended stays until its application is over, or the next one
/// comes.
#[derive(Debug, Default)]
pub(crate) struct Known {
    pub(crate) apps: BTreeMap<u32, LoggedAttempt>,
    /// Workers that are given up.
    pub(crate) given_up: Vec<usize>,
}

impl Known {
    pub(crate) fn hear(&mut self, message: &CapacityMessage) {
        match message {
            CapacityMessage::Entered(entrant) => {
                let mut known = LoggedAttempt { entrant: entrant.clone(), turn: EntryCount::default() };
                known.stands(entrant.runnable);
                self.apps.insert(entrant.app.id.number, known);
            }
            CapacityMessage::Started(app) => {
                if let Some(known) = self.apps.get_mut(app) {
                    known.stands(true);
                }
            }
            CapacityMessage::Over(app) => drop(self.apps.remove(app)),
            CapacityMessage::Priority { app, priority } => {
                if let Some(known) = self.apps.get_mut(app)
                    && *priority != known.entrant.submitted_priority
                {
                    known.entrant.priority = *priority;
                }
            }
            CapacityMessage::Moved { app, leaf, runnable } => {
                if let Some(known) = self.apps.get_mut(app) {
                    known.entrant.leaf = *leaf;
                    known.stands(*runnable);
                }
            }
            CapacityMessage::AmMoved(AmMoved { app, shared_attempt, label, .. }) => {
                if let Some(known) = self.apps.get_mut(app)
                    && Arc::ptr_eq(&known.entrant.shared_attempt, shared_attempt)
                {
                    known.entrant.am_partition = *label;
                }
            }
            CapacityMessage::GivenUp(worker) => self.given_up.push(*worker),
            CapacityMessage::UserSeen { .. }
            | CapacityMessage::Called(_)
            | CapacityMessage::Resized { .. }
            | CapacityMessage::LimitsBelow(_)
            | CapacityMessage::Preempt
            | CapacityMessage::Survey(_)
            | CapacityMessage::Chosen(_)
            | CapacityMessage::Move(_)
            | CapacityMessage::Reservation(_)
            | CapacityMessage::Rests(_)
            | CapacityMessage::Starts(_) => {}
        }
    }
}
