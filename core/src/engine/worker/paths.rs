//! Paths: what an application uses is counted in its leaf queue and in every queue above, here and in the ledger.
//!
//! # Where it stands
//! Called by `grant` when a container comes or ends, by `adopt` when an application brings its usage along. Plain code
//! on the worker's own shard; the ledger's cells are its own. The decider hears of it level by level, with the new
//! usage of one level and the old one of the level above.

use crate::engine::decider::Decider;
use crate::engine::records::app::AppLocal;
use crate::engine::records::queue::QueueLocal;
use crate::engine::shard::Shard;
use crate::id::NONE;
use crate::id::ROOT;
use crate::policy::ClusterTotal;
use crate::resource::Resource;

/// A queue, and its parent to be changed.
#[inline]
pub(crate) fn with_parent<D: Decider>(
    queues: &mut [Option<QueueLocal<D>>],
    queue: u32,
    parent: u32,
) -> (&QueueLocal<D>, &mut QueueLocal<D>) {
    let both = queues.get_disjoint_mut([queue as usize, parent as usize]).expect("no queue is its own parent");
    let [Some(queue), Some(parent)] = both else { unreachable!("both are queues of the snapshot") };
    (queue, parent)
}

/// What usage is counted with.
pub(crate) struct Counting<'a, D: Decider> {
    /// The decider's part of the worker.
    pub(crate) own: &'a D::Worker,
    pub(crate) types: usize,
    /// There is no other worker.
    pub(crate) alone: bool,
    /// See [`Shard::defer_root_usage`].
    pub(crate) root_usage_is_deferred: bool,
    /// What is held back of the root's, where there are other workers.
    pub(crate) held: &'a mut Resource,
    pub(crate) cluster: &'a ClusterTotal,
}

/// Adds to the usage of an application and of the queues above it, here and in the ledger; the decider puts them in
/// place. In the ledger the leaf's is left to the caller, who [shows](show_leaf) it, then notes the change, and the
/// root's where it is held.
#[inline]
pub(crate) fn add_usage<D: Decider>(
    app: &mut AppLocal<D>,
    queues: &mut [Option<QueueLocal<D>>],
    amount: &Resource,
    by: &mut Counting<'_, D>,
) {
    app.usage.add_in_types(by.types, amount);
    app.cell.usage.add_knowing(by.types, amount, &app.usage, by.alone);
    let mut at = app.leaf;
    if at == NONE {
        return;
    }
    let leaf = queues[at as usize].as_mut().expect("a queue of the snapshot");
    D::app_usage_changed(by.own, leaf, app, by.cluster);
    leaf.usage.add_in_types(by.types, amount);
    let mut parent = leaf.parent;
    while parent != NONE {
        let above = if D::ORDERS_BY_USAGE {
            let (queue, above) = with_parent(queues, at, parent);
            D::queue_usage_changed(above, queue, by.cluster);
            above
        } else {
            queues[parent as usize].as_mut().expect("a queue of the snapshot")
        };
        above.usage.add_in_types(by.types, amount);
        (at, parent) = (parent, above.parent);
        if parent != NONE || !by.root_usage_is_deferred {
            above.show_change(by.types, amount, by.alone);
        } else if !by.alone {
            by.held.add_in_types(by.types, amount);
        }
    }
}

/// Adds to the usage of a leaf in the ledger. Its line is on the core of whose AM asked last, so this is done when the
/// container is in its mailbox: an exchange there waits for all that was written before it.
#[inline]
pub(crate) fn show_leaf<D: Decider>(
    queues: &[Option<QueueLocal<D>>],
    leaf: u32,
    types: usize,
    amount: &Resource,
    alone: bool,
) {
    if leaf != NONE {
        let leaf = queues[leaf as usize].as_ref().expect("a queue of the snapshot");
        leaf.show_change(types, amount, alone);
    }
}

impl<D: Decider> Shard<D> {
    /// Adds to the usage of an application and of the queues above it, and puts them in place: see [`add_usage`].
    pub(crate) fn add_usage(&mut self, index: u32, amount: &Resource) {
        let Shard {
            apps, queues, types, cluster, shared, root_usage_is_deferred, deferred_root_usage: held, own, ..
        } = self;
        let app = apps[index as usize].as_mut().expect("an application that this worker knows");
        let (alone, root_usage_is_deferred) = (shared.workers == 1, *root_usage_is_deferred);
        add_usage(
            app,
            queues,
            amount,
            &mut Counting { own, types: *types, alone, root_usage_is_deferred, held, cluster },
        );
    }

    /// Adds to the usage of an application's leaf in the ledger, and notes the change: see [`show_leaf`].
    #[inline]
    pub(crate) fn show_leaf(&mut self, app: u32, amount: &Resource) {
        show_leaf(&self.queues, self.app(app).leaf, self.types, amount, self.shared.workers == 1);
        self.note_change();
    }

    /// Until [`resume_root_usage`](Self::resume_root_usage) the ledger is not told of the root's usage: every call of
    /// every AM reads it, so its line would cross over with each change. Nobody is ordered by it: it has no siblings.
    pub(crate) fn defer_root_usage(&mut self) {
        self.root_usage_is_deferred = true;
    }

    /// Shows what was held back, and holds no more.
    pub(crate) fn resume_root_usage(&mut self) {
        self.flush_root_usage();
        self.root_usage_is_deferred = false;
    }

    /// Shows what the root uses, where that is held back.
    pub(crate) fn flush_root_usage(&mut self) {
        let root = self.queues.get(ROOT as usize).and_then(Option::as_ref);
        if self.root_usage_is_deferred
            && let Some(root) = root
        {
            if self.shared.workers == 1 {
                root.show_usage(self.types);
            } else {
                root.show_change(self.types, &std::mem::replace(&mut self.deferred_root_usage, Resource::ZERO), false);
            }
        }
    }

    /// Wakes the AM of an application whose mailbox was empty. It finds what the root uses.
    pub(crate) fn wake_am(&mut self, app: u32) {
        if self.shared.on_grants.is_some() || !self.waits.has_no_mail_waiters() {
            self.flush_root_usage();
            let slot = self.app(app).slot;
            self.waits.wake_mail_waiters(slot);
        }
        if let Some(wake) = &self.shared.on_grants {
            wake(self.app(app).number);
        }
    }

    pub(crate) fn add_queue_usage(&mut self, leaf: u32, amount: &Resource) {
        let (types, alone) = (self.types, self.shared.workers == 1);
        let mut at = leaf;
        while at != NONE {
            let queue = self.queue_mut(at);
            queue.add_usage(types, amount, alone);
            at = queue.parent;
        }
    }
}
