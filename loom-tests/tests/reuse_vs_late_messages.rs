//! An application ends and another gets its slot, while messages that name the first are still under way: none of them means the
//! second, and nothing of the first is left when the second begins.
#![cfg(loom)]

use evenweave::engine::books::attempt_end::{Acknowledgements, find};
use evenweave::engine::books::usage::UsageCell;
use evenweave::sync::Arc;
use evenweave::sync::channel::{Receiver, Sender, unbounded};
use evenweave::sync::thread::spawn;
use evenweave::{Resource, Slot, Slots};
use evenweave_loom_tests::check;

const WORKERS: usize = 2;

/// What a worker is told.
#[derive(Debug)]
enum Message {
    /// The attempt ends.
    Close(Slot),
    /// An AM asks for so many more.
    Ask(Slot, u32),
    /// An application begins, as its first ask or its structure says.
    Begin(Slot),
    Stop,
}

/// What a worker knows of an application.
struct Known {
    slot: Slot,
    asked: u32,
}

struct Worker {
    id: usize,
    lane: Receiver<Message>,
    control: Sender<Slot>,
    /// The other worker's lane.
    other: Sender<Message>,
    usage: Arc<[UsageCell; WORKERS]>,
    known: Vec<Option<Known>>,
}

impl Worker {
    fn handle(&mut self, message: Message) -> bool {
        match message {
            Message::Close(slot) => {
                if find(&self.known, slot, |known| known.slot).is_some() {
                    // What it has ends; of one container another worker's asks are told.
                    self.usage[self.id].set(1, &Resource::ZERO);
                    self.other.send(Message::Ask(slot, 1)).expect("a lane");
                    self.known[slot.ix()] = None;
                }
                self.control.send(slot).expect("a lane");
            }
            Message::Ask(slot, count) => {
                if find(&self.known, slot, |known| known.slot).is_some()
                    && let Some(known) = &mut self.known[slot.ix()]
                {
                    known.asked += count;
                }
            }
            Message::Begin(slot) => {
                let used = self.usage.iter().fold(Resource::ZERO, |sum, cell| sum.plus(&cell.read()));
                assert_eq!(
                    used,
                    Resource::ZERO,
                    "I5, I13: a slot is used again when every worker has ended what it had"
                );
                self.known.resize_with(slot.ix() + 1, || None);
                self.known[slot.ix()] = Some(Known { slot, asked: 0 });
            }
            Message::Stop => return false,
        }
        true
    }

    fn work(mut self) -> Worker {
        loop {
            let message = self.lane.recv();
            if !self.handle(message) {
                return self;
            }
        }
    }
}

/// Claim: I13, I5: a slot means another application after all have acknowledged, and what names the one before does not
///   mean it
/// Threads: 3
/// Break: `Acknowledgements::take_one` takes the first for the last -> *I5, I13: a slot is used again when every worker has
///   ended what it had*: 1, not 0
/// Break: `find` looks at the index alone -> *I13: what names the one before does not mean the new one*: 3, not 2
/// Break: `Slots::give_back` keeps the generation -> *the slot is used again, under another generation*
#[test]
fn a_slot_gets_another_application() {
    check("reuse_vs_late_messages/a_slot_gets_another_application", || {
        let mut slots = Slots::default();
        let old = slots.take();
        let usage: Arc<[UsageCell; WORKERS]> = Arc::default();
        let ((to_first, first), (to_second, second)) = (unbounded(), unbounded());
        let (control, acknowledged) = unbounded();
        let worker = |id: usize, lane, other: &Sender<Message>| {
            usage[id].set(1, &Resource::new(1, 0));
            let known = vec![Some(Known { slot: old, asked: 0 })];
            Worker { id, lane, control: control.clone(), other: other.clone(), usage: usage.clone(), known }
        };
        let [first, second] = [worker(0, first, &to_second), worker(1, second, &to_first)];
        let threads = [first, second].map(|worker| spawn(move || worker.work()));
        for lane in [&to_first, &to_second] {
            lane.send(Message::Close(old)).expect("a lane");
        }
        // A caller that had looked just before the close.
        to_first.send(Message::Ask(old, 1)).expect("a lane");
        let mut left = Acknowledgements::of_each(WORKERS);
        while acknowledged.recv() != old || !left.take_one() {}
        slots.give_back(old);
        let new = slots.take();
        assert!(new.ix() == old.ix() && new != old, "the slot is used again, under another generation");
        for lane in [&to_first, &to_second] {
            lane.send(Message::Begin(new)).expect("a lane");
            lane.send(Message::Ask(old, 1)).expect("a lane");
            lane.send(Message::Ask(new, 2)).expect("a lane");
            lane.send(Message::Stop).expect("a lane");
        }
        for thread in threads {
            let worker = thread.join().unwrap();
            let known = find(&worker.known, new, |known| known.slot);
            assert_eq!(
                known.map(|known| known.asked),
                Some(2),
                "I13: what names the one before does not mean the new one"
            );
        }
    });
}
