//! The time wheel: which containers of a node are over at which of its heartbeats.
//!
//! One list a node and tick, linked through one slab of entries: nothing is allocated for a container once the slab has
//! grown to the most that ran at once. A tick is one of the node's own heartbeats. A life longer than the wheel waits
//! in the last slot and is put in again.

use crate::api::ContainerId;

const END: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Entry<C> {
    container: C,
    /// Whose it is: an index of the caller's.
    owner: u32,
    due: u32,
    next: u32,
}

/// Containers by the node and tick at which they end.
#[derive(Debug)]
pub(crate) struct Wheel<C = ContainerId> {
    /// `node * slots + tick % slots` -> first entry.
    heads: Vec<u32>,
    slots: u32,
    /// The last tick that each node has worked off.
    done: Vec<u32>,
    entries: Vec<Entry<C>>,
    free: u32,
}

impl<C: Copy> Wheel<C> {
    /// For so many nodes, with room for lives of `longest` ticks (more is possible, only slower).
    pub(crate) fn new(nodes: usize, longest: u32) -> Wheel<C> {
        let slots = (longest.saturating_add(2)).next_power_of_two().clamp(4, 256);
        Wheel { heads: vec![END; nodes * slots as usize], slots, done: vec![0; nodes], entries: Vec::new(), free: END }
    }

    /// So many nodes from now on.
    pub(crate) fn grow(&mut self, nodes: usize) {
        self.heads.resize(nodes * self.slots as usize, END);
        self.done.resize(nodes, 0);
    }

    /// Nothing of a node ends any more.
    pub(crate) fn clear(&mut self, node: usize) {
        let first = node * self.slots as usize;
        for head in &mut self.heads[first..first + self.slots as usize] {
            let mut index = std::mem::replace(head, END);
            while index != END {
                let next = std::mem::replace(&mut self.entries[index as usize].next, self.free);
                self.free = index;
                index = next;
            }
        }
    }

    fn link(&mut self, node: usize, index: u32) {
        let entry = &mut self.entries[index as usize];
        let tick = entry.due.clamp(self.done[node] + 1, self.done[node] + self.slots - 1);
        let head = &mut self.heads[node * self.slots as usize + (tick & (self.slots - 1)) as usize];
        entry.next = *head;
        *head = index;
    }

    /// `container` ends at the node's tick `due`, or at its next one if that has gone by.
    pub(crate) fn put(&mut self, node: usize, due: u32, container: C, owner: u32) {
        let entry = Entry { container, owner, due, next: END };
        let index = if self.free == END {
            self.entries.push(entry);
            u32::try_from(self.entries.len() - 1).expect("fewer than 2^32 containers at once")
        } else {
            let index = self.free;
            self.free = self.entries[index as usize].next;
            self.entries[index as usize] = entry;
            index
        };
        self.link(node, index);
    }

    /// Takes out all that ends up to the node's tick `now`, each with its owner, in no particular order.
    pub(crate) fn take(&mut self, node: usize, now: u32, mut ended: impl FnMut(C, u32)) {
        let from = self.done[node] + 1;
        if now < from {
            return;
        }
        let last = now.min(self.done[node] + self.slots);
        self.done[node] = now;
        for tick in from..=last {
            let slot = node * self.slots as usize + (tick & (self.slots - 1)) as usize;
            let mut index = std::mem::replace(&mut self.heads[slot], END);
            while index != END {
                let Entry { container, owner, due, next } = self.entries[index as usize];
                if due > now {
                    self.link(node, index);
                } else {
                    self.entries[index as usize].next = self.free;
                    self.free = index;
                    ended(container, owner);
                }
                index = next;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_come_and_go() {
        let mut wheel = Wheel::new(1, 10);
        let taken = |wheel: &mut Wheel<u32>, node, now| {
            let mut taken = Vec::new();
            wheel.take(node, now, |container, _| taken.push(container));
            taken
        };
        wheel.put(0, 3, 1, 0);
        wheel.put(0, 3, 2, 0);
        wheel.put(0, 500, 3, 0);
        wheel.grow(3);
        wheel.put(2, 4, 4, 0);
        wheel.clear(0);
        assert_eq!(taken(&mut wheel, 0, 1000), [] as [u32; 0]);
        assert_eq!(taken(&mut wheel, 2, 4), [4]);
        // What was cleared is used again.
        for container in 10..14 {
            wheel.put(1, 1, container, 0);
        }
        assert_eq!(wheel.entries.len(), 4);
        assert_eq!(taken(&mut wheel, 1, 1).len(), 4);
    }

    fn taken(wheel: &mut Wheel<u32>, node: usize, now: u32) -> Vec<u32> {
        let mut out = Vec::new();
        wheel.take(node, now, |container, owner| {
            assert_eq!(owner, container + 100);
            out.push(container);
        });
        out.sort_unstable();
        out
    }

    #[test]
    fn each_comes_out_at_its_tick_and_only_on_its_node() {
        let mut wheel = Wheel::new(2, 8);
        wheel.put(0, 1, 1, 101);
        wheel.put(0, 3, 2, 102);
        wheel.put(1, 1, 3, 103);
        assert_eq!(taken(&mut wheel, 0, 1), [1]);
        assert_eq!(taken(&mut wheel, 0, 2), [0_u32; 0]);
        assert_eq!(taken(&mut wheel, 0, 3), [2]);
        assert_eq!(taken(&mut wheel, 1, 9), [3]);
    }

    #[test]
    fn lives_longer_than_the_wheel_wait_and_late_ones_come_next() {
        let mut wheel = Wheel::new(1, 2);
        for tick in 1..=20 {
            taken(&mut wheel, 0, tick);
        }
        wheel.put(0, 5, 1, 101);
        wheel.put(0, 50, 2, 102);
        assert_eq!(taken(&mut wheel, 0, 21), [1]);
        for tick in 22..50 {
            assert!(taken(&mut wheel, 0, tick).is_empty(), "tick {tick}");
        }
        assert_eq!(taken(&mut wheel, 0, 50), [2]);
    }

    #[test]
    fn skipped_ticks_lose_nothing_and_entries_are_used_again() {
        let mut wheel = Wheel::new(1, 10);
        for round in 0..50_u32 {
            let base = round * 40;
            for i in 0..30 {
                wheel.put(0, base + 1 + i, i, i + 100);
            }
            let mut out = taken(&mut wheel, 0, base + 17);
            assert_eq!(out.len(), 17);
            out.extend(taken(&mut wheel, 0, base + 40));
            assert_eq!(out, (0..30).collect::<Vec<_>>());
        }
        assert!(wheel.entries.len() <= 30);
    }
}
