//! The watcher on a thread of its own.
//!
//! # Where it stands
//! Started and ended by `fair::threads`. It owns the [`Watcher`] and nothing else: what it has read goes to the control
//! as one message, and what came of that to the embedder as an event.
//!
//! # Who waits for whom
//! The watcher waits for the control's answer, which comes once what it took is published; the control never waits for
//! the watcher, nor does a worker. Who asks for a refresh waits for the watcher. A source that stands still stops the
//! looks, and nothing else: even the shutdown waits for it only a while.

use super::watcher::{Reloads, Watcher};
use crate::config::{AllocationFile, Diagnostic, PlacementChange};
use crate::engine::intake::reply::{Once, Reply, once};
use crate::engine::threads::events::EventSink;
use crate::engine::threads::tasks::{guarded, run_task, spawn};
use crate::event::refused::{Gone, TryAgain};
use crate::event::{Refused, SchedulerEvent};
use crate::fair::control::FairCall;
use crate::fair::engine::{Call, ControlMessage, Shared};
use crate::sync::Arc;
use crate::sync::channel::{Receiver, RecvTimeoutError, Sender, bounded, unbounded};
use crate::sync::thread::JoinHandle;
use std::time::Duration;

/// The end of the watcher is waited for so long, as in Hadoop.
const LAST_LOOK: Duration = Duration::from_secs(1);

/// What the watcher is told.
#[derive(Debug)]
pub(crate) enum WatchCall {
    /// Read the file again now and answer.
    Refresh(Once<Result<Vec<Diagnostic>, Refused>>),
    Shutdown,
}

/// The running thread.
#[derive(Debug)]
pub(crate) struct WatcherThread {
    lane: Sender<WatchCall>,
    thread: JoinHandle<()>,
    /// Closed at its end.
    ended: Receiver<()>,
}

impl WatcherThread {
    pub(crate) fn start(watcher: Watcher, shared: &Arc<Shared>, events: &EventSink) -> std::io::Result<WatcherThread> {
        let (lane, calls) = unbounded();
        let (ends, ended) = bounded::<()>(0);
        let (shared, events) = (shared.clone(), events.clone());
        let thread = spawn("evenweave-watcher".into(), move || {
            let to = ControlLane { shared, events: events.clone() };
            run_task("watcher", &events, || run(watcher, &calls, to));
            drop(ends);
        })?;
        Ok(WatcherThread { lane, thread, ended })
    }

    /// Where refreshes are asked for.
    pub(crate) fn lane(&self) -> Sender<WatchCall> {
        self.lane.clone()
    }

    pub(crate) fn thread(&self) -> &JoinHandle<()> {
        &self.thread
    }

    /// Ends the thread. One that still reads ends by itself when it has read; what it would tell nobody hears any more.
    pub(crate) fn stop(self) {
        // A watcher that is gone needs not be told.
        let _ = self.lane.send(WatchCall::Shutdown);
        if self.ended.recv_timeout(LAST_LOOK) == Err(RecvTimeoutError::Disconnected) {
            // A panic was reported as an event where it happened.
            let _ = self.thread.join();
        }
    }
}

/// Looks at the allocation file when that is due, and reads it when it is told to. What panics, such as the source or
/// the clock, is told of; the next look comes an interval later.
fn run(mut watcher: Watcher, calls: &Receiver<WatchCall>, mut to: ControlLane) {
    let clock = to.shared.clock.clone();
    let events = to.events.clone();
    let mut panicked = false;
    loop {
        let looked = guarded("watcher", &events, || {
            if watcher.due_in_ms(&*clock) == 0 && !panicked {
                watcher.look(&*clock, &mut to);
            }
            watcher.due_in_ms(&*clock)
        });
        // A look that panicked is as due as before.
        panicked = looked.is_err() || (panicked && looked == Ok(0));
        let pause = if panicked { watcher.interval_ms() } else { looked.unwrap_or_default() };
        match calls.recv_timeout(Duration::from_millis(pause)) {
            Ok(WatchCall::Refresh(reply)) => {
                let outcome = guarded("watcher", &events, || watcher.refresh(&*clock, &mut to));
                let panicked =
                    |message| Err(TryAgain::Panicked { what: "the source of the allocations", message }.into());
                // Whoever asked may have gone.
                reply.send(outcome.unwrap_or_else(panicked));
            }
            Err(RecvTimeoutError::Timeout) => panicked = false,
            Ok(WatchCall::Shutdown) | Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}

/// The control, reached by messages.
pub(crate) struct ControlLane {
    pub(crate) shared: Arc<Shared>,
    pub(crate) events: EventSink,
}

impl ControlLane {
    fn call<T>(&self, call: impl FnOnce(Reply<T>) -> Call) -> Result<T, Refused> {
        let (reply, answer) = once();
        self.shared.lanes.control.send(ControlMessage::Call(call(reply.into()))).map_err(|_| Gone::ShutDown)?;
        answer.receive().ok_or(Refused::Gone(Gone::ShutDown))
    }
}

impl Reloads for ControlLane {
    fn clean_up(&mut self) {
        // Without a control nothing is cleaned up.
        let _ = self.shared.lanes.control.send(ControlMessage::CleanUp);
    }

    fn take(&mut self, file: Box<AllocationFile>) -> Result<(), Refused> {
        self.call(|reply| Call::Reload(file, reply))?
    }

    fn install_placement(&mut self, change: &PlacementChange) {
        // As above.
        let _ = self.call(|reply| Call::Own(FairCall::InstallPlacement(change.clone(), reply)));
    }

    fn tell(&mut self, event: SchedulerEvent) {
        self.events.put(event);
    }
}
