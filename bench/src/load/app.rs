//! One application of the load: its ApplicationMaster, seen from outside the core.
//!
//! The AM's container comes first; then the maps are asked for, all at once. Reduces are asked for when a twentieth of
//! the maps has finished, at once when there are fewer than twenty maps. When all tasks have finished, the AM's
//! container ends, and a heartbeat later the application. Every number here is counted by the driver alone: the book
//! check holds it against what the core says.

use crate::api::{AppHandle, Ask, ContainerId, Label, NodeId, Resource};

/// Maps and reduces, as in Hadoop's MapReduce: reduces go first once they are asked for.
const REDUCE_PRIORITY: i32 = 10;
const MAP_PRIORITY: i32 = 20;
/// Reduces wait for one in so many maps.
const SLOW_START: u32 = 20;

/// Every container of the load.
pub(crate) const CONTAINER: Resource = Resource::new(2048, 1);

/// What a container is to its application.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Master,
    Map,
    Reduce,
}

/// An application in flight.
#[derive(Debug)]
pub(crate) struct LoadApp {
    pub(crate) handle: AppHandle,
    /// Index into the jobs.
    pub(crate) job: usize,
    /// Index into the leaf queues.
    pub(crate) leaf: usize,
    maps: u32,
    reduces: u32,
    /// Asked for and not yet received: the AM's container, maps, reduces.
    outstanding: [u32; 3],
    reduces_asked: bool,
    /// Received and not yet ended.
    pub(crate) held: u32,
    maps_done: u32,
    tasks_done: u32,
    master: Option<(ContainerId, NodeId)>,
    /// The AM's container has been ended or is about to be.
    leaving: bool,
    /// What the next `allocate` asks for.
    pub(crate) to_ask: Vec<Ask>,
    /// What it gives back then.
    pub(crate) to_release: Vec<ContainerId>,
    /// Asks for tasks that were taken from it. Each has a request id of its own: it stands beside what is outstanding,
    /// of which nobody knows at this moment how much is on its way.
    repeats: i64,
    /// The label that its asks name.
    label: Option<Label>,
}

fn ask(priority: i32, count: u32, label: Option<Label>) -> Ask {
    let ask = Ask::anywhere(priority, CONTAINER, count);
    match label {
        Some(label) => ask.labelled(label),
        None => ask,
    }
}

impl LoadApp {
    /// Just submitted: the request for its AM's container is outstanding.
    pub(crate) fn new(handle: AppHandle, job: usize, leaf: usize, maps: u32, reduces: u32) -> LoadApp {
        LoadApp {
            handle,
            job,
            leaf,
            maps,
            reduces,
            outstanding: [1, 0, 0],
            reduces_asked: reduces == 0,
            held: 0,
            maps_done: 0,
            tasks_done: 0,
            master: None,
            leaving: false,
            to_ask: Vec::new(),
            to_release: Vec::new(),
            repeats: 0,
            label: None,
        }
    }

    /// The same for nodes with a label, if it has one.
    pub(crate) fn labelled(self, label: Option<Label>) -> LoadApp {
        LoadApp { label, ..self }
    }

    /// How many tasks of the part it had received before the last.
    pub(crate) fn before_last(&self, reduce: bool) -> u32 {
        let (all, outstanding) =
            if reduce { (self.reduces, self.outstanding[2]) } else { (self.maps, self.outstanding[1]) };
        all.saturating_sub(outstanding).saturating_sub(1)
    }

    /// All its containers that are asked for and not received.
    pub(crate) fn asked(&self) -> u32 {
        self.outstanding.iter().sum()
    }

    /// A container was received; `None` if nothing of its kind was asked for.
    pub(crate) fn received(&mut self, id: ContainerId, node: NodeId, priority: i32) -> Option<Role> {
        let (role, index) = match (self.master, priority) {
            (None, _) => (Role::Master, 0),
            (Some(_), MAP_PRIORITY) => (Role::Map, 1),
            (Some(_), REDUCE_PRIORITY) => (Role::Reduce, 2),
            (Some(_), _) => return None,
        };
        if role == Role::Master {
            self.master = Some((id, node));
        }
        self.outstanding[index] = self.outstanding[index].checked_sub(1)?;
        self.held += 1;
        Some(role)
    }

    /// The AM has its container: it asks for its maps.
    pub(crate) fn first_asks(&mut self) {
        self.outstanding[1] = self.maps;
        self.to_ask.push(ask(MAP_PRIORITY, self.maps, self.label));
        if self.maps < SLOW_START && !self.reduces_asked {
            self.ask_reduces();
        }
    }

    fn ask_reduces(&mut self) {
        self.reduces_asked = true;
        self.outstanding[2] = self.reduces;
        self.to_ask.push(ask(REDUCE_PRIORITY, self.reduces, self.label));
    }

    /// A task finished. Whether the AM now has something to ask for.
    pub(crate) fn task_done(&mut self, role: Role) -> bool {
        self.held -= 1;
        self.tasks_done += 1;
        if role == Role::Map {
            self.maps_done += 1;
        }
        let ask = !self.reduces_asked && u64::from(self.maps_done) * u64::from(SLOW_START) >= u64::from(self.maps);
        if ask {
            self.ask_reduces();
        }
        ask
    }

    /// So many maps and reduces were taken from it before they were done: it asks for them again.
    pub(crate) fn taken(&mut self, maps: u32, reduces: u32) {
        self.held -= maps + reduces;
        self.outstanding[1] += maps;
        self.outstanding[2] += reduces;
        for (priority, count) in [(MAP_PRIORITY, maps), (REDUCE_PRIORITY, reduces)] {
            if count > 0 {
                self.repeats += 1;
                self.to_ask.push(ask(priority, count, self.label).with_request_id(self.repeats));
            }
        }
    }

    /// Tasks that are not done.
    pub(crate) fn tasks_left(&self) -> u32 {
        self.maps + self.reduces - self.tasks_done
    }

    /// Its AM's container was granted.
    pub(crate) fn has_master(&self) -> bool {
        self.master.is_some()
    }

    /// The AM's container, once every task has finished and not before; given once.
    pub(crate) fn master_to_end(&mut self) -> Option<(ContainerId, NodeId)> {
        if self.leaving || self.tasks_left() > 0 {
            return None;
        }
        self.leaving = true;
        self.master
    }
}
