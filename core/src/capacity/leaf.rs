//! One leaf queue: its applications in their lists, its limits of AMs, whom it activates.
//!
//! Reference 8.2, 9, 13.3 and 15; `AbstractLeafQueue`. Plain data of whoever owns the leaf. What it has to know of an application it is
//! told, or asks by a closure: applications are their owner's.

use super::arith::Arith;
use super::order::{AppRank, compare_fair, compare_fifo};
use super::users::{LimitInputs, Users};
use crate::config::capacity::AppOrdering;
use crate::resource::Resource;
use crate::sync::Arc;
use rustc_hash::FxHashMap;
use std::cmp::Ordering;
use std::collections::BTreeSet;

/// Applications in an order that is searched from the front, never sorted anew: who changed while it stayed may stand anywhere (13.3).
#[derive(Clone, Debug, Default)]
pub(crate) struct Ordered(Vec<u32>);

impl Ordered {
    pub(crate) fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.0.iter().copied()
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// The one at a place.
    pub(crate) fn at(&self, place: usize) -> Option<u32> {
        self.0.get(place).copied()
    }

    /// The first that does not come before it, and whether it is equal.
    fn find(&self, app: &AppRank, compare: impl Fn(u32, &AppRank) -> Ordering) -> (usize, bool) {
        for (at, other) in self.0.iter().enumerate() {
            match compare(*other, app) {
                Ordering::Less => {}
                Ordering::Equal => return (at, true),
                Ordering::Greater => return (at, false),
            }
        }
        (self.0.len(), false)
    }

    pub(crate) fn contains(&self, app: &AppRank, compare: impl Fn(u32, &AppRank) -> Ordering) -> bool {
        self.find(app, compare).1
    }

    pub(crate) fn insert(&mut self, app: &AppRank, compare: impl Fn(u32, &AppRank) -> Ordering) {
        let (at, there) = self.find(app, compare);
        if !there {
            self.0.insert(at, app.number);
        }
    }

    /// Whether it was found.
    pub(crate) fn remove(&mut self, app: &AppRank, compare: impl Fn(u32, &AppRank) -> Ordering) -> bool {
        let (at, there) = self.find(app, compare);
        if there {
            self.0.remove(at);
        }
        there
    }

    /// From the last on, each time the one before the first that does not come before the present one.
    pub(crate) fn backwards(
        &self,
        rank: impl Fn(u32) -> AppRank,
        compare: impl Fn(u32, &AppRank) -> Ordering,
    ) -> Vec<u32> {
        let mut out = Vec::with_capacity(self.0.len());
        let mut end = self.0.len();
        // An entry that stands out of order could be met again and again.
        while end > 0 && out.len() < self.0.len() {
            let app = self.0[end - 1];
            out.push(app);
            end = self.find(&rank(app), &compare).0;
        }
        out
    }
}

/// How applications are ordered for containers.
pub(crate) fn compare(ordering: &AppOrdering, a: &AppRank, b: &AppRank) -> Ordering {
    match ordering {
        AppOrdering::Fair { size_based_weight } => compare_fair(a, b, *size_based_weight),
        AppOrdering::Fifo | AppOrdering::FifoWithPartitions { .. } | AppOrdering::FifoForPendingApps => {
            compare_fifo(a, b)
        }
    }
}

/// What a pass remembers of a user, until his limit is invalidated.
#[derive(Clone, Debug)]
pub(crate) struct PassUser {
    pub(crate) limit: Resource,
    /// The reservation with which he could not be served.
    pub(crate) failed_with: Option<Resource>,
}

/// See the module's text.
#[derive(Debug, Default)]
pub(crate) struct Leaf {
    pub(crate) active: Ordered,
    pub(crate) pending: Ordered,
    /// Those that a limit of parallel applications keeps waiting, in the order in which they came.
    pub(crate) waiting: Vec<u32>,
    /// Those that it does not.
    pub(crate) runnable: BTreeSet<u32>,
    pub(crate) users: Users,
    pub(crate) am_used: Resource,
    /// As last worked out.
    pub(crate) am_limit: Resource,
    /// What it may use, as last stored, and as last published (13.1).
    pub(crate) stored_limit: Resource,
    pub(crate) published_limit: Resource,
    /// Fair: whose place awaits a refresh.
    pub(crate) to_reorder: BTreeSet<u32>,
    /// By user; of this [version](Users::version).
    pass_users: (u64, FxHashMap<Arc<str>, PassUser>),
}

impl Leaf {
    /// Applications, those that wait included.
    pub(crate) fn applications(&self) -> usize {
        self.active.len() + self.pending.len() + self.waiting.len()
    }

    /// What passes remember of users; forgotten where limits were invalidated.
    pub(crate) fn pass_users(&mut self) -> &mut FxHashMap<Arc<str>, PassUser> {
        let version = self.users.version();
        if self.pass_users.0 != version {
            self.pass_users.0 = version;
            self.pass_users.1.clear();
        }
        &mut self.pass_users.1
    }

    /// The limit of all AMs together (9).
    pub(crate) fn work_out_am_limit(&mut self, percent: f32, guaranteed: &Resource, minimum: &Resource, arith: Arith) {
        let base = if arith.fits_in(guaranteed, &self.published_limit) { &self.published_limit } else { guaranteed };
        self.am_limit = arith.times_up(base, f64::from(percent), minimum);
    }

    /// The limit of one user's AMs (9).
    pub(crate) fn user_am_limit(&self, percent: f32, weight: f32, by: &LimitInputs<'_>) -> Resource {
        let arith = by.arith;
        let active = self.users.active_users().max(1) as f32;
        let effective = (by.user_limit / 100.0).max(1.0 / active);
        let weighted = (effective * weight).min(1.0);
        let factor = if by.factor == -1.0 { percent } else { percent * weighted * by.factor };
        let limit = arith.times_up(by.guaranteed, f64::from(factor), by.minimum);
        arith.least(by.cluster, &limit, &self.am_limit)
    }

    /// Whether an AM is let pass although it is above a limit: nobody could ever start otherwise.
    fn lets_pass(&self, cluster: &Resource, arith: Arith) -> bool {
        self.active.len() < 1 || arith.compare(cluster, &self.am_used, &Resource::ZERO).is_le()
    }
}

/// What activation has to know of an application.
#[derive(Clone, Debug)]
pub(crate) struct Candidate<'a> {
    pub(crate) rank: AppRank,
    pub(crate) user: &'a str,
    pub(crate) am: Resource,
}

impl Leaf {
    /// Activates whom the limits of AMs let, in the order in which they wait (9). `weight` is that of a user in this leaf.
    pub(crate) fn activate<'a>(
        &mut self,
        ordering: &AppOrdering,
        percent: f32,
        by: &LimitInputs<'_>,
        app: impl Fn(u32) -> Candidate<'a>,
        weight: impl Fn(&str) -> f32,
    ) {
        let arith = by.arith;
        self.work_out_am_limit(percent, by.guaranteed, by.minimum, arith);
        let mut user_limit = None;
        for number in self.pending.0.clone() {
            let Candidate { rank, user, am } = app(number);
            if !arith.fits_in(&self.am_used.plus(&am), &self.am_limit) && !self.lets_pass(by.cluster, arith) {
                continue;
            }
            let record = self.users.ensure(user, || weight(user));
            // Worked out once a pass, for its first application's user.
            let of_user = match user_limit {
                Some(limit) => limit,
                None => *user_limit.insert(self.user_am_limit(percent, self.users.at(record).weight, by)),
            };
            let used = self.users.at(record).am_used.plus(&am);
            if !arith.fits_in(&used, &of_user) && !self.lets_pass(by.cluster, arith) {
                continue;
            }
            self.users.count(record, 1, -1);
            self.active.insert(&rank, |other, this| compare(ordering, &app(other).rank, this));
            self.am_used = self.am_used.plus(&am);
            self.users.add_am(record, &am);
            self.pending.0.retain(|other| *other != number);
        }
    }
}
