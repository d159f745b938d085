//! The scheduler's public surface as this program uses it; nothing here reaches deeper.

pub(crate) use evenweave::clock::{Clock, VirtualClock};
pub(crate) use evenweave::config::capacity::{
    CapacityFigures, CapacityFile, CapacityMode, CapacityQueue, QueueMaking, QueueState,
};
pub(crate) use evenweave::config::convert::{
    Allocations, Change, Conversion, ConversionRules, ConvertError, ConvertFault, ConvertOptions, Converted, FairFiles,
    JavaException, Weight, convert, site_file,
};
pub(crate) use evenweave::config::{
    AccessControlList, AllocationFileError, Diagnostic, Included, Limit, Missing, PlacementRule, QueueAccess,
    QueueSettings, SiteFile, SiteFileError, SiteProperties, default_rules, parse_resource, rooted,
};
pub(crate) use evenweave::faults::Fault;
pub(crate) use evenweave::groups::{Groups, GroupsFile};
pub(crate) use evenweave::policy::Precedence;
#[cfg(test)]
pub(crate) use evenweave::reason::CapacityWait;
pub(crate) use evenweave::reason::{
    AmShare, AppOutcome, AppVisit, CapacityReason, Claim, Decision, KeyOutcome, KeyVisit, NotOffered, NotReserved,
    Obstacle, PassEnd, QueueOutcome, QueueVisit, ReservationOutcome, ReservationVisit,
};
pub(crate) use evenweave::resource::ResourceTypes;
pub(crate) use evenweave::view::{
    AllocatedView, AppView, CapacityAppView, CapacityLeafView, CapacityQueueView, CapacityStats, CapacityUserView,
    ContainerView, HeldView, Journal, NodeView, PreemptionRound, QueueConfig, QueueView, RunningLimit, Stats,
};
pub(crate) use evenweave::{
    AllocateRequest, Allocation, AllocationFile, AppHandle, Ask, CapacityConfiguration, CapacityScheduler,
    CapacitySchedulerBuilder, CapacityStepped, Container, ContainerId, EndReason, FairScheduler, FairSchedulerBuilder,
    Heartbeat, HeartbeatProbe, Locality, Location, NewAttempt, NodeHandle, NodeId, NotSent, Polled, Refused, Resource,
    Settings, Stepped, Submission, Worker,
};
