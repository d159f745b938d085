//! `evenweave explain`: why an application has what it has.

use std::path::PathBuf;

use clap::{ArgGroup, Args};
use evenweave_tools::Failure;
use evenweave_tools::output;
use evenweave_tools::replay::{self, Asked, ExplainOptions, When};

#[derive(Debug, Args)]
#[command(group = ArgGroup::new("whose").required(true).args(["app", "job"]))]
#[command(group = ArgGroup::new("moment").required(true).args(["step", "at"]))]
#[command(
    override_usage = "evenweave explain [OPTIONS] <--app ID | --job NAME> \\\n       <--step K | --at TIME> FILE"
)]
pub(crate) struct ExplainArgs {
    /// A scenario file (one scenario a line), gzipped or not.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The application: its number, or an id such as application_1_0007.
    #[arg(long, value_name = "ID", value_parser = app)]
    app: Option<u32>,
    /// The application by the job's name in the trace, if the scenario is from `simulate --decisions`.
    #[arg(long, value_name = "NAME")]
    job: Option<String>,
    /// The step after which to explain, counted from 0.
    #[arg(long, value_name = "K")]
    step: Option<usize>,
    /// The time at which to explain, from the start of the scenario: 90s, 20m, 1.5h.
    #[arg(long, value_name = "TIME", value_parser = time)]
    at: Option<u64>,
    /// Name of the scenario, if the file has several.
    #[arg(long, value_name = "NAME")]
    scenario: Option<String>,
}

/// An application's number, alone or at the end of Hadoop's id.
fn app(text: &str) -> Result<u32, String> {
    let number = match text.strip_prefix("application_") {
        Some(id) => {
            id.split_once('_').filter(|(timestamp, _)| timestamp.parse::<u64>().is_ok()).map(|(_, number)| number)
        }
        None => Some(text),
    };
    number.and_then(|number| number.parse().ok()).ok_or_else(|| {
        "an application is its number, for example 7, or its id, for example application_1_0007".to_owned()
    })
}

/// A time in ms; of any length.
fn time(text: &str) -> Result<u64, String> {
    let wrong = || "a time is a number and a unit, ms, s, m or h, for example 20m".to_owned();
    let split = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let number: f64 = number.trim().parse().map_err(|_| wrong())?;
    let seconds = match unit {
        "ms" => number / 1e3,
        "s" | "" => number,
        "m" | "min" => number * 60.0,
        "h" => number * 3600.0,
        _ => return Err(wrong()),
    };
    let span = std::time::Duration::try_from_secs_f64(seconds).map_err(|_| wrong())?;
    u64::try_from(span.as_millis()).map_err(|_| wrong())
}

/// Prints the answer.
///
/// # Errors
/// A file without scenarios, and a scenario, step, time, job or application that is not there.
pub(crate) fn run(args: ExplainArgs) -> Result<(), Failure> {
    let ExplainArgs { file, app, job, step, at, scenario } = args;
    let missing = |what: &str| Failure::input(format!("{what} is missing"));
    let app = app.map(Asked::Number).or(job.map(Asked::Job)).ok_or_else(|| missing("--app or --job"))?;
    let when = step.map(When::Step).or(at.map(When::AtMs)).ok_or_else(|| missing("--step or --at"))?;
    let answer = replay::explain(&ExplainOptions { file, app, when, scenario })?;
    output::write(format_args!("{answer}"));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn applications_are_numbers_or_hadoops_ids() {
        assert_eq!(app("7"), Ok(7));
        assert_eq!((app("application_1_0007"), app("application_1764288000000_12345")), (Ok(7), Ok(12_345)));
        for wrong in ["", "application_7", "application_x_7", "application_1_", "job_1_1", "-1"] {
            assert!(app(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn times_have_no_upper_bound() {
        assert_eq!(
            (time("20m"), time("1.5h"), time("90"), time("100h")),
            (Ok(1_200_000), Ok(5_400_000), Ok(90_000), Ok(360_000_000))
        );
        assert!(time("-1s").is_err() && time("1d").is_err() && time("1e300h").is_err());
    }
}
