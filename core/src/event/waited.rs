//! What came of waiting.

use super::refused::Refused;

/// The result of a call that waits for the scheduler's threads. It may be ignored; [`ok`](Waited::ok) turns it into a
/// `Result`.
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
    pub fn ok(self) -> Result<(), Refused> {
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
