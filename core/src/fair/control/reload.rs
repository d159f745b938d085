//! The allocation file takes effect: at the start and at each reload (rules/assignment.md 16,
//! rules/configuration.md 7.3 to 7.5; Hadoop's `FairScheduler.AllocationReloadListener`).
//!
//! All of it is one turn of the control between two publishes: workers go on under the old structure, and find the
//! whole of the new one in one snapshot.

use super::queues::bound_pending;
use super::settings::QueueOwn;
use crate::config::{AccessControlList, AllocationFile, PlacementChange, ROOT, default_rules};
use crate::event::Refused;
use crate::event::refused::Configuration;
use crate::fair::engine::Control;
use crate::sync::Arc;

impl Control {
    pub(super) fn first_load(&mut self, file: AllocationFile) {
        let policy = self.own.policies.get(file.policy_of(ROOT));
        let root = self.tree.add(ROOT, None, false, QueueOwn::new(policy));
        self.tree.get_mut(root).own.dynamic = false;
        self.own.rules = default_rules(&self.shared.decider.settings);
        // Before there are other queues, for they look at it when they are created.
        self.tree.get_mut(root).configure(&file);
        self.take_file(file);
        self.finish_reload();
    }

    /// Takes a new file; the old one is gone. Running applications and containers are untouched; demand and fair shares
    /// wait for the next update.
    pub(crate) fn take_reload(&mut self, file: AllocationFile) -> Result<(), Refused> {
        file.check_for(&self.shared.decider.settings.types, &self.policy_names())
            .map_err(|error| Configuration::Allocations(Box::new(error)))?;
        let old = self.take_file(file);
        self.release_queues(&old)?;
        self.finish_reload();
        Ok(())
    }

    /// Placement rules switch even when the rest of a file is refused, if Hadoop had come that far.
    pub(crate) fn switch_rules(&mut self, change: &PlacementChange) {
        match change {
            PlacementChange::Keep => {}
            PlacementChange::Defaults => self.own.rules = default_rules(&self.shared.decider.settings),
            PlacementChange::Rules(rules) => self.own.rules = rules.clone(),
        }
    }

    /// Rules, lists, policies, queues, settings, steady shares, in this order. Returns the file before.
    fn take_file(&mut self, new: AllocationFile) -> Arc<AllocationFile> {
        self.switch_rules(&new.placement_change());
        let old = std::mem::replace(&mut self.own.file, Arc::new(new));
        // Whatever comes of the rest: what has changed is published.
        self.all_dirty();
        self.take_acls();
        let Some(root) = self.tree.find(ROOT) else { return old };
        self.set_policies(root);
        // Leaves first, each set by name: the order of creation, which ties depend on.
        let file = self.own.file.clone();
        if self.own.file.names(ROOT) {
            self.tree.get_mut(root).own.dynamic = false;
        }
        for name in file.leaves.iter().filter(|name| *name != ROOT) {
            self.ensure_queue(name, true);
        }
        for name in file.parents.iter().filter(|name| *name != ROOT) {
            self.ensure_queue(name, false);
        }
        bound_pending(&mut self.own.pending_types);
        for slot in self.tree.walk(root) {
            self.tree.get_mut(slot).configure(&file);
        }
        // Steady shares are computed from what the file says, before ad hoc queues regain their parent's child maximum.
        self.own.steady_pending = false;
        self.steady_shares();
        old
    }

    /// Queues that the file before names and this one does not are dynamic from now on, root included. Breaks off at
    /// one that is not in the tree, as Hadoop does; in which order Hadoop goes is chance, here it is by name.
    fn release_queues(&mut self, old: &AllocationFile) -> Result<(), Refused> {
        // Below a top queue spelt `ROOT` Hadoop looks for the names as written, under which no queue stands.
        let as_written = |file: &AllocationFile, name: &str| file.queues.contains_key(name);
        for name in old.leaves.union(&old.parents) {
            let written = as_written(old, name);
            if self.own.file.names(name) && as_written(&self.own.file, name) == written {
                continue;
            }
            match self.tree.find(name).filter(|_| written) {
                Some(slot) => self.tree.get_mut(slot).own.dynamic = true,
                None => return Err(Configuration::BrokeOff { queue: name.clone() }.into()),
            }
        }
        Ok(())
    }

    fn finish_reload(&mut self) {
        if let Some(root) = self.tree.find(ROOT) {
            for slot in self.tree.walk(root) {
                self.use_child_max(slot);
            }
        }
        self.start_all_that_may();
    }

    /// Lists are added or overwritten; a removed queue's stay, as in Hadoop.
    fn take_acls(&mut self) {
        self.acls.set(ROOT, AccessControlList::everybody(), AccessControlList::everybody());
        for name in self.own.file.leaves.iter().chain(&self.own.file.parents) {
            let default = || if name == ROOT { AccessControlList::everybody() } else { AccessControlList::nobody() };
            let own = self.own.file.queues.get(name);
            let submit = own.and_then(|own| own.acl_submit.clone()).unwrap_or_else(default);
            let administer = own.and_then(|own| own.acl_administer.clone()).unwrap_or_else(default);
            self.acls.set(name, submit, administer);
        }
    }

    /// Verified from the top, set from the bottom; the first incompatible pair stops the pass, as in Hadoop. True when
    /// it went through.
    fn set_policies(&mut self, slot: u32) -> bool {
        let (name, children) = {
            let queue = self.tree.get(slot);
            (queue.name.clone(), queue.children().collect::<Vec<_>>())
        };
        let policy = self.policy_for(&name);
        for child in children {
            let below = self.policy_for(&self.tree.get(child).name);
            if !self.compatible(&*policy, &*below) || !self.set_policies(child) {
                return false;
            }
        }
        self.tree.get_mut(slot).own.policy = policy;
        true
    }
}
