//! Schedules, each from one number: what is done and in which order threads run both follow from it.
//!
//! Even numbers are for shuttle's random scheduler. Odd ones are for PCT, which is here because shuttle's own learns the
//! length of a schedule from those before, so that none of them can be had again by itself.

use shuttle::scheduler::{DataSource, RandomDataSource, RandomScheduler, Schedule, Scheduler, Task, TaskId};
use shuttle::{Config, FailurePersistence, MaxSteps, Runner};
use std::collections::{BTreeSet, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A schedule that is longer does not come to an end: many times what the longest takes.
const MAX_STEPS: usize = 3_000_000;
/// Preemptions of PCT are spread over so many steps: what most schedules take.
const STEPS: u64 = 20_000;
/// Of PCT, by turns: a fault that takes so many ordered events is found with a known chance.
const DEPTHS: [u64; 4] = [3, 10, 30, 100];

/// Probabilistic concurrency testing (Burckhardt and others, ASPLOS 2010): who has the highest rank runs, and at a few steps,
/// drawn beforehand, whoever runs becomes the last.
#[derive(Debug)]
struct Pct {
    draws: RandomDataSource,
    /// By thread; the smallest runs.
    ranks: Vec<u64>,
    /// What the next one to become the last gets.
    last: u64,
    changes: BTreeSet<u64>,
    steps: u64,
}

impl Pct {
    fn new(seed: u64) -> Pct {
        let mut draws = RandomDataSource::initialize(seed);
        let depth = DEPTHS[usize::try_from(draws.next_u64() % 4).expect("one of four")];
        let changes = (1..depth).map(|_| draws.next_u64() % STEPS).collect();
        Pct { draws, ranks: Vec::new(), last: 1 << 63, changes, steps: 0 }
    }

    fn next(&mut self, runnable: &[&Task], current: Option<TaskId>, yields: bool) -> TaskId {
        let threads = runnable.iter().map(|task| usize::from(task.id())).max().map_or(0, |last| last + 1);
        while self.ranks.len() < threads {
            self.ranks.push(self.draws.next_u64() >> 1);
        }
        if runnable.len() > 1 {
            if let Some(current) = current.filter(|_| yields || self.changes.contains(&self.steps)) {
                self.last += 1;
                self.ranks[usize::from(current)] = self.last;
            }
            self.steps += 1;
        }
        let first = runnable.iter().min_by_key(|task| self.ranks[usize::from(task.id())]);
        first.expect("shuttle asks where somebody can run").id()
    }
}

#[derive(Debug)]
enum Way {
    Random(RandomScheduler),
    Pct(Pct),
}

/// One schedule after the other.
struct Seeded {
    seeds: VecDeque<u64>,
    way: Option<Way>,
    /// What the schedule's own draws are from.
    data: RandomDataSource,
    told: Arc<Told>,
}

/// What is known of a run from outside.
#[derive(Debug, Default)]
pub(crate) struct Told {
    pub(crate) seed: AtomicU64,
    pub(crate) schedules: AtomicU64,
    pub(crate) steps: AtomicU64,
    pub(crate) longest: AtomicU64,
    /// Of the schedule under way.
    here: AtomicU64,
    /// Which threads ran, in their order, as one number.
    pub(crate) order: AtomicU64,
}

impl Told {
    fn end_schedule(&self) {
        let here = self.here.swap(0, Ordering::Relaxed);
        self.steps.fetch_add(here, Ordering::Relaxed);
        self.longest.fetch_max(here, Ordering::Relaxed);
    }
}

impl Scheduler for Seeded {
    fn new_execution(&mut self) -> Option<Schedule> {
        if let Some(Way::Random(of_before)) = &mut self.way {
            // That it has ended well is told by asking for another one.
            let none = of_before.new_execution();
            assert!(none.is_none(), "one schedule a seed");
        }
        self.told.end_schedule();
        let seed = self.seeds.pop_front()?;
        self.told.seed.store(seed, Ordering::Relaxed);
        self.told.schedules.fetch_add(1, Ordering::Relaxed);
        self.data = RandomDataSource::initialize(!seed);
        let mut way = if seed.is_multiple_of(2) {
            Way::Random(RandomScheduler::new_from_seed(seed, 1))
        } else {
            Way::Pct(Pct::new(seed))
        };
        if let Way::Random(random) = &mut way {
            random.new_execution();
        }
        self.way = Some(way);
        Some(Schedule::new(seed))
    }

    fn next_task(&mut self, runnable: &[&Task], current: Option<TaskId>, yields: bool) -> Option<TaskId> {
        self.told.here.fetch_add(1, Ordering::Relaxed);
        let next = match self.way.as_mut().expect("a schedule has begun") {
            Way::Random(random) => random.next_task(runnable, current, yields)?,
            Way::Pct(pct) => pct.next(runnable, current, yields),
        };
        let order = self.told.order.load(Ordering::Relaxed);
        let mixed = (order ^ usize::from(next) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23);
        self.told.order.store(mixed, Ordering::Relaxed);
        Some(next)
    }

    fn next_u64(&mut self) -> u64 {
        self.data.next_u64()
    }
}

/// Runs one schedule a seed. The first that fails ends the run and says how to have it again.
pub(crate) fn run(seeds: impl IntoIterator<Item = u64>, schedule: impl Fn() + Send + Sync + 'static) -> Arc<Told> {
    let told = Arc::new(Told::default());
    let data = RandomDataSource::initialize(0);
    let seeded = Seeded { seeds: seeds.into_iter().collect(), way: None, data, told: told.clone() };
    let mut config = Config::new();
    config.stack_size = 1 << 18;
    config.failure_persistence = FailurePersistence::None;
    config.max_steps = MaxSteps::FailAfter(MAX_STEPS);
    config.silence_warnings = true;
    config.ungraceful_shutdown_config.immediately_return_on_panic = true;
    let outcome = catch_unwind(AssertUnwindSafe(|| Runner::new(seeded, config).run(schedule)));
    if let Err(panic) = outcome {
        let (seed, nth) = (told.seed.load(Ordering::Relaxed), told.schedules.load(Ordering::Relaxed));
        eprintln!("schedule {seed} failed, number {nth} of its test; once more: .ci/shuttle.sh --replay {seed}");
        resume_unwind(panic);
    }
    told
}
