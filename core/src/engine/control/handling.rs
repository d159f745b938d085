//! Handling: which message of the control leads where. A control begins here, and its messages arrive here, one at a
//! time.

use super::labelling::Labelling;
use super::part::{ControlPart, Controlled};
use super::places::Places;
use super::present::PresentNodes;
use super::state::Control;
use super::users::Users;
use crate::engine::intake::submission::Submission;
use crate::engine::intake::to_control::{Call, ControlMessage};
use crate::engine::shared::Shared;
use crate::engine::threads::events::EventSink;
use crate::event::SchedulerEvent;
use crate::groups::Groups;
use crate::id::Slots;
use crate::queue::{QueueAcls, QueueTree};
use crate::sync::Arc;
use crate::sync::channel::Sender;
use rustc_hash::{FxHashMap, FxHashSet};
use std::time::Duration;

/// What the control was asked for goes into the log, and why it was refused.
#[cfg(feature = "tracing")]
macro_rules! noted {
    ($outcome:ident, $($told:tt)+) => {
        match &$outcome {
            Ok(_) => tracing::debug!($($told)+),
            Err(why) => tracing::debug!(refused = why.kind(), $($told)+),
        }
    };
}

#[cfg(not(feature = "tracing"))]
macro_rules! noted {
    ($($told:tt)+) => {};
}

impl<D: Controlled> Control<D> {
    /// A control with the queues that are configured; publishes the first structure.
    pub(crate) fn new(
        shared: Arc<Shared<D>>,
        own: D::Control,
        configuration: D::Configuration,
        groups: Arc<dyn Groups>,
    ) -> Control<D> {
        let (scheduler, workers, maximum) = (shared.scheduler, shared.workers, shared.settings.maximum);
        let labels = Labelling::new(shared.settings.node_labels);
        let mut control = Control {
            shared,
            acls: QueueAcls::default(),
            users: Users::new(groups),
            tree: QueueTree::default(),
            apps: Vec::new(),
            app_slots: Slots::of_scheduler(scheduler),
            by_number: FxHashMap::default(),
            nodes: PresentNodes::default(),
            nodes_made: 0,
            places: (0..workers).map(|_| Places::default()).collect(),
            loads: vec![0; workers],
            rack_owner: FxHashMap::default(),
            racks: Arc::default(),
            maximum,
            dirty: FxHashSet::default(),
            all_are_dirty: false,
            children_changed: FxHashSet::default(),
            members_changed: FxHashSet::default(),
            members: Vec::new(),
            settings_version: 0,
            structure_changed: true,
            ledgers: Vec::new(),
            wake_update: None,
            update_due: false,
            events: None,
            unreported_panics: Vec::new(),
            answers: Vec::new(),
            restarted: None,
            labels,
            plans: None,
            own,
        };
        D::Control::begin(&mut control, configuration);
        control.publish();
        control
    }

    pub(crate) fn set_wake_update(&mut self, wake: Sender<()>) {
        self.wake_update = Some(wake);
    }

    /// Who is asked for groups may take so long.
    pub(crate) fn wait_for_groups(&mut self, patience: Duration) {
        self.users.wait_for(patience);
    }

    pub(crate) fn set_events(&mut self, events: EventSink) {
        self.events = Some(events);
        std::mem::take(&mut self.unreported_panics).into_iter().for_each(|message| self.embedder_panicked(message));
    }

    /// Works off one message; false at shutdown. Publish afterwards, once for a batch.
    pub(crate) fn handle(&mut self, message: ControlMessage<D>) -> bool {
        match message {
            ControlMessage::AppClosed { slot, handed_over } => self.app_closed(slot, handed_over),
            ControlMessage::NodeClosed { node, place_is_free } => self.node_closed(&node, place_is_free),
            ControlMessage::WorkerPanicked(panicked) => self.worker_panicked(panicked),
            ControlMessage::ResizeNode { node, total } => {
                // The node may have gone meanwhile, or be wanted again.
                if self.entry(&node).is_some_and(|entry| entry.decommissioned_from.is_some()) {
                    let _ = self.set_total(&node, total, true);
                }
            }
            ControlMessage::NodeDrained(node) => {
                // It may be wanted again meanwhile.
                if self.entry(&node).is_some_and(|entry| entry.decommissioned_from.is_some()) {
                    self.event(SchedulerEvent::NodeDrained(node.name.to_string()));
                }
            }
            ControlMessage::CleanUp => D::Control::clean_up(self),
            ControlMessage::FollowPlans(reply) => {
                // A panic was told of.
                drop(self.follow_plans(true));
                self.answer(reply, ());
            }
            ControlMessage::Call(call) => self.call(call),
            // Who waits for quiet wants to see what it led to.
            ControlMessage::Barrier(reply) => self.answer(reply, ()),
            ControlMessage::Shutdown => return false,
        }
        true
    }

    fn call(&mut self, call: Call<D>) {
        match call {
            Call::Submit(submission, reply) => {
                let outcome = self.submit(&submission);
                noted!(outcome, app = submission.number, user = &*submission.user, "an application is submitted");
                self.answer(reply, outcome);
            }
            Call::SubmitAll(submissions, reply) => {
                let mut submit = |submission: &Submission| {
                    let outcome = self.submit(submission);
                    noted!(outcome, app = submission.number, user = &*submission.user, "an application is submitted");
                    outcome
                };
                let outcomes: Vec<_> = submissions.iter().map(&mut submit).collect();
                self.answer(reply, outcomes);
            }
            Call::Finish { app, by, reply } => {
                if let Err(refused) = self.finish_by(by.as_deref(), &app, Some(reply.clone())) {
                    self.answer(reply, Err(refused));
                }
            }
            Call::NextAttempt { app, new, reply } => {
                if let Err(refused) = self.begin_next_attempt(&app, new, Some(reply.clone())) {
                    self.answer(reply, Err(refused));
                }
            }
            Call::Move { app, by, queue, reply } => {
                let outcome = self.move_by(by.as_deref(), &app, &queue);
                noted!(outcome, app = app.id.number, queue = &*queue, "an application is moved");
                self.answer(reply, outcome);
            }
            Call::Recover(node, recovery) => self.recover(&node, *recovery),
            Call::AddNode(spec, running, reply) => {
                let outcome = self.add_node_with(&spec, running);
                self.answer(reply, outcome);
            }
            Call::RemoveNode(node, reply) => {
                if let Err(refused) = self.begin_remove_node(&node, Some(reply.clone())) {
                    self.answer(reply, Err(refused));
                }
            }
            Call::ResizeNode { node, total, kill, reply } => {
                let outcome = self.set_total(&node, total, kill);
                noted!(outcome, node = &*node.name, %total, "a node is resized");
                self.answer(reply, outcome);
            }
            Call::Decommission(node, reply) => {
                let outcome = self.decommission(&node);
                noted!(outcome, node = &*node.name, "a node is decommissioned");
                self.answer(reply, outcome);
            }
            Call::Recommission(node, reply) => {
                let outcome = self.recommission(&node);
                noted!(outcome, node = &*node.name, "a node is recommissioned");
                self.answer(reply, outcome);
            }
            Call::Reload(configuration, reply) => {
                let outcome = D::Control::reload(self, *configuration);
                noted!(outcome, "the configuration is read again");
                self.answer(reply, outcome);
            }
            Call::Labels(change, reply) => {
                let outcome = self.change_labels(&change);
                noted!(outcome, "node labels are changed");
                self.answer(reply, outcome);
            }
            Call::Look(look) => look(self),
            Call::Own(call) => D::Control::called(self, call),
            Call::Plans(plan) => plan(self),
            Call::SetMaximum(maximum, reply) => {
                let outcome = self.set_maximum(maximum);
                self.answer(reply, outcome);
            }
            Call::Apps(reply) => {
                let all = self.all_apps();
                self.answer(reply, all);
            }
            Call::App(number, reply) => {
                let found = self.find_app(number);
                self.answer(reply, found);
            }
        }
    }
}
