//! What is asked of more than one room: which core, which workload, how large, how told.

use std::time::Duration;

use evenweave_tools::options::SchedulerChoice;

/// Which scheduler is driven.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CoreChoice {
    /// The threaded core.
    Threaded,
    /// Its plain twin: stepped, one mutex, children sorted anew for each container.
    Locked,
}

/// The standard workloads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkloadName {
    /// Fill an empty cluster.
    W1,
    /// Steady churn on a full one.
    W2,
    /// What one update costs when some applications have changed what they want.
    W3,
    /// Steady churn where every container is wanted on three nodes, if they can be had.
    W4,
}

/// The standard sizes: nodes, queues, applications.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// 1000 nodes, 10 queues, 100 applications.
    S,
    /// 1000, 100, 1000.
    M,
    /// 1000, 1000, 10000.
    L,
    /// 1000, 1000, 50000; of W3.
    L50,
    /// 5000, 100, 1000.
    M5,
    /// 10000, 1000, 10000.
    L10,
}

/// How many containers one heartbeat may assign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// One.
    One,
    /// Up to half of what was free.
    Dyn,
    /// Until nothing fits.
    Max,
}

/// What offers nodes beside their heartbeats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Background {
    /// Nothing.
    Off,
    /// The asynchronous allocation thread, every millisecond.
    On,
    /// Hadoop's continuous scheduling, every 5 ms.
    Continuous,
}

/// How results are told on standard output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// For programs.
    Json,
    /// For people.
    Table,
}

/// What a run of a workload is to be.
#[derive(Clone, Copy, Debug)]
pub struct BenchOptions {
    /// Which.
    pub workload: WorkloadName,
    /// Whose decisions.
    pub scheduler: SchedulerChoice,
    /// Nodes, queues, applications; M if not said.
    pub size: Option<Size>,
    /// If not said, `dyn`; of the CapacityScheduler `max`.
    pub mode: Option<Mode>,
    /// Worker threads of the scheduler.
    pub workers: usize,
    /// How far workers may be apart, in grants and ends of containers; as the core has it if not said.
    pub fold_every: Option<u32>,
    /// How many containers somebody may be ahead so that workers serve their own; as the core has it if not said.
    pub slack: Option<u32>,
    /// Driver threads: heartbeats and allocate calls on one, or one each.
    pub drivers: u32,
    /// No threads beside the workers': each plays its own nodes and a part of the applications between its polls.
    pub self_driven: bool,
    /// What offers nodes beside their heartbeats.
    pub background: Background,
    /// Each repeat is followed by one on nodes of so many partitions, if more than 1.
    pub partitions: u32,
    /// Whether heartbeats at fixed times follow the repeats.
    pub open_loop: bool,
    /// Whether each repeat is followed by one that others look at over HTTP.
    pub asked: bool,
    /// The core to drive.
    pub core: CoreChoice,
    /// As JSON, one object a repeat and then the median, the table goes to standard error.
    pub format: Format,
    /// One short repeat with almost no warm-up; its figures are not a measurement.
    pub brief: bool,
    /// How many repeats, if not the standard number.
    pub repeats: Option<u16>,
    /// How long a repeat lasts, if not as long as the standard.
    pub seconds: Option<Duration>,
    /// How long the warm-up lasts, if not as long as the standard.
    pub warm_up: Option<Duration>,
}
