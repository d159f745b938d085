//! Time and processor time, as this program measures them.
//!
//! Wall times are nanoseconds of a monotonic clock since the first call, and never 0: a heartbeat whose stamp is 0 is
//! not watched. Processor times are those of Linux's clocks, exact to the nanosecond, and 0 elsewhere; memory comes
//! from `/proc`.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// Nanoseconds since the program asked first, at least 1.
///
/// # Panics
/// After 500 years.
#[must_use]
pub fn now_ns() -> u64 {
    static START: OnceLock<Instant> = OnceLock::new();
    #[expect(clippy::disallowed_methods, reason = "the one place of this program that reads the real clock")]
    let now = Instant::now();
    let start = *START.get_or_init(|| now);
    u64::try_from(now.duration_since(start).as_nanos()).expect("a run is shorter than 500 years") + 1
}

/// A span in nanoseconds.
#[must_use]
pub fn nanos(span: Duration) -> u64 {
    u64::try_from(span.as_nanos()).unwrap_or(u64::MAX)
}

/// Nanoseconds as seconds.
#[must_use]
pub fn seconds(ns: u64) -> f64 {
    ns as f64 / 1e9
}

/// Processor seconds of all threads of this process, those included that have ended.
#[must_use]
pub fn process_cpu_seconds() -> f64 {
    cpu::process()
}

/// Processor seconds of the calling thread.
#[must_use]
pub fn thread_cpu_seconds() -> f64 {
    cpu::thread()
}

#[cfg(target_os = "linux")]
mod cpu {
    use nix::time::{ClockId, clock_gettime};

    fn of(clock: ClockId) -> f64 {
        // The kernel has both clocks since long before the oldest that this program runs on.
        clock_gettime(clock).map_or(0.0, |time| time.tv_sec() as f64 + time.tv_nsec() as f64 / 1e9)
    }

    pub(super) fn process() -> f64 {
        of(ClockId::CLOCK_PROCESS_CPUTIME_ID)
    }

    pub(super) fn thread() -> f64 {
        of(ClockId::CLOCK_THREAD_CPUTIME_ID)
    }
}

#[cfg(not(target_os = "linux"))]
mod cpu {
    pub(super) fn process() -> f64 {
        0.0
    }

    pub(super) fn thread() -> f64 {
        0.0
    }
}

/// The most memory that this process ever had resident, in MiB.
#[must_use]
pub fn peak_resident_mib() -> u64 {
    peak_resident_of("self")
}

/// The memory that this process has resident, in KiB; 0 where the system does not say.
#[must_use]
pub fn resident_kib() -> u64 {
    status_kib("self", "VmRSS:")
}

/// The most of another process; 0 when it is gone.
#[must_use]
pub fn peak_resident_mib_of(process: u32) -> u64 {
    peak_resident_of(&process.to_string())
}

fn peak_resident_of(process: &str) -> u64 {
    status_kib(process, "VmHWM:") / 1024
}

/// What Linux says of a process's memory.
fn status_kib(process: &str, what: &str) -> u64 {
    let Ok(status) = std::fs::read_to_string(format!("/proc/{process}/status")) else { return 0 };
    let line = status.lines().find_map(|line| line.strip_prefix(what));
    line.and_then(|rest| rest.split_whitespace().next()).and_then(|kib| kib.parse::<u64>().ok()).unwrap_or(0)
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

    /// Finer than the kernel's ticks of 10 ms: a fill may last no longer than a few of these.
    #[cfg(target_os = "linux")]
    #[test]
    fn processor_time_is_told_in_less_than_ticks() {
        let (process, thread) = (process_cpu_seconds(), thread_cpu_seconds());
        let mut sum = 0_u64;
        while thread_cpu_seconds() <= thread {
            sum = std::hint::black_box(sum + 1);
        }
        // The thread's is read within the process's: what passes between two readings is no difference then.
        let thread = thread_cpu_seconds() - thread;
        let process = process_cpu_seconds() - process;
        assert!(thread > 0.0 && thread <= process, "{thread} of {process}");
        assert!(thread < 0.01, "a tick is more: {thread}");
    }
}
