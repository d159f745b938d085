//! The builder of a scheduler.

use super::fair::FairScheduler;
use super::stepped::Stepped;
use crate::clock::{Clock, MonotonicClock};
use crate::config::{AllocationFile, Settings};
use crate::flow::{HeartbeatProbe, Parts, Setup, WakeUp};
use crate::groups::Groups;
use crate::policy::SchedulingPolicy;
use crate::sync::Arc;
use std::collections::HashMap;
use std::fmt;

/// Workers that one scheduler can have.
const MOST_WORKERS: usize = 256;

/// Why a scheduler cannot be built.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// No worker, or too many.
    #[error("{0} workers; from 1 to {MOST_WORKERS} can be had")]
    Workers(usize),
    /// The allocation file names a policy that was not given.
    #[error("the allocation file names the scheduling policy {0:?}, which was not given to the builder")]
    UnknownPolicy(String),
    /// A channel without room.
    #[error("a channel capacity of 0: nothing could ever be sent")]
    ChannelCapacity,
    /// The system gives no thread.
    #[error("a thread could not be started")]
    Thread(#[source] std::io::Error),
}

/// Builds a [`FairScheduler`] or a [`Stepped`]; see [`FairScheduler::builder`].
#[must_use = "a builder does nothing until `start` or `stepped` is called"]
pub struct FairSchedulerBuilder {
    settings: Settings,
    allocations: AllocationFile,
    groups: Arc<dyn Groups>,
    policies: Vec<Arc<dyn SchedulingPolicy>>,
    workers: usize,
    channel_capacity: usize,
    event_capacity: usize,
    cluster_timestamp: u64,
    clock: Option<Arc<dyn Clock>>,
    on_grants: Option<WakeUp>,
    probe: Option<Arc<dyn HeartbeatProbe>>,
    resort: bool,
    journal: bool,
}

impl fmt::Debug for FairSchedulerBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FairSchedulerBuilder").field("workers", &self.workers).finish_non_exhaustive()
    }
}

impl Default for FairSchedulerBuilder {
    fn default() -> Self {
        FairSchedulerBuilder {
            settings: Settings::default(),
            allocations: AllocationFile::default(),
            groups: Arc::new(HashMap::new()),
            policies: Vec::new(),
            workers: 1,
            channel_capacity: 4096,
            event_capacity: 1024,
            cluster_timestamp: 1,
            clock: None,
            on_grants: None,
            probe: None,
            resort: false,
            journal: false,
        }
    }
}

impl FairSchedulerBuilder {
    /// The yarn-site settings; Hadoop's defaults without this.
    pub fn settings(mut self, settings: Settings) -> Self {
        self.settings = settings;
        self
    }

    /// The allocation file; without this there is `root` alone, and queues come with applications.
    pub fn allocations(mut self, allocations: AllocationFile) -> Self {
        self.allocations = allocations;
        self
    }

    /// Who is in which groups, for placement rules and ACLs; nobody in any without this.
    pub fn groups(mut self, groups: Arc<dyn Groups>) -> Self {
        self.groups = groups;
        self
    }

    /// A scheduling policy beside `fair`, `fifo` and `drf`, by its name in the allocation file. Give the same names to
    /// [`AllocationFile::parse`].
    pub fn policy(mut self, policy: Arc<dyn SchedulingPolicy>) -> Self {
        self.policies.push(policy);
        self
    }

    /// How many workers share the nodes: 1 (the default) decides exactly as Hadoop does, container for container; more
    /// keep every limit and order by views that are a bounded number of grants apart.
    pub fn workers(mut self, workers: usize) -> Self {
        self.workers = workers;
        self
    }

    /// How many messages a worker's channel holds before callers are told that it is busy; 4096 without this.
    pub fn channel_capacity(mut self, messages: usize) -> Self {
        self.channel_capacity = messages;
        self
    }

    /// How many events wait for the embedder before further ones are dropped; 1024 without this.
    pub fn event_capacity(mut self, events: usize) -> Self {
        self.event_capacity = events;
        self
    }

    /// What application ids are made from: the start time of the ResourceManager in ms.
    pub fn cluster_timestamp(mut self, timestamp: u64) -> Self {
        self.cluster_timestamp = timestamp;
        self
    }

    /// The clock; the machine's monotonic one without this.
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = Some(clock);
        self
    }

    /// Called with the number of an application when its empty mailbox gets a grant or the news of an ended container.
    /// It runs on a worker: be quick.
    pub fn on_grants(mut self, wake: WakeUp) -> Self {
        self.on_grants = Some(wake);
        self
    }

    /// Told how long stamped heartbeats take.
    pub fn probe(mut self, probe: Arc<dyn HeartbeatProbe>) -> Self {
        self.probe = Some(probe);
        self
    }

    /// Sorts children anew for every container, as the classic design does, instead of keeping them in order. The
    /// decisions are the same; it exists to compare with.
    pub fn resort_for_each_container(mut self, resort: bool) -> Self {
        self.resort = resort;
        self
    }

    /// Whether a [`Stepped`] scheduler notes what each step did and knows applications and containers by number, as replay
    /// needs it. What is noted is kept until it is taken.
    pub fn journal(mut self, journal: bool) -> Self {
        self.journal = journal;
        self
    }

    fn parts(self, journal: bool, clock: Arc<dyn Clock>) -> Result<Parts, BuildError> {
        if self.workers == 0 || self.workers > MOST_WORKERS {
            return Err(BuildError::Workers(self.workers));
        }
        let names: Vec<_> = self.policies.iter().map(|policy| policy.name().to_owned()).collect();
        if let Some(policy) = self.allocations.unknown_policy(&names) {
            return Err(BuildError::UnknownPolicy(policy));
        }
        if self.channel_capacity == 0 {
            return Err(BuildError::ChannelCapacity);
        }
        Ok(Parts::new(Setup {
            settings: self.settings,
            file: self.allocations,
            groups: self.groups,
            custom_policies: self.policies,
            workers: self.workers,
            channel_capacity: self.channel_capacity,
            cluster_timestamp: self.cluster_timestamp,
            clock,
            on_grants: self.on_grants,
            probe: self.probe,
            resort: self.resort,
            journal,
        }))
    }

    /// Starts the threads: workers, control, update, and async allocation where the settings say so.
    ///
    /// # Errors
    /// When the numbers cannot be, or the system gives no thread.
    pub fn start(mut self) -> Result<FairScheduler, BuildError> {
        let clock = self.clock.take().unwrap_or_else(|| Arc::new(MonotonicClock::new()));
        let events = self.event_capacity;
        FairScheduler::start(self.parts(false, clock)?, events)
    }

    /// The same scheduler without threads: every call runs on the caller's. Its clock is virtual, from 0, unless one was
    /// given.
    ///
    /// # Errors
    /// When the numbers cannot be.
    pub fn stepped(mut self) -> Result<Stepped, BuildError> {
        let given = self.clock.take();
        let own = Arc::new(crate::clock::VirtualClock::new());
        let clock = given.clone().unwrap_or_else(|| own.clone());
        let journal = self.journal;
        let parts = self.parts(journal, clock)?;
        Ok(Stepped::new(parts, given.is_none().then_some(own), journal))
    }
}
