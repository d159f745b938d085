//! A queue goes after its last application has moved away, and another one gets its slot: no worker takes the move for one out of the second.
#![cfg(loom)]

use evenweave::engine::books::retired_slots::{RetiredSlots, RetiredToken};
use evenweave::sync::Arc;
use evenweave::sync::atomic::{AtomicU32, Ordering};
use evenweave::sync::channel::{Receiver, unbounded};
use evenweave::sync::thread::spawn;
use evenweave_loom_tests::check;

/// What a worker is told.
#[derive(Debug)]
enum Message {
    /// The application leaves the queue in the slot.
    Moved,
    QueueRetired(RetiredToken),
}

/// A worker, as its books of the slot are: which queue is there, and what it counts in it.
struct Worker {
    /// Which queue has the slot.
    structure: Arc<AtomicU32>,
    knows: u32,
    counted: i32,
}

impl Worker {
    /// As the books do: the newest structure first, and a queue that has come begins with nothing.
    fn hear(&mut self, message: Message) {
        // ORDERING: Acquire pairs with the Release of the control's store: a snapshot that is loaded.
        let newest = self.structure.load(Ordering::Acquire);
        if newest != self.knows {
            (self.knows, self.counted) = (newest, 0);
        }
        match message {
            Message::Moved => self.counted -= 1,
            Message::QueueRetired(token) => drop(token),
        }
    }

    fn hear_all(mut self, lane: &Receiver<Message>) {
        for _ in 0..2 {
            self.hear(lane.recv());
        }
        assert_eq!(self.counted, 0, "I13: what has left the queue before is not taken off the one that came");
    }
}

/// Claim: I13: a slot means another queue after all workers have heard what was said of the one before
/// Threads: 3
/// Break: `RetiredSlots::take_reusable` gives every slot -> *what has left the queue before is not taken off the one that came*: -1, not 0
#[test]
fn a_slot_gets_another_queue() {
    check("resting_vs_moves/a_slot_gets_another_queue", || {
        let structure = Arc::new(AtomicU32::new(1));
        let (mut lanes, mut workers) = (Vec::new(), Vec::new());
        for _ in 0..2 {
            let (lane, mail) = unbounded();
            lanes.push(lane);
            let worker = Worker { structure: structure.clone(), knows: 1, counted: 1 };
            workers.push(spawn(move || worker.hear_all(&mail)));
        }
        let mut resting = RetiredSlots::default();
        lanes.iter().for_each(|lane| lane.send(Message::Moved).expect("a lane"));
        let token = resting.retire(0_u32);
        lanes.iter().for_each(|lane| lane.send(Message::QueueRetired(token.clone())).expect("a lane"));
        drop(token);
        // As it stands when a queue comes: with or without a slot to take.
        if resting.take_reusable() == [0] {
            structure.store(2, Ordering::Release);
        }
        for worker in workers {
            worker.join().expect("a worker");
        }
    });
}
