//! What is replayed, and how.

use std::path::PathBuf;

/// Which scheduler plays scenarios.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DriverChoice {
    /// On one thread, a call a step.
    Stepped,
    /// On its threads, quiet after each step.
    Threaded,
}

/// How scenarios are played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlayOptions {
    /// The scheduler that scenarios are played on.
    pub driver: DriverChoice,
    /// Workers of that scheduler. Only one decides as recorded; of more, the distance from the recording is told.
    pub workers: usize,
    /// How far workers may be apart, in grants and ends of containers; as the core has it if not said.
    pub fold_every: Option<u32>,
}

impl PlayOptions {
    /// One worker on one thread: as recorded.
    pub const EXACT: PlayOptions = PlayOptions { driver: DriverChoice::Stepped, workers: 1, fold_every: None };
}

/// A replay of files.
#[derive(Clone, Debug)]
pub struct ReplayOptions {
    /// Scenario files (one scenario a line) or vector files (one case a line, named FAMILY.jsonl), gzipped or not.
    pub files: Vec<PathBuf>,
    /// How scenarios are played.
    pub play: PlayOptions,
    /// Whether the reasons of every step that offers nodes go to standard output; of one worker alone.
    pub trace: bool,
    /// Only the scenarios of this name.
    pub scenario: Option<String>,
}

/// An application that is asked about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asked {
    /// By its number.
    Number(u32),
    /// By its name in the trace, of a run that `simulate` has written.
    Job(String),
}

/// A moment of a scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// After this step, counted from 0.
    Step(usize),
    /// After the last step until then, in ms of the scenario's clock.
    AtMs(u64),
}

/// What is asked of one application.
#[derive(Clone, Debug)]
pub struct ExplainOptions {
    /// A scenario file, gzipped or not.
    pub file: PathBuf,
    /// Which application.
    pub app: Asked,
    /// At which moment.
    pub when: When,
    /// Which scenario, where the file has several.
    pub scenario: Option<String>,
}
