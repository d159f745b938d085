//! Handles to applications and nodes: cheap to clone, usable from any thread.

use crate::engine::books::node_table::NodeTable;
use crate::engine::{AppShared, Container, Heartbeat, NodeShared};
use crate::id::{ApplicationId, AttemptId, ContainerId, NodeId};
use crate::sync::Arc;
use std::fmt;
use std::hash::{Hash, Hasher};

/// The handle of a submitted application. Calls with the handle of a finished application are refused.
#[derive(Clone, Debug)]
pub struct AppHandle(pub(crate) Arc<AppShared>);

impl AppHandle {
    /// The application's id.
    #[must_use]
    pub fn id(&self) -> ApplicationId {
        self.0.id
    }

    /// The application's number.
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

    /// The containers of earlier attempts that this attempt keeps, as they were when it began, by attempt and number.
    /// Its AM is told of them when it registers. It may release them, and is told of their ends.
    #[must_use]
    pub fn kept_containers(&self) -> &[Container] {
        self.0.kept.get().map_or(&[], |kept| kept)
    }

    /// The full name of the leaf queue that the application entered. After a move, its view has the new queue.
    #[must_use]
    pub fn queue(&self) -> &str {
        &self.0.placed_in
    }

    /// The name of that queue as a ResourceManager reports it: the leaf's full name, unless the submission named the
    /// queue that the placement rules gave in other capitals. Then its own spelling stays: of `Root.etl` the
    /// FairScheduler makes the queue `root.Root.etl`, and the application reports `Root.etl`.
    #[must_use]
    pub fn reported_queue(&self) -> &str {
        let full = &*self.0.placed_in;
        if self.0.keeps_name { full.strip_prefix("root.").unwrap_or(full) } else { full }
    }

    /// Whether the application was finished or killed.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.0.is_closed()
    }

    /// The containers of this application that are marked for preemption and still run, by worker, the earliest marked
    /// first. The next answer of `allocate` has the same
    /// ([`Allocation::strict_preemptions`](crate::Allocation::strict_preemptions)).
    #[must_use]
    pub fn strict_preemptions(&self) -> Vec<ContainerId> {
        let mut marked = Vec::new();
        self.0.strict_preemptions(&mut marked);
        marked
    }

    /// Announces a call of this application's AM, so that the processor loads the data that the call needs first. For
    /// embedders that know of calls before they make them. It works best some hundred nanoseconds before
    /// [`FairScheduler::prefetch_calls`](crate::FairScheduler::prefetch_calls) announces the same call, with other
    /// applications' calls in between.
    ///
    /// It changes only time. An announced call need not come, and a call need not be announced.
    #[inline]
    pub fn prefetch_call(&self) {
        self.0.prefetch_call();
    }

    /// As [`AppHandle::prefetch_call`], one step further: it loads what the AM is going to fetch. It works best
    /// half-way between [`AppHandle::prefetch_call`] and
    /// [`FairScheduler::prefetch_calls`](crate::FairScheduler::prefetch_calls).
    #[inline]
    pub fn prefetch_mail(&self) {
        self.0.prefetch_mail();
    }

    /// The number of the application's home worker, which handles the calls of its AM. Another attempt may have another
    /// home.
    #[must_use]
    pub fn worker(&self) -> usize {
        self.0.home
    }

    /// Whether the application still waits for its AM's container.
    #[must_use]
    pub fn waits_for_am(&self) -> bool {
        self.0.waits_for_am()
    }
}

/// The handle of a registered node.
#[derive(Clone, Debug)]
pub struct NodeHandle(pub(crate) Arc<NodeShared>);

impl NodeHandle {
    /// Whether the node was removed, or lost with its worker. It must then register again.
    #[must_use]
    pub fn is_gone(&self) -> bool {
        self.0.is_gone()
    }

    /// Whether it stands among a scheduler's nodes.
    pub(super) fn stands_in(&self, nodes: &NodeTable) -> bool {
        !self.0.is_gone() && nodes.get(self.0.id).is_some_and(|known| std::ptr::eq(&**known, &*self.0))
    }

    /// The node's number.
    #[must_use]
    pub fn id(&self) -> NodeId {
        self.0.id
    }

    /// The node's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// The name of the node's rack.
    #[must_use]
    pub fn rack(&self) -> &str {
        &self.0.rack
    }

    /// The number of the worker that owns the node.
    #[must_use]
    pub fn worker(&self) -> usize {
        self.0.owner
    }

    /// Moves the containers that this node's NodeManager must stop to the end of `out`, the oldest first. YARN puts
    /// this list into the answer of the node's heartbeat. Never waits.
    ///
    /// The list has:
    ///
    /// - each container that an AM has fetched and that ended without a report of the node: it was released, preempted,
    ///   not launched in time, or its application ended;
    /// - each container that a report of this node named as [`launched`](crate::Heartbeat::launched) and that was not
    ///   alive on it.
    ///
    /// Each is listed once, and again whenever a report names it as launched. The node may not know a container of the
    /// list. It stops the others and reports them as completed, which frees their room. What is not taken stays in the
    /// list.
    ///
    /// Without [`node_stops`](crate::FairSchedulerBuilder::node_stops) the list is always empty.
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
    /// A report without news of containers.
    #[must_use]
    pub fn new(node: &NodeHandle) -> Heartbeat {
        Heartbeat::of(node.0.clone())
    }

    /// Adds containers that the node has started since its last report. After registering again, a node names all that
    /// run on it.
    ///
    /// If an AM has fetched a container, and no report names it in time, here or as completed, it expires:
    /// `yarn.resourcemanager.rm.container-allocation.expiry-interval-ms`. A container that is not alive on this node is
    /// listed by [`take_stops`](NodeHandle::take_stops), each time.
    #[inline]
    pub fn add_launched(&mut self, containers: impl IntoIterator<Item = ContainerId>) {
        self.launched.extend(containers);
    }

    /// Adds containers that have ended since the last report, in order.
    #[inline]
    pub fn add_completed(&mut self, containers: impl IntoIterator<Item = ContainerId>) {
        self.completed.extend(containers);
    }

    /// The containers that the report names as started.
    #[must_use]
    pub fn launched(&self) -> &[ContainerId] {
        &self.launched
    }

    /// The containers that the report names as ended.
    #[must_use]
    pub fn completed(&self) -> &[ContainerId] {
        &self.completed
    }

    /// Removes the news of containers, and keeps the memory.
    pub fn clear(&mut self) {
        self.launched.clear();
        self.completed.clear();
    }

    /// The number of the node that reports.
    #[must_use]
    pub fn node(&self) -> NodeId {
        self.node.id
    }
}
