//! What all clones of a handle to a threaded scheduler share, and how long it lives.
//!
//! Owned by the handles together; the scheduler's threads end with the last of them, on whichever thread that goes.

use super::door::{CONTROL, Door};
use super::policy::Driven;
use super::submitted::Answering;
use crate::clock::Patience;
use crate::engine::AppShared;
use crate::engine::intake::reply::Wanted;
use crate::event::Refused;
use crate::sync::Arc;

/// What the clones of a handle share.
pub(super) struct Inner<P: Driven> {
    pub(super) door: Door<P::Decider>,
    pub(super) own: P::Lanes,
}

impl<P: Driven> Drop for Inner<P> {
    fn drop(&mut self) {
        // In a callback nobody can wait for it.
        let _ = self.door.shutdown(&Patience::endless());
    }
}

type Outcomes = Vec<Result<Arc<AppShared>, Refused>>;

impl<P: Driven> Answering for Inner<P> {
    fn wait_for(&self, answer: &Wanted<Outcomes>) -> Result<Outcomes, Refused> {
        self.door.may_wait()?;
        self.door.answer(answer, &Patience::endless(), CONTROL)
    }

    fn why_gone(&self, task: &'static str) -> Refused {
        self.door.gone(task)
    }
}
