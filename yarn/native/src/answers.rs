//! What has happened while a batch was worked off: containers granted and preempted, nodes reserved and not any more.
//!
//! They are taken out of the mailboxes as soon as they are there, because Java makes its objects of them at once; an AM
//! gets them from there by its next call.

use crate::state::{Outcomes, State};
use crate::wire::Writer;
use evenweave::view::ReservationNews;
use evenweave::{Allocation, ContainerId, EndReason};
use std::sync::PoisonError;

impl State {
    /// What an answer brings beside the headroom. `None` of `told`: no AM's call.
    pub(crate) fn note(&mut self, app: u32, answer: &mut Allocation, told: Option<&mut Vec<ContainerId>>) {
        let Outcomes { granted, preempted, to_tell, .. } = &mut self.outcomes;
        granted.extend(answer.granted.drain(..).map(|container| (app, container)));
        let ended = answer.ended.drain(..).filter(|ended| ended.reason == EndReason::Preempted);
        preempted.extend(ended.map(|ended| ended.id));
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
        let (mut mail, mut answer) = std::mem::take(&mut self.outcomes.scratch);
        std::mem::swap(&mut mail, &mut *self.mail.lock().unwrap_or_else(PoisonError::into_inner));
        for app in mail.drain(..) {
            let Some(handle) = self.apps.get(&app).cloned() else { continue };
            // Refused where it has ended meanwhile: then its mail is gone.
            if self.driver.manage(&handle, &evenweave::AllocateRequest::default(), &mut answer).is_ok() {
                self.note(app, &mut answer, None);
            }
        }
        self.outcomes.scratch = (mail, answer);
    }

    /// An application is over.
    pub(crate) fn forget(&mut self, app: u32) {
        self.apps.remove(&app);
        self.outcomes.to_tell.remove(&app);
    }

    /// Writes what has happened since this was last called.
    pub(crate) fn write_outcomes(&mut self, out: &mut Writer) {
        self.empty_mailboxes();
        let Outcomes { granted, preempted, .. } = &mut self.outcomes;
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
        out.length(preempted.len());
        preempted.drain(..).for_each(|id| out.container(id));
    }
}
