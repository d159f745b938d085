//! Somebody who listens to events, and what may be shown to him: events of nodes; of applications that he may see; and
//! what the scheduler itself says, which may name any application, where all that there is may be shown to him.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::answer_slots::Cost;
use crate::events::{Batch, Event, Ring, What};
use crate::manager::ResourceManager;
use crate::rest::rights::Rights;

/// See the module's text.
#[derive(Clone, Debug)]
pub(super) struct Reader {
    pub(super) manager: Arc<ResourceManager>,
    pub(super) ring: Arc<Ring>,
    pub(super) user: String,
    /// Events in one message at most.
    pub(super) most: usize,
}

impl Reader {
    /// What is new for him after an event. Rights may be asked for elsewhere, so that is done where waiting is allowed;
    /// where nobody's rights are bounded they are not asked for.
    pub(super) async fn next(&self, after: u64) -> Batch {
        if !self.manager.scheduler().basics().acls {
            return self.ring.after(after, self.most);
        }
        if self.ring.last() == after {
            return Batch { lost: 0, events: Vec::new(), last: after };
        }
        let reader = self.clone();
        let looked = self.manager.turns().work(Cost::Little, move || reader.look(after)).await;
        // Where that has panicked nothing is shown, and he is told that he has missed it.
        looked.unwrap_or_else(|_| {
            let last = self.ring.last();
            Batch { lost: last.saturating_sub(after), events: Vec::new(), last }
        })
    }

    fn look(&self, after: u64) -> Batch {
        let (apps, until) = self.ring.apps_after(after);
        let rights =
            Rights::of(&self.manager, &self.user, |records| apps.iter().filter_map(|app| records.app(*app)).collect());
        let mine: BTreeSet<u32> = {
            let records = self.manager.records();
            apps.into_iter().filter(|app| records.app(*app).is_some_and(|app| rights.may(app))).collect()
        };
        self.ring.shown_between(after, until, self.most, |event| rights.all() || is_shown(event, &mine))
    }
}

/// To one who may not see all.
fn is_shown(event: &Event, mine: &BTreeSet<u32>) -> bool {
    match event.what {
        What::NodeRegistered | What::NodeLost | What::Heartbeat => event.app.is_none(),
        What::Told => false,
        What::ApplicationAdded
        | What::ApplicationAccepted
        | What::ApplicationRefused
        | What::AttemptAdded
        | What::ApplicationEnded
        | What::ContainerAllocated
        | What::ContainerAcquired
        | What::ContainerLaunched
        | What::ContainerCompleted
        | What::ContainerReserved
        | What::ContainerPreempted
        | What::ContainerExpired => event.app.is_some_and(|app| mine.contains(&app)),
    }
}
