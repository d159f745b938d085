//! The FairScheduler's part of the control: the allocation file in force, placement, running limits, the queues'
//! settings.
//!
//! # Where it stands
//! The control calls it, at the moments of [`ControlPart`]. What a moment leads to is in the file that is named after
//! it.

mod settings;

mod policies;

mod submission;

mod running;

mod moves;

mod plans;

mod queues;

mod reload;

mod publishing;

mod configured;

pub use configured::QueueConfig;
pub(crate) use running::Stopped;
pub(crate) use settings::QueueOwn;

use crate::config::{AllocationFile, PlacementChange, PlacementRule};
use crate::engine::books::ledger::{AppShared, NodeShared};
use crate::engine::control::{App, ControlPart, Entry, LeafEntry, QueueTerms, WantedAm};
use crate::engine::intake::reply::Reply;
use crate::engine::intake::submission::{AmRequest, Submission};
use crate::event::Refused;
use crate::fair::engine::{Control, FairDecider};
use crate::policy::SchedulingPolicy;
use crate::queue::Running;
use crate::reservation::PlanQueues;
use crate::resource::Resource;
use crate::sync::Arc;
use policies::Policies;
#[cfg(feature = "faults")]
use std::collections::BTreeMap;

/// See the module's text.
#[derive(Debug)]
pub(crate) struct FairControl {
    /// The file in force.
    file: Arc<AllocationFile>,
    /// The placement rules in force.
    rules: Vec<PlacementRule>,
    policies: Policies,
    running: Running,
    /// Changes of a queue's type that wait for it to be empty.
    pending_types: Vec<(String, bool)>,
    /// Steady shares are to be distributed before the next publish.
    steady_pending: bool,
    /// Those below a plan are still without the leaves that it has got.
    steady_owed: bool,
}

/// What is asked of it beside what the engine knows.
#[derive(Debug)]
pub(crate) enum FairCall {
    /// The placement rules alone take effect.
    InstallPlacement(PlacementChange, Reply<()>),
    /// An ad hoc queue is made.
    AddQueue { name: String, leaf: bool, reply: Reply<Result<(), Refused>> },
}

impl FairControl {
    /// Without queues and rules yet; `custom_policies` are the embedder's.
    pub(crate) fn new(custom_policies: Vec<Arc<dyn SchedulingPolicy>>) -> FairControl {
        FairControl {
            file: Arc::default(),
            rules: Vec::new(),
            policies: Policies::with(custom_policies),
            running: Running::default(),
            pending_types: Vec::new(),
            steady_pending: false,
            steady_owed: false,
        }
    }
}

impl ControlPart<FairDecider> for FairControl {
    fn begin(control: &mut Control, file: AllocationFile) {
        control.first_load(file);
    }

    fn reload(control: &mut Control, file: AllocationFile) -> Result<(), Refused> {
        control.take_reload(file)
    }

    fn called(control: &mut Control, call: FairCall) {
        match call {
            FairCall::InstallPlacement(change, reply) => {
                control.switch_rules(&change);
                control.answer(reply, ());
            }
            FairCall::AddQueue { name, leaf, reply } => {
                let outcome = control.add_queue(&name, leaf);
                control.answer(reply, outcome);
            }
        }
    }

    fn clean_up(control: &mut Control) {
        control.housekeeping();
    }

    fn submitted(control: &mut Control, submission: &Submission) -> Result<Entry, Refused> {
        control.find_place(submission)
    }

    fn am_wanted(control: &Control, app: &AppShared, leaf: u32, asked: &AmRequest) -> Result<WantedAm, Refused> {
        let label = control.label_of_am(app.label.as_deref(), asked)?;
        Ok(WantedAm { size: control.size_of_further_am(leaf, asked.resource())?, label })
    }

    fn entering(control: &mut Control, app: &Arc<AppShared>, leaf: u32, _am: Option<&WantedAm>, _keeps: bool) -> bool {
        control.run_or_wait(app, leaf)
    }

    fn am_asked(control: &Control, leaf: u32, size: &Resource) -> Resource {
        control.size_in(leaf, size)
    }

    fn am_recovered(control: &mut Control, leaf: u32, size: &Resource) {
        if let Some(ledger) = control.ledger(leaf) {
            ledger.am_usage.add(size);
        }
    }

    fn left(control: &mut Control, app: &AppShared, stood: LeafEntry, _goes_on: bool) {
        control.has_left(app, stood);
    }

    fn gave_up(_control: &mut Control, _app: &AppShared, _leaf: u32) {}

    fn moving(control: &Control, app: &App, queue: &str) -> Result<Option<LeafEntry>, Refused> {
        control.target_of_move(app, queue)
    }

    fn moved(control: &mut Control, app: &AppShared, stood: LeafEntry, am: &Resource) {
        control.has_moved(app, stood, am);
    }

    fn plan_queues(control: &mut Control) -> Option<&mut dyn PlanQueues> {
        Some(control)
    }

    fn named(control: &Control, queue: &str) -> Result<u32, Refused> {
        control.queue_named(queue)
    }

    fn resized(_control: &mut Control, _node: &Arc<NodeShared>, _kill: bool) {}

    fn worker_given_up(_control: &mut Control, _worker: usize) {}

    fn partitions_changed(_control: &mut Control) {}

    fn user_of_label(&self, _label: &str) -> Option<String> {
        None
    }

    fn cluster_changed(control: &mut Control) {
        control.follow_cluster();
    }

    fn publishing(control: &mut Control) {
        control.before_publish();
    }

    fn queue_published(control: &mut Control, queue: u32) -> QueueTerms<FairDecider> {
        control.terms(queue)
    }

    #[cfg(feature = "faults")]
    fn audited(control: &Control, waiting: usize, _agreed: &mut BTreeMap<String, String>, wrong: &mut Vec<String>) {
        control.audit_lists(waiting, wrong);
    }
}
