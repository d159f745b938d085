//! What all clones of a handle to a threaded scheduler share, and how long it lives.
//!
//! Owned by the handles together; the scheduler's threads end with the last of them, on whichever thread that goes.

use super::door::{CONTROL, Door, Running};
use super::submitted::Answering;
use crate::clock::Patience;
use crate::engine::AppShared;
use crate::engine::decider::Decider;
use crate::event::Refused;
use crate::sync::Arc;
use crate::sync::channel::Receiver;

/// What the clones of a handle share. `O` is what one of the two schedulers alone has.
pub(super) struct Inner<D: Decider, T: Running, O> {
    pub(super) door: Door<D, T>,
    pub(super) own: O,
}

impl<D: Decider, T: Running, O> Drop for Inner<D, T, O> {
    fn drop(&mut self) {
        // In a callback nobody can wait for it.
        let _ = self.door.shutdown(&Patience::endless());
    }
}

type Outcomes = Vec<Result<Arc<AppShared>, Refused>>;

impl<D: Decider, T: Running, O: Send + Sync> Answering for Inner<D, T, O> {
    fn wait_for(&self, answer: &Receiver<Outcomes>) -> Result<Outcomes, Refused> {
        self.door.may_wait()?;
        self.door.answer(answer, &Patience::endless(), CONTROL)
    }

    fn why_gone(&self, task: &'static str) -> Refused {
        self.door.gone(task)
    }
}

/// The handle that keeps no scheduler alive.
macro_rules! weak_handle {
    ($weak:ident of $scheduler:ident: $inner:ty) => {
        #[doc = concat!("A handle that keeps no scheduler alive: for callbacks of the embedder's that are given to it, such as a wake-up. One in there that owned a [`", stringify!($scheduler), "`] would keep it, and itself, for ever.")]
        #[derive(Clone)]
        pub struct $weak(pub(super) $crate::sync::Weak<$inner>);

        impl std::fmt::Debug for $weak {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(concat!(stringify!($weak), "(_)"))
            }
        }

        impl $weak {
            /// The scheduler, while somebody else has a handle.
            #[must_use]
            pub fn upgrade(&self) -> Option<$scheduler> {
                self.0.upgrade().map(|inner| $scheduler { inner })
            }
        }

        impl std::fmt::Debug for $scheduler {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_struct(stringify!($scheduler)).field("shared", &self.inner.door.shared).finish_non_exhaustive()
            }
        }

        impl $scheduler {
            /// A handle that does not keep the scheduler alive.
            #[must_use]
            pub fn downgrade(&self) -> $weak {
                $weak($crate::sync::Arc::downgrade(&self.inner))
            }
        }
    };
}

pub(super) use weak_handle;
