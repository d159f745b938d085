//! The nodes: what runs on each, and when each reports.
//!
//! Each node reports at `offset + k · interval`, for the first time with `k = 1`, as SLS's do. In order of time and of offset that is a ring; the
//! [`Ring`] walks it, or leaps to the next report that has something to say.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::api::{ContainerId, Heartbeat, NodeHandle};

/// A container that runs.
#[derive(Clone, Copy, Debug)]
struct Running {
    id: ContainerId,
    /// In ms.
    ends_at: u64,
}

/// A node as its NodeManager has it.
#[derive(Debug)]
pub(super) struct SimNode {
    pub(super) handle: NodeHandle,
    heartbeat: Heartbeat,
    running: Vec<Running>,
    /// The first end of what runs.
    next_end: u64,
    launched: Vec<ContainerId>,
    /// What was stopped at the last report, and is said to have ended at the next.
    stopped: Vec<ContainerId>,
}

impl SimNode {
    pub(super) fn new(handle: NodeHandle) -> SimNode {
        let heartbeat = Heartbeat::new(&handle);
        SimNode {
            handle,
            heartbeat,
            running: Vec::new(),
            next_end: u64::MAX,
            launched: Vec::new(),
            stopped: Vec::new(),
        }
    }

    /// A container is launched.
    pub(super) fn launch(&mut self, id: ContainerId, ends_at: u64) {
        self.running.push(Running { id, ends_at });
        self.launched.push(id);
        self.next_end = self.next_end.min(ends_at);
    }

    /// The end of one that runs is known by now. Whether it runs.
    pub(super) fn ends(&mut self, id: ContainerId, ends_at: u64) -> bool {
        let Some(running) = self.running.iter_mut().find(|running| running.id == id) else { return false };
        running.ends_at = ends_at;
        self.next_end = self.running.iter().map(|running| running.ends_at).min().unwrap_or(u64::MAX);
        true
    }

    /// The report of this moment. Gives whether something is stopped, and thus to be said at the next.
    pub(super) fn report(
        &mut self,
        now: u64,
        scratch: &mut Vec<ContainerId>,
        over: &mut Vec<ContainerId>,
    ) -> (&Heartbeat, bool) {
        let SimNode { handle, heartbeat, running, next_end, launched, stopped, .. } = self;
        heartbeat.launched.clear();
        heartbeat.completed.clear();
        over.clear();
        if *next_end <= now {
            // In the order of their ends.
            let mut ended: Vec<Running> = running.iter().filter(|running| running.ends_at <= now).copied().collect();
            ended.sort_by_key(|running| running.ends_at);
            running.retain(|running| running.ends_at > now);
            *next_end = running.iter().map(|running| running.ends_at).min().unwrap_or(u64::MAX);
            over.extend(ended.into_iter().map(|running| running.id));
        }
        launched.retain(|id| !over.contains(id));
        heartbeat.launched.extend(launched.drain(..));
        heartbeat.completed.extend(over.iter().copied());
        heartbeat.completed.extend(stopped.drain(..));
        // What the answer to this report asks for: it was listed before.
        scratch.clear();
        handle.take_stops(scratch);
        for id in scratch.iter() {
            if let Some(index) = running.iter().position(|running| running.id == *id) {
                running.remove(index);
                stopped.push(*id);
            }
        }
        if !stopped.is_empty() {
            *next_end = running.iter().map(|running| running.ends_at).min().unwrap_or(u64::MAX);
        }
        (heartbeat, !stopped.is_empty())
    }
}

/// When nodes report.
#[derive(Debug)]
pub(super) struct Ring {
    interval: u64,
    /// Offset and node, in order.
    order: Vec<(u64, u32)>,
    /// The place of each node in `order`.
    place: Vec<u32>,
    /// The next report: its round, and its place in `order`.
    round: u64,
    next: usize,
    /// Reports with something to say: time and place, perhaps more than once.
    needed: BinaryHeap<Reverse<(u64, u32)>>,
}

impl Ring {
    /// `offsets`: of each node, below the interval.
    pub(super) fn new(interval: u64, offsets: &[u64]) -> Ring {
        let mut order: Vec<(u64, u32)> = offsets.iter().copied().zip(0..).collect();
        order.sort_unstable();
        let mut place = vec![0; order.len()];
        for (at, (_, node)) in (0_u32..).zip(&order) {
            place[*node as usize] = at;
        }
        Ring { interval, order, place, round: 1, next: 0, needed: BinaryHeap::new() }
    }

    pub(super) fn interval(&self) -> u64 {
        self.interval
    }

    fn time(&self, round: u64, place: usize) -> u64 {
        round * self.interval + self.order[place].0
    }

    /// The first report of a node at `from` or later, after what has been.
    pub(super) fn report_from(&self, node: u32, from: u64) -> u64 {
        let offset = self.order[self.place[node as usize] as usize].0;
        let rounds = from.saturating_sub(offset).div_ceil(self.interval).max(1);
        offset + rounds * self.interval
    }

    /// A node has something to say at the first report from `from` on.
    pub(super) fn need(&mut self, node: u32, from: u64) {
        let at = self.report_from(node, from);
        self.needed.push(Reverse((at, self.place[node as usize])));
    }

    /// When the next report comes, whatever it says.
    pub(super) fn next(&self) -> Option<u64> {
        (!self.order.is_empty()).then(|| self.time(self.round, self.next))
    }

    /// When the next report with something to say comes.
    pub(super) fn next_needed(&self) -> Option<u64> {
        self.needed.peek().map(|Reverse((at, _))| *at)
    }

    /// Takes the next report: time, node, and whether it has something to say.
    pub(super) fn take(&mut self) -> (u64, u32, bool) {
        let (at, place) = (self.time(self.round, self.next), self.next);
        self.next += 1;
        if self.next == self.order.len() {
            self.next = 0;
            self.round += 1;
        }
        let mut needed = false;
        let this = (at, u32::try_from(place).unwrap_or(u32::MAX));
        while let Some(Reverse(first)) = self.needed.peek()
            && *first <= this
        {
            needed |= *first == this;
            self.needed.pop();
        }
        (at, self.order[place].1, needed)
    }

    /// Leaps to the next report with something to say, and takes it.
    pub(super) fn take_needed(&mut self) -> Option<(u64, u32)> {
        let Reverse((at, place)) = *self.needed.peek()?;
        self.next = place as usize;
        self.round = (at - self.order[self.next].0) / self.interval;
        let (at, node, _) = self.take();
        Some((at, node))
    }

    /// Leaps over all reports up to a moment, that one included. Gives how many it leaves out.
    pub(super) fn leap(&mut self, now: u64) -> u64 {
        if self.order.is_empty() || self.time(self.round, self.next) > now {
            return 0;
        }
        let before = self.round * self.order.len() as u64 + self.next as u64;
        self.round = now / self.interval;
        let into = now % self.interval;
        self.next = self.order.partition_point(|(offset, _)| *offset <= into);
        if self.next == self.order.len() {
            self.next = 0;
            self.round += 1;
        }
        self.round * self.order.len() as u64 + self.next as u64 - before
    }

    /// So many reports have been due.
    pub(super) fn passed(&self) -> u64 {
        (self.round - 1) * self.order.len() as u64 + self.next as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ring_walks_and_leaps_to_the_same_reports() {
        let mut walks = Ring::new(10, &[7, 3, 3]);
        let walked: Vec<_> = (0..7).map(|_| walks.take()).map(|(at, node, _)| (at, node)).collect();
        assert_eq!(walked, [(13, 1), (13, 2), (17, 0), (23, 1), (23, 2), (27, 0), (33, 1)]);
        let mut leaps = Ring::new(10, &[7, 3, 3]);
        leaps.need(2, 14);
        leaps.need(2, 20);
        assert_eq!((leaps.next_needed(), leaps.take_needed()), (Some(23), Some((23, 2))));
        assert_eq!((leaps.next_needed(), leaps.next(), leaps.passed()), (None, Some(27), 5));
        assert_eq!((leaps.leap(26), leaps.leap(33), leaps.next()), (0, 3, Some(37)));
        assert_eq!(leaps.leap(1033), 300);
        assert_eq!(leaps.take(), (1037, 0, false));
    }

    #[test]
    fn what_is_needed_is_told_on_the_walk() {
        let mut ring = Ring::new(10, &[5, 0]);
        ring.need(0, 0);
        ring.need(1, 11);
        let walked: Vec<_> = (0..4).map(|_| ring.take()).collect();
        assert_eq!(walked, [(10, 1, false), (15, 0, true), (20, 1, true), (25, 0, false)]);
        assert_eq!(ring.next_needed(), None);
    }
}
