//! Which containers of an application one worker has marked for preemption, as others may see it.
//!
//! # Who writes
//! The worker of the containers' nodes: a container is entered when it is marked and struck out when it ends, for whatever
//! reason. Read by the AM's `allocate`, and by whoever decides whether more may be taken from the application.
//!
//! A mark is rare, so the list is copied for each; an application that never lost a container has none.

use crate::id::ContainerId;
use crate::resource::Resource;
use crate::sync::{Arc, OnceLock, SnapshotCell};

type List = Vec<(ContainerId, Resource)>;

/// See the module's text.
#[derive(Debug, Default)]
pub(crate) struct Marks(OnceLock<SnapshotCell<List>>);

impl Marks {
    /// The marked containers and their sizes, in the order in which they were marked.
    pub(crate) fn list(&self) -> Option<Arc<List>> {
        self.0.get().map(SnapshotCell::load)
    }

    /// The sum of their sizes.
    pub(crate) fn total(&self) -> Resource {
        self.list().map_or(Resource::NONE, |list| list.iter().fold(Resource::NONE, |sum, (_, size)| sum.plus(size)))
    }

    pub(super) fn enter(&self, container: ContainerId, size: Resource) {
        self.change(|list| list.push((container, size)));
    }

    pub(crate) fn strike(&self, container: ContainerId) {
        self.change(|list| list.retain(|(marked, _)| *marked != container));
    }

    fn change(&self, change: impl FnOnce(&mut List)) {
        let cell = self.0.get_or_init(|| SnapshotCell::new(Arc::default()));
        let mut list = (*cell.load()).clone();
        change(&mut list);
        cell.publish(Arc::new(list));
    }
}
