//! What several commands are asked for.

/// Whose decisions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SchedulerChoice {
    /// The FairScheduler's.
    #[default]
    Fair,
    /// The CapacityScheduler's.
    Capacity,
}

impl SchedulerChoice {
    /// Its name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            SchedulerChoice::Fair => "fair",
            SchedulerChoice::Capacity => "capacity",
        }
    }

    /// What a queue's due is called.
    #[must_use]
    pub fn due(self) -> &'static str {
        match self {
            SchedulerChoice::Fair => "fair share",
            SchedulerChoice::Capacity => "guaranteed capacity",
        }
    }
}
