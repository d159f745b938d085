//! What happens too often to be written each time: written now and then, with how often it was.

use std::time::Duration;

use tokio::time::Instant;

const EVERY: Duration = Duration::from_secs(10);

/// Counts what happens between two lines of the log.
#[derive(Debug, Default)]
pub(super) struct Seldom {
    last: Option<Instant>,
    count: u64,
}

impl Seldom {
    /// It has happened once more; how often since the last line, where it is time for one.
    pub(super) fn one_more(&mut self, now: Instant) -> Option<u64> {
        self.count += 1;
        if self.last.is_some_and(|last| now.saturating_duration_since(last) < EVERY) {
            return None;
        }
        self.last = Some(now);
        Some(std::mem::take(&mut self.count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_is_one_line_with_its_count() {
        let (mut seldom, start) = (Seldom::default(), Instant::now());
        assert_eq!(seldom.one_more(start), Some(1));
        for ms in 0..9_999 {
            assert_eq!(seldom.one_more(start + Duration::from_millis(ms)), None);
        }
        assert_eq!(seldom.one_more(start + EVERY), Some(10_000));
        assert_eq!(seldom.one_more(start + EVERY), None);
    }
}
