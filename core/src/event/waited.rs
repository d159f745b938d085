//! What came of waiting.

use super::Refused;

/// What came of a call that waits for the scheduler's threads: who does not care lets it go, who does asks with
/// [`ok`](Waited::ok).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Waited {
    /// It is done.
    Done,
    /// It is not, and why.
    NotDone(Refused),
}

impl Waited {
    /// Whether it is done.
    #[must_use]
    pub fn is_done(&self) -> bool {
        *self == Waited::Done
    }

    /// The same for `?`.
    ///
    /// # Errors
    /// Why it is not done.
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
