//! The scheduler's public surface as this program uses it; nothing here reaches deeper.

pub(crate) use evenweave::{
    AccessControlList, AllocateRequest, AllocatedView, Allocation, AllocationFile, AllocationFileError, AmShare,
    AppHandle, AppOutcome, AppView, AppVisit, Ask, CapacityFigures, CapacityFile, CapacityMode, CapacityQueue, Claim,
    Clock, Container, ContainerId, ContainerView, Decision, EndReason, FairScheduler, FairSchedulerBuilder, Fault,
    Groups, GroupsFile, Heartbeat, HeartbeatProbe, HeldView, Included, KeyOutcome, KeyVisit, Limit, Locality, Location,
    Missing, NodeHandle, NodeId, NodeView, NotOffered, NotReserved, NotSent, Obstacle, PassEnd, PlacementRule, Polled,
    Precedence, PreemptionRound, QueueAccess, QueueConfig, QueueOutcome, QueueSettings, QueueState, QueueView,
    QueueVisit, Refused, ReservationOutcome, ReservationVisit, Resource, ResourceTypes, RunningLimit, Settings,
    SiteFile, SiteFileError, SiteProperties, Stats, StepOutcome, Stepped, Submission, VirtualClock, Worker,
    default_rules, parse_resource, rooted,
};
