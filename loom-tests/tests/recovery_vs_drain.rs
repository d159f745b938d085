//! A worker takes a running container over and hears of its end, while the AM fetches: the AM, which has had it for long, is told of its end
//! once, and of nothing else.
#![cfg(loom)]

use evenweave::engine::lease::{AskPool, Taken};
use evenweave::engine::mail::container::{Container, EndReason, EndedContainer};
use evenweave::engine::mail::mailbox::{Arena, FreeRecords, Stack};
use evenweave::sync::Arc;
use evenweave::sync::thread::spawn;
use evenweave_loom_tests::{all_records, check};

/// One application, as the owner of a node that has come back and the AM share it.
struct World {
    arena: Arena,
    granted: Stack,
    ended: Stack,
    pool: AskPool,
}

const OWNER: usize = 0;
const TAKEN_OVER: u32 = 1;
const GRANTED: u32 = 2;

impl World {
    /// An application that has asked for one container more than it has.
    fn new() -> Arc<World> {
        let world = World {
            arena: Arena::new(0, 1),
            granted: Stack::default(),
            ended: Stack::default(),
            pool: AskPool::new(1),
        };
        assert_eq!(world.pool.replace(1), 1, "the first epoch that an AM begins");
        Arc::new(world)
    }

    /// As `Shard::recover` does.
    fn take_over(&self, own: &mut FreeRecords) -> u32 {
        let record = self.arena.allocate(own).expect("the arena has room");
        self.arena.keep_acquired(record, &Container::of_model(TAKEN_OVER, record), 0);
        record
    }

    fn grant(&self, own: &mut FreeRecords) -> u32 {
        self.pool.take_one(OWNER, 1, Taken::default()).expect("one is asked for");
        let record = self.arena.allocate(own).expect("the arena has room");
        self.arena.push_granted(&self.granted, record, &Container::of_model(GRANTED, record));
        record
    }

    /// As `Shard::end_container` does; whether a unit of the ask is back.
    fn end(&self, record: u32, reason: EndReason) -> bool {
        let is_unseen = self.arena.withdraw(record);
        if is_unseen {
            let _ = self.pool.put_one();
        } else {
            self.arena.push_ended(&self.ended, record, reason);
        }
        is_unseen
    }

    fn fetch(&self, got: &mut Vec<Container>, news: &mut Vec<EndedContainer>) {
        self.arena.drain_granted(&self.granted, || 0, got);
        self.arena.drain_ended(&self.ended, news);
    }
}

fn told(news: &[EndedContainer], number: u32, record: u32, reason: EndReason) -> usize {
    let Container { id, node, .. } = Container::of_model(number, record);
    news.iter().filter(|one| (one.id, one.node, one.reason) == (id, node, reason)).count()
}

/// Claim: I5: a container is taken over and its node's heartbeat says that it has ended, while the AM fetches: it is told of the end once, and is
///   given nothing but what was granted
/// Threads: 2
/// Break: `keep_acquired` stores what is unseen; it writes no words -> *I5: the AM is told once that what it had has ended*: 0, not 1 (both)
#[test]
fn a_heartbeat_says_that_it_has_ended() {
    check("recovery_vs_drain/a_heartbeat_says_that_it_has_ended", || {
        let world = World::new();
        let owner = world.clone();
        let owner = spawn(move || {
            let mut own = FreeRecords::default();
            let over = owner.take_over(&mut own);
            let granted = owner.grant(&mut own);
            owner.end(over, EndReason::Completed);
            (own, over, granted)
        });
        let (mut got, mut news) = (Vec::new(), Vec::new());
        world.fetch(&mut got, &mut news);
        let (mut own, over, granted) = owner.join().unwrap();
        world.fetch(&mut got, &mut news);
        assert_eq!(got, [Container::of_model(GRANTED, granted)], "I5: what it has already is not handed over");
        let times = told(&news, TAKEN_OVER, over, EndReason::Completed);
        assert_eq!((times, news.len()), (1, 1), "I5: the AM is told once that what it had has ended");
        own.put(granted);
        assert_eq!(all_records(&world.arena, &mut own), [0, 1, 2, 3], "I5: each record is in the arena exactly once");
    });
}

/// Claim: I3, I5: a container is taken over and its node is removed, while the AM fetches: it is told of the loss, and no unit of its ask comes
///   back for what was never asked of this scheduler
/// Threads: 2
/// Break: `keep_acquired` stores what is unseen -> *I3: a unit is back for what the AM has not seen, and for nothing else*: 2, not 1
/// Break: it writes no words -> *I5: the AM is told of the loss of all that it had*: 0, not 1
#[test]
fn its_node_is_removed() {
    check("recovery_vs_drain/its_node_is_removed", || {
        let world = World::new();
        let owner = world.clone();
        let owner = spawn(move || {
            let mut own = FreeRecords::default();
            let over = owner.take_over(&mut own);
            let granted = owner.grant(&mut own);
            let back = [over, granted].map(|record| owner.end(record, EndReason::NodeLost));
            (own, over, usize::from(back[0]) + usize::from(back[1]))
        });
        let (mut got, mut news) = (Vec::new(), Vec::new());
        world.fetch(&mut got, &mut news);
        let (mut own, over, back) = owner.join().unwrap();
        world.fetch(&mut got, &mut news);
        assert_eq!(got.len() + back, 1, "I3: a unit is back for what the AM has not seen, and for nothing else");
        assert_eq!(world.pool.total() as usize, back, "I3: as many are outstanding");
        let times = told(&news, TAKEN_OVER, over, EndReason::NodeLost);
        assert_eq!((times, news.len()), (1, 1 + got.len()), "I5: the AM is told of the loss of all that it had");
        assert_eq!(all_records(&world.arena, &mut own), [0, 1, 2, 3], "I5: each record is in the arena exactly once");
    });
}
