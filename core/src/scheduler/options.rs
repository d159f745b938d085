//! What any scheduler is built with, whichever decides: groups, channels, names of ids, clock, wake-up.
//!
//! Plain values of whoever builds, until the scheduler begins.

use super::build_error::{BuildError, MOST_MESSAGES, MOST_WORKERS};
use crate::clock::Clock;
use crate::engine::control::ControlPart;
use crate::engine::decider::Decider;
use crate::engine::driver::threads_and_steps::Setup;
use crate::engine::{EventSink, HeartbeatProbe, WakeUp};
use crate::groups::Groups;
use crate::reservation::ReservationOptions;
use crate::sync::{Arc, OnceLock};
use std::collections::HashMap;
use std::time::Duration;

/// See the module's text. The builders' setters say what each is.
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
            reservations: ReservationOptions::default(),
        }
    }
}

impl Options {
    /// Whether the numbers can be.
    pub(super) fn check(&self) -> Result<(), BuildError> {
        if self.workers == 0 || self.workers > MOST_WORKERS {
            return Err(BuildError::Workers(self.workers));
        }
        for (channel, asked) in [("channel", self.channel_capacity), ("event", self.event_capacity)] {
            if !(1..=MOST_MESSAGES).contains(&asked) {
                return Err(BuildError::Capacity { channel, asked });
            }
        }
        Ok(())
    }

    /// What the engine begins with.
    pub(super) fn setup<D: Decider>(
        self,
        decider: D,
        settings: crate::engine::Settings,
        control: D::Control,
        configuration: <D::Control as ControlPart<D>>::Configuration,
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
        }
    }
}

/// The setters that the builder of any scheduler has.
macro_rules! setters_of_options {
    () => {
        /// How many workers share the nodes: 1 (the default) decides exactly as Hadoop does, container for container; more
        /// keep every limit and order by views that are a bounded number of grants apart.
        pub fn workers(mut self, workers: usize) -> Self {
            self.options.workers = workers;
            self
        }

        /// R: how far the views of several workers may be apart, in *changes*: grants and ends of containers. When a worker
        /// chooses, of each other worker less than R changes are missing in what it goes by, and
        /// nothing older than some tens of milliseconds. A smaller R is nearer to the exact order and costs a fold, O(queues +
        /// applications) on every worker, that much more often. Without this it is 16,384, or twice the number of applications
        /// that there have been at once where that is more: a grant and an end of so many containers. With one worker it means nothing; 0 counts as 1.
        pub fn fold_every(mut self, changes: u32) -> Self {
            self.options.fold_every = Some(changes);
            self
        }

        /// Who is in which groups, for rules of placement and ACLs; nobody in any without this.
        pub fn groups(mut self, groups: $crate::sync::Arc<dyn $crate::groups::Groups>) -> Self {
            self.options.groups = groups;
            self
        }

        /// How long the scheduler's threads wait for groups that are not [at hand](crate::groups::Groups::at_hand); 2 s without this.
        /// A submission is refused then ([`Refused::NoGroups`](crate::Refused::NoGroups)), a right that only a group gives is not
        /// there, and until the answer has come nobody is waited for.
        pub fn groups_timeout(mut self, patience: std::time::Duration) -> Self {
            self.options.groups_timeout = patience;
            self
        }

        /// How many messages a worker's channel holds before callers are told that it is busy; 4096 without this, 1,048,576 at most.
        pub fn channel_capacity(mut self, messages: usize) -> Self {
            self.options.channel_capacity = messages;
            self
        }

        /// How many events wait for the embedder before further ones are dropped; 1024 without this, 1,048,576 at most.
        pub fn event_capacity(mut self, events: usize) -> Self {
            self.options.event_capacity = events;
            self
        }

        /// What application ids are made from: the start time of the ResourceManager in ms.
        pub fn cluster_timestamp(mut self, timestamp: u64) -> Self {
            self.options.cluster_timestamp = timestamp;
            self
        }

        /// How often the ResourceManager has been restarted with its work kept: what the names of containers have before the timestamp
        /// ([`ContainerName::epoch`](crate::ContainerName::epoch)). 0 without this, which is left out of names.
        pub fn epoch(mut self, epoch: u32) -> Self {
            self.options.epoch = epoch;
            self
        }

        /// Whether each node lists the containers that its NodeManager has to stop ([`NodeHandle::take_stops`](crate::NodeHandle::take_stops)).
        /// Not without this: what is listed is kept until it is taken, or the node is removed and its last handle goes. A ResourceManager with
        /// NodeManagers of its own wants it: containers of applications that finish are told in no other way.
        pub fn node_stops(mut self, list: bool) -> Self {
            self.options.node_stops = list;
            self
        }

        /// Whether one container may have no more than the largest node has. It is so without this. An embedder that checks sizes before says
        /// no: then the configured maximum alone counts here. Hadoop's ResourceManager does, whose largest node does not count at its start.
        pub fn largest_node(mut self, counts: bool) -> Self {
            self.options.largest_node = counts;
            self
        }

        /// Whether a scheduler without threads notes which nodes are reserved, and which are not any more, for
        /// [`Stepped::take_reservation_news`](crate::Stepped::take_reservation_news). Not without this: what is noted is kept until it is taken.
        pub fn note_reservations(mut self, note: bool) -> Self {
            self.options.note_reservations = note;
            self
        }

        /// The clock; the machine's monotonic one without this, a virtual one from 0 of a scheduler without threads.
        pub fn clock(mut self, clock: $crate::sync::Arc<dyn $crate::clock::Clock>) -> Self {
            self.options.clock = Some(clock);
            self
        }

        /// Called with the number of an application when its empty mailbox gets a grant or the news of an ended container.
        /// It runs on a worker: be quick.
        pub fn on_grants(mut self, wake: $crate::engine::WakeUp) -> Self {
            self.options.on_grants = Some(wake);
            self
        }

        /// Agents, policies and planners of the embedder's own for the reservation system, and what no file says. The system itself is there
        /// where the site files ask for it (`yarn.resourcemanager.reservation-system.enable`).
        pub fn reservations(mut self, options: $crate::reservation::ReservationOptions) -> Self {
            self.options.reservations = options;
            self
        }

        /// Told how long stamped heartbeats take.
        pub fn probe(mut self, probe: $crate::sync::Arc<dyn $crate::engine::HeartbeatProbe>) -> Self {
            self.options.probe = Some(probe);
            self
        }
    };
}

/// The wake-up that is given the handle of the scheduler, of builders that have `own_handle`.
macro_rules! wake_up_with_handle {
    ($weak:ident) => {
        /// As [`on_grants`](Self::on_grants), for a scheduler with threads, which is given in; a stepped one calls nothing. It is handed a
        /// handle that does not keep the scheduler alive: one that the closure owned would, for ever. Calls that wait are refused in it
        /// ([`Refused::OwnThread`](crate::Refused::OwnThread)); `heartbeat`, `allocate`, `submit_all` and `begin_finish` do not wait.
        pub fn on_grants_with(mut self, wake: impl Fn(&$weak, u32) + Send + Sync + 'static) -> Self {
            let scheduler = $crate::sync::Arc::new($crate::sync::OnceLock::<$weak>::new());
            self.own_handle = Some(scheduler.clone());
            self.options.on_grants = Some($crate::sync::Arc::new(move |number| {
                // It is there before the first application is.
                if let Some(scheduler) = scheduler.get() {
                    wake(scheduler, number);
                }
            }));
            self
        }
    };
}

/// Where the wake-up finds the scheduler.
pub(super) type OwnHandle<W> = Option<Arc<OnceLock<W>>>;

/// The wake-up has the scheduler from now on.
pub(super) fn introduce<W>(to: OwnHandle<W>, scheduler: W) {
    if let Some(to) = to {
        // Nobody else sets it, but for a start of the same builder that was refused.
        let _ = to.set(scheduler);
    }
}

pub(super) use {setters_of_options, wake_up_with_handle};
