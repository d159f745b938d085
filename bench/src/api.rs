//! The scheduler's public surface as this program uses it; nothing here reaches deeper.

pub(crate) use evenweave::{
    AllocateRequest, AllocatedView, Allocation, AllocationFile, AppHandle, AppView, Ask, CheckOptions, Container,
    ContainerId, Diagnostic, EndReason, FairScheduler, Heartbeat, HeartbeatProbe, Location, NodeHandle, NodeId,
    NodeView, Place, QueueView, Refused, Resource, ResourceTypes, Settings, Severity, Stats, Stepped, Submission,
};
