//! What a thread that waits is woken by. One for each wait.

use super::Mutex;
use shuttle::sync::Condvar;

/// Why a wait is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rung {
    /// Something has changed that was waited for.
    Changed,
    /// The time is up.
    TimeUp,
}

#[derive(Debug, Default)]
pub(super) struct Bell {
    rung: Mutex<Option<Rung>>,
    wake: Condvar,
}

impl Bell {
    /// The first ring counts.
    pub(super) fn ring(&self, why: Rung) {
        self.rung.lock().get_or_insert(why);
        self.wake.notify_all();
    }

    /// Waits until it is rung.
    pub(super) fn wait(&self) -> Rung {
        let mut rung = self.rung.lock();
        loop {
            if let Some(why) = *rung {
                return why;
            }
            rung = self.wake.wait(rung).expect("nobody panics while a bell is rung");
        }
    }
}
