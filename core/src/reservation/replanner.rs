//! What goes when a plan has become smaller than what it has promised.

use super::id::ReservationId;
use super::plan::{Plan, PlanBooks};
use crate::resource::Resource;
use crate::resource::sorted;
use std::cmp::Reverse;

/// Takes reservations out of a plan that has promised too much.
pub trait Replanner: std::fmt::Debug + Send + Sync {
    /// Removes reservations until the rest fits, as of now (ms since 1970), and returns the removed ones.
    fn replan(&self, plan: &mut Plan, now: i64) -> Vec<ReservationId>;
}

/// Removes the reservations that were accepted last first. Hadoop's `SimpleCapacityReplanner`.
#[derive(Clone, Copy, Debug)]
pub struct NewestFirst {
    /// How far ahead it looks, in ms. Default: an hour.
    pub window_ms: i64,
}

impl Default for NewestFirst {
    fn default() -> Self {
        NewestFirst { window_ms: 60 * 60 * 1000 }
    }
}

impl Replanner for NewestFirst {
    fn replan(&self, plan: &mut Plan, now: i64) -> Vec<ReservationId> {
        let (mut gone, step) = (Vec::new(), plan.books().terms().step_ms);
        let mut t = now;
        // As in Hadoop, what recurs does not count for the end.
        while plan.books().committed().last_defined().is_some_and(|last| t < last)
            && t < now.wrapping_add(self.window_ms)
        {
            let settled = make_room(plan, t, &mut gone);
            let next = if settled { next_change(plan.books(), t) } else { t };
            // Where nothing changes meanwhile, there is nothing to look at.
            let steps = next.saturating_sub(t).saturating_add(step - 1) / step;
            t = t.saturating_add(steps.max(1).saturating_mul(step));
        }
        gone
    }
}

/// When something else is promised than at a time.
fn next_change(plan: &PlanBooks, t: i64) -> i64 {
    let period = plan.periodic().period();
    let within = t.rem_euclid(period);
    let again = plan.periodic().once().next_after(within).unwrap_or(period).min(period);
    let once = plan.committed().next_after(t).unwrap_or(i64::MAX);
    once.min(t.saturating_add(again - within))
}

/// Takes reservations out until what is promised at a time is there. Whether that was enough.
fn make_room(plan: &mut Plan, t: i64, gone: &mut Vec<ReservationId>) -> bool {
    let books = plan.books();
    let promised = books.committed().value_at(t).plus(&books.periodic().value_at(t));
    let measure = books.measure();
    let mut excess = promised.minus(&books.capacity());
    let is_settled = |excess: &Resource| !measure.is_more(excess, &Resource::ZERO);
    if is_settled(&excess) {
        return true;
    }
    let mut there: Vec<_> = books.between(t, t).iter().map(|one| (one.accepted(), one.id(), one.at(t))).collect();
    sorted::by_key(&mut there, |(accepted, id, _)| Reverse((*accepted, *id)));
    for (_, id, has) in there {
        if is_settled(&excess) {
            return true;
        }
        if plan.delete(id).is_ok() {
            gone.push(id);
        }
        excess = excess.minus(&has);
    }
    is_settled(&excess)
}
