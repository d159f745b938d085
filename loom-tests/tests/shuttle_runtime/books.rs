//! What can be said of containers from outside: each is told of once, ends once, and is where the scheduler says it is.
//!
//! Counted by the test's threads under a lock that none of them holds where another could go on.

use super::plan::small;
use evenweave::{Allocation, Container, ContainerId, EndReason, EndedContainer, NodeId, Resource};
use std::collections::{BTreeMap, BTreeSet};

/// A container that its AM has and has not been told the end of.
#[derive(Clone, Debug)]
pub(crate) struct Held {
    pub(crate) container: Container,
    /// Its end has been begun: by its AM, its node or its node's loss.
    pub(crate) ending: bool,
    pub(crate) launched: bool,
}

#[derive(Debug, Default)]
pub(crate) struct Books {
    /// By application, and what the application has.
    pub(crate) held: BTreeMap<u32, BTreeMap<ContainerId, Held>>,
    /// All that were ever told.
    pub(crate) acquired: BTreeSet<ContainerId>,
    /// Nodes that are gone or about to go.
    pub(crate) lost: BTreeSet<NodeId>,
    /// Applications that end or have ended.
    pub(crate) over: BTreeSet<u32>,
    /// Who is in the limited queue and has never been in another.
    pub(crate) capped: BTreeSet<u32>,
    /// The highest limit that queue has had; `None`: what runs there says nothing, for want of knowing all ends.
    pub(crate) highest: Option<i64>,
}

impl Books {
    /// An AM has been answered.
    pub(crate) fn answered(&mut self, app: u32, answer: &Allocation) {
        for container in &answer.granted {
            assert!(self.acquired.insert(container.id), "I5: a container is acquired once: {container:?}");
            assert_eq!(container.id.application_number(), app, "I5: by whom it was granted to");
            let held = Held { container: *container, ending: false, launched: false };
            self.held.entry(app).or_default().insert(container.id, held);
        }
        for EndedContainer { id, reason, .. } in &answer.ended {
            let ended = self.held.entry(app).or_default().remove(id);
            assert!(ended.is_some(), "I5: who is told of an end had the container, and is told once: {id:?}");
            assert_ne!(*reason, EndReason::AppFinished, "an AM that is answered has not ended");
        }
        self.check_limit();
    }

    /// What certainly runs is within the highest limit that there has been: an end has begun before it is noted here, and a
    /// container has been granted before it is.
    fn check_limit(&self) {
        let Some(highest) = self.highest else { return };
        let mut running = Resource::ZERO;
        for app in self.capped.difference(&self.over) {
            for held in self.held.get(app).into_iter().flat_map(BTreeMap::values) {
                if !held.ending && !self.lost.contains(&held.container.node) {
                    running = running.plus(&held.container.resource);
                }
            }
        }
        assert!(running.fits_in(&small(highest)), "I2: {running} runs in a queue of at most {highest}");
    }

    /// Notes that a container's end begins.
    pub(crate) fn ends(&mut self, app: u32, id: ContainerId) {
        if let Some(held) = self.held.entry(app).or_default().get_mut(&id) {
            held.ending = true;
        }
    }

    /// Of a node: what it can report as launched, and what as completed; each once.
    pub(crate) fn reports(
        &mut self,
        node: NodeId,
        mut completes: impl FnMut() -> bool,
    ) -> (Vec<ContainerId>, Vec<ContainerId>) {
        let (mut launched, mut completed) = (Vec::new(), Vec::new());
        let here = self.held.values_mut().flatten().filter(|(_, held)| held.container.node == node && !held.ending);
        for (id, held) in here {
            if !held.launched {
                held.launched = true;
                launched.push(*id);
            } else if completes() {
                held.ending = true;
                completed.push(*id);
            }
        }
        (launched, completed)
    }
}
