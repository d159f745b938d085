//! The frame of every way: stage by stage, in the order that the interpreter asks for.

use super::job::Job;
use super::stage::{Placement, Site};
use super::window::Windows;
use crate::reservation::definition::{Interpreter, Stage};
use crate::reservation::numbers::{down, up};
use crate::reservation::plan::PlanView;
use crate::reservation::profile::{Ledger, Operation, Piece, Steps, fold, merge};
use crate::reservation::refused::ReservationRefused;
use std::collections::BTreeMap;

/// One way to find a place for a reservation.
#[derive(Debug)]
pub struct Way {
    /// Between which times each stage may run.
    pub windows: Windows,
    /// Where it gets its place there.
    pub placement: Box<dyn Placement>,
    /// Whether early places are preferred to late ones, and stages are placed from the first on.
    pub early: bool,
}

/// The place that a way finds for a reservation. Hadoop's `IterativePlanner`.
///
/// # Errors
/// Why there is none.
pub(super) fn pieces_for(plan: PlanView<'_>, way: &Way, job: &Job<'_>) -> Result<Vec<Piece>, ReservationRefused> {
    let (definition, early) = (job.definition, way.early);
    let step = plan.books.terms().step_ms;
    let load = load_of_others(plan, job, step)?;
    let site = Site { plan, job, load: &load, period: definition.period(), early };
    let (mut taken, mut found) = (Ledger::default(), Ledger::default());
    let stages = definition.stages();
    for turn in 0..stages.len() {
        let index = if early { turn } else { stages.len() - 1 - turn };
        let stage = &stages[index];
        check_stage(plan, stage)?;
        let window = way.windows.of(definition, index, &found, (early, step));
        let Some(pieces) = way.placement.place(&site, &mut taken, stage, window)? else {
            if definition.interpreter() == Some(Interpreter::Any) {
                continue;
            }
            return Err(ReservationRefused::Unsatisfiable);
        };
        if definition.interpreter() == Some(Interpreter::OrderNoGap) && has_gap(&found, &pieces, early) {
            return Err(ReservationRefused::Gap);
        }
        found.add_all(&pieces);
        if definition.interpreter() == Some(Interpreter::Any) {
            break;
        }
    }
    if found.is_empty() {
        return Err(ReservationRefused::Unsatisfiable);
    }
    Ok(if site.period > 0 { fold(&found, site.period) } else { found.pieces() })
}

/// What the plan has promised meanwhile, without what it has promised to this one.
fn load_of_others(plan: PlanView<'_>, job: &Job<'_>, step: i64) -> Result<Steps, ReservationRefused> {
    let (start, end) = (up(job.definition.arrival, step), down(job.definition.deadline, step));
    let load = plan.books.load(start, end)?;
    match plan.books.reservation(job.id) {
        Some(own) => merge(&load, &own.over(start, end)?, Operation::Subtract, start, end),
        None => Ok(load),
    }
}

fn check_stage(plan: PlanView<'_>, stage: &Stage) -> Result<(), ReservationRefused> {
    if stage.concurrency < 1 {
        return Err(ReservationRefused::BadConcurrency);
    }
    if stage.containers <= 0 {
        return Err(ReservationRefused::BadCount);
    }
    if stage.containers % stage.concurrency != 0 {
        return Err(ReservationRefused::NotMultiple);
    }
    if plan.books.measure().is_more(&stage.capability, &plan.books.terms().largest_container) {
        return Err(ReservationRefused::AboveMaximum);
    }
    Ok(())
}

/// Whether a stage leaves a gap to those placed before it, or has one within.
fn has_gap(found: &Ledger, pieces: &[Piece], early: bool) -> bool {
    let touches = if early {
        let first = pieces.iter().map(|piece| piece.from).min();
        found.last_defined().zip(first).is_none_or(|(last, first)| last >= first)
    } else {
        let last = pieces.iter().map(|piece| piece.to).max();
        found.first().zip(last).is_none_or(|(first, last)| last >= first)
    };
    let mut ends: BTreeMap<i64, u32> = BTreeMap::new();
    for piece in pieces.iter().filter(|piece| !piece.resource.is_zero()) {
        for end in [piece.from, piece.to] {
            *ends.entry(end).or_default() += 1;
        }
    }
    !touches || ends.values().filter(|times| **times % 2 == 1).count() != 2
}
