//! Attempts: what an AM's container is asked for with, and one attempt after the other.
//!
//! Owned by the control, run on its thread. The next attempt begins when the one before has ended; where containers are kept
//! it is made before, so that every worker can hand over to it (`engine::worker::attempts`), and enters its queue after.

use super::{App, Control, ControlPart};
use crate::app::{Ask, Location};
use crate::caught::caught;
use crate::engine::books::closing::End;
use crate::engine::books::ledger::{AppShared, NewApp};
use crate::engine::decider::Decider;
use crate::engine::intake::messages::{Internal, Successor};
use crate::engine::intake::reply::Reply;
use crate::engine::mail::container::Container;
use crate::engine::shared::Locations;
use crate::event::Refused;
use crate::id::ApplicationId;
use crate::resource::Resource;
use crate::sync::Arc;
use smallvec::SmallVec;
use std::collections::BTreeMap;

/// What is asked for an AM's container: one, at priority 0. A [`Resource`] alone is one anywhere.
///
/// ```
/// use evenweave::{AmRequest, FairScheduler, Resource, Submission};
///
/// let mut stepped = FairScheduler::builder().stepped()?;
/// let (rack, bad) = (stepped.location("/r1"), stepped.location("n7"));
/// // On the rack or nowhere, and not on this node of it.
/// let am = AmRequest::from(Resource::new(1024, 1)).strict().at(rack, true).avoiding(&[bad]);
/// stepped.submit(Submission::new(1, "ann").with_am(am))?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Feature `serde`: one that names places is written and cannot be read, as a [`Location`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct AmRequest {
    resource: Resource,
    /// Of the `*` line.
    #[cfg_attr(feature = "serde", serde(default = "crate::app::relaxed"))]
    relax_locality: bool,
    /// Racks and nodes, each with its relaxation.
    #[cfg_attr(feature = "serde", serde(default))]
    places: Vec<(Location, bool)>,
    #[cfg_attr(feature = "serde", serde(default))]
    blacklist: Vec<Location>,
    #[cfg_attr(feature = "serde", serde(default))]
    runs: bool,
}

impl From<Resource> for AmRequest {
    fn from(resource: Resource) -> AmRequest {
        AmRequest { resource, relax_locality: true, places: Vec::new(), blacklist: Vec::new(), runs: false }
    }
}

impl AmRequest {
    /// Returns the request without relaxed locality at `*`: only named racks and nodes are used.
    #[must_use]
    pub fn strict(mut self) -> AmRequest {
        self.relax_locality = false;
        self
    }

    /// Returns the request with a line for a rack or node, relaxed or not, as in an [`Ask`]. A node also needs a line for its
    /// rack. Of two lines for one place the last counts. For [`Location::ANY`] it sets the relaxation of `*`.
    #[must_use]
    pub fn at(mut self, place: Location, relax_locality: bool) -> AmRequest {
        if place == Location::ANY {
            self.relax_locality = relax_locality;
        } else {
            self.places.push((place, relax_locality));
        }
        self
    }

    /// Returns the request with the system's blacklist: nodes and racks on which attempts failed. It counts in place of the AM's
    /// own blacklist while the application waits for its AM's container. It is not handed over to the next attempt.
    #[must_use]
    pub fn avoiding(mut self, places: &[Location]) -> AmRequest {
        self.blacklist.extend(places.iter().filter(|place| **place != Location::ANY));
        self
    }

    /// Returns the request for an AM that already runs: nothing is asked for. `recover_container` reports its container later.
    /// The AM's calls are accepted at once.
    #[must_use]
    pub fn running(mut self) -> AmRequest {
        self.runs = true;
        self
    }

    pub(crate) fn runs(&self) -> bool {
        self.runs
    }

    /// Refuses what names a node or rack that has no number, or is another scheduler's.
    pub(super) fn check_places(&self, locations: &Locations) -> Result<(), Refused> {
        locations.check(self.places.iter().map(|(place, _)| place).chain(&self.blacklist))
    }

    /// In order, as those are that look for a place in it.
    fn sorted_blacklist(&self) -> Box<[u32]> {
        let mut places: Vec<u32> = self.blacklist.iter().map(|place| place.number()).collect();
        places.sort_unstable();
        places.into()
    }

    pub(crate) fn resource(&self) -> &Resource {
        &self.resource
    }

    /// Its lines, `*` first, for a container of this size.
    fn asks(&self, size: Resource) -> SmallVec<[Ask; 1]> {
        let any = Ask { relax_locality: self.relax_locality, ..Ask::anywhere(0, size, 1) };
        // Of two for one place the last counts.
        let places: BTreeMap<Location, bool> = self.places.iter().copied().collect();
        let places = places.into_iter().map(|(location, relax_locality)| Ask { location, relax_locality, ..any });
        std::iter::once(any).chain(places).collect()
    }
}

/// How another attempt of an application begins.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
#[non_exhaustive]
pub struct NewAttempt {
    /// The new AM's container. `None`: an unmanaged AM.
    pub am: Option<AmRequest>,
    /// Whether running containers and the AM's blacklist are kept. All other containers end. YARN's
    /// `keepContainersAcrossApplicationAttempts`.
    pub keep_containers: bool,
}

impl NewAttempt {
    /// Returns the attempt with an AM that runs in a container. A [`Resource`] is a request for a container on any node.
    #[must_use]
    pub fn with_am(self, am: impl Into<AmRequest>) -> NewAttempt {
        NewAttempt { am: Some(am.into()), ..self }
    }

    /// Returns the attempt with an AM that runs in a container, or with an unmanaged AM.
    #[must_use]
    pub fn maybe_with_am(self, am: Option<impl Into<AmRequest>>) -> NewAttempt {
        NewAttempt { am: am.map(Into::into), ..self }
    }

    /// Returns the attempt with or without keeping running containers.
    #[must_use]
    pub fn keep_containers(self, keep_containers: bool) -> NewAttempt {
        NewAttempt { keep_containers, ..self }
    }
}

/// An attempt that begins when the one before has ended.
#[derive(Debug)]
pub(crate) struct Next {
    am: Option<AmRequest>,
    /// The one that workers hand over to, with the size of its AM, and what they have handed over.
    successor: Option<(Arc<AppShared>, Option<Resource>)>,
    pub(super) handed_over: Vec<Container>,
    reply: Option<Reply<Result<Arc<AppShared>, Refused>>>,
}

/// Whose attempt it is that begins.
pub(super) struct NewAttemptOf<'a> {
    pub(super) number: u32,
    pub(super) user: &'a str,
    pub(super) leaf: u32,
    pub(super) attempt: u32,
    pub(super) recovered: bool,
    pub(super) keeps_name: bool,
}

impl NewAttemptOf<'_> {
    /// The one after an attempt that ends.
    fn after<'a>(before: &'a AppShared, leaf: u32, name: &str) -> NewAttemptOf<'a> {
        let AppShared { id, user, attempt, .. } = before;
        let keeps_name = before.keeps_name && *before.placed_in == *name;
        NewAttemptOf { number: id.number, user, leaf, attempt: attempt + 1, recovered: false, keeps_name }
    }
}

impl<D: Decider> Control<D> {
    /// An attempt that has a slot and is nowhere yet.
    pub(super) fn new_app(&mut self, of: NewAttemptOf<'_>, am: Option<&AmRequest>) -> Result<Arc<AppShared>, Refused> {
        let NewAttemptOf { number, user, leaf, attempt, recovered, keeps_name } = of;
        let workers = self.shared.workers;
        let alive = |worker: &usize| !self.shared.is_dead(*worker);
        if !(0..workers).any(|worker| alive(&worker)) {
            return Err(Refused::NoWorkers);
        }
        // Before a slot is taken.
        let start_ms = caught(|| self.shared.clock.now_ms());
        let start_ms = start_ms.map_err(|message| Refused::Panicked { what: "the clock", message })?;
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
        };
        Ok(Arc::new(AppShared::new(made_of, workers)))
    }

    /// The AM's request goes to its home worker.
    pub(super) fn ask_for_am(&self, app: &Arc<AppShared>, am: &AmRequest, size: Resource) {
        self.to_worker(app.home, Internal::FirstAsk { app: app.clone(), asks: am.asks(size) });
    }

    /// Ends the present attempt of an application and begins another in the same queue, by the same two phases. The answer
    /// goes to `reply` or, without one, to `restarted`.
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
            // Workers hand over to the leaf in which they know the old attempt: a move of this same batch must be known to
            // them first, or that leaf could go while the successor stands in it.
            self.publish();
            // Checked while nothing has changed yet: what runs must not end for a request that cannot be.
            let size = self.size_of_next_am(am.as_ref(), leaf)?;
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

    fn size_of_next_am(&self, am: Option<&AmRequest>, leaf: u32) -> Result<Option<Resource>, Refused> {
        am.map(|am| D::Control::am_wanted(self, leaf, am.resource())).transpose()
    }

    /// The attempt before has ended: the next one begins in its queue.
    pub(super) fn begin_attempt(&mut self, before: &AppShared, leaf: u32, next: Next) {
        let Next { am, successor, mut handed_over, reply } = next;
        let keeps = successor.is_some();
        let outcome = match successor {
            Some((app, size)) => Ok((app, size)),
            None => self.size_of_next_am(am.as_ref(), leaf).and_then(|size| {
                let of = NewAttemptOf::after(before, leaf, &self.tree.get(leaf).name);
                let app = self.new_app(of, am.as_ref())?;
                Ok((app, size))
            }),
        };
        let outcome = outcome.map(|(app, size)| {
            handed_over.sort_unstable_by_key(|container| (container.id.attempt, container.id.number));
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
