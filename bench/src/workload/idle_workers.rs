//! Threads that run the workers while nobody plays beside them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::api::{Polled, Worker};

/// The workers while nothing is measured: each on a thread that does nothing else.
#[derive(Debug)]
pub(super) struct Minders {
    over: Arc<AtomicBool>,
    threads: Vec<JoinHandle<Worker>>,
}

impl Minders {
    pub(super) fn of(workers: Vec<Worker>) -> Minders {
        let over = Arc::new(AtomicBool::new(false));
        let mind = |mut worker: Worker| {
            let over = Arc::clone(&over);
            std::thread::spawn(move || {
                // ORDERING: Relaxed. The join orders what follows.
                while !over.load(Ordering::Relaxed) {
                    match worker.poll(64) {
                        Polled::Idle => drop(worker.wait(Duration::from_millis(1))),
                        Polled::More => {}
                        Polled::GiveWay => std::thread::yield_now(),
                        Polled::GivenUp | Polled::Ended | _ => break,
                    }
                }
                worker
            })
        };
        let threads = workers.into_iter().map(mind).collect();
        Minders { over, threads }
    }

    /// The workers again.
    pub(super) fn take(self) -> Result<Vec<Worker>, String> {
        self.over.store(true, Ordering::Relaxed);
        let join = |thread: JoinHandle<Worker>| thread.join().map_err(|_| "a worker's thread panicked".to_owned());
        self.threads.into_iter().map(join).collect()
    }
}
