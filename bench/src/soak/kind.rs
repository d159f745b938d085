//! The kinds of faults that a soak has.

/// What goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    WorkerPanic,
    WorkerStall,
    UpdateStall,
    ClockJump,
    NodeLost,
    NodeTwice,
    UnknownNode,
    CompletedTwice,
    Strangers,
    SilentMaster,
    GroupsFail,
    GroupsHang,
    Refresh,
    Relabel,
}

impl Kind {
    /// With the FairScheduler.
    pub(super) const FAIR: [Kind; 12] = [
        Kind::WorkerPanic,
        Kind::WorkerStall,
        Kind::UpdateStall,
        Kind::ClockJump,
        Kind::NodeLost,
        Kind::NodeTwice,
        Kind::UnknownNode,
        Kind::CompletedTwice,
        Kind::Strangers,
        Kind::SilentMaster,
        Kind::GroupsFail,
        Kind::GroupsHang,
    ];

    /// With the CapacityScheduler and node labels: it has no update, and asks for groups only where a mapping rule does.
    /// Without labels all but the last.
    pub(super) const CAPACITY: [Kind; 11] = [
        Kind::WorkerPanic,
        Kind::WorkerStall,
        Kind::Refresh,
        Kind::ClockJump,
        Kind::NodeLost,
        Kind::NodeTwice,
        Kind::UnknownNode,
        Kind::CompletedTwice,
        Kind::Strangers,
        Kind::SilentMaster,
        Kind::Relabel,
    ];

    /// As the report says it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Kind::WorkerPanic => "a worker panics",
            Kind::WorkerStall => "a worker stalls, its channel fills",
            Kind::UpdateStall => "the update task stalls",
            Kind::ClockJump => "the clock jumps by an hour, or back",
            Kind::NodeLost => "a node goes and comes again",
            Kind::NodeTwice => "a node registers twice",
            Kind::UnknownNode => "a node that is gone reports",
            Kind::CompletedTwice => "completions are reported twice",
            Kind::Strangers => "a node reports completions of containers elsewhere",
            Kind::SilentMaster => "an AM never calls again",
            Kind::GroupsFail => "the group provider panics",
            Kind::GroupsHang => "the group provider hangs",
            Kind::Refresh => "the queues are refreshed, or cannot be",
            Kind::Relabel => "a node gets another label",
        }
    }
}
