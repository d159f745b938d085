//! Steps of a recording that are alike on both schedulers.

use evenweave::refused::{NotFound, TryAgain};
use evenweave::testing::ByNumber as _;
use evenweave::{Heartbeat, NewNode, NodeHandle, Policy, Refused, SchedulerApi as _, Stepped};

use super::common::{OPERATOR, PORT, asks, resource};
use super::file::Step;
use super::step_records::{Keeping, PROGRESS};
use crate::manager::ResourceManager;
use crate::records::{AppState, FinalStatus};
use crate::scheduler::{CapacitySteps, Steps};

/// A scheduler without threads, behind a lock.
pub(super) trait Locked {
    type Policy: Policy;

    /// Does something with the scheduler.
    fn with<T>(&self, what: impl FnOnce(&mut Stepped<Self::Policy>) -> T) -> T;

    /// The node of a name.
    fn node(&self, name: &str) -> Result<NodeHandle, Refused> {
        self.with(|stepped| stepped.find_node(name)).ok_or_else(|| Refused::NotFound(NotFound::Node(name.to_owned())))
    }

    /// Whether an application waits for the container of its ApplicationMaster.
    fn waits(&self, number: u32) -> bool {
        self.with(|stepped| stepped.app_numbered(number).is_ok_and(|app| app.waits_for_am()))
    }

    /// Ends an application whose ApplicationMaster was lost.
    fn lost(&self, number: u32) {
        if let Ok(app) = self.with(|stepped| stepped.app_numbered(number)) {
            let _ = self.with(|stepped| stepped.finish(&app));
        }
    }
}

impl Locked for Steps {
    type Policy = evenweave::Fair;

    fn with<T>(&self, what: impl FnOnce(&mut Stepped) -> T) -> T {
        self.step(what)
    }
}

impl Locked for CapacitySteps {
    type Policy = evenweave::Capacity;

    fn with<T>(&self, what: impl FnOnce(&mut Stepped<evenweave::Capacity>) -> T) -> T {
        self.step(what)
    }
}

/// Plays a step on either scheduler. `None` of one that each does in its own way.
pub(super) fn play<S: Locked>(
    manager: &ResourceManager,
    steps: &S,
    keeping: &mut Keeping,
    step: &Step,
) -> Option<Result<(), Refused>> {
    let outcome = match step {
        Step::NodeAdd { node, rack, resource: total } => {
            let total = resource(&manager.scheduler().basics().types, total);
            let new = NewNode::new(node, rack, total).with_port(PORT);
            let added = steps.with(|stepped| stepped.register_node(new, Vec::new()));
            added.map(|_| keeping.node(node, rack, total))
        }
        Step::NodeRemove { node } => {
            let handle = steps.node(node);
            let removed = handle.and_then(|handle| steps.with(|stepped| stepped.remove_node(&handle)));
            removed.map(|()| keeping.node_lost(node))
        }
        Step::Ask { app, asks: lines, blacklist_add, blacklist_remove } => {
            let types = manager.scheduler().basics().types.clone();
            let (add, remove) = (texts(blacklist_add), texts(blacklist_remove));
            let outcome = steps.with(|stepped| {
                let asks = asks(&types, lines, |name| stepped.location(name), |name| stepped.label(name));
                stepped.allocate_numbered(*app, &asks, &add, &remove)
            });
            keeping.asked(*app, &outcome, &add, &remove);
            outcome.map(drop)
        }
        Step::Release { app, container } => {
            let released = steps.with(|stepped| stepped.release_numbered(*app, *container));
            released.map(|()| keeping.called(*app, 0.0, &[], &[]))
        }
        Step::Launch { app, container } => {
            let launched = steps.with(|stepped| stepped.launch_numbered(*app, *container));
            launched.map(|()| keeping.called(*app, PROGRESS, &[], &[]))
        }
        Step::Complete { app, container } => {
            let completed = steps.with(|stepped| stepped.complete_numbered(*app, *container));
            completed.map(|()| {
                if keeping.lives(*app, *container) {
                    keeping.called(*app, PROGRESS, &[], &[]);
                }
            })
        }
        Step::Finish { app } => finish(manager, steps, *app),
        Step::KillApp { app } => manager.kill(*app, OPERATOR, None).map(drop),
        Step::Advance { ms } => {
            steps.with(|stepped| stepped.advance(*ms));
            Ok(())
        }
        Step::Move { app, queue } => manager.move_app(*app, queue),
        Step::Follow => {
            // One that is not enabled has nothing to follow.
            let _ = steps.with(|stepped| stepped.follow_plans());
            Ok(())
        }
        Step::NodeLabel { node, label } => {
            keeping.label(node, label);
            if manager.scheduler().basics().labels {
                // The recorder labels the host.
                let label: &[&str] = if label.is_empty() { &[] } else { &[label] };
                manager.scheduler().set_node_labels(&[(node, label)])
            } else {
                Ok(())
            }
        }
        Step::Heartbeat { .. }
        | Step::Submit(_)
        | Step::Update
        | Step::Priority { .. }
        | Step::Reload { .. }
        | Step::Continuous
        | Step::Preempt { .. }
        | Step::Kill => return None,
    };
    Some(outcome)
}

/// An ApplicationMaster ends its application.
fn finish<S: Locked>(manager: &ResourceManager, steps: &S, app: u32) -> Result<(), Refused> {
    let handle = steps.with(|stepped| stepped.app_numbered(app))?;
    if handle.waits_for_am() {
        return Err(TryAgain::NoAm(app).into());
    }
    steps.with(|stepped| stepped.finish(&handle))?;
    let (state, status) = (AppState::Finished, FinalStatus::Succeeded);
    manager.records().ended(app, state, status, String::new(), manager.now_ms());
    Ok(())
}

/// A node is offered.
pub(super) fn heartbeat<S: Locked>(steps: &S, node: &str) -> Result<(), Refused> {
    let handle = steps.node(node)?;
    steps.with(|stepped| stepped.heartbeat(Heartbeat::new(&handle)));
    Ok(())
}

fn texts(of: &[String]) -> Vec<&str> {
    of.iter().map(String::as_str).collect()
}
