//! The users of one leaf queue: what each of them uses, who is active, and how much each may use.
//!
//! The limit computed here is applied by `user_may` (`books/who_may.rs`) before a choice and by `accepts`
//! (`decide/commit.rs`) after it; both ask through `Books::user_limit` (`books/limits.rs`).
//!
//! Follows rules/capacity.md 14; `UsersManager`. Plain data of the leaf's owner. Sums over all users are maintained, so
//! the limit is computed in O(1); only if weights differ from one it takes O(users) after the set of active users has
//! changed. A limit that was computed once serves all users until it is invalidated.
//!
//! Each user who was ever seen in the leaf has an index that never changes ([`UserSlot`]). Code that has the index
//! needs no name.

use super::arith::Arith;
use super::partition::Partition;
use crate::id::LabelId;
use crate::prefetch::{CACHE_LINE, prefetch_lines};
use crate::resource::Resource;
use crate::sync::Arc;
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use std::mem::offset_of;

#[cfg(feature = "faults")]
pub(crate) mod audit;

/// What the limit depends on besides the users.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LimitInputs<'a> {
    pub(crate) arith: Arith,
    /// All nodes.
    pub(crate) cluster: &'a Resource,
    pub(crate) minimum: &'a Resource,
    /// What is guaranteed to the leaf.
    pub(crate) guaranteed: &'a Resource,
    /// The same, or the smallest container where that is more.
    pub(crate) capacity: &'a Resource,
    /// What a user may have at least, as long as the users together have no more than `capacity`.
    pub(crate) floor: &'a Resource,
    /// The limit where users have so little that `floor` and `most` alone decide it. Of two types that the cluster has.
    pub(crate) usual: Option<&'a Resource>,
    /// What a user may have at most.
    pub(crate) most: &'a Resource,
    /// `minimum-user-limit-percent`
    pub(crate) user_limit: f32,
    /// `user-limit-factor`
    pub(crate) factor: f32,
}

/// Which users share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sharing {
    /// Those with applications that ask for something.
    Active,
    /// All of them: for preemption within the leaf.
    All,
}

/// What is counted of a user. The record is dropped with the user's last application. A record that is made later
/// begins at zero, whatever is still charged. What a charge reads and writes comes first, in two cache lines.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(crate) struct User {
    pub(crate) weight: f32,
    ratio: f32,
    /// Applications, active and pending. The counts may be wrong, even negative, as in Hadoop (rules/capacity.md 20,
    /// 21).
    pub(crate) active: i32,
    pub(crate) pending: i32,
    /// Applications whose headroom is computed from this record.
    references: u32,
    /// The user counts in the sums over active users.
    shares: bool,
    is_dropped: bool,
    pub(crate) used: Resource,
    /// What the user could use when the limit was last computed for one of its applications. Shown in views; no rule
    /// reads it.
    pub(crate) last_limit: Resource,
    /// AMs of active applications.
    pub(crate) am_used: Resource,
    /// What the user's AMs could use when one of them was last activated. Shown in views; no rule reads it.
    pub(crate) am_limit: Resource,
    /// The same of the nodes with a label, by label.
    parts: Vec<UserPart>,
}

/// What is counted of a user on the nodes of a label.
#[derive(Clone, Debug, Default)]
pub(crate) struct UserPart {
    ratio: f32,
    /// Some amount of it was ever changed (rules/node-labels.md 1: known amounts).
    pub(crate) is_known: bool,
    pub(crate) used: Resource,
    pub(crate) am_used: Resource,
    pub(crate) am_limit: Resource,
}

impl User {
    /// What he uses of a partition.
    #[inline]
    pub(crate) fn used_in<P: Partition>(&self, p: P) -> Resource {
        if p.is_first() { self.used } else { self.parts.get(p.place()).map_or(Resource::ZERO, |part| part.used) }
    }

    /// What AMs of active applications use there.
    pub(crate) fn am_used_in<P: Partition>(&self, p: P) -> Resource {
        if p.is_first() { self.am_used } else { self.parts.get(p.place()).map_or(Resource::ZERO, |part| part.am_used) }
    }

    /// Of the nodes with a label, by label.
    pub(crate) fn parts(&self) -> &[UserPart] {
        &self.parts
    }

    fn part_mut<P: Partition>(&mut self, p: P) -> &mut UserPart {
        if self.parts.len() <= p.place() {
            self.parts.resize_with(p.place() + 1, UserPart::default);
        }
        let part = &mut self.parts[p.place()];
        part.is_known = true;
        part
    }

    /// Some application of his asks for something.
    pub(crate) fn asks(&self) -> bool {
        self.shares
    }

    fn has_only_pending(&self) -> bool {
        self.pending > 0 && self.active <= 0
    }
}

/// Index of a record, in use or dropped.
pub(crate) type UserRecord = usize;

/// Index of a user who was seen in the leaf, with or without a record.
pub(crate) type UserSlot = u32;

#[derive(Clone, Debug, Default)]
#[repr(C, align(64))]
struct Seat {
    record: Option<UserRecord>,
    /// The reservation with which passes could not serve the user, with the [version](Users::version) that it is of.
    failed_with: Option<(u64, Resource)>,
    /// The same on nodes with a label; whether these were lent.
    failed_in_parts: Vec<((LabelId, bool), (u64, Resource))>,
    /// His applications with asks: also without a record.
    asking: FxHashSet<u32>,
}

/// See the module's text. What a charge and a limit read and write comes first.
#[derive(Clone, Debug, Default)]
#[repr(C)]
pub(crate) struct Users {
    records: Vec<User>,
    seats: Vec<Seat>,
    /// Changes whenever the limits are invalidated.
    version: u64,
    only_pending: i64,
    only_pending_known: i64,
    usage_ratio: f32,
    active_used: Resource,
    limits: [Option<Resource>; 2],
    /// Of active users and of all: how many have a weight other than one; and the sums of weights, where there are
    /// such.
    uneven: [usize; 2],
    weight_sums: [Option<f32>; 2],
    /// How many users have a record, how many of these are active, and how many have applications with asks.
    present: usize,
    sharing: usize,
    asking: usize,
    /// Dropped ones that nobody refers to any more.
    free: Vec<UserRecord>,
    names: BTreeMap<Arc<str>, UserSlot>,
    /// For the audit, where the rules let usage drift: by how much the charge of a user exceeds what the user holds,
    /// and by how much the sum over active users exceeds their charges.
    drift: BTreeMap<(UserSlot, LabelId), Resource>,
    active_drift: Resource,
    /// Sums and limits on the nodes with a label, by label.
    parts: Vec<UsersPart>,
}

/// What is worked out of all users on the nodes of a label.
#[derive(Clone, Debug, Default)]
struct UsersPart {
    usage_ratio: f32,
    active_used: Resource,
    /// For those who ask for the label, and of nodes that are lent.
    limits: [[Option<Resource>; 2]; 2],
}

impl Users {
    /// What a charge and a limit read and write.
    pub(crate) const HOT_BYTES: usize = offset_of!(Users, weight_sums);

    /// Somebody is charged, or may be served, soon. Prefetches what is known of him; a record mostly has its seat's
    /// number.
    #[inline]
    pub(crate) fn prefetch(&self, seat: UserSlot) {
        if let Some(seat) = self.seats.get(seat as usize) {
            prefetch_lines(seat, 0..size_of::<Seat>() / CACHE_LINE);
        }
        if let Some(record) = self.records.get(seat as usize) {
            prefetch_lines(record, 0..offset_of!(User, last_limit) / CACHE_LINE + 1);
        }
    }

    /// The limit of active users is worked out, and valid.
    pub(crate) fn is_worked_out<P: Partition>(&self, p: P) -> bool {
        self.known_limit(p, Sharing::Active).is_some()
    }

    #[inline]
    fn known_limit<P: Partition>(&self, p: P, sharing: Sharing) -> Option<Resource> {
        if p.is_first() {
            return self.limits[sharing as usize];
        }
        self.parts.get(p.place())?.limits[usize::from(p.is_lent())][sharing as usize]
    }

    fn part_mut<P: Partition>(&mut self, p: P) -> &mut UsersPart {
        if self.parts.len() <= p.place() {
            self.parts.resize_with(p.place() + 1, UsersPart::default);
        }
        &mut self.parts[p.place()]
    }

    /// The sum over users of what part of a partition each uses, and what the active ones use.
    #[inline]
    fn sums<P: Partition>(&self, p: P) -> (f32, Resource) {
        if p.is_first() {
            return (self.usage_ratio, self.active_used);
        }
        self.parts.get(p.place()).map_or(Default::default(), |part| (part.usage_ratio, part.active_used))
    }

    /// Somebody's seat, made if there is none. O(log users).
    pub(crate) fn seat(&mut self, name: &str) -> UserSlot {
        if let Some(seat) = self.names.get(name) {
            return *seat;
        }
        let seat = UserSlot::try_from(self.seats.len()).expect("fewer users than 2^32");
        self.seats.push(Seat::default());
        self.names.insert(name.into(), seat);
        seat
    }

    pub(crate) fn get(&self, name: &str) -> Option<&User> {
        self.record(name).map(|record| &self.records[record])
    }

    pub(crate) fn record(&self, name: &str) -> Option<UserRecord> {
        self.record_at(*self.names.get(name)?)
    }

    pub(crate) fn record_at(&self, seat: UserSlot) -> Option<UserRecord> {
        self.seats[seat as usize].record
    }

    pub(crate) fn at(&self, record: UserRecord) -> &User {
        &self.records[record]
    }

    /// Those with a record, by name.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &User)> {
        let records = self.names.iter().map(|(name, seat)| (&**name, self.record_at(*seat)));
        records.filter_map(|(name, record)| Some((name, &self.records[record?])))
    }

    /// A user's record, made if there is none.
    pub(crate) fn ensure(&mut self, name: &str, weight: impl FnOnce() -> f32) -> UserRecord {
        let seat = self.seat(name);
        self.ensure_at(seat, weight)
    }

    /// The same.
    pub(crate) fn ensure_at(&mut self, seat: UserSlot, weight: impl FnOnce() -> f32) -> UserRecord {
        if let Some(record) = self.record_at(seat) {
            return record;
        }
        let weight = weight();
        let made = User {
            weight,
            used: Resource::ZERO,
            am_used: Resource::ZERO,
            am_limit: Resource::ZERO,
            last_limit: Resource::ZERO,
            active: 0,
            pending: 0,
            ratio: 0.0,
            shares: false,
            references: 0,
            is_dropped: false,
            parts: Vec::new(),
        };
        let record = match self.free.pop() {
            Some(record) => {
                self.records[record] = made;
                record
            }
            None => {
                self.records.push(made);
                self.records.len() - 1
            }
        };
        self.seats[seat as usize].record = Some(record);
        self.present += 1;
        self.uneven[1] += usize::from(weight != 1.0);
        self.weight_sums[1] = None;
        record
    }

    /// An application's headroom is computed from the record from now on, even after it was dropped.
    pub(crate) fn add_reference(&mut self, record: UserRecord) {
        self.records[record].references += 1;
    }

    /// The headroom of that application is computed from it no longer.
    pub(crate) fn drop_reference(&mut self, record: UserRecord) {
        self.records[record].references -= 1;
        self.free_if_unused(record);
    }

    fn free_if_unused(&mut self, record: UserRecord) {
        // Dropped ones share nothing, so that only who refers to them can tell them apart.
        if self.records[record].references == 0 && self.records[record].is_dropped {
            self.free.push(record);
        }
    }

    /// Drops the record of a user without applications. Returns whether it did. The sums stay as they were, but for the
    /// weight.
    pub(crate) fn drop_if_idle(&mut self, name: &str) -> bool {
        let Some(seat) = self.names.get(name).copied() else { return false };
        let Some(record) = self.record_at(seat) else { return false };
        let user = &mut self.records[record];
        if user.active + user.pending != 0 {
            return false;
        }
        self.seats[seat as usize].record = None;
        let left = user.used;
        self.present -= 1;
        self.only_pending -= i64::from(user.has_only_pending());
        let uneven = usize::from(user.weight != 1.0);
        self.uneven[1] -= uneven;
        self.weight_sums[1] = None;
        user.is_dropped = true;
        if std::mem::take(&mut user.shares) {
            self.uneven[0] -= uneven;
            self.sharing -= 1;
            self.weight_sums[0] = None;
            self.active_drift = self.active_drift.plus(&left);
        }
        let of_parts: Vec<Resource> = user.parts.iter().map(|part| part.used).collect();
        self.free_if_unused(record);
        for (label, left) in (0..).map(LabelId).zip(std::iter::once(left).chain(of_parts)) {
            if !left.is_zero() {
                self.drifts(seat, label, &Resource::ZERO.minus(&left));
            }
        }
        true
    }

    /// A user is charged `amount` more than the user holds on the nodes of a label.
    #[cold]
    pub(crate) fn drifts(&mut self, seat: UserSlot, label: LabelId, amount: &Resource) {
        let drift = self.drift.entry((seat, label)).or_insert(Resource::ZERO);
        *drift = drift.plus(amount);
    }

    /// Weights as another configuration has them.
    pub(crate) fn set_weights(&mut self, weight: impl Fn(&str) -> f32) {
        for (name, seat) in &self.names {
            let Some(record) = self.seats[*seat as usize].record else { continue };
            let user = &mut self.records[record];
            let (before, now) = (usize::from(user.weight != 1.0), weight(name));
            user.weight = now;
            let after = usize::from(now != 1.0);
            self.uneven[1] = self.uneven[1] + after - before;
            if user.shares {
                self.uneven[0] = self.uneven[0] + after - before;
            }
        }
        self.weight_sums = [None; 2];
        self.invalidate();
    }

    /// Applications of a user come or go.
    pub(crate) fn count(&mut self, record: UserRecord, active: i32, pending: i32) {
        let user = &mut self.records[record];
        let before = user.has_only_pending();
        user.active += active;
        user.pending += pending;
        self.only_pending += i64::from(user.has_only_pending()) - i64::from(before);
    }

    pub(crate) fn add_am<P: Partition>(&mut self, record: UserRecord, amount: &Resource, p: P) {
        let user = &mut self.records[record];
        let used = if p.is_first() { &mut user.am_used } else { &mut user.part_mut(p).am_used };
        *used = used.plus(amount);
    }

    /// One of the user's AMs was activated within a limit.
    pub(crate) fn let_start<P: Partition>(&mut self, record: UserRecord, limit: &Resource, p: P) {
        let user = &mut self.records[record];
        *(if p.is_first() { &mut user.am_limit } else { &mut user.part_mut(p).am_limit }) = *limit;
    }

    /// A user uses more, or less where `amount` is negative.
    pub(crate) fn charge<P: Partition>(
        &mut self,
        record: UserRecord,
        amount: &Resource,
        arith: Arith,
        cluster: &Resource,
        p: P,
    ) {
        if !p.is_first() {
            self.charge_part(record, amount, arith, cluster, p);
            return;
        }
        let user = &mut self.records[record];
        user.used.add_in_types(arith.types, amount);
        if user.shares {
            self.active_used.add_in_types(arith.types, amount);
        }
        let before = std::mem::replace(&mut user.ratio, arith.ratio(&user.used, cluster));
        self.usage_ratio += user.ratio - before;
        self.invalidate();
    }

    fn charge_part<P: Partition>(
        &mut self,
        record: UserRecord,
        amount: &Resource,
        arith: Arith,
        cluster: &Resource,
        p: P,
    ) {
        let user = &mut self.records[record];
        let shares = user.shares;
        let part = user.part_mut(p);
        part.used.add_in_types(arith.types, amount);
        let before = std::mem::replace(&mut part.ratio, arith.ratio(&part.used, cluster));
        let more = part.ratio - before;
        let of_all = self.part_mut(p);
        of_all.usage_ratio += more;
        if shares {
            of_all.active_used.add_in_types(arith.types, amount);
        }
        self.invalidate();
    }

    /// What each partition with a label has, by label.
    pub(crate) fn partitions_changed(&mut self, arith: Arith, sizes: &[Resource]) {
        for (place, size) in sizes.iter().enumerate() {
            let mut sum = 0.0;
            for seat in self.names.values() {
                let Some(record) = self.seats[*seat as usize].record else { continue };
                let Some(part) = self.records[record].parts.get_mut(place) else { continue };
                part.ratio = arith.ratio(&part.used, size);
                sum += part.ratio;
            }
            if let Some(part) = self.parts.get_mut(place) {
                part.usage_ratio = sum;
            }
        }
    }

    /// The cluster is another one (rules/capacity.md 6).
    pub(crate) fn cluster_changed(&mut self, arith: Arith, cluster: &Resource) {
        let mut sum = 0.0;
        for seat in self.names.values() {
            let Some(record) = self.seats[*seat as usize].record else { continue };
            let user = &mut self.records[record];
            user.ratio = arith.ratio(&user.used, cluster);
            sum += user.ratio;
        }
        self.usage_ratio = sum;
    }

    /// The limits are worked out anew when they are needed next.
    pub(crate) fn invalidate(&mut self) {
        self.limits = [None; 2];
        self.parts.iter_mut().for_each(|part| part.limits = Default::default());
        self.version += 1;
    }

    /// An application's asks go from nothing to something.
    pub(crate) fn begins_to_ask(&mut self, name: &str, app: u32, weight: impl FnOnce() -> f32) {
        let seat = self.seat(name);
        self.begins_to_ask_at(seat, app, weight);
    }

    /// The same.
    pub(crate) fn begins_to_ask_at(&mut self, seat: UserSlot, app: u32, weight: impl FnOnce() -> f32) {
        if self.record_at(seat).is_some_and(|record| self.records[record].active <= 0) {
            return;
        }
        let apps = &mut self.seats[seat as usize].asking;
        if !apps.insert(app) || apps.len() > 1 {
            return;
        }
        self.asking += 1;
        self.invalidate();
        let record = self.ensure_at(seat, weight);
        let user = &mut self.records[record];
        if !std::mem::replace(&mut user.shares, true) {
            self.active_used = self.active_used.plus(&user.used);
            let used = user.parts.iter().map(|part| part.used).collect::<Vec<_>>();
            Users::add_all(&mut self.parts, &used);
            self.uneven[0] += usize::from(user.weight != 1.0);
            self.sharing += 1;
            self.weight_sums[0] = None;
        }
    }

    fn add_all(parts: &mut Vec<UsersPart>, used: &[Resource]) {
        if parts.len() < used.len() {
            parts.resize_with(used.len(), UsersPart::default);
        }
        for (part, used) in parts.iter_mut().zip(used) {
            part.active_used = part.active_used.plus(used);
        }
    }

    /// Whether an application counts as one with asks.
    pub(crate) fn has_asking(&self, name: &str, app: u32) -> bool {
        self.names.get(name).is_some_and(|seat| self.seats[*seat as usize].asking.contains(&app))
    }

    /// An application asks for nothing any more, is moved away or has gone.
    pub(crate) fn stops_asking(&mut self, name: &str, app: u32) {
        if let Some(seat) = self.names.get(name).copied() {
            self.stops_asking_at(seat, app);
        }
    }

    /// The same.
    pub(crate) fn stops_asking_at(&mut self, seat: UserSlot, app: u32) {
        let apps = &mut self.seats[seat as usize].asking;
        if !apps.remove(&app) || !apps.is_empty() {
            return;
        }
        self.asking -= 1;
        self.invalidate();
        let Some(record) = self.record_at(seat) else { return };
        let user = &mut self.records[record];
        if std::mem::take(&mut user.shares) {
            self.active_used = self.active_used.minus(&user.used);
            let used = user.parts.iter().map(|part| Resource::ZERO.minus(&part.used)).collect::<Vec<_>>();
            Users::add_all(&mut self.parts, &used);
            self.uneven[0] -= usize::from(user.weight != 1.0);
            self.sharing -= 1;
            self.weight_sums[0] = None;
        }
    }

    /// The reservation with which passes could not serve a user, since the limits were last invalidated.
    pub(crate) fn failed_with<P: Partition>(&self, seat: UserSlot, p: P) -> Option<&Resource> {
        let seat = &self.seats[seat as usize];
        let failed = if p.is_first() {
            seat.failed_with.as_ref()
        } else {
            let of_part = seat.failed_in_parts.iter().find(|(part, _)| *part == (p.label(), p.is_lent()));
            of_part.map(|(_, failed)| failed)
        };
        failed.filter(|(version, _)| *version == self.version).map(|(_, reserved)| reserved)
    }

    /// A pass could not serve a user who has so much reserved.
    pub(crate) fn has_failed_with<P: Partition>(&mut self, seat: UserSlot, reserved: Resource, p: P) {
        let (failed, seat) = ((self.version, reserved), &mut self.seats[seat as usize]);
        if p.is_first() {
            seat.failed_with = Some(failed);
        } else {
            let part = (p.label(), p.is_lent());
            seat.failed_in_parts.retain(|(other, _)| *other != part);
            seat.failed_in_parts.push((part, failed));
        }
    }

    /// Users with asks, and those with only pending applications, as last counted.
    pub(crate) fn active_users(&self) -> i64 {
        i64::try_from(self.asking).unwrap_or(i64::MAX).saturating_add(self.only_pending_known)
    }

    /// The sum of weights, in the order of names as its 32 bits show.
    fn weights(&mut self, sharing: Sharing) -> f32 {
        let (which, count) = match sharing {
            Sharing::Active => (0, self.sharing),
            Sharing::All => (1, self.present),
        };
        if self.uneven[which] == 0 {
            return count as f32;
        }
        if let Some(sum) = self.weight_sums[which] {
            return sum;
        }
        let counted = self.iter().filter(|(_, user)| sharing == Sharing::All || user.shares);
        let sum = counted.map(|(_, user)| user.weight).sum();
        self.weight_sums[which] = Some(sum);
        sum
    }

    /// The limit of a user of weight one.
    fn limit<P: Partition>(&mut self, sharing: Sharing, by: &LimitInputs<'_>, p: P) -> Resource {
        if let Some(limit) = self.known_limit(p, sharing) {
            return limit;
        }
        let usual = by.usual.filter(|_| sharing == Sharing::Active && self.have_little(by, p));
        let limit = usual.copied().unwrap_or_else(|| self.limit_by_usage(sharing, by, p));
        if p.is_first() {
            self.limits[sharing as usize] = Some(limit);
        } else {
            self.part_mut(p).limits[usize::from(p.is_lent())][sharing as usize] = Some(limit);
        }
        self.only_pending_known = self.only_pending;
        limit
    }

    /// Whether neither what all users have nor an equal share of what the active ones have raises their limit. It says
    /// no where rounding might make it so.
    #[inline]
    fn have_little<P: Partition>(&mut self, by: &LimitInputs<'_>, p: P) -> bool {
        // More than two roundings to 32-bit floats add.
        const ROUNDED: f64 = 1.000_001;
        let (usage_ratio, active_used) = self.sums(p);
        let (ratio, weights) = (f64::from(usage_ratio) * ROUNDED, f64::from(self.weights(Sharing::Active)));
        (0..2).all(|i| {
            let minimum = by.minimum.get(i);
            let shared = active_used.get(i).saturating_add(minimum) as f64 * ROUNDED;
            by.cluster.get(i) as f64 * ratio + minimum as f64 + 1.0 < by.capacity.get(i) as f64
                && shared / weights + 1.0 <= by.floor.get(i) as f64
        })
    }

    /// The same as each user's usage makes it.
    fn limit_by_usage<P: Partition>(&mut self, sharing: Sharing, by: &LimitInputs<'_>, p: P) -> Resource {
        let (usage_ratio, active_used) = self.sums(p);
        let LimitInputs { arith, cluster, minimum, capacity, floor, most, user_limit, .. } = *by;
        let consumed = arith.times_up(cluster, f64::from(usage_ratio), minimum);
        let (mut current, mut floor) = (*capacity, *floor);
        if !arith.is_less(cluster, &consumed, capacity) {
            current = consumed.plus(minimum);
            floor = arith.hundredth_up(&arith.times(&current, f64::from(user_limit)));
        }
        let shared = match sharing {
            Sharing::Active => active_used.plus(minimum),
            Sharing::All => current,
        };
        let share = arith.divide_and_ceil(&shared, self.weights(sharing));
        let limit = arith.most(cluster, &share, &floor);
        arith.round_up(&arith.least(cluster, &limit, most), minimum)
    }

    /// What a user may have, with or without a record.
    pub(crate) fn limit_of<P: Partition>(
        &mut self,
        name: &str,
        sharing: Sharing,
        by: &LimitInputs<'_>,
        p: P,
    ) -> Resource {
        let seat = self.seat(name);
        self.weighted(self.record_at(seat), sharing, by, p)
    }

    fn weighted<P: Partition>(
        &mut self,
        record: Option<UserRecord>,
        sharing: Sharing,
        by: &LimitInputs<'_>,
        p: P,
    ) -> Resource {
        let limit = self.limit(sharing, by, p);
        let weight = record.map_or(1.0, |record| self.records[record].weight);
        // It is a multiple already; what is not exact in a float would be another one.
        if weight == 1.0 && (0..by.arith.types).all(|i| limit.get(i).unsigned_abs() < 1 << 52) {
            return limit;
        }
        by.arith.times_down(&limit, f64::from(weight), by.minimum)
    }

    /// The limit of a user, computed to be enforced. Views show it from now on.
    pub(crate) fn limit_at<P: Partition>(
        &mut self,
        seat: UserSlot,
        sharing: Sharing,
        by: &LimitInputs<'_>,
        p: P,
    ) -> Resource {
        let record = self.record_at(seat);
        let limit = self.weighted(record, sharing, by, p);
        if let Some(record) = record {
            self.records[record].last_limit = limit;
        }
        limit
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capacity::rules::partition::Whole;
    use crate::capacity::rules::user_limit_figures::{Bounds, ForUsers, Given};
    use crate::resource::Calculator;
    use proptest::prelude::*;

    const MEMORY: Arith = Arith { calculator: Calculator::Memory, types: 2 };
    const MINIMUM: Resource = Resource::new(1024, 1);

    fn bounds(cluster: &Resource, guaranteed: &Resource, user_limit: f32) -> Bounds {
        let given = Given { arith: MEMORY, cluster: *cluster, minimum: MINIMUM };
        Bounds::new(given, guaranteed, cluster, ForUsers { limit: user_limit, factor: 1.0, am_percent: 1.0 })
    }

    fn two_users(used: i64, cluster: &Resource) -> Users {
        let mut users = Users::default();
        for (app, name) in [(0, "a"), (1, "b")] {
            let record = users.ensure(name, || 1.0);
            users.count(record, 1, 0);
            users.begins_to_ask(name, app, || 1.0);
        }
        users.charge(0, &Resource::new(used, 4), MEMORY, cluster, Whole);
        users
    }

    #[test]
    fn the_worked_example() {
        // rules/capacity.md 14: P 10240, G 8192, MULP 25, ULF 1, a used 4096 and b nothing.
        let (cluster, guaranteed) = (Resource::new(10240, 10), Resource::new(8192, 8));
        let mut users = two_users(4096, &cluster);
        let limit = users.limit_of("a", Sharing::Active, &bounds(&cluster, &guaranteed, 25.0).inputs(), Whole);
        assert_eq!(limit.memory_mb(), 3072);
        users.invalidate();
        let limit = users.limit_of("a", Sharing::Active, &bounds(&cluster, &guaranteed, 100.0).inputs(), Whole);
        assert_eq!(limit.memory_mb(), 8192);
    }

    #[test]
    fn a_record_made_anew_forgets_what_is_charged() {
        let cluster = Resource::new(10240, 10);
        let mut users = two_users(2048, &cluster);
        users.count(0, -1, 0);
        users.drop_if_idle("a");
        assert!(users.get("a").is_none());
        let record = users.ensure("a", || 1.0);
        users.charge(record, &Resource::new(-2048, -2), MEMORY, &cluster, Whole);
        assert_eq!(users.at(record).used, Resource::new(-2048, -2));
        // What the one before had still counts among what the active ones use.
        assert_eq!(users.active_used, Resource::new(2048, 4));
    }

    #[test]
    fn who_has_only_waiting_applications_does_not_become_active_by_asking() {
        let mut users = Users::default();
        let record = users.ensure("a", || 1.0);
        users.count(record, 0, 1);
        users.begins_to_ask("a", 1, || 1.0);
        assert_eq!(users.active_users(), 0);
        let (cluster, guaranteed) = (Resource::new(10240, 10), Resource::new(8192, 8));
        users.limit_of("a", Sharing::Active, &bounds(&cluster, &guaranteed, 25.0).inputs(), Whole);
        assert_eq!(users.active_users(), 1, "counted when limits are worked out");
    }

    proptest! {
        /// Where users have little, nobody looks at how much.
        #[test]
        fn a_usual_limit_is_the_one_by_usage(
            used in prop::array::uniform4(-3_i64..70), size in (1_i64..4, 0_i64..4), guaranteed in (0_i64..64, 0_i64..64),
            limit in prop::sample::select(vec![1.0_f32, 25.0, 33.3, 100.0]), active in 0_u32..4,
            factor in prop::sample::select(vec![-1.0_f32, 0.5, 1.0, 7.0]), large in any::<bool>(),
        ) {
            let scale = if large { (1 << 40) + 1 } else { 1 };
            let [cluster, minimum, guaranteed] = [(100, 100), size, guaranteed].map(|(a, b)| Resource::new(a * scale, b));
            let arith = Arith { calculator: Calculator::Dominant, types: 2 };
            let for_users = ForUsers { limit, factor, am_percent: 1.0 };
            let bounds = Bounds::new(Given { arith, cluster, minimum }, &guaranteed, &cluster, for_users);
            let mut users = Users::default();
            for (name, used) in [("a", &used[..2]), ("b", &used[2..])] {
                let record = users.ensure(name, || 1.0);
                users.count(record, 1, 0);
                users.charge(record, &Resource::new(used[0] * scale, used[1]), arith, &cluster, Whole);
            }
            for (app, name) in (0..active).zip(["a", "b", "a"]) {
                users.begins_to_ask(name, app, || 1.0);
            }
            let mut others = users.clone();
            let by = bounds.inputs();
            let by_usage = others.limit_of("a", Sharing::Active, &LimitInputs { usual: None, ..by }, Whole);
            prop_assert_eq!(users.limit_of("a", Sharing::Active, &by, Whole), by_usage);
        }

        /// Sums that are kept are those that a walk would find.
        #[test]
        fn sums_are_those_of_a_walk(steps in prop::collection::vec((0_usize..4, 0_u32..4, 0_i64..5), 1..60)) {
            let cluster = Resource::new(10240, 10);
            let names = ["a", "b", "c", "d"];
            let mut users = Users::default();
            for name in names {
                let record = users.ensure(name, || if name == "b" { 0.5 } else { 1.0 });
                users.count(record, 1, 0);
            }
            for (who, app, what) in steps {
                match what {
                    0 => users.begins_to_ask(names[who], app, || 1.0),
                    1 => users.stops_asking(names[who], app),
                    more => users.charge(who, &Resource::new(more - 3, 1), MEMORY, &cluster, Whole),
                }
                let asks = |name: &str| users.names.get(name).is_some_and(|seat| !users.seats[*seat as usize].asking.is_empty());
                let active: Vec<&User> = users.iter().filter(|(name, _)| asks(name)).map(|(_, user)| user).collect();
                let used = active.iter().fold(Resource::ZERO, |sum, user| sum.plus(&user.used));
                let weights: f32 = active.iter().map(|user| user.weight).sum();
                prop_assert_eq!(users.active_used, used);
                prop_assert_eq!(users.weights(Sharing::Active), weights);
            }
        }
    }
}
