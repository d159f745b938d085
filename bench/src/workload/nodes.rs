//! The nodes' side of W2 and W4: what they hold, what completes, and what they report. A part of the nodes, or all, is
//! one thread's.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use hdrhistogram::Histogram;

use super::bed::{Bed, LOOK};
use super::calls::{Timing, hand_over};
use super::node_containers::Held;
use super::pace::Pace;
use super::shape::A_NODE;
use crate::api::{Container, ContainerId, Heartbeat};
use crate::latency::histogram;

/// Who plays a node, and which of his it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) player: usize,
    pub(super) local: u32,
}

/// How many completions each player may have sent, ever, before it looks again whether nine tenths of the capacity run.
#[derive(Clone, Debug)]
pub(super) struct Allowances(Arc<[AtomicU64]>);

impl Allowances {
    /// Of so many players.
    pub(super) fn of(players: usize) -> Allowances {
        Allowances((0..players).map(|_| AtomicU64::new(0)).collect())
    }

    // ORDERING of both: Relaxed. A number that comes late is a look more or a few completions more or fewer.
    fn set(&self, player: usize, allowance: u64) {
        self.0[player].store(allowance, Ordering::Relaxed);
    }

    fn of_others(&self, player: usize) -> u64 {
        let others = self.0.iter().enumerate().filter(|(other, _)| *other != player);
        others.map(|(_, allowance)| allowance.load(Ordering::Relaxed)).sum()
    }
}

/// See the module's text.
pub(super) struct Nodes<'a> {
    pub(super) bed: &'a Bed,
    /// Of all nodes of the bed.
    places: Arc<[Place]>,
    player: usize,
    /// This player's, by their number in the bed.
    mine: Vec<u32>,
    /// Containers with their owners.
    pub(super) held: Held<(ContainerId, u32)>,
    /// How many complete with one heartbeat.
    pub(super) k: usize,
    at: usize,
    pub(super) beats: u64,
    /// Completions sent, ever.
    pub(super) completed: u64,
    /// So many more completions leave nine tenths of the capacity running, whatever is under way.
    slack: i64,
    allowances: Allowances,
    /// In an open loop.
    pub(super) pace: Option<Pace>,
    pub(super) enqueue: Histogram<u64>,
}

impl<'a> Nodes<'a> {
    /// Those of one player, who hold nothing yet.
    pub(super) fn of(bed: &'a Bed, k: usize, places: Arc<[Place]>, player: usize, allowances: Allowances) -> Nodes<'a> {
        let mine: Vec<u32> = (0..).zip(&*places).filter(|(_, at)| at.player == player).map(|(node, _)| node).collect();
        Nodes {
            bed,
            held: Held::of(mine.len(), A_NODE),
            places,
            player,
            mine,
            k,
            at: 0,
            beats: 0,
            completed: 0,
            slack: -1,
            allowances,
            pace: None,
            enqueue: histogram(),
        }
    }

    /// One of this player's nodes holds one more.
    #[inline]
    pub(super) fn put(&mut self, app: u32, container: &Container) {
        self.put_at(self.places[container.node.index()].local, container.id, app);
    }

    #[inline]
    pub(super) fn put_at(&mut self, local: u32, id: ContainerId, app: u32) {
        self.held.put(local as usize, (id, app));
    }

    /// Whether nine tenths of the capacity run, so that heartbeats carry completions. Looked at before every heartbeat,
    /// but without a look while what was sent since the last one cannot have changed the answer. Of several players
    /// each has its part of what is left, and counts as sent what the others may send.
    fn enough(&mut self) -> bool {
        if self.slack >= 0 {
            return true;
        }
        let stats = self.bed.engine.stats();
        let signed = |count: u64| i64::try_from(count).expect("few containers");
        let above = signed(stats.running * 10) - signed(self.bed.shape.capacity() * 9);
        let sent = self.completed + self.allowances.of_others(self.player);
        let left = above.div_euclid(10) - signed(sent.saturating_sub(stats.completed));
        self.slack = left.div_euclid(signed(self.allowances.0.len() as u64));
        self.allowances.set(self.player, self.completed + self.slack.max(0).unsigned_abs());
        above >= 0
    }

    /// Who calls in the next round, of those that this player plays: the owners of what the next node has held longest.
    /// Those of the nodes after it call after them: each round asks for one link more of what leads to their mail.
    /// Where one thread does both.
    pub(super) fn next_owners(&self, next: &mut Vec<u32>, is_mine: impl Fn(u32) -> bool) {
        if self.mine.is_empty() {
            return;
        }
        let owners = |rounds: usize| {
            let node = (self.at + rounds) % self.held.nodes();
            self.held.longest(node, self.k).map(|(_, owner)| *owner).filter(|owner| is_mine(*owner))
        };
        next.clear();
        next.extend(owners(0));
        owners(1).for_each(|owner| self.bed.apps[owner as usize].prefetch_mail());
        owners(2).for_each(|owner| self.bed.apps[owner as usize].prefetch_call());
        self.held.prefetch_longest((self.at + 4) % self.held.nodes(), self.k);
    }

    /// Step 1: the next node's longest-held containers complete, and it reports them. Says whether it did: where nodes
    /// are offered aside and few containers run, the driver waits and looks again instead.
    pub(super) fn report(&mut self, owners: &mut Vec<u32>) -> Result<bool, String> {
        owners.clear();
        self.held.settle();
        let completions = self.enough();
        if !completions && self.bed.aside {
            std::thread::sleep(LOOK);
            return Ok(false);
        }
        let Some(number) = self.mine.get(self.at) else { return Ok(false) };
        let node = self.at;
        self.at = (self.at + 1) % self.held.nodes();
        let mut heartbeat = Heartbeat::new(&self.bed.nodes[*number as usize]);
        if completions {
            for (id, owner) in self.held.take(node, self.k) {
                heartbeat.add_completed([*id]);
                owners.push(*owner);
            }
            self.completed += owners.len() as u64;
            self.slack -= i64::try_from(owners.len()).expect("a few");
        }
        self.beats += 1;
        let due = self.pace.as_mut().map(Pace::wait);
        hand_over(&*self.bed.engine, heartbeat, Timing { beat: self.beats, due }, &mut self.enqueue)?;
        Ok(true)
    }
}
