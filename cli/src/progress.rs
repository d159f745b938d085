//! The progress bar, on standard error.

use evenweave_bench::grouped;
use evenweave_bench::load::Moment;
use evenweave_bench::options::CoreChoice;
use indicatif::{ProgressBar, ProgressStyle};

/// A bar for each core's run, or nothing at all.
#[derive(Debug)]
pub(crate) struct Progress {
    bar: Option<ProgressBar>,
    core: Option<CoreChoice>,
    last: (f64, u64),
}

impl Progress {
    /// Shown unless `hidden`; never when standard error is no terminal.
    pub(crate) fn new(hidden: bool) -> Progress {
        let style = ProgressStyle::with_template("{prefix:>12} {bar:32} {elapsed:>4}  {msg}")
            .expect("the template is well-formed")
            .progress_chars("━╸─");
        let bar = (!hidden).then(|| ProgressBar::new(1_000).with_style(style));
        Progress { bar, core: None, last: (0.0, 0) }
    }

    /// A run goes on.
    pub(crate) fn tell(&mut self, moment: &Moment) {
        let Some(bar) = &self.bar else { return };
        let Moment { core, at, whole, looked_at, granted, utilisation, jobs_in_flight } = *moment;
        if self.core != Some(core) {
            self.core = Some(core);
            self.last = (0.0, 0);
            bar.reset();
            bar.set_prefix(match core {
                CoreChoice::Threaded => "evenweave",
                CoreChoice::Locked => "locked twin",
            });
        }
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 1000")]
        bar.set_position((at / whole * 1_000.0).clamp(0.0, 1_000.0) as u64);
        if let Some(looked_at) = looked_at.filter(|looked_at| *looked_at > self.last.0) {
            let rate = (granted - self.last.1) as f64 / (looked_at - self.last.0);
            self.last = (looked_at, granted);
            bar.set_message(format!(
                "{:.1} % full, {} allocations/s, {} jobs in flight",
                utilisation * 100.0,
                grouped(rate),
                grouped(jobs_in_flight as f64)
            ));
        }
    }

    /// A soak goes on. Where there is no terminal a line a minute says so.
    pub(crate) fn tell_soak(&self, at: f64, whole: f64, what: &str) {
        let Some(bar) = &self.bar else { return };
        if bar.is_hidden() {
            if at % 60.0 < 1.0 {
                eprintln!("evenweave: soak, {at:.0} s of {whole:.0}: {what}");
            }
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
