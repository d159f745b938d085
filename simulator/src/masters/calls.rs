//! What an AM is told and what it asks for, call by call.

use super::super::tasks::Group;
use crate::api::{Ask, Container, ContainerId, EndedContainer, NodeId};

/// What a call has brought.
#[derive(Debug, Default)]
pub(in super::super) struct Answer {
    pub(in super::super) granted: Vec<Container>,
    pub(in super::super) ended: Vec<EndedContainer>,
}

impl Answer {
    /// What a call takes with it. A container that is in it and has ended by now is launched all the same, as its AM
    /// does not know better: its end stays for the next call.
    pub(in super::super) fn take(&mut self) -> Answer {
        let mut taken = std::mem::take(self);
        let granted = &taken.granted;
        self.ended.extend(taken.ended.extract_if(.., |ended| granted.iter().any(|container| container.id == ended.id)));
        taken
    }
}

/// A container's life begins, or its end is known by now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) struct Launch {
    pub(in super::super) id: ContainerId,
    pub(in super::super) node: NodeId,
    /// Nothing: until more is said.
    pub(in super::super) life_ms: Option<u64>,
    /// It runs already.
    pub(in super::super) again: bool,
}

/// How an AM goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Going {
    On,
    /// All is done: its last step is now.
    Last,
    /// All is done: its last step is the next one.
    LastNext,
    /// It gives up: a task has failed too often.
    Failed,
    /// Its own container was taken.
    Lost,
}

/// What an AM asks in one call.
#[derive(Debug, Default)]
pub(in super::super) struct Call {
    pub(in super::super) asks: Vec<Ask>,
    pub(in super::super) releases: Vec<ContainerId>,
    /// The step after this one is the last.
    pub(in super::super) last_next: bool,
}

/// The groups' numbers, each with its count.
pub(super) fn numbered(groups: &[Group]) -> impl Iterator<Item = (u32, &Group)> {
    (0_u32..).zip(groups)
}
