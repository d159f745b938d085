//! What an agent is given, and what it does.

use crate::reservation::booked::Reservation;
use crate::reservation::definition::ReservationDefinition;
use crate::reservation::id::ReservationId;
use crate::reservation::plan::Plan;
use crate::reservation::profile::Piece;
use crate::reservation::refused::ReservationRefused;
use std::fmt;

/// A reservation that needs a place.
#[derive(Clone, Copy, Debug)]
pub struct Job<'a> {
    /// Its name. If the plan has a reservation of this name, the new one replaces it.
    pub id: ReservationId,
    /// The user who books it.
    pub user: &'a str,
    /// What is booked; already checked.
    pub definition: &'a ReservationDefinition,
    /// The present time, in ms since 1970.
    pub now: i64,
}

/// Finds the place of a reservation in a plan. [`WayAgent`](super::WayAgent) makes Hadoop's agents. An embedder may
/// implement its own.
///
/// ```
/// use evenweave::Resource;
/// use evenweave::reservation::agent::{Job, ReservationAgent, book};
/// use evenweave::reservation::{Plan, ReservationRefused, profile::Piece};
///
/// /// Books each stage as a whole at the very end.
/// #[derive(Debug)]
/// struct Latest;
///
/// impl ReservationAgent for Latest {
///     fn reserve(&self, plan: &mut Plan, job: &Job<'_>) -> Result<bool, ReservationRefused> {
///         let deadline = job.definition.deadline;
///         let stages = job.definition.requests.iter().flat_map(|requests| &requests.stages);
///         let pieces = stages.map(|stage| Piece {
///             from: deadline - stage.duration_ms,
///             to: deadline,
///             resource: stage.capability.times_int(i64::from(stage.containers)),
///         });
///         book(plan, job, pieces.collect())
///     }
/// }
/// ```
pub trait ReservationAgent: fmt::Debug + Send + Sync {
    /// Finds a place and books it. Returns `false` if an update was refused after the old version had been removed; the
    /// old version is back then.
    ///
    /// # Errors
    /// The reason why there is no place. Nothing has changed then.
    fn reserve(&self, plan: &mut Plan, job: &Job<'_>) -> Result<bool, ReservationRefused>;
}

/// Books a place in the plan: a new reservation, or a new version of one that the plan has. The policy has the last
/// word.
///
/// # Errors
/// Those of [`Plan::add`] and [`Plan::update`].
pub fn book(plan: &mut Plan, job: &Job<'_>, pieces: Vec<Piece>) -> Result<bool, ReservationRefused> {
    let reservation = Reservation::new(job.id, job.user, job.definition.clone(), pieces);
    if plan.books().reservation(job.id).is_some() {
        plan.update(reservation, job.now)
    } else {
        plan.add(reservation, job.now).map(|()| true)
    }
}
