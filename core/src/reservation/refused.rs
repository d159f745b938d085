//! Why the reservation system refuses: Hadoop's kinds, with Hadoop's words.

use super::id::{ReservationId, ReservationIdError};
use crate::resource::Resource;

/// A right in a plan. Hadoop's `ReservationACL`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReservationRight {
    /// `aclSubmitReservations`
    Submit,
    /// `aclAdministerReservations`: submit, update, delete and list.
    Administer,
    /// `aclListReservations`
    List,
}

impl ReservationRight {
    fn name(self) -> &'static str {
        match self {
            ReservationRight::Submit => "SUBMIT_RESERVATIONS",
            ReservationRight::Administer => "ADMINISTER_RESERVATIONS",
            ReservationRight::List => "LIST_RESERVATIONS",
        }
    }
}

/// What a test found: more is wanted than there is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shortage {
    /// Since when so much is wanted.
    pub wanted_at: i64,
    /// What is wanted.
    pub wanted: Resource,
    /// Since when so much is there.
    pub there_at: i64,
    /// What is there.
    pub there: Resource,
}

/// Why a call of the reservation system was not carried out. Messages are Hadoop's own.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReservationRefused {
    /// `yarn.resourcemanager.reservation-system.enable` is not `true`.
    #[error("Reservation is not enabled. Please enable & try again")]
    NotEnabled,
    /// A submission names no reservation.
    #[error(
        "Reservation id cannot be null. Please try again specifying  a valid reservation id by creating a new reservation id."
    )]
    NoIdAtSubmit,
    /// An update or a deletion names none.
    #[error("Missing reservation id. Please try again by specifying a reservation id.")]
    NoId,
    /// No queue is named.
    #[error("The queue is not specified. Please try again with a valid reservable queue.")]
    NoQueue,
    /// The queue is no plan.
    #[error(
        "The specified queue: {queue} is not managed by reservation system. Please try again with a valid reservable queue."
    )]
    NotAPlan {
        /// As it was named.
        queue: String,
    },
    /// No submission of this reservation was ever accepted.
    #[error("The specified reservation with ID: {id} is unknown. Please try again with a valid reservation.")]
    Unknown {
        /// Which.
        id: ReservationId,
    },
    /// The queue that the reservation was made in is no plan any more.
    #[error(
        "The specified reservation: {id} is not associated with any valid plan. Please try again with a valid reservation."
    )]
    PlanGone {
        /// Which.
        id: ReservationId,
    },
    /// No definition.
    #[error("Missing reservation definition. Please try again by specifying a reservation definition.")]
    NoDefinition,
    /// The deadline is not later than now.
    #[error("The specified deadline: {deadline} is the past. Please try again with deadline in the future.")]
    PastDeadline {
        /// Of the definition.
        deadline: i64,
    },
    /// The definition has no requests at all.
    #[error("No resources have been specified to reserve.Please try again by specifying the resources to reserve.")]
    NoRequests,
    /// The definition has no stage.
    #[error("No resources have been specified to reserve. Please try again by specifying the resources to reserve.")]
    NoStages,
    /// The stages take longer than there is time.
    #[error(
        "The time difference ({window}) between arrival ({arrival}) and deadline ({deadline}) must  be greater or equal to the minimum resource duration ({least})"
    )]
    WindowTooShort {
        /// From arrival to deadline.
        window: i64,
        /// The earliest start.
        arrival: i64,
        /// The end.
        deadline: i64,
        /// What the stages need.
        least: i64,
    },
    /// A gang is larger than the plan.
    #[error(
        "The size of the largest gang in the reservation definition ({}) exceed the capacity available ({} )",
        .sizes.0, .sizes.1
    )]
    GangTooLarge {
        /// The gang, and the plan's capacity.
        sizes: Box<(Resource, Resource)>,
    },
    /// The recurrence is no number.
    #[error("Invalid period {text}. Please try again with a non-negative long value as period.")]
    BadPeriod {
        /// What was sent.
        text: String,
    },
    /// The recurrence is negative.
    #[error("Negative Period : {text}. Please try again with a non-negative long value as period.")]
    NegativePeriod {
        /// What was sent.
        text: String,
    },
    /// It lasts longer than its period.
    #[error(
        "Duration of the requested reservation: {duration} is greater than the recurrence: {period}. Please try again with a smaller duration."
    )]
    LongerThanPeriod {
        /// From arrival to deadline.
        duration: i64,
        /// The recurrence.
        period: i64,
    },
    /// The largest period is no multiple of the recurrence.
    #[error(
        "The maximum periodicity: {largest} must be divisible by the recurrence expression provided: {period}. Please try again with a recurrence expression that satisfies this requirement."
    )]
    PeriodNotDivisor {
        /// `yarn.resourcemanager.reservation-system.max-periodicity`
        largest: i64,
        /// The recurrence.
        period: i64,
    },
    /// The plan has the reservation with another definition.
    #[error(
        "Reservation allocation already exists with the reservation id {id}, but a different reservation definition was provided. Please try again with a new reservation id, or consider updating the reservation instead."
    )]
    DifferentDefinition {
        /// Which.
        id: ReservationId,
    },
    /// The caller has not the right.
    #[error("User {user} cannot perform operation {} on queue {queue}", .right.name())]
    Acl {
        /// Who called.
        user: String,
        /// What it takes.
        right: ReservationRight,
        /// As it was named.
        queue: String,
    },
    /// A stage's concurrency is less than 1.
    #[error("Gang Size should be >= 1")]
    BadConcurrency,
    /// A stage has no containers.
    #[error("Num containers should be > 0")]
    BadCount,
    /// A stage's concurrency does not divide its containers.
    #[error("Parallelism must be an exact multiple of gang size")]
    NotMultiple,
    /// A stage's container is larger than the largest.
    #[error("Individual capability requests should not exceed cluster's maxAlloc")]
    AboveMaximum,
    /// No place in the plan.
    #[error("The request cannot be satisfied")]
    Unsatisfiable,
    /// The place that was found has a gap.
    #[error("The allocation found does not respect ORDER_NO_GAP")]
    Gap,
    /// The plan would have promised more than it has.
    #[error("Resources at time {start} would be overcommitted by accepting reservation: {id}")]
    OverCommit {
        /// The reservation's arrival.
        start: i64,
        /// Which.
        id: ReservationId,
    },
    /// The same, or a plan that is over-committed already, as the policy of capacity over time reports it.
    #[error("{}", as_cause(.0))]
    Quota(Box<ReservationRefused>),
    /// A user's average over the policy's window would be above the limit.
    #[error(
        "Integral (avg over time) quota capacity {} over a window of {} seconds,  would be exceeded by accepting reservation: {id}",
        .average, .window_ms / 1000
    )]
    AverageQuota {
        /// The share of the plan that a user may have on average, as Java writes it.
        average: String,
        /// Over so long.
        window_ms: i64,
        /// Which.
        id: ReservationId,
    },
    /// The plan has promised more than it has already.
    #[error(
        "RLESparseResourceAllocation: merge failed as the resulting RLESparseResourceAllocation would be negative{}", testing(.0.as_deref())
    )]
    Negative(Option<Box<Shortage>>),
    /// The new version was refused after the old one had been taken out: the old one is back, accepted anew.
    #[error("Unable to update reservation: {id}")]
    RolledBack {
        /// Which.
        id: ReservationId,
    },
    /// A stage of no duration, for the aligned agent. Not caught by agents that try again.
    #[error("/ by zero")]
    ZeroDuration,
    /// A profile is read to a time before its beginning. Not caught by agents that try again.
    #[error("toKey out of range")]
    Backwards,
    /// The plan has not this reservation. Not caught by agents that try again.
    #[error("The specified Reservation with ID {id} does not exist in the plan")]
    NotInPlan {
        /// Which.
        id: ReservationId,
    },
    /// A list of an interval that ends before it begins.
    #[error("The specified end time must be greater than the specified start time.")]
    BadInterval,
    /// The text is no reservation's name.
    #[error(transparent)]
    BadId(#[from] ReservationIdError),
    /// Hadoop would compute for minutes, or for ever; this does not begin.
    #[error(
        "{what} of {count}, more than {most}: use a longer step or duration, a longer period, or an earlier deadline"
    )]
    TooMuch {
        /// Of what there is too much.
        what: &'static str,
        /// How much.
        count: i64,
        /// How much there may be.
        most: i64,
    },
}

fn as_cause(cause: &ReservationRefused) -> String {
    const PACKAGE: &str = "org.apache.hadoop.yarn.server.resourcemanager.reservation.exceptions";
    let class = if matches!(cause, ReservationRefused::OverCommit { .. }) {
        "ResourceOverCommitException"
    } else {
        "PlanningException"
    };
    format!("{PACKAGE}.{class}: {cause}")
}

fn testing(shortage: Option<&Shortage>) -> String {
    shortage.map_or_else(String::new, |Shortage { wanted_at, wanted, there_at, there }| {
        format!(", when testing: ({wanted_at}={wanted}) > ({there_at}={there})")
    })
}

impl ReservationRefused {
    /// The kind as one word: what recordings of Hadoop are held against, and what a program can tell apart.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            ReservationRefused::NotEnabled => "not-enabled",
            ReservationRefused::NoIdAtSubmit | ReservationRefused::NoId => "no-id",
            ReservationRefused::NoQueue => "no-queue",
            ReservationRefused::NotAPlan { .. } => "not-a-plan",
            ReservationRefused::Unknown { .. } => "unknown-reservation",
            ReservationRefused::PlanGone { .. } => "plan-gone",
            ReservationRefused::NoDefinition => "no-definition",
            ReservationRefused::PastDeadline { .. } => "past-deadline",
            ReservationRefused::NoRequests | ReservationRefused::NoStages => "no-stages",
            ReservationRefused::WindowTooShort { .. } => "window-too-short",
            ReservationRefused::GangTooLarge { .. } => "gang-too-large",
            ReservationRefused::BadPeriod { .. } => "bad-period",
            ReservationRefused::NegativePeriod { .. } => "negative-period",
            ReservationRefused::LongerThanPeriod { .. } => "longer-than-period",
            ReservationRefused::PeriodNotDivisor { .. } => "period-not-divisor",
            ReservationRefused::DifferentDefinition { .. } => "different-definition",
            ReservationRefused::Acl { .. } => "reservation-acl",
            ReservationRefused::BadConcurrency => "bad-concurrency",
            ReservationRefused::BadCount => "bad-count",
            ReservationRefused::NotMultiple => "not-multiple",
            ReservationRefused::AboveMaximum => "above-maximum",
            ReservationRefused::Unsatisfiable => "unsatisfiable",
            ReservationRefused::Gap => "gap",
            ReservationRefused::OverCommit { .. } => "over-commit",
            ReservationRefused::Quota(_) => "quota",
            ReservationRefused::AverageQuota { .. } => "average-quota",
            ReservationRefused::Negative(_) => "negative",
            ReservationRefused::RolledBack { .. } => "rolled-back",
            ReservationRefused::ZeroDuration => "zero-duration",
            ReservationRefused::Backwards => "backwards",
            ReservationRefused::NotInPlan { .. } => "not-in-plan",
            ReservationRefused::BadInterval => "bad-interval",
            ReservationRefused::BadId(_) => "bad-id",
            ReservationRefused::TooMuch { .. } => "too-much",
        }
    }

    /// Whether an agent that knows another way tries it: Hadoop's `PlanningException`. What is not is Hadoop's own
    /// fault and goes straight to the client.
    #[must_use]
    pub fn is_planning(&self) -> bool {
        !matches!(
            self,
            ReservationRefused::ZeroDuration | ReservationRefused::Backwards | ReservationRefused::NotInPlan { .. }
        )
    }
}
