//! The audit of the users of one leaf: sums against records, and what each is charged against what his applications
//! hold.

use super::{User, UserSlot, Users};
use crate::capacity::rules::arith::Arith;
use crate::id::LabelId;
use crate::resource::{Resource, Wide};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// What the applications of a user hold in a leaf.
#[derive(Clone, Debug, Default)]
pub(crate) struct HeldByUser {
    pub(crate) used: Wide,
    pub(crate) am_used: Wide,
    pub(crate) active: i32,
    pub(crate) pending: i32,
    /// All of them, by number.
    pub(crate) apps: FxHashSet<u32>,
}

impl Users {
    /// So many applications' headroom comes from a record.
    pub(crate) fn references(&self, record: usize) -> u32 {
        self.records[record].references
    }

    /// Says what is not so. `held`: by name; `is_odd`: lists and counts of the leaf may be; `cluster`: of one that is
    /// in force.
    pub(crate) fn audit(
        &self,
        held: &BTreeMap<&str, HeldByUser>,
        is_odd: bool,
        cluster: Option<(Arith, &Resource)>,
        wrong: &mut Vec<String>,
    ) {
        let nobody = HeldByUser::default();
        for (name, seat) in &self.names {
            let of_user = held.get(&**name).unwrap_or(&nobody);
            let record = self.record_at(*seat).map(|record| &self.records[record]);
            self.audit_user(name, *seat, record, of_user, is_odd, wrong);
        }
        let strangers = held.keys().filter(|name| !self.names.contains_key(**name));
        wrong.extend(strangers.map(|name| format!("user {name} has applications and no seat")));
        self.audit_sums(wrong);
        let Some((arith, cluster)) = cluster else { return };
        let mut ratios = self.iter().map(|(_, user)| (user.ratio, arith.ratio(&user.used, cluster)));
        if ratios.any(|(kept, now)| kept.to_bits() != now.to_bits()) {
            wrong.push("a user's part of the cluster is not what he uses".to_owned());
        }
    }

    /// By how much the charge of a user on the nodes of a label exceeds what the user holds.
    pub(crate) fn drift_of(&self, seat: UserSlot, label: LabelId) -> Resource {
        self.drift.get(&(seat, label)).copied().unwrap_or(Resource::ZERO)
    }

    /// The seat of a user who has one.
    pub(crate) fn known_seat(&self, name: &str) -> Option<UserSlot> {
        self.names.get(name).copied()
    }

    fn audit_user(
        &self,
        name: &str,
        seat: UserSlot,
        record: Option<&User>,
        held: &HeldByUser,
        is_odd: bool,
        wrong: &mut Vec<String>,
    ) {
        let drift = self.drift_of(seat, LabelId::NONE);
        let charged = record.map_or(Resource::ZERO, |user| user.used);
        let due = held.used.plus(&(&drift).into());
        if due != charged {
            wrong.push(format!("user {name} is charged {charged}, and holds {} and a drift of {drift}", held.used));
        }
        let left = self.seats[seat as usize].asking.difference(&held.apps).collect::<Vec<_>>();
        if !left.is_empty() {
            wrong.push(format!("user {name} asks with applications that he does not have there: {left:?}"));
        }
        if is_odd {
            return;
        }
        let counted = record.map_or((0, 0, Resource::ZERO), |user| (user.active, user.pending, user.am_used));
        let there = (held.active, held.pending, held.am_used);
        let (active, pending, am_used) = counted;
        if (active, pending) != (held.active, held.pending) || held.am_used != am_used {
            wrong.push(format!("user {name} has (active, pending, AMs) {there:?}, and is counted {counted:?}"));
        }
    }

    /// Sums are what a walk would find.
    fn audit_sums(&self, wrong: &mut Vec<String>) {
        let count = |is: &dyn Fn(&User) -> bool| self.iter().filter(|(_, user)| is(user)).count();
        let asking = self.seats.iter().filter(|seat| !seat.asking.is_empty()).count();
        let sums = [
            ("have a record", self.present, count(&|_| true)),
            ("share", self.sharing, count(&|user| user.shares)),
            ("ask", self.asking, asking),
            ("share with another weight", self.uneven[0], count(&|user| user.shares && user.weight != 1.0)),
            ("have another weight", self.uneven[1], count(&|user| user.weight != 1.0)),
        ];
        let only_pending = count(&User::has_only_pending);
        if usize::try_from(self.only_pending) != Ok(only_pending) {
            wrong.push(format!("{} users are counted as only waiting, {only_pending} do", self.only_pending));
        }
        let differing = sums.into_iter().filter(|(_, kept, found)| kept != found);
        wrong.extend(differing.map(|(what, kept, found)| format!("{found} users {what}, {kept} are counted")));
        let sharing = self.iter().filter(|(_, user)| user.shares);
        let used = sharing.map(|(_, user)| &user.used).chain([&self.active_drift]).sum::<Wide>();
        if used != self.active_used {
            wrong.push(format!("active users use {used}, {} is counted", self.active_used));
        }
    }
}
