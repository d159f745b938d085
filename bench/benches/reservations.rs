//! The reservation system of both schedulers with 10,000 reservations in one plan: a submission, and a run of the
//! follower.
//!
//! The schedulers are the stepped ones, so a figure has everything that a call of theirs does: rights, the plan, queues
//! that are made, weighed and removed, and what is published. `submit_crowded` has all reservations within the window
//! of the new one, `submit_spread` a hundredth part; it is taken out again before the next, without being timed.
//! `follow` has about 10 of them at the time of the run, `follow_crowded` about 80.

use criterion::measurement::WallTime;
use criterion::{BatchSize, BenchmarkGroup, Criterion, criterion_group, criterion_main};
use evenweave::config::AllocationFile;
use evenweave::reservation::{Interpreter, ReservationDefinition, ReservationId, ReservationSubmission, Stage};
use evenweave::resource::ResourceTypes;
use evenweave::{
    CapacityConfiguration, CapacityScheduler, CapacityStepped, FairScheduler, Resource, SchedulerApi, Settings, Stepped,
};
use std::cell::{Cell, OnceCell, RefCell};

const SECOND: i64 = 1_000;
const HOUR: i64 = 3_600 * SECOND;
const SITE: [(&str, &str); 1] = [("yarn.resourcemanager.reservation-system.enable", "true")];
const PLAN: &str = "root.p";
const NODES: usize = 100;
const NODE: Resource = Resource::new(200 * 1_024, 200);

/// A scheduler whose only queue is the plan.
trait Planned: SchedulerApi {
    fn start() -> Self;
    fn move_clock(&mut self, ms: i64);

    fn add_to_cluster(&mut self, name: &str) {
        self.add_node(name, "/rack", NODE).expect("a node");
    }

    fn book(&mut self, user: &str, definition: &ReservationDefinition) -> ReservationId {
        let id = self.reserve_new().expect("there is a reservation system");
        let request = ReservationSubmission { id: Some(id), queue: Some(PLAN), definition: Some(definition) };
        self.reserve_submit(user, &request).expect("there is room");
        id
    }

    fn take_out(&mut self, user: &str, id: ReservationId) {
        self.reserve_delete(user, Some(id)).expect("it is there");
    }

    fn follow(&mut self) {
        self.follow_plans().expect("there is a reservation system");
    }
}

impl Planned for Stepped {
    fn start() -> Stepped {
        // Under the policy `fair` a plan has no vcores.
        let text = "<allocations><defaultQueueSchedulingPolicy>drf</defaultQueueSchedulingPolicy>
            <queue name=\"p\"><reservation/></queue></allocations>";
        let parsed = AllocationFile::parse(text, "fair-scheduler.xml", &ResourceTypes::standard(), &[]);
        let settings = Settings::from_properties(SITE).expect("settings");
        let builder = FairScheduler::builder().settings(settings).allocations(parsed.expect("a file").file);
        builder.stepped().expect("a scheduler")
    }

    fn move_clock(&mut self, ms: i64) {
        self.advance(ms.unsigned_abs());
    }
}

impl Planned for CapacityStepped {
    fn start() -> CapacityStepped {
        let queues = [
            ("yarn.scheduler.capacity.root.queues", "p"),
            ("yarn.scheduler.capacity.root.p.capacity", "100"),
            ("yarn.scheduler.capacity.root.p.reservable", "true"),
        ];
        let configuration = CapacityConfiguration::from_properties(SITE, queues).expect("queues");
        CapacityScheduler::builder(configuration).stepped().expect("a scheduler")
    }

    fn move_clock(&mut self, ms: i64) {
        self.advance(ms.unsigned_abs());
    }
}

/// A container for ten minutes, somewhere within two hours.
fn definition(arrival: i64) -> ReservationDefinition {
    let stage = Stage::new(Resource::new(1_024, 1), 1, 600 * SECOND);
    ReservationDefinition::new(arrival, arrival + 2 * HOUR, Interpreter::All, vec![stage])
}

/// How many reservations a plan has. Tests only look whether it can be made.
fn reservations_in_plan() -> i64 {
    if std::env::args().any(|argument| argument == "--bench") { 10_000 } else { 100 }
}

/// A plan with reservations of 100 users, that begin evenly over so long, from two hours on.
fn full<S: Planned>(over: i64) -> S {
    let mut scheduler = S::start();
    let reservations = reservations_in_plan();
    (0..NODES).for_each(|node| scheduler.add_to_cluster(&format!("n{node}")));
    scheduler.follow();
    for number in 0..reservations {
        let arrival = 2 * HOUR + number * over / reservations + number % 7;
        scheduler.book(&format!("u{}", number % 100), &definition(arrival));
    }
    scheduler
}

fn both<S: Planned>(group: &mut BenchmarkGroup<'_, WallTime>, scheduler: &str) {
    for (name, over) in [("submit_crowded", HOUR), ("submit_spread", 200 * HOUR)] {
        let made = OnceCell::new();
        let (booked, new) = (Cell::new(None), definition(2 * HOUR + over / 2));
        group.bench_function(format!("{scheduler}/{name}"), |bencher| {
            let made = made.get_or_init(|| RefCell::new(full::<S>(over)));
            let take_out = || booked.take().into_iter().for_each(|id| made.borrow_mut().take_out("ann", id));
            let book = |()| booked.set(Some(made.borrow_mut().book("ann", &new)));
            bencher.iter_batched(take_out, book, BatchSize::PerIteration);
        });
    }
    for (name, over, at) in [("follow", 200 * HOUR, 100 * HOUR), ("follow_crowded", 20 * HOUR, 10 * HOUR)] {
        let mut made = None;
        group.bench_function(format!("{scheduler}/{name}"), |bencher| {
            let made = made.get_or_insert_with(|| {
                let mut made = full::<S>(over);
                made.move_clock(at);
                made.follow();
                made
            });
            bencher.iter(|| {
                made.move_clock(SECOND);
                made.follow();
            });
        });
    }
}

fn reservations(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("reservations");
    group.sample_size(10);
    both::<Stepped>(&mut group, "fair");
    both::<CapacityStepped>(&mut group, "capacity");
    group.finish();
}

criterion_group!(benches, reservations);
criterion_main!(benches);
