//! Calls that both schedulers have alike: attempts, nodes that change, what is done on behalf of a user, and rights.
//!
//! # Where it stands
//! Bodies of public methods: with threads they send to the control and wait on the caller's thread; without they run on
//! it.

use super::door::{CONTROL, Door};
use super::handles::{AppHandle, NodeHandle};
use super::steps::Stepping;
use crate::clock::Patience;
use crate::config::QueueAccess;
use crate::engine::control::Control;
use crate::engine::decider::Decider;
use crate::engine::intake::to_control::{Call, NewNode};
use crate::engine::shared::Shared;
use crate::engine::{Allocation, Answer, NewAttempt, RecoveredContainer, Recovery, drain, reply};
use crate::event::refused::{Gone, NotFound};
use crate::event::{AppAccess, Refused};
use crate::id::ContainerId;
use crate::resource::Resource;

/// A node, and the id of each container that runs on it.
pub(super) type WithContainers = (NodeHandle, Vec<TakenOver>);
pub(super) type TakenOver = Result<ContainerId, Refused>;

/// What is asked for containers that run, and where the answers come.
pub(super) fn recoveries(running: Vec<(AppHandle, RecoveredContainer)>) -> (Vec<Recovery>, Vec<Answer<TakenOver>>) {
    let ask = |(app, container): (AppHandle, RecoveredContainer)| {
        let (reply, answer) = reply();
        (Recovery { app: app.0, container, reply }, answer)
    };
    running.into_iter().map(ask).unzip()
}

/// What a worker has answered without threads. One that is given up answers nobody.
fn taken_over(answer: &Answer<TakenOver>) -> TakenOver {
    answer.try_take().unwrap_or(Err(Refused::Gone(Gone::AllWorkers)))
}

/// What was granted and has ended since an AM's last call, without a call of its.
pub(super) fn fetch<D: Decider>(shared: &Shared<D>, app: &AppHandle, answer: &mut Allocation) -> Result<(), Refused> {
    if app.0.scheduler != shared.scheduler {
        return Err(NotFound::App(app.0.id.number).into());
    }
    *answer = Allocation::default();
    drain(shared, &app.0, answer);
    Ok(())
}

impl<D: Decider> Door<D> {
    /// Asks the control for something that may change what it publishes.
    pub(super) fn decide<A: Send + 'static>(
        &self,
        decide: impl FnOnce(&mut Control<D>) -> A + Send + 'static,
    ) -> Result<A, Refused> {
        self.call(|reply| {
            Call::Plans(Box::new(move |control| {
                let outcome = decide(control);
                control.answer(reply, outcome);
            }))
        })
    }

    /// `kill`: what no longer fits ends.
    pub(super) fn resize_node(&self, node: &NodeHandle, total: Resource, kill: bool) -> Result<(), Refused> {
        self.call(|reply| Call::ResizeNode { node: node.0.clone(), total, kill, reply })?
    }

    pub(super) fn decommission_node(&self, node: &NodeHandle) -> Result<(), Refused> {
        self.call(|reply| Call::Decommission(node.0.clone(), reply))?
    }

    pub(super) fn recommission_node(&self, node: &NodeHandle) -> Result<(), Refused> {
        self.call(|reply| Call::Recommission(node.0.clone(), reply))?
    }

    pub(super) fn new_attempt(&self, app: &AppHandle, new: NewAttempt) -> Result<AppHandle, Refused> {
        self.call_workers(|reply| Call::NextAttempt { app: app.0.clone(), new, reply })?.map(AppHandle)
    }

    pub(super) fn recover_container(
        &self,
        app: &AppHandle,
        node: &NodeHandle,
        container: RecoveredContainer,
    ) -> Result<ContainerId, Refused> {
        let app = app.0.clone();
        self.call_workers(|reply| Call::Recover(node.0.clone(), Box::new(Recovery { app, container, reply })))?
    }

    pub(super) fn add_node(&self, name: &str, rack: &str, total: Resource) -> Result<NodeHandle, Refused> {
        self.call(|reply| Call::AddNode(NewNode::new(name, rack, total), Vec::new(), reply))?.map(NodeHandle)
    }

    pub(super) fn add_node_with(
        &self,
        new: NewNode,
        running: Vec<(AppHandle, RecoveredContainer)>,
    ) -> Result<WithContainers, Refused> {
        let (running, answers) = recoveries(running);
        let node = self.call_workers(|reply| Call::AddNode(new, running, reply))?.map(NodeHandle)?;
        let patience = Patience::endless();
        let taken = |answer: &Answer<_>| self.answer(answer.wanted(), &patience, CONTROL).unwrap_or_else(Err);
        Ok((node, answers.iter().map(taken).collect()))
    }

    pub(super) fn finish_by(&self, by: Option<&str>, app: &AppHandle) -> Result<(), Refused> {
        let by = by.map(str::to_owned);
        self.call_workers(|reply| Call::Finish { app: app.0.clone(), by, reply })?
    }

    pub(super) fn move_by(&self, by: Option<&str>, app: &AppHandle, queue: &str) -> Result<(), Refused> {
        let (by, queue) = (by.map(str::to_owned), queue.to_owned());
        self.call_workers(|reply| Call::Move { app: app.0.clone(), by, queue, reply })?
    }

    pub(super) fn has_access(&self, user: &str, queue: &str, access: QueueAccess) -> Result<bool, Refused> {
        let (user, queue) = (user.to_owned(), queue.to_owned());
        self.look(move |control| control.has_access(&user, &queue, access))
    }

    pub(super) fn permits(&self, user: &str, queue: &str, access: QueueAccess) -> Result<bool, Refused> {
        let (user, queue) = (user.to_owned(), queue.to_owned());
        self.look(move |control| control.permits(&user, &queue, access))
    }

    pub(super) fn is_admin(&self, user: &str) -> Result<bool, Refused> {
        let user = user.to_owned();
        self.look(move |control| control.is_admin(&user))
    }

    pub(super) fn check_app(&self, user: &str, app: &AppHandle, access: AppAccess) -> Result<(), Refused> {
        let (user, app) = (user.to_owned(), app.0.clone());
        self.look(move |control| control.check_app(&user, &app, access))?
    }
}

impl<D: Decider> Stepping<D> {
    /// `kill`: what no longer fits ends.
    pub(super) fn resize_node(&mut self, node: &NodeHandle, total: Resource, kill: bool) -> Result<(), Refused> {
        self.stepper.control().set_total(&node.0, total, kill)?;
        self.settle();
        Ok(())
    }

    pub(super) fn decommission_node(&mut self, node: &NodeHandle) -> Result<(), Refused> {
        self.stepper.control().decommission(&node.0)?;
        self.settle();
        Ok(())
    }

    pub(super) fn recommission_node(&mut self, node: &NodeHandle) -> Result<(), Refused> {
        self.stepper.control().recommission(&node.0)?;
        self.settle();
        Ok(())
    }

    pub(super) fn new_attempt(&mut self, app: &AppHandle, new: NewAttempt) -> Result<AppHandle, Refused> {
        self.stepper.control().begin_next_attempt(&app.0, new, None)?;
        self.settle();
        let next = self.stepper.control().restarted.take().ok_or(NotFound::App(app.number()))?;
        self.submitted(next)
    }

    pub(super) fn recover_container(
        &mut self,
        app: &AppHandle,
        node: &NodeHandle,
        container: RecoveredContainer,
    ) -> Result<ContainerId, Refused> {
        let (reply, answer) = reply();
        self.stepper.control().recover(&node.0, Recovery { app: app.0.clone(), container, reply });
        self.settle();
        taken_over(&answer)
    }

    pub(super) fn add_node(&mut self, name: &str, rack: &str, total: Resource) -> Result<NodeHandle, Refused> {
        let node = self.stepper.control().add_node(&NewNode::new(name, rack, total))?;
        self.settle();
        Ok(NodeHandle(node))
    }

    pub(super) fn add_node_with(
        &mut self,
        new: NewNode,
        running: Vec<(AppHandle, RecoveredContainer)>,
    ) -> Result<WithContainers, Refused> {
        let (running, answers) = recoveries(running);
        let node = self.stepper.control().add_node_with(&new, running)?;
        self.settle();
        Ok((NodeHandle(node), answers.iter().map(taken_over).collect()))
    }
}
