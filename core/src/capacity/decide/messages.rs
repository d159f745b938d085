//! What a worker is told for the CapacityScheduler: by the control, in the order in which it came about, by the threads
//! of callers and timers, and by other workers. `decide::handling` applies it.

use super::survey::{Chosen, Survey};
use super::transit::{Move, Transit};
use crate::capacity::books::{AppBook, Others, SharedAttempt, Start};
use crate::capacity::rules::order::FairCache;
use crate::engine::books::ledger::{AppShared, NodeShared};
use crate::engine::books::retired_slots::RetiredToken;
use crate::engine::books::started_entry::EntryCount;
use crate::id::{ContainerNumber, LabelId};
use crate::resource::{Resource, Wide};
use crate::sync::Arc;

/// An attempt that enters a leaf queue.
#[derive(Clone, Debug)]
pub(crate) struct Entrant {
    pub(crate) app: Arc<AppShared>,
    pub(crate) leaf: u32,
    pub(crate) priority: i32,
    pub(crate) submitted_priority: i32,
    /// As it counts in the limits of AMs.
    pub(crate) am: Resource,
    /// Where it does.
    pub(crate) am_partition: LabelId,
    /// It may run; else it waits for a limit of parallel applications.
    pub(crate) runnable: bool,
    /// It takes over what runs of the attempt before.
    pub(crate) keeps: bool,
    /// The policy by which its nodes are sorted; see [`MultiNode`](crate::capacity::rules::candidates::MultiNode).
    pub(crate) sorting: Option<u16>,
    /// What the workers show each other of it, where there are several.
    pub(crate) shared_attempt: Arc<SharedAttempt>,
}

impl Entrant {
    /// What the books have of it at first: it has nothing yet, and is in no list.
    pub(crate) fn book(&self) -> AppBook {
        let Entrant {
            app,
            leaf,
            priority,
            submitted_priority,
            am,
            am_partition,
            runnable,
            keeps: _,
            sorting,
            shared_attempt,
        } = self;
        AppBook {
            number: app.id.number,
            slot: app.slot.index,
            user: (&*app.user).into(),
            seat: 0,
            leaf: *leaf,
            home: app.home,
            priority: *priority,
            submitted_priority: *submitted_priority,
            am: *am,
            am_partition: *am_partition,
            am_left: Resource::ZERO,
            own_label: app.label.clone().unwrap_or_default(),
            parts: Vec::new(),
            headroom_of: None,
            start_ms: app.start_ms,
            recovered: app.recovered,
            runnable: *runnable,
            used: Resource::ZERO,
            drift: Resource::ZERO,
            reserved: Resource::ZERO,
            pending: Wide::ZERO,
            open_keys: 0,
            publication: None,
            fair: FairCache::default(),
            has_marked: false,
            lists: 0,
            is_active: false,
            is_out: false,
            must_be_visited: false,
            others: Others::default(),
            held: 0,
            moved_below: ContainerNumber::default(),
            turn: EntryCount::default(),
            shared_attempt: shared_attempt.clone(),
            sorting: *sorting,
        }
    }
}

/// The node of an AM has got another label.
#[derive(Clone, Debug)]
pub(crate) struct AmMoved {
    pub(crate) app: u32,
    /// Of the attempt.
    pub(crate) shared_attempt: Arc<SharedAttempt>,
    pub(crate) label: LabelId,
    /// Of the AM's container.
    pub(crate) size: Resource,
}

/// See the module's text. An application is named by its number.
#[derive(Clone, Debug)]
pub(crate) enum CapacityMessage {
    // From the control.
    /// A submission of a user was looked at, whatever has become of it.
    UserSeen {
        leaf: u32,
        user: Box<str>,
    },
    Entered(Entrant),
    /// One that waited may run.
    Started(u32),
    /// One that has ended is over: whoever may run for it does by now.
    Over(u32),
    Priority {
        app: u32,
        priority: i32,
    },
    Moved {
        app: u32,
        leaf: u32,
        runnable: bool,
    },
    /// A node has another total. `kill`: what does not fit any more is to end.
    Resized {
        node: Arc<NodeShared>,
        kill: bool,
    },
    /// Something has come or gone below this queue: what its leaves may use is worked out anew.
    LimitsBelow(u32),
    /// A queue has gone: see [`RetiredSlots`](crate::engine::books::retired_slots).
    Rests(#[expect(dead_code, reason = "it is dropped with the message")] RetiredToken),
    /// A worker is given up: others decide who starts where it did.
    GivenUp(usize),

    // From the thread of a caller, and from a timer.
    /// An AM has called without asking for anything or giving anything back: what it can still get is worked out.
    Called(u32),
    /// A round of the preemption policy is due.
    Preempt,

    // From other workers.
    /// A round of preemption is on its way from worker to worker, so that it knows all containers.
    Survey(Box<Survey>),
    /// What a round has chosen: each worker deals with what runs on its nodes.
    Chosen(Arc<Chosen>),
    /// A round wants something reserved on another node: told to the worker that has it.
    Move(Box<Move>),
    /// Something reserved comes from another worker's node, or back.
    Reservation(Box<Transit>),
    /// An AM stands in another partition.
    AmMoved(AmMoved),
    /// The worker that decides for a leaf lets an application start there.
    Starts(Start),
}
