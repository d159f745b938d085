//! Who may see and change an application: its owner, an administrator, who may administer its queue.
//!
//! Also asked by the stream of events, which is no endpoint of REST.
//!
//! The scheduler's control is asked, which may ask elsewhere for groups: so it is never asked under the lock of the
//! records, and once a queue, however many applications there are.

use std::collections::{BTreeSet, HashSet};

use evenweave::config::QueueAccess;

use crate::manager::ResourceManager;
use crate::records::{AppRecord, Records};

/// What somebody may.
#[derive(Debug)]
pub(crate) struct Rights<'a> {
    user: &'a str,
    /// All applications are shown to him.
    all: bool,
    /// Queues that he may administer.
    queues: HashSet<String>,
}

impl<'a> Rights<'a> {
    /// In the queues of applications that are chosen. One that is elsewhere meanwhile counts as another's.
    pub(crate) fn of(
        of: &ResourceManager,
        user: &'a str,
        chosen: impl FnOnce(&Records) -> Vec<&AppRecord>,
    ) -> Rights<'a> {
        let scheduler = of.scheduler();
        if !scheduler.basics().acls || scheduler.is_admin(user) {
            return Rights { user, all: true, queues: HashSet::new() };
        }
        let queues: BTreeSet<String> = {
            let records = of.records();
            chosen(&records).into_iter().filter(|app| app.user != user).map(|app| app.queue.clone()).collect()
        };
        let may = |queue: &String| scheduler.has_access(user, queue, QueueAccess::Administer);
        Rights { user, all: false, queues: queues.into_iter().filter(may).collect() }
    }

    /// Whether all that there is may be shown to him, of applications and of the scheduler itself.
    pub(crate) fn all(&self) -> bool {
        self.all
    }

    /// Whether he may see and change it.
    pub(crate) fn may(&self, app: &AppRecord) -> bool {
        self.all || app.user == self.user || self.queues.contains(&app.queue)
    }
}
