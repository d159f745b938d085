//! Who is in which groups, as the control asks: a provider that hangs or panics holds up nobody else.
//!
//! # Where it stands
//! Owned by the control, run on its thread. What a provider has at hand it is asked for directly. For all else there is
//! a thread, made with the first question, that asks it; the control waits for the answer, but not for ever. A provider
//! that has not answered in time is not asked again, nor waited for, until it has.
//!
//! What the thread may still be at when the scheduler ends is not waited for either. A driver without threads asks
//! directly: there the call is the embedder's own.

use crate::engine::threads::tasks::spawn;
use crate::groups::Groups;
use crate::sync::Arc;
use crate::sync::channel::{Receiver, RecvTimeoutError, Sender, unbounded};
use std::cell::{Cell, OnceCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

/// The groups of a user; `None` where the provider has panicked.
type Answer = Option<Vec<String>>;

/// See the module's text.
#[derive(Debug)]
pub(crate) struct Users {
    groups: Arc<dyn Groups>,
    /// How long an answer is waited for; `None`: the provider is asked directly.
    patience: Option<Duration>,
    desk: OnceCell<Option<GroupsThread>>,
}

/// The thread that asks, as the control has it.
#[derive(Debug)]
struct GroupsThread {
    questions: Sender<String>,
    answers: Receiver<Answer>,
    /// An answer that was not waited for is still to come.
    overdue: Cell<bool>,
}

impl Users {
    pub(super) fn new(groups: Arc<dyn Groups>) -> Users {
        Users { groups, patience: None, desk: OnceCell::new() }
    }

    /// From now on answers are waited for so long.
    pub(crate) fn wait_for(&mut self, patience: Duration) {
        self.patience = Some(patience);
    }

    /// The groups of a user, or why they are not known.
    pub(super) fn groups_of(&self, user: &str) -> Result<Vec<String>, &'static str> {
        let Some(patience) = self.patience else { return Ok(self.groups.of(user)) };
        match guarded(|| self.groups.at_hand(user)) {
            None => return Err(PANICKED),
            Some(Some(known)) => return Ok(known),
            Some(None) => {}
        }
        let desk = self.desk.get_or_init(|| GroupsThread::open(self.groups.clone()));
        desk.as_ref().ok_or("the system gives no thread to ask for them")?.ask(user, patience)
    }
}

const PANICKED: &str = "who is asked for them has panicked";
const SILENT: &str = "who is asked for them has not answered in time";

fn guarded<T>(ask: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(ask)).ok()
}

impl GroupsThread {
    fn open(groups: Arc<dyn Groups>) -> Option<GroupsThread> {
        let (questions, asked) = unbounded::<String>();
        let (answered, answers) = unbounded();
        let thread = spawn("evenweave-groups".into(), move || {
            while let Ok(user) = asked.recv() {
                if answered.send(guarded(|| groups.of(&user))).is_err() {
                    return;
                }
            }
        });
        thread.ok().map(|_| GroupsThread { questions, answers, overdue: Cell::new(false) })
    }

    fn ask(&self, user: &str, patience: Duration) -> Result<Vec<String>, &'static str> {
        if self.overdue.get() && self.answers.try_recv().is_err() {
            return Err(SILENT);
        }
        self.overdue.set(false);
        self.questions.send(user.to_owned()).map_err(|_| PANICKED)?;
        match self.answers.recv_timeout(patience) {
            Ok(answer) => answer.ok_or(PANICKED),
            Err(RecvTimeoutError::Timeout) => {
                self.overdue.set(true);
                Err(SILENT)
            }
            Err(RecvTimeoutError::Disconnected) => Err(PANICKED),
        }
    }
}
