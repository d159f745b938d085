//! All threads of a FairScheduler: the engine's, and the one that watches the allocation file.

use crate::engine::driver::threads_and_steps::{Threads as EngineThreads, UpdateCall};
use crate::engine::{Whereabouts, quiesce};
use crate::fair::allocations::{WatchCall, Watcher, WatcherThread};
use crate::fair::engine::{FairDecider, Lent, Parts, Shared};
use crate::sync::Arc;
use crate::sync::channel::Sender;
use crate::sync::thread::ThreadId;

/// The running threads.
#[derive(Debug)]
pub(crate) struct Threads {
    shared: Arc<Shared>,
    engine: EngineThreads<FairDecider>,
    watcher: Option<WatcherThread>,
}

impl Threads {
    /// Starts all threads.
    pub(crate) fn start(parts: Parts, watcher: Option<Watcher>) -> std::io::Result<Threads> {
        let (shared, events) = (parts.shared.clone(), parts.events.clone());
        Threads::watched(EngineThreads::start(parts)?, shared, |shared| {
            watcher.map(|watcher| WatcherThread::start(watcher, shared, &events)).transpose()
        })
    }

    /// Starts all threads but those of the workers, which are lent out.
    pub(crate) fn start_and_lend(parts: Parts, watcher: Option<Watcher>) -> std::io::Result<(Threads, Vec<Lent>)> {
        let (shared, events) = (parts.shared.clone(), parts.events.clone());
        let (engine, lent) = EngineThreads::start_and_lend(parts)?;
        let threads = Threads::watched(engine, shared, |shared| {
            watcher.map(|watcher| WatcherThread::start(watcher, shared, &events)).transpose()
        });
        Ok((threads?, lent))
    }

    /// With a watcher beside, or nothing where that cannot be started.
    fn watched(
        engine: EngineThreads<FairDecider>,
        shared: Arc<Shared>,
        start: impl FnOnce(&Arc<Shared>) -> std::io::Result<Option<WatcherThread>>,
    ) -> std::io::Result<Threads> {
        match start(&shared) {
            Ok(watcher) => Ok(Threads { shared, engine, watcher }),
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
        quiesce(&self.shared);
        self.watcher.into_iter().for_each(WatcherThread::stop);
        self.engine.stop();
    }
}
