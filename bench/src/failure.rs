//! Why the program ends without doing its work, and with which exit code.

use miette::{GraphicalReportHandler, Report};

use crate::trace::TraceError;

/// A failure.
#[derive(Debug)]
pub(crate) enum Failure {
    /// What was given is wrong; the text says what, where, and what would be right. Exit code 2.
    Input(String),
    /// The trace is wrong; shown with the line. Exit code 2.
    Trace(Box<TraceError>),
    /// The scheduler under test did something that it must not. Exit code 1.
    Scheduler(String),
}

impl Failure {
    /// Wrong input.
    pub(crate) fn input(message: impl Into<String>) -> Failure {
        Failure::Input(message.into())
    }

    /// The exit code that goes with it.
    pub(crate) fn code(&self) -> u8 {
        match self {
            Failure::Input(_) | Failure::Trace(_) => 2,
            Failure::Scheduler(_) => 1,
        }
    }

    /// Says it on standard error.
    pub(crate) fn print(self) {
        match self {
            Failure::Input(message) => eprintln!("evenweave: {message}"),
            Failure::Scheduler(message) => eprintln!("evenweave: the scheduler failed: {message}"),
            Failure::Trace(error) => {
                let mut text = String::new();
                let head = error.to_string();
                let shown = GraphicalReportHandler::new().render_report(&mut text, Report::from(*error).as_ref());
                eprintln!("{}", if shown.is_ok() { text } else { format!("evenweave: {head}") });
            }
        }
    }
}
