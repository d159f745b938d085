//! Waiting without a thread: the calls that end in `_async` are futures over `std` alone, for any runtime.
//!
//! They run on whatever polls them, block nothing, and are woken by the scheduler's threads.

use super::calls::{WithContainers, recoveries};
use super::door::{CONTROL, Door};
use super::handles::{AppHandle, NodeHandle};
use super::policy::Policy;
use super::threaded::Scheduler;
use crate::engine::decider::Decider;
use crate::engine::intake::to_control::Call;
use crate::engine::intake::to_control::ControlMessage;
use crate::engine::{
    Answer, Internal, Look, NewAttempt, NewNode, RecoveredContainer, Reply, Submission, Unanswered, Waits, reply,
    waiting,
};
#[cfg(doc)]
use crate::event::refused::*;
use crate::event::refused::{Gone, NotFound};
use crate::event::{Refused, SchedulerEvent};
use crate::id::ContainerId;
use crate::resource::Resource;
use std::future::poll_fn;
use std::task::{Context, Poll};

/// What both schedulers' futures are made of.
impl<D: Decider> Door<D> {
    /// Asks the control, and does not wait.
    pub(super) fn begin<A>(&self, call: impl FnOnce(Reply<A>) -> Call<D>) -> Result<Answer<A>, Refused> {
        let shared = self.open()?;
        self.control_has_room()?;
        let (reply, answer) = reply();
        shared.lanes.control.send(ControlMessage::Call(call(reply))).map_err(|_| self.gone(CONTROL))?;
        Ok(answer)
    }

    pub(super) async fn call_async<A>(&self, call: impl FnOnce(Reply<A>) -> Call<D>) -> Result<A, Refused> {
        let answer = self.begin(call)?;
        self.answered(&answer).await
    }

    async fn answered<A>(&self, answer: &Answer<A>) -> Result<A, Refused> {
        poll_fn(|context| answer.poll(context)).await.map_err(|Unanswered| self.gone(CONTROL))
    }

    pub(super) async fn add_node_with_async(
        &self,
        new: NewNode,
        running: Vec<(AppHandle, RecoveredContainer)>,
    ) -> Result<WithContainers, Refused> {
        let (running, answers) = recoveries(running);
        let node = self.call_async(|reply| Call::AddNode(new, running, reply)).await?.map(NodeHandle)?;
        let mut taken = Vec::with_capacity(answers.len());
        for answer in &answers {
            taken.push(self.answered(answer).await.unwrap_or_else(Err));
        }
        Ok((node, taken))
    }

    pub(super) async fn next_event(&self) -> Option<SchedulerEvent> {
        poll_fn(|context| self.events.poll(context)).await
    }

    pub(super) async fn mail(&self, app: &AppHandle) -> Result<(), Refused> {
        let mut waits: Option<Waits> = None;
        let poll = |context: &mut Context<'_>| -> Result<Poll<()>, Refused> {
            let shared = self.open()?;
            if app.0.scheduler != shared.scheduler || app.is_finished() {
                return Err(NotFound::App(app.number()).into());
            }
            if app.0.cells.iter().any(|cell| cell.has_mail()) {
                return Ok(Poll::Ready(()));
            }
            if waits.as_ref().is_some_and(|waits| !waits.leave(context)) {
                return Ok(Poll::Pending);
            }
            // Each worker knows of its own mail; whichever has some first wakes.
            let (wakes, fresh) = waiting();
            fresh.leave(context);
            let mut is_heard = false;
            for (worker, lane) in shared.lanes.internal.iter().enumerate() {
                if !shared.is_dead(worker) {
                    let (app, wakes) = (app.0.clone(), wakes.clone());
                    let look = Look::<D>::new(move |shard| shard.register_mail_waiter(&app, wakes));
                    is_heard |= lane.send(Internal::Look(look)).is_ok();
                }
            }
            wakes.forget();
            waits = Some(fresh);
            if is_heard { Ok(Poll::Pending) } else { Err(Gone::AllWorkers.into()) }
        };
        until(poll).await
    }

    pub(super) async fn room(&self) -> Result<(), Refused> {
        // The control's lane, and what it has not published yet.
        let answer = {
            let (reply, answer) = reply();
            let lane = &self.open()?.lanes.control;
            lane.send(ControlMessage::Barrier(reply)).map_err(|_| self.gone(CONTROL))?;
            answer
        };
        self.answered(&answer).await?;
        for worker in 0..self.shared.workers {
            self.room_of(worker).await?;
        }
        Ok(())
    }

    async fn room_of(&self, worker: usize) -> Result<(), Refused> {
        let mut waits: Option<Waits> = None;
        let poll = |context: &mut Context<'_>| -> Result<Poll<()>, Refused> {
            let shared = self.open()?;
            let lanes = shared.lanes.external.get(worker).zip(shared.lanes.internal.get(worker));
            let Some((_, inside)) = lanes.filter(|(lane, _)| !shared.is_dead(worker) && lane.is_full()) else {
                return Ok(Poll::Ready(()));
            };
            if waits.as_ref().is_some_and(|waits| !waits.leave(context)) {
                return Ok(Poll::Pending);
            }
            let (wakes, fresh) = waiting();
            fresh.leave(context);
            waits = Some(fresh);
            let look = Look::<D>::new(move |shard| shard.register_room_waiter(wakes));
            inside.send(Internal::Look(look)).map_err(|_| Gone::ShutDown)?;
            Ok(Poll::Pending)
        };
        until(poll).await
    }
}

/// # Without waiting
/// Calls that do not block. Each is a future that does nothing until it is polled; one that is dropped before its end
/// waits no more, but what it has asked for is done all the same.
///
/// No runtime is needed: any executor will do, and so will a loop that polls. Who has none uses the calls without
/// `_async`.
impl<P: Policy> Scheduler<P> {
    /// [`submit`](Self::submit) as a future.
    ///
    /// # Errors
    /// Those of that call, and [`TryAgain::Busy`].
    pub async fn submit_async(&self, submission: Submission) -> Result<AppHandle, Refused> {
        self.door().call_async(|reply| Call::Submit(Box::new(submission), reply)).await?.map(AppHandle)
    }

    /// [`finish`](Self::finish) as a future.
    ///
    /// # Errors
    /// Those of that call, and [`TryAgain::Busy`].
    pub async fn finish_async(&self, app: &AppHandle) -> Result<(), Refused> {
        self.door().call_async(|reply| Call::Finish { app: app.0.clone(), by: None, reply }).await?
    }

    /// [`move_app`](Self::move_app) as a future.
    ///
    /// # Errors
    /// Those of that call, and [`TryAgain::Busy`].
    pub async fn move_app_async(&self, app: &AppHandle, queue: &str) -> Result<(), Refused> {
        let queue = queue.to_owned();
        self.door().call_async(|reply| Call::Move { app: app.0.clone(), by: None, queue, reply }).await?
    }

    /// [`add_node`](Self::add_node) as a future.
    ///
    /// # Errors
    /// Those of that call, and [`TryAgain::Busy`].
    pub async fn add_node_async(&self, name: &str, rack: &str, total: Resource) -> Result<NodeHandle, Refused> {
        let spec = NewNode::new(name, rack, total);
        self.door().call_async(|reply| Call::AddNode(spec, Vec::new(), reply)).await?.map(NodeHandle)
    }

    /// [`add_node_with_containers`](Self::add_node_with_containers) as a future.
    ///
    /// # Errors
    /// Those of that call, and [`TryAgain::Busy`].
    pub async fn add_node_with_containers_async(
        &self,
        name: &str,
        rack: &str,
        total: Resource,
        running: Vec<(AppHandle, RecoveredContainer)>,
    ) -> Result<(NodeHandle, Vec<Result<ContainerId, Refused>>), Refused> {
        self.door().add_node_with_async(NewNode::new(name, rack, total), running).await
    }

    /// [`register_node`](Self::register_node) as a future.
    ///
    /// # Errors
    /// Those of that call, and [`TryAgain::Busy`].
    pub async fn register_node_async(
        &self,
        node: NewNode,
        running: Vec<(AppHandle, RecoveredContainer)>,
    ) -> Result<(NodeHandle, Vec<Result<ContainerId, Refused>>), Refused> {
        self.door().add_node_with_async(node, running).await
    }

    /// [`remove_node`](Self::remove_node) as a future.
    ///
    /// # Errors
    /// Those of that call, and [`TryAgain::Busy`].
    pub async fn remove_node_async(&self, node: &NodeHandle) -> Result<(), Refused> {
        self.door().call_async(|reply| Call::RemoveNode(node.0.clone(), reply)).await?
    }

    /// [`new_attempt`](Self::new_attempt) as a future.
    ///
    /// # Errors
    /// Those of that call, and [`TryAgain::Busy`].
    pub async fn new_attempt_async(&self, app: &AppHandle, new: NewAttempt) -> Result<AppHandle, Refused> {
        self.door().call_async(|reply| Call::NextAttempt { app: app.0.clone(), new, reply }).await?.map(AppHandle)
    }

    /// Waits for the next event. `None` after the shutdown, when no event is left.
    pub async fn next_event_async(&self) -> Option<SchedulerEvent> {
        self.door().next_event().await
    }

    /// Waits until [`allocate`](Self::allocate) has news for this application: a granted container, or an ended one.
    /// Returns at once if there is news. A container that is marked for preemption
    /// ([`Allocation::strict_preemptions`](crate::Allocation::strict_preemptions)) is not news.
    ///
    /// Each wait costs one message to every worker. It may end although another call has just fetched the news.
    ///
    /// # Errors
    /// [`NotFound::App`] when the attempt has ended, [`Gone::AllWorkers`], [`Gone::ShutDown`].
    pub async fn mail_async(&self, app: &AppHandle) -> Result<(), Refused> {
        self.door().mail(app).await
    }

    /// After [`TryAgain::Busy`]: waits until each lane has had room. Other threads may have filled it again, so the
    /// next try may also be refused.
    ///
    /// # Errors
    /// [`Gone::Task`], [`Gone::ShutDown`].
    pub async fn room_async(&self) -> Result<(), Refused> {
        self.door().room().await
    }
}

/// Polls until it is there, or refused.
async fn until(mut poll: impl FnMut(&mut Context<'_>) -> Result<Poll<()>, Refused>) -> Result<(), Refused> {
    poll_fn(|context| match poll(context) {
        Ok(Poll::Pending) => Poll::Pending,
        Ok(Poll::Ready(())) => Poll::Ready(Ok(())),
        Err(refused) => Poll::Ready(Err(refused)),
    })
    .await
}
