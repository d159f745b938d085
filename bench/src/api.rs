//! The scheduler's public surface as this program uses it; nothing here reaches deeper.

pub(crate) use evenweave::{
    AccessControlList, AllocateRequest, AllocatedView, Allocation, AllocationFile, AllocationFileError, AppHandle,
    AppView, Ask, CapacityFigures, CapacityFile, CapacityMode, CapacityQueue, CheckOptions, Container, ContainerId,
    Diagnostic, EndReason, FairScheduler, Groups, GroupsFile, Heartbeat, HeartbeatProbe, Included, Limit, Missing,
    NodeHandle, NodeId, NodeView, Place, PlacementRule, QueueAccess, QueueConfig, QueueSettings, QueueState, QueueView,
    Refused, Resource, ResourceTypes, Settings, Severity, SiteFile, SiteFileError, SiteProperties, Stats, Stepped,
    Submission, default_rules, parse_resource, rooted,
};
