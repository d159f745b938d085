//! The CapacityScheduler as the engine calls it: each moment, and who deals with it.

use crate::capacity::control::configuration::Refresh;
use crate::capacity::control::{CapacityCall, CapacityControl};
use crate::capacity::decide::messages::CapacityMessage;
use crate::capacity::decide::parts::{
    CapacityApp, CapacityKey, CapacityNode, CapacityQueue, CapacityWorker, Monitor, NoUpdate,
};
use crate::capacity::decide::preempting::candidate_of;
use crate::capacity::published::CapacityPublished;
use crate::capacity::types::{
    AppLocal, CapacityDecider, Control, KeyLocal, Node, QueueLocal, QueueSnapshot, SchedulerSnapshot, Shard, Shared,
};
use crate::engine::books::ledger::AppShared;
use crate::engine::decider::{AskCause, Decider};
use crate::engine::intake::to_control::{Call, ControlMessage};
use crate::engine::intake::to_worker::RelabelledNode;
use crate::engine::parts::Parts;
use crate::engine::proposal::Refusal;
use crate::engine::records::containers::ContainerRecord;
use crate::event::Refused;
use crate::id::Locality;
use crate::labels::LabelTerms;
use crate::policy::ClusterTotal;
use crate::resource::Resource;
use crate::sync::Arc;
#[cfg(feature = "faults")]
use std::collections::BTreeMap;
use std::time::Duration;

impl Parts for CapacityDecider {
    type Worker = CapacityWorker;
    type Queue = CapacityQueue;
    type App = CapacityApp;
    type Key = CapacityKey;
    type Node = CapacityNode;
    type Control = CapacityControl;
    type ControlQueue = ();
    type Configuration = Refresh;
    type QueuePublished = CapacityPublished;
    type Figures = ();
    type Message = CapacityMessage;
    type ControlCall = CapacityCall;
    type PreemptionCall = ();
    type Shard = Shard;
    type WholeControl = Control;
}

impl Decider for CapacityDecider {
    type Updater = NoUpdate;
    type Preemptor = Monitor;

    /// It goes by its own counts: the books have reservations, too.
    const ORDERS_BY_USAGE: bool = false;
    const COUNTS_BY_LABEL: bool = true;

    fn worker(shared: &Shared, worker: usize) -> CapacityWorker {
        CapacityWorker::new(shared, worker)
    }

    fn queue(_shared: &Shared, _snapshot: &QueueSnapshot, (): &()) -> CapacityQueue {
        CapacityQueue
    }

    fn app(_shared: &Shared, _worker: usize, _app: &AppShared, (): &()) -> CapacityApp {
        CapacityApp::default()
    }

    fn tasks(shared: &Arc<Shared>, _timers: bool) -> (Option<NoUpdate>, Option<Monitor>) {
        let settings = &shared.decider.settings;
        let monitors = &settings.monitors;
        // 0 would be without a pause.
        let pause = |setting: i64| Duration::from_millis(u64::try_from(setting).unwrap_or_default().max(1));
        let preemption = monitors.preemption.as_ref().map(|preemption| pause(preemption.monitoring_interval_ms));
        let expiry = monitors.queue_deletion.then(|| settings.auto_queue_expiration_seconds.saturating_mul(1000));
        let rounds = monitors.queue_management_interval_ms.into_iter().chain(expiry);
        let control = pause(rounds.fold(settings.lifetime_monitor_interval_ms, i64::min));
        (None, Some(Monitor { preemption, control }))
    }

    fn prefetch_call(_snapshot: &SchedulerSnapshot, _leaf: u32) {}

    fn asked<'a>(
        _shared: &Shared,
        snapshot: &SchedulerSnapshot,
        _leaf: &QueueSnapshot,
        _sizes: impl Iterator<Item = &'a Resource>,
    ) -> Result<Resource, Refused> {
        // What the leaf's own maximum refuses was refused before; sizes are cut to the cluster's (10 step 4).
        Ok(snapshot.structure.max_allocation)
    }

    fn label_terms<'a>(leaf: &'a QueueSnapshot) -> Option<LabelTerms<'a>> {
        Some(leaf.own.label_terms())
    }

    fn normal(shared: &Shared, asked: &Resource, largest: &Resource) -> Resource {
        let minimum = &shared.decider.settings.minimum;
        shared.decider.arith().normalize(asked, minimum, largest, minimum)
    }

    fn headroom(_shared: &Shared, _snapshot: &SchedulerSnapshot, app: &AppShared, _leaf: &QueueSnapshot) -> Resource {
        app.headroom.read()
    }

    fn released(shard: &mut Shard, app: u32) {
        shard.has_called(app);
    }

    fn offered(shard: &mut Shard, node: u32) {
        if shard.own.candidates.is_some() {
            shard.offer_candidates(node);
        } else {
            shard.offer_in_passes(node);
        }
    }

    fn offered_in_round(shard: &mut Shard, node: u32) {
        shard.offer_once(node);
        shard.tell_known_labels(false);
    }

    fn round_is_together(shard: &mut Shard, first: usize) -> bool {
        let is_together = shard.own.candidates.is_some();
        if is_together {
            shard.offer_partitions_from(first);
        }
        is_together
    }

    fn all_offered(_shard: &mut Shard) {}

    fn am_taken(_shard: &Shard, _app: u32, _size: &Resource) -> Result<(), Refusal> {
        // An application that may not start yet is in no list that is offered nodes.
        Ok(())
    }

    fn am_refused(_shard: &Shard, _app: u32, _size: &Resource) {}

    #[inline(always)]
    fn asked_anywhere(key: &mut KeyLocal) {
        key.own.is_asked = true;
    }

    fn key_served(_key: &mut KeyLocal, _locality: Locality) {}

    fn node_taken(_node: &mut Node, _app: &AppLocal, _size: &Resource) {}

    fn node_freed(node: &mut Node, container: &ContainerRecord) {
        let candidate = candidate_of(container);
        node.own.killable.remove(candidate);
        node.own.ended.retain(|(other, _)| *other != candidate);
    }

    fn app_usage_changed(_own: &CapacityWorker, _leaf: &mut QueueLocal, _app: &AppLocal, _cluster: &ClusterTotal) {}

    fn queue_usage_changed(_parent: &mut QueueLocal, _queue: &QueueLocal, _cluster: &ClusterTotal) {}

    fn recovered(shard: &mut Shard, app: u32, container: u32) {
        shard.container_is_back(app, container);
    }

    fn usage_returned(shard: &mut Shard, container: u32) {
        shard.container_is_over(container);
    }

    fn asks_dropped(shard: &mut Shard, container: u32) {
        shard.asks_are_dropped(container);
    }

    fn reservation_ends(shard: &mut Shard, node: u32) {
        shard.reservation_is_over(node);
    }

    fn container_ended(_shard: &mut Shard) {}

    fn asks_changed<'a>(shard: &mut Shard, app: u32, _sizes: impl Iterator<Item = &'a Resource>, cause: AskCause) {
        shard.asks_have_changed(app, cause);
    }

    fn nodes_changed(_shard: &mut Shard) {}

    fn relabelled(shard: &mut Shard, nodes: &[RelabelledNode]) {
        shard.nodes_have_labels(nodes);
    }

    /// The control says so once more, when the change of the cluster is known.
    fn overcommitted(_shard: &mut Shard, _node: u32) {}

    fn node_reports(shard: &mut Shard, node: u32) {
        shard.look_what_does_not_fit(node);
    }

    fn node_reported(shard: &mut Shard, _node: u32) {
        shard.end_what_did_not_fit();
        shard.tell_known_labels(false);
    }

    fn app_closed(shard: &mut Shard, app: u32) {
        if let Some(entry) = shard.entry(app)
            && shard.own.books.apps[entry].slot == app
        {
            // Where its attempt was stopped before, that has been done.
            if !std::mem::replace(&mut shard.own.books.apps[entry].is_out, true) {
                shard.own.books.ended(entry);
            }
            shard.tell_who_starts();
        }
    }

    fn app_folded(shard: &mut Shard, app: u32, _changed: bool) {
        shard.fold_app(app);
    }

    fn folded(shard: &mut Shard) {
        shard.fold_waiting();
    }

    fn told(shard: &mut Shard, message: &CapacityMessage) {
        shard.hear(message);
    }

    fn queue_taken(_queue: &mut CapacityQueue, _snapshot: &QueueSnapshot) {}

    fn app_left(_shard: &mut Shard, _leaf: u32, _position: u32, _app: u32) {}

    fn room(_queue: &CapacityQueue) -> usize {
        usize::MAX
    }

    fn app_entered(_shard: &mut Shard, _leaf: u32, _position: u32, _app: u32) {}

    fn queue_changed(_shard: &mut Shard, _queue: u32) {}

    fn queues_restructured(shard: &mut Shard, queues: &[u32]) {
        if !queues.is_empty() {
            shard.take_queues();
        }
    }

    fn figures_taken(shard: &mut Shard) {
        shard.take_queues();
    }

    fn queue_emptied(_queue: &mut CapacityQueue) {}

    fn nodes_lost(shard: &mut Shard) {
        shard.show_nothing();
    }

    fn pass_lost(shard: &mut Shard) {
        shard.forget_books();
    }

    fn restarted_after_panic(shard: &mut Shard) {
        shard.rebuild_books();
    }

    #[cfg(feature = "faults")]
    fn audited(shard: &Shard, folded: bool, agreed: &mut BTreeMap<String, String>, wrong: &mut Vec<String>) {
        shard.audit_books(folded, agreed, wrong);
    }
}

impl Shard {
    /// The books know the queues as they are published.
    fn take_queues(&mut self) {
        let structure = self.snapshot.structure.clone();
        let queues = structure.queues.iter().map(|queue| queue.as_ref().map(|queue| queue.own.clone()));
        self.own.books.take_structure(queues, structure.cluster.total, structure.nodes, &structure.labels);
        self.tell_who_starts();
    }
}

impl Shard {
    /// The control hears of labels that queues know by now.
    #[inline]
    pub(crate) fn tell_known_labels(&mut self, at_once: bool) {
        if !self.own.books.newly_known.is_empty() {
            let known = std::mem::take(&mut self.own.books.newly_known);
            self.tell_control(ControlMessage::Call(Call::Own(CapacityCall::KnownLabels { known, at_once })));
        }
    }
}
