//! The allocation file: first load and reload (assignment reference 16, configuration reference 7.3).

use super::Control;
use super::queues::compatible;
use crate::config::{AccessControlList, AllocationFile, PlacementChange, ROOT, default_rules};

impl Control {
    pub(super) fn first_load(&mut self, file: AllocationFile) {
        let policy = self.policy(file.policy_of(ROOT));
        let root = self.tree.add(ROOT, None, false, policy);
        self.tree.get_mut(root).dynamic = false;
        self.rules = default_rules(&self.shared.settings);
        self.take_file(file, true);
    }

    /// Takes a new file; the old one is gone. Running applications and containers are untouched; demand and fair shares
    /// wait for the next update.
    pub(crate) fn reload(&mut self, file: AllocationFile) {
        self.take_file(file, false);
    }

    /// Placement rules switch even when the rest of a file is refused, if Hadoop had come that far.
    pub(crate) fn install_placement(&mut self, change: &PlacementChange) {
        match change {
            PlacementChange::Keep => {}
            PlacementChange::Defaults => self.rules = default_rules(&self.shared.settings),
            PlacementChange::Rules(rules) => self.rules = rules.clone(),
        }
    }

    fn take_file(&mut self, new: AllocationFile, first: bool) {
        self.install_placement(&new.placement_change());
        let old = std::mem::replace(&mut self.file, new);
        self.take_acls();
        let Some(root) = self.tree.find(ROOT) else { return };
        self.set_policies(root);
        if first {
            self.configure(root);
        }
        // Leaves first, each set by name: the order of creation, which ties depend on.
        let (leaves, parents) = (self.file.leaves.clone(), self.file.parents.clone());
        if self.file.names(ROOT) {
            self.tree.get_mut(root).dynamic = false;
        }
        for name in leaves.iter().filter(|name| *name != ROOT) {
            self.ensure_queue(name, true);
        }
        for name in parents.iter().filter(|name| *name != ROOT) {
            self.ensure_queue(name, false);
        }
        for slot in self.tree.walk(root) {
            self.configure(slot);
        }
        // Steady shares are computed from what the file says, before ad hoc queues regain their parent's child maximum.
        self.steady_pending = false;
        self.steady_shares();
        if !first {
            // Root too, if it was named once; housekeeping leaves it alone all the same.
            let gone: Vec<_> = old.leaves.union(&old.parents).filter(|name| !self.file.names(name)).collect();
            for name in gone {
                if let Some(slot) = self.tree.find(name) {
                    self.tree.get_mut(slot).dynamic = true;
                }
            }
        }
        for slot in self.tree.walk(root) {
            self.use_child_max(slot);
        }
        self.start_all_that_may();
        self.all_dirty();
    }

    fn configure(&mut self, slot: u32) {
        let file = std::mem::take(&mut self.file);
        self.tree.get_mut(slot).configure(&file);
        self.file = file;
    }

    /// Lists are added or overwritten; a removed queue's stay, as in Hadoop.
    fn take_acls(&mut self) {
        self.acls.insert(ROOT.to_owned(), [AccessControlList::everybody(), AccessControlList::everybody()]);
        for name in self.file.leaves.iter().chain(&self.file.parents) {
            let default = || if name == ROOT { AccessControlList::everybody() } else { AccessControlList::nobody() };
            let own = self.file.queues.get(name);
            let submit = own.and_then(|own| own.acl_submit.clone()).unwrap_or_else(default);
            let administer = own.and_then(|own| own.acl_administer.clone()).unwrap_or_else(default);
            self.acls.insert(name.clone(), [submit, administer]);
        }
    }

    /// Verified from the top, set from the bottom; the first incompatible pair stops the pass, as in Hadoop. True when it
    /// went through.
    fn set_policies(&mut self, slot: u32) -> bool {
        let (name, children) = {
            let queue = self.tree.get(slot);
            (queue.name.clone(), queue.children.clone())
        };
        let policy = self.policy(self.file.policy_of(&name));
        for child in children {
            let below = self.policy(self.file.policy_of(&self.tree.get(child).name));
            if !compatible(&*policy, &*below) || !self.set_policies(child) {
                return false;
            }
        }
        self.tree.get_mut(slot).policy = policy;
        true
    }
}
