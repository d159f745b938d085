//! `evenweave convert`: a CapacityScheduler's configuration from a FairScheduler's, as Hadoop's `yarn fs2cs` writes it.

use std::io::IsTerminal as _;

use clap::Args;
use evenweave_tools::Failure;
use evenweave_tools::convert::{self, ConvertSurroundings};
use evenweave_tools::output;

/// As Hadoop's command ends: -1, of which a shell sees eight bits.
const FAILED: u8 = 255;
/// Not one of Hadoop's.
const SAFE: &str = "--safe";

/// The words are read as Hadoop's command reads them: one dash or two, short names or long ones.
#[derive(Debug, Args)]
pub(crate) struct ConvertArgs {
    /// -y FILE [-f FILE] (-o DIRECTORY | -p), and others; -h lists them.
    #[arg(value_name = "OPTION", trailing_var_arg = true, allow_hyphen_values = true)]
    words: Vec<String>,
}

/// Converts, says what changes, and gives the exit code.
///
/// # Errors
/// A file that cannot be read or written.
pub(crate) fn run(args: ConvertArgs) -> Result<u8, Failure> {
    let (safe, words): (Vec<String>, Vec<String>) = args.words.into_iter().partition(|word| word == SAFE);
    let surroundings = ConvertSurroundings { safe: !safe.is_empty(), ..ConvertSurroundings::default() };
    let ran = convert::run(&words, &surroundings)?;
    output::write_error(format_args!("{}", ran.said()));
    // A file that is printed goes on as it is, unless it is for somebody's eyes.
    match std::io::stdout().is_terminal() {
        true => output::write(format_args!("{}", ran.output())),
        false => output::write_raw(&ran.output()),
    }
    Ok(if ran.failed { FAILED } else { 0 })
}
