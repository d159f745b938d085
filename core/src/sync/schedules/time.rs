//! Time, as far as waits know it: it passes when the schedule says so.

use super::bell::{Bell, Rung};
use super::{Arc, Mutex};
use shuttle::rand::Rng as _;

shuttle::lazy_static! {
    /// Those whose wait has a limit. Of one schedule: shuttle makes it anew for the next one.
    static ref LIMITED: Mutex<Vec<Arc<Bell>>> = Mutex::new(Vec::new());
}

/// So much time passes that some waits with a limit are over; which ones is drawn.
pub fn pass() {
    let waiting = LIMITED.lock().clone();
    for bell in waiting {
        if shuttle::rand::thread_rng().r#gen() {
            bell.ring(Rung::TimeUp);
        }
    }
}

/// From here on the bell's wait has a limit, until the answer is dropped.
pub(super) fn limit(bell: &Arc<Bell>) -> Limit {
    LIMITED.lock().push(bell.clone());
    Limit(bell.clone())
}

/// A wait with a limit.
#[derive(Debug)]
pub(super) struct Limit(Arc<Bell>);

impl Drop for Limit {
    fn drop(&mut self) {
        LIMITED.lock().retain(|bell| !Arc::ptr_eq(bell, &self.0));
    }
}
