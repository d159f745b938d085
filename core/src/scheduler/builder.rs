//! The builder of a scheduler.

use super::build_error::BuildError;
use super::fair::{FairScheduler, look_if_due};
use super::options::{Options, WakeWith, introduce, setters_of_options, wake_up_with_handle};
use super::policy::Fair;
use super::stepped::Stepped;
use super::steps::Stepping;
use super::threaded::Scheduler;
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
use crate::fair::{AtRest, FairDecider};
use crate::policy::SchedulingPolicy;
use crate::sync::Arc;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Bytes of an allocation file, unless the builder is told otherwise: enough for 100,000 queues. Reading takes up to a
/// hundred times as much memory, for a file of empty queue elements.
const LARGEST_FILE: u64 = 16 << 20;

/// Where the allocations are from.
#[derive(Clone, Debug)]
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

impl Scheduler<Fair> {
    /// Returns a builder with Hadoop's defaults and one worker.
    pub fn builder() -> FairSchedulerBuilder {
        FairSchedulerBuilder::default()
    }
}

/// Builds a [`FairScheduler`] or a [`Stepped`]; see [`FairScheduler::builder`].
#[must_use = "a builder does nothing until `start` or `stepped` is called"]
#[derive(Clone)]
pub struct FairSchedulerBuilder {
    settings: Settings,
    allocations: Allocations,
    reload_interval: Duration,
    reload_wait: Duration,
    largest_file: u64,
    policies: Vec<Arc<dyn SchedulingPolicy>>,
    options: Options,
    /// The wake-up that is given a handle.
    wake_with: Option<WakeWith<Fair>>,
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
            wake_with: None,
            decider: FairDecider::default(),
        }
    }
}

impl FairSchedulerBuilder {
    setters_of_options!();

    wake_up_with_handle!(Fair);

    /// Sets the yarn-site settings. Default: Hadoop's defaults.
    pub fn settings(mut self, settings: Settings) -> Self {
        self.settings = settings;
        self
    }

    /// Sets the allocations, which the embedder has read. Default: none; then there is only `root`, and queues come
    /// with applications. Later only [`FairScheduler::reload`] changes them.
    ///
    /// Of this, [`watch`](Self::watch) and [`allocation_file`](Self::allocation_file) the last call counts.
    pub fn allocations(mut self, allocations: AllocationFile) -> Self {
        self.allocations = Allocations::Given(Box::new(allocations));
        self
    }

    /// Reads the allocation file from this source, at the start and whenever it has changed; see
    /// [`reload_interval`](Self::reload_interval). An event reports the result:
    /// [`AllocationsLoaded`](SchedulerEvent::AllocationsLoaded),
    /// [`AllocationsRefused`](SchedulerEvent::AllocationsRefused) or
    /// [`AllocationsBrokeOff`](SchedulerEvent::AllocationsBrokeOff).
    pub fn watch(mut self, source: impl AllocationSource + 'static) -> Self {
        self.allocations = Allocations::Watched(Arc::new(source));
        self
    }

    /// Reads the allocation file from a local file, as [`watch`](Self::watch). `location` is the value of
    /// `yarn.scheduler.fair.allocation.file` ([`Settings::allocation_file`]). `directories` take the place of Hadoop's
    /// class path; see [`FileSource::locate`].
    ///
    /// It is not an error if a relative file is in none of the directories. As in Hadoop there are then root and
    /// built-in defaults, for good, and empty dynamic queues are never removed. An event reports it
    /// ([`AllocationsError::NotFound`]).
    pub fn allocation_file(mut self, location: impl Into<String>, directories: &[&Path]) -> Self {
        let directories = directories.iter().map(|directory| directory.to_path_buf()).collect();
        self.allocations = Allocations::At { location: location.into(), directories };
        self
    }

    /// Sets the interval at which the scheduler looks at the allocation file, removes empty dynamic queues, and tries
    /// waiting changes of a queue's type again. Default: 10 s, as in Hadoop.
    pub fn reload_interval(mut self, interval: Duration) -> Self {
        self.reload_interval = interval;
        self
    }

    /// Sets the time for which a changed allocation file must stay unchanged before it is read, so that no half-written
    /// file is read. Default: 5 s, as in Hadoop.
    pub fn reload_wait(mut self, wait: Duration) -> Self {
        self.reload_wait = wait;
        self
    }

    /// Sets the size in bytes above which an allocation file is refused. Default: 16 MiB. Reading a hostile file takes
    /// up to a hundred times its size in memory.
    pub fn largest_allocation_file(mut self, bytes: u64) -> Self {
        self.largest_file = bytes;
        self
    }

    /// Adds a scheduling policy beside `fair`, `fifo` and `drf`. The allocation file uses its name. Give the same names
    /// to [`AllocationFile::parse`].
    pub fn policy(mut self, policy: Arc<dyn SchedulingPolicy>) -> Self {
        self.policies.push(policy);
        self
    }

    /// Sorts children for every container, as the classic design does, instead of keeping them in order. The decisions
    /// are the same. It exists for comparisons. Default: off.
    pub fn resort_for_each_container(mut self, resort: bool) -> Self {
        self.decider.resort = resort;
        self
    }

    /// Records what the scheduler does, for `take_journal`. A [`Stepped`]
    /// scheduler then also finds applications and containers by number, as replay needs it. Records are kept until they
    /// are taken. Default: off.
    #[doc(hidden)]
    pub fn journal(mut self, journal: bool) -> Self {
        self.options.journal = journal;
        self
    }

    /// Records why a [`Stepped`] scheduler decides as it does ([`Stepped::take_trace`]). Records are kept until they
    /// are taken. Default: off; then nothing is recorded and nothing allocated.
    ///
    /// With a trace, children are sorted for every container, so that the trace has every queue and application that
    /// Hadoop would ask. The decisions are the same.
    pub fn trace(mut self, trace: bool) -> Self {
        self.decider.trace = trace;
        self
    }

    /// Whether the threads of a [`FairScheduler`] do anything by time. Default: on. Switch timers off if you have
    /// timers of your own, or for tests with a virtual [`clock`](Self::clock). Without timers:
    ///
    /// - only [`FairScheduler::update_now`] computes shares;
    /// - only [`FairScheduler::refresh_file`] and [`FairScheduler::clean_up`] look at the allocation file and remove
    ///   dynamic queues;
    /// - there is no async allocation thread, and no thread of continuous scheduling;
    /// - only [`FairScheduler::preempt`] and [`FairScheduler::kill_marked`] preempt containers.
    ///
    /// Workers still read the clock, for expired containers and for folds.
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
    ) -> Result<(AtRest, Option<Watcher>, EventSource), BuildError> {
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
        self.options.note_preemption(settings.preemption);
        let reservations = std::mem::take(&mut self.options.reservations);
        let mut parts = AtRest::new(self.options.setup(decider, settings, control, file, sink, clock));
        parts.control.begin_reservations(reservations)?;
        Ok((parts, watcher, events))
    }

    /// Starts the scheduler with its threads: workers, control, update, the allocation file's watcher, and those that
    /// the settings ask for.
    ///
    /// # Errors
    /// [`BuildError::Workers`], [`BuildError::Capacity`], [`BuildError::ReloadInterval`], [`BuildError::PolicyName`],
    /// [`BuildError::Settings`] of what was set; [`BuildError::Locate`], [`BuildError::Allocations`],
    /// [`BuildError::Plans`] of the allocation file; [`BuildError::Panicked`] of the embedder's code;
    /// [`BuildError::Thread`].
    pub fn start(mut self) -> Result<FairScheduler, BuildError> {
        let clock = self.options.clock.take().unwrap_or_else(|| Arc::new(MonotonicClock::new()));
        let own_handle = self.options.wake_with(self.wake_with.take());
        let (parts, watcher, events) =
            caught(|| self.parts(true, clock)).unwrap_or_else(|said| Err(BuildError::Panicked(said)))?;
        let scheduler = FairScheduler::start(parts, watcher, events)?;
        introduce(own_handle, scheduler.downgrade());
        Ok(scheduler)
    }

    /// As [`start`](Self::start), but the workers run on threads of the embedder: see [`Worker`]. They are returned in
    /// the order of their numbers. All other threads are the scheduler's own.
    ///
    /// # Errors
    /// Those of [`start`](Self::start).
    pub fn start_with_workers(mut self) -> Result<(FairScheduler, Vec<Worker>), BuildError> {
        let clock = self.options.clock.take().unwrap_or_else(|| Arc::new(MonotonicClock::new()));
        let own_handle = self.options.wake_with(self.wake_with.take());
        let (parts, watcher, events) =
            caught(|| self.parts(true, clock)).unwrap_or_else(|said| Err(BuildError::Panicked(said)))?;
        let (scheduler, workers) = FairScheduler::start_with_workers(parts, watcher, events)?;
        introduce(own_handle, scheduler.downgrade());
        Ok((scheduler, workers))
    }

    /// Builds the same scheduler without threads: every call runs on the caller's thread. Its clock is virtual and
    /// starts at 0, unless [`clock`](Self::clock) gave one.
    ///
    /// # Errors
    /// Those of [`start`](Self::start), without [`BuildError::Thread`].
    pub fn stepped(mut self) -> Result<Stepped, BuildError> {
        let given = self.options.clock.take();
        let own = Arc::new(crate::clock::VirtualClock::new());
        let clock = given.clone().unwrap_or_else(|| own.clone());
        let journal = self.options.journal;
        let built = caught(|| {
            let (parts, watcher, events) = self.parts(false, clock)?;
            let mut steps = Stepping::new(parts, events, given.is_none().then_some(own), journal);
            let mut beside = watcher;
            look_if_due(&mut steps, &mut beside);
            Ok(Stepped { steps, beside })
        });
        built.unwrap_or_else(|said| Err(BuildError::Panicked(said)))
    }
}
