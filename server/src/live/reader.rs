//! Somebody who listens to events, and what may be shown to him: events of nodes; of applications that he may see; and what the scheduler
//! itself says, which may name any application, where all that there is may be shown to him.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::Live;
use crate::events::{Batch, Event, What};
use crate::rest::rights::Rights;
use crate::turns::Cost;

/// See the module's text.
#[derive(Clone, Debug)]
pub(super) struct Reader {
    pub(super) user: String,
    /// Events in one message at most.
    pub(super) most: usize,
}

impl Reader {
    /// What is new for him after an event. Rights may be asked for elsewhere, so that is done where waiting is allowed; where nobody's rights
    /// are bounded they are not asked for.
    pub(super) async fn next(&self, of: &Arc<Live>, after: u64) -> Batch {
        if !of.manager.scheduler().basics().acls {
            return of.ring.after(after, self.most);
        }
        if of.ring.last() == after {
            return Batch { lost: 0, events: Vec::new(), last: after };
        }
        let (live, reader) = (of.clone(), self.clone());
        let looked = of.manager.turns().work(Cost::Little, move || reader.look(&live, after)).await;
        // Where that has panicked nothing is shown, and he is told that he has missed it.
        looked.unwrap_or_else(|_| {
            let last = of.ring.last();
            Batch { lost: last.saturating_sub(after), events: Vec::new(), last }
        })
    }

    fn look(&self, of: &Live, after: u64) -> Batch {
        let (apps, until) = of.ring.apps_after(after);
        let rights =
            Rights::of(&of.manager, &self.user, |records| apps.iter().filter_map(|app| records.app(*app)).collect());
        let mine: BTreeSet<u32> = {
            let records = of.manager.records();
            apps.into_iter().filter(|app| records.app(*app).is_some_and(|app| rights.may(app))).collect()
        };
        of.ring.shown_between(after, until, self.most, |event| rights.all() || is_shown(event, &mine))
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
