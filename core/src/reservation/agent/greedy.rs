//! Greedy placement: as many gangs as fit as early, or as late, as possible, then the next.

use super::stage::{Placement, Site, all_or_nothing};
use crate::reservation::definition::Stage;
use crate::reservation::limits::{MAX_ROUNDS, at_most};
use crate::reservation::measure::Measure;
use crate::reservation::numbers::whole_steps;
use crate::reservation::profile::{Ledger, Operation, Piece, Point, Steps, merge};
use crate::reservation::refused::ReservationRefused;
use crate::resource::Resource;

/// Hadoop's `StageAllocatorGreedyRLE`.
#[derive(Clone, Copy, Debug)]
pub(super) struct GreedyPlacement;

/// What is placed, and by what it is counted.
struct Gang {
    size: Resource,
    measure: Measure,
}

/// What one look at the window found.
struct Look {
    /// How many gangs fit.
    gangs: i32,
    /// Where the fewest fit.
    narrowest: Option<i64>,
}

impl Placement for GreedyPlacement {
    fn place(
        &self,
        site: &Site<'_>,
        taken: &mut Ledger,
        stage: &Stage,
        (mut start, mut end): (i64, i64),
    ) -> Result<Option<Vec<Piece>>, ReservationRefused> {
        if start.wrapping_add(stage.duration_ms) > end {
            return Ok(None);
        }
        let duration = whole_steps(stage.duration_ms, site.plan.books.terms().step_ms);
        let gang = Gang { size: stage.gang(), measure: site.plan.books.measure() };
        let mut left = stage.gangs_wanted();
        let free = free(site, taken, (start, end))?;
        let (mut pieces, mut rounds) = (Vec::new(), 0);
        while left > 0 && start.wrapping_add(duration) <= end {
            rounds += 1;
            at_most("rounds of placing a stage", rounds, MAX_ROUNDS)?;
            let part = free.within(start, end)?;
            let look = if site.early {
                look_early(part, (start, duration), &gang, left)
            } else {
                look_late(part, (end, duration), &gang, left)
            };
            if look.gangs > 0 {
                let from = if site.early { start } else { end.wrapping_sub(duration) };
                let piece = Piece { from, to: from.wrapping_add(duration), resource: stage.gangs(look.gangs) };
                taken.add(&piece);
                pieces.push(piece);
                left -= look.gangs;
            }
            if site.early {
                let next = part.iter().map(|point| point.at).find(|at| look.narrowest.is_none_or(|least| *at > least));
                let after = start.wrapping_add(duration);
                start = next.map_or(after, |next| next.min(after));
            } else {
                let mut before = part.iter().rev().map(|point| point.at);
                let next = look.narrowest.and_then(|least| before.find(|at| *at < least));
                let after = end.wrapping_sub(duration);
                end = next.map_or(after, |next| next.max(after));
            }
        }
        Ok(all_or_nothing(left, pieces, taken))
    }
}

/// What is left for a stage when the others have theirs.
pub(super) fn free(site: &Site<'_>, taken: &Ledger, (start, end): (i64, i64)) -> Result<Steps, ReservationRefused> {
    let job = site.job;
    let available = site.plan.available(job.user, job.id, (start, end), site.period)?;
    merge(&available, &taken.range(start, end)?, Operation::Subtract, start, end)
}

fn look_early(part: &[Point], (start, duration): (i64, i64), gang: &Gang, left: i32) -> Look {
    let mut look = Look { gangs: left, narrowest: None };
    for point in part {
        if look.gangs <= 0 {
            break;
        }
        let at = point.at.max(start);
        let Some(there) = point.value else { continue };
        if at >= start.wrapping_add(duration) {
            break;
        }
        look.count(at, &there, gang, left);
    }
    look
}

fn look_late(part: &[Point], (end, duration): (i64, i64), gang: &Gang, left: i32) -> Look {
    let mut look = Look { gangs: left, narrowest: None };
    let mut at = end;
    for (place, point) in part.iter().enumerate().rev() {
        if look.gangs <= 0 {
            break;
        }
        // The first is looked at from the end; each other from the one just passed.
        let t = std::mem::replace(&mut at, point.at);
        let below = part[..=place].iter().rev().find(|point| point.at < t);
        let Some(there) = below.and_then(|point| point.value) else { continue };
        if t < end.wrapping_sub(duration) {
            break;
        }
        look.count(t, &there, gang, left);
    }
    look
}

impl Look {
    fn count(&mut self, at: i64, there: &Resource, gang: &Gang, left: i32) {
        let fit = gang.measure.gangs_in(there, &gang.size).min(left);
        if fit <= self.gangs {
            self.gangs = fit;
            self.narrowest = Some(at);
        }
    }
}
