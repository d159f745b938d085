//! What is to be simulated.

use std::path::PathBuf;

use evenweave_tools::options::SchedulerChoice;
use evenweave_tools::site::SiteOptions;
use evenweave_tools::traces::Times;

use super::grid::Sweep;

/// Whose ways application masters have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AmStyle {
    /// Those of a MapReduce job: slow start, reduces that wait for maps, answers looked at at once.
    #[default]
    MapReduce,
    /// Those of Hadoop's Scheduler Load Simulator.
    Sls,
}

/// The cluster, where the trace does not bring it or another is wanted.
#[derive(Clone, Debug, Default)]
pub struct ClusterOptions {
    /// So many equal nodes; of several numbers each is a point of the grid.
    pub nodes: Vec<u32>,
    /// So many nodes a rack.
    pub rack_size: Option<u32>,
    /// A node's memory, MiB.
    pub node_memory_mb: Option<i64>,
    /// A node's vcores.
    pub node_vcores: Option<i64>,
    /// A node file as SLS has it.
    pub node_file: Option<PathBuf>,
    /// A file of nodes that are lost, come, and change their size.
    pub changes: Option<PathBuf>,
}

/// What is to be simulated.
#[derive(Clone, Debug)]
pub struct SimulateOptions {
    /// Job traces; the bundled day without any.
    pub traces: Vec<PathBuf>,
    /// Files of queues, compared with each other; the two bundled ones without any.
    pub configs: Vec<PathBuf>,
    /// Settings of queues and the values that they take: each is an axis of the grid.
    pub sweeps: Vec<Sweep>,
    /// Whose decisions, where a file of queues is not to say it by its content.
    pub scheduler: Option<SchedulerChoice>,
    /// Properties of the site, those of `sls-runner.xml` among them.
    pub site: SiteOptions,
    /// The cluster.
    pub cluster: ClusterOptions,
    /// Whose ways AMs have.
    pub ams: AmStyle,
    /// What times of RUMEN and SYNTH files count from.
    pub times: Times,
    /// Jobs of which the trace has no AM get one.
    pub added_ams: bool,
    /// Everything random comes from it.
    pub seed: u64,
    /// So many seeds, from that one on.
    pub seeds: u32,
    /// How long a map of 128 MiB of a SWIM job lives, in ms.
    pub task_ms: u64,
    /// The largest machine's memory, MiB, and vcores, of which sizes in traces of Google and Alibaba are parts.
    pub largest_machine: [i64; 2],
    /// Queues that the jobs of traces without queues are dealt to.
    pub queues: Vec<String>,
    /// A file of reservations.
    pub reservations: Option<PathBuf>,
    /// So many jobs of the trace count for one: 2 doubles the load.
    pub load: f64,
    /// Part of the maps that is done before reduces are asked for.
    pub slow_start: f64,
    /// The chance that an attempt of a task fails.
    pub failures: f64,
    /// Each task without a host is placed on one by seed.
    pub place_tasks: bool,
    /// Heartbeats that can change nothing are left out.
    pub skip: bool,
    /// The end, in ms, if it does not run until all is done.
    pub until_ms: Option<u64>,
    /// How long an interval of the report is, in ms.
    pub every_ms: u64,
    /// Rows of jobs are written here as they end, and not kept.
    pub rows: Option<PathBuf>,
    /// They are kept all the same.
    pub keep_jobs: bool,
    /// The run of each file of queues is also noted as a scenario, of so many steps at most.
    pub decision_steps: Option<usize>,
}

impl Default for SimulateOptions {
    fn default() -> SimulateOptions {
        SimulateOptions {
            traces: Vec::new(),
            configs: Vec::new(),
            sweeps: Vec::new(),
            scheduler: None,
            site: SiteOptions::default(),
            cluster: ClusterOptions::default(),
            ams: AmStyle::default(),
            times: Times::default(),
            added_ams: true,
            seed: 42,
            seeds: 1,
            largest_machine: [65_536, 32],
            task_ms: 20_000,
            queues: Vec::new(),
            reservations: None,
            load: 1.0,
            slow_start: 0.05,
            failures: 0.0,
            place_tasks: false,
            skip: true,
            until_ms: None,
            every_ms: 60_000,
            rows: None,
            keep_jobs: false,
            decision_steps: None,
        }
    }
}
