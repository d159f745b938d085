//! Containers as steps name them, and what a ResourceManager that was restarted has taken over.

use std::collections::HashMap;

use crate::api::{ContainerId, ContainerView, Heartbeat, Refused};
use evenweave::refused::NotFound;

/// A container as steps name it: numbers begin anew with each attempt, and after each restart of the ResourceManager.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Named {
    pub(super) app: u32,
    pub(super) attempt: u32,
    /// How many ResourceManagers there were before the one that granted it.
    pub(super) epoch: u32,
    pub(super) number: u32,
}

impl Named {
    pub(super) fn missing(self) -> Refused {
        Refused::NotFound(NotFound::Container { app: self.app, container: self.number })
    }
}

/// The containers that one scheduler took over from earlier ones.
#[derive(Debug, Default)]
pub(super) struct TakenOver {
    epoch: u32,
    names: HashMap<ContainerId, Named>,
}

impl TakenOver {
    /// Nothing yet, by a scheduler with so many before it.
    pub(super) fn by(epoch: u32) -> TakenOver {
        TakenOver { epoch, names: HashMap::new() }
    }

    pub(super) fn note(&mut self, id: ContainerId, named: Named) {
        self.names.insert(id, named);
    }

    /// Whether an earlier scheduler granted it.
    pub(super) fn is_earlier(&self, named: Named) -> bool {
        named.epoch != self.epoch
    }

    /// Puts into a heartbeat what its node tells. What the scheduler does not know any more is left out: it would
    /// change nothing.
    pub(super) fn tell(
        &self,
        known: &[ContainerView],
        launched: &[Named],
        completed: &[Named],
        heartbeat: &mut Heartbeat,
    ) {
        let find = |named: &Named| known.iter().find(|view| self.is(*named, view.id));
        heartbeat.add_launched(launched.iter().filter_map(find).filter(|view| !view.ended).map(|view| view.id));
        heartbeat.add_completed(completed.iter().filter_map(find).map(|view| view.id));
    }

    /// Whether a step means this container.
    pub(super) fn is(&self, named: Named, id: ContainerId) -> bool {
        match self.names.get(&id) {
            Some(name) => *name == named,
            None => {
                let numbers = (id.application_number(), id.attempt(), id.number());
                !self.is_earlier(named) && numbers == (named.app, named.attempt, named.number)
            }
        }
    }
}
