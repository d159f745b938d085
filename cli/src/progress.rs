//! The progress bar, on standard error. Where that is no terminal a line every ten seconds stands for it.

use std::io::IsTerminal as _;
use std::sync::Mutex;
use std::time::Duration;

use evenweave_bench::load::Moment;
use evenweave_bench::options::CoreChoice;
use evenweave_tools::numbers::grouped;
use indicatif::{ProgressBar, ProgressStyle};

/// A line so often, where there is no terminal.
const EVERY: Duration = Duration::from_secs(10);

/// When the next line is due.
#[derive(Debug)]
struct Lines {
    next: Duration,
}

impl Lines {
    fn new() -> Lines {
        Lines { next: EVERY }
    }

    /// Whether a line is due so long after the start; then the next is due an interval later.
    fn is_due(&mut self, at: Duration) -> bool {
        let due = at >= self.next;
        if due {
            self.next = at + EVERY;
        }
        due
    }
}

/// What goes on, of many threads.
#[derive(Debug)]
pub(crate) struct Spinner {
    what: &'static str,
    bar: ProgressBar,
    /// Where there is no terminal.
    lines: Option<Mutex<Lines>>,
}

impl Spinner {
    pub(crate) fn new(what: &'static str, quiet: bool) -> Spinner {
        let style =
            ProgressStyle::with_template("{prefix:>12} {elapsed:>4}  {msg}").expect("the template is well-formed");
        let bar = if quiet { ProgressBar::hidden() } else { ProgressBar::new_spinner().with_style(style) };
        bar.set_prefix(what);
        let lines = (!quiet && !std::io::stderr().is_terminal()).then(|| Mutex::new(Lines::new()));
        Spinner { what, bar, lines }
    }

    /// It goes on; `said` says how far it is.
    pub(crate) fn tell(&self, said: impl FnOnce() -> String) {
        let Some(lines) = &self.lines else {
            if !self.bar.is_hidden() {
                self.bar.set_message(said());
            }
            return;
        };
        let at = self.bar.elapsed();
        if lines.lock().is_ok_and(|mut lines| lines.is_due(at)) {
            evenweave_tools::note!("evenweave: {}, {:.0} s: {}", self.what, at.as_secs_f64(), said());
        }
    }

    pub(crate) fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

/// A bar for each core's run, or nothing at all.
#[derive(Debug)]
pub(crate) struct Progress {
    bar: Option<ProgressBar>,
    core: Option<CoreChoice>,
    last: (f64, u64),
    lines: Mutex<Lines>,
}

impl Progress {
    /// Shown unless `hidden`.
    pub(crate) fn new(hidden: bool) -> Progress {
        let style = ProgressStyle::with_template("{prefix:>12} {bar:32} {elapsed:>4}  {msg}")
            .expect("the template is well-formed")
            .progress_chars("━╸─");
        let bar = (!hidden).then(|| ProgressBar::new(1_000).with_style(style));
        Progress { bar, core: None, last: (0.0, 0), lines: Mutex::new(Lines::new()) }
    }

    /// A run goes on.
    pub(crate) fn tell(&mut self, moment: &Moment) {
        let Some(bar) = &self.bar else { return };
        let Moment { core, at, whole, looked_at, granted, utilisation, jobs_in_flight } = *moment;
        if self.core != Some(core) {
            self.core = Some(core);
            self.last = (0.0, 0);
            bar.reset();
            bar.set_prefix(name(core));
            self.lines = Mutex::new(Lines::new());
        }
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 1000")]
        bar.set_position((at / whole * 1_000.0).clamp(0.0, 1_000.0) as u64);
        if let Some(looked_at) = looked_at.filter(|looked_at| *looked_at > self.last.0) {
            let rate = (granted - self.last.1) as f64 / (looked_at - self.last.0);
            self.last = (looked_at, granted);
            let said = format!(
                "{:.1} % full, {} allocations/s, {} jobs in flight",
                utilisation * 100.0,
                grouped(rate),
                grouped(jobs_in_flight as f64)
            );
            if bar.is_hidden() {
                self.line(name(core), at, whole, &said);
            } else {
                bar.set_message(said);
            }
        }
    }

    /// A line every ten seconds, for where there is no terminal.
    fn line(&self, what: &str, at: f64, whole: f64, said: &str) {
        let gone = Duration::try_from_secs_f64(at).unwrap_or_default();
        if self.lines.lock().is_ok_and(|mut lines| lines.is_due(gone)) {
            evenweave_tools::note!("evenweave: {what}, {at:.0} s of {whole:.0}: {said}");
        }
    }

    /// A soak goes on.
    pub(crate) fn tell_soak(&self, at: f64, whole: f64, what: &str) {
        let Some(bar) = &self.bar else { return };
        if bar.is_hidden() {
            self.line("soak", at, whole, what);
            return;
        }
        bar.set_prefix("soak");
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 1000")]
        bar.set_position((at / whole * 1_000.0).clamp(0.0, 1_000.0) as u64);
        bar.set_message(what.to_owned());
    }

    /// Something other than a run goes on.
    pub(crate) fn say(&self, what: &str) {
        if let Some(bar) = &self.bar {
            bar.set_message(what.to_owned());
        }
    }

    /// Takes the bar away.
    pub(crate) fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// What a run is called.
fn name(core: CoreChoice) -> &'static str {
    match core {
        CoreChoice::Threaded => "evenweave",
        CoreChoice::Locked => "locked twin",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_due_every_ten_seconds() {
        let mut lines = Lines::new();
        let mut due = |seconds| lines.is_due(Duration::from_secs(seconds));
        let told: Vec<u64> = (0..40).filter(|second| due(*second)).collect();
        assert_eq!(told, [10, 20, 30]);
        // One that comes late puts off the next.
        assert!(due(47) && !due(56) && due(57));
    }
}
