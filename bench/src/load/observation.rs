//! What a driver tells whoever watches it, and what it keeps for that.

use rustc_hash::FxHashMap;

use crate::api::{AppHandle, Container, ContainerId, EndReason, NodeHandle, NodeId, Refused};
use crate::load::app::Role;
use crate::load::wishes::{Wished, Wishes};

/// What the driver has done or was told.
#[derive(Debug)]
pub(crate) enum Happened<'a> {
    /// A node has come.
    Registered(&'a NodeHandle),
    /// A node is gone, with all that ran on it.
    Lost(&'a NodeHandle),
    /// A node was taken away by somebody, or went with its worker.
    Removed(&'a NodeHandle),
    /// An application is handed in, for the nodes of a label or whatever nodes its queue has.
    Submitted { number: u32, user: &'a str, queue: &'a str, label: Option<&'a str> },
    /// Its queue has taken it.
    Accepted(&'a AppHandle),
    /// Its queue has refused it.
    Refused { number: u32, why: &'a str },
    /// It fetched a container; its ApplicationMaster's or a task's.
    Received { app: &'a AppHandle, container: &'a Container, master: bool },
    /// A node has reported.
    Reported { node: &'a NodeHandle, ended: &'a [ContainerId] },
    /// The scheduler has ended a container.
    Taken { app: &'a AppHandle, container: ContainerId, reason: EndReason },
    /// An application is gone: it was done, or was ended by somebody.
    Left { number: u32, done: bool },
}

/// Told on the driver's thread.
pub(crate) type Witness = Box<dyn FnMut(Happened<'_>) + Send>;

/// What such a driver has besides.
pub(crate) struct Watched {
    witness: Witness,
    wishes: Wishes,
    /// Whose a container is that lives, what it is to it, and where it runs.
    pub(crate) alive: FxHashMap<ContainerId, (u32, Role, NodeId)>,
}

impl Watched {
    pub(crate) fn new(witness: Witness, wishes: Wishes) -> Watched {
        Watched { witness, wishes, alive: FxHashMap::default() }
    }

    pub(crate) fn next_wish(&self) -> Option<Wished> {
        self.wishes.wished.try_recv().ok()
    }

    pub(crate) fn remove_node(&self, name: &str) -> Result<(), Refused> {
        (self.wishes.remove_node)(name)
    }

    pub(crate) fn tell(&mut self, happened: Happened<'_>) {
        (self.witness)(happened);
    }

    pub(crate) fn received(&mut self, app: &AppHandle, container: &Container, slot: u32, role: Role) {
        self.alive.insert(container.id, (slot, role, container.node));
        self.tell(Happened::Received { app, container, master: role == Role::Master });
    }

    /// Whether a container ends that has lived until now.
    pub(crate) fn ends(&mut self, container: ContainerId) -> bool {
        self.alive.remove(&container).is_some()
    }
}
