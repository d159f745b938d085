//! A node is lost while the AM fetches what was granted there and another worker serves the same ask: each unit of the ask is a
//! container that the AM has, or outstanding again; never both, never neither.
#![cfg(loom)]

use evenweave::engine::lease::{AskPool, Taken};
use evenweave::engine::mail::container::{Container, EndReason};
use evenweave::engine::mail::mailbox::{Arena, FreeRecords, Stack};
use evenweave::sync::Arc;
use evenweave::sync::thread::spawn;
use evenweave_loom_tests::{all_records, check};

/// One application, as the owner of the lost node, another worker and the AM share it.
struct World {
    arena: Arena,
    granted: Stack,
    ended: Stack,
    pool: AskPool,
}

const OWNER: usize = 0;
const OTHER: usize = 1;

impl World {
    /// An application that has asked for `count` containers, under epoch 1.
    fn new(count: u32) -> Arc<World> {
        let world = World {
            arena: Arena::new(0, 1),
            granted: Stack::default(),
            ended: Stack::default(),
            pool: AskPool::new(2),
        };
        assert_eq!(world.pool.replace(count), 1, "the first epoch that an AM begins");
        Arc::new(world)
    }

    /// A container on the node, if there is something outstanding.
    fn grant(&self, own: &mut FreeRecords, number: u32) -> Option<u32> {
        self.pool.take_one(OWNER, 1, Taken::default()).ok()?;
        let record = self.arena.allocate(own).expect("the arena has room");
        self.arena.push_granted(&self.granted, record, &Container::of_model(number, record));
        Some(record)
    }

    /// The node is lost: who was not seen by the AM gives its unit back, as `Shard::end_container` does. Says how many did.
    fn lose(&self, live: &[u32]) -> usize {
        let mut given_back = 0;
        for record in live {
            if self.arena.withdraw(*record) {
                // Who waits for it is told by message: `recount_vs_dry`.
                let _ = self.pool.put_one();
                given_back += 1;
            } else {
                self.arena.push_ended(&self.ended, *record, EndReason::NodeLost);
            }
        }
        given_back
    }
}

/// Claim: I3, I5: a node is lost while the AM fetches: a container, or a unit of the ask, never both
/// Threads: 2
/// Break: `AskPool::put_one` does nothing; every loss gives back -> *I3: a unit is back for each that the AM has not seen*:
///   0, not 1; *I5: the AM has the container, or its ask is outstanding again*: 2, not 1
#[test]
fn while_the_am_fetches() {
    check("node_loss_vs_drain/while_the_am_fetches", || {
        let world = World::new(1);
        let owner = world.clone();
        let owner = spawn(move || {
            let mut own = FreeRecords::default();
            let record = owner.grant(&mut own, 1).expect("one is asked for");
            (owner.lose(&[record]), own)
        });
        let (mut got, mut news) = (Vec::new(), Vec::new());
        world.arena.drain_granted(&world.granted, || 0, &mut got);
        world.arena.drain_ended(&world.ended, &mut news);
        let (given_back, mut own) = owner.join().unwrap();
        world.arena.drain_granted(&world.granted, || 0, &mut got);
        world.arena.drain_ended(&world.ended, &mut news);
        assert_eq!(got.len() + given_back, 1, "I5: the AM has the container, or its ask is outstanding again");
        assert_eq!(news.len(), got.len(), "I5: the AM is told of the loss of what it had, and of nothing else");
        assert_eq!(world.pool.total() as usize, given_back, "I3: a unit is back for each that the AM has not seen");
        assert_eq!(all_records(&world.arena, &mut own), [0, 1, 2, 3], "I5: each record is in the arena exactly once");
    });
}

/// Claim: I3, I5: a node is lost while another worker serves the ask: no unit is lost, none is served twice
/// Threads: 3
/// Break: `AskPool::put_one` does nothing; every loss gives back -> *I3: no unit is lost, none is served twice*: 1, not 2;
///   *I5: acquired or withdrawn*: 2, not 1
#[test]
fn while_another_worker_serves_the_ask() {
    check("node_loss_vs_drain/while_another_worker_serves_the_ask", || {
        let world = World::new(2);
        let mut own = FreeRecords::default();
        let record = world.grant(&mut own, 1).expect("two are asked for");
        let owner = world.clone();
        let owner = spawn(move || owner.lose(&[record]));
        let other = world.clone();
        let other = spawn(move || (0..2).filter(|_| other.pool.take_one(OTHER, 1, Taken::default()).is_ok()).count());
        let mut got = Vec::new();
        world.arena.drain_granted(&world.granted, || 0, &mut got);
        let (given_back, taken) = (owner.join().unwrap(), other.join().unwrap());
        assert_eq!(got.len() + given_back, 1, "I5: acquired or withdrawn");
        let outstanding = world.pool.total() as usize;
        assert_eq!(taken + got.len() + outstanding, 2, "I3: no unit is lost, none is served twice");
        assert!(taken >= 1, "I7: the unit that nobody had is found");
    });
}
