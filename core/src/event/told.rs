//! What the embedder is told of.

use crate::config::{AllocationsError, Diagnostic};
use crate::id::ApplicationId;
use std::fmt;

/// Something that happens without a call. The embedder takes it from the event channel.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub enum SchedulerEvent {
    /// A decommissioning node has no container left; it can be removed.
    NodeDrained(String),
    /// The lifetime of an application is over, and it is ended, as by [`finish`](crate::CapacityScheduler::finish). See
    /// [`lifetime`](crate::CapacityScheduler::lifetime).
    LifetimeOver(ApplicationId),
    /// The queue of an application in a plan has gone, mostly because its reservation is over, and it has moved to the
    /// plan's default queue.
    MovedAsReservationEnded {
        /// The application.
        app: ApplicationId,
        /// Where it is now.
        queue: String,
        /// The reservation. `None` where the application had none: it was in the default queue that a
        /// CapacityScheduler's plan begins with, which goes with the first run of the follower.
        reservation: Option<String>,
    },
    /// The queue of an application in a plan has gone, and the application could not move, or is not moved by the
    /// plan's setting. It is ended, as by [`finish`](crate::FairScheduler::finish).
    KilledAsReservationEnded(ApplicationId),
    /// A worker panicked. Its nodes have left the cluster, and their containers have ended
    /// ([`EndReason::NodeLost`](crate::EndReason::NodeLost)). The nodes may register again.
    WorkerPanicked {
        /// The worker.
        worker: usize,
        /// The message of the panic.
        message: String,
        /// The names of its nodes.
        nodes: Vec<String>,
        /// Whether the worker has begun anew: its applications keep their asks, and nodes that register may be given to
        /// it. If `false`, it panicked again and is given up: nodes go to the other workers, and calls with asks of its
        /// applications are refused ([`Gone::Worker`](crate::refused::Gone::Worker)) until a new attempt begins.
        goes_on: bool,
    },
    /// An allocation file was read and is in force: at the start, after a change, or by a refresh.
    AllocationsLoaded {
        /// The source's name.
        source: String,
        /// What was accepted, as Hadoop accepts it, although it is probably a mistake.
        warnings: Vec<Diagnostic>,
    },
    /// The allocation file could not be read or is not valid. The old one stays in force, except perhaps the placement
    /// rules ([`AllocationsError::installed_placement`]). Every look tries again; the same error of an unchanged file
    /// is reported once.
    AllocationsRefused(AllocationsError),
    /// The allocation file is in force, but the reload stopped before its end; see
    /// [`Configuration::BrokeOff`](crate::refused::Configuration::BrokeOff).
    AllocationsBrokeOff {
        /// The source's name.
        source: String,
        /// The queue at which the reload stopped.
        queue: String,
    },
    /// A thread other than a worker panicked, perhaps in code of the embedder (groups, clock, policy, source of
    /// allocations).
    ///
    /// The update task and the watcher begin anew. After a panic of the embedder's policy the control goes on, with the
    /// old steady shares. After any other panic the control ends, and further calls are refused
    /// ([`Gone::Task`](crate::refused::Gone::Task)).
    TaskPanicked {
        /// `control`, `update`, `preemption`, `offers`, `continuous` or `watcher`.
        task: &'static str,
        /// The message of the panic.
        message: String,
    },
    /// This many events were dropped, because the embedder had not taken the earlier ones: see
    /// [`event_capacity`](crate::FairSchedulerBuilder::event_capacity).
    EventsDropped(u64),
}

/// A sentence for a log.
impl fmt::Display for SchedulerEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SchedulerEvent::NodeDrained(node) => write!(f, "node {node:?} is drained"),
            SchedulerEvent::LifetimeOver(app) => write!(f, "{app} has exceeded its lifetime and is ended"),
            SchedulerEvent::MovedAsReservationEnded { app, queue, reservation: Some(reservation) } => {
                write!(f, "{app} goes on in queue {queue:?}: {reservation} is over")
            }
            SchedulerEvent::MovedAsReservationEnded { app, queue, reservation: None } => {
                write!(f, "{app} goes on in queue {queue:?}, which is the plan's default queue now")
            }
            SchedulerEvent::KilledAsReservationEnded(app) => {
                write!(f, "{app} is ended: its queue in the plan has gone, and it could not move or was not to")
            }
            SchedulerEvent::WorkerPanicked { worker, message, nodes, goes_on } => {
                let after = if *goes_on { "begins anew" } else { "is given up" };
                write!(f, "worker {worker} panicked ({message}), {after}, and has lost its {} nodes", nodes.len())
            }
            SchedulerEvent::AllocationsLoaded { source, warnings } => {
                write!(f, "{source} is in force, with {} warnings", warnings.len())
            }
            SchedulerEvent::AllocationsRefused(error) => write!(f, "the old allocations stay: {error}"),
            SchedulerEvent::AllocationsBrokeOff { source, queue } => {
                write!(f, "{source} is in force, but the reload stopped at queue {queue:?}")
            }
            SchedulerEvent::TaskPanicked { task, message } => write!(f, "the {task} task panicked: {message}"),
            SchedulerEvent::EventsDropped(events) => write!(f, "{events} events were dropped"),
        }
    }
}
