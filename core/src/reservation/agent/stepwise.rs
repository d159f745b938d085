//! The older greedy placement: from the end, step by step.

use super::greedy::free;
use super::stage::{Placement, Site, all_or_nothing};
use crate::reservation::definition::Stage;
use crate::reservation::limits::{MAX_ROUNDS, at_most};
use crate::reservation::numbers::whole_steps;
use crate::reservation::profile::{Ledger, Piece};
use crate::reservation::refused::ReservationRefused;

/// Hadoop's `StageAllocatorGreedy`: as late as possible, whatever is preferred.
#[derive(Clone, Copy, Debug)]
pub(super) struct StepwisePlacement;

impl Placement for StepwisePlacement {
    fn place(
        &self,
        site: &Site<'_>,
        taken: &mut Ledger,
        stage: &Stage,
        (start, mut end): (i64, i64),
    ) -> Result<Option<Vec<Piece>>, ReservationRefused> {
        let step = site.plan.books.terms().step_ms;
        let duration = whole_steps(stage.duration_ms, step);
        let (gang, measure) = (stage.gang(), site.plan.books.measure());
        let mut left = stage.gangs_wanted();
        let free = free(site, taken, (start, end))?;
        let (mut pieces, mut looks) = (Vec::new(), 0);
        while left > 0 && end.wrapping_sub(duration) >= start {
            let (mut gangs, mut narrowest) = (left, end);
            let begin = end.wrapping_sub(duration);
            let mut t = end.wrapping_sub(step);
            while t >= begin && gangs > 0 {
                looks += 1;
                at_most("steps of placing a stage", looks, MAX_ROUNDS)?;
                let fit = measure.gangs_in(&free.value_at(t), &gang).min(left);
                if fit <= gangs {
                    (gangs, narrowest) = (fit, t);
                }
                t = t.wrapping_sub(step);
            }
            if gangs > 0 {
                left -= gangs;
                let piece = Piece { from: begin, to: end, resource: stage.gangs(gangs) };
                taken.add(&piece);
                pieces.push(piece);
            }
            end = narrowest;
        }
        Ok(all_or_nothing(left, pieces, taken))
    }
}
