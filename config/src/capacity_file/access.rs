//! Who may submit to and administer which queue.
//!
//! Follows rules/capacity.md 2.2; `CapacityScheduler.checkAccess`, `CapacityQueueACLsManager` and
//! `ConfiguredYarnAuthorizer`. A right held on an ancestor counts for all below; ancestors are the beginnings of the
//! path, dot by dot.

use super::file::CapacityFile;
use super::queue::CapacityQueue;
use crate::acl::{AccessControlList, QueueAccess};

impl CapacityFile {
    /// Whether the lists admit a user who is in these groups, blind to `yarn.acl.enable` and to administrators. A name
    /// that begins with `root.` and is no queue counts as its nearest ancestor that is one.
    #[must_use]
    pub fn has_access<G: AsRef<str>>(&self, user: &str, groups: &[G], queue: &str, access: QueueAccess) -> bool {
        let mut name = queue;
        while queue.starts_with("root.") && self.queue(name).is_none() {
            let Some((parent, _)) = name.rsplit_once('.') else { break };
            name = parent;
        }
        self.queue(name).is_some_and(|queue| self.admits(user, groups, queue, access))
    }

    /// Whether the resource manager lets a user have this access to an application in the queue: everybody unless
    /// `yarn.acl.enable`, everybody where the queue is gone, nobody where the name is of several queues.
    #[must_use]
    pub fn guards<G: AsRef<str>>(&self, user: &str, groups: &[G], queue: &str, access: QueueAccess) -> bool {
        if !self.settings().acl_enable {
            return true;
        }
        match self.queue(queue) {
            Some(queue) => self.admits(user, groups, queue, access),
            None => !self.is_ambiguous(queue),
        }
    }

    fn admits<G: AsRef<str>>(&self, user: &str, groups: &[G], queue: &CapacityQueue, access: QueueAccess) -> bool {
        let paths =
            std::iter::successors(Some(queue.path.as_str()), |path| path.rsplit_once('.').map(|(above, _)| above));
        paths.filter_map(|path| self.queue_at(path)).any(|queue| list(queue, access).allows(user, groups))
    }
}

fn list(queue: &CapacityQueue, access: QueueAccess) -> &AccessControlList {
    match access {
        QueueAccess::Submit => &queue.acl_submit,
        QueueAccess::Administer => &queue.acl_administer,
    }
}
