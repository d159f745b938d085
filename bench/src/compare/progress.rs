//! What goes on meanwhile, on standard error.

use indicatif::{ProgressBar, ProgressStyle};

/// A bar on a terminal, lines elsewhere.
pub(super) struct Progress(ProgressBar);

impl Progress {
    pub(super) fn new(runs: usize) -> Progress {
        let style = ProgressStyle::with_template("{bar:32} {pos}/{len} {elapsed:>4}  {msg}")
            .expect("the template is well-formed")
            .progress_chars("━╸─");
        let bar = ProgressBar::new(runs as u64).with_style(style);
        bar.enable_steady_tick(std::time::Duration::from_secs(1));
        Progress(bar)
    }

    /// What goes on now.
    pub(super) fn now(&self, what: &str) {
        if self.0.is_hidden() {
            evenweave_tools::output::note!("{what} …");
        } else {
            self.0.set_message(what.to_owned());
        }
    }

    /// What stays to be read.
    pub(super) fn line(&self, text: &str) {
        self.0.suspend(|| evenweave_tools::output::note!("{text}"));
    }

    pub(super) fn done(&self) {
        self.0.inc(1);
    }

    pub(super) fn clear(&self) {
        self.0.finish_and_clear();
    }
}
