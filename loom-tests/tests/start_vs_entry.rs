//! One worker lets an application start; another hears of it and of the application's entry over two lanes, in either order.
#![cfg(loom)]

use evenweave::engine::books::started_entry::{EntryCount, StartedEntry};
use evenweave::sync::Arc;
use evenweave::sync::channel::{Receiver, Sender, unbounded};
use evenweave::sync::thread::spawn;
use evenweave_loom_tests::check;

/// What comes over a worker's lane.
#[derive(Clone, Copy, Debug)]
enum Message {
    /// From the control.
    Entered,
    /// From the worker that decides.
    Starts(u32),
}

/// A worker that does not decide, as the books are one: which turn the application is in, and whether it has started in it.
struct Follower {
    turn: Arc<StartedEntry>,
    own: EntryCount,
    has_started: bool,
}

impl Follower {
    fn new(turn: &Arc<StartedEntry>) -> Follower {
        Follower { turn: turn.clone(), own: EntryCount::default(), has_started: false }
    }

    fn hear(&mut self, message: Message) {
        match message {
            Message::Entered => {
                self.own.enter();
                self.has_started = self.own.may_start(&self.turn);
            }
            Message::Starts(turn) => self.has_started |= self.own.is_about(turn),
        }
    }

    fn hear_all(&mut self, lane: &Receiver<Message>, messages: usize) {
        for _ in 0..messages {
            self.hear(lane.recv());
        }
    }
}

/// The worker that decides: it has entered a turn, and lets it start.
fn decide(turn: &StartedEntry, entered: u32, others: &Sender<Message>) {
    turn.let_start(entered, |turn| others.send(Message::Starts(turn)).unwrap());
}

/// Claim: I14: who was let start starts with every worker, whether word of it or of its entry comes first
/// Threads: 3
/// Break: `let_start` tells first -> *it starts with every worker*
#[test]
fn word_comes_before_or_after_the_entry() {
    check("start_vs_entry/word_comes_before_or_after_the_entry", || {
        let turn = Arc::new(StartedEntry::default());
        let (lane, mail) = unbounded();
        let decider = {
            let (turn, lane) = (turn.clone(), lane.clone());
            spawn(move || decide(&turn, 1, &lane))
        };
        let control = spawn(move || lane.send(Message::Entered).unwrap());
        let mut follower = Follower::new(&turn);
        follower.hear_all(&mail, 2);
        assert!(follower.has_started, "it starts with every worker");
        control.join().unwrap();
        decider.join().unwrap();
    });
}

/// Claim: I14: word of an earlier turn that comes late starts nobody, and does not take back a later one
/// Threads: 3
/// Break: `let_start` stores -> *the second turn was let start*
#[test]
fn the_leaf_before_is_late() {
    check("start_vs_entry/the_leaf_before_is_late", || {
        let turn = Arc::new(StartedEntry::default());
        let (lane, mail) = unbounded();
        // It waits in one leaf, then in another, which another worker decides for.
        let deciders = [1, 2].map(|entered| {
            let (turn, lane) = (turn.clone(), lane.clone());
            spawn(move || decide(&turn, entered, &lane))
        });
        let mut follower = Follower::new(&turn);
        follower.hear(Message::Entered);
        follower.hear_all(&mail, 1);
        follower.hear(Message::Entered);
        follower.hear_all(&mail, 1);
        assert!(follower.has_started, "the second turn was let start");
        deciders.map(|decider| decider.join().unwrap());
    });
}

/// Claim: I14: only the turn that was let start starts
/// Threads: 2
/// Break: `is_about` is always true -> *the second turn was not let start*
#[test]
fn a_turn_that_waits_is_not_started_by_the_one_before() {
    check("start_vs_entry/a_turn_that_waits_is_not_started_by_the_one_before", || {
        let turn = Arc::new(StartedEntry::default());
        let (lane, mail) = unbounded();
        let decider = {
            let turn = turn.clone();
            spawn(move || decide(&turn, 1, &lane))
        };
        let mut follower = Follower::new(&turn);
        follower.hear(Message::Entered);
        follower.hear(Message::Entered);
        follower.hear_all(&mail, 1);
        assert!(!follower.has_started, "the second turn was not let start");
        decider.join().unwrap();
    });
}

/// Claim: I14: who was let start by a worker that then dies, and has told nobody, starts with every worker, by the one that decides after it
/// Threads: 4
/// Break: `may_start` is always false -> *deadlock*
#[test]
fn the_one_that_decides_dies_before_it_tells() {
    check("start_vs_entry/the_one_that_decides_dies_before_it_tells", || {
        let turn = Arc::new(StartedEntry::default());
        let (lane, mail) = unbounded();
        let (lane_of_next, mail_of_next) = unbounded();
        let decider = {
            let turn = turn.clone();
            spawn(move || turn.let_start(1, |_| ()))
        };
        let next = {
            let (turn, lane) = (turn.clone(), lane.clone());
            spawn(move || {
                let mut next = Follower::new(&turn);
                // Until it is told that it decides now. Then whose word says so starts, and all others hear of it.
                while let Some(message) = mail_of_next.recv() {
                    next.hear(message);
                }
                if next.own.may_start(&turn) {
                    decide(&turn, next.own.number(), &lane);
                }
            })
        };
        let control = spawn(move || {
            lane.send(Message::Entered).unwrap();
            lane_of_next.send(Some(Message::Entered)).unwrap();
            decider.join().unwrap();
            lane_of_next.send(None).unwrap();
        });
        let mut follower = Follower::new(&turn);
        follower.hear_all(&mail, 2);
        assert!(follower.has_started, "it starts with every worker");
        control.join().unwrap();
        next.join().unwrap();
    });
}
