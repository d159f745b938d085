//! Moments as Hadoop prints them, in UTC.

use std::time::{SystemTime, UNIX_EPOCH};

use chrono::{DateTime, Utc};

/// Now, in ms since 1970.
pub(crate) fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

fn moment(ms: u64) -> DateTime<Utc> {
    i64::try_from(ms).ok().and_then(DateTime::from_timestamp_millis).unwrap_or_default()
}

/// As Java's `Date`: `Sun Nov 22 00:19:12 UTC 2026`.
pub(crate) fn date(ms: u64) -> String {
    moment(ms).format("%a %b %d %H:%M:%S UTC %Y").to_string()
}

/// As in front of a diagnostic: `[Sun Nov 22 00:19:10 +0000 2026]`.
pub(crate) fn stamp(ms: u64) -> String {
    moment(ms).format("[%a %b %d %H:%M:%S +0000 %Y]").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_printed_as_java_does() {
        assert_eq!(date(1_795_306_752_030), "Sun Nov 22 00:19:12 UTC 2026");
        assert_eq!(stamp(0), "[Thu Jan 01 00:00:00 +0000 1970]");
    }
}
