//! The engine under the FairScheduler: its records, with the FairScheduler's parts in them.

/// What the embedder has chosen of the FairScheduler's decisions, beside its settings.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FairDecider {
    /// Children are sorted anew for every container, as the classic design does.
    pub(crate) resort: bool,
    /// Why each step did what it did is noted.
    pub(crate) trace: bool,
}

pub(crate) type Shard = crate::engine::worker::shard::Shard<FairDecider>;
pub(crate) type QueueLocal = crate::engine::worker::queue::QueueLocal<FairDecider>;
pub(crate) type AppLocal = crate::engine::worker::app::AppLocal<FairDecider>;
pub(crate) type KeyLocal = crate::engine::worker::key::KeyLocal<FairDecider>;
pub(crate) type Node = crate::engine::worker::node::Node<FairDecider>;
pub(crate) type Lent = crate::engine::Lent<FairDecider>;
pub(crate) type Parts = crate::engine::Parts<FairDecider>;
pub(crate) type Stepper = crate::engine::Stepper<FairDecider>;
pub(crate) type Threads = crate::engine::Threads<FairDecider>;
pub(crate) type Shared = crate::engine::shared::Shared<FairDecider>;
pub(crate) type Internal = crate::engine::intake::messages::Internal<FairDecider>;
#[cfg(feature = "faults")]
pub(crate) type Look = crate::engine::intake::messages::Look<FairDecider>;
pub(crate) type ControlMessage = crate::engine::intake::messages::ControlMessage<FairDecider>;
pub(crate) type Control = crate::engine::control::Control<FairDecider>;
pub(crate) type Call = crate::engine::control::Call<FairDecider>;
