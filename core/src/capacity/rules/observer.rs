//! Who looks on while a pass goes its way over a node: nobody, somebody who notes all that is tried, somebody who asks
//! why.
//!
//! The pass tells as it goes, so what is told is what is done. `()` sees nothing: what only others are told is not even
//! worked out for it. Run by the worker that makes the pass or answers the question; it keeps nothing between two
//! passes.

use super::allocator::{Chosen, KeyFacts, Limits, NodeFacts, Rules, Skipped};
use super::tried::{AppEnd, AppTried, KeyEnd, KeyTried, PassCourse, QueueEnd, QueueTried};
use crate::app::SchedulingKey;
use crate::resource::Resource;

/// Why a queue or an application is left out by a pass, or a choice is not committed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// A queue uses all that it may, or would use more.
    Queue { slot: u32, limit: Resource },
    /// The user has more than allowed.
    User { limit: Resource },
    /// The leaf has no record of the user any more.
    UserForgotten,
    /// The node is being emptied.
    NodeDecommissioning,
    /// What it was chosen by has gone: the application, the node's room, or a container that was to make room.
    Gone,
}

/// An application that a pass comes to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Visited<'a> {
    pub(crate) number: u32,
    pub(crate) priority: i32,
    /// The full name of its leaf queue.
    pub(crate) queue: &'a str,
}

/// A request key, as the choice for it has been made.
#[derive(Debug)]
pub(crate) struct Looked<'a> {
    pub(crate) facts: &'a KeyFacts,
    pub(crate) node: &'a NodeFacts<'a>,
    pub(crate) limits: &'a Limits,
    pub(crate) rules: &'a Rules,
    /// The node is reserved for the key.
    pub(crate) converts: bool,
    pub(crate) outcome: Result<Chosen, Skipped>,
}

/// See the module's text. Each method is called at the moment that it names.
pub(crate) trait Observer {
    /// What is worked out on the way stays, as a pass leaves it. Else nothing does: it is a question.
    const KEEPS_RESULTS: bool = true;
    /// It hears of all children and all applications, also of those that ask for nothing.
    const VISITS_ALL: bool = true;

    /// A queue is offered the node.
    fn queue(&mut self, _path: &str) {}
    /// Why that comes to nothing, where it is no [`Stop`].
    fn queue_ends(&mut self, _end: QueueEnd) {}
    /// The pass goes back to its parent.
    fn queue_is_left(&mut self) {}
    /// A leaf queue has no room for its next container, and keeps so much.
    fn leaf_keeps(&mut self, _slot: u32, _kept: &Resource) {}
    /// An application is looked at.
    fn app(&mut self, _app: &Visited<'_>) {}
    /// Why that comes to nothing, where it is no [`Stop`].
    fn app_ends(&mut self, _end: AppEnd) {}
    /// A queue, or the application that is looked at, is left out.
    fn stopped(&mut self, _stop: &Stop) {}
    /// The queue of the application that is looked at has no room for its next container.
    fn no_room(&mut self) {}
    /// A request key is tried.
    fn key(&mut self, _id: SchedulingKey) {}
    /// It is not looked at on the node.
    fn key_refused(&mut self, _skipped: Skipped, _facts: &KeyFacts, _limits: &Limits) {}
    /// It is for nodes of another label.
    fn key_is_elsewhere(&mut self) {}
    /// A place is tried for it.
    fn key_ends(&mut self, _end: KeyEnd) {}
    /// What comes of it.
    fn key_looked(&mut self, _looked: &Looked<'_>) {}
    /// The application that is looked at is the one that gets something.
    fn gets(&mut self, _chosen: &Chosen) {}
    /// The node is not offered, or to the application alone that has reserved it.
    fn course(&mut self, _course: PassCourse) {}
}

impl Observer for () {
    const VISITS_ALL: bool = false;
}

/// Notes all that a pass tries.
#[derive(Debug, Default)]
pub(crate) struct Recorder {
    course: Option<PassCourse>,
    /// The queues in which the pass is, from root on.
    queues: Vec<QueueTried>,
}

impl Recorder {
    /// What the pass has done with the node.
    pub(crate) fn into_course(self) -> Option<PassCourse> {
        self.course
    }

    fn last_app(&mut self) -> Option<&mut AppTried> {
        match (self.queues.last_mut(), &mut self.course) {
            (Some(queue), _) => queue.apps.last_mut(),
            (None, Some(PassCourse::Reserved { app, .. })) => Some(app),
            (None, _) => None,
        }
    }
}

impl Observer for Recorder {
    fn queue(&mut self, path: &str) {
        let (queue, end) = (path.to_owned(), QueueEnd::Nothing);
        self.queues.push(QueueTried { queue, end, queues: Vec::new(), apps: Vec::new() });
    }

    fn queue_ends(&mut self, end: QueueEnd) {
        if let Some(queue) = self.queues.last_mut() {
            queue.end = end;
        }
    }

    fn queue_is_left(&mut self) {
        let Some(left) = self.queues.pop() else { return };
        let Some(parent) = self.queues.last_mut() else {
            self.course = Some(PassCourse::Offered(left));
            return;
        };
        if let QueueEnd::NoRoom { .. } | QueueEnd::Allocates | QueueEnd::Reserves = left.end {
            parent.end = left.end;
        }
        parent.queues.push(left);
    }

    fn app(&mut self, app: &Visited<'_>) {
        if let Some(queue) = self.queues.last_mut() {
            queue.apps.push(AppTried::of(app.number, app.queue, app.priority));
        }
    }

    fn app_ends(&mut self, end: AppEnd) {
        if let Some(app) = self.last_app() {
            app.end = end;
        }
    }

    fn stopped(&mut self, stop: &Stop) {
        if let Stop::Queue { .. } = stop {
            self.app_ends(AppEnd::QueueAtMaximum);
            self.queue_ends(QueueEnd::AtMaximum);
        } else {
            self.app_ends(AppEnd::UserAtLimit);
        }
    }

    fn no_room(&mut self) {
        if let Some(app) = self.last_app().map(|app| app.app) {
            self.queue_ends(QueueEnd::NoRoom { app });
        }
    }

    fn key(&mut self, id: SchedulingKey) {
        let SchedulingKey { priority, allocation_request_id } = id;
        if let Some(app) = self.last_app() {
            app.keys.push(KeyTried { priority, allocation_request_id, ends: Vec::new() });
        }
    }

    fn key_refused(&mut self, skipped: Skipped, facts: &KeyFacts, _limits: &Limits) {
        let is_wanted = facts.any.is_some_and(|any| any.count > 0);
        self.key_ends(match skipped {
            Skipped::Queue => KeyEnd::NoRoomInQueue,
            Skipped::Key | Skipped::App if is_wanted => KeyEnd::ReservedEnough,
            Skipped::Key | Skipped::App => KeyEnd::NothingWanted,
        });
    }

    fn key_is_elsewhere(&mut self) {
        self.key_ends(KeyEnd::NotHere);
    }

    fn key_ends(&mut self, end: KeyEnd) {
        if let Some(key) = self.last_app().and_then(|app| app.keys.last_mut()) {
            key.ends.push(end);
        }
    }

    fn gets(&mut self, chosen: &Chosen) {
        if chosen.allocated {
            self.key_ends(KeyEnd::Allocated { size: chosen.size });
            self.app_ends(AppEnd::Allocates);
            self.queue_ends(QueueEnd::Allocates);
        } else {
            self.app_ends(AppEnd::Reserves);
            self.queue_ends(QueueEnd::Reserves);
        }
    }

    fn course(&mut self, course: PassCourse) {
        self.course = Some(course);
    }
}
