//! The scheduler's public surface as this program uses it; nothing here reaches deeper.

#[cfg(feature = "sharing")]
pub(crate) use evenweave::Sharing;
pub(crate) use evenweave::clock::{Clock, MonotonicClock};
pub(crate) use evenweave::config::capacity::CapacityQueueKind;
pub(crate) use evenweave::config::{Missing, SiteFile, SiteProperties, parse_resource, read_file, read_text_file};
pub(crate) use evenweave::faults::Fault;
pub(crate) use evenweave::groups::Groups;
pub(crate) use evenweave::labels::{NewLabel, NodeLabels, StoredLabels};
pub(crate) use evenweave::reservation::{
    PlanBooks, Reservation, ReservationId, ReservationQuery, ReservationSubmission, ReserveError,
};
pub(crate) use evenweave::resource::ResourceTypes;
pub(crate) use evenweave::view::{
    AppView, CapacityAppPartitionView, CapacityAppView, CapacityQueueView, CapacityStats, LabelView, NodeView,
    QueueConfig, Stats,
};
pub(crate) use evenweave::{
    AllocateRequest, Allocation, AllocationFile, AmRequest, AppHandle, Ask, Capacity, CapacityConfiguration,
    CapacityScheduler, CapacitySchedulerBuilder, Container, ContainerId, EndReason, Fair, FairScheduler,
    FairSchedulerBuilder, Heartbeat, HeartbeatProbe, Label, Location, NewNode, NodeHandle, NodeId, NotSent, Policy,
    Polled, Refused, Resource, Scheduler, SchedulerApi, SchedulerEvent, Settings, Stepped, Submission, Worker,
};
