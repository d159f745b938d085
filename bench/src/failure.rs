//! Why work is not done.

use crate::trace::TraceError;

/// A failure.
#[derive(Debug)]
pub enum Failure {
    /// What was given is wrong; the text says what, where, and what would be right.
    Input(String),
    /// The trace is wrong; shown with the line.
    Trace(Box<TraceError>),
    /// The scheduler under test did something that it must not.
    Scheduler(String),
}

impl Failure {
    /// Wrong input.
    pub fn input(message: impl Into<String>) -> Failure {
        Failure::Input(message.into())
    }
}
