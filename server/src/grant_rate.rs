//! How many containers a second are granted. It is worked out when somebody asks: nobody counts for it.

use std::sync::{Mutex, PoisonError};

/// The least time that it is worked out over, in ms.
const LEAST_MS: u64 = 1000;

#[derive(Clone, Copy, Debug)]
struct Seen {
    at_ms: u64,
    granted: u64,
    per_second: u64,
}

/// What was seen when somebody last asked.
#[derive(Debug, Default)]
pub(crate) struct Assigned(Mutex<Option<Seen>>);

impl Assigned {
    /// The mean since it was last worked out, at least a second ago; until then the same again, and nothing before.
    pub(crate) fn per_second(&self, granted: u64, now_ms: u64) -> u64 {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let last = seen.get_or_insert(Seen { at_ms: now_ms, granted, per_second: 0 });
        let passed = now_ms.saturating_sub(last.at_ms);
        if passed >= LEAST_MS {
            let per_second = granted.saturating_sub(last.granted).saturating_mul(1000) / passed;
            *last = Seen { at_ms: now_ms, granted, per_second };
        }
        last.per_second
    }
}

#[cfg(test)]
mod tests {
    use super::Assigned;

    #[test]
    fn it_is_a_mean_over_a_second_or_more() {
        let assigned = Assigned::default();
        let asked = [(100, 5_000), (150, 5_999), (300, 7_000), (900, 7_500), (900, 8_000)];
        assert_eq!(asked.map(|(granted, at)| assigned.per_second(granted, at)), [0, 0, 100, 100, 600]);
    }
}
