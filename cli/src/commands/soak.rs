//! `evenweave load --soak`: the long run.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use clap::Args;
use evenweave_bench::load::{Inputs, LoadOptions};
use evenweave_bench::soak::{self, SoakOptions, SoakResult};
use evenweave_tools::Failure;

use crate::arguments::interval;
use crate::progress::Progress;

#[derive(Debug, Args)]
pub(crate) struct SoakArgs {
    /// Run a steady load for this long, for example 5m or 1h, and compare the books all the time. The report draws
    /// memory and latencies over time. A call that takes longer than 5 s ends the run. 200 nodes, unless --nodes is
    /// given.
    #[arg(long, value_name = "DURATION", value_parser = parse_soak,
        conflicts_with_all = ["duration", "trace", "speed", "jobs_in_flight", "reload", "core", "preemption"])]
    soak: Option<Duration>,
    /// Inject a fault four times a second, drawn from --seed: workers panic, nodes are lost, the clock jumps, and more.
    #[arg(long, requires = "soak")]
    faults: bool,
}

impl SoakArgs {
    /// What is asked for, if it is.
    pub(crate) fn options(&self) -> Option<SoakOptions> {
        self.soak.map(|duration| SoakOptions { duration, faults: self.faults })
    }
}

/// Drives it.
///
/// # Errors
/// Wrong input.
pub(crate) fn drive(
    load: &LoadOptions,
    inputs: &Inputs,
    options: SoakOptions,
    stop: &AtomicBool,
    progress: &Progress,
) -> Result<SoakResult, Failure> {
    if options.faults {
        evenweave_tools::note!("evenweave: faults from seed {}", load.seed);
        // What is injected is no news; anything else that panics is.
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            let message = panic.payload();
            let text = message.downcast_ref::<String>().map(String::as_str).or(message.downcast_ref::<&str>().copied());
            if !text.is_some_and(|text| text.starts_with("an injected panic")) {
                usual(panic);
            }
        }));
    }
    soak::run(load, inputs, options, stop, &mut |at, whole, what| progress.tell_soak(at, whole, what))
}

fn parse_soak(text: &str) -> Result<Duration, String> {
    let duration = interval(text)?;
    if duration < Duration::from_secs(5) { Err("a soak lasts 5s to 24 hours".to_owned()) } else { Ok(duration) }
}
