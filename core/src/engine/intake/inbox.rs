//! A worker's two lanes, and in which order it takes from them.
//!
//! # Where it stands
//! The worker's loop in `driver` runs one [`Inbox::batch`] after the other; what a message means is its [`Handler`]'s,
//! the `worker`'s.
//!
//! # Protocol
//! 1. The internal lane is emptied. 2. Nothing external is taken while any worker's internal lane is long; else so many
//!    external messages as the caller says at most, [`BATCH`] or fewer. 3. Before an external message is worked off the
//!    internal lane is emptied once more: what was sent there before the message was sent comes first, so a heartbeat
//!    never comes before its node, an ask never before what its application's home was told. 4. A worker that was told
//!    to stop goes on until a batch finds both lanes empty.
//!
//! Up to [`AHEAD`] external messages are received before the one that is worked off, so that the handler can ask for
//! memory, one link after the other with work in between; they are worked off in their order, in the same batch unless
//! a panic comes in between. What a panic finds received and not begun stays here for the next batch, or for
//! [`Inbox::received`] where the worker is given up. All of it is the worker's own, on its thread.
//!
//! # Invariants
//! I12: no core thread waits for room in a lane: internal lanes are not bounded, and what bounds them is step 2, since
//! every internal message is owed to an external one (or to the control, whose callers wait). A caller whose external
//! lane is full has its message back. I9: what was accepted before the stop is worked off.
//!
//! # What races, and why it is safe
//! Senders against the batch: `loom-tests/tests/lanes_vs_pressure.rs`; the stop: `shutdown_vs_messages.rs`.

use std::collections::VecDeque;

use crate::sync::channel::{Receiver, Sender};

/// External messages that a worker takes before it hands back leases and looks at the clock and the snapshot again.
#[cfg(not(loom))]
pub(crate) const BATCH: usize = 64;
/// Models have few.
#[cfg(loom)]
pub const BATCH: usize = 3;

/// A worker takes nothing external while another's internal lane is longer than this: the pressure goes to the callers.
#[cfg(not(loom))]
pub(crate) const LONG_LANE: usize = 1 << 14;
/// As above.
#[cfg(loom)]
pub const LONG_LANE: usize = 1;

/// External messages that are received before the one that is worked off.
#[cfg(not(loom))]
const AHEAD: usize = 3;
/// As above.
#[cfg(loom)]
const AHEAD: usize = 2;

/// How often a worker without a message gives way before it blocks.
#[cfg(not(any(loom, shuttle)))]
const YIELDS_BEFORE_BLOCKING: u32 = 8;
/// Each is a turn of the schedule.
#[cfg(shuttle)]
const YIELDS_BEFORE_BLOCKING: u32 = 1;

/// What a message says of the loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Nothing.
    GoOn,
    /// Work off what is there and end.
    Stop,
}

/// What a worker does after a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Then {
    /// There may be more.
    Again,
    /// Some lane is long: whoever has to empty it goes first.
    GiveWay,
    /// Both lanes were empty.
    Wait,
    /// They were, and it was told to stop.
    End,
}

/// What works messages off. Hints change nothing of a message: they have it `&mut` because what lies in a cell can be
/// looked at only so.
pub trait Handler<I, E> {
    /// One from the internal lane.
    fn internal(&mut self, message: I) -> Next;

    /// One from the external lane.
    fn external(&mut self, message: E);

    /// This one was taken from the external lane. Others may be handled before it. Time to prefetch what it names.
    #[inline]
    fn prefetch_later(&self, _message: &mut E) {}

    /// Two others are handled before this one.
    #[inline]
    fn prefetch_soon(&self, _message: &mut E) {}

    /// This one is handled next but one, or next. Called for every message before it is handled.
    #[inline]
    fn prefetch_next(&self, _message: &mut E) {}
}

/// The receiving ends of one worker's lanes.
#[derive(Debug)]
pub struct Inbox<I, E> {
    pub(crate) internal: Receiver<I>,
    pub(crate) external: Receiver<E>,
    /// Received, while something else has to be done before it: where that panics it is not lost.
    held: Option<E>,
    held_inside: Option<I>,
    /// Received ahead, in their order. What is here when a message panics is worked off with the next batch.
    ahead: VecDeque<E>,
    stopping: bool,
}

impl<I, E> Inbox<I, E> {
    /// Of two lanes.
    #[must_use]
    pub fn new(internal: Receiver<I>, external: Receiver<E>) -> Inbox<I, E> {
        Inbox {
            internal,
            external,
            held: None,
            held_inside: None,
            ahead: VecDeque::with_capacity(AHEAD + 1),
            stopping: false,
        }
    }

    /// Works off what is there, as the module's text says, of external messages so many at most; `lanes` are the
    /// internal lanes of all workers.
    #[inline]
    pub fn batch(&mut self, at_most: usize, lanes: &[Sender<I>], handler: &mut impl Handler<I, E>) -> Then {
        let mut idle = true;
        while let Ok(message) = self.internal.try_recv() {
            idle = false;
            self.take_internal(message, handler);
        }
        let congested = lanes.iter().any(|lane| lane.len() > LONG_LANE);
        let mut left = if congested { 0 } else { at_most };
        while !congested && let Some(message) = self.next_external(&mut left, handler) {
            idle = false;
            self.take_external(message, handler);
        }
        match (congested, idle, self.stopping) {
            (true, ..) => Then::GiveWay,
            (_, true, true) => Then::End,
            (_, true, _) => Then::Wait,
            _ => Then::Again,
        }
    }

    /// Lets other threads go first while both lanes are empty, for a while; says whether something has come. A worker
    /// that blocks at once is woken for each message where there are more workers than processors: that costs the
    /// sender more than the message.
    #[cfg(not(loom))]
    pub(crate) fn yield_until_message(&self) -> bool {
        (0..YIELDS_BEFORE_BLOCKING).any(|_| {
            crate::sync::thread::yield_now();
            !self.internal.is_empty() || !self.external.is_empty()
        })
    }

    /// The external message that is next. Takes others, of those that are left of a batch, until so many are here
    /// behind it, and says to the handler what is coming.
    #[inline]
    fn next_external(&mut self, left: &mut usize, handler: &impl Handler<I, E>) -> Option<E> {
        let is_first = self.ahead.is_empty();
        while self.ahead.len() <= AHEAD
            && let Some(message) = self.take_one(left)
        {
            // Kept first: what panics in a hint loses nothing.
            self.ahead.push_back(message);
            self.ahead.back_mut().into_iter().for_each(|message| handler.prefetch_later(message));
        }
        self.ahead.get_mut(2).into_iter().for_each(|message| handler.prefetch_soon(message));
        // The first was behind nobody.
        let first = usize::from(!is_first);
        self.ahead.iter_mut().take(2).skip(first).for_each(|message| handler.prefetch_next(message));
        self.ahead.pop_front()
    }

    #[inline]
    fn take_one(&self, left: &mut usize) -> Option<E> {
        *left = left.checked_sub(1)?;
        self.external.try_recv().ok()
    }

    /// Gives out what was received from outside and not worked off.
    pub fn received(&mut self) -> impl Iterator<Item = E> {
        self.held.take().into_iter().chain(self.ahead.drain(..))
    }

    /// The same from inside.
    pub fn received_inside(&mut self) -> Option<I> {
        self.held_inside.take()
    }

    /// Whether the worker was told to stop.
    #[must_use]
    pub fn is_stopping(&self) -> bool {
        self.stopping
    }

    /// Waits for an internal message and works it off. The driver waits for both lanes; models send what matters inside
    /// last.
    #[cfg(loom)]
    pub fn wait_inside(&mut self, handler: &mut impl Handler<I, E>) -> Next {
        let message = self.internal.recv();
        self.take_internal(message, handler);
        if self.stopping { Next::Stop } else { Next::GoOn }
    }

    /// Works off an internal message.
    #[inline]
    pub fn take_internal(&mut self, message: I, handler: &mut impl Handler<I, E>) {
        self.stopping |= handler.internal(message) == Next::Stop;
    }

    /// Works off an external message, after what was sent to the internal lane before it.
    #[inline]
    pub fn take_external(&mut self, message: E, handler: &mut impl Handler<I, E>) {
        // Looked at before it is received from, which costs a fence with each message: what was sent before this one is
        // seen.
        if self.internal.is_empty() {
            handler.external(message);
        } else {
            self.hold(message);
            self.take_held(handler);
        }
    }

    /// Whether a message is kept until [`take_held`](Self::take_held).
    #[must_use]
    pub fn holds(&self) -> bool {
        self.held.is_some() || self.held_inside.is_some()
    }

    /// Keeps an external message until [`take_held`](Self::take_held).
    pub fn hold(&mut self, message: E) {
        self.held = Some(message);
    }

    /// The same of an internal one.
    pub fn hold_inside(&mut self, message: I) {
        self.held_inside = Some(message);
    }

    /// Works off what was kept: an internal message, and an external one after what was sent to the internal lane
    /// before it.
    pub fn take_held(&mut self, handler: &mut impl Handler<I, E>) {
        if let Some(message) = self.held_inside.take() {
            self.take_internal(message, handler);
        }
        match &mut self.held {
            Some(message) => handler.prefetch_next(message),
            None => return,
        }
        while let Ok(earlier) = self.internal.try_recv() {
            self.take_internal(earlier, handler);
        }
        if let Some(message) = self.held.take() {
            handler.external(message);
        }
    }
}

#[cfg(all(test, not(any(loom, shuttle))))]
mod tests {
    use super::*;
    use crate::sync::channel::unbounded;

    /// Counts what is worked off; an internal `true` is the stop.
    #[derive(Default)]
    struct Counted(u32);

    impl Handler<bool, u32> for Counted {
        fn internal(&mut self, message: bool) -> Next {
            if message { Next::Stop } else { Next::GoOn }
        }

        fn external(&mut self, message: u32) {
            self.0 += message;
        }
    }

    /// I9 and I12: pressure elsewhere keeps a worker from its external lane, and it neither waits nor ends over it.
    #[test]
    fn while_another_s_lane_is_long_nobody_waits_or_ends() {
        let (inside, internal) = unbounded();
        let (outside, external) = unbounded();
        let (other, long) = unbounded();
        (0..=LONG_LANE).for_each(|_| other.send(false).unwrap());
        let lanes = [inside.clone(), other];
        let mut inbox = Inbox::new(internal, external);
        let mut counted = Counted::default();
        assert_eq!(inbox.batch(BATCH, &lanes, &mut counted), Then::GiveWay);
        outside.send(1).unwrap();
        inside.send(true).unwrap();
        assert_eq!(inbox.batch(BATCH, &lanes, &mut counted), Then::GiveWay);
        assert_eq!(inbox.batch(BATCH, &lanes, &mut counted), Then::GiveWay);
        assert_eq!(counted.0, 0);
        long.recv().unwrap();
        assert_eq!(inbox.batch(BATCH, &lanes, &mut counted), Then::Again);
        assert_eq!((inbox.batch(BATCH, &lanes, &mut counted), counted.0), (Then::End, 1));
    }
}
