//! The books: a slow, plain account of which nodes, applications and containers there must be.
//!
//! Lists and sums, nothing kept in order and nothing concurrent; they know the rules that say what ends and what is
//! owed to whom, and nothing of how the scheduler chooses.

use evenweave::{AppHandle, ContainerId, EndReason, NodeHandle, Resource};
use std::collections::{BTreeMap, BTreeSet};

/// What says "the newest application".
pub(crate) const NEWEST: u8 = 240;

#[derive(Debug)]
pub(super) struct NodeBook {
    pub(super) handle: NodeHandle,
    pub(super) rack: usize,
    pub(super) total: Resource,
    /// Its total before it was decommissioned, while it is.
    pub(super) decommissioned_from: Option<Resource>,
    /// It was told that it is empty, since it is decommissioning.
    pub(super) drained: bool,
    /// Its total was lowered once: free room may be negative.
    pub(super) shrunk: bool,
}

/// Priority and allocation request id.
pub(super) type Key = (i32, i64);

/// An attempt of an application.
#[derive(Debug)]
pub(super) struct AppBook {
    pub(super) handle: AppHandle,
    pub(super) number: u32,
    pub(super) alive: bool,
    pub(super) waits_for_am: bool,
    /// The AM's container ended before the AM was there: what was asked for it came back.
    pub(super) am_came_back: bool,
    /// What the AM was accounted with.
    pub(super) am: Resource,
    /// Asked for and not granted: count and size.
    pub(super) asks: BTreeMap<Key, (i64, Resource)>,
    /// Granted, and not yet told the AM; in order.
    pub(super) granted: Vec<ContainerId>,
    /// Ended after the AM had been told of them, and their end not yet told.
    pub(super) ended: Vec<(ContainerId, EndReason)>,
    /// What the AM has had in hand, ended or not.
    pub(super) held: Vec<ContainerId>,
    pub(super) blacklist: BTreeSet<String>,
    /// Asked for strict nodes or odd places, strictly and not under one key, or blacklisted: some asks may never be
    /// served.
    pub(super) choosy: bool,
    /// Keys, and whether their asks name racks and nothing further away.
    pub(super) strict: BTreeMap<Key, bool>,
    pub(super) numbers: BTreeSet<u32>,
    pub(super) preempted: u64,
}

#[derive(Clone, Debug)]
pub(super) struct ContainerBook {
    /// The attempt that has it.
    pub(super) app: usize,
    pub(super) node: String,
    pub(super) key: Key,
    pub(super) size: Resource,
    /// The size of the `*` ask that it was taken from; the container's may be a rack's, a node's or a reservation's.
    pub(super) asked: Resource,
    /// In order of grants.
    pub(super) age: u64,
    pub(super) am: bool,
    /// When the AM was told.
    pub(super) acquired_at: Option<u64>,
    pub(super) launched: bool,
    pub(super) live: bool,
    /// It is to be preempted.
    pub(super) marked: bool,
    /// The attempt that has it is told so: one that took it over is not.
    pub(super) warned: bool,
    /// A kill is to come, even where it has ended meanwhile.
    pub(super) doomed: bool,
    /// What it was taken from is asked for again already.
    pub(super) undone: bool,
}

#[derive(Debug)]
pub(super) struct Books {
    pub(super) nodes: Vec<NodeBook>,
    /// Names of nodes that are gone.
    pub(super) gone: Vec<String>,
    pub(super) apps: Vec<AppBook>,
    /// Live, or with their room still taken.
    pub(super) containers: BTreeMap<ContainerId, ContainerBook>,
    /// What a call by number means: of an application's containers of one number the newest. `None` for one that was
    /// over before anybody could see its id.
    pub(super) by_number: BTreeMap<(u32, u32), Option<ContainerId>>,
    /// Gone from their nodes, with a kill still to come.
    pub(super) ghosts: BTreeMap<ContainerId, ContainerBook>,
    pub(super) now: u64,
    pub(super) expiry: u64,
    /// When expired containers are looked for next.
    pub(super) next_look: u64,
    pub(super) nodes_made: u32,
    pub(super) granted: u64,
    pub(super) ended: u64,
    pub(super) preempted: u64,
    /// An application was moved: AM usage does not follow, as in Hadoop, and is of no meaning afterwards.
    pub(super) moved: bool,
    pub(super) maximum: Resource,
}

impl Books {
    pub(super) fn new(expiry: u64, maximum: Resource) -> Books {
        Books {
            nodes: Vec::new(),
            gone: Vec::new(),
            apps: Vec::new(),
            containers: BTreeMap::new(),
            by_number: BTreeMap::new(),
            ghosts: BTreeMap::new(),
            now: 0,
            expiry,
            next_look: (expiry / 3).max(1),
            nodes_made: 0,
            granted: 0,
            ended: 0,
            preempted: 0,
            moved: false,
            maximum,
        }
    }

    /// One of the live applications; from [`NEWEST`] on the newest, the one before it, and so on.
    pub(super) fn alive(&self, app: u8) -> Option<usize> {
        let mut alive: Vec<_> = (0..self.apps.len()).filter(|app| self.apps[*app].alive).collect();
        if app >= NEWEST {
            alive.reverse();
        }
        (!alive.is_empty()).then(|| alive[usize::from(app % NEWEST) % alive.len()])
    }

    /// One of the attempts that are over.
    pub(super) fn over(&self, app: u8) -> Option<usize> {
        let over: Vec<_> = (0..self.apps.len()).filter(|app| !self.apps[*app].alive).collect();
        (!over.is_empty()).then(|| over[usize::from(app) % over.len()])
    }

    pub(super) fn node(&self, node: u8) -> Option<usize> {
        (!self.nodes.is_empty()).then(|| usize::from(node) % self.nodes.len())
    }

    pub(super) fn node_named(&self, name: &str) -> Option<usize> {
        self.nodes.iter().position(|node| node.handle.name() == name)
    }

    /// One of the containers that live or take room, by its number.
    pub(super) fn some_container(&self, container: u8) -> Option<ContainerId> {
        let count = self.containers.len();
        (count > 0).then(|| *self.containers.keys().nth(usize::from(container) % count).expect("below the length"))
    }

    /// What a call by number means, while it lives or takes room.
    pub(super) fn numbered(&self, app: u32, number: u32) -> Option<ContainerId> {
        self.by_number.get(&(app, number)).copied().flatten().filter(|id| self.containers.contains_key(id))
    }

    /// Those of an attempt that live, by attempt and number.
    pub(super) fn live_of(&self, app: usize) -> impl Iterator<Item = (&ContainerId, &ContainerBook)> {
        self.containers.iter().filter(move |(_, book)| book.live && book.app == app)
    }

    /// Those that live on a node or take its room.
    pub(super) fn on_node(&self, node: &str) -> impl Iterator<Item = (&ContainerId, &ContainerBook)> {
        self.containers.iter().filter(move |(_, book)| book.node == node)
    }

    pub(super) fn taken_on(&self, node: &str) -> Resource {
        self.on_node(node).fold(Resource::ZERO, |sum, (_, book)| sum.plus(&book.size))
    }

    /// The most that a container may have.
    pub(super) fn largest(&self) -> Resource {
        let largest = self.nodes.iter().map(|node| node.total).reduce(|a, b| a.most(&b));
        largest.map_or(self.maximum, |largest| self.maximum.least(&largest))
    }

    /// An AM is told of everything. With its containers go the times, from which they may expire.
    pub(super) fn acquire(&mut self, app: usize) {
        let now = self.now;
        let book = &mut self.apps[app];
        for id in book.granted.drain(..) {
            if let Some(container) = self.containers.get_mut(&id) {
                container.acquired_at = Some(now);
            }
            book.held.push(id);
        }
        book.ended.clear();
    }

    /// The same, of a running application by its number.
    pub(super) fn acquire_numbered(&mut self, number: u32) {
        if let Some(app) = self.apps.iter().position(|app| app.alive && app.number == number) {
            self.acquire(app);
        }
    }

    /// A node says that it has the room of a container back.
    pub(super) fn free_room(&mut self, id: &ContainerId) {
        if let Some(book) = self.containers.remove(id)
            && book.doomed
        {
            self.ghosts.insert(*id, book);
        }
    }

    /// One container is asked for again.
    pub(super) fn give_back(&mut self, app: usize, key: Key, asked: Resource) {
        let book = &mut self.apps[app];
        if book.alive {
            let count = book.asks.get(&key).map_or(0, |ask| ask.0);
            book.asks.insert(key, (count + 1, asked));
        }
    }

    /// Enters the end of a live container.
    pub(super) fn end(&mut self, id: &ContainerId, reason: EndReason) {
        self.ended += 1;
        let book = self.containers.get_mut(id).expect("it lives");
        book.live = false;
        (book.marked, book.warned) = (false, false);
        let ContainerBook { app, key, asked, acquired_at, launched, undone, .. } = *book;
        let of = &mut self.apps[app];
        if undone {
            // The call that gave it back has said so.
        } else if of.alive && acquired_at.is_some() {
            of.ended.push((*id, reason));
        } else if of.alive {
            // Its AM has never seen it: the ask is back, as it was.
            of.granted.retain(|granted| granted != id);
            self.give_back(app, key, asked);
        }
        let by_node = matches!(reason, EndReason::Completed | EndReason::NodeLost);
        if by_node || !launched {
            self.free_room(id);
        }
    }

    /// Ghosts and what has ended are told of once more by a kill: an ask that nobody saw answered comes back a second
    /// time.
    pub(super) fn kill_the_dead(&mut self, tell: bool) {
        let dead = self.containers.values_mut().filter(|book| book.doomed && !book.live);
        let mut told: Vec<_> = dead
            .map(|book| {
                book.doomed = false;
                book.clone()
            })
            .collect();
        told.extend(std::mem::take(&mut self.ghosts).into_values());
        for book in told.iter().filter(|book| tell && book.acquired_at.is_none()) {
            self.give_back(book.app, book.key, book.asked);
        }
    }

    /// Who goes from a node whose memory is below nothing: those that are no AM first, then the youngest. `brief` are
    /// containers granted in this same step, of which no more is known than whether they are AMs, and their sizes; how
    /// many of them go.
    pub(super) fn overcommitted(&self, node: usize, brief: &[(bool, Resource)]) -> (Vec<ContainerId>, usize) {
        let NodeBook { handle, total, .. } = &self.nodes[node];
        let there = self.on_node(handle.name()).map(|(id, book)| (book.am, book.age, book.size, Some((id, book.live))));
        let briefly = brief.iter().zip(self.granted..).map(|((am, size), age)| (*am, age, *size, None));
        let mut there: Vec<_> = there.chain(briefly).collect();
        let taken = there.iter().fold(Resource::ZERO, |sum, (_, _, size, _)| sum.plus(size));
        let mut missing = taken.memory_mb() - total.memory_mb();
        there.sort_by_key(|(am, age, ..)| (*am, std::cmp::Reverse(*age)));
        let (mut victims, mut brief_ones) = (Vec::new(), 0);
        for (_, _, size, known) in there {
            if missing <= 0 {
                break;
            }
            missing -= size.memory_mb();
            match known {
                Some((id, live)) => victims.extend(live.then_some(*id)),
                None => brief_ones += 1,
            }
        }
        (victims, brief_ones)
    }
}
