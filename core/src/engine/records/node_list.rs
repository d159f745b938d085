//! The nodes of one worker: by place, and in the order of their registration.
//!
//! Plain data of one worker. The control gives places out, and a place again only when the worker has said that it is
//! free (`control::nodes`), so a cluster whose nodes come and go needs about as many places as it ever had nodes at
//! once; one whose container was still to be killed keeps its own. What goes over all nodes goes in the order of their
//! registration, which the places do not show.

use crate::engine::parts::Parts;
use crate::engine::records::node::Node;
use crate::id::NONE;
use std::ops::{Index, IndexMut};

/// See the module's text.
#[derive(Debug)]
pub(crate) struct NodeList<P: Parts> {
    /// A node that is gone stays until another has its place.
    by_place: Vec<Node<P>>,
    /// The places of those that are there; those that registered earlier come first. Between them are holes, as many as
    /// there are places at most, where others were: so one goes in O(1).
    order: Vec<u32>,
    /// By place: where in the order it stands.
    stands: Vec<usize>,
    present: usize,
}

impl<P: Parts> Default for NodeList<P> {
    fn default() -> NodeList<P> {
        NodeList { by_place: Vec::new(), order: Vec::new(), stands: Vec::new(), present: 0 }
    }
}

impl<P: Parts> Index<usize> for NodeList<P> {
    type Output = Node<P>;

    #[inline]
    fn index(&self, place: usize) -> &Node<P> {
        &self.by_place[place]
    }
}

impl<P: Parts> IndexMut<usize> for NodeList<P> {
    #[inline]
    fn index_mut(&mut self, place: usize) -> &mut Node<P> {
        &mut self.by_place[place]
    }
}

impl<P: Parts> NodeList<P> {
    /// A node comes, the last to have registered, to the place that the control has given it.
    pub(crate) fn add(&mut self, node: Node<P>) {
        let place = node.shared.local;
        match self.by_place.get_mut(place as usize) {
            Some(before) => {
                debug_assert!(before.gone, "a place has one node");
                *before = node;
            }
            None => {
                debug_assert_eq!(place as usize, self.by_place.len(), "new places come in their order");
                self.by_place.push(node);
            }
        }
        self.stands.resize(self.by_place.len(), 0);
        self.stands[place as usize] = self.order.len();
        self.order.push(place);
        self.present += 1;
    }

    /// The node at a place goes.
    pub(crate) fn remove(&mut self, place: u32) {
        self.by_place[place as usize].gone = true;
        self.order[self.stands[place as usize]] = NONE;
        self.present -= 1;
        if self.order.len() > 2 * self.present {
            self.order.retain(|place| *place != NONE);
            for (at, place) in self.order.iter().enumerate() {
                self.stands[*place as usize] = at;
            }
        }
    }

    /// How many are there.
    pub(crate) fn count(&self) -> usize {
        self.present
    }

    /// Where the order ends; see [`in_order`](Self::in_order).
    pub(crate) fn end(&self) -> usize {
        self.order.len()
    }

    /// The place of the one that stands somewhere in the order of registration, unless that is a hole.
    pub(crate) fn in_order(&self, at: usize) -> Option<u32> {
        self.order.get(at).copied().filter(|place| *place != NONE)
    }

    /// Where in the order the node stands that has this many nodes before it.
    pub(crate) fn nth(&self, before: usize) -> Option<usize> {
        (0..self.end()).filter(|at| self.in_order(*at).is_some()).nth(before)
    }

    /// Those that are there, with their places, in the order of their registration.
    pub(crate) fn present(&self) -> impl Iterator<Item = (u32, &Node<P>)> {
        (0..self.end()).filter_map(|at| self.in_order(at)).map(|place| (place, &self.by_place[place as usize]))
    }

    /// Those that are there, and those gone whose place is still theirs.
    pub(crate) fn of_any_time(&self) -> impl Iterator<Item = &Node<P>> {
        self.by_place.iter()
    }

    pub(crate) fn get(&self, place: u32) -> Option<&Node<P>> {
        self.by_place.get(place as usize)
    }
}
