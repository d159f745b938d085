//! What a comparison is to be.

use std::path::PathBuf;
use std::time::Duration;

use super::settings::Extent;
use crate::options::Format;

/// See the fields.
#[derive(Clone, Debug)]
pub struct CompareOptions {
    /// How much is measured.
    pub extent: Extent,
    /// Only these: workloads, or `WORKLOAD:SIZE`, or `WORKLOAD:SIZE:PEER`; all if there is none.
    pub cells: Vec<String>,
    /// Drivers of W2 and W4: heartbeats and allocate calls on one thread, or on one each.
    pub drivers: Vec<u32>,
    /// How many rounds, if not as many as the extent has: theirs, ours, theirs, ours and so on.
    pub rounds: Option<u32>,
    /// Worker threads of this scheduler.
    pub workers: usize,
    /// What is measured goes here, a line a run; runs that it has are not made again.
    pub results: PathBuf,
    /// Begins anew; a results file that is there is kept with `.old` at its end.
    pub fresh: bool,
    /// The sources of the peers' programs; those of the source tree if not said.
    pub peers: Option<PathBuf>,
    /// The program that stands for this side; the one that runs if not said.
    pub ours: Option<PathBuf>,
    /// A run that lasts longer has failed.
    pub limit: Duration,
    /// How the comparison is told.
    pub format: Format,
    /// Writes it as a page, too, with plots.
    pub report: Option<PathBuf>,
}
