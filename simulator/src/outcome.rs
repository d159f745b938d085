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

impl Simulated {
    /// The axes of the grid; none where there is no grid.
    #[must_use]
    pub fn axes(&self) -> Vec<&str> {
        let first = self.runs.iter().flatten().next();
        first.map(|run| run.at.iter().map(|(axis, _)| axis.as_str()).collect()).unwrap_or_default()
    }
}
