//! A client of the reservation system beside everything else: it books, submits into what it has booked, and deletes. Plans are followed as
//! often.

use super::plan::{RESERVABLE, SMALL};
use super::world::World;
use super::{draw, totals};
use evenweave::refused::NoQueue;
use evenweave::reservation::{Interpreter, ReservationDefinition, ReservationId, ReservationSubmission, Stage};
use evenweave::{Refused, Submission};
use std::collections::BTreeSet;

/// Its applications have numbers of their own.
const FIRST_APP: u32 = 50;
const MAX_APPS: u32 = 4;

impl World {
    pub(crate) fn run_reservations(&self) {
        if !self.plan.reserves {
            return;
        }
        let (mut booked, mut apps) = (Vec::new(), 0);
        for _ in self.rounds() {
            match draw(8) {
                0 | 1 => booked.extend(self.book()),
                2 if apps < MAX_APPS && !booked.is_empty() => {
                    self.submit_into(booked[draw(booked.len())], FIRST_APP + apps);
                    apps += 1;
                }
                3 if !booked.is_empty() => {
                    // It may have come to its end.
                    drop(self.scheduler.reserve_delete("ann", booked.swap_remove(draw(booked.len()))));
                }
                4 if !booked.is_empty() => {
                    let id = booked[draw(booked.len())];
                    drop(self.scheduler.reserve_update("ann", id, &self.definition()));
                }
                _ => drop(self.scheduler.follow_plans().expect("it is open")),
            }
        }
    }

    /// A small container or two for as long as the operator needs for two or three turns of the clock.
    fn definition(&self) -> ReservationDefinition {
        let (now, containers) = (self.now(), 1 + i32::from(draw(2) == 0));
        let stage = Stage::new(SMALL, containers, 60);
        ReservationDefinition::new(now, now + 600, Interpreter::All, vec![stage])
    }

    /// Nothing where there is no room.
    fn book(&self) -> Option<ReservationId> {
        let id = self.scheduler.reserve_new().expect("it is on");
        let definition = self.definition();
        let request = ReservationSubmission { id: Some(id), queue: Some(RESERVABLE), definition: Some(&definition) };
        self.scheduler.reserve_submit("ann", &request).ok()?;
        totals::BOOKED.add(1);
        Some(id)
    }

    fn submit_into(&self, id: ReservationId, number: u32) {
        let submission = Submission::new(number, "ann").in_queue(RESERVABLE).with_reservation(id);
        match self.scheduler.submit(submission) {
            Ok(app) => {
                self.known(&app);
                self.allocate(&app, &self.ask());
            }
            Err(Refused::NoQueue(NoQueue::ReservationNotActive { .. })) => {}
            Err(refused) => panic!("{refused}"),
        }
    }
}

/// At quiet, and after two more runs of the follower: what one of them plans anew, the next one takes away. A plan's queues are its default queue
/// and those of what is promised now, which is no more than the plan has. A plan of nothing is not followed.
pub(crate) fn plans_are_followed(world: &World) {
    if !world.plan.reserves || world.nodes().is_empty() {
        return;
    }
    for _ in 0..2 {
        world.scheduler.follow_plans().expect("it is open");
        world.scheduler.quiesce();
    }
    let (now, plans, queues) =
        (world.now(), world.scheduler.plans().expect("it is on"), world.scheduler.queues().expect("it is open"));
    let books = &plans[RESERVABLE];
    let active = books.reservations().filter(|one| one.start() <= now && now < one.end());
    let mut wanted: BTreeSet<String> = active.map(|one| format!("{RESERVABLE}.{}", one.id())).collect();
    wanted.insert(format!("{RESERVABLE}.p-default"));
    let below = |name: &str| name.rsplit_once('.').is_some_and(|(above, _)| above == RESERVABLE);
    let there: BTreeSet<String> =
        queues.iter().filter(|queue| below(&queue.name)).map(|queue| queue.name.clone()).collect();
    assert_eq!(there, wanted, "queues are those of what is promised");
    let promised = books.load(now, now + 1).expect("a moment").value_at(now);
    assert!(promised.fits_in(&books.capacity()), "{promised} is promised of {}", books.capacity());
}
