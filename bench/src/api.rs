//! The core, under one name.

pub(crate) use evenweave::{
    AllocateRequest, AllocatedView, Allocation, AllocationFile, AppHandle, Ask, Container, ContainerId, EndReason,
    FairScheduler, Heartbeat, HeartbeatProbe, Location, NodeHandle, NodeId, NodeView, QueueView, Refused, Resource,
    ResourceTypes, Settings, Stats, Stepped, Submission,
};
