//! What a trace is, and how it is read where that is open.

/// What a trace is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceKind {
    /// SLS's own jobs: a sequence of JSON objects.
    Sls,
    /// Rumen's jobs, made of the history of real ones: a sequence of JSON objects with `jobID`.
    Rumen,
    /// A recipe for jobs: one JSON object with `workloads`.
    Synth,
    /// SWIM: six fields a line.
    Swim,
    /// A CSV whose first line names the columns `job`, `submit_ms`, `duration_ms` and others.
    Plain,
    /// `task_events` of Google's trace of 2011: CSV without names of columns.
    Google2011,
    /// `instance_events` of Google's trace of 2019 as CSV with names of columns.
    Google2019,
    /// `batch_task` of Alibaba's trace of 2018: CSV without names of columns.
    Alibaba2018,
}

impl TraceKind {
    /// Whether its jobs have queues of their own.
    #[must_use]
    pub fn has_queues(self) -> bool {
        matches!(self, TraceKind::Sls | TraceKind::Rumen | TraceKind::Synth | TraceKind::Plain)
    }
}

/// What the times of RUMEN, SYNTH, Google and Alibaba traces count from. Those of the other forms are times of a run,
/// and count from its start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Times {
    /// From the first job's submission.
    #[default]
    FirstJob,
    /// All jobs are submitted at 0, as Hadoop 3.4.2 has it, which loses submit times.
    AllAtOnce,
    /// As they are written.
    AsWritten,
}

/// How a trace is read, where that is open.
#[derive(Clone, Debug)]
pub struct TraceOptions {
    /// What it is, where it is not to be told by its content.
    pub kind: Option<TraceKind>,
    /// What the times of RUMEN and SYNTH files count from.
    pub times: Times,
    /// `am.type` counts where there is no `yarn.sls.am.type`: samples and documents have it, SLS ignores it.
    pub short_am_type: bool,
    /// So many bytes may one JSON object have, unpacked: a job, or the recipe of a SYNTH file. It is in memory as a
    /// whole.
    pub longest_job: u64,
    /// How long a task of a SWIM job lives on average, in ms.
    pub swim_task_ms: u64,
    /// The largest machine's memory, MiB, and vcores: sizes in traces of Google and Alibaba are parts of it.
    pub largest_machine: [i64; 2],
    /// The queue of SWIM jobs, which name none.
    pub swim_queue: String,
}

impl Default for TraceOptions {
    fn default() -> TraceOptions {
        TraceOptions {
            kind: None,
            times: Times::default(),
            short_am_type: false,
            longest_job: 1 << 30,
            swim_task_ms: 5000,
            largest_machine: [65_536, 32],
            swim_queue: "default".to_owned(),
        }
    }
}
