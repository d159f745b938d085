//! Why a scheduler cannot be built, whichever decides.

use crate::capacity::{NoPlans, Unsupported};
use crate::config::capacity::CapacityFileError;
use crate::config::{AllocationsError, LocateError, SettingsError, SettingsFault};
use crate::labels::LabelFault;
use crate::reservation::UnknownClass;

/// Workers that one scheduler can have.
pub(super) const MAX_WORKERS: usize = 256;
/// Messages that one channel can hold: their room is taken when the scheduler is built, some 100 bytes each.
pub(super) const MAX_MESSAGES: usize = 1 << 20;

/// Why a scheduler cannot be built.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// The number of workers is 0, or more than 256.
    #[error("{0} workers: give 1 to {MAX_WORKERS}")]
    Workers(usize),
    /// The location of the allocation file names no readable file.
    #[error(transparent)]
    Locate(#[from] LocateError),
    /// The allocation file cannot be read or is not valid.
    #[error(transparent)]
    Allocations(#[from] AllocationsError),
    /// The reload interval is less than a millisecond.
    #[error("a reload interval of less than a millisecond: give a longer one")]
    ReloadInterval,
    /// The capacity of a channel is 0, or too large.
    #[error("a {channel} capacity of {asked}: give 1 to {most}", most = MAX_MESSAGES)]
    Capacity {
        /// `channel` or `event`.
        channel: &'static str,
        /// The requested capacity.
        asked: usize,
    },
    /// The queues of a CapacityScheduler are not valid.
    #[error(transparent)]
    Capacities(#[from] CapacityFileError),
    /// The configuration of a CapacityScheduler asks for something that is not supported.
    #[error(transparent)]
    Unsupported(#[from] Unsupported),
    /// The labels of nodes that were given are not valid, or labels are off.
    #[error(transparent)]
    Labels(#[from] LabelFault),
    /// A plan names an unknown class, in the allocation file or in a queue of a CapacityScheduler.
    #[error(transparent)]
    Plans(#[from] UnknownClass),
    /// The site's settings of the ReservationSystem are not valid.
    #[error(transparent)]
    PlanSettings(#[from] SettingsError),
    /// A setting is not valid.
    #[error("settings: {0}")]
    Settings(#[from] SettingsFault),
    /// The name of a policy is not valid, or two policies have the same name.
    #[error("a scheduling policy named {name:?}: {why}")]
    PolicyName {
        /// The name.
        name: String,
        /// What would be right.
        why: &'static str,
    },
    /// Code of the embedder panicked: a policy, the source of allocations, or the clock. Nothing was started.
    #[error("a policy, the source of allocations or the clock panicked: {0}")]
    Panicked(String),
    /// The operating system did not start a thread.
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
