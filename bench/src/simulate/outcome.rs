//! What came of a simulation.

use super::record::RunResult;

/// What came of a simulation: each file of queues with each seed, seed by seed.
#[derive(Debug)]
pub struct Simulated {
    /// The runs: of each file of queues, of each seed.
    pub runs: Vec<Vec<RunResult>>,
    /// What readers had to say.
    pub warnings: Vec<String>,
}
