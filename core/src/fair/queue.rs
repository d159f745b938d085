//! The FairScheduler's part of a queue: its children in order, and what lets whole subtrees be skipped.
//!
//! Children are kept in winner trees on their policy's key; a change of usage replays one path a level: O(depth x log
//! children). Where a child has no key (weight 0 under drf, a custom policy without one) its queue is sorted anew for
//! each descent, as Hadoop does.

use crate::engine::books::affinity::usage_of_stranger;
use crate::engine::parts::QueuePart;
use crate::fair::engine::{AppLocal, QueueLocal};
use crate::fair::published::{FairPublished, Share};
use crate::id::NONE;
use crate::order::WinnerTree;
use crate::policy::{ClusterTotal, OrderKey, Schedulable, SchedulingPolicy, Tie};
use crate::prefetch::prefetch;
use crate::resource::Resource;
use crate::shares::{Drf, Fair};
use crate::sync::Arc;
use std::any::Any;
#[cfg(all(target_pointer_width = "64", not(shuttle)))]
use std::mem::offset_of;

/// What the FairScheduler keeps of a queue. What every grant and end below it touches comes first, in two cache lines,
/// beside the engine's one: of the min share memory and vcores.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct FairQueue {
    /// Children by position: the slot of the child queue or application, what it [is](Child), and the order of those
    /// that can be served at all.
    pub(crate) order: WinnerTree,
    name_order: u64,
    /// How many may be offered a node.
    pub(crate) eligible: u32,
    /// How many that take part in the order have no key.
    irregular: u32,
    weight: f32,
    /// Of these, those with nobody below who is at home with this worker.
    strangers: u32,
    /// How many containers more a [stranger](crate::engine::books::affinity) may count than it has.
    slack: u32,
    /// The policy is drf, whose keys are made without a call.
    is_drf: bool,
    /// The policy is one of those whose order is by usage.
    orders_by_usage: bool,
    /// Some ask below is large enough for a reservation; kept like `floor`.
    pub(crate) may_reserve: bool,
    /// A visit of somebody below may do more than count where nothing fits; kept like `floor`.
    pub(crate) uneven: bool,
    /// Of a leaf: by position, applications that wait for their AM's container. Apart from the others, so that all of
    /// them can be passed over at once when the AM share is used up. Made when somebody first waits.
    masters: Option<Box<WinnerTree>>,
    min_share: Resource,
    /// No outstanding ask below is smaller in any type: a lower bound, lowered by new asks, computed anew by each
    /// update.
    pub(crate) floor: Resource,
    /// Of a leaf: no AM that is waited for is smaller in any type; kept like `floor`.
    pub(crate) master_floor: Resource,
    pub(crate) demand: Resource,
    pub(crate) fair_share: Resource,
    /// No outstanding ask below that is not uneven is larger in any type; kept like `floor`.
    pub(crate) ceiling: Resource,
    policy: Arc<dyn SchedulingPolicy>,
}

#[cfg(all(target_pointer_width = "64", not(shuttle)))]
const _: () = assert!(
    offset_of!(QueueLocal, usage) + 16 <= 64
        && offset_of!(QueueLocal, own) % 64 == 0
        && offset_of!(FairQueue, min_share) + 16 <= 128,
    "three lines"
);

/// What a child is, in bits: compared with every change of usage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Child(u8);

impl Child {
    /// May be offered a node.
    const ELIGIBLE: u8 = 1;
    /// A member of the order without a key.
    const IRREGULAR: u8 = 2;
    /// An application that waits for its AM.
    const WAITS: u8 = 4;
    /// May be offered a node, and is no one's who is at home here.
    const STRANGER: u8 = 8;

    #[inline]
    fn new(eligible: bool, irregular: bool, waits: bool) -> Child {
        Child(u8::from(eligible) | u8::from(irregular) << 1 | u8::from(waits) << 2)
    }

    #[inline]
    fn of_stranger(self, stranger: bool) -> Child {
        Child(self.0 | u8::from(stranger && self.0 & Child::ELIGIBLE != 0) << 3)
    }

    #[inline]
    fn count(self, bit: u8) -> u32 {
        u32::from(self.0 & bit != 0)
    }
}

fn is_drf(policy: &Arc<dyn SchedulingPolicy>) -> bool {
    let policy: &dyn Any = &**policy;
    policy.is::<Drf>()
}

/// Whether siblings stand in the order of what they use, and in no other.
fn orders_by_usage(policy: &Arc<dyn SchedulingPolicy>) -> bool {
    let policy: &dyn Any = &**policy;
    policy.is::<Drf>() || policy.is::<Fair>()
}

impl QueueLocal {
    pub(crate) fn schedulable(&self) -> Schedulable<'_> {
        Schedulable {
            usage: &self.usage,
            demand: &self.own.demand,
            min_share: &self.own.min_share,
            weight: self.own.weight,
            tie: Tie { start_ms: 0, name: self.own.name_order },
        }
    }
}

impl QueuePart for FairQueue {
    #[inline]
    fn prefetch_asks(&self) {
        prefetch(&self.floor);
    }

    #[inline]
    fn prefetch_change(&self, position: u32) {
        prefetch(&self.min_share);
        self.order.prefetch_change(position);
    }

    #[inline]
    fn prefetch_comparison(&self) {
        self.order.prefetch_ties();
    }
}

impl FairQueue {
    /// Of a queue that a worker has just heard of.
    pub(crate) fn new(published: &FairPublished, share: Share, slack: u32) -> FairQueue {
        FairQueue {
            policy: published.policy.clone(),
            is_drf: is_drf(&published.policy),
            orders_by_usage: orders_by_usage(&published.policy),
            slack,
            strangers: 0,
            weight: published.weight,
            name_order: published.name_order,
            min_share: published.min_share,
            demand: share.demand,
            fair_share: share.fair_share,
            order: WinnerTree::default(),
            masters: None,
            master_floor: Resource::UNBOUNDED,
            eligible: 0,
            irregular: 0,
            floor: Resource::UNBOUNDED,
            may_reserve: false,
            uneven: false,
            ceiling: Resource::ZERO,
        }
    }

    /// The same queue has other settings.
    pub(crate) fn renew(&mut self, published: &FairPublished) {
        let FairPublished { policy, weight, min_share, name_order, .. } = published;
        self.policy = policy.clone();
        self.is_drf = is_drf(policy);
        self.orders_by_usage = orders_by_usage(policy);
        self.weight = *weight;
        self.name_order = *name_order;
        self.min_share = *min_share;
    }

    /// Whether the child at a position may be offered a node.
    pub(crate) fn has_eligible(&self, position: u32) -> bool {
        self.order.note(position).is_some_and(|child| child & Child::ELIGIBLE != 0)
    }

    /// Whether the child at a position is put in order as a stranger.
    pub(crate) fn has_stranger(&self, position: u32) -> bool {
        self.order.note(position).is_some_and(|child| child & Child::STRANGER != 0)
    }

    /// Whether nobody below who may be offered a node is at home with this worker.
    #[inline]
    pub(crate) fn is_stranger(&self) -> bool {
        self.strangers > 0 && self.strangers == self.eligible
    }

    /// Whether the application at a position may be offered a node, and stands among those that do, or do not, wait for
    /// their AM.
    pub(crate) fn has_place_as(&self, position: u32, waits: bool) -> bool {
        let place = |child: Child| child.0 & (Child::ELIGIBLE | Child::WAITS);
        self.order.note(position).is_some_and(|child| place(Child(child)) == place(Child::new(true, false, waits)))
    }

    /// Of a leaf: applications that wait for their AM's container, in order, if there are any.
    #[inline]
    pub(crate) fn masters(&self) -> Option<&WinnerTree> {
        self.masters.as_deref()
    }

    /// The same, to take some out and put them back.
    #[inline]
    pub(crate) fn masters_mut(&mut self) -> Option<&mut WinnerTree> {
        self.masters.as_deref_mut()
    }

    /// Puts one of its child queues in place.
    #[inline]
    pub(crate) fn place_queue(&mut self, child: &QueueLocal, cluster: &ClusterTotal) {
        let (position, eligible) = (child.position, child.own.eligible > 0);
        if child.own.is_stranger() {
            self.place_stranger(position, &child.schedulable(), &child.own.floor, cluster);
        } else if self.keys_are_pairs(cluster) {
            let key = Drf.key(cluster, &child.schedulable());
            self.update_child(position, true, eligible, key);
        } else {
            self.place_queue_by_policy(child, cluster);
        }
    }

    /// Puts one in place that may be offered a node, and that another worker had better serve.
    #[inline(never)]
    fn place_stranger(&mut self, position: u32, child: &Schedulable<'_>, floor: &Resource, cluster: &ClusterTotal) {
        let slack = if self.orders_by_usage { self.slack } else { 0 };
        let usage = usage_of_stranger(slack, child.usage, floor);
        let child = Schedulable { usage: &usage, ..*child };
        let key =
            if self.keys_are_pairs(cluster) { Drf.key(cluster, &child) } else { self.policy.key(cluster, &child) };
        let what = Child::new(true, key.is_none(), false).of_stranger(true);
        self.put_child(position, what, key);
    }

    /// Whether keys are made here, in registers, and not by a call of the policy: the same keys.
    #[inline(always)]
    fn keys_are_pairs(&self, cluster: &ClusterTotal) -> bool {
        self.is_drf && cluster.types == 2
    }

    #[inline(never)]
    fn place_queue_by_policy(&mut self, child: &QueueLocal, cluster: &ClusterTotal) {
        let key = self.policy.key(cluster, &child.schedulable());
        self.update_child(child.position, true, child.own.eligible > 0, key);
    }

    /// Puts one of a leaf's runnable applications in place; one that waits for its AM stands apart. `passes`: how many
    /// its worker has counted [in vain](crate::fair::in_vain).
    #[inline]
    pub(crate) fn place_app(&mut self, app: &AppLocal, cluster: &ClusterTotal, passes: u64) {
        let position = app.position;
        if app.waits_for_am() {
            self.place_master(app, cluster);
            app.own.missed.note(app, false, passes);
            return;
        }
        self.clear_master(position);
        let eligible = app.is_pending() && app.has_open_key();
        if !app.is_pending() {
            self.update_child(position, false, false, None);
        } else if app.own.stranger && eligible {
            self.place_stranger(position, &app.schedulable(), &app.own.floor, cluster);
        } else if self.keys_are_pairs(cluster) {
            let key = Drf.key(cluster, &app.schedulable());
            self.update_child(position, true, eligible, key);
        } else {
            self.place_app_by_policy(app, eligible, cluster);
        }
        app.own.missed.note(app, eligible, passes);
    }

    #[inline(never)]
    fn place_app_by_policy(&mut self, app: &AppLocal, eligible: bool, cluster: &ClusterTotal) {
        let key = self.policy.key(cluster, &app.schedulable());
        self.update_child(app.position, true, eligible, key);
    }

    #[inline(never)]
    fn place_master(&mut self, app: &AppLocal, cluster: &ClusterTotal) {
        let (position, member) = (app.position, app.is_pending());
        let eligible = member && app.has_open_key();
        let key = if member { self.policy.key(cluster, &app.schedulable()) } else { None };
        self.count_child(position, Child::new(eligible, member && key.is_none(), true).of_stranger(app.own.stranger));
        self.order.clear(position);
        let order = &self.order;
        let masters = self.masters.get_or_insert_with(|| Box::new(WinnerTree::of(order.len())));
        match key {
            Some(key) if eligible => masters.set(position, &key),
            _ => masters.clear(position),
        }
    }

    /// Nobody stands at a position of a leaf any more.
    pub(crate) fn remove_app(&mut self, position: u32) {
        self.order.set_child(position, NONE);
        self.clear_master(position);
        self.update_child(position, false, false, None);
    }

    /// Whether children must be sorted anew for each descent.
    pub(crate) fn has_irregular(&self) -> bool {
        self.irregular > 0
    }

    pub(crate) fn reset_children(&mut self, count: usize) {
        self.order.reset(count);
        self.masters = None;
        self.eligible = 0;
        self.strangers = 0;
        self.irregular = 0;
    }

    /// Notes what a child is now. A member takes part in Hadoop's order, whether or not it can be served: without a key
    /// it can change the places of the others.
    #[inline(always)]
    fn update_child(&mut self, position: u32, member: bool, eligible: bool, key: Option<OrderKey>) {
        self.put_child(position, Child::new(eligible, member && key.is_none(), false), key);
    }

    #[inline(always)]
    fn put_child(&mut self, position: u32, what: Child, key: Option<OrderKey>) {
        let before = self.count_child(position, what);
        match key {
            Some(key) if what.0 & Child::ELIGIBLE != 0 => self.order.set(position, &key),
            // Mostly it is out already.
            _ if before.0 & (Child::ELIGIBLE | Child::IRREGULAR | Child::WAITS) != Child::ELIGIBLE => {}
            _ => self.order.clear(position),
        }
    }

    /// Nobody who waits for an AM stands at a position.
    #[inline]
    fn clear_master(&mut self, position: u32) {
        if let Some(masters) = &mut self.masters {
            masters.clear(position);
        }
    }

    /// Gives what it was before.
    #[inline]
    fn count_child(&mut self, position: u32, new: Child) -> Child {
        let old = Child(self.order.replace_note(position, new.0));
        if old != new {
            self.eligible = self.eligible + new.count(Child::ELIGIBLE) - old.count(Child::ELIGIBLE);
            self.strangers = self.strangers + new.count(Child::STRANGER) - old.count(Child::STRANGER);
            self.irregular = self.irregular + new.count(Child::IRREGULAR) - old.count(Child::IRREGULAR);
        }
        old
    }
}
