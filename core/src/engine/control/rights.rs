//! Rights: who may do what in a queue, and with an application.
//!
//! Two checks, as in Hadoop. The *scheduler's* looks at the queues' lists alone, whatever `yarn.acl.enable` says: every
//! submission must pass it. The *ResourceManager's* is one of whoever calls from outside; it is off unless
//! `yarn.acl.enable` is set, and knows administrators and owners too. Follows rules/configuration.md 5;
//! `FSQueue.hasAccess`, `ConfiguredYarnAuthorizer`, `ClientRMService`, `ApplicationACLsManager`.

use super::part::{ControlPart, Controlled};
use super::state::Control;
use crate::config::{AccessControlList, QueueAccess};
use crate::engine::books::ledger::AppShared;
use crate::engine::intake::reply::Reply;
use crate::event::refused::{Denied, TryAgain};
use crate::event::{AppAccess, Named, Refused, check_length};
use crate::sync::Arc;

/// A submission needs one of the two, and so has the target of a move.
pub(crate) const EITHER: [QueueAccess; 2] = [QueueAccess::Submit, QueueAccess::Administer];

impl<D: Controlled> Control<D> {
    /// Whether one of the lists names the user or a group of his. Groups may be slow to find: they are looked up only
    /// when they decide.
    pub(crate) fn listed<'a>(&self, user: &str, lists: impl Iterator<Item = &'a AccessControlList> + Clone) -> bool {
        const NO_GROUPS: [&str; 0] = [];
        if lists.clone().any(|list| list.allows(user, &NO_GROUPS)) {
            return true;
        }
        let mut lists = lists.filter(|list| !list.groups.is_empty()).peekable();
        if lists.peek().is_none() {
            return false;
        }
        // Not known, they give no right.
        let groups = self.users.groups_of(user).unwrap_or_default();
        lists.any(|list| list.allows(user, &groups))
    }

    /// Whether a list of the queue, or of one above it by name, gives the user one of the rights.
    pub(crate) fn granted(&self, user: &str, queue: &str, rights: &[QueueAccess]) -> bool {
        self.listed(user, self.acls.giving(queue, rights))
    }

    /// The groups of a user, or why they are not known.
    pub(crate) fn groups_of(&self, user: &str) -> Result<Vec<String>, Refused> {
        self.users.groups_of(user).map_err(|why| Refused::TryAgain(TryAgain::NoGroups { user: user.to_owned(), why }))
    }

    /// The scheduler's check of a queue that there is; one that is not gives no right.
    pub(crate) fn has_access(&self, user: &str, queue: &str, access: QueueAccess) -> bool {
        D::Control::named(self, queue).is_ok_and(|slot| self.granted(user, &self.tree.get(slot).name, &[access]))
    }

    /// The ResourceManager's: everybody may do everything while `yarn.acl.enable` is not set.
    pub(crate) fn permits(&self, user: &str, queue: &str, access: QueueAccess) -> bool {
        !self.shared.settings.acl_enable || self.has_access(user, queue, access)
    }

    pub(crate) fn is_admin(&self, user: &str) -> bool {
        self.listed(user, std::iter::once(&self.shared.settings.admin_acl))
    }

    /// The scheduler's check of a submission to a queue that there is by now.
    pub(crate) fn check_submission(&self, user: &str, queue: &str) -> Result<(), Refused> {
        if self.granted(user, queue, &EITHER) {
            return Ok(());
        }
        Err(Denied::Queue { user: user.to_owned(), queue: queue.to_owned() }.into())
    }

    /// Whether a user may see or change an application: its owner, an administrator, or who may administer its queue.
    pub(crate) fn check_app(&self, user: &str, app: &AppShared, access: AppAccess) -> Result<(), Refused> {
        let queue = &self.tree.get(self.known(app)?.leaf).name;
        check_length(Named::User, user)?;
        if !self.shared.settings.acl_enable || *user == *app.user || self.is_admin(user) {
            return Ok(());
        }
        if self.granted(user, queue, &[QueueAccess::Administer]) {
            return Ok(());
        }
        Err(Denied::App { user: user.to_owned(), access, app: app.id.number, queue: queue.to_string() }.into())
    }

    /// Begins to end an application, for a user if he may.
    pub(crate) fn finish_by(
        &mut self,
        by: Option<&str>,
        app: &Arc<AppShared>,
        reply: Option<Reply<Result<(), Refused>>>,
    ) -> Result<(), Refused> {
        by.map_or(Ok(()), |user| self.check_app(user, app, AppAccess::Modify))?;
        self.begin_finish(app, reply)
    }

    /// Moves an application, for a user if he may.
    pub(crate) fn move_by(&mut self, by: Option<&str>, app: &Arc<AppShared>, queue: &str) -> Result<(), Refused> {
        by.map_or(Ok(()), |user| self.check_move(user, app, queue))?;
        self.move_app(app, queue)
    }

    /// The user may change the application, and submit to the target or administer it. Being an administrator or the
    /// owner does not help with the target, as in Hadoop.
    fn check_move(&self, user: &str, app: &AppShared, queue: &str) -> Result<(), Refused> {
        self.check_app(user, app, AppAccess::Modify)?;
        if !self.shared.settings.acl_enable {
            return Ok(());
        }
        check_length(Named::Queue, queue)?;
        let target = D::Control::named(self, queue)?;
        self.check_submission(user, &self.tree.get(target).name)
    }
}
