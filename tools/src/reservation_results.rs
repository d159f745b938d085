//! What came of the reservations of a run, and of the plans that they are in: the same of a simulation and of a load.

use serde_json::{Value, json};

use crate::api::{Piece, Reservation};

/// A reservation of the file.
#[derive(Clone, Debug)]
pub struct BookedReservation {
    /// Its name in the file.
    pub name: String,
    /// The plan.
    pub queue: String,
    /// Whose it is.
    pub user: String,
    /// When it was asked for, in ms after the start.
    pub booked_ms: u64,
    /// What it got, or why it was refused.
    pub outcome: Result<Box<Reservation>, String>,
    /// When the plan, having become smaller, took it back, in ms after the start.
    pub replanned_ms: Option<u64>,
    /// Applications that entered its queue.
    pub jobs: u64,
    /// Of these, those that had to leave its queue as it ended.
    pub left: u64,
    /// Why an application did not enter, the last time that one did not.
    pub job_refused: Option<String>,
}

impl BookedReservation {
    /// What it has, by time, without gaps; of one that recurs the first time.
    pub fn pieces(&self) -> Vec<Piece> {
        let Ok(reservation) = &self.outcome else { return Vec::new() };
        let own = reservation.pieces().iter().filter(|piece| piece.resource.memory_mb() > 0);
        let period = reservation.period();
        let later = |piece: &Piece| {
            // Those of one that recurs are folded into a period that begins at 0.
            let times = if period > 0 { (reservation.start() - piece.from + period - 1).div_euclid(period) } else { 0 };
            Piece { from: piece.from + times * period, to: piece.to + times * period, ..*piece }
        };
        own.map(later).collect()
    }

    /// After how long it comes again, in ms; 0 where it does not.
    pub fn period(&self) -> i64 {
        self.outcome.as_ref().map_or(0, |reservation| reservation.period())
    }
}

/// A plan at a moment, memory in MiB.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanSample {
    /// When, in ms after the start.
    pub at_ms: u64,
    /// All that may be promised.
    pub capacity: i64,
    /// What containers use below it.
    pub usage: i64,
}

/// A plan over the run.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanCourse {
    /// Its queue.
    pub queue: String,
    /// In order of time.
    pub samples: Vec<PlanSample>,
}

/// What came of all of them.
#[derive(Clone, Debug, Default)]
pub struct BookedCourse {
    /// What the clock of the reservations showed at the start, in ms.
    pub start_ms: i64,
    /// In the order in which they were asked for.
    pub reservations: Vec<BookedReservation>,
    /// By name of their queues.
    pub plans: Vec<PlanCourse>,
}

impl BookedCourse {
    /// What came of a reservation, by its name in the file.
    pub fn named(&mut self, name: &str) -> Option<&mut BookedReservation> {
        self.reservations.iter_mut().find(|one| one.name == name)
    }

    /// How many got a place, and what those who did not were told.
    pub fn words(&self) -> Vec<String> {
        const MOST: usize = 5;
        if self.reservations.is_empty() {
            return Vec::new();
        }
        let count = |is: fn(&BookedReservation) -> bool| self.reservations.iter().filter(|one| is(one)).count();
        let (accepted, back) = (count(|one| one.outcome.is_ok()), count(|one| one.replanned_ms.is_some()));
        let (left, all) = (self.reservations.iter().map(|one| one.left).sum::<u64>(), self.reservations.len());
        let mut lines = vec![format!(
            "reservations: {accepted} of {all} accepted, {back} taken back later; {left} jobs had to leave theirs"
        )];
        let refused = self.reservations.iter().filter_map(|one| Some((&one.name, one.outcome.as_ref().err()?)));
        lines.extend(refused.take(MOST).map(|(name, why)| format!("refused: reservation {name}: {why}")));
        if all - accepted > MOST {
            lines.push(format!("and {} reservations more are refused", all - accepted - MOST));
        }
        lines
    }

    /// A row for each.
    pub fn json(&self) -> Value {
        let row = |one: &BookedReservation| {
            json!({
                "reservation": one.name, "queue": one.queue, "user": one.user, "booked_ms": one.booked_ms,
                "accepted": one.outcome.is_ok(), "refused": one.outcome.as_ref().err(), "replanned_ms": one.replanned_ms,
                "jobs": one.jobs, "left": one.left, "job_refused": one.job_refused
            })
        };
        self.reservations.iter().map(row).collect()
    }

    /// A plan at a moment.
    pub fn sample(&mut self, queue: &str, sample: PlanSample) {
        match self.plans.iter_mut().find(|plan| plan.queue == queue) {
            Some(plan) => plan.samples.push(sample),
            None => self.plans.push(PlanCourse { queue: queue.to_owned(), samples: vec![sample] }),
        }
    }
}
