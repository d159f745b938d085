//! Whose containers a round of the preemption policy chooses (rules/capacity.md 25, rules/node-labels.md 19).
//!
//! Works on the worker's books, and on what a [survey](super::survey) has brought of the others. It changes nothing
//! there, but that limits of users are worked out, fair leaves put in order and, where that is allowed, reservations
//! moved, as in Hadoop. What becomes of the choice is its caller's.

use super::takings::Takings;
use crate::capacity::books::Books;
use crate::capacity::rules::leaf::SharedEntry;
use crate::capacity::rules::order::{AppOrder, compare_fair};
use crate::capacity::rules::ordered::AppEntry;
use crate::capacity::rules::partition::Partition;
use crate::capacity::rules::preempted::{Candidate, Facts, Live, NodeIn, OnNode, ReservedIn};
use crate::capacity::rules::preemption::{
    AppIn, ByPriority, Entry, Held, HoldsRoom, Plan, Round, SeenNode, Selection, UserIn, Victim, by_priority, cheapest,
    match_demands,
};
use crate::capacity::rules::users::Sharing;
use crate::capacity::types::Shard;
use crate::clock::java_ms;
use crate::config::capacity::{PreemptionOrder, PreemptionSettings, QueueOrdering};
use crate::engine::books::ledger::NodeShared;
use crate::id::{ContainerNumber, LabelId, NodeId};
use crate::resource::Resource;
use crate::resource::sorted;
use crate::sync::Arc;
use rustc_hash::FxHashMap;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

/// The applications of a leaf in a round; names of its users, and themselves.
type Within = (Vec<AppIn>, Vec<String>, Vec<UserIn>);

/// What one round has chosen.
#[derive(Debug, Default)]
pub(crate) struct Chosen {
    /// With how long it is let run after its mark, in ms.
    pub(crate) containers: BTreeMap<Candidate, i64>,
    /// Reservations that end at once.
    pub(crate) reservations: BTreeSet<Candidate>,
    /// What was chosen as the reservation that it once was: as in Hadoop its end has no effect, if it is a container.
    pub(crate) as_reserved: BTreeSet<Candidate>,
    /// As in Hadoop the round has failed: what was chosen is of no effect.
    pub(crate) has_failed: bool,
}

/// Something that was chosen.
#[derive(Clone, Copy, Debug)]
struct Known {
    leaf: u32,
    size: Resource,
    /// Of its node, and of the ask.
    label: LabelId,
    asked: LabelId,
}

/// A round under way.
struct Under<'a> {
    settings: &'a PreemptionSettings,
    /// The partitions, and a round for each; all have the same queues.
    labels: Vec<LabelId>,
    rounds: Vec<Round>,
    /// The slots of the rounds' entries.
    slots: Vec<u32>,
    budget: Resource,
    chosen: Chosen,
    /// Those chosen by node, or from a leaf's list: they may have ended.
    known: BTreeMap<Candidate, Known>,
    /// The labels of nodes, where there are labels.
    nodes: FxHashMap<NodeId, LabelId>,
}

impl Under<'_> {
    /// Queues have the same children in all partitions.
    fn leaves(&self) -> impl Iterator<Item = (usize, u32)> + '_ {
        let leaves = self.rounds[0].entries.iter().zip(&self.slots).enumerate();
        leaves.filter(|(_, (entry, _))| entry.children.is_empty()).map(|(at, (_, slot))| (at, *slot))
    }

    fn part(&self, label: LabelId) -> Option<usize> {
        self.labels.iter().position(|other| *other == label)
    }

    fn at(&self, slot: u32) -> Option<usize> {
        self.slots.iter().position(|other| *other == slot)
    }

    fn selection(&mut self, cluster: Resource) -> Selection<'_> {
        Selection { rounds: &self.rounds, cluster, budget: &mut self.budget }
    }

    fn choose_on_nodes(&mut self, victims: Vec<Victim>, wait: i64) {
        for Victim { id, leaf, size, part, asked } in victims {
            self.chosen.containers.insert(id, wait);
            self.known.insert(id, Known { leaf: self.slots[leaf], size, label: self.labels[part], asked });
        }
    }
}

/// Whether what was marked then has been let run for so long. What would be after the end of time is never over.
pub(crate) fn is_let_run(since_ms: u64, wait_ms: i64, now_ms: u64) -> bool {
    java_ms(since_ms).checked_add(wait_ms).is_some_and(|until_ms| until_ms <= java_ms(now_ms))
}

/// Whether a round still knows of what was marked then. Twice the wait as Java multiplies: with more than 2^62 ms, or
/// less than none, each round forgets what it has marked and marks it anew, and nothing is killed.
pub(crate) fn is_remembered(since_ms: u64, wait_ms: i64, now_ms: u64) -> bool {
    java_ms(since_ms).saturating_add(wait_ms.wrapping_mul(2)) >= java_ms(now_ms)
}

/// Chooses among what it is shown.
pub(crate) struct Chooser<'a> {
    pub(crate) shard: &'a mut Shard,
}

/// What a round looks at, of this worker and of those that were surveyed.
impl Chooser<'_> {
    fn books(&self) -> &Books {
        &self.shard.own.books
    }

    /// All nodes, or those on which something is reserved, in the order of their registration.
    fn nodes(&self, all: bool) -> Vec<NodeIn<Arc<NodeShared>>> {
        let mut nodes = self.shard.own_nodes(all);
        let others = self.shard.own.surveyed.nodes();
        if !others.is_empty() {
            // Those on which nothing is reserved any more are of no interest where that is asked for.
            nodes.extend(others.iter().filter(|node| all || node.held.is_some()).cloned());
            sorted::by_key(&mut nodes, |node| node.place.id);
        }
        nodes
    }

    fn killable_in<P: Partition>(&self, slot: u32, p: P) -> Resource {
        self.books().killable_in(slot, p).plus(&self.shard.own.surveyed.killable_in(slot, p.label()))
    }

    fn is_killable(&self, candidate: Candidate) -> bool {
        if self.shard.own.surveyed.is_killable(candidate) {
            return true;
        }
        let mut queues = self.books().queues.iter().flatten().filter(|queue| queue.leaf.is_some());
        queues.any(|queue| {
            let of_parts = || queue.parts.iter().any(|part| part.counts.killable.contains_key(&candidate));
            queue.counts.killable.contains_key(&candidate) || of_parts()
        })
    }

    fn facts<P: Partition>(&self, entry: AppEntry, p: P) -> Facts {
        let books = self.books();
        let app = &books.apps[entry];
        // Of one that has ended the engine has nothing.
        let lives = books.apps.entry(app.number) == Some(entry);
        let waits_for_am = lives && self.shard.app(app.slot).waits_for_am();
        Facts {
            user: app.user.to_string(),
            priority: app.priority,
            am: app.am_in(p),
            waits_for_am,
            used: app.used_in(p),
            reserved: app.reserved_in(p).plus(&app.others_in(p).reserved),
            pending: app.pending_in(p).amount(),
        }
    }

    /// None where it has ended.
    fn leaf_of(&self, app: u32) -> Option<u32> {
        self.books().find(app).map(|app| app.leaf)
    }

    /// Whether its application has moved to another leaf while it stood: then Hadoop knows it by that leaf's path.
    fn has_moved_along(&self, candidate: Candidate) -> bool {
        self.books().find(candidate.0).is_some_and(|app| candidate.1 < app.moved_below)
    }

    fn containers(&self, app: u32) -> Vec<Live> {
        let Some(slot) = self.books().find(app).map(|app| app.slot) else { return Vec::new() };
        let mut containers = self.shard.own_containers(slot);
        containers.extend_from_slice(self.shard.own.surveyed.containers(app));
        containers
    }

    /// In the order in which they were made.
    fn reservations(&self, app: u32) -> Vec<ReservedIn> {
        let Some(slot) = self.books().find(app).map(|app| app.slot) else { return Vec::new() };
        let mut reservations = self.shard.own_reservations(slot);
        reservations.extend_from_slice(self.shard.own.surveyed.reservations(app));
        reservations
    }
}

impl Chooser<'_> {
    /// One round's choice (rules/capacity.md 25.1).
    pub(crate) fn choose(&mut self, settings: &PreemptionSettings, for_higher: Option<ByPriority>) -> Chosen {
        let (slots, labels) = (self.books().in_order(), self.labels());
        let of_label = |label: &LabelId| in_partition!(self.shard, *label, |p| self.snapshot(settings, &slots, p));
        let rounds = labels.iter().map(of_label).collect();
        let budget = self.books().cluster.times(f64::from(settings.total_per_round));
        let (chosen, known) = (Chosen::default(), BTreeMap::new());
        let nodes = self.shard.nodes.present().filter(|_| self.books().has_labels());
        let nodes = nodes.map(|(_, node)| (node.shared.id, node.label));
        let nodes = nodes.chain(self.shard.own.surveyed.labels.iter().map(|(node, label)| (*node, *label))).collect();
        let mut under = Under { settings, labels, rounds, slots, budget, chosen, known, nodes };
        let wait = settings.max_wait_before_kill_ms;
        if let Some(how) = for_higher {
            self.choose_by_priority(&mut under, how, wait);
        }
        if settings.select_based_on_reserved_containers {
            self.choose_cheapest(&mut under, wait);
        }
        self.choose_between(&mut under, false, wait);
        if settings.balance_beyond_guaranteed {
            let own = settings.balance_max_wait_before_kill_ms;
            self.choose_between(&mut under, true, if own > 0 { own } else { wait });
        }
        if settings.intra_queue {
            self.choose_within(&mut under, wait);
        }
        under.chosen
    }

    /// The partitions that a round looks at, in their order.
    fn labels(&self) -> Vec<LabelId> {
        if !self.books().has_labels() {
            return vec![LabelId::NONE];
        }
        let labels = &self.books().labels;
        let there = labels.by_name().map(|(_, label)| label).filter(|label| labels.partition(*label).is_some());
        there.collect()
    }

    /// What each queue has of a partition, is guaranteed and waits for there, as the round goes by it
    /// (rules/capacity.md 25.1.2).
    fn snapshot<P: Partition>(&mut self, settings: &PreemptionSettings, slots: &[u32], p: P) -> Round {
        let at = |slot: u32| slots.iter().position(|other| *other == slot);
        let mut entries = Vec::with_capacity(slots.len());
        let is_lent = {
            let labels = &self.books().labels;
            !p.is_first() && labels.partition(p.label()).is_some_and(|partition| !partition.exclusive)
        };
        for slot in slots {
            let (pending, pending_unreserved) = if self.books().is_leaf(*slot) {
                (self.waits_for(*slot, false, p), self.waits_for(*slot, true, p))
            } else {
                Default::default()
            };
            let node = self.books().node(*slot);
            let of_siblings = node.parent.and_then(|parent| self.books().node(parent).config.as_parent());
            let by_priority = of_siblings.is_some_and(|parent| parent.ordering == QueueOrdering::PriorityUtilization);
            let figures = self.books().figures_for(node, p);
            let or_part = |amount: &Resource, part: f32| {
                if amount.is_zero() { self.books().size(p).times(f64::from(part)) } else { *amount }
            };
            let most = if is_lent { 1.0 } else { figures.absolute_maximum_capacity };
            let counts = self.books().counts_in(*slot, p);
            entries.push(Entry {
                used: counts.used,
                reserved: counts.reserved,
                killable: self.killable_in(*slot, p),
                pending,
                pending_unreserved,
                guaranteed: or_part(&figures.effective_minimum, figures.absolute_capacity),
                maximum: or_part(&figures.effective_maximum, most),
                absolute_capacity: figures.absolute_capacity,
                priority: if by_priority { node.config.priority } else { 0 },
                disabled: node.config.preemption_disabled,
                children: node.children.iter().filter_map(|child| at(*child)).collect(),
                ..Entry::default()
            });
        }
        // Children stand behind their parents.
        for parent in (0..entries.len()).rev() {
            for child in entries[parent].children.clone() {
                let (pending, unreserved) = (entries[child].pending, entries[child].pending_unreserved);
                entries[parent].pending = entries[parent].pending.saturating_plus(&pending);
                entries[parent].pending_unreserved = entries[parent].pending_unreserved.saturating_plus(&unreserved);
            }
        }
        Round {
            arith: self.books().arith,
            entries,
            under_served: Vec::new(),
            max_ignored_over_capacity: settings.max_ignored_over_capacity,
            natural_termination_factor: settings.natural_termination_factor,
            counts_reserved: settings.additional_balance_based_on_reserved_containers,
        }
    }

    /// What a leaf's active applications wait for, within what is left of their users' limits.
    fn waits_for<P: Partition>(&mut self, slot: u32, without_reserved: bool, p: P) -> Resource {
        let none = Resource::ZERO;
        let mut left: BTreeMap<String, Resource> = BTreeMap::new();
        let mut sum = none;
        for entry in self.books().leaf(slot).active.iter().collect::<Vec<_>>() {
            let app = self.facts(entry, p);
            let (user, pending, reserved) = (app.user, app.pending, app.reserved);
            if !left.contains_key(&user) {
                let weight = self.books().queue(slot).published.user_weight(&user);
                let (by, leaf, _) = self.shard.own.books.limits_of_leaf(slot, p);
                let record = leaf.users.ensure(&user, || weight);
                let limit = leaf.users.limit_of(&user, Sharing::Active, &by, p);
                left.insert(user.clone(), limit.minus(&leaf.users.at(record).used_in(p)).most(&none));
            }
            let pending = if without_reserved { pending.minus(&reserved).most(&none) } else { pending };
            let of_user = left.entry(user).or_default();
            let counted = of_user.least(&pending);
            *of_user = of_user.minus(&counted);
            sum = sum.saturating_plus(&counted);
        }
        sum
    }

    // ------------------------------------------------------------------------------------------------ by what is
    // reserved

    /// The leaves among the round's entries whose containers Hadoop knows by their paths: those of whose last name
    /// there is one queue.
    fn known_by_path(&self, under: &Under<'_>) -> BTreeMap<u32, usize> {
        let name = |slot: u32| self.books().node(slot).config.path.rsplit('.').next().unwrap_or_default();
        let mut of_name: BTreeMap<&str, usize> = BTreeMap::new();
        under.slots.iter().for_each(|slot| *of_name.entry(name(*slot)).or_default() += 1);
        under.leaves().filter(|(_, slot)| of_name.get(name(*slot)) == Some(&1)).map(|(at, slot)| (slot, at)).collect()
    }

    fn seen(&self, nodes: &[NodeIn<Arc<NodeShared>>], under: &Under<'_>) -> Vec<SeenNode> {
        let known = self.known_by_path(under);
        let at = |slot: Option<u32>, candidate: Candidate| match slot? {
            slot if self.has_moved_along(candidate) => under.slots.iter().position(|other| *other == slot),
            slot => known.get(&slot).copied(),
        };
        let holds_room = |on: &OnNode| {
            let leaf = at(on.leaf.or_else(|| self.leaf_of(on.candidate.0)), on.candidate);
            HoldsRoom { id: on.candidate, size: on.size, asked: on.asked, am: on.am, killable: on.killable, leaf }
        };
        let as_seen = |node: &NodeIn<Arc<NodeShared>>| {
            let part = under.part(node.label);
            // Its label is going: nothing is known of its partition.
            SeenNode {
                part: part.unwrap_or_default(),
                free: node.free,
                killable: node.killable,
                held: node.held.filter(|_| part.is_some()).map(|held| Held {
                    size: held.size,
                    leaf: at(self.leaf_of(held.candidate.0), held.candidate),
                    since_ms: held.since_ms,
                    may_move: held.may_move,
                }),
                containers: node.containers.iter().filter(|_| part.is_some()).map(holds_room).collect(),
            }
        };
        nodes.iter().map(as_seen).collect()
    }

    fn choose_by_priority(&mut self, under: &mut Under<'_>, how: ByPriority, wait: i64) {
        let mut nodes = self.nodes(how.moves);
        let seen = self.seen(&nodes, under);
        let (victims, moved) = by_priority(under.selection(self.books().cluster), seen, how);
        under.choose_on_nodes(victims, wait);
        for (from, to) in moved {
            if let Some(held) = nodes[from].held.take() {
                self.shard.order_move(&held, &nodes[from].place, &nodes[to].place);
            }
        }
    }

    fn choose_cheapest(&mut self, under: &mut Under<'_>, wait: i64) {
        let cluster = self.books().cluster;
        // Here all that a leaf has too much counts, and what is reserved counts as asked for.
        for round in &mut under.rounds {
            let counts_reserved = std::mem::replace(&mut round.counts_reserved, true);
            round.compute(&under.budget, &cluster, false);
            round.counts_reserved = counts_reserved;
        }
        let nodes = self.seen(&self.nodes(false), under);
        let chosen: BTreeSet<Candidate> = under.chosen.containers.keys().copied().collect();
        let victims = cheapest(under.selection(cluster), &nodes, &chosen);
        under.choose_on_nodes(victims, wait);
    }

    // ------------------------------------------------------------------------------------------------ between queues

    /// Of leaves that have more than they should, what is to be obtained from each, the least important application
    /// first (rules/capacity.md 25.3).
    fn choose_between(&mut self, under: &mut Under<'_>, balances: bool, wait: i64) {
        let (arith, cluster) = (self.books().arith, self.books().cluster);
        under.rounds.iter_mut().for_each(|round| round.compute(&under.budget, &cluster, balances));
        self.deduct(under);
        // A parent may be without children too: one that makes them.
        let leaves: Vec<(usize, u32)> = under.leaves().filter(|(_, slot)| self.books().is_leaf(*slot)).collect();
        for (at, slot) in leaves {
            if under.rounds[0].entries[at].disabled {
                continue;
            }
            let amounts = under.rounds.iter().map(|round| round.entries[at].to_obtain);
            let wanted = amounts.map(|amount| arith.is_greater(&cluster, &amount, &Resource::ZERO).then_some(amount));
            let mut takings = Takings::of(wanted, under.settings.conservative_drf, arith, cluster);
            for part in takings.open() {
                self.take_shared((slot, under.labels[part]), under, &mut takings, wait);
            }
            let mut masters = Vec::new();
            self.shard.own.books.reorder(slot);
            for entry in self.last_to_first(slot) {
                if takings.are_done() {
                    break;
                }
                let app = self.books().rank(entry).number;
                self.take_from(app, under, &mut takings, &mut masters, wait);
            }
            self.take_masters(slot, under, &mut takings, &masters, wait);
        }
    }

    /// First goes what was asked for on nodes without a label and stands in a partition that is to give
    /// (rules/node-labels.md 19). A node that is gone ends the round, as in Hadoop.
    fn take_shared(&self, (slot, label): (u32, LabelId), under: &mut Under<'_>, takings: &mut Takings, wait: i64) {
        let here = self.books().leaf(slot).part(label).map(|part| &part.shared);
        let here = here.into_iter().flatten().map(|(candidate, entry)| (*candidate, *entry));
        let elsewhere = self.shard.own.surveyed.on_lent_nodes.get(&(slot, label)).into_iter().flatten().copied();
        let all: BTreeMap<Candidate, SharedEntry> = here.chain(elsewhere).collect();
        for (candidate, entry) in all.iter().rev() {
            if under.chosen.containers.contains_key(candidate) {
                continue;
            }
            let Some(label) = under.nodes.get(&entry.node).copied() else {
                under.chosen.has_failed = true;
                return;
            };
            if takings.take(under.part(label), &entry.size, &mut under.budget) {
                under.chosen.containers.insert(*candidate, wait);
                let known = Known { leaf: slot, size: entry.size, label, asked: LabelId::NONE };
                under.known.insert(*candidate, known);
                if entry.was_reserved {
                    under.chosen.as_reserved.insert(*candidate);
                }
            }
        }
    }

    fn deduct(&self, under: &mut Under<'_>) {
        let chosen: Vec<Candidate> = under.chosen.containers.keys().copied().collect();
        for (app, number) in chosen {
            let Some(known) = self.known(under, app, number) else { continue };
            if let Some((at, part)) = under.at(known.leaf).zip(under.part(known.label)) {
                under.rounds[part].deduct(at, &known.size, &self.books().cluster);
            }
        }
    }

    /// What is known of a container or a reservation.
    fn known(&self, under: &Under<'_>, app: u32, number: ContainerNumber) -> Option<Known> {
        if let Some(known) = under.known.get(&(app, number)) {
            return Some(*known);
        }
        let leaf = self.leaf_of(app)?;
        let container = self.containers(app).into_iter().find(|live| live.number == number);
        let of_container = container.map(|Live { size, label, asked, .. }| Known { leaf, size, label, asked });
        of_container.or_else(|| {
            let ReservedIn { size, label, asked, .. } =
                self.reservations(app).into_iter().find(|reserved| reserved.number == number)?;
            Some(Known { leaf, size, label, asked })
        })
    }

    fn last_to_first(&self, slot: u32) -> Vec<AppEntry> {
        let order = self.books().app_order(slot);
        self.books().leaf(slot).active.backwards(order, |entry| self.books().rank(entry))
    }

    /// Live containers: of the largest priority number first, then the newest.
    fn live_of(&self, app: u32) -> Vec<Live> {
        let mut live = self.containers(app);
        sorted::by(&mut live, |a, b| b.priority.cmp(&a.priority).then(b.number.cmp(&a.number)));
        live
    }

    fn take_from(
        &self,
        app: u32,
        under: &mut Under<'_>,
        takings: &mut Takings,
        masters: &mut Vec<(Candidate, Live)>,
        wait: i64,
    ) {
        for ReservedIn { number, size, label, .. } in self.reservations(app) {
            let candidate = (app, number);
            if under.chosen.containers.contains_key(&candidate) {
                continue;
            }
            if takings.are_done() {
                return;
            }
            if takings.take(under.part(label), &size, &mut under.budget) {
                under.chosen.containers.insert(candidate, wait);
            }
            under.chosen.reservations.insert(candidate);
        }
        for live in self.live_of(app) {
            let candidate = (app, live.number);
            if takings.are_done() {
                return;
            }
            if under.chosen.containers.contains_key(&candidate) || self.is_killable(candidate) {
                continue;
            }
            if live.am {
                masters.push((candidate, live));
            } else if takings.take(under.part(live.label), &live.size, &mut under.budget) {
                under.chosen.containers.insert(candidate, wait);
            }
        }
    }

    /// AMs go last, and only down to what AMs may have.
    fn take_masters(
        &self,
        slot: u32,
        under: &mut Under<'_>,
        takings: &mut Takings,
        masters: &[(Candidate, Live)],
        wait: i64,
    ) {
        let (arith, cluster) = (self.books().arith, &self.books().cluster);
        let node = self.books().node(slot);
        let percent = node.leaf().map_or(0.0, |leaf| leaf.max_am_resource_percent);
        let kept = node.guaranteed().times(f64::from(percent));
        let mut left = masters.iter().fold(Resource::ZERO, |sum, (_, live)| sum.plus(&live.size));
        for (candidate, Live { size, label, .. }) in masters {
            if takings.are_done() || !arith.is_greater(cluster, &left, &kept) {
                break;
            }
            if takings.take(under.part(*label), size, &mut under.budget) {
                under.chosen.containers.insert(*candidate, wait);
                left = left.minus(size);
            }
        }
    }

    // ------------------------------------------------------------------------------------------------ within queues

    /// Within a leaf, what more important applications lack is taken from less important ones (rules/capacity.md 25.5).
    fn choose_within(&mut self, under: &mut Under<'_>, wait: i64) {
        // By partition and queue.
        let mut plans: BTreeMap<(usize, usize), Within> = BTreeMap::new();
        let under_served: Vec<Vec<usize>> = under.rounds.iter().map(|round| round.under_served.clone()).collect();
        for (part, leaves) in under_served.iter().enumerate() {
            for at in leaves.iter().copied().filter(|at| self.books().is_leaf(under.slots[*at])).collect::<Vec<_>>() {
                let label = under.labels[part];
                if let Some(plan) = in_partition!(self.shard, label, |p| self.plan_within(under, (part, at), p)) {
                    plans.insert((part, at), plan);
                }
            }
        }
        self.deduct(under);
        let chosen: Vec<Candidate> = under.chosen.containers.keys().copied().collect();
        for (app, number) in chosen {
            let Some(Known { leaf, size, label, .. }) = self.known(under, app, number) else { continue };
            let place = under.part(label).zip(under.at(leaf));
            for app in place.and_then(|place| plans.get_mut(&place)).into_iter().flat_map(|(apps, _, _)| apps) {
                if self.books().arith.is_greater(&self.books().cluster, &app.taken, &size) {
                    app.taken = app.taken.minus(&size);
                }
            }
        }
        for (part, leaves) in under_served.iter().enumerate() {
            for at in leaves {
                let config = &self.books().node(under.slots[*at]).config;
                if config.preemption_disabled || config.intra_queue_preemption_disabled {
                    continue;
                }
                if plans.contains_key(&(part, *at)) {
                    self.choose_in_leaf(under, (part, *at), &plans, wait);
                }
            }
        }
    }

    fn plan_within<P: Partition>(&mut self, under: &Under<'_>, (part, at): (usize, usize), p: P) -> Option<Within> {
        let (slot, entry, settings) = (under.slots[at], &under.rounds[part].entries[at], under.settings);
        if self.books().counts_in(slot, p).used_capacity < settings.intra_queue_minimum_threshold {
            return None;
        }
        let user_limit_first = settings.intra_queue_order == PreemptionOrder::UserLimitFirst;
        let none = Resource::ZERO;
        let leaf = self.books().leaf(slot);
        let active: Vec<AppEntry> = leaf.active.iter().collect();
        let by_number = |entry: AppEntry| (self.books().rank(entry).number, entry);
        let all: BTreeMap<u32, AppEntry> = leaf.pending.iter().chain(active.iter().copied()).map(by_number).collect();
        if all.len() == 1 {
            return Some((Vec::new(), Vec::new(), Vec::new()));
        }
        let (mut apps, mut names, mut users): Within = Default::default();
        for (number, entry) in &all {
            let local = self.facts(*entry, p);
            let name = local.user.clone();
            let user = names.iter().position(|other| *other == name).unwrap_or_else(|| {
                names.push(name.clone());
                users.push(UserIn::default());
                names.len() - 1
            });
            let mut app = AppIn::new(*number, *entry, local.priority, user);
            app.used = local.used;
            app.am = if local.waits_for_am { none } else { local.am };
            app.pending = local.pending;
            let chosen = under.chosen.containers.keys().filter(|(app, _)| app == number);
            // As in Hadoop those that were asked for there.
            app.chosen = chosen
                .filter_map(|(app, number)| self.known(under, *app, *number))
                .filter(|known| known.asked == p.label())
                .fold(none, |sum, known| sum.plus(&known.size));
            apps.push(app);
        }
        for (name, user) in names.iter().zip(&mut users) {
            let weight = self.books().queue(slot).published.user_weight(name);
            let (by, leaf, _) = self.shard.own.books.limits_of_leaf(slot, p);
            let record = leaf.users.ensure(name, || weight);
            user.used = leaf.users.at(record).used_in(p);
            user.whole_limit = leaf.users.limit_of(name, Sharing::All, &by, p);
        }
        let mut of_masters = none;
        for entry in &active {
            let local = self.facts(*entry, p);
            of_masters = of_masters.plus(&local.am);
            if let Some(user) = names.iter().position(|name| *name == local.user) {
                users[user].am = users[user].am.plus(&local.am);
            }
        }
        self.put_in_order(slot, &mut apps, &users, user_limit_first);
        let (arith, cluster) = (self.books().arith, self.books().cluster);
        let allowed = entry.guaranteed.times(f64::from(settings.intra_queue_max_allowable_limit));
        let allowed = arith.most(&cluster, &allowed.minus(&entry.to_obtain), &none);
        let plan = Plan {
            arith,
            cluster,
            minimum: self.books().minimum,
            room: entry.used.minus(&entry.to_obtain).minus(&of_masters),
            cap: arith.least(&cluster, &allowed, &under.budget),
            conservative: settings.intra_queue_conservative_drf,
            user_limit_first,
        };
        match_demands(&mut apps, &mut users, &plan);
        Some((apps, names, users))
    }

    /// First to last.
    fn put_in_order(&self, slot: u32, apps: &mut [AppIn], users: &[UserIn], user_limit_first: bool) {
        let by_priority = |a: &AppIn, b: &AppIn| b.priority.cmp(&a.priority).then(a.number.cmp(&b.number));
        let fair = match self.books().app_order(slot) {
            AppOrder::Fair { size_based_weight } if user_limit_first => Some(size_based_weight),
            AppOrder::Fair { .. } | AppOrder::Fifo | AppOrder::Waiting => None,
        };
        let order = |a: &AppIn, b: &AppIn| -> Ordering {
            match fair {
                None => by_priority(a, b),
                Some(size_based) if a.user == b.user => {
                    compare_fair(&self.books().rank(a.entry), &self.books().rank(b.entry), size_based)
                }
                Some(_) => {
                    let (x, y) = (users[a.user].net(), users[b.user].net());
                    self.books().arith.compare(&self.books().cluster, &x, &y).then(a.number.cmp(&b.number))
                }
            }
        };
        sorted::by(apps, order);
    }

    /// Of the applications of a leaf, on the nodes of a partition.
    fn choose_in_leaf(
        &self,
        under: &mut Under<'_>,
        (part, at): (usize, usize),
        plans: &BTreeMap<(usize, usize), Within>,
        wait: i64,
    ) {
        let (arith, cluster, settings) = (self.books().arith, self.books().cluster, under.settings);
        let (slot, label) = (under.slots[at], under.labels[part]);
        let (apps, names, _) = &plans[&(part, at)];
        let user_limit_first = settings.intra_queue_order == PreemptionOrder::UserLimitFirst;
        let sum = apps.iter().fold(Resource::ZERO, |sum, app| sum.plus(&app.taken));
        let wanted = (0..under.rounds.len()).map(|other| (other == part).then_some(sum));
        let mut takings = Takings::of(wanted, settings.intra_queue_conservative_drf, arith, cluster);
        let in_use = |name: &String| {
            let user = self.books().leaf(slot).users.get(name);
            user.map_or(Resource::ZERO, |user| in_partition!(self.shard, label, |p| user.used_in(p)))
        };
        let mut rolling: Vec<Resource> = names.iter().map(in_use).collect();
        for app in apps.iter().rev().filter(|app| !app.taken.is_zero()) {
            for live in self.live_of(app.number) {
                if takings.are_done() {
                    return;
                }
                let candidate = (app.number, live.number);
                if under.chosen.containers.contains_key(&candidate) || self.is_killable(candidate) || live.am {
                    continue;
                }
                let left = rolling[app.user].minus(&live.size);
                // By the limit on the container's own nodes, where there is one.
                let there = under.part(live.label);
                let of_user = there.and_then(|there| {
                    let (_, others, users) = plans.get(&(there, at))?;
                    others.iter().position(|name| *name == names[app.user]).map(|user| &users[user])
                });
                if user_limit_first && of_user.is_some_and(|user| !arith.is_greater(&cluster, &left, &user.whole_limit))
                {
                    break;
                }
                if takings.take(there, &live.size, &mut under.budget) {
                    under.chosen.containers.insert(candidate, wait);
                    if user_limit_first {
                        rolling[app.user] = left;
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What cannot be doubled is forgotten at once, as in Java; what would be over after the end of time never is.
    #[test]
    fn a_wait_may_be_as_long_as_there_are_numbers() {
        for (wait, is_kept) in [(i64::MAX, false), (1 << 62, false), (-1, false), ((1 << 62) - 1, true), (0, true)] {
            assert_eq!(is_remembered(7, wait, 7), is_kept, "{wait}");
        }
        assert!(is_remembered(7, 10, 27) && !is_remembered(7, 10, 28));
        assert!(is_let_run(7, 10, 17) && !is_let_run(7, 10, 16));
        assert!(!is_let_run(7, i64::MAX, u64::MAX) && !is_let_run(u64::MAX, 1, u64::MAX));
    }
}
