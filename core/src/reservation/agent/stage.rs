//! The place of one stage.

use super::job::Job;
use crate::reservation::definition::Stage;
use crate::reservation::plan::PlanView;
use crate::reservation::profile::{Ledger, Piece, Steps};
use crate::reservation::refused::ReservationRefused;
use std::fmt;

/// What is known when a stage is placed.
#[derive(Debug)]
pub struct Site<'a> {
    /// The plan.
    pub plan: PlanView<'a>,
    /// The reservation.
    pub job: &'a Job<'a>,
    /// What the plan has promised to others meanwhile.
    pub load: &'a Steps,
    /// Its period, 0 where it does not recur.
    pub period: i64,
    /// Whether early places are preferred to late ones.
    pub early: bool,
}

/// How a stage gets its place within a window.
pub trait Placement: fmt::Debug + Send + Sync {
    /// The pieces of a stage between two times, or `None` where there is no room. `taken` has what the reservation's
    /// other stages take; the pieces are added to it.
    ///
    /// # Errors
    /// What the plan says.
    fn place(
        &self,
        site: &Site<'_>,
        taken: &mut Ledger,
        stage: &Stage,
        window: (i64, i64),
    ) -> Result<Option<Vec<Piece>>, ReservationRefused>;
}

/// The pieces if all gangs have a place; else they are taken back.
pub(super) fn all_or_nothing(left: i32, pieces: Vec<Piece>, taken: &mut Ledger) -> Option<Vec<Piece>> {
    if left <= 0 {
        return Some(pieces);
    }
    pieces.iter().for_each(|piece| taken.remove(piece));
    None
}
