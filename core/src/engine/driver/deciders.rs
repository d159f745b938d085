//! The decider's own tasks: what the drivers need of them.
//!
//! One computes what everybody may have and publishes it; one takes containers back for who has too little. Which these are is the
//! decider's; that they run on threads of their own, or by the caller's, and end in their turn, is the driver's.

use crate::engine::decider::Decider;
use crate::engine::shared::Shared;
use crate::engine::worker::shard::Shard;
#[cfg(feature = "faults")]
use crate::id::ContainerId;
use crate::sync::Arc;
use crate::sync::channel::{Receiver, Sender};
use std::fmt::Debug;

/// What the preemption task is told.
#[derive(Debug)]
pub(crate) enum TaskCall<C> {
    /// What the decider has its task do.
    Own(C),
    /// Answer when it is reached.
    Barrier(Sender<()>),
    /// End. What is marked and not yet killed lives on.
    Shutdown,
}

/// The workers of a driver without threads: called rather than sent to.
pub(crate) struct Workers<'a, D: Decider>(pub(super) Vec<&'a mut Shard<D>>);

impl<D: Decider> Workers<'_, D> {
    /// One of them.
    pub(crate) fn shard(&mut self, worker: usize) -> &mut Shard<D> {
        self.0[worker]
    }
}

/// Computes and publishes what everybody may have.
pub(crate) trait UpdateTask: Debug + Send + 'static {
    /// Once.
    fn update(&mut self);

    /// The same; then whoever acts on it by itself is told.
    fn update_and_wake(&mut self);

    /// An update has panicked: nothing that it was at is believed, and the next one computes everything.
    fn begin_anew(&mut self);
}

/// Takes containers back for who has too little.
pub(crate) trait PreemptionTask<D: Decider>: Debug + Send + 'static {
    /// Works off what it is told until it is told to end; with `timers` it also does what time has made due.
    fn run(self, calls: &Receiver<TaskCall<D::PreemptionCall>>, shared: Arc<Shared<D>>, timers: bool);

    /// The containers that a kill is still to come to.
    #[cfg(feature = "faults")]
    fn doomed(&self) -> Vec<ContainerId>;
}
