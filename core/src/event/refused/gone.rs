//! The scheduler, or a part of it, has ended.

/// The scheduler has been shut down, or a part of it has panicked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Gone {
    /// The worker that owns the node, or the application's home worker, has panicked and could not begin anew.
    #[error(
        "worker {0} has panicked and could not begin anew: register its nodes again, and begin a new attempt of the application"
    )]
    Worker(usize),
    /// Every worker has panicked, and none could begin anew.
    #[error("every worker has panicked and none could begin anew: only a new scheduler can go on")]
    AllWorkers,
    /// A task of the scheduler has panicked and ended. The event
    /// [`SchedulerEvent::TaskPanicked`](crate::SchedulerEvent::TaskPanicked) reported it.
    #[error("the scheduler's {task} task has panicked and is gone: only a new scheduler can go on")]
    Task {
        /// As in the event.
        task: &'static str,
    },
    /// The scheduler has been shut down.
    #[error("the scheduler has been shut down")]
    ShutDown,
}

impl Gone {
    /// A short, stable word.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Gone::Worker(_) => "worker-lost",
            Gone::AllWorkers => "no-workers",
            Gone::Task { .. } => "task-lost",
            Gone::ShutDown => "shut-down",
        }
    }
}
