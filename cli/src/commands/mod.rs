//! The commands, each in a file: its arguments, what it calls, and its exit code. `compare` is a part of `bench`, and
//! `soak` of `load`.

mod admin;
mod bench;
mod check;
mod compare;
mod completions;
mod convert;
mod explain;
mod load;
mod man;
mod replay;
mod schema;
mod serve;
mod simulate;
mod soak;

use std::ffi::OsString;

use clap::{Args, Command, CommandFactory, FromArgMatches, Parser, Subcommand};
use evenweave_tools::Failure;

use crate::version;
use admin::AdminArgs;
use bench::BenchArgs;
use check::CheckArgs;
use completions::CompletionsArgs;
use convert::ConvertArgs;
use explain::ExplainArgs;
use load::LoadArgs;
use man::ManArgs;
use replay::ReplayArgs;
use schema::SchemaArgs;
use serve::{OptionsFile, ServeArgs};
use simulate::SimulateArgs;

/// The command has done its work, and the result is bad: containers were lost, a scenario differs, or nothing could be
/// compared. `check`, `convert` and `admin` have exit codes of their own.
const BAD: u8 = 1;

const USAGE: &str = "evenweave COMMAND [OPTIONS] [ARGUMENTS]\n       evenweave [OPTIONS OF load]";

const MORE: &str = "\
`evenweave COMMAND --help` lists the options of a command. Without a command it
runs `load`: jobs of a real cluster on 5,000 simulated nodes, with a report.";

/// A scheduler with the FairScheduler and the CapacityScheduler of Hadoop YARN.
#[derive(Debug, Parser)]
#[command(
    name = "evenweave",
    version = version::SHORT,
    long_version = version::LONG,
    override_usage = USAGE,
    after_help = MORE,
    args_conflicts_with_subcommands = true
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: Option<Subcommands>,
    #[command(flatten)]
    load: LoadArgs,
}

#[derive(Debug, Subcommand)]
enum Subcommands {
    /// Run jobs of a trace on a simulated cluster, and report
    ///
    /// Drives the scheduler with a trace of real jobs, in real time, and reports how full it keeps a simulated cluster.
    Load(Box<LoadArgs>),
    /// Run a simulated cluster with web pages and REST
    ///
    /// Runs a scheduler over a simulated cluster, with the web pages and REST answers of a ResourceManager.
    Serve(Box<ServeArgs>),
    /// Ask or command a running server, as YARN's tools do
    ///
    /// Asks a running server over REST, or changes something in it. The tools queue, application, node and rmadmin print
    /// what `yarn queue` and so on print, and have the same exit codes. `state` prints the state of all queues;
    /// `log-level` shows or changes what the server logs.
    #[command(after_long_help = admin::TOOLS)]
    Admin(AdminArgs),
    /// Simulate a day of jobs under one queue file or several
    ///
    /// Simulates jobs in virtual time under one queue file or several, and reports how each queue changes.
    Simulate(Box<SimulateArgs>),
    /// Check configuration files for errors and probable mistakes
    ///
    /// Reads configuration files as Hadoop does. It reports errors, and what Hadoop accepts although it is probably a
    /// mistake.
    ///
    /// The exit code is 0 without errors, 1 with warnings that --deny-warnings denies, and 2 with errors or with
    /// something that Hadoop takes and Evenweave does not have (`unsupported`).
    Check(CheckArgs),
    /// Convert a FairScheduler's files to a CapacityScheduler's
    ///
    /// Converts a FairScheduler's configuration to a CapacityScheduler's, as `yarn fs2cs` does, and lists what this
    /// changes.
    // `-h` goes to the command itself, which reads its words as Hadoop's does.
    #[command(disable_help_flag = true)]
    Convert(ConvertArgs),
    /// Replay recordings of Hadoop, and compare each decision
    ///
    /// Feeds recordings of the real Hadoop to the scheduler, and compares every field with what Hadoop did.
    Replay(ReplayArgs),
    /// Say why an application waits, at a step of a recording
    ///
    /// Says why an application waits, after a step or at a time of a recording, or of a run of `simulate --decisions`.
    Explain(ExplainArgs),
    /// Measure a standard workload, or compare with other schedulers
    ///
    /// Measures a standard workload. `bench compare` does so with Hadoop's schedulers and YuniKorn's, too.
    Bench(Box<BenchArgs>),
    /// Print the JSON schema of what a command prints
    ///
    /// Prints the JSON schema (draft 2020-12) of what a command prints as JSON.
    Schema(SchemaArgs),
    /// Print a script that completes commands in a shell
    ///
    /// Prints a script by which a shell completes commands and options. For bash: evenweave completions bash >
    /// /etc/bash_completion.d/evenweave
    Completions(CompletionsArgs),
    /// Print the manual page, or write one page for each command
    ///
    /// Prints the manual page of the program, or writes a page for each command into a directory.
    Man(ManArgs),
}

/// The command line. The options of `load`, which are there without a command too, are shown by `load --help` alone.
pub(crate) fn command() -> Command {
    Cli::command().mut_args(|argument| argument.hide(true))
}

/// `serve`, whose options may stand in a file.
fn serve_alone() -> Command {
    ServeArgs::augment_args(Command::new("serve"))
}

/// What to do.
#[derive(Debug)]
pub(crate) enum Asked {
    /// Run a command.
    Run(Box<Cli>),
    /// Print this and end.
    Print(String),
}

/// Reads the command line, and the file of options that it names. Ends the program where that is wrong, and where it is
/// asked for help.
///
/// # Errors
/// A file of options that cannot be taken.
pub(crate) fn asked(words: Vec<OsString>) -> Result<Asked, Failure> {
    let OptionsFile { words, of } = OptionsFile::read(words, serve_alone())?;
    let mut command = command();
    let read = command.try_get_matches_from_mut(words).and_then(|matches| {
        let cli = Cli::from_arg_matches(&matches).map_err(|error| error.format(&mut command))?;
        Ok((cli, matches))
    });
    let (cli, matches) = read.unwrap_or_else(|error| {
        let is_wrong = error.use_stderr();
        // Where it cannot be said, nobody is left to tell so.
        let _ = error.print();
        if let Some(of) = of.filter(|_| is_wrong) {
            evenweave_tools::note!("The options of {} count as if they stood on the command line.", of);
        }
        std::process::exit(error.exit_code())
    });
    match (&cli.command, matches.subcommand_matches("serve")) {
        (Some(Subcommands::Serve(args)), Some(given)) if args.prints_options() => {
            serve::as_file(&serve_alone(), given).map(Asked::Print)
        }
        _ => Ok(Asked::Run(Box::new(cli))),
    }
}

impl Cli {
    /// Runs the command, and returns the exit code.
    ///
    /// # Errors
    /// The command could not do its work.
    pub(crate) fn run(self) -> Result<u8, Failure> {
        let code = |good| if good { 0 } else { BAD };
        match self.command {
            None => load::run(self.load).map(code),
            Some(Subcommands::Load(args)) => load::run(*args).map(code),
            Some(Subcommands::Serve(args)) => serve::run(*args).map(|()| 0),
            Some(Subcommands::Admin(args)) => Ok(admin::run(args)),
            Some(Subcommands::Simulate(args)) => simulate::run(*args).map(code),
            Some(Subcommands::Check(args)) => check::run(&args),
            Some(Subcommands::Convert(args)) => convert::run(args),
            Some(Subcommands::Replay(args)) => replay::run(args).map(code),
            Some(Subcommands::Explain(args)) => explain::run(args).map(|()| 0),
            Some(Subcommands::Bench(args)) => bench::run(*args).map(code),
            Some(Subcommands::Schema(args)) => {
                schema::run(&args);
                Ok(0)
            }
            Some(Subcommands::Completions(args)) => {
                completions::run(&args, command());
                Ok(0)
            }
            Some(Subcommands::Man(args)) => man::run(args, command()).map(|()| 0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent_and_no_command_means_load() {
        command().debug_assert();
        assert!(Cli::parse_from(["evenweave", "--nodes", "7"]).command.is_none());
        assert!(Cli::try_parse_from(["evenweave", "load", "--nodes", "0"]).is_err());
        // `--user-name` needs a value: on or off.
        assert!(Cli::try_parse_from(["evenweave", "serve", "--user-name", "off"]).is_ok());
        assert!(Cli::try_parse_from(["evenweave", "serve", "--user-name"]).is_err());
    }

    /// A comparison runs this program by command lines of its own.
    #[test]
    fn each_cell_of_a_comparison_is_a_command_line() {
        let lines = evenweave_bench::compare::own_command_lines();
        assert!(!lines.is_empty());
        for line in lines {
            let words = std::iter::once("evenweave".to_owned()).chain(line.iter().cloned());
            assert!(matches!(Cli::try_parse_from(words).unwrap().command, Some(Subcommands::Bench(_))), "{line:?}");
        }
    }
}
