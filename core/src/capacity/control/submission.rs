//! A submission: whether a leaf queue takes it, its priority, and how large its AM counts (rules/capacity.md 8, 20,
//! 21).

use super::priorities::Priorities;
use crate::capacity::books::SharedAttempt;
use crate::capacity::decide::messages::{CapacityMessage, Entrant};
use crate::capacity::rules::tree::{Named, ROOT, Status};
use crate::capacity::types::Control;
use crate::config::capacity::{QueueMaking, ToPlace};
use crate::config::trim;
use crate::engine::books::ledger::AppShared;
use crate::engine::control::{EITHER, Entry, LeafEntry, WantedAm};
use crate::engine::edge::label_of_ask::checked;
use crate::engine::intake::submission::{AmRequest, Submission};
use crate::event::refused::{Denied, Limit, NoQueue, NotFound};
use crate::event::{self, Refused, check_length};
use crate::id::LabelId;
use crate::labels::LabelTerms;
use crate::matching::size::check_size;
use crate::resource::Resource;
use crate::sync::Arc;
use std::collections::BTreeSet;

/// Where a submission goes that names no queue.
const DEFAULT: &str = "default";

impl Control {
    pub(super) fn normal(&self, size: &Resource, largest: &Resource) -> Resource {
        let minimum = &self.own.tree.file.settings().minimum;
        self.own.arith.normalize(size, minimum, largest, minimum)
    }

    /// The request of an AM as it counts: within what one container may have in its leaf, and normalised.
    pub(super) fn size_of_am(&self, asked: &Resource, queue: Option<u32>) -> Result<Resource, Refused> {
        let most = self.max_allocation();
        let leaf = queue.filter(|slot| self.own.is_leaf(*slot));
        let largest = leaf.map_or(most, |slot| self.own.tree.get(slot).config.maximum_allocation.least(&most));
        check_size(self.shared.types, asked, &largest)?;
        Ok(self.normal(asked, &largest))
    }

    /// What a queue has for labels of asks.
    pub(super) fn label_terms_of(&self, slot: u32) -> LabelTerms<'_> {
        let (file, config) = (&self.own.tree.file, &self.own.tree.get(slot).config);
        LabelTerms {
            queue: &config.path,
            accessible: file.accessible_labels(config),
            default: file.default_label_expression(config),
            enforced: &file.settings().node_labels.enforced,
        }
    }

    /// Size and label of an AM's container; `queue`: of the submission, where its name stands for one
    /// (rules/node-labels.md 8.3).
    pub(super) fn wanted_am(
        &self,
        of_app: Option<&str>,
        am: &AmRequest,
        queue: Option<u32>,
    ) -> Result<WantedAm, Refused> {
        let mut size = Resource::ZERO;
        let look = |size: &mut Resource| {
            *size = self.size_of_am(am.resource(), queue)?;
            Ok(())
        };
        let table = self.label_table();
        let any = BTreeSet::from(["*".to_owned()]);
        let settings = &self.own.tree.file.settings().node_labels;
        let terms = queue.map_or_else(
            || LabelTerms { queue: "", accessible: &any, default: None, enforced: &settings.enforced },
            |slot| self.label_terms_of(slot),
        );
        let label = self.label_for_am(of_app, am, &terms);
        // Where the queue is not known yet, it has its say when the attempt starts.
        let is_put_off = queue.is_none() && label.is_some() && table.len() > 0;
        let label = if is_put_off {
            look(&mut size)?;
            LabelId::NONE
        } else {
            checked(label, table, Some(&terms), || look(&mut size))?
        };
        Ok(WantedAm { size, label })
    }

    fn label_for_am<'a>(
        &'a self,
        of_app: Option<&'a str>,
        am: &'a AmRequest,
        terms: &LabelTerms<'_>,
    ) -> Option<&'a str> {
        let (of_app, own) = (of_app.map(trim), am.label().map(trim));
        let is_enforced = |label: Option<&str>| label.is_some_and(|label| terms.enforced.contains(label));
        let label = if is_enforced(of_app) || is_enforced(own) { of_app } else { own };
        let settings = &self.own.tree.file.settings().node_labels;
        label.filter(|label| !label.is_empty()).or(settings.am_default.as_deref()).or(of_app)
    }

    /// The label of the AM of an application that was accepted before: nothing is refused.
    fn label_of_accepted(&self, of_app: Option<&str>, am: &AmRequest, leaf: u32) -> LabelId {
        let terms = self.label_terms_of(leaf);
        let label = self.label_for_am(of_app, am, &terms).or(terms.default).unwrap_or_default();
        self.label_table().number(trim(label)).unwrap_or_default()
    }

    /// The queue that mapping rules give a submission; none where no rule says any.
    fn mapped(&self, user: &str, queue: &str) -> Result<Option<String>, Refused> {
        let file = &self.own.tree.file;
        if file.mapping_rules().rules.is_empty() {
            return Ok(None);
        }
        // As in Hadoop, whose groups are not known is in none.
        let groups = self.groups_of(user).unwrap_or_default();
        // A submission here has no name.
        let placed = file.place(&ToPlace::new(user).in_groups(&groups).in_queue(queue));
        let refused = |_| {
            let (user, queue) = (user.to_owned(), queue.to_owned());
            Refused::NoQueue(NoQueue::RuleFailed { user, queue, why: "a mapping rule refuses it" })
        };
        placed.map_err(refused)
    }

    /// Where the queue of an accepted application was, whose last name is this, and which is not there.
    fn mapped_again(&self, user: &str, name: &str) -> Option<String> {
        let groups = self.groups_of(user).unwrap_or_default();
        self.own.tree.file.place_again(&ToPlace::new(user).in_groups(&groups).in_queue(name))
    }

    /// The path of the leaf queue that a submission would enter; none where there is no such leaf.
    pub(crate) fn place(&self, user: &str, queue: Option<&str>) -> Result<Option<String>, Refused> {
        let name = queue.unwrap_or(DEFAULT);
        check_length(event::Named::User, user)?;
        check_length(event::Named::Queue, name)?;
        let mapped = self.mapped(user, name)?;
        let name = mapped.as_deref().unwrap_or(name);
        match self.own.tree.find(name) {
            Named::Ambiguous => Err(NoQueue::Ambiguous(name.to_owned()).into()),
            Named::Unknown => Ok(None),
            Named::Queue(slot) => Ok(self.own.is_leaf(slot).then(|| self.own.tree.get(slot).config.path.clone())),
        }
    }

    /// The leaf queue of a submission, and the size of its AM.
    pub(super) fn find_leaf(&mut self, submission: &Submission) -> Result<Entry, Refused> {
        let Submission { number, user, queue, am, accepted, .. } = submission;
        self.own.is_uncounted = false;
        if *accepted {
            return self.find_accepted(submission);
        }
        let name = queue.as_deref().unwrap_or(DEFAULT);
        check_length(event::Named::User, user)?;
        check_length(event::Named::Queue, name)?;
        self.check_plan_rights(user, name, submission.reservation)?;
        let mapped = self.mapped(user, name)?;
        let name = mapped.as_deref().unwrap_or(name);
        self.own.lifetime_seconds = self.lifetime_for(self.own.asked.lifetime_seconds, name, *number)?;
        let found = self.own.tree.find(name);
        let named = match found {
            Named::Queue(slot) => Some(slot),
            Named::Ambiguous | Named::Unknown => None,
        };
        // The application manager keeps the name that was asked for where the rule leads to a queue of the same short
        // name.
        let asked_for = queue.as_deref().unwrap_or(DEFAULT);
        let is_kept = name.rsplit('.').next().is_some_and(|short| short.eq_ignore_ascii_case(asked_for));
        let (to_manager, known) = match is_kept {
            true => (asked_for, self.own.tree.find(asked_for)),
            false => (name, found),
        };
        let known = match known {
            Named::Queue(slot) => Some(slot),
            Named::Ambiguous | Named::Unknown => None,
        };
        let of_app = submission.label.as_deref();
        let wanted = am.as_ref().map(|am| self.wanted_am(of_app, am, known)).transpose()?;
        self.own.priority = self.priority_for(self.own.asked.priority, user, known, to_manager, *number)?;
        if self.shared.settings.acl_enable {
            let path = named.map_or(name, |slot| &self.own.tree.get(slot).config.path);
            let of_new = if named.is_some() { Vec::new() } else { self.lists_of_new(name) };
            let is_checked = named.is_some() || !of_new.is_empty();
            if is_checked && !self.granted(user, path, &EITHER) && !self.listed(user, of_new.iter()) {
                return Err(Denied::Queue { user: user.clone(), queue: path.to_owned() }.into());
            }
        }
        let found = self.within_plan(name, submission.reservation)?;
        if self.own.applications(ROOT) >= i64::from(self.own.tree.file.settings().maximum_applications) {
            return Err(Limit::TooManyApps(*number).into());
        }
        let leaf = match found {
            Named::Ambiguous => return Err(NoQueue::Ambiguous(name.to_owned()).into()),
            Named::Unknown => self.make_queue(name, mapped.is_some())?,
            Named::Queue(slot) => slot,
        };
        if !self.own.is_leaf(leaf) {
            return Err(NoQueue::NotLeaf { queue: name.to_owned() }.into());
        }
        self.check_rule(leaf, user, mapped.as_deref())?;
        if let Some(priority) = self.priority_of_workflow(leaf) {
            self.own.priority = self.priority_for(Some(priority), user, Some(leaf), "", *number)?;
        }
        self.check_leaf(leaf, user)?;
        self.is_needed(leaf);
        let mut am_label = wanted.map(|wanted| wanted.label).unwrap_or_default();
        if known.is_none()
            && let Some(am) = am
        {
            // As in Hadoop the queue that has made itself has its say when the attempt starts.
            am_label = self.label_of_accepted(of_app, am, leaf);
        }
        Ok(Entry { leaf, am: wanted.map(|wanted| wanted.size), am_label, keeps_name: false })
    }

    /// The leaf queue of an application that was accepted before, made anew where it makes itself.
    fn find_accepted(&mut self, submission: &Submission) -> Result<Entry, Refused> {
        let Submission { number, user, queue, am, .. } = submission;
        let name = queue.as_deref().unwrap_or(DEFAULT);
        let leaf = match self.own.tree.find(name) {
            Named::Ambiguous => return Err(NoQueue::Ambiguous(name.to_owned()).into()),
            Named::Unknown => {
                let again = self.mapped_again(user, name);
                let made = self.make_queue(again.as_deref().unwrap_or(name), true);
                // As in Hadoop, whatever stands against making it.
                made.map_err(|_| NotFound::Queue(name.to_owned()))?
            }
            Named::Queue(slot) => slot,
        };
        if !self.own.is_leaf(leaf) {
            return Err(NoQueue::NotLeaf { queue: name.to_owned() }.into());
        }
        self.own.lifetime_seconds = self.lifetime_for(self.own.asked.lifetime_seconds, name, *number)?;
        let size = |am: &AmRequest| match am.runs() {
            true => Ok(self.normal(am.resource(), &self.max_allocation())),
            false => self.size_of_am(am.resource(), Some(leaf)),
        };
        let size = am.as_ref().map(size).transpose()?;
        self.own.priority = self.priority_for(self.own.asked.priority, user, Some(leaf), name, *number)?;
        if submission.recovered {
            self.drain_again(leaf);
            // As in Hadoop, where the leaf would refuse it as a new one: the queues above do not learn of it.
            self.own.is_uncounted = self.check_leaf(leaf, user).is_err();
        }
        self.is_needed(leaf);
        let label = |am: &AmRequest| self.label_of_accepted(submission.label.as_deref(), am, leaf);
        let am_label = am.as_ref().map(label).unwrap_or_default();
        Ok(Entry { leaf, am: size, am_label, keeps_name: false })
    }

    /// A STOPPED queue with an application of before the restart was DRAINING then, and so were those above it.
    fn drain_again(&mut self, leaf: u32) {
        let above: Vec<u32> = self.own.tree.path(leaf).collect();
        for queue in above {
            if !self.own.tree.drains_again(queue) {
                break;
            }
            self.dirty.insert(queue);
        }
    }

    /// What a leaf asks of a submission; it leaves a user record behind where it has looked at the user's count.
    pub(super) fn check_leaf(&self, leaf: u32, user: &str) -> Result<(), Refused> {
        let own = &self.own;
        let node = own.tree.get(leaf);
        let path = || node.config.path.clone();
        if node.status != Status::Running {
            return Err(NoQueue::Stopped(path()).into());
        }
        let applications = own.applications(leaf);
        // Leaves of managed parents take any number.
        let is_limited = node.config.making != Some(QueueMaking::Managed);
        if is_limited && applications >= i64::from(node.figures.max_applications) {
            return Err(Limit::QueueFull { queue: path(), applications }.into());
        }
        self.broadcast_message(CapacityMessage::UserSeen { leaf, user: user.into() });
        let of_user = own.of_user.get(&(leaf, user.into())).copied().unwrap_or_default();
        if is_limited && of_user >= i64::from(node.figures.max_applications_per_user) {
            return Err(Limit::UserFull { queue: path(), applications: of_user, user: user.to_owned() }.into());
        }
        match own.tree.path(leaf).find(|queue| own.tree.get(*queue).status != Status::Running) {
            Some(stopped) => Err(NoQueue::Stopped(own.tree.get(stopped).config.path.clone()).into()),
            None => Ok(()),
        }
    }

    pub(super) fn count_above(&mut self, leaf: u32, by: i64) {
        let own = &mut self.own;
        own.tree.path(leaf).skip(1).for_each(|queue| own.applications[queue as usize] += by);
    }

    /// The queues above a leaf do not count an application: the audit is told.
    #[cfg(feature = "faults")]
    fn pass_over_above(&mut self, leaf: u32) {
        let above: Vec<u32> = self.own.tree.path(leaf).skip(1).collect();
        above.into_iter().for_each(|queue| *self.own.never_counted.entry(queue).or_default() += 1);
    }

    pub(super) fn count_of_user(&mut self, leaf: u32, user: &str, by: i64) {
        let key = (leaf, user.into());
        let count = self.own.of_user.entry(key).or_default();
        *count += by;
        if *count == 0 {
            self.own.of_user.remove(&(leaf, user.into()));
        }
    }

    /// An attempt is there from now on; whether it may be offered nodes.
    pub(super) fn let_in(&mut self, app: &Arc<AppShared>, leaf: u32, am: Option<&WantedAm>, keeps: bool) -> bool {
        let number = app.id.number;
        let priority = self.own.priority;
        let priorities = self.own.priorities.entry(number).or_insert(Priorities { now: priority, submitted: priority });
        // As in Hadoop, a further attempt has the priority that the application was submitted with.
        priorities.now = priorities.submitted;
        let priorities = *priorities;
        if app.attempt == 1 {
            let seconds = self.own.lifetime_seconds;
            self.own.lifetimes.begin(number, app.start_ms, seconds);
            if std::mem::take(&mut self.own.is_uncounted) {
                #[cfg(feature = "faults")]
                self.pass_over_above(leaf);
            } else {
                self.count_above(leaf, 1);
            }
        }
        let runnable = self.run_or_wait(number, &app.user, leaf);
        if runnable {
            self.count_of_user(leaf, &app.user, 1);
        }
        self.tell(CapacityMessage::Entered(Entrant {
            app: app.clone(),
            leaf,
            priority: priorities.now,
            submitted_priority: priorities.submitted,
            am: am.map_or(self.own.tree.file.settings().minimum, |am| am.size),
            am_partition: am.map(|am| am.label).unwrap_or_default(),
            runnable,
            keeps,
            sorting: self.sorting_of(leaf),
            shared_attempt: Arc::new(SharedAttempt::new(self.shared.workers)),
        }));
        runnable
    }

    /// How nodes are sorted for an attempt that enters a leaf now (rules/multi-node.md 1).
    fn sorting_of(&self, leaf: u32) -> Option<u16> {
        let multi_node = self.shared.decider.multi_node.as_ref()?;
        multi_node.number_of(self.own.tree.get(leaf).config.multi_node_sorting_class.as_deref())
    }

    /// An attempt has ended, and has left the lists of its leaf.
    pub(super) fn has_left(&mut self, app: &AppShared, stood: LeafEntry, goes_on: bool) {
        self.leave_running_or_waiting(app.id.number, &app.user, stood);
        if !goes_on {
            self.is_over(app, stood.leaf);
        }
    }

    /// All attempts of an application have left their leaf.
    pub(super) fn is_over(&mut self, app: &AppShared, leaf: u32) {
        self.tell(CapacityMessage::Over(app.id.number));
        self.own.priorities.remove(&app.id.number);
        self.own.lifetimes.end(app.id.number);
        self.leave_queues(leaf);
    }

    /// An application less in a leaf and above: those that drain may be empty now.
    pub(super) fn leave_queues(&mut self, leaf: u32) {
        self.check_drained(leaf);
        let above: Vec<u32> = self.own.tree.path(leaf).skip(1).collect();
        for queue in above {
            self.own.applications[queue as usize] -= 1;
            self.check_drained(queue);
        }
    }

    fn check_drained(&mut self, queue: u32) {
        if self.own.applications(queue) == 0 && self.own.tree.get(queue).status == Status::Draining {
            self.own.tree.drained(queue);
            self.dirty.insert(queue);
        }
    }
}
