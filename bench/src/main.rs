//! The `evenweave` program: the scheduler core under load, replays of recorded Hadoop runs, standard workloads.
//!
//! | module | what |
//! | --- | --- |
//! | `cli`, `failure` | the command line; why it may fail |
//! | `trace`, `jobs`, `bundled`, `random` | what the load is made from |
//! | `site` | properties and groups of the command line |
//! | `engine` | the scheduler behind one trait: threaded, or the plain twin behind a mutex |
//! | `load` | the closed-loop driver |
//! | `soak` | the long run, with faults |
//! | `report`, `progress` | table, JSON, HTML; the bar |
//! | `replay` | recordings of real Hadoop: scenarios step by step, with the reasons; vectors case by case |
//! | `check` | configuration files |
//! | `workload` | the standard workloads W1 to W4 |
//! | `compare` | the same workloads through other schedulers, and the figures side by side |
//! | `clock`, `latency` | measuring |

mod api;
mod bundled;
mod check;
mod cli;
mod clock;
mod compare;
mod engine;
mod failure;
mod jobs;
mod latency;
mod load;
mod output;
mod progress;
mod random;
mod replay;
mod report;
mod site;
mod soak;
mod trace;
mod workload;

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::Parser;

use cli::{BenchCommand, Cli, Command, LoadArgs};
use failure::Failure;

/// Keeps sizes apart; at thousands of applications an allocation takes less processor time, by how much stands in docs/performance.md.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The work was done and its result is bad: books that do not balance, scenarios that differ.
const BAD: u8 = 1;

fn main() -> ExitCode {
    let cli = Cli::parse();
    let code = |good| if good { 0 } else { BAD };
    let outcome = match cli.command {
        None => load(&cli.load).map(code),
        Some(Command::Load(args)) => load(&args).map(code),
        Some(Command::Replay(args)) => replay::run(&args).map(code),
        Some(Command::Explain(args)) => replay::explain(&args).map(|()| 0),
        Some(Command::Check(args)) => check::run(&args),
        Some(Command::Bench(args)) => match &args.command {
            Some(BenchCommand::Compare(args)) => compare::run(args).map(code),
            None => workload::run(&args).map(|()| 0),
        },
    };
    match outcome {
        Ok(code) => ExitCode::from(code),
        Err(failure) => {
            let code = failure.code();
            failure.print();
            ExitCode::from(code)
        }
    }
}

/// `evenweave load`: whether the books balance.
fn load(args: &LoadArgs) -> Result<bool, Failure> {
    let inputs = load::Inputs::read(args)?;
    let report_path = report::check_writable(&args.out)?;
    for warning in &inputs.warnings {
        eprintln!("evenweave: warning: {warning}");
    }
    let stop = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stop);
    // ORDERING: Relaxed. The flag carries no data.
    ctrlc::set_handler(move || flag.store(true, Ordering::Relaxed))
        .map_err(|error| Failure::input(format!("Ctrl-C cannot be caught: {error}")))?;
    let mut progress = progress::Progress::new(args.quiet);
    if let Some(duration) = args.soak {
        return soak(args, &inputs, duration, &stop, &progress, &report_path);
    }
    let result = load::run(args, &inputs, &stop, &mut |core, at, whole, driver| progress.tell(core, at, whole, driver));
    progress.say("replaying recorded Hadoop runs");
    let result = result.inspect_err(|_| progress.clear())?;
    let replayed = (!result.interrupted).then(replay::bundled_tally);
    progress.clear();
    report::write_report(&result, replayed, &report_path)?;
    if args.json {
        crate::output::say!("{}", report::load_json(&result, replayed));
    } else if !args.quiet {
        report::print_load(&result, replayed, &report_path);
    }
    if !result.balanced() && (args.json || args.quiet) {
        eprintln!("evenweave: the books do not balance");
    }
    Ok(result.balanced())
}

/// `evenweave load --soak`: whether the books balanced all the time.
fn soak(
    args: &LoadArgs,
    inputs: &load::Inputs,
    duration: std::time::Duration,
    stop: &AtomicBool,
    progress: &progress::Progress,
    report_path: &std::path::Path,
) -> Result<bool, Failure> {
    if args.faults {
        eprintln!("evenweave: faults from seed {}", args.seed);
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
    let result = soak::run(args, inputs, duration, stop, &mut |at, whole, what| progress.tell_soak(at, whole, what))?;
    progress.clear();
    report::write_soak(&result, report_path)?;
    if args.json {
        crate::output::say!("{}", report::soak_json(&result));
    } else if !args.quiet {
        report::print_soak(&result, report_path);
    }
    if !result.balanced() && (args.json || args.quiet) {
        eprintln!("evenweave: the books do not balance");
    }
    Ok(result.balanced())
}
