//! The scheduler's public surface as this program uses it; nothing here reaches deeper.

pub(crate) use evenweave::{
    AllocateRequest, AllocatedView, Allocation, AllocationFile, AppHandle, AppView, Ask, Container, ContainerId,
    EndReason, FairScheduler, Groups, GroupsFile, Heartbeat, HeartbeatProbe, Included, Location, NodeHandle, NodeId,
    NodeView, QueueView, Refused, Resource, ResourceTypes, Settings, SiteFile, SiteFileError, SiteProperties, Stats,
    Stepped, Submission,
};
