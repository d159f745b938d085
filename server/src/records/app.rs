//! An application and its attempt, as a ResourceManager keeps them.

use std::collections::BTreeSet;

use evenweave::{AppHandle, Resource};

use super::counted::{Counted, Preempted};
use super::usage::Usage;

/// `YarnApplicationState`, as far as applications are seen here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AppState {
    /// It waits for its ApplicationMaster.
    Accepted,
    /// Its ApplicationMaster has registered.
    Running,
    /// Its ApplicationMaster has said that it is done.
    Finished,
    /// It was refused, or its ApplicationMaster was lost.
    Failed,
    /// Somebody ended it.
    Killed,
}

impl AppState {
    /// Whether it has ended.
    #[must_use]
    pub fn is_over(self) -> bool {
        matches!(self, AppState::Finished | AppState::Failed | AppState::Killed)
    }

    /// Hadoop's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            AppState::Accepted => "ACCEPTED",
            AppState::Running => "RUNNING",
            AppState::Finished => "FINISHED",
            AppState::Failed => "FAILED",
            AppState::Killed => "KILLED",
        }
    }
}

/// `FinalApplicationStatus`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FinalStatus {
    /// Not known yet.
    Undefined,
    /// As its ApplicationMaster says.
    Succeeded,
    /// As its ApplicationMaster says, or because that was lost.
    Failed,
    /// Somebody ended it.
    Killed,
}

impl FinalStatus {
    /// Hadoop's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            FinalStatus::Undefined => "UNDEFINED",
            FinalStatus::Succeeded => "SUCCEEDED",
            FinalStatus::Failed => "FAILED",
            FinalStatus::Killed => "KILLED",
        }
    }
}

/// `YarnApplicationAttemptState`, as far as attempts are seen here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttemptState {
    /// It waits for its container.
    Scheduled,
    /// It has registered.
    Running,
    /// It has said that it is done.
    Finished,
    /// It was lost.
    Failed,
    /// Somebody ended it.
    Killed,
}

impl AttemptState {
    /// Hadoop's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            AttemptState::Scheduled => "SCHEDULED",
            AttemptState::Running => "RUNNING",
            AttemptState::Finished => "FINISHED",
            AttemptState::Failed => "FAILED",
            AttemptState::Killed => "KILLED",
        }
    }
}

/// The container of an ApplicationMaster.
#[derive(Clone, Debug)]
pub struct Master {
    /// Its number.
    pub container: u32,
    /// The name of its node.
    pub node: String,
}

/// An attempt.
#[derive(Clone, Debug)]
pub struct AttemptRecord {
    /// To the scheduler.
    pub handle: Option<AppHandle>,
    /// From 1.
    pub number: u32,
    /// In ms since 1970.
    pub started_ms: u64,
    /// In ms since 1970; 0 while it runs.
    pub finished_ms: u64,
    /// Where it stands.
    pub state: AttemptState,
    /// Its ApplicationMaster's container; none of one that runs outside.
    pub master: Option<Master>,
    /// Where its ApplicationMaster listens, once it has registered: host and port.
    pub rpc: Option<(String, i32)>,
    /// Why it waits, or how it has ended.
    pub diagnostics: String,
    /// Nodes and racks that it does not want.
    pub blacklist: BTreeSet<String>,
    /// It was given one.
    pub had_container: bool,
    /// When it was given the first, in ms since 1970; 0 before.
    pub first_container_ms: u64,
}

/// An application.
#[derive(Clone, Debug)]
pub struct AppRecord {
    /// The running number.
    pub number: u32,
    /// Who submitted it.
    pub user: String,
    /// As the submitter calls it.
    pub name: String,
    /// Its queue's full name.
    pub queue: String,
    /// What it reports in place of that name, where the submission spelt it otherwise and it has not been moved.
    pub reported_queue: Option<String>,
    /// As the submitter says.
    pub kind: String,
    /// As the submitter says.
    pub tags: BTreeSet<String>,
    /// Its priority.
    pub priority: i32,
    /// Where it stands.
    pub state: AppState,
    /// What came of it.
    pub status: FinalStatus,
    /// In ms since 1970.
    pub started_ms: u64,
    /// When its ApplicationMaster was started, in ms since 1970; 0 before.
    pub launched_ms: u64,
    /// In ms since 1970; 0 while it runs.
    pub finished_ms: u64,
    /// How it has ended.
    pub diagnostics: String,
    /// From 0 to 1.
    pub progress: f32,
    /// Its ApplicationMaster runs outside.
    pub unmanaged: bool,
    /// Its queue was there when it was submitted: its ApplicationMaster's request got the queue's label expression.
    pub queue_was_there: bool,
    /// The label of the nodes that the submission wants; none where it says nothing of that.
    pub label: Option<String>,
    /// The label of the nodes that its ApplicationMaster's request wants; empty for none.
    pub am_label: String,
    /// The attempt; none of one that its scheduler has refused.
    pub attempt: Option<AttemptRecord>,
    /// What was preempted of it.
    pub preempted: Resource,
    /// How many containers of it were preempted beside its ApplicationMaster's.
    pub preempted_containers: u32,
    /// How many ApplicationMasters of it were.
    pub preempted_masters: u32,
    /// What its containers have used.
    pub usage: Usage,
    /// It has been moved from one queue to another.
    pub(crate) moved: bool,
    /// What it has had, and its queue is not yet said to have had.
    pub(super) counted: Counted,
}

impl AppRecord {
    /// One that was accepted, without an attempt yet.
    #[must_use]
    pub fn new(number: u32, user: &str, queue: &str, at_ms: u64) -> AppRecord {
        AppRecord {
            number,
            user: user.to_owned(),
            name: format!("app-{number}"),
            queue: queue.to_owned(),
            reported_queue: None,
            kind: "YARN".to_owned(),
            tags: BTreeSet::new(),
            priority: 0,
            state: AppState::Accepted,
            status: FinalStatus::Undefined,
            started_ms: at_ms,
            launched_ms: 0,
            finished_ms: 0,
            diagnostics: String::new(),
            progress: 0.0,
            unmanaged: false,
            label: None,
            am_label: String::new(),
            queue_was_there: true,
            attempt: None,
            preempted: Resource::ZERO,
            preempted_containers: 0,
            preempted_masters: 0,
            usage: Usage::default(),
            moved: false,
            counted: Counted::default(),
        }
    }

    /// It reports its queue as the ResourceManager knows it.
    pub fn reports(&mut self, handle: &AppHandle) {
        let reported = handle.reported_queue();
        self.reported_queue = (reported != handle.queue()).then(|| reported.to_owned());
    }

    /// What it reports as its queue, where that is `queue` by now.
    #[must_use]
    pub fn reported_in<'a>(&'a self, queue: &'a str) -> &'a str {
        self.reported_queue.as_deref().filter(|_| queue == self.queue).unwrap_or(queue)
    }

    /// Its first attempt has entered the scheduler.
    #[must_use]
    pub fn with_attempt(mut self, handle: Option<AppHandle>) -> AppRecord {
        self.enter(handle);
        self
    }

    pub(super) fn enter(&mut self, handle: Option<AppHandle>) {
        self.attempt = Some(AttemptRecord {
            handle,
            number: 1,
            started_ms: self.started_ms,
            finished_ms: 0,
            state: AttemptState::Scheduled,
            master: None,
            rpc: None,
            diagnostics: String::new(),
            blacklist: BTreeSet::new(),
            had_container: false,
            first_container_ms: 0,
        });
    }

    /// Its scheduler has refused it.
    #[must_use]
    pub fn refused(mut self, why: String, at_ms: u64) -> AppRecord {
        (self.state, self.status) = (AppState::Failed, FinalStatus::Failed);
        (self.diagnostics, self.finished_ms) = (why, at_ms);
        self
    }

    /// Its ApplicationMaster runs and has registered: in a container of the cluster, or outside. Of one that has ended
    /// it is late.
    pub fn registered(&mut self, master: Option<Master>, host: &str, port: i32, at_ms: u64) {
        if self.state.is_over() {
            return;
        }
        self.state = AppState::Running;
        // Hadoop's of one that is never launched.
        self.launched_ms = if master.is_some() { at_ms } else { 0 };
        if let Some(attempt) = &mut self.attempt {
            attempt.state = AttemptState::Running;
            attempt.master = master;
            attempt.rpc = Some((host.to_owned(), port));
            attempt.diagnostics = String::new();
        }
    }

    /// A container of it has ended.
    pub(super) fn container_ended(
        &mut self,
        number: u32,
        amounts: &Resource,
        made_ms: u64,
        preempted: bool,
        at_ms: u64,
    ) {
        let [memory_mb_seconds, vcore_seconds] = self.usage.ends(amounts, made_ms, at_ms, preempted);
        if !preempted {
            return;
        }
        let master = self.attempt.as_ref().and_then(|attempt| attempt.master.as_ref());
        let is_master = master.is_some_and(|master| master.container == number);
        self.preempted = self.preempted.plus(amounts);
        *(if is_master { &mut self.preempted_masters } else { &mut self.preempted_containers }) += 1;
        self.counted.preempted.add(&Preempted {
            containers: 1,
            memory_mb: amounts.memory_mb(),
            vcores: amounts.vcores(),
            memory_mb_seconds,
            vcore_seconds,
        });
    }

    /// What it has had since it entered its queue.
    pub(crate) fn counted(&self) -> Counted {
        let mut counted = self.counted;
        if self.unmanaged {
            counted.unmanaged = counted.apps;
        }
        counted
    }

    /// The same. From now on it counts anew.
    pub(super) fn take_counted(&mut self) -> Counted {
        let counted = self.counted();
        self.counted = Counted::default();
        counted
    }

    /// It has ended.
    pub(super) fn end(&mut self, state: AppState, status: FinalStatus, diagnostics: String, at_ms: u64) {
        if self.state == AppState::Running {
            self.progress = 1.0;
        }
        (self.state, self.status, self.diagnostics, self.finished_ms) = (state, status, diagnostics, at_ms);
        if let Some(attempt) = &mut self.attempt {
            attempt.finished_ms = at_ms;
            attempt.state = match state {
                AppState::Finished => AttemptState::Finished,
                AppState::Failed => AttemptState::Failed,
                AppState::Accepted | AppState::Running | AppState::Killed => AttemptState::Killed,
            };
            if state != AppState::Finished {
                attempt.rpc = None;
            }
            attempt.blacklist.clear();
        }
    }
}
