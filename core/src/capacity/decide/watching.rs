//! Records what passes try, for a caller that watches.
//!
//! The worker that makes the passes keeps the record, and the passes themselves fill it. A caller takes it between two
//! messages. While nothing is watched, a pass compares once with null.

use crate::capacity::rules::tried::{AppVisited, CapacityPass, PassCourse, Watch, Watched};
use crate::capacity::types::Shard;
use crate::clock::Deadline;
use crate::resource::sorted;
use std::collections::VecDeque;

/// How many whole passes are kept; then the oldest goes.
const PASSES: usize = 64;

/// How long the next pass over a node is waited for.
const PATIENCE_MS: u64 = 60_000;

/// How many visits of applications are kept; then the oldest goes.
const VISITS: usize = 1024;

/// What is to be recorded, and what was.
#[derive(Debug, Default)]
pub(crate) struct Watching {
    /// The next pass, whatever the node.
    any: bool,
    /// Nodes of this worker by name, and until when: one that does not report is not waited for.
    nodes: Vec<(String, Deadline)>,
    /// Applications by number, and until when.
    apps: Vec<(u32, Deadline)>,
    passes: VecDeque<CapacityPass>,
    visits: VecDeque<AppVisited>,
}

impl Watching {
    fn is_idle(&self) -> bool {
        !self.any && self.nodes.is_empty() && self.apps.is_empty() && self.passes.is_empty() && self.visits.is_empty()
    }

    /// Whether a pass over a node is to be recorded: all of it, or visits of some applications.
    fn wants(&mut self, node: &str, now_ms: u64) -> (bool, bool) {
        self.apps.retain(|(_, until)| !until.is_over(now_ms));
        self.nodes.retain(|(_, until)| !until.is_over(now_ms));
        let named = self.nodes.iter().position(|(name, _)| name == node);
        if let Some(at) = named {
            self.nodes.swap_remove(at);
        }
        (self.any || named.is_some(), !self.apps.is_empty())
    }
}

fn keep<T>(all: &mut VecDeque<T>, most: usize, new: T) {
    if all.len() == most {
        all.pop_front();
    }
    all.push_back(new);
}

impl Shard {
    /// Adds to what is to be recorded.
    pub(crate) fn watch(&mut self, what: Watch) {
        let now_ms = self.shared.clock.now_ms();
        match what {
            Watch::AnyNode => self.own.watching.get_or_insert_default().any = true,
            Watch::Node(name) => {
                // No pass of this worker is over another worker's node, and each pass would look for it.
                if self.nodes.present().any(|(_, node)| *node.shared.name == *name) {
                    let watching = self.own.watching.get_or_insert_default();
                    watching.nodes.retain(|(known, _)| *known != name);
                    watching.nodes.push((name, Deadline::after(now_ms, PATIENCE_MS)));
                }
            }
            Watch::App { app, for_ms } => {
                let watching = self.own.watching.get_or_insert_default();
                watching.apps.retain(|(known, _)| *known != app);
                watching.apps.push((app, Deadline::after(now_ms, for_ms)));
            }
        }
    }

    /// Takes what was recorded since the last call.
    pub(crate) fn take_watched(&mut self) -> Watched {
        let now_ms = self.shared.clock.now_ms();
        let Some(mut watching) = self.own.watching.take() else { return Watched { now_ms, ..Watched::default() } };
        let watched = Watched {
            now_ms,
            passes: std::mem::take(&mut watching.passes).into(),
            visits: std::mem::take(&mut watching.visits).into(),
        };
        if !watching.is_idle() {
            self.own.watching = Some(watching);
        }
        watched
    }

    /// Whether a pass over a node is to be told: all of it, or visits of some applications.
    pub(crate) fn is_told(&mut self, node: u32) -> (bool, bool) {
        let now_ms = self.shared.clock.now_ms();
        let Some(watching) = &mut self.own.watching else { return (false, false) };
        let wanted = watching.wants(&self.nodes[node as usize].shared.name, now_ms);
        if watching.is_idle() {
            self.own.watching = None;
        }
        wanted
    }

    /// What a pass has done with a node, to whom it is told.
    pub(crate) fn tell_pass(&mut self, node: u32, (whole, visits): (bool, bool), course: PassCourse) {
        let (node, time_ms) = (self.nodes[node as usize].shared.name.to_string(), self.shared.clock.now_ms());
        let pass = CapacityPass { node, time_ms, course };
        let watching = self.own.watching.get_or_insert_default();
        if visits {
            pass.apps(&mut |app| {
                if watching.apps.iter().any(|(known, _)| *known == app.app) {
                    let (node, app) = (pass.node.clone(), app.clone());
                    let is_of_reservation = matches!(pass.course, PassCourse::Reserved { .. });
                    keep(&mut watching.visits, VISITS, AppVisited { node, time_ms, app, is_of_reservation });
                }
            });
        }
        if whole {
            watching.any &= !pass.tries_something();
            keep(&mut watching.passes, PASSES, pass);
        }
    }
}

impl Watched {
    /// What several workers were told, together.
    pub(crate) fn together(found: impl IntoIterator<Item = Watched>) -> Watched {
        let mut all = Watched::default();
        for watched in found {
            all.passes.extend(watched.passes);
            all.visits.extend(watched.visits);
            all.now_ms = all.now_ms.max(watched.now_ms);
        }
        sorted::by_key(&mut all.passes, |pass| pass.time_ms);
        sorted::by_key(&mut all.visits, |visit| visit.time_ms);
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capacity::decide::moving::tests::{World, stepper};
    use crate::engine::NewNode;
    use crate::resource::Resource;

    #[test]
    fn only_the_worker_of_a_node_waits_for_it_and_not_for_ever() {
        let mut stepper = stepper();
        let total = Resource::new(1024, 1);
        let spec = NewNode::new("n1", "/r1", total);
        let owner = stepper.control().add_node(&spec).unwrap().owner;
        stepper.pump();
        let watched = |stepper: &mut World| -> Vec<usize> {
            stepper.shards().filter(|shard: &&mut Shard| shard.own.watching.is_some()).map(|shard| shard.id()).collect()
        };
        stepper.shards().for_each(|shard| shard.watch(Watch::Node("n1".to_owned())));
        assert_eq!(watched(&mut stepper), [owner]);
        stepper.shards().for_each(|shard| shard.watch(Watch::Node("elsewhere".to_owned())));
        let mut watching = stepper.shards().find_map(|shard| shard.own.watching.take()).unwrap();
        assert_eq!(watching.wants("n2", PATIENCE_MS - 1), (false, false));
        assert!(!watching.is_idle());
        assert_eq!(watching.wants("n1", PATIENCE_MS), (false, false));
        assert!(watching.is_idle(), "whoever asked has waited long enough");
    }
}
