//! Preemption within a leaf: what its applications should have, and who gives to whom (rules/capacity.md 25.5).

use crate::capacity::rules::arith::Arith;
use crate::resource::Resource;

/// A user of the leaf in a round.
#[derive(Clone, Debug, Default)]
pub(crate) struct UserIn {
    pub(crate) used: Resource,
    /// AMs of his active applications.
    pub(crate) am: Resource,
    /// What he may have if all users share, AMs included.
    pub(crate) whole_limit: Resource,
    /// Containers of his that are chosen already, of applications that the room got as far as.
    selected: Resource,
    given: Resource,
    done: bool,
}

impl UserIn {
    fn limit(&self) -> Resource {
        self.whole_limit.minus(&self.am)
    }

    /// What he uses without AMs.
    pub(crate) fn net(&self) -> Resource {
        self.used.minus(&self.am)
    }
}

/// An application of the leaf in a round.
#[derive(Clone, Debug)]
pub(crate) struct AppIn {
    pub(crate) number: u32,
    /// As lists name it.
    pub(crate) entry: u32,
    pub(crate) priority: i32,
    /// Its place among the users.
    pub(crate) user: usize,
    pub(crate) used: Resource,
    pub(crate) am: Resource,
    pub(crate) pending: Resource,
    /// Containers of it that are chosen already.
    pub(crate) chosen: Resource,
    /// The same as far as it counts: nothing where no room was left when it was its turn.
    selected: Resource,
    ideal: Resource,
    demand: Resource,
    offered: Resource,
    /// What it has to give.
    pub(crate) taken: Resource,
}

impl AppIn {
    pub(crate) fn new(number: u32, entry: u32, priority: i32, user: usize) -> AppIn {
        let none = Resource::ZERO;
        AppIn {
            number,
            entry,
            priority,
            user,
            used: none,
            am: none,
            pending: none,
            chosen: none,
            selected: none,
            ideal: none,
            demand: none,
            offered: none,
            taken: none,
        }
    }
}

/// How a leaf is looked at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    pub(crate) arith: Arith,
    pub(crate) cluster: Resource,
    pub(crate) minimum: Resource,
    /// What the applications may have together.
    pub(crate) room: Resource,
    /// What may be taken from them together.
    pub(crate) cap: Resource,
    pub(crate) conservative: bool,
    pub(crate) user_limit_first: bool,
}

/// Works out what each application gives; `apps` stand first to last.
pub(crate) fn match_demands(apps: &mut [AppIn], users: &mut [UserIn], plan: &Plan) {
    work_out_ideals(apps, users, plan);
    work_out_offers(apps, plan);
    for high in 0..apps.len() {
        give_to(high, apps, users, plan);
    }
}

fn work_out_ideals(apps: &mut [AppIn], users: &mut [UserIn], plan: &Plan) {
    let (arith, cluster, none) = (plan.arith, &plan.cluster, Resource::ZERO);
    let mut room = plan.room;
    for app in apps {
        if !arith.is_greater(cluster, &room, &none) || (plan.conservative && arith.any_zero_or_negative(&room)) {
            break;
        }
        // As in Hadoop, where what is chosen already of those behind counts for nothing: they may have to give it once
        // more.
        app.selected = app.chosen;
        let user = &mut users[app.user];
        user.selected = user.selected.plus(&app.chosen);
        if !arith.is_less(cluster, &user.given, &user.limit()) {
            continue;
        }
        let has = app.used.minus(&app.am).minus(&app.selected);
        let wanted = app.used.minus(&app.am).plus(&app.pending).minus(&app.selected);
        let wanted = arith.least(cluster, &wanted, &user.limit().minus(&user.given));
        let ideal = arith.least(cluster, &room, &wanted);
        app.ideal = ideal;
        user.given = user.given.plus(&ideal);
        if arith.is_greater(cluster, &ideal, &has) {
            app.demand = ideal.minus(&has);
        }
        room = room.minus_non_negative(&ideal);
    }
}

fn work_out_offers(apps: &mut [AppIn], plan: &Plan) {
    let (arith, cluster, none) = (plan.arith, &plan.cluster, Resource::ZERO);
    let mut cap = plan.cap;
    for app in apps.iter_mut().rev() {
        if !arith.is_greater(cluster, &cap, &none) {
            break;
        }
        if !arith.is_greater(cluster, &app.used, &none) {
            continue;
        }
        let mut offered = app.used.minus_non_negative(&app.ideal);
        offered = offered.minus_non_negative(&app.selected).minus_non_negative(&app.am);
        if plan.user_limit_first {
            offered = offered.minus_non_negative(&plan.minimum);
        }
        offered = arith.least(cluster, &arith.most(cluster, &offered, &none), &cap);
        app.offered = offered;
        cap = cap.minus(&offered);
    }
}

fn give_to(high: usize, apps: &mut [AppIn], users: &mut [UserIn], plan: &Plan) {
    let (arith, cluster, none) = (plan.arith, &plan.cluster, Resource::ZERO);
    if !arith.is_greater(cluster, &apps[high].demand, &none) {
        return;
    }
    for low in (0..apps.len()).rev() {
        if apps[high].demand.is_zero() {
            break;
        }
        let (giver, taker) = (&apps[low], &apps[high]);
        let is_spent = !arith.is_greater(cluster, &giver.offered, &giver.taken);
        if !arith.is_greater(cluster, &giver.offered, &none) || is_spent {
            continue;
        }
        let same_user = giver.user == taker.user;
        let user = &mut users[giver.user];
        let above = arith.is_greater(cluster, &user.net(), &user.limit());
        if same_user && giver.priority >= taker.priority || plan.user_limit_first && !same_user && !above {
            continue;
        }
        let mut spare = giver.offered.minus(&giver.taken);
        if !same_user && giver.priority == taker.priority && above {
            let excess = if user.done { none } else { user.net().minus(&user.selected).minus(&user.limit()) };
            if arith.is_less(cluster, &excess, &spare) {
                user.done = true;
                spare = excess;
            }
        }
        if arith.is_greater(cluster, &spare, &none) {
            let moved = arith.least(cluster, &apps[high].demand, &spare);
            apps[high].demand = apps[high].demand.minus(&moved);
            apps[low].taken = apps[low].taken.plus(&moved);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resource::Calculator;

    #[test]
    fn a_more_important_application_of_the_user_gets_from_the_less_important_one() {
        let memory = |amount| Resource::new(amount, 0);
        let plan = Plan {
            arith: Arith { calculator: Calculator::Memory, types: 2 },
            cluster: memory(100),
            minimum: memory(1),
            room: memory(50),
            cap: memory(20),
            conservative: false,
            user_limit_first: false,
        };
        let high = AppIn { pending: memory(30), ..AppIn::new(2, 2, 5, 0) };
        let low = AppIn { used: memory(50), ..AppIn::new(1, 1, 1, 0) };
        let mut users = [UserIn { used: memory(50), whole_limit: memory(50), ..UserIn::default() }];
        let mut apps = [high.clone(), low.clone()];
        match_demands(&mut apps, &mut users, &plan);
        assert_eq!(apps[1].taken, memory(20), "no more than may be taken in a round");
        let mut users = [UserIn { used: memory(50), whole_limit: memory(50), ..UserIn::default() }];
        let mut apps = [AppIn { priority: 1, ..high }, low];
        match_demands(&mut apps, &mut users, &plan);
        assert!(apps[1].taken.is_zero(), "of equal importance nobody gives to the same user's");
    }

    /// A more important application takes all the room. What is chosen already of the one behind it does not count, so
    /// that one gives as much as if nothing were chosen; where room is left for it, it gives less.
    #[test]
    fn what_is_chosen_already_counts_as_far_as_the_room_goes() {
        let memory = |amount| Resource::new(amount, 0);
        let plan = |room| Plan {
            arith: Arith { calculator: Calculator::Memory, types: 2 },
            cluster: memory(100),
            minimum: memory(1),
            room: memory(room),
            cap: memory(20),
            conservative: false,
            user_limit_first: false,
        };
        let taken = |room, pending| {
            let high = AppIn { pending: memory(pending), ..AppIn::new(2, 2, 5, 0) };
            let low = AppIn { used: memory(20), chosen: memory(20), ..AppIn::new(1, 1, 1, 1) };
            let of = |used| UserIn { used: memory(used), whole_limit: memory(50), ..UserIn::default() };
            let (mut users, mut apps) = ([of(0), of(20)], [high, low]);
            match_demands(&mut apps, &mut users, &plan(room));
            (apps[1].taken, users[1].selected)
        };
        assert_eq!(taken(10, 10), (memory(10), memory(0)));
        assert_eq!(taken(11, 10), (memory(0), memory(20)));
    }
}
