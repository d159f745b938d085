//! What a load is to be.

use std::path::PathBuf;
use std::time::Duration;

use evenweave_tools::options::SchedulerChoice;
use evenweave_tools::site::SiteOptions;

use crate::load::speed::Speed;
use crate::load::start_labels::StartLabels;
use crate::options::CoreChoice;

/// Of a cluster whose racks are not said.
pub(crate) const NODES_A_RACK: u32 = 40;

/// How large a node is, in words.
pub const NODE_WORDS: &str = " of 128 GiB and 64 vcores";

/// The rack of a node that comes later.
pub(crate) fn rack_of(node: usize) -> String {
    format!("/r{}", node / NODES_A_RACK as usize)
}

/// How many jobs are kept in flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InFlight {
    /// As many as it takes to keep the cluster full.
    Auto,
    /// So many.
    Fixed(usize),
}

/// A load, or a soak as far as it is one.
#[derive(Clone, Debug)]
pub struct LoadOptions {
    /// Nodes, each of 128 GiB and 64 vcores, if not as many as fit the kind of load.
    pub nodes: Option<u32>,
    /// Racks, if not one for every 40 nodes.
    pub racks: Option<u32>,
    /// Whose decisions.
    pub scheduler: SchedulerChoice,
    /// Worker threads of the scheduler, each with its part of the nodes.
    pub workers: usize,
    /// Allocation file, or `capacity-scheduler.xml`; the bundled one if there is none.
    pub queues: Option<PathBuf>,
    /// The properties.
    pub site: SiteOptions,
    /// A file that says who is in which group, or `system`.
    pub groups: Option<String>,
    /// The leaf queues that get jobs; all if there is none.
    pub queue: Vec<String>,
    /// Job trace of any form that [`evenweave_tools::traces`] reads; the bundled one if there is none.
    pub trace: Option<PathBuf>,
    /// Jobs come at the times of the trace, and their tasks live as long as there, all divided by this. Without it jobs
    /// come when others end.
    pub speed: Option<Speed>,
    /// With a speed: how long a map that reads 128 MiB lives in a SWIM trace.
    pub task_time: Duration,
    /// How long the run lasts, if not as long as fits the kind of load.
    pub duration: Option<Duration>,
    /// Mean life of a task in seconds, if not as long as fits the kind of load.
    pub task_seconds: Option<f64>,
    /// The interval in which every node reports once, in ms.
    pub heartbeat_ms: u64,
    /// Jobs kept in flight.
    pub jobs_in_flight: InFlight,
    /// Everything random comes from it.
    pub seed: u64,
    /// Whether there is an asynchronous allocation thread, if not as the properties say.
    pub asynchronous: Option<bool>,
    /// The allocation file and a variant of it are reloaded in turn, so far apart.
    pub reload: Option<Duration>,
    /// The only core to drive.
    pub core: Option<CoreChoice>,
    /// A file of reservations.
    pub reservations: Option<PathBuf>,
    /// The queue that comes late, in a load with preemption.
    pub late: Option<LateOptions>,
    /// Node labels, of a server alone.
    pub labels: Option<StartLabels>,
}

/// A queue that comes late to a full cluster.
#[derive(Clone, Debug)]
pub struct LateOptions {
    /// The queue, a leaf or one above leaves.
    pub queue: String,
    /// When its applications come.
    pub after: Duration,
    /// How many applications come; together they ask for the queue's share.
    pub apps: u32,
    /// So many of a hundred of the others' ApplicationMasters give containers back as soon as they are warned.
    pub give_back: f64,
}

impl LoadOptions {
    /// How many nodes, if not said: what fits the kind of load.
    #[must_use]
    pub fn nodes(&self) -> u32 {
        self.nodes.unwrap_or(if self.late.is_some() { 1_000 } else { 5_000 })
    }

    /// How long, as above.
    #[must_use]
    pub fn duration(&self) -> Duration {
        // A timetable has an end of its own.
        let usual = match (&self.late, self.speed) {
            (Some(_), _) => 25,
            (None, Some(_)) => 24 * 3600,
            (None, None) => 20,
        };
        self.duration.unwrap_or(Duration::from_secs(usual))
    }

    /// The mean life of a task, as above.
    #[must_use]
    pub fn mean_life(&self) -> Duration {
        Duration::from_secs_f64(self.task_seconds.unwrap_or(if self.late.is_some() { 30.0 } else { 1.0 }))
    }
}
