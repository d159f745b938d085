//! Reservations of a file: they are booked in their time, the follower runs at its interval, and the jobs that they
//! were made for enter.
//!
//! A reservation that is refused does not keep its job away: that enters the plan without one, as it enters a queue
//! that is no plan. The stages of one with an order run as applications of their own, one after the other; otherwise
//! one application runs them.

use evenweave_tools::reservation_results::{BookedReservation, PlanSample};
use evenweave_tools::traces::{Booking, Job, Task};

use super::super::events::Kind;
use super::super::record::JobEnd;
use super::run::{Part, Run};
use crate::api::{
    Refused, Reservation, ReservationId, ReservationQuery, ReservationSubmission, ReserveError, SchedulerEvent,
};

/// Jobs of reservations are numbered from here on: no trace has so many.
const FIRST_JOB: u64 = 1 << 42;
const STAGE_BITS: u32 = 16;

impl Run<'_> {
    pub(super) fn begin_bookings(&mut self) {
        if self.plan.bookings.is_empty() {
            return;
        }
        for (index, booking) in (0_u64..).zip(&self.plan.bookings) {
            self.events.put(booking.book_ms, Kind::Book, index);
            if booking.has_job {
                self.events.put(booking.arrival_ms, Kind::Begin, index);
                self.booked.to_come += 1;
            }
        }
        self.booked.ids = vec![None; self.plan.bookings.len()];
        // Without a reservation system there is nothing to follow.
        if let Ok(step) = self.core.plan_step() {
            self.booked.step_ms = u64::try_from(step.as_millis()).unwrap_or(u64::MAX);
            // What is booked at the start finds the plans as large as they are.
            self.events.put(0, Kind::Follow, 0);
        }
    }

    /// A reservation is asked for.
    pub(super) fn book(&mut self, index: usize) {
        let Some(booking) = self.plan.bookings.get(index) else { return };
        let outcome = self.reserve(booking);
        self.booked.ids[index] = outcome.as_ref().ok().map(|reservation| reservation.id());
        self.booked.course.reservations.push(BookedReservation {
            name: booking.name.clone(),
            queue: booking.queue.clone(),
            user: booking.user.clone(),
            booked_ms: self.now,
            outcome: outcome.map(Box::new),
            replanned_ms: None,
            jobs: 0,
            left: 0,
            job_refused: None,
        });
        // One that begins at once has its queue at once.
        self.reservations_ended();
        self.queues_changed();
    }

    fn reserve(&mut self, booking: &Booking) -> Result<Reservation, String> {
        let said = |refused: ReserveError| refused.to_string();
        let definition = booking.definition(0);
        let queue = Some(booking.queue.as_str());
        let id = self.core.reserve_new().map_err(said)?;
        let request = ReservationSubmission { id: Some(id), queue, definition: Some(&definition) };
        self.core.reserve_submit(&booking.user, &request).map_err(said)?;
        let id = id.to_string();
        let query = ReservationQuery { queue, id: &id, from: 0, to: -1 };
        let found = self.core.reserve_list(&booking.user, &query).map_err(said)?.into_iter().next();
        found.ok_or_else(|| format!("{id} is not in its plan"))
    }

    /// The follower's run. One that changes no queue disturbs nothing.
    pub(super) fn follow(&mut self) {
        // There is a reservation system, and neither a planner nor a clock that could panic.
        let followed = self.core.follow_plans().unwrap_or_default();
        let changed = followed.values().any(|plan| plan.changed);
        for id in followed.into_values().flat_map(|plan| plan.replanned) {
            let found = self.booked.ids.iter().position(|own| *own == Some(id));
            let Some(index) = found else { continue };
            self.booked.ids[index] = None;
            if let Some(one) = self.booked.course.named(&self.plan.bookings[index].name) {
                one.replanned_ms = Some(self.now);
            }
        }
        if changed {
            self.reservations_ended();
            self.queues_changed();
        }
        self.events.put(self.now.saturating_add(self.booked.step_ms), Kind::Follow, 0);
    }

    /// Applications whose reservations have ended go on in the default queue, or end.
    fn reservations_ended(&mut self) {
        while let Some(event) = self.core.next_event() {
            let (app, ends) = if let SchedulerEvent::MovedAsReservationEnded { app, .. } = event {
                (app.number, false)
            } else if let SchedulerEvent::KilledAsReservationEnded(app) = event {
                (app.number, true)
            } else {
                continue;
            };
            let part = self.masters.get(&app).and_then(|master| master.part);
            if let Some(one) = part.and_then(|part| self.booked.course.named(&self.plan.bookings[part.booking].name)) {
                one.left += 1;
            }
            if ends {
                self.end_app(app, JobEnd::Expired);
            }
        }
    }

    /// Queues and weights may be others now.
    fn queues_changed(&mut self) {
        self.quiet.changed();
        self.quiet.disturb();
        self.deliver();
    }

    /// An application of a reservation enters: that of a stage where they come one after the other, otherwise of all of
    /// them.
    pub(super) fn begin_booked(&mut self, index: usize) {
        let Some(booking) = self.plan.bookings.get(index) else { return };
        let mut time = 0;
        if let Some(every) = booking.every_ms {
            time = u32::try_from(self.now.saturating_sub(booking.arrival_ms) / every.max(1)).unwrap_or(u32::MAX);
            // It recurs as long as the trace goes on.
            if !self.coming.is_empty() || self.booked.to_come > 0 {
                self.events.put(self.now + every.max(1), Kind::Begin, index as u64);
            }
        }
        if time == 0 {
            self.booked.to_come -= 1;
        }
        self.run_stage(index, 0, time);
    }

    /// An application of a reservation has ended: the next stage comes, if it waited for that.
    pub(super) fn part_ended(&mut self, part: Part, end: JobEnd) {
        if let Some(stage) = part.stage.filter(|_| end == JobEnd::Done) {
            self.run_stage(part.booking, stage + 1, part.time);
        }
    }

    fn run_stage(&mut self, index: usize, stage: usize, time: u32) {
        let booking = &self.plan.bookings[index];
        let Some(stages) = booking.turn(stage) else { return };
        let mut name = booking.name.clone();
        if booking.is_in_order() && booking.stages.len() > 1 {
            name = format!("{name}/{}", stage + 1);
        }
        let mut job = Job::new(&name, i64::try_from(self.now).unwrap_or(i64::MAX));
        job.queue.clone_from(&booking.queue);
        job.user.clone_from(&booking.user);
        for stage in stages {
            let mut task = Task::new("map", stage.duration_ms);
            task.count = u32::try_from(stage.containers).unwrap_or(1);
            for (name, amount) in [("memory-mb", stage.capability.memory_mb()), ("vcores", stage.capability.vcores())] {
                task.resource.insert(name.to_owned(), amount);
            }
            job.tasks.push(task);
        }
        let number = FIRST_JOB + ((index as u64) << STAGE_BITS) + stage as u64;
        self.enter(
            &job,
            (number, time),
            (&booking.queue, &booking.user),
            Some(Part { booking: index, stage: Some(stage), time }),
        );
    }

    /// Which reservation a job of the trace belongs to.
    pub(super) fn part_of(&self, name: &str) -> Option<Part> {
        let booking = self.plan.bookings.iter().position(|booking| booking.name == name)?;
        Some(Part { booking, stage: None, time: 0 })
    }

    /// What the scheduler calls the reservation, if it was accepted.
    pub(super) fn id_of(&self, part: Part) -> Option<ReservationId> {
        self.booked.ids[part.booking]
    }

    /// An application has entered the queue of its reservation.
    pub(super) fn part_entered(&mut self, part: Part) {
        if let Some(one) = self.booked.course.named(&self.plan.bookings[part.booking].name) {
            one.jobs += 1;
        }
    }

    /// One has not entered it.
    pub(super) fn part_refused(&mut self, part: Part, why: &Refused) {
        if let Some(one) = self.booked.course.named(&self.plan.bookings[part.booking].name) {
            one.job_refused = Some(why.to_string());
        }
    }

    /// The plans at the end of an interval.
    pub(super) fn sample_plans(&mut self, usage_of: impl Fn(&str) -> i64) {
        if self.plan.bookings.is_empty() {
            return;
        }
        for (queue, capacity) in self.core.plans() {
            let sample = PlanSample { at_ms: self.now, capacity, usage: usage_of(&queue) };
            self.booked.course.sample(&queue, sample);
        }
    }
}
