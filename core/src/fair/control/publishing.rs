//! What follows from settings and cluster, and what of it is published: steady fair shares, the order of names, each
//! queue.

use super::settings::QueueTree;
use crate::caught::caught;
use crate::engine::control::QueueTerms;
use crate::fair::engine::{Control, FairDecider};
use crate::fair::published::FairPublished;
use crate::policy::ShareInput;
use crate::queue::java_name_order;
use crate::resource::sorted;
use crate::resource::{Calculator, Resource};

impl QueueTree {
    /// Distributes steady fair shares from the root down, among the children of all queues or of those that `divided`
    /// names; returns the queues whose share changed. Where a policy panics those below its queue stay as they are, and
    /// what it said goes to `panics`.
    pub(crate) fn compute_steady_shares(
        &mut self,
        types: usize,
        cluster: &Resource,
        divided: impl Fn(u32) -> bool,
        panics: &mut Vec<String>,
    ) -> Vec<u32> {
        let mut changed = Vec::new();
        let mut inputs: Vec<ShareInput> = Vec::new();
        let Some(root) = self.find(crate::config::ROOT) else { return changed };
        if self.get(root).own.steady_fair_share != *cluster {
            self.get_mut(root).own.steady_fair_share = *cluster;
            changed.push(root);
        }
        let mut todo = vec![root];
        while let Some(at) = todo.pop() {
            let queue = self.get(at);
            if queue.leaf || !divided(at) {
                continue;
            }
            inputs.clear();
            inputs.extend(queue.children().map(|child| {
                let child = self.get(child);
                ShareInput {
                    weight: child.own.weight,
                    min: child.own.min_share,
                    max: child.own.max_share(cluster),
                    active: true,
                    start_ms: 0,
                    sequence: 0,
                    share: child.own.steady_fair_share,
                }
            }));
            let own = &queue.own;
            let share = |inputs: &mut [_]| own.policy.compute_shares(types, &own.steady_fair_share, inputs, true);
            if let Err(message) = caught(|| share(&mut inputs)) {
                panics.push(message);
                continue;
            }
            let children: Vec<_> = queue.children().collect();
            for (child, input) in children.iter().zip(&inputs) {
                let queue = self.get_mut(*child);
                if queue.own.steady_fair_share != input.share {
                    queue.own.steady_fair_share = input.share;
                    changed.push(*child);
                }
            }
            todo.extend(children);
        }
        changed
    }
}

impl Control {
    /// Distributes steady shares; what changed is published anew.
    pub(super) fn steady_shares(&mut self) {
        self.steady_shares_within(|_| true);
    }

    /// The same as far as the share of one queue needs it.
    pub(super) fn steady_share_of(&mut self, slot: u32) {
        let above: Vec<u32> = self.tree.path(slot).skip(1).map(|queue| queue.slot.index).collect();
        self.steady_shares_within(|queue| above.contains(&queue));
    }

    fn steady_shares_within(&mut self, divided: impl Fn(u32) -> bool) {
        let mut panics = Vec::new();
        let changed = self.tree.compute_steady_shares(self.shared.types, &self.nodes.total(), divided, &mut panics);
        self.dirty.extend(changed);
        panics.into_iter().for_each(|message| self.embedder_panicked(message));
    }

    /// What was put off until the publish.
    pub(super) fn before_publish(&mut self) {
        if std::mem::take(&mut self.own.steady_pending) {
            self.steady_shares();
        }
        for parent in &self.children_changed {
            let Some(queue) = self.tree.at(*parent) else { continue };
            let mut children: Vec<_> = queue.children().collect();
            sorted::by(&mut children, |a, b| java_name_order(&self.tree.get(*a).name, &self.tree.get(*b).name));
            for (child, name_order) in children.into_iter().zip(0..) {
                self.tree.get_mut(child).own.name_order = name_order;
            }
        }
    }

    /// Percentages and steady shares follow the cluster.
    pub(super) fn follow_cluster(&mut self) {
        let percent = |slot: &u32| self.tree.at(*slot).is_some_and(|queue| queue.own.raw_max.absolute().is_none());
        let follow: Vec<_> =
            (0..self.tree.width()).map(|slot| u32::try_from(slot).expect("slots are u32")).filter(percent).collect();
        self.dirty.extend(follow);
        self.own.steady_pending = true;
    }

    /// A queue as it is published.
    pub(super) fn terms(&mut self, slot: u32) -> QueueTerms<FairDecider> {
        let policy = self.tree.get(slot).own.policy.clone();
        let calculator = self.asked(|| policy.calculator()).unwrap_or(Calculator::Dominant);
        let queue = self.tree.get(slot);
        let own = &queue.own;
        QueueTerms {
            limits_by_label: Vec::new(),
            limit: own.max_share(&self.nodes.total()),
            max_container: self.tree.max_container(slot),
            own: FairPublished {
                dynamic: own.dynamic,
                policy,
                calculator,
                weight: own.weight,
                min_share: own.min_share,
                max_am_share: own.max_am_share,
                max_running_apps: u32::try_from(queue.max_running_apps).unwrap_or(0),
                steady_fair_share: own.steady_fair_share,
                preemption: self.preemption_of(queue),
                name_order: own.name_order,
            },
        }
    }
}
