//! Attempts: what an AM's container is asked for with, and one attempt after the other.
//!
//! Owned by the control, run on its thread. The next attempt begins when the one before has ended; where containers are
//! kept it is made before, so that every worker can hand over to it (`engine::worker::attempts`), and enters its queue
//! after.

use super::part::{ControlPart, Controlled};
use super::state::{App, Control, Next, WantedAm};
use crate::caught::caught;
use crate::engine::books::attempt_end::End;
use crate::engine::books::ledger::{AppShared, NewApp};
use crate::engine::intake::reply::Reply;
use crate::engine::intake::submission::{AmRequest, NewAttempt};
use crate::engine::intake::to_worker::{Internal, Successor};
use crate::event::Refused;
use crate::event::refused::{Gone, TryAgain};
use crate::id::ApplicationId;
use crate::resource::sorted;
use crate::sync::Arc;

/// Whose attempt it is that begins.
pub(super) struct NewAttemptOf<'a> {
    pub(super) number: u32,
    pub(super) user: &'a str,
    pub(super) leaf: u32,
    pub(super) attempt: u32,
    pub(super) recovered: bool,
    pub(super) keeps_name: bool,
    pub(super) label: Option<&'a str>,
}

impl NewAttemptOf<'_> {
    /// The one after an attempt that ends.
    fn after<'a>(before: &'a AppShared, leaf: u32, name: &str) -> NewAttemptOf<'a> {
        let AppShared { id, user, attempt, .. } = before;
        let keeps_name = before.keeps_name && *before.placed_in == *name;
        NewAttemptOf {
            number: id.number,
            user,
            leaf,
            attempt: attempt + 1,
            recovered: false,
            keeps_name,
            label: before.label.as_deref(),
        }
    }
}

impl<D: Controlled> Control<D> {
    /// An attempt that has a slot and is nowhere yet.
    pub(super) fn new_app(&mut self, of: NewAttemptOf<'_>, am: Option<&AmRequest>) -> Result<Arc<AppShared>, Refused> {
        let NewAttemptOf { number, user, leaf, attempt, recovered, keeps_name, label } = of;
        let workers = self.shared.workers;
        let alive = |worker: &usize| !self.shared.is_dead(*worker);
        if !(0..workers).any(|worker| alive(&worker)) {
            return Err(Gone::AllWorkers.into());
        }
        // Before a slot is taken.
        let start_ms = caught(|| self.shared.clock.now_ms());
        let start_ms = start_ms.map_err(|message| TryAgain::Panicked { what: "the clock", message })?;
        let slot = self.app_slots.take();
        let mut homes = (0..workers).map(|further| (slot.ix() + further) % workers);
        let home = homes.find(alive).expect("one is alive");
        if slot.ix() == self.apps.len() {
            self.apps.push(None);
        }
        let shared = &self.shared;
        let made_of = NewApp {
            scheduler: shared.scheduler,
            id: ApplicationId { cluster_timestamp: shared.cluster_timestamp, number },
            attempt,
            slot,
            user,
            managed: am.is_some(),
            recovered,
            system_blacklist: am.map(AmRequest::sorted_blacklist).unwrap_or_default(),
            start_ms,
            home,
            queue: leaf,
            placed_in: &self.tree.get(leaf).name,
            keeps_name,
            label,
        };
        Ok(Arc::new(AppShared::new(made_of, workers)))
    }

    /// The AM's request goes to its home worker.
    pub(super) fn ask_for_am(&self, app: &Arc<AppShared>, am: &AmRequest, WantedAm { size, label }: WantedAm) {
        self.to_worker(app.home, Internal::FirstAsk { app: app.clone(), asks: am.asks(size), label });
    }

    /// Ends the present attempt of an application and begins another in the same queue, by the same two phases. The
    /// answer goes to `reply` or, without one, to `restarted`.
    pub(crate) fn begin_next_attempt(
        &mut self,
        shared: &Arc<AppShared>,
        new: NewAttempt,
        reply: Option<Reply<Result<Arc<AppShared>, Refused>>>,
    ) -> Result<(), Refused> {
        let NewAttempt { am, keep_containers } = new;
        am.as_ref().map_or(Ok(()), |am| am.check_places(&self.shared.locations))?;
        let leaf = self.known(shared)?.leaf;
        let mut successor = None;
        if keep_containers {
            // Workers hand over to the leaf in which they know the old attempt: a move of this same batch must be known
            // to them first, or that leaf could go while the successor stands in it.
            self.publish();
            // Checked while nothing has changed yet: what runs must not end for a request that cannot be.
            let size = self.next_am(shared, am.as_ref(), leaf)?;
            let of = NewAttemptOf::after(shared, leaf, &self.tree.get(leaf).name);
            let app = self.new_app(of, am.as_ref())?;
            successor = Some((app, size));
        }
        shared.close();
        let told = successor.as_ref().map(|(app, _)| {
            let blacklist = shared.am.lock().blacklist.clone();
            let mut am = app.am.lock();
            app.set_blacklist(&mut am, blacklist.clone());
            // As in Hadoop, the nodes of it count for headroom only once the new AM has changed it.
            am.blacklisted = Some(Vec::new());
            drop(am);
            Successor { app: app.clone(), blacklist: blacklist.into() }
        });
        self.close_app(shared, None, told.as_ref());
        if let Some(app) = &mut self.apps[shared.slot.ix()] {
            app.next_attempt = Some(Next { am, successor, handed_over: Vec::new(), reply });
        }
        Ok(())
    }

    fn next_am(&self, app: &AppShared, am: Option<&AmRequest>, leaf: u32) -> Result<Option<WantedAm>, Refused> {
        am.map(|am| D::Control::am_wanted(self, app, leaf, am)).transpose()
    }

    /// The attempt before has ended: the next one begins in its queue.
    pub(super) fn begin_attempt(&mut self, before: &AppShared, leaf: u32, next: Next) {
        let Next { am, successor, mut handed_over, reply } = next;
        let keeps = successor.is_some();
        let outcome = match successor {
            Some((app, size)) => Ok((app, size)),
            None => self.next_am(before, am.as_ref(), leaf).and_then(|size| {
                let of = NewAttemptOf::after(before, leaf, &self.tree.get(leaf).name);
                let app = self.new_app(of, am.as_ref())?;
                Ok((app, size))
            }),
        };
        let outcome = outcome.map(|(app, size)| {
            sorted::by_key(&mut handed_over, |container| (container.id.attempt, container.id.number));
            // Nobody else writes it.
            let _ = app.kept.set(handed_over.into());
            self.admit(&app, leaf, am.as_ref().zip(size), keeps);
            app
        });
        if outcome.is_err() {
            D::Control::gave_up(self, before, leaf);
        }
        match reply {
            Some(reply) => self.answer(reply, outcome),
            None => self.restarted = Some(outcome),
        }
    }

    /// What is known of an attempt from now on.
    pub(super) fn enter_app(&mut self, shared: Arc<AppShared>, leaf: u32, runnable: bool) {
        let index = shared.slot.ix();
        self.apps[index] = Some(App { shared, leaf, runnable, position: 0, end: End::far(), next_attempt: None });
    }
}
