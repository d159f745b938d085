//! Reservations of a load: a client beside the driver books them in their time, and has the driver hand their jobs in.
//!
//! A thread of its own, which also looks at the plans once a second and at the scheduler's events.

use std::collections::BTreeMap;
use std::thread::JoinHandle;
use std::time::Duration;

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded};
use evenweave_tools::clock::now_ns;
use evenweave_tools::reservation_results::{BookedCourse, BookedReservation, PlanSample};
use evenweave_tools::traces::Booking;

use crate::api::{
    CapacityScheduler, Clock as _, FairScheduler, MonotonicClock, PlanBooks, Reservation, ReservationId,
    ReservationQuery, ReservationSubmission, ReserveError, SchedulerEvent,
};
use crate::load::wishes::{Job, Wish, Wished};

/// What happens between two looks is seen so much late.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// Looks between two samples of the plans.
const LOOKS_A_SAMPLE: u32 = 10;
/// A driver that has not answered then has ended.
const PATIENCE: Duration = Duration::from_secs(10);

/// The scheduler, for those who reserve.
pub(super) enum Reservable {
    Fair(FairScheduler),
    Capacity(CapacityScheduler),
}

/// The same call of either.
macro_rules! of_either {
    ($self:ident, $scheduler:ident => $call:expr) => {
        match $self {
            Reservable::Fair($scheduler) => $call,
            Reservable::Capacity($scheduler) => $call,
        }
    };
}

impl Reservable {
    fn name_one(&self) -> Result<ReservationId, ReserveError> {
        of_either!(self, scheduler => scheduler.reserve_new())
    }

    fn submit(&self, user: &str, request: &ReservationSubmission<'_>) -> Result<(), ReserveError> {
        of_either!(self, scheduler => scheduler.reserve_submit(user, request))
    }

    fn list(&self, user: &str, query: &ReservationQuery<'_>) -> Result<Vec<Reservation>, ReserveError> {
        of_either!(self, scheduler => scheduler.reserve_list(user, query))
    }

    fn plans(&self) -> Result<BTreeMap<String, PlanBooks>, ReserveError> {
        of_either!(self, scheduler => scheduler.plans())
    }

    fn next_event(&self) -> Option<SchedulerEvent> {
        of_either!(self, scheduler => scheduler.next_event())
    }

    /// What containers use below a queue, MiB.
    fn usage(&self, name: &str) -> i64 {
        match self {
            Reservable::Fair(scheduler) => scheduler
                .queues()
                .unwrap_or_default()
                .iter()
                .find(|queue| queue.name == name)
                .map_or(0, |queue| queue.usage.memory_mb()),
            Reservable::Capacity(scheduler) => {
                let queues = scheduler.queues().unwrap_or_default();
                queues.iter().find(|queue| queue.name == name).map_or(0, |queue| queue.used.memory_mb())
            }
        }
    }
}

/// What is to be done when.
enum Due {
    Book,
    /// The jobs of a turn of its stages.
    Begin(usize),
}

/// See the module's text.
pub(super) struct Client {
    stop: Sender<()>,
    thread: JoinHandle<BookedCourse>,
}

impl Client {
    /// Starts to book; times of the file count from now.
    pub(super) fn start(bookings: Vec<Booking>, scheduler: Reservable, to_driver: Sender<Wished>) -> Client {
        let (stop, stopped) = bounded(0);
        let thread = std::thread::spawn(move || Booker::new(bookings, scheduler, to_driver).run(&stopped));
        Client { stop, thread }
    }

    /// What came of it. `serve` does what is still wished of the driver: this is called on its thread.
    ///
    /// # Errors
    /// When the thread has panicked.
    pub(super) fn stop(self, serve: &mut dyn FnMut()) -> Result<BookedCourse, String> {
        drop(self.stop);
        while !self.thread.is_finished() {
            serve();
            std::thread::sleep(Duration::from_millis(1));
        }
        self.thread.join().map_err(|_| "the thread that books reservations panicked".to_owned())
    }
}

struct Booker {
    scheduler: Reservable,
    bookings: Vec<Booking>,
    to_driver: Sender<Wished>,
    begun_ns: u64,
    course: BookedCourse,
    ids: Vec<Option<ReservationId>>,
    /// The reservation of each application, by numbers.
    of_app: BTreeMap<u32, usize>,
    /// In order of time, the latest first.
    due: Vec<(u64, usize, Due)>,
}

impl Booker {
    fn new(bookings: Vec<Booking>, scheduler: Reservable, to_driver: Sender<Wished>) -> Booker {
        let mut due = Vec::new();
        for (index, booking) in bookings.iter().enumerate() {
            due.push((booking.book_ms, index, Due::Book));
            let mut at = booking.arrival_ms;
            let turns = (0..).map_while(|turn| booking.turn(turn)).take_while(|_| booking.has_job);
            for (turn, stages) in turns.enumerate() {
                let longest = stages.iter().map(|stage| stage.duration_ms).max();
                due.push((at, index, Due::Begin(turn)));
                // The next turn comes when this one should be over.
                at = at.saturating_add(longest.and_then(|ms| u64::try_from(ms).ok()).unwrap_or(0));
            }
        }
        // Of one moment bookings come first, and each in the order of the file.
        due.sort_by_key(|(at, index, due)| std::cmp::Reverse((*at, matches!(due, Due::Begin(..)), *index)));
        // As the scheduler's own clock.
        let start_ms = i64::try_from(MonotonicClock::new().wall_ms()).unwrap_or(i64::MAX);
        Booker {
            scheduler,
            ids: vec![None; bookings.len()],
            bookings,
            to_driver,
            begun_ns: now_ns(),
            course: BookedCourse { start_ms, ..BookedCourse::default() },
            of_app: BTreeMap::new(),
            due,
        }
    }

    fn now(&self) -> u64 {
        (now_ns() - self.begun_ns) / 1_000_000
    }

    fn run(mut self, stopped: &Receiver<()>) -> BookedCourse {
        let mut looks = 0_u32;
        while stopped.recv_timeout(LOOK_EVERY) == Err(RecvTimeoutError::Timeout) {
            let now = self.now();
            while let Some((_, index, due)) = self.due.pop_if(|(at, ..)| *at <= now) {
                match due {
                    Due::Book => self.book(index),
                    Due::Begin(turn) => self.begin(index, turn),
                }
            }
            self.look_for_ends();
            if looks.is_multiple_of(LOOKS_A_SAMPLE) {
                self.sample();
            }
            looks = looks.wrapping_add(1);
        }
        self.look_for_ends();
        self.course
    }

    fn book(&mut self, index: usize) {
        let booking = &self.bookings[index];
        let outcome = self.reserve(booking);
        self.ids[index] = outcome.as_ref().ok().map(Reservation::id);
        self.course.reservations.push(BookedReservation {
            name: booking.name.clone(),
            queue: booking.queue.clone(),
            user: booking.user.clone(),
            booked_ms: self.now(),
            outcome: outcome.map(Box::new),
            replanned_ms: None,
            jobs: 0,
            left: 0,
            job_refused: None,
        });
    }

    fn reserve(&self, booking: &Booking) -> Result<Reservation, String> {
        let said = |refused: ReserveError| refused.to_string();
        let definition = booking.definition(self.course.start_ms);
        let queue = Some(booking.queue.as_str());
        let id = self.scheduler.name_one().map_err(said)?;
        let request = ReservationSubmission { id: Some(id), queue, definition: Some(&definition) };
        self.scheduler.submit(&booking.user, &request).map_err(said)?;
        let id = id.to_string();
        let query = ReservationQuery { queue, id: &id, from: 0, to: -1 };
        let found = self.scheduler.list(&booking.user, &query).map_err(said)?.into_iter().next();
        found.ok_or_else(|| format!("{id} is not in its plan"))
    }

    /// The jobs of a turn enter, one for each stage; without a reservation they enter the plan, or a queue that is
    /// none.
    fn begin(&mut self, index: usize, turn: usize) {
        let booking = &self.bookings[index];
        for stage in booking.turn(turn).unwrap_or_default() {
            let job = Job {
                user: booking.user.clone(),
                queue: booking.queue.clone(),
                tasks: u32::try_from(stage.containers).unwrap_or(1),
                seconds: u32::try_from(stage.duration_ms / 1000).unwrap_or(u32::MAX).max(1),
                reservation: self.ids[index],
                label: None,
            };
            let is_reserved = job.reservation.is_some();
            let entered = wish(&self.to_driver, Wish::Submit(job));
            let Some(one) = self.course.named(&booking.name) else { continue };
            match entered {
                Ok(number) if is_reserved => {
                    one.jobs += 1;
                    self.of_app.extend(number.map(|number| (number, index)));
                }
                Ok(_) => {}
                Err(why) => one.job_refused = Some(why),
            }
        }
    }

    /// Applications leave the queues of reservations that have ended.
    fn look_for_ends(&mut self) {
        while let Some(event) = self.scheduler.next_event() {
            let number = if let SchedulerEvent::MovedAsReservationEnded { app, .. }
            | SchedulerEvent::KilledAsReservationEnded(app) = event
            {
                app.number
            } else {
                continue;
            };
            let booking = self.of_app.get(&number).map(|index| &self.bookings[*index].name);
            if let Some(one) = booking.and_then(|name| self.course.named(name)) {
                one.left += 1;
            }
        }
    }

    fn sample(&mut self) {
        let at_ms = self.now();
        for (queue, books) in self.scheduler.plans().unwrap_or_default() {
            for (index, id) in self.ids.iter_mut().enumerate() {
                let booking = &self.bookings[index];
                let is_of_plan = booking.queue == queue || queue.strip_prefix("root.") == Some(&booking.queue);
                let is_to_come = booking.deadline_ms > at_ms;
                if is_of_plan && is_to_come && id.is_some_and(|id| books.reservation(id).is_none()) {
                    *id = None;
                    if let Some(one) = self.course.named(&booking.name) {
                        one.replanned_ms = Some(at_ms);
                    }
                }
            }
            let usage = self.scheduler.usage(&queue);
            self.course.sample(&queue, PlanSample { at_ms, capacity: books.capacity().memory_mb(), usage });
        }
    }
}

/// What the driver says: of a submission the application's number.
fn wish(to_driver: &Sender<Wished>, wish: Wish) -> Result<Option<u32>, String> {
    let (reply, answer) = bounded(1);
    to_driver.send_timeout(Wished { wish, reply }, PATIENCE).map_err(|error| error.to_string())?;
    let done = answer.recv_timeout(PATIENCE).map_err(|error| error.to_string())??;
    Ok(done.app)
}
