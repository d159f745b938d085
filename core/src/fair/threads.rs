//! All threads of a FairScheduler: the engine's, and the one that watches the allocation file.

use crate::engine::driver::threads_and_steps::{Threads as EngineThreads, UpdateCall};
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
        Threads::watched(EngineThreads::start(parts)?, watcher, &shared, &events)
    }

    /// Starts all threads but those of the workers, which are lent out.
    pub(crate) fn start_and_lend(parts: AtRest, watcher: Option<Watcher>) -> std::io::Result<(Threads, Vec<Lent>)> {
        let (shared, events) = (parts.shared.clone(), parts.events.clone());
        let (engine, lent) = EngineThreads::start_and_lend(parts)?;
        Ok((Threads::watched(engine, watcher, &shared, &events)?, lent))
    }

    /// With the watcher beside; nothing runs on where that cannot be started.
    fn watched(
        engine: EngineThreads<FairDecider>,
        watcher: Option<Watcher>,
        shared: &Arc<Shared>,
        events: &EventSink,
    ) -> std::io::Result<Threads> {
        match watcher.map(|watcher| WatcherThread::start(watcher, shared, events)).transpose() {
            Ok(watcher) => Ok(Threads { engine, watcher }),
            Err(error) => {
                engine.stop_later(|| ());
                Err(error)
            }
        }
    }

    /// Where refreshes are asked for; nowhere without an allocation file.
    pub(crate) fn watcher_lane(&self) -> Option<Sender<WatchCall>> {
        self.watcher.as_ref().map(WatcherThread::lane)
    }

    pub(crate) fn update_lane(&self) -> Sender<UpdateCall> {
        self.engine.update_lane()
    }

    /// How others hear of the end.
    pub(crate) fn ends(&self) -> Ends {
        self.engine.ends()
    }

    /// Which threads these are: none of them can wait for their end.
    pub(crate) fn ids(&self) -> Vec<ThreadId> {
        let watcher = self.watcher.iter().map(|watcher| watcher.thread().thread().id());
        self.engine.ids().into_iter().chain(watcher).collect()
    }

    /// Where the workers are that were lent out.
    pub(crate) fn whereabouts(&self) -> Vec<Arc<Whereabouts>> {
        self.engine.whereabouts()
    }

    /// Works everything off, then ends all threads; on a thread of its own.
    pub(crate) fn stop_later(self) {
        let watcher = self.watcher;
        self.engine.stop_later(|| watcher.into_iter().for_each(WatcherThread::stop));
    }

    /// Works everything off, then ends all threads.
    pub(crate) fn stop(self) {
        self.watcher.into_iter().for_each(WatcherThread::stop);
        self.engine.stop();
    }
}
