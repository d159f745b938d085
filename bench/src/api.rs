//! The scheduler's public surface as this program uses it; nothing here reaches deeper.

pub(crate) use evenweave::{
    AccessControlList, AllocateRequest, AllocatedView, Allocation, AllocationFile, AllocationFileError, AppHandle,
    AppView, Ask, Container, ContainerId, EndReason, FairScheduler, Heartbeat, HeartbeatProbe, Limit, Location,
    Missing, NodeHandle, NodeId, NodeView, PlacementRule, QueueAccess, QueueConfig, QueueSettings, QueueView, Refused,
    Resource, ResourceTypes, Settings, Stats, Stepped, Submission, default_rules, parse_resource, rooted,
};
