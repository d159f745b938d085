//! A recorded state, made again: steps on a scheduler without threads, and what a ResourceManager keeps beside it.

use std::sync::Arc;

use evenweave::resource::ResourceTypes;
use evenweave::{Ask, Location, Resource};

use super::capacity_steps::CapacityState;
use super::fair_steps::FairState;
use super::file::{Amounts, AskLine, Recording, Step};
use crate::manager::ResourceManager;

/// When the cluster of the recordings was started.
pub(super) const TIMESTAMP: u64 = 1_700_000_000_000;

/// Where its pages are.
pub(super) const WEB_ADDRESS: &str = "rm.example:8088";

/// Who it runs as: whoever ends something without saying who he is.
pub(super) const OPERATOR: &str = "root";

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

/// Amounts by name as a resource.
pub(super) fn resource(types: &ResourceTypes, amounts: &Amounts) -> Resource {
    let mut out = Resource::ZERO;
    for (name, amount) in amounts {
        if let Some(index) = types.index(name) {
            out = out.with(index, *amount);
        }
    }
    out
}

/// Lines as asks.
pub(super) fn asks(types: &ResourceTypes, lines: &[AskLine], at: impl Fn(&str) -> Location) -> Vec<Ask> {
    let ask = |line: &AskLine| {
        let count = u32::try_from(line.count).unwrap_or(0);
        Ask::anywhere(line.priority, resource(types, &line.resource), count).at(at(&line.location)).relaxed(line.relax)
    };
    lines.iter().map(ask).collect()
}
