//! The configuration is not valid, or has not what a call needs.

use crate::config::AllocationsError;

/// The new configuration is not valid, or the configuration has not what the call needs.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Configuration {
    /// The new queues are in force, but a new plan could not be made: the configuration names an unknown class.
    #[error("the queues are in force, and no new plan: {why}")]
    PlanClass {
        /// The class, and the known ones.
        why: String,
    },
    /// The new configuration is not valid: the old one stays in force.
    #[error("{0}")]
    Invalid(String),
    /// The allocation file cannot be read or is not valid: the old one stays in force.
    #[error(transparent)]
    Allocations(Box<AllocationsError>),
    /// The new allocation file is in force, but the reload stopped at a queue, as in Hadoop. The old file names a queue
    /// that does not exist: it was never created (its policy did not fit), or another queue has taken its place.
    ///
    /// So not all queues that left the file have become dynamic, `maxChildResources` does not yet apply to the dynamic
    /// ones, and no waiting application was started. The next reload does the last two.
    #[error(
        "the new allocations are in force, but the reload stopped at queue {queue:?}, which the old file names and \
         which does not exist; reload once more"
    )]
    BrokeOff {
        /// The queue.
        queue: String,
    },
    /// A change of node labels is refused, in Hadoop's words.
    #[error("{0}")]
    Labels(String),
    /// There is no file to read again.
    #[error("there is no allocation file to read again: the builder was given none, or it was not found at the start")]
    NoFile,
    /// Preemption is off.
    #[error("preemption is off (yarn.scheduler.fair.preemption)")]
    PreemptionOff,
}

impl Configuration {
    /// A short, stable word.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Configuration::PlanClass { .. } => "plan-class",
            Configuration::Invalid(_) => "bad-configuration",
            Configuration::Allocations(_) => "bad-allocations",
            Configuration::BrokeOff { .. } => "reload-broke-off",
            Configuration::Labels(_) => "bad-labels",
            Configuration::NoFile => "no-allocation-file",
            Configuration::PreemptionOff => "preemption-off",
        }
    }
}
