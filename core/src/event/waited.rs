//! What came of waiting.

use super::refused::Refused;

/// The result of a call that waits for the scheduler's threads. It may be ignored; [`into_result`](Waited::into_result)
/// makes a `Result` of it, for `?`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Waited {
    /// The call has done its work.
    Done,
    /// It has not, for this reason.
    NotDone(Refused),
}

impl Waited {
    /// Whether the call has done its work.
    #[must_use]
    pub fn is_done(&self) -> bool {
        *self == Waited::Done
    }

    /// Returns the result as a `Result`.
    ///
    /// # Errors
    /// Why the call has not done its work.
    pub fn into_result(self) -> Result<(), Refused> {
        match self {
            Waited::Done => Ok(()),
            Waited::NotDone(why) => Err(why),
        }
    }
}

impl From<Result<(), Refused>> for Waited {
    fn from(outcome: Result<(), Refused>) -> Waited {
        outcome.map_or_else(Waited::NotDone, |()| Waited::Done)
    }
}

impl From<Waited> for Result<(), Refused> {
    fn from(waited: Waited) -> Result<(), Refused> {
        waited.into_result()
    }
}
