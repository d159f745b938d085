//! Workers as the threaded driver runs them, with messages that lead to others: the core's inbox, counts and barriers.

use evenweave::engine::intake::inbox::{BATCH, Handler, Inbox, Next, Then};
use evenweave::engine::threads::quiet::{Handled, until_quiet};
use evenweave::sync::channel::{Receiver, Sender, unbounded};
use evenweave::sync::thread::yield_now;
use evenweave::sync::{Arc, Mutex};
use std::cell::RefCell;

/// What a lane holds.
#[derive(Debug)]
pub enum Message {
    /// Leads to a message with one less for the next worker, until it is 0.
    Hop(u32),
    /// Answer when it is reached.
    Barrier(Sender<()>),
    /// Work off what is there and end.
    Shutdown,
}

/// What two workers share.
#[derive(Debug)]
pub struct World {
    internal: [Sender<Message>; 2],
    external: [Sender<Message>; 2],
    handled: [Handled; 2],
    /// Messages worked off to the end.
    done: Mutex<u32>,
}

/// One of them.
#[derive(Debug)]
pub struct Worker {
    id: usize,
    world: Arc<World>,
    inbox: Inbox<Message, Message>,
}

/// Works a worker's messages off.
struct Working<'a>(usize, &'a World);

impl Handler<Message, Message> for Working<'_> {
    fn internal(&mut self, message: Message) -> Next {
        let Working(id, world) = *self;
        match message {
            Message::Hop(left) => {
                world.handled[id].note();
                if left > 0 {
                    world.internal[1 - id].send(Message::Hop(left - 1)).expect("a lane");
                }
                *world.done.lock() += 1;
            }
            Message::Barrier(reply) => reply.send(()).expect("a lane"),
            Message::Shutdown => return Next::Stop,
        }
        Next::GoOn
    }

    fn external(&mut self, message: Message) {
        self.internal(message);
    }
}

/// Two workers and what they share.
#[must_use]
pub fn world() -> (Arc<World>, [Worker; 2]) {
    let [(internal_a, inside_a), (internal_b, inside_b)] = [unbounded(), unbounded()];
    let [(external_a, outside_a), (external_b, outside_b)] = [unbounded(), unbounded()];
    let world = Arc::new(World {
        internal: [internal_a, internal_b],
        external: [external_a, external_b],
        handled: Default::default(),
        done: Mutex::new(0),
    });
    let worker = |id, inside: Receiver<Message>, outside| Worker {
        id,
        world: world.clone(),
        inbox: Inbox::new(inside, outside),
    };
    let workers = [worker(0, inside_a, outside_a), worker(1, inside_b, outside_b)];
    (world, workers)
}

impl Worker {
    /// Waits for an inner message and works it off.
    pub fn work_one(&mut self) -> Next {
        let Worker { id, world, inbox } = self;
        inbox.wait_inside(&mut Working(*id, world))
    }

    /// One batch after the other until it is told to stop and nothing is left.
    pub fn work(&mut self) {
        let Worker { id, world, inbox } = self;
        let mut working = Working(*id, world);
        loop {
            // Pressure has models of its own.
            match inbox.batch(BATCH, &[], &mut working) {
                Then::End => return,
                Then::Again => {}
                Then::GiveWay => yield_now(),
                // What is sent outside here is followed by something inside.
                Then::Wait => drop(inbox.wait_inside(&mut working)),
            }
        }
    }
}

impl World {
    /// A caller's message, which leads to so many others.
    pub fn send(&self, worker: usize, hops: u32) {
        self.external[worker].send(Message::Hop(hops)).expect("a lane");
    }

    /// A message of another thread of the scheduler's.
    pub fn send_inside(&self, worker: usize, hops: u32) {
        self.internal[worker].send(Message::Hop(hops)).expect("a lane");
    }

    /// Messages worked off to the end.
    pub fn done(&self) -> u32 {
        *self.done.lock()
    }

    /// As `driver::quiesce`, where all messages are inside already. The caller plays one of the workers too, which
    /// takes its barrier as soon as it can.
    pub fn quiesce(&self, played: &mut Worker) {
        let handled = || self.handled.iter().map(Handled::read).sum();
        let played = RefCell::new(played);
        until_quiet(handled, || {
            let mut played = played.borrow_mut();
            let [(reply, answered), (of_other, other)] = [unbounded(), unbounded()];
            self.internal[1 - played.id].send(Message::Barrier(of_other)).expect("a lane");
            self.internal[played.id].send(Message::Barrier(reply)).expect("a lane");
            while answered.is_empty() {
                played.work_one();
            }
            other.recv();
            true
        });
    }

    /// As `Threads::stop`.
    pub fn stop(&self) {
        for lane in &self.internal {
            lane.send(Message::Shutdown).expect("a lane");
        }
    }
}
