//! What a client books: stages, how they belong together, and the time between which they must run.
//!
//! Follows `ReservationDefinition`, `ReservationRequests` and `ReservationRequest` of Hadoop 3.4.2.

use crate::resource::Resource;

/// How the stages of a reservation belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Interpreter {
    /// `R_ANY`: one stage is enough.
    Any,
    /// `R_ALL`: all stages, in any order.
    All,
    /// `R_ORDER`: all stages, one after the other.
    Order,
    /// `R_ORDER_NO_GAP`: all stages, one after the other, without a pause between or within.
    OrderNoGap,
}

/// A part of a reservation: a number of containers of one size, for one duration.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Stage {
    /// The size of one container.
    pub capability: Resource,
    /// The number of containers.
    pub containers: i32,
    /// How many of them must run at once: a gang. It must divide the number of containers.
    pub concurrency: i32,
    /// How long each container runs, in ms. It is rounded up to the plan's step.
    pub duration_ms: i64,
}

impl Stage {
    /// Containers of this size for this duration, which may run one by one.
    #[must_use]
    pub fn new(capability: Resource, containers: i32, duration_ms: i64) -> Stage {
        Stage { capability, containers, concurrency: 1, duration_ms }
    }

    /// Returns the stage with gangs of this size.
    #[must_use]
    pub fn in_gangs_of(self, concurrency: i32) -> Stage {
        Stage { concurrency, ..self }
    }

    /// What one gang takes.
    pub(super) fn gang(&self) -> Resource {
        self.capability.times(f64::from(self.concurrency))
    }

    /// The amount that this many gangs take.
    pub(super) fn gangs(&self, count: i32) -> Resource {
        self.capability.times(f64::from(self.concurrency.wrapping_mul(count)))
    }

    /// How many gangs are wanted. Validated stages have a concurrency of 1 or more.
    pub(super) fn gangs_wanted(&self) -> i32 {
        self.containers.checked_div(self.concurrency).unwrap_or(0)
    }
}

/// What a client books.
///
/// ```
/// use evenweave::Resource;
/// use evenweave::reservation::{Interpreter, ReservationDefinition, Stage};
///
/// // Ten containers for a minute, some time within the next hour.
/// let stage = Stage::new(Resource::new(1024, 1), 10, 60_000);
/// let job = ReservationDefinition::new(0, 3_600_000, Interpreter::All, vec![stage]).named("report");
/// assert_eq!(job.recurrence(), "0");
/// ```
///
/// Two are equal when all that was sent is equal: a recurrence of `0` that was sent differs from none.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ReservationDefinition {
    /// The earliest start, in ms since 1970.
    pub arrival: i64,
    /// The end of the last stage at the latest, in ms since 1970.
    pub deadline: i64,
    /// The stages and their interpreter. `None` if a client sent none.
    pub requests: Option<ReservationRequests>,
    /// A name for people.
    pub name: Option<String>,
    /// The period of a recurring reservation, in ms, as a decimal text. `0` or `None`: it does not recur.
    pub recurrence: Option<String>,
}

/// The stages of a reservation.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ReservationRequests {
    /// How the stages belong together. `None` if a client sent none: then they are planned as `R_ALL`, but their
    /// durations are summed when the definition is checked.
    pub interpreter: Option<Interpreter>,
    /// The stages, in order.
    pub stages: Vec<Stage>,
}

impl ReservationDefinition {
    /// Stages between two times.
    #[must_use]
    pub fn new(arrival: i64, deadline: i64, interpreter: Interpreter, stages: Vec<Stage>) -> ReservationDefinition {
        let requests = Some(ReservationRequests { interpreter: Some(interpreter), stages });
        ReservationDefinition { arrival, deadline, requests, name: None, recurrence: None }
    }

    /// Returns the definition with a name.
    #[must_use]
    pub fn named(self, name: impl Into<String>) -> ReservationDefinition {
        ReservationDefinition { name: Some(name.into()), ..self }
    }

    /// Returns the definition as a recurring one, with this period in ms.
    #[must_use]
    pub fn every(self, period_ms: i64) -> ReservationDefinition {
        ReservationDefinition { recurrence: Some(period_ms.to_string()), ..self }
    }

    /// The recurrence as text; `0` if none was sent.
    #[must_use]
    pub fn recurrence(&self) -> &str {
        self.recurrence.as_deref().unwrap_or("0")
    }

    /// The period of a definition that was checked, 0 where it does not recur.
    pub(super) fn period(&self) -> i64 {
        self.recurrence().parse().unwrap_or(0)
    }

    pub(super) fn stages(&self) -> &[Stage] {
        self.requests.as_ref().map_or(&[], |requests| &requests.stages)
    }

    pub(super) fn interpreter(&self) -> Option<Interpreter> {
        self.requests.as_ref().and_then(|requests| requests.interpreter)
    }

    /// Whether the stages have an order.
    pub(super) fn ordered(&self) -> bool {
        matches!(self.interpreter(), Some(Interpreter::Order | Interpreter::OrderNoGap))
    }
}
