//! Applications: submission, end, move.

use super::attempts::NewAttemptOf;
use super::part::{ControlPart, Controlled, Entry, LeafEntry};
use super::state::{App, Control, WantedAm};
use crate::config::trim;
use crate::engine::books::ledger::AppShared;
use crate::engine::intake::reply::Reply;
use crate::engine::intake::submission::{AmRequest, Submission};
use crate::engine::intake::to_worker::{Internal, Successor};
use crate::engine::mail::container::Container;
use crate::event::Refused;
use crate::event::refused::{AlreadyExists, NotFound};
use crate::id::Slot;
use crate::resource::Resource;
use crate::sync::Arc;

impl<D: Controlled> Control<D> {
    /// Accepts an application, or says why not.
    pub(crate) fn submit(&mut self, submission: &Submission) -> Result<Arc<AppShared>, Refused> {
        let Submission { number, user, am, recovered, .. } = submission;
        let recovered = *recovered;
        if self.by_number.contains_key(number) {
            return Err(AlreadyExists::App(*number).into());
        }
        am.as_ref().map_or(Ok(()), |am| am.check_places(&self.shared.locations))?;
        let Entry { leaf, am: size, am_label, keeps_name } = D::Control::submitted(self, submission)?;
        let label = submission.label.as_deref().map(trim);
        let first = NewAttemptOf { number: *number, user, leaf, attempt: 1, recovered, keeps_name, label };
        let app = self.new_app(first, am.as_ref())?;
        let wanted = size.map(|size| WantedAm { size, label: am_label });
        self.admit(&app, leaf, am.as_ref().zip(wanted), false);
        Ok(app)
    }

    /// Says what a submission is answered, and makes its queue, without taking it: the full name of the leaf queue that
    /// it would enter.
    pub(crate) fn accept(&mut self, submission: &Submission) -> Result<String, Refused> {
        if self.by_number.contains_key(&submission.number) {
            return Err(AlreadyExists::App(submission.number).into());
        }
        submission.am.as_ref().map_or(Ok(()), |am| am.check_places(&self.shared.locations))?;
        let Entry { leaf, am: _, am_label: _, keeps_name: _ } = D::Control::submitted(self, submission)?;
        Ok(self.tree.get(leaf).name.to_string())
    }

    /// An attempt begins.
    pub(super) fn admit(&mut self, app: &Arc<AppShared>, leaf: u32, am: Option<(&AmRequest, WantedAm)>, keeps: bool) {
        let index = app.slot.index;
        if am.as_ref().is_some_and(|(am, _)| am.runs()) {
            // Nobody else has it yet. How large its AM is comes with the container.
            let _ = app.try_set_am(leaf, self.shared.types, &Resource::ZERO);
        }
        self.by_number.insert(app.id.number, index);
        let runnable = D::Control::entering(self, app, leaf, am.as_ref().map(|(_, wanted)| wanted), keeps);
        self.enter_app(app.clone(), leaf, runnable);
        self.enter(index);
        if let Some((am, wanted)) = am
            && !am.runs()
        {
            let size = D::Control::am_asked(self, leaf, &wanted.size);
            self.ask_for_am(app, am, WantedAm { size, ..wanted });
        }
    }

    /// One that waited may be offered nodes from now on. One that may already stays as it is.
    pub(crate) fn start(&mut self, slot: u32) {
        if self.app(slot).runnable {
            return;
        }
        self.exit(slot);
        if let Some(app) = &mut self.apps[slot as usize] {
            app.runnable = true;
        }
        self.enter(slot);
    }

    /// First phase of the end: no further calls; every worker ends what it has.
    pub(crate) fn begin_finish(
        &mut self,
        shared: &Arc<AppShared>,
        reply: Option<Reply<Result<(), Refused>>>,
    ) -> Result<(), Refused> {
        self.known(shared)?;
        shared.close();
        self.close_app(shared, reply, None);
        Ok(())
    }

    /// Tells every worker to end what it has of an attempt that is there, or to hand it over.
    pub(super) fn close_app(
        &mut self,
        shared: &Arc<AppShared>,
        reply: Option<Reply<Result<(), Refused>>>,
        successor: Option<&Successor>,
    ) {
        let workers = self.shared.workers;
        if let Some(app) = &mut self.apps[shared.slot.ix()] {
            app.end.begin(workers, reply.into_iter().collect());
        }
        for worker in 0..workers {
            self.to_worker(worker, Internal::CloseApp { app: shared.clone(), successor: successor.cloned() });
        }
    }

    /// Second phase, once every worker has acknowledged: the application leaves its queue.
    pub(super) fn app_closed(&mut self, slot: Slot, handed_over: Vec<Container>) {
        let Some(app) = self.apps.get_mut(slot.ix()).and_then(Option::as_mut) else { return };
        if app.shared.slot != slot || !app.end.has_begun() {
            return;
        }
        let replies = app.end.acknowledge();
        if let Some(next) = &mut app.next_attempt {
            next.handed_over.extend(handed_over);
        }
        let Some(replies) = replies else { return };
        let (shared, stood) = (app.shared.clone(), LeafEntry { leaf: app.leaf, runnable: app.runnable });
        let next_attempt = app.next_attempt.take();
        self.by_number.remove(&shared.id.number);
        self.exit(slot.index);
        self.apps[slot.ix()] = None;
        self.app_slots.give_back(slot);
        D::Control::left(self, &shared, stood, next_attempt.is_some());
        for reply in replies {
            self.answer(reply, Ok(()));
        }
        if let Some(next) = next_attempt {
            self.begin_attempt(&shared, stood.leaf, next);
        }
    }

    /// An application that has not ended.
    pub(crate) fn known(&self, shared: &AppShared) -> Result<&App, Refused> {
        let app = self.apps.get(shared.slot.ix()).and_then(Option::as_ref);
        // By address: the slot of another scheduler's means somebody else here.
        let known = app.filter(|app| std::ptr::eq(&*app.shared, shared) && !app.end.has_begun());
        known.ok_or(Refused::NotFound(NotFound::App(shared.id.number)))
    }

    /// Moves an application to another leaf queue.
    pub(crate) fn move_app(&mut self, shared: &Arc<AppShared>, queue: &str) -> Result<(), Refused> {
        let app = self.known(shared)?;
        let stood = LeafEntry { leaf: app.leaf, runnable: app.runnable };
        let Some(LeafEntry { leaf, runnable }) = D::Control::moving(self, app, queue)? else { return Ok(()) };
        let slot = shared.slot.index;
        let am = shared.move_to(leaf);
        self.exit(slot);
        if let Some(app) = &mut self.apps[slot as usize] {
            (app.leaf, app.runnable) = (leaf, runnable);
        }
        self.enter(slot);
        // Workers carry the usage over when they take the new members.
        D::Control::moved(self, shared, stood, &am);
        Ok(())
    }
}
