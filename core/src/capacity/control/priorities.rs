//! Priorities of applications: which one a submission gets, who may give which, and changes of it
//! (rules/capacity.md 21).
//!
//! Hadoop's `CapacityScheduler.checkAndGetApplicationPriority` and `AppPriorityACLsManager`, which the application
//! manager calls before the scheduler hears of a submission.

use crate::capacity::decide::messages::CapacityMessage;
use crate::capacity::rules::tree::ROOT;
use crate::capacity::types::Control;
use crate::config::capacity::PriorityAcl;
use crate::engine::books::ledger::AppShared;
use crate::event::refused::{Denied, Invalid};
use crate::event::{AppAccess, Refused};
use crate::resource::sorted;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;

/// An application's priorities: now, and as it was submitted with.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Priorities {
    pub(super) now: i32,
    pub(super) submitted: i32,
}

/// Who may have which priority, by the path of the leaf queue; of queues that are gone too, as in Hadoop.
#[derive(Debug, Default)]
pub(super) struct PriorityAcls(FxHashMap<String, Vec<PriorityAcl>>);

impl PriorityAcls {
    /// A leaf queue has these groups from now on. The one with the highest priority comes first, as Hadoop sorts them.
    pub(super) fn set(&mut self, queue: &str, groups: &[PriorityAcl]) {
        if groups.is_empty() {
            self.0.remove(queue);
            return;
        }
        let mut groups = groups.to_vec();
        sorted::by_key(&mut groups, |group| Reverse(group.max_priority));
        self.0.insert(queue.to_owned(), groups);
    }
}

impl Control {
    fn cut(&self, priority: i32) -> i32 {
        priority.min(self.own.tree.file.settings().max_application_priority)
    }

    /// The priority that a user's application has in a queue who asks for this one, or for none; or why not. The queue
    /// of that name need not be there.
    pub(super) fn priority_for(
        &self,
        asked: Option<i32>,
        user: &str,
        slot: Option<u32>,
        name: &str,
        app: u32,
    ) -> Result<i32, Refused> {
        let node = slot.map(|slot| self.own.tree.get(slot));
        let queue = node.map_or(name, |node| &node.config.path);
        let is_looked_at = self.shared.settings.acl_enable;
        let groups = self.own.priority_acls.0.get(queue).filter(|_| is_looked_at).map_or(&[][..], Vec::as_slice);
        let by_group = groups.iter().any(|group| !group.admits.groups.is_empty());
        // Not known, they give no right.
        let of_user = if by_group { self.groups_of(user).unwrap_or_default() } else { Vec::new() };
        let mut admitting = groups.iter().filter(|group| group.admits.allows(user, &of_user));
        let priority = match (asked, admitting.clone().next_back()) {
            (Some(asked), _) => asked,
            (None, Some(last)) => last.default_priority.ok_or_else(|| Invalid::NoPriority {
                app,
                user: user.to_owned(),
                queue: queue.to_owned(),
            })?,
            (None, None) => {
                let leaf = node.and_then(|node| node.leaf());
                leaf.map_or(0, |leaf| leaf.default_application_priority)
            }
        };
        let priority = self.cut(priority);
        if groups.is_empty() || admitting.any(|group| priority <= group.max_priority) {
            return Ok(priority);
        }
        Err(Denied::Priority { app, user: user.to_owned(), priority, queue: queue.to_owned() }.into())
    }

    /// The priority that the workflow of the submission under way has in a leaf queue, or in the nearest queue above;
    /// as in Hadoop root is not asked. `WorkflowPriorityMappingsManager`.
    pub(super) fn priority_of_workflow(&self, leaf: u32) -> Option<i32> {
        let (tree, tags) = (&self.own.tree, &self.own.asked.tags);
        let (settings, mappings) = (tree.file.settings(), tree.file.workflow_priorities());
        if !settings.workflow_priority_mappings_override || mappings.is_empty() || tags.is_empty() {
            return None;
        }
        let prefix = &settings.workflow_tag_prefix;
        let workflows = tags.iter().map(|tag| tag.to_lowercase()).filter_map(|tag| {
            // As Java trims.
            let workflow = tag.trim_matches(|c: char| c <= ' ').strip_prefix(prefix.as_str())?.to_owned();
            Some((tag, workflow))
        });
        let (_, workflow) = workflows.max().filter(|(_, workflow)| !workflow.is_empty())?;
        let path = tree.path(leaf).filter(|slot| *slot != ROOT);
        path.map(|slot| &tree.get(slot).config.path).find_map(|path| mappings.get(path)?.get(&workflow).copied())
    }

    /// An application has another priority from now on, on behalf of a user if he may.
    pub(crate) fn set_priority(&mut self, by: Option<&str>, app: &AppShared, priority: i32) -> Result<(), Refused> {
        by.map_or(Ok(()), |user| self.check_app(user, app, AppAccess::Modify))?;
        let (leaf, number) = (self.known(app)?.leaf, app.id.number);
        let priority = match by {
            Some(user) => self.priority_for(Some(priority), user, Some(leaf), "", number)?,
            None => self.cut(priority),
        };
        if let Some(priorities) = self.own.priorities.get_mut(&number) {
            if priority == priorities.submitted {
                return Ok(());
            }
            priorities.now = priority;
        }
        self.tell(CapacityMessage::Priority { app: number, priority });
        Ok(())
    }
}
