//! Channels with the parts of crossbeam's that the core uses, and its errors.
//!
//! A lane has one thread that receives; that thread may wait for several lanes at once. Any thread sends.

use super::bell::{Bell, Rung};
use super::{Arc, Mutex, time};
pub use crossbeam_channel::{RecvError, RecvTimeoutError, SendError, SendTimeoutError, TryRecvError, TrySendError};
use shuttle::rand::Rng as _;
use std::collections::VecDeque;
use std::fmt;
use std::time::Duration;

struct Lane<T> {
    messages: VecDeque<T>,
    capacity: usize,
    senders: usize,
    receivers: usize,
    /// Who waits for a message, for room, or for the other side to go.
    waiting: Vec<Arc<Bell>>,
}

impl<T> Lane<T> {
    /// Takes out whom a change is to be told of: when the lane is let go.
    #[must_use]
    fn changed(&mut self) -> Vec<Arc<Bell>> {
        std::mem::take(&mut self.waiting)
    }
}

fn tell(waiting: Vec<Arc<Bell>>) {
    for bell in waiting {
        bell.ring(Rung::Changed);
    }
}

/// The sending side.
pub struct Sender<T>(Arc<Mutex<Lane<T>>>);

/// The receiving side.
pub struct Receiver<T>(Arc<Mutex<Lane<T>>>);

impl<T> fmt::Debug for Sender<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Sender")
    }
}

impl<T> fmt::Debug for Receiver<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Receiver")
    }
}

fn lane<T>(capacity: usize, senders: usize) -> Arc<Mutex<Lane<T>>> {
    let (messages, waiting) = (VecDeque::new(), Vec::new());
    Arc::new(Mutex::new(Lane { messages, capacity, senders, receivers: 1, waiting }))
}

/// A channel of `capacity` messages. One of 0 can only be closed.
#[must_use]
pub fn bounded<T>(capacity: usize) -> (Sender<T>, Receiver<T>) {
    let lane = lane(capacity, 1);
    (Sender(lane.clone()), Receiver(lane))
}

/// A channel that always has room.
#[must_use]
pub fn unbounded<T>() -> (Sender<T>, Receiver<T>) {
    bounded(usize::MAX)
}

/// A channel on which nothing ever comes, not even its end.
#[must_use]
pub fn never<T>() -> Receiver<T> {
    // A sender that nobody has.
    Receiver(lane(0, 1))
}

impl<T> Clone for Sender<T> {
    fn clone(&self) -> Self {
        self.0.lock().senders += 1;
        Sender(self.0.clone())
    }
}

impl<T> Clone for Receiver<T> {
    fn clone(&self) -> Self {
        self.0.lock().receivers += 1;
        Receiver(self.0.clone())
    }
}

impl<T> Drop for Sender<T> {
    fn drop(&mut self) {
        let mut lane = self.0.lock();
        lane.senders -= 1;
        let waiting = if lane.senders == 0 { lane.changed() } else { Vec::new() };
        drop(lane);
        tell(waiting);
    }
}

impl<T> Drop for Receiver<T> {
    fn drop(&mut self) {
        let mut lane = self.0.lock();
        lane.receivers -= 1;
        if lane.receivers > 0 {
            return;
        }
        // As with crossbeam's: what was not taken goes with the last receiver, and whoever waits for an answer that was
        // in it hears of it.
        let (left, waiting) = (std::mem::take(&mut lane.messages), lane.changed());
        drop(lane);
        drop(left);
        tell(waiting);
    }
}

impl<T> Sender<T> {
    /// Sends, or gives the message back.
    ///
    /// # Errors
    /// When the channel is full, or nobody receives.
    pub fn try_send(&self, message: T) -> Result<(), TrySendError<T>> {
        let mut lane = self.0.lock();
        if lane.receivers == 0 {
            return Err(TrySendError::Disconnected(message));
        }
        if lane.messages.len() >= lane.capacity {
            return Err(TrySendError::Full(message));
        }
        lane.messages.push_back(message);
        let waiting = lane.changed();
        drop(lane);
        tell(waiting);
        Ok(())
    }

    /// Sends, and waits for room.
    ///
    /// # Errors
    /// When nobody receives.
    pub fn send(&self, mut message: T) -> Result<(), SendError<T>> {
        loop {
            match self.try_send(message) {
                Ok(()) => return Ok(()),
                Err(TrySendError::Disconnected(back)) => return Err(SendError(back)),
                Err(TrySendError::Full(back)) => message = back,
            }
            let bell = Arc::new(Bell::default());
            let mut lane = self.0.lock();
            if lane.receivers > 0 && lane.messages.len() >= lane.capacity {
                lane.waiting.push(bell.clone());
                drop(lane);
                bell.wait();
            }
        }
    }

    /// Sends, and waits for room; for ever, as there is no time.
    ///
    /// # Errors
    /// When nobody receives.
    pub fn send_timeout(&self, message: T, _limit: Duration) -> Result<(), SendTimeoutError<T>> {
        self.send(message).map_err(|error| SendTimeoutError::Disconnected(error.0))
    }

    /// How many messages wait.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.lock().messages.len()
    }

    /// Whether there is no room.
    #[must_use]
    pub fn is_full(&self) -> bool {
        let lane = self.0.lock();
        lane.messages.len() >= lane.capacity
    }

    /// Whether none waits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<T> Receiver<T> {
    /// The next message, if there is one.
    ///
    /// # Errors
    /// When there is none.
    pub fn try_recv(&self) -> Result<T, TryRecvError> {
        let mut lane = self.0.lock();
        let Some(message) = lane.messages.pop_front() else {
            return Err(if lane.senders == 0 { TryRecvError::Disconnected } else { TryRecvError::Empty });
        };
        let waiting = lane.changed();
        drop(lane);
        tell(waiting);
        Ok(message)
    }

    /// The next message; waits for it.
    ///
    /// # Errors
    /// When all senders have gone.
    pub fn recv(&self) -> Result<T, RecvError> {
        wait(&[self], None);
        self.try_recv().map_err(|_| RecvError)
    }

    /// The next message, or the time is up.
    ///
    /// # Errors
    /// When it is, or all senders have gone.
    pub fn recv_timeout(&self, limit: Duration) -> Result<T, RecvTimeoutError> {
        if wait(&[self], Some(limit)).is_none() {
            return Err(RecvTimeoutError::Timeout);
        }
        self.try_recv().map_err(|_| RecvTimeoutError::Disconnected)
    }

    /// How many messages wait.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.lock().messages.len()
    }

    /// Whether none waits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// As [`wait`] takes it.
    pub fn awaited(&self) -> &dyn Awaited {
        self
    }
}

/// What a thread can wait for.
pub trait Awaited {
    /// Whether receiving would not wait.
    fn is_ready(&self) -> bool;
    /// The bell is rung at the next change; false, and it is not, where receiving would not wait.
    #[doc(hidden)]
    fn expect(&self, waiting: &Waiting) -> bool;
    /// The bell is rung no more.
    #[doc(hidden)]
    fn expect_no_more(&self, waiting: &Waiting);
}

/// A thread that waits.
#[derive(Debug)]
pub struct Waiting(Arc<Bell>);

impl<T> Awaited for Receiver<T> {
    fn is_ready(&self) -> bool {
        let lane = self.0.lock();
        !lane.messages.is_empty() || lane.senders == 0
    }

    fn expect(&self, waiting: &Waiting) -> bool {
        let mut lane = self.0.lock();
        let wait = lane.messages.is_empty() && lane.senders > 0;
        if wait {
            lane.waiting.push(waiting.0.clone());
        }
        wait
    }

    fn expect_no_more(&self, waiting: &Waiting) {
        self.0.lock().waiting.retain(|bell| !Arc::ptr_eq(bell, &waiting.0));
    }
}

/// Waits until one of the lanes has something, or is closed: which one; of several one is drawn. `None`: the time is
/// up. A limit of nothing is up at once.
pub fn wait(lanes: &[&dyn Awaited], limit: Option<Duration>) -> Option<usize> {
    loop {
        let ready: Vec<usize> = (0..lanes.len()).filter(|at| lanes[*at].is_ready()).collect();
        if !ready.is_empty() {
            return Some(ready[shuttle::rand::thread_rng().gen_range(0..ready.len())]);
        }
        if limit.is_some_and(|limit| limit.is_zero()) {
            return None;
        }
        let waiting = Waiting(Arc::new(Bell::default()));
        let limited = limit.map(|_| time::limit(&waiting.0));
        let expected = lanes.iter().take_while(|lane| lane.expect(&waiting)).count();
        let rung = if expected == lanes.len() { waiting.0.wait() } else { Rung::Changed };
        lanes[..expected].iter().for_each(|lane| lane.expect_no_more(&waiting));
        drop(limited);
        // What came at the last moment comes first, as with crossbeam's.
        if rung == Rung::TimeUp && !lanes.iter().any(|lane| lane.is_ready()) {
            return None;
        }
    }
}

/// crossbeam's `select!` in the forms that the core uses: lanes, and perhaps a limit.
#[doc(hidden)]
#[macro_export]
macro_rules! select_of_schedules {
    ($(recv($lane:expr) -> $message:ident => $then:expr),+ $(,)?) => {
        $crate::sync::schedules::channel::select!(@ None, unreachable!("without a limit a lane is ready"), $(($lane, $message, $then))+)
    };
    ($(recv($lane:expr) -> $message:ident => $then:expr,)+ default($limit:expr) => $else:expr $(,)?) => {
        $crate::sync::schedules::channel::select!(@ Some($limit), $else, $(($lane, $message, $then))+)
    };
    (@ $limit:expr, $else:expr, $(($lane:expr, $message:ident, $then:expr))+) => {{
        let ready = $crate::sync::schedules::channel::wait(&[$($lane.awaited()),+], $limit);
        let mut arms = 0..;
        'chosen: {
            $(if arms.next() == ready {
                let $message = $lane.recv();
                break 'chosen $then;
            })+
            $else
        }
    }};
}

pub use select_of_schedules as select;
