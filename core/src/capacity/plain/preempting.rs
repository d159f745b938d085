//! Rounds of the preemption policy, and what they lead to (reference 25).

use super::state::{Plain, Refused};
use crate::capacity::leaf::compare;
use crate::capacity::order::{AppRank, compare_fair};
use crate::capacity::preemption::{AppIn, Entry, Plan, Round, Taking, UserIn, match_demands};
use crate::capacity::users::Sharing;
use crate::config::capacity::{AppOrdering, PreemptionOrder, PreemptionSettings, QueueOrdering};
use crate::resource::Resource;
use serde_json::{Map, Value, json};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

/// A container or a reservation.
type Candidate = (u32, u32);

/// The applications of a leaf in a round; names of its users, and themselves.
type Within = (Vec<AppIn>, Vec<String>, Vec<UserIn>);

/// What one round has chosen.
#[derive(Debug, Default)]
struct Chosen {
    /// With how long it is let run after its mark.
    containers: BTreeMap<Candidate, u64>,
    /// Reservations that end at once.
    reservations: BTreeSet<Candidate>,
}

/// A round under way.
struct Under<'a> {
    settings: &'a PreemptionSettings,
    round: Round,
    /// The slots of the round's entries.
    slots: Vec<u32>,
    budget: Resource,
    chosen: Chosen,
}

impl Under<'_> {
    fn leaves(&self) -> impl Iterator<Item = (usize, u32)> + '_ {
        let leaves = self.round.entries.iter().zip(&self.slots).enumerate();
        leaves.filter(|(_, (entry, _))| entry.children.is_empty()).map(|(at, (_, slot))| (at, *slot))
    }
}

fn milliseconds(settings: i64) -> u64 {
    u64::try_from(settings).unwrap_or_default()
}

impl Plain {
    /// One round; then what it has sent takes effect.
    pub(super) fn preempt(&mut self, shown: &mut Map<String, Value>) -> Result<(), Refused> {
        let settings = self.preemption.clone();
        // 25.6
        if settings.select_based_on_reserved_containers || self.tree.file.settings().underutilized_preemption {
            return Err(Refused::new("not-built"));
        }
        let chosen = self.choose_victims(&settings);
        if settings.observe_only {
            return Ok(());
        }
        let (mut marks, mut kills) = (Vec::new(), Vec::new());
        for (candidate, wait) in &chosen.containers {
            match self.marked.get(candidate) {
                Some(since) if since + wait <= self.now_ms => {
                    self.marked.remove(candidate);
                    kills.push(*candidate);
                }
                Some(_) => {}
                None => {
                    self.marked.insert(*candidate, self.now_ms);
                    marks.push(*candidate);
                }
            }
        }
        let (now, keep) = (self.now_ms, 2 * milliseconds(settings.max_wait_before_kill_ms));
        self.marked.retain(|_, since| *since + keep >= now);
        if !marks.is_empty() {
            let marks = marks.iter().map(|(app, number)| json!({"app": app, "container": number}));
            shown.insert("marked".to_owned(), marks.collect());
        }
        chosen.reservations.iter().for_each(|(app, number)| self.end_reservation(*app, *number));
        for (app, number) in marks {
            if let Some(local) = self.apps.get_mut(&app).filter(|local| local.containers.contains_key(&number)) {
                local.to_tell.insert(number);
            }
        }
        kills.iter().for_each(|(app, number)| self.kill_or_mark(*app, *number));
        Ok(())
    }

    fn choose_victims(&mut self, settings: &PreemptionSettings) -> Chosen {
        let (round, slots) = self.snapshot(settings);
        let budget = self.cluster.times(f64::from(settings.total_per_round));
        let mut under = Under { settings, round, slots, budget, chosen: Chosen::default() };
        let wait = milliseconds(settings.max_wait_before_kill_ms);
        self.choose_between(&mut under, false, wait);
        if settings.balance_beyond_guaranteed {
            let own = milliseconds(settings.balance_max_wait_before_kill_ms);
            self.choose_between(&mut under, true, if own > 0 { own } else { wait });
        }
        if settings.intra_queue {
            self.choose_within(&mut under, wait);
        }
        under.chosen
    }

    /// 25.1 step 2
    fn snapshot(&mut self, settings: &PreemptionSettings) -> (Round, Vec<u32>) {
        let slots = self.tree.slots().to_vec();
        let at = |slot: u32| slots.iter().position(|other| *other == slot);
        let mut entries = Vec::with_capacity(slots.len());
        for slot in &slots {
            let (pending, pending_unreserved) = match self.leaves[*slot as usize] {
                Some(_) => (self.waits_for(*slot, false), self.waits_for(*slot, true)),
                None => Default::default(),
            };
            let node = self.tree.get(*slot);
            let of_siblings = node.parent.and_then(|parent| self.tree.get(parent).config.as_parent());
            let by_priority = of_siblings.is_some_and(|parent| parent.ordering == QueueOrdering::PriorityUtilization);
            let figures = &node.figures.labels[0];
            let or_part = |amount: &Resource, part: f32| {
                if amount.is_zero() { self.cluster.times(f64::from(part)) } else { *amount }
            };
            entries.push(Entry {
                used: self.counts[*slot as usize].used,
                killable: self.killable_in(*slot),
                pending,
                pending_unreserved,
                guaranteed: or_part(node.guaranteed(), figures.absolute_capacity),
                maximum: or_part(node.maximum(), figures.absolute_maximum_capacity),
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
                entries[parent].pending = entries[parent].pending.plus(&pending);
                entries[parent].pending_unreserved = entries[parent].pending_unreserved.plus(&unreserved);
            }
        }
        let round = Round {
            arith: self.arith,
            entries,
            under_served: Vec::new(),
            max_ignored_over_capacity: settings.max_ignored_over_capacity,
            natural_termination_factor: settings.natural_termination_factor,
            counts_reserved: settings.additional_balance_based_on_reserved_containers,
        };
        (round, slots)
    }

    /// What a leaf's active applications wait for, within what is left of their users' limits.
    fn waits_for(&mut self, slot: u32, without_reserved: bool) -> Resource {
        let none = Resource::ZERO;
        let mut left: BTreeMap<String, Resource> = BTreeMap::new();
        let mut sum = none;
        let bounds = self.bounds(slot);
        for number in self.leaf(slot).active.iter().collect::<Vec<_>>() {
            let app = self.app(number);
            let (user, pending, reserved) = (app.user.clone(), app.asks.pending(), app.reserved);
            if !left.contains_key(&user) {
                let weight = self.tree.user_weight(slot, &user);
                let users = &mut self.leaf_mut(slot).users;
                let record = users.ensure(&user, || weight);
                let limit = users.limit_of(&user, Sharing::Active, &bounds.inputs());
                left.insert(user.clone(), limit.minus(&users.at(record).used).most(&none));
            }
            let pending = if without_reserved { pending.minus(&reserved).most(&none) } else { pending };
            let of_user = left.entry(user).or_default();
            let counted = of_user.least(&pending);
            *of_user = of_user.minus(&counted);
            sum = sum.plus(&counted);
        }
        sum
    }

    // ------------------------------------------------------------------------------------------------ between queues

    /// 25.3
    fn choose_between(&mut self, under: &mut Under<'_>, balances: bool, wait: u64) {
        let (arith, cluster) = (self.arith, self.cluster);
        under.round.compute(&under.budget, &cluster, balances);
        self.deduct(under);
        let leaves: Vec<(usize, u32)> = under.leaves().collect();
        for (at, slot) in leaves {
            if under.round.entries[at].disabled {
                continue;
            }
            let amount = under.round.entries[at].to_obtain;
            let wanted = arith.is_greater(&cluster, &amount, &Resource::ZERO).then_some(amount);
            let mut taking = Taking { to_obtain: wanted };
            let mut masters = Vec::new();
            self.reorder(slot);
            for app in self.last_to_first(slot) {
                if taking.to_obtain.is_none() {
                    break;
                }
                self.take_from(app, under, &mut taking, &mut masters, wait);
            }
            self.take_masters(slot, under, &mut taking, &masters, wait);
        }
    }

    fn deduct(&self, under: &mut Under<'_>) {
        let chosen: Vec<Candidate> = under.chosen.containers.keys().copied().collect();
        for (app, number) in chosen {
            let Some((slot, size)) = self.size_of(app, number) else { continue };
            if let Some(at) = under.slots.iter().position(|other| *other == slot) {
                under.round.deduct(at, &size, &self.cluster);
            }
        }
    }

    /// The leaf and the size of a container or a reservation.
    fn size_of(&self, app: u32, number: u32) -> Option<(u32, Resource)> {
        let local = self.apps.get(&app)?;
        let container = local.containers.get(&number).map(|container| container.size);
        let reservation = || local.reservations.iter().find(|made| made.number == number).map(|made| made.size);
        Some((local.leaf, container.or_else(reservation)?))
    }

    fn last_to_first(&self, slot: u32) -> Vec<u32> {
        let ordering = self.ordering(slot);
        let rank = |app: u32| self.rank(app);
        let order = |other: u32, this: &AppRank| compare(&ordering, &self.rank(other), this);
        self.leaf(slot).active.backwards(rank, order)
    }

    /// Live containers: of the largest priority number first, then the newest.
    fn live_of(&self, app: u32) -> Vec<(u32, Resource, bool)> {
        let mut live: Vec<_> = self.app(app).containers.iter().collect();
        live.sort_by(|a, b| b.1.priority.cmp(&a.1.priority).then(b.0.cmp(a.0)));
        live.into_iter().map(|(number, container)| (*number, container.size, container.am)).collect()
    }

    fn take_from(
        &self,
        app: u32,
        under: &mut Under<'_>,
        taking: &mut Taking,
        masters: &mut Vec<(Candidate, Resource)>,
        wait: u64,
    ) {
        let conservative = under.settings.conservative_drf;
        for made in &self.app(app).reservations {
            let candidate = (app, made.number);
            if under.chosen.containers.contains_key(&candidate) {
                continue;
            }
            if taking.to_obtain.is_none() {
                return;
            }
            if taking.take(&made.size, &mut under.budget, conservative, self.arith, &self.cluster) {
                under.chosen.containers.insert(candidate, wait);
            }
            under.chosen.reservations.insert(candidate);
        }
        for (number, size, am) in self.live_of(app) {
            let candidate = (app, number);
            if taking.to_obtain.is_none() {
                return;
            }
            if under.chosen.containers.contains_key(&candidate) || self.is_killable(candidate) {
                continue;
            }
            if am {
                masters.push((candidate, size));
            } else if taking.take(&size, &mut under.budget, conservative, self.arith, &self.cluster) {
                under.chosen.containers.insert(candidate, wait);
            }
        }
    }

    /// AMs go last, and only down to what AMs may have.
    fn take_masters(
        &self,
        slot: u32,
        under: &mut Under<'_>,
        taking: &mut Taking,
        masters: &[(Candidate, Resource)],
        wait: u64,
    ) {
        let (arith, cluster) = (self.arith, &self.cluster);
        let node = self.tree.get(slot);
        let percent = node.leaf().map_or(0.0, |leaf| leaf.max_am_resource_percent);
        let kept = node.guaranteed().times(f64::from(percent));
        let mut left = masters.iter().fold(Resource::ZERO, |sum, (_, size)| sum.plus(size));
        for (candidate, size) in masters {
            if taking.to_obtain.is_none() || !arith.is_greater(cluster, &left, &kept) {
                break;
            }
            if taking.take(size, &mut under.budget, under.settings.conservative_drf, arith, cluster) {
                under.chosen.containers.insert(*candidate, wait);
                left = left.minus(size);
            }
        }
    }

    // ------------------------------------------------------------------------------------------------ within queues

    /// 25.5
    fn choose_within(&mut self, under: &mut Under<'_>, wait: u64) {
        let mut plans: BTreeMap<usize, Within> = BTreeMap::new();
        let leaves: Vec<usize> = under.round.under_served.clone();
        for at in leaves.iter().copied().filter(|at| under.round.entries[*at].children.is_empty()) {
            if let Some(plan) = self.plan_within(under, at) {
                plans.insert(at, plan);
            }
        }
        self.deduct(under);
        let chosen: Vec<Candidate> = under.chosen.containers.keys().copied().collect();
        for (app, number) in chosen {
            let Some((slot, size)) = self.size_of(app, number) else { continue };
            let at = under.slots.iter().position(|other| *other == slot);
            for app in at.and_then(|at| plans.get_mut(&at)).into_iter().flat_map(|(apps, _, _)| apps) {
                if self.arith.is_greater(&self.cluster, &app.taken, &size) {
                    app.taken = app.taken.minus(&size);
                }
            }
        }
        for at in leaves {
            let slot = under.slots[at];
            let config = &self.tree.get(slot).config;
            if config.preemption_disabled || config.intra_queue_preemption_disabled {
                continue;
            }
            if let Some((apps, names, users)) = plans.get(&at) {
                self.choose_in_leaf(under, slot, apps, names, users, wait);
            }
        }
    }

    fn plan_within(&mut self, under: &Under<'_>, at: usize) -> Option<Within> {
        let (slot, entry, settings) = (under.slots[at], &under.round.entries[at], under.settings);
        if self.counts[slot as usize].used_capacity < settings.intra_queue_minimum_threshold {
            return None;
        }
        let user_limit_first = settings.intra_queue_order == PreemptionOrder::UserLimitFirst;
        let bounds = self.bounds(slot);
        let none = Resource::ZERO;
        let leaf = self.leaf(slot);
        let active: Vec<u32> = leaf.active.iter().collect();
        let mut numbers: BTreeSet<u32> = active.iter().copied().collect();
        numbers.extend(leaf.pending.iter());
        if numbers.len() == 1 {
            return Some((Vec::new(), Vec::new(), Vec::new()));
        }
        let (mut apps, mut names, mut users): Within = Default::default();
        for number in &numbers {
            let local = self.app(*number);
            let name = local.user.clone();
            let user = names.iter().position(|other| *other == name).unwrap_or_else(|| {
                names.push(name.clone());
                users.push(UserIn::default());
                names.len() - 1
            });
            let waits = local.managed && !local.has_am;
            let mut app = AppIn::new(*number, local.priority, user);
            app.used = local.used;
            app.am = if waits { none } else { local.am };
            app.pending = local.asks.pending();
            let chosen = under.chosen.containers.keys().filter(|(app, _)| app == number);
            app.selected = chosen
                .filter_map(|(app, number)| self.size_of(*app, *number))
                .fold(none, |sum, (_, size)| sum.plus(&size));
            users[user].selected = users[user].selected.plus(&app.selected);
            apps.push(app);
        }
        for (name, user) in names.iter().zip(&mut users) {
            let weight = self.tree.user_weight(slot, name);
            let of_leaf = &mut self.leaf_mut(slot).users;
            let record = of_leaf.ensure(name, || weight);
            user.used = of_leaf.at(record).used;
            user.whole_limit = of_leaf.limit_of(name, Sharing::All, &bounds.inputs());
        }
        let mut of_masters = none;
        for number in &active {
            let local = self.app(*number);
            of_masters = of_masters.plus(&local.am);
            if let Some(user) = names.iter().position(|name| *name == local.user) {
                users[user].am = users[user].am.plus(&local.am);
            }
        }
        self.put_in_order(slot, &mut apps, &users, user_limit_first);
        let (arith, cluster) = (self.arith, self.cluster);
        let allowed = entry.guaranteed.times(f64::from(settings.intra_queue_max_allowable_limit));
        let allowed = arith.most(&cluster, &allowed.minus(&entry.to_obtain), &none);
        let plan = Plan {
            arith,
            cluster,
            minimum: self.minimum,
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
        let fair = match self.ordering(slot) {
            AppOrdering::Fair { size_based_weight } if user_limit_first => Some(size_based_weight),
            AppOrdering::Fair { .. }
            | AppOrdering::Fifo
            | AppOrdering::FifoWithPartitions { .. }
            | AppOrdering::FifoForPendingApps => None,
        };
        let order = |a: &AppIn, b: &AppIn| -> Ordering {
            match fair {
                None => by_priority(a, b),
                Some(size_based) if a.user == b.user => {
                    compare_fair(&self.rank(a.number), &self.rank(b.number), size_based)
                }
                Some(_) => {
                    let (x, y) = (users[a.user].net(), users[b.user].net());
                    self.arith.compare(&self.cluster, &x, &y).then(a.number.cmp(&b.number))
                }
            }
        };
        apps.sort_by(order);
    }

    fn choose_in_leaf(
        &self,
        under: &mut Under<'_>,
        slot: u32,
        apps: &[AppIn],
        names: &[String],
        users: &[UserIn],
        wait: u64,
    ) {
        let (arith, cluster, settings) = (self.arith, &self.cluster, under.settings);
        let user_limit_first = settings.intra_queue_order == PreemptionOrder::UserLimitFirst;
        let sum = apps.iter().fold(Resource::ZERO, |sum, app| sum.plus(&app.taken));
        let mut taking = Taking { to_obtain: Some(sum) };
        let in_use = |name: &String| self.leaf(slot).users.get(name).map_or(Resource::ZERO, |user| user.used);
        let mut rolling: Vec<Resource> = names.iter().map(in_use).collect();
        for app in apps.iter().rev().filter(|app| !app.taken.is_zero()) {
            for (number, size, am) in self.live_of(app.number) {
                if taking.to_obtain.is_none() {
                    return;
                }
                let candidate = (app.number, number);
                if under.chosen.containers.contains_key(&candidate) || self.is_killable(candidate) || am {
                    continue;
                }
                let left = rolling[app.user].minus(&size);
                if user_limit_first && !arith.is_greater(cluster, &left, &users[app.user].whole_limit) {
                    break;
                }
                let conservative = settings.intra_queue_conservative_drf;
                if taking.take(&size, &mut under.budget, conservative, arith, cluster) {
                    under.chosen.containers.insert(candidate, wait);
                    if user_limit_first {
                        rolling[app.user] = left;
                    }
                }
            }
        }
    }
}
