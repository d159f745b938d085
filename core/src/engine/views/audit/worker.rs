//! The counts of one worker: container records, mail, usage, nodes, request keys.

use crate::app::SchedulingKey;
use crate::engine::books::ledger::AppShared;
use crate::engine::decider::Decider;
use crate::engine::lease::label_room::LabelMember;
use crate::engine::mail::mailbox::audit::{MailCount, Place};
use crate::engine::records::app::AppLocal;
use crate::engine::records::key::KeyLocal;
use crate::engine::records::rows::LocationRow;
use crate::engine::shard::Shard;
use crate::id::NONE;
use crate::id::{ContainerId, LabelId, NodeId, Slot};
use crate::resource::{Resource, Wide};
use crate::sync::Arc;
use crate::sync::atomic::Ordering;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// A map from a slot or key to a figure of one worker.
pub(super) type By<K, V> = FxHashMap<K, V>;

/// The counts of one worker, and the laws of its own records that do not hold.
#[derive(Debug)]
pub(crate) struct WorkerCount {
    pub(crate) worker: usize,
    pub(crate) wrong: Vec<String>,
    /// Container records in use.
    pub(crate) in_use: usize,
    /// Free container records.
    pub(crate) free: usize,
    pub(crate) mail: MailCount,
    /// Containers whose records wait for a kill.
    pub(crate) doomed: Vec<ContainerId>,
    /// The nodes that are present, in the order of registration.
    pub(crate) nodes: Vec<NodeId>,
    /// Applications that have not ended at this worker.
    pub(crate) open_apps: Vec<Slot>,
    /// Of these, the applications whose home worker this is.
    pub(crate) at_home: FxHashSet<Slot>,
    pub(crate) keys: By<Slot, BTreeMap<SchedulingKey, KnownKey>>,
    /// By watched queue: the usage that this worker counts in its room.
    pub(crate) watch_members: By<Slot, Resource>,
    /// The same by queue and label.
    pub(crate) room_members: By<(Slot, LabelId), Resource>,
    /// The facts on which all workers must agree: by the name of each fact, what this worker says.
    pub(crate) agreed: BTreeMap<String, String>,
}

/// A request key, as a worker knows it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct KnownKey {
    epoch: u16,
    size: Resource,
    relax: bool,
    total: u32,
    /// Racks and nodes with an outstanding count: size, count, relaxation.
    rows: BTreeMap<u32, (Resource, u32, bool)>,
}

impl KnownKey {
    fn of<D: Decider>(key: &KeyLocal<D>) -> KnownKey {
        let row = |row: LocationRow<'_>| (row.location, (*row.size(), row.left(), row.relax()));
        let rows = key.rows().iter().filter(|row| row.left() > 0).map(row).collect();
        KnownKey { epoch: key.epoch, size: key.size, relax: key.relax, total: key.total(), rows }
    }

    pub(crate) fn is_wanted(&self) -> bool {
        self.total > 0
    }
}

impl<D: Decider> Shard<D> {
    /// Counts this worker's own records. With `fold` the worker first folds in the changes of the others, as it does by
    /// itself after some time: then every application with outstanding asks has a place in the order. Nothing else
    /// changes.
    pub(crate) fn audit(&mut self, fold: bool) -> WorkerCount {
        if fold && self.shared.workers > 1 {
            self.fold(self.shared.clock.now_ms());
        }
        let mut wrong = Vec::new();
        self.containers.audit(&mut wrong);
        self.audit_containers(&mut wrong);
        let mail = self.audit_mail(&mut wrong);
        self.audit_nodes(&mut wrong);
        self.audit_apps(&mut wrong);
        let watch_members = self.audit_queues(&mut wrong);
        let room_members = self.audit_rooms(&mut wrong);
        let mut agreed = BTreeMap::new();
        D::audited(self, fold || self.shared.workers == 1, &mut agreed, &mut wrong);
        let open = || self.apps.iter().flatten().filter(|app| !app.closed);
        let known = |app: &AppLocal<D>| app.keys.iter().map(|key| (key.id(), KnownKey::of(key))).collect();
        let doomed = self.containers.in_use().filter(|(_, record)| record.fate.has_kill_to_come());
        WorkerCount {
            worker: self.worker,
            in_use: self.containers.in_use().count(),
            free: self.containers.free(),
            mail,
            doomed: doomed.map(|(index, _)| self.container_id(index)).collect(),
            nodes: self.nodes.present().map(|(_, node)| node.shared.id).collect(),
            open_apps: open().map(|app| app.slot).collect(),
            at_home: open().filter(|app| app.shared.home == self.worker).map(|app| app.slot).collect(),
            keys: open().map(|app| (app.slot, known(app))).collect(),
            watch_members,
            room_members,
            agreed,
            wrong,
        }
    }

    /// Each record in use has a reason, and its container is once in each list where it belongs.
    fn audit_containers(&self, wrong: &mut Vec<String>) {
        let mut in_lists = vec![[0_u32; 2]; self.containers.len() as usize];
        let of_nodes = self.nodes.of_any_time().flat_map(|node| &node.containers);
        let of_apps = self.apps.iter().flatten().flat_map(|app| &app.containers);
        for (list, index) in of_nodes.map(|index| (0, index)).chain(of_apps.map(|index| (1, index))) {
            match in_lists.get_mut(*index as usize) {
                Some(times) => times[list] += 1,
                None => wrong.push(format!("container record {index} is in a list, and was never used")),
            }
        }
        let mut live = 0;
        for (index, record) in self.containers.in_use() {
            live += u64::from(record.fate.is_live());
            if record.fate.is_over() {
                wrong.push(format!("container record {index} is left over: {record:?}"));
            }
            let times = std::mem::take(&mut in_lists[index as usize]);
            if times != [u32::from(record.fate.is_on_node()), u32::from(record.fate.is_live())] {
                wrong.push(format!("container record {index} is {times:?} times in lists of nodes and applications"));
            }
            let app = record.fate.is_live().then(|| self.find_app(record.app));
            let place = app.map(|app| app.and_then(|app| app.containers.get(record.app_place as usize)));
            if place.is_some_and(|place| place != Some(&index)) {
                wrong.push(format!("container record {index} is not where it says in its application's list"));
            }
        }
        let nobody = (0..).zip(&in_lists).filter(|(_, times)| **times != [0, 0]);
        wrong.extend(nobody.map(|(index, _): (u32, _)| format!("container record {index} is free and in a list")));
        let counters = &self.shared.counters[self.worker];
        // ORDERING: Relaxed. Statistics that this thread alone writes.
        let [granted, ended] = [&counters.granted, &counters.ended].map(|counter| counter.load(Ordering::Relaxed));
        if granted.wrapping_sub(ended) != live {
            wrong.push(format!("{granted} containers were granted, {ended} have ended, {live} live"));
        }
    }

    /// Each mail record is in exactly one place.
    fn audit_mail(&self, wrong: &mut Vec<String>) -> MailCount {
        let arena = &self.shared.arenas[self.worker];
        let mut count = MailCount::of(&self.own_records);
        for app in self.apps.iter().flatten() {
            arena.count_stack(&app.cell.granted, Place::Granted, &mut count, wrong);
            arena.count_stack(&app.cell.ended, Place::Ended, &mut count, wrong);
        }
        for (index, record) in self.containers.in_use().filter(|(_, record)| record.fate.is_live()) {
            if record.mail == NONE {
                wrong.push(format!("container record {index} lives, and has no mail record"));
            } else {
                arena.count_live(record.mail, &mut count, wrong);
            }
        }
        arena.count_free(&self.own_records, &mut count, wrong);
        count.audit(wrong);
        count
    }

    fn audit_nodes(&self, wrong: &mut Vec<String>) {
        let mut records = 0;
        for (place, node) in self.nodes.present() {
            let name = &node.shared.name;
            records += node.records;
            let sizes = node.containers.iter().map(|index| self.containers.size(&self.containers[*index]));
            let used: Wide = sizes.sum();
            if Wide::from(&node.free).plus(&used) != node.total {
                wrong.push(format!("node {name} has {} free of {}, {used} is used", node.free, node.total));
            }
            let shown = (node.shared.free.read(), node.shared.total.read());
            if shown != (node.free, node.total) {
                wrong.push(format!("node {name} shows {shown:?}, and has {:?}", (node.free, node.total)));
            }
            if let Some(reservation) = &node.reservation
                && self.find_app(reservation.app).is_none_or(|app| app.closed || !app.reserved.contains(&place))
            {
                wrong.push(format!("node {name} is reserved for nobody who knows of it: {reservation:?}"));
            }
        }
        if records != self.node_record_count {
            wrong.push(format!("{} container records are kept for nodes, {records} were made", self.node_record_count));
        }
    }

    fn audit_apps(&self, wrong: &mut Vec<String>) {
        if !self.leases.is_empty() {
            wrong.push(format!("pieces are held of {} keys", self.leases.len()));
        }
        for app in self.apps.iter().flatten() {
            let name = name_of(&app.shared);
            let sizes = app.containers.iter().map(|index| self.containers.size(&self.containers[*index]));
            let used: Wide = sizes.sum();
            let shown = app.cell.usage.read();
            if used != shown {
                wrong.push(format!("{name} uses {used}, and shows {shown}"));
            }
            if self.shared.workers == 1 && used != app.usage {
                wrong.push(format!("{name} uses {used}, and is ordered by {}", app.usage));
            }
            let reserved = |node: &&u32| {
                let reservation = self.nodes.get(**node).filter(|node| !node.gone).and_then(|node| node.reservation);
                reservation.is_some_and(|reservation| reservation.app == app.slot)
            };
            let stands = app.reserved.iter().filter(reserved).count();
            if [app.reserved.len(), app.cell.reserved.count()] != [stands; 2] {
                wrong.push(format!("{name}: {stands} reservations stand, not {:?}", app.reserved));
            }
            if app.closed {
                let left = [app.containers.len(), app.keys.len(), app.reserved.len()];
                if !(app.cell.granted.is_empty() && app.cell.ended.is_empty()) {
                    wrong.push(format!("{name} is over, and has mail"));
                }
                if left != [0; 3] {
                    wrong.push(format!("{name} is over, and has {left:?} containers, keys, reservations"));
                }
            } else {
                self.audit_keys(app, &name, wrong);
                self.audit_marks(app, &name, wrong);
            }
        }
    }

    /// Each marked container is in its application's published list, except for one that was marked before another
    /// attempt took it over.
    fn audit_marks(&self, app: &AppLocal<D>, name: &str, wrong: &mut Vec<String>) {
        let listed = app.cell.marked.list();
        let listed: By<_, _> =
            listed.iter().flat_map(|list| list.iter()).map(|(id, size)| (id.record, *size)).collect();
        let mut found = 0;
        for index in app.containers.iter().filter(|index| self.containers[**index].fate.is_marked()) {
            let size = *self.containers.size(&self.containers[*index]);
            match listed.get(index) {
                Some(listed) if *listed == size => found += 1,
                None if self.containers.granted_to(*index) != app.slot => {}
                other => wrong.push(format!("{name}: container record {index} of {size} is marked, listed {other:?}")),
            }
        }
        if found != listed.len() {
            wrong.push(format!("{name}: {found} marked containers are listed, the list has {}", listed.len()));
        }
    }

    /// This worker can take all that is outstanding, because no worker holds a piece; and its keys are the keys of the
    /// application.
    fn audit_keys(&self, app: &AppLocal<D>, name: &str, wrong: &mut Vec<String>) {
        let first = app.shared.first_key();
        let chain: By<_, _> =
            first.into_iter().flat_map(|key| key.and_later()).map(|cell| (cell.id, std::ptr::from_ref(cell))).collect();
        if !app.keys.is_sorted_by(|a, b| a.id() < b.id()) {
            wrong.push(format!("{name}: its keys are not in order"));
        }
        for key in &app.keys {
            let id = key.id();
            let (visible, total, shown) = (key.visible(self.worker), key.total(), key.cell.pool.total());
            if visible != total || total != shown {
                wrong.push(format!(
                    "{name}: of {id:?} {total} are outstanding, {visible} can be had, {shown} are shown"
                ));
            }
            if chain.get(&id) != Some(&Arc::as_ptr(&key.cell)) {
                wrong.push(format!("{name}: {id:?} is not the key that its application has"));
            }
            if total > 0 && key.cell.size.read() != key.size {
                wrong.push(format!("{name}: {id:?} asks for {}, and shows {}", key.size, key.cell.size.read()));
            }
        }
    }

    /// The usage of a queue that this worker publishes is the sum of its parts, and so is the usage that it counts in
    /// the queue's room. Returns the latter, by queue.
    fn audit_queues(&self, wrong: &mut Vec<String>) -> By<Slot, Resource> {
        let mut parts = vec![Wide::ZERO; self.queues.len()];
        for app in self.apps.iter().flatten() {
            if let Some(part) = parts.get_mut(app.leaf as usize) {
                *part = part.plus(&(&app.cell.usage.read()).into());
            }
        }
        let shown = |queue: u32| {
            let queue = self.queues[queue as usize].as_ref()?;
            Some(queue.snapshot.shared.cells[self.worker].usage.read())
        };
        let mut watch_members = By::default();
        for (index, queue) in (0..).zip(&self.queues) {
            let Some(queue) = queue else { continue };
            let (name, shown_here) = (&queue.snapshot.name, shown(index).unwrap_or_default());
            let sum = if queue.leaf {
                parts[index as usize]
            } else {
                let below = queue.snapshot.children.iter().filter_map(|child| shown(*child));
                below.fold(Wide::ZERO, |sum, child| sum.plus(&(&child).into()))
            };
            if sum != shown_here {
                wrong.push(format!("queue {name} shows {shown_here}, its parts have {sum}"));
            }
            if self.shared.workers == 1 {
                if sum != queue.usage {
                    wrong.push(format!("queue {name} uses {sum}, and is ordered by {}", queue.usage));
                }
            } else if let Some(counted) = queue.watch_member.counted() {
                if sum != counted {
                    wrong.push(format!("queue {name} uses {sum}, {counted} is counted in its rooms"));
                }
                watch_members.insert(queue.snapshot.slot, counted);
            }
        }
        watch_members
    }

    /// What this worker counts in a room by label is what its applications have there, in the queue and below it.
    fn audit_rooms(&self, wrong: &mut Vec<String>) -> By<(Slot, LabelId), Resource> {
        let mut counted_in = By::default();
        if !self.counts_by_label {
            return counted_in;
        }
        for label in self.snapshot.structure.labels.all_numbers() {
            let mut used = vec![Wide::ZERO; self.queues.len()];
            for app in self.apps.iter().flatten() {
                let mut at = app.leaf;
                while let Some(queue) = self.queues.get(at as usize).and_then(Option::as_ref) {
                    used[at as usize] = used[at as usize].plus(&(&app.cell.by_label.read(label)).into());
                    at = queue.parent;
                }
            }
            for (queue, used) in self.queues.iter().zip(used).filter_map(|(queue, used)| Some((queue.as_ref()?, used)))
            {
                let (slot, name) = (queue.snapshot.slot, &queue.snapshot.name);
                match queue.room_members.get(label.ix()).map(LabelMember::counted) {
                    Some(counted) if used == counted => drop(counted_in.insert((slot, label), counted)),
                    counted => {
                        let number = label.0;
                        wrong.push(format!("queue {name}, label {number}: {used} is used, {counted:?} counted"));
                    }
                }
            }
        }
        counted_in
    }
}

/// The name of an application in a report.
fn name_of(app: &AppShared) -> String {
    format!("application {} (attempt {})", app.id.number, app.attempt)
}
