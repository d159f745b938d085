//! The scheduler's public surface as this program uses it; nothing here reaches deeper.

pub(crate) use evenweave::{
    AllocateRequest, AllocatedView, Allocation, AllocationFile, AppHandle, AppView, Ask, Container, ContainerId,
    EndReason, FairScheduler, Heartbeat, HeartbeatProbe, Location, Missing, NodeHandle, NodeId, NodeView, QueueView,
    Refused, Resource, ResourceTypes, Settings, Stats, Stepped, Submission, parse_resource,
};
