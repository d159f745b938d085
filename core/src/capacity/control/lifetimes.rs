//! Lifetimes: how long an application may live in its leaf queue, and its end when that time is over
//! (rules/capacity.md 5.6).
//!
//! Hadoop's `CapacityScheduler.checkAndGetApplicationLifetime`, `RMAppManager.updateApplicationTimeout` and
//! `RMAppLifetimeMonitor`. Owned by the control. A round costs O(applications that it ends).

use crate::capacity::rules::tree::Named;
use crate::capacity::types::Control;
use crate::caught::caught;
use crate::config::capacity::CapacityQueue;
use crate::engine::books::ledger::AppShared;
use crate::event::refused::{Invalid, TryAgain};
use crate::event::{AppAccess, Refused, SchedulerEvent};
use crate::id::ApplicationId;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::time::Duration;

/// When an application's time is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Lifetime {
    /// By the scheduler's clock. The first round after it ends the application.
    pub deadline_ms: u64,
    /// How long it is until then; nothing where it is over.
    pub left: Duration,
}

/// Of an application that has not ended.
#[derive(Clone, Copy, Debug)]
struct Life {
    submitted_ms: u64,
    deadline_ms: Option<u64>,
}

/// See the module's text.
#[derive(Debug, Default)]
pub(super) struct Lifetimes {
    /// By number.
    of: FxHashMap<u32, Life>,
    /// Deadlines with their applications, the earliest first.
    due: BTreeSet<(u64, u32)>,
}

/// So much later. What would be after the end of time never comes.
fn after(start_ms: u64, seconds: i64) -> u64 {
    start_ms.saturating_add(u64::try_from(seconds).unwrap_or_default().saturating_mul(1000))
}

impl Lifetimes {
    /// An application has come; below 1 its lifetime has no end.
    pub(super) fn begin(&mut self, app: u32, submitted_ms: u64, seconds: i64) {
        self.of.insert(app, Life { submitted_ms, deadline_ms: None });
        if seconds > 0 {
            self.set(app, after(submitted_ms, seconds));
        }
    }

    fn set(&mut self, app: u32, deadline_ms: u64) {
        let Some(life) = self.of.get_mut(&app) else { return };
        if let Some(before) = life.deadline_ms.replace(deadline_ms) {
            self.due.remove(&(before, app));
        }
        self.due.insert((deadline_ms, app));
    }

    /// It has ended.
    pub(super) fn end(&mut self, app: u32) {
        if let Some(deadline) = self.of.remove(&app).and_then(|life| life.deadline_ms) {
            self.due.remove(&(deadline, app));
        }
    }

    pub(super) fn are_none(&self) -> bool {
        self.due.is_empty()
    }
}

impl Control {
    fn leaf_named(&self, queue: &str) -> Option<&CapacityQueue> {
        match self.own.tree.find(queue) {
            Named::Queue(slot) if self.own.is_leaf(slot) => Some(&self.own.tree.get(slot).config),
            Named::Queue(_) | Named::Ambiguous | Named::Unknown => None,
        }
    }

    /// The lifetime in seconds that an application gets in a queue who asks for this one; 0 and below are none, of
    /// either.
    pub(crate) fn lifetime_in(&self, queue: &str, asked: i64) -> i64 {
        let Some(leaf) = self.leaf_named(queue) else { return asked };
        match (asked, leaf.maximum_lifetime_seconds) {
            (..=0, _) => leaf.default_lifetime_seconds,
            (_, ..=0) => asked,
            (_, most) => asked.min(most),
        }
    }

    /// The longest lifetime in a leaf queue in seconds; 0 and below are none.
    pub(crate) fn maximum_lifetime(&self, queue: &str) -> i64 {
        self.leaf_named(queue).map_or(-1, |leaf| leaf.maximum_lifetime_seconds)
    }

    /// What a submission to a queue, which need not be there yet, gets of what it asks for.
    pub(super) fn lifetime_for(&self, asked: Option<i64>, queue: &str, app: u32) -> Result<i64, Refused> {
        if let Some(seconds @ ..=0) = asked {
            return Err(Invalid::Lifetime { app, seconds }.into());
        }
        Ok(self.lifetime_in(queue, asked.unwrap_or(-1)))
    }

    fn time(&self) -> Result<u64, Refused> {
        let now = caught(|| self.shared.clock.now_ms());
        now.map_err(|message| Refused::TryAgain(TryAgain::Panicked { what: "the clock", message }))
    }

    /// When an application's time is over, if ever.
    pub(crate) fn lifetime(&self, app: &AppShared) -> Result<Option<Lifetime>, Refused> {
        self.known(app)?;
        let Some(deadline_ms) = self.own.lifetimes.of.get(&app.id.number).and_then(|life| life.deadline_ms) else {
            return Ok(None);
        };
        let left = Duration::from_millis(deadline_ms.saturating_sub(self.time()?));
        Ok(Some(Lifetime { deadline_ms, left }))
    }

    /// An application has so many seconds from now on, but no more from its submission on than the queue lets it in
    /// which it is; on behalf of a user if he may.
    pub(crate) fn set_lifetime(
        &mut self,
        by: Option<&str>,
        app: &AppShared,
        seconds: i64,
    ) -> Result<Lifetime, Refused> {
        by.map_or(Ok(()), |user| self.check_app(user, app, AppAccess::Modify))?;
        let (leaf, number) = (self.known(app)?.leaf, app.id.number);
        if seconds < 0 {
            return Err(Invalid::Lifetime { app: number, seconds }.into());
        }
        let now = self.time()?;
        let most = self.maximum_lifetime(&self.own.tree.get(leaf).config.path);
        let submitted_ms = self.own.lifetimes.of.get(&number).map_or(now, |life| life.submitted_ms);
        let last = if most > 0 { after(submitted_ms, most) } else { u64::MAX };
        let deadline_ms = after(now, seconds).min(last);
        self.own.lifetimes.set(number, deadline_ms);
        Ok(Lifetime { deadline_ms, left: Duration::from_millis(deadline_ms.saturating_sub(now)) })
    }

    /// Begins to end every application whose time is over.
    pub(crate) fn expire_applications(&mut self) -> Result<Vec<ApplicationId>, Refused> {
        let now = self.time()?;
        let due: Vec<(u64, u32)> = self.own.lifetimes.due.range(..(now, 0)).copied().collect();
        let mut ended = Vec::new();
        for (deadline, number) in due {
            // One whose next attempt is about to begin has its turn in the next round.
            let Some(app) = self.find_app(number) else { continue };
            if self.begin_finish(&app, None).is_ok() {
                self.own.lifetimes.due.remove(&(deadline, number));
                self.event(SchedulerEvent::LifetimeOver(app.id));
                ended.push(app.id);
            }
        }
        Ok(ended)
    }
}
