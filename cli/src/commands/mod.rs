//! The commands, each in a file: its arguments, what it calls, and its exit code. `compare` is a part of `bench`, and
//! `soak` of `load`.

mod admin;
mod bench;
mod check;
mod compare;
mod convert;
mod explain;
mod load;
mod replay;
mod serve;
mod simulate;
mod soak;

use clap::{Parser, Subcommand};
use evenweave_bench::Failure;

use admin::AdminArgs;
use bench::BenchArgs;
use check::CheckArgs;
use convert::ConvertArgs;
use explain::ExplainArgs;
use load::LoadArgs;
use replay::ReplayArgs;
use serve::ServeArgs;
use simulate::SimulateArgs;

/// The command has done its work, and the result is bad: containers were lost, a scenario differs, or nothing could be
/// compared. `check`, `convert` and `admin` have exit codes of their own.
const BAD: u8 = 1;

/// A scheduler with the FairScheduler and the CapacityScheduler of Hadoop YARN. Without a command it runs `load`.
#[derive(Debug, Parser)]
#[command(name = "evenweave", version, args_conflicts_with_subcommands = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten, next_help_heading = "Options of load")]
    load: LoadArgs,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Drive the scheduler with a trace of real jobs, and report how full it keeps a simulated cluster.
    Load(Box<LoadArgs>),
    /// Replay recordings of the real Hadoop, and compare every field with what Hadoop did.
    Replay(ReplayArgs),
    /// Say why an application waits, after a step of a recording.
    Explain(ExplainArgs),
    /// Check configuration files: errors, and what Hadoop accepts although it is probably a mistake.
    Check(CheckArgs),
    /// Convert a FairScheduler's configuration to a CapacityScheduler's, as `yarn fs2cs` does, and list what this
    /// changes.
    // `-h` goes to the command itself, which reads its words as Hadoop's does.
    #[command(disable_help_flag = true)]
    Convert(ConvertArgs),
    /// Simulate a day of jobs in virtual time under one queue file or several, and report how each queue changes.
    Simulate(Box<SimulateArgs>),
    /// Run a scheduler over a simulated cluster, with the web pages and REST answers of a ResourceManager.
    Serve(ServeArgs),
    /// Ask a running server over REST, or change something in it.
    ///
    /// The tools queue, application, node and rmadmin print what `yarn queue` and so on print, and have the same exit
    /// codes. `state` prints the state of all queues; `log-level` shows or changes what the server logs. The tools:
    ///
    ///   queue -status NAME
    ///   application -list [-appTypes ...] [-appStates ...] [-appTags ...] | -status ID | -kill ID...
    ///   application -movetoqueue ID -queue NAME | -changeQueue NAME -appId ID | -updatePriority N -appId ID
    ///   node -list [-states ...] [-all] [-showDetails] | -status ID
    ///   rmadmin -refreshQueues | -refreshNodes [-g] | -refreshTokens | -updateNodeResource ID MB VCORES
    ///   rmadmin -decommission ID | -recommission ID | -removeNode ID
    ///   state [-json]
    ///   log-level [-getlevel NAME | -setlevel NAME LEVEL]
    #[command(verbatim_doc_comment)]
    Admin(AdminArgs),
    /// Measure a standard workload, or compare with other schedulers (`bench compare`).
    Bench(Box<BenchArgs>),
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
            Some(Command::Load(args)) => load::run(*args).map(code),
            Some(Command::Replay(args)) => replay::run(args).map(code),
            Some(Command::Explain(args)) => explain::run(args).map(|()| 0),
            Some(Command::Check(args)) => check::run(&args),
            Some(Command::Convert(args)) => convert::run(args),
            Some(Command::Simulate(args)) => simulate::run(*args).map(code),
            Some(Command::Serve(args)) => serve::run(args).map(|()| 0),
            Some(Command::Admin(args)) => Ok(admin::run(args)),
            Some(Command::Bench(args)) => bench::run(*args).map(code),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent_and_no_command_means_load() {
        Cli::command().debug_assert();
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
            assert!(matches!(Cli::try_parse_from(words).unwrap().command, Some(Command::Bench(_))), "{line:?}");
        }
    }
}
