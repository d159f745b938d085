//! Why a call is refused.
//!
//! [`Refused`] has a variant for each group of reasons: what a caller does about them. Each group is an enum of its
//! own, with the reasons and their sentences.

mod not_found;

mod already_exists;

mod denied;

mod invalid;

mod no_queue;

mod limit;

mod configuration;

mod try_again;

mod gone;

pub use already_exists::AlreadyExists;
pub use configuration::Configuration;
pub use denied::Denied;
pub use gone::Gone;
pub use invalid::Invalid;
pub use limit::Limit;
pub use no_queue::NoQueue;
pub use not_found::NotFound;
pub use try_again::TryAgain;

/// Why a call was refused, in groups: what a caller does about it is the same for all reasons of a group. `?` makes a
/// `Refused` of a reason.
///
/// A refused call has changed nothing, with these exceptions, all but the last as in Hadoop:
///
/// - A refused submission may have created its dynamic queue, or parents of it. So may [`NoQueue::CannotCreate`] of any
///   call: the parents above the obstacle stay.
/// - A refused allocation file may have switched the placement rules ([`AllocationsError::installed_placement`]).
/// - [`Configuration::BrokeOff`] and [`Configuration::PlanClass`]: the new queues are in force.
/// - [`Refused::TimedOut`]: the call may still be done later.
///
/// ```
/// use evenweave::refused::{NotFound, TryAgain};
/// use evenweave::{FairScheduler, Refused, SchedulerApi, Submission};
///
/// /// As a status of HTTP.
/// fn status(refused: &Refused) -> u16 {
///     match refused {
///         Refused::NotFound(_) => 404,
///         Refused::AlreadyExists(_) => 409,
///         Refused::Denied(_) => 403,
///         Refused::TryAgain(TryAgain::Busy) => 429,
///         Refused::TryAgain(_) | Refused::TimedOut | Refused::Gone(_) => 503,
///         _ => 400,
///     }
/// }
///
/// let mut scheduler = FairScheduler::builder().stepped()?;
/// let app = scheduler.submit(Submission::new(1, "ann"))?;
/// scheduler.finish(&app)?;
/// let again = scheduler.finish(&app).unwrap_err();
/// assert_eq!(again, Refused::NotFound(NotFound::App(1)));
/// assert_eq!(status(&again), 404);
/// assert_eq!(again.kind(), "no-such-app");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// [`AllocationsError::installed_placement`]: crate::config::AllocationsError::installed_placement
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refused {
    /// What the call names is not there, or no longer.
    #[error(transparent)]
    NotFound(#[from] NotFound),
    /// What the call would add is there already.
    #[error(transparent)]
    AlreadyExists(#[from] AlreadyExists),
    /// The user has no right to do it: an access control list says so.
    #[error(transparent)]
    Denied(#[from] Denied),
    /// The call itself is wrong. The same call is refused again.
    #[error(transparent)]
    Invalid(#[from] Invalid),
    /// No queue takes the application, or the queue that the call needs cannot be made.
    #[error(transparent)]
    NoQueue(#[from] NoQueue),
    /// A limit stands against it: of a queue, of a user, or of the scheduler.
    #[error(transparent)]
    Limit(#[from] Limit),
    /// The new configuration is not valid, or the configuration has not what the call needs.
    #[error(transparent)]
    Configuration(#[from] Configuration),
    /// The scheduler cannot do it now. The same call may be accepted later.
    #[error(transparent)]
    TryAgain(#[from] TryAgain),
    /// The scheduler has been shut down, or a part of it has panicked.
    #[error(transparent)]
    Gone(#[from] Gone),
    /// The call was not done within its time limit. It may still be done later.
    #[error("it was not done in time, and may still be done later")]
    TimedOut,
}

impl Refused {
    /// The kind of the refusal: a short, stable word.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Refused::NotFound(why) => why.kind(),
            Refused::AlreadyExists(why) => why.kind(),
            Refused::Denied(why) => why.kind(),
            Refused::Invalid(why) => why.kind(),
            Refused::NoQueue(why) => why.kind(),
            Refused::Limit(why) => why.kind(),
            Refused::Configuration(why) => why.kind(),
            Refused::TryAgain(why) => why.kind(),
            Refused::Gone(why) => why.kind(),
            Refused::TimedOut => "timed-out",
        }
    }
}

/// `{"kind": …, "message": …}`: [`Refused::kind`], and the sentence.
#[cfg(feature = "serde")]
impl serde::Serialize for Refused {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeStruct as _;
        let mut fields = to.serialize_struct("Refused", 2)?;
        fields.serialize_field("kind", self.kind())?;
        fields.serialize_field("message", &self.to_string())?;
        fields.end()
    }
}
