//! What a worker knows of its leaf queues beside what the engine keeps: usage with reservations, lists of applications, users, limits.
//!
//! Owned by one worker, and run by it, between two steps of the engine. The rules themselves are `capacity`'s; here they are given what
//! they are about. Reference 5.3, 6, 8.3, 9, 13 to 15, 20, 21, 23.

mod charging;

mod limits;

mod life;

mod order;

use super::published::CapacityPublished;
use crate::capacity::arith::Arith;
use crate::capacity::bounds::Bounds;
use crate::capacity::leaf::Leaf;
use crate::capacity::order::{AppRank, FairCache};
use crate::capacity::tree::{QueueNode, ROOT};
use crate::capacity::users::UserRecord;
use crate::capacity::victims::Candidate;
use crate::config::capacity::{AppOrdering, CapacityFile};
use crate::resource::Resource;
use crate::sync::Arc;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// What is counted of a queue.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counts {
    /// Reservations included.
    pub(crate) used: Resource,
    pub(crate) reserved: Resource,
    /// What its applications have reserved now: another figure than `reserved` after a move.
    pub(crate) reserved_by_apps: Resource,
    pub(crate) pending: Resource,
    /// Reservations are counted as containers.
    pub(crate) containers: i64,
    pub(crate) used_capacity: f32,
    pub(crate) absolute_used_capacity: f32,
    /// Containers that are marked to go for others that need their room, and their sizes.
    pub(crate) killable: BTreeMap<Candidate, Resource>,
    /// The sum of their sizes: one that is marked once more is added once more, and taken off once, as in Hadoop.
    pub(crate) killable_sum: Resource,
}

/// One queue.
#[derive(Debug)]
pub(crate) struct QueueBook {
    pub(crate) published: CapacityPublished,
    pub(crate) counts: Counts,
    /// Of a leaf queue.
    pub(crate) leaf: Option<Leaf>,
}

impl QueueBook {
    pub(crate) fn node(&self) -> &QueueNode {
        &self.published.node
    }
}

/// Where an application's headroom comes from: whom the last publication was for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Publication {
    pub(crate) leaf: u32,
    pub(crate) user: UserRecord,
}

/// An attempt, as its leaf queue knows it.
#[derive(Debug)]
pub(crate) struct AppBook {
    pub(crate) number: u32,
    /// Where the engine has it.
    pub(crate) slot: u32,
    pub(crate) user: Arc<str>,
    pub(crate) leaf: u32,
    pub(crate) priority: i32,
    pub(crate) submitted_priority: i32,
    /// As it counts in the limits of AMs.
    pub(crate) am: Resource,
    pub(crate) start_ms: u64,
    /// It has entered the lists of its leaf queue; else a limit of parallel applications keeps it waiting.
    pub(crate) runnable: bool,
    pub(crate) used: Resource,
    pub(crate) reserved: Resource,
    pub(crate) pending: Resource,
    /// Keys with something outstanding.
    pub(crate) open_keys: u32,
    pub(crate) publication: Option<Publication>,
    pub(crate) fair: FairCache,
    /// Some container was marked for preemption: its AM may have yet to be told.
    pub(crate) has_marked: bool,
    /// It has been in another leaf queue, whose lists may still have it.
    pub(crate) has_moved: bool,
}

/// See the module's text.
#[derive(Debug)]
pub(crate) struct Books {
    pub(crate) arith: Arith,
    pub(crate) minimum: Resource,
    pub(crate) cluster: Resource,
    /// Nodes of the cluster.
    pub(crate) nodes: u32,
    /// By slot; one that a refresh has removed stays, for the applications that it may still have.
    pub(crate) queues: Vec<Option<QueueBook>>,
    /// By number.
    apps: FxHashMap<u32, AppBook>,
    /// Those that have ended and may still stand in a list (13.3).
    gone: FxHashMap<u32, AppBook>,
    /// How often the cluster has changed, and the queues were refreshed, as far as is known here.
    pub(crate) turns: [u64; 2],
}

impl Books {
    pub(crate) fn new(arith: Arith, minimum: Resource) -> Books {
        Books {
            arith,
            minimum,
            cluster: Resource::ZERO,
            nodes: 0,
            queues: Vec::new(),
            apps: FxHashMap::default(),
            gone: FxHashMap::default(),
            turns: [0; 2],
        }
    }

    pub(crate) fn queue(&self, slot: u32) -> &QueueBook {
        self.queues[slot as usize].as_ref().expect("a queue that was published")
    }

    pub(crate) fn queue_mut(&mut self, slot: u32) -> &mut QueueBook {
        self.queues[slot as usize].as_mut().expect("a queue that was published")
    }

    pub(crate) fn node(&self, slot: u32) -> &QueueNode {
        self.queue(slot).node()
    }

    pub(crate) fn counts(&self, slot: u32) -> &Counts {
        &self.queue(slot).counts
    }

    pub(crate) fn is_leaf(&self, slot: u32) -> bool {
        self.queue(slot).leaf.is_some()
    }

    pub(crate) fn leaf(&self, slot: u32) -> &Leaf {
        self.queue(slot).leaf.as_ref().expect("a leaf queue")
    }

    pub(crate) fn leaf_mut(&mut self, slot: u32) -> &mut Leaf {
        self.queue_mut(slot).leaf.as_mut().expect("a leaf queue")
    }

    /// A leaf queue, and its applications to look at.
    fn leaf_and_apps(&mut self, slot: u32) -> (&QueueNode, &mut Leaf, Everybody<'_>) {
        let Books { queues, apps, gone, .. } = self;
        let QueueBook { published, leaf, .. } = queues[slot as usize].as_mut().expect("a queue that was published");
        (&published.node, leaf.as_mut().expect("a leaf queue"), Everybody { apps, gone })
    }

    /// An attempt that has not ended.
    pub(crate) fn find(&self, number: u32) -> Option<&AppBook> {
        self.apps.get(&number)
    }

    pub(crate) fn app(&self, number: u32) -> &AppBook {
        Everybody { apps: &self.apps, gone: &self.gone }.get(number)
    }

    pub(crate) fn app_mut(&mut self, number: u32) -> &mut AppBook {
        let Books { apps, gone, .. } = self;
        apps.get_mut(&number).or_else(|| gone.get_mut(&number)).expect("an application that has entered")
    }

    /// The queues in force, each before its children.
    pub(crate) fn in_order(&self) -> Vec<u32> {
        let (mut out, mut open) = (Vec::new(), vec![ROOT]);
        while let Some(at) = open.pop() {
            out.push(at);
            open.extend(self.node(at).children.iter().rev());
        }
        out
    }

    pub(crate) fn has_app(&self, number: u32) -> bool {
        self.apps.contains_key(&number)
    }

    /// By number.
    pub(crate) fn numbers(&self) -> Vec<u32> {
        let mut numbers: Vec<u32> = self.apps.keys().copied().collect();
        numbers.sort_unstable();
        numbers
    }

    pub(crate) fn rank(&self, number: u32) -> AppRank {
        self.app(number).rank()
    }

    pub(crate) fn ordering(&self, slot: u32) -> &AppOrdering {
        &self.node(slot).leaf().expect("a leaf queue").ordering
    }

    pub(crate) fn file(&self, slot: u32) -> &CapacityFile {
        &self.queue(slot).published.file
    }

    /// From a queue up to root.
    pub(crate) fn parent(&self, slot: u32) -> Option<u32> {
        self.node(slot).parent
    }

    pub(crate) fn bounds(&self, slot: u32) -> Bounds {
        Bounds::of(self.node(slot), self.arith, self.cluster, self.minimum)
    }
}

impl AppBook {
    pub(crate) fn rank(&self) -> AppRank {
        AppRank { number: self.number, priority: self.priority, start_ms: self.start_ms, fair: self.fair }
    }
}

/// All applications that a list may have.
#[derive(Clone, Copy)]
struct Everybody<'a> {
    apps: &'a FxHashMap<u32, AppBook>,
    gone: &'a FxHashMap<u32, AppBook>,
}

impl<'a> Everybody<'a> {
    fn get(&self, number: u32) -> &'a AppBook {
        self.apps.get(&number).or_else(|| self.gone.get(&number)).expect("an application that has entered")
    }

    fn rank(&self, number: u32) -> AppRank {
        self.get(number).rank()
    }
}
