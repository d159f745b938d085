//! Handles to applications and nodes: cheap to clone, usable from any thread.

use crate::engine::{AppShared, Container, Heartbeat, NodeShared};
use crate::id::{ApplicationId, AttemptId, ContainerId, NodeId};
use crate::sync::Arc;
use std::collections::BTreeMap;
use std::fmt;
use std::hash::{Hash, Hasher};

/// The handle of a submitted application. Calls with the handle of a finished application are refused.
#[derive(Clone, Debug)]
pub struct AppHandle(pub(crate) Arc<AppShared>);

impl AppHandle {
    /// Its id.
    #[must_use]
    pub fn id(&self) -> ApplicationId {
        self.0.id
    }

    /// Its running number.
    #[must_use]
    pub fn number(&self) -> u32 {
        self.0.id.number
    }

    /// The id of this attempt.
    #[must_use]
    pub fn attempt_id(&self) -> AttemptId {
        AttemptId { application: self.0.id, number: self.0.attempt }
    }

    /// Which attempt of the application this is, from 1.
    #[must_use]
    pub fn attempt(&self) -> u32 {
        self.0.attempt
    }

    /// The containers of earlier attempts that ran when this attempt began and were kept for it, by attempt and number: what
    /// its AM is told when it registers. They are its own now, to be released by it, and it is told of their end.
    #[must_use]
    pub fn kept_containers(&self) -> &[Container] {
        self.0.kept.get().map_or(&[], |kept| kept)
    }

    /// The full name of the leaf queue that the application entered. After a move, its view has the new queue.
    #[must_use]
    pub fn queue(&self) -> &str {
        &self.0.placed_in
    }

    /// Whether it has been finished or killed.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.0.is_closed()
    }

    /// Its containers that are to be preempted and still run, by worker, those marked earlier first: what the next answer of
    /// `allocate` says ([`Allocation::strict_preemptions`](crate::Allocation::strict_preemptions)).
    #[must_use]
    pub fn strict_preemptions(&self) -> Vec<ContainerId> {
        let mut marked = Vec::new();
        self.0.strict_preemptions(&mut marked);
        marked
    }

    /// Says that this application's AM is going to call, after some other applications' calls: what leads to the rest comes into
    /// the processor's cache meanwhile. For embedders that know of calls before they make them, from their own queue; best
    /// some hundred nanoseconds before [`FairScheduler::prefetch_calls`](crate::FairScheduler::prefetch_calls) tells of the
    /// same call. It changes nothing but time: a call that does not come does no harm, nor does one that was not announced.
    #[inline]
    pub fn prefetch_call(&self) {
        self.0.prefetch_call();
    }

    /// As [`AppHandle::prefetch_call`], and a link further: where the scheduler leaves what the AM fetches. Best between [`AppHandle::prefetch_call`] and
    /// [`FairScheduler::prefetch_calls`](crate::FairScheduler::prefetch_calls), as long after the one as before the other.
    #[inline]
    pub fn prefetch_mail(&self) {
        self.0.prefetch_mail();
    }

    /// Which worker is its home: its AM's calls go to that one, which tells the others what they need of them. Another attempt may
    /// have another.
    #[must_use]
    pub fn worker(&self) -> usize {
        self.0.home
    }

    /// Whether it still waits for its AM's container.
    #[must_use]
    pub fn waits_for_am(&self) -> bool {
        self.0.waits_for_am()
    }
}

/// A registered node.
#[derive(Clone, Debug)]
pub struct NodeHandle(pub(crate) Arc<NodeShared>);

impl NodeHandle {
    /// Whether it was removed, or lost with its worker: it has to register again.
    #[must_use]
    pub fn is_gone(&self) -> bool {
        self.0.is_gone()
    }

    /// Whether it stands among a scheduler's nodes.
    pub(super) fn stands_in(&self, nodes: &BTreeMap<NodeId, Arc<NodeShared>>) -> bool {
        !self.0.is_gone() && nodes.get(&self.0.id).is_some_and(|known| std::ptr::eq(&**known, &*self.0))
    }

    /// Its number.
    #[must_use]
    pub fn id(&self) -> NodeId {
        self.0.id
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// Its rack.
    #[must_use]
    pub fn rack(&self) -> &str {
        &self.0.rack
    }

    /// Which worker owns it.
    #[must_use]
    pub fn worker(&self) -> usize {
        self.0.owner
    }

    /// Takes the containers that this node's NodeManager has to stop, oldest first, onto the end of `out`: those that an AM had and that
    /// have ended without a word of the node, because they were given back, preempted, not launched in time, or their application
    /// ended; and those that a report of this node named as [`launched`](crate::Heartbeat::launched) and that were not alive on it.
    /// What YARN puts into the answer of the node's heartbeat.
    ///
    /// Each is told of once, and again whenever a report names it as launched. Some the node has never seen; what it did launch and stops it
    /// reports as completed, which gives the room back. What is listed and not taken is kept.
    ///
    /// Nothing is listed without [`node_stops`](crate::FairSchedulerBuilder::node_stops). Waits for nobody.
    pub fn take_stops(&self, out: &mut Vec<ContainerId>) {
        self.0.take_stops(out);
    }
}

/// Two handles are equal when they are of the same attempt of the same application of the same scheduler.
impl PartialEq for AppHandle {
    fn eq(&self, other: &AppHandle) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for AppHandle {}

impl Hash for AppHandle {
    fn hash<H: Hasher>(&self, state: &mut H) {
        Arc::as_ptr(&self.0).hash(state);
    }
}

/// The id of the attempt.
impl fmt::Display for AppHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.attempt_id().fmt(f)
    }
}

/// Two handles are equal when they are of the same registration of a node.
impl PartialEq for NodeHandle {
    fn eq(&self, other: &NodeHandle) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for NodeHandle {}

impl Hash for NodeHandle {
    fn hash<H: Hasher>(&self, state: &mut H) {
        Arc::as_ptr(&self.0).hash(state);
    }
}

/// Its name.
impl fmt::Display for NodeHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Two reports are equal when they are of the same node and say the same.
impl PartialEq for Heartbeat {
    fn eq(&self, other: &Heartbeat) -> bool {
        let said = |of: &Heartbeat| (of.stamp, of.offer);
        Arc::ptr_eq(&self.node, &other.node)
            && said(self) == said(other)
            && self.launched == other.launched
            && self.completed == other.completed
    }
}

impl Eq for Heartbeat {}

impl Hash for Heartbeat {
    fn hash<H: Hasher>(&self, state: &mut H) {
        Arc::as_ptr(&self.node).hash(state);
        (self.stamp, self.offer).hash(state);
        (&self.launched[..], &self.completed[..]).hash(state);
    }
}

impl Heartbeat {
    /// A report of a node that has nothing new to say of its containers.
    #[must_use]
    pub fn new(node: &NodeHandle) -> Heartbeat {
        Heartbeat::of(node.0.clone())
    }

    /// The number of the node that reports.
    #[must_use]
    pub fn node(&self) -> NodeId {
        self.node.id
    }
}
