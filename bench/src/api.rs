//! The scheduler's public surface as this program uses it; nothing here reaches deeper.

pub(crate) use evenweave::{
    AccessControlList, AllocateRequest, AllocatedView, Allocation, AllocationFile, AllocationFileError, AppHandle,
    AppView, Ask, CapacityFigures, CapacityFile, CapacityMode, CapacityQueue, CheckOptions, Container, ContainerId,
    Diagnostic, EndReason, FairScheduler, Groups, GroupsFile, Heartbeat, HeartbeatProbe, HeldView, Included, Limit,
    Location, Missing, NodeHandle, NodeId, NodeView, Place, PlacementRule, PreemptionRound, QueueAccess, QueueConfig,
    QueueSettings, QueueState, QueueView, Refused, Resource, ResourceTypes, Settings, Severity, SiteFile,
    SiteFileError, SiteProperties, Stats, Stepped, Submission, default_rules, parse_resource, rooted,
};
