//! Time and processor time, as this program measures them.
//!
//! Wall times are nanoseconds of a monotonic clock since the first call, and never 0: a heartbeat whose stamp is 0 is
//! not watched. Processor times come from `/proc` and are 0 where there is none.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// Nanoseconds since the program asked first, at least 1.
#[must_use]
pub(crate) fn now_ns() -> u64 {
    static START: OnceLock<Instant> = OnceLock::new();
    #[expect(clippy::disallowed_methods, reason = "the one place of this program that reads the real clock")]
    let now = Instant::now();
    let start = *START.get_or_init(|| now);
    u64::try_from(now.duration_since(start).as_nanos()).expect("a run is shorter than 500 years") + 1
}

/// A span in nanoseconds.
#[must_use]
pub(crate) fn nanos(span: Duration) -> u64 {
    u64::try_from(span.as_nanos()).unwrap_or(u64::MAX)
}

/// Nanoseconds as seconds.
#[must_use]
pub(crate) fn seconds(ns: u64) -> f64 {
    ns as f64 / 1e9
}

/// Processor seconds of all threads of this process, in the kernel's ticks of 10 ms.
#[must_use]
pub(crate) fn process_cpu_seconds() -> f64 {
    const TICKS_PER_SECOND: f64 = 100.0;
    let Ok(stat) = std::fs::read_to_string("/proc/self/stat") else { return 0.0 };
    // The command may hold blanks and parentheses: fields are counted from the last ')'. utime and stime are the
    // 14th and 15th of the whole line, that is the 12th and 13th after it.
    let Some((_, fields)) = stat.rsplit_once(')') else { return 0.0 };
    let ticks: u64 = fields.split_whitespace().skip(11).take(2).filter_map(|field| field.parse::<u64>().ok()).sum();
    ticks as f64 / TICKS_PER_SECOND
}

/// Processor seconds of the calling thread, exact to the nanosecond.
#[must_use]
pub(crate) fn thread_cpu_seconds() -> f64 {
    let Ok(stat) = std::fs::read_to_string("/proc/thread-self/schedstat") else { return 0.0 };
    stat.split_whitespace().next().and_then(|field| field.parse::<u64>().ok()).map_or(0.0, seconds)
}

/// The most memory that this process ever had resident, in MiB.
#[must_use]
pub(crate) fn peak_resident_mib() -> u64 {
    let Ok(status) = std::fs::read_to_string("/proc/self/status") else { return 0 };
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|rest| rest.split_whitespace().next()).and_then(|kib| kib.parse::<u64>().ok()).unwrap_or(0) / 1024
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_moves_forward_and_is_never_zero() {
        let first = now_ns();
        assert!(first > 0);
        assert!(now_ns() >= first);
    }
}
