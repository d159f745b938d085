//! The scheduler that a soak drives, whichever it is.

use evenweave::refused::Configuration;
use evenweave_tools::figures::QueueFigures;

use super::kind::Kind;
use crate::api::{
    AllocateRequest, Allocation, AppHandle, CapacityScheduler, FairScheduler, Fault, Heartbeat, NodeHandle, NodeView,
    NotSent, Refused, Resource, SiteFile, Submission,
};
use crate::engine::Totals;
use crate::engine::figures::AppFigures;

/// The label that nodes get, where there are labels.
pub(super) const LENT: &str = "lent";

/// See the module's text.
#[derive(Debug)]
pub(super) enum Subject {
    Fair(FairScheduler),
    /// With the file of its queues.
    Capacity(CapacityScheduler, SiteFile),
}

/// The same call of both.
macro_rules! both {
    ($subject:expr, $scheduler:ident => $call:expr) => {
        match $subject {
            Subject::Fair($scheduler) => $call,
            Subject::Capacity($scheduler, _) => $call,
        }
    };
}

impl Subject {
    /// What may go wrong with it.
    pub(super) fn kinds(&self) -> &'static [Kind] {
        match self {
            Subject::Fair(_) => &Kind::FAIR,
            Subject::Capacity(scheduler, _) => {
                let without = usize::from(!scheduler.labels().is_ok_and(|labels| !labels.is_empty()));
                &Kind::CAPACITY[..Kind::CAPACITY.len() - without]
            }
        }
    }

    pub(super) fn add_node(&self, name: &str, rack: &str, total: Resource) -> Result<NodeHandle, Refused> {
        both!(self, scheduler => scheduler.add_node(name, rack, total))
    }

    pub(super) fn remove_node(&self, node: &NodeHandle) -> Result<(), Refused> {
        both!(self, scheduler => scheduler.remove_node(node))
    }

    pub(super) fn submit(&self, submission: Submission) -> Result<AppHandle, Refused> {
        both!(self, scheduler => scheduler.submit(submission))
    }

    pub(super) fn allocate(
        &self,
        app: &AppHandle,
        request: &AllocateRequest,
        answer: &mut Allocation,
    ) -> Result<(), Refused> {
        both!(self, scheduler => scheduler.allocate(app, request, answer))
    }

    pub(super) fn finish(&self, app: &AppHandle) -> Result<(), Refused> {
        both!(self, scheduler => scheduler.finish(app))
    }

    pub(super) fn heartbeats(&self, batch: Vec<Heartbeat>) -> Result<(), Box<NotSent<Vec<Heartbeat>>>> {
        both!(self, scheduler => scheduler.heartbeats(batch))
    }

    /// Events are read and forgotten.
    pub(super) fn read_events(&self) {
        both!(self, scheduler => while scheduler.next_event().is_some() {});
    }

    /// Works everything off; where there are shares they are worked out anew. A worker that is lost by a fault does
    /// not hinder the others.
    pub(super) fn come_to_rest(&self) {
        both!(self, scheduler => drop(scheduler.quiesce()));
        if let Subject::Fair(scheduler) = self {
            let _ = scheduler.update_now();
            let _ = scheduler.quiesce();
        }
    }

    pub(super) fn stats(&self) -> Totals {
        match self {
            Subject::Fair(scheduler) => scheduler.stats().into(),
            Subject::Capacity(scheduler, _) => scheduler.stats().into(),
        }
    }

    /// None where the worker that is asked panics meanwhile: the comparison says so.
    pub(super) fn apps(&self) -> Vec<AppFigures> {
        match self {
            Subject::Fair(scheduler) => {
                scheduler.apps().unwrap_or_default().into_iter().map(AppFigures::from).collect()
            }
            Subject::Capacity(scheduler, _) => {
                scheduler.apps().unwrap_or_default().into_iter().map(AppFigures::from).collect()
            }
        }
    }

    pub(super) fn queues(&self) -> Vec<QueueFigures> {
        match self {
            Subject::Fair(scheduler) => {
                scheduler.queues().unwrap_or_default().into_iter().map(QueueFigures::from).collect()
            }
            Subject::Capacity(scheduler, _) => {
                scheduler.queues().unwrap_or_default().into_iter().map(QueueFigures::from).collect()
            }
        }
    }

    pub(super) fn nodes(&self) -> Vec<NodeView> {
        both!(self, scheduler => scheduler.nodes())
    }

    /// What does not add up.
    pub(super) fn audit(&self) -> Vec<String> {
        let audit = both!(self, scheduler => scheduler.audit());
        audit.map_or_else(|refused| vec![format!("audit: {refused}")], |audit| audit.wrong)
    }

    pub(super) fn inject(&self, fault: Fault) -> Result<(), Refused> {
        both!(self, scheduler => scheduler.inject(fault))
    }

    /// The queues are refreshed, from the file with other settings than before, or from one that cannot be: says what
    /// is not as it should.
    pub(super) fn refresh(&self, random: u64) -> Option<String> {
        let Subject::Capacity(scheduler, file) = self else { return None };
        const ALL: &str = "yarn.scheduler.capacity.maximum-am-resource-percent";
        const NODES: &str = "yarn.scheduler.capacity.node-locality-delay";
        const ROOT: &str = "yarn.scheduler.capacity.root.queues";
        let is_bad = random.is_multiple_of(4);
        let changes: &[_] = match random % 4 {
            0 => &[(ROOT, "none.of.these")],
            1 => &[(ALL, "1"), (NODES, "0")],
            2 => &[(ALL, "0.9")],
            _ => &[],
        };
        let changed = |name: &str| changes.iter().any(|(other, _)| *other == name);
        let pairs = file.pairs().filter(|(name, _)| !changed(name)).chain(changes.iter().copied());
        match scheduler.refresh_properties(pairs) {
            Ok(()) if is_bad => Some("a refresh was taken that cannot be".to_owned()),
            Err(Refused::Configuration(Configuration::Invalid(_))) if is_bad => None,
            outcome => outcome.err().map(|refused| format!("a refresh: {refused}")),
        }
    }

    /// A node has a label from now on, or none. It is one whose nodes are lent: nobody asks for it.
    pub(super) fn relabel(&self, node: &str, is_lent: bool) -> Result<(), Refused> {
        let labels: &[&str] = if is_lent { &[LENT] } else { &[] };
        both!(self, scheduler => scheduler.set_node_labels(&[(node, labels)]))
    }

    pub(super) fn shutdown(&self) {
        both!(self, scheduler => drop(scheduler.shutdown()));
    }
}
