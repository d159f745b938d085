//! The runnable applications of a leaf queue, as many times as each was started: one that stood in two lines can be
//! started twice, as in Hadoop, and leaves but once. Each comes and goes in O(1).
//!
//! Plain data of the control.

use rustc_hash::FxHashMap;

/// See the module's text. Applications are slot indices.
#[derive(Debug, Default)]
pub(crate) struct Runnable {
    times: FxHashMap<u32, u32>,
    len: usize,
}

impl Runnable {
    /// One is started.
    pub(crate) fn push(&mut self, app: u32) {
        *self.times.entry(app).or_insert(0) += 1;
        self.len += 1;
    }

    /// One leaves, if it is there.
    pub(crate) fn remove(&mut self, app: u32) {
        let Some(times) = self.times.get_mut(&app) else { return };
        *times -= 1;
        self.len -= 1;
        if *times == 0 {
            self.times.remove(&app);
        }
    }

    /// How many were started and have not left.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_is_started_twice_leaves_once() {
        let mut runnable = Runnable::default();
        [4, 7, 4].into_iter().for_each(|app| runnable.push(app));
        [4, 5, 7, 7].into_iter().for_each(|app| runnable.remove(app));
        assert_eq!((runnable.len(), runnable.is_empty()), (1, false));
        runnable.remove(4);
        assert!(runnable.is_empty());
    }
}
