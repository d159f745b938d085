//! Why a scheduler cannot be built, whichever decides.

use crate::capacity::{NoPlans, Unsupported};
use crate::config::capacity::CapacityFileError;
use crate::config::{AllocationsError, LocateError, SettingsError, SettingsFault};
use crate::reservation::UnknownClass;

/// Workers that one scheduler can have.
pub(super) const MOST_WORKERS: usize = 256;
/// Messages that one channel can hold: their room is taken when the scheduler is built, some 100 bytes each.
pub(super) const MOST_MESSAGES: usize = 1 << 20;

/// Why a scheduler cannot be built.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// No worker, or too many.
    #[error("{0} workers; from 1 to {MOST_WORKERS} can be had")]
    Workers(usize),
    /// The place of the allocation file names no file that can be read.
    #[error(transparent)]
    Locate(#[from] LocateError),
    /// The allocation file cannot be read or is not valid.
    #[error(transparent)]
    Allocations(#[from] AllocationsError),
    /// The allocation file would be looked at without a pause.
    #[error("a reload interval of less than a millisecond: the watcher would do nothing else")]
    ReloadInterval,
    /// A channel without room, or with more than can be had.
    #[error("a {channel} capacity of {asked}; from 1 to {most} can be had", most = MOST_MESSAGES)]
    Capacity {
        /// `channel` or `event`.
        channel: &'static str,
        /// What was asked for.
        asked: usize,
    },
    /// The queues of a CapacityScheduler cannot be.
    #[error(transparent)]
    Capacities(#[from] CapacityFileError),
    /// The configuration of a CapacityScheduler asks for what is not built yet.
    #[error(transparent)]
    Unsupported(#[from] Unsupported),
    /// A plan cannot be: the allocation file, or a queue of a CapacityScheduler, names a class that nobody has.
    #[error(transparent)]
    Plans(#[from] UnknownClass),
    /// What the site says of the reservation system cannot be read.
    #[error(transparent)]
    PlanSettings(#[from] SettingsError),
    /// A setting cannot be.
    #[error("settings: {0}")]
    Settings(#[from] SettingsFault),
    /// A policy's name cannot be, or two have the same.
    #[error("a scheduling policy named {name:?}: {why}")]
    PolicyName {
        /// The name.
        name: String,
        /// What would be right.
        why: &'static str,
    },
    /// Code of the embedder's panicked: a policy, the source of allocations, the clock. Nothing was started.
    #[error("a policy, the source of allocations or the clock panicked: {0}")]
    Panicked(String),
    /// The system gives no thread.
    #[error("a thread could not be started")]
    Thread(#[source] std::io::Error),
}

impl From<NoPlans> for BuildError {
    fn from(why: NoPlans) -> BuildError {
        match why {
            NoPlans::Settings(error) => error.into(),
            NoPlans::Class(error) => error.into(),
        }
    }
}
