//! The audit of the CapacityScheduler: it compares each worker's books with the engine's records, and the control's
//! lists with its applications, and collects the facts on which all workers must agree.
//!
//! # Where it stands
//! The engine's audit (`engine::views::audit`) calls it at quiet, with the feature `faults`.
//!
//! # What must add up
//! | kind | law | checked in |
//! | --- | --- | --- |
//! | an application in the books | it has not ended; the books have the engine's containers and reservations, and what the other workers show | `audit_app` |
//! | asks | the books count what the engine's keys have outstanding | `audit_asks` |
//! | usage, pending, containers of a queue | each is the sum of the applications in the queue and below it, plus the [drift](super::books) that Hadoop has too | `books::audit` |
//! | a user | the user is charged what the applications hold, and counted once for each of them | `books::audit`, `users::audit` |
//! | lists | a runnable application is once in one list, as waiting for the limit of AMs or as active, and is noted where it has to be | `books::audit` |
//! | AMs | the AMs' usage is the sum of the active applications' AMs | `books::audit` |
//! | order | children have the places that their figures give them | `books::audit` |
//! | marks | killable and ended containers are on their nodes | `audit_marks_of_nodes` |
//! | containers to preempt | those that an AM is to be told of are live | `audit_to_preempt` |
//! | all workers | they agree on the leaf and the start of each application, and with the control | `engine::views::audit` |
//! | the control | counts of parents; lists of running and waiting applications, by leaf and by user | `audit_lists`, `audit_parallel` |

use crate::capacity::decide::preempting::candidate_of;
use crate::capacity::rules::partition::Partition;
use crate::capacity::types::{AppLocal, Control, Shard};
use crate::resource::{Resource, Wide};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// The facts on which all workers must agree: by the name of each fact, what a worker says.
pub(crate) type Agreed = BTreeMap<String, String>;

/// The fact about an application that the control states, too.
fn leaf_and_priority(path: &str, runnable: bool, priority: i32) -> String {
    format!("in {path}, may run: {runnable}, priority {priority}")
}

impl Shard {
    /// Compares the books with the engine's records; adds each difference to `wrong`. `folded`: the worker has folded
    /// in the other workers' changes.
    pub(crate) fn audit_books(&self, folded: bool, agreed: &mut Agreed, wrong: &mut Vec<String>) {
        let books = &self.own.books;
        let structure = &self.snapshot.structure;
        if (books.cluster, books.nodes) != (structure.cluster.total, structure.nodes) {
            wrong.push(format!("the books have {} of {} nodes, it is another cluster", books.cluster, books.nodes));
        }
        let mut containers = FxHashMap::default();
        for app in self.apps.iter().flatten().filter(|app| !app.closed) {
            let here = app.containers.len() + app.reserved.len();
            containers.insert(app.number, i64::try_from(here).unwrap_or(i64::MAX));
            self.audit_app(app, folded, agreed, wrong);
        }
        let over = books.apps.numbers().into_iter().filter(|number| !containers.contains_key(number));
        wrong.extend(over.map(|number| format!("the books have application {number}, which is over")));
        books.audit(&containers, wrong);
        self.audit_marks_of_nodes(wrong);
        if !self.own.surveyed.is_empty() {
            wrong.push("a survey is left over".to_owned());
        }
    }

    fn audit_app(&self, app: &AppLocal, folded: bool, agreed: &mut Agreed, wrong: &mut Vec<String>) {
        let name = format!("application {} (attempt {})", app.number, app.attempt);
        let books = &self.own.books;
        let Some(entry) = books.apps.entry(app.number).filter(|entry| app.own.entry == Some(*entry)) else {
            wrong.push(format!("{name} is not in the books: {:?}", app.own));
            return;
        };
        let book = &books.apps[entry];
        if book.slot != app.slot.index {
            wrong.push(format!("{name} is in slot {}, the books have {}", app.slot.index, book.slot));
        }
        let used: Wide = app.containers.iter().map(|index| self.containers.size(&self.containers[*index])).sum();
        let reserved: Wide = self.reservations_of(app.slot.index).map(|(_, made)| &made.size).sum();
        let count = i64::try_from(app.containers.len() + app.reserved.len()).unwrap_or(i64::MAX);
        let elsewhere = std::iter::once(&book.others).chain(book.parts.iter().map(|part| &part.others));
        let everywhere = elsewhere.map(|others| &others.used).chain([&book.drift]).sum::<Wide>().plus(&used);
        let (used_in, reserved_in) = book.in_all_partitions();
        if everywhere != used_in || reserved != reserved_in {
            wrong.push(format!(
                "{name} has {used}, {reserved} reserved and {:?} elsewhere; the books have {}, {} reserved",
                book.others, book.used, book.reserved
            ));
        }
        let several = self.shared.workers > 1;
        let shown = book.shared_attempt.shown(books.place);
        // By partition: see `audit_partitions`.
        let reserved_is_shown = books.has_labels() || reserved == shown.0;
        if several && (book.held != count || shown.1 != count || !reserved_is_shown) {
            wrong.push(format!("{name} has {count} and {reserved} reserved here, {} held, shows {shown:?}", book.held));
        }
        let (others_reserved, others_count) = book.shared_attempt.others(books.place);
        let others = (self.elsewhere(app), others_reserved, others_count);
        if folded && !books.has_labels() && (book.others.used, book.others.reserved, book.others.containers) != others {
            wrong.push(format!("{name}: others have {others:?}, the books {:?}", book.others));
        }
        self.audit_partitions(app, &name, folded, wrong);
        self.audit_asks(app, &name, folded, wrong);
        self.audit_to_preempt(app, &name, wrong);
        let path = &books.node(book.leaf).config.path;
        agreed.insert(name.clone(), leaf_and_priority(path, book.runnable, book.priority));
        agreed.insert(format!("{name}: shared"), format!("{:p}, turn {}", book.shared_attempt, book.turn.number()));
        if books.has_labels() {
            agreed.insert(format!("{name}: AM"), format!("{}, label {}", book.am, book.am_partition.0));
        }
        if !books.leaf(book.leaf).is_odd {
            agreed.insert(format!("{name}: has started"), book.is_active.to_string());
        }
    }

    /// The same by partition, where there are labels and several workers. With one worker, and as in Hadoop, what has
    /// ended and stands on its node still goes along with the node to another partition: then no sum holds.
    fn audit_partitions(&self, app: &AppLocal, name: &str, folded: bool, wrong: &mut Vec<String>) {
        let (books, Some(entry)) = (&self.own.books, app.own.entry) else { return };
        if !self.counts_by_label {
            return;
        }
        let book = &books.apps[entry];
        for p in books.partitions() {
            let label = p.label();
            let on_label = |node: u32| self.nodes[node as usize].label == label;
            let containers = app.containers.iter().map(|index| &self.containers[*index]);
            let used: Wide =
                containers.filter(|record| on_label(record.node)).map(|record| self.containers.size(record)).sum();
            let reserved = self.reservations_of(app.slot.index).filter(|(node, _)| on_label(*node));
            let reserved: Wide = reserved.map(|(_, made)| &made.size).sum();
            let (shown, others) = (app.cell.by_label.read(label), book.others_in(p));
            let of_book = Wide::from(&book.used_in(p)).minus(&(&others.used).into());
            if used != shown || (used != of_book && book.drift.is_zero()) || reserved != book.reserved_in(p) {
                wrong.push(format!(
                    "{name}, label {}: {used} is used here, {shown} shown, {of_book} in the books; {reserved} is \
                     reserved, {} in the books",
                    label.0,
                    book.reserved_in(p)
                ));
            }
            let elsewhere = app.shared.usage_in(label).minus(&shown);
            let attempt = &book.shared_attempt;
            let reserves = if p.is_first() {
                attempt.others(books.place).0
            } else {
                attempt.others_reserve_in(books.place, label)
            };
            let containers = if p.is_first() { attempt.others(books.place).1 } else { 0 };
            if folded && (others.used, others.reserved, others.containers) != (elsewhere, reserves, containers) {
                wrong.push(format!(
                    "{name}, label {}: others have {elsewhere}, {reserves} reserved, {containers} containers; the \
                     books {others:?}",
                    label.0
                ));
            }
        }
    }

    fn elsewhere(&self, app: &AppLocal) -> Resource {
        app.shared.usage().minus(&app.cell.usage.read())
    }

    /// Compares the books' counts of asks with the engine's keys.
    fn audit_asks(&self, app: &AppLocal, name: &str, folded: bool, wrong: &mut Vec<String>) {
        let Some(entry) = app.own.entry else { return };
        let book = &self.own.books.apps[entry];
        let (mut pending, mut open) = (Wide::ZERO, 0);
        for key in &app.keys {
            let count = key.total();
            if folded && (key.own.count != count || (count > 0 && key.own.size != key.size)) {
                let (known, size) = (key.own.count, key.own.size);
                wrong.push(format!(
                    "{name}: {:?} asks for {count} of {}, counted {known} of {size}",
                    key.id(),
                    key.size
                ));
            }
            pending = pending.plus(&Wide::of_count(&key.own.size, key.own.count));
            open += u32::from(key.own.count > 0);
        }
        if (book.pending_in_all(), book.open_keys) != (pending, open) {
            wrong.push(format!(
                "{name} asks for {pending} under {open} keys, the books have {} under {}",
                book.pending, book.open_keys
            ));
        }
    }

    /// The containers of this worker that the AM is to be told of are live.
    fn audit_to_preempt(&self, app: &AppLocal, name: &str, wrong: &mut Vec<String>) {
        let to_tell = app.shared.am.lock().to_preempt.clone();
        for id in to_tell.iter().filter(|id| usize::from(id.worker) == self.worker) {
            let lives = app.containers.iter().any(|index| self.container_id(*index) == *id);
            if !lives {
                wrong.push(format!("{name} is to be told of {id:?}, which has ended"));
            }
        }
    }

    /// Killable and ended containers that a node remembers are on the node.
    fn audit_marks_of_nodes(&self, wrong: &mut Vec<String>) {
        for (_, node) in self.nodes.present() {
            let there: Vec<_> = node.containers.iter().map(|index| candidate_of(&self.containers[*index])).collect();
            let killable = node.own.killable.in_order().into_iter().map(|(candidate, _)| candidate);
            let ended = node.own.ended.iter().map(|(candidate, _)| *candidate);
            for candidate in killable.chain(ended).filter(|candidate| !there.contains(candidate)) {
                wrong.push(format!("node {} remembers {candidate:?}, which is not on it", node.shared.name));
            }
        }
    }
}

impl Control {
    /// Compares the control's lists with its applications; adds each difference to `wrong`.
    pub(crate) fn audit_lists(&self, waiting: usize, agreed: &mut Agreed, wrong: &mut Vec<String>) {
        let mut below: BTreeMap<u32, i64> = BTreeMap::new();
        for app in self.apps.iter().flatten() {
            let number = app.shared.id.number;
            let priority = self.own.priority_of(number);
            let name = format!("application {number} (attempt {})", app.shared.attempt);
            match priority {
                Some(priority) => {
                    let path = &self.own.tree.get(app.leaf).config.path;
                    agreed.insert(name, leaf_and_priority(path, app.runnable, priority));
                }
                None => wrong.push(format!("{name} has no priority")),
            }
            self.own.tree.path(app.leaf).skip(1).for_each(|queue| *below.entry(queue).or_default() += 1);
        }
        for slot in self.own.tree.slots().iter().filter(|slot| !self.own.tree.get(**slot).config.kind.is_leaf()) {
            let counted = self.own.applications(*slot) + self.own.never_counted(*slot);
            let there = below.get(slot).copied().unwrap_or_default();
            if counted != there {
                let path = &self.own.tree.get(*slot).config.path;
                wrong.push(format!("queue {path} counts {counted} applications, it has {there}"));
            }
        }
        self.audit_parallel(waiting, wrong);
    }
}
