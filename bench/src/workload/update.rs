//! W3: what one update costs when one application in a hundred has changed what it wants.
//!
//! Timed is the library's own update by hand, from call to return: when it returns, demand and fair share of every
//! queue and application are published. That they are is looked at after each repeat.

use evenweave_tools::clock::{now_ns, thread_cpu_seconds};

use super::bed::Bed;
use super::churn::fill_before;
use super::masters::Masters;
use super::plan::Plan;
use super::record::{Before, Figures, UpdateTimes};
use crate::api::Resource;

/// One of how many applications changes in a round.
const CHANGE: u32 = 100;

/// See the module's text.
pub(super) struct Updates<'a> {
    bed: &'a Bed,
    masters: Masters,
    round: u32,
}

impl<'a> Updates<'a> {
    /// Fills the cluster; applications fetch what they were granted, so that later asks say what is left.
    ///
    /// # Errors
    /// What the scheduler refuses, and when it does not fill the cluster.
    pub(super) fn new(bed: &'a Bed, mut masters: Masters, plan: &Plan) -> Result<Updates<'a>, String> {
        fill_before(bed, plan)?;
        masters.fetch_all(bed, &mut |_, _| ())?;
        Ok(Updates { bed, masters, round: 0 })
    }

    /// Some applications want one more or one less; once the scheduler has heard of it, one update. Gives its
    /// nanoseconds.
    fn round(&mut self) -> Result<u64, String> {
        let more = (self.round / CHANGE).is_multiple_of(2);
        for app in (self.round % CHANGE..self.bed.shape.apps).step_by(CHANGE as usize) {
            self.masters.change(self.bed, app as usize, more)?;
        }
        self.round += 1;
        // Asks travel: an update that does not see them would have less to do.
        self.bed.engine.quiesce();
        let start = now_ns();
        self.bed.engine.update_now();
        Ok(now_ns() - start)
    }

    /// The fewest rounds, and the fewest nanoseconds.
    ///
    /// # Errors
    /// What the scheduler refuses.
    pub(super) fn warm_up(&mut self, rounds: u32, ns: u64) -> Result<(), String> {
        let (first, start) = (self.round, now_ns());
        while self.round - first < rounds || now_ns() - start < ns {
            self.round()?;
        }
        Ok(())
    }

    /// So many rounds.
    ///
    /// # Errors
    /// What the scheduler refuses, and figures that were not published.
    pub(super) fn phase(&mut self, rounds: u32) -> Result<Figures, String> {
        self.masters.reset();
        let before = Before::new(self.bed);
        let (start, driver_cpu) = (now_ns(), thread_cpu_seconds());
        let mut times = (0..rounds).map(|_| self.round()).collect::<Result<Vec<u64>, String>>()?;
        let mut figures = before.figures(self.bed, now_ns() - start, thread_cpu_seconds() - driver_cpu);
        figures.in_scheduler_ns = self.masters.in_scheduler_ns;
        figures.allocate.clone_from(&self.masters.allocate);
        figures.update = UpdateTimes::of(&mut times);
        self.check()?;
        Ok(figures)
    }

    /// Every application's demand is what it uses and asks for, every queue's that of all below it, and all have a
    /// share.
    fn check(&self) -> Result<(), String> {
        let (queues, apps) = (self.bed.engine.queues(), self.bed.engine.apps());
        let mut demands = std::collections::HashMap::new();
        for app in &apps {
            if app.demand != app.usage.plus(&app.outstanding) {
                return Err(format!("the update did not publish the demand of application {}", app.number));
            }
            if app.fair_share == Resource::ZERO {
                return Err(format!("the update did not publish the fair share of application {}", app.number));
            }
            let above = app.queue.match_indices('.').map(|(at, _)| &app.queue[..at]);
            for queue in above.chain([&*app.queue]) {
                let demand = demands.entry(queue).or_insert(Resource::ZERO);
                *demand = demand.plus(&app.demand);
            }
        }
        let good = |name: &str, demand: &Resource| demands.get(name).unwrap_or(&Resource::ZERO) == demand;
        match queues.iter().find(|queue| !good(&queue.name, &queue.demand) || queue.share == Resource::ZERO) {
            Some(queue) => Err(format!("the update did not publish demand and fair share of queue {}", queue.name)),
            None => Ok(()),
        }
    }
}
