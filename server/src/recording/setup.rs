//! A recorded state, made again: steps on a scheduler without threads, and what a ResourceManager keeps beside it.

use std::sync::Arc;

use super::capacity_steps::CapacityState;
use super::fair_steps::FairState;
use super::file::{Recording, Step};
use crate::manager::ResourceManager;

/// A state, of whichever scheduler.
pub(super) enum State {
    Fair(Box<FairState>),
    Capacity(Box<CapacityState>),
}

impl State {
    /// As it is before the first step.
    ///
    /// # Errors
    /// What is wrong with the configuration.
    pub(super) fn start(recording: &Recording) -> Result<State, String> {
        match recording.scheduler.as_str() {
            "fair" => FairState::start(&recording.setup).map(|state| State::Fair(Box::new(state))),
            "capacity" => CapacityState::start(&recording.setup).map(|state| State::Capacity(Box::new(state))),
            other => Err(format!("a recording of the {other} scheduler, which cannot be set up")),
        }
    }

    pub(super) fn manager(&self) -> Arc<ResourceManager> {
        match self {
            State::Fair(state) => state.manager.clone(),
            State::Capacity(state) => state.manager.clone(),
        }
    }

    /// Does a step. One that is refused changes nothing.
    pub(super) fn step(&mut self, step: &Step) {
        match self {
            State::Fair(state) => state.step(step),
            State::Capacity(state) => state.step(step),
        }
    }

    /// What a request has changed goes into the records.
    pub(super) fn settle(&mut self) {
        match self {
            State::Fair(state) => state.settle(),
            State::Capacity(state) => state.settle(),
        }
    }
}
