//! What a decider keeps in the engine's records, and what its messages say: types alone.
//!
//! # Where it stands
//! Below everything that is generic: records, snapshots, messages and [`Shared`](crate::engine::shared::Shared) need to
//! know what a decider stores, and not what it does. What it does is a [`Decider`](crate::engine::decider::Decider)'s
//! on a worker and a [`ControlPart`](crate::engine::control::ControlPart)'s on the control. Both stand above the worker
//! and the control that they are called with. There is one type for each scheduler, and it is settled where the
//! scheduler is named: what a decider keeps of a queue, an application, a key or a node lies in the engine's own record
//! of it.

use std::fmt::Debug;

/// See the module's text. The value itself is what all threads of a scheduler share of its decider's own choices.
pub(crate) trait Parts: Clone + Debug + Send + Sync + Sized + 'static {
    // ------------------------------------------------------------------------------------------------ on a worker

    /// Its part of a worker.
    type Worker: Debug + Send;
    /// Its part of a queue: where children stand, what they want.
    type Queue: QueuePart;
    /// Its part of an application.
    type App: AppPart<Self::Worker>;
    /// Its part of a request key.
    type Key: Debug + Default + Send;
    /// Its part of a node.
    type Node: Debug + Default + Send;

    // ------------------------------------------------------------------------------------------------ on the control

    /// Its part of the control.
    type Control: Debug + Send;
    /// What the control keeps of a queue, beside its place in the tree.
    type ControlQueue: Debug + Send;
    /// What the scheduler begins with, and what a reload brings.
    type Configuration: Debug + Send;

    // ------------------------------------------------------------------------------------------------ published

    /// What is published of a queue, beside what the engine knows. One that equals the one before is not looked at.
    type QueuePublished: Clone + Debug + PartialEq + Send + Sync;
    /// What its update publishes.
    type Figures: Debug + Default + Send + Sync;

    // ------------------------------------------------------------------------------------------------ sent

    /// What its own tasks tell a worker.
    type Message: Debug + Send;
    /// What is asked of the control that the engine does not know.
    type ControlCall: Debug + Send;
    /// What its task that takes containers back is told.
    type PreemptionCall: Debug + Send + 'static;

    // ------------------------------------------------------------------------------------------------ looked at

    /// A whole worker, as a message is shown it that looks at one: a [`Shard`](crate::engine::shard::Shard) of these
    /// parts. Messages stand below it and cannot name it.
    type Shard;
    /// A whole control, likewise: a [`Control`](crate::engine::control::Control) of these parts.
    type WholeControl;
}

/// What a decider keeps of a queue. The engine only prefetches it.
pub(crate) trait QueuePart: Debug + Send {
    /// An application of the queue will soon send asks.
    fn prefetch_asks(&self);

    /// The queue's usage and the order of the child at `position` will soon change.
    fn prefetch_change(&self, position: u32);

    /// The child that [`prefetch_change`](Self::prefetch_change) named changes next. Prefetches what it will be
    /// compared with.
    fn prefetch_comparison(&self);
}

/// What a decider keeps of an application. The engine only prefetches it, with what the decider's part of the worker
/// has of the application.
pub(crate) trait AppPart<Worker>: Debug + Send {
    /// The application will soon be visited, or its usage or asks will change. Prefetches what lies here, and what the
    /// worker has of its leaf queue.
    fn prefetch_visit(&self, worker: &Worker, leaf: u32);

    /// The same, when what lies here has come. Prefetches what the worker has of the application.
    fn prefetch_linked(&self, worker: &Worker);

    /// The same, when that has come. Prefetches what it leads to.
    fn prefetch_charge(&self, worker: &Worker);
}
