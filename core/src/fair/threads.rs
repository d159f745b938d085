//! All threads of a FairScheduler: the engine's, and the one that watches the allocation file.

use crate::engine::driver::threads::{Threads as EngineThreads, UpdateCall};
use crate::engine::{Ends, EventSink, Whereabouts};
use crate::fair::allocations::{WatchCall, Watcher, WatcherThread};
use crate::fair::engine::{AtRest, FairDecider, Lent, Shared};
use crate::sync::Arc;
use crate::sync::channel::Sender;
use crate::sync::thread::ThreadId;

/// The running threads.
#[derive(Debug)]
pub(crate) struct Threads {
    engine: EngineThreads<FairDecider>,
    watcher: Option<WatcherThread>,
}

impl Threads {
    /// Starts all threads.
    pub(crate) fn start(parts: AtRest, watcher: Option<Watcher>) -> std::io::Result<Threads> {
        let (shared, events) = (parts.shared.clone(), parts.events.clone());
        let engine = EngineThreads::start(parts)?;
        match Threads::start_watcher(watcher, &shared, &events) {
            Ok(watcher) => Ok(Threads { engine, watcher }),
            Err(error) => {
                engine.end();
                Err(error)
            }
        }
    }

    /// Starts all threads but the workers'. The caller gets the workers, and runs them on its own threads.
    pub(crate) fn start_and_lend(parts: AtRest, watcher: Option<Watcher>) -> std::io::Result<(Threads, Vec<Lent>)> {
        let (shared, events) = (parts.shared.clone(), parts.events.clone());
        let (engine, lent) = EngineThreads::start_and_lend(parts)?;
        match Threads::start_watcher(watcher, &shared, &events) {
            Ok(watcher) => Ok((Threads { engine, watcher }, lent)),
            Err(error) => {
                // Nobody will poll the workers. `end` waits for them, so they are dropped first.
                drop(lent);
                engine.end();
                Err(error)
            }
        }
    }

    fn start_watcher(
        watcher: Option<Watcher>,
        shared: &Arc<Shared>,
        events: &EventSink,
    ) -> std::io::Result<Option<WatcherThread>> {
        watcher.map(|watcher| WatcherThread::start(watcher, shared, events)).transpose()
    }

    /// The channel that asks the watcher to read the allocation file again. `None` if there is no such file.
    pub(crate) fn watcher_lane(&self) -> Option<Sender<WatchCall>> {
        self.watcher.as_ref().map(WatcherThread::lane)
    }

    pub(crate) fn update_lane(&self) -> Sender<UpdateCall> {
        self.engine.update_lane()
    }

    /// Lets others wait until all threads have ended.
    pub(crate) fn ends(&self) -> Ends {
        self.engine.ends()
    }

    /// The ids of all threads but lent workers. These threads must not wait for the shutdown: it waits for them.
    pub(crate) fn ids(&self) -> Vec<ThreadId> {
        let watcher = self.watcher.iter().map(|watcher| watcher.thread().thread().id());
        self.engine.ids().into_iter().chain(watcher).collect()
    }

    /// For each lent worker: the thread on which it was polled last.
    pub(crate) fn whereabouts(&self) -> Vec<Arc<Whereabouts>> {
        self.engine.whereabouts()
    }

    /// As `stop`, but on a new thread: the caller does not wait.
    pub(crate) fn stop_later(self) {
        let watcher = self.watcher;
        self.engine.stop_later(|| watcher.into_iter().for_each(WatcherThread::stop));
    }

    /// Processes what was sent, then ends all threads. Waits for their end.
    pub(crate) fn stop(self) {
        self.watcher.into_iter().for_each(WatcherThread::stop);
        self.engine.stop();
    }
}
