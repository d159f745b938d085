//! What a run ran on: processor, load, commit, date. What cannot be told is left out.

use std::hash::Hasher;
use std::path::Path;
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use evenweave_tools::Failure;
use rustc_hash::FxHasher;
use serde::{Deserialize, Serialize};

use crate::api::read_file;

/// A larger one is none of these programs.
const LARGEST_PROGRAM: u64 = 4 << 30;

/// Which program stands for this side, and from where.
#[derive(Clone, Debug)]
pub(super) struct Build {
    /// Of the program's bytes: other code, other figures.
    pub(super) fingerprint: String,
    pub(super) commit: Option<String>,
    pub(super) machine: Machine,
}

/// The processor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Machine {
    pub(super) cpu: Option<String>,
    pub(super) cores: usize,
}

impl Build {
    /// # Errors
    /// When the program cannot be read.
    pub(super) fn of(path: &Path) -> Result<Build, Failure> {
        let bytes =
            read_file(path, LARGEST_PROGRAM).map_err(|error| Failure::input(format!("{}: {error}", path.display())))?;
        let mut hasher = FxHasher::default();
        hasher.write(&bytes);
        Ok(Build { fingerprint: format!("{:016x}", hasher.finish()), commit: commit(), machine: Machine::here() })
    }
}

impl Machine {
    fn here() -> Machine {
        let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let model = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
        Machine {
            cpu: model.map(|(_, name)| name.trim().to_owned()),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
        }
    }

    /// `2 cores of Intel ...`.
    pub(super) fn told(&self) -> String {
        format!("{} cores of {}", self.cores, self.cpu.as_deref().unwrap_or("an unknown processor"))
    }
}

/// The commit of the sources that this was built from, if they are still there and in git; `+` where files have changed
/// since.
fn commit() -> Option<String> {
    let git = |arguments: &[&str]| {
        let output = Command::new("git").args(["-C", env!("CARGO_MANIFEST_DIR")]).args(arguments).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let commit = git(&["rev-parse", "--short=12", "HEAD"])?;
    let changed = git(&["status", "--porcelain", "--untracked-files=no"]).is_some_and(|files| !files.is_empty());
    Some(if changed { format!("{commit}+") } else { commit })
}

/// The load average of the last minute; 0 where the system has none.
pub(super) fn load() -> f64 {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split_whitespace().next().and_then(|first| first.parse().ok()).unwrap_or(0.0)
}

/// Now, as `2031-05-09T07:30:00Z`.
pub(super) fn date() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    date_of(seconds)
}

/// Days are counted from a March on, so that the leap day is a year's last.
fn date_of(seconds: u64) -> String {
    const DAYS_OF_400_YEARS: u64 = 146_097;
    const DAYS_FROM_YEAR_0: u64 = 719_468;
    let (days, of_day) = (seconds / 86_400 + DAYS_FROM_YEAR_0, seconds % 86_400);
    let (era, of_era) = (days / DAYS_OF_400_YEARS, days % DAYS_OF_400_YEARS);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    let year = 400 * era + year_of_era + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z", of_day / 3_600, of_day / 60 % 60, of_day % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        for (seconds, date) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_709_251_199, "2024-02-29T23:59:59Z"),
            (1_709_251_200, "2024-03-01T00:00:00Z"),
            (4_107_542_399, "2100-02-28T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ] {
            assert_eq!(date_of(seconds), date);
        }
    }
}
