//! The audit of one worker's books: what each queue, user and list must add up to, given the applications.
//!
//! Of the applications themselves [`audit`](crate::capacity::audit) says whether they are the engine's. What Hadoop
//! lets [drift](super::drift) is known by how much; lists and counts that the rules leave odd (`Leaf::is_odd`) are not
//! looked at.

use super::{AppBook, Books, QueueBook};
use crate::capacity::rules::leaf::Leaf;
use crate::capacity::rules::order::{AppOrder, order_key, queue_key};
use crate::capacity::rules::ordered::AppEntry;
use crate::capacity::rules::partition::{Partition, Whole};
use crate::capacity::rules::users::audit::HeldByUser;
use crate::id::LabelId;
use crate::policy::OrderKey;
use crate::resource::{Resource, Wide};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// What the applications of a queue and below it hold.
#[derive(Clone, Debug, Default, PartialEq)]
struct Held {
    /// With reservations.
    used: Wide,
    reserved: Wide,
    reserved_by_apps: Wide,
    pending: Wide,
    /// With reservations.
    containers: i64,
}

impl Held {
    fn add<P: Partition>(&mut self, app: &AppBook, containers: i64, p: P) {
        let (here, others) = (app.reserved_in(p), app.others_in(p));
        let reserved: Wide = [&here, &others.reserved].into_iter().sum();
        self.used = self.used.plus(&(&app.used_in(p)).into()).plus(&reserved);
        self.reserved = self.reserved.plus(&reserved);
        self.pending = self.pending.plus(app.pending_in(p));
        if p.is_first() {
            self.used = self.used.minus(&(&app.drift).into());
            self.reserved_by_apps = self.reserved_by_apps.plus(&(&here).into());
            self.containers += containers + others.containers;
        }
    }
}

impl Books {
    /// Says what is not so. `containers`: how many an application has here, reservations included.
    pub(crate) fn audit(&self, containers: &FxHashMap<u32, i64>, wrong: &mut Vec<String>) {
        if self.has_labels() {
            self.partitions().for_each(|p| self.audit_queues(containers, p, wrong));
        } else {
            self.audit_queues(containers, Whole, wrong);
        }
        for slot in self.slots() {
            if let Some(leaf) = &self.queue(slot).leaf {
                self.audit_leaf(slot, leaf, wrong);
            }
        }
        self.audit_entries(wrong);
        self.audit_siblings(wrong);
        if !self.started.is_empty() {
            wrong.push(format!("nobody was told of who starts: {:?}", self.started));
        }
    }

    fn slots(&self) -> impl Iterator<Item = u32> + '_ {
        (0..).zip(&self.queues).filter_map(|(slot, queue)| queue.as_ref().map(|_| slot))
    }

    fn path(&self, slot: u32) -> &str {
        &self.node(slot).config.path
    }

    /// Those that have not ended.
    fn live(&self) -> impl Iterator<Item = (AppEntry, &AppBook)> {
        self.apps.all().filter(|(entry, app)| self.apps.entry(app.number) == Some(*entry))
    }

    /// What a queue counts of a partition. Of drift it is not known in which partition it came about: where there are
    /// labels and a queue drifts, what it uses or has reserved is not looked at.
    fn audit_queues<P: Partition>(&self, containers: &FxHashMap<u32, i64>, p: P, wrong: &mut Vec<String>) {
        let mut held: BTreeMap<u32, Held> = self.slots().map(|slot| (slot, Held::default())).collect();
        let mut drifting: BTreeSet<u32> = BTreeSet::new();
        for (_, app) in self.live() {
            let mut at = Some(app.leaf);
            while let Some(queue) = at {
                let here = containers.get(&app.number).copied().unwrap_or_default();
                held.entry(queue).or_default().add(app, here, p);
                if !P::IS_WHOLE && !app.drift.is_zero() {
                    drifting.insert(queue);
                }
                at = self.parent(queue);
            }
        }
        for (slot, mut held) in held {
            let stays_behind = self.drift.reserved.get(&slot).unwrap_or(&Resource::ZERO);
            held.reserved = held.reserved.plus(&stays_behind.into());
            let counts = self.counts_in(slot, p);
            let mut counted = Held {
                used: (&counts.used).into(),
                reserved: (&counts.reserved).into(),
                reserved_by_apps: (&counts.reserved_by_apps).into(),
                pending: counts.pending,
                containers: counts.containers,
            };
            if !P::IS_WHOLE {
                // A figure of what was asked for without a label, wherever it stands.
                counted.reserved_by_apps = held.reserved_by_apps;
                if drifting.contains(&slot) || self.drift.by_label {
                    counted.used = held.used;
                }
                if !stays_behind.is_zero() {
                    counted.reserved = held.reserved;
                }
            }
            if counted != held {
                let (path, label) = (self.path(slot), p.label().0);
                wrong.push(format!("queue {path} (label {label}) counts {counted:?}, its applications have {held:?}"));
            }
        }
    }

    fn audit_leaf(&self, slot: u32, leaf: &Leaf, wrong: &mut Vec<String>) {
        let path = self.path(slot);
        let members: Vec<_> = self.live().filter(|(_, app)| app.leaf == slot).collect();
        let mut users: BTreeMap<&str, HeldByUser> = BTreeMap::new();
        let mut am_used = Wide::ZERO;
        for (_, app) in &members {
            let user = users.entry(&*app.user).or_default();
            let holds: Wide = [&app.used, &app.reserved, &app.others.reserved].into_iter().sum();
            let am = if app.am_partition.is_none() { app.am } else { app.am_left };
            user.used = user.used.plus(&holds).minus(&(&app.drift).into());
            user.apps.insert(app.number);
            user.active += i32::from(app.is_active);
            user.pending += i32::from(app.runnable && !app.is_active);
            if app.is_active {
                user.am_used = user.am_used.plus(&(&am).into());
                am_used = am_used.plus(&(&am).into());
            }
        }
        let size = if self.has_labels() { &self.sizes[0] } else { &self.cluster };
        let cluster = self.node(slot).known.then_some((self.arith, size));
        let mut of_users = Vec::new();
        // Where an application drifts and there are labels, it is not known in which partition.
        let drifts = self.has_labels() && members.iter().any(|(_, app)| !app.drift.is_zero());
        if !self.drift.by_label && !drifts {
            leaf.users.audit(&users, leaf.is_odd, cluster, &mut of_users);
        }
        wrong.extend(of_users.into_iter().map(|what| format!("queue {path}: {what}")));
        let runnable: BTreeSet<AppEntry> =
            members.iter().filter(|(_, app)| app.runnable).map(|(entry, _)| *entry).collect();
        if runnable != leaf.runnable {
            wrong.push(format!("queue {path}: {runnable:?} may run, {:?} are listed", leaf.runnable));
        }
        let entries = i64::try_from(leaf.active.len() + leaf.pending.len()).unwrap_or(i64::MAX);
        let beyond = entries - i64::try_from(leaf.runnable.len()).unwrap_or(i64::MAX);
        let shown = self.queue(slot).published.surplus_entries.read();
        if self.decides_starts_in(slot) && shown != beyond {
            wrong.push(format!("queue {path} shows {shown} entries beyond its applications, it has {beyond}"));
        }
        let noted: BTreeSet<AppEntry> = leaf.noted.values().copied().collect();
        let active: BTreeSet<AppEntry> = leaf.active.iter().collect();
        if leaf.active.is_sorted() {
            let due =
                self.apps.all().filter(|(_, app)| app.leaf == slot && app.must_be_visited).map(|(entry, _)| entry);
            let due: BTreeSet<AppEntry> = due.collect();
            if noted != due || !noted.is_subset(&active) {
                wrong.push(format!("queue {path}: {due:?} are noted, {noted:?} stand there, {active:?} are active"));
            }
        }
        if leaf.is_odd {
            return;
        }
        let starts: BTreeSet<AppEntry> =
            members.iter().filter(|(_, app)| app.is_active).map(|(entry, _)| *entry).collect();
        let pending: BTreeSet<AppEntry> = leaf.pending.iter().collect();
        let waits: BTreeSet<AppEntry> = runnable.difference(&starts).copied().collect();
        if active != starts || pending != waits {
            wrong.push(format!(
                "queue {path}: active are {starts:?}, listed {active:?}; waiting are {waits:?}, listed {pending:?}"
            ));
        }
        if am_used != leaf.am_used && !self.drift.by_label {
            wrong.push(format!("queue {path} counts {} of AMs, they have {am_used}", leaf.am_used));
        }
        let mut ams: BTreeMap<(LabelId, i64), usize> = BTreeMap::new();
        for app in pending.iter().map(|entry| &self.apps[*entry]) {
            *ams.entry((app.am_partition, app.am.memory_mb())).or_default() += 1;
        }
        if ams != *leaf.waiting_ams() {
            wrong.push(format!("queue {path}: AMs {ams:?} wait, {:?} are counted", leaf.waiting_ams()));
        }
        self.audit_parts(slot, leaf, &members, wrong);
        self.audit_notes(slot, leaf, wrong);
    }

    /// What is charged on nodes with a label to the users of a leaf and to its AMs.
    fn audit_parts(&self, slot: u32, leaf: &Leaf, members: &[(AppEntry, &AppBook)], wrong: &mut Vec<String>) {
        if self.drift.by_label {
            return;
        }
        let path = self.path(slot);
        for p in self.partitions().skip(1) {
            let mut users: BTreeMap<&str, [Wide; 2]> = BTreeMap::new();
            let mut am_used = Wide::ZERO;
            for (_, app) in members {
                let [used, ams] = users.entry(&*app.user).or_default();
                let held = [&app.used_in(p), &app.reserved_in(p), &app.others_in(p).reserved].into_iter().sum();
                *used = used.plus(&held);
                if app.is_active {
                    *ams = ams.plus(&(&app.am_in(p)).into());
                    am_used = am_used.plus(&(&app.am_in(p)).into());
                }
            }
            let label = p.label().0;
            if am_used != leaf.am_used_in(p.label()) {
                let counted = leaf.am_used_in(p.label());
                wrong.push(format!("queue {path} (label {label}) counts {counted} of AMs, they have {am_used}"));
            }
            let counted: BTreeMap<&str, [Resource; 2]> =
                leaf.users.iter().map(|(name, user)| (name, [user.used_in(p), user.am_used_in(p)])).collect();
            for name in users.keys().chain(counted.keys()).copied().collect::<BTreeSet<&str>>() {
                let ([used, ams], counted) =
                    (users.get(name).copied().unwrap_or_default(), counted.get(name).copied().unwrap_or_default());
                let drift = leaf.users.known_seat(name).map(|seat| leaf.users.drift_of(seat, p.label()));
                let due = used.plus(&(&drift.unwrap_or_default()).into());
                // Where an application drifts it is not known in which partition.
                let drifts = members.iter().any(|(_, app)| *app.user == *name && !app.drift.is_zero());
                if (due != counted[0] && !drifts) || ams != counted[1] {
                    wrong.push(format!(
                        "queue {path} (label {label}): user {name} has {used} and {ams} of AMs, {counted:?} is counted, \
                         with a drift of {drift:?}"
                    ));
                }
            }
        }
    }

    /// Each active application stands where its rank puts it, and is noted where a pass may not leave it out.
    fn audit_notes(&self, slot: u32, leaf: &Leaf, wrong: &mut Vec<String>) {
        if !leaf.active.is_sorted() {
            return;
        }
        let order: AppOrder = self.app_order(slot);
        for (entry, app) in self.live().filter(|(_, app)| app.leaf == slot && app.is_active) {
            let rank = app.rank();
            let is_published = app.publication.is_some_and(|publication| {
                publication.leaf == slot && leaf.users.record_at(app.seat) == Some(publication.user)
            });
            let is_due = !is_published || app.asks_or_has_reserved(self.arith.types);
            let stands = order.key(&rank).and_then(|key| leaf.noted.get(&key)) == Some(&entry);
            if (is_due, is_due) != (app.must_be_visited, stands)
                || !leaf.active.contains(&rank, order, |other| self.rank(other))
            {
                wrong.push(format!(
                    "queue {}: application {} should be noted: {is_due}; is: {}, stands there: {stands}",
                    self.path(slot),
                    app.number,
                    app.must_be_visited
                ));
            }
        }
    }

    /// Entries are taken by attempts that have not ended, or that some list still has; records of users are referred to
    /// by as many.
    fn audit_entries(&self, wrong: &mut Vec<String>) {
        let mut in_lists: BTreeMap<AppEntry, u32> = BTreeMap::new();
        let leaves = || self.slots().filter_map(|slot| Some((slot, self.queue(slot).leaf.as_ref()?)));
        for (_, leaf) in leaves() {
            leaf.active.iter().chain(leaf.pending.iter()).for_each(|entry| *in_lists.entry(entry).or_default() += 1);
        }
        let mut published: BTreeMap<(u32, usize), u32> = BTreeMap::new();
        for (entry, app) in self.apps.all() {
            let times = in_lists.remove(&entry).unwrap_or_default();
            let is_live = self.apps.entry(app.number) == Some(entry);
            let awaits = leaves().any(|(_, leaf)| leaf.to_reorder.contains(&(app.number, entry)));
            if times != app.lists || (!is_live && times == 0 && !awaits) {
                wrong.push(format!(
                    "application {} is in {times} lists, {} are counted; it lives: {is_live}",
                    app.number, app.lists
                ));
            }
            if let Some(publication) = app.publication {
                *published.entry((publication.leaf, publication.user)).or_default() += 1;
            }
        }
        wrong.extend(in_lists.keys().map(|entry| format!("entry {entry} is in a list and nobody's")));
        let (free, places) = self.apps.places();
        let taken = self.apps.all().count();
        if free + taken != places {
            wrong.push(format!("{places} entries, {taken} are taken and {free} free"));
        }
        for ((leaf, record), times) in published {
            let referred = self.queue(leaf).leaf.as_ref().map(|leaf| leaf.users.references(record));
            if referred != Some(times) {
                let path = self.path(leaf);
                wrong.push(format!("queue {path}: record {record} is published {times} times, {referred:?} counted"));
            }
        }
    }

    /// Children stand in the order of their figures, those in which something is asked for.
    fn audit_siblings(&self, wrong: &mut Vec<String>) {
        for parent in self.in_order() {
            let siblings = &self.queue(parent).siblings;
            let mut wanting = BTreeSet::new();
            let order = &siblings.order;
            for child in &self.node(parent).children {
                let queue: &QueueBook = self.queue(*child);
                let Some(standing) = &queue.standing else {
                    wrong.push(format!("queue {} stands nowhere", self.path(*child)));
                    continue;
                };
                let key = queue_key(&self.rank_here(*child), siblings.ordering, standing.size, *child);
                let wants = self.arith.is_wanted(&self.cluster, &queue.counts.pending);
                let stands = order.child(standing.size) == *child;
                if !stands || (key, wants, wants) != (standing.key, standing.wants, queue.wants) {
                    wrong.push(format!("queue {} does not stand where its figures put it", self.path(*child)));
                }
                if wants {
                    wanting.insert(key);
                }
            }
            let first = wanting.first().map_or(OrderKey::ABSENT, |first| order_key(*first));
            if (wanting.len(), first) != (siblings.wanting, order.first()) {
                wrong.push(format!("queue {}: others stand among its children than want something", self.path(parent)));
            }
            for p in self.partitions() {
                if !self.children_in_line(parent, p).eq(self.sorted_children(parent, p)) {
                    let (path, label) = (self.path(parent), p.label().0);
                    wrong
                        .push(format!("queue {path} (label {label}): children stand elsewhere than their figures say"));
                }
            }
        }
    }
}
