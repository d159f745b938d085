//! A submission: which queue it enters, whether it may, and how large its AM's container counts.
//!
//! Follows `RMAppManager` and `FairScheduler.addApplication` (rules/assignment.md 12.1,
//! rules/configuration.md 5 and 6).

use super::settings::QueueTree;
use crate::config::{equals_ignore_case, rooted, trim};
use crate::engine::control::{EITHER, Entry};
use crate::engine::edge::label_of_ask::checked;
use crate::engine::intake::submission::{AmRequest, Submission};
use crate::event::refused::{Denied, Limit, NoQueue, NotFound};
use crate::event::{Named, Refused, check_length};
use crate::fair::engine::Control;
use crate::id::LabelId;
use crate::matching::size::{asks_for_nothing_left, check_size, normalise};
use crate::placement::{self, QueueNames, Request};
use crate::queue::above;
use crate::reservation::ReservationId;
use crate::resource::Resource;
use std::borrow::Cow;

/// Where applications go that were accepted into a queue that is not there any more.
const RECOVERY: &str = "root.recovery";

/// Asking for it is asking for none.
const ANY_QUEUE: &str = "default";

struct Names<'a>(&'a QueueTree);

impl QueueNames for Names<'_> {
    fn is_static(&self, name: &str) -> bool {
        self.0.find(name).is_some_and(|slot| !self.0.get(slot).own.dynamic)
    }

    fn is_leaf(&self, name: &str) -> bool {
        self.0.find(name).is_some_and(|slot| self.0.get(slot).leaf)
    }
}

impl Control {
    /// The full name of the queue that the rules give a user who asks for this one; `None` when no rule decides.
    pub(crate) fn place(&self, user: &str, queue: Option<&str>) -> Result<Option<String>, Refused> {
        let queue = queue.unwrap_or(ANY_QUEUE);
        check_length(Named::User, user)?;
        check_length(Named::Queue, queue)?;
        let groups = self.groups_of(user)?;
        let placed = placement::place(&self.own.rules, &Request { queue, user, groups: &groups }, &Names(&self.tree));
        placed.map_err(|failed| {
            Refused::NoQueue(NoQueue::RuleFailed { user: user.to_owned(), queue: queue.to_owned(), why: failed.why() })
        })
    }

    /// The largest container for a queue name; for one that does not exist the scheduler's.
    fn largest(&self, queue: &str) -> Resource {
        let most = self.max_allocation();
        self.tree.find(queue).map_or(most, |slot| most.least(&self.tree.max_container(slot)))
    }

    /// A queue by a name that may lack `root.`.
    pub(super) fn queue_named(&self, queue: &str) -> Result<u32, Refused> {
        let name = rooted(queue);
        self.tree.find(&name).ok_or(Refused::NotFound(NotFound::Queue(name)))
    }

    /// The leaf queue of a submission, and the size of its AM.
    pub(super) fn find_place(&mut self, submission: &Submission) -> Result<Entry, Refused> {
        let Submission { number, user, queue, am, accepted, reservation, label, .. } = submission;
        let am_label = |am: &AmRequest| self.label_of_am(label.as_deref(), am);
        let am_label = am.as_ref().map(am_label).transpose()?.unwrap_or_default();
        if *accepted {
            return self.find_accepted(queue.as_deref().unwrap_or(ANY_QUEUE), am.as_ref(), am_label);
        }
        let asked = queue.as_deref().unwrap_or(ANY_QUEUE);
        // First what the ResourceManager does.
        self.check_plan_rights(user, asked, *reservation)?;
        let placed = self.place(user, queue.as_deref())?;
        if asked.is_empty() {
            let why = "the name is empty; leave it out to have the placement rules choose";
            return Err(NoQueue::NameAtSubmit { number: *number, queue: String::new(), why }.into());
        }
        // It takes over what the rules gave, unless that differs from what was asked for in case alone. Where they gave
        // nothing, that is for the scheduler to refuse.
        let name = placed.as_deref().filter(|placed| !equals_ignore_case(asked, placed)).unwrap_or(asked);
        let size = am.as_ref().map(|am| self.size_of_am(am.resource(), &rooted(name))).transpose()?;
        if placed.is_none() {
            return Err(NoQueue::NoRule { number: *number, user: user.clone(), queue: asked.to_owned() }.into());
        }
        // As recorded of a FairScheduler: a reservation without a queue is told before the rights are. A
        // ResourceManager has both refusals the other way round.
        let leaf = self.leaf_named(&rooted(name), *reservation)?;
        self.check_submission_outside(user, *number, name)?;
        let leaf = self.leaf_for(user, &leaf, size.as_ref())?;
        let is_kept = placed.as_deref().is_some_and(|placed| equals_ignore_case(asked, placed));
        let keeps_name = is_kept && self.tree.get(leaf).name.strip_prefix("root.") == Some(asked);
        Ok(Entry { leaf, am: size, am_label, keeps_name })
    }

    /// The leaf queue of an application that was accepted before; `root.recovery` where there is no such leaf and none
    /// can be made.
    fn find_accepted(&mut self, queue: &str, am: Option<&AmRequest>, am_label: LabelId) -> Result<Entry, Refused> {
        let leaf = self.leaf_again(&rooted(queue)).or_else(|| self.leaf_again(RECOVERY));
        let leaf = leaf.ok_or_else(|| NoQueue::NotLeaf { queue: queue.to_owned() })?;
        let size = |am: &AmRequest| match am.runs() {
            true => Ok(self.size_in(leaf, am.resource())),
            false => self.size_of_further_am(leaf, am.resource()),
        };
        Ok(Entry { leaf, am: am.map(size).transpose()?, am_label, keeps_name: false })
    }

    /// A leaf queue of this name, made where nothing has the name.
    fn leaf_again(&mut self, name: &str) -> Option<u32> {
        let name = &*self.without_reservation(name);
        let slot = match self.tree.find(name) {
            Some(slot) => Some(slot),
            None if super::queues::check_name(name).is_err() => None,
            None => {
                let made = self.create_queue(name, true);
                self.own.steady_pending |= made.is_some();
                made
            }
        };
        slot.filter(|slot| self.tree.get(*slot).leaf)
    }

    /// The AM's request as it counts: within what one container may have there, and normalised.
    fn size_of_am(&self, asked: &Resource, queue: &str) -> Result<Resource, Refused> {
        let largest = self.largest(queue);
        check_size(self.shared.types, asked, &largest)?;
        Ok(normalise(&self.shared.settings.steps, asked, &largest))
    }

    /// The same once more, by the queue that may have come to be only now.
    pub(super) fn size_in(&self, leaf: u32, asked: &Resource) -> Resource {
        normalise(&self.shared.settings.steps, asked, &self.largest(&self.tree.get(leaf).name))
    }

    /// The request of a further attempt. It was accepted once: neither rules nor rights are asked again.
    /// As in Hadoop no queue may use nodes of a label.
    pub(super) fn label_of_am(&self, of_app: Option<&str>, am: &AmRequest) -> Result<LabelId, Refused> {
        checked(am.label().or(of_app).map(trim), self.label_table(), None, || Ok(()))
    }

    pub(super) fn size_of_further_am(&self, leaf: u32, asked: &Resource) -> Result<Resource, Refused> {
        let size = self.size_of_am(asked, &self.tree.get(leaf).name)?;
        self.check_zero_max(&size, leaf)?;
        Ok(size)
    }

    /// The scheduler's part: the queue, created where it is not there, and its checks.
    fn leaf_for(&mut self, user: &str, name: &str, size: Option<&Resource>) -> Result<u32, Refused> {
        let leaf = match self.tree.find(name) {
            Some(slot) => slot,
            None => {
                super::queues::check_name(name)?;
                let made = self.create_queue(name, true);
                if made.is_some() {
                    self.own.steady_pending = true;
                }
                made.ok_or_else(|| NoQueue::NotLeaf { queue: name.to_owned() })?
            }
        };
        if !self.tree.get(leaf).leaf {
            return Err(NoQueue::NotLeaf { queue: name.to_owned() }.into());
        }
        self.check_submission(user, name)?;
        if let Some(asked) = size {
            self.check_zero_max(asked, leaf)?;
        }
        Ok(leaf)
    }

    /// The leaf queue's name. A plan's is that of the reservation, which has to be there, or of the plan's default
    /// child.
    fn leaf_named(&self, name: &str, reservation: Option<ReservationId>) -> Result<String, Refused> {
        match reservation.filter(|_| self.is_plan(name)) {
            Some(id) => self.leaf_of_reservation(name, id),
            None => Ok(self.without_reservation(name).into_owned()),
        }
    }

    /// Where an application without a reservation goes: for a plan, which holds none itself, its default child.
    pub(super) fn without_reservation<'n>(&self, name: &'n str) -> Cow<'n, str> {
        match name.rsplit('.').next().filter(|_| self.is_plan(name)) {
            Some(plan) => format!("{name}.{plan}-default").into(),
            None => name.into(),
        }
    }

    /// Whether a queue is reservable by the file in force, with or without a reservation system.
    fn is_plan(&self, name: &str) -> bool {
        self.own.file.queues.get(name).is_some_and(|own| own.reservation) && self.tree.find(name).is_some()
    }

    /// Refuses the request of an AM for some of a resource of which its leaf may have nothing.
    fn check_zero_max(&self, asked: &Resource, leaf: u32) -> Result<(), Refused> {
        let leaf = self.tree.get(leaf);
        if asks_for_nothing_left(self.shared.types, asked, &leaf.own.max_share(&self.nodes.total())) {
            return Err(Limit::ZeroMax { asked: Box::new(*asked), queue: leaf.name.to_string() }.into());
        }
        Ok(())
    }

    /// The ResourceManager's, before the queue is created: the nearest one above it that there is counts. `queue` is as
    /// the ResourceManager has it, perhaps without `root.`.
    fn check_submission_outside(&self, user: &str, number: u32, queue: &str) -> Result<(), Refused> {
        if !self.shared.settings.acl_enable {
            return Ok(());
        }
        let mut names = std::iter::once(queue).chain(above(queue)).map(rooted);
        let Some(nearest) = names.find(|name| self.tree.find(name).is_some()) else {
            // Hadoop's search runs off the end of the name.
            let why = "neither it nor a queue above it is there; write \"root\" in lower case";
            return Err(NoQueue::NameAtSubmit { number, queue: queue.to_owned(), why }.into());
        };
        if self.granted(user, &nearest, &EITHER) {
            return Ok(());
        }
        Err(Denied::Submit { user: user.to_owned(), queue: rooted(queue), nearest }.into())
    }
}
