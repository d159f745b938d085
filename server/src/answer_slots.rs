//! How many answers are worked out at once, and for how many askers.
//!
//! An answer walks over views of all that there is, and holds copies of them meanwhile. A crowd whose answers were all
//! worked out at once would take the processors from the scheduler, and memory without bound. So who reads waits for a
//! turn, in order; who changes something does not. Those who wait for the same answer get one that is worked out once:
//! it begins after the last of them has asked, so none is told of a time before his question.
//!
//! What costs next to nothing has turns of its own, so that it does not wait behind what walks over everything. What
//! walks over everything may be large: with its turn it waits until there is room for answers that others have not
//! taken yet.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::thread::available_parallelism;

use axum::body::Bytes;
use axum::http::Response;
use tokio::sync::{OnceCell, Semaphore};
use tokio::task::{JoinError, spawn_blocking};

use crate::outgoing::Outgoing;

/// What tells answers apart.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Question {
    /// Who asks: not all may see all.
    pub(crate) user: String,
    /// Path and query.
    pub(crate) uri: String,
    /// In which the answer is wanted.
    pub(crate) format: &'static str,
}

/// An answer that is there, or is waited for.
type Once = OnceCell<Response<Bytes>>;

/// What an answer costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Cost {
    /// A look at what is there, or at what has been worked out for all who ask. What may be large waits for room by
    /// itself.
    Little,
    /// A walk over all applications, nodes or queues, or what may be large.
    Much,
}

/// Of each cost half of the processors, and two at least: one answer that takes long does not stand in everybody's way.
#[derive(Debug)]
pub(crate) struct Turns {
    little: Arc<Semaphore>,
    much: Arc<Semaphore>,
    outgoing: Arc<Outgoing>,
    /// What has not begun. The askers own it: where all of them have gone it is no more.
    asked: Mutex<HashMap<Question, Weak<Once>>>,
}

impl Turns {
    pub(crate) fn new(outgoing: Arc<Outgoing>) -> Turns {
        let processors = available_parallelism().map_or(1, usize::from);
        Turns::of((processors / 2).max(2), outgoing)
    }

    fn of(many: usize, outgoing: Arc<Outgoing>) -> Turns {
        let free = || Arc::new(Semaphore::new(many));
        Turns { little: free(), much: free(), outgoing, asked: Mutex::default() }
    }

    fn free(&self, cost: Cost) -> &Arc<Semaphore> {
        match cost {
            Cost::Little => &self.little,
            Cost::Much => &self.much,
        }
    }

    /// Does work where waiting is allowed, when its turn comes. Where the asker has gone before that, it does not
    /// begin; where he goes later, the work keeps its turn to its end, for it cannot be broken off.
    ///
    /// # Errors
    /// When the work has panicked. Others are not disturbed.
    pub(crate) async fn work<T: Send + 'static>(
        &self,
        cost: Cost,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, JoinError> {
        self.work_after(cost, || (), work).await
    }

    /// The same, and tells when the turn has come.
    async fn work_after<T: Send + 'static>(
        &self,
        cost: Cost,
        begins: impl FnOnce(),
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, JoinError> {
        // Nobody closes it.
        let turn = self.free(cost).clone().acquire_owned().await.ok();
        if cost == Cost::Much {
            self.outgoing.room().await;
        }
        begins();
        spawn_blocking(move || {
            let done = work();
            drop(turn);
            done
        })
        .await
    }

    /// Works an answer out when its turn comes, for all who ask the same until then. Where the one goes whose work it
    /// is, another's takes its place.
    ///
    /// # Errors
    /// When the work has panicked, for each who asks.
    pub(crate) async fn answer(
        &self,
        cost: Cost,
        question: Question,
        work: impl FnOnce() -> Response<Bytes> + Send + 'static,
    ) -> Result<Response<Bytes>, JoinError> {
        let once = self.once(&question);
        let begins = || {
            let mut asked = self.asked();
            if asked.get(&question).is_some_and(|waits| std::ptr::eq(waits.as_ptr(), &raw const *once)) {
                asked.remove(&question);
            }
        };
        once.get_or_try_init(|| self.work_after(cost, begins, work)).await.cloned()
    }

    /// What is waited for already, or else will be from now on. O(what is waited for).
    fn once(&self, question: &Question) -> Arc<Once> {
        let mut asked = self.asked();
        if let Some(once) = asked.get(question).and_then(Weak::upgrade) {
            return once;
        }
        asked.retain(|_, waits| waits.strong_count() > 0);
        let once = Arc::new(Once::new());
        asked.insert(question.clone(), Arc::downgrade(&once));
        once
    }

    fn asked(&self) -> MutexGuard<'_, HashMap<Question, Weak<Once>>> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
impl Turns {
    /// Takes all of a cost away, until it is dropped.
    pub(crate) async fn take_all(&self, cost: Cost) -> tokio::sync::OwnedSemaphorePermit {
        let free = self.free(cost);
        let all = u32::try_from(free.available_permits()).expect("few");
        free.clone().acquire_many_owned(all).await.expect("nobody closes it")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[tokio::test]
    async fn no_more_work_is_done_at_once_than_there_are_turns() {
        let turns = Arc::new(Turns::of(2, Arc::default()));
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
                    turns.work(Cost::Much, work).await.expect("done");
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
        let turns = Turns::of(1, Arc::default());
        assert!(turns.work(Cost::Much, || panic!("enough")).await.is_err());
        assert_eq!(turns.work(Cost::Much, || 3).await.ok(), Some(3));
    }

    fn question(uri: &str) -> Question {
        Question { user: "ann".to_owned(), uri: uri.to_owned(), format: "json" }
    }

    /// Answers with how many answers were worked out before.
    fn counts(worked: &Arc<AtomicUsize>) -> impl FnOnce() -> Response<Bytes> + Send + 'static {
        let worked = worked.clone();
        move || Response::new(worked.fetch_add(1, Ordering::SeqCst).to_string().into())
    }

    async fn as_far_as_it_goes() {
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
    }

    #[tokio::test]
    async fn those_who_wait_for_the_same_get_one_answer() {
        let (turns, worked) = (Arc::new(Turns::of(1, Arc::default())), Arc::new(AtomicUsize::new(0)));
        let taken = turns.take_all(Cost::Much).await;
        let ask = |uri: &'static str| {
            let (turns, work) = (turns.clone(), counts(&worked));
            tokio::spawn(
                async move { turns.answer(Cost::Much, question(uri), work).await.expect("no panic").into_body() },
            )
        };
        let asked = ["/apps", "/apps", "/nodes", "/apps"].map(ask);
        as_far_as_it_goes().await;
        // The one whose work it was goes.
        let [first, rest @ ..] = asked;
        first.abort();
        as_far_as_it_goes().await;
        drop(taken);
        let mut answers = Vec::new();
        for one in rest {
            answers.push(one.await.expect("not gone"));
        }
        assert_eq!(worked.load(Ordering::SeqCst), 2);
        assert_eq!(answers[0], answers[2]);
        assert_ne!(answers[0], answers[1]);
        // Whoever asks now is told of now.
        assert_eq!(ask("/apps").await.expect("not gone"), "2");
        assert!(turns.asked().is_empty());
    }

    #[tokio::test]
    async fn what_nobody_waits_for_is_forgotten() {
        let (turns, worked) = (Arc::new(Turns::of(1, Arc::default())), Arc::new(AtomicUsize::new(0)));
        let taken = turns.take_all(Cost::Much).await;
        for number in 0..100 {
            let (turns, work) = (turns.clone(), counts(&worked));
            let asked =
                tokio::spawn(async move { turns.answer(Cost::Much, question(&format!("/{number}")), work).await });
            as_far_as_it_goes().await;
            asked.abort();
            as_far_as_it_goes().await;
        }
        assert!(turns.asked().len() <= 1);
        drop(taken);
        assert_eq!(worked.load(Ordering::SeqCst), 0);
    }
}
