//! The decider's parts of the engine's records.

use super::books::Books;
use super::types::{CapacityDecider, Shared};
use crate::capacity::victims::Candidate;
use crate::engine::TaskCall;
use crate::engine::decider::{AppPart, QueuePart};
use crate::engine::driver::deciders::{PreemptionTask, UpdateTask};
use crate::resource::Resource;
use crate::sync::Arc;
use crate::sync::channel::Receiver;
use std::collections::BTreeMap;
use std::time::Duration;

/// Of a worker.
#[derive(Debug)]
pub(crate) struct CapacityWorker {
    pub(crate) books: Books,
    /// Children in order, by depth of the queue that is asked.
    pub(crate) scratch: Vec<Vec<u32>>,
    /// Marked for preemption, and when.
    pub(crate) marked: BTreeMap<Candidate, u64>,
}

impl CapacityWorker {
    pub(super) fn new(shared: &Shared) -> CapacityWorker {
        CapacityWorker {
            books: Books::new(shared.decider.arith(), shared.decider.settings.minimum),
            scratch: Vec::new(),
            marked: BTreeMap::new(),
        }
    }
}

/// Of a queue nothing: see [`Books`].
#[derive(Debug, Default)]
pub(crate) struct CapacityQueue;

impl QueuePart for CapacityQueue {
    fn expect_asks(&self) {}

    fn expect_change(&self, _position: u32) {}

    fn expect_comparison(&self) {}
}

/// Of an application nothing: see [`Books`].
#[derive(Debug, Default)]
pub(crate) struct CapacityApp;

impl AppPart for CapacityApp {
    fn expect_visit(&self) {}
}

/// Of a request key.
#[derive(Debug, Default)]
pub(crate) struct CapacityKey {
    /// Nodes visited in vain.
    pub(crate) opportunities: u32,
    /// How often a reserved node had no room for it yet.
    pub(crate) re_reservations: u32,
    /// What is counted as outstanding: so many, of this size.
    pub(crate) count: u32,
    pub(crate) size: Resource,
}

/// There is no task of the decider's own.
#[derive(Debug)]
pub(crate) enum NoTask {}

impl UpdateTask for NoTask {
    fn interval(&self) -> Option<Duration> {
        match *self {}
    }

    fn update(&mut self) {
        match *self {}
    }

    fn update_and_wake(&mut self) {
        match *self {}
    }

    fn begin_anew(&mut self) {
        match *self {}
    }
}

impl PreemptionTask<CapacityDecider> for NoTask {
    fn run(self, _calls: &Receiver<TaskCall<()>>, _shared: Arc<Shared>, _timers: bool) {
        match self {}
    }

    #[cfg(feature = "faults")]
    fn doomed(&self) -> Vec<crate::id::ContainerId> {
        match *self {}
    }
}
