//! Why an application's ApplicationMaster has not started, in Hadoop's words: the diagnostics of one that is accepted.
//!
//! Hadoop writes them down when it looks at the application, and so does a recording that is played. Where nobody has
//! written any, as in a server over scheduler threads, they are worked out here, as things stand.

use std::cell::OnceCell;
use std::collections::HashMap;

use evenweave::Resource;
use evenweave::parts::java::resource_text;
use evenweave::resource::ResourceTypes;
use evenweave::view::CapacityQueueView;

use super::partitions::{DEFAULT_PARTITION, QueuePart};
use crate::manager::ResourceManager;
use crate::records::AppRecord;
use crate::scheduler::{AppFigures, Basics, FairQueue, Kind, OfCapacity};
use crate::time::stamp;
use crate::value::number::float;

/// How the text begins where it may not start yet.
pub(crate) const NOT_ACTIVATED: &str = "Application is added to the scheduler and is not yet activated. ";
/// How it begins where only a node is lacking.
pub(crate) const ACTIVATED: &str = "Application is Activated, waiting for resources to be assigned for AM. ";

/// What a CapacityScheduler's queue has, for an ApplicationMaster that may start and waits for a node.
/// `label`: of the nodes where it counts; `nodes`: what these have together.
pub(crate) fn on_no_node(types: &ResourceTypes, nodes: &Resource, queue: &CapacityQueueView, label: &str) -> String {
    let percent = |of: f32| float(of * 100.0);
    let queue = QueuePart::of(queue, label);
    format!(
        " Details : AM Partition = {} ; Partition Resource = {} ; Queue's Absolute capacity = {} % ; \
         Queue's Absolute used capacity = {} % ; Queue's Absolute max capacity = {} % ; Queue's capacity (absolute \
         resource) = {} ; Queue's used capacity (absolute resource) = {} ; Queue's max capacity (absolute resource) = \
         {} ; ",
        shown(label),
        resource_text(types, nodes),
        percent(queue.absolute_capacity),
        percent(queue.absolute_used_capacity),
        percent(queue.absolute_maximum_capacity),
        resource_text(types, &queue.guaranteed),
        resource_text(types, &queue.used),
        resource_text(types, &queue.maximum),
    )
}

/// A partition's name in such a text.
fn shown(label: &str) -> &str {
    if label.is_empty() { DEFAULT_PARTITION } else { label }
}

/// Which limit of ApplicationMasters stands against one in a CapacityScheduler's queue, if those of the queue use so
/// much.
pub(crate) fn above_limits(
    basics: &Basics,
    cluster: &Resource,
    queue: &CapacityQueueView,
    used: Option<&Resource>,
    (am, label): (&Resource, &str),
) -> String {
    let types = &basics.types;
    if queue.leaf.is_none() {
        return String::new();
    }
    let leaf = QueuePart::of(queue, label);
    let used = used.unwrap_or(&leaf.am_used);
    let is_in_queue = used.plus(am);
    let of_queue = match basics.dominant {
        true => !is_in_queue.fits_in(&leaf.am_limit),
        false => is_in_queue.memory_mb() > leaf.am_limit.memory_mb(),
    };
    let details = format!(
        " Details : AM Partition = {}; AM Resource Request = {}; Queue Resource Limit for AM = {}; User \
         AM Resource Limit of the queue = {}; Queue AM Resource Usage = {}; ",
        shown(label),
        resource_text(types, am),
        resource_text(types, &leaf.am_limit),
        resource_text(types, &leaf.user_am_limit),
        resource_text(types, used),
    );
    if cluster.is_zero() {
        return format!("Skipping AM assignment as cluster resource is empty. {details}");
    }
    match of_queue {
        true => format!("Queue's AM resource limit exceeded. {details}"),
        false => format!("User's AM resource limit exceeded. {details}"),
    }
}

/// Queues by name, looked up once for an answer in which an application waits.
pub(super) struct Waiting<'m> {
    of: &'m ResourceManager,
    capacity: OnceCell<HashMap<String, CapacityQueueView>>,
    fair: OnceCell<HashMap<String, FairQueue>>,
    free: OnceCell<Vec<Resource>>,
}

impl<'m> Waiting<'m> {
    pub(super) fn new(of: &'m ResourceManager) -> Waiting<'m> {
        Waiting { of, capacity: OnceCell::new(), fair: OnceCell::new(), free: OnceCell::new() }
    }

    /// Why it waits; nothing where that is not known. `am`: what is asked for its ApplicationMaster.
    pub(super) fn told(&self, app: &AppRecord, figures: &AppFigures, am: Option<&Resource>) -> Option<String> {
        let says = match self.of.scheduler().basics().kind {
            Kind::Capacity => self.in_capacity(figures, figures.of_capacity.as_ref()?)?,
            Kind::Fair => format!("{NOT_ACTIVATED}{}", self.in_fair(app, figures, am)?),
        };
        Some(format!("{} {says}", stamp(self.of.now_ms())))
    }

    fn in_capacity(&self, figures: &AppFigures, of: &OfCapacity) -> Option<String> {
        let (scheduler, by_name) = (self.of.scheduler(), |view: CapacityQueueView| (view.name.clone(), view));
        let queues = self.capacity.get_or_init(|| scheduler.capacity_queues().into_iter().map(by_name).collect());
        let queue = queues.get(&figures.queue)?;
        // Of one that waits for `max-parallel-apps` Hadoop says nothing.
        if !figures.runnable {
            return None;
        }
        Some(match of.is_active {
            true => {
                let nodes = &figures.nodes;
                format!("{ACTIVATED}{}", on_no_node(&scheduler.basics().types, nodes, queue, &of.am_label))
            }
            false => {
                let am = (&of.am, of.am_label.as_str());
                let why = above_limits(scheduler.basics(), &scheduler.cluster(), queue, None, am);
                format!("{NOT_ACTIVATED}{why}")
            }
        })
    }

    fn in_fair(&self, app: &AppRecord, figures: &AppFigures, am: Option<&Resource>) -> Option<String> {
        let (scheduler, by_name) = (self.of.scheduler(), |queue: FairQueue| (queue.view.name.clone(), queue));
        let queues = self.fair.get_or_init(|| scheduler.fair_queues().into_iter().map(by_name).collect());
        let leaf = queues.get(&figures.queue)?;
        if !figures.runnable {
            let mut above = crate::records::upwards(&figures.queue).filter_map(|name| queues.get(name));
            let is_full = above.any(|queue| queue.view.runnable >= queue.view.max_running_apps);
            let who = match is_full {
                true => format!("The queue \"{}\"", figures.queue),
                false => format!("The user \"{}\"", app.user),
            };
            return Some(format!("{who} has reached the maximum limit of runnable applications."));
        }
        let am = am?;
        let asked = format!(" (Resource request: {}", resource_text(&scheduler.basics().types, am));
        let has_limit = leaf.view.leaf && leaf.max_am_share > -0.5;
        if has_limit && !leaf.view.am_usage.plus(am).fits_in(&leaf.am_limit) {
            return Some(format!("{asked} exceeds maximum AM resource allowed)."));
        }
        let above = crate::records::upwards(&figures.queue).filter_map(|name| queues.get(name));
        for FairQueue { view, .. } in above {
            if !view.usage.plus(am).fits_in(&view.max_share) {
                let most = resource_text(&scheduler.basics().types, &leaf.view.max_share);
                return Some(format!(
                    "{asked} exceeds current queue or its parents maximum resource allowed). Max share of queue: {most}"
                ));
            }
        }
        let free = self.free.get_or_init(|| scheduler.nodes().into_iter().map(|node| node.free).collect());
        let fits = free.iter().any(|free| am.fits_in(free));
        (!fits)
            .then(|| format!("{asked} exceeds the available resources of the node and the request cannot be reserved)"))
    }
}
