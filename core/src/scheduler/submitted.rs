//! What becomes of many submissions at once.
//!
//! Owned by whoever submitted; the control answers once. It keeps no scheduler alive.

use super::door::CONTROL;
use super::handles::AppHandle;
use crate::engine::intake::reply::Wanted;
use crate::engine::{Answer, AppShared, Unanswered};
use crate::event::Refused;
use crate::event::refused::{Gone, Invalid};
use crate::sync::{Arc, OnceLock, Weak};
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

/// What the control answers.
type Outcomes = Vec<Result<Arc<AppShared>, Refused>>;

/// A scheduler whose control answers, whichever decides.
pub(super) trait Answering: Send + Sync {
    /// Waits for an answer of the control, where this thread may.
    fn wait_for(&self, answer: &Wanted<Outcomes>) -> Result<Outcomes, Refused>;

    /// Why a task answers no more.
    fn why_gone(&self, task: &'static str) -> Refused;
}

/// The answers to many submissions; see [`FairScheduler::submit_all`](crate::FairScheduler::submit_all). It is also a
/// future.
#[must_use = "the handles of accepted applications are in here"]
pub struct Submitted {
    answers: Answer<Outcomes>,
    taken: OnceLock<()>,
    scheduler: Weak<dyn Answering>,
}

impl fmt::Debug for Submitted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Submitted").field("answers", &self.answers).field("taken", &self.taken).finish_non_exhaustive()
    }
}

fn handles(outcomes: Outcomes) -> Vec<Result<AppHandle, Refused>> {
    outcomes.into_iter().map(|outcome| outcome.map(AppHandle)).collect()
}

impl Submitted {
    pub(super) fn new(answers: Answer<Outcomes>, scheduler: Weak<dyn Answering>) -> Submitted {
        Submitted { answers, taken: OnceLock::new(), scheduler }
    }

    /// Takes the answers, one for each submission in their order, if they are all there. Returns them once. Does not
    /// wait.
    #[must_use]
    pub fn try_take(&self) -> Option<Vec<Result<AppHandle, Refused>>> {
        let answers = self.answers.try_take()?;
        // By this call or by one at the same time.
        let _ = self.taken.set(());
        Some(handles(answers))
    }

    /// Waits for the answers, one for each submission in their order.
    ///
    /// # Errors
    /// [`Invalid::AlreadyTaken`] after [`try_take`](Self::try_take) has given them; [`Invalid::OwnThread`],
    /// [`Gone::Task`], [`Gone::ShutDown`].
    pub fn wait(self) -> Result<Vec<Result<AppHandle, Refused>>, Refused> {
        if self.taken.get().is_some() {
            return Err(Invalid::AlreadyTaken.into());
        }
        // It ends when the last handle does.
        let Some(scheduler) = self.scheduler.upgrade() else {
            return self.answers.try_take().map(handles).ok_or(Refused::Gone(Gone::ShutDown));
        };
        scheduler.wait_for(self.answers.wanted()).map(handles)
    }
}

/// The same answers as of [`Submitted::wait`].
impl Future for Submitted {
    type Output = Result<Vec<Result<AppHandle, Refused>>, Refused>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        if self.taken.get().is_some() {
            return Poll::Ready(Err(Invalid::AlreadyTaken.into()));
        }
        self.answers.poll(context).map(|answers| match answers {
            Ok(answers) => {
                // By this call or by one at the same time.
                let _ = self.taken.set(());
                Ok(handles(answers))
            }
            Err(Unanswered) => {
                Err(self.scheduler.upgrade().map_or(Refused::Gone(Gone::ShutDown), |living| living.why_gone(CONTROL)))
            }
        })
    }
}
