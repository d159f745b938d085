//! The reservation system with 10,000 reservations in one plan: a submission, and a run of the follower.
//!
//! `submit_crowded` has all of them within the window of the new one, `submit_spread` a hundredth part; `follow` has a hundred of them at the
//! time of the run.

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use evenweave::config::AllocationFile;
use evenweave::reservation::{
    Caller, Interpreter, PlanChild, PlanQueue, PlanQueues, ReservationDefinition, ReservationOptions,
    ReservationSubmission, ReservationSystem, Stage,
};
use evenweave::resource::ResourceTypes;
use evenweave::{ApplicationId, Resource, Settings};
use std::collections::HashMap;

const RESERVATIONS: i64 = 10_000;
const SECOND: i64 = 1_000;
const HOUR: i64 = 3_600 * SECOND;
/// Far from the beginning of time, so that the follower's now is before all of it.
const START: i64 = 1_000 * HOUR;
const PLAN: &str = "root.p";
const SHARE: Resource = Resource::new(20_000 * 1_024, 20_000);

/// One plan queue, and leaves below it with their weights.
#[derive(Clone, Default)]
struct Queues(HashMap<String, f32>);

impl PlanQueues for Queues {
    fn plan_queue(&self, queue: &str) -> Option<PlanQueue> {
        (queue == PLAN).then_some(PlanQueue { identity: 1, parent: true, share: SHARE })
    }

    fn largest_container(&self) -> Resource {
        SHARE
    }

    fn children(&self, _: &str) -> Vec<PlanChild> {
        self.0.keys().map(|name| PlanChild { name: name[PLAN.len() + 1..].to_owned(), leaf: true }).collect()
    }

    fn share(&self, queue: &str) -> Option<Resource> {
        self.0.get(queue).map(|_| Resource::ZERO)
    }

    fn part(&self, queue: &str) -> Option<f32> {
        self.0.get(queue).copied()
    }

    fn make_leaf(&mut self, _: &str, queue: &str) {
        self.0.entry(queue.to_owned()).or_insert(1.0);
    }

    fn entitle(&mut self, queue: &str, weight: f32, _: f32) -> bool {
        self.0.insert(queue.to_owned(), weight);
        true
    }

    fn apps(&self, _: &str) -> Vec<ApplicationId> {
        Vec::new()
    }

    fn move_app(&mut self, _: ApplicationId, _: &str) -> bool {
        true
    }

    fn kill_apps(&mut self, _: &str) {}

    fn remove(&mut self, queue: &str) {
        self.0.remove(queue);
    }
}

/// A container for ten minutes, somewhere within two hours.
fn definition(arrival: i64) -> ReservationDefinition {
    let stage = Stage::new(Resource::new(1_024, 1), 1, 600 * SECOND);
    ReservationDefinition::new(arrival, arrival + 2 * HOUR, Interpreter::All, vec![stage])
}

fn submit(system: &mut ReservationSystem, queues: &mut Queues, user: &str, definition: &ReservationDefinition) {
    let id = Some(system.new_reservation());
    let request = ReservationSubmission { id, queue: Some(PLAN), definition: Some(definition) };
    let caller = Caller { user, groups: &[] };
    system.submit(queues, START, &caller, &request).expect("there is room");
}

/// A plan with reservations of 100 users, that begin evenly over so long.
fn full(over: i64) -> (ReservationSystem, Queues) {
    let text = "<allocations><queue name=\"p\"><reservation/></queue></allocations>";
    let file = AllocationFile::parse(text, "fair-scheduler.xml", &ResourceTypes::standard(), &[]).expect("a file").file;
    let mut queues = Queues::default();
    let options = ReservationOptions::default();
    let mut system = ReservationSystem::new(&Settings::default(), options, &file, &queues, 0).expect("known classes");
    for number in 0..RESERVATIONS {
        let arrival = START + 2 * HOUR + number * over / RESERVATIONS + number % 7;
        submit(&mut system, &mut queues, &format!("u{}", number % 100), &definition(arrival));
    }
    (system, queues)
}

fn reservations(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("reservations");
    group.sample_size(10);
    for (name, over) in [("submit_crowded", HOUR), ("submit_spread", 200 * HOUR)] {
        let mut made = None;
        let mut arrival = START + 2 * HOUR;
        group.bench_function(name, |bencher| {
            let (system, queues) = made.get_or_insert_with(|| full(over));
            let next = || {
                arrival += 13;
                definition(arrival)
            };
            bencher.iter_batched(next, |new| submit(system, queues, "ann", &new), BatchSize::PerIteration);
        });
    }
    let mut made = None;
    group.bench_function("follow", |bencher| {
        let (system, queues) = made.get_or_insert_with(|| full(200 * HOUR));
        let mut now = START + 100 * HOUR;
        bencher.iter(|| {
            now += SECOND;
            system.follow(queues, now, true)
        });
    });
    group.finish();
}

criterion_group!(benches, reservations);
criterion_main!(benches);
