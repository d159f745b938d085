//! Applications: submission, end, move.

use super::{AmRequest, App, Control, Submission};
use crate::config::{AllocationFile, equals_ignore_case, rooted};
use crate::engine::books::closing::Acknowledgements;
use crate::engine::books::ledger::AppShared;
use crate::engine::decider::Decider;
use crate::engine::intake::messages::{Internal, Successor};
use crate::engine::intake::waiting::Reply;
use crate::engine::mail::container::Container;
use crate::event::{Named, Refused, check_length};
use crate::id::Slot;
use crate::matching::size::{asks_for_nothing_left, check_size, normalise};
use crate::placement::{self, QueueNames, Request};
use crate::queue::{AtLimit, QueueTree, Running};
use crate::resource::Resource;
use crate::sync::Arc;
use std::borrow::Cow;

/// Asking for it is asking for none.
const ANY_QUEUE: &str = "default";

struct Names<'a>(&'a QueueTree);

impl QueueNames for Names<'_> {
    fn is_static(&self, name: &str) -> bool {
        self.0.find(name).is_some_and(|slot| !self.0.get(slot).dynamic)
    }

    fn is_leaf(&self, name: &str) -> bool {
        self.0.find(name).is_some_and(|slot| self.0.get(slot).leaf)
    }
}

/// The applications as running limits see them.
pub(super) struct AppList<'a>(pub(super) &'a [Option<App>]);

impl AppList<'_> {
    fn get(&self, app: u32) -> &App {
        self.0[app as usize].as_ref().expect("lists of the tree name applications")
    }
}

impl crate::queue::Apps for AppList<'_> {
    fn user(&self, app: u32) -> &str {
        &self.get(app).shared.user
    }

    fn leaf(&self, app: u32) -> u32 {
        self.get(app).leaf
    }

    fn start_ms(&self, app: u32) -> u64 {
        self.get(app).shared.start_ms
    }
}

impl crate::queue::UserLimits for AllocationFile {
    fn limit(&self, user: &str) -> i64 {
        i64::from(self.users.get(user).copied().unwrap_or(self.user_max_apps))
    }
}

/// A limit of running applications that is reached.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RunningLimit {
    /// Of the application's queue, or one above it.
    Queue {
        /// Which.
        queue: String,
        /// How many run there and below.
        running: i64,
        /// How many may.
        limit: i64,
    },
    /// Of its user.
    User {
        /// Who.
        user: String,
        /// How many of his run.
        running: i64,
        /// How many may.
        limit: i64,
    },
}

/// Why an application gets no node, whatever is decided of it.
#[derive(Debug)]
pub(crate) enum Stopped {
    /// It has ended.
    Ended,
    /// It waits for a limit of running applications; for which, unless there is room by now.
    Waiting { limit: Option<RunningLimit> },
}

impl<D: Decider> Control<D> {
    /// The full name of the queue that the rules give a user who asks for this one; `None` when no rule decides.
    pub(crate) fn place(&self, user: &str, queue: Option<&str>) -> Result<Option<String>, Refused> {
        let queue = queue.unwrap_or(ANY_QUEUE);
        check_length(Named::User, user)?;
        check_length(Named::Queue, queue)?;
        let unknown = |why| Refused::NoGroups { user: user.to_owned(), why };
        let groups = self.users.groups_of(user).map_err(unknown)?;
        let placed = placement::place(&self.rules, &Request { queue, user, groups: &groups }, &Names(&self.tree));
        placed.map_err(|failed| Refused::RuleFailed {
            user: user.to_owned(),
            queue: queue.to_owned(),
            why: failed.why(),
        })
    }

    /// The largest container for a queue name; for one that does not exist the scheduler's.
    fn largest(&self, queue: &str) -> Resource {
        let most = self.max_allocation();
        self.tree.find(queue).map_or(most, |slot| most.least(&self.tree.max_container(slot)))
    }

    /// Accepts an application, or says why not.
    pub(crate) fn submit(&mut self, submission: &Submission) -> Result<Arc<AppShared>, Refused> {
        let Submission { number, user, queue, am } = submission;
        if self.by_number.contains_key(number) {
            return Err(Refused::DuplicateApp(*number));
        }
        am.as_ref().map_or(Ok(()), AmRequest::check_places)?;
        // First what the ResourceManager does.
        let placed = self.place(user, queue.as_deref())?;
        let asked = queue.as_deref().unwrap_or(ANY_QUEUE);
        if asked.is_empty() {
            let why = "the name is empty; leave it out to have the placement rules choose";
            return Err(Refused::QueueNameAtSubmit { number: *number, queue: String::new(), why });
        }
        // It takes over what the rules gave, unless that differs from what was asked for in case alone. Where they gave
        // nothing, that is for the scheduler to refuse.
        let name = placed.as_deref().filter(|placed| !equals_ignore_case(asked, placed)).unwrap_or(asked);
        let size = am.as_ref().map(|am| self.size_of_am(am.resource(), &rooted(name))).transpose()?;
        if placed.is_none() {
            return Err(Refused::Placement { number: *number, user: user.clone(), queue: asked.to_owned() });
        }
        self.check_submission_outside(user, *number, name)?;
        self.enter_queue(submission, &rooted(name), size)
    }

    /// The AM's request as it counts: within what one container may have there, and normalised.
    pub(super) fn size_of_am(&self, asked: &Resource, queue: &str) -> Result<Resource, Refused> {
        let largest = self.largest(queue);
        check_size(self.shared.types, asked, &largest)?;
        Ok(normalise(&self.shared.settings, asked, &largest))
    }

    /// The scheduler's part: the queue, created where it is not there, and its checks.
    fn enter_queue(
        &mut self,
        submission: &Submission,
        name: &str,
        size: Option<Resource>,
    ) -> Result<Arc<AppShared>, Refused> {
        let name = &*self.without_reservation(name);
        let leaf = match self.tree.find(name) {
            Some(slot) => slot,
            None => {
                super::queues::check_name(name)?;
                let made = self.create_queue(name, true);
                if made.is_some() {
                    self.steady_pending = true;
                }
                made.ok_or_else(|| Refused::NotLeaf { queue: name.to_owned() })?
            }
        };
        if !self.tree.get(leaf).leaf {
            return Err(Refused::NotLeaf { queue: name.to_owned() });
        }
        self.check_submission(&submission.user, name)?;
        if let Some(asked) = &size {
            self.check_zero_max(asked, leaf)?;
        }
        let Submission { number, user, am, .. } = submission;
        let app = self.new_app(*number, user, leaf, 1, am.as_ref())?;
        self.admit(&app, leaf, am.as_ref().zip(size));
        Ok(app)
    }

    /// Where an application without a reservation goes: for a plan, which holds none itself, its default child.
    fn without_reservation<'n>(&self, name: &'n str) -> Cow<'n, str> {
        let is_plan = self.file.queues.get(name).is_some_and(|own| own.reservation) && self.tree.find(name).is_some();
        match name.rsplit('.').next().filter(|_| is_plan) {
            Some(plan) => format!("{name}.{plan}-default").into(),
            None => name.into(),
        }
    }

    /// An attempt begins.
    pub(super) fn admit(&mut self, app: &Arc<AppShared>, leaf: u32, am: Option<(&AmRequest, Resource)>) {
        let (index, number) = (app.slot.index, app.id.number);
        self.by_number.insert(number, index);
        self.tree.get_mut(leaf).submitted.insert(number);
        let runnable = self.running.can_run(&self.tree, &*self.file, &app.user, leaf);
        self.enter_app(app.clone(), leaf, runnable);
        self.enter(index);
        if runnable {
            self.tree.get_mut(leaf).runnable.push(index);
            self.running.count(&mut self.tree, &app.user, leaf, 1);
        } else {
            self.tree.get_mut(leaf).waiting.push(index);
            self.running.wait(&app.user, index);
        }
        if let Some((am, asked)) = am {
            // Once more, by the queue that may have come to be only now.
            let largest = self.largest(&self.tree.get(leaf).name);
            let size = normalise(&self.shared.settings, &asked, &largest);
            self.ask_for_am(app, am, size);
        }
    }

    /// First phase of the end: no further calls; every worker ends what it has.
    pub(crate) fn begin_finish(
        &mut self,
        shared: &Arc<AppShared>,
        reply: Option<Reply<Result<(), Refused>>>,
    ) -> Result<(), Refused> {
        self.known(shared)?;
        shared.close();
        self.close_app(shared, reply, None);
        Ok(())
    }

    /// Tells every worker to end what it has of an attempt that is there, or to hand it over.
    pub(super) fn close_app(
        &mut self,
        shared: &Arc<AppShared>,
        reply: Option<Reply<Result<(), Refused>>>,
        successor: Option<&Successor>,
    ) {
        let workers = self.shared.workers;
        if let Some(app) = &mut self.apps[shared.slot.ix()] {
            app.closing = Some((Acknowledgements::of_each(workers), reply.into_iter().collect()));
        }
        for worker in 0..workers {
            self.to_worker(worker, Internal::CloseApp { app: shared.clone(), successor: successor.cloned() });
        }
    }

    /// Second phase, once every worker has acknowledged: the application leaves its queue.
    pub(super) fn app_closed(&mut self, slot: Slot, handed_over: Vec<Container>) {
        let Some(app) = self.apps.get_mut(slot.ix()).and_then(Option::as_mut) else { return };
        let Some((left, _)) = app.closing.as_mut().filter(|_| app.shared.slot == slot) else { return };
        let is_last = left.take_one();
        if let Some(next) = &mut app.next_attempt {
            next.handed_over.extend(handed_over);
        }
        if !is_last {
            return;
        }
        let (shared, leaf, runnable) = (app.shared.clone(), app.leaf, app.runnable);
        let replies = app.closing.take().map(|(_, replies)| replies).unwrap_or_default();
        let next_attempt = app.next_attempt.take();
        let user = shared.user.to_string();
        self.by_number.remove(&shared.id.number);
        self.exit(slot.index);
        if runnable {
            self.leave(slot.index, leaf, &shared.am_resource());
            self.running.count(&mut self.tree, &user, leaf, -1);
            self.tree.get_mut(leaf).submitted.remove(&shared.id.number);
            self.free_slot(slot);
            self.slot_freed(leaf, &user);
        } else {
            self.tree.get_mut(leaf).waiting.remove(slot.index);
            self.running.stop_waiting(&user, slot.index);
            self.tree.get_mut(leaf).submitted.remove(&shared.id.number);
            self.free_slot(slot);
        }
        for reply in replies {
            self.answer(reply, Ok(()));
        }
        if let Some(next) = next_attempt {
            self.begin_attempt(&shared, leaf, next);
        }
    }

    fn free_slot(&mut self, slot: Slot) {
        self.apps[slot.ix()] = None;
        self.app_slots.give_back(slot);
    }

    /// A runnable application leaves its leaf: its AM's share comes back.
    fn leave(&mut self, app: u32, leaf: u32, am: &Resource) {
        self.tree.get_mut(leaf).runnable.remove(app);
        if let Some(ledger) = self.ledger(leaf) {
            ledger.am_usage.subtract(am);
        }
    }

    fn slot_freed(&mut self, leaf: u32, user: &str) {
        let started = self.running.slot_freed(&mut self.tree, &AppList(&self.apps), &*self.file, leaf, user);
        self.started(started);
    }

    fn started(&mut self, apps: Vec<u32>) {
        for slot in apps {
            // One that stood in two lists can be started twice; it is one member all the same.
            if self.app(slot).runnable {
                continue;
            }
            self.exit(slot);
            if let Some(app) = &mut self.apps[slot as usize] {
                app.runnable = true;
            }
            self.enter(slot);
        }
    }

    /// After a reload: whoever may run now does.
    pub(super) fn start_all_that_may(&mut self) {
        let Some(root) = self.tree.find(crate::config::ROOT) else { return };
        let mut lines = Vec::new();
        Running::gather(&self.tree, root, &mut lines);
        let apps = AppList(&self.apps);
        let started = self.running.start_waiting(&mut self.tree, &apps, &*self.file, &lines, None);
        self.started(started);
    }

    /// Refuses the request of an AM for some of a resource of which its leaf may have nothing.
    pub(super) fn check_zero_max(&self, asked: &Resource, leaf: u32) -> Result<(), Refused> {
        let leaf = self.tree.get(leaf);
        if asks_for_nothing_left(self.shared.types, asked, &leaf.max_share(&self.nodes.total())) {
            return Err(Refused::ZeroMax { asked: Box::new(*asked), queue: leaf.name.to_string() });
        }
        Ok(())
    }

    /// An application that has not ended.
    pub(super) fn known(&self, shared: &AppShared) -> Result<&App, Refused> {
        let app = self.apps.get(shared.slot.ix()).and_then(Option::as_ref);
        // By address: the slot of another scheduler's means somebody else here.
        let known = app.filter(|app| std::ptr::eq(&*app.shared, shared) && app.closing.is_none());
        known.ok_or(Refused::NoSuchApp(shared.id.number))
    }

    /// Why the control lets an application have no node.
    pub(crate) fn why_stopped(&self, shared: &AppShared) -> Option<Stopped> {
        let Ok(app) = self.known(shared) else { return Some(Stopped::Ended) };
        if app.runnable {
            return None;
        }
        let stopped = self.running.stopped_by(&self.tree, &*self.file, &shared.user, app.leaf);
        let limit = stopped.map(|AtLimit { queue, running, limit }| match queue {
            Some(queue) => RunningLimit::Queue { queue: self.tree.get(queue).name.to_string(), running, limit },
            None => RunningLimit::User { user: shared.user.to_string(), running, limit },
        });
        Some(Stopped::Waiting { limit })
    }

    /// Moves an application to another leaf queue.
    pub(crate) fn move_app(&mut self, shared: &Arc<AppShared>, queue: &str) -> Result<(), Refused> {
        let number = shared.id.number;
        let app = self.known(shared)?;
        let (source, was_runnable) = (app.leaf, app.runnable);
        check_length(Named::Queue, queue)?;
        let name = self.without_reservation(&rooted(queue)).into_owned();
        let target = self.tree.find(&name);
        if target.is_none() {
            super::queues::check_name(&name)?;
        }
        let Some(target) = target.filter(|slot| self.tree.get(*slot).leaf) else {
            return Err(Refused::NoSuchQueue(name));
        };
        if target == source {
            return Ok(());
        }
        let user = shared.user.to_string();
        if was_runnable {
            self.check_limits(shared, source, target)?;
        }
        let runs = self.running.can_run(&self.tree, &*self.file, &user, target);
        if was_runnable && !runs {
            return Err(Refused::NotRunnable(number));
        }
        let slot = shared.slot.index;
        let am = shared.move_to(target);
        if was_runnable {
            self.leave(slot, source, &am);
            self.running.count(&mut self.tree, &user, source, -1);
        } else {
            self.tree.get_mut(source).waiting.remove(slot);
            if runs {
                self.running.stop_waiting(&user, slot);
            }
        }
        self.tree.get_mut(source).submitted.remove(&number);
        self.tree.get_mut(target).submitted.insert(number);
        self.exit(slot);
        if let Some(app) = &mut self.apps[slot as usize] {
            app.leaf = target;
            app.runnable = runs;
        }
        self.enter(slot);
        if runs {
            self.tree.get_mut(target).runnable.push(slot);
            self.running.count(&mut self.tree, &user, target, 1);
        } else {
            self.tree.get_mut(target).waiting.push(slot);
        }
        // Workers carry the usage over when they take the new members.
        if was_runnable {
            self.slot_freed(source, &user);
        }
        Ok(())
    }

    /// Limits from the target up to below the common ancestor.
    fn check_limits(&self, app: &AppShared, source: u32, target: u32) -> Result<(), Refused> {
        let above: Vec<_> = self.tree.path(source).map(|queue| queue.slot.index).collect();
        let usage = app.usage();
        for queue in self.tree.path(target).take_while(|queue| !above.contains(&queue.slot.index)) {
            if queue.count() == i64::from(queue.max_running_apps) {
                return Err(Refused::MaxRunning(queue.name.to_string()));
            }
            let used = self.ledger(queue.slot.index).map_or(Resource::ZERO, |ledger| ledger.usage());
            if !used.plus(&usage).fits_in(&queue.max_share(&self.nodes.total())) {
                return Err(Refused::MaxShare(queue.name.to_string()));
            }
        }
        Ok(())
    }
}
