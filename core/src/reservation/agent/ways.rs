//! Hadoop's agents, as the ways that they try.

use super::aligned::AlignedPlacement;
use super::greedy::GreedyPlacement;
use super::job::{Job, ReservationAgent, book};
use super::planner::{Way, pieces_for};
use super::stepwise::StepwisePlacement;
use super::window::Windows;
use crate::reservation::plan::Plan;
use crate::reservation::refused::ReservationRefused;

/// An agent that tries one way after the other. Hadoop's `TryManyReservationAgents`.
#[derive(Debug)]
pub struct WayAgent(Vec<Way>);

impl WayAgent {
    /// An agent with these ways, in order.
    #[must_use]
    pub fn new(ways: Vec<Way>) -> WayAgent {
        WayAgent(ways)
    }

    /// First aligned, where the load is least, then greedy: Hadoop's `AlignedPlannerWithGreedy`, the default. Both
    /// prefer early places. The argument is `smoothness-factor`.
    #[must_use]
    pub fn aligned_then_greedy(smoothness: i32) -> WayAgent {
        let placement = Box::new(AlignedPlacement { smoothness });
        WayAgent(vec![Way { windows: Windows::ByDemand, placement, early: true }, greedy()])
    }

    /// Only greedy, with early places preferred: Hadoop's `GreedyReservationAgent`.
    #[must_use]
    pub fn greedy() -> WayAgent {
        WayAgent(vec![greedy()])
    }

    /// All ways prefer late places: without `favor-early-allocation`.
    #[must_use]
    pub fn late(mut self) -> WayAgent {
        self.0.iter_mut().for_each(|way| way.early = false);
        self
    }

    /// The older greedy agent, step by step from the end. In Hadoop no file can name it.
    #[must_use]
    pub fn stepwise() -> WayAgent {
        WayAgent(vec![Way { windows: Windows::All, placement: Box::new(StepwisePlacement), early: false }])
    }
}

impl ReservationAgent for WayAgent {
    fn reserve(&self, plan: &mut Plan, job: &Job<'_>) -> Result<bool, ReservationRefused> {
        let mut last = None;
        for way in &self.0 {
            match pieces_for(plan.view(), way, job).and_then(|pieces| book(plan, job, pieces)) {
                Ok(true) => return Ok(true),
                // With what this way has left in the plan, the next one is tried.
                Ok(false) => {}
                Err(refused) if refused.is_planning() => last = Some(refused),
                Err(refused) => return Err(refused),
            }
        }
        last.map_or(Ok(false), Err)
    }
}

fn greedy() -> Way {
    Way { windows: Windows::All, placement: Box::new(GreedyPlacement), early: true }
}
