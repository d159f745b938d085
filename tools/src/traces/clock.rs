//! Times that are no times of a run: of a calendar, in which the first job comes long after the start.
//!
//! A run begins at 0, and so do the times of most traces. Those of some begin anywhere: at the second or the
//! millisecond since 1970, or at the first hour of a month that was cut out of a year. What comes later than
//! [`LATEST_START_MS`] is taken for such, and counts from the first job.

use super::job::Job;

/// No run idles so long before its first job.
pub const LATEST_START_MS: u64 = 7 * 86_400_000;
/// No run is so long: ten years.
pub const LONGEST_MS: u64 = 3650 * 86_400_000;

/// What times of a trace are less, by its first job; nothing where they are times of a run.
pub fn shift_of(first_ms: u64) -> Option<u64> {
    (first_ms > LATEST_START_MS).then_some(first_ms)
}

/// What is said of times that are shifted.
pub fn shift_told(name: &str, first_ms: u64) -> String {
    let days = first_ms / 86_400_000;
    let known = match first_ms {
        // From 2001 to 2065.
        1_000_000_000..3_000_000_000 => {
            "; if these are seconds since 1970, multiply them by 1000: as they are, they count as milliseconds"
        }
        1_000_000_000_000..3_000_000_000_000 => ", which looks like milliseconds since 1970",
        _ => "",
    };
    format!(
        "{name}: its first job comes at {first_ms} ms, {days} days after the start of a run{known}; its times count from the first job"
    )
}

/// A job's times, so much less.
pub fn shift(job: &mut Job, by_ms: u64) {
    let by = i64::try_from(by_ms).unwrap_or(i64::MAX);
    job.arrival_ms = job.arrival_ms.saturating_sub(by);
    job.finish_ms = job.finish_ms.saturating_sub(by);
    job.deadline_ms = job.deadline_ms.map(|deadline| deadline.saturating_sub(by));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_a_calendar_are_told_from_those_of_a_run() {
        assert_eq!(shift_of(LATEST_START_MS), None);
        assert_eq!(shift_of(1_700_000_000_000), Some(1_700_000_000_000));
        let said = shift_told("t.csv", 1_700_000_000_000);
        assert!(
            said.contains("19675 days after the start of a run, which looks like milliseconds since 1970;"),
            "{said}"
        );
        assert!(shift_told("t.csv", 1_700_000_000).contains("19 days after the start of a run; if these are seconds"));
        assert!(shift_told("t.csv", 800_000_000).contains("9 days after the start of a run; its times count"));
        let mut job = Job::new("a", 1_700_000_000_500);
        shift(&mut job, 1_700_000_000_000);
        assert_eq!((job.arrival_ms, job.finish_ms), (500, 500));
    }
}
