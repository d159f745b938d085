//! Serving owed room: what was freed on a node for a starved application goes to that one before all others
//! (rules/preemption.md 7).
//!
//! # Where it stands
//! Run by the worker that owns the node, at the beginning of each pass over it; what is owed is kept in `owed`.

use crate::engine::books::ledger::NodeShared;
use crate::fair::engine::{AppLocal, Shard};
use crate::fair::outcome::Outcome;
use crate::id::{NONE, Slot};
use crate::preemption::owed::{OwedRooms, serve};
use crate::resource::Resource;
use crate::sync::Arc;
#[cfg(all(target_pointer_width = "64", not(shuttle)))]
use {crate::fair::engine::Node, std::mem::offset_of};

/// Room that a node owes: node, number of the application, amount.
pub(crate) type OwedRoom = (Arc<NodeShared>, u32, Resource);

/// To whom a node owes room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Creditor {
    pub(crate) app: Slot,
    /// The application's number: it may end before the next pass strikes it out.
    pub(crate) number: u32,
}

/// What the FairScheduler keeps of a node.
#[derive(Debug, Default)]
pub(crate) struct FairNode {
    /// Room that was freed for starved applications.
    pub(crate) owed: OwedRooms<Creditor>,
}

impl FairNode {
    /// An application has got some of the room.
    #[inline]
    pub(crate) fn pay_off(&mut self, app: &AppLocal, size: &Resource) {
        if !self.owed.is_empty() {
            self.owed.pay_off(Creditor { app: app.slot, number: app.number }, size);
        }
    }

    /// Whether it owes an application anything.
    pub(crate) fn owes(&self, app: &AppLocal) -> bool {
        self.owed.owes(Creditor { app: app.slot, number: app.number })
    }
}

#[cfg(all(target_pointer_width = "64", not(shuttle)))]
const _: () = assert!(offset_of!(Node, free) + 16 <= 64, "what a heartbeat changes is one cache line");

impl Shard {
    /// Offers the node to those that it owes room, until each has had what it is owed or can place nothing, and `most`
    /// containers at most. Says how many of these are left.
    pub(crate) fn serve_owed(&mut self, node: u32, most: i32) -> i32 {
        let mut left = most;
        if self.nodes[node as usize].own.owed.is_empty() {
            return left;
        }
        let mut owed = std::mem::take(&mut self.nodes[node as usize].own.owed);
        let turns = owed.turns(|to| self.is_still_owed(to.app));
        self.nodes[node as usize].own.owed = owed;
        for (to, amount) in turns {
            serve(amount, || {
                let free = self.nodes[node as usize].free;
                let is_placed = left > 0 && self.assign(to.app.index, node, None) == Outcome::Placed;
                left -= i32::from(is_placed);
                is_placed.then(|| free.minus(&self.nodes[node as usize].free))
            });
        }
        left
    }

    /// Whether an application runs, and is starved by what the last update found and what it uses now.
    pub(crate) fn is_still_owed(&self, app: Slot) -> bool {
        self.find_app(app).is_some_and(|local| !local.closed && local.leaf != NONE)
            && self.is_starved(app.index)
            && !self.starvation(app.index).is_none()
    }

    /// What is owed on each node, in the order in which it was first owed.
    pub(crate) fn owed_rooms(&self) -> Vec<OwedRoom> {
        let nodes = self.nodes.present();
        nodes
            .flat_map(|(_, node)| node.own.owed.iter().map(|(to, amount)| (node.shared.clone(), to.number, amount)))
            .collect()
    }
}
