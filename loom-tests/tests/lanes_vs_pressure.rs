//! A worker takes from its two lanes while others send: in the order that a node's heartbeat needs, and never so much that
//! another's lane grows without a bound.
#![cfg(loom)]

use evenweave::engine::intake::inbox::{BATCH, Handler, Inbox, LONG_LANE, Next, Then};
use evenweave::sync::channel::{Sender, bounded, unbounded};
use evenweave::sync::thread::{spawn, yield_now};
use evenweave_loom_tests::check;

/// Notes what it works off, in order.
#[derive(Default)]
struct Notes(Vec<&'static str>);

impl Handler<&'static str, &'static str> for Notes {
    fn internal(&mut self, message: &'static str) -> Next {
        self.0.push(message);
        Next::GoOn
    }

    fn external(&mut self, message: &'static str) {
        self.0.push(message);
    }
}

/// Claim: I9: a message that comes in is worked off after what was sent inside before it: a heartbeat after its node
/// Threads: 2
/// Break: `Inbox::take_external` does not empty the internal lane first -> *I9: what was sent inside before a message is
///   worked off before it*: heartbeat, node
#[test]
fn a_heartbeat_comes_after_its_node() {
    check("lanes_vs_pressure/a_heartbeat_comes_after_its_node", || {
        let (internal, from_inside) = unbounded();
        let (external, from_outside) = bounded(1);
        let lanes = [internal.clone()];
        let worker = spawn(move || {
            let (mut inbox, mut notes) = (Inbox::new(from_inside, from_outside), Notes::default());
            for _ in 0..2 {
                inbox.batch(BATCH, &lanes, &mut notes);
            }
            (inbox, lanes, notes)
        });
        // The control tells the owner, then answers the caller, who sends.
        internal.send("node").expect("a lane");
        external.try_send("heartbeat").expect("there is room");
        let (mut inbox, lanes, mut notes) = worker.join().unwrap();
        inbox.batch(BATCH, &lanes, &mut notes);
        assert_eq!(notes.0, ["node", "heartbeat"], "I9: what was sent inside before a message is worked off before it");
    });
}

/// Claim: I9: what was accepted is worked off, in its order, though a worker takes messages before the one it works off
/// Threads: 2
/// Break: `Inbox::next_external` drops what was taken before -> *I9: every message, in the order in which they were sent*: one
#[test]
fn what_is_taken_ahead_is_worked_off() {
    check("lanes_vs_pressure/what_is_taken_ahead_is_worked_off", || {
        let (internal, from_inside) = unbounded();
        let (external, from_outside) = bounded(2);
        let lanes = [internal];
        let worker = spawn(move || {
            let (mut inbox, mut notes) = (Inbox::new(from_inside, from_outside), Notes::default());
            inbox.batch(BATCH, &lanes, &mut notes);
            (inbox, lanes, notes)
        });
        external.try_send("one").expect("there is room");
        external.try_send("two").expect("there is room");
        let (mut inbox, lanes, mut notes) = worker.join().unwrap();
        inbox.batch(BATCH, &lanes, &mut notes);
        assert_eq!(notes.0, ["one", "two"], "I9: every message, in the order in which they were sent");
    });
}

/// A worker whose every external message leads to one for the other worker.
struct Teller {
    other: Sender<u32>,
    told: u32,
    longest: usize,
    heard: u32,
}

impl Handler<u32, u32> for Teller {
    fn internal(&mut self, _: u32) -> Next {
        self.heard += 1;
        Next::GoOn
    }

    fn external(&mut self, message: u32) {
        self.other.send(message).expect("a lane");
        self.told += 1;
        self.longest = self.longest.max(self.other.len());
    }
}

/// Claim: I12, I9: nobody waits for room in a lane; where a worker is slow, the others take nothing more from outside, so
///   its lane is bounded; what was accepted is worked off
/// Threads: 2
/// Break: `Inbox::batch` takes external messages however long a lane is -> *I12: a lane is no longer than what is long and
///   a batch*
#[test]
fn a_slow_worker_slows_the_callers() {
    check("lanes_vs_pressure/a_slow_worker_slows_the_callers", || {
        // More than a batch is in the first one's lane; what does not fit comes back.
        const SENT: u32 = 4;
        let ((to_first, first), (to_second, second)) = (unbounded(), unbounded());
        let (external, from_outside) = bounded(SENT as usize);
        let lanes = [to_first.clone(), to_second.clone()];
        for message in 0..SENT {
            external.try_send(message).expect("there is room");
        }
        assert!(external.try_send(SENT).is_err(), "I12: who finds no room is told, and does not wait");
        let others = lanes.clone();
        let slow = spawn(move || {
            let (_, nobody) = bounded(1);
            let mut inbox = Inbox::new(second, nobody);
            let mut slow = Teller { other: to_first, told: 0, longest: 0, heard: 0 };
            inbox.batch(BATCH, &others, &mut slow);
            inbox.batch(BATCH, &others, &mut slow);
            (inbox, others, slow)
        });
        let mut inbox = Inbox::new(first, from_outside);
        let mut fast = Teller { other: to_second, told: 0, longest: 0, heard: 0 };
        for _ in 0..3 {
            if inbox.batch(BATCH, &lanes, &mut fast) == Then::GiveWay {
                yield_now();
            }
        }
        assert!(fast.longest <= LONG_LANE + BATCH, "I12: a lane is no longer than what is long and a batch");
        let (mut slow_inbox, others, mut slow) = slow.join().unwrap();
        while slow.heard < SENT {
            slow_inbox.batch(BATCH, &others, &mut slow);
            inbox.batch(BATCH, &lanes, &mut fast);
        }
        assert!(fast.longest <= LONG_LANE + BATCH, "I12: a lane is no longer than what is long and a batch");
        assert_eq!((fast.told, slow.heard), (SENT, SENT), "I9: what was accepted is worked off, and what it led to");
    });
}
