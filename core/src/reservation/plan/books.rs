//! The figures of a plan: reservations, what is committed, and by whom.

use super::found::{Index, recurs_between};
use crate::reservation::booked::Reservation;
use crate::reservation::id::ReservationId;
use crate::reservation::measure::Measure;
use crate::reservation::profile::{Ledger, Operation, Periodic, Piece, Steps, merge, merge_as_is};
use crate::reservation::refused::ReservationRefused;
use crate::resource::Resource;
use crate::resource::sorted;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// The settings with which a plan is made.
#[derive(Clone, Debug)]
pub struct PlanTerms {
    /// `yarn.resourcemanager.reservation-system.planfollower.time-step`, at least 1.
    pub step_ms: i64,
    /// `yarn.resourcemanager.reservation-system.max-periodicity`, at least 1.
    pub largest_period_ms: i64,
    /// The largest container that may be asked for. Only its memory counts.
    pub largest_container: Resource,
}

/// The reservations of a plan, what they take of it over time, and what each user takes.
#[derive(Clone, Debug)]
pub struct PlanBooks {
    terms: PlanTerms,
    measure: Measure,
    capacity: Resource,
    reservations: BTreeMap<ReservationId, Reservation>,
    index: Index,
    committed: Ledger,
    periodic: Periodic,
    users: FxHashMap<String, UserBooks>,
}

/// What one user takes.
#[derive(Clone, Debug, Default)]
struct UserBooks {
    once: Option<Ledger>,
    again: Option<Periodic>,
}

/// Whether a reservation comes or goes.
#[derive(Clone, Copy, PartialEq)]
enum Way {
    In,
    Out,
}

impl PlanBooks {
    /// Empty books.
    #[must_use]
    pub fn new(terms: PlanTerms, capacity: Resource) -> PlanBooks {
        let terms = PlanTerms { step_ms: terms.step_ms.max(1), ..terms };
        let periodic = Periodic::new(terms.largest_period_ms);
        PlanBooks {
            terms,
            measure: Measure::MEMORY,
            capacity,
            reservations: BTreeMap::new(),
            index: Index::default(),
            committed: Ledger::default(),
            periodic,
            users: FxHashMap::default(),
        }
    }

    /// All that the plan may promise at one time.
    #[must_use]
    pub fn capacity(&self) -> Resource {
        self.capacity
    }

    /// Changes the capacity, when the queue has become larger or smaller. Promises stay until the follower replans.
    pub fn set_capacity(&mut self, capacity: Resource) {
        self.capacity = capacity;
    }

    /// The same, where amounts are compared by something else than their memory.
    #[must_use]
    pub fn measured_by(self, measure: Measure) -> PlanBooks {
        PlanBooks { measure, ..self }
    }

    /// By what amounts are compared, with the plan's capacity.
    #[must_use]
    pub fn measure(&self) -> Measure {
        self.measure.of(self.capacity)
    }

    /// What it was made with.
    #[must_use]
    pub fn terms(&self) -> &PlanTerms {
        &self.terms
    }

    /// A reservation of the plan.
    #[must_use]
    pub fn reservation(&self, id: ReservationId) -> Option<&Reservation> {
        self.reservations.get(&id)
    }

    /// All reservations, by name.
    pub fn reservations(&self) -> impl ExactSizeIterator<Item = &Reservation> {
        self.reservations.values()
    }

    /// What is promised once, over time.
    #[must_use]
    pub fn committed(&self) -> &Ledger {
        &self.committed
    }

    /// What is promised again and again, over the largest period.
    #[must_use]
    pub fn periodic(&self) -> &Periodic {
        &self.periodic
    }

    /// The reservations between two times, by name. If both times are the same: those of this moment.
    #[must_use]
    pub fn between(&self, from: i64, to: i64) -> Vec<&Reservation> {
        let again = self.index.recurring().filter_map(|id| self.reservation(id));
        let again = again.filter(|reservation| recurs_between(reservation, from, to));
        let once = self.index.once(from, to).filter_map(|id| self.reservation(id));
        let mut found: Vec<&Reservation> = once.chain(again).collect();
        sorted::by_key(&mut found, |reservation| reservation.id());
        found
    }

    /// Those whose end has come, of recurring ones the first one.
    pub(super) fn ended(&self, t: i64) -> Vec<ReservationId> {
        self.index.ended(t)
    }

    /// Adds a reservation, unchecked.
    pub fn insert(&mut self, reservation: Reservation) {
        self.index.insert(&reservation);
        self.book(&reservation, Way::In);
        self.reservations.insert(reservation.id(), reservation);
    }

    /// Removes a reservation.
    pub fn remove(&mut self, id: ReservationId) -> Option<Reservation> {
        let reservation = self.reservations.remove(&id)?;
        self.index.remove(&reservation);
        self.book(&reservation, Way::Out);
        Some(reservation)
    }

    fn book(&mut self, reservation: &Reservation, way: Way) {
        let user = self.users.entry(reservation.user().to_owned()).or_default();
        if reservation.period() > 0 {
            let largest = self.terms.largest_period_ms;
            let own = user.again.get_or_insert_with(|| Periodic::new(largest));
            for piece in occurrences(reservation, largest) {
                for profile in [&mut *own, &mut self.periodic] {
                    match way {
                        Way::In => profile.add(&piece),
                        Way::Out => profile.remove(&piece),
                    }
                }
            }
        } else {
            let own = user.once.get_or_insert_default();
            for piece in reservation.pieces() {
                for profile in [&mut *own, &mut self.committed] {
                    match way {
                        Way::In => profile.add(piece),
                        Way::Out => profile.remove(piece),
                    }
                }
            }
        }
        if way == Way::Out {
            user.once = user.once.take().filter(|own| !own.is_empty());
            user.again = user.again.take().filter(|own| !own.once().is_empty());
            if user.once.is_none() && user.again.is_none() {
                self.users.remove(reservation.user());
            }
        }
    }

    /// What is promised from `start` to `end`.
    ///
    /// # Errors
    /// Those of [`merge`].
    pub fn load(&self, start: i64, end: i64) -> Result<Steps, ReservationRefused> {
        let (once, again) = (self.committed.range(start, end)?, self.periodic.unrolled(start, end)?);
        merge(&once, &again, Operation::Add, start, end)
    }

    /// What a user has from `start` to `end`.
    ///
    /// # Errors
    /// Those of [`merge`].
    pub fn consumption(&self, user: &str, start: i64, end: i64) -> Result<Steps, ReservationRefused> {
        let own = self.users.get(user);
        match (own.and_then(|own| own.once.as_ref()), own.and_then(|own| own.again.as_ref())) {
            (Some(once), Some(again)) => {
                let (once, again) = (once.range(start, end)?, again.unrolled(start, end)?);
                merge_as_is(once.points(), again.points(), Operation::Add, start, end)
            }
            (Some(once), None) => once.range(start, end),
            (None, Some(again)) => again.unrolled(start, end),
            (None, None) => Ok(Steps::default()),
        }
    }
}

/// The pieces of a recurring reservation over the largest period; what lies beyond its end begins at 0.
fn occurrences(reservation: &Reservation, largest: i64) -> impl Iterator<Item = Piece> + '_ {
    let period = reservation.period();
    let turns = largest / period.max(1);
    let placed = move |piece: &Piece, turn: i64| {
        let by = turn.wrapping_mul(period);
        Piece { from: piece.from.wrapping_add(by), to: piece.to.wrapping_add(by), resource: piece.resource }
    };
    (0..turns).flat_map(move |turn| {
        reservation.pieces().iter().flat_map(move |piece| {
            let piece = placed(piece, turn);
            let beyond = piece.to - largest;
            let anew = (beyond > 0).then_some(Piece { from: 0, to: beyond, ..piece });
            anew.into_iter().chain([Piece { to: piece.to.min(largest), ..piece }])
        })
    })
}
