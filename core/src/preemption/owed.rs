//! Owed room: what a node owes to starved applications, and whose turn it is (rules/preemption.md 7).
//!
//! # Who writes
//! The worker that owns the node: `victims` enters what is owed when it marks, `serve` strikes out who is starved no
//! longer and offers the node to the others, each grant to an application on the node pays off.
//!
//! # Invariant
//! I10: room that is freed for an application is offered to it first, and to everybody once it is owed no more. Checked
//! by `loom-tests/tests/preemption_vs_end.rs` and `preemption_vs_finish.rs`.

use crate::resource::Resource;
use smallvec::SmallVec;

#[derive(Clone, Copy, Debug)]
struct Owed<A> {
    to: A,
    amount: Resource,
}

/// What one node owes, those first who were owed first; see the module's text.
#[derive(Debug)]
pub struct OwedRooms<A>(Vec<Owed<A>>);

impl<A> Default for OwedRooms<A> {
    fn default() -> Self {
        OwedRooms(Vec::new())
    }
}

impl<A: Copy + PartialEq> OwedRooms<A> {
    /// Owes an application more.
    pub fn owe(&mut self, to: A, amount: &Resource) {
        match self.0.iter_mut().find(|owed| owed.to == to) {
            Some(owed) => owed.amount = owed.amount.plus(amount),
            None => self.0.push(Owed { to, amount: *amount }),
        }
    }

    /// It owes an application less: that got a container on the node, by whatever way, or needs the room no longer.
    pub fn pay_off(&mut self, to: A, amount: &Resource) {
        if let Some(at) = self.0.iter().position(|owed| owed.to == to) {
            let left = &mut self.0[at].amount;
            *left = left.minus(&left.least(amount));
            if left.is_zero() {
                self.0.remove(at);
            }
        }
    }

    /// What it owes to all.
    #[must_use]
    pub fn total(&self) -> Resource {
        self.0.iter().fold(Resource::ZERO, |sum, owed| sum.plus(&owed.amount))
    }

    /// Whether it owes an application anything.
    pub fn owes(&self, to: A) -> bool {
        self.0.iter().any(|owed| owed.to == to)
    }

    /// Whether it owes nothing to anybody.
    #[must_use]
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// To whom it owes what.
    pub fn iter(&self) -> impl Iterator<Item = (A, Resource)> + '_ {
        self.0.iter().map(|owed| (owed.to, owed.amount))
    }

    /// Strikes out those who are owed no longer; whose turn it is then, for how much.
    pub fn turns(&mut self, still: impl Fn(A) -> bool) -> SmallVec<[(A, Resource); 4]> {
        self.0.retain(|owed| still(owed.to));
        self.iter().collect()
    }
}

/// One's turn: the node is offered until what it is owed is spent or nothing is placed. What is still to come is
/// counted apart from the node's own book, as Hadoop does: custom types may go below zero.
pub fn serve(mut owed: Resource, mut place: impl FnMut() -> Option<Resource>) {
    while !owed.is_zero() {
        let Some(size) = place() else { break };
        owed = owed.minus_non_negative(&size);
    }
}
