//! Owed room: what was freed on a node for a starved application goes to that one first (section 7).
//!
//! # Where it stands
//! Plain data of the worker that owns the node. `victims` enters what is owed, each pass over the node serves it before all
//! else, each grant to the application on the node pays off.

use crate::flow::assignment::Outcome;
use crate::flow::ledger::NodeShared;
use crate::flow::shard::{NONE, Node, Shard};
use crate::id::Slot;
use crate::resource::Resource;
use crate::sync::Arc;
use smallvec::SmallVec;

/// What a node owes one application.
#[derive(Clone, Copy, Debug)]
pub(in crate::flow) struct Owed {
    app: Slot,
    /// The application's number: it may end before the next pass strikes it out.
    number: u32,
    amount: Resource,
}

impl Node {
    /// Owes an application more; those owed first are served first.
    pub(super) fn owe(&mut self, app: Slot, number: u32, amount: &Resource) {
        match self.owed.iter_mut().find(|owed| owed.app == app) {
            Some(owed) => owed.amount = owed.amount.plus(amount),
            None => self.owed.push(Owed { app, number, amount: *amount }),
        }
    }

    /// What it owes to all.
    pub(super) fn owed_total(&self) -> Resource {
        self.owed.iter().fold(Resource::NONE, |sum, owed| sum.plus(&owed.amount))
    }

    pub(in crate::flow) fn owes(&self, app: Slot) -> bool {
        self.owed.iter().any(|owed| owed.app == app)
    }

    /// The application got a container here, by whatever way.
    pub(in crate::flow) fn pay_off(&mut self, app: Slot, size: &Resource) {
        if let Some(at) = self.owed.iter().position(|owed| owed.app == app) {
            let amount = &mut self.owed[at].amount;
            *amount = amount.minus(&amount.least(size));
            if amount.is_none() {
                self.owed.remove(at);
            }
        }
    }
}

impl Shard {
    /// Offers the node to those that it owes room, until each has had what it is owed or can place nothing.
    pub(in crate::flow) fn serve_owed(&mut self, node: u32) {
        if self.nodes[node as usize].owed.is_empty() {
            return;
        }
        let mut owed = std::mem::take(&mut self.nodes[node as usize].owed);
        owed.retain(|owed| self.is_still_owed(owed.app));
        // What is still to come is counted apart from the node's own book, as Hadoop does: custom types may go below zero.
        let turns: SmallVec<[(Slot, Resource); 4]> = owed.iter().map(|owed| (owed.app, owed.amount)).collect();
        self.nodes[node as usize].owed = owed;
        for (app, mut left) in turns {
            while !left.is_none() {
                let Outcome::Placed(size) = self.assign(app.index, node, None) else { break };
                left = left.minus_non_negative(&size);
            }
        }
    }

    /// Whether an application runs, and is starved by what the last update found and what it uses now.
    fn is_still_owed(&self, app: Slot) -> bool {
        self.find_app(app).is_some_and(|local| !local.closed && local.leaf != NONE)
            && self.is_starved(app.index)
            && !self.starvation(app.index).is_none()
    }

    /// What is owed on each node, in the order in which it was first owed: node, application, amount.
    pub(crate) fn owed_rooms(&self) -> Vec<(Arc<NodeShared>, u32, Resource)> {
        let nodes = self.nodes.iter().filter(|node| !node.gone);
        nodes.flat_map(|node| node.owed.iter().map(|owed| (node.shared.clone(), owed.number, owed.amount))).collect()
    }
}
