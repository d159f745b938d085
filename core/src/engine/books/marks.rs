//! Which containers of an application one worker has marked for preemption, as others may see it.
//!
//! # Who writes
//! The worker of the containers' nodes: a container is entered when it is marked and struck out when it ends, for
//! whatever reason, or is spared. Read by the AM's `allocate`, and by whoever decides whether more may be taken from
//! the application.
//!
//! # What races, and why it is safe
//! A marked container ends on one worker while another looks whether more may be taken ([`left_over`]). It leaves the
//! usage before it leaves the list, and the list is read before the usage: so it counts as used and marked, or as
//! neither, or as marked alone; never as used alone. Checked by `loom-tests/tests/preemption_vs_end.rs`.
//!
//! A mark is rare, so the list is copied for each; an application that never lost a container has none.

use crate::engine::books::usage::UsageCell;
use crate::id::ContainerId;
use crate::resource::Resource;
use crate::sync::{Arc, OnceLock, SnapshotCell};

type List = Vec<(ContainerId, Resource)>;

/// See the module's text.
#[derive(Debug, Default)]
pub struct Marks(OnceLock<SnapshotCell<List>>);

impl Marks {
    /// The marked containers and their sizes, in the order in which they were marked.
    #[inline]
    pub fn list(&self) -> Option<Arc<List>> {
        self.0.get().map(SnapshotCell::load)
    }

    fn total(&self) -> Resource {
        self.list().map_or(Resource::ZERO, |list| list.iter().fold(Resource::ZERO, |sum, (_, size)| sum.plus(size)))
    }

    /// A container is marked.
    pub fn enter(&self, container: ContainerId, size: Resource) {
        self.change(|list| list.push((container, size)));
    }

    /// It is no longer marked: it has ended. `leave_usage` takes it out of its application's usage, before: see the
    /// module's text.
    pub fn strike_after(&self, container: ContainerId, leave_usage: impl FnOnce()) {
        leave_usage();
        self.strike(container);
    }

    /// It is no longer marked: it is spared.
    pub fn strike(&self, container: ContainerId) {
        // ORDERING: Release, of the cell. Pairs with the Acquire of its load in `left_over`: who finds the container
        // struck out finds usage without it.
        self.change(|list| list.retain(|(marked, _)| *marked != container));
    }

    /// None is marked any more: all have left the usage.
    pub fn clear(&self) {
        if self.0.get().is_some() {
            self.change(Vec::clear);
        }
    }

    fn change(&self, change: impl FnOnce(&mut List)) {
        let cell = self.0.get_or_init(|| SnapshotCell::new(Arc::default()));
        let mut list = (*cell.load()).clone();
        change(&mut list);
        cell.publish(Arc::new(list));
    }
}

/// What an application uses without what is marked of it, by all workers' cells of both. Too little for a moment, where
/// marked containers are ending; never too much for that.
pub fn left_over<'a>(cells: impl Iterator<Item = (&'a UsageCell, &'a Marks)> + Clone) -> Resource {
    // The marks first: see the module's text.
    let marked = cells.clone().fold(Resource::ZERO, |sum, (_, marks)| sum.plus(&marks.total()));
    cells.fold(Resource::ZERO, |sum, (usage, _)| sum.plus(&usage.read())).minus(&marked)
}
