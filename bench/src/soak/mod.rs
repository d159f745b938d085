//! The soak: a steady load for as long as is wanted, with faults or without, whose books are checked all the time.
//!
//! # The flow
//! ```text
//! course (seed) -> faults ....> scheduler <.... calls, each under the watchdog
//!                  world: AMs, nodes, books;  every so often: at rest, compared
//!                  samples: resident memory, latencies, grants
//! ```
//! One thread plays every node and every ApplicationMaster, as in `load`, at a pace that leaves the machine time: not
//! how much the scheduler can do is asked here, but whether it goes on. A node that is lost registers again; a
//! container that is lost is asked for again.

mod clock;

mod faults;

mod groups;

mod kind;

mod latencies;

mod samples;

mod subject;

mod watchdog;

mod world;

pub(crate) use kind::Kind;
pub(crate) use samples::Point;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use evenweave_tools::Failure;
use evenweave_tools::clock::{nanos, now_ns, seconds};

use crate::api::{CapacityScheduler, FairScheduler, NewLabel, SiteFile};
use crate::load::{Inputs, LoadOptions, Rules};
use faults::Faults;
use samples::Samples;
use subject::{LENT, Subject};
use world::World;

/// So many nodes without `--nodes`.
const NODES: u32 = 200;
/// Resident memory at the end may be at most this many times what it was after the first part.
const MEMORY_MARK: f64 = 1.1;
/// The first part: five minutes, or a twelfth of a soak shorter than an hour.
const FIRST_PART: Duration = Duration::from_secs(300);
/// The books are compared so often, or twenty times in a short soak.
const CHECK_EVERY: Duration = Duration::from_secs(10);
/// Something goes wrong so often.
const FAULT_EVERY: Duration = Duration::from_millis(250);

/// What a soak found out.
#[derive(Debug)]
pub struct SoakResult {
    pub(crate) seconds: f64,
    pub(crate) nodes: u32,
    pub(crate) workers: usize,
    pub(crate) seed: u64,
    pub(crate) queues_name: String,
    /// How often each kind happened; `None` without faults.
    pub(crate) faults: Option<Vec<(Kind, u64)>>,
    pub(crate) granted: u64,
    pub(crate) ended: u64,
    /// Of these, lost with their nodes; the AMs were told.
    pub(crate) lost_with_nodes: u64,
    pub(crate) apps_finished: u64,
    /// Comparisons of the books.
    pub(crate) checks: u64,
    /// Where they did not agree, with the second.
    pub(crate) differences: Vec<String>,
    /// Containers that an AM had and the scheduler did not know any more, or the other way round.
    pub(crate) lost: u64,
    /// The longest of all calls that wait for the scheduler, ms.
    pub(crate) longest_call_ms: f64,
    pub(crate) longest_call: &'static str,
    pub(crate) points: Vec<Point>,
    /// Resident memory after the first part and at the end, KiB; nothing where the system does not say.
    pub(crate) resident_kib: Option<(u64, u64)>,
    /// Where the first part ended, s.
    pub(crate) first_part: f64,
    pub(crate) interrupted: bool,
}

impl SoakResult {
    /// Whether the books of every comparison agreed.
    #[must_use]
    pub fn balanced(&self) -> bool {
        self.lost == 0 && self.differences.is_empty()
    }

    /// Resident memory at the end over that after the first part.
    pub(crate) fn memory_ratio(&self) -> Option<f64> {
        self.resident_kib.map(|(first, last)| last as f64 / (first as f64).max(1.0))
    }

    /// Whether memory stayed below the mark.
    pub(crate) fn memory_stayed(&self) -> bool {
        self.memory_ratio().is_none_or(|ratio| ratio <= MEMORY_MARK)
    }
}

/// What a soak is to be beside a load's options.
#[derive(Clone, Copy, Debug)]
pub struct SoakOptions {
    /// How long it lasts.
    pub duration: Duration,
    /// Whether something goes wrong four times a second, drawn from the load's seed.
    pub faults: bool,
}

/// Drives the soak that the options ask for; `tell` hears of it every second: seconds gone by, of how many, what goes
/// on.
///
/// # Errors
/// Refused settings, no leaf queue. A call that hangs ends the whole program with exit code 1, since nothing else can.
pub fn run(
    options: &LoadOptions,
    inputs: &Inputs,
    SoakOptions { duration, faults }: SoakOptions,
    stop: &AtomicBool,
    tell: &mut dyn FnMut(f64, f64, &str),
) -> Result<SoakResult, Failure> {
    let nodes = options.nodes.unwrap_or(NODES);
    let clock = Arc::new(clock::Jumping::new());
    let groups = Arc::new(groups::Unreliable::new(inputs.groups.clone()));
    let scheduler = start(options, inputs, &clock, &groups)?;
    let leaves = inputs.leaves(&scheduler.queues(), &options.queue)?;
    let racks = options.racks.unwrap_or(nodes.div_ceil(40)).min(nodes);
    let mut world = World::new(scheduler, nodes, racks, leaves, options)?;
    let kinds = world.scheduler().kinds();
    let mut faults = faults.then(|| Faults::new(options.seed, kinds, clock, groups));
    let mut samples = Samples::new(duration);
    let check_every = nanos(CHECK_EVERY.min(duration / 20)).max(1);
    let first_part = FIRST_PART.min(duration / 12).as_secs_f64();
    let (begun, whole) = (now_ns(), nanos(duration));
    let (mut next_check, mut next_fault) = (check_every, 0);
    let mut told = 0;
    // ORDERING: Relaxed. The flag carries no data; a round later is soon enough.
    let interrupted = loop {
        let now = now_ns() - begun;
        let interrupted = stop.load(Ordering::Relaxed);
        if now >= whole || interrupted {
            break interrupted;
        }
        if let Some(faults) = &mut faults
            && now >= next_fault
        {
            faults.happen(&mut world, now);
            next_fault += nanos(FAULT_EVERY);
        }
        world.round(now);
        if now >= next_check {
            world.check(now);
            next_check = now_ns() - begun + check_every;
        }
        samples.look(now, &mut world);
        if now / 1_000_000_000 > told {
            told = now / 1_000_000_000;
            tell(seconds(now), duration.as_secs_f64(), &samples.line(&world));
        }
    };
    let now = now_ns() - begun;
    if let Some(faults) = &mut faults {
        faults.end(&mut world);
    }
    world.check(now);
    let resident_kib = samples.resident(first_part);
    world.shut_down();
    let (longest_call, longest_ns) = world.watchdog.longest();
    Ok(SoakResult {
        seconds: seconds(now),
        nodes,
        workers: options.workers,
        seed: options.seed,
        queues_name: inputs.queues_name().to_owned(),
        faults: faults.map(Faults::counts),
        granted: world.granted,
        ended: world.ended,
        lost_with_nodes: world.lost_with_nodes,
        apps_finished: world.apps_finished,
        checks: world.checks,
        lost: world.lost,
        differences: std::mem::take(&mut world.differences),
        longest_call_ms: longest_ns as f64 / 1e6,
        longest_call,
        points: samples.points,
        resident_kib,
        first_part,
        interrupted,
    })
}

/// The scheduler that the rules are for.
fn start(
    options: &LoadOptions,
    inputs: &Inputs,
    clock: &Arc<clock::Jumping>,
    groups: &Arc<groups::Unreliable>,
) -> Result<Subject, Failure> {
    let (clock, groups, timeout) = (clock.clone(), groups.clone(), Duration::from_millis(50));
    let wrong = |error: String| Failure::input(error);
    match &inputs.rules {
        Rules::Fair { settings, allocations } => {
            let builder = FairScheduler::builder().settings(settings.clone()).allocations(allocations.clone());
            let builder = builder.workers(options.workers).clock(clock).groups(groups).groups_timeout(timeout);
            builder.start().map(Subject::Fair).map_err(|error| wrong(error.to_string()))
        }
        Rules::Capacity { configuration, .. } => {
            let builder = CapacityScheduler::builder(configuration.clone());
            let builder = builder.workers(options.workers).clock(clock).groups(groups).groups_timeout(timeout);
            let scheduler = builder.start().map_err(|error| wrong(error.to_string()))?;
            if configuration.file().settings().node_labels.enabled {
                let lent = NewLabel { name: LENT.to_owned(), exclusive: false };
                scheduler.add_labels(&[lent]).map_err(|refused| wrong(refused.to_string()))?;
            }
            let file = SiteFile::parse(inputs.queues_text(), inputs.queues_name());
            Ok(Subject::Capacity(scheduler, file.map_err(|error| wrong(error.to_string()))?))
        }
    }
}
