//! Queues make themselves when an application comes for them, go when nobody has needed them for long, and divide what
//! a managed parent has (rules/capacity.md 26).
//!
//! The control owns all of it. What a queue that has come or gone means for limits is worked out by the worker, which
//! is told in the order in which it came about.

use crate::capacity::decide::messages::CapacityMessage;
use crate::capacity::rules::making::Made;
use crate::capacity::rules::tree::{Applications, Named};
use crate::capacity::types::Control;
use crate::clock::Deadline;
use crate::config::AccessControlList;
use crate::config::capacity::QueueMaking;
use crate::event::Refused;
use crate::event::refused::{NoQueue, NotFound};
use crate::sync::Arc;
use rustc_hash::FxHashSet;

/// What the control remembers of them beside the tree.
#[derive(Debug, Default)]
pub(super) struct Making {
    /// By slot: when somebody was last submitted to it, or something made itself in it.
    last_ms: Vec<u64>,
    /// By path: those that nobody needed when it was last looked.
    unneeded: FxHashSet<String>,
    /// When rounds are due next.
    next_expiry: Deadline,
    next_management: Deadline,
}

impl Making {
    pub(super) fn make_room(&mut self, queues: usize) {
        self.last_ms.resize(queues, 0);
    }
}

impl Control {
    fn now_ms(&mut self) -> u64 {
        let clock = self.shared.clock.clone();
        self.asked(|| clock.now_ms()).unwrap_or_default()
    }

    /// Somebody needs a queue now.
    pub(super) fn is_needed(&mut self, slot: u32) {
        // Only such queues are looked at.
        if self.own.tree.get(slot).config.making == Some(QueueMaking::Flexible) {
            self.own.making.last_ms[slot as usize] = self.now_ms();
        }
    }

    /// The leaf queue of this name, which is not there, makes itself. `placed`: a mapping rule has led to it.
    pub(super) fn make_queue(&mut self, name: &str, placed: bool) -> Result<u32, Refused> {
        let unknown = || Refused::NotFound(NotFound::Queue(name.to_owned()));
        if !name.contains('.') || name.split('.').any(str::is_empty) {
            return Err(unknown());
        }
        // What was put off is known first.
        self.publish();
        self.wake_slots();
        let cluster = self.nodes.total();
        let (tree, texts) = self.own.tree_and_texts();
        let outcome = tree.make(name, &cluster, |made| texts.read_with(made));
        let refused = |why: String| match placed {
            true => Refused::NoQueue(NoQueue::NotMade { queue: name.to_owned(), why }),
            false => unknown(),
        };
        let Made { leaf, tops, parents, fault } = outcome.map_err(|fault| refused(fault.to_string()))?;
        self.add_new_queues();
        parents.into_iter().for_each(|parent| self.is_needed(parent));
        self.limits_follow(tops);
        match (leaf, fault) {
            (Some(leaf), _) => Ok(leaf),
            (None, fault) => Err(refused(fault.map(|fault| fault.to_string()).unwrap_or_default())),
        }
    }

    fn limits_follow(&mut self, tops: impl IntoIterator<Item = u32>) {
        self.publish();
        tops.into_iter().for_each(|top| self.tell(CapacityMessage::LimitsBelow(top)));
    }

    /// Queues that have come get a place in the engine's tree. Slots are the same in both.
    pub(super) fn add_new_queues(&mut self) {
        let own = &mut self.own;
        own.make_room();
        for slot in own.tree.newborn() {
            let node = own.tree.get(slot);
            let added = self.tree.add(&node.config.path, node.parent, node.config.kind.is_leaf(), ());
            debug_assert_eq!(added, slot, "slots are taken in the same order");
            self.children_changed.extend(node.parent);
            own.applications[slot as usize] = 0;
            #[cfg(feature = "faults")]
            own.never_counted.remove(&slot);
            own.surplus_entries[slot as usize] = Arc::default();
            own.parallel.begin(slot);
            own.making.last_ms[slot as usize] = 0;
        }
        self.all_dirty();
    }

    /// The lists of a queue that is not there, and of the parents that it lacks; none where it cannot make itself
    /// anyway. As in Hadoop they are those of the paths as they are written: below a short name no template has any.
    pub(super) fn lists_of_new(&self, name: &str) -> Vec<AccessControlList> {
        let (tree, mut lists) = (&self.own.tree, Vec::new());
        let Some((above, _)) = name.rsplit_once('.') else { return lists };
        let file = &tree.file;
        if let (None, Ok((_, missing))) = (file.queue_at(above), tree.place_of(name)) {
            let known = above.split('.').count().saturating_sub(missing.len());
            let mut at = above.split('.').take(known).collect::<Vec<_>>().join(".");
            for name in missing {
                lists.extend(file.lists_of_new(&at, false));
                at = format!("{at}.{name}");
            }
        } else if file.queue_at(above).is_none() {
            return lists;
        }
        lists.extend(file.lists_of_new(above, true));
        lists
    }

    /// Whom a managed parent's leaf takes: those whom a mapping rule leads there.
    pub(super) fn check_rule(&self, leaf: u32, user: &str, placed: Option<&str>) -> Result<(), Refused> {
        let node = self.own.tree.get(leaf);
        if node.config.making != Some(QueueMaking::Managed) {
            return Ok(());
        }
        let (queue, user) = (node.config.path.clone(), user.to_owned());
        let Some(placed) = placed else { return Err(NoQueue::OnlyByRule { queue, user }.into()) };
        let parent = node.parent.map(|parent| &self.own.tree.get(parent).config);
        let above = placed.rsplit_once('.').map_or("", |(above, _)| above);
        match parent.filter(|parent| parent.path != above && parent.name != above) {
            Some(_) => Err(NoQueue::OtherParent { queue, parent: above.to_owned(), user }.into()),
            None => Ok(()),
        }
    }

    // ------------------------------------------------------------------------------------------------ rounds

    /// Rounds that are due.
    pub(super) fn rounds_by_time(&mut self) {
        if !self.own.lifetimes.are_none() {
            // A clock that panics is told of at other calls.
            let _ = self.expire_applications();
        }
        let settings = self.own.tree.file.settings();
        let (monitors, seconds) = (&settings.monitors, settings.auto_queue_expiration_seconds);
        let milliseconds = |setting: i64| u64::try_from(setting).unwrap_or_default();
        let expiry = monitors.queue_deletion.then(|| milliseconds(seconds.saturating_mul(1000)));
        let management = monitors.queue_management_interval_ms.map(milliseconds);
        if expiry.is_none() && management.is_none() {
            return;
        }
        let now = self.now_ms();
        if let Some(interval) = management.filter(|_| self.own.making.next_management.is_over(now)) {
            self.own.making.next_management = Deadline::after(now, interval);
            self.manage_queues();
        }
        if let Some(interval) = expiry.filter(|_| self.own.making.next_expiry.is_over(now)) {
            self.own.making.next_expiry = Deadline::after(now, interval);
            self.expire_queues();
        }
    }

    /// One round of the policy that removes queues which have made themselves the flexible way: those that nobody
    /// needed when it was last looked either, and to which nobody was submitted for long.
    pub(crate) fn expire_queues(&mut self) {
        self.publish();
        let own = &self.own;
        let may_go = |slot: &u32| own.tree.may_go(*slot, own.applications(*slot));
        let idle = own.tree.slots().iter().copied().filter(may_go);
        let mut idle: Vec<String> = idle.map(|slot| own.tree.get(slot).config.path.clone()).collect();
        idle.sort_unstable();
        let (sent, marked): (Vec<String>, Vec<String>) =
            idle.into_iter().partition(|path| own.making.unneeded.contains(path));
        self.own.making.unneeded = marked.into_iter().collect();
        for path in sent {
            self.expire(&path);
        }
    }

    fn expire(&mut self, path: &str) {
        let Named::Queue(slot) = self.own.tree.find(path) else { return };
        let now = self.now_ms();
        let own = &mut self.own;
        let idle_seconds = now.saturating_sub(own.making.last_ms[slot as usize]) / 1000;
        let expiry = own.tree.file.settings().auto_queue_expiration_seconds;
        let is_over = i64::try_from(idle_seconds).unwrap_or(i64::MAX) > expiry;
        if !is_over || !own.tree.may_go(slot, own.applications(slot)) {
            return;
        }
        let cluster = self.nodes.total();
        // The file has been read with more queues.
        let (tree, texts) = self.own.tree_and_texts();
        let Ok(top) = tree.remove(slot, &cluster, |made| texts.read_with(made)) else { return };
        self.vacate_slot(slot);
        self.limits_follow(top);
    }

    /// A queue that has gone leaves its place in the engine's tree.
    pub(super) fn vacate_slot(&mut self, slot: u32) {
        // Queues below that a refresh has removed may still have applications: then the slot stays.
        if self.tree.walk(slot).len() == 1 {
            self.children_changed.extend(self.tree.get(slot).parent);
            for gone in self.tree.detach(slot) {
                self.dirty.insert(gone.index);
                let token = self.own.retired_slots.retire(gone);
                self.tell(CapacityMessage::Rests(token));
            }
            self.structure_changed = true;
        }
        self.all_dirty();
    }

    /// Slots of queues that have gone may be taken again, where every worker knows of it. Before queues come.
    pub(super) fn wake_slots(&mut self) {
        for slot in self.own.retired_slots.take_reusable() {
            self.own.tree.give_back(slot.index);
            self.tree.give_back(slot);
        }
    }

    /// One round of the policy that divides what managed parents have.
    pub(crate) fn manage_queues(&mut self) {
        self.publish();
        self.wake_slots();
        let (cluster, apps) = (self.nodes.total(), self.applications_by_slot());
        let (tree, texts) = self.own.tree_and_texts();
        let read = |made: &_| texts.read_with(made);
        // The file has been read with these queues.
        if tree.manage(&cluster, |slot| apps[slot as usize], read).is_ok_and(|changed| changed) {
            self.all_dirty();
            self.publish();
        }
    }

    /// How many applications each queue has, and who is in the lists of leaves in managed parents.
    pub(super) fn applications_by_slot(&self) -> Vec<Applications> {
        let own = &self.own;
        let mut out = vec![Applications::default(); own.tree.len()];
        for slot in own.tree.slots() {
            let of = &mut out[*slot as usize];
            of.all = own.applications(*slot);
            if own.tree.get(*slot).config.making == Some(QueueMaking::Managed) {
                let starts = own.parallel.running_in(*slot).filter_map(|number| {
                    let app = self.by_number.get(&number)?;
                    Some(self.apps[*app as usize].as_ref()?.shared.start_ms)
                });
                let starts: Vec<u64> = starts.collect();
                (of.listed, of.first_ms) = (starts.len(), starts.into_iter().min().unwrap_or_default());
            }
        }
        out
    }
}
