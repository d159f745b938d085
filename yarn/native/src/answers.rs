//! What has happened while a batch was worked off: containers granted and ended, nodes reserved and not any more.
//!
//! They are taken out of the mailboxes as soon as they are there, because Java makes its objects of them at once; an AM gets them from
//! there by its next call.

use crate::bridge::State;
use crate::wire::Writer;
use evenweave::view::ReservationNews;
use evenweave::{Allocation, Container, ContainerId, EndReason, EndedContainer};
use std::collections::HashMap;
use std::sync::PoisonError;

/// See the module's text.
#[derive(Debug, Default)]
pub(crate) struct Outcomes {
    granted: Vec<(u32, Container)>,
    ended: Vec<EndedContainer>,
    /// What AMs are to be told of preemption, and are told once: it came with a look into a mailbox that was no AM's call.
    to_tell: HashMap<u32, Vec<ContainerId>>,
    scratch: Allocation,
}

/// Ends that come of what Java has asked for are told to it all the same, with their reason; it knows which those are.
fn number_of(reason: EndReason) -> u8 {
    match reason {
        EndReason::Completed => 0,
        EndReason::Released => 1,
        EndReason::AppFinished => 2,
        EndReason::NodeLost => 3,
        EndReason::Preempted => 4,
        EndReason::Expired => 5,
        // New ones of a later core.
        _ => u8::MAX,
    }
}

impl State {
    /// What an answer brings beside the headroom. `None` of `told`: no AM's call.
    pub(crate) fn note(&mut self, app: u32, answer: &mut Allocation, told: Option<&mut Vec<ContainerId>>) {
        let Outcomes { granted, ended, to_tell, .. } = &mut self.outcomes;
        granted.extend(answer.granted.drain(..).map(|container| (app, container)));
        ended.append(&mut answer.ended);
        match told {
            Some(told) => {
                told.extend(to_tell.remove(&app).into_iter().flatten());
                told.append(&mut answer.strict_preemptions);
                told.sort_unstable();
                told.dedup();
            }
            None if answer.strict_preemptions.is_empty() => {}
            None => to_tell.entry(app).or_default().append(&mut answer.strict_preemptions),
        }
    }

    /// Empties every mailbox that has something.
    fn empty_mailboxes(&mut self) {
        let mail = std::mem::take(&mut *self.mail.lock().unwrap_or_else(PoisonError::into_inner));
        let mut answer = std::mem::take(&mut self.outcomes.scratch);
        for app in mail {
            let Some(handle) = self.apps.get(&app).cloned() else { continue };
            // Refused where it has ended meanwhile: then its mail is gone.
            if self.driver.manage(&handle, &evenweave::AllocateRequest::default(), &mut answer).is_ok() {
                self.note(app, &mut answer, None);
            }
        }
        self.outcomes.scratch = answer;
    }

    /// An application is over.
    pub(crate) fn forget(&mut self, app: u32) {
        self.apps.remove(&app);
        self.outcomes.to_tell.remove(&app);
    }

    /// Writes what has happened since this was last called.
    pub(crate) fn write_outcomes(&mut self, out: &mut Writer) {
        self.empty_mailboxes();
        let Outcomes { granted, ended, .. } = &mut self.outcomes;
        out.length(granted.len());
        for (app, container) in granted.drain(..) {
            out.count(app);
            out.container(container.id);
            out.count(u32::try_from(container.node.index()).expect("nodes are fewer"));
            out.int(container.priority);
            out.long(container.allocation_request_id);
            out.resource(&container.resource);
        }
        let news = self.driver.reservation_news();
        out.length(news.len());
        for ReservationNews { node, reserved, .. } in news {
            out.count(u32::try_from(node.index()).expect("nodes are fewer"));
            out.flag(reserved.is_some());
            if let Some(reserved) = reserved {
                out.count(reserved.app);
                out.count(reserved.container);
                out.int(reserved.priority);
                out.long(reserved.allocation_request_id);
                out.resource(&reserved.resource);
            }
        }
        out.length(ended.len());
        for EndedContainer { id, reason, .. } in ended.drain(..) {
            out.container(id);
            out.byte(number_of(reason));
        }
    }
}
