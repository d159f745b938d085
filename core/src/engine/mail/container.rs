//! A container and its end, as an AM is told of them: plain values.

#[cfg(not(loom))]
use crate::app::Label;
#[cfg(loom)]
use crate::id::Slot;
use crate::id::{ContainerId, Locality, NodeId};
use crate::resource::Resource;

/// Why a container ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum EndReason {
    /// Its node reported that it ended.
    Completed,
    /// Its AM released it.
    Released,
    /// Its attempt ended.
    AppFinished,
    /// Its node was lost or removed.
    NodeLost,
    /// The scheduler ended it for another application, or because it no longer fit its node.
    Preempted,
    /// It was not launched in time.
    Expired,
}

impl EndReason {
    pub(super) const ALL: [EndReason; 6] = [
        EndReason::Completed,
        EndReason::Released,
        EndReason::AppFinished,
        EndReason::NodeLost,
        EndReason::Preempted,
        EndReason::Expired,
    ];

    /// A short word in lower case: `completed`, `released`, `app-finished`, `node-lost`, `preempted`, `expired`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            EndReason::Completed => "completed",
            EndReason::Released => "released",
            EndReason::AppFinished => "app-finished",
            EndReason::NodeLost => "node-lost",
            EndReason::Preempted => "preempted",
            EndReason::Expired => "expired",
        }
    }

    /// The exit status that YARN gives such a container: PREEMPTED (−102) for a preempted one, otherwise ABORTED
    /// (−100). `None` if the node's report has it.
    #[must_use]
    pub fn exit_status(self) -> Option<i32> {
        match self {
            EndReason::Completed => None,
            EndReason::Released | EndReason::AppFinished | EndReason::NodeLost | EndReason::Expired => Some(-100),
            EndReason::Preempted => Some(-102),
        }
    }
}

/// As [`EndReason::as_str`].
impl std::fmt::Display for EndReason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A container that an AM got.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Container {
    /// Its id.
    pub id: ContainerId,
    /// The node that runs it.
    pub node: NodeId,
    /// The priority of its ask.
    pub priority: i32,
    /// The [`allocation_request_id`](crate::Ask::allocation_request_id) of its ask.
    pub allocation_request_id: i64,
    /// Whether it was granted for an ask of its node, of its rack, or of `*`. `OffSwitch` of one that was
    /// [recovered](RecoveredContainer).
    pub locality: Locality,
    /// Its size (memory in MiB, vcores, further types).
    pub resource: Resource,
}

#[cfg(loom)]
impl Container {
    /// A container whose words all differ, for models: of one number and record all words are known.
    #[must_use]
    pub fn of_model(number: u32, record: u32) -> Container {
        let app = Slot { index: 10 + number, generation: 20 + number };
        Container {
            id: ContainerId {
                application: 30 + number,
                attempt: u16::try_from(50 + number).expect("models have few containers"),
                app,
                number,
                worker: 0,
                record,
            },
            node: NodeId(40 + number),
            priority: -1,
            allocation_request_id: i64::from(number) << 33,
            locality: Locality::Rack,
            resource: Resource::from_fn(|i| if i == 0 { i64::from(number) << 40 } else { 0 }),
        }
    }
}

/// A container that already runs, as a node reports it when it registers: for `recover_container`.
#[cfg(not(loom))]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct RecoveredContainer {
    /// The attempt that it was granted to, from 1: the application's present one, or one before whose containers were
    /// kept.
    pub attempt: u32,
    /// Its number within the attempt, from 1. The ResourceManager that granted it may be another one, whose numbers
    /// come again.
    pub number: u32,
    /// The epoch of the ResourceManager that granted it. Of two containers with one number, the one of the earlier
    /// epoch is older.
    #[cfg_attr(feature = "serde", serde(default))]
    pub epoch: u32,
    /// The priority of its ask.
    pub priority: i32,
    /// The [`allocation_request_id`](crate::Ask::allocation_request_id) of its ask.
    pub allocation_request_id: i64,
    /// Its size (memory in MiB, vcores, further types).
    pub resource: Resource,
    /// Whether it is the AM's container, which is preempted last.
    pub am: bool,
    /// It ended while no ResourceManager was there to be told. It is charged to nobody, and its AM is told of its end.
    #[cfg_attr(feature = "serde", serde(default))]
    pub ended: bool,
    /// The label of the nodes that its ask wanted. `None`: no label.
    #[cfg_attr(feature = "serde", serde(default))]
    pub label: Option<Label>,
}

#[cfg(not(loom))]
impl RecoveredContainer {
    /// A container by its attempt and its number in the attempt.
    #[must_use]
    pub fn new(attempt: u32, number: u32, resource: Resource) -> RecoveredContainer {
        RecoveredContainer {
            attempt,
            number,
            epoch: 0,
            priority: 0,
            allocation_request_id: 0,
            resource,
            am: false,
            ended: false,
            label: None,
        }
    }

    /// Returns the container with the priority and request id of its ask.
    #[must_use]
    pub fn asked_for(self, priority: i32, allocation_request_id: i64) -> RecoveredContainer {
        RecoveredContainer { priority, allocation_request_id, ..self }
    }

    /// Returns the container as granted by a ResourceManager of this epoch.
    #[must_use]
    pub fn with_epoch(self, epoch: u32) -> RecoveredContainer {
        RecoveredContainer { epoch, ..self }
    }

    /// Returns the container as ended, or not.
    #[must_use]
    pub fn with_ended(self, ended: bool) -> RecoveredContainer {
        RecoveredContainer { ended, ..self }
    }

    /// Returns the container as asked for on nodes of a label.
    #[must_use]
    pub fn labelled(self, label: Label) -> RecoveredContainer {
        RecoveredContainer { label: Some(label), ..self }
    }

    /// Returns the container as the AM's, or not.
    #[must_use]
    pub fn with_am(self, am: bool) -> RecoveredContainer {
        RecoveredContainer { am, ..self }
    }
}

/// A container that ended, as the AM is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct EndedContainer {
    /// Its id.
    pub id: ContainerId,
    /// Where it ran, or was to run.
    pub node: NodeId,
    /// Why it ended.
    pub reason: EndReason,
}
