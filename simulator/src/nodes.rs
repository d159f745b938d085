//! The nodes: what runs on each, and when each reports.
//!
//! Each node reports at `offset + k · interval`, for the first time with `k = 1`, as SLS's do. In order of time and of
//! offset that is a ring; the [`Ring`] walks it, or leaps to the next report that has something to say.

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
    /// Its memory, MiB, and vcores.
    pub(super) size: [i64; 2],
    heartbeat: Heartbeat,
    running: Vec<Running>,
    /// The first end of what runs.
    next_end: u64,
    launched: Vec<ContainerId>,
    gone: bool,
    /// What was stopped at the last report, and is said to have ended at the next.
    stopped: Vec<ContainerId>,
}

impl SimNode {
    pub(super) fn new(handle: NodeHandle, size: [i64; 2]) -> SimNode {
        let heartbeat = Heartbeat::new(&handle);
        SimNode {
            handle,
            size,
            heartbeat,
            running: Vec::new(),
            next_end: u64::MAX,
            launched: Vec::new(),
            gone: false,
            stopped: Vec::new(),
        }
    }

    /// It is lost, and what runs on it.
    pub(super) fn lose(&mut self) {
        *self = SimNode { gone: true, ..SimNode::new(self.handle.clone(), self.size) };
    }

    pub(super) fn is_gone(&self) -> bool {
        self.gone
    }

    /// A container is launched; on a node that is lost nothing is.
    pub(super) fn launch(&mut self, id: ContainerId, ends_at: u64) {
        if self.gone {
            return;
        }
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
    ) -> (&Heartbeat, &NodeHandle, bool) {
        let SimNode { handle, heartbeat, running, next_end, launched, stopped, .. } = self;
        heartbeat.clear();
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
        heartbeat.add_launched(launched.drain(..));
        heartbeat.add_completed(over.iter().copied());
        heartbeat.add_completed(stopped.drain(..));
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
        (heartbeat, handle, !stopped.is_empty())
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
    /// Reports with something to say: time and node, perhaps more than once.
    needed: BinaryHeap<Reverse<(u64, u32)>>,
    /// Reports that were due before nodes last came or went, less those that the present nodes would have made.
    before: i64,
}

/// The place of a node that is none any more.
const NOWHERE: u32 = u32::MAX;

impl Ring {
    /// `offsets`: of each node, below the interval.
    pub(super) fn new(interval: u64, offsets: &[u64]) -> Ring {
        let mut order: Vec<(u64, u32)> = offsets.iter().copied().zip(0..).collect();
        order.sort_unstable();
        let mut ring =
            Ring { interval, place: Vec::new(), order, round: 1, next: 0, needed: BinaryHeap::new(), before: 0 };
        ring.place.resize(offsets.len(), NOWHERE);
        ring.number();
        ring
    }

    /// Tells each node its place.
    fn number(&mut self) {
        for (at, (_, node)) in (0_u32..).zip(&self.order) {
            self.place[*node as usize] = at;
        }
    }

    /// A node more, numbered as the next one; it reports from `now` on.
    pub(super) fn add(&mut self, now: u64, offset: u64) {
        let passed = self.passed_by_now();
        let node = u32::try_from(self.place.len()).unwrap_or(NOWHERE);
        self.place.push(NOWHERE);
        let entry = (offset, node);
        let at = self.order.partition_point(|known| *known < entry);
        self.order.insert(at, entry);
        let last = self.round.saturating_sub(1);
        if self.next == 0 && last > 0 && self.time(last, at) > now {
            // All others have reported in a round that it still can.
            (self.round, self.next) = (last, at);
        } else if at < self.next || (at == self.next && self.time(self.round, at) <= now) {
            self.next += 1;
        }
        self.wrap();
        self.number();
        self.before += passed - self.passed_by_now();
    }

    /// A node that does not report any more.
    pub(super) fn remove(&mut self, node: u32) {
        let Some(at) = self.place.get(node as usize).map(|place| *place as usize).filter(|at| *at < self.order.len())
        else {
            return;
        };
        let passed = self.passed_by_now();
        self.order.remove(at);
        self.place[node as usize] = NOWHERE;
        if at < self.next {
            self.next -= 1;
        }
        self.wrap();
        self.number();
        self.needed.retain(|Reverse((_, needed))| *needed != node);
        self.before += passed - self.passed_by_now();
    }

    fn wrap(&mut self) {
        if self.next >= self.order.len() {
            self.next = 0;
            self.round += 1;
        }
    }

    fn passed_by_now(&self) -> i64 {
        i64::try_from((self.round - 1) * self.order.len() as u64 + self.next as u64).unwrap_or(i64::MAX)
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

    /// A node has something to say at the first report from `from` on; one that is lost never has.
    pub(super) fn need(&mut self, node: u32, from: u64) {
        if self.place[node as usize] != NOWHERE {
            let at = self.report_from(node, from);
            self.needed.push(Reverse((at, node)));
        }
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
        let (at, node) = (self.time(self.round, self.next), self.order[self.next].1);
        self.next += 1;
        self.wrap();
        let mut needed = false;
        let this = (at, node);
        while let Some(Reverse(first)) = self.needed.peek()
            && *first <= this
        {
            needed |= *first == this;
            self.needed.pop();
        }
        (at, node, needed)
    }

    /// Leaps to the next report with something to say, and takes it.
    pub(super) fn take_needed(&mut self) -> Option<(u64, u32)> {
        let Reverse((at, node)) = *self.needed.peek()?;
        self.next = self.place[node as usize] as usize;
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
        self.wrap();
        self.round * self.order.len() as u64 + self.next as u64 - before
    }

    /// So many reports have been due.
    pub(super) fn passed(&self) -> u64 {
        u64::try_from(self.before + self.passed_by_now()).unwrap_or(0)
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
    fn nodes_come_and_go() {
        let mut ring = Ring::new(10, &[5, 1]);
        let take = |ring: &mut Ring| {
            let (at, node, needed) = ring.take();
            (at, node, needed)
        };
        assert_eq!((take(&mut ring), take(&mut ring)), ((11, 1, false), (15, 0, false)));
        ring.need(0, 16);
        // After 15: the one that would have been due at 13 waits for the next round.
        ring.add(15, 3);
        assert_eq!(
            [take(&mut ring), take(&mut ring), take(&mut ring)],
            [(21, 1, false), (23, 2, false), (25, 0, true)]
        );
        assert_eq!(ring.passed(), 5);
        ring.need(0, 26);
        ring.remove(0);
        ring.need(0, 26);
        assert_eq!((ring.next_needed(), take(&mut ring), take(&mut ring)), (None, (31, 1, false), (33, 2, false)));
        assert_eq!(ring.passed(), 7);
        ring.add(33, 8);
        assert_eq!((take(&mut ring), take(&mut ring), ring.passed()), ((38, 3, false), (41, 1, false), 9));
        [1, 2, 3, 3].into_iter().for_each(|node| ring.remove(node));
        assert_eq!((ring.next(), ring.passed()), (None, 9));
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
