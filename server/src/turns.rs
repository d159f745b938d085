//! How many answers are worked out at once.
//!
//! An answer walks over views of all that there is, and holds copies of them meanwhile. A crowd whose answers were all worked out at once would take
//! the processors from the scheduler, and memory without bound. So who reads waits for a turn, in order; who changes something does not.

use std::sync::Arc;
use std::thread::available_parallelism;

use tokio::sync::Semaphore;
use tokio::task::{JoinError, spawn_blocking};

/// Half of the processors, and two at least: one answer that takes long does not stand in everybody's way.
#[derive(Debug)]
pub(crate) struct Turns(Arc<Semaphore>);

impl Default for Turns {
    fn default() -> Turns {
        let processors = available_parallelism().map_or(1, usize::from);
        Turns(Arc::new(Semaphore::new((processors / 2).max(2))))
    }
}

impl Turns {
    /// Does work where waiting is allowed, when its turn comes. Where the asker has gone before that, it does not begin; where he goes later, the
    /// work keeps its turn to its end, for it cannot be broken off.
    ///
    /// # Errors
    /// When the work has panicked. Others are not disturbed.
    pub(crate) async fn work<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, JoinError> {
        // Nobody closes it.
        let turn = self.0.clone().acquire_owned().await.ok();
        spawn_blocking(move || {
            let done = work();
            drop(turn);
            done
        })
        .await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[tokio::test]
    async fn no_more_work_is_done_at_once_than_there_are_turns() {
        let turns = Arc::new(Turns(Arc::new(Semaphore::new(2))));
        let (now, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let works: Vec<_> = (0..40)
            .map(|_| {
                let (turns, now, most) = (turns.clone(), now.clone(), most.clone());
                tokio::spawn(async move {
                    let work = move || {
                        most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                        std::thread::yield_now();
                        now.fetch_sub(1, Ordering::SeqCst);
                    };
                    turns.work(work).await.expect("done");
                })
            })
            .collect();
        for work in works {
            work.await.expect("done");
        }
        assert!(most.load(Ordering::SeqCst) <= 2);
    }

    #[tokio::test]
    async fn one_that_panics_gives_its_turn_back() {
        let turns = Turns(Arc::new(Semaphore::new(1)));
        assert!(turns.work(|| panic!("enough")).await.is_err());
        assert_eq!(turns.work(|| 3).await.ok(), Some(3));
    }
}
