//! What the plain scheduler knows: queues, applications, nodes.

use super::settings::{Properties, properties, read_file, read_preemption};
use crate::capacity::allocator::{Row, Rules};
use crate::capacity::arith::Arith;
use crate::capacity::asks::Asks;
use crate::capacity::bounds::Bounds;
use crate::capacity::killable::Killable;
use crate::capacity::leaf::Leaf;
use crate::capacity::order::{AppRank, FairCache};
use crate::capacity::ordered::Ordered;
use crate::capacity::preempted::Candidate;
use crate::capacity::tree::{Named, Tree};
use crate::capacity::users::UserRecord;
use crate::config::capacity::{AppOrdering, CapacityFileError, MixedFractions, PreemptionSettings};
use crate::resource::{Resource, Wide};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Why a step is refused, as recordings name it.
#[derive(Debug)]
pub(super) struct Refused {
    pub(super) kind: &'static str,
    pub(super) message: Option<String>,
}

impl Refused {
    pub(super) fn new(kind: &'static str) -> Refused {
        Refused { kind, message: None }
    }
}

/// What is counted of a queue.
#[derive(Debug, Default)]
pub(super) struct Counts {
    /// Reservations included.
    pub(super) used: Resource,
    pub(super) reserved: Resource,
    /// What its applications have reserved now: another figure than `reserved` after a move.
    pub(super) reserved_by_apps: Resource,
    pub(super) pending: Wide,
    pub(super) containers: i64,
    /// Of a parent; a leaf counts its lists.
    pub(super) applications: i64,
    pub(super) runnable: i64,
    pub(super) used_capacity: f32,
    pub(super) absolute_used_capacity: f32,
    /// Containers that are marked to go for others that need their room, and their sizes.
    pub(super) killable: BTreeMap<Candidate, Resource>,
}

#[derive(Debug)]
pub(super) struct Container {
    pub(super) node: usize,
    pub(super) size: Resource,
    pub(super) priority: i32,
    pub(super) am: bool,
    pub(super) launched: bool,
    /// So many were made before it.
    pub(super) made: u64,
    /// What it was taken from, until its AM has seen it.
    pub(super) asked: Option<Vec<(String, Row)>>,
}

/// A container that has ended and that its node still has.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lingering {
    pub(super) node: usize,
    pub(super) size: Resource,
    pub(super) am: bool,
    pub(super) made: u64,
    /// In which it ended.
    pub(super) leaf: u32,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Reserved {
    pub(super) number: u32,
    pub(super) node: usize,
    pub(super) key: i32,
    pub(super) size: Resource,
    pub(super) since_ms: u64,
    /// From another node, by a round of the preemption policy.
    pub(super) has_moved: bool,
}

/// Where an application's headroom comes from: whom the last publication was for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Publication {
    pub(super) leaf: u32,
    pub(super) user: UserRecord,
}

#[derive(Debug)]
pub(super) struct App {
    pub(super) user: String,
    pub(super) leaf: u32,
    /// The queue's name as submitted; the full path after a move.
    pub(super) queue: String,
    pub(super) priority: i32,
    pub(super) submitted_priority: i32,
    pub(super) managed: bool,
    pub(super) has_am: bool,
    pub(super) am: Resource,
    pub(super) start_ms: u64,
    pub(super) runnable: bool,
    pub(super) asks: Asks,
    pub(super) opportunities: BTreeMap<i32, u32>,
    pub(super) re_reservations: BTreeMap<i32, u32>,
    pub(super) used: Resource,
    pub(super) reserved: Resource,
    pub(super) containers: BTreeMap<u32, Container>,
    /// In the order in which they were made.
    pub(super) reservations: Vec<Reserved>,
    pub(super) last_number: u32,
    /// Containers with smaller numbers have moved to another leaf with it.
    pub(super) moved_below: u32,
    pub(super) publication: Option<Publication>,
    pub(super) blacklist: BTreeSet<String>,
    pub(super) fair: FairCache,
    /// Containers marked for preemption that the AM has not heard of.
    pub(super) to_tell: BTreeSet<u32>,
}

#[derive(Debug)]
pub(super) struct Node {
    pub(super) name: String,
    pub(super) rack: String,
    pub(super) total: Resource,
    pub(super) free: Resource,
    pub(super) reservation: Option<(u32, u32)>,
    pub(super) killable: Killable,
}

/// See the module's text.
#[derive(Debug)]
pub struct Plain {
    pub(super) site: Properties,
    pub(super) properties: Properties,
    pub(super) arith: Arith,
    pub(super) minimum: Resource,
    pub(super) maximum: Resource,
    pub(super) tree: Tree,
    pub(super) counts: Vec<Counts>,
    pub(super) leaves: Vec<Option<Leaf>>,
    pub(super) apps: BTreeMap<u32, App>,
    /// Those that have ended: a list may still have them (rules/capacity.md 13.3).
    pub(super) gone: BTreeMap<u32, App>,
    /// In the order in which they came.
    pub(super) nodes: Vec<Option<Node>>,
    pub(super) lingering: BTreeMap<(u32, u32), Lingering>,
    /// Containers so far.
    pub(super) made: u64,
    pub(super) cluster: Resource,
    pub(super) now_ms: u64,
    /// Of the users, by name: applications that may run, and those that wait.
    pub(super) running_of: BTreeMap<String, i64>,
    pub(super) waiting_of: BTreeMap<String, Vec<u32>>,
    pub(super) preemption: PreemptionSettings,
    pub(super) marked: BTreeMap<Candidate, u64>,
    // What the present step has done.
    pub(super) allocated: Vec<Value>,
    pub(super) new_containers: Vec<(u32, u32)>,
    pub(super) ended: BTreeSet<(u32, u32)>,
}

impl Plain {
    /// The scheduler of a recording, before its first step.
    ///
    /// # Errors
    /// As `CapacityFile::from_properties`.
    pub fn new(scenario: &Value) -> Result<Plain, CapacityFileError> {
        let (site, own) = (properties(scenario.get("properties")), properties(scenario.get("capacity")));
        let file = read_file(&site, &own)?;
        let settings = file.settings();
        let arith = Arith { calculator: settings.calculator, types: settings.types.len() };
        let (minimum, maximum) = (settings.minimum, settings.maximum);
        let preemption = read_preemption(&site, &own)?;
        let fractions = MixedFractions::of_site(site.iter().map(|(name, value)| (name.as_str(), value.as_str())));
        let mut plain = Plain {
            site,
            properties: own,
            arith,
            minimum,
            maximum,
            tree: Tree::new(file, fractions)?,
            counts: Vec::new(),
            leaves: Vec::new(),
            apps: BTreeMap::new(),
            gone: BTreeMap::new(),
            nodes: Vec::new(),
            lingering: BTreeMap::new(),
            made: 0,
            cluster: Resource::ZERO,
            now_ms: 0,
            running_of: BTreeMap::new(),
            waiting_of: BTreeMap::new(),
            preemption,
            marked: BTreeMap::new(),
            allocated: Vec::new(),
            new_containers: Vec::new(),
            ended: BTreeSet::new(),
        };
        plain.make_room();
        plain.cluster_changed();
        Ok(plain)
    }

    pub(super) fn resource(&self, of: Option<&Value>) -> Resource {
        let types = &self.tree.file.settings().types;
        let mut out = Resource::ZERO;
        for (name, amount) in of.and_then(Value::as_object).into_iter().flatten() {
            if let (Some(index), Some(amount)) = (types.index(name), amount.as_i64()) {
                out = out.with(index, amount);
            }
        }
        out
    }

    // ------------------------------------------------------------------------------------------------ looking things up

    pub(super) fn leaf(&self, slot: u32) -> &Leaf {
        self.leaves[slot as usize].as_ref().expect("a leaf queue")
    }

    pub(super) fn leaf_mut(&mut self, slot: u32) -> &mut Leaf {
        self.leaves[slot as usize].as_mut().expect("a leaf queue")
    }

    pub(super) fn app(&self, app: u32) -> &App {
        self.apps.get(&app).or_else(|| self.gone.get(&app)).expect("an application that was accepted")
    }

    pub(super) fn app_mut(&mut self, app: u32) -> &mut App {
        self.apps.get_mut(&app).or_else(|| self.gone.get_mut(&app)).expect("an application that was accepted")
    }

    pub(super) fn node(&self, node: usize) -> &Node {
        self.nodes[node].as_ref().expect("a node that is there")
    }

    pub(super) fn node_mut(&mut self, node: usize) -> &mut Node {
        self.nodes[node].as_mut().expect("a node that is there")
    }

    pub(super) fn find_node(&self, name: &str) -> Result<usize, Refused> {
        let is_it = |node: &Option<Node>| node.as_ref().is_some_and(|node| node.name == name);
        self.nodes.iter().position(is_it).ok_or_else(|| Refused::new("no-such-node"))
    }

    pub(super) fn bounds(&self, slot: u32) -> Bounds {
        Bounds::of(self.tree.get(slot), self.arith, self.cluster, self.minimum)
    }

    pub(super) fn ordering(&self, slot: u32) -> AppOrdering {
        self.tree.get(slot).leaf().expect("a leaf queue").ordering.clone()
    }

    pub(super) fn rank(&self, number: u32) -> AppRank {
        let app = self.app(number);
        AppRank { recovered: false, number, priority: app.priority, start_ms: app.start_ms, fair: app.fair }
    }

    /// The most that one container may have: the configured maximum, no more than the largest node.
    pub(super) fn largest(&self) -> Resource {
        let mut totals = self.nodes.iter().flatten().map(|node| node.total);
        let Some(first) = totals.next() else { return self.maximum };
        totals.fold(first, |most, total| most.most(&total)).least(&self.maximum)
    }

    /// The same in a queue, as asks are checked.
    pub(super) fn largest_in(&self, queue: &str) -> Resource {
        let largest = self.largest();
        match self.tree.find(queue) {
            Named::Queue(slot) if self.tree.get(slot).config.kind.is_leaf() => {
                self.tree.get(slot).config.maximum_allocation.least(&largest)
            }
            Named::Queue(_) | Named::Ambiguous | Named::Unknown => largest,
        }
    }

    pub(super) fn rules(&self, leaf: u32) -> Rules {
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
    pub(super) fn applications(&self, slot: u32) -> i64 {
        match &self.leaves[slot as usize] {
            Some(leaf) => i64::try_from(leaf.applications()).unwrap_or(i64::MAX),
            None => self.counts[slot as usize].applications,
        }
    }

    /// Room for what is counted of queues that have come.
    pub(super) fn make_room(&mut self) {
        for slot in self.counts.len()..self.tree.len() {
            let slot = u32::try_from(slot).expect("fewer queues than slots");
            self.counts.push(Counts::default());
            self.leaves.push(self.tree.get(slot).config.kind.is_leaf().then(|| Leaf::with_lists(&Ordered::by_place())));
        }
    }
}
