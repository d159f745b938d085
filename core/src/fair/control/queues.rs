//! Queues: creation with missing ancestors, type changes, cleaning.

use super::settings::QueueOwn;
use crate::config::{ROOT, rooted, trim_java};
use crate::event::refused::NoQueue;
use crate::event::{Named, Refused, check_length};
use crate::fair::engine::Control;
use crate::policy::SchedulingPolicy;
use crate::queue::above;
use rustc_hash::FxHashSet;

/// Levels of queues that a name may have. The tree is walked by recursion, and whoever submits may name a queue:
/// without an end to it a name of a few thousand parts would end the process.
const DEEPEST: usize = 128;

/// If more changes of type than this wait, duplicates are removed. Hadoop keeps all of them, and each reload adds the
/// same ones again.
const MANY_PENDING: usize = 4096;

/// Removes duplicates among the waiting changes of type once there are many, so that their number does not grow with
/// every reload.
pub(super) fn bound_pending(waiting: &mut Vec<(String, bool)>) {
    if waiting.len() > MANY_PENDING {
        let mut seen = FxHashSet::default();
        waiting.retain(|change| seen.insert(change.clone()));
    }
}

/// Refuses a name that is too long, that has more than `DEEPEST` parts, or that has an empty or untrimmed part.
pub(super) fn check_name(name: &str) -> Result<(), Refused> {
    check_length(Named::Queue, name)?;
    if name.split('.').nth(DEEPEST).is_some() {
        return Err(NoQueue::BadName { queue: name.chars().take(64).chain("…".chars()).collect() }.into());
    }
    if name.split('.').any(|part| part.is_empty() || part != trim_java(part)) {
        return Err(NoQueue::BadName { queue: name.to_owned() }.into());
    }
    Ok(())
}

impl Control {
    /// Whether a queue with the policy `parent` may have a child with the policy `child`. False if the policy's code
    /// panics; the panic is reported.
    pub(super) fn compatible(&mut self, parent: &dyn SchedulingPolicy, child: &dyn SchedulingPolicy) -> bool {
        self.asked(|| parent.allows_child(child)).unwrap_or(false)
    }

    /// The queue, created with its missing ancestors; `None` when that cannot be. Ancestors made before the obstacle
    /// was met remain, as in Hadoop.
    pub(super) fn create_queue(&mut self, name: &str, leaf: bool) -> Option<u32> {
        let mut missing = vec![name];
        let mut parent = None;
        for up in above(name) {
            if let Some(slot) = self.tree.find(up) {
                parent = Some(slot);
                break;
            }
            missing.push(up);
        }
        let mut parent = parent?;
        if self.tree.get(parent).leaf {
            return None;
        }
        for new in missing.into_iter().rev() {
            let is_leaf = leaf && new == name;
            let policy = self.policy_for(new);
            let above = self.tree.get(parent).own.policy.clone();
            let may_be_parent = |policy: &dyn SchedulingPolicy| !policy.leaf_only();
            if !self.compatible(&*above, &*policy)
                || !(is_leaf || self.asked(|| may_be_parent(&*policy)).unwrap_or(false))
            {
                return None;
            }
            let slot = self.tree.add(new, Some(parent), is_leaf, QueueOwn::new(policy));
            self.tree.get_mut(slot).configure(&self.own.file);
            self.use_child_max(slot);
            self.children_changed.insert(parent);
            self.structure_changed = true;
            parent = slot;
        }
        Some(parent)
    }

    /// An ad hoc queue, and the parents that it needs, before anybody enters it.
    pub(crate) fn add_queue(&mut self, name: &str, leaf: bool) -> Result<(), Refused> {
        check_length(Named::Queue, name)?;
        let name = rooted(name);
        let queue = match self.tree.find(&name) {
            Some(slot) => Some(slot),
            None => {
                check_name(&name)?;
                let made = self.create_queue(&name, leaf);
                self.own.steady_pending |= made.is_some();
                made
            }
        };
        match queue {
            Some(slot) if self.tree.get(slot).leaf == leaf => Ok(()),
            _ => Err(NoQueue::CannotCreate { queue: name }.into()),
        }
    }

    /// An ad hoc queue has the maximum that its parent gives to such children.
    pub(super) fn use_child_max(&mut self, slot: u32) {
        let queue = self.tree.get(slot);
        let Some(max) = queue.parent.and_then(|parent| self.tree.get(parent).own.max_child) else { return };
        if !queue.own.named {
            self.tree.get_mut(slot).own.raw_max = max;
            self.dirty.insert(slot);
        }
    }

    pub(super) fn remove_queue(&mut self, slot: u32) {
        self.children_changed.extend(self.tree.get(slot).parent);
        let gone = self.tree.remove(slot);
        self.dirty.extend(gone);
        self.structure_changed = true;
    }

    /// The queue that must be removed before a queue `name` of this type can exist: the queue of this name if it has
    /// the other type, or else the nearest leaf above it. As in Hadoop, nothing is in the way of a queue below
    /// `root.default.`, so that none is ever replaced there (rules/configuration.md 7.4).
    fn in_the_way(&self, name: &str, leaf: bool) -> Option<u32> {
        if name.starts_with("root.default.") {
            return None;
        }
        if let Some(slot) = self.tree.find(name) {
            return (self.tree.get(slot).leaf != leaf).then_some(slot);
        }
        above(name).filter_map(|up| self.tree.find(up)).find(|slot| self.tree.get(*slot).leaf)
    }

    /// Sees to it that a configured queue exists with the right type, or waits for it.
    pub(super) fn ensure_queue(&mut self, name: &str, leaf: bool) {
        if let Some(old) = self.in_the_way(name, leaf) {
            if !self.tree.is_empty(old) {
                self.own.pending_types.push((name.to_owned(), leaf));
                return;
            }
            self.remove_queue(old);
        }
        if let Some(slot) = self.tree.find(name).or_else(|| self.create_queue(name, leaf)) {
            self.tree.get_mut(slot).own.dynamic = false;
            self.dirty.insert(slot);
        }
    }

    /// Tries a waiting change of type again. Returns false if it goes on waiting. As in Hadoop, a change that finds
    /// nothing in its way any more is dropped and makes no queue (rules/configuration.md 7.4).
    fn retry_queue(&mut self, name: &str, leaf: bool) -> bool {
        let Some(old) = self.in_the_way(name, leaf) else { return true };
        if !self.tree.is_empty(old) {
            return false;
        }
        self.remove_queue(old);
        if let Some(slot) = self.create_queue(name, leaf)
            && self.own.file.names(name)
        {
            self.tree.get_mut(slot).own.dynamic = false;
            self.dirty.insert(slot);
        }
        true
    }

    /// What the file's watcher does each time it wakes: empty dynamic queues go, then parents left without
    /// applications; queues in the way of configured ones are tried again. Root stays even when it is dynamic: Hadoop
    /// would take the whole tree away, and fail at that.
    pub(crate) fn housekeeping(&mut self) {
        let mut parents = Vec::new();
        for slot in self.tree.in_order_of_creation() {
            let Some(queue) = self.tree.at(slot) else { continue };
            if queue.own.dynamic
                && queue.children().next().is_none()
                && self.tree.is_empty(slot)
                && queue.parent.is_some()
            {
                parents.extend(queue.parent.map(|parent| self.tree.get(parent).name.clone()));
                self.remove_queue(slot);
            }
        }
        let mut at = 0;
        while at < parents.len() {
            let name = parents[at].clone();
            at += 1;
            let Some(slot) = self.tree.find(&name) else { continue };
            let queue = self.tree.get(slot);
            if &*queue.name != ROOT && queue.own.dynamic && self.tree.is_empty(slot) {
                parents.extend(queue.parent.map(|parent| self.tree.get(parent).name.clone()));
                self.remove_queue(slot);
            }
        }
        for (name, leaf) in std::mem::take(&mut self.own.pending_types) {
            if !self.retry_queue(&name, leaf) {
                self.own.pending_types.push((name, leaf));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_waits_is_kept_as_it_is_until_it_is_much() {
        let change = |i: usize| (format!("root.q{}", i % 3), i.is_multiple_of(2));
        let mut waiting: Vec<_> = (0..MANY_PENDING).map(change).collect();
        bound_pending(&mut waiting);
        assert_eq!(waiting.len(), MANY_PENDING);
        waiting.push(change(0));
        bound_pending(&mut waiting);
        assert_eq!(waiting, (0..6).map(change).collect::<Vec<_>>());
    }
}
