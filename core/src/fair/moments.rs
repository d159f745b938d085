//! The FairScheduler as the engine calls it: each moment, and who deals with it.

use crate::config::AllocationFile;
use crate::engine::books::ledger::AppShared;
use crate::engine::decider::{AskCause, Decider};
use crate::engine::intake::to_worker::RelabelledNode;
use crate::engine::parts::Parts;
use crate::engine::proposal::Refusal;
use crate::engine::records::containers::ContainerRecord;
use crate::event::Refused;
use crate::fair::app::FairApp;
use crate::fair::control::{FairCall, FairControl, QueueOwn};
use crate::fair::engine::{
    AppLocal, Control, FairDecider, KeyLocal, Node, QueueLocal, QueueSnapshot, SchedulerSnapshot, Shard, Shared,
};
use crate::fair::headroom;
use crate::fair::preemption::{Book, FairNode, PreemptionCall, Preemptor, VictimCall};
use crate::fair::published::{FairPublished, Shares};
use crate::fair::queue::FairQueue;
use crate::fair::update::Updater;
use crate::fair::worker::FairWorker;
use crate::id::{Locality, NONE};
use crate::labels::LabelTerms;
use crate::matching::delay::Delay;
use crate::matching::size::normalise;
use crate::policy::ClusterTotal;
use crate::resource::Resource;
use crate::sync::{Arc, Mutex};
#[cfg(feature = "faults")]
use std::collections::BTreeMap;

impl Parts for FairDecider {
    type Worker = FairWorker;
    type Queue = FairQueue;
    type App = FairApp;
    type Key = Delay;
    type Node = FairNode;
    type Control = FairControl;
    type ControlQueue = QueueOwn;
    type Configuration = AllocationFile;
    type QueuePublished = FairPublished;
    type Figures = Shares;
    type Message = VictimCall;
    type ControlCall = FairCall;
    type PreemptionCall = PreemptionCall;
    type Shard = Shard;
    type WholeControl = Control;
}

impl Decider for FairDecider {
    type Updater = Updater;
    type Preemptor = Preemptor;

    const ORDERS_BY_USAGE: bool = true;
    const COUNTS_BY_LABEL: bool = false;

    fn worker(shared: &Shared, _worker: usize) -> FairWorker {
        FairWorker::new(shared)
    }

    fn queue(shared: &Shared, snapshot: &QueueSnapshot, shares: &Shares) -> FairQueue {
        FairQueue::new(&snapshot.own, shares.queue(snapshot.slot), shared.slack)
    }

    fn app(shared: &Shared, worker: usize, app: &AppShared, shares: &Shares) -> FairApp {
        FairApp::new(shared, worker, app, &shares.app(app.slot))
    }

    fn tasks(shared: &Arc<Shared>, timers: bool) -> (Option<Updater>, Option<Preemptor>) {
        let book = shared.settings.preemption.then(|| Arc::new(Mutex::new(Book::default())));
        let updater = Updater::new(shared.clone(), book.clone(), timers);
        (Some(updater), book.map(|book| Preemptor::new(shared.clone(), book)))
    }

    #[inline]
    fn prefetch_call(snapshot: &SchedulerSnapshot, leaf: u32) {
        headroom::prefetch_share(snapshot, leaf);
    }

    #[inline]
    fn asked<'a>(
        shared: &Shared,
        snapshot: &SchedulerSnapshot,
        leaf: &QueueSnapshot,
        sizes: impl Iterator<Item = &'a Resource>,
    ) -> Result<Resource, Refused> {
        headroom::largest(shared, snapshot, leaf, sizes)
    }

    /// As in Hadoop, whose FairScheduler gives no queue a label.
    fn label_terms<'a>(_leaf: &'a QueueSnapshot) -> Option<LabelTerms<'a>> {
        None
    }

    #[inline(always)]
    fn normal(shared: &Shared, asked: &Resource, largest: &Resource) -> Resource {
        normalise(&shared.settings.steps, asked, largest)
    }

    #[inline]
    fn headroom(shared: &Shared, snapshot: &SchedulerSnapshot, app: &AppShared, leaf: &QueueSnapshot) -> Resource {
        headroom::headroom(shared, snapshot, app, leaf)
    }

    #[inline]
    fn released(_shard: &mut Shard, _app: u32) {}

    fn offered(shard: &mut Shard, node: u32) {
        shard.schedule(node);
    }

    fn offered_in_round(shard: &mut Shard, node: u32) {
        shard.schedule(node);
    }

    fn all_offered(shard: &mut Shard) {
        shard.continuous_pass();
    }

    #[inline(never)]
    fn am_taken(shard: &Shard, app: u32, size: &Resource) -> Result<(), Refusal> {
        shard.take_am_share(app, size)
    }

    fn am_refused(shard: &Shard, app: u32, size: &Resource) {
        shard.queue(shard.app(app).leaf).snapshot.shared.am_usage.subtract(size);
    }

    #[inline(always)]
    fn asked_anywhere(_key: &mut KeyLocal) {}

    #[inline]
    fn key_served(key: &mut KeyLocal, locality: Locality) {
        key.own.served(locality);
    }

    #[inline]
    fn node_taken(node: &mut Node, app: &AppLocal, size: &Resource) {
        node.own.pay_off(app, size);
    }

    #[inline(always)]
    fn node_freed(_node: &mut Node, _container: &ContainerRecord) {}

    #[inline]
    fn app_usage_changed(own: &FairWorker, leaf: &mut QueueLocal, app: &AppLocal, cluster: &ClusterTotal) {
        if app.runnable {
            leaf.own.place_app(app, cluster, own.in_vain.passes);
        }
    }

    #[inline]
    fn queue_usage_changed(parent: &mut QueueLocal, queue: &QueueLocal, cluster: &ClusterTotal) {
        parent.own.place_queue(queue, cluster);
    }

    fn recovered(shard: &mut Shard, _app: u32, _container: u32) {
        shard.refresh_available();
    }

    #[inline(always)]
    fn usage_returned(_shard: &mut Shard, _container: u32) {}

    #[inline(always)]
    fn asks_dropped(_shard: &mut Shard, _container: u32) {}

    #[inline(always)]
    fn reservation_ends(_shard: &mut Shard, _node: u32) {}

    #[inline]
    fn container_ended(shard: &mut Shard) {
        shard.refresh_available();
    }

    #[inline]
    fn asks_changed<'a>(shard: &mut Shard, app: u32, sizes: impl Iterator<Item = &'a Resource>, _cause: AskCause) {
        shard.asks_changed(app, sizes);
    }

    fn relabelled(shard: &mut Shard, nodes: &[RelabelledNode]) {
        for RelabelledNode { node, label } in nodes {
            if let Some(place) = shard.place_of(node) {
                shard.nodes[place as usize].label = *label;
            }
        }
    }

    fn overcommitted(shard: &mut Shard, node: u32) {
        shard.kill_overcommitted(node);
    }

    fn node_reports(_shard: &mut Shard, _node: u32) {}

    fn node_reported(_shard: &mut Shard, _node: u32) {}

    fn nodes_changed(shard: &mut Shard) {
        shard.refresh_available();
    }

    fn app_closed(shard: &mut Shard, app: u32) {
        shard.refresh_app(app);
        let leaf = shard.app(app).leaf;
        if leaf != NONE {
            shard.refresh_upwards(leaf);
        }
    }

    #[inline]
    fn app_folded(shard: &mut Shard, app: u32, changed: bool) {
        // One that found no ask left may find some again: others hand their pieces back.
        let dry = shard.may_lack_asks(app);
        if dry {
            shard.app(app).look_at_all_keys();
        }
        if changed || dry {
            shard.refresh_app(app);
        }
    }

    fn folded(shard: &mut Shard) {
        shard.refresh_all_queues();
        shard.refresh_available();
    }

    fn told(shard: &mut Shard, message: &VictimCall) {
        shard.handle_victims(message);
    }

    fn queue_taken(queue: &mut FairQueue, snapshot: &QueueSnapshot) {
        queue.renew(&snapshot.own);
    }

    fn app_left(shard: &mut Shard, leaf: u32, position: u32, app: u32) {
        let queue = &mut shard.queue_mut(leaf).own;
        if queue.order.child(position) == app {
            queue.remove_app(position);
            shard.note_not_visited(app);
        }
    }

    fn room(queue: &FairQueue) -> usize {
        queue.order.len()
    }

    fn app_entered(shard: &mut Shard, leaf: u32, position: u32, app: u32) {
        shard.queue_mut(leaf).own.order.set_child(position, app);
        shard.place_member(app);
    }

    fn queue_changed(shard: &mut Shard, queue: u32) {
        shard.refresh_upwards(queue);
    }

    fn queues_restructured(shard: &mut Shard, queues: &[u32]) {
        for queue in queues {
            shard.refresh_queue_contents(*queue);
        }
        for queue in queues {
            shard.refresh_bounds_above(*queue);
            shard.refresh_upwards(*queue);
        }
        shard.note_limits();
    }

    fn figures_taken(shard: &mut Shard) {
        shard.note_limits();
        shard.refresh_everything();
        shard.refresh_available();
    }

    fn queue_emptied(queue: &mut FairQueue) {
        queue.reset_children(0);
    }

    fn nodes_lost(_shard: &mut Shard) {}

    fn restarted_after_panic(_shard: &mut Shard) {}

    fn pass_lost(shard: &mut Shard) {
        shard.own.forget_pass();
        for app in 0..shard.apps.len() {
            shard.note_not_visited(u32::try_from(app).expect("slots are u32"));
        }
    }

    #[cfg(feature = "faults")]
    fn audited(shard: &Shard, folded: bool, _agreed: &mut BTreeMap<String, String>, wrong: &mut Vec<String>) {
        shard.audit_owed(wrong);
        shard.audit_places(folded, wrong);
    }
}
