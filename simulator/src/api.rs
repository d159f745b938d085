//! The scheduler's public surface as this program uses it; nothing here reaches deeper.

pub(crate) use evenweave::clock::{Clock, VirtualClock};
pub(crate) use evenweave::config::{Diagnostic, SchedulerKind, SiteFile, SiteProperties};
pub(crate) use evenweave::labels::{NewLabel, StoredLabels};
pub(crate) use evenweave::reason::Words as CoreWords;
pub(crate) use evenweave::reservation::{
    Followed, Reservation, ReservationId, ReservationQuery, ReservationSubmission, ReserveError,
};
pub(crate) use evenweave::resource::{Calculator, ResourceTypes, Unit};
pub(crate) use evenweave::view::PreemptionRound;
pub(crate) use evenweave::{
    AllocateRequest, Allocation, AllocationFile, AppHandle, Ask, BuildError, CapacityConfiguration, CapacityScheduler,
    CapacityStepped, Container, ContainerId, EndReason, EndedContainer, FairScheduler, Heartbeat, Location, NodeHandle,
    NodeId, Refused, Resource, SchedulerApi, SchedulerEvent, Settings, Stepped, Submission,
};
