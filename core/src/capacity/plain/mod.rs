//! A plain CapacityScheduler: one thread, maps and lists, every rule where the reference has it.
//!
//! It decides by the same rooms as the rest of `capacity`, but walks and sorts where those who have to be fast keep things in order. It
//! speaks the words of recordings: a step in, what it shows out. What it shows is held against recordings of Hadoop, and what others
//! show against it.

mod asking;

mod commit;

mod ending;

mod life;

mod parallel;

mod pass;

mod refresh;

mod view;

pub use view::difference;

use super::allocator::{Row, Rules};
use super::arith::Arith;
use super::asks::Asks;
use super::leaf::{Candidate, Leaf};
use super::order::{AppRank, FairCache};
use super::tree::{Named, ROOT, Tree};
use super::users::{LimitInputs, UserRecord};
use crate::config::capacity::{AppOrdering, CapacityFile, CapacityFileError, MixedFractions};
use crate::resource::Resource;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

type Properties = BTreeMap<String, String>;

/// Why a step is refused, as recordings name it.
#[derive(Debug)]
struct Refused {
    kind: &'static str,
    message: Option<String>,
}

impl Refused {
    fn new(kind: &'static str) -> Refused {
        Refused { kind, message: None }
    }
}

/// What is counted of a queue.
#[derive(Debug, Default)]
struct Counts {
    /// Reservations included.
    used: Resource,
    reserved: Resource,
    /// What its applications have reserved now: another figure than `reserved` after a move.
    reserved_by_apps: Resource,
    pending: Resource,
    containers: i64,
    /// Of a parent; a leaf counts its lists.
    applications: i64,
    runnable: i64,
    used_capacity: f32,
    absolute_used_capacity: f32,
}

#[derive(Debug)]
struct Container {
    node: usize,
    size: Resource,
    priority: i32,
    am: bool,
    launched: bool,
    /// What it was taken from, until its AM has seen it.
    asked: Option<Vec<(String, Row)>>,
}

#[derive(Clone, Copy, Debug)]
struct Reserved {
    number: u32,
    node: usize,
    key: i32,
    size: Resource,
}

/// Where an application's headroom comes from: whom the last publication was for.
#[derive(Clone, Copy, Debug)]
struct Publication {
    leaf: u32,
    user: UserRecord,
}

#[derive(Debug)]
struct App {
    user: String,
    leaf: u32,
    /// The queue's name as submitted; the full path after a move.
    queue: String,
    priority: i32,
    submitted_priority: i32,
    managed: bool,
    has_am: bool,
    am: Resource,
    start_ms: u64,
    runnable: bool,
    asks: Asks,
    opportunities: BTreeMap<i32, u32>,
    re_reservations: BTreeMap<i32, u32>,
    used: Resource,
    reserved: Resource,
    containers: BTreeMap<u32, Container>,
    /// In the order in which they were made.
    reservations: Vec<Reserved>,
    last_number: u32,
    publication: Option<Publication>,
    blacklist: BTreeSet<String>,
    fair: FairCache,
    /// Containers marked for preemption that the AM has not heard of.
    to_tell: BTreeSet<u32>,
}

#[derive(Debug)]
struct Node {
    name: String,
    rack: String,
    total: Resource,
    free: Resource,
    reservation: Option<(u32, u32)>,
}

/// See the module's text.
#[derive(Debug)]
pub struct Plain {
    site: Properties,
    properties: Properties,
    arith: Arith,
    minimum: Resource,
    maximum: Resource,
    tree: Tree,
    counts: Vec<Counts>,
    leaves: Vec<Option<Leaf>>,
    apps: BTreeMap<u32, App>,
    ever: BTreeSet<u32>,
    /// In the order in which they came.
    nodes: Vec<Option<Node>>,
    /// Ended containers that their nodes still have, with their node and size.
    lingering: BTreeMap<(u32, u32), (usize, Resource)>,
    cluster: Resource,
    now_ms: u64,
    /// Of the users, by name: applications that may run, and those that wait.
    running_of: BTreeMap<String, i64>,
    waiting_of: BTreeMap<String, Vec<u32>>,
    // What the present step has done.
    allocated: Vec<Value>,
    new_containers: Vec<(u32, u32)>,
    ended: BTreeSet<(u32, u32)>,
}

/// The figures that limits of users come from, of one leaf.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    arith: Arith,
    cluster: Resource,
    minimum: Resource,
    guaranteed: Resource,
    maximum: Resource,
    user_limit: f32,
    factor: f32,
    am_percent: f32,
}

impl Bounds {
    fn inputs(&self) -> LimitInputs<'_> {
        LimitInputs {
            arith: self.arith,
            cluster: &self.cluster,
            minimum: &self.minimum,
            guaranteed: &self.guaranteed,
            maximum: &self.maximum,
            user_limit: self.user_limit,
            factor: self.factor,
        }
    }
}

fn properties(of: Option<&Value>) -> Properties {
    let pairs = of.and_then(Value::as_object).into_iter().flatten();
    pairs.filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned()))).collect()
}

fn read_file(site: &Properties, properties: &Properties) -> Result<CapacityFile, CapacityFileError> {
    let pairs = |map: &Properties| map.iter().map(|(n, v)| (n.clone(), v.clone())).collect::<Vec<_>>();
    let (own, site) = (pairs(properties), pairs(site));
    CapacityFile::from_properties(
        own.iter().map(|(name, value)| (name.as_str(), value.as_str())),
        site.iter().map(|(name, value)| (name.as_str(), value.as_str())),
    )
}

fn text<'a>(step: &'a Value, field: &str) -> &'a str {
    step.get(field).and_then(Value::as_str).unwrap_or_default()
}

fn number(step: &Value, field: &str) -> u32 {
    step.get(field).and_then(Value::as_u64).and_then(|n| u32::try_from(n).ok()).unwrap_or_default()
}

impl Plain {
    /// The scheduler of a recording, before its first step.
    ///
    /// # Errors
    /// As [`CapacityFile::from_properties`].
    pub fn new(scenario: &Value) -> Result<Plain, CapacityFileError> {
        let (site, own) = (properties(scenario.get("properties")), properties(scenario.get("capacity")));
        let file = read_file(&site, &own)?;
        let settings = file.settings();
        let arith = Arith { calculator: settings.calculator, types: settings.types.len() };
        let (minimum, maximum) = (settings.minimum, settings.maximum);
        let mut plain = Plain {
            site,
            properties: own,
            arith,
            minimum,
            maximum,
            tree: Tree::new(file, MixedFractions::ByKind)?,
            counts: Vec::new(),
            leaves: Vec::new(),
            apps: BTreeMap::new(),
            ever: BTreeSet::new(),
            nodes: Vec::new(),
            lingering: BTreeMap::new(),
            cluster: Resource::NONE,
            now_ms: 0,
            running_of: BTreeMap::new(),
            waiting_of: BTreeMap::new(),
            allocated: Vec::new(),
            new_containers: Vec::new(),
            ended: BTreeSet::new(),
        };
        plain.make_room();
        plain.cluster_changed();
        Ok(plain)
    }

    /// Does a step; what it shows.
    pub fn step(&mut self, step: &Value) -> Value {
        let mut shown = Map::new();
        let (mut reason, op) = ("", text(step, "op"));
        let outcome = match op {
            "node-add" => {
                self.add_node(text(step, "node"), text(step, "rack"), self.resource(step.get("resource")));
                Ok(())
            }
            "node-remove" => {
                reason = "node-lost";
                self.remove_node(text(step, "node"))
            }
            "heartbeat" => {
                reason = "preempted";
                self.find_node(text(step, "node")).map(|node| self.heartbeat(node))
            }
            "submit" => self.submit(step),
            "ask" => self.ask(step, &mut shown),
            "release" => {
                reason = "released";
                self.release(number(step, "app"), number(step, "container"))
            }
            "launch" => self.launch(number(step, "app"), number(step, "container")),
            "complete" => {
                reason = "completed";
                self.complete(number(step, "app"), number(step, "container"))
            }
            "finish" => {
                reason = "app-finished";
                self.finish(number(step, "app"))
            }
            "advance" => {
                self.now_ms += step.get("ms").and_then(Value::as_u64).unwrap_or_default();
                Ok(())
            }
            "priority" => {
                let priority = step.get("priority").and_then(Value::as_i64).unwrap_or_default();
                self.set_priority(number(step, "app"), i32::try_from(priority).unwrap_or_default())
            }
            "move" => self.move_app(number(step, "app"), text(step, "queue")),
            "reload" => self.reload(properties(step.get("capacity"))),
            "update" => Ok(()),
            _ => Err(Refused::new("not-built")),
        };
        if let Err(refused) = outcome {
            let mut error = Map::from_iter([("kind".to_owned(), json!(refused.kind))]);
            if let Some(message) = refused.message {
                error.insert("message".to_owned(), json!(message));
            }
            shown.insert("error".to_owned(), Value::Object(error));
        }
        self.acquire_masters();
        self.show_step(&mut shown, reason);
        if matches!(op, "update" | "move" | "reload") {
            self.show_queues(&mut shown, false);
        }
        Value::Object(shown)
    }

    /// Adds to what the last step shows what is only shown at the end.
    pub fn show_end(&mut self, shown: &mut Value) {
        if let Some(shown) = shown.as_object_mut() {
            self.show_queues(shown, true);
            self.show_nodes(shown);
        }
    }

    fn resource(&self, of: Option<&Value>) -> Resource {
        let types = &self.tree.file.settings().types;
        let mut out = Resource::NONE;
        for (name, amount) in of.and_then(Value::as_object).into_iter().flatten() {
            if let (Some(index), Some(amount)) = (types.index(name), amount.as_i64()) {
                out = out.with(index, amount);
            }
        }
        out
    }

    // ------------------------------------------------------------------------------------------------ looking things up

    fn leaf(&self, slot: u32) -> &Leaf {
        self.leaves[slot as usize].as_ref().expect("a leaf queue")
    }

    fn leaf_mut(&mut self, slot: u32) -> &mut Leaf {
        self.leaves[slot as usize].as_mut().expect("a leaf queue")
    }

    fn app(&self, app: u32) -> &App {
        &self.apps[&app]
    }

    fn app_mut(&mut self, app: u32) -> &mut App {
        self.apps.get_mut(&app).expect("an application that has not ended")
    }

    fn node(&self, node: usize) -> &Node {
        self.nodes[node].as_ref().expect("a node that is there")
    }

    fn node_mut(&mut self, node: usize) -> &mut Node {
        self.nodes[node].as_mut().expect("a node that is there")
    }

    fn find_node(&self, name: &str) -> Result<usize, Refused> {
        let is_it = |node: &Option<Node>| node.as_ref().is_some_and(|node| node.name == name);
        self.nodes.iter().position(is_it).ok_or_else(|| Refused::new("no-such-node"))
    }

    fn bounds(&self, slot: u32) -> Bounds {
        let node = self.tree.get(slot);
        let leaf = node.leaf().expect("a leaf queue");
        Bounds {
            arith: self.arith,
            cluster: self.cluster,
            minimum: self.minimum,
            guaranteed: *node.guaranteed(),
            maximum: *node.maximum(),
            user_limit: leaf.user_limit,
            factor: leaf.user_limit_factor,
            am_percent: leaf.max_am_resource_percent,
        }
    }

    fn ordering(&self, slot: u32) -> AppOrdering {
        self.tree.get(slot).leaf().expect("a leaf queue").ordering.clone()
    }

    fn rank(&self, number: u32) -> AppRank {
        // One that has ended may be left behind in a list (13.3).
        let Some(app) = self.apps.get(&number) else {
            return AppRank { number, priority: 0, start_ms: 0, fair: FairCache::default() };
        };
        AppRank { number, priority: app.priority, start_ms: app.start_ms, fair: app.fair }
    }

    /// The most that one container may have: the configured maximum, no more than the largest node.
    fn largest(&self) -> Resource {
        let mut totals = self.nodes.iter().flatten().map(|node| node.total);
        let Some(first) = totals.next() else { return self.maximum };
        totals.fold(first, |most, total| most.most(&total)).least(&self.maximum)
    }

    /// The same in a queue, as asks are checked.
    fn largest_in(&self, queue: &str) -> Resource {
        let largest = self.largest();
        match self.tree.find(queue) {
            Named::Queue(slot) if self.tree.get(slot).config.kind.is_leaf() => {
                self.tree.get(slot).config.maximum_allocation.least(&largest)
            }
            Named::Queue(_) | Named::Ambiguous | Named::Unknown => largest,
        }
    }

    fn rules(&self, leaf: u32) -> Rules {
        let (settings, node) = (self.tree.file.settings(), self.tree.get(leaf));
        Rules {
            arith: self.arith,
            cluster: self.cluster,
            nodes: u32::try_from(self.nodes.iter().flatten().count()).unwrap_or(u32::MAX),
            node_locality_delay: settings.node_locality_delay,
            rack_locality_additional_delay: settings.rack_locality_additional_delay,
            continue_looking: settings.reservations_continue_look_all_nodes,
            maximum_allocation: node.config.maximum_allocation,
            minimum_allocation_factor: node.leaf().map_or(0.0, |leaf| leaf.minimum_allocation_factor),
        }
    }

    /// Applications of a queue.
    fn applications(&self, slot: u32) -> i64 {
        match &self.leaves[slot as usize] {
            Some(leaf) => i64::try_from(leaf.applications()).unwrap_or(i64::MAX),
            None => self.counts[slot as usize].applications,
        }
    }

    /// Room for what is counted of queues that have come.
    fn make_room(&mut self) {
        for slot in self.counts.len()..self.tree.len() {
            let slot = u32::try_from(slot).expect("fewer queues than slots");
            self.counts.push(Counts::default());
            self.leaves.push(self.tree.get(slot).config.kind.is_leaf().then(Leaf::default));
        }
    }

    // ------------------------------------------------------------------------------------------------ counting

    /// 5.3
    fn work_out_statistics(&mut self, slot: u32) {
        let (arith, cluster) = (self.arith, self.cluster);
        let guaranteed = arith.most(&cluster, self.tree.get(slot).guaranteed(), &self.minimum);
        let counts = &mut self.counts[slot as usize];
        let zero = Resource::NONE;
        if !arith.is_greater(&cluster, &cluster, &zero) {
            (counts.used_capacity, counts.absolute_used_capacity) = (0.0, 0.0);
            return;
        }
        counts.absolute_used_capacity = arith.divide(&cluster, &counts.used, &cluster);
        counts.used_capacity = arith.divide(&cluster, &counts.used, &guaranteed);
    }

    fn charge_queue(&mut self, slot: u32, amount: &Resource, containers: i64) {
        let counts = &mut self.counts[slot as usize];
        counts.used = counts.used.plus(amount);
        counts.containers += containers;
        self.work_out_statistics(slot);
    }

    /// A container or a reservation comes to a leaf (`containers` 1) or goes (-1); the queues above follow by themselves.
    fn charge_leaf(&mut self, slot: u32, user: &str, amount: &Resource, containers: i64) {
        self.charge_queue(slot, amount, containers);
        let (arith, cluster, weight) = (self.arith, self.cluster, self.tree.user_weight(slot, user));
        let users = &mut self.leaf_mut(slot).users;
        let record = users.ensure(user, || weight);
        users.charge(record, amount, arith, &cluster);
    }

    fn charge_above(&mut self, slot: u32, amount: &Resource, containers: i64) {
        let above: Vec<u32> = self.tree.path(slot).skip(1).collect();
        above.into_iter().for_each(|queue| self.charge_queue(queue, amount, containers));
    }

    fn add_pending(&mut self, slot: u32, amount: &Resource) {
        let path: Vec<u32> = self.tree.path(slot).collect();
        for queue in path {
            let pending = &mut self.counts[queue as usize].pending;
            *pending = pending.plus(amount);
        }
    }

    fn add_reserved(&mut self, slot: u32, amount: &Resource) {
        let path: Vec<u32> = self.tree.path(slot).collect();
        for queue in path {
            let reserved = &mut self.counts[queue as usize].reserved;
            *reserved = reserved.plus(amount);
        }
    }

    fn add_reserved_by_apps(&mut self, slot: u32, amount: &Resource) {
        let path: Vec<u32> = self.tree.path(slot).collect();
        for queue in path {
            let reserved = &mut self.counts[queue as usize].reserved_by_apps;
            *reserved = reserved.plus(amount);
        }
    }

    // ------------------------------------------------------------------------------------------------ the cluster

    /// Reference 6.
    fn cluster_changed(&mut self) {
        let cluster = self.cluster;
        self.tree.cluster_changed(&cluster).expect("what fails with the nodes has failed with the file");
        self.spread_limits(ROOT, cluster);
    }

    fn spread_limits(&mut self, slot: u32, limit: Resource) {
        if self.leaves[slot as usize].is_some() {
            self.leaf_cluster_changed(slot, limit);
            return;
        }
        let limit = self.arith.least(&self.cluster, &limit, self.tree.get(slot).maximum());
        for child in self.tree.get(slot).children.clone() {
            let used = &self.counts[slot as usize].used;
            let of_child = limit.minus(used).plus(&self.counts[child as usize].used);
            self.spread_limits(child, self.arith.round_down(&of_child, &self.minimum));
        }
        self.work_out_statistics(slot);
    }

    fn leaf_cluster_changed(&mut self, slot: u32, limit: Resource) {
        let (arith, cluster) = (self.arith, self.cluster);
        self.store_limit(slot, &limit);
        let leaf = self.leaf_mut(slot);
        leaf.published_limit = leaf.stored_limit;
        leaf.users.cluster_changed(arith, &cluster);
        self.work_out_statistics(slot);
        self.activate(slot);
        self.leaf_mut(slot).users.invalidate();
        let active: Vec<u32> = self.leaf(slot).active.iter().collect();
        for app in active {
            if self.apps.contains_key(&app) {
                self.user_limit_and_publish(slot, app);
            }
        }
    }

    /// 13.1 step 1
    fn store_limit(&mut self, slot: u32, limit: &Resource) {
        let most = self.arith.round_down(self.tree.get(slot).maximum(), &self.minimum);
        let limit = self.arith.least(&self.cluster, &most, limit);
        self.leaf_mut(slot).stored_limit = limit;
    }

    /// 9
    fn activate(&mut self, slot: u32) {
        let bounds = self.bounds(slot);
        let ordering = self.ordering(slot);
        let mut leaf = self.leaves[slot as usize].take().expect("a leaf queue");
        let candidate = |number: u32| {
            let (user, am) = self.apps.get(&number).map(|app| (app.user.clone(), app.am)).unwrap_or_default();
            Candidate { rank: self.rank(number), user, am }
        };
        let weight = |user: &str| self.tree.user_weight(slot, user);
        leaf.activate(&ordering, bounds.am_percent, &bounds.inputs(), candidate, weight);
        self.leaves[slot as usize] = Some(leaf);
    }

    /// The limit of an application's user; the leaf's limit and where its headroom comes from are published. `None` without a record.
    fn user_limit_and_publish(&mut self, slot: u32, app: u32) -> Option<Resource> {
        let user = self.app(app).user.clone();
        let bounds = self.bounds(slot);
        let leaf = self.leaf_mut(slot);
        let record = leaf.users.record(&user)?;
        let limit = leaf.users.limit_of(&user, super::users::Sharing::Active, &bounds.inputs());
        self.publish(slot, app, record);
        Some(limit)
    }

    fn publish(&mut self, slot: u32, app: u32, user: UserRecord) {
        let leaf = self.leaf_mut(slot);
        leaf.published_limit = leaf.stored_limit;
        self.app_mut(app).publication = Some(Publication { leaf: slot, user });
    }

    /// 15
    fn headroom(&mut self, app: u32) -> Resource {
        let Some(Publication { leaf: slot, user: record }) = self.app(app).publication else { return Resource::NONE };
        let user = self.app(app).user.clone();
        let (arith, cluster, bounds) = (self.arith, self.cluster, self.bounds(slot));
        let queue_used = self.counts[slot as usize].used;
        let free = cluster.minus(&self.counts[ROOT as usize].used);
        let leaf = self.leaf_mut(slot);
        let limit = leaf.users.limit_of(&user, super::users::Sharing::Active, &bounds.inputs());
        let of_user = limit.minus_non_negative(&leaf.users.at(record).used);
        let of_queue = leaf.published_limit.minus_non_negative(&queue_used);
        let both = arith.round_down(&of_user.least(&of_queue), &bounds.minimum);
        let headroom = arith.least(&cluster, &free, &both);
        if headroom.memory_mb() < 0 { headroom.with(0, 0) } else { headroom }
    }

    fn add_node(&mut self, name: &str, rack: &str, total: Resource) {
        let (name, rack) = (name.to_owned(), rack.to_owned());
        self.nodes.push(Some(Node { name, rack, total, free: total, reservation: None }));
        self.cluster = self.cluster.plus(&total);
        self.cluster_changed();
    }
}
