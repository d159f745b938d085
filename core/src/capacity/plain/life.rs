//! The life of applications: submission, priority, move, end (rules/capacity.md 8, 20, 21, 23).

use super::settings::{number, text};
use super::state::{App, Plain, Refused};
use crate::capacity::allocator::Row;
use crate::capacity::asks::{ANY, Asks};
use crate::capacity::order::{AppOrder, FairCache};
use crate::capacity::tree::{Named, ROOT, Status};
use crate::resource::{Resource, Wide};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

impl Plain {
    fn cut(&self, priority: i32) -> i32 {
        priority.min(self.tree.file.settings().max_application_priority)
    }

    pub(super) fn submit(&mut self, step: &Value) -> Result<(), Refused> {
        let app = number(step, "app");
        let user = text(step, "user").to_owned();
        let queue = step.get("queue").and_then(Value::as_str).unwrap_or("default").to_owned();
        let asked = step.get("priority").and_then(Value::as_i64).and_then(|priority| i32::try_from(priority).ok());
        let default = || match self.tree.find(&queue) {
            Named::Queue(slot) => self.tree.get(slot).leaf().map_or(0, |leaf| leaf.default_application_priority),
            Named::Ambiguous | Named::Unknown => 0,
        };
        let priority = self.cut(asked.unwrap_or_else(default));
        let managed = step.get("am").is_some();
        let mut am = self.minimum;
        if managed {
            let (largest, size) = (self.largest_in(&queue), self.resource(step.get("am")));
            if !self.is_valid(&size, &largest) {
                return Err(Refused::new("invalid-resource"));
            }
            am = self.normal(&size, &largest);
        }
        if self.counts[ROOT as usize].applications >= i64::from(self.tree.file.settings().maximum_applications) {
            return Err(Refused::new("max-applications"));
        }
        let leaf = match self.tree.find(&queue) {
            Named::Ambiguous => return Err(Refused::new("ambiguous-queue")),
            Named::Unknown => return Err(Refused::new("no-such-queue")),
            Named::Queue(slot) if self.leaves[slot as usize].is_none() => return Err(Refused::new("not-leaf")),
            Named::Queue(slot) => slot,
        };
        self.check_submission(leaf, &user)?;
        self.count_above(leaf, 1);
        self.apps.insert(
            app,
            App {
                user,
                leaf,
                queue,
                priority,
                submitted_priority: priority,
                managed,
                has_am: false,
                am,
                start_ms: self.now_ms,
                runnable: false,
                asks: Asks::default(),
                opportunities: BTreeMap::new(),
                re_reservations: BTreeMap::new(),
                used: Resource::ZERO,
                reserved: Resource::ZERO,
                containers: BTreeMap::new(),
                reservations: Vec::new(),
                last_number: 0,
                moved_below: 0,
                publication: None,
                blacklist: BTreeSet::new(),
                fair: FairCache::default(),
                to_tell: BTreeSet::new(),
            },
        );
        self.begin(app);
        if managed {
            self.allocate(app, vec![(0, ANY.to_owned(), Row { count: 1, size: am, relax: true })], &[], &[]);
        }
        Ok(())
    }

    /// What a leaf asks of a submission; it leaves a user record behind where it has looked at the user's count.
    fn check_submission(&mut self, slot: u32, user: &str) -> Result<(), Refused> {
        if self.tree.get(slot).status != Status::Running {
            return Err(Refused::new("stopped"));
        }
        let figures = &self.tree.get(slot).figures;
        let (most, of_user) = (i64::from(figures.max_applications), figures.max_applications_per_user);
        if self.applications(slot) >= most {
            return Err(Refused::new("queue-full"));
        }
        let weight = self.tree.user_weight(slot, user);
        let users = &mut self.leaf_mut(slot).users;
        let record = users.ensure(user, || weight);
        if users.at(record).active + users.at(record).pending >= of_user {
            return Err(Refused::new("user-full"));
        }
        if self.tree.path(slot).any(|queue| self.tree.get(queue).status != Status::Running) {
            return Err(Refused::new("stopped"));
        }
        Ok(())
    }

    fn count_above(&mut self, leaf: u32, by: i64) {
        let above: Vec<u32> = self.tree.path(leaf).skip(1).collect();
        above.into_iter().for_each(|queue| self.counts[queue as usize].applications += by);
    }

    /// An attempt enters its leaf; one that may not run waits.
    pub(super) fn enter(&mut self, app: u32) {
        let local = self.app(app);
        let (leaf, user, runnable, am) = (local.leaf, local.user.clone(), local.runnable, local.am);
        let (rank, weight) = (self.rank(app), self.tree.user_weight(leaf, &user));
        let record = self.leaf_mut(leaf).users.ensure(&user, || weight);
        if !runnable {
            self.leaf_mut(leaf).waiting.push(app);
            return;
        }
        let mut of_leaf = self.leaves[leaf as usize].take().expect("a leaf queue");
        of_leaf.users.count(record, 0, 1);
        of_leaf.runnable.insert(app);
        of_leaf.wait(app, &rank, &am, |other| self.rank(other));
        self.leaves[leaf as usize] = Some(of_leaf);
        if self.arith.is_greater(&self.cluster, &self.cluster, &Resource::ZERO) {
            self.activate(leaf);
        }
    }

    /// An attempt leaves the lists of a leaf.
    fn leave(&mut self, app: u32, leaf: u32) {
        let (user, am) = (self.app(app).user.clone(), self.app(app).am);
        let (rank, ordering, weight) = (self.rank(app), self.ordering(leaf), self.tree.user_weight(leaf, &user));
        let mut of_leaf = self.leaves[leaf as usize].take().expect("a leaf queue");
        let record = of_leaf.users.ensure(&user, || weight);
        if !of_leaf.runnable.remove(&app) {
            of_leaf.waiting.retain(|other| *other != app);
        }
        of_leaf.to_reorder.remove(&(app, app));
        let was_active = of_leaf.active.remove(&rank, AppOrder::of(&ordering), |other| self.rank(other)).is_some();
        if was_active {
            let negative = Resource::ZERO.minus(&am);
            of_leaf.am_used = of_leaf.am_used.minus(&am);
            of_leaf.users.add_am(record, &negative);
            of_leaf.users.count(record, -1, 0);
        } else {
            of_leaf.wait_no_more(&rank, &am, |other| self.rank(other));
            of_leaf.users.count(record, 0, -1);
        }
        of_leaf.users.drop_if_idle(&user);
        self.leaves[leaf as usize] = Some(of_leaf);
        self.activate(leaf);
    }

    fn check_drained(&mut self, queue: u32) {
        if self.applications(queue) == 0 {
            self.tree.drained(queue);
        }
    }

    pub(super) fn finish(&mut self, app: u32) -> Result<(), Refused> {
        let local = self.apps.get(&app).ok_or_else(|| Refused::new("no-such-app"))?;
        let (leaf, user) = (local.leaf, local.user.clone());
        let containers: Vec<u32> = local.containers.keys().copied().collect();
        for container in containers {
            self.end_container(app, container, true);
        }
        let reservations: Vec<u32> = self.app(app).reservations.iter().map(|made| made.number).collect();
        for reservation in reservations {
            self.end_reservation(app, reservation);
        }
        let pending = self.app(app).asks.pending();
        self.app_mut(app).asks.clear();
        self.add_pending(leaf, &Wide::ZERO.minus(&pending));
        self.leave(app, leaf);
        self.ran_or_waited(app, leaf);
        self.leaf_mut(leaf).users.ceases_to_ask(&user, app);
        if let Some(ended) = self.apps.remove(&app) {
            self.gone.insert(app, ended);
        }
        self.check_drained(leaf);
        let above: Vec<u32> = self.tree.path(leaf).skip(1).collect();
        for queue in above {
            self.counts[queue as usize].applications -= 1;
            self.check_drained(queue);
        }
        Ok(())
    }

    pub(super) fn set_priority(&mut self, app: u32, priority: i32) -> Result<(), Refused> {
        let local = self.apps.get(&app).ok_or_else(|| Refused::new("no-such-app"))?;
        let (leaf, am, priority) = (local.leaf, local.am, self.cut(priority));
        if priority == local.submitted_priority {
            return Ok(());
        }
        let (rank, ordering) = (self.rank(app), self.ordering(leaf));
        let mut of_leaf = self.leaves[leaf as usize].take().expect("a leaf queue");
        of_leaf.to_reorder.remove(&(app, app));
        let was_active = of_leaf.active.remove(&rank, AppOrder::of(&ordering), |other| self.rank(other)).is_some();
        if !was_active {
            of_leaf.wait_no_more(&rank, &am, |other| self.rank(other));
        }
        self.app_mut(app).priority = priority;
        let rank = self.rank(app);
        if was_active {
            of_leaf.active.insert(app, &rank, AppOrder::of(&ordering), |other| self.rank(other));
        } else {
            of_leaf.wait(app, &rank, &am, |other| self.rank(other));
        }
        self.leaves[leaf as usize] = Some(of_leaf);
        Ok(())
    }

    pub(super) fn move_app(&mut self, app: u32, queue: &str) -> Result<(), Refused> {
        let local = self.apps.get(&app).ok_or_else(|| Refused::new("no-such-app"))?;
        let (source, user) = (local.leaf, local.user.clone());
        let target = match self.tree.find(queue) {
            Named::Ambiguous | Named::Unknown => return Err(Refused::new("no-such-queue")),
            Named::Queue(slot) if self.leaves[slot as usize].is_none() => return Err(Refused::new("not-leaf")),
            Named::Queue(slot) => slot,
        };
        self.check_submission(target, &user)?;
        self.count_above(target, 1);
        let of_containers = self.app(app).containers.values().map(|container| container.size);
        let sizes: Vec<Resource> =
            of_containers.chain(self.app(app).reservations.iter().map(|made| made.size)).collect();
        for size in sizes {
            let negative = Resource::ZERO.minus(&size);
            self.charge_leaf(source, &user, &negative, -1);
            self.charge_above(source, &negative, -1);
            self.charge_leaf(target, &user, &size, 1);
            self.charge_above(target, &size, 1);
        }
        self.leave(app, source);
        let local = self.app_mut(app);
        (local.leaf, local.moved_below) = (target, local.last_number + 1);
        self.enter(app);
        let (pending, reserved) = (self.app(app).asks.pending(), self.app(app).reserved);
        self.leaf_mut(source).users.ceases_to_ask(&user, app);
        if !self.app(app).asks.is_idle() {
            let weight = self.tree.user_weight(target, &user);
            self.leaf_mut(target).users.begins_to_ask(&user, app, || weight);
        }
        self.add_pending(source, &Wide::ZERO.minus(&pending));
        self.add_pending(target, &pending);
        self.add_reserved_by_apps(source, &Resource::ZERO.minus(&reserved));
        self.add_reserved_by_apps(target, &reserved);
        self.check_drained(source);
        let above: Vec<u32> = self.tree.path(source).skip(1).collect();
        for queue in above {
            self.counts[queue as usize].applications -= 1;
            self.check_drained(queue);
        }
        let path = self.tree.get(target).config.path.clone();
        self.app_mut(app).queue = path;
        Ok(())
    }
}
