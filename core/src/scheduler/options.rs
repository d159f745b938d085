//! What any scheduler is built with, whichever decides: groups, channels, names of ids, clock, wake-up.
//!
//! Plain values of whoever builds, until the scheduler begins.

use super::build_error::{BuildError, MAX_MESSAGES, MAX_WORKERS};
use super::policy::Policy;
use super::threaded::WeakScheduler;
use crate::clock::Clock;
use crate::engine::decider::Decider;
use crate::engine::driver::setup::Setup;
use crate::engine::{EventSink, HeartbeatProbe, WakeUp};
use crate::groups::Groups;
use crate::reservation::ReservationOptions;
use crate::sync::{Arc, OnceLock};
use std::collections::HashMap;
use std::time::Duration;

/// See the module's text. The builders' setters say what each is.
#[derive(Clone)]
pub(super) struct Options {
    pub(super) groups: Arc<dyn Groups>,
    pub(super) groups_timeout: Duration,
    pub(super) channel_capacity: usize,
    pub(super) event_capacity: usize,
    pub(super) cluster_timestamp: u64,
    pub(super) epoch: u32,
    pub(super) node_stops: bool,
    pub(super) largest_node: bool,
    pub(super) clock: Option<Arc<dyn Clock>>,
    pub(super) on_grants: Option<WakeUp>,
    pub(super) probe: Option<Arc<dyn HeartbeatProbe>>,
    pub(super) journal: bool,
    pub(super) note_reservations: bool,
    pub(super) timers: bool,
    pub(super) workers: usize,
    pub(super) fold_every: Option<u32>,
    pub(super) slack: Option<u32>,
    pub(super) reservations: ReservationOptions,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            groups: Arc::new(HashMap::new()),
            groups_timeout: Duration::from_secs(2),
            channel_capacity: 4096,
            event_capacity: 1024,
            cluster_timestamp: 1,
            epoch: 0,
            node_stops: false,
            largest_node: true,
            clock: None,
            on_grants: None,
            probe: None,
            journal: false,
            note_reservations: false,
            timers: true,
            workers: 1,
            fold_every: None,
            slack: None,
            reservations: ReservationOptions::default(),
        }
    }
}

impl Options {
    /// Whether the numbers can be.
    pub(super) fn check(&self) -> Result<(), BuildError> {
        if self.workers == 0 || self.workers > MAX_WORKERS {
            return Err(BuildError::Workers(self.workers));
        }
        for (channel, asked) in [("channel", self.channel_capacity), ("event", self.event_capacity)] {
            if !(1..=MAX_MESSAGES).contains(&asked) {
                return Err(BuildError::Capacity { channel, asked });
            }
        }
        Ok(())
    }

    /// The default slack where containers are preempted is 0: whoever stayed a slack behind would count as starved, and
    /// get by preemption what the order keeps from it.
    pub(super) fn note_preemption(&mut self, preempts: bool) {
        if preempts {
            self.slack.get_or_insert(0);
        }
    }

    /// What the engine begins with.
    pub(super) fn setup<D: Decider>(
        self,
        decider: D,
        settings: crate::engine::Settings,
        control: D::Control,
        configuration: D::Configuration,
        events: EventSink,
        clock: Arc<dyn Clock>,
    ) -> Setup<D> {
        Setup {
            settings,
            control,
            configuration,
            events,
            groups: self.groups,
            groups_timeout: self.groups_timeout,
            workers: self.workers,
            channel_capacity: self.channel_capacity,
            cluster_timestamp: self.cluster_timestamp,
            epoch: self.epoch,
            node_stops: self.node_stops,
            largest_node: self.largest_node,
            clock,
            on_grants: self.on_grants,
            probe: self.probe,
            journal: self.journal,
            note_reservations: self.note_reservations,
            decider,
            timers: self.timers,
            fold_every: self.fold_every,
            slack: self.slack,
        }
    }
}

/// The setters that the builder of any scheduler has.
macro_rules! setters_of_options {
    () => {
        /// Sets the number of workers, which share the nodes: 1 to 256. Default: 1, which decides exactly as Hadoop
        /// does. Several workers keep every limit, and order queues by views that may be a bounded number of grants
        /// apart.
        pub fn workers(mut self, workers: usize) -> Self {
            self.options.workers = workers;
            self
        }

        /// Sets R: how far the views of several workers may be apart, in *changes* (grants and ends of containers).
        /// When a worker chooses, it misses fewer than R changes of each other worker, and none that is older than some
        /// tens of milliseconds.
        ///
        /// A smaller R is nearer to the exact order. It costs more *folds*: each takes O(queues + applications) on
        /// every worker. Default: 16,384, or twice the largest number of applications at one time if that is more. 0
        /// counts as 1. With one worker it has no effect.
        pub fn fold_every(mut self, changes: u32) -> Self {
            self.options.fold_every = Some(changes);
            self
        }

        /// Sets the slack: how many containers a queue or application may be ahead of a sibling so that each worker
        /// serves the applications that are at home with it ([`AppHandle::worker`](crate::AppHandle::worker)). Two
        /// containers and a thirty-second of what the sibling has are enough for that, if the slack allows them.
        ///
        /// What a worker grants to applications of another home makes two cores write the same memory. 0 orders by
        /// usage alone. Default: 512, or a thirty-second of what [`fold_every`](Self::fold_every) was set to; 0 with
        /// preemption, because who is a slack behind would count as starved. With one worker it has no effect.
        pub fn slack(mut self, containers: u32) -> Self {
            self.options.slack = Some(containers);
            self
        }

        /// Sets the source of users' groups, for placement rules and ACLs. Default: nobody is in any group.
        pub fn groups(mut self, groups: $crate::sync::Arc<dyn $crate::groups::Groups>) -> Self {
            self.options.groups = groups;
            self
        }

        /// Sets how long the scheduler's threads wait for groups that are not [at
        /// hand](crate::groups::Groups::at_hand). Default: 2 s. Then the submission is refused
        /// ([`TryAgain::NoGroups`](crate::refused::TryAgain::NoGroups)), and a right that only a group gives does not
        /// apply. Until the answer comes, no further call waits for groups.
        pub fn groups_timeout(mut self, patience: std::time::Duration) -> Self {
            self.options.groups_timeout = patience;
            self
        }

        /// Sets how many messages a worker's channel holds before calls are refused
        /// ([`TryAgain::Busy`](crate::refused::TryAgain::Busy)). Default: 4,096; at most 1,048,576.
        pub fn channel_capacity(mut self, messages: usize) -> Self {
            self.options.channel_capacity = messages;
            self
        }

        /// Sets how many events wait for the embedder. Further events are dropped and counted. Default: 1,024; at most
        /// 1,048,576.
        pub fn event_capacity(mut self, events: usize) -> Self {
            self.options.event_capacity = events;
            self
        }

        /// Sets the number in application ids: the start time of the ResourceManager, in ms since 1970. The default is
        /// 1.
        pub fn cluster_timestamp(mut self, timestamp: u64) -> Self {
            self.options.cluster_timestamp = timestamp;
            self
        }

        /// Sets the epoch in the names of containers ([`ContainerName::epoch`](crate::ContainerName::epoch)): how often
        /// the ResourceManager was restarted with its work kept. Default: 0, which names omit.
        pub fn epoch(mut self, epoch: u32) -> Self {
            self.options.epoch = epoch;
            self
        }

        /// Keeps a list for each node of the containers that its NodeManager must stop
        /// ([`NodeHandle::take_stops`](crate::NodeHandle::take_stops)). A ResourceManager with NodeManagers needs it:
        /// there is no other news of the containers of applications that finish. Default: off, because a list is kept
        /// until it is taken, or the node is removed and its last handle is dropped.
        pub fn node_stops(mut self, list: bool) -> Self {
            self.options.node_stops = list;
            self
        }

        /// Whether the largest node limits the size of a container, too. Default: yes. With `false` only the configured
        /// maximum counts, for an embedder that checks sizes before. (In Hadoop's ResourceManager the largest node does
        /// not count in the first seconds after a start.)
        pub fn largest_node(mut self, counts: bool) -> Self {
            self.options.largest_node = counts;
            self
        }

        /// Records which nodes become reserved or free, for
        /// [`Stepped::take_reservation_news`](crate::Stepped::take_reservation_news), in a scheduler without threads.
        /// Records are kept until they are taken. Default: off.
        pub fn note_reservations(mut self, note: bool) -> Self {
            self.options.note_reservations = note;
            self
        }

        /// Sets the clock. Default: the machine's monotonic clock; without threads a virtual clock that starts at 0.
        pub fn clock(mut self, clock: $crate::sync::Arc<dyn $crate::clock::Clock>) -> Self {
            self.options.clock = Some(clock);
            self
        }

        /// Sets a callback, the *wake-up*. It is called with an application's number when the empty mailbox of the
        /// application gets a grant or the news of an ended container. It runs on a worker, so it must be fast.
        pub fn on_grants(mut self, wake: $crate::engine::WakeUp) -> Self {
            self.options.on_grants = Some(wake);
            self
        }

        /// Sets agents, policies and planners of the embedder for the ReservationSystem, and values that no file has.
        /// `yarn.resourcemanager.reservation-system.enable` in the site files switches the system on.
        pub fn reservations(mut self, options: $crate::reservation::ReservationOptions) -> Self {
            self.options.reservations = options;
            self
        }

        /// Sets a callback that is told how long stamped heartbeats take.
        pub fn probe(mut self, probe: $crate::sync::Arc<dyn $crate::engine::HeartbeatProbe>) -> Self {
            self.options.probe = Some(probe);
            self
        }
    };
}

/// The wake-up that is given the handle of the scheduler, of builders that have `wake_with`.
macro_rules! wake_up_with_handle {
    ($policy:ty) => {
        /// As [`on_grants`](Self::on_grants), with a handle of the scheduler for the callback; only for a scheduler
        /// with threads. The handle does not keep the scheduler alive. (If the closure owned an ordinary handle, the
        /// scheduler would live for ever.) In the callback, calls that wait are refused
        /// ([`Invalid::OwnThread`](crate::refused::Invalid::OwnThread)); `heartbeat`, `allocate`, `submit_all` and
        /// `begin_finish` do not wait.
        pub fn on_grants_with(
            mut self,
            wake: impl Fn(&$crate::scheduler::threaded::WeakScheduler<$policy>, u32) + Send + Sync + 'static,
        ) -> Self {
            self.wake_with = Some($crate::sync::Arc::new(wake));
            // Of the two the last call counts.
            self.options.on_grants = None;
            self
        }
    };
}

/// A wake-up that is given the handle of the scheduler.
pub(super) type WakeWith<P> = Arc<dyn Fn(&WeakScheduler<P>, u32) + Send + Sync>;

/// Where the wake-up of one scheduler finds it.
pub(super) type OwnHandle<P> = Option<Arc<OnceLock<WeakScheduler<P>>>>;

impl Options {
    /// Makes the wake-up of a scheduler that starts, which [`introduce`] then tells of it.
    pub(super) fn wake_with<P: Policy>(&mut self, wake: Option<WakeWith<P>>) -> OwnHandle<P> {
        let wake = wake.filter(|_| self.on_grants.is_none())?;
        let scheduler = Arc::new(OnceLock::<WeakScheduler<P>>::new());
        let own_handle = scheduler.clone();
        self.on_grants = Some(Arc::new(move |number| {
            // It is there before the first application is.
            if let Some(scheduler) = scheduler.get() {
                wake(scheduler, number);
            }
        }));
        Some(own_handle)
    }
}

/// The wake-up has the scheduler from now on.
pub(super) fn introduce<P: Policy>(to: OwnHandle<P>, scheduler: WeakScheduler<P>) {
    if let Some(to) = to {
        // Nobody else sets it.
        let _ = to.set(scheduler);
    }
}

pub(super) use {setters_of_options, wake_up_with_handle};
