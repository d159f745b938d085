//! The builder of a scheduler.

use super::build_error::BuildError;
use super::fair::{FairScheduler, WeakScheduler};
use super::options::{Options, OwnHandle, introduce, setters_of_options, wake_up_with_handle};
use super::stepped::Stepped;
use super::worker::Worker;
use crate::caught::caught;
use crate::clock::{Clock, MonotonicClock};
use crate::config::{
    AllocationFile, AllocationSource, AllocationsError, FileSource, PolicyName, Reader, Settings, trim_java,
};
use crate::engine::{EventSource, events};
use crate::event::SchedulerEvent;
use crate::fair::allocations::{NEVER, WatchTimes, Watcher};
use crate::fair::control::FairControl;
use crate::fair::{FairDecider, Parts};
use crate::policy::SchedulingPolicy;
use crate::sync::Arc;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Bytes of an allocation file, unless the builder is told otherwise: enough for 100,000 queues. Reading takes up to a
/// hundred times as much memory, for a file of empty queue elements.
const LARGEST_FILE: u64 = 16 << 20;

/// Where the allocations are from.
#[derive(Debug)]
enum Allocations {
    /// Given in, and again by each `reload`.
    Given(Box<AllocationFile>),
    Watched(Arc<dyn AllocationSource>),
    /// To be looked for at the start.
    At {
        location: String,
        directories: Vec<PathBuf>,
    },
}

/// Builds a [`FairScheduler`] or a [`Stepped`]; see [`FairScheduler::builder`].
#[must_use = "a builder does nothing until `start` or `stepped` is called"]
pub struct FairSchedulerBuilder {
    settings: Settings,
    allocations: Allocations,
    reload_interval: Duration,
    reload_wait: Duration,
    largest_file: u64,
    policies: Vec<Arc<dyn SchedulingPolicy>>,
    options: Options,
    /// Where the wake-up finds the scheduler.
    own_handle: OwnHandle<WeakScheduler>,
    decider: FairDecider,
}

impl fmt::Debug for FairSchedulerBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FairSchedulerBuilder").field("workers", &self.options.workers).finish_non_exhaustive()
    }
}

impl Default for FairSchedulerBuilder {
    fn default() -> Self {
        FairSchedulerBuilder {
            settings: Settings::default(),
            allocations: Allocations::Given(Box::default()),
            reload_interval: Duration::from_secs(10),
            reload_wait: Duration::from_secs(5),
            largest_file: LARGEST_FILE,
            policies: Vec::new(),
            options: Options::default(),
            own_handle: None,
            decider: FairDecider::default(),
        }
    }
}

impl FairSchedulerBuilder {
    setters_of_options!();

    wake_up_with_handle!(WeakScheduler);

    /// The yarn-site settings; Hadoop's defaults without this.
    pub fn settings(mut self, settings: Settings) -> Self {
        self.settings = settings;
        self
    }

    /// The allocations, read by the embedder; without any there is `root` alone, and queues come with applications. They
    /// change by [`FairScheduler::reload`] only. Of this, [`watch`](Self::watch) and
    /// [`allocation_file`](Self::allocation_file) the last one counts.
    pub fn allocations(mut self, allocations: AllocationFile) -> Self {
        self.allocations = Allocations::Given(Box::new(allocations));
        self
    }

    /// The allocation file is read from this source, at the start and whenever it has changed; see
    /// [`reload_interval`](Self::reload_interval) for when. What comes of it is told as an event:
    /// [`AllocationsLoaded`](SchedulerEvent::AllocationsLoaded),
    /// [`AllocationsRefused`](SchedulerEvent::AllocationsRefused) or
    /// [`AllocationsBrokeOff`](SchedulerEvent::AllocationsBrokeOff).
    pub fn watch(mut self, source: impl AllocationSource + 'static) -> Self {
        self.allocations = Allocations::Watched(Arc::new(source));
        self
    }

    /// The same for a file of this machine: `location` is what Hadoop has in `yarn.scheduler.fair.allocation.file`
    /// ([`Settings::allocation_file`]), `directories` stand for Hadoop's class path; see [`FileSource::locate`].
    ///
    /// A relative file that is in none of the directories is no error: as in Hadoop there are root and built-in defaults
    /// then, for good, and empty dynamic queues are never cleaned away. An event tells of it
    /// ([`AllocationsError::NotFound`]).
    pub fn allocation_file(mut self, location: impl Into<String>, directories: &[&Path]) -> Self {
        let directories = directories.iter().map(|directory| directory.to_path_buf()).collect();
        self.allocations = Allocations::At { location: location.into(), directories };
        self
    }

    /// How often the allocation file is looked at, empty dynamic queues are cleaned away and waiting changes of a queue's
    /// type tried again; 10 s, Hadoop's, without this.
    pub fn reload_interval(mut self, interval: Duration) -> Self {
        self.reload_interval = interval;
        self
    }

    /// For how long a changed allocation file must have been left alone before it is read, so that none is read half
    /// written; 5 s, Hadoop's, without this.
    pub fn reload_wait(mut self, wait: Duration) -> Self {
        self.reload_wait = wait;
        self
    }

    /// The most bytes that are read of an allocation file; 16 MiB without this. A larger one is refused: reading a hostile
    /// one takes up to a hundred times its size in memory.
    pub fn largest_allocation_file(mut self, bytes: u64) -> Self {
        self.largest_file = bytes;
        self
    }

    /// A scheduling policy beside `fair`, `fifo` and `drf`, by its name in the allocation file. Give the same names to
    /// [`AllocationFile::parse`].
    pub fn policy(mut self, policy: Arc<dyn SchedulingPolicy>) -> Self {
        self.policies.push(policy);
        self
    }

    /// Sorts children anew for every container, as the classic design does, instead of keeping them in order. The
    /// decisions are the same; it exists to compare with.
    pub fn resort_for_each_container(mut self, resort: bool) -> Self {
        self.decider.resort = resort;
        self
    }

    /// Whether the scheduler notes what it did, for [`FairScheduler::take_journal`] and [`Stepped::take_journal`]; a
    /// [`Stepped`] one then knows applications and containers by number, too, as replay needs it. What is noted is kept
    /// until it is taken.
    pub fn journal(mut self, journal: bool) -> Self {
        self.options.journal = journal;
        self
    }

    /// Whether a [`Stepped`] scheduler notes why it decides as it does ([`Stepped::take_trace`]). What is noted is kept until
    /// it is taken. Children are then sorted anew for every container, so that everybody whom Hadoop would ask is in it;
    /// the decisions are the same. Without a trace nothing is noted and nothing allocated.
    pub fn trace(mut self, trace: bool) -> Self {
        self.decider.trace = trace;
        self
    }

    /// Whether the threads of a [`FairScheduler`] do anything by time; they do without this. With `false` shares are
    /// computed by [`FairScheduler::update_now`] alone, the allocation file is looked at and dynamic queues are cleaned away
    /// when that is asked for ([`FairScheduler::refresh_queues`], [`FairScheduler::clean_up`]), and there is neither an async
    /// allocation thread nor one of continuous scheduling; nobody's containers are preempted until that is asked for
    /// ([`FairScheduler::preempt`], [`FairScheduler::kill_marked`]), whatever an update finds: for embedders with timers of
    /// their own, and for tests with a virtual [`clock`](Self::clock). Workers go on reading the clock, for expired containers and for folds.
    pub fn timers(mut self, timers: bool) -> Self {
        self.options.timers = timers;
        self
    }

    /// The allocations at the start, who watches them, and what to tell of them.
    fn load(
        &mut self,
        threaded: bool,
        policies: Vec<String>,
        clock: &dyn Clock,
    ) -> Result<(AllocationFile, Option<Watcher>, Option<SchedulerEvent>), BuildError> {
        let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let mut times = WatchTimes { interval_ms: millis(self.reload_interval), quiet_ms: millis(self.reload_wait) };
        if times.interval_ms == 0 {
            return Err(BuildError::ReloadInterval);
        }
        let by_time = self.options.timers || !threaded;
        if !by_time {
            times.interval_ms = NEVER;
        }
        let reader = Reader { types: self.settings.types.clone(), custom_policies: policies, limit: self.largest_file };
        let source = match std::mem::replace(&mut self.allocations, Allocations::Given(Box::default())) {
            Allocations::Given(file) => {
                file.check_for(&reader.types, &reader.custom_policies)?;
                // Somebody has to clean up; without threads whoever steps does, by `reload`.
                let watcher = (threaded && by_time).then(|| Watcher::new(None, reader, times));
                return Ok((*file, watcher, None));
            }
            Allocations::Watched(source) => source,
            Allocations::At { location, directories } => {
                let borrowed: Vec<_> = directories.iter().map(PathBuf::as_path).collect();
                match FileSource::locate(&location, &borrowed)? {
                    Some(file) => Arc::new(file),
                    None => {
                        let missing = AllocationsError::NotFound { location, directories };
                        let told = SchedulerEvent::AllocationsRefused(missing);
                        return Ok((AllocationFile::default(), None, Some(told)));
                    }
                }
            }
        };
        let mut watcher = Watcher::new(Some(source), reader, times);
        let (file, told) = watcher.read_first(clock)?.unzip();
        Ok((file.unwrap_or_default(), Some(watcher), told))
    }

    /// What allocation files may call the embedder's policies.
    fn policy_names(&self) -> Result<Vec<String>, BuildError> {
        let mut names: Vec<String> = Vec::new();
        for policy in &self.policies {
            let name = policy.name().to_owned();
            let why = if name.is_empty() {
                "it needs a name"
            } else if name != trim_java(&name) || name.chars().any(char::is_control) {
                "no white space at its ends and no control characters: an allocation file could not name it"
            } else if PolicyName::parse(&name, &[]).is_some() {
                "that is one of Hadoop's, which would be used in its place"
            } else if names.contains(&name) {
                "another one has it"
            } else {
                names.push(name);
                continue;
            };
            return Err(BuildError::PolicyName { name, why });
        }
        Ok(names)
    }

    fn parts(
        mut self,
        threaded: bool,
        clock: Arc<dyn Clock>,
    ) -> Result<(Parts, Option<Watcher>, EventSource), BuildError> {
        self.options.check()?;
        if let Some(fault) = self.settings.fault() {
            return Err(fault.into());
        }
        let names = self.policy_names()?;
        let (file, watcher, told) = self.load(threaded, names, &*clock)?;
        let (sink, events) = events(self.options.event_capacity);
        told.into_iter().for_each(|told| sink.put(told));
        let trace = self.decider.trace && !threaded;
        // A trace lists whom Hadoop would ask.
        let resort = self.decider.resort || trace;
        let decider = FairDecider { settings: self.settings, resort, trace };
        let (settings, control) = (decider.engine_settings(), FairControl::new(self.policies));
        let reservations = std::mem::take(&mut self.options.reservations);
        let mut parts = Parts::new(self.options.setup(decider, settings, control, file, sink, clock));
        parts.control.begin_reservations(reservations)?;
        Ok((parts, watcher, events))
    }

    /// Starts the threads: workers, control, update, the allocation file's watcher, and async allocation where the
    /// settings say so.
    ///
    /// # Errors
    /// [`BuildError::Workers`], [`BuildError::Capacity`], [`BuildError::ReloadInterval`], [`BuildError::PolicyName`],
    /// [`BuildError::Settings`] of what was set; [`BuildError::Locate`], [`BuildError::Allocations`], [`BuildError::Plans`] of the
    /// allocation file;
    /// [`BuildError::Panicked`] of the embedder's code; [`BuildError::Thread`].
    pub fn start(mut self) -> Result<FairScheduler, BuildError> {
        let clock = self.options.clock.take().unwrap_or_else(|| Arc::new(MonotonicClock::new()));
        let own_handle = self.own_handle.take();
        let (parts, watcher, events) =
            caught(|| self.parts(true, clock)).unwrap_or_else(|said| Err(BuildError::Panicked(said)))?;
        let scheduler = FairScheduler::start(parts, watcher, events)?;
        introduce(own_handle, scheduler.downgrade());
        Ok(scheduler)
    }

    /// As [`start`](Self::start), but the workers run on threads of the embedder's: see [`Worker`]. They are given out in the order of
    /// their numbers. All other threads are the scheduler's own.
    ///
    /// # Errors
    /// As of [`start`](Self::start).
    pub fn start_with_workers(mut self) -> Result<(FairScheduler, Vec<Worker>), BuildError> {
        let clock = self.options.clock.take().unwrap_or_else(|| Arc::new(MonotonicClock::new()));
        let own_handle = self.own_handle.take();
        let (parts, watcher, events) =
            caught(|| self.parts(true, clock)).unwrap_or_else(|said| Err(BuildError::Panicked(said)))?;
        let (scheduler, workers) = FairScheduler::start_with_workers(parts, watcher, events)?;
        introduce(own_handle, scheduler.downgrade());
        Ok((scheduler, workers))
    }

    /// The same scheduler without threads: every call runs on the caller's. Its clock is virtual, from 0, unless one was
    /// given.
    ///
    /// # Errors
    /// As of [`start`](Self::start), without [`BuildError::Thread`].
    pub fn stepped(mut self) -> Result<Stepped, BuildError> {
        let given = self.options.clock.take();
        let own = Arc::new(crate::clock::VirtualClock::new());
        let clock = given.clone().unwrap_or_else(|| own.clone());
        let journal = self.options.journal;
        let built = caught(|| {
            let (parts, watcher, events) = self.parts(false, clock)?;
            Ok(Stepped::new(parts, watcher, events, given.is_none().then_some(own), journal))
        });
        built.unwrap_or_else(|said| Err(BuildError::Panicked(said)))
    }
}
