//! `evenweave explain`: why an application has what it has.

use std::path::PathBuf;

use clap::Args;
use evenweave_bench::replay::{self, ExplainOptions};
use evenweave_bench::{Failure, output};

#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    /// A scenario file (one scenario a line), gzipped or not.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The application's number.
    #[arg(long, value_name = "N")]
    app: u32,
    /// The step after which to explain, counted from 0.
    #[arg(long, value_name = "K")]
    step: usize,
    /// Name of the scenario, if the file has several.
    #[arg(long, value_name = "NAME")]
    scenario: Option<String>,
}

/// Prints the answer.
///
/// # Errors
/// A file without scenarios, and a scenario, step or application that is not there.
pub(crate) fn run(args: ExplainArgs) -> Result<(), Failure> {
    let ExplainArgs { file, app, step, scenario } = args;
    let answer = replay::explain(&ExplainOptions { file, app, step, scenario })?;
    output::write(format_args!("{answer}"));
    Ok(())
}
