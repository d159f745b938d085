//! What each node holds, the longest held first, as the nodes' side of the driver knows it. One thread has it.
//!
//! A ring a node, all of one length and in one piece of memory: where the longest held of a node stand is known without
//! a look at anything of that node, so their lines can be asked for rounds before. Adding and taking is O(1); where a
//! node holds more than its ring has room for, all rings are made anew with twice the room.

/// A place in a ring: of a container and its owner two are a cache line.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
struct Place<T>(Option<T>);

/// What of a node's ring is in use, counted over all that it ever held.
#[derive(Clone, Copy, Debug, Default)]
struct Ring {
    first: u32,
    count: u32,
}

/// See the module's text.
#[derive(Debug)]
pub(super) struct Held<T> {
    rings: Vec<Ring>,
    /// By node, `room` of each.
    places: Vec<Place<T>>,
    /// A power of two.
    room: usize,
    /// Put, and not in their rings yet: their places are on their way from memory.
    fresh: Vec<(usize, T)>,
}

impl<T: Copy> Held<T> {
    /// For `nodes` nodes, each of which will hold about `room` containers.
    pub(super) fn of(nodes: usize, room: usize) -> Held<T> {
        let room = room.next_power_of_two();
        Held { rings: vec![Ring::default(); nodes], places: vec![Place(None); nodes * room], room, fresh: Vec::new() }
    }

    /// How many nodes there are.
    #[inline]
    pub(super) fn nodes(&self) -> usize {
        self.rings.len()
    }

    /// A node holds one more, from [`settle`](Self::settle) on.
    #[inline]
    pub(super) fn put(&mut self, node: usize, one: T) {
        let Ring { first, count } = self.rings[node];
        self.prefetch_place(node, first.wrapping_add(count));
        self.fresh.push((node, one));
    }

    /// What was put is held.
    pub(super) fn settle(&mut self) {
        let mut fresh = std::mem::take(&mut self.fresh);
        for (node, one) in fresh.drain(..) {
            if self.rings[node].count as usize == self.room {
                self.widen();
            }
            let Ring { first, count } = &mut self.rings[node];
            let nth = first.wrapping_add(*count);
            *count += 1;
            let place = self.place(node, nth);
            self.places[place] = Place(Some(one));
        }
        // With its memory.
        self.fresh = fresh;
    }

    /// Takes out what a node has held longest, at most `at_most` containers.
    #[inline]
    pub(super) fn take(&mut self, node: usize, at_most: usize) -> impl Iterator<Item = &T> {
        let Ring { first, count } = self.part(node, at_most);
        let ring = &mut self.rings[node];
        (ring.first, ring.count) = (first.wrapping_add(count), ring.count - count);
        self.those_of(node, Ring { first, count })
    }

    /// What a node has held longest, at most `at_most` containers.
    #[inline]
    pub(super) fn longest(&self, node: usize, at_most: usize) -> impl Iterator<Item = &T> {
        self.those_of(node, self.part(node, at_most))
    }

    /// These will be asked for: their lines are on their way.
    #[inline]
    pub(super) fn prefetch_longest(&self, node: usize, at_most: usize) {
        let Ring { first, count } = self.part(node, at_most);
        // Two of them mostly share a line; which two, nobody knows.
        (0..count).for_each(|nth| self.prefetch_place(node, first.wrapping_add(nth)));
    }

    #[inline]
    fn part(&self, node: usize, at_most: usize) -> Ring {
        let Ring { first, count } = self.rings[node];
        Ring { first, count: count.min(u32::try_from(at_most).unwrap_or(u32::MAX)) }
    }

    #[inline]
    fn those_of(&self, node: usize, Ring { first, count }: Ring) -> impl Iterator<Item = &T> {
        (0..count).filter_map(move |nth| self.places[self.place(node, first.wrapping_add(nth))].0.as_ref())
    }

    /// Where the `nth` that a node ever held stands.
    #[inline]
    fn place(&self, node: usize, nth: u32) -> usize {
        node * self.room + nth as usize % self.room
    }

    /// A hint: where the processor has none, it is left out.
    #[inline(always)]
    fn prefetch_place(&self, node: usize, nth: u32) {
        let place = &self.places[self.place(node, nth)];
        #[cfg(target_arch = "x86_64")]
        safe_arch::prefetch_t0(place);
        #[cfg(not(target_arch = "x86_64"))]
        let _ = place;
    }

    #[cold]
    fn widen(&mut self) {
        let mut wider = Held::of(self.nodes(), self.room * 2);
        for node in 0..self.nodes() {
            for (nth, one) in self.longest(node, self.room).enumerate() {
                wider.places[node * wider.room + nth] = Place(Some(*one));
            }
            wider.rings[node].count = self.rings[node].count;
        }
        (self.rings, self.places, self.room) = (wider.rings, wider.places, wider.room);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::VecDeque;

    /// Against plain queues: rings that become too small, and rings that turn, past the largest number too.
    #[test]
    fn rings_hold_what_queues_hold() {
        as_queues(3, 16);
        as_queues(11, 16);
    }

    /// With room for so many at first and for so many in the end.
    fn as_queues(room: usize, in_the_end: usize) {
        let mut held = Held::of(3, room);
        held.rings.iter_mut().for_each(|ring| ring.first = u32::MAX - 7);
        let mut queues = vec![VecDeque::new(); 3];
        for round in 0..200_usize {
            // More come than go for a while, then fewer.
            for one in 0..[3, 5, 1, 2][round / 10 % 4] {
                let node = (round + one * one) % 3;
                held.put(node, (round, one));
                queues[node].push_back((round, one));
            }
            held.settle();
            let (node, at_most) = (round % 3, 3);
            let expected: Vec<_> = queues[node].iter().take(at_most).copied().collect();
            held.prefetch_longest(node, at_most);
            assert_eq!(held.longest(node, at_most).copied().collect::<Vec<_>>(), expected, "round {round}");
            assert_eq!(held.take(node, at_most).copied().collect::<Vec<_>>(), expected, "round {round}");
            queues[node].drain(..expected.len());
        }
        let left: Vec<Vec<_>> = (0..3).map(|node| held.take(node, usize::MAX).copied().collect()).collect();
        assert_eq!(left, queues.into_iter().map(Vec::from).collect::<Vec<_>>());
        assert_eq!(held.room, in_the_end);
    }
}
