//! The nodes in the workloads W2 and W4 (containers end and others start on a full cluster; W4 with locality): what
//! they hold, what completes, and what they report. A player is a driver thread. It plays some of the nodes, or all.

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

/// The player that plays a node, and the node's number among that player's nodes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) player: usize,
    pub(super) local: u32,
}

/// By player: a count of completions. Until it has sent that many since the start, it does not read the scheduler's
/// statistics again.
#[derive(Clone, Debug)]
pub(super) struct Allowances(Arc<[AtomicU64]>);

impl Allowances {
    pub(super) fn of(players: usize) -> Allowances {
        Allowances((0..players).map(|_| AtomicU64::new(0)).collect())
    }

    // ORDERING of both: Relaxed. If a player reads an old number, it reads the statistics once more, or sends a few
    // completions too many or too few.
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
    /// By node of the whole cluster: who plays it.
    places: Arc<[Place]>,
    player: usize,
    /// This player's nodes, by their number in the cluster.
    mine: Vec<u32>,
    /// The containers of each node, with the applications that own them.
    pub(super) held: Held<(ContainerId, u32)>,
    /// How many containers complete with one heartbeat: the workload's K.
    pub(super) k: usize,
    /// The node that reports next, an index in `mine`.
    at: usize,
    pub(super) beats: u64,
    /// Completions sent since the start.
    pub(super) completed: u64,
    /// How many completions this player may still send before it must read the statistics again.
    slack: i64,
    allowances: Allowances,
    /// When heartbeats are due, if they come at a fixed rate (`--open-loop`).
    pub(super) pace: Option<Pace>,
    pub(super) enqueue: Histogram<u64>,
}

impl<'a> Nodes<'a> {
    /// The nodes of one player. They hold nothing yet.
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

    /// One of this player's nodes has got a container.
    #[inline]
    pub(super) fn put(&mut self, app: u32, container: &Container) {
        self.put_at(self.places[container.node.index()].local, container.id, app);
    }

    #[inline]
    pub(super) fn put_at(&mut self, local: u32, id: ContainerId, app: u32) {
        self.held.put(local as usize, (id, app));
    }

    /// Whether at least nine tenths of the capacity run. Then heartbeats carry completions. To read the statistics
    /// costs time, so it is done only when the completions sent since the last time could have changed the answer.
    /// Several players share in equal parts what may still be sent. Each counts the others' parts as sent already.
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

    /// Writes to `next` the applications that will call in the next round, if this player plays them: the owners of
    /// what the next node has held longest. It also prefetches for the rounds after that. A mailbox is behind several
    /// pointers, so each round fetches one pointer further. For a thread that plays nodes and ApplicationMasters.
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

    /// Step 1 of a round (step 2 is `Masters::serve`): the next node sends a heartbeat. If the cluster is full enough,
    /// the containers that it has held longest complete with it. Says whether a heartbeat was sent. None is sent if
    /// this player has no nodes. Nor is one sent if the scheduler offers nodes by itself and too few containers run:
    /// then this call only sleeps a moment.
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
