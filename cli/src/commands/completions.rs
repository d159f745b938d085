//! `evenweave completions`: a script by which a shell completes commands and options.

use clap::{Args, Command};
use clap_complete::{Shell, generate};
use evenweave_tools::output;

#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell.
    #[arg(value_enum)]
    shell: Shell,
}

/// Prints the script for a program of these commands.
pub(crate) fn run(args: &CompletionsArgs, mut program: Command) {
    let mut script = Vec::new();
    generate(args.shell, &mut program, "evenweave", &mut script);
    output::write_raw(&String::from_utf8_lossy(&script));
}
