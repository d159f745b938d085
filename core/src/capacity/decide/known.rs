//! What the control has said of each attempt: from that the books are written anew after a panic.
//!
//! Each worker owns one, beside its books. A message is noted here before anything of it is done, by plain assignments, so a panic finds it
//! whole. Who was let start stands in what the workers share of the attempt (`turn`). The control owns one too, of all that it has said.

use super::message::{CapacityMessage, Entrant};
use crate::engine::books::turn::OwnTurn;
use std::collections::BTreeMap;

/// An attempt as the control would let it in now.
#[derive(Clone, Debug)]
pub(crate) struct KnownApp {
    pub(crate) entrant: Entrant,
    /// How often it has entered a leaf to wait there.
    pub(crate) turn: OwnTurn,
}

impl KnownApp {
    fn stands(&mut self, runnable: bool) {
        self.entrant.runnable = runnable;
        if runnable {
            self.turn.enter();
        }
    }

    /// Whether it has started in its leaf, as far as the worker that decides there has said. Else it waits.
    pub(crate) fn has_started(&self) -> bool {
        self.entrant.runnable && self.turn.may_start(&self.entrant.joint.turn)
    }
}

/// See the module's text. By number; an attempt that has ended stays until its application is over, or the next one comes.
#[derive(Debug, Default)]
pub(crate) struct Known {
    pub(crate) apps: BTreeMap<u32, KnownApp>,
    /// Workers that are given up.
    pub(crate) given_up: Vec<usize>,
}

impl Known {
    pub(crate) fn hear(&mut self, message: &CapacityMessage) {
        match message {
            CapacityMessage::Entered(entrant) => {
                let mut known = KnownApp { entrant: entrant.clone(), turn: OwnTurn::default() };
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
