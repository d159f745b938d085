//! The users of one leaf queue: what they use, who is active, and how much each may have.
//!
//! Reference 14; `UsersManager`. Plain data of whoever owns the leaf. What the limit needs of all users is kept as sums, so that working
//! it out walks nobody: O(1), and O(active users) only after the set of active users has changed where weights differ from one.
//! A limit worked out once serves all users until it is invalidated.

use super::arith::Arith;
use crate::resource::Resource;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};

/// What the limit is worked out from besides the users.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LimitInputs<'a> {
    pub(crate) arith: Arith,
    /// All nodes.
    pub(crate) cluster: &'a Resource,
    pub(crate) minimum: &'a Resource,
    /// What is guaranteed to the leaf.
    pub(crate) guaranteed: &'a Resource,
    /// What it may use.
    pub(crate) maximum: &'a Resource,
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

/// The record of a user. It is dropped with his last application; one made later begins with nothing, whatever he still has charged.
#[derive(Clone, Debug)]
pub(crate) struct User {
    pub(crate) weight: f32,
    pub(crate) used: Resource,
    /// AMs of active applications.
    pub(crate) am_used: Resource,
    /// Applications; the counts may be odd, and negative (20, 21).
    pub(crate) active: i32,
    pub(crate) pending: i32,
    ratio: f32,
    /// He counts in the sums of active users.
    shares: bool,
}

impl User {
    fn has_only_pending(&self) -> bool {
        self.pending > 0 && self.active <= 0
    }
}

/// A record, whether it is still his or was dropped.
pub(crate) type UserRecord = usize;

/// See the module's text.
#[derive(Debug, Default)]
pub(crate) struct Users {
    records: Vec<User>,
    present: BTreeMap<String, UserRecord>,
    /// Of each user the applications with asks: also of one without a record.
    asking: FxHashMap<String, FxHashSet<u32>>,
    /// Names of those who count in the sums of active users.
    sharing: BTreeSet<String>,
    /// Of them, and of all, those whose weight is not one.
    uneven: [usize; 2],
    active_used: Resource,
    usage_ratio: f32,
    only_pending: i64,
    only_pending_known: i64,
    limits: [Option<Resource>; 2],
    version: u64,
}

impl Users {
    /// Another number whenever the limits were invalidated.
    pub(crate) fn version(&self) -> u64 {
        self.version
    }

    pub(crate) fn get(&self, name: &str) -> Option<&User> {
        self.present.get(name).map(|record| &self.records[*record])
    }

    pub(crate) fn record(&self, name: &str) -> Option<UserRecord> {
        self.present.get(name).copied()
    }

    pub(crate) fn at(&self, record: UserRecord) -> &User {
        &self.records[record]
    }

    /// Those with a record, by name.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &User)> {
        self.present.iter().map(|(name, record)| (name.as_str(), &self.records[*record]))
    }

    /// A user's record, made if there is none.
    pub(crate) fn ensure(&mut self, name: &str, weight: impl FnOnce() -> f32) -> UserRecord {
        if let Some(record) = self.present.get(name) {
            return *record;
        }
        let weight = weight();
        self.records.push(User {
            weight,
            used: Resource::ZERO,
            am_used: Resource::ZERO,
            active: 0,
            pending: 0,
            ratio: 0.0,
            shares: false,
        });
        self.present.insert(name.to_owned(), self.records.len() - 1);
        self.uneven[1] += usize::from(weight != 1.0);
        self.records.len() - 1
    }

    /// Drops the record of a user without applications. What is shared stays as it was, but for his weight.
    pub(crate) fn drop_if_idle(&mut self, name: &str) {
        let Some(record) = self.record(name) else { return };
        if self.records[record].active + self.records[record].pending != 0 {
            return;
        }
        self.present.remove(name);
        let user = &mut self.records[record];
        self.only_pending -= i64::from(user.has_only_pending());
        self.uneven[1] -= usize::from(user.weight != 1.0);
        if std::mem::take(&mut user.shares) {
            self.uneven[0] -= usize::from(user.weight != 1.0);
            self.sharing.remove(name);
        }
    }

    /// Weights as another configuration has them.
    pub(crate) fn set_weights(&mut self, weight: impl Fn(&str) -> f32) {
        for (name, record) in &self.present {
            let user = &mut self.records[*record];
            let (before, now) = (usize::from(user.weight != 1.0), weight(name));
            user.weight = now;
            let after = usize::from(now != 1.0);
            self.uneven[1] = self.uneven[1] + after - before;
            if user.shares {
                self.uneven[0] = self.uneven[0] + after - before;
            }
        }
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

    pub(crate) fn add_am(&mut self, record: UserRecord, amount: &Resource) {
        let used = &mut self.records[record].am_used;
        *used = used.plus(amount);
    }

    /// A user uses more, or less where `amount` is negative.
    pub(crate) fn charge(&mut self, record: UserRecord, amount: &Resource, arith: Arith, cluster: &Resource) {
        let user = &mut self.records[record];
        user.used = user.used.plus(amount);
        if user.shares {
            self.active_used = self.active_used.plus(amount);
        }
        let before = std::mem::replace(&mut user.ratio, arith.ratio(&user.used, cluster));
        self.usage_ratio += user.ratio - before;
        self.invalidate();
    }

    /// The cluster is another one (6).
    pub(crate) fn cluster_changed(&mut self, arith: Arith, cluster: &Resource) {
        let mut sum = 0.0;
        for record in self.present.values() {
            let user = &mut self.records[*record];
            user.ratio = arith.ratio(&user.used, cluster);
            sum += user.ratio;
        }
        self.usage_ratio = sum;
    }

    /// The limits are worked out anew when they are needed next.
    pub(crate) fn invalidate(&mut self) {
        self.limits = [None; 2];
        self.version += 1;
    }

    /// An application's asks go from nothing to something.
    pub(crate) fn begins_to_ask(&mut self, name: &str, app: u32, weight: impl FnOnce() -> f32) {
        if self.get(name).is_some_and(|user| user.active <= 0) {
            return;
        }
        if let Some(apps) = self.asking.get_mut(name) {
            apps.insert(app);
            return;
        }
        self.asking.insert(name.to_owned(), FxHashSet::from_iter([app]));
        self.invalidate();
        let record = self.ensure(name, weight);
        let user = &mut self.records[record];
        if !std::mem::replace(&mut user.shares, true) {
            self.active_used = self.active_used.plus(&user.used);
            self.uneven[0] += usize::from(user.weight != 1.0);
            self.sharing.insert(name.to_owned());
        }
    }

    /// An application asks for nothing any more, is moved away or has gone.
    pub(crate) fn ceases_to_ask(&mut self, name: &str, app: u32) {
        let Some(apps) = self.asking.get_mut(name) else { return };
        apps.remove(&app);
        if !apps.is_empty() {
            return;
        }
        self.asking.remove(name);
        self.invalidate();
        let Some(record) = self.record(name) else { return };
        let user = &mut self.records[record];
        if std::mem::take(&mut user.shares) {
            self.active_used = self.active_used.minus(&user.used);
            self.uneven[0] -= usize::from(user.weight != 1.0);
            self.sharing.remove(name);
        }
    }

    /// Users with asks, and those with only pending applications, as last counted.
    pub(crate) fn active_users(&self) -> i64 {
        i64::try_from(self.asking.len()).unwrap_or(i64::MAX).saturating_add(self.only_pending_known)
    }

    /// The sum of weights, in the order of names as its 32 bits show.
    fn weights(&self, sharing: Sharing) -> f32 {
        match (sharing, self.uneven) {
            (Sharing::Active, [0, _]) => self.sharing.len() as f32,
            (Sharing::Active, _) => {
                self.sharing.iter().map(|name| self.get(name).map_or(1.0, |user| user.weight)).sum()
            }
            (Sharing::All, [_, 0]) => self.present.len() as f32,
            (Sharing::All, _) => self.present.values().map(|record| self.records[*record].weight).sum(),
        }
    }

    /// The limit of a user of weight one.
    fn limit(&mut self, sharing: Sharing, by: &LimitInputs<'_>) -> Resource {
        if let Some(limit) = self.limits[sharing as usize] {
            return limit;
        }
        let LimitInputs { arith, cluster, minimum, guaranteed, maximum, user_limit, factor } = *by;
        let capacity = arith.most(cluster, guaranteed, minimum);
        let consumed = arith.times_up(cluster, f64::from(self.usage_ratio), minimum);
        let current = if arith.is_less(cluster, &consumed, &capacity) { capacity } else { consumed.plus(minimum) };
        let shared = match sharing {
            Sharing::Active => self.active_used.plus(minimum),
            Sharing::All => current,
        };
        let share = arith.divide_and_ceil(&shared, self.weights(sharing));
        let floor = arith.hundredth_up(&current.times(f64::from(user_limit)));
        let limit = arith.most(cluster, &share, &floor);
        let most = if factor == -1.0 || guaranteed.is_zero() {
            arith.round_down(maximum, minimum)
        } else {
            capacity.times(f64::from(factor))
        };
        let limit = arith.round_up(&arith.least(cluster, &limit, &most), minimum);
        self.limits[sharing as usize] = Some(limit);
        self.only_pending_known = self.only_pending;
        limit
    }

    /// What a user may have, with or without a record.
    pub(crate) fn limit_of(&mut self, name: &str, sharing: Sharing, by: &LimitInputs<'_>) -> Resource {
        let limit = self.limit(sharing, by);
        let weight = self.get(name).map_or(1.0, |user| user.weight);
        by.arith.times_down(&limit, f64::from(weight), by.minimum)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resource::Calculator;
    use proptest::prelude::*;

    const MEMORY: Arith = Arith { calculator: Calculator::Memory, types: 2 };
    const MINIMUM: Resource = Resource::new(1024, 1);

    fn inputs<'a>(cluster: &'a Resource, guaranteed: &'a Resource, user_limit: f32) -> LimitInputs<'a> {
        LimitInputs { arith: MEMORY, cluster, minimum: &MINIMUM, guaranteed, maximum: cluster, user_limit, factor: 1.0 }
    }

    fn two_users(used: i64, cluster: &Resource) -> Users {
        let mut users = Users::default();
        for (app, name) in [(0, "a"), (1, "b")] {
            let record = users.ensure(name, || 1.0);
            users.count(record, 1, 0);
            users.begins_to_ask(name, app, || 1.0);
        }
        users.charge(0, &Resource::new(used, 4), MEMORY, cluster);
        users
    }

    #[test]
    fn the_worked_example() {
        // Reference 14: P 10240, G 8192, MULP 25, ULF 1, a used 4096 and b nothing.
        let (cluster, guaranteed) = (Resource::new(10240, 10), Resource::new(8192, 8));
        let mut users = two_users(4096, &cluster);
        let limit = users.limit_of("a", Sharing::Active, &inputs(&cluster, &guaranteed, 25.0));
        assert_eq!(limit.memory_mb(), 3072);
        users.invalidate();
        let limit = users.limit_of("a", Sharing::Active, &inputs(&cluster, &guaranteed, 100.0));
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
        users.charge(record, &Resource::new(-2048, -2), MEMORY, &cluster);
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
        users.limit_of("a", Sharing::Active, &inputs(&cluster, &guaranteed, 25.0));
        assert_eq!(users.active_users(), 1, "counted when limits are worked out");
    }

    proptest! {
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
                    1 => users.ceases_to_ask(names[who], app),
                    more => users.charge(who, &Resource::new(more - 3, 1), MEMORY, &cluster),
                }
                let active = || users.present.iter().filter(|(name, _)| users.asking.contains_key(*name));
                let used = active().fold(Resource::ZERO, |sum, (_, record)| sum.plus(&users.records[*record].used));
                let weights: f32 = active().map(|(_, record)| users.records[*record].weight).sum();
                prop_assert_eq!(users.active_used, used);
                prop_assert_eq!(users.weights(Sharing::Active), weights);
            }
        }
    }
}
