//! Aligned placement: the window is cut into intervals of the stage's duration, and gangs go where the load is least.

use super::stage::{Placement, Site, all_or_nothing};
use crate::reservation::definition::Stage;
use crate::reservation::limits::{MAX_ROUNDS, at_most};
use crate::reservation::numbers::{int, low_int, up};
use crate::reservation::profile::{Ledger, Operation, Piece, Steps, merge_as_is};
use crate::reservation::refused::ReservationRefused;
use crate::resource::Resource;
use std::cmp::Ordering;
use std::collections::BTreeSet;

/// Hadoop's `StageAllocatorLowCostAligned`.
#[derive(Clone, Copy, Debug)]
pub(super) struct AlignedPlacement {
    /// `yarn.resourcemanager.reservation-system.smoothness-factor`: the larger, the fewer gangs are placed at once.
    pub(super) smoothness: i32,
}

/// An interval in which gangs fit.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Candidate {
    cost: f64,
    start: i64,
    /// Smaller is preferred among those that cost the same.
    rank: i64,
    fit: i32,
}

impl Eq for Candidate {}

impl Ord for Candidate {
    fn cmp(&self, other: &Candidate) -> Ordering {
        // A cost is not negative, and what is no number has one sign only.
        self.cost.total_cmp(&other.cost).then(self.rank.cmp(&other.rank))
    }
}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Candidate) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The stage, and all that intervals are judged by.
struct Judge<'a> {
    site: &'a Site<'a>,
    available: Steps,
    gang: Resource,
    duration: i64,
}

impl Placement for AlignedPlacement {
    fn place(
        &self,
        site: &Site<'_>,
        taken: &mut Ledger,
        stage: &Stage,
        (start, end): (i64, i64),
    ) -> Result<Option<Vec<Piece>>, ReservationRefused> {
        let job = site.job;
        let available = site.plan.available(job.user, job.id, (start, end), site.period)?;
        let duration = up(stage.duration_ms, site.plan.books.terms().step_ms);
        let room = end.wrapping_sub(start);
        let intervals = room.checked_div(duration).ok_or(ReservationRefused::ZeroDuration)?;
        let count = low_int(intervals);
        let wanted = stage.gangs_wanted();
        let at_once = self.gangs_at_once(wanted, count)?;
        if count <= 0 {
            return Ok(None);
        }
        at_most("intervals in which a stage may run", intervals, MAX_ROUNDS)?;
        at_most("rounds of placing a stage", i64::from(wanted / at_once), 10 * MAX_ROUNDS)?;
        let judge = Judge { site, available, gang: stage.gang(), duration };
        let mut candidates = judge.candidates(intervals, taken, (start, end))?;
        let (mut left, mut own) = (wanted, Ledger::default());
        while left > 0 {
            let Some(best) = candidates.pop_first() else { break };
            let gangs = at_once.min(left).min(best.fit);
            left -= gangs;
            let piece = Piece { from: best.start, to: best.start.wrapping_add(duration), resource: stage.gangs(gangs) };
            taken.add(&piece);
            own.add(&piece);
            candidates.extend(judge.candidate(best.start, taken)?);
        }
        Ok(all_or_nothing(left, own.pieces(), taken))
    }
}

impl AlignedPlacement {
    /// How many gangs are placed in an interval before the costs are looked at again.
    fn gangs_at_once(self, wanted: i32, intervals: i32) -> Result<i32, ReservationRefused> {
        let each = int((f64::from(wanted) / f64::from(intervals)).floor().max(1.0));
        Ok(each.checked_div(self.smoothness).ok_or(ReservationRefused::ZeroDuration)?.max(1))
    }
}

impl Judge<'_> {
    /// The intervals in which a gang fits, cut from the preferred end of the window.
    fn candidates(
        &self,
        count: i64,
        taken: &Ledger,
        (start, end): (i64, i64),
    ) -> Result<BTreeSet<Candidate>, ReservationRefused> {
        let starts = (0..count).map(|turn| match self.site.early {
            true => start.wrapping_add(turn.wrapping_mul(self.duration)),
            false => end.wrapping_sub((turn + 1).wrapping_mul(self.duration)),
        });
        let mut found = BTreeSet::new();
        for start in starts {
            found.extend(self.candidate(start, taken)?);
        }
        Ok(found)
    }

    fn candidate(&self, start: i64, taken: &Ledger) -> Result<Option<Candidate>, ReservationRefused> {
        let end = start.wrapping_add(self.duration);
        let taken = taken.range(start, end)?;
        let cost = self.cost(&taken, (start, end))?;
        let fit = self.fit(&taken, (start, end))?;
        let rank = if self.site.early { end } else { end.wrapping_neg() };
        Ok((fit >= 1).then_some(Candidate { cost, start, rank, fit }))
    }

    /// The load of an interval: shares of the plan times steps.
    fn cost(&self, taken: &Steps, (start, end): (i64, i64)) -> Result<f64, ReservationRefused> {
        let load = merge_as_is(self.site.load.within(start, end)?, taken.points(), Operation::Add, start, end)?;
        let (capacity, step) = (self.site.plan.books.capacity(), self.site.plan.books.terms().step_ms as f64);
        let measure = self.site.plan.books.measure();
        let part = |value: Option<Resource>, from: i64, to: i64| {
            // Hadoop fails where something follows on what is undefined.
            let value = value.unwrap_or(Resource::ZERO);
            f64::from(measure.ratio(&value, &capacity)) * to.wrapping_sub(from.max(start)) as f64 / step
        };
        let points = load.points();
        let mut cost = 0.0;
        for (before, point) in points.iter().zip(points.iter().skip(1)) {
            cost += part(before.value, before.at, point.at);
        }
        if let Some(last) = points.last().filter(|last| last.value.is_some()) {
            cost += part(last.value, last.at, end);
        }
        // What is no number sorts last in Java, whatever its sign.
        Ok(if cost.is_nan() { f64::NAN } else { cost })
    }

    /// How many gangs fit into an interval.
    fn fit(&self, taken: &Steps, (start, end): (i64, i64)) -> Result<i32, ReservationRefused> {
        let there = merge_as_is(self.available.within(start, end)?, taken.points(), Operation::Test, start, end)?;
        let measure = self.site.plan.books.measure();
        let within = there.points().iter().filter(|point| point.at < end);
        let gangs = within.map(|point| point.value.map_or(0, |there| measure.gangs_in(&there, &self.gang)));
        Ok(gangs.min().unwrap_or(i32::MAX))
    }
}
