//! capacity-scheduler.xml: the whole scheduler, then queue by queue.
//!
//! Hadoop's `FSConfigToCSConfigConverter` and `FSQueueConverter`, with the order of their warnings.

use super::context::Context;
use super::error::ConvertError;
use super::percentages::{percentages, text};
use super::property_prefixes::{CAPACITY, PREEMPTION, of_queue};
use super::rules::{RuleHandler, Unsupported};
use super::safe_values;
use crate::allocation_file::PolicyName;
use crate::hash_order::hash_order;
use crate::java::{self, float_text};
use evenweave_resource::Resource;
use std::collections::{BTreeMap, HashMap};

/// No check of what AMs have.
const NO_AM_SHARE: f32 = -1.0;

/// Properties so far.
type Properties = BTreeMap<String, String>;

impl Context<'_> {
    /// The properties to be written, mapping rules aside.
    pub(super) fn properties(&self, handler: &mut RuleHandler<'_>) -> Result<Properties, ConvertError> {
        let mut out = Properties::new();
        self.whole_scheduler(&mut out);
        let containers = self.largest_containers();
        let parts = safe_values::maximum_capacities(self);
        for queue in self.tree.in_order() {
            self.queue(queue, &containers, &parts, handler, &mut out)?;
        }
        Ok(out)
    }

    fn whole_scheduler(&self, out: &mut Properties) {
        let mut set = |name: String, value: String| drop(out.insert(name, value));
        for (name, limit) in [("", self.file.queue_max_apps), ("user.", self.file.user_max_apps)] {
            if limit != i32::MAX {
                set(format!("{CAPACITY}{name}max-parallel-apps"), limit.to_string());
            }
        }
        for (user, limit) in &self.file.users {
            set(format!("{CAPACITY}user.{user}.max-parallel-apps"), limit.to_string());
        }
        let share = self.file.queue_max_am_share;
        let share = if share == NO_AM_SHARE { 1.0 } else { share };
        set(format!("{CAPACITY}maximum-am-resource-percent"), float_text(share));
        if self.options.observe_only {
            set(format!("{PREEMPTION}observe_only"), "true".to_owned());
        }
    }

    /// The largest container of each queue, its own or the one of the queue above; by index.
    fn largest_containers(&self) -> Vec<Option<Resource>> {
        let mut out: Vec<Option<Resource>> = vec![None; self.tree.queues.len()];
        for index in self.tree.in_order() {
            let queue = &self.tree.queues[index];
            let own = self.settings(queue).and_then(|settings| settings.max_container);
            let bounded = |own: &Resource| {
                (0..self.types.len()).any(|lane| own.get(lane) != if lane == 1 { i32::MAX.into() } else { i64::MAX })
            };
            out[index] = match queue.parent {
                None => own,
                Some(parent) => own.filter(bounded).or(out[parent]),
            };
        }
        out
    }

    fn queue(
        &self,
        index: usize,
        containers: &[Option<Resource>],
        parts: &[f32],
        handler: &mut RuleHandler<'_>,
        out: &mut Properties,
    ) -> Result<(), ConvertError> {
        let queue = &self.tree.queues[index];
        let (name, settings) = (queue.name.as_str(), self.settings(queue));
        let mut set = |field: &str, value: String| drop(out.insert(of_queue(name, field), value));
        handler.check_children(name, queue.children.len())?;
        if !queue.children.is_empty() {
            set("queues", self.tree.children_of(index).collect::<Vec<_>>().join(","));
        }
        let default = self.file.queue_max_am_share;
        let share = settings.and_then(|settings| settings.max_am_share).unwrap_or(default);
        if share == NO_AM_SHARE {
            if default != NO_AM_SHARE {
                set("maximum-am-resource-percent", float_text(1.0));
            }
        } else if (share != 0.0 || self.options.safe) && share != default {
            set("maximum-am-resource-percent", float_text(share));
        }
        let apps = settings.and_then(|settings| settings.max_running_apps).unwrap_or(self.file.queue_max_apps);
        if (apps != i32::MAX || self.options.safe) && apps != self.file.queue_max_apps {
            set("max-parallel-apps", apps.to_string());
        }
        if let Some(largest) = containers[index] {
            let both = |amounts: Resource| (amounts.memory_mb(), amounts.vcores());
            let above = queue.parent.and_then(|parent| containers[parent]).map(both);
            if above != Some(both(largest)) {
                let memory = largest.memory_mb();
                // What does not fit 32 bits is cut to some other amount; -1 is no limit.
                let memory = if self.options.safe && memory > i32::MAX.into() { -1 } else { java::int_value(memory) };
                set("maximum-allocation-mb", memory.to_string());
                set("maximum-allocation-vcores", java::int_value(largest.vcores()).to_string());
            }
        }
        if self.start.preemption && self.is_spared(index) {
            set("disable_preemption", "true".to_owned());
        }
        self.capacities(index, out)?;
        let mut set = |field: &str, value: String| drop(out.insert(of_queue(name, field), value));
        let least = settings.and_then(|settings| settings.min).unwrap_or(Resource::ZERO);
        if (0..self.types.len()).any(|lane| least.get(lane) != 0) {
            handler.handle(Unsupported::MinResources)?;
        }
        if self.outline.has_max_default || settings.is_some_and(|settings| settings.max.is_some()) {
            handler.handle(Unsupported::MaxResources)?;
        }
        let most = if self.options.safe { parts[index] } else { 100.0 };
        set("maximum-capacity", float_text(most));
        if self.start.size_based_weight {
            set("ordering-policy.fair.enable-size-based-weight", "true".to_owned());
        }
        if queue.leaf {
            let fifo = queue.policy == PolicyName::Fifo;
            set("ordering-policy", if fifo { "fifo" } else { "fair" }.to_owned());
            if self.drf && queue.policy == PolicyName::Fair {
                handler.handle(Unsupported::FairAsDrf { queue: name })?;
            }
        }
        if settings.is_some_and(|settings| settings.max_child.is_some()) {
            handler.handle(Unsupported::MaxChildResources)?;
        }
        // With weights all parents make queues, the empty ones included.
        if queue.children.is_empty() && (queue.leaf || self.options.percentages) {
            set("user-limit-factor", float_text(-1.0));
        }
        Ok(())
    }

    /// Whether nothing may be taken from a queue: it says so, or one above it.
    fn is_spared(&self, index: usize) -> bool {
        let queues = &self.tree.queues;
        std::iter::successors(Some(&queues[index]), |queue| queue.parent.map(|parent| &queues[parent]))
            .any(|queue| self.settings(queue).is_some_and(|settings| settings.preemptable == Some(false)))
    }

    /// The capacities of a queue's children; with weights also root's own.
    fn capacities(&self, index: usize, out: &mut Properties) -> Result<(), ConvertError> {
        let queue = &self.tree.queues[index];
        if queue.leaf {
            return Ok(());
        }
        let name = |child: usize| self.tree.queues[child].name.as_str();
        if !self.options.percentages {
            let root: Vec<usize> = queue.parent.is_none().then_some(index).into_iter().collect();
            for siblings in [&root, &queue.children] {
                let mut weights: Vec<f32> = siblings.iter().map(|child| self.weight(*child)).collect();
                if self.options.safe {
                    safe_values::fit_weights(&mut weights);
                }
                for (child, weight) in siblings.iter().zip(weights) {
                    out.insert(of_queue(name(*child), "capacity"), format!("{}w", float_text(weight)));
                }
            }
            out.insert(of_queue(&queue.name, "auto-queue-creation-v2.enabled"), "true".to_owned());
            return Ok(());
        }
        let weights: Vec<f32> = queue.children.iter().map(|child| self.weight(*child)).collect();
        let places: HashMap<&str, usize> = (0..).zip(&queue.children).map(|(at, child)| (name(*child), at)).collect();
        let order = hash_order(queue.children.iter().map(|child| name(*child)));
        let order: Vec<usize> = order.into_iter().map(|name| places[name]).collect();
        let found = if self.options.safe {
            let nothing = out.get(&of_queue(&queue.name, "capacity")).is_some_and(|own| *own == text(0));
            safe_values::percentages(&weights, nothing)
        } else {
            percentages(&weights, &order)?
        };
        for (child, thousandths) in queue.children.iter().zip(found.thousandths) {
            out.insert(of_queue(name(*child), "capacity"), text(thousandths));
        }
        if found.zero_sum {
            out.insert(of_queue(&queue.name, "allow-zero-capacity-sum"), "true".to_owned());
        }
        Ok(())
    }
}
