//! The audit of the CapacityScheduler: each worker's books against what the engine has, the control's lists against its
//! applications, and what all workers must say the same of.
//!
//! # Where it stands
//! The engine's audit (`engine::views::audit`) calls it at quiet, with the feature `faults`.
//!
//! # What must add up
//! | kind | law |
//! | --- | --- |
//! | an application in the books | is one that runs, and has the engine's containers, reservations and asks; of the other workers', what they show |
//! | usage, pending, containers of a queue | the sum of the applications in it and below, and what [drifts](super::books) as in Hadoop |
//! | a user | is charged what his applications hold, and is counted as often as he has some |
//! | lists | who runs waits for the limit of AMs or is active, is in one of the two once, and is noted where he has to be |
//! | AMs | what they have is the sum of the active ones |
//! | order | children stand where their figures put them |
//! | marks | killable containers are on their nodes, those that an AM is to be told of live |
//! | all workers | agree on who is where, who has started, and so does the control |
//! | the control | counts of parents, lists of who runs and who waits, by leaf and by user |

use crate::capacity::decide::preempting::candidate_of;
use crate::capacity::types::{AppLocal, Control, Shard};
use crate::resource::{Resource, Wide};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// What must be the same for all: of what, and what it is.
pub(crate) type Agreed = BTreeMap<String, String>;

/// How an application stands: also the control says so.
fn stands(path: &str, runnable: bool, priority: i32) -> String {
    format!("in {path}, may run: {runnable}, priority {priority}")
}

impl Shard {
    /// Says what of the books is not so. `folded`: what the others have done is folded in.
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
        let everywhere = [&book.others.used, &book.drift].into_iter().sum::<Wide>().plus(&used);
        if everywhere != book.used || reserved != book.reserved {
            wrong.push(format!(
                "{name} has {used}, {reserved} reserved and {:?} elsewhere; the books have {}, {} reserved",
                book.others, book.used, book.reserved
            ));
        }
        let several = self.shared.workers > 1;
        let shown = book.shared_attempt.shown(books.place);
        if several && (book.held != count || shown.1 != count || reserved != shown.0) {
            wrong.push(format!("{name} has {count} and {reserved} reserved here, {} held, shows {shown:?}", book.held));
        }
        let (others_reserved, others_count) = book.shared_attempt.others(books.place);
        let others = (self.elsewhere(app), others_reserved, others_count);
        if folded && (book.others.used, book.others.reserved, book.others.containers) != others {
            wrong.push(format!("{name}: others have {others:?}, the books {:?}", book.others));
        }
        self.audit_asks(app, &name, folded, wrong);
        self.audit_told(app, &name, wrong);
        let path = &books.node(book.leaf).config.path;
        agreed.insert(name.clone(), stands(path, book.runnable, book.priority));
        agreed.insert(format!("{name}: shared"), format!("{:p}, turn {}", book.shared_attempt, book.turn.number()));
        if !books.leaf(book.leaf).is_odd {
            agreed.insert(format!("{name}: has started"), book.is_active.to_string());
        }
    }

    fn elsewhere(&self, app: &AppLocal) -> Resource {
        app.shared.usage().minus(&app.cell.usage.read())
    }

    /// What is outstanding is counted.
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
        if (book.pending, book.open_keys) != (pending, open) {
            wrong.push(format!(
                "{name} asks for {pending} under {open} keys, the books have {} under {}",
                book.pending, book.open_keys
            ));
        }
    }

    /// Of this worker's containers those that the AM is to be told of live.
    fn audit_told(&self, app: &AppLocal, name: &str, wrong: &mut Vec<String>) {
        let to_tell = app.shared.am.lock().to_preempt.clone();
        for id in to_tell.iter().filter(|id| usize::from(id.worker) == self.worker) {
            let lives = app.containers.iter().any(|index| self.container_id(*index) == *id);
            if !lives {
                wrong.push(format!("{name} is to be told of {id:?}, which has ended"));
            }
        }
    }

    /// What may go for others is on its node, and so is what has ended.
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
    /// Says what of the lists is not so.
    pub(crate) fn audit_lists(&self, waiting: usize, agreed: &mut Agreed, wrong: &mut Vec<String>) {
        let mut below: BTreeMap<u32, i64> = BTreeMap::new();
        for app in self.apps.iter().flatten() {
            let number = app.shared.id.number;
            let priority = self.own.priority_of(number);
            let name = format!("application {number} (attempt {})", app.shared.attempt);
            match priority {
                Some(priority) => {
                    let path = &self.own.tree.get(app.leaf).config.path;
                    agreed.insert(name, stands(path, app.runnable, priority));
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
